// The review of a folder: the server has the notes, and keeps what each reader says about them. docs/review.md describes reviews.

import { tell, warn } from "./announce.js";
import { clearDifferences, regionsOf, showDifferences } from "./differences.js";
import { button, byId, h } from "./dom.js";
import { showFigures } from "./figures.js";
import { percent } from "./findings.js";
import { Note, overlaps } from "./note.js";
import { doubtsOf, item, span } from "./result.js";
import { offerDifferences } from "./views.js";

const FINAL = "final"; // the reader who decides where two readers differ
const PAUSE = 700; // milliseconds without a change before the note is saved

// card returns the elements that offer a review. begin(reader) opens it.
export function card({ name, readers, notes, progress }, begin) {
  const chooser = (reader, text) => button({ text, onclick: () => begin(reader), data: { reader } });
  const of = (reader) => `${progress[reader]?.done ?? 0} of ${progress[reader]?.of ?? notes.length} done`;
  return [
    h("h3", { text: `Review: ${name}` }),
    h("p", { class: "hint", text: `${notes.length} notes to read. Choose who you are; you go on where you stopped.` }),
    h("div", { class: "readers" }, readers.map((reader) => chooser(reader, `${reader}: ${of(reader)}`)),
      readers.length === 2 && chooser(FINAL, "Decide differences")),
  ];
}

// Review is the session of one reader.
export class Review {
  notes;
  types; // that readers can choose
  #api;
  #reader;
  #leaves = [];
  #timers = new Map(); // of notes that will be saved soon

  constructor({ api, reader, overview, types, leave }) {
    this.#api = api;
    this.types = types.only(overview.types);
    this.#reader = reader;
    this.notes = overview.notes.filter((entry) => reader !== FINAL || isDifferent(entry)).map((entry) => this.#note(entry));
    if (this.notes.length === 0) throw new Error("There is no note yet with which both readers are done and on which they differ.");
    byId("session").textContent = `Review: ${overview.name}, ${reader === FINAL ? "differences" : `reader ${reader}`}`;
    byId("session").hidden = false;
    byId("notes-foot").replaceChildren(
      button({ text: "Figures", class: "small", id: "figures", onclick: () => showFigures(api) }),
      button({ text: "Leave the review", class: "small", id: "leave", onclick: leave }));
    document.body.dataset.session = "review";
    offerDifferences(reader === FINAL);
  }

  // first is the note to begin with: the first that is not done, or the first of all.
  get first() { return this.notes.find((note) => !note.done) ?? this.notes[0]; }

  // next returns the next note that is not done, from a note onwards and then from the start; or null.
  next(note) {
    const at = this.notes.indexOf(note);
    return [...this.notes.slice(at + 1), ...this.notes.slice(0, at)].find(({ done }) => !done) ?? null;
  }

  // close ends the session. What has not been saved yet is saved now.
  close() {
    for (const note of this.#timers.keys()) this.#save(note);
    for (const leave of this.#leaves) leave();
    byId("session").hidden = true;
    byId("notes-foot").replaceChildren();
    delete document.body.dataset.session;
    clearDifferences();
    offerDifferences(false);
  }

  // open loads a note when it is opened for the first time.
  async open(note, editor) {
    if (note.status === "waiting" || note.status === "failed") await this.#load(note);
    if (this.#reader === FINAL && editor.note === note && note.regions) showDifferences(note, editor);
    else clearDifferences();
  }

  // toggleDone saves that the reader is done with a note, or no longer. It reports whether that was possible.
  async toggleDone(note) {
    if (note.status !== "ready" || note.closed) return false;
    const before = note.done;
    note.done = !before;
    if (note.done) note.accept(note.spans);
    const saved = await this.#save(note);
    if (!saved) note.done = before;
    note.emit("status");
    return saved;
  }

  #note({ number, id, doubtful, spans, state }) {
    const note = Object.assign(new Note({ id, name: id, text: "" }), { number, done: state[this.#reader] === "done", version: 0 });
    note.summary = spans === 0 ? "Nothing found" : `${spans} found, the lowest ${percent(doubtful)}`;
    if (note.done) note.summary = `Done, ${note.summary}`;
    this.#leaves.push(note.on("change", ({ all }) => { if (!all) this.#saveSoon(note); }));
    return note;
  }

  async #load(note) {
    note.setStatus("working");
    try {
      const answer = await this.#api.reviewNote(note.number, this.#reader);
      const { text, done, version, closed = false } = answer;
      Object.assign(note, { text, done, version, closed });
      const spans = answer.spans.map((given) => fromServer(given, done || this.#reader === FINAL));
      const undecided = this.#reader === FINAL ? await this.#undecided(note, spans) : [];
      const known = [...spans, ...undecided].sort((a, b) => a.start - b.start);
      note.setItems([...known, ...(done ? [] : doubtsOf(answer, text, known))]);
      note.setStatus("ready");
    } catch (error) {
      note.setStatus("failed", error.message);
    }
  }

  // #undecided finds where the readers differ, and returns a doubt for each place of which nothing has been decided.
  async #undecided(note, spans) {
    const { readers } = await this.#api.differences(note.number);
    note.regions = regionsOf(readers);
    if (note.done) return [];
    return note.regions.filter((region) => !overlaps(spans, region)).flatMap(({ choices }) => {
      const [reader, marked] = Object.entries(choices).find(([, some]) => some.length > 0);
      return marked.map(({ start, end, type }) => item({ start: { utf16: start }, end: { utf16: end }, type }, { doubt: true, from: reader }));
    });
  }

  #saveSoon(note) {
    clearTimeout(this.#timers.get(note));
    this.#timers.set(note, setTimeout(() => this.#save(note), PAUSE));
  }

  // #save stores the note on the server, and reports whether it could. One note is saved by one request at a time.
  async #save(note) {
    clearTimeout(this.#timers.get(note));
    this.#timers.delete(note);
    const before = note.saving;
    note.saving = (async () => {
      await before;
      return this.#put(note);
    })();
    return note.saving;
  }

  async #put(note) {
    const { edits } = note;
    try {
      const spans = note.spans.map(({ type, start, end }) => span({ type, start, end, score: null }));
      const { version } = await this.#api.saveReviewNote(note.number, this.#reader, { spans, done: note.done, version: note.version });
      note.version = version;
      if (note.edits === edits) note.saved = true;
      note.emit("status");
      return true;
    } catch (error) {
      if (error.status === 409 && error.code === "version") this.#conflict(note);
      else warn(`Your corrections of ${note.name} have not been saved yet. ${error.message}`, { text: "Try again", run: () => this.#save(note) });
      return false;
    }
  }

  // #conflict asks what to do when the note was changed on another page in the meantime.
  #conflict(note) {
    warn(`${note.name} was changed on another page in the meantime. You can load that version, which loses your last corrections here, or put yours in its place.`,
      { text: "Load the other", run: () => this.#load(note) }, { text: "Keep mine", run: () => this.#overwrite(note) });
  }

  async #overwrite(note) {
    try {
      note.version = (await this.#api.reviewNote(note.number, this.#reader)).version;
      if (await this.#save(note)) tell("Your version has been saved.");
    } catch (error) {
      warn(`Your corrections of ${note.name} have not been saved yet. ${error.message}`, { text: "Try again", run: () => this.#overwrite(note) });
    }
  }
}

const isDifferent = ({ state, verdict }) => verdict === "differing" || (state[FINAL] ?? "open") !== "open";

// fromServer returns a span of a reader as an item. What the reader has marked is checked; so is all of a note that is done, or on
// which two readers agree.
function fromServer(given, checked) {
  const own = given.from === "reader";
  return { ...item(given, { checked: checked || own, from: own ? "reader" : "model" }), ...(own && { score: null }) };
}
