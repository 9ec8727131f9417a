// The list of notes, with how far each has come.

import { byId, h } from "./dom.js";
import { VirtualList } from "./virtual.js";

const ROW_HEIGHT = 54;

export class NoteList {
  notes = [];
  #current = null;
  #list;
  #pending = false;

  // open(note) is called when the user chooses a note.
  constructor({ open }) {
    this.#list = new VirtualList(byId("notes-list"), { rowHeight: ROW_HEIGHT, label: "Notes", render: (index) => this.#row(this.notes[index]) });
    for (const name of ["choose", "open"]) this.#list.addEventListener(name, ({ detail }) => open(this.notes[detail]));
  }

  add(notes) {
    for (const note of notes) for (const event of ["status", "change"]) note.on(event, () => this.refresh());
    this.notes.push(...notes);
    this.refresh();
  }

  clear() {
    this.notes = [];
    this.#current = null;
    this.refresh();
  }

  // remove takes a note away and returns one next to it, or null.
  remove(note) {
    const at = this.notes.indexOf(note);
    this.notes = this.notes.filter((other) => other !== note);
    this.refresh();
    return this.notes[Math.min(at, this.notes.length - 1)] ?? null;
  }

  setCurrent(note) {
    if (this.#pending) this.#show();
    this.#current = note;
    this.#list.setCurrent(this.notes.indexOf(note));
  }

  // neighbour returns the note before or after the current one, or null.
  neighbour(step) { return this.notes[this.notes.indexOf(this.#current) + step] ?? null; }

  // refresh shows the list again, once however many notes have changed at the same moment.
  refresh() {
    if (this.#pending) return;
    this.#pending = true;
    requestAnimationFrame(() => { if (this.#pending) this.#show(); });
  }

  #show() {
    this.#pending = false;
    this.#list.refresh(this.notes.length, this.notes.indexOf(this.#current));
    this.#progress();
  }

  #progress() {
    const { notes } = this;
    const finished = notes.filter(isFinished).length;
    const bar = byId("notes-progress");
    bar.hidden = notes.length < 2;
    bar.max = Math.max(1, notes.length);
    bar.value = finished;
    const word = notes.some((note) => note.number) ? "done" : "examined";
    byId("notes-count").textContent = notes.length < 2 ? "" : `${finished} of ${notes.length} ${word}`;
  }

  #row(note) {
    return {
      className: `${note.status}${note.done ? " done" : ""}`,
      children: [h("span", { class: "row-quote", dir: "auto", text: note.name }), " ", h("span", { class: "row-state", text: stateOf(note) })],
    };
  }
}

const isFinished = (note) => (note.number ? note.done : note.status === "ready" || note.status === "failed");

// stateOf says in a few words how far a note has come.
export function stateOf(note) {
  if (note.status === "waiting") return note.summary ?? "Waiting";
  if (note.status === "working") return "Being examined";
  if (note.status === "failed") return "Not examined";
  const all = note.items.length;
  const open = note.open.length;
  const checked = all === 0 ? "No PHI found" : open === 0 ? `All ${all} checked` : `${all - open} of ${all} checked`;
  return note.saved ? checked : `${checked}, not ${note.number ? "saved" : "exported"}`;
}
