// Results are the clean texts of notes. The server makes them from the spans as they are corrected; the page only shows them.

import { say } from "./announce.js";
import { byId, h } from "./dom.js";
import { newItem, overlaps } from "./note.js";
import { TextView } from "./textview.js";

const PAUSE = 250; // milliseconds without a change before the server is asked again

// span returns an item as requests contain it.
export const span = ({ type, start, end, score }) => ({ type, start: { utf16: start }, end: { utf16: end }, ...(score !== null && { score }) });

// item returns a span of a response as an item.
export const item = ({ type, score, start, end }, rest = {}) => newItem({ type, score: score ?? null, start: start.utf16, end: end.utf16, ...rest });

// doubtsOf returns the doubts of an answer, apart from the given spans. Doubts of the same type with only spaces between them are
// one, with the highest of their scores.
export function doubtsOf({ doubts = [] }, text, spans) {
  const joined = [];
  for (const doubt of doubts.map((given) => item(given, { doubt: true }))) {
    if (overlaps(spans, doubt)) continue;
    const before = joined.at(-1);
    if (before?.type === doubt.type && /^ *$/.test(text.slice(before.end, doubt.start))) {
      joined[joined.length - 1] = { ...before, end: doubt.end, score: Math.max(before.score, doubt.score) };
    } else {
      joined.push(doubt);
    }
  }
  return joined;
}

// clean asks for the clean texts of the notes of one patient, with the spans that they have now. It returns {text, replacements}
// for each, where replacements have offsets in the clean text; those with the kind "keep" are left as they were by the policy.
export async function clean(api, notes, settings, signal) {
  const [{ model }] = notes;
  const request = {
    notes: notes.map(({ id, patient, text, spans }) => ({ id, ...(patient && { patient }), text, spans: spans.map(span) })),
    spans_given: true, ...choices(model ? { ...settings, model } : settings),
  };
  const sent = notes.map(({ spans }) => spans);
  const answers = (await api.deidentify(request, signal)).notes;
  return notes.map((note, i) => cleaned(answers?.[i], sent[i]));
}

function cleaned(answer, spans) {
  if (answer?.error || typeof answer?.text !== "string") throw new Error(answer?.error ?? "The server returned no text.");
  const keys = new Map(spans.map(({ key, start }) => [start, key]));
  const replacements = answer.spans.filter(({ replacement }) => replacement).map(({ type, start, kind, replacement }) => ({
    key: keys.get(start.utf16) ?? `s${start.utf16}`, type, kind, start: replacement.start.utf16, end: replacement.end.utf16,
  })).filter(({ start, end }) => end > start);
  return { text: answer.text, replacements };
}

// choices returns the keys of a request that the user chooses; what is left to the server is left out.
export function choices({ model, policy, replace }) {
  return { ...(model && { model }), ...(policy && { policy }), ...(replace && { replace }) };
}

// ResultPanel shows the clean text of the current note, and asks for it again when the note or the settings have changed.
export class ResultPanel {
  #api;
  #settings;
  #together;
  #view;
  #note = null;
  #shown = ""; // the state of the result on the screen
  #timer = 0;
  #abort = null;
  text = null; // the clean text, or null if there is none that is up to date

  // together(note) returns the notes that are processed together with a note, itself among them.
  constructor({ api, settings, types, together }) {
    this.#api = api;
    this.#settings = settings;
    this.#together = together;
    this.#view = new TextView(byId("result-text"), {
      describe: ({ type, kind }) => ({ className: `${types().colour(type)} ${kind === "keep" ? "kept" : "replaced"}`, badge: BADGES[kind]?.(type) ?? type }),
    });
  }

  // show asks for the result of a note soon, unless it is there or nobody sees it.
  show(note) {
    if (note !== this.#note) {
      this.#view.clear();
      this.#shown = "";
    }
    this.#note = note;
    const state = this.#state();
    if (state === this.#shown) return;
    this.text = null;
    clearTimeout(this.#timer);
    this.#abort?.abort();
    if (!note || note.status !== "ready") {
      this.#view.clear();
      this.#tell(note ? WAITING[note.status] : "");
      return;
    }
    this.#tell("Updating the result");
    if (byId("panel-result").checkVisibility()) this.#timer = setTimeout(() => this.#refresh(), PAUSE);
  }

  // #state returns a string that changes with all that the result depends on.
  #state() {
    const note = this.#note;
    if (!note) return "";
    return JSON.stringify([note.status, this.#settings, this.#together(note).map(({ id, edits }) => [id, edits]), note.id]);
  }

  async #clean(signal) {
    const notes = this.#together(this.#note);
    const at = notes.indexOf(this.#note);
    return (await clean(this.#api, notes, this.#settings, signal))[at];
  }

  async #refresh() {
    const state = this.#state();
    const abort = new AbortController();
    this.#abort = abort;
    try {
      const { text, replacements } = await this.#clean(abort.signal);
      if (state !== this.#state()) return; // something has changed, and another request is on its way
      this.#shown = state;
      this.text = text;
      this.#view.show(text, replacements);
      const kept = replacements.filter(({ kind }) => kind === "keep").length;
      this.#tell(kept > 0 ? `The policy keeps ${kept} of ${replacements.length} spans.` : "");
    } catch (error) {
      if (error.name === "AbortError" || state !== this.#state()) return;
      this.#view.clear();
      this.#tell(`There is no result. ${error.message}`, true);
    }
  }

  // latest returns the clean text of the note as it is now.
  async latest() { return this.text ?? (await this.#clean()).text; }

  // retry asks again after a failure.
  retry() {
    this.#shown = "";
    this.show(this.#note);
  }

  #tell(sentence, failed = false) {
    byId("result-status").replaceChildren(sentence, failed ? h("button", { type: "button", class: "button small", text: "Try again", onclick: () => this.retry() }) : "");
    byId("result-status").classList.toggle("failed", failed);
    byId("result-status").hidden = sentence === "";
    if (failed) say(sentence);
    byId("copy").disabled = this.text === null;
    byId("download").disabled = this.text === null;
  }
}

// BADGES are the badges of replacements whose text does not say the type, or says it already.
const BADGES = { keep: (type) => `${type} kept`, tag: () => "", numbered: () => "" };

const WAITING = {
  waiting: "The note is waiting to be examined.",
  working: "The note is being examined.",
  failed: "The note could not be examined, so there is no result.",
};
