package conll

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data/internal/sequence"
)

// Options describe how files to read are laid out. The zero value describes files
// such as those of CoNLL-2003.
type Options struct {
	// Documents says where documents begin: at each -DOCSTART- line (ByDocstart, the
	// default), at each block of lines without a blank one (ByBlock), where the value of a
	// column changes (ByColumn), or only at the start of a file (ByFile).
	Documents string `yaml:"documents,omitempty"`
	// ID is the column, counted from 1, with the ID of the document, for ByColumn.
	ID int `yaml:"id,omitempty"`
	// Token is the column of the token, counted from 1. The default is the first, if it does
	// not only count tokens.
	Token int `yaml:"token,omitempty"`
	// Label is the column of the label, counted from 1, or from the end if it is negative;
	// default -1, the last.
	Label int `yaml:"label,omitempty"`
	// Labels says how labels are formed: prefix (B-DOCTOR, the default), suffix (DOCTOR-B), or
	// bare (DOCTOR, where adjacent tokens of a type are one span).
	Labels string `yaml:"labels,omitempty"`
	// Columns are other columns to read, each counted from 1, by the name that it gets in
	// data.Document.Columns. The value _ means none. Default: none are read.
	Columns map[string]int `yaml:"columns,omitempty"`
	// Header says that the first line of each file contains the names of the columns.
	Header bool `yaml:"header,omitempty"`
	// Comments is how lines begin that are to be skipped, such as "# "; default none.
	Comments string `yaml:"comments,omitempty"`
	// Extensions are the extensions of the files that are read in a folder; default .conll.
	Extensions []string `yaml:"extensions,omitempty"`
}

// The values of Options.Documents.
const (
	ByDocstart = "docstart"
	ByBlock    = "block"
	ByColumn   = "column"
	ByFile     = "file"
)

// Exts returns the extensions of the files that are read in a folder.
func (o Options) Exts() []string {
	if len(o.Extensions) > 0 {
		return o.Extensions
	}
	return []string{Ext}
}

// Check returns an error for impossible options. It begins with the name of the option.
func (o Options) Check() error {
	if all := []string{"", ByDocstart, ByBlock, ByColumn, ByFile}; !slices.Contains(all, o.Documents) {
		return fmt.Errorf("documents: %q is not docstart, block, column or file", o.Documents)
	}
	switch {
	case o.Documents == ByColumn && o.ID < 1:
		return errors.New("id: the column of the document's ID, counted from 1, is required with documents: column")
	case o.Documents != ByColumn && o.ID != 0:
		return errors.New("id: requires documents: column")
	case o.Token < 0:
		return fmt.Errorf("token: %d is not a column, counted from 1", o.Token)
	}
	if err := sequence.Labels(o.Labels).Check(); err != nil {
		return fmt.Errorf("labels: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(o.Columns)) {
		switch at := o.Columns[name]; {
		case name == "":
			return errors.New("columns: a name is empty")
		case at < 1:
			return fmt.Errorf("columns.%s: %d is not a column, counted from 1", name, at)
		case at == max(o.Token, 1) || at == o.Label:
			return fmt.Errorf("columns.%s: %d is the column of the token or of the label", name, at)
		}
	}
	for _, ext := range o.Extensions {
		if !strings.HasPrefix(ext, ".") || ext != strings.ToLower(ext) {
			return fmt.Errorf("extensions: %q is not an extension in lower case with its dot", ext)
		}
	}
	return nil
}

// Writing says how documents become tokens with labels.
type Writing = sequence.Writing

// NewWriting returns a Writing by the names of a label scheme (BIO, which is IOB2, BIOES or BILOU), a tokenizer and a sentence
// splitter (see package tokenize). Empty names mean BIO, tokens that are separated by ASCII white space, and one sentence
// per line. Errors begin with the name of the setting.
func NewWriting(scheme, tokenizer, sentences string) (Writing, error) {
	return sequence.NewWriting(sequence.Scheme(scheme), tokenizer, sentences)
}
