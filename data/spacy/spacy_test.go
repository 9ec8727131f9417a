package spacy

import (
	"bytes"
	"compress/zlib"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tinylib/msgp/msgp"

	"github.com/lethe-deid/lethe/data"
)

func phi(start, end int, typ string) data.Span {
	return data.Span{Start: start, End: end, Type: typ, Score: 1}
}

// fromSpacy is what spaCy 3.8 wrote into the files of testdata.
var fromSpacy = []*data.Document{
	{ID: "110-01", Patient: "110", Text: "Seen by Dr. Zoë 😀 Vance\r\non\t02/20/2087,  case nsubj prep X _ DATE.\n\n", Spans: []data.Span{phi(12, 16, "PATIENT"), phi(22, 27, "PERSON")}},
	{ID: "110-02", Patient: "110", Text: "\uFEFFe\u0301 Amundsen 👩‍⚕️ called 555-1234", Spans: []data.Span{phi(7, 15, "DOCTOR")}},
	{ID: "spacy3.8-0003", Text: ""},
	{ID: "111-1", Patient: "111", Text: "Hill Street 7, Bergen", Spans: []data.Span{phi(0, 21, "ADDRESS"), phi(0, 11, "STREET"), phi(15, 21, "CITY")}},
	{ID: "spacy3.8-0005", Text: "\n\n  two  spaces \u00a0 nbsp\t.", Spans: []data.Span{phi(4, 7, "DATE")}},
}

func TestFilesOfSpacy(t *testing.T) {
	for _, ext := range []string{binExt, linesExt} {
		got, err := data.Collect(Read("testdata/spacy3.8"+ext, data.Any))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(fromSpacy, got); diff != "" {
			t.Errorf("%s: %s", ext, diff)
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
	docs := append([]*data.Document{
		{ID: "x", Text: "a  b", Spans: []data.Span{phi(1, 2, "A"), phi(2, 4, "B")}},                                        // cut between spaces
		{ID: "y", Patient: "7", Text: "Zoë\u0301\r\n", Spans: []data.Span{phi(0, 4, "A"), phi(4, 6, "A"), phi(6, 7, "A")}}, // adjacent, and within a word
		{ID: "z", Text: "Vance ", Spans: []data.Span{phi(0, 6, "A")}},                                                      // ends after a space
		{ID: "w", Text: "twice", Spans: []data.Span{phi(0, 5, "A"), phi(0, 5, "A")}},
	}, fromSpacy...)
	for _, ext := range Exts {
		path := filepath.Join(t.TempDir(), "corpus"+ext)
		write(t, path, docs)
		got, err := data.Collect(Read(path, data.Any))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(docs, got); diff != "" {
			t.Errorf("%s: %s", ext, diff)
		}
	}
}

// The numbers of strings, from spaCy 3.8.
func TestNumbers(t *testing.T) {
	for s, want := range map[string]uint64{
		"": 0, "PERSON": 380, "nsubj": 429, "_": 456, "IS_ALPHA": 1, "a": 11901859001352538922, "Zoë": 16948573035762911534,
		"12345678": 9871996032675327904, "123456789": 2056675840866671865, "Amundsen 12345678": 10706640773555980515,
	} {
		if got := number(s); got != want {
			t.Errorf("%q: %d, want %d", s, got, want)
		}
	}
	const want = "4cf7071ef69e7ba07dbad79ec2df105dd7e693653db353f94a15a9f7699361e2"
	if got := fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(symbols, "\n")))); got != want {
		t.Errorf("%d symbols with sum %s", len(symbols), got)
	}
}

func TestJSON(t *testing.T) {
	zoe := []data.Span{phi(3, 7, "PATIENT")}
	for what, tc := range map[string]struct {
		file string
		want *data.Document
	}{
		"pair":             {`["ñ Zoë", {"entities": [[2, 5, "PATIENT"]], "cats": {"x": 1}}]`, &data.Document{ID: "f-0001", Text: "ñ Zoë", Spans: zoe}},
		"pairs":            {`[["ñ Zoë", {"entities": [[2, 5, "PATIENT", "Q1"]]}]]`, &data.Document{ID: "f-0001", Text: "ñ Zoë", Spans: zoe}},
		"entities":         {"\uFEFF\n" + `{"id":7,"text":"ñ Zoë","entities":[[2,5,"PATIENT"]]}`, &data.Document{ID: "7", Text: "ñ Zoë", Spans: zoe}},
		"pretty":           {"{\n\"text\":\r\n\"ñ Zoë\",\n\"ents\":[{\"start\":2,\"end\":5,\"label\":\"PATIENT\",\"kb_id\":\"\"}]}\n", &data.Document{ID: "f-0001", Text: "ñ Zoë", Spans: zoe}},
		"group":            {`{"text":"ñ Zoë","ents":[],"spans":{"sc":[{"start":2,"end":5,"label":"PATIENT"}]}}`, &data.Document{ID: "f-0001", Text: "ñ Zoë", Spans: zoe}},
		"same in a group":  {`{"text":"ñ Zoë","ents":[[2,5,"PATIENT"]],"spans":{"a":[[2,5,"PATIENT"]],"b":[]}}`, &data.Document{ID: "f-0001", Text: "ñ Zoë", Spans: zoe}},
		"an empty group":   {`{"text":"ñ Zoë","spans":{"a":[]}}`, &data.Document{ID: "f-0001", Text: "ñ Zoë"}},
		"extensions":       {`{"text":"x","ents":[],"_":{"note_id":"n","patient_id":7,"z":[1]}}`, &data.Document{ID: "n", Patient: "7", Text: "x"}},
		"nothing":          {``, nil},
		"an array of none": {` [ ] `, nil},
	} {
		var want []*data.Document
		if tc.want != nil {
			want = append(want, tc.want)
		}
		got, err := data.Collect(Decode(strings.NewReader(tc.file), "f.json", data.Any))
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v, %s", what, err, diff)
		}
	}
}

// A defect invalidates only its own document, unless the file is no JSON.
func TestJSONErrors(t *testing.T) {
	for value, want := range map[string]string{
		`7`:                                    "document 2: it is neither an object nor a pair of a text and an object",
		`"Zebulon"`:                            "document 2: it is neither an object nor a pair of a text and an object",
		`["Zebulon"]`:                          "document 2: it is not a pair of a text and an object with entities",
		`["Zebulon",[]]`:                       "document 2: it is not a pair of a text and an object with entities",
		`["Zebulon",{"text":"x"}]`:             "document 2: it is not a pair of a text and an object with entities",
		`[7,{"entities":[]}]`:                  "document 2: it is not a pair of a text and an object with entities",
		`["Zebulon",{"entities":["U-X"]}]`:     "document 2: it is not a pair of a text and an object with entities",
		`{"ents":[]}`:                          `document 2: the key "text" is missing`,
		`{"text":7}`:                           "document 2: a value is missing or has the wrong kind",
		`{"text":"x","ents":[],"entities":[]}`: `document 2: it has both keys "ents" and "entities"`,
		`{"text":"Zebulon"}`:                   "document 2: nobody has set the entities of the document, and it has no span groups",
		`["Zebulon",{"cats":{}}]`:              "document 2: nobody has set the entities of the document, and it has no span groups",
		`{"text":"x","ents":[{"start":0,"end":1}]}`:                            "document 2: span 0: its start, end or label is missing",
		`{"text":"x","ents":[[0,2,"DATE"]]}`:                                   "document 2: span 0: the span [0,2) lies beyond the text of 1 code points",
		`{"text":"x","ents":[[1,1,"DATE"]]}`:                                   "document 2: span 0: the span [1,1) of code points is empty",
		`{"text":"x","ents":[[0,"1","DATE"]]}`:                                 "document 2: a value is missing or has the wrong kind",
		`{"text":"x","ents":[[0,1,"Zebulon"]]}`:                                "document 2: the type Zebulon is not in the type set i2b2-2014",
		`{"text":"x","ents":[],"spans":{"a":[[0,1,"DATE"]],"b":[[0,1,"ID"]]}}`: "document 2: the entities and the span groups of the document, or several groups, have different spans",
		`{"text":"x","spans":{"a":[[0,7,"DATE"]]}}`:                            "document 2: in a span group: span 0: the span [0,7) lies beyond the text of 1 code points",
		`{"text":"x","id":"1","ents":[]}`:                                      "document 2: duplicate id",
	} {
		file := "{\"id\":1,\"text\":\"x\",\"ents\":[]}\n" + value + "\n{\"id\":3,\"text\":\"x\",\"ents\":[]}"
		if diff := cmp.Diff([]string{"1", "f.jsonl:2: " + want, "3"}, outcomes(file, "f.jsonl")); diff != "" {
			t.Errorf("%s: %s", value, diff)
		}
	}
	for file, want := range map[string]string{
		"Zebulon":                        "f.jsonl:1: not valid JSON (offset 0)",
		"[[\"Zebulon\",{}],\n":           "f.jsonl:2: not valid JSON: the file ends too early, and is probably truncated (offset 17)",
		"[{}] {}":                        "f.jsonl:1: something follows the array of documents: the file was probably put together of two (offset 6)",
		"{\"a\":1,\n\"a\":2}":            "f.jsonl:2: duplicate key \"a\" (offset 8)",
		"\n\n{\"text\":\"Zebulon\xff\"}": "f.jsonl:3: not valid JSON: invalid UTF-8; convert the file to UTF-8 (offset 18)",
	} {
		got := outcomes(file, "f.jsonl")
		if diff := cmp.Diff(want, got[len(got)-1]); diff != "" {
			t.Errorf("%q: %s", file, diff)
		}
	}
}

// outcomes returns the ID or the error of each document.
func outcomes(file, name string) []string {
	var got []string
	for doc, err := range Decode(strings.NewReader(file), name, data.I2B2) {
		if err != nil {
			got = append(got, err.Error())
			continue
		}
		got = append(got, doc.ID)
	}
	return got
}

// compress makes a file of a MessagePack value.
func compress(value any) string {
	raw, err := msgp.AppendIntf(nil, value)
	if err != nil {
		panic(err)
	}
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	_, _ = z.Write(raw)
	_ = z.Close()
	return b.String()
}

// row makes a row of a token with the attributes ORTH, ENT_IOB and ENT_TYPE.
func row(word string, iob byte, label string) []byte {
	b := &bin{}
	doc := &data.Document{Text: word, Spans: []data.Span{phi(0, len(word), label)}}
	if err := b.add(doc); err != nil {
		panic(err)
	}
	b.tokens[8] = iob
	return b.tokens
}

func TestDocBinErrors(t *testing.T) {
	valid := func() map[string]any {
		return map[string]any{
			"attrs": []any{65, 77, 78}, "tokens": append(row("Zebulon", 3, "PATIENT"), row("x", 2, "DATE")...), "spaces": []byte{1, 0},
			"lengths": []byte{2, 0, 0, 0}, "strings": []any{"Zebulon", "x", "PATIENT", "DATE"}, "cats": []any{map[string]any{}},
		}
	}
	if got := outcomes(compress(valid()), "f.spacy"); !cmp.Equal(got, []string{"f-0001"}) {
		t.Fatal(got)
	}
	for what, tc := range map[string]struct {
		change func(map[string]any)
		want   string
	}{
		"no map":          {nil, "cannot be read: not a DocBin of spaCy 3"},
		"attrs":           {func(m map[string]any) { m["attrs"] = "Zebulon" }, "cannot be read: not a DocBin of spaCy 3"},
		"no words":        {func(m map[string]any) { m["attrs"] = []any{66, 77, 78} }, "cannot be read: it has no attribute ORTH, and so no words"},
		"negative length": {func(m map[string]any) { m["lengths"] = []byte{255, 255, 255, 255} }, "cannot be read: not a DocBin of spaCy 3"},
		"length":          {func(m map[string]any) { m["lengths"] = []byte{3, 0, 0, 0} }, "cannot be read: the numbers of its tokens, spaces and lengths do not fit one another"},
		"spaces":          {func(m map[string]any) { m["spaces"] = []byte{1} }, "cannot be read: the numbers of its tokens, spaces and lengths do not fit one another"},
		"flags":           {func(m map[string]any) { m["flags"] = []any{map[string]any{}, map[string]any{}} }, "cannot be read: the numbers of its documents, flags, span groups and user data do not fit one another"},
		"strings":         {func(m map[string]any) { m["strings"] = []any{"x"} }, "document 1: its words or labels are not among the strings of the file"},
		"not UTF-8":       {func(m map[string]any) { m["strings"] = []any{"\xff"} }, "cannot be read: not a DocBin of spaCy 3"},
		"entities absent": {func(m map[string]any) {
			m["attrs"], m["tokens"] = []any{65}, append(row("Zebulon", 0, "")[:8], row("x", 0, "")[:8]...)
		}, "document 1: nobody has set the entities of the document, and it has no span groups"},
		"unset":          {func(m map[string]any) { m["tokens"] = append(row("Zebulon", 0, "DATE"), row("x", 0, "DATE")...) }, "document 1: nobody has set the entities of the document, and it has no span groups"},
		"partly unset":   {func(m map[string]any) { m["tokens"] = append(row("Zebulon", 3, "DATE"), row("x", 0, "DATE")...) }, "document 1: nobody has decided whether 1 of its 2 tokens belong to entities (their ENT_IOB is 0)"},
		"inside":         {func(m map[string]any) { m["tokens"] = append(row("Zebulon", 2, "DATE"), row("x", 1, "DATE")...) }, "document 1: token 1 continues an entity that does not exist"},
		"inside another": {func(m map[string]any) { m["tokens"] = append(row("Zebulon", 3, "DATE"), row("x", 1, "PATIENT")...) }, "document 1: token 1 continues an entity that does not exist"},
		"no such IOB":    {func(m map[string]any) { m["tokens"] = append(row("Zebulon", 3, "DATE"), row("x", 4, "DATE")...) }, "document 1: token 1 has an ENT_IOB that does not exist"},
		"span groups":    {func(m map[string]any) { m["span_groups"] = []any{[]byte{0xc1}} }, "document 1: its span groups are not valid"},
		"user data":      {func(m map[string]any) { m["user_data"] = []any{[]byte{0xc1}} }, "document 1: its user data is not valid"},
		"type":           {func(m map[string]any) { m["tokens"] = append(row("Zebulon", 3, "x"), row("x", 2, "DATE")...) }, "document 1: the type x is not in the type set i2b2-2014"},
	} {
		var value any = []any{}
		if tc.change != nil {
			m := valid()
			tc.change(m)
			value = m
		}
		got := outcomes(compress(value), "f.spacy")
		if diff := cmp.Diff([]string{"f.spacy: " + tc.want}, got); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
	}
	whole := compress(valid())
	for file, want := range map[string]string{
		whole[:len(whole)-9]: "the compressed data is damaged or incomplete",
		"x\x00":              "not a DocBin of spaCy 3",
	} {
		if diff := cmp.Diff([]string{"f.spacy: cannot be read: " + want}, outcomes(file, "f.spacy")); diff != "" {
			t.Error(diff)
		}
	}
}

func fuzzed(t *testing.T, raw []byte, name string) {
	var docs []*data.Document
	for doc, err := range Decode(bytes.NewReader(raw), name, data.Any) {
		if err != nil {
			if _, ok := errors.AsType[*data.Error](err); !ok {
				t.Fatalf("the error is a %T", err)
			}
			continue
		}
		if err := doc.Check(); err != nil {
			t.Fatal(err)
		}
		docs = append(docs, doc)
	}
	var lines []byte
	for _, doc := range docs {
		line, err := encodeJSON(doc, "", "\n")
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line...)
	}
	got, err := data.Collect(Decode(bytes.NewReader(lines), name, data.Any))
	if diff := cmp.Diff(docs, got); err != nil || diff != "" {
		t.Fatal(err, diff)
	}
	b := &bin{}
	for _, doc := range docs {
		if err := b.add(doc); err != nil {
			t.Fatal(err)
		}
	}
	file, err := b.bytes()
	if err != nil {
		t.Fatal(err)
	}
	again, err := data.Collect(Decode(bytes.NewReader(file), name, data.Any))
	if diff := cmp.Diff(docs, again); err != nil || diff != "" {
		t.Fatal(err, diff)
	}
}

func FuzzJSON(f *testing.F) {
	raw, err := os.ReadFile("testdata/spacy3.8.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Add([]byte(`[["ñ  Zoë\r\n😀",{"entities":[[1,3,"A"],[2,5,"B"]]}],{"text":" x ","ents":[[0,2,"A"]]}]`))
	f.Fuzz(func(t *testing.T, raw []byte) { fuzzed(t, raw, "f.jsonl") })
}

// FuzzDocBin decodes what is compressed, so that the fuzzer need not know zlib.
func FuzzDocBin(f *testing.F) {
	raw, err := os.ReadFile("testdata/spacy3.8.spacy")
	if err != nil {
		f.Fatal(err)
	}
	z, err := zlib.NewReader(bytes.NewReader(raw))
	if err != nil {
		f.Fatal(err)
	}
	var packed bytes.Buffer
	if _, err := packed.ReadFrom(z); err != nil {
		f.Fatal(err)
	}
	f.Add(packed.Bytes())
	f.Fuzz(func(t *testing.T, packed []byte) {
		var b bytes.Buffer
		z := zlib.NewWriter(&b)
		_, _ = z.Write(packed)
		_ = z.Close()
		fuzzed(t, b.Bytes(), "f.spacy")
	})
}
