// The export dialog: annotated notes in the formats of formats.js, or the clean texts.

import { openDialog } from "./dialogs.js";
import { button, download, h } from "./dom.js";
import { FORMATS } from "./formats.js";
import { clean } from "./result.js";
import { zip } from "./zip.js";

const CLEAN = { name: "clean", label: "De-identified text", about: "A .txt file for each note, with the PHI replaced as chosen beside the note." };

// exportNotes asks what to export and saves it. It returns the notes that were exported, and those that were not because they
// have not been examined; null if the user gave up.
export async function exportNotes({ notes, current, api, settings, types, together, progress }) {
  const choice = await openDialog({ title: "Export", class: "export" }, (finish) => form(notes, current, finish));
  if (!choice) return null;
  const wanted = choice.scope === "all" ? notes : [current];
  const ready = wanted.filter((note) => note.status === "ready");
  const left = wanted.filter((note) => note.status !== "ready");
  if (ready.length > 0) {
    const files = choice.format === CLEAN.name ? await cleanFiles(ready, { api, settings, together, progress }) : annotated(choice.format, ready, types);
    save(files);
  }
  return { exported: ready, left };
}

function form(notes, current, finish) {
  const several = notes.length > 1;
  const element = h("form", { method: "dialog", onsubmit: (event) => { event.preventDefault(); finish(Object.fromEntries(new FormData(element))); } },
    several && h("fieldset", {}, h("legend", { text: "Notes" }),
      radio("scope", "all", `All ${notes.length} notes`, "", true),
      radio("scope", "this", `Only ${current.name}`, "", false)),
    h("fieldset", {}, h("legend", { text: "Without PHI" }), radio("format", CLEAN.name, CLEAN.label, CLEAN.about, true)),
    h("fieldset", {}, h("legend", { text: "Original text with its annotations (contains PHI)" }),
      FORMATS.map(({ name, label, about }) => radio("format", name, label, about, false))),
    h("div", { class: "dialog-foot" }, button({ text: "Cancel", onclick: () => finish(null) }),
      h("button", { type: "submit", class: "button primary", text: "Export" })));
  return element;
}

function radio(name, value, label, about, checked) {
  return h("label", { class: "choice" }, h("input", { type: "radio", name, value, checked }),
    h("span", {}, h("span", { class: "choice-label", text: label }), about && h("span", { class: "hint", text: about })));
}

function annotated(format, notes, types) {
  const plain = notes.map(({ id, patient, text, spans }) => ({ id, patient, text, spans }));
  return FORMATS.find(({ name }) => name === format).write(plain, types);
}

// cleanFiles makes the clean texts of notes. together(note) returns the notes that are processed together with a note.
async function cleanFiles(notes, { api, settings, together, progress }) {
  const texts = new Map();
  for (const note of notes) {
    if (texts.has(note)) continue;
    progress(texts.size, notes.length);
    const group = together(note);
    for (const [i, { text }] of (await clean(api, group, settings)).entries()) texts.set(group[i], text);
  }
  progress(notes.length, notes.length);
  return notes.map((note) => ({ name: `${note.id}.txt`, text: texts.get(note) }));
}

// save downloads one file as it is, and several as an archive.
function save(files) {
  if (files.length === 1) download(files[0].name, new Blob([files[0].text], { type: "text/plain;charset=utf-8" }));
  else download("lethe-notes.zip", zip(files));
}
