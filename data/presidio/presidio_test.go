package presidio

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/shared"
)

func phi(start, end int, typ string) data.Span {
	return data.Span{Start: start, End: end, Type: typ, Score: 1}
}

func outcomes(file string) []string {
	var got []string
	for doc, err := range Decode(strings.NewReader(file), "f.json", data.I2B2) {
		if err != nil {
			got = append(got, err.Error())
			continue
		}
		got = append(got, doc.ID)
	}
	return got
}

func TestDecode(t *testing.T) {
	zoe := []data.Span{phi(5, 9, "PATIENT")}
	const spans = `"spans":[{"entity_type":"PATIENT","entity_value":"Zoë","start_position":2,"end_position":5,"token_start":1}]`
	for file, want := range map[string]*data.Document{
		`[{"full_text":"😀 Zoë","masked":"x","template_id":7,"metadata":null,` + spans + `}]`:           {ID: "f-0001", Text: "😀 Zoë", Spans: zoe},
		"\uFEFF\n" + `[{"full_text":"😀 Zoë","sample_id":4,"metadata":{"patient_id":7},` + spans + `}]`: {ID: "4", Patient: "7", Text: "😀 Zoë", Spans: zoe},
		`[{"full_text":"","metadata":{"note_id":"n","x":[1]},"spans":[]}]`:                             {ID: "n"},
	} {
		got, err := data.Collect(Decode(strings.NewReader(file), "f.json", data.Any))
		if diff := cmp.Diff([]*data.Document{want}, got); err != nil || diff != "" {
			t.Errorf("%s: %v %s", file, err, diff)
		}
	}
}

// A defect invalidates only its own sample, unless the file is no JSON.
func TestDecodeErrors(t *testing.T) {
	one := func(span string) string { return `{"full_text":"Zebulon","spans":[` + span + `]}` }
	for sample, want := range map[string]string{
		`"Zebulon"`:                                      "it is not an object",
		`{"full_text":7,"spans":[]}`:                     "a value has the wrong kind",
		`{"full_text":"Zebulon"}`:                        "full_text or spans is missing",
		`{"text":"Zebulon","spans":[]}`:                  "full_text or spans is missing",
		`{"full_text":"x","spans":null}`:                 "full_text or spans is missing",
		one(`{"entity_type":"DATE","start_position":0}`): "span 0: its type, start or end is missing",
		one(`{"entity_type":"Zebulon","start_position":0,"end_position":1}`):                    "span 0: the type Zebulon is not in the type set i2b2-2014",
		one(`{"entity_type":"DATE","start_position":0,"end_position":8}`):                       "span 0: the span [0,8) lies beyond the text of 7 code points",
		one(`{"entity_type":"DATE","entity_value":"Zebu","start_position":0,"end_position":7}`): "span 0: its value differs from the text at its offsets, in code points",
		`{"full_text":"x","sample_id":1,"spans":[]}`:                                            "duplicate id",
	} {
		file := "[{\"full_text\":\"x\",\"sample_id\":1,\"spans\":[]},\n" + sample + ",\n{\"full_text\":\"x\",\"sample_id\":3,\"spans\":[]}]"
		if diff := cmp.Diff([]string{"1", "f.json:2: sample 2: " + want + " (offset 45)", "3"}, outcomes(file)); diff != "" {
			t.Errorf("%s: %s", sample, diff)
		}
	}
	for file, want := range map[string]string{
		"":                              "f.json:1: not a JSON array of samples: the file is empty (offset 0)",
		`{"full_text":"x","spans":[]}`:  "f.json:1: not a JSON array of samples: it begins with an object, as JSON Lines do (offset 0)",
		"[\n{\"full_text\":\"Zebulon\"": "f.json:2: not valid JSON: the file ends too early, and is probably truncated (offset 24)",
	} {
		if diff := cmp.Diff([]string{want}, outcomes(file)); diff != "" {
			t.Errorf("%q: %s", file, diff)
		}
	}
}

func write(t testing.TB, path string, docs []*data.Document) {
	t.Helper()
	w, err := Create(path, data.Any)
	if err != nil {
		t.Fatal(err)
	}
	for _, doc := range docs {
		if err := w.Write(doc); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestRoundTrip(t *testing.T) {
	docs := []*data.Document{
		{ID: "110-04", Patient: "110", Text: "\uFEFF😀 Zoë\r\n\"Lund\" <b>\u2028e\u0301", Spans: []data.Span{phi(8, 12, "PATIENT"), phi(8, 12, "DATE"), phi(14, 20, "DATE")}},
		{ID: "empty"},
	}
	data.SortSpans(docs[0].Spans)
	path := filepath.Join(t.TempDir(), "samples.json")
	write(t, path, docs)
	got, err := data.Collect(Read(path, data.Any))
	if diff := cmp.Diff(docs, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

func TestPresidioResearch(t *testing.T) {
	docs, err := data.Collect(Read(shared.Path(t, "corpora/presidio-research/synth_dataset_v2.json"), data.Any))
	if err != nil {
		t.Fatal(err)
	}
	spans := 0
	for _, doc := range docs {
		spans += len(doc.Spans)
	}
	if len(docs) != 1500 || spans != 2863 {
		t.Errorf("%d samples with %d spans", len(docs), spans)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`[{"full_text":"😀 Zoë","masked":"x","metadata":{"note_id":"7"},"spans":[{"entity_type":"A","entity_value":"Zoë","start_position":2,"end_position":5}]},{"full_text":"","spans":[]}]`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var docs []*data.Document
		file := []byte("[")
		for doc, err := range Decode(bytes.NewReader(raw), "f.json", data.Any) {
			if err != nil {
				if _, ok := errors.AsType[*data.Error](err); !ok {
					t.Fatalf("the error is a %T", err)
				}
				continue
			}
			if err := doc.Check(); err != nil {
				t.Fatal(err)
			}
			encoded, err := encode(doc)
			if err != nil {
				t.Fatal(err)
			}
			if len(docs) > 0 {
				file = append(file, ',')
			}
			docs, file = append(docs, doc), append(file, encoded...)
		}
		again, err := data.Collect(Decode(bytes.NewReader(append(file, ']')), "f.json", data.Any))
		if diff := cmp.Diff(docs, again); err != nil || diff != "" {
			t.Fatal(err, diff)
		}
	})
}
