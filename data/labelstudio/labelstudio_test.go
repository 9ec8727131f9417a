package labelstudio

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/data"
)

func phi(start, end int, typ string, score float64) data.Span {
	return data.Span{Start: start, End: end, Type: typ, Score: score}
}

// labels is a region of Zoë in "ñ Zoë".
const labels = `{"id":"a","from_name":"label","to_name":"text","type":"labels","origin":"prediction","score":0.5,"value":{"start":2,"end":5,"text":"Zoë","labels":["PATIENT"]}}`

func tasked(all ...string) string {
	return `"data":{"text":"ñ Zoë"},"drafts":[],"predictions":[37],"annotations":[` + strings.Join(all, ",") + `]`
}

func done(more string, results ...string) string {
	return `{"id":1,"completed_by":1,` + more + `"result":[` + strings.Join(results, ",") + `]}`
}

func TestDecode(t *testing.T) {
	zoe := []data.Span{phi(3, 7, "PATIENT", 1)}
	other := strings.Replace(labels, "PATIENT", "DATE", 1)
	for what, tc := range map[string]struct {
		task string
		want data.Document
	}{
		"exported":            {`"id":7,` + tasked(done(`"was_cancelled":false,`, labels)), data.Document{ID: "7", Text: "ñ Zoë", Spans: zoe}},
		"nothing found":       {`"id":7,` + tasked(done("")), data.Document{ID: "7", Text: "ñ Zoë"}},
		"no id":               {tasked(done("")), data.Document{ID: "f-0001", Text: "ñ Zoë"}},
		"sorted":              {`"id":7,` + tasked(done("", labels, `{"type":"labels","to_name":"text","value":{"start":0,"end":5,"labels":["DATE"]}}`)), data.Document{ID: "7", Text: "ñ Zoë", Spans: []data.Span{phi(0, 7, "DATE", 1), zoe[0]}}},
		"two labels":          {`"id":7,` + tasked(done("", strings.Replace(labels, `["PATIENT"]`, `["PATIENT","DATE"]`, 1))), data.Document{ID: "7", Text: "ñ Zoë", Spans: []data.Span{phi(3, 7, "DATE", 1), zoe[0]}}},
		"one cancelled":       {`"id":7,` + tasked(done(`"was_cancelled":true,`, other), done("", labels)), data.Document{ID: "7", Text: "ñ Zoë", Spans: zoe}},
		"two that agree":      {`"id":7,` + tasked(done("", labels), done("", labels)), data.Document{ID: "7", Text: "ñ Zoë", Spans: zoe}},
		"ground truth":        {`"id":7,` + tasked(done("", other), done(`"ground_truth":true,`, labels)), data.Document{ID: "7", Text: "ñ Zoë", Spans: zoe}},
		"other results":       {`"id":7,` + tasked(done("", `{"type":"choices","to_name":"other","value":{"choices":["x"]}}`, `{"type":"relation","from_id":"a","to_id":"b"}`, labels)), data.Document{ID: "7", Text: "ñ Zoë", Spans: zoe}},
		"ids in the data":     {`"id":7,"data":{"note":"Zoë","note_id":"110-04","patient_id":110},"annotations":[{"result":[]}]`, data.Document{ID: "110-04", Patient: "110", Text: "Zoë"}},
		"other keys for them": {`"id":7,"data":{"text":"Zoë","id":"x","patient":"y"},"annotations":[{"result":[]}]`, data.Document{ID: "x", Patient: "y", Text: "Zoë"}},
		"for import":          {`"data":{"text":"ñ Zoë"},"predictions":[{"result":[` + labels + `]}]`, data.Document{ID: "f-0001", Text: "ñ Zoë", Spans: []data.Span{phi(3, 7, "PATIENT", 0.5)}}},
		"JSON-MIN":            {`"text":"ñ Zoë","note_id":"n","x":[{"y":1}],"id":7,"label":[{"start":2,"end":5,"text":"Zoë","labels":["PATIENT"]}],"annotator":1,"annotation_id":12,"created_at":"2087"`, data.Document{ID: "n", Text: "ñ Zoë", Spans: zoe}},
		"JSON-MIN, none":      {`"body":"ñ Zoë","id":7,"choice":["x"],"annotation_id":12,"created_at":"2087","updated_at":"2087"`, data.Document{ID: "7", Text: "ñ Zoë"}},
		"surrogate pairs":     {`"data":{"text":"\ud83d\ude00 Zoë"},"annotations":[{"result":[` + labels + `]}]`, data.Document{ID: "f-0001", Text: "😀 Zoë", Spans: []data.Span{phi(5, 9, "PATIENT", 1)}}},
	} {
		t.Run(what, func(t *testing.T) {
			got, err := data.Collect(Decode(strings.NewReader("\uFEFF [{"+tc.task+"}]\n"), "f.json", data.ReadOptions{Types: data.I2B2}))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]*data.Document{&tc.want}, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A defect invalidates only its own task.
func TestDecodeErrors(t *testing.T) {
	one := func(value string) string {
		return tasked(done("", `{"type":"labels","to_name":"text","value":`+value+`}`))
	}
	for what, tc := range map[string]struct{ task, want string }{
		"not an object":     {`"Zebulon"`, "it is not an object"},
		"no data":           {`{"id":7}`, `its data has no key "text", and 0 other strings instead of one: name the key of the note "text"`},
		"two strings":       {`{"data":{"a":"Zebulon","b":"Zebulon"},"annotations":[]}`, `its data has no key "text", and 2 other strings instead of one: name the key of the note "text"`},
		"text is a number":  {`{"data":{"text":7},"annotations":[]}`, "its text is not a string"},
		"data is a list":    {`{"data":["Zebulon"]}`, "a value is missing or has the wrong kind"},
		"not annotated":     {`{` + tasked() + `}`, "nobody has annotated it, or everybody has cancelled: annotate it, or leave it out"},
		"all cancelled":     {`{` + tasked(done(`"was_cancelled":true,`, labels)) + `}`, "nobody has annotated it, or everybody has cancelled: annotate it, or leave it out"},
		"no predictions":    {`{"data":{"text":"Zebulon"}}`, "nobody has annotated it: it has no annotations, and 0 predictions instead of one"},
		"a number of one":   {`{"data":{"text":"Zebulon"},"predictions":[37]}`, "a value is missing or has the wrong kind"},
		"different":         {`{` + tasked(done("", labels), done("")) + `}`, "it has 2 annotations that differ, and not one of them is marked as ground truth: mark one in Label Studio"},
		"two truths":        {`{` + tasked(done(`"ground_truth":true,`, labels), done(`"ground_truth":true,`)) + `}`, "it has 2 annotations that differ, and not one of them is marked as ground truth: mark one in Label Studio"},
		"hypertext":         {`{` + tasked(done("", `{"type":"hypertextlabels","value":{"start":"/p[1]","end":"/p[1]"}}`)) + `}`, "result 0: it is not of the type labels (regions of HyperText and Paragraphs have no offsets into a text)"},
		"two texts":         {`{` + tasked(done("", labels, strings.Replace(labels, `"to_name":"text"`, `"to_name":"Zebulon"`, 1))) + `}`, "result 1: it is about a second text"},
		"no label":          {`{` + one(`{"start":0,"end":1,"labels":[]}`) + `}`, "result 0: the region has no label"},
		"label":             {`{` + one(`{"start":0,"end":1,"labels":["Zebulon"]}`) + `}`, "result 0: the type Zebulon is not in the type set i2b2-2014"},
		"no end":            {`{` + one(`{"start":0,"labels":["DATE"]}`) + `}`, "result 0: start, end or labels is missing or has the wrong kind: start and end are whole numbers, and labels is a list of strings"},
		"no value":          {`{` + tasked(done("", `{"type":"labels"}`)) + `}`, "result 0: start, end or labels is missing or has the wrong kind: start and end are whole numbers, and labels is a list of strings"},
		"beyond the text":   {`{` + one(`{"start":0,"end":6,"labels":["DATE"]}`) + `}`, "result 0: the span [0,6) lies beyond the text of 5 code points"},
		"empty":             {`{` + one(`{"start":2,"end":2,"labels":["DATE"]}`) + `}`, "result 0: the span [2,2) of code points is empty"},
		"another text":      {`{` + one(`{"start":2,"end":5,"text":"Zebulon","labels":["DATE"]}`) + `}`, "result 0: its text differs from the note at its offsets, in code points"},
		"score":             {`{"data":{"text":"ñ Zoë"},"predictions":[{"result":[` + strings.Replace(labels, "0.5", "1.5", 1) + `]}]}`, "result 0: its score is not in [0,1]"},
		"duplicate key":     {`{"id":7,"data":{"text":"x","text":"y"}}`, ""},
		"duplicate id":      {`{"id":1,"data":{"text":"x"},"annotations":[{"result":[]}]}`, "duplicate id: an earlier task has the same, as in JSON-MIN if a task has several annotations"},
		"JSON-MIN, nobody":  {`{"text":"x","id":7,"annotation_id":null}`, "nobody has annotated it (it has no annotation_id)"},
		"JSON-MIN, label":   {`{"text":"x","id":7,"annotation_id":3,"a":[{"start":0,"end":1}]}`, "region 0: the region has no label"},
		"JSON-MIN, strings": {`{"text":"x","id":7,"annotation_id":3,"a":[{"start":"/p[1]","end":"/p[1]","hypertextlabels":["DATE"]}]}`, "region 0: start, end or labels is missing or has the wrong kind: start and end are whole numbers, and labels is a list of strings"},
	} {
		t.Run(what, func(t *testing.T) {
			first := `[{"id":1,"data":{"text":"x"},"annotations":[{"result":[]}]},`
			file := first + tc.task + `,{"id":2,"data":{"text":"x"},"annotations":[{"result":[]}]}]`
			var got []string
			for doc, err := range Decode(strings.NewReader(file), "f.json", data.ReadOptions{Types: data.I2B2}) {
				if err != nil {
					got = append(got, err.Error())
					continue
				}
				got = append(got, doc.ID)
			}
			want := []string{"1", "f.json:1: task 2: " + tc.want + " (offset 60)", "2"}
			if tc.want == "" {
				want = []string{"1", `f.json:1: duplicate key "text" in "data" (offset 87)`}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestNotTasks(t *testing.T) {
	for file, want := range map[string]string{
		"":                         "not a JSON array of tasks: the file is empty (offset 0)",
		`{"data":{}}`:              "not a JSON array of tasks: it begins with an object, as JSON Lines do (offset 0)",
		`Zebulon`:                  "not a JSON array of tasks (offset 0)",
		"[":                        "not valid JSON: the file ends too early, and is probably truncated (offset 1)",
		`["Zebulon`:                "not valid JSON: the file ends too early, and is probably truncated (offset 9)",
		"[]\n]":                    "something follows the array of tasks: the file was probably put together of two (offset 2)",
		"[] {}":                    "something follows the array of tasks: the file was probably put together of two (offset 4)",
		"[\"Zebulon\xff\"]":        "not valid JSON: invalid UTF-8; convert the file to UTF-8 (offset 9)",
		`["Zebulon\ud83d"]`:        "not valid JSON: half of a surrogate pair; a character was probably cut in two (offset 9)",
		strings.Repeat("[", 20000): "not valid JSON (offset 10000)",
	} {
		var got []string
		for _, err := range Decode(strings.NewReader(file), "f.json", data.ReadOptions{Types: data.Any}) {
			got = append(got, err.Error())
		}
		if diff := cmp.Diff([]string{"f.json:1: " + want}, got); diff != "" {
			t.Errorf("%.20s: %s", file, diff)
		}
	}
	if docs, err := data.Collect(Decode(strings.NewReader(" [ ] "), "f.json", data.ReadOptions{Types: data.Any})); err != nil || docs != nil {
		t.Errorf("an empty array: %v, %v", docs, err)
	}
}

func TestCreate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tasks.json")
	docs := []*data.Document{
		{ID: "110-04", Patient: "110", Text: "😀 Zoë\r\n\"Lund\" <b>", Spans: []data.Span{phi(5, 9, "PATIENT", 0.25), phi(12, 16, "DATE", 1)}},
		{ID: "b", Text: ""},
	}
	w, err := Create(path, data.I2B2)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(&data.Document{ID: "c", Text: "x", Spans: []data.Span{phi(0, 1, "DATE", 2)}}); err == nil || !strings.Contains(err.Error(), "score is not in [0,1]") {
		t.Errorf("score: %v", err)
	}
	if err := errors.Join(w.Write(docs[0]), w.Write(docs[1]), w.Close()); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	for doc, err := range Read(path, data.ReadOptions{Types: data.I2B2}) {
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(docs[0], doc); diff != "" {
			t.Error(diff)
		}
		docs = docs[1:]
		line, _ := encode(doc)
		b.Write(append(line, '\n'))
	}
	const want = `{"data":{"text":"😀 Zoë\r\n\"Lund\" <b>","note_id":"110-04","patient_id":"110"},"predictions":[{"model_version":"lethe","score":0.25,"result":[` +
		`{"id":"lethe-1","from_name":"label","to_name":"text","type":"labels","score":0.25,"value":{"start":2,"end":5,"text":"Zoë","labels":["PATIENT"]}},` +
		`{"id":"lethe-2","from_name":"label","to_name":"text","type":"labels","score":1,"value":{"start":8,"end":12,"text":"Lund","labels":["DATE"]}}]}]}` + "\n" +
		`{"data":{"text":"","note_id":"b"},"predictions":[{"model_version":"lethe","score":1,"result":[]}]}` + "\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
	if err := json.Unmarshal(bytes.TrimSpace([]byte("["+strings.ReplaceAll(strings.TrimSpace(want), "\n", ",")+"]")), new([]any)); err != nil {
		t.Error(err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`[{"id":7,` + tasked(done("", labels)) + `},{"data":{"text":"ñ Zoë"},"predictions":[{"result":[` + labels + `]}]}]`))
	f.Add([]byte(`[{"text":"ñ Zoë","id":7,"label":[{"start":2,"end":5,"text":"Zoë","labels":["PATIENT"]}],"annotation_id":12}]`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		for doc, err := range Decode(bytes.NewReader(raw), "f.json", data.ReadOptions{Types: data.Any}) {
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
			got, err := data.Collect(Decode(strings.NewReader("["+string(again)+"]"), "g.json", data.ReadOptions{Types: data.Any}))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]*data.Document{doc}, got); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}
