// Package hf reads and writes the JSON of data sets for token classification, as programs around Hugging Face's libraries use
// it: one object per sentence or document, in JSON Lines or in one array:
//
//	{"id":"0","tokens":["Seen","by","Amundsen","."],"ner_tags":["O","O","B-DOCTOR","O"]}
//
// The format contains tokens but no text. The text of a document is its tokens joined by spaces and its rows joined by line
// ends, as in package conll.
package hf

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/internal/notes"
	"github.com/lethe-deid/lethe/data/internal/sequence"
	"github.com/lethe-deid/lethe/internal/bounded"
)

// Exts are the extensions of the files of this format in a folder.
var Exts = []string{".jsonl", ".json"}

// info is the file in the folder of a data set that names its labels.
const info = "dataset_info.json"

// Options describe a data set. Its zero value describes one whose tags are not numbers.
type Options struct {
	// Labels are the labels that tags mean which are numbers, the first of them for 0. By
	// default, they are those that dataset_info.json, in the folder of the file, has for the key of
	// the tags.
	Labels []string `yaml:"labels,omitempty"`
}

// Check returns an error for impossible options. It begins with the name of the option.
func (o Options) Check() error {
	for i, label := range o.Labels {
		if _, err := sequence.Prefixed.Parse(label, data.Any); err != nil {
			return fmt.Errorf("labels[%d]: %w", i, err)
		}
	}
	return nil
}

// Read reads one file, or the .jsonl and .json files of a folder in the order of their names. It ignores hidden files,
// subfolders, and the files dataset_info.json and state.json.
//
// The tokens are under the key tokens (or words), the tags under ner_tags, tags or labels, of which a row must have exactly
// one. Tags are labels as in package conll, or numbers of labels. Consecutive rows with the same document_id are the sentences
// of one document; otherwise each row is a document, whose ID is that under id, or the name of the file and the number of the
// row. The patient is under patient. Other keys are ignored.
//
// A bad row, or a duplicate ID, invalidates its document: it yields a *data.Error with the byte at which the row begins, and
// reading continues. Text that is not JSON ends the file with such an error.
func Read(path string, types *data.TypeSet, opt Options) data.Documents {
	return notes.Files(path, Exts, func(r io.Reader, name string, seen map[string]bool, yield notes.Yield) bool {
		if base := filepath.Base(name); name != path && (base == info || base == "state.json") {
			return true
		}
		f := &file{name: name, types: types, opt: opt, seen: seen, infos: filepath.Join(filepath.Dir(name), info)}
		return f.read(r, yield)
	})
}

// Decode reads the documents of a stream. name is used as the file's path in errors and IDs.
func Decode(r io.Reader, name string, types *data.TypeSet, opt Options) data.Documents {
	return func(yield func(*data.Document, error) bool) {
		(&file{name: name, types: types, opt: opt, seen: map[string]bool{}}).read(r, yield)
	}
}

// file is a file that is being read.
type file struct {
	name  string
	types *data.TypeSet
	opt   Options
	seen  map[string]bool // IDs
	infos string          // path of dataset_info.json; "" for a stream
	start int64           // offset of the JSON: after a byte order mark, if there is one

	doc     *data.Document // the open document, or nil
	grouped bool           // its rows name it
	text    sequence.Text
	err     error // the defect of doc
}

// read yields the documents. It returns false if yield did.
func (f *file) read(r io.Reader, yield notes.Yield) bool {
	in := bufio.NewReader(r)
	if mark, _ := in.Peek(len(notes.BOM)); string(mark) == notes.BOM {
		_, _ = in.Discard(len(notes.BOM))
		f.start = int64(len(notes.BOM))
	}
	meter := &meter{in: in, left: bounded.MaxNote}
	d := jsontext.NewDecoder(meter)
	array := d.PeekKind() == '['
	if array {
		_, _ = d.ReadToken()
	}
	number := 0
	for {
		if array && d.PeekKind() == ']' {
			_, _ = d.ReadToken()
			if _, err := d.ReadToken(); err != io.EOF {
				return yield(nil, f.defect(d.InputOffset(), errors.New("something follows the array of rows")))
			}
			break
		}
		meter.left = bounded.MaxNote
		raw, err := d.ReadValue()
		if err == io.EOF && !array {
			break
		}
		if err != nil {
			return yield(nil, f.broken(err))
		}
		number++
		if !f.row(bytes.Clone(raw), number, d.InputOffset()-int64(len(raw)), yield) {
			return false
		}
	}
	if number == 0 {
		return yield(nil, notes.Defect(f.name, 0, -1, "no row in the file"))
	}
	return f.end(yield)
}

// row reads a row. It returns false if yield did.
func (f *file) row(raw jsontext.Value, number int, at int64, yield notes.Yield) bool {
	defect := func(err error) error { return f.defect(at, fmt.Errorf("row %d: %w", number, err)) }
	r, err := parse(raw)
	if err != nil && f.doc != nil && f.grouped { // the row may be one of the document
		f.err = cmp.Or(f.err, defect(err))
		return true
	} else if err != nil {
		return f.end(yield) && yield(nil, defect(err))
	}
	if f.doc == nil || r.document == "" || r.document != f.doc.ID {
		if !f.end(yield) {
			return false
		}
		id := cmp.Or(r.document, r.id, fmt.Sprintf("%s-%04d", notes.ID(f.name), number))
		f.doc, f.err, f.grouped = &data.Document{ID: id, Patient: r.patient}, nil, r.document != ""
		f.text.Reset()
		if f.seen[id] {
			f.err = defect(errors.New("duplicate id; the rows of a document must follow one another"))
		}
		f.seen[id] = true
	}
	if f.err != nil {
		return true
	}
	if r.patient != f.doc.Patient {
		f.err = defect(errors.New("the rows of a document have different patients"))
		return true
	}
	if err := f.add(r); err != nil {
		f.err = defect(err)
	}
	return true
}

// add adds the tokens of a row to the open document.
func (f *file) add(r *row) error {
	f.text.EndSentence()
	for i, token := range r.tokens {
		label, err := f.label(r, i)
		if err != nil {
			return fmt.Errorf("tag %d: %w", i, err)
		}
		if token == "" || strings.ContainsAny(token, sequence.Spaces) {
			return fmt.Errorf("token %d is empty or contains white space", i)
		}
		if f.text.Len()+len(token) >= bounded.MaxNote {
			return errors.New("the document is too large")
		}
		f.text.Add(token, label)
	}
	return nil
}

// label returns the label of a token.
func (f *file) label(r *row, i int) (string, error) {
	var label string
	switch tag := r.tags[i]; tag.Kind() {
	case '"':
		text, _ := jsontext.AppendUnquote(nil, tag)
		label = string(text)
	case '0':
		if f.opt.Labels == nil {
			labels, err := f.named(r.key)
			if err != nil {
				return "", err
			}
			f.opt.Labels = labels
		}
		n, err := strconv.Atoi(tag.String())
		if err != nil || n < 0 || n >= len(f.opt.Labels) {
			return "", fmt.Errorf("the number is not that of one of the %d labels", len(f.opt.Labels))
		}
		label = f.opt.Labels[n]
	default:
		return "", errors.New("it is neither a string nor a number")
	}
	return sequence.Prefixed.Parse(label, f.types)
}

// named returns the labels that dataset_info.json has for a key.
func (f *file) named(key string) ([]string, error) {
	missing := errors.New("it is a number, and nothing says of which label: give the labels, or put dataset_info.json of the data set beside the file")
	if f.infos == "" {
		return nil, missing
	}
	raw, err := bounded.ReadFile(f.infos, bounded.MaxConfig)
	if errors.Is(err, os.ErrNotExist) {
		return nil, missing
	} else if err != nil {
		return nil, err
	}
	var content struct {
		Features map[string]struct {
			Feature struct {
				Names []string `json:"names"`
			} `json:"feature"`
		} `json:"features"`
	}
	if json.Unmarshal(raw, &content) != nil || len(content.Features[key].Feature.Names) == 0 {
		return nil, fmt.Errorf("it is a number, and %s does not have features.%s.feature.names", f.infos, key)
	}
	return content.Features[key].Feature.Names, nil
}

// end closes the open document, if there is one. It returns false if yield did.
func (f *file) end(yield notes.Yield) bool {
	doc := f.doc
	f.doc = nil
	switch {
	case doc == nil:
		return true
	case f.err != nil:
		return yield(nil, f.err)
	}
	doc.Text, doc.Spans = f.text.Document()
	return yield(doc, nil)
}

// broken returns the error of a file that is not JSON, or cannot be read.
func (f *file) broken(err error) error {
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return f.defect(e.ByteOffset, errors.New("not valid JSON"))
	}
	return notes.Unreadable(f.name, err)
}

func (f *file) defect(at int64, err error) error {
	return notes.Defect(f.name, 0, int(f.start+at), err.Error())
}

// row is a row of the data set.
type row struct {
	id, document, patient string
	tokens                []string
	key                   string // of the tags
	tags                  []jsontext.Value
}

// The keys of the tokens and of the tags.
var (
	tokenKeys = []string{"tokens", "words"}
	tagKeys   = []string{"ner_tags", "tags", "labels"}
)

// parse parses a row.
func parse(raw jsontext.Value) (*row, error) {
	var values map[string]jsontext.Value
	if raw.Kind() != '{' || json.Unmarshal(raw, &values) != nil {
		return nil, errors.New("it is not an object, or has a duplicate key")
	}
	tokens, err := only(values, tokenKeys)
	if err != nil {
		return nil, err
	}
	tags, err := only(values, tagKeys)
	if err != nil {
		return nil, err
	}
	r := &row{key: tags}
	if json.Unmarshal(values[tokens], &r.tokens) != nil {
		return nil, fmt.Errorf("%s is not a list of strings", tokens)
	}
	if json.Unmarshal(values[tags], &r.tags) != nil {
		return nil, fmt.Errorf("%s is not a list", tags)
	}
	if len(r.tokens) != len(r.tags) {
		return nil, fmt.Errorf("it has %d %s and %d %s", len(r.tokens), tokens, len(r.tags), tags)
	}
	for key, into := range map[string]*string{"id": &r.id, "document_id": &r.document, "patient": &r.patient} {
		switch value := values[key]; value.Kind() {
		case '"':
			text, _ := jsontext.AppendUnquote(nil, value)
			*into = string(text)
		case '0':
			*into = value.String()
		}
	}
	return r, nil
}

// only returns the only one of several keys that an object has.
func only(values map[string]jsontext.Value, keys []string) (string, error) {
	given := slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return values[key] == nil })
	if len(given) != 1 {
		return "", fmt.Errorf("it has %d of the keys %s instead of one", len(given), strings.Join(keys, ", "))
	}
	return given[0], nil
}

// meter fails when a row is too large to be held in memory.
type meter struct {
	in   *bufio.Reader
	left int64
}

func (m *meter) Read(p []byte) (int, error) {
	n, err := m.in.Read(p)
	if m.left -= int64(n); m.left < 0 {
		return n, bounded.ErrTooLarge
	}
	return n, err
}

// Recognize reports whether a file of JSON begins with a row, from its path and its first bytes.
func Recognize(path string, head []byte) bool {
	keys := notes.FirstKeys(head)
	return slices.Contains(Exts, notes.Ext(path)) && slices.ContainsFunc(tokenKeys, func(key string) bool { return slices.Contains(keys, key) }) &&
		slices.ContainsFunc(tagKeys, func(key string) bool { return slices.Contains(keys, key) })
}
