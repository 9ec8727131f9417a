// Package spacy reads and writes the corpora of spaCy 3: the binary DocBin (.spacy) that spaCy trains on, and JSON.
//
// A JSON file contains documents as Doc.to_json makes them, one per line or in an array,
//
//	{"text":"Seen by Amundsen.","ents":[{"start":8,"end":16,"label":"DOCTOR"}]}
//
// or the pairs that are usual for training data, likewise:
//
//	["Seen by Amundsen.",{"entities":[[8,16,"DOCTOR"]]}]
//
// Offsets count code points. In a DocBin, the text consists of tokens, and spans begin and end with tokens; see docbin.go.
//
// The spans of a document are its entities (ents). Since these cannot overlap, some projects use span groups (spans)
// instead: if a document has no entities, and one span group, the spans are those of the group. If it has both, or several
// groups, then the others must repeat spans of the largest; anything else is an error, because annotations would be lost.
// It is also an error if nobody has set the entities of a document, or of some of its tokens (in a DocBin, ENT_IOB is 0; in
// JSON, the key is missing), because it would be read as free of PHI.
//
// The labels are the types. spaCy has no field for the ID of a note and for its patient. In a DocBin they are the extension
// attributes note_id and patient_id (Doc._.note_id), which are in the user data; in JSON they are under the keys id and
// patient, which spaCy ignores, or are those extension attributes, under the key "_". Without an ID, a document gets the
// file's name and its number, as in "train-0007". Categories, lemmas, heads and anything else are not read.
package spacy

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/internal/notes"
)

// Exts are the extensions of the files of this format in a folder.
var Exts = []string{binExt, linesExt, arrayExt}

const (
	binExt   = ".spacy"
	linesExt = ".jsonl"
	arrayExt = ".json"
)

// Read reads one file, or the .spacy, .jsonl and .json files of a folder in the order of their names. It ignores hidden files
// and subfolders. The content of a file, not its extension, says whether it is a DocBin.
//
// A bad document, or one with a duplicate ID, yields a *data.Error with the line or the number of the document, and
// reading continues with the next. A file that is neither JSON nor a DocBin yields one error, which ends it.
func Read(path string, types *data.TypeSet) data.Documents {
	return notes.Files(path, Exts, func(r io.Reader, name string, seen map[string]bool, yield notes.Yield) bool {
		return (&file{name, types, seen}).read(r, yield)
	})
}

// Decode reads the documents of a stream. name is used as the file's path in errors and IDs.
func Decode(r io.Reader, name string, types *data.TypeSet) data.Documents {
	return func(yield func(*data.Document, error) bool) {
		(&file{name, types, map[string]bool{}}).read(r, yield)
	}
}

// file is a file that is being read.
type file struct {
	name  string
	types *data.TypeSet
	seen  map[string]bool // IDs
}

// read yields the documents. It returns false if yield did.
func (f *file) read(r io.Reader, yield notes.Yield) bool {
	var first [1]byte
	if n, _ := io.ReadFull(r, first[:]); n == 1 && first[0] == zlibMagic {
		return f.readBin(io.MultiReader(bytes.NewReader(first[:]), r), yield)
	} else {
		return f.readJSON(io.MultiReader(bytes.NewReader(first[:n]), r), yield)
	}
}

// found is what a file says about a document.
type found struct {
	id, patient string
	text        string
	ents        []data.Span
	entsAreSet  bool
	groups      map[string][]data.Span // the span groups
}

// document makes the document with a number.
func (f *file) document(got found, number int) (*data.Document, error) {
	spans, err := got.spans()
	if err != nil {
		return nil, err
	}
	for _, s := range spans {
		if !f.types.Has(s.Type) {
			return nil, errors.New(f.types.Lacks(s.Type))
		}
	}
	doc := &data.Document{
		ID:      cmp.Or(got.id, fmt.Sprintf("%s-%04d", notes.ID(f.name), number)),
		Patient: got.patient,
		Text:    got.text,
		Spans:   spans,
	}
	if f.seen[doc.ID] {
		return nil, errors.New("duplicate id")
	}
	f.seen[doc.ID] = true
	return doc, nil
}

// spans chooses between the entities and the span groups.
func (got *found) spans() ([]data.Span, error) {
	all := [][]data.Span{got.ents}
	for _, name := range slices.Sorted(maps.Keys(got.groups)) {
		all = append(all, got.groups[name])
	}
	if !got.entsAreSet && len(got.groups) == 0 {
		return nil, errors.New("nobody has set the entities of the document, and it has no span groups")
	}
	largest := slices.MaxFunc(all, func(a, b []data.Span) int { return len(a) - len(b) })
	for _, other := range all {
		for _, s := range other {
			if !slices.Contains(largest, s) {
				return nil, errors.New("the entities and the span groups of the document, or several groups, have different spans")
			}
		}
	}
	data.SortSpans(largest)
	return largest, nil
}

// Create returns a writer of all documents into one file, which appears at Close: JSON Lines if the path ends in .jsonl, an
// array if it ends in .json, or else a DocBin, whose documents are held in memory until then. The tokens are those of the tokenizer ptb, cut where a span
// begins or ends; white space is in tokens of its own, except for a single space after a token, as in spaCy.
//
// The spans of a document are entities or, if they overlap, the span group "sc", which is the one that spaCy's span
// categorizer learns from; its entities are not set then. Scores are not written.
func Create(path string, types *data.TypeSet) (data.Writer, error) {
	switch strings.ToLower(filepath.Ext(path)) {
	case linesExt:
		return notes.NewFile(path, types, func(doc *data.Document) ([]byte, error) { return encodeJSON(doc, "", "\n") })
	case arrayExt:
		before := "\n"
		return notes.NewFramed(path, "[", "\n]\n", types, func(doc *data.Document) ([]byte, error) {
			raw, err := encodeJSON(doc, before, "")
			if err == nil {
				before = ",\n"
			}
			return raw, err
		})
	}
	b := &bin{}
	return notes.NewCollected(path, types, b.add, b.bytes)
}

// overlap reports whether two of the sorted spans do.
func overlap(spans []data.Span) bool {
	end := 0
	for _, s := range spans {
		if s.Start < end {
			return true
		}
		end = s.End
	}
	return false
}

// group is the span group of spans that overlap.
const group = "sc"

// Names of extension attributes.
const (
	noteAttribute    = "note_id"
	patientAttribute = "patient_id"
)
