// Note is a text with the spans that the model found and what its reader made of them.

import { Emitter } from "./emitter.js";
import { characterAfter, characterBefore, occurrences, pieceAfter, pieceBefore, trim } from "./offsets.js";

// An item is a span of PHI, or a doubt: a token that the model left as it is, with the probability that it is PHI. Items are
// never changed, only replaced:
//   key      identifies the item on the page; it stays the same when the item is retyped, moved or accepted
//   start, end, type
//   score    of the model in [0,1]; null if a reader marked the span
//   doubt    true for a doubt
//   checked  true once a reader has accepted, retyped, moved or added the span
//   from     who marked it: "model", "reader", or the names of readers in an adjudication

let keys = 0;

// newItem makes an item of a span with offsets in units of UTF-16.
export function newItem({ start, end, type, score = null, doubt = false, checked = false, from = "model" }) {
  return { key: ++keys, start, end, type, score, doubt, checked, from };
}

// doubtfulness orders items: those most in need of a reader's eye have the highest. A span is as doubtful as its score is low,
// a doubt as its score is high. What only one of two readers has marked is the most doubtful.
export const doubtfulness = (item) => (item.doubt ? item.score ?? 1 : 1 - (item.score ?? 1));

// Note emits "change" with {removed, added, current} after each change of its items, and "status" after any other change.
// status is "waiting", "working", "ready" or "failed".
export class Note extends Emitter {
  items = []; // sorted by start, disjoint
  status = "waiting";
  error = ""; // why it failed
  unlike = []; // words unlike those that the model has learned
  saved = true; // whether every change has been exported, or saved by the server
  edits = 0; // counts changes, so that a result can tell of which it is
  model; // the name of the model that made the suggestions
  closed = false; // whether it can no longer be changed
  #done = [];
  #undone = [];

  constructor({ id, name = id, text, patient = "" }) {
    super();
    Object.assign(this, { id, name, text, patient });
  }

  // setStatus records how the examination of the note stands.
  setStatus(status, error = "") {
    Object.assign(this, { status, error });
    this.emit("status");
  }

  // setItems replaces all items, as after an examination. It cannot be undone.
  setItems(items) {
    const removed = this.items;
    this.items = items.toSorted(byStart);
    this.#done = [];
    this.#undone = [];
    this.edits++;
    this.saved = true;
    this.emit("change", { removed, added: this.items, all: true });
  }

  get spans() { return this.items.filter((item) => !item.doubt); }
  get open() { return this.items.filter((item) => !item.checked); }
  get canUndo() { return this.#done.length > 0; }
  get canRedo() { return this.#undone.length > 0; }

  find(key) { return this.items.find((item) => item.key === key); }
  quote(item) { return this.text.slice(item.start, item.end); }

  // same returns the items with the same text as this one, itself among them.
  same(item) {
    const quote = this.quote(item);
    return this.items.filter((other) => other.end - other.start === quote.length && this.quote(other) === quote);
  }

  // accept confirms a span, or makes a span of a doubt.
  accept(items) {
    const open = items.filter((item) => !item.checked);
    return this.#change(open, open.map((item) => ({ ...item, doubt: false, checked: true })));
  }

  retype(items, type) {
    return this.#change(items, items.map((item) => ({ ...item, type, doubt: false, checked: true })));
  }

  remove(items) { return this.#change(items, []); }

  // mark makes a span of a range, in place of all items that it overlaps. It returns null if the range is blank.
  mark(start, end, type) {
    const range = trim(this.text, start, end);
    if (!range) return null;
    return this.#change(this.#overlapping(range), [newItem({ ...range, type, checked: true, from: "reader" })]);
  }

  // replace makes given items of a range, in place of all that it overlaps.
  replace(range, items) { return this.#change(this.#overlapping(range), items); }

  // markSame gives the item's type to all places in the note with the same text.
  markSame(item) {
    const removed = [];
    const added = [];
    for (const range of occurrences(this.text, this.quote(item))) {
      const here = this.#overlapping(range);
      const same = here.find(({ start, end }) => start === range.start && end === range.end);
      removed.push(...here);
      added.push({ ...(same ?? newItem({ ...range, from: "reader" })), type: item.type, doubt: false, checked: true });
    }
    return this.#change(removed, added);
  }

  // move changes a boundary by a piece, or by a character. edge is "start" or "end", step -1 or +1. It returns null if the
  // boundary cannot be moved there.
  move(item, edge, step, unit) {
    const range = { start: item.start, end: item.end };
    range[edge] = BOUNDARIES[unit](this.text, range[edge], edge, step);
    if (range.start >= range.end || range[edge] === item[edge]) return null;
    const others = this.#overlapping(range).filter((other) => other.key !== item.key);
    return this.#change([item, ...others], [{ ...item, ...range, doubt: false, checked: true }]);
  }

  undo() { return this.#replay(this.#done, this.#undone, (change) => [change.added, change.removed]); }
  redo() { return this.#replay(this.#undone, this.#done, (change) => [change.removed, change.added]); }

  #overlapping({ start, end }) {
    const first = firstEndingAfter(this.items, start);
    let last = first;
    while (last < this.items.length && this.items[last].start < end) last++;
    return this.items.slice(first, last);
  }

  // #change replaces items and returns what was done, or null if there was nothing to do.
  #change(removed, added) {
    if (removed.length + added.length === 0) return null;
    const change = { removed: [...new Set(removed)], added };
    this.#done.push(change);
    this.#undone = [];
    this.#apply(change.removed, added);
    return change;
  }

  #replay(from, to, sides) {
    const change = from.pop();
    if (!change) return null;
    to.push(change);
    const [removed, added] = sides(change);
    this.#apply(removed, added);
    return { removed, added };
  }

  #apply(removed, added) {
    const gone = new Set(removed.map((item) => item.key));
    const kept = this.items.filter((item) => !gone.has(item.key));
    this.items = added.length === 0 ? kept : merge(kept, added.toSorted(byStart));
    this.edits++;
    this.saved = false;
    this.emit("change", { removed, added });
  }
}

const byStart = (a, b) => a.start - b.start;

function merge(a, b) {
  const merged = [];
  let i = 0;
  for (const item of b) {
    while (i < a.length && a[i].start < item.start) merged.push(a[i++]);
    merged.push(item);
  }
  return merged.concat(a.slice(i));
}

// BOUNDARIES say where a boundary moves to. A span neither starts nor ends with white space.
const BOUNDARIES = {
  piece(text, at, edge, step) {
    if (edge === "end") return step > 0 ? pieceAfter(text, at)?.end ?? at : pieceBefore(text, pieceBefore(text, at)?.start ?? 0)?.end ?? 0;
    return step < 0 ? pieceBefore(text, at)?.start ?? at : pieceAfter(text, pieceAfter(text, at)?.end ?? text.length)?.start ?? text.length;
  },
  character(text, at, edge, step) {
    const next = step > 0 ? characterAfter : characterBefore;
    let moved = next(text, at);
    const blank = (place) => /\s/.test(edge === "end" ? text[place - 1] : text[place]);
    while (moved !== next(text, moved) && blank(moved)) moved = next(text, moved);
    return blank(moved) ? at : moved;
  },
};

// overlaps reports whether a sorted list of items has one that shares a character with the range.
export function overlaps(items, { start, end }) {
  const at = firstEndingAfter(items, start);
  return at < items.length && items[at].start < end;
}

// firstEndingAfter returns the index of the first of the sorted, disjoint items that ends after an offset.
export function firstEndingAfter(items, offset) {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (items[middle].end <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
