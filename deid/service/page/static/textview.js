// TextView shows a text with its items in colours. The text is divided into blocks of a few lines; a change renders only the
// blocks that it touches, those outside of the window a little later, and the browser lays out only those that are near the
// window (content-visibility in page.css). So the time until a change is seen does not depend on the length of the text.

import { afterPaint, h } from "./dom.js";
import { firstEndingAfter } from "./note.js";

const BLOCK = 2400; // units of UTF-16 after which a block ends with the line
const LONGEST = 6000; // units after which it ends at a space within the line
const AT_ONCE = 10; // blocks that are rendered together; more than a window shows

// TextView renders into a container. describe(item) returns {className, badge, label} for the element of an item; tag is the
// name of its elements. Elements of items have the item's key in data-key.
export class TextView {
  #container;
  #describe;
  #role;
  #text = "";
  #items = [];
  #blocks = []; // {start, end, element}
  #stale = new Set(); // blocks outside of the window that are still to be rendered
  #waiting = false; // whether #refreshLater will continue
  #current = null;

  constructor(container, { describe, role = null }) {
    this.#container = container;
    this.#describe = describe;
    this.#role = role;
  }

  // show renders a text with its items, which must be sorted and disjoint. Blocks at the start and at the end of the text that
  // are what they were stay in the document as they are.
  show(text, items) {
    const old = this.#blocks;
    const stale = this.#stale;
    const top = this.firstVisible();
    this.#stale = new Set();
    this.#text = text;
    this.#items = items;
    const blocks = divide(text).map((block) => ({ ...block, content: this.#content(block) }));
    let head = 0;
    while (head < Math.min(old.length, blocks.length) && old[head].content === blocks[head].content) head++;
    let tail = 0;
    while (tail < Math.min(old.length, blocks.length) - head && old.at(-1 - tail).content === blocks.at(-1 - tail).content) tail++;
    this.#blocks = blocks.map((block, i) => {
      const kept = i < head ? old[i] : i >= blocks.length - tail ? old[old.length - blocks.length + i] : null;
      const shown = kept ? Object.assign(kept, block) : this.#newBlock(block);
      if (!kept || stale.has(kept)) this.#stale.add(shown);
      return shown;
    });
    for (const block of old.slice(head, old.length - tail)) block.element.remove();
    const following = tail > 0 ? this.#blocks.at(-tail).element : null;
    const added = document.createDocumentFragment();
    for (const block of this.#blocks.slice(head, this.#blocks.length - tail)) added.append(block.element);
    this.#container.insertBefore(added, following);
    const first = this.#blockAt(top);
    this.#refresh(this.#blocks.slice(first, first + AT_ONCE));
    this.#refreshLater();
  }

  // clear removes everything.
  clear() {
    this.#text = "";
    this.#items = [];
    this.#blocks = [];
    this.#stale.clear();
    this.#current = null;
    this.#container.replaceChildren();
  }

  #newBlock({ start, end, content }) {
    const element = h("div", { class: "block", dir: "auto" });
    const perLine = Math.max(20, Math.floor(this.#container.clientWidth / 9));
    element.style.containIntrinsicBlockSize = `auto ${lineCount(this.#text.slice(start, end), perLine) * 1.9}rem`;
    element.block = { start, end, content, element };
    return element.block;
  }

  // #content returns a string that is equal for blocks that look the same.
  #content({ start, end }) {
    const parts = [this.#text.slice(start, end)];
    for (let i = firstEndingAfter(this.#items, start); i < this.#items.length && this.#items[i].start < end; i++) {
      const item = this.#items[i];
      const { className, badge } = this.#describe(item);
      parts.push(`${item.key} ${item.start - start} ${item.end - start} ${className} ${badge}`);
    }
    return parts.join("\0");
  }

  // update shows other items in the same text. It renders the blocks of the items that were removed or added: if they are many,
  // those in the window now, and the others piece by piece, or when they are needed.
  update(items, { removed, added }) {
    this.#items = items;
    const dirty = new Set();
    for (const item of [...removed, ...added]) for (const block of this.#blocksOf(item)) dirty.add(block);
    for (const block of dirty) block.content = null; // like no other
    this.#stale = this.#stale.union(dirty);
    this.#refresh(dirty.size <= AT_ONCE ? dirty : this.#inWindow());
    this.#refreshLater();
  }

  // #refresh renders those of some blocks that are stale. The focus stays where it is.
  #refresh(blocks) {
    const focused = this.#container.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
    for (const block of blocks) if (this.#stale.delete(block)) this.#render(block);
    if (focused && !this.#container.contains(document.activeElement)) this.elementOf(Number(focused))?.focus({ preventScroll: true });
  }

  // #refreshLater renders the blocks that are still stale, some at a time, so that the browser can do what the user asks for in
  // between.
  #refreshLater() {
    if (this.#waiting || this.#stale.size === 0) return;
    this.#waiting = true;
    afterPaint(() => {
      this.#waiting = false;
      this.#refresh([...this.#stale].slice(0, AT_ONCE));
      this.#refreshLater();
    });
  }

  // #blocksOf returns the blocks that an item is in.
  #blocksOf({ start, end }) {
    const first = this.#blockAt(start);
    let after = first;
    while (after < this.#blocks.length && this.#blocks[after].start < end) after++;
    return this.#blocks.slice(first, after);
  }

  // #inWindow returns the blocks that can be seen.
  #inWindow() {
    if (this.#blocks.length === 0) return []; // without asking for a layout
    const { top, bottom } = this.#container.getBoundingClientRect();
    const first = this.#blocks.findIndex(({ element }) => element.getBoundingClientRect().bottom > top);
    if (first < 0) return [];
    let after = first;
    while (after < this.#blocks.length && this.#blocks[after].element.getBoundingClientRect().top < bottom) after++;
    return this.#blocks.slice(first, after);
  }

  #blockAt(offset) {
    return Math.min(firstEndingAfter(this.#blocks, offset), Math.max(0, this.#blocks.length - 1));
  }

  #render({ start, end, element }) {
    const parts = [];
    let at = start;
    for (let i = firstEndingAfter(this.#items, start); i < this.#items.length && this.#items[i].start < end; i++) {
      const item = this.#items[i];
      const from = Math.max(start, item.start);
      if (from > at) parts.push(...lines(this.#text, at, from));
      at = Math.min(end, item.end);
      parts.push(this.#element(item, from, at));
    }
    if (at < end) parts.push(...lines(this.#text, at, end));
    element.replaceChildren(...parts);
  }

  // #element renders the part of an item that is in a block. Only the last part has the badge.
  #element(item, from, to) {
    const { className, badge, label } = this.#describe(item);
    const current = item.key === this.#current;
    return h("span", {
      class: `phi ${className}${current ? " current" : ""}`,
      role: this.#role,
      tabindex: this.#role && (current ? "0" : "-1"),
      "aria-label": this.#role && label,
      data: { key: item.key, ...(to === item.end && badge && { badge }) },
    }, lines(this.#text, from, to));
  }

  // elementOf returns the first element of an item.
  elementOf(key) {
    const item = this.#stale.size > 0 && this.#items.find((other) => other.key === key);
    if (item) this.#refresh(this.#blocksOf(item));
    return this.#container.querySelector(`[data-key="${key}"]`);
  }

  // setCurrent marks an item as the current one, brings it into the window, and moves the focus there if asked to.
  setCurrent(item, { focus = false, scroll = true } = {}) {
    for (const old of this.#container.querySelectorAll(".phi.current")) {
      old.classList.remove("current");
      if (this.#role) old.tabIndex = -1;
    }
    this.#current = item?.key ?? null;
    if (!item) return;
    this.#refresh(this.#blocksOf(item));
    const elements = this.#container.querySelectorAll(`[data-key="${item.key}"]`);
    for (const element of elements) element.classList.add("current");
    if (elements.length === 0) return;
    if (this.#role) elements[0].tabIndex = 0;
    if (focus) elements[0].focus({ preventScroll: true });
    if (scroll) this.reveal(elements[0]);
  }

  // reveal scrolls an element into the window, if it is not there already.
  reveal(element) {
    const inner = element.getBoundingClientRect();
    const outer = this.#container.getBoundingClientRect();
    const margin = Math.min(80, outer.height / 5);
    if (inner.height > 0 && inner.top >= outer.top + margin && inner.bottom <= outer.bottom - margin) return;
    element.scrollIntoView({ block: "center", inline: "nearest" });
  }

  // #revealPlace scrolls a place in the text into the window, if it is not there already.
  #revealPlace({ node, offset }) {
    const range = document.createRange();
    range.setStart(node, Math.max(0, offset - 1));
    range.setEnd(node, offset);
    const outer = this.#container.getBoundingClientRect();
    let place = range.getBoundingClientRect();
    if (place.height === 0) { // the browser has not laid out the block yet
      node.parentElement.closest(".block").scrollIntoView({ block: "nearest" });
      place = range.getBoundingClientRect();
    }
    if (place.top < outer.top + 20 || place.bottom > outer.bottom - 20) {
      this.#container.scrollTop += place.top - (outer.top + outer.height / 2);
    }
  }

  // selection returns the range of the text that the user has selected, or null.
  selection() {
    const selection = getSelection();
    if (selection.rangeCount === 0 || selection.isCollapsed) return null;
    const range = selection.getRangeAt(0);
    if (!range.intersectsNode(this.#container)) return null;
    const start = this.#container.contains(range.startContainer) ? this.#offset(range.startContainer, range.startOffset) : 0;
    const end = this.#container.contains(range.endContainer) ? this.#offset(range.endContainer, range.endOffset) : this.#text.length;
    return start < end ? { start, end } : null;
  }

  // select selects a range of the text, as the user does with the mouse.
  select({ start, end }) {
    const from = this.#place(start, false);
    const to = this.#place(end, true);
    getSelection().setBaseAndExtent(from.node, from.offset, to.node, to.offset);
    this.#revealPlace(to);
  }

  // firstVisible returns the offset of the first block that is in the window.
  firstVisible() { return this.#inWindow()[0]?.start ?? 0; }

  // #offset converts a place in the document to an offset in the text.
  #offset(node, offset) {
    const element = node.nodeType === Node.TEXT_NODE ? node.parentElement : node;
    const { block } = element.closest(".block") ?? {};
    if (!block) {
      const child = node.childNodes[offset];
      return child?.block ? child.block.start : this.#text.length;
    }
    const before = document.createRange();
    before.setStart(block.element, 0);
    before.setEnd(node, offset);
    return block.start + before.toString().length;
  }

  // #place converts an offset in the text to a place in the document. At a boundary between two text nodes it returns the end
  // of the first if before is true.
  #place(offset, before) {
    const block = this.#blocks[this.#blockAt(before ? offset - 1 : offset)];
    this.#refresh([block]);
    const walker = document.createTreeWalker(block.element, NodeFilter.SHOW_TEXT);
    let rest = offset - block.start;
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (rest < node.length || (before && rest === node.length)) return { node, offset: rest };
      rest -= node.length;
    }
    return { node: block.element, offset: block.element.childNodes.length };
  }
}

// lines returns a range of a text as nodes. A CR without LF ends a line; to the browser it is a space, so an element shows the
// line end.
function lines(text, from, to) {
  const nodes = [];
  for (let at = text.indexOf("\r", from); at >= 0 && at < to; at = text.indexOf("\r", at + 1)) {
    if (text[at + 1] === "\n") continue;
    nodes.push(text.slice(from, at + 1), h("br"));
    from = at + 1;
  }
  if (from < to) nodes.push(text.slice(from, to));
  return nodes;
}

// divide returns the ranges of the blocks of a text. It never searches beyond the end of a block, so that its time grows with the
// length of the text, also if the text is a single line.
export function divide(text) {
  const blocks = [];
  for (let start = 0; start < text.length;) {
    const end = blockEnd(text, start);
    blocks.push({ start, end });
    start = end;
  }
  return blocks;
}

// A block ends after the line feed that follows BLOCK units; but after LONGEST units it ends at a space, or anywhere between
// two characters if there is none.
function blockEnd(text, start) {
  if (text.length - start <= BLOCK) return text.length;
  const piece = text.slice(start, start + LONGEST);
  const line = piece.indexOf("\n", BLOCK);
  if (line >= 0) return start + line + 1;
  if (start + LONGEST >= text.length) return text.length;
  const last = Math.max(piece.lastIndexOf("\n"), 0) || piece.lastIndexOf(" ");
  if (last > 0) return start + last + 1;
  const at = start + LONGEST;
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit < 0xe000 ? at + 1 : at;
}

function lineCount(text, perLine) {
  let count = 0;
  for (const line of text.split("\n")) count += Math.max(1, Math.ceil(line.length / perLine));
  return count - (text.endsWith("\n") ? 1 : 0);
}
