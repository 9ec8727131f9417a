// Keys. The table below is all of them: the page acts on it, and the help dialog shows it.

import { openDialog } from "./dialogs.js";
import { h } from "./dom.js";
import { showPanel, shownBeside } from "./views.js";

export class Shortcuts {
  enabled = true; // whether keys without Ctrl work
  groups;

  constructor({ editor, list, openNote, addNotes, exportSome, done }) {
    const go = (step) => { const note = list.neighbour(step); if (note) openNote(note); };
    this.groups = [
      ["Move", [
        ["n", "Next finding in the text", () => editor.step(1)],
        ["p", "Previous finding in the text", () => editor.step(-1)],
        ["d", "Next to check, the doubtful first", () => editor.stepDoubtful(1)],
        ["b", "Back to the one before, in that order", () => editor.stepDoubtful(-1)],
        ["j", "Next note", () => go(1)],
        ["k", "Previous note", () => go(-1)],
      ]],
      ["Correct", [
        ["a", "Accept, and go on", () => editor.accept()],
        ["t", "Change the type", () => editor.retype()],
        ["x", "Remove: this is no PHI", () => editor.remove(), ["Delete", "Backspace"]],
        ["X", "Remove the same text everywhere in this note", () => editor.removeSame()],
        ["s", "Mark the same text everywhere in this note", () => editor.markSame()],
        ["u", "Undo", () => editor.undo(), ["Ctrl+z"]],
        ["U", "Redo", () => editor.redo(), ["Ctrl+Z", "Ctrl+y"]],
      ]],
      ["Move a boundary by a word, or with Shift by a character", [
        ["q", "Start earlier", () => editor.move("start", -1, "piece"), ["Q"], () => editor.move("start", -1, "character")],
        ["w", "Start later", () => editor.move("start", 1, "piece"), ["W"], () => editor.move("start", 1, "character")],
        ["e", "End earlier", () => editor.move("end", -1, "piece"), ["E"], () => editor.move("end", -1, "character")],
        ["r", "End later", () => editor.move("end", 1, "piece"), ["R"], () => editor.move("end", 1, "character")],
      ]],
      ["Mark what was missed", [
        ["m", "Mark the selected text, or begin to select words", () => editor.mark()],
        ["← → ↑ ↓", "Select another word"],
        ["Shift+← →", "Select fewer or more words"],
        ["Enter", "Choose the type of the selected words"],
        ["Escape", "Give up the selection", () => editor.clearSelection()],
      ]],
      ["Page", [
        ["g", "Findings or result", () => showPanel(shownBeside() === "result" ? "findings" : "result")],
        ["f", "Letters of equal width, for tables", () => editor.toggleFixed()],
        ["c", "Copy the result", () => editor.copy()],
        ["o", "Add notes", () => addNotes()],
        ["S", "Export", () => exportSome()],
        ["D", "Done with this note, in a review", () => done()],
        ["?", "This help", () => showHelp(this)],
      ]],
    ];
    this.#connect(editor);
  }

  #connect(editor) {
    const byKey = new Map();
    for (const [, rows] of this.groups) {
      for (const [key, , run, others = [], runOthers = run] of rows) {
        if (!run) continue;
        byKey.set(key, run);
        for (const other of others) byKey.set(other, runOthers);
      }
    }
    document.addEventListener("keydown", (event) => {
      if (event.defaultPrevented || isTyping(event.target) || document.querySelector("dialog[open]") || document.body.dataset.view !== "work") return;
      if (editor.cursorKey(event)) {
        event.preventDefault();
        return;
      }
      const modified = event.ctrlKey || event.metaKey;
      const run = byKey.get(`${modified ? "Ctrl+" : ""}${event.key}`);
      if (!run || event.altKey || (!modified && event.key.length === 1 && !this.enabled)) return;
      event.preventDefault();
      run();
    });
  }
}

// isTyping reports whether keys belong to the element that has the focus.
const isTyping = (element) => element.matches?.("input:not([type=checkbox]), textarea, select, [contenteditable]");

// showHelp shows the guide in short, and all keys.
export function showHelp(shortcuts) {
  return openDialog({ title: "Help", class: "wide" }, () => [
    h("p", { text: "Coloured text is what the model takes for PHI, with its type and how sure the model is. A dashed edge means that nobody has checked it yet; a dotted frame with a question mark is text that the model left, but not without doubt. The result beside the note replaces everything that is marked, checked or not." }),
    h("label", { class: "check" }, h("input", { type: "checkbox", id: "keys-enabled", checked: shortcuts.enabled, onchange: (event) => { shortcuts.enabled = event.target.checked; } }),
      "Shortcuts of one key"),
    h("div", { class: "shortcuts" }, shortcuts.groups.map(([title, rows]) => h("section", {}, h("h3", { text: title }),
      h("dl", {}, rows.flatMap(([key, text]) => [h("dt", {}, keyNames(key).map((name) => h("kbd", { text: name }))), h("dd", { text })])))))]);
}

// keyNames returns the names of the keys that are pressed together.
const keyNames = (key) => (key.length === 1 && key !== key.toLowerCase() ? ["Shift", key.toLowerCase()] : key.split("+"));

