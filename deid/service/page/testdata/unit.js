// Tests of the modules that need no page. units_test.go runs them in a browser; run returns what failed.

import { crc32, zip } from "/static/zip.js";
import { decode, idOf, patientOf, sortOut } from "/static/intake.js";
import { next, percent, sorted } from "/static/findings.js";
import { regionsOf } from "/static/differences.js";
import { newItem, Note, overlaps } from "/static/note.js";
import { characterAfter, characterBefore, codePoints, occurrences, pieceAfter, pieceBefore, trim } from "/static/offsets.js";
import { divide } from "/static/textview.js";

const WOMAN = "👩🏽‍⚕️"; // one character of seven units
const TEXTS = ["", "plain", "\ufeffOda\r\nÅsa", `${WOMAN} e\u0301 שלום`, "a\r\n\r\nb\r", "é👍x\r\n".repeat(900), `${"x".repeat(5999)}👍y`, "word ".repeat(4000)];

const tests = {
  codePointsCountCharactersOnce() {
    for (const text of TEXTS) {
      const offsets = boundaries(text);
      equal(codePoints(text, offsets), offsets.map((at) => Array.from(text.slice(0, at)).length));
    }
  },

  characterIsWhatAReaderSees() {
    const text = `a${WOMAN}e\u0301b`;
    equal([characterAfter(text, 1), characterBefore(text, 8), characterAfter(text, 8), characterBefore(text, 10)], [8, 1, 10, 8]);
    equal([characterBefore("", 0), characterAfter("", 0), characterAfter("a", 1)], [0, 0, 1]);
  },

  piecesAreWordsOrSigns() {
    const text = `  José's ${WOMAN}. 12/03`;
    const pieces = [];
    for (let piece = pieceAfter(text, 0); piece; piece = pieceAfter(text, piece.end)) pieces.push(text.slice(piece.start, piece.end));
    equal(pieces, ["José", "'", "s", WOMAN, ".", "12", "/", "03"]);
    const back = [];
    for (let piece = pieceBefore(text, text.length); piece; piece = pieceBefore(text, piece.start)) back.unshift(text.slice(piece.start, piece.end));
    equal(back, pieces);
    equal(pieceBefore(`a${" ".repeat(5000)}`, 5001), { start: 0, end: 1 });
  },

  trimKeepsPairsWhole() {
    equal(trim("a 👍 b", 1, 3), { start: 2, end: 4 });
    equal(trim("a  b", 1, 3), null);
  },

  occurrencesAreWholeWords() {
    equal(occurrences("Ida, Idan, Ida; d'Ida", "Ida"), [{ start: 0, end: 3 }, { start: 11, end: 14 }, { start: 18, end: 21 }]);
    equal(occurrences("aa aa aa", "aa aa"), [{ start: 0, end: 5 }]);
    equal(occurrences("é Ida\u0301 Ida", "Ida"), [{ start: 7, end: 10 }]);
  },

  blocksAreTheText() {
    for (const text of TEXTS) {
      const blocks = divide(text);
      equal(blocks.map(({ start, end }) => text.slice(start, end)).join(""), text);
      for (const { start, end } of blocks) {
        if (end - start > 6001) throw new Error(`a block has ${end - start} units`);
        if (!text.slice(start, end).isWellFormed()) throw new Error("a block cuts a surrogate pair");
      }
    }
  },

  editsCanAllBeUndoneAndDoneAgain() {
    const random = generator(7);
    const note = filled();
    const states = [shown(note)];
    while (states.length < 200) if (edit(note, random)) states.push(shown(note));
    const last = states.at(-1);
    for (const state of states.toReversed()) {
      equal(shown(note), state);
      note.undo();
    }
    while (note.redo());
    equal(shown(note), last);
  },

  itemsStaySortedAndDisjoint() {
    const random = generator(8);
    const note = filled();
    for (let n = 0; n < 300; n++) {
      edit(note, random);
      for (let i = 1; i < note.items.length; i++) if (note.items[i - 1].end > note.items[i].start) throw new Error("two items overlap");
      for (const item of note.items) if (note.quote(item).trim() !== note.quote(item) || item.start >= item.end) throw new Error("an item starts or ends with a space");
    }
  },

  boundariesMoveByWordsAndCharacters() {
    const note = new Note({ id: "1", text: `Dr. Oda Lund's ${WOMAN}x` });
    note.setItems([newItem({ start: 4, end: 12, type: "DOCTOR", score: 0.9 })]);
    const move = (...how) => { note.move(note.items[0], ...how); return note.quote(note.items[0]); };
    equal([move("end", -1, "piece"), move("end", 1, "piece"), move("start", 1, "piece"), move("start", -1, "piece"), move("start", -1, "piece"), move("start", -1, "piece")],
      ["Oda", "Oda Lund", "Lund", "Oda Lund", ". Oda Lund", "Dr. Oda Lund"]);
    equal([move("end", -1, "character"), move("end", 1, "character"), move("end", 1, "character"), move("end", 1, "character"), move("end", 1, "character")],
      ["Dr. Oda Lun", "Dr. Oda Lund", "Dr. Oda Lund'", "Dr. Oda Lund's", `Dr. Oda Lund's ${WOMAN}`]);
    note.setItems([newItem({ start: 4, end: 7, type: "DOCTOR", score: 0.9 })]);
    equal([note.move(note.items[0], "end", -1, "piece"), note.move(note.items[0], "start", 1, "piece")], [null, null]);
  },

  markingReplacesWhatItOverlaps() {
    const note = filled();
    note.mark(0, 12, "PATIENT");
    equal(shown(note)[0], "Ida Berg saw PATIENT true null");
    equal(note.mark(3, 4, "PATIENT"), null);
  },

  sameTextIsMarkedEverywhere() {
    const note = new Note({ id: "1", text: "Ida saw Ida, not Idan." });
    note.setItems([newItem({ start: 0, end: 3, type: "PATIENT", score: 0.5 }), newItem({ start: 8, end: 11, type: "CITY", score: 0.1, doubt: true })]);
    note.markSame(note.items[0]);
    equal(shown(note), ["Ida PATIENT true 0.5", "Ida PATIENT true 0.1"]);
  },

  theDoubtfulComeFirst() {
    const items = [0.9, 0.4, null, 0.99].map((score, i) => newItem({ start: i, end: i + 1, type: "A", score }));
    const doubt = newItem({ start: 9, end: 10, type: "A", score: 0.3, doubt: true });
    equal(sorted([...items, doubt], "doubtful").map(({ start }) => start), [1, 9, 0, 3, 2]);
    equal([next(items, items[3], 1, false), next(items, items[0], -1, false), next(items, null, 1, true), next([], null, 1, true)], [items[0], items[3], items[0], null]);
    equal([percent(0.999), percent(1), percent(0.004)], ["99%", "100%", "0%"]);
  },

  overlapsLooksAtCharacters() {
    const items = [{ start: 2, end: 4 }, { start: 6, end: 8 }];
    equal([[0, 2], [3, 4], [4, 6], [5, 7], [8, 9]].map(([start, end]) => overlaps(items, { start, end })), [false, true, false, true, false]);
  },

  differencesAreGrouped() {
    const at = (type, start, end) => ({ type, start: { utf16: start }, end: { utf16: end } });
    const regions = regionsOf({ anna: [at("A", 0, 3), at("B", 5, 9)], ben: [at("A", 0, 3), at("A", 7, 12), at("C", 20, 22)] });
    equal(regions.map(({ start, end, choices }) => [start, end, choices.anna.length, choices.ben.length]), [[5, 12, 1, 1], [20, 22, 0, 1]]);
  },

  filesOfAFolderAreSortedOut() {
    const { taken, left } = sortOut(["d/b10.txt", "d/b9.TXT", "d/.x/a.txt", "d/scan.pdf", "single.note"], (path) => path);
    equal([taken, left], [["d/b9.TXT", "d/b10.txt", "single.note"], ["d/.x/a.txt", "d/scan.pdf"]]);
  },

  idsAreNamesOfFiles() {
    const used = new Set();
    equal(["ward/a.txt", "ward/sub/a.txt", "a.txt", "A.txt", ".txt", "x/..", "n:1?.txt", `${"é".repeat(300)}.txt`].map((path) => idOf(path, used)),
      ["a", "sub_a", "a-2", "A-3", "note", "note-2", "n-1-", "é".repeat(90)]);
    equal(["110-04", "2024-01-15", "a-1", "7-"].map(patientOf), ["110", "", "", ""]);
  },

  textIsReadByteForByte() {
    const bytes = new TextEncoder().encode("\ufeffa\r\nb\r");
    equal(decode(bytes), "\ufeffa\r\nb\r");
    for (const bad of [[0xff, 0xfe, 0x41, 0x00], [0xc3, 0x28], [0x41, 0x00]]) throws(() => decode(new Uint8Array(bad)));
  },

  checksumIsThatOfIso3309() { equal(crc32(new TextEncoder().encode("123456789")), 0xcbf43926); },

  emptyArchiveHasAnEnd() { equal(zip([]).size, 22); },
};

function boundaries(text) {
  const all = [];
  for (let at = 0; at <= text.length; at++) if (!/^[\udc00-\udfff]/.test(text.slice(at)) && (at % 7 === 0 || at === text.length)) all.push(at);
  return all;
}

// filled returns a note with spans and a doubt.
function filled() {
  const note = new Note({ id: "1", text: `Ida Berg saw Dr. Lund, ${WOMAN} at Elm Hospital on 12/03. Ida Berg left.` });
  const span = (phrase, type, rest) => { const start = note.text.indexOf(phrase); return newItem({ start, end: start + phrase.length, type, score: 0.5, ...rest }); };
  note.setItems([span("Ida Berg", "PATIENT"), span("Lund", "DOCTOR"), span("Elm", "HOSPITAL", { doubt: true, score: 0.2 }), span("12/03", "DATE")]);
  return note;
}

// edit makes a random correction and reports whether it changed anything.
function edit(note, random) {
  const item = note.items[random(note.items.length)];
  const corrections = [
    () => note.mark(random(note.text.length), random(note.text.length), "CITY"),
    () => item && note.remove([item]),
    () => item && note.accept([item]),
    () => item && note.retype([item], ["PATIENT", "CITY", "DATE"][random(3)]),
    () => item && note.move(item, ["start", "end"][random(2)], [-1, 1][random(2)], ["piece", "character"][random(2)]),
    () => item && note.markSame(item),
    () => item && note.remove(note.same(item)),
  ];
  return Boolean(corrections[random(corrections.length)]());
}

const shown = (note) => note.items.map((item) => `${note.quote(item)} ${item.type} ${item.checked} ${item.score}`);

// generator returns a function of random numbers below n that are always the same.
function generator(seed) {
  let state = seed;
  return (n) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % Math.max(1, n);
  };
}

function equal(got, want) {
  if (JSON.stringify(got) !== JSON.stringify(want)) throw new Error(`is ${JSON.stringify(got)}, want ${JSON.stringify(want)}`);
}

function throws(f) {
  try { f(); } catch { return; }
  throw new Error("did not throw");
}

// run runs all tests and returns a sentence for each that failed, and the number of tests.
export async function run() {
  const failures = [];
  for (const [name, test] of Object.entries(tests)) {
    try {
      await test();
    } catch (error) {
      failures.push(`${name}: ${error.message}`);
    }
  }
  return { failures, tests: Object.keys(tests).length };
}
