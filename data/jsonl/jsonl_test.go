package jsonl

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/data"
)

func phi(start, end int, typ string, score float64) data.Span {
	return data.Span{Start: start, End: end, Type: typ, Score: score}
}

func TestDecode(t *testing.T) {
	zoe := phi(3, 7, "PATIENT", 1)
	for what, tc := range map[string]struct {
		line string
		want data.Document
	}{
		"ours":             {`{"id":"110-04","patient":"110","text":"ñ Zoë","spans":[{"start":2,"end":5,"type":"PATIENT","score":0.25}]}`, data.Document{ID: "110-04", Patient: "110", Text: "ñ Zoë", Spans: []data.Span{phi(3, 7, "PATIENT", 0.25)}}},
		"sorted":           {`{"id":"x","text":"ñ Zoë","spans":[{"start":2,"end":5,"type":"PATIENT"},{"start":0,"end":5,"type":"DATE"}]}`, data.Document{ID: "x", Text: "ñ Zoë", Spans: []data.Span{phi(0, 7, "DATE", 1), zoe}}},
		"obi":              {`{"text":"ñ Zoë","meta":{"note_id":"n1","patient_id":"p1"},"spans":[{"id":"0","start":2,"end":5,"label":"PATIENT"}]}`, data.Document{ID: "n1", Patient: "p1", Text: "ñ Zoë", Spans: []data.Span{zoe}}},
		"doccano label":    {`{"id":7,"text":"ñ Zoë","label":[[2,5,"PATIENT"]],"Comments":[]}`, data.Document{ID: "7", Text: "ñ Zoë", Spans: []data.Span{zoe}}},
		"doccano labels":   {`{"id":7,"text":"ñ Zoë","labels":[[2,5,"PATIENT"]]}`, data.Document{ID: "7", Text: "ñ Zoë", Spans: []data.Span{zoe}}},
		"doccano entities": {`{"id":7,"text":"ñ Zoë","entities":[{"id":1,"label":"PATIENT","start_offset":2,"end_offset":5}]}`, data.Document{ID: "7", Text: "ñ Zoë", Spans: []data.Span{zoe}}},
		"text alone":       {`{"text":""}`, data.Document{ID: "f-0002"}},
		"another meta":     {`{"text":"x","meta":"imported"}`, data.Document{ID: "f-0002", Text: "x"}},
		"nulls":            {`{"id":null,"text":"x","spans":null,"label":null,"meta":null}`, data.Document{ID: "f-0002", Text: "x"}},
		"escapes":          {`{"id":"x","text":"\ud83d\ude00 \r\n\\ud800 \u0000 Zoë","spans":[{"start":13,"end":16,"type":"PATIENT"}]}`, data.Document{ID: "x", Text: "😀 \r\n\\ud800 \x00 Zoë", Spans: []data.Span{phi(16, 20, "PATIENT", 1)}}},
		"U+FEFF in text":   {"{\"id\":\"x\",\"text\":\"\uFEFFZoë\",\"spans\":[{\"start\":1,\"end\":4,\"type\":\"PATIENT\"}]}", data.Document{ID: "x", Text: "\uFEFFZoë", Spans: []data.Span{phi(3, 7, "PATIENT", 1)}}},
	} {
		t.Run(what, func(t *testing.T) {
			got, err := data.Collect(Decode(strings.NewReader("\uFEFF \r\n"+tc.line), "f.jsonl", data.ReadOptions{Types: data.I2B2}))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]*data.Document{&tc.want}, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A defect invalidates only its own line.
func TestDecodeErrors(t *testing.T) {
	spans := func(s string) string { return `{"text":"Zebulon","spans":[` + s + `]}` }
	for what, tc := range map[string]struct{ line, want string }{
		"cut off":         {`{"text":"Zebulon`, "f.jsonl:3: not valid JSON: the line ends within the object, because the file is truncated or the object is in several lines (offset 42)"},
		"no JSON":         {`Zebulon`, "f.jsonl:3: not valid JSON (offset 26)"},
		"two objects":     {`{"text":"Z"}{"text":"Z"}`, "f.jsonl:3: not valid JSON (offset 38)"},
		"an array":        {`["Zebulon"]`, "f.jsonl:3: not a JSON object"},
		"no text":         {`{"id":"Zebulon"}`, `f.jsonl:3: the key "text", which has the note, is missing`},
		"null":            {`null`, `f.jsonl:3: the key "text", which has the note, is missing`},
		"text is a list":  {`{"text":["Zebulon"]}`, `f.jsonl:3: the key "text" has a value of the wrong kind: it must be a string`},
		"id is a list":    {`{"id":["Zebulon"],"text":""}`, "f.jsonl:3: an id or patient is neither a string nor a number"},
		"id twice":        {`{"id":"first","text":""}`, "f.jsonl:3: duplicate id: an earlier line of these files has the same"},
		"invalid UTF-8":   {"{\"text\":\"\xf1\"}", "f.jsonl:3: invalid UTF-8: convert the file to UTF-8, probably from Latin-1 or Windows-1252 (offset 35)"},
		"half a pair":     {`{"text":"Zebulon\ud83d\u0041"}`, "f.jsonl:3: half of a surrogate pair: a character was probably cut in two (offset 42)"},
		"second half":     {`{"text":"Zebulon\ude00"}`, "f.jsonl:3: half of a surrogate pair: a character was probably cut in two (offset 42)"},
		"half at the end": {`{"text":"Zebulon\ud83d"}`, "f.jsonl:3: half of a surrogate pair: a character was probably cut in two (offset 42)"},
		"type":            {spans(`{"start":0,"end":7,"type":"Zebulon"}`), "f.jsonl:3: span 0: the type Zebulon is not in the type set i2b2-2014"},
		"no type":         {spans(`{"start":0,"end":7}`), "f.jsonl:3: span 0: the type is missing"},
		"no end":          {spans(`{"start":0,"type":"DATE"}`), "f.jsonl:3: span 0: start or end is missing: a span has the keys start and end, or start_offset and end_offset"},
		"start a string":  {spans(`{"start":"Zebulon","end":7,"type":"DATE"}`), `f.jsonl:3: the key "spans.start" has a value of the wrong kind: it must be a whole number, without quotes and without a decimal point`},
		"half a start":    {spans(`{"start":0.5,"end":7,"type":"DATE"}`), `f.jsonl:3: the key "spans.start" has a value of the wrong kind: it must be a whole number, without quotes and without a decimal point`},
		"beyond the text": {spans(`{"start":0,"end":1,"type":"DATE"},{"start":2,"end":8,"type":"DATE"}`), "f.jsonl:3: span 1: the span [2,8) lies beyond the text of 7 code points (offset 2)"},
		"negative":        {spans(`{"start":-1,"end":7,"type":"DATE"}`), "f.jsonl:3: span 0: the span [-1,7) lies beyond the text of 7 code points"},
		"reversed":        {spans(`{"start":3,"end":2,"type":"DATE"}`), "f.jsonl:3: span 0: the span [3,2) of code points is reversed (offset 3)"},
		"empty":           {spans(`{"start":3,"end":3,"type":"DATE"}`), "f.jsonl:3: span 0: the span [3,3) of code points is empty (offset 3)"},
		"score":           {spans(`{"start":0,"end":7,"type":"DATE","score":1.5}`), "f.jsonl:3: span 0: a span's score is not in [0,1]"},
		"another text":    {spans(`{"start":0,"end":7,"type":"DATE","text":"Zebulo"}`), "f.jsonl:3: span 0: its text differs from the note at its offsets, in code points (offset 0)"},
		"spans an object": {`{"text":"x","spans":{"start":0,"end":1,"type":"DATE"}}`, `f.jsonl:3: the key "spans" has a value of the wrong kind: each span is an object (lists such as [12,20,"DOCTOR"] belong under the key label)`},
		"tuples":          {`{"text":"x","entities":[[0,1,"DATE"]]}`, `f.jsonl:3: the key "entities" has a value of the wrong kind: each span is an object (lists such as [12,20,"DOCTOR"] belong under the key label)`},
		"class label":     {`{"text":"x","label":["Zebulon"]}`, "f.jsonl:3: a label is not [start, end, type]"},
		"short label":     {`{"text":"x","label":[[0,1]]}`, "f.jsonl:3: a label is not [start, end, type]"},
		"label order":     {`{"text":"x","labels":[["Zebulon",0,1]]}`, "f.jsonl:3: a label is not [start, end, type]"},
	} {
		t.Run(what, func(t *testing.T) {
			file := `{"id":"first","text":""}` + "\n\n" + tc.line + "\n" + `{"id":"last","text":""}`
			var got []string
			for doc, err := range Decode(strings.NewReader(file), "f.jsonl", data.ReadOptions{Types: data.I2B2}) {
				if err != nil {
					got = append(got, err.Error())
					continue
				}
				got = append(got, doc.ID)
			}
			if diff := cmp.Diff([]string{"first", tc.want, "last"}, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A file of another format yields one error, not one per line.
func TestNotJSONLines(t *testing.T) {
	for what, tc := range map[string]struct{ file, want string }{
		"an array":      {"[\n  {\n    \"text\": \"Zebulon\"\n  }\n]\n", "f.json:1: a JSON array in several lines, instead of an object in each line: another format, such as labelstudio, or one object a line is required"},
		"in one line":   {`[{"text":"Zebulon"}]`, "f.json:1: not a JSON object"},
		"plain text":    {"\nZebulon\n17\n", "f.json:2: not valid JSON, and no other line is a JSON object, of which each must be in one line (offset 1)"},
		"UTF-16, say":   {"\xff\xfe{\n\x00", "f.json:1: invalid UTF-8: convert the file to UTF-8, probably from UTF-16, and no other line is a JSON object, of which each must be in one line (offset 0)"},
		"no line ended": {`{"text":"Zebulon`, "f.json:1: not valid JSON: the line ends within the object, because the file is truncated or the object is in several lines (offset 15)"},
	} {
		t.Run(what, func(t *testing.T) {
			if diff := cmp.Diff([]string{tc.want}, items(tc.file)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A bad first line used to invalidate the whole file, counted as a single note,
// while the same line in second place invalidated only itself.
func TestBadFirstLineCostsOnlyItself(t *testing.T) {
	got := items("{\"text\":\"Zebulon\n\"Zebulon\"\n{\"id\":\"a\",\"text\":\"x\"}\n{\n{\"id\":\"b\",\"text\":\"y\"}\n")
	want := []string{"f.json:1: not valid JSON: the line ends within the object, because the file is truncated or the object is in several lines (offset 16)", "f.json:2: not a JSON object", "a", "f.json:4: not valid JSON: the line ends within the object, because the file is truncated or the object is in several lines (offset 50)", "b"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for range Decode(strings.NewReader("[\n[\n{\"text\":\"x\"}\n"), "f.json", data.ReadOptions{Types: data.Any}) {
		break // must not be asked again
	}
}

// items reads a file and returns its IDs and errors.
func items(file string) (got []string) {
	for doc, err := range Decode(strings.NewReader(file), "f.json", data.ReadOptions{Types: data.I2B2}) {
		if err != nil {
			got = append(got, err.Error())
			continue
		}
		got = append(got, doc.ID)
	}
	return got
}

func TestEncode(t *testing.T) {
	doc := &data.Document{ID: "110-04", Patient: "110", Text: "<ñ>\n\u2028\x00 Zoë", Spans: []data.Span{phi(10, 14, "PATIENT", 0.5), phi(0, 4, "DATE", 1)}}
	got, err := encode(doc)
	want := `{"id":"110-04","patient":"110","text":"<ñ>\n\u2028\u0000 Zoë","spans":[{"start":0,"end":3,"type":"DATE"},{"start":7,"end":10,"type":"PATIENT","score":0.5}]}` + "\n"
	if err != nil || string(got) != want {
		t.Errorf("encode: %v\n%s want\n%s", err, got, want)
	}
	if got, err := encode(&data.Document{ID: "x"}); err != nil || string(got) != `{"id":"x","text":"","spans":[]}`+"\n" {
		t.Errorf("encode: %s, %v", got, err)
	}
	for _, score := range []float64{-0.1, 1.1, math.NaN()} {
		if _, err := encode(&data.Document{ID: "x", Text: "x", Spans: []data.Span{phi(0, 1, "DATE", score)}}); err == nil {
			t.Errorf("score %v: no error", score)
		}
	}
	if _, err := encode(&data.Document{ID: "\xff"}); err == nil {
		t.Error("an id that is not UTF-8: no error")
	}
}

// Annotations under a key that is not read used to make a note free of PHI.
func TestMarksUnderAnotherKeyAreRefused(t *testing.T) {
	for what, members := range map[string]string{
		"spaCy":                  `"ents":[{"start":0,"end":7,"label":"X"}]`,
		"spaCy, no label":        `"found":[{"start":0,"end":7}]`,
		"whatever the shape":     `"annotations":"X"`,
		"in any case":            `"Named_Entities":["X"]`,
		"tuples":                 `"x":[[0,7,"X"]]`,
		"label first":            `"x":[["X",0,7]]`,
		"pairs by label":         `"x":{"X":[[0,7]]}`,
		"one tuple":              `"x":[0,7,"X"]`,
		"one object":             `"x":{"from":0,"to":7,"label":"X"}`,
		"Label Studio":           `"x":[{"result":[{"value":{"start":0,"end":7,"labels":["X"]}}]}]`,
		"Azure":                  `"x":[{"offset":0,"length":7,"category":"X"}]`,
		"AWS":                    `"x":[{"BeginOffset":0,"EndOffset":7}]`,
		"offsets as text":        `"x":[{"start_char":"0","endChar":"7"}]`,
		"offsets as floats":      `"x":[{"start":0.0,"end":7e0}]`,
		"BigBio":                 `"x":[{"offsets":[[0,7]],"type":"X"}]`,
		"labels of tokens":       `"tokens":["Zebulon"],"x":["B-X","O"]`,
		"numbers of labels":      `"tokens":["Zebulon"],"ner_tags":[1]`,
		"in a sentence":          `"sents":[{"start":0,"end":7,"x":[{"start":0,"end":7}]}]`,
		"in meta":                `"meta":{"x":[{"start":0,"end":7}]}`,
		"beside an empty list":   `"spans":[],"x":[{"start":0,"end":7}]`,
		"the second of two keys": `"x":1,"x":[{"start":0,"end":7}]`,
	} {
		got := items(`{"text":"Zebulon",` + members + "}\n")
		if len(got) != 1 || !strings.Contains(got[0], " seems to contain annotations, which are read only from spans, entities, label and labels") {
			t.Errorf("%s: %q", what, got)
		}
	}
}

// Texts that an annotator of Prodigy had rejected or ignored were read as notes with or without PHI.
func TestRejectedTextsAreRefused(t *testing.T) {
	for answer, want := range map[string]string{
		"reject": "f.jsonl:1: its answer in Prodigy is reject, so that nobody has annotated it: leave the line out",
		"ignore": "f.jsonl:1: its answer in Prodigy is ignore, so that nobody has annotated it: leave the line out",
	} {
		line := `{"text":"Zebulon","spans":[{"start":0,"end":7,"label":"DATE"}],"answer":"` + answer + `"}`
		if _, err := data.Collect(Decode(strings.NewReader(line), "f.jsonl", data.ReadOptions{Types: data.I2B2})); err == nil || err.Error() != want {
			t.Errorf("%s: %v", answer, err)
		}
	}
}

func TestHarmlessKeys(t *testing.T) {
	for what, members := range map[string]string{
		"Prodigy": `"spans":[{"start":0,"end":7,"label":"DATE","token_start":0,"token_end":0}],"tokens":[{"text":"Zebulon","start":0,"end":7,"id":0,"ws":true}],` +
			`"_input_hash":1,"answer":"accept","relations":[{"head_span":{"start":0,"end":7,"label":"DATE"}}]`,
		"doccano":       `"label":[[0,7,"DATE"]],"Comments":[],"annotation_approver":null`,
		"doccano, new":  `"entities":[{"label":"DATE","start_offset":0,"end_offset":7}],"relations":[{"id":0,"from_id":1,"to_id":2,"type":"x"}]`,
		"spaCy":         `"ents":[],"sents":[{"start":0,"end":7}],"tokens":[{"id":0,"start":0,"end":7,"tag":"NNP"}]`,
		"other numbers": `"admission":{"start":2010,"end":2014},"box":[1,2,3,4],"scores":[[0.25,0.5]],"words":["O"],"letters":["a","b"],"count":2`,
		"a quotation":   `"spans":[{"start":0,"end":7,"type":"DATE","text":"Zebulon"}]`,
	} {
		if diff := cmp.Diff([]string{"a"}, items(`{"id":"a","text":"Zebulon",`+members+"}\n")); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
	}
}

// If a key was given twice, only the second value was read.
func TestKeyGivenTwice(t *testing.T) {
	for _, members := range []string{`"spans":[{"start":0,"end":7,"type":"DATE"}],"spans":[]`, `"spans":[],"SPANS":[]`, `"labels":[],"labels":null`, `"spans":null,"spans":[{"start":0,"end":7,"type":"DATE"}]`,
		`"spans":[{"start":0,"end":7,"type":"DATE"}],"\u017fpans":[]`} {
		got := items(`{"text":"Zebulon",` + members + "}\n")
		if len(got) != 1 || !strings.Contains(got[0], "duplicate key ") {
			t.Errorf("%s: %q", members, got)
		}
	}
	// The same in the columns, in spans and in meta.
	for members, want := range map[string]string{
		`"columns":{"pos":[[0,7,"N"]],"x":[],"pos":[]}`:              `"pos" in "columns"`,
		`"spans":[{"start":0,"end":7,"type":"DATE","Start":1}]`:      `"Start" in "spans/0"`,
		`"entities":[{"start":0,"end":7,"label":"x","end":1}]`:       `"end" in "entities/0"`,
		`"meta":{"note_id":1,"note_id":2}`:                           `"note_id" in "meta"`,
		`"meta":{"note_id":1,"NOTE_ID":2}`:                           `"NOTE_ID" in "meta"`,
		`"tokens":{"` + strings.Repeat("x", 50) + `":1,"a":2,"a":2}`: `"a" in "tokens"`,
		`"x":1,"x":2`: `"x"`,
		`"columns":{"pos":[],"POS":[]},"x":{"a":1,"A":2},"y":["a","a",{"b":"b"},{"b":1}]`: "",
	} {
		got := items(`{"text":"Zebulon",` + members + "}\n")
		if want = "f.json:1: duplicate key " + want; strings.HasSuffix(want, "key ") {
			want = "f-0001"
		}
		if len(got) != 1 || got[0] != want {
			t.Errorf("%s: %q, want %s", members, got, want)
		}
	}
}

// A line of 10,000 equal keys takes time proportional to its length, because each
// key is examined once.
func TestManyEqualKeys(t *testing.T) {
	var keys strings.Builder // below a key of a megabyte, which was read again for each of them
	for i := range 20_000 {
		fmt.Fprintf(&keys, `"%d":1,`, i)
	}
	if got := items(`{"text":"Zebulon","` + strings.Repeat("x", 1<<20) + `":{` + keys.String() + `"x":1}}` + "\n"); len(got) != 1 || got[0] != "f-0001" {
		t.Errorf("%.200q", got)
	}
	if got := items(`{"text":"Zebulon"` + strings.Repeat(`,"x":[1]`, 100_000) + "}\n"); len(got) != 1 || got[0] != `f.json:1: duplicate key "x"` {
		t.Errorf("%q", got)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"id":"110-04","patient":"110","text":"ñ Zoë","spans":[{"start":2,"end":5,"type":"PATIENT","score":0.25}]}` + "\n\n" + `{"text":"\ud83d\ude00"}`))
	f.Add([]byte(`{"text":"ñ Zoë","meta":{"note_id":1},"spans":[{"start":2,"end":5,"label":"X"}]}`))
	f.Add([]byte(`{"id":7,"text":"ñ Zoë","label":[[2,5,"X"]],"entities":[{"label":"X","start_offset":0,"end_offset":1}]}`))
	f.Add([]byte(`{"text":"ñ Zoë","columns":{"pos":[[0,1,"X"],[2,5,7]],"none":[]}}`))
	types := data.Any
	f.Fuzz(func(t *testing.T, raw []byte) {
		for doc, err := range Decode(bytes.NewReader(raw), "f.jsonl", data.ReadOptions{Types: types}) {
			if err != nil {
				if _, ok := errors.AsType[*data.Error](err); !ok {
					t.Fatalf("the error is a %T", err)
				}
				continue
			}
			if err := doc.Check(); err != nil {
				t.Fatal(err)
			}
			again, err := encode(doc)
			if err != nil {
				t.Fatal(err)
			}
			got, err := data.Collect(Decode(bytes.NewReader(again), "g.jsonl", data.ReadOptions{Types: types}))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]*data.Document{doc}, got); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}

func TestWrongColumns(t *testing.T) {
	for value, want := range map[string]string{
		`{"pos":[[0,1]]}`:             "f.json:1: a value of a column is not [start, end, value], with a string or number that is not empty",
		`{"pos":[[0,1,""]]}`:          "f.json:1: a value of a column is not [start, end, value], with a string or number that is not empty",
		`{"pos":[[0,1,["X"]]]}`:       "f.json:1: a value of a column is not [start, end, value], with a string or number that is not empty",
		`{"pos":[[0,1,"X"],[2,9,1]]}`: `f.json:1: the column "pos": value 1: `,
		`[["pos"]]`:                   `f.json:1: the key "columns" has a value of the wrong kind`,
	} {
		if got := items(`{"text":"Zebulon","columns":` + value + "}\n"); len(got) != 1 || !strings.HasPrefix(got[0], want) {
			t.Errorf("%s: %q", value, got)
		}
	}
}
