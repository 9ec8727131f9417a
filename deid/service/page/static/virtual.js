// VirtualList is a list box of any length. It has elements only for the rows near the window; all rows have the same height.

import { h } from "./dom.js";

const SPARE = 6; // rows beyond each end of the window

export class VirtualList extends EventTarget {
  #box;
  #inner;
  #rowHeight;
  #render;
  #count = 0;
  #current = -1;
  #rows = new Map(); // by index

  // render(index) returns {className, children} of a row. The list emits "choose" with the index when the user moves to
  // a row, and "open" when the user presses Enter or clicks a row.
  constructor(box, { rowHeight, render, label }) {
    super();
    this.#box = box;
    this.#rowHeight = rowHeight;
    this.#render = render;
    this.#inner = h("div", { class: "virtual-inner", role: "presentation" });
    box.append(this.#inner);
    box.setAttribute("role", "listbox");
    box.setAttribute("aria-label", label);
    box.tabIndex = 0;
    box.addEventListener("scroll", () => this.#fill(), { passive: true });
    box.addEventListener("keydown", (event) => this.#key(event));
    box.addEventListener("click", (event) => {
      const row = event.target.closest("[role=option]");
      if (row) this.#choose(Number(row.dataset.index), "open");
    });
    new ResizeObserver(() => this.#fill()).observe(box);
  }

  get current() { return this.#current; }

  // refresh renders the visible rows again, after the rows or their number have changed.
  refresh(count, current = -1) {
    this.#count = count;
    this.#current = current;
    this.#inner.style.height = `${count * this.#rowHeight}px`;
    for (const row of this.#rows.values()) row.remove();
    this.#rows.clear();
    this.#fill();
  }

  // setCurrent marks a row as the current one and brings it into the window.
  setCurrent(index) {
    const old = this.#current;
    this.#current = index;
    for (const i of [old, index]) this.#replace(i);
    this.#reveal(index);
    this.#pointer();
  }

  // #replace renders one row again.
  #replace(index) {
    const row = this.#rows.get(index);
    if (!row) return;
    const fresh = this.#row(index);
    row.replaceWith(fresh);
    this.#rows.set(index, fresh);
  }

  #reveal(index) {
    if (index < 0) return;
    const top = index * this.#rowHeight;
    const { scrollTop, clientHeight } = this.#box;
    if (top < scrollTop) this.#box.scrollTop = top;
    else if (top + this.#rowHeight > scrollTop + clientHeight) this.#box.scrollTop = top + this.#rowHeight - clientHeight;
    this.#fill();
  }

  #fill() {
    const { scrollTop, clientHeight } = this.#box;
    const first = Math.max(0, Math.floor(scrollTop / this.#rowHeight) - SPARE);
    const last = Math.min(this.#count - 1, Math.ceil((scrollTop + clientHeight) / this.#rowHeight) + SPARE);
    for (const [index, row] of this.#rows) {
      if (index >= first && index <= last) continue;
      row.remove();
      this.#rows.delete(index);
    }
    for (let index = first; index <= last; index++) {
      if (this.#rows.has(index)) continue;
      const row = this.#row(index);
      this.#rows.set(index, row);
      const following = this.#rows.get(index + 1);
      this.#inner.insertBefore(row, following ?? null);
    }
    this.#pointer();
  }

  #row(index) {
    const { className = "", children } = this.#render(index);
    const row = h("div", {
      class: `row ${className}${index === this.#current ? " current" : ""}`, id: `${this.#box.id}-${index}`, role: "option",
      "aria-selected": String(index === this.#current), "aria-posinset": index + 1, "aria-setsize": this.#count, data: { index },
    }, children);
    row.style.top = `${index * this.#rowHeight}px`;
    row.style.height = `${this.#rowHeight}px`;
    return row;
  }

  #pointer() {
    if (this.#rows.has(this.#current)) this.#box.setAttribute("aria-activedescendant", `${this.#box.id}-${this.#current}`);
    else this.#box.removeAttribute("aria-activedescendant");
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== this.#box) return;
    const page = Math.max(1, Math.floor(this.#box.clientHeight / this.#rowHeight) - 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (event.key in steps) this.#choose(Math.min(this.#count - 1, Math.max(0, this.#current + steps[event.key])), "choose");
    else if (event.key === "Enter") this.#choose(this.#current, "open");
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #choose(index, name) {
    if (index < 0 || index >= this.#count) return;
    this.dispatchEvent(new CustomEvent(name, { detail: index }));
  }
}
