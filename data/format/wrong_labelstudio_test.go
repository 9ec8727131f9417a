package format_test

import "github.com/lethe-deid/lethe/data/format"

// tasks returns an export with the results of one task's annotation, which are about a text.
func tasks(text, results string) string {
	return `[{"id":7,"data":{"text":"` + text + `"},"annotations":[{"result":[` + results + `]}]}]` + "\n"
}

// region returns a result.
func region(value string) string {
	return `{"type":"labels","from_name":"label","to_name":"text","value":{` + value + `}}`
}

var wrongLabelStudio = []wrong{
	{
		what:   "UTF-16 units",
		files:  file("export.json", tasks("😀 Seen by Dr. Amundsen.", region(`"start":15,"end":23,"text":"Amundsen","labels":["DOCTOR"]`))),
		want:   "export.json:1: task 1: result 0: its text differs from the note at its offsets, in code points: all annotations of the text fit if offsets count UTF-16 units as in JavaScript (corpus.offsets: utf-16) (offset 1)",
		mended: format.Options{Offsets: "utf-16"},
	},
	{
		what:   "CR LF counts as one, in JSON-MIN",
		files:  file("export.json", `[{"id":7,"text":"Admitted.\r\nSeen by Dr. Amundsen.","label":[{"start":22,"end":30,"text":"Amundsen","labels":["DOCTOR"]}],"annotation_id":12}]`),
		want:   "export.json:1: task 1: region 0: its text differs from the note at its offsets, in code points: all annotations of the text fit if CR LF counts as one (corpus.offsets: code-points+lf) (offset 1)",
		mended: format.Options{Offsets: "code-points+lf"},
	},
	{
		what:  "an unknown type",
		files: file("export.json", tasks("Seen by Dr. Amundsen.", region(`"start":12,"end":20,"labels":["Physician"]`))),
		want:  "export.json:1: task 1: result 0: the type Physician is not in the type set i2b2-2014 (offset 1)",
	},
	{
		what:  "a type with a blank",
		files: file("export.json", tasks("Seen by Dr. Amundsen.", region(`"start":12,"end":20,"labels":["Treating doctor"]`))),
		want:  "export.json:1: task 1: result 0: the type is not in the type set i2b2-2014, nor a possible type: types have letters, digits, _, - and ., and begin with a letter (offset 1)",
	},
	{
		what:  "zero width",
		files: file("export.json", tasks("Seen by Dr. Amundsen.", region(`"start":12,"end":12,"labels":["DOCTOR"]`))),
		want:  "export.json:1: task 1: result 0: the span [12,12) of code points is empty (offset 1)",
	},
	{
		what:  "beyond the text",
		files: file("export.json", tasks("Seen by Dr. Amundsen.", region(`"start":112,"end":120,"text":"Amundsen","labels":["DOCTOR"]`))),
		want:  "export.json:1: task 1: result 0: the span [112,120) lies beyond the text of 21 code points: all annotations of the text fit 100 code points earlier: characters have been removed from the text before the first of them (offset 1)",
	},
	{
		what:  "offsets as text",
		files: file("export.json", tasks("Seen by Dr. Amundsen.", region(`"start":"12","end":"20","labels":["DOCTOR"]`))),
		want:  "export.json:1: task 1: result 0: start, end or labels is missing or has the wrong kind: start and end are whole numbers, and labels is a list of strings (offset 1)",
	},
	{
		what:  "HyperText",
		files: file("export.json", tasks("Seen by Dr. Amundsen.", `{"type":"hypertextlabels","to_name":"text","value":{"start":"/p[1]","end":"/p[1]","startOffset":12,"endOffset":20,"hypertextlabels":["DOCTOR"]}}`)),
		want:  "export.json:1: task 1: result 0: it is not of the type labels (regions of HyperText and Paragraphs have no offsets into a text) (offset 1)",
	},
	{
		what:  "a task that nobody has annotated",
		files: file("export.json", `[{"id":7,"data":{"text":"Seen by Dr. Amundsen."},"annotations":[]}]`),
		want:  "export.json:1: task 1: nobody has annotated it, or everybody has cancelled: annotate it, or leave it out (offset 1)",
	},
	{
		what:  "tasks for import without annotations",
		files: file("export.json", `[{"id":7,"data":{"text":"Seen by Dr. Amundsen."}}]`),
		want:  "export.json:1: task 1: nobody has annotated it: it has no annotations, and 0 predictions instead of one (offset 1)",
	},
	{
		what: "two annotators who differ",
		files: file("export.json", `[{"id":7,"data":{"text":"Seen by Dr. Amundsen."},"annotations":[{"result":[]},{"result":[`+
			region(`"start":12,"end":20,"labels":["DOCTOR"]`)+`]}]}]`),
		want: "export.json:1: task 1: it has 2 annotations that differ, and not one of them is marked as ground truth: mark one in Label Studio (offset 1)",
	},
	{
		what:  "a task twice",
		files: file("export.json", `[{"id":7,"text":"Seen.","annotation_id":12},`+"\n"+`{"id":7,"text":"Seen.","annotation_id":13}]`),
		want:  "export.json:2: task 2: duplicate id: an earlier task has the same, as in JSON-MIN if a task has several annotations (offset 45)",
	},
	{
		what:  "no key text",
		files: file("export.json", `[{"id":7,"data":{"title":"Report","body":"Seen by Dr. Amundsen."},"annotations":[{"result":[]}]}]`),
		want:  `export.json:1: task 1: its data has no key "text", and 2 other strings instead of one: name the key of the note "text" (offset 1)`,
	},
	{
		what:  "JSON Lines",
		files: file("export.json", `{"id":7,"data":{"text":"Seen by Dr. Amundsen."},"annotations":[{"result":[]}]}`+"\n"),
		want:  "export.json:1: not a JSON array of tasks: it begins with an object, as JSON Lines do (offset 0)",
	},
	{
		what:  "truncated",
		files: file("export.json", tasks("Seen by Dr. Amundsen.", region(`"start":12,"end":20,"labels":["DOCTOR"]`))[:120]),
		want:  "export.json:1: not valid JSON: the file ends too early, and is probably truncated (offset 120)",
	},
	{
		what:  "Latin-1",
		files: file("export.json", tasks("Zo\xEB Vance was seen.", "")),
		want:  "export.json:1: not valid JSON: invalid UTF-8; convert the file to UTF-8 (offset 27)",
	},
	{
		what:  "a NUL byte",
		files: file("export.json", tasks("Seen\x00 by Dr. Amundsen.", "")),
		want:  `export.json:1: not valid JSON: a control character in a string must be escaped, as \u0000 is (offset 29)`,
	},
	{
		what:  "two exports one after another",
		files: file("export.json", tasks("Seen by Dr. Amundsen.", "")+tasks("Seen by Dr. Amundsen.", "")),
		want:  "export.json:2: something follows the array of tasks: the file was probably put together of two (offset 82)",
	},
	{
		what:  "an empty file",
		files: file("export.json", ""),
		want:  "export.json:1: not a JSON array of tasks: the file is empty (offset 0)",
	},
	{
		what:  "another extension",
		files: file("export.jsonl", tasks("Seen by Dr. Amundsen.", "")),
		want:  "CORPUS: the folder holds no .json file: it holds files with the extension .jsonl",
	},
}
