// Elements are made by these functions only: the page has no HTML in strings, which its security policy would refuse anyway.

// h creates an element. Properties that start with "on" are listeners; "class", "text", "data" and "hidden" are what they
// seem to be; all others are attributes, left out if they are null or false.
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) set(element, name, value);
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

function set(element, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
  else if (name === "text") element.textContent = value;
  else if (name === "data") Object.assign(element.dataset, value);
  else element.setAttribute(name, value === true ? "" : value);
}

// afterPaint calls f once what has changed has been painted, so that what takes long does not delay it.
export function afterPaint(f) { requestAnimationFrame(() => setTimeout(f)); }

// byId returns the element of the page with this id.
export const byId = (id) => document.getElementById(id);

// button creates a button with an icon, a visible name, or both. A button without a visible name requires a label.
export function button({ icon: name, text, label, key, class: className = "", ...rest }) {
  return h("button", { type: "button", class: `button ${className}`, "aria-label": label, title: key ? `${label ?? text} (${key})` : label, ...rest },
    name && icon(name), text && h("span", { class: "button-text", text }));
}

// icon creates a drawing of 20 by 20 units in the colour of the text. It is hidden from screen readers.
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 20 20");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

const SVG = "http://www.w3.org/2000/svg";

const ICONS = {
  accept: "M4 10.5l4 4 8-9",
  add: "M10 4v12M4 10h12",
  all: "M3 6h9M3 10h9M3 14h6M13.5 13l2 2 3-4",
  back: "M12 4l-6 6 6 6",
  close: "M5 5l10 10M15 5L5 15",
  copy: "M7 7h9v10H7zM4 13V3h9",
  doubt: "M7.3 7.4a2.7 2.7 0 1 1 4 2.4c-.9.5-1.3 1-1.3 2.1M10 15.2v.1",
  down: "M5 8l5 5 5-5",
  download: "M10 3v10M6 9.5l4 4 4-4M4 17h12",
  file: "M5 3h6l4 4v10H5zM11 3v4h4",
  fixed: "M3 4h14v12H3zM7 13V7l3 4 3-4v6",
  help: "M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM7.9 8a2.2 2.2 0 1 1 3.2 2c-.8.4-1.1.9-1.1 1.6M10 13.8v.1",
  mark: "M4 16h12M6 12l6.5-8 2.5 2-6.5 8H6z",
  next: "M8 4l6 6-6 6",
  notes: "M4 4h12M4 8h12M4 12h12M4 16h8",
  redo: "M15 4v5h-5M15 9a6 6 0 1 0 .5 4",
  remove: "M4 6h12M8 6V4h4v2M6 6l1 11h6l1-11",
  result: "M4 4h12v12H4zM7 8h6M7 12h3",
  type: "M3 10l7-7h6v6l-7 7zM13 7v.1",
  undo: "M5 4v5h5M5 9a6 6 0 1 1-.5 4",
  endLeft: "M16 4v12M12 10H4M7 7l-3 3 3 3",
  endRight: "M16 4v12M3 10h9M9 7l3 3-3 3",
  startLeft: "M4 4v12M17 10H8M11 7l-3 3 3 3",
  startRight: "M4 4v12M8 10h8M13 7l3 3-3 3",
};

// download saves a file of the page's own making.
export function download(name, blob) {
  const link = h("a", { href: URL.createObjectURL(blob), download: name, hidden: true });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
