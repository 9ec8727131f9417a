// Package hf reads and writes the JSON of data sets for token classification, as programs around Hugging Face's libraries use
// it: one object per sentence or document, in JSON Lines or in one array:
//
//	{"id":"0","tokens":["Seen","by","Amundsen","."],"ner_tags":["O","O","B-DOCTOR","O"]}
//
// The format contains tokens but no text. The text of a document is its tokens joined by spaces and its rows joined by line
// ends, as in package conll.
package hf

import (
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
	// Columns are keys of further lists with an element for each token, such as pos_tags: a string, a
	// number, which is the value as it is written, or null. They become columns of the document.
	Columns []string `yaml:"columns,omitempty"`
}

// Check returns an error for impossible options. It begins with the name of the option.
func (o Options) Check() error {
	for i, label := range o.Labels {
		if _, err := sequence.Prefixed.Parse(label, data.Any); err != nil {
			return fmt.Errorf("labels[%d]: %w", i, err)
		}
	}
	for i, key := range o.Columns {
		if key == "" || slices.Contains(ownKeys, key) || slices.Contains(o.Columns[:i], key) {
			return fmt.Errorf("columns[%d]: %q cannot be the key of a column, or is given twice", i, key)
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
// row. The patient is under patient. Other keys are ignored unless Options names them as columns.
//
// A bad row, or a duplicate ID, invalidates its document: it yields a *data.Error with the line and the byte at which the row
// begins, and reading continues. Text that is not JSON ends the file with such an error.
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

	doc     *data.Document // the open document, or nil
	grouped bool           // its rows name it
	text    sequence.Text
	err     error // the defect of doc
}

// read yields the documents. It returns false if yield did.
func (f *file) read(r io.Reader, yield notes.Yield) bool {
	rows := 0
	goOn := notes.Values(r, f.name, "", func(v notes.Value, broken *data.Error) bool {
		rows++
		if broken != nil {
			f.doc = nil // the rest of it may be missing
			return yield(nil, broken)
		}
		return f.row(v, yield)
	})
	if goOn && rows == 0 {
		return yield(nil, notes.Defect(f.name, 0, -1, "no row in the file"))
	}
	return goOn && f.end(yield)
}

// row reads a row. It returns false if yield did.
func (f *file) row(v notes.Value, yield notes.Yield) bool {
	defect := func(err error) error {
		return notes.Defect(f.name, v.Line, v.Offset, fmt.Sprintf("row %d: %v", v.Number, err))
	}
	r, err := parse(v.Raw, f.opt.Columns)
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
		id := cmp.Or(r.document, r.id, fmt.Sprintf("%s-%04d", notes.ID(f.name), v.Number))
		f.doc, f.err, f.grouped = &data.Document{ID: id, Patient: r.patient}, nil, r.document != ""
		f.text.Reset()
		for _, name := range f.opt.Columns {
			f.text.AddColumn(name, "")
		}
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
		for name, values := range r.columns {
			f.text.AddColumn(name, values[i])
		}
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
	doc.Columns = f.text.Columns()
	return yield(doc, nil)
}

// row is a row of the data set.
type row struct {
	id, document, patient string
	tokens                []string
	key                   string // of the tags
	tags                  []jsontext.Value
	columns               map[string][]string // "": none
}

// The keys of the tokens and of the tags.
var (
	tokenKeys = []string{"tokens", "words"}
	tagKeys   = []string{"ner_tags", "tags", "labels"}
)

// ownKeys are the keys that have a meaning of their own.
var ownKeys = slices.Concat(tokenKeys, tagKeys, []string{"id", "document_id", "patient"})

// parse parses a row with these columns.
func parse(raw jsontext.Value, columns []string) (*row, error) {
	var values map[string]jsontext.Value
	if raw.Kind() != '{' || json.Unmarshal(raw, &values) != nil {
		return nil, errors.New("it is not an object")
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
		*into, _ = scalar(values[key])
	}
	r.columns = map[string][]string{}
	for _, name := range columns {
		var list []jsontext.Value
		if json.Unmarshal(values[name], &list) != nil || len(list) != len(r.tokens) {
			return nil, fmt.Errorf("%s, of hf.columns, is missing or not a list of %d elements, one for each token", name, len(r.tokens))
		}
		for i, raw := range list {
			value, ok := scalar(raw)
			if !ok && raw.Kind() != 'n' {
				return nil, fmt.Errorf("%s: element %d is neither a string nor a number", name, i)
			}
			r.columns[name] = append(r.columns[name], value)
		}
	}
	return r, nil
}

// scalar returns a string, or a number as it is written.
func scalar(value jsontext.Value) (string, bool) {
	switch value.Kind() {
	case '"':
		text, _ := jsontext.AppendUnquote(nil, value)
		return string(text), true
	case '0':
		return value.String(), true
	}
	return "", false
}

// only returns the only one of several keys that an object has.
func only(values map[string]jsontext.Value, keys []string) (string, error) {
	given := slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return values[key] == nil })
	if len(given) != 1 {
		return "", fmt.Errorf("it has %d of the keys %s instead of one", len(given), strings.Join(keys, ", "))
	}
	return given[0], nil
}

// Recognize reports whether a file of JSON begins with a row, from its path and its first bytes.
func Recognize(path string, head []byte) bool {
	keys := notes.FirstKeys(head)
	return slices.Contains(Exts, notes.Ext(path)) && slices.ContainsFunc(tokenKeys, func(key string) bool { return slices.Contains(keys, key) }) &&
		slices.ContainsFunc(tagKeys, func(key string) bool { return slices.Contains(keys, key) })
}
