// The places where two readers differ, and the choice between them.

import { byId, h } from "./dom.js";
import { newItem, overlaps } from "./note.js";

const CONTEXT = 40; // characters shown on each side of a place

// regionsOf returns the places where readers differ: {start, end, choices}, where choices has the spans of each reader by
// name, with offsets in units of UTF-16. Spans on which they agree are no differences.
export function regionsOf(readers) {
  const names = Object.keys(readers);
  const plain = names.flatMap((reader) => readers[reader].map(({ type, start, end }) => ({ reader, type, start: start.utf16, end: end.utf16 })));
  const counts = Map.groupBy(plain, ({ type, start, end }) => `${type} ${start} ${end}`);
  const apart = plain.filter(({ type, start, end }) => counts.get(`${type} ${start} ${end}`).length < names.length).sort((a, b) => a.start - b.start);
  const regions = [];
  for (const one of apart) {
    let region = regions.at(-1);
    if (!region || one.start >= region.end) {
      region = { start: one.start, end: one.end, choices: Object.fromEntries(names.map((name) => [name, []])) };
      regions.push(region);
    }
    region.end = Math.max(region.end, one.end);
    region.choices[one.reader].push({ type: one.type, start: one.start, end: one.end });
  }
  return regions;
}

let stop = () => {};

// clearDifferences empties the panel.
export function clearDifferences() {
  stop();
  byId("differences").replaceChildren(h("p", { class: "hint", text: "Nothing to decide." }));
}

// showDifferences lists the differences of a note, and follows its changes.
export function showDifferences(note, editor) {
  stop();
  const show = () => {
    const focused = document.activeElement?.closest?.("#differences button")?.dataset;
    byId("differences").replaceChildren(h("p", { class: "hint", text: summary(note) }), ...note.regions.map((region, i) => card(note, region, i, editor)));
    if (focused) byId("differences").querySelector(`[data-region="${focused.region}"][data-choice="${CSS.escape(focused.choice)}"]`)?.focus();
  };
  stop = note.on("change", show);
  show();
}

function summary(note) {
  const open = note.regions.filter((region) => chosen(note, region) === null).length;
  if (note.regions.length === 0) return "The readers agree on this note.";
  return open === 0 ? "All differences are decided." : `${open} of ${note.regions.length} differences to decide.`;
}

function card(note, region, index, editor) {
  const before = note.text.slice(Math.max(0, region.start - CONTEXT), region.start);
  const after = note.text.slice(region.end, region.end + CONTEXT);
  const now = chosen(note, region);
  const choice = (name, text, spans) => h("button", {
    type: "button", class: "button small", "aria-pressed": String(now === name), disabled: note.closed, data: { region: index, choice: name }, text,
    onclick: () => choose(note, region, spans, editor),
  });
  return h("article", { class: `difference${now === null ? "" : " settled"}` },
    h("p", { dir: "auto" }, before, h("strong", { text: note.text.slice(region.start, region.end) }), after),
    h("div", { class: "choices" },
      Object.entries(region.choices).map(([reader, spans]) => choice(reader, `${reader}: ${describe(note, region, spans)}`, spans)),
      Object.values(region.choices).every((spans) => spans.length > 0) && choice("", "Neither: not PHI", [])));
}

// describe says what a reader marked in a region.
function describe(note, region, spans) {
  if (spans.length === 0) return "not PHI";
  return spans.map(({ type, start, end }) => (start === region.start && end === region.end ? type : `${type} “${note.text.slice(start, end)}”`)).join(", ");
}

function choose(note, region, spans, editor) {
  const added = spans.map((one) => newItem({ ...one, checked: true, from: "reader" }));
  note.replace(region, added);
  editor.select(added[0] ?? null, { focus: false });
}

// chosen returns the name of the reader whose spans the note has in the region, "" if it has others or none by decision, and
// null if nothing has been decided.
function chosen(note, region) {
  const here = note.spans.filter((one) => overlaps([one], region));
  const same = Object.entries(region.choices).find(([, spans]) => spans.length === here.length
    && spans.every((one, i) => one.start === here[i].start && one.end === here[i].end && one.type === here[i].type));
  const doubted = note.items.some((one) => one.doubt && overlaps([one], region));
  if (doubted) return null;
  return same ? same[0] : "";
}
