package format_test

import (
	"fmt"

	"github.com/lethe-deid/lethe/data/format"
)

// i2b2Note returns a note with tags.
func i2b2Note(text, tags string) string {
	return "<?xml version=\"1.0\" encoding=\"UTF-8\" ?>\n<deIdi2b2>\n<TEXT><![CDATA[" + text + "]]></TEXT>\n<TAGS>\n" + tags + "</TAGS>\n</deIdi2b2>\n"
}

// doctor returns a tag for a doctor.
func doctor(start, end int, text string) string {
	return fmt.Sprintf("<NAME id=\"P0\" start=\"%d\" end=\"%d\" text=\"%s\" TYPE=\"DOCTOR\" comment=\"\" />\n", start, end, text)
}

var wrongI2B2 = []wrong{
	{
		what:  "the first character is 1",
		files: file("110-04.xml", i2b2Note("Seen by Dr. Amundsen.", doctor(13, 21, "Amundsen"))),
		want:  "110-04.xml:5: a tag's text differs from the note at its offsets, in code points: all annotations of the text fit if the first character is 1, not 0, or if a byte order mark counts that the text does not have (corpus.offsets: code-points+bom) (offset 13)",
	},
	{
		what:   "CR LF counts as two",
		files:  file("110-04.xml", i2b2Note("Admitted.\r\nSeen by Dr. Amundsen.\r\n", doctor(23, 31, "Amundsen"))),
		want:   "110-04.xml:7: a tag's text differs from the note at its offsets, in code points: all annotations of the text fit if each line end counts as two, like CR LF (corpus.offsets: code-points+crlf) (offset 23)",
		mended: format.Options{Offsets: "code-points+crlf"},
	},
	{
		what:   "UTF-16 units",
		files:  file("110-04.xml", i2b2Note("😀 Seen by Dr. Amundsen.", doctor(15, 23, "Amundsen"))),
		want:   "110-04.xml:5: a tag's text differs from the note at its offsets, in code points: all annotations of the text fit if offsets count UTF-16 units as in JavaScript (corpus.offsets: utf-16) (offset 15)",
		mended: format.Options{Offsets: "utf-16"},
	},
	{
		what:   "bytes",
		files:  file("110-04.xml", i2b2Note("Café. Seen by Dr. Amundsen.", doctor(19, 27, "Amundsen"))),
		want:   "110-04.xml:5: a tag's text differs from the note at its offsets, in code points: all annotations of the text fit if offsets count bytes (corpus.offsets: bytes) (offset 19)",
		mended: format.Options{Offsets: "bytes"},
	},
	{
		what:  "the text has become NFC",
		files: file("110-04.xml", i2b2Note("Zoë Vance – seen by Dr. Amundsen.", doctor(25, 33, "Amundsen"))),
		want:  "110-04.xml:5: a tag's text differs from the note at its offsets, in code points: all annotations of the text fit if the text is in Unicode's form NFD, in which é is two characters: it was probably changed after the annotation (offset 25)",
	},
	{
		what:  "references count as they are written",
		files: file("110-04.xml", i2b2Note("R&D. Seen by Dr. Amundsen.", doctor(21, 29, "Amundsen"))),
		want:  "110-04.xml:5: the span [21,29) lies beyond the text of 26 code points: all annotations of the text fit if &, < and > count as &amp;, &lt; and &gt;: the offsets were probably taken from the XML or HTML source (offset 21)",
	},
	{
		what:  "truncated",
		files: file("110-04.xml", i2b2Note("Seen by Dr. Amundsen.", doctor(12, 20, "Amundsen"))[:150]),
		want:  "110-04.xml:5: not well-formed XML: the file ends too early, and is probably truncated",
	},
	{
		what:  "a type in lower case",
		files: file("110-04.xml", i2b2Note("Seen by Dr. Amundsen.", `<NAME id="P0" start="12" end="20" text="Amundsen" TYPE="doctor" comment="" />`+"\n")),
		want:  "110-04.xml:5: the type doctor is not in the type set i2b2-2014, which has DOCTOR",
	},
	{
		what:  "a type of another category",
		files: file("110-04.xml", i2b2Note("Seen by Dr. Amundsen.", `<LOCATION id="P0" start="12" end="20" text="Amundsen" TYPE="DOCTOR" comment="" />`+"\n")),
		want:  "110-04.xml:5: a tag's element is not NAME, the category of its TYPE DOCTOR",
	},
	{
		what:  "zero width",
		files: file("110-04.xml", i2b2Note("Seen by Dr. Amundsen.", doctor(12, 12, ""))),
		want:  "110-04.xml:5: the span [12,12) of code points is empty (offset 12)",
	},
	{
		what:  "Latin-1",
		files: file("110-04.xml", i2b2Note("Zo\xEB Vance was seen.", "")),
		want:  "110-04.xml:3: invalid UTF-8: convert the file to UTF-8, probably from Latin-1 or Windows-1252 (offset 68)",
	},
	{
		what:  "a NUL byte",
		files: file("110-04.xml", i2b2Note("Seen by\x00 Dr. Amundsen.", "")),
		want:  "110-04.xml:3: XML does not allow the character U+0000 (offset 73)",
	},
	{
		what:  "notes of i2b2 2006",
		files: file("train.xml", i2b22006Notes(`<RECORD ID="641"><TEXT>Seen by Dr. <PHI TYPE="DOCTOR">Amundsen</PHI>.</TEXT></RECORD>`)),
		want:  "train.xml:2: the root must be one element deIdi2b2 or MEDDOCAN: the format i2b2-2006 reads this file",
	},
	{
		what:  "an ampersand without CDATA",
		files: file("110-04.xml", "<deIdi2b2>\n<TEXT>\nR&D. Seen by Dr. Amundsen.\n</TEXT>\n<TAGS></TAGS>\n</deIdi2b2>\n"),
		want:  "110-04.xml:3: not well-formed XML: an & is written &amp;, and a reference of HTML such as &nbsp; by its number, as in &#160;",
	},
	{
		what:  "an empty file",
		files: file("110-04.xml", ""),
		want:  "110-04.xml:1: no XML element: the file is empty",
	},
	{
		what:  "two files for a note",
		files: map[string]string{"110-04.XML": i2b2Note("Seen by Dr. Amundsen.", ""), "110-04.xml": i2b2Note("Seen by Dr. Amundsen.", "")},
		want:  "110-04.xml: another file in this folder has the same name except for its extension",
	},
	{
		what:  "marks within the text",
		files: file("110-04.xml", "<deIdi2b2>\n<TEXT>\nSeen by Dr. <PHI TYPE=\"DOCTOR\">Amundsen</PHI>.\n</TEXT>\n</deIdi2b2>\n"),
		want:  "110-04.xml:3: an element within TEXT: spans are in TAGS, and a < of the note is written &lt; (the format i2b2-2006 has PHI within TEXT)",
	},
	{
		what:  "reversed",
		files: file("110-04.xml", i2b2Note("Seen by Dr. Amundsen.", doctor(20, 12, "Amundsen"))),
		want:  "110-04.xml:5: the span [20,12) of code points is reversed (offset 20)",
	},
	{
		what:  "windows-1252",
		files: file("110-04.xml", "<?xml version=\"1.0\" encoding=\"windows-1252\"?>\n<deIdi2b2>\n<TEXT>Zo\xEB Vance.</TEXT>\n</deIdi2b2>\n"),
		want:  "110-04.xml:1: the declared encoding is not UTF-8, US-ASCII or ISO-8859-1: convert the file to UTF-8, and declare that",
	},
	{
		what:  "TYPE in lower case",
		files: file("110-04.xml", i2b2Note("Seen by Dr. Amundsen.", `<NAME id="P0" start="12" end="20" text="Amundsen" type="DOCTOR" />`+"\n")),
		want:  "110-04.xml:5: a tag without a TYPE: the attribute TYPE, in capitals, is required",
	},
}
