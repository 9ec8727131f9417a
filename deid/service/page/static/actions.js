// Actions is the bar below the text: what is current, and what can be done with it.

import { button, byId, h } from "./dom.js";
import { stateOf } from "./findings.js";

export class Actions {
  #editor;
  #types;
  #about;
  #buttons;

  constructor(editor, types) {
    this.#editor = editor;
    this.#types = types;
    this.#about = h("p", { class: "about" });
    this.#buttons = {
      previous: button({ icon: "back", label: "Previous", key: "p", onclick: () => editor.step(-1) }),
      next: button({ icon: "next", label: "Next", key: "n", onclick: () => editor.step(1) }),
      doubtful: button({ icon: "doubt", label: "Next to check, the doubtful first", key: "d", onclick: () => editor.stepDoubtful(1) }),
      accept: button({ icon: "accept", text: "Accept", key: "a", class: "primary", onclick: () => editor.accept() }),
      type: button({ icon: "type", text: "Type", key: "t", onclick: () => editor.retype() }),
      remove: button({ icon: "remove", text: "Remove", key: "x", onclick: () => editor.remove() }),
      mark: button({ icon: "mark", text: "Mark", key: "m", onclick: () => editor.mark() }),
      same: button({ icon: "all", label: "Mark the same text everywhere in this note", key: "s", onclick: () => editor.markSame() }),
      startLeft: button({ icon: "startLeft", label: "Start one word earlier", key: "q", onclick: () => editor.move("start", -1, "piece") }),
      startRight: button({ icon: "startRight", label: "Start one word later", key: "w", onclick: () => editor.move("start", 1, "piece") }),
      endLeft: button({ icon: "endLeft", label: "End one word earlier", key: "e", onclick: () => editor.move("end", -1, "piece") }),
      endRight: button({ icon: "endRight", label: "End one word later", key: "r", onclick: () => editor.move("end", 1, "piece") }),
      undo: button({ icon: "undo", label: "Undo", key: "u", onclick: () => editor.undo() }),
      redo: button({ icon: "redo", label: "Redo", key: "Shift+U", onclick: () => editor.redo() }),
    };
    const { previous, next, doubtful, accept, type, remove, mark, same, startLeft, startRight, endLeft, endRight, undo, redo } = this.#buttons;
    for (const [name, element] of Object.entries(this.#buttons)) element.dataset.action = name;
    // A click must not take away the selection of the text.
    byId("actions").addEventListener("pointerdown", (event) => { if (event.target.closest("button")) event.preventDefault(); });
    byId("actions").append(
      h("div", { class: "group" }, previous, next, doubtful), this.#about, h("div", { class: "group" }, undo, redo), h("div", { class: "break" }),
      h("div", { class: "group main" }, accept, type, remove, mark), h("div", { class: "group" }, same, startLeft, startRight, endLeft, endRight));
    this.refresh();
  }

  // refresh shows what is current, and disables what cannot be done.
  refresh() {
    const { note, current, ready, editable } = this.#editor;
    const selected = this.#editor.selection();
    const b = this.#buttons;
    for (const element of [b.previous, b.next]) element.disabled = !ready || note.items.length === 0;
    b.doubtful.disabled = !ready || note.open.length === 0;
    for (const element of [b.remove, b.same, b.startLeft, b.startRight, b.endLeft, b.endRight]) element.disabled = !current || !editable;
    b.accept.disabled = !editable || !current || current.checked;
    b.type.disabled = !editable || (!current && !selected);
    b.mark.disabled = !editable;
    b.mark.classList.toggle("primary", Boolean(selected));
    b.accept.classList.toggle("primary", !selected);
    b.undo.disabled = !editable || !note.canUndo;
    b.redo.disabled = !editable || !note.canRedo;
    this.#describe(note, current, selected);
  }

  #describe(note, current, selected) {
    if (selected) {
      const quote = note.text.slice(selected.start, Math.min(selected.end, selected.start + 200));
      this.#about.replaceChildren(h("span", { class: "hint", text: "Selected" }), h("span", { class: "about-quote", dir: "auto", text: quote }));
    } else if (current) {
      this.#about.replaceChildren(h("span", { class: `chip ${this.#types().colour(current.type)}`, text: current.doubt ? `${current.type}?` : current.type }),
        h("span", { class: "about-quote", dir: "auto", text: note.quote(current) }), h("span", { class: "count", text: stateOf(current) }));
    } else {
      this.#about.replaceChildren(h("span", { class: "hint", text: note?.status === "ready" ? "Select text to mark what the model missed." : "" }));
    }
  }
}
