// The menu of types: the user types a part of a name, or chooses with the arrow keys or the mouse.

import { openDialog } from "./dialogs.js";
import { h } from "./dom.js";

let last = ""; // the type that was chosen last is offered first

// chooseType returns a promise of the name of a type, or of null. quote is the text that will have the type; current is the type
// that it has, if any.
export async function chooseType(types, { title, quote, current = "" }) {
  const chosen = await openDialog({ title, class: "types" }, (finish) => {
    const list = h("div", { class: "type-list", id: "type-list", role: "listbox", "aria-label": "Types" });
    const field = h("input", {
      type: "text", id: "type-filter", role: "combobox", "aria-controls": "type-list", "aria-expanded": "true", "aria-autocomplete": "list",
      "aria-label": "Filter the types", placeholder: "Type to filter", autocomplete: "off", spellcheck: "false", autofocus: true,
    });
    const names = order(types.names, current);
    let shown = [];
    let at = 0;
    const point = (index) => {
      at = index;
      for (const [i, option] of [...list.children].entries()) option.setAttribute("aria-selected", String(i === at));
      list.children[at]?.scrollIntoView({ block: "nearest" });
      field.setAttribute("aria-activedescendant", shown.length > 0 ? `type-${at}` : "");
    };
    const filter = () => {
      shown = matching(names, field.value);
      list.replaceChildren(...shown.map((name, i) => row(types, name, i, name === current, () => finish(name))));
      if (shown.length === 0) list.replaceChildren(h("p", { class: "hint", role: "presentation", text: "No type has this in its name." }));
      point(0);
    };
    field.addEventListener("input", filter);
    field.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step && shown.length > 0) point((at + step + shown.length) % shown.length);
      else if (event.key === "Enter" && shown.length > 0) finish(shown[at]);
      else return;
      event.preventDefault();
    });
    filter();
    return [h("p", { class: "quote", dir: "auto", text: quote }), field, list];
  });
  if (chosen) last = chosen;
  return chosen;
}

function row(types, name, index, current, choose) {
  return h("div", { class: `type ${types.colour(name)}`, id: `type-${index}`, role: "option", "aria-selected": "false", onclick: choose },
    h("span", { class: "swatch" }), h("span", { class: "type-name", text: name }), current && h("span", { class: "hint", text: "now" }));
}

// order puts the type that was chosen last at the top, and the one that the span has now after it.
const order = (names, current) => [...new Set([last, current, ...names].filter((name) => names.includes(name)))];

// matching returns the names that contain the query: first those that start with it.
function matching(names, query) {
  const wanted = query.trim().toUpperCase();
  const has = names.filter((name) => name.toUpperCase().includes(wanted));
  const rank = (name) => (name.toUpperCase().startsWith(wanted) ? 0 : 1);
  return wanted === "" ? has : has.toSorted((a, b) => rank(a) - rank(b));
}
