package hf

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/data"
)

func span(start, end int, typ string) data.Span {
	return data.Span{Start: start, End: end, Type: typ, Score: 1}
}

func TestDecode(t *testing.T) {
	zoe := func(id string) *data.Document {
		return &data.Document{ID: id, Text: "Zoë Vance left", Spans: []data.Span{span(0, 10, "PER")}}
	}
	grouped := zoe("d")
	grouped.Text, grouped.Patient = "Zoë Vance left\nhome", "7"
	for what, tc := range map[string]struct {
		file string
		opt  Options
		want []*data.Document
	}{
		"lines":     {`{"id":"a","tokens":["Zoë","Vance","left"],"ner_tags":["B-PER","I-PER","O"]}` + "\n" + `{"id":2,"tokens":[],"ner_tags":[]}`, Options{}, []*data.Document{zoe("a"), {ID: "2"}}},
		"array":     {"\uFEFF[" + `{"words":["Zoë","Vance","left"],"labels":["B-PER","L-PER","O"],"pos_tags":[1,2,3]}]`, Options{}, []*data.Document{zoe("f-0001")}},
		"numbers":   {`{"tokens":["Zoë","Vance","left"],"tags":[1,2,0]}`, Options{Labels: []string{"O", "B-PER", "I-PER"}}, []*data.Document{zoe("f-0001")}},
		"sentences": {`{"document_id":"d","patient":7,"tokens":["Zoë","Vance","left"],"tags":["B-PER","I-PER","O"]}{"document_id":"d","patient":"7","tokens":["home"],"tags":["O"]}`, Options{}, []*data.Document{grouped}},
	} {
		t.Run(what, func(t *testing.T) {
			got, err := data.Collect(Decode(strings.NewReader(tc.file), "f.jsonl", data.CoNLL, tc.opt))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A defect invalidates only its own document.
func TestDecodeErrors(t *testing.T) {
	good := `{"id":"good","tokens":["x"],"tags":["O"]}` + "\n"
	for what, tc := range map[string]struct{ row, want string }{
		"no tags":        {`{"tokens":["Zebulon"]}`, "f.jsonl:2: row 2: it has 0 of the keys ner_tags, tags, labels instead of one (offset 42)"},
		"two kinds":      {`{"tokens":["x"],"tags":["O"],"labels":["O"]}`, "it has 2 of the keys ner_tags, tags, labels instead of one"},
		"no tokens":      {`{"text":"Zebulon","tags":["O"]}`, "it has 0 of the keys tokens, words instead of one"},
		"lengths":        {`{"tokens":["Zebulon","x"],"tags":["O"]}`, "it has 2 tokens and 1 tags"},
		"kind of tokens": {`{"tokens":"Zebulon","tags":["O"]}`, "tokens is not a list of strings"},
		"kind of tags":   {`{"tokens":["Zebulon"],"tags":"O"}`, "tags is not a list"},
		"kind of a tag":  {`{"tokens":["Zebulon"],"tags":[null]}`, "tag 0: it is neither a string nor a number"},
		"a number":       {`{"tokens":["Zebulon"],"tags":[1]}`, "tag 0: it is a number, and nothing says of which label"},
		"label":          {`{"tokens":["Zebulon"],"tags":["M-PER"]}`, "tag 0: the label is neither O nor a type after B-"},
		"type":           {`{"tokens":["Zebulon"],"tags":["B-X"]}`, "tag 0: the type X is not in the type set conll"},
		"empty token":    {`{"tokens":[""],"tags":["O"]}`, "token 0 is empty or contains white space"},
		"white space":    {`{"tokens":["Zebulon Vance"],"tags":["O"]}`, "token 0 is empty or contains white space"},
		"id twice":       {`{"id":"good","tokens":["Zebulon"],"tags":["O"]}`, "row 2: duplicate id"},
		"no object":      {`["Zebulon"]`, "row 2: it is not an object"},
		"patients":       {`{"document_id":"d","patient":"1","tokens":["x"],"tags":["O"]}{"document_id":"d","patient":"2","tokens":["x"],"tags":["O"]}`, "row 3: the rows of a document have different patients"},
	} {
		t.Run(what, func(t *testing.T) {
			var ids, errs []string
			for doc, err := range Decode(strings.NewReader(good+tc.row+"\n"+strings.Replace(good, "good", "last", 1)), "f.jsonl", data.CoNLL, Options{}) {
				if err != nil {
					errs = append(errs, err.Error())
				} else {
					ids = append(ids, doc.ID)
				}
			}
			if len(errs) != 1 || !strings.Contains(errs[0], tc.want) || strings.Contains(errs[0], "Zebulon") {
				t.Errorf("errors %q, want %q", errs, tc.want)
			}
			if diff := cmp.Diff([]string{"good", "last"}, ids); diff != "" {
				t.Error(diff)
			}
		})
	}
	for file, want := range map[string]string{
		"":                 "f.jsonl: no row in the file",
		good + "{":         "f.jsonl:2: not valid JSON: the file ends too early, and is probably truncated (offset 43)",
		"[" + good + "] 1": "something follows the array of",
		"[" + good:         "not valid JSON",
	} {
		var last error
		for _, err := range Decode(strings.NewReader(file), "f.jsonl", data.CoNLL, Options{}) {
			last = err
		}
		if last == nil || !strings.Contains(last.Error(), want) {
			t.Errorf("error %v, want %q", last, want)
		}
	}
}

// The labels of numbers are those of the data set in whose folder the file is.
func TestNamesOfNumbers(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"dataset_info.json": `{"features":{"ner_tags":{"feature":{"names":["O","B-PER"],"_type":"ClassLabel"},"_type":"List"}}}`,
		"train.jsonl":       `{"tokens":["Zoë"],"ner_tags":[1]}`,
		"test.json":         `[{"tokens":["Zoë"],"ner_tags":[2]}]`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for doc, err := range Read(dir, data.CoNLL, Options{}) {
		if err != nil {
			got = append(got, strings.TrimPrefix(err.Error(), dir+"/"))
		} else {
			got = append(got, doc.Spans[0].Type)
		}
	}
	if diff := cmp.Diff([]string{"test.json:1: row 1: tag 0: the number is not that of one of the 2 labels (offset 1)", "PER"}, got); diff != "" {
		t.Error(diff)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"id":"a","tokens":["Zoë","Vance"],"ner_tags":["B-PER","I-PER"]}{"document_id":"d","tokens":[],"tags":[]}`))
	f.Add([]byte(`[{"tokens":["x"],"tags":[0]},{"words":["y"],"labels":["U-X"]}]`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		for doc, err := range Decode(bytes.NewReader(raw), "f.jsonl", data.Any, Options{Labels: []string{"O", "B-X"}}) {
			if err != nil {
				if _, ok := errors.AsType[*data.Error](err); !ok {
					t.Fatalf("the error is a %T", err)
				}
				continue
			}
			if err := doc.Check(); err != nil {
				t.Fatal(err)
			}
			again, err := encode(doc, Writing{}, "", "\n")
			if err != nil {
				t.Fatal(err)
			}
			got, err := data.Collect(Decode(bytes.NewReader(again), "g.jsonl", data.Any, Options{}))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]*data.Document{doc}, got); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}
