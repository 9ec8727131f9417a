// Package predicted makes a tagger of the spans that another program has found and written to a file, so that they can be part of an
// ensemble, and be compared, like those of any other tagger.
package predicted

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/format"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/wholefile"
	"github.com/lethe-deid/lethe/taggers"
)

func init() { taggers.Register("predicted", func() taggers.Node { return &Config{Format: "jsonl"} }) }

// Config are the settings of a tagger.
type Config struct {
	Path   string `yaml:"path"`   // file or folder with the notes and the spans that were found in them; required
	Format string `yaml:"format"` // its format; default jsonl
	// Types maps types of the file to types of the corpus. Spans of types that it does not list are left out. Default none: all
	// must be types of the corpus.
	Types map[string]string `yaml:"types,omitempty"`
}

// Validate implements taggers.Node.
func (c Config) Validate() error {
	if c.Path == "" {
		return errors.New("path: is required")
	}
	if _, err := format.Lookup(c.Format); err != nil {
		return fmt.Errorf("format: %w", err)
	}
	if format.TextOnly(c.Format) {
		return fmt.Errorf("format: %s contains no spans", c.Format)
	}
	return nil
}

// Describe implements taggers.Node.
func (c Config) Describe() string {
	parts := []string{c.Path}
	for _, name := range slices.Sorted(maps.Keys(c.Types)) {
		parts = append(parts, name+" as "+c.Types[name])
	}
	return strings.Join(parts, ", ")
}

// Paths implements taggers.Files.
func (c *Config) Paths() []taggers.Path {
	if c.Path == "" {
		return nil
	}
	return []taggers.Path{{Key: "path", Value: &c.Path}}
}

// TypeNames implements taggers.Typed.
func (c Config) TypeNames() []taggers.Types {
	return []taggers.Types{{Key: "types", Names: slices.Sorted(maps.Values(c.Types))}}
}

// Fixed implements taggers.Fixed.
func (Config) Fixed() {}

// Check implements taggers.Checker.
func (c Config) Check(types *data.TypeSet, _ int) error {
	_, err := c.read(types)
	return err
}

// Fit implements taggers.Node. It reads the file, and returns a *Tagger.
func (c Config) Fit(_ context.Context, task taggers.Task, _ ...taggers.Model) (data.Tagger, error) {
	return c.read(task.Types)
}

func (c Config) read(types *data.TypeSet) (*Tagger, error) {
	given := types
	if len(c.Types) > 0 {
		given = data.Any
	}
	t := &Tagger{c.Path, map[string]note{}}
	occur := map[string]bool{} // the types of the file
	for doc, err := range format.Read(c.Format, c.Path, format.Options{Types: given}) {
		if err != nil {
			return nil, err
		}
		for _, s := range doc.Spans {
			occur[s.Type] = true
		}
		n := note{ID: doc.ID, Text: digest(doc.Text)}
		for _, s := range disjoint(c.translate(doc.Spans)) {
			n.Spans = append(n.Spans, span(s))
		}
		t.notes[n.ID] = n
	}
	if len(t.notes) == 0 {
		return nil, fmt.Errorf("%s: contains no notes", c.Path)
	}
	if len(c.Types) > 0 {
		if err := c.checkTypes(occur); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// checkTypes returns an error if the settings name a type that does not occur in the file while they leave out types that do, as a typing
// error does.
func (c Config) checkTypes(occur map[string]bool) error {
	absent := slices.DeleteFunc(slices.Sorted(maps.Keys(c.Types)), func(name string) bool { return occur[name] })
	left := slices.DeleteFunc(slices.Sorted(maps.Keys(occur)), func(name string) bool { return c.Types[name] != "" })
	if len(absent) == 0 || len(left) == 0 {
		return nil
	}
	return fmt.Errorf("types: %s does not occur in %s, of which these types are left out: %s", absent[0], c.Path, strings.Join(left, ", "))
}

// translate returns the spans whose types the settings name, with the types of the corpus.
func (c Config) translate(spans []data.Span) (translated []data.Span) {
	if len(c.Types) == 0 {
		return spans
	}
	for _, s := range spans {
		if name, ok := c.Types[s.Type]; ok {
			s.Type = name
			translated = append(translated, s)
		}
	}
	return translated
}

// disjoint keeps the longest of spans that overlap, and of equally long ones that with the highest score. Presidio, for one, returns
// all that its recognizers find.
func disjoint(spans []data.Span) []data.Span {
	spans = slices.Clone(spans)
	slices.SortStableFunc(spans, func(a, b data.Span) int {
		return cmp.Or(cmp.Compare(b.End-b.Start, a.End-a.Start), cmp.Compare(b.Score, a.Score))
	})
	return data.Disjoint(spans)
}

// Tagger knows the spans of certain notes. Several goroutines may use it at once.
type Tagger struct {
	path  string
	notes map[string]note // by ID
}

// note is a line of a saved model.
type note struct {
	ID    string `json:"id"`
	Text  string `json:"sha256"` // of its text
	Spans []span `json:"spans"`
}

type span struct {
	Start int     `json:"start"` // in bytes
	End   int     `json:"end"`
	Type  string  `json:"type"`
	Score float64 `json:"score"`
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// Tag implements data.Tagger. A note that the file does not have, or with another text, is an error.
func (t *Tagger) Tag(_ context.Context, docs []*data.Document) ([][]data.Span, error) {
	found := make([][]data.Span, len(docs))
	for i, d := range docs {
		n, ok := t.notes[d.ID]
		switch {
		case !ok:
			return nil, fmt.Errorf("%s: contains no note with the id %q, so that nothing is known of its spans", t.path, d.ID)
		case n.Text != digest(d.Text):
			return nil, fmt.Errorf("%s: the note with the id %q has another text", t.path, d.ID)
		}
		for _, s := range n.Spans {
			found[i] = append(found[i], data.Span(s))
		}
	}
	return found, nil
}

// Contents implements taggers.Inventory.
func (t *Tagger) Contents() taggers.Contents {
	return taggers.Contents{Kind: "predicted", Vocabulary: len(t.notes), Entries: "notes", Privacy: "It holds the ids of notes and the places of their spans, and none of their words.", Unlearned: true}
}

// file is the name of the file of a saved model.
const file = "predicted.jsonl"

// Save implements taggers.Model. It writes ids, digests of texts and spans, but no text.
func (t *Tagger) Save(dir string) error {
	return wholefile.Write(filepath.Join(dir, file), 0o666, func(w io.Writer) error {
		for _, id := range slices.Sorted(maps.Keys(t.notes)) {
			line, err := json.Marshal(t.notes[id])
			if err != nil {
				return err
			}
			if _, err := w.Write(append(line, '\n')); err != nil {
				return err
			}
		}
		return nil
	})
}

// Load implements taggers.Node.
func (c Config) Load(dir string, types *data.TypeSet, _ int, _ ...taggers.Model) (data.Tagger, error) {
	path := filepath.Join(dir, file)
	raw, err := bounded.ReadFile(path, bounded.MaxModel)
	if err != nil {
		return nil, err
	}
	t := &Tagger{path, map[string]note{}}
	number := 0
	for line := range bytes.Lines(raw) {
		number++
		var n note
		if json.Unmarshal(line, &n, json.RejectUnknownMembers(true)) != nil {
			return nil, fmt.Errorf("%s:%d: is damaged", path, number)
		}
		for _, s := range n.Spans {
			if !types.Has(s.Type) || s.Start < 0 || s.End <= s.Start {
				return nil, fmt.Errorf("%s:%d: is damaged: a span is impossible", path, number)
			}
		}
		t.notes[n.ID] = n
	}
	return t, nil
}
