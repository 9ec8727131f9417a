// Notes with their spans, as files that Lethe and other programs read. A note is {id, patient, text, spans}; each function
// returns files {name, text}. Doubts are no spans and are left out.

import { codePoints } from "./offsets.js";

// FORMATS are the choices of the export dialog.
export const FORMATS = [
  { name: "jsonl", label: "JSON Lines", about: "One file for all notes, with scores. Lethe and most tools for training read it.", write: jsonLines },
  { name: "brat", label: "brat", about: "A .txt and an .ann file for each note.", write: (notes) => notes.flatMap(brat) },
  { name: "i2b2", label: "i2b2 XML", about: "An .xml file for each note.", write: (notes, types) => notes.map((note) => xml(note, types)) },
];

// located returns the spans with offsets in code points.
function located({ text, spans }) {
  const points = codePoints(text, spans.flatMap(({ start, end }) => [start, end]));
  return spans.map((span, i) => ({ ...span, start: points[2 * i], end: points[2 * i + 1], quote: text.slice(span.start, span.end) }));
}

function jsonLines(notes) {
  const lines = notes.map((note) => JSON.stringify({
    id: note.id,
    ...(note.patient && { patient: note.patient }),
    text: note.text,
    spans: located(note).map(({ start, end, type, score }) => ({ start, end, type, ...(score !== null && score < 1 && { score }) })),
  }));
  return [{ name: "notes.jsonl", text: lines.map((line) => `${line}\n`).join("") }];
}

function brat(note) {
  const lines = located(note).map(({ type, start, end, quote }, i) => `T${i + 1}\t${type} ${start} ${end}\t${quote.replace(/[\r\n]/g, " ")}\n`);
  return [{ name: `${note.id}.txt`, text: note.text }, { name: `${note.id}.ann`, text: lines.join("") }];
}

// xml makes the XML of i2b2. The element of a tag is the category of its type; readers also accept PHI. It throws if the text has a character that XML does not allow.
function xml(note, types) {
  const bad = ILLEGAL.exec(note.text);
  if (bad) {
    const code = bad[0].codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
    throw new Error(`XML does not allow the character U+${code}, which is in the note ${note.id}. Choose another format.`);
  }
  const plain = !note.text.includes("\r") && !note.text.includes("]]>");
  const text = plain ? `<![CDATA[${note.text}]]>` : escape(note.text, /[&<>\r]/g);
  const tags = located(note).map(({ type, start, end, quote }, i) =>
    `<${types.category(type) || "PHI"} id="P${i}" start="${start}" end="${end}" text="${escape(quote, /[&<>"\t\n\r]/g)}" TYPE="${type}" comment="" />\n`);
  return {
    name: `${note.id}.xml`,
    text: `<?xml version="1.0" encoding="UTF-8" ?>\n<deIdi2b2>\n<TEXT>${text}</TEXT>\n<TAGS>\n${tags.join("")}</TAGS>\n</deIdi2b2>\n`,
  };
}

const ILLEGAL = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;
const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;" };
const escape = (text, characters) => text.replace(characters, (character) => ENTITIES[character]);
