// Examiner sends notes to the server, those of a patient together, and fills them with what the model found.

import { choices, doubtsOf, item } from "./result.js";

const AT_ONCE = 2; // requests
const DOUBTS = 0.05; // tokens that the model left with at least this probability are listed

export class Examiner {
  #api;
  #settings;
  #doubtless = new Set(); // models that report no doubts
  #queue = [];
  #running = 0;

  constructor(api, settings) {
    this.#api = api;
    this.#settings = settings;
  }

  // add examines notes, in this order, after those that are waiting.
  add(notes) {
    for (const note of notes) note.setStatus("waiting");
    this.#queue.push(...notes);
    this.#next();
  }

  // drop forgets a note that is waiting.
  drop(note) { this.#queue = this.#queue.filter((waiting) => waiting !== note); }

  async #next() {
    if (this.#running >= AT_ONCE || this.#queue.length === 0) return;
    const notes = this.#take();
    this.#running++;
    this.#next();
    try {
      await this.#examine(notes);
    } catch (error) {
      for (const note of notes) if (note.status === "working") note.setStatus("failed", error.message);
    }
    this.#running--;
    this.#next();
  }

  // #take returns the next note, with all others of its patient that are waiting: what is found in one is then searched for in all.
  #take() {
    const [first] = this.#queue;
    const together = ({ patient }) => first.patient !== "" && patient === first.patient;
    const notes = this.#queue.filter((note) => note === first || together(note));
    this.#queue = this.#queue.filter((note) => !notes.includes(note));
    return notes;
  }

  async #examine(notes) {
    for (const note of notes) note.setStatus("working");
    const model = this.#settings.model;
    const answers = await this.#ask({ notes: notes.map(({ id, patient, text }) => ({ id, ...(patient && { patient }), text })), ...choices(this.#settings) });
    for (const [i, note] of notes.entries()) {
      try {
        fill(note, answers?.[i], model);
      } catch (error) {
        note.setStatus("failed", error.message);
      }
    }
  }

  // #ask returns the answers for the notes of a request. If the model reports no doubts, it asks without them.
  async #ask(request) {
    const doubts = this.#doubtless.has(request.model) ? {} : { doubts: DOUBTS };
    try {
      return (await this.#api.deidentify({ ...request, ...doubts })).notes;
    } catch (error) {
      if (error.status !== 422 || !doubts.doubts || !error.message.startsWith("doubts:")) throw error;
      this.#doubtless.add(request.model);
      return this.#ask(request);
    }
  }
}

// fill gives a note what the model found in it. A note without an answer, or with an error, was not examined.
function fill(note, answer, model) {
  if (answer?.error) throw new Error(answer.error);
  if (!Array.isArray(answer?.spans) || typeof answer.text !== "string") throw new Error("The server did not answer for this note.");
  const spans = answer.spans.map((span) => item(span));
  const doubts = doubtsOf(answer, note.text, spans);
  note.model = model;
  note.unlike = answer.unlike ?? [];
  note.setItems([...spans, ...doubts]);
  note.setStatus("ready");
}
