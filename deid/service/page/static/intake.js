// Texts come into the page by pasting, by dropping, and from files and folders. They are taken as they are, byte for byte.


// Pasted remembers the text of a paste. A text area turns CR LF into LF; as long as the user does not edit the text, the
// original counts.
export class Pasted {
  #area;
  #original = "";

  constructor(area) {
    this.#area = area;
    area.addEventListener("paste", (event) => {
      const whole = area.selectionStart === 0 && area.selectionEnd === area.value.length;
      this.#original = whole ? event.clipboardData.getData("text/plain") : "";
    });
  }

  get text() {
    const { value } = this.#area;
    return this.#original.replace(/\r\n?/g, "\n") === value ? this.#original : value;
  }

  clear() {
    this.#area.value = "";
    this.#original = "";
  }
}

// readFiles reads files, given as [{path, file}], and returns [{path, text}] or [{path, error}].
export async function readFiles(files) {
  const texts = [];
  for (const { path, file } of files) texts.push(await readFile(file, path));
  return texts;
}

async function readFile(file, path) {
  try {
    return { path, text: decode(await file.arrayBuffer()) };
  } catch (error) {
    const reason = error instanceof TypeError ? "The file is not text in UTF-8." : "The browser could not read the file.";
    return { path, error: reason };
  }
}

// decode refuses what is not UTF-8, and keeps a byte order mark.
export function decode(bytes) {
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  if (text.includes("\0")) throw new TypeError("the file has a zero byte");
  return text;
}

// droppedFiles returns the files of a drop, with those in folders: [{path, file}].
export async function droppedFiles(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean); // must be read before the first await
  const files = [...transfer.files];
  if (entries.length === 0) return files.map((file) => ({ path: file.name, file }));
  const found = [];
  for (const entry of entries) await collect(entry, found);
  return found;
}

async function collect(entry, found) {
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => { entry.file(resolve, reject); });
    found.push({ path: entry.fullPath.replace(/^\//, ""), file });
    return;
  }
  const reader = entry.createReader();
  for (;;) {
    const some = await new Promise((resolve, reject) => { reader.readEntries(resolve, reject); });
    if (some.length === 0) return;
    for (const child of some) await collect(child, found);
  }
}

// sortOut divides the files of a folder into those to read, in the order of their paths, and the paths of others. In a
// folder, only files named .txt are notes. A file that the user chose itself is always read.
export function sortOut(files, pathOf) {
  const taken = [];
  const left = [];
  for (const file of files) {
    const path = pathOf(file);
    const hidden = path.split("/").some((part) => part.startsWith("."));
    if (!path.includes("/") || (!hidden && /\.txt$/i.test(path))) taken.push(file);
    else left.push(path);
  }
  return { taken: taken.toSorted((a, b) => compare(pathOf(a), pathOf(b))), left: left.toSorted(compare) };
}

const collator = new Intl.Collator("en", { numeric: true });
const compare = (a, b) => collator.compare(a, b) || (a < b ? -1 : 1);

// idOf makes an identifier of the path of a file, which is unlike those that are used already. It can be the name of a file.
// The folder that the user chose is left out.
export function idOf(path, used) {
  const name = path.slice(path.indexOf("/") + 1).replace(/\.txt$/i, "");
  const clean = shorten(name.replace(/[/\\]+/g, "_").replace(UNFIT, "-").replace(/^\.+/, "")) || "note";
  let id = clean;
  for (let n = 2; used.has(id.toLowerCase()); n++) id = `${clean}-${n}`;
  used.add(id.toLowerCase());
  return id;
}

// UNFIT are characters that some systems refuse in names of files.
const UNFIT = /[\u0000-\u001f\u007f<>:"|?*]/g;
const LONGEST_ID = 180; // bytes

function shorten(name) {
  let characters = Array.from(name.isWellFormed() ? name : "");
  while (new TextEncoder().encode(characters.join("")).length > LONGEST_ID) characters = characters.slice(0, -1);
  return characters.join("");
}

// patientOf returns the patient in a name such as 110-04, as the command line does.
export function patientOf(id) {
  if (/^\d{4}-\d\d-\d\d(\D|$)/.test(id)) return "";
  return /^(\d+)-\d+/.exec(id)?.[1] ?? "";
}
