// WordCursor lets the user select words with the arrow keys. The selection is the browser's own, as with the mouse.

import { say } from "./announce.js";
import { pieceAfter, pieceBefore } from "./offsets.js";

export class WordCursor {
  active = false;
  #view;
  #note = null;
  #range = null;

  constructor(view) { this.#view = view; }

  // start selects the first word at or after an offset.
  start(note, offset) {
    this.#note = note;
    const first = pieceAfter(note.text, offset) ?? pieceAfter(note.text, 0);
    if (!first) return;
    this.active = true;
    this.#select(first);
  }

  stop() { this.active = false; }

  // key moves the selection by a word or a line, or extends it while Shift is held.
  key(event) {
    const move = event.shiftKey ? EXTEND[event.key] : MOVE[event.key];
    if (!move) return false;
    const range = move(this.#note.text, this.#range);
    if (range && range.start < range.end) this.#select(range);
    return true;
  }

  #select(range) {
    this.#range = range;
    this.#view.select(range);
    say(this.#note.text.slice(range.start, range.end));
  }
}

const MOVE = {
  ArrowRight: (text, { end }) => pieceAfter(text, end),
  ArrowLeft: (text, { start }) => pieceBefore(text, start),
  ArrowDown: (text, { end }) => after(text, text.indexOf("\n", end)),
  ArrowUp: (text, { start }) => lineAbove(text, start),
};

const EXTEND = {
  ArrowRight: (text, { start, end }) => ({ start, end: pieceAfter(text, end)?.end ?? end }),
  ArrowLeft: (text, { start, end }) => ({ start, end: pieceBefore(text, pieceBefore(text, end).start)?.end ?? end }),
};

// after returns the first piece of the line that follows a line end, or null if there is none.
const after = (text, lineEnd) => (lineEnd < 0 ? null : pieceAfter(text, lineEnd));

function lineAbove(text, start) {
  const lineStart = text.lastIndexOf("\n", start - 1);
  const last = lineStart < 0 ? null : pieceBefore(text, lineStart);
  return last && pieceAfter(text, text.lastIndexOf("\n", last.start) + 1);
}
