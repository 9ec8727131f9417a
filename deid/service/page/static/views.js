// What is seen: the intake or the work, and of the work, on a narrow window, one panel.

import { byId, h, icon } from "./dom.js";

const PANELS = [["notes", "Notes", "notes"], ["note", "Text", "file"], ["findings", "Findings", "doubt"], ["result", "Result", "result"]];
const SIDE = ["findings", "result", "differences"];

let side = "findings"; // the panel beside the note
const listeners = new Set();

// onSide calls a function when another panel beside the note is shown.
export const onSide = (listener) => listeners.add(listener);

// showView shows "intake" or "work".
export function showView(name) { document.body.dataset.view = name; }

// showPanel shows a panel. On a wide window the others stay; only one of those beside the note is seen.
export function showPanel(name) {
  document.body.dataset.panel = name;
  if (SIDE.includes(name)) side = name;
  for (const panel of SIDE) {
    byId(`panel-${panel}`).hidden = panel !== side;
    const tab = byId(`tab-${panel}`);
    tab.setAttribute("aria-selected", String(panel === side));
    tab.tabIndex = panel === side ? 0 : -1;
  }
  for (const chooser of byId("panels").children) chooser.setAttribute("aria-current", String(chooser.dataset.panel === name));
  for (const listener of listeners) listener(side);
}

// shownBeside returns the panel beside the note.
export const shownBeside = () => side;

// buildPanels makes the tabs beside the note and the bar at the bottom of a narrow window.
export function buildPanels() {
  const names = { findings: "Findings", result: "Result", differences: "Differences" };
  byId("side-tabs").append(...SIDE.map((name) => h("button", {
    type: "button", class: "tab", role: "tab", id: `tab-${name}`, "aria-controls": `panel-${name}`, text: names[name], hidden: name === "differences",
    onclick: () => showPanel(name), onkeydown: (event) => turn(event, name),
  })));
  byId("panels").append(...[...PANELS, ["differences", "Compare", "all"]].map(([name, text, drawing]) => h("button", {
    type: "button", data: { panel: name }, hidden: name === "differences", onclick: () => showPanel(name),
  }, icon(drawing), text)));
  showPanel("note");
}

// offerDifferences shows or hides the panel with the differences between readers.
export function offerDifferences(offered) {
  byId("tab-differences").hidden = !offered;
  for (const chooser of byId("panels").children) if (chooser.dataset.panel === "differences") chooser.hidden = !offered;
  if (!offered && side === "differences") showPanel("findings");
}

function turn(event, name) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  const offered = SIDE.filter((panel) => !byId(`tab-${panel}`).hidden);
  const next = offered[(offered.indexOf(name) + step + offered.length) % offered.length];
  showPanel(next);
  byId(`tab-${next}`).focus();
  event.preventDefault();
}
