package main

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/check"
	"github.com/lethe-deid/lethe/data/format"
	"github.com/lethe-deid/lethe/experiments"
)

// systemsOptions names files of what two systems found, which can be given instead of two runs.
type systemsOptions struct {
	gold, a, b           string
	format, systemFormat string // an empty systemFormat means format
	types                string // empty means the default of format
}

// systemsFlags is the flags that cannot be combined with runs, which have their own configuration.
var systemsFlags = []string{"gold", "a", "b", "format", "system-format", "types"}

var typesHelp = "type `SET`: " + or(data.TypeSetNames()) + " (default that of --format; any for brat, jsonl and labelstudio)"

// add adds the flags. other is appended to the usage of --b, and alsoFormat names further flags in the usage of --format.
func (o *systemsOptions) add(flags *pflag.FlagSet, other, alsoFormat string) {
	flags.StringVar(&o.gold, "gold", "", "file or folder of the gold standard, instead of runs")
	flags.StringVar(&o.a, "a", "", "file or folder of what system A found")
	flags.StringVar(&o.b, "b", "", "file or folder of what system B found"+other)
	flags.StringVar(&o.format, "format", "i2b2", "`FORMAT` of --gold"+alsoFormat+": "+annotatedFormats)
	flags.StringVar(&o.systemFormat, "system-format", "", "`FORMAT` of --a and --b (default that of --gold)")
	flags.StringVar(&o.types, "types", "", typesHelp)
}

// formatOfSystems returns --system-format or, by default, --format.
func (o *systemsOptions) formatOfSystems() string { return cmp.Or(o.systemFormat, o.format) }

// given returns the first of the named flags that is set, or "".
func given(flags *pflag.FlagSet, names []string) string {
	for _, name := range names {
		if flags.Changed(name) {
			return name
		}
	}
	return ""
}

// typeSet returns the type set with a name (the value of --types) or, if that is empty, the default set of a format.
func typeSet(name, formatName string) (*data.TypeSet, error) {
	types, err := data.LookupTypeSet(cmp.Or(name, experiments.DefaultTypes(formatName), "any"))
	if err != nil {
		return nil, fmt.Errorf("--types: %w", err)
	}
	return types, nil
}

// readMarked reads annotated notes of a named format, and warns about files of a folder that it does not read. If it
// cannot read the path at all, the first item of the documents is the error.
func readMarked(path, formatName string, opt format.Options) data.Documents {
	return func(yield func(*data.Document, error) bool) {
		f, err := format.Lookup(formatName)
		if err == nil && f.TextOnly {
			err = fmt.Errorf("format %s contains no spans to score", formatName)
		}
		if err == nil {
			err = tellLeftOut(path, f, opt)
		}
		if err != nil {
			yield(nil, err)
			return
		}
		f.Read(path, opt)(yield)
	}
}

// readGold is like readMarked, for a gold standard. It is an error if there are notes but no annotations, because then
// nothing can be missed.
func readGold(path, formatName string, opt format.Options) data.Documents {
	return func(yield func(*data.Document, error) bool) {
		documents, spans := 0, 0
		for doc, err := range readMarked(path, formatName, opt) {
			if err != nil {
				yield(nil, err)
				return
			}
			documents++
			spans += len(doc.Spans)
			if !yield(doc, nil) {
				return
			}
		}
		if documents > 0 && spans == 0 {
			yield(nil, fmt.Errorf("%s: the gold standard contains no annotation, so there is nothing to score", path))
		}
	}
}

// source is a file or folder of notes in a named format.
type source struct {
	path, format string
	options      format.Options
}

// of returns the options of formats that need no others than the types.
func of(types *data.TypeSet) format.Options { return format.Options{Types: types} }

// allUnreadable returns the errors of all notes at the paths that cannot be read, if err, the error of a comparison, is
// that of such a note. It returns other errors as they are.
func allUnreadable(err error, sides ...source) error {
	if _, ok := errors.AsType[*data.Error](err); !ok {
		return err
	}
	var bad check.Unreadable
	for _, s := range sides {
		for _, err := range format.Read(s.format, s.path, s.options) {
			if err != nil {
				bad.Add(err)
			}
		}
	}
	return cmp.Or(bad.Err(), err)
}

// byPatient parses the value of --by.
func byPatient(by string) (bool, error) {
	if err := data.CheckBy(by); err != nil {
		return false, fmt.Errorf("--by: %w", err)
	}
	return by == data.ByPatient, nil
}
