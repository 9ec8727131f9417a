// Editor is the note on the screen: its text, the findings beside it, the bar with the corrections, and the result.

import { Actions } from "./actions.js";
import { say, tell, warn } from "./announce.js";
import { button, byId, download } from "./dom.js";
import { Emitter } from "./emitter.js";
import { describe, Findings, percent } from "./findings.js";
import { ResultPanel } from "./result.js";
import { TextView } from "./textview.js";
import { chooseType } from "./typemenu.js";
import { onSide } from "./views.js";
import { WordCursor } from "./wordcursor.js";

// Editor emits "close", "again" and "done" with the note when the user asks for that.
export class Editor extends Emitter {
  note = null;
  #types;
  #view;
  #findings;
  #actions;
  #result;
  #cursor;
  #current = null; // the item that corrections apply to
  #choosing = false;
  #leave = [];

  constructor({ api, settings, types, together }) {
    super();
    this.#types = types;
    this.#view = new TextView(byId("note-text"), { role: "button", describe: (item) => this.#look(item) });
    this.#findings = new Findings({ types, choose: (item) => this.select(item), open: (item) => this.select(item) });
    this.#result = new ResultPanel({ api, settings, types, together });
    this.#actions = new Actions(this, types);
    this.#cursor = new WordCursor(this.#view);
    this.#connect();
  }

  get current() { return this.#current; }
  get ready() { return this.note?.status === "ready"; }
  get editable() { return this.ready && !this.note.closed; }

  // selection returns the range that the user has selected in the text, or null.
  selection() { return this.editable ? this.#view.selection() : null; }

  // open shows a note.
  open(note) {
    for (const leave of this.#leave) leave();
    this.note = note;
    this.#current = null;
    this.#cursor.stop();
    this.#view.clear();
    this.#view.show(note.text, note.items);
    byId("note-text").scrollTop = 0;
    this.#leave = [note.on("change", (change) => this.#changed(change)), note.on("status", () => this.#showStatus())];
    this.#findings.show(note, null);
    this.#showStatus();
    if (this.ready) this.#begin();
  }

  // close shows nothing.
  close() {
    for (const leave of this.#leave.splice(0)) leave();
    this.note = null;
    this.#current = null;
    this.#view.clear();
    this.#findings.show(null, null);
    this.#actions.refresh();
  }

  // toggleFixed shows texts in letters of equal width, for notes with tables, or no longer.
  toggleFixed() {
    byId("fixed").setAttribute("aria-pressed", String(document.body.classList.toggle("fixed-width")));
  }

  settingsChanged() { this.#result.show(this.note); }

  // select makes an item the current one. The focus goes to it in the text, unless it is in the list of findings.
  select(item, { scroll = true, focus = true } = {}) {
    this.#current = item;
    this.#cursor.stop();
    const inSide = byId("panel-findings").contains(document.activeElement) || byId("panel-differences").contains(document.activeElement);
    const visible = byId("note-text").checkVisibility();
    this.#view.setCurrent(item, { focus: focus && !inSide && visible, scroll });
    this.#findings.setCurrent(item);
    this.#actions.refresh();
  }

  // step moves to the next item in the order of the text, or to the previous one.
  step(step) {
    if (!this.ready) return;
    const { items } = this.note;
    if (items.length === 0) return;
    const at = this.#current ? items.findIndex(({ key }) => key === this.#current.key) : step > 0 ? -1 : 0;
    this.select(items[(at + step + items.length) % items.length]);
  }

  // stepDoubtful moves to the next item that nobody has checked, the doubtful first, or to the previous one.
  stepDoubtful(step) {
    if (!this.ready) return;
    const item = this.#findings.neighbour(this.#current, step, { open: true });
    if (item) this.select(item);
    else say("Everything in this note has been checked.");
  }

  accept() { this.#correct((item) => this.note.accept([item]), "Accepted", true); }
  remove() { this.#correct((item) => this.note.remove([item]), "Removed", true); }
  removeSame() { this.#correct((item) => this.note.remove(this.note.same(item)), "Removed everywhere in this note", true); }
  markSame() { this.#correct((item) => this.note.markSame(item), "Marked everywhere in this note", false); }

  move(edge, step, unit) {
    this.#correct((item) => this.note.move(item, edge, step, unit), null, false);
    if (this.#current) say(`${this.note.quote(this.#current)}, ${this.#current.type}`);
  }

  // retype asks for a type and gives it to the current item; or marks the selection, if there is one.
  async retype() {
    const range = this.selection();
    if (range) return this.#markRange(range);
    const item = this.#current;
    if (!item || !this.editable || this.#choosing) return undefined;
    const type = await this.#ask({ title: "Change the type", quote: this.note.quote(item), current: item.type });
    if (type) this.#correct(() => this.note.retype([item], type), `Changed to ${type}`, false);
    return undefined;
  }

  // mark marks the selection; without one it lets the user select words with the arrow keys.
  async mark() {
    if (!this.editable) return;
    const range = this.selection();
    if (range) await this.#markRange(range);
    else this.startCursor();
  }

  startCursor() {
    byId("note-text").focus({ preventScroll: true });
    this.#cursor.start(this.note, this.#current?.end ?? this.#view.firstVisible());
    this.#actions.refresh();
  }

  // cursorKey handles a key while words are being selected. It reports whether the key was for it.
  cursorKey(event) {
    if (!this.#cursor.active) return false;
    if (event.key === "Enter") this.mark();
    else if (event.key === "Escape") this.clearSelection();
    else return this.#cursor.key(event);
    return true;
  }

  clearSelection() {
    this.#cursor.stop();
    getSelection().removeAllRanges();
    this.#actions.refresh();
  }

  undo() { if (this.editable) this.#replay(this.note.undo(), "Undone"); }
  redo() { if (this.editable) this.#replay(this.note.redo(), "Done again"); }

  // copy puts the clean text on the clipboard.
  async copy() {
    const text = await this.#cleanText();
    if (text === null) return;
    try {
      await navigator.clipboard.writeText(text);
      tell("The clean text is on the clipboard.");
    } catch {
      warn("The browser does not let the page use the clipboard. Select the clean text and copy it.");
    }
  }

  // save downloads the clean text.
  async save() {
    const { note } = this;
    const { edits } = note;
    const text = await this.#cleanText();
    if (text === null) return;
    download(`${note.id}.txt`, new Blob([text], { type: "text/plain;charset=utf-8" }));
    if (note.number || note.edits !== edits) return; // the server keeps the corrections of a review
    note.saved = true;
    note.emit("status");
  }

  // #cleanText returns the clean text, or null after it has told why there is none.
  async #cleanText() {
    if (!this.ready) {
      warn("There is no result, because the note has not been examined.");
      return null;
    }
    try {
      return await this.#result.latest();
    } catch (error) {
      warn(`There is no result. ${error.message}`);
      return null;
    }
  }

  async #markRange(range) {
    const quote = this.note.text.slice(range.start, range.end).trim();
    if (quote === "" || this.#choosing) return;
    const type = await this.#ask({ title: "Mark as PHI", quote });
    if (!type) return;
    const change = this.note.mark(range.start, range.end, type);
    getSelection().removeAllRanges();
    this.#cursor.stop();
    this.select(change.added[0]);
    say(`Marked as ${type}`);
  }

  async #ask(question) {
    this.#choosing = true;
    try {
      return await chooseType(this.#types(), question);
    } finally {
      this.#choosing = false;
    }
  }

  // #correct changes the current item and says so. Then it goes on to the next item to check, if onward is true, or stays.
  #correct(change, said, onward) {
    const item = this.#current;
    if (!item || !this.editable) return;
    const following = onward ? this.#findings.neighbour(item, 1, { open: true }) : null;
    const done = change(item);
    const left = this.note.open.length;
    const kept = this.note.find(item.key);
    const goal = (following && this.note.find(following.key)) ?? (onward && left > 0 ? this.#findings.neighbour(null, 1, { open: true }) : kept ?? null);
    this.select(goal);
    if (said && done) say(`${said}. ${left === 0 ? "Everything has been checked." : `${left} left to check.`}`);
  }

  #replay(change, said) {
    if (!change) return;
    this.select(change.added[0] ?? this.note.items.find(({ start }) => start >= change.removed[0].start) ?? null);
    say(`${said}.`);
  }

  // #changed shows a change of the items: of a few in their blocks, of all from the start.
  #changed(change) {
    if (change.all) {
      this.#view.show(this.note.text, this.note.items);
      this.#current = null;
    } else {
      this.#view.update(this.note.items, change);
      if (this.#current) this.#current = this.note.find(this.#current.key) ?? null;
    }
    this.#findings.show(this.note, this.#current);
    this.#actions.refresh();
    this.#result.show(this.note);
    this.#count();
  }

  #showStatus() {
    const { note } = this;
    byId("note-title").textContent = note.name;
    for (const name of ["again", "close-note"]) byId(name).hidden = Boolean(note.number);
    byId("done").hidden = !note.number;
    byId("done").disabled = !this.editable;
    byId("done").setAttribute("aria-pressed", String(note.done === true));
    this.#alert();
    this.#actions.refresh();
    this.#result.show(note);
    this.#findings.show(note, this.#current);
    this.#count();
    if (this.ready && !this.#current && note.items.length > 0) this.#begin();
  }

  // #alert shows what the user must know of the note.
  #alert() {
    const { note } = this;
    const failed = note.status === "failed";
    const sentence = failed ? `This note has not been examined. ${note.error}` : note.closed ? CLOSED : unlikeSentence(note);
    const again = failed && (note.number || note.text !== "") ? button({ text: "Try again", class: "small", onclick: () => this.emit("again", note) }) : "";
    byId("note-alert").hidden = sentence === "";
    byId("note-alert").classList.toggle("failed", failed);
    byId("note-alert").replaceChildren(sentence, again);
  }

  // #begin goes to the most doubtful item of a note that has just been opened or examined. The focus stays where it is.
  #begin() {
    const { length } = this.note.items;
    say(length === 1 ? "One finding." : `${length} findings.`);
    const first = this.#findings.neighbour(null, 1, { open: true });
    if (first) this.select(first, { scroll: false, focus: false });
  }

  #count() {
    const { note } = this;
    const all = note.items.length;
    const open = note.open.length;
    const states = { waiting: "Waiting", working: "Being examined …", failed: "Not examined", ready: (all === 0 ? "No PHI found" : `${all - open} of ${all} checked`) + (note.number && !note.saved ? ", saving" : "") };
    byId("note-status").textContent = states[note.status];
  }

  #look(item) {
    const score = item.score === null ? "" : ` ${percent(item.score)}`;
    return {
      className: `${this.#types().colour(item.type)}${item.doubt ? " doubt" : ""}${item.checked ? " checked" : ""}`,
      badge: `${item.checked ? "✓ " : ""}${item.type}${item.doubt ? "?" : ""}${score}`,
      label: `${this.note.quote(item)}: ${describe(item)}`,
    };
  }

  #connect() {
    const text = byId("note-text");
    text.addEventListener("click", (event) => {
      const element = event.target.closest(".phi");
      if (element && getSelection().isCollapsed) this.select(this.note.find(Number(element.dataset.key)), { scroll: false });
    });
    document.addEventListener("selectionchange", () => this.#actions.refresh());
    byId("order").addEventListener("change", (event) => { this.#findings.order = event.target.value; this.#findings.show(this.note, this.#current); });
    byId("only-open").addEventListener("change", (event) => { this.#findings.onlyOpen = event.target.checked; this.#findings.show(this.note, this.#current); });
    byId("result-foot").append(
      button({ icon: "copy", text: "Copy", key: "c", id: "copy", disabled: true, onclick: () => this.copy() }),
      button({ icon: "download", text: "Download", id: "download", disabled: true, onclick: () => this.save() }));
    byId("note-tools").append(
      button({ icon: "accept", text: "Done", key: "Shift+D", id: "done", hidden: true, class: "small", onclick: () => this.emit("done", this.note) }),
      button({ icon: "fixed", label: "Letters of equal width", key: "f", class: "plain small", id: "fixed", "aria-pressed": "false", onclick: () => this.toggleFixed() }),
      button({ icon: "redo", label: "Find PHI again", class: "plain small", id: "again", onclick: () => this.emit("again", this.note) }),
      button({ icon: "close", label: "Close this note", class: "plain small", id: "close-note", onclick: () => this.emit("close", this.note) }));
    onSide(() => { if (this.note) { this.#result.show(this.note); this.#findings.setCurrent(this.#current); } });
  }
}

const CLOSED = "Both readers are done with this note, so it can no longer be changed here. Who decides the differences has the last word.";

function unlikeSentence(note) {
  if (note.status !== "ready" || note.unlike.length === 0) return "";
  return `This note is unlike those that the model was measured on (${note.unlike.join(", ")}). Read it with special care.`;
}
