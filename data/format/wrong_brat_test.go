package format_test

import "github.com/lethe-deid/lethe/data/format"

// bratNote returns a text and its annotations.
func bratNote(text, annotations string) map[string]string {
	return map[string]string{"110-04.txt": text, "110-04.ann": annotations}
}

const seen = "Seen by Dr. Amundsen.\n"

var wrongBrat = []wrong{
	{
		what:  "no annotations",
		files: file("110-04.txt", seen),
		want:  "110-04.ann: a note of brat requires its annotations, too, in a file that is empty if there are none: file does not exist",
	},
	{
		what:   "CR LF counts as one",
		files:  bratNote("Admitted.\r\nSeen by Dr. Amundsen.\r\n", "T1\tDOCTOR 22 30\tAmundsen\n"),
		want:   "110-04.ann:1: the line does not quote the text at its offsets, in code points: all annotations of the text fit if CR LF counts as one (corpus.offsets: code-points+lf) (offset 22)",
		mended: format.Options{Offsets: "code-points+lf"},
	},
	{
		what:   "UTF-16 units",
		files:  bratNote("😀 Seen by Dr. Amundsen.\n", "T1\tDOCTOR 15 23\tAmundsen\n"),
		want:   "110-04.ann:1: the line does not quote the text at its offsets, in code points: all annotations of the text fit if offsets count UTF-16 units as in JavaScript (corpus.offsets: utf-16) (offset 15)",
		mended: format.Options{Offsets: "utf-16"},
	},
	{
		what:   "bytes",
		files:  bratNote("Café. Seen by Dr. Amundsen.\n", "T1\tDOCTOR 19 27\tAmundsen\n"),
		want:   "110-04.ann:1: the line does not quote the text at its offsets, in code points: all annotations of the text fit if offsets count bytes (corpus.offsets: bytes) (offset 19)",
		mended: format.Options{Offsets: "bytes"},
	},
	{
		what:   "the byte order mark does not count",
		files:  bratNote("\uFEFF"+seen, "T1\tDOCTOR 12 20\tAmundsen\n"),
		want:   "110-04.ann:1: the line does not quote the text at its offsets, in code points: all annotations of the text fit if the byte order mark of the text does not count (corpus.offsets: code-points+no-bom) (offset 12)",
		mended: format.Options{Offsets: "code-points+no-bom"},
	},
	{
		what:   "a byte order mark that was removed",
		files:  bratNote(seen, "T1\tDOCTOR 13 21\tAmundsen\n"),
		want:   "110-04.ann:1: the line does not quote the text at its offsets, in code points: all annotations of the text fit if the first character is 1, not 0, or if a byte order mark counts that the text does not have (corpus.offsets: code-points+bom) (offset 13)",
		mended: format.Options{Offsets: "code-points+bom"},
	},
	{
		what:  "the text has become NFD",
		files: bratNote("Zoe\u0308 Vance. Seen by Dr. Amundsen.\n", "T1\tDOCTOR 23 31\tAmundsen\n"),
		want:  "110-04.ann:1: the line does not quote the text at its offsets, in code points: all annotations of the text fit if the text is in Unicode's form NFC, in which é is one character: it was probably changed after the annotation (offset 23)",
	},
	{
		what:  "a heading was added after the annotation",
		files: bratNote("Discharge summary\n"+seen, "T1\tDOCTOR 12 20\tAmundsen\n"),
		want:  "110-04.ann:1: the line does not quote the text at its offsets, in code points: all annotations of the text fit 18 code points later: characters have been added to the text before the first of them (offset 12)",
	},
	{
		what:  "one quotation differs",
		files: bratNote("Dr. Vance called Dr. Amundsen.\n", "T1\tDOCTOR 4 9\tVance\nT2\tDOCTOR 21 29\tAmundson\n"),
		want:  "110-04.ann:2: the line does not quote the text at its offsets, in code points (offset 21)",
	},
	{
		what:   "a discontinuous span",
		files:  bratNote("Dr. Ada or Zo Vance.\n", "T1\tDOCTOR 4 7;14 19\tAda Vance\n"),
		want:   "110-04.ann:1: the span is in fragments with other text between them, which no tagger of Lethe can find: choose with fragments: hull, parts or longest what becomes of such spans",
		mended: format.Options{Fragments: "parts"},
	},
	{
		what:  "an unknown type",
		files: bratNote(seen, "T1\tPhysician 12 20\tAmundsen\n"),
		want:  "110-04.ann:1: the type Physician is not in the type set i2b2-2014",
	},
	{
		what:  "a type with a blank",
		files: bratNote(seen, "T1\tTreating Doctor 12 20\tAmundsen\n"),
		want:  "110-04.ann:1: the type Treating Doctor contains a blank, which brat does not allow: write Treating_Doctor",
	},
	{
		what:  "an ID twice",
		files: bratNote("Dr. Vance called Dr. Amundsen.\n", "T1\tDOCTOR 4 9\tVance\nT1\tDOCTOR 21 29\tAmundsen\n"),
		want:  "110-04.ann:2: duplicate ID T1, which line 1 has, too: the file was probably written twice, or put together of two",
	},
	{
		what:  "zero width",
		files: bratNote(seen, "T1\tDOCTOR 12 12\t\n"),
		want:  "110-04.ann:1: the span [12,12) of code points is empty (offset 12)",
	},
	{
		what:  "reversed",
		files: bratNote(seen, "T1\tDOCTOR 20 12\tAmundsen\n"),
		want:  "110-04.ann:1: the span [20,12) of code points is reversed (offset 20)",
	},
	{
		what:  "beyond the text",
		files: bratNote(seen, "T1\tDOCTOR 112 120\tVance\n"),
		want:  "110-04.ann:1: the span [112,120) lies beyond the text of 22 code points (offset 112)",
	},
	{
		what:  "blanks for tabs",
		files: bratNote(seen, "T1 DOCTOR 12 20 Amundsen\n"),
		want:  "110-04.ann:1: not a brat annotation line: its fields must be separated by tabs, as in T1, tab, PATIENT 4 11, tab, text",
	},
	{
		what:  "truncated",
		files: bratNote(seen, "T1\tDOCTOR 12 2"),
		want:  "110-04.ann:1: not a brat annotation line: the text of the span is missing after the offsets and a tab",
	},
	{
		what:  "Latin-1",
		files: bratNote("Zo\xEB Vance was seen.\n", ""),
		want:  "110-04.txt:1: invalid UTF-8: convert the file to UTF-8, probably from Latin-1 or Windows-1252 (offset 2)",
	},
	{
		what:  "a JSON file alone",
		files: file("notes.jsonl", `{"id":"110-04","text":"Seen by Dr. Amundsen.","spans":[]}`+"\n"),
		read:  "notes.jsonl",
		want:  "notes.jsonl: not a file of brat, which has the extension .txt or .ann: the file is in another format",
	},
}
