package notefile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/lethe-deid/lethe/deid/notefile/internal/base"
	"github.com/lethe-deid/lethe/deid/notefile/internal/markup"
)

var jsonArrays = map[string]string{
	"empty":          "[]",
	"empty, blanks":  "\ufeff \n[ \n ]\r\n ",
	"one":            `[{"text":"Ana Gil"}]`,
	"several":        `[{"id":1,"text":"Ana Gil"},{"text":null} , {"x":[{"text":"no"},"]}"],"text":"Gil \"\\"}]`,
	"pretty-printed": "[\r\n  {\r\n    \"id\": \"a\",\r\n    \"text\": \"Ana\\nGil\"\r\n  },\r\n  {\r\n    \"text\": \"\\u00d1 \\ud83d\\ude00 Gil\", \"spans\": []\r\n  }\r\n]\r\n",
}

// TestArraysStayTheSame checks that arrays without edits keep every byte, and that edited ones are what encoding/json makes
// of the same edits.
func TestArraysStayTheSame(t *testing.T) {
	for name, file := range jsonArrays {
		roundTrip(t, example{"jsonl", "a.json", file, Options{}})
		got, notes, whole := edited(t, example{"jsonl", "a.json", file, Options{}})
		if !whole {
			t.Errorf("%s: cannot be read", name)
		}
		var before, after []map[string]any
		if err := json.Unmarshal(bytes.TrimPrefix([]byte(file), []byte(markup.BOM)), &before); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(bytes.TrimPrefix([]byte(got), []byte(markup.BOM)), &after); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, got)
		}
		texts := 0
		for i, o := range before {
			if text, ok := o["text"].(string); ok {
				texts++
				o["text"] = markup.Apply(text, wordEdits(text))
			}
			delete(o, "spans")
			delete(after[i], "spans")
		}
		if !reflect.DeepEqual(before, after) || 4*texts != len(notes) {
			t.Errorf("%s: became\n%s", name, got)
		}
	}
}

// TestObjectWithLineBreaks checks that an object with line breaks is one record, and that a broken first line of JSON Lines
// does not make the file one.
func TestObjectWithLineBreaks(t *testing.T) {
	for file, want := range map[string]string{
		"\ufeff\n{\n \"id\": \"7\",\n \"text\": \"Ana\"\n}\n": "7 4 Ana",
		"{\"text\":\"Ana}\n{\"id\":\"8\",\"text\":\"Gil\"}\n": "n.json:1: not valid JSON (offset 13); 8 2 Gil",
		"{\"a\": {}, \"text\": \"Ana\"}\n{":                   "n-0001 1 Ana; n.json:2: not valid JSON (offset 25)",
		"{\n\"text\": \"Ana\"}\n{\"text\": \"Gil\"}":          "n.json:3: not valid JSON (offset 17)",
	} {
		f, err := Lookup("jsonl")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for r, err := range f.Read(strings.NewReader(file), "n.json", Options{}) {
			if err != nil {
				got = append(got, err.Error())
				continue
			}
			for _, n := range r.Notes {
				got = append(got, fmt.Sprint(n.ID, " ", n.Line, " ", n.Text))
			}
		}
		if strings.Join(got, "; ") != want {
			t.Errorf("%q: %q, want %q", file, strings.Join(got, "; "), want)
		}
		roundTrip(t, example{"jsonl", "n.json", file, Options{}})
	}
}

// TestElementsThatAreLeftOut checks that an array from which any elements are left out is an array of the others.
func TestElementsThatAreLeftOut(t *testing.T) {
	f, err := Lookup("jsonl")
	if err != nil {
		t.Fatal(err)
	}
	file := "[\n {\"text\": \"a\"},\n {\"text\": \"b\"}\n,{\"text\":\"c\"}]\n"
	for left := range 8 {
		var out bytes.Buffer
		want := []string{}
		for r, err := range f.Read(strings.NewReader(file), "a.json", Options{}) {
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Notes) > 0 {
				if left>>(r.Notes[0].Text[0]-'a')&1 == 1 {
					continue
				}
				want = append(want, r.Notes[0].Text)
			}
			raw, err := r.Encode(make([][]Edit, len(r.Notes)))
			if err != nil {
				t.Fatal(err)
			}
			out.Write(raw)
		}
		var rows []struct{ Text string }
		if err := json.Unmarshal(out.Bytes(), &rows); err != nil {
			t.Fatalf("%v\n%s", err, out.String())
		}
		got := []string{}
		for _, row := range rows {
			got = append(got, row.Text)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestBrokenArrays(t *testing.T) {
	for name, c := range map[string]struct {
		file string
		want []string
	}{
		"an element that is no object": {"[{\"text\":\"a\"},\n 1, \"x\", null, [2], {\"text\":\"b\"}]", []string{"1 a", "a.json:2: not a JSON object (offset 16)", "a.json:2: not a JSON object (offset 19)", "a.json:2: not a JSON object (offset 24)", "a.json:2: not a JSON object (offset 30)", "2 b"}},
		"an element that is invalid":   {"[{\"text\":\"a\"},\n{\n\"text\" \"q\"},{\"text\":\"b\"}]", []string{"1 a", "a.json:3: not valid JSON (offset 24)", "3 b"}},
		"a missing key":                {"[{\"text\":\"a\"},\n\n{\"note\":\"b\"}]", []string{"1 a", `a.json:3: the key "text" is missing`}},
		"no end":                       {"[{\"text\":\"a\"},\n", []string{"1 a", "broken", "a.json:2: not valid JSON: the array does not end (offset 15)"}},
		"no end of an element":         {"[{\"text\":\"a\"},{\"text\":\"b", []string{"1 a", "broken", "a.json:1: not valid JSON: the array does not end (offset 24)"}},
		"no comma":                     {"[{\"text\":\"a\"}{\"text\":\"b\"}]", []string{"1 a", "broken", "a.json:1: not valid JSON: a comma or the end of the array is missing (offset 13)"}},
		"a comma too many":             {"[{\"text\":\"a\"},]", []string{"1 a", "broken", "a.json:1: not valid JSON: an element of the array is missing (offset 14)"}},
		"two commas":                   {"[{\"text\":\"a\"},,{\"text\":\"b\"}]", []string{"1 a", "broken", "a.json:1: not valid JSON: an element of the array is missing (offset 14)"}},
		"more after it":                {"[{\"text\":\"a\"}]\n[]", []string{"1 a", "broken", "a.json:2: not valid JSON: the file goes on after the array (offset 15)"}},
		"invalid UTF-8":                {"[{\"text\":\"a\"},\n{\"text\":\"\xff\"},{\"text\":\"b\"}]", []string{"1 a", "a.json:2: invalid UTF-8 (offset 24)", "2 b"}},
		"hopeless":                     {"[" + strings.Repeat("1,", 20) + "{\"text\":\"b\"}]", append(repeatDefect(9), "broken", "a.json:1: not a JSON object (offset 19)")},
	} {
		f, err := Lookup("jsonl")
		if err != nil {
			t.Fatal(err)
		}
		for how, in := range map[string]io.Reader{"whole": strings.NewReader(c.file), "byte by byte": iotest.OneByteReader(strings.NewReader(c.file))} {
			var got []string
			for r, err := range f.Read(in, "a.json", Options{}) {
				if _, ok := err.(*Broken); ok { //nolint:errorlint // nothing wraps it
					got = append(got, "broken")
				}
				if err != nil {
					got = append(got, err.Error())
					continue
				}
				for _, n := range r.Notes {
					got = append(got, fmt.Sprint(n.Line, " ", n.Text))
				}
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("%s, %s:\n%q, want\n%q", name, how, got, c.want)
			}
		}
	}
}

func repeatDefect(n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprintf("a.json:1: not a JSON object (offset %d)", 1+2*i))
	}
	return all
}

// TestColumnsThroughLists checks the notes of columns with lists on the way, and that no element without the key is passed
// over.
func TestColumnsThroughLists(t *testing.T) {
	for _, c := range []struct {
		column, file string
		want         []string
	}{
		{"notes.body", `{"id":"7","notes":[{"body":"a"},{"body":null},{"body":"b"}]}`, []string{"7/notes[0].body a", "7/notes[2].body b"}},
		{"notes[].body", `{"id":"7","notes":[{"body":"a"},{"body":"b"}]}`, []string{"7/notes[0].body a", "7/notes[1].body b"}},
		{"notes", `{"id":"7","notes":["a",["b",null]]}`, []string{"7/notes[0] a", "7/notes[1][0] b"}},
		{"notes[]", `{"id":"7","notes":"a"}`, []string{"7 a"}},
		{"a.b[].c", `{"id":"7","a":[{"b":[{"c":"x"}]},{"b":[]},null]}`, []string{"7/a[0].b[0].c x"}},
		{"notes.body", `{"id":"7","notes":[]}`, nil},
		{"notes.body", `{"id":"7","notes":[{"body":"a"},{"Body":"b"}]}`, []string{`n:1: a key that differs from those of "notes.body" only in case (offset 33)`}},
		{"notes.body", `{"id":"7","notes":[{"body":"a"},{"text":"b"}]}`, []string{`n:1: the key "notes.body" is missing in an element of a list (offset 32)`}},
		{"notes.body", `{"id":"7","notes":[{"body":"a"},"b"]}`, []string{`n:1: the key "notes.body" does not lead through objects (offset 32)`}},
		{"notes.body", `{"id":"7","notes":[{"body":7}]}`, []string{`n:1: the key "notes.body" has a value of the wrong kind (offset 27)`}},
	} {
		f, err := Lookup("jsonl")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for r, err := range f.Read(strings.NewReader(c.file), "n", Options{Columns: []string{c.column}}) {
			if err != nil {
				got = append(got, err.Error())
				continue
			}
			for _, n := range r.Notes {
				got = append(got, n.ID+" "+n.Text)
			}
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s in %s: %q, want %q", c.column, c.file, got, c.want)
		}
		roundTrip(t, example{"jsonl", "n", c.file, Options{Columns: []string{c.column}}})
	}
	f, err := Lookup("jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []Options{{Columns: []string{"notes", "notes[].body"}}, {Columns: []string{"notes[].body", "notes.body"}}, {ID: "notes[].id"}, {Columns: []string{"a..b"}}, {Columns: []string{"[].b"}}} {
		if f.Check(o) == nil {
			t.Errorf("%+v: no error", o)
		}
	}
}

// TestLongArray checks that an array which is longer than a record may be is read element by element.
func TestLongArray(t *testing.T) {
	defer func(was int) { base.MaxRecord = was }(base.MaxRecord)
	base.MaxRecord = 1000
	f, err := Lookup("jsonl")
	if err != nil {
		t.Fatal(err)
	}
	count := func(file string) (notes int, last error) {
		for r, err := range f.Read(strings.NewReader(file), "a.json", Options{}) {
			if err != nil {
				return notes, err
			}
			notes += len(r.Notes)
		}
		return notes, nil
	}
	if n, err := count("[" + strings.Repeat(`{"text":"Ana Gil"},`+"\n", 9999) + `{"text":"x"}]`); n != 10_000 || err != nil {
		t.Errorf("%d notes, error %v", n, err)
	}
	for _, long := range []string{`{"text":"` + strings.Repeat("x", 200_000) + `"}`, strings.Repeat(" ", 200_000) + `{"text":""}`} {
		if n, err := count(`[{"text":"a"},` + long + `]`); n != 1 || err == nil || !strings.Contains(err.Error(), "longer than") {
			t.Errorf("%d notes, error %v", n, err)
		}
	}
}

// FuzzJSONArray checks that no array makes the reader panic, that every byte stays without edits, and that arrays which
// encoding/json reads give the notes that it finds.
func FuzzJSONArray(f *testing.F) {
	for _, file := range jsonArrays {
		f.Add([]byte(file), uint8(0))
	}
	f.Add([]byte("[1,{\"text\":\"\\ud800\"},{\"text\":\"Ana\"}]"), uint8(1))
	f.Fuzz(func(t *testing.T, file []byte, left uint8) {
		e := example{"jsonl", "a.json", string(file), Options{}}
		roundTrip(t, e)
		format, err := Lookup("jsonl")
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		var texts []string
		for r, err := range format.Read(bytes.NewReader(file), e.name, e.options) {
			if _, ok := err.(*Broken); ok { //nolint:errorlint // nothing wraps it
				return
			}
			if err != nil || len(r.Notes) > 0 && (left>>(len(texts)%8))&1 == 1 && r.Finish != nil {
				continue // left out
			}
			raw, err := r.Encode(make([][]Edit, len(r.Notes)))
			if err != nil {
				t.Fatal(err)
			}
			out.Write(raw)
			for _, n := range r.Notes {
				texts = append(texts, n.Text)
			}
		}
		if start := strings.TrimLeft(strings.TrimPrefix(string(file), markup.BOM), blanks); !strings.HasPrefix(start, "[") {
			return
		}
		if !json.Valid(bytes.TrimPrefix(out.Bytes(), []byte(markup.BOM))) {
			t.Fatalf("%q became %q", file, out.Bytes())
		}
	})
}
