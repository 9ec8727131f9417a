// The page starts here: it asks the server what it offers and connects the parts. The parts are
//
//   intake.js               texts that come in
//   examine.js, api.js      the server's answers
//   note.js, offsets.js     a note, its spans and their corrections
//   editor.js               the note on the screen: textview.js, findings.js, actions.js, result.js
//   notes.js                the list of notes
//   formats.js, export.js   what goes out
//   review.js               the review of a folder
//   shortcuts.js            keys

import { Api } from "./api.js";
import { tell, warn } from "./announce.js";
import { askToken, confirmation } from "./dialogs.js";
import { afterPaint, button, byId, h } from "./dom.js";
import { Editor } from "./editor.js";
import { Examiner } from "./examine.js";
import { exportNotes } from "./export.js";
import { droppedFiles, idOf, Pasted, patientOf, readFiles, sortOut } from "./intake.js";
import { Note } from "./note.js";
import { NoteList } from "./notes.js";
import { card, Review } from "./review.js";
import { showHelp, Shortcuts } from "./shortcuts.js";
import { Types } from "./types.js";
import { buildPanels, showPanel, showView } from "./views.js";

const settings = { model: "", policy: "", replace: "" };
let types = new Types([]);
let offer = null; // what the server offers

const api = new Api({ ask: askToken, tellWait: (seconds) => busy(seconds > 0 ? `The server is busy. The page tries again in ${seconds} s.` : "") });
const examiner = new Examiner(api, settings);
const editor = new Editor({ api, settings, types: () => review?.types ?? types, together });
const list = new NoteList({ open: openNote });
const pasted = new Pasted(byId("paste"));
const ids = new Set();
let review = null; // the session of a reader, or null

// together returns the notes of the same patient that have been examined by the same model. Their replacements agree.
function together(note) {
  if (note.patient === "") return [note];
  return list.notes.filter(({ patient, status, model }) => patient === note.patient && status === "ready" && model === note.model);
}

// busy shows what the page is doing, at the top.
function busy(sentence) { byId("busy").textContent = sentence; }

function openNote(note) {
  list.setCurrent(note);
  editor.open(note);
  review?.open(note, editor);
  showPanel("note");
  if (document.activeElement === document.body) byId("note-text").focus({ preventScroll: true });
}

// addTexts adds notes of [{path, text}] or [{path, error}], and starts to examine them.
function addTexts(texts) {
  const added = texts.map(({ path, text = "", error }) => {
    const id = idOf(path, ids);
    const note = new Note({ id, name: path, text, patient: patientOf(id) });
    if (error) note.setStatus("failed", error);
    return note;
  });
  if (added.length === 0) return;
  leaveReview();
  list.add(added);
  showView("work");
  openNote(added[0]);
  byId("note-text").focus({ preventScroll: true }); // the button that had it is no longer there
  afterPaint(() => examiner.add(added.filter((note) => note.status === "waiting" && list.notes.includes(note))));
}

// leaveReview returns from a review to notes of the user's own. The server has the corrections of the review.
function leaveReview() {
  if (!review) return;
  review.close();
  review = null;
  list.clear();
}

async function addFiles(files, pathOf = (file) => file.webkitRelativePath || file.name, fileOf = (file) => file) {
  const { taken, left } = sortOut(files, pathOf);
  if (left.length > 0) {
    warn(`${left.length === 1 ? "One file was" : `${left.length} files were`} left out, because only .txt files of a folder are taken as notes: ${few(left)}.`);
  }
  if (taken.length === 0 && left.length === 0) return;
  busy(`Reading ${taken.length === 1 ? "a file" : `${taken.length} files`}`);
  addTexts(await readFiles(taken.map((file) => ({ path: pathOf(file), file: fileOf(file) }))));
  busy("");
}

const few = (names) => (names.length > 3 ? `${names.slice(0, 3).join(", ")} and others` : names.join(", "));

function pasteNote() {
  const { text } = pasted;
  if (text.trim() === "") {
    warn("Paste or type the text of a note first.");
    byId("paste").focus();
    return;
  }
  pasted.clear(); // before the text is hidden, which would lay it out once more
  addTexts([{ path: `Pasted note ${list.notes.filter((note) => note.name.startsWith("Pasted note")).length + 1}`, text }]);
}

async function exportSome() {
  if (list.notes.length === 0 || review) return; // what readers say is exported by "lethe review"
  try {
    const done = await exportNotes({
      notes: list.notes, current: editor.note, api, settings, types, together,
      progress: (n, of) => busy(n < of ? `Making the result of note ${n + 1} of ${of}` : ""),
    });
    if (!done) return;
    for (const note of done.exported) note.saved = true;
    list.refresh();
    if (done.exported.length > 0) tell(`Exported ${done.exported.length === 1 ? "one note" : `${done.exported.length} notes`}.`);
    if (done.left.length > 0) warn(`${done.left.length === 1 ? "One note was" : `${done.left.length} notes were`} not exported, because the server has not examined ${done.left.length === 1 ? "it" : "them"}: ${few(done.left.map(({ name }) => name))}.`);
  } catch (error) {
    busy("");
    warn(`Nothing was exported. ${error.message}`);
  }
}

// closeNote removes a note from the page.
async function closeNote(note) {
  const sure = note.saved || await confirmation({ title: "Close this note?", text: "Your corrections of it have not been exported.", action: "Close the note" });
  if (!sure) return;
  examiner.drop(note);
  const nearby = list.remove(note);
  if (nearby) openNote(nearby);
  else showView("intake");
}

async function examineAgain(note) {
  if (review) {
    await review.open(note, editor);
    return;
  }
  const sure = note.saved || note.status === "failed"
    || await confirmation({ title: "Find PHI again?", text: "The model's suggestions replace your corrections of this note.", action: "Find again" });
  if (sure) examiner.add([note]);
}

async function start() {
  try {
    offer = await api.models();
    types = new Types(offer.models.flatMap((model) => model.types));
    offerModels();
    offerReview(await api.review());
  } catch (error) {
    warn(`The page could not be started. ${error.message}`, { text: "Try again", run: start });
  }
}

function offerModels() {
  const standard = offer.models.find((model) => model.default) ?? offer.models[0];
  fill(byId("model"), offer.models.map(({ name, languages }) => [name, languages?.length > 0 ? `${name} (${languages.join(", ")})` : name]), standard?.name);
  byId("model-choice").hidden = offer.models.length < 2;
  offerChoices(standard);
}

// offerChoices offers what can be done with the notes of a model. Choices that are still possible stay.
function offerChoices(model) {
  settings.model = model?.name ?? "";
  const policies = offer.policies.map(({ name }) => name);
  settings.policy = [settings.policy, model?.policy, policies[0]].find((name) => policies.includes(name)) ?? "";
  fill(byId("policy"), policies.map((name) => [name, name]), settings.policy);
  describePolicy();
  const kinds = offer.kinds.filter((kind) => kind !== "keep" && (kind !== "surrogate" || model?.surrogates));
  settings.replace = [settings.replace, kinds[0]].find((kind) => kinds.includes(kind)) ?? "";
  fill(byId("replace"), kinds.map((kind) => [kind, KINDS[kind] ?? kind]), settings.replace);
}

// describePolicy lets the menu of policies say what the chosen one does.
function describePolicy() {
  byId("policy").title = offer.policies.find(({ name }) => name === settings.policy)?.about ?? "";
}

const KINDS = {
  tag: "Tag: [PATIENT]", numbered: "Numbered: [PATIENT_1]", mask: "Mask: ****", redact: "Nothing", hash: "Hash", surrogate: "Invented values",
};

function fill(select, options, chosen) {
  select.replaceChildren(...options.map(([value, text]) => h("option", { value, text, selected: value === chosen })));
}

function offerReview(overview) {
  byId("review-card").hidden = !overview;
  if (overview) byId("review-card").replaceChildren(...card(overview, openReview));
}

// openReview begins or resumes the review as a reader.
async function openReview(reader) {
  const unsaved = list.notes.some((note) => !note.saved);
  if (unsaved && !await confirmation({ title: "Begin the review?", text: "Corrections of notes on this page have not been exported and would be lost.", action: "Begin the review" })) return;
  try {
    const session = new Review({ api, reader, overview: await api.review(), types, leave: () => { leaveReview(); start(); showView("intake"); } });
    review?.close();
    review = session;
    list.clear();
    list.add(review.notes);
    showView("work");
    openNote(review.first);
  } catch (error) {
    warn(`The review could not be opened. ${error.message}`);
  }
}

// toggleDone says that the reader is done with the current note, and goes on to the next open one.
async function toggleDone() {
  const note = editor.note;
  if (!review || !note) return;
  if (await review.toggleDone(note) && note.done) {
    const following = review.next(note);
    if (following) openNote(following);
    else tell("You are done with all notes of the review.");
  }
}

function connect() {
  byId("outdated").remove();
  byId("paste-form").addEventListener("submit", (event) => { event.preventDefault(); pasteNote(); });
  byId("paste").addEventListener("keydown", (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) pasteNote(); });
  byId("back").addEventListener("click", () => showView("work"));
  for (const [opener, input] of [["open-files", "files"], ["open-folder", "folder"]]) {
    byId(opener).addEventListener("click", () => byId(input).click());
    byId(input).addEventListener("change", async () => {
      const files = [...byId(input).files];
      byId(input).value = "";
      await addFiles(files);
    });
  }
  byId("model").addEventListener("change", (event) => offerChoices(offer.models.find(({ name }) => name === event.target.value)));
  for (const name of ["policy", "replace"]) {
    byId(name).addEventListener("change", (event) => {
      settings[name] = event.target.value;
      describePolicy();
      editor.settingsChanged();
    });
  }
  byId("tools").append(
    button({ icon: "add", text: "Add notes", key: "o", id: "add-notes", onclick: () => addNotes() }),
    button({ icon: "download", text: "Export", key: "Shift+S", id: "export", onclick: exportSome }),
    button({ icon: "help", label: "Help and shortcuts", key: "?", class: "plain", id: "help", onclick: () => showHelp(shortcuts) }));
  buildPanels();
  connectDrop();
  for (const id of ["find", "open-files", "open-folder"]) byId(id).disabled = false; // until now nobody would have listened
  addEventListener("beforeunload", (event) => {
    if (list.notes.some((note) => !note.saved) || byId("paste").value !== "") event.preventDefault();
  });
}

function addNotes() {
  if (review) return;
  byId("back").hidden = list.notes.length === 0;
  showView("intake");
  byId("paste").focus();
}

function connectDrop() {
  let depth = 0; // elements of the page that the pointer is in
  const hasFiles = (event) => event.dataTransfer?.types.includes("Files");
  const show = (change) => { depth = Math.max(0, depth + change); byId("drop").hidden = depth === 0; };
  addEventListener("dragenter", (event) => { if (hasFiles(event)) show(1); });
  addEventListener("dragleave", (event) => { if (hasFiles(event)) show(-1); });
  addEventListener("dragover", (event) => { if (hasFiles(event)) event.preventDefault(); });
  addEventListener("drop", async (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    show(-depth);
    await addFiles(await droppedFiles(event.dataTransfer), ({ path }) => path, ({ file }) => file);
  });
}

const shortcuts = new Shortcuts({ editor, list, openNote, addNotes, exportSome, done: toggleDone });
editor.on("close", closeNote);
editor.on("again", examineAgain);
editor.on("done", toggleDone);
connect();
start();
