package cued

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/gazetteer"
)

// finder finds the words that begin with a capital X or Y; those with Y are doubts.
type finder struct{ taggers.Model }

func (finder) Tag(_ context.Context, docs []*data.Document) ([][]data.Span, error) {
	return words(docs, "X"), nil
}

func (finder) Probe(_ context.Context, docs []*data.Document, _ float64) (found, doubts [][]data.Span, err error) {
	return words(docs, "X"), words(docs, "Y"), nil
}

func words(docs []*data.Document, initial string) [][]data.Span {
	out := make([][]data.Span, len(docs))
	for i, d := range docs {
		at := 0
		for word := range strings.FieldsSeq(d.Text) {
			at += strings.Index(d.Text[at:], word)
			if strings.HasPrefix(word, initial) {
				out[i] = append(out[i], data.Span{Start: at, End: at + len(word), Type: "ORGANIZATION", Score: 0.5})
			}
			at += len(word)
		}
	}
	return out
}

func texts(docs []*data.Document, all [][]data.Span) (found []string) {
	for i, spans := range all {
		for _, s := range spans {
			found = append(found, docs[i].Text[s.Start:s.End])
		}
	}
	return found
}

func notes(texts ...string) []*data.Document {
	var docs []*data.Document
	for _, text := range texts {
		docs = append(docs, &data.Document{Text: text})
	}
	return docs
}

func config() Config {
	c := DefaultConfig()
	c.Lists = gazetteer.Lists{{Builtin: "en-organization-cues"}}
	return c
}

// Spans are kept in sentences that contain a cue, whether before the span, after it or
// inside it, and in any case of letters.
func TestSentences(t *testing.T) {
	docs := notes(
		"She runs Xenon Freight. Given Xanax at noon. He retired from\nXylo Parts.",
		"Xerxes Xylophone LODGE meets today. Xanthan was stopped.",
		"No organization here.", "", " \n",
		"Xavier\n\nworks in\n\nXenia", // blank lines end sentences
	)
	tagger, err := config().Fit(t.Context(), taggers.Task{}, finder{})
	if err != nil {
		t.Fatal(err)
	}
	found, err := tagger.Tag(t.Context(), docs)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"Xenon", "Xylo", "Xerxes", "Xylophone"}
	if diff := cmp.Diff(want, texts(docs, found)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// A cue that begins in one sentence and ends in the next is a cue for neither.
func TestACueAcrossSentences(t *testing.T) {
	c := config()
	c.Sentences = "line"
	docs := notes("Xenon works\nin Xylo\n")
	tagger, err := c.Fit(t.Context(), taggers.Task{}, finder{})
	if err != nil {
		t.Fatal(err)
	}
	found, err := tagger.Tag(t.Context(), docs)
	if err != nil || len(found[0]) != 0 {
		t.Errorf("found %v, error %v", texts(docs, found), err)
	}
}

func TestProbe(t *testing.T) {
	docs := notes("He runs Xenon and Yttrium. Xanax and Ybor.")
	tagger, err := config().Fit(t.Context(), taggers.Task{}, finder{})
	if err != nil {
		t.Fatal(err)
	}
	found, doubts, err := tagger.(data.Prober).Probe(t.Context(), docs, 0.1)
	if err != nil {
		t.Fatal(err)
	}
	if got := texts(docs, found); !slices.Equal(got, []string{"Xenon"}) {
		t.Errorf("found %q", got)
	}
	if got := texts(docs, doubts); !slices.Equal(got, []string{"Yttrium."}) {
		t.Errorf("doubts %q", got)
	}
}

// A model contains its cues, so that it does not depend on the file of the list.
func TestSaveLoad(t *testing.T) {
	c := config()
	tagger, err := c.Fit(t.Context(), taggers.Task{}, finder{})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), c.Subfolder())
	if err := tagger.(taggers.Model).Save(dir); err != nil {
		t.Fatal(err)
	}
	c.Lists[0] = gazetteer.List{Name: "en-organization-cues", File: "/missing.txt"}
	loaded, err := c.Load(dir, nil, 1, finder{})
	if err != nil {
		t.Fatal(err)
	}
	docs := notes("She works in Xenon. Xanax was given.")
	found, err := loaded.Tag(t.Context(), docs)
	if err != nil {
		t.Fatal(err)
	}
	if got := texts(docs, found); !slices.Equal(got, []string{"Xenon."}) {
		t.Errorf("found %q", got)
	}
}

func TestValidate(t *testing.T) {
	for want, change := range map[string]func(*Config){
		"lists: at least one is required":        func(c *Config) { c.Lists = nil },
		`lists[0].builtin: no built-in list `:    func(c *Config) { c.Lists[0].Builtin = "en-cue" },
		`sentences: no sentence splitter "page"`: func(c *Config) { c.Sentences = "page" },
	} {
		c := config()
		change(&c)
		if err := c.Validate(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}
