package conllu

import (
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/data"
)

// row is a line of a treebank.
func row(fields ...string) string { return strings.Join(fields, "\t") + "\n" }

var note = "\ufeff# text = Del hospital vino.\r\n" +
	row("1-2", "Del", "_", "_", "_", "_", "_", "_", "_", "_") +
	row("1", "De", "de", "ADP", "_", "_", "_", "_", "_", "_") +
	row("2", "el", "el", "DET", "_", "Definite=Def|Gender=Masc", "_", "_", "_", "_") +
	row("3", "hospital", "hospital", "NOUN", "NN", "_", "_", "_", "_", "_") +
	row("3.1", "alguien", "_", "PRON", "_", "_", "_", "_", "_", "_") +
	row("4", "vino", "venir", "VERB", "_", "Mood=Ind|Tense=Imp,Past", "_", "_", "_", "_") +
	row("5", "_", "_", "SYM", "_", "Tense=Fut", "_", "_", "_", "_") +
	"\n \n# only a comment\n\n" +
	row("1", "New York", "_", "PROPN", "_", "Tense=Pres", "_", "_", "_", "_")

var noteRead = []Sentence{
	{
		Words: []Token{
			{"De", "de", "ADP", "", ""},
			{"el", "el", "DET", "", ""},
			{"hospital", "hospital", "NOUN", "NN", ""},
			{"vino", "venir", "VERB", "", "Past"},
			{"_", "_", "SYM", "", "Fut"},
		},
		Contractions: []Contraction{{0, 2, "Del"}},
	},
	{Words: []Token{{"New York", "", "PROPN", "", "Pres"}}},
}

func TestRead(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	z.Write([]byte(note))
	z.Close()
	for name, content := range map[string]string{"a.conllu": note, "b.conllu.gz": zipped.String()} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := Read(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(noteRead, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestSurface(t *testing.T) {
	s := Sentence{
		Words:        []Token{{Form: "va"}, {Form: "a", UPOS: "ADP"}, {Form: "el", UPOS: "DET"}, {Form: "do", UPOS: "AUX"}, {Form: "n't"}, {Form: "x"}},
		Contractions: []Contraction{{1, 3, "al"}, {3, 5, "don't"}},
	}
	want := Sentence{Words: []Token{{Form: "va"}, {Form: "al", UPOS: "ADP"}, {Form: "don't", UPOS: "AUX"}, {Form: "x"}}}
	if diff := cmp.Diff(want, s.Surface()); diff != "" {
		t.Error(diff)
	}
}

func TestReadErrors(t *testing.T) {
	good := row("1", "a", "a", "DET", "_", "_", "_", "_", "_", "_")
	for _, test := range []struct{ content, want string }{
		{"", "t.conllu: contains no sentences"},
		{"# nothing\n\n", "t.conllu: contains no sentences"},
		{good + "2\tb\n", "t.conllu:2: 2 columns separated by tabs; CoNLL-U requires 10"},
		{good + good, "t.conllu:2: ID is not 2, the number of the next word"},
		{"\n\n" + row("x", "a", "a", "DET", "_", "_", "_", "_", "_", "_"), "t.conllu:3: ID is not 1, the number of the next word"},
		{row("1", "", "a", "DET", "_", "_", "_", "_", "_", "_"), "t.conllu:1: FORM is empty"},
		{row("1", "a", "a", "NN", "_", "_", "_", "_", "_", "_"), "t.conllu:1: UPOS is not one of the 17 tags of Universal Dependencies"},
		{row("1", "a", "a", "DET", "_", "Tense", "_", "_", "_", "_"), "t.conllu:1: FEATS does not have the form Name=Value|Name=Value"},
		{row("1", "a\xff", "a", "DET", "_", "_", "_", "_", "_", "_"), "t.conllu:1: invalid UTF-8"},
		{row("1.x", "a", "a", "DET", "_", "_", "_", "_", "_", "_"), "t.conllu:1: ID is not a number, a range (3-4) or an empty node (5.1)"},
		{row("2-1", "a", "_", "_", "_", "_", "_", "_", "_", "_"), "t.conllu:1: ID is not a range of words (3-4)"},
		{row("2-3", "a", "_", "_", "_", "_", "_", "_", "_", "_"), "t.conllu:1: the range of ID does not begin at 1, the number of the next word"},
		{row("1-2", "a", "_", "_", "_", "_", "_", "_", "_", "_") + row("1-3", "a", "_", "_", "_", "_", "_", "_", "_", "_"), "t.conllu:2: the range of ID overlaps the one before it"},
		{row("1-2", "a", "_", "_", "_", "_", "_", "_", "_", "_") + good + "\n", "t.conllu:3: the sentence ends within the range 1-2"},
		{"# " + strings.Repeat("x", maxLine), "t.conllu:1: the line has more than 1048576 bytes"},
	} {
		_, err := Decode(strings.NewReader(test.content), "t.conllu")
		if err == nil || err.Error() != test.want {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
	if _, err := Read(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("of a file that is not there: %v", err)
	}
	path := filepath.Join(t.TempDir(), "cut.gz")
	if err := os.WriteFile(path, []byte{0x1f, 0x8b, 8}, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("of a broken gzip file: %v", err)
	}
}

// Any file is read or refused. What is read gives the same when it is written and read
// again.
func FuzzRead(f *testing.F) {
	f.Add(note)
	f.Add("1-2\ta\n1\t")
	f.Add("1.1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n\n")
	f.Fuzz(func(t *testing.T, content string) {
		got, err := Decode(strings.NewReader(content), "x")
		if err != nil {
			var at *data.Error
			if !errors.As(err, &at) && err.Error() != "x: contains no sentences" {
				t.Errorf("an error without a line: %v", err)
			}
			return
		}
		again, err := Decode(strings.NewReader(written(got)), "x")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(got, again); diff != "" {
			t.Error(diff)
		}
		for _, s := range got {
			s.Surface()
		}
	})
}

func written(sentences []Sentence) string {
	var b strings.Builder
	filled := func(s string) string {
		if s == "" {
			return "_"
		}
		return s
	}
	number := strconv.Itoa
	for _, s := range sentences {
		contractions := s.Contractions
		for i, w := range s.Words {
			if len(contractions) > 0 && contractions[0].First == i {
				b.WriteString(row(number(i+1)+"-"+number(contractions[0].End), contractions[0].Form, "_", "_", "_", "_", "_", "_", "_", "_"))
				contractions = contractions[1:]
			}
			feats := "_"
			if w.Tense != "" {
				feats = "Tense=" + w.Tense
			}
			b.WriteString(row(number(i+1), w.Form, filled(w.Lemma), w.UPOS, filled(w.XPOS), feats, "_", "_", "_", "_"))
		}
		b.WriteString("\n")
	}
	return b.String()
}
