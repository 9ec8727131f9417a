package format_test

// i2b22006Notes returns a file of records.
func i2b22006Notes(records string) string {
	return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ROOT>\n" + records + "\n</ROOT>\n"
}

const goodRecord = "<RECORD ID=\"641\">\n<TEXT>\nSeen by Dr. <PHI TYPE=\"DOCTOR\">Amundsen</PHI>.\n</TEXT>\n</RECORD>\n"

var wrongI2B22006 = []wrong{
	{
		what:  "a record twice",
		files: file("train.xml", i2b22006Notes(goodRecord+goodRecord)),
		want:  "train.xml:8: record no. 2: duplicate ID: an earlier record of these files has the same",
	},
	{
		what:  "a type of i2b2 2014",
		files: file("train.xml", i2b22006Notes("<RECORD ID=\"641\">\n<TEXT>\nRecord <PHI TYPE=\"MEDICALRECORD\">4711</PHI>.\n</TEXT>\n</RECORD>")),
		want:  "train.xml:5: record no. 1: the type MEDICALRECORD is not in the type set i2b2-2006",
	},
	{
		what:  "a type in lower case",
		files: file("train.xml", i2b22006Notes("<RECORD ID=\"641\">\n<TEXT>\nDr. <PHI TYPE=\"doctor\">Amundsen</PHI>.\n</TEXT>\n</RECORD>")),
		want:  "train.xml:5: record no. 1: the type doctor is not in the type set i2b2-2006, which has DOCTOR",
	},
	{
		what:  "type for TYPE",
		files: file("train.xml", i2b22006Notes("<RECORD ID=\"641\">\n<TEXT>\nDr. <PHI type=\"DOCTOR\">Amundsen</PHI>.\n</TEXT>\n</RECORD>")),
		want:  "train.xml:5: record no. 1: a PHI without a TYPE: the attribute TYPE, in capitals, is required",
	},
	{
		what:  "a PHI in a PHI",
		files: file("train.xml", i2b22006Notes("<RECORD ID=\"641\">\n<TEXT>\n<PHI TYPE=\"HOSPITAL\"><PHI TYPE=\"DOCTOR\">Vance</PHI> Clinic</PHI>.\n</TEXT>\n</RECORD>")),
		want:  "train.xml:5: record no. 1: a PHI within another: keep one of them, because the format has no nested spans",
	},
	{
		what:  "a PHI without text",
		files: file("train.xml", i2b22006Notes("<RECORD ID=\"641\">\n<TEXT>\nDr. <PHI TYPE=\"DOCTOR\"></PHI>.\n</TEXT>\n</RECORD>")),
		want:  "train.xml:5: record no. 1: a PHI without text: leave it out",
	},
	{
		what:  "a PHI is not closed",
		files: file("train.xml", i2b22006Notes("<RECORD ID=\"641\">\n<TEXT>\nDr. <PHI TYPE=\"DOCTOR\">Amundsen.\n</TEXT>\n</RECORD>")),
		want:  "train.xml:6: not well-formed XML: an end tag does not match the last tag that is open",
	},
	{
		what:  "tags that are named by type",
		files: file("train.xml", i2b22006Notes("<RECORD ID=\"641\">\n<TEXT>\nDr. <DOCTOR>Amundsen</DOCTOR>.\n</TEXT>\n</RECORD>")),
		want:  `train.xml:5: record no. 1: an element other than PHI within TEXT: a span is written <PHI TYPE="DOCTOR">, and a < of the note &lt;`,
	},
	{
		what:  "id for ID",
		files: file("train.xml", i2b22006Notes("<RECORD id=\"641\">\n<TEXT>\nSeen by Dr. Amundsen.\n</TEXT>\n</RECORD>")),
		want:  "train.xml:3: record no. 1: a RECORD without an ID: the attribute ID, in capitals, is required",
	},
	{
		what:  "the note is not in TEXT",
		files: file("train.xml", i2b22006Notes("<RECORD ID=\"641\">\nSeen by Dr. <PHI TYPE=\"DOCTOR\">Amundsen</PHI>.\n</RECORD>")),
		want:  "train.xml:4: record no. 1: text outside of TEXT",
	},
	{
		what:  "truncated",
		files: file("train.xml", i2b22006Notes(goodRecord)[:130]),
		want:  "train.xml:7: not well-formed XML: the file ends too early, and is probably truncated",
	},
	{
		what:  "an ampersand",
		files: file("train.xml", i2b22006Notes("<RECORD ID=\"641\">\n<TEXT>\nR&D. Seen by Dr. Amundsen.\n</TEXT>\n</RECORD>")),
		want:  "train.xml:5: not well-formed XML: an & is written &amp;, and a reference of HTML such as &nbsp; by its number, as in &#160;",
	},
	{
		what:  "less than",
		files: file("train.xml", i2b22006Notes("<RECORD ID=\"641\">\n<TEXT>\nPotassium < 3.5. Seen by Dr. Amundsen.\n</TEXT>\n</RECORD>")),
		want:  "train.xml:5: not well-formed XML: a < that begins no tag is written &lt;",
	},
	{
		what:  "Latin-1",
		files: file("train.xml", i2b22006Notes("<RECORD ID=\"641\">\n<TEXT>\nZo\xEB Vance was seen.\n</TEXT>\n</RECORD>")),
		want:  "train.xml:5: invalid UTF-8: convert the file to UTF-8, probably from Latin-1 or Windows-1252 (offset 73)",
	},
	{
		what:  "a form feed",
		files: file("train.xml", i2b22006Notes("<RECORD ID=\"641\">\n<TEXT>\nSeen by Dr. Amundsen.\f\n</TEXT>\n</RECORD>")),
		want:  "train.xml:5: XML does not allow the character U+000C (offset 92)",
	},
	{
		what:  "a note of i2b2 2014",
		files: file("110-04.xml", i2b2Note("Seen by Dr. Amundsen.", doctor(12, 20, "Amundsen"))),
		want:  "110-04.xml:2: the root must be one element ROOT: the format i2b2 reads this file",
	},
	{
		what:  "records without a root",
		files: file("train.xml", goodRecord+goodRecord),
		want:  "train.xml:1: the root must be one element ROOT: put <ROOT> before the first RECORD, and </ROOT> after the last",
	},
	{
		what:  "two files written one after another",
		files: file("train.xml", "<ROOT>\n"+goodRecord+"</ROOT>\n<ROOT>\n</ROOT>\n"),
		want:  "train.xml:8: the root must be one element ROOT: the file was probably put together of two",
	},
	{
		what:  "plain text",
		files: file("train.xml", "Seen by Dr. Amundsen.\n"),
		want:  "train.xml:1: text outside of TEXT: the file does not begin as XML, and is in another format",
	},
	{
		what:  "the files have another extension",
		files: file("train.sgml", i2b22006Notes(goodRecord)),
		want:  "CORPUS: the folder holds no .xml file: it holds files with the extension .sgml",
	},
}
