package conll

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/data"
)

func TestLayouts(t *testing.T) {
	doc := func(id, text string, spans ...data.Span) *data.Document {
		return &data.Document{ID: id, Text: text, Spans: spans}
	}
	zoe := doc("f-0001", "Zoë Vance left", span(0, 10, "PER"))
	for what, tc := range map[string]struct {
		file string
		opt  Options
		want []*data.Document
	}{
		"BILOU":            {"Zoë B-PER\nVance L-PER\nleft O\n", Options{}, []*data.Document{zoe}},
		"BILOU, alone":     {"Zoë U-PER\nVance U-PER\n", Options{}, []*data.Document{doc("f-0001", "Zoë Vance", span(0, 4, "PER"), span(5, 10, "PER"))}},
		"suffix":           {"Zoë PER-B\nVance PER-I\nleft O\n", Options{Labels: "suffix"}, []*data.Document{zoe}},
		"bare":             {"Zoë PER\nVance PER\nleft O\n", Options{Labels: "bare"}, []*data.Document{zoe}},
		"header":           {"token\tner\nZoë\tB-PER\nVance\tI-PER\nleft\tO\n", Options{Header: true}, []*data.Document{zoe}},
		"CoNLL-U":          {"# text = Zoë Vance left\n1\tZoë\tB-PER\t_\n2\tVance\tI-PER\t_\n3\tleft\tO\t_\n", Options{Token: 2, Label: 3, Comments: "#"}, []*data.Document{zoe}},
		"label from end":   {"Zoë B-PER x\nVance I-PER x\nleft O x\n", Options{Label: -2}, []*data.Document{zoe}},
		"blocks":           {"-DOCSTART- O\n\nZoë B-PER\n\n\nleft O\n", Options{Documents: ByBlock}, []*data.Document{doc("f-0001", "Zoë", span(0, 4, "PER")), doc("f-0002", "left")}},
		"one per file":     {"-DOCSTART- a O\n\nZoë B-PER\n\n-DOCSTART- b O\n\nleft O\n", Options{Documents: ByFile}, []*data.Document{doc("f-0001", "Zoë\nleft", span(0, 4, "PER"))}},
		"column":           {"Zoë a B-PER\n\nleft a O\nhome b O\n", Options{Documents: ByColumn, ID: 2}, []*data.Document{doc("a", "Zoë\nleft", span(0, 4, "PER")), doc("b", "home")}},
		"numbers as text":  {"1 x O\n2 x O\n\n7 x O\n", Options{}, []*data.Document{doc("f-0001", "1 2\n7")}},
		"chosen numbers":   {"1 x O\n2 x O\n", Options{Token: 1}, []*data.Document{doc("f-0001", "1 2")}},
		"one number alone": {"1 x O\n", Options{}, []*data.Document{doc("f-0001", "1")}},
	} {
		t.Run(what, func(t *testing.T) {
			if err := tc.opt.Check(); err != nil {
				t.Fatal(err)
			}
			got, err := data.Collect(Decode(strings.NewReader(tc.file), "f.conll", data.CoNLL, tc.opt))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLayoutErrors(t *testing.T) {
	for what, tc := range map[string]struct {
		file string
		opt  Options
		want string
	}{
		"counted":        {"1 Zoë _ B-PER\n2 left _ O\n", Options{}, "f.conll:2: up to this line, the first column only counts the tokens of each sentence: name the column of the tokens, as in token: 2"},
		"counted from 0": {"0 Zoë B-PER\n1 left O\n\n0 Vance O\n", Options{}, "f.conll:4: up to this line, the first column only counts"},
		"ragged":         {"Zoë x B-PER\nleft O\n", Options{}, "f.conll:2: the line has 2 columns, and the first row of the file 3"},
		"header":         {"token ner\nZoë B-PER\n", Options{}, "f.conll:1: the label is neither O nor a type after B-, I-, E-, S-, L- or U-; if this is a line of column names, set header to true"},
		"suffix":         {"x O\nZoë PER-B\n", Options{}, "for labels such as DOCTOR-B, set labels to suffix"},
		"not a suffix":   {"x O\nZoë B-PER\n", Options{Labels: "suffix"}, "the label is neither O nor a type followed by -B"},
		"range":          {"1-2 del O\n1 de O\n2 el O\n", Options{Token: 2}, "f.conll:1: the row is about several tokens"},
		"empty node":     {"1.1 x O\n", Options{Token: 2}, "f.conll:1: the row is about several tokens, or about one that is not in the text"},
		"too few":        {"Zoë B-PER\n", Options{Token: 5}, "f.conll:1: the line has only 2 columns"},
		"same column":    {"Zoë B-PER\n", Options{Token: 2}, "f.conll:1: the columns of the token and of the label are the same"},
		"id comes back":  {"x a O\ny b O\nz a O\n", Options{Documents: ByColumn, ID: 2}, "f.conll:3: duplicate id"},
		"empty id":       {"x\t\tO\n", Options{Documents: ByColumn, ID: 2}, "f.conll:1: the column of the document's ID is empty"},
	} {
		t.Run(what, func(t *testing.T) {
			_, err := data.Collect(Decode(strings.NewReader(tc.file), "f.conll", data.CoNLL, tc.opt))
			if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "Zoë") {
				t.Errorf("error %v, want %q", err, tc.want)
			}
		})
	}
	for want, opt := range map[string]Options{
		`documents: "blok" is not docstart, block, column or file`: {Documents: "blok"},
		"id: the column of the document's ID":                      {Documents: ByColumn},
		"id: requires documents: column":                           {ID: 2},
		"token: -1 is not a column":                                {Token: -1},
		`labels: "x" is not prefix, suffix or bare`:                {Labels: "x"},
		`extensions: "bio" is not an extension`:                    {Extensions: []string{"bio"}},
	} {
		if err := opt.Check(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%+v: error %v, want %q", opt, err, want)
		}
	}
}

// A tokenizer divides a text as it divides others, and the ends of spans divide tokens further.
func TestEncodeWithTokenizer(t *testing.T) {
	doc := &data.Document{ID: "d", Text: "Seen (Zoë\u00a0Vance), 5th. He\nleft.", Spans: []data.Span{span(6, 17, "PER"), span(20, 21, "NUM")}}
	for scheme, want := range map[string]string{
		"BIO":   "Zoë B-PER\nVance I-PER\n) O\n, O\n5 B-NUM\nth O\n. O\n\nHe O\nleft O\n. O\n\n",
		"BIOES": "Zoë B-PER\nVance E-PER\n) O\n, O\n5 S-NUM\nth O\n. O\n\nHe O\nleft O\n. O\n\n",
		"BILOU": "Zoë B-PER\nVance L-PER\n) O\n, O\n5 U-NUM\nth O\n. O\n\nHe O\nleft O\n. O\n\n",
	} {
		w, err := NewWriting(scheme, "ptb", "rules")
		if err != nil {
			t.Fatal(err)
		}
		got, err := encode(doc, w)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff("-DOCSTART- d O\n\nSeen O\n( O\n"+want, string(got)); diff != "" {
			t.Errorf("%s: %s", scheme, diff)
		}
		again, inside, err := w.Rebuilt(doc)
		if err != nil || inside != 1 {
			t.Errorf("%d spans inside tokens, %v", inside, err)
		}
		read, err := data.Collect(Decode(bytes.NewReader(got), "x", data.Any, Options{}))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]*data.Document{again}, read); diff != "" {
			t.Errorf("%s: %s", scheme, diff)
		}
	}
	if _, err := NewWriting("BMES", "", ""); err == nil {
		t.Error("there is no scheme BMES")
	}
}
