// zip puts files into an archive without compression: .ZIP File Format Specification, version 6.3, sections 4.3.7, 4.3.12 and
// 4.3.16. Names are in UTF-8, and the date is always 1980-01-01, so that equal files make equal archives.

const DATE = (1 << 5) | 1; // the first of January 1980
const UTF8 = 1 << 11; // flag: names are in UTF-8
const MOST = 0xffff; // files in an archive without the extension for 64 bits

// zip returns a Blob of the files, which are {name, text}.
export function zip(files) {
  if (files.length > MOST) throw new Error(`An archive can contain at most ${MOST} files.`);
  const encoder = new TextEncoder();
  const parts = [];
  const directory = [];
  let offset = 0;
  for (const { name, text } of files) {
    const path = encoder.encode(name);
    const content = encoder.encode(text);
    const common = [[20, 2], [UTF8, 2], [0, 2], [0, 2], [DATE, 2], [crc32(content), 4], [content.length, 4], [content.length, 4], [path.length, 2], [0, 2]];
    parts.push(record(0x04034b50, common), path, content);
    directory.push(record(0x02014b50, [[20, 2], ...common, [0, 2], [0, 2], [0, 2], [0, 4], [offset, 4]]), path);
    offset += 30 + path.length + content.length;
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  const end = record(0x06054b50, [[0, 2], [0, 2], [files.length, 2], [files.length, 2], [size, 4], [offset, 4], [0, 2]]);
  return new Blob([...parts, ...directory, end], { type: "application/zip" });
}

// record returns a signature and fields of [value, bytes], in little-endian order.
function record(signature, fields) {
  const all = [[signature, 4], ...fields];
  const view = new DataView(new ArrayBuffer(all.reduce((sum, [, bytes]) => sum + bytes, 0)));
  let at = 0;
  for (const [value, bytes] of all) {
    if (bytes === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += bytes;
  }
  return new Uint8Array(view.buffer);
}

const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let bit = 0; bit < 8; bit++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c >>> 0;
});

// crc32 is the checksum of ISO 3309, as zip uses it.
export function crc32(bytes) {
  let c = 0xffffffff;
  for (const byte of bytes) c = TABLE[(c ^ byte) & 0xff] ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}
