// Package review lets people check what a model found. It draws a sample of notes, keeps what one or two readers say about
// each, and computes from it how well the readers agree, and how much PHI the model leaves in the text:
//
//	drawn, err := review.Sample(ctx, "review", notes, model, review.Draw{By: review.ByNote, Notes: 50, Seed: 1, Readers: []string{"anna", "ben"}})
//	...
//	r, err := review.Open("review")
//	version, err := r.Put(1, "anna", review.Reading{Spans: spans, Done: true})
//	...
//	bound, err := r.Bound()
//	fmt.Println(bound.Statement())
//
// A review is a folder:
//
//	review.json              what was sampled, and how
//	notes/0001.json          a note with the spans and the doubts of the model
//	readers/anna/0001.json   what a reader says about it
//
// The folder contains the texts of the notes, so only its owner may read it. Every file appears under its name only when it is
// complete and on disk, and several processes may write to a review at the same time.
package review

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/wholefile"
)

const (
	manifestFile  = "review.json"
	notesFolder   = "notes"
	readersFolder = "readers"
	layout        = 1 // version of the folder's layout
)

// Final is the reader who decides where two others differ.
const Final = "final"

// Manifest describes the sample of a review.
type Manifest struct {
	Layout     int                `json:"layout"`
	Version    string             `json:"version"` // version of the program that drew the sample
	Name       string             `json:"name"`
	Model      string             `json:"model"`            // name or folder of the model
	Digest     string             `json:"digest"`           // of the model: see models.Model.Digest
	Types      data.TypeSetConfig `json:"types"`            // of the model
	TypeNames  []string           `json:"type_names"`       // the types that readers can choose
	Finds      string             `json:"finds,omitempty"`  // options that decide what the model finds, for people
	By         By                 `json:"by"`               // how the notes were drawn
	Seed       uint64             `json:"seed"`             // of a random sample
	Unaided    bool               `json:"unaided"`          // readers do not see the spans of the model
	Readers    []string           `json:"readers"`          // one or two
	Population Population         `json:"population"`       // the notes that the sample was drawn from
	Failed     int                `json:"failed,omitempty"` // number of notes that the model could not examine; they are not in Notes
	Notes      []Entry            `json:"notes"`            // note i has the number i+1
}

// Population counts the notes that a sample was drawn from.
type Population struct {
	Notes  int `json:"notes"`
	Tokens int `json:"tokens"` // as evaluation.Tokens counts them
	Units  int `json:"units"`  // what was drawn: patients if By is ByPatient, otherwise notes
	Failed int `json:"failed"` // number of notes that could not be read; they are not among Notes
}

// Entry is a note of the sample in the Manifest.
type Entry struct {
	ID       string  `json:"id"`
	Unit     int     `json:"unit"`     // number, from 1, of the drawn unit that the note belongs to
	Bytes    int     `json:"bytes"`    // length of the text
	Tokens   int     `json:"tokens"`   // as evaluation.Tokens counts them
	Spans    int     `json:"spans"`    // number of spans of the model
	Doubtful float64 `json:"doubtful"` // the lowest probability, in [0, 1], that a span of the model is right or that a doubt is not PHI; 1 if there are neither
	SHA256   string  `json:"sha256"`   // of the file
}

// Note is a note of a sample.
type Note struct {
	Number  int    `json:"number"` // from 1
	ID      string `json:"id"`
	Patient string `json:"patient"`
	Text    string `json:"text"`
	Spans   []Span `json:"spans"`  // what the model found: sorted and disjoint
	Doubts  []Span `json:"doubts"` // tokens that the model left, with a probability of at least LeastDoubt
}

// Span is a data.Span in JSON, with offsets in bytes.
type Span struct {
	Start int     `json:"start"`
	End   int     `json:"end"`
	Type  string  `json:"type"`
	Score float64 `json:"score"`
}

// Document returns the note with the given spans.
func (n *Note) Document(spans []data.Span) *data.Document {
	return &data.Document{ID: n.ID, Patient: n.Patient, Text: n.Text, Spans: spans}
}

// Found returns the spans of the model.
func (n *Note) Found() []data.Span { return fromJSON(n.Spans) }

// Doubtful returns the doubts of the model.
func (n *Note) Doubtful() []data.Span { return fromJSON(n.Doubts) }

func toJSON(spans []data.Span) []Span {
	all := make([]Span, len(spans))
	for i, s := range spans {
		all[i] = Span{s.Start, s.End, s.Type, s.Score}
	}
	return all
}

func fromJSON(spans []Span) []data.Span {
	all := make([]data.Span, len(spans))
	for i, s := range spans {
		all[i] = data.Span{Start: s.Start, End: s.End, Type: s.Type, Score: s.Score}
	}
	return all
}

// Review is an open review. It is safe for concurrent use.
type Review struct {
	Manifest
	dir     string
	types   *data.TypeSet
	writing sync.Mutex
}

// Open opens the review in a folder that Sample has written.
func Open(dir string) (*Review, error) {
	raw, err := bounded.ReadFile(filepath.Join(dir, manifestFile), bounded.MaxModel)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: is not the folder of a review, or its sample was not completed: it has no %s", dir, manifestFile)
	}
	if err != nil {
		return nil, err
	}
	r := &Review{dir: dir}
	if err := unmarshal(raw, &r.Manifest); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, manifestFile), err)
	}
	switch {
	case r.Layout != layout:
		err = fmt.Errorf("its layout is %d, and this version of lethe reads %d", r.Layout, layout)
	case checkReaders(r.Readers) != nil:
		err = checkReaders(r.Readers)
	case len(r.Notes) == 0:
		err = errors.New("it has no notes")
	case slices.ContainsFunc(r.Notes, func(e Entry) bool { return e.Unit < 1 || e.Unit > r.Population.Units }):
		err = errors.New("it has more notes than the population")
	default:
		r.types, err = r.Types.Stored()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, manifestFile), err)
	}
	return r, nil
}

// unmarshal decodes JSON strictly. The error contains nothing of it.
func unmarshal(raw []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if d.Decode(into) != nil || d.More() {
		return errors.New("is damaged, or was written by another program")
	}
	return nil
}

// TypeSet returns the type set of the spans.
func (r *Review) TypeSet() *data.TypeSet { return r.types }

// ErrNoNote is the error for a number that no note of the review has.
var ErrNoNote = errors.New("the review has no note with this number")

// Note returns the note with a number from 1 to len(Notes). It is an error if the file of the note has changed, because the
// offsets of the readers would no longer fit.
func (r *Review) Note(number int) (*Note, error) {
	if number < 1 || number > len(r.Notes) {
		return nil, ErrNoNote
	}
	path := r.notePath(number)
	raw, err := bounded.ReadFile(path, bounded.MaxModel)
	if err != nil {
		return nil, err
	}
	if digest(raw) != r.Notes[number-1].SHA256 {
		return nil, fmt.Errorf("%s: has changed since the sample was drawn", path)
	}
	n := &Note{}
	if err := unmarshal(raw, n); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return n, nil
}

func (r *Review) notePath(number int) string {
	return filepath.Join(r.dir, notesFolder, fileName(number))
}

func fileName(number int) string { return fmt.Sprintf("%04d.json", number) }

func digest(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// write writes a value as a complete file that only its owner can read, and returns the digest of the file.
func write(path string, value any) (string, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	return digest(out.Bytes()), wholefile.WriteFile(path, out.Bytes(), 0o600)
}

// checkReaders returns an error unless there are one or two readers, with names that are safe as names of folders.
func checkReaders(names []string) error {
	if len(names) != 1 && len(names) != 2 {
		return fmt.Errorf("a review has one or two readers, not %d", len(names))
	}
	for _, name := range names {
		if name == Final {
			return fmt.Errorf("a reader cannot have the name %s, which is for the decisions where two readers differ", Final)
		}
		other := func(c rune) bool { return (c < 'a' || c > 'z') && (c < '0' || c > '9') }
		if name == "" || len(name) > 32 || strings.ContainsFunc(strings.ReplaceAll(name, "-", ""), other) || name[0] == '-' {
			return errors.New("the name of a reader must have 1 to 32 characters a to z, 0 to 9 and -, and not begin with -")
		}
	}
	if len(names) == 2 && names[0] == names[1] {
		return errors.New("the two readers must have different names")
	}
	return nil
}

// has reports whether somebody can write readings under this name.
func (r *Review) has(reader string) bool {
	return slices.Contains(r.Readers, reader) || reader == Final && len(r.Readers) == 2
}
