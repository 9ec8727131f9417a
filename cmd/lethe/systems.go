package main

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/check"
	"github.com/lethe-deid/lethe/data/format"
	"github.com/lethe-deid/lethe/experiments"
)

// systemsOptions names files of what two systems found, which can be given instead of two runs.
type systemsOptions struct {
	gold, a, b string
	sides
}

var typesHelp = "type `SET`: " + strings.Join(data.TypeSetNames(), ", ") + " or a YAML file, see lethe types (default that of --format; any for brat, jsonl and labelstudio)"

const patientsHelp = "`RULE` for the patient of each note: for file names as in '<patient>_*', for folders as in '<patient>/**', a regular expression " +
	"with (?<patient>...), or the path of a table with the columns note and patient (default what the notes say: 110-04.txt is of patient 110)"

// add adds the flags. other is appended to the usage of --b, and alsoFormat names further flags in the usage of --format.
func (o *systemsOptions) add(flags *pflag.FlagSet, other, alsoFormat string) {
	flags.StringVar(&o.gold, "gold", "", "`PATH`, a file or folder, of the gold standard, instead of runs")
	flags.StringVar(&o.a, "a", "", "`PATH`, a file or folder, of what system A found")
	flags.StringVar(&o.b, "b", "", "`PATH`, a file or folder, of what system B found"+other)
	o.sides.add(flags, "i2b2", "`FORMAT` of --gold"+alsoFormat+": "+annotatedFormats, "--a and --b")
}

// flagNames returns the names of the flags, which cannot be combined with runs, because these have their own configuration.
func (o *systemsOptions) flagNames() []string {
	return append([]string{"gold", "a", "b"}, o.names...)
}

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
	types, err := data.OpenTypeSet(cmp.Or(name, experiments.DefaultTypes(formatName), "any"))
	if err != nil {
		return nil, fmt.Errorf("--types: %w", err)
	}
	return types, nil
}

// source is a file or folder of notes in a named format.
type source struct {
	path, format string
	options      format.Options
}

// marked reads annotated notes, and warns about files of a folder that it does not read. If it cannot read the path at all,
// the first item of the documents is the error.
func (s source) marked() data.Documents {
	return func(yield func(*data.Document, error) bool) {
		f, err := format.Lookup(s.format)
		if err == nil && f.TextOnly {
			err = fmt.Errorf("format %s contains no spans to score", s.format)
		}
		if err == nil {
			err = tellLeftOut(s.path, f, s.options)
		}
		if err != nil {
			yield(nil, err)
			return
		}
		f.Read(s.path, s.options)(yield)
	}
}

// again is like marked, without a second warning.
func (s source) again() data.Documents { return format.Read(s.format, s.path, s.options) }

// gold is like marked, for a gold standard. It is an error if there are notes but no annotations, because then nothing can
// be missed.
func (s source) gold() data.Documents {
	return func(yield func(*data.Document, error) bool) {
		documents, spans := 0, 0
		for doc, err := range s.marked() {
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
			yield(nil, fmt.Errorf("%s: the gold standard contains no annotation, so there is nothing to score", s.path))
		}
	}
}

// of returns the options of formats that need no others than the types.
func of(types *data.TypeSet) format.Options { return format.Options{Types: types} }

// allUnreadable returns the errors of all notes at the paths that cannot be read, if err, the error of a comparison, is
// that of such a note. It returns other errors as they are.
func allUnreadable(err error, sources []source) error {
	if _, ok := errors.AsType[*data.Error](err); !ok {
		return err
	}
	var bad check.Unreadable
	for _, s := range sources {
		for _, err := range s.again() {
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
