package gazetteer

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/bounded"
)

// List configures where a list's entries come from and which of them are used.
type List struct {
	Name    string  `yaml:"name"`    // name in features; default: the built-in list's name, or the file's without extension
	Builtin string  `yaml:"builtin"` // name of a built-in list, see Builtins; exactly one of Builtin and File is required
	File    string  `yaml:"file"`    // path of a UTF-8 file, optionally gzipped
	Type    string  `yaml:"type"`    // PHI type of its entries in the text; default "": none, the list only provides features
	Score   float64 `yaml:"score"`   // score of its spans, in (0, 1]; default 0, which means 1

	Format      Format  `yaml:"format"`       // format of the file; default by its name: csv for .csv, tsv for .tsv, otherwise lines
	Column      string  `yaml:"column"`       // column of the entries: its name if the first line names the columns, otherwise its number, from 1; required except for lines, which has none
	CountColumn string  `yaml:"count_column"` // column of the number or percentage of people with the name, given like Column; default "": none
	MinCount    float64 `yaml:"min_count"`    // entries with a lower count are left out; an empty count or ".." means 0; default 0: all are kept

	Fold      Fold     `yaml:"fold"`       // differences between two words that are ignored; default both
	Capital   bool     `yaml:"capital"`    // match only text that begins with an upper-case or title-case letter; default false
	MinLength int      `yaml:"min_length"` // entries with fewer characters are left out; default 0: all are kept
	Filters   []string `yaml:"filters"`    // names of other lists, in this configuration or built in, whose entries are left out: common words, diseases; default none
}

// Format is the format of a list's file.
type Format string

// The formats. In all of them except Lines, every line has the same number of columns.
const (
	Lines   Format = "lines"   // one entry per line; a line that begins with # is a comment, unless a space precedes the #
	CSV     Format = "csv"     // columns separated by commas, in quotes if necessary (RFC 4180)
	TSV     Format = "tsv"     // columns separated by tabs
	Columns Format = "columns" // columns separated by spaces, as in the name files of the US census
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

// Names returns the names of the lists, in their order.
func (ls Lists) Names() []string {
	var names []string
	for i := range ls {
		names = append(names, ls[i].name())
	}
	return names
}

// Paths returns pointers to the paths of the files, so that the caller can resolve
// them.
func (ls Lists) Paths() []*string {
	var paths []*string
	for i := range ls {
		if ls[i].File != "" {
			paths = append(paths, &ls[i].File)
		}
	}
	return paths
}

// maxSize bounds the memory that is reserved for lists before they are read.
const maxSize = 4 << 20

// size estimates the bytes of the entries, as far as it is worth to reserve memory for them.
func (ls Lists) size() int {
	size := 0
	for i := range ls {
		info, err := bounded.Stat(ls[i].File)
		if err != nil || ls[i].format() != Lines { // reading it returns the error
			continue
		}
		n := min(int(info.Size()), maxSize)
		if strings.HasSuffix(ls[i].File, ".gz") {
			n = n * 5 / 2
		}
		size = min(size+n, maxSize)
	}
	return size
}

// Validate returns an error that begins with the first key whose value makes no sense.
// It opens no files.
func (ls Lists) Validate() error {
	names := ls.Names()
	for i := range ls {
		if err := ls[i].validate(); err != nil {
			return fmt.Errorf("lists[%d].%w", i, err)
		}
		if first := slices.Index(names, names[i]); first < i {
			return fmt.Errorf("lists[%d].name: %s is already the name of lists[%d]", i, names[i], first)
		}
		for j, f := range ls[i].Filters {
			if f == names[i] {
				return fmt.Errorf("lists[%d].filters[%d]: %s is the list itself", i, j, f)
			}
			if !slices.Contains(names, f) && !slices.Contains(Builtins(), f) {
				return fmt.Errorf("lists[%d].filters[%d]: no list %q in this configuration or built in", i, j, f)
			}
		}
	}
	if len(ls) == 0 {
		return fmt.Errorf("lists: at least one is required")
	}
	if len(ls) > maxLists {
		return fmt.Errorf("lists: %d exceed the maximum of %d", len(ls), maxLists)
	}
	return nil
}

func (l *List) validate() error {
	switch {
	case (l.File == "") == (l.Builtin == ""):
		return fmt.Errorf("file: exactly one of file and builtin is required")
	case l.Builtin != "" && !slices.Contains(Builtins(), l.Builtin):
		return fmt.Errorf("builtin: no built-in list %q (have %s)", l.Builtin, strings.Join(Builtins(), ", "))
	case l.Builtin != "" && (l.Format != "" || l.Column != "" || l.CountColumn != ""):
		return fmt.Errorf("builtin: cannot be combined with format, column or count_column")
	case l.Type != "" && !data.Any.Has(l.Type):
		return fmt.Errorf("type: not the name of a type")
	case !(l.Score >= 0 && l.Score <= 1):
		return fmt.Errorf("score: %v is not in [0, 1]", l.Score)
	case !slices.Contains([]Format{"", Lines, CSV, TSV, Columns}, l.Format):
		return fmt.Errorf("format: %q is not lines, csv, tsv or columns", string(l.Format))
	case l.format() == Lines && l.Column != "":
		return fmt.Errorf("column: requires format csv, tsv or columns")
	case l.format() != Lines && l.Column == "":
		return fmt.Errorf("column: is required for format %s", l.format())
	case l.CountColumn != "" && l.Column == "":
		return fmt.Errorf("count_column: requires column")
	case l.CountColumn != "" && number(l.Column) != number(l.CountColumn):
		return fmt.Errorf("count_column: must be a name if column is a name, and a number if it is a number")
	case !(l.MinCount >= 0):
		return fmt.Errorf("min_count: %v is not a number of at least 0", l.MinCount)
	case l.MinCount > 0 && l.CountColumn == "":
		return fmt.Errorf("min_count: requires count_column")
	case !slices.Contains([]Fold{"", FoldBoth, FoldCase, FoldAccents, FoldNone}, l.Fold):
		return fmt.Errorf("fold: %q is not both, case, accents or none", string(l.Fold))
	case l.MinLength < 0:
		return fmt.Errorf("min_length: %d is negative", l.MinLength)
	}
	return nil
}

// number reports whether a column is given by its number.
func number(column string) bool {
	n, err := strconv.Atoi(column)
	return err == nil && n > 0
}
