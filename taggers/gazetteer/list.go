package gazetteer

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/lethe-deid/lethe/data"
)

// List says where entries come from and which of them count.
type List struct {
	Name    string  `yaml:"name"`    // what features call it; default: the built-in list's, or the file's name without extension
	Builtin string  `yaml:"builtin"` // one of Builtins; either this or File is required
	File    string  `yaml:"file"`    // a path; gzipped or not; UTF-8
	Type    string  `yaml:"type"`    // PHI type of its entries in the text; default "": none, the list is a feature only
	Score   float64 `yaml:"score"`   // score of its spans, in (0, 1]; default 0, which stands for 1

	Format      Format  `yaml:"format"`       // of the file; default by its name: csv for .csv, tsv for .tsv, else lines
	Column      string  `yaml:"column"`       // of the entry: its name, if the first line names the columns, or else its number, from 1; not for lines
	CountColumn string  `yaml:"count_column"` // of the count of people who have the name, or of their percentage; default "": none
	MinCount    float64 `yaml:"min_count"`    // entries with a lower count are left out; no count ("" or "..") is 0; default 0: all are kept

	Fold      Fold     `yaml:"fold"`       // which differences between two words are ignored; default both
	Capital   bool     `yaml:"capital"`    // find only what begins with an upper-case or title-case letter in the text; default false
	MinLength int      `yaml:"min_length"` // entries of fewer characters are left out; default 0: all are kept
	Filters   []string `yaml:"filters"`    // names of other lists, here or built in, whose entries are left out: common words, diseases; default none
}

// Format is how a file lists its entries.
type Format string

// The formats. In the last three all lines have the same number of columns.
const (
	Lines   Format = "lines"   // an entry a line; a line that begins with # is a comment, and a space before # makes it an entry
	CSV     Format = "csv"     // columns between commas, in quotes if need be (RFC 4180)
	TSV     Format = "tsv"     // columns between tabs
	Columns Format = "columns" // columns between spaces, as in the name files of the US census
)

func (l *List) format() Format {
	if l.Format != "" {
		return l.Format
	}
	switch filepath.Ext(strings.TrimSuffix(l.File, ".gz")) {
	case ".csv":
		return CSV
	case ".tsv":
		return TSV
	}
	return Lines
}

func (l *List) name() string {
	if l.Name != "" || l.File == "" {
		return cmp.Or(l.Name, l.Builtin)
	}
	name := strings.TrimSuffix(filepath.Base(l.File), ".gz")
	switch ext := filepath.Ext(name); ext {
	case ".csv", ".tsv", ".txt":
		name = strings.TrimSuffix(name, ext)
	}
	return name
}

func (l *List) fold() Fold {
	if l.Fold == "" {
		return FoldBoth
	}
	return l.Fold
}

func (l *List) score() float64 {
	if l.Score == 0 {
		return 1
	}
	return l.Score
}

// Lists is the lists of one dictionary.
type Lists []List

// Names are the lists' names, in their order.
func (ls Lists) Names() []string {
	var names []string
	for i := range ls {
		names = append(names, ls[i].name())
	}
	return names
}

// Paths points to the paths of the files, to be resolved by the caller.
func (ls Lists) Paths() []*string {
	var paths []*string
	for i := range ls {
		if ls[i].File != "" {
			paths = append(paths, &ls[i].File)
		}
	}
	return paths
}

// Validate names the first key that makes no sense. It opens no file.
func (ls Lists) Validate() error {
	names := ls.Names()
	for i := range ls {
		if err := ls[i].validate(); err != nil {
			return fmt.Errorf("lists[%d].%w", i, err)
		}
		if first := slices.Index(names, names[i]); first < i {
			return fmt.Errorf("lists[%d].name: %s is that of lists[%d]", i, names[i], first)
		}
		for j, f := range ls[i].Filters {
			if f == names[i] {
				return fmt.Errorf("lists[%d].filters[%d]: %s is the list itself", i, j, f)
			}
			if !slices.Contains(names, f) && !slices.Contains(Builtins(), f) {
				return fmt.Errorf("lists[%d].filters[%d]: no list %q here or built in", i, j, f)
			}
		}
	}
	if len(ls) == 0 {
		return fmt.Errorf("lists: there is none")
	}
	if len(ls) > maxLists {
		return fmt.Errorf("lists: %d are more than %d", len(ls), maxLists)
	}
	return nil
}

func (l *List) validate() error {
	switch {
	case (l.File == "") == (l.Builtin == ""):
		return fmt.Errorf("file: either this or builtin must be given")
	case l.Builtin != "" && !slices.Contains(Builtins(), l.Builtin):
		return fmt.Errorf("builtin: no built-in list %q (have %s)", l.Builtin, strings.Join(Builtins(), ", "))
	case l.Builtin != "" && (l.Format != "" || l.Column != "" || l.CountColumn != ""):
		return fmt.Errorf("builtin: goes without format, column and count_column")
	case l.Type != "" && !data.Any.Has(l.Type):
		return fmt.Errorf("type: is not the name of a type")
	case !(l.Score >= 0 && l.Score <= 1):
		return fmt.Errorf("score: %v is not in [0, 1]", l.Score)
	case !slices.Contains([]Format{"", Lines, CSV, TSV, Columns}, l.Format):
		return fmt.Errorf("format: %q is not lines, csv, tsv or columns", string(l.Format))
	case l.format() == Lines && l.Column != "":
		return fmt.Errorf("column: goes with csv, tsv and columns, not with lines")
	case l.format() != Lines && l.Column == "":
		return fmt.Errorf("column: must be given with %s", l.format())
	case l.CountColumn != "" && l.Column == "":
		return fmt.Errorf("count_column: goes with column")
	case l.CountColumn != "" && number(l.Column) != number(l.CountColumn):
		return fmt.Errorf("count_column: one of the columns is named and the other numbered")
	case !(l.MinCount >= 0):
		return fmt.Errorf("min_count: %v is not at least 0", l.MinCount)
	case l.MinCount > 0 && l.CountColumn == "":
		return fmt.Errorf("min_count: goes with count_column")
	case !slices.Contains([]Fold{"", FoldBoth, FoldCase, FoldAccents, FoldNone}, l.Fold):
		return fmt.Errorf("fold: %q is not both, case, accents or none", string(l.Fold))
	case l.MinLength < 0:
		return fmt.Errorf("min_length: %d is negative", l.MinLength)
	}
	return nil
}

// number says whether a column is given by its number.
func number(column string) bool {
	n, err := strconv.Atoi(column)
	return err == nil && n > 0
}
