package format_test

import "github.com/lethe-deid/lethe/data/format"

var wrongJSONL = []wrong{
	{
		what:  "ents of spaCy",
		files: file("notes.jsonl", `{"text":"Seen by Dr. Amundsen.","ents":[{"start":12,"end":20,"label":"DOCTOR"}]}`+"\n"),
		want:  `notes.jsonl:1: the key "ents" seems to contain annotations, which are read only from spans, entities, label and labels; the format spacy reads it`,
	},
	{
		what:  "annotations",
		files: file("notes.jsonl", `{"text":"Seen by Dr. Amundsen.","annotations":[{"start":12,"end":20,"label":"DOCTOR"}]}`+"\n"),
		want:  `notes.jsonl:1: the key "annotations" seems to contain annotations, which are read only from spans, entities, label and labels`,
	},
	{
		what:  "ner_tags of Hugging Face",
		files: file("notes.jsonl", `{"id":"0","tokens":["Seen","by","Amundsen"],"ner_tags":["O","O","B-DOCTOR"]}`+"\n"),
		want:  `notes.jsonl:1: the key "ner_tags" seems to contain annotations, which are read only from spans, entities, label and labels; the format hf reads it`,
	},
	{
		what:  "tuples in entities",
		files: file("notes.jsonl", `{"text":"Seen by Dr. Amundsen.","entities":[[12,20,"DOCTOR"]]}`+"\n"),
		want:  `notes.jsonl:1: the key "entities" has a value of the wrong kind: each span is an object (lists such as [12,20,"DOCTOR"] belong under the key label)`,
	},
	{
		what:  "the note has another key",
		files: file("notes.jsonl", `{"note_text":"Seen by Dr. Amundsen.","spans":[]}`+"\n"),
		want:  `notes.jsonl:1: the key "text", which has the note, is missing`,
	},
	{
		what:  "an array in lines",
		files: file("notes.jsonl", "[\n{\"text\":\"Seen by Dr. Amundsen.\",\"spans\":[]}\n]\n"),
		want:  "notes.jsonl:1: a JSON array in several lines, instead of an object in each line: another format, such as labelstudio, or one object a line is required",
	},
	{
		what:  "an object in several lines",
		files: file("notes.jsonl", "{\n  \"text\": \"Seen by Dr. Amundsen.\",\n  \"spans\": []\n}\n"),
		want:  "notes.jsonl:1: not valid JSON: the line ends within the object, because the file is truncated or the object is in several lines, and no other line is a JSON object, of which each must be in one line (offset 1)",
	},
	{
		what:   "UTF-16 units",
		files:  file("notes.jsonl", `{"text":"😀 Seen by Dr. Amundsen.","spans":[{"start":15,"end":23,"type":"DOCTOR","text":"Amundsen"}]}`+"\n"),
		want:   "notes.jsonl:1: span 0: its text differs from the note at its offsets, in code points: all annotations of the text fit if offsets count UTF-16 units as in JavaScript (corpus.offsets: utf-16) (offset 15)",
		mended: format.Options{Offsets: "utf-16"},
	},
	{
		what:   "CR LF counts as one",
		files:  file("notes.jsonl", `{"text":"Admitted.\r\nSeen by Dr. Amundsen.","spans":[{"start":22,"end":30,"type":"DOCTOR","text":"Amundsen"}]}`+"\n"),
		want:   "notes.jsonl:1: span 0: its text differs from the note at its offsets, in code points: all annotations of the text fit if CR LF counts as one (corpus.offsets: code-points+lf) (offset 22)",
		mended: format.Options{Offsets: "code-points+lf"},
	},
	{
		what:  "an unknown type",
		files: file("notes.jsonl", `{"text":"Seen by Dr. Amundsen.","spans":[{"start":12,"end":20,"type":"Physician"}]}`+"\n"),
		want:  "notes.jsonl:1: span 0: the type Physician is not in the type set i2b2-2014",
	},
	{
		what:  "offsets as text",
		files: file("notes.jsonl", `{"text":"Seen by Dr. Amundsen.","spans":[{"start":"12","end":"20","type":"DOCTOR"}]}`+"\n"),
		want:  `notes.jsonl:1: the key "spans.start" has a value of the wrong kind: it must be a whole number, without quotes and without a decimal point`,
	},
	{
		what:  "beyond the text",
		files: file("notes.jsonl", `{"text":"Seen by Dr. Amundsen.","spans":[{"start":112,"end":120,"type":"DOCTOR"}]}`+"\n"),
		want:  "notes.jsonl:1: span 0: the span [112,120) lies beyond the text of 21 code points (offset 112)",
	},
	{
		what:  "an ID twice",
		files: file("notes.jsonl", `{"id":"110-04","text":"Seen.","spans":[]}`+"\n"+`{"id":"110-04","text":"Seen.","spans":[]}`+"\n"),
		want:  "notes.jsonl:2: duplicate id: an earlier line of these files has the same",
	},
	{
		what:  "truncated",
		files: file("notes.jsonl", `{"id":"110-04","text":"Seen.","spans":[]}`+"\n"+`{"id":"110-05","text":"Seen by Dr. Amun`),
		want:  "notes.jsonl:2: not valid JSON: the line ends within the object, because the file is truncated or the object is in several lines (offset 80)",
	},
	{
		what:  "Latin-1",
		files: file("notes.jsonl", "{\"id\":\"110-04\",\"text\":\"Zo\xEB Vance was seen.\",\"spans\":[]}\n"),
		want:  "notes.jsonl:1: invalid UTF-8: convert the file to UTF-8, probably from Latin-1 or Windows-1252 (offset 25)",
	},
	{
		what:  "single quotes of Python",
		files: file("notes.jsonl", `{'text': 'Seen by Dr. Amundsen.', 'spans': []}`+"\n"),
		want:  "notes.jsonl:1: not valid JSON: strings are in double quotes, as json.dumps writes them in Python (offset 1)",
	},
	{
		what:  "an ignored text of Prodigy",
		files: file("notes.jsonl", `{"text":"Seen by Dr. Amundsen.","spans":[],"answer":"ignore"}`+"\n"),
		want:  "notes.jsonl:1: its answer in Prodigy is ignore, so that nobody has annotated it: leave the line out",
	},
	{
		what:  "brat",
		files: map[string]string{"110-04.txt": seen, "110-04.ann": "T1\tDOCTOR 12 20\tAmundsen\n"},
		want:  "CORPUS: the folder holds no .jsonl file: it holds files with the extension .ann, .txt",
	},
	{
		what:  "a raw control character",
		files: file("notes.jsonl", "{\"text\":\"Seen\x00 by Dr. Amundsen.\",\"spans\":[]}\n"),
		want:  `notes.jsonl:1: not valid JSON: a control character in a string must be escaped, as \u0000 is (offset 13)`,
	},
	{
		what:  "the key twice",
		files: file("notes.jsonl", `{"text":"Seen by Dr. Amundsen.","spans":[],"spans":[{"start":12,"end":20,"type":"DOCTOR"}]}`+"\n"),
		want:  `notes.jsonl:1: duplicate key "spans"`,
	},
}
