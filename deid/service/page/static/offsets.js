// Offsets in the page count units of UTF-16, as JavaScript's strings do. Files count code points.

// codePoints converts offsets of a text, in ascending order, from units of UTF-16 to code points. It reads the text once.
export function codePoints(text, offsets) {
  const converted = [];
  let at = 0;
  let pairs = 0; // surrogate pairs before at
  for (const offset of offsets) {
    for (; at < offset; at++) {
      const unit = text.charCodeAt(at);
      if (unit >= 0xd800 && unit < 0xdc00) {
        pairs++;
        at++;
      }
    }
    converted.push(offset - pairs);
  }
  return converted;
}

// characterAfter and characterBefore return where the character that a reader sees ends or starts: an emoji, or a letter
// with its accents, is one.
export function characterAfter(text, at) {
  const [first] = segmenter.segment(text.slice(at, at + WINDOW));
  return first ? at + first.segment.length : at;
}

export function characterBefore(text, at) {
  const from = Math.max(0, at - WINDOW);
  let last = at;
  for (const { index } of segmenter.segment(text.slice(from, at))) last = from + index;
  return last;
}

const WINDOW = 64; // longer than any character in use
const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

// A piece is a run of letters and digits, or any other single character that is not white space. Boundaries of a span move
// by pieces.
const LETTERS = "[\\p{L}\\p{M}\\p{N}]+";
const OTHER = "[^\\s\\p{L}\\p{M}\\p{N}](?:[\\u200D\\uFE0F\\u{1F3FB}-\\u{1F3FF}]+\\p{Extended_Pictographic}?)*";
const PIECE_AFTER = new RegExp(`\\s*(${LETTERS}|${OTHER})`, "uy");
const PIECE_BEFORE = new RegExp(`(?:${LETTERS}|${OTHER})(\\s*)$`, "u");
const PIECE_WINDOW = 1000;

// pieceAfter returns the start and end of the first piece at or after an offset, or null.
export function pieceAfter(text, at) {
  PIECE_AFTER.lastIndex = at;
  const match = PIECE_AFTER.exec(text);
  if (!match) return null;
  const end = at + match[0].length;
  return { start: end - match[1].length, end };
}

// pieceBefore returns the start and end of the last piece that ends at or before an offset, or null.
export function pieceBefore(text, at) {
  for (let window = PIECE_WINDOW; ; window *= 16) {
    const from = Math.max(0, at - window);
    const match = PIECE_BEFORE.exec(text.slice(from, at));
    if (match) return { start: from + match.index, end: at - match[1].length };
    if (from === 0) return null;
  }
}

// trim returns the range without white space at its ends, or null if nothing else is in it. It never cuts a surrogate pair.
export function trim(text, start, end) {
  if (inPair(text, start)) start--;
  if (inPair(text, end)) end++;
  while (start < end && /\s/.test(text[start])) start++;
  while (end > start && /\s/.test(text[end - 1])) end--;
  return start < end ? { start, end } : null;
}

function inPair(text, at) {
  const unit = text.charCodeAt(at);
  const before = text.charCodeAt(at - 1);
  return unit >= 0xdc00 && unit < 0xe000 && before >= 0xd800 && before < 0xdc00;
}

// occurrences returns where the phrase is in the text as whole words, in order and without overlap.
export function occurrences(text, phrase) {
  const found = [];
  for (let at = text.indexOf(phrase); at >= 0; at = text.indexOf(phrase, at)) {
    const end = at + phrase.length;
    const whole = !joined(text, at) && !joined(text, end);
    if (whole) found.push({ start: at, end });
    at = whole ? end : at + 1;
  }
  return found;
}

// joined reports whether an offset is between two letters or digits.
function joined(text, at) {
  return at > 0 && at < text.length && WORD_END.test(text.slice(Math.max(0, at - 2), at)) && WORD_START.test(text.slice(at, at + 2));
}

const WORD_END = /[\p{L}\p{M}\p{N}]$/u;
const WORD_START = /^[\p{L}\p{M}\p{N}]/u;
