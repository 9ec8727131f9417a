// The list of findings: spans and doubts of the note, the doubtful first or in the order of the text.

import { byId, h } from "./dom.js";
import { doubtfulness } from "./note.js";
import { VirtualList } from "./virtual.js";

const ROW_HEIGHT = 58;

export class Findings {
  order = "doubtful"; // or "text"
  onlyOpen = false;
  #list;
  #types;
  #note = null;
  #items = []; // as shown
  #order = null; // the last result of #sorted, and what it was made of

  // choose(item) is called when the user moves to an item in the list.
  constructor({ types, choose, open }) {
    this.#types = types;
    this.#list = new VirtualList(byId("findings-list"), { rowHeight: ROW_HEIGHT, label: "Findings", render: (index) => this.#row(this.#items[index]) });
    this.#list.addEventListener("choose", ({ detail }) => choose(this.#items[detail]));
    this.#list.addEventListener("open", ({ detail }) => open(this.#items[detail]));
  }

  // show lists the items of a note.
  show(note, current) {
    this.#note = note;
    const all = this.#sorted(note);
    this.#items = this.onlyOpen ? all.filter((item) => !item.checked || item.key === current?.key) : all;
    this.#list.refresh(this.#items.length, this.#index(current));
    this.#tellEmpty();
  }

  setCurrent(item) { this.#list.setCurrent(this.#index(item)); }

  // neighbour returns the item after another in this order, or before it if step is -1: the next that nobody has checked, if
  // open is true. It continues at the other end of the list.
  neighbour(item, step, { open = false } = {}) {
    return next(this.#sorted(this.#note), item, step, open);
  }

  // #sorted returns the items of a note in the order of the list. It sorts them once after each change.
  #sorted(note) {
    if (!note) return [];
    const { items } = note;
    if (this.#order?.items !== items || this.#order.name !== this.order) this.#order = { items, name: this.order, sorted: sorted(items, this.order) };
    return this.#order.sorted;
  }

  #index(item) { return item ? this.#items.findIndex(({ key }) => key === item.key) : -1; }

  #tellEmpty() {
    byId("findings-empty").hidden = this.#items.length > 0;
    byId("findings-empty").textContent = emptiness(this.#note);
  }

  #row(item) {
    const quote = this.#note.quote(item).replace(/\s+/g, " ").slice(0, 120);
    return {
      className: `${this.#types().colour(item.type)}${item.doubt ? " doubt" : ""}${item.checked ? " checked" : ""}`,
      children: [
        h("span", { class: "row-quote", dir: "auto", text: quote }), " ",
        h("span", { class: "row-type", text: item.doubt ? `${item.type}?` : item.type }), " ",
        h("span", { class: "row-state", text: stateOf(item) }),
        item.score !== null && h("span", { class: "meter" }, meter(item.score)),
      ],
    };
  }
}

function meter(score) {
  const bar = h("span", { class: "meter-bar" });
  bar.style.inlineSize = `${Math.round(score * 100)}%`;
  return bar;
}

function emptiness(note) {
  if (!note || note.status !== "ready") return "";
  return note.items.length === 0 ? "The model found no PHI in this note. Read it yourself, and mark what it missed." : "Everything in this note has been checked.";
}

// sorted returns the items in an order of the list.
export function sorted(items, order) {
  if (order === "text") return items;
  return items.toSorted((a, b) => doubtfulness(b) - doubtfulness(a) || a.start - b.start);
}

// next returns the item after another in a list, which may have changed since, or null.
export function next(list, item, step, open) {
  if (list.length === 0) return null;
  const from = item ? list.findIndex(({ key }) => key === item.key) : -1;
  const begin = from < 0 && step < 0 ? list.length : from;
  for (let i = 1; i <= list.length; i++) {
    const candidate = list[(((begin + i * step) % list.length) + list.length) % list.length];
    if (!open || !candidate.checked) return candidate;
  }
  return null;
}

// percent returns a score as people read it.
export const percent = (score) => `${score > 0.995 && score < 1 ? 99 : Math.round(score * 100)}%`;

// stateOf says in a few words what is known of an item.
export function stateOf(item) {
  const score = item.score === null ? "" : percent(item.score);
  if (item.doubt) return item.from === "model" ? `left by the model, ${score}` : `marked by ${item.from} only`;
  if (item.checked) return score ? `${score}, checked` : "marked by a reader";
  return score;
}

// describe returns what screen readers say about an item.
export function describe(item) {
  const score = item.score === null ? "" : `, ${percent(item.score)}`;
  if (item.doubt) return `${item.from === "model" ? "left by the model" : `marked by ${item.from} only`}, perhaps ${item.type}${score}`;
  return `${item.type}${score}, ${item.checked ? "checked" : "not checked"}`;
}
