package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/pflag"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/format"
	"github.com/lethe-deid/lethe/experiments"
)

// systemsOptions are files of what two systems found, in the place of two runs.
type systemsOptions struct {
	gold, a, b           string
	format, systemFormat string // systemFormat is empty when it is format
	types                string // empty for the default of format
}

// systemsFlags do not go with runs, whose configuration says where all is.
var systemsFlags = []string{"gold", "a", "b", "format", "system-format", "types"}

var typesHelp = "type `SET`: " + or(data.TypeSetNames()) + " (default that of --format; any for brat and jsonl)"

// add adds the flags. other says more of --b, alsoFormat what else has the format of
// --gold.
func (o *systemsOptions) add(flags *pflag.FlagSet, other, alsoFormat string) {
	flags.StringVar(&o.gold, "gold", "", "file or folder of the gold standard, in the place of runs")
	flags.StringVar(&o.a, "a", "", "file or folder of what system A found")
	flags.StringVar(&o.b, "b", "", "file or folder of what system B found"+other)
	flags.StringVar(&o.format, "format", "i2b2", "`FORMAT` of --gold"+alsoFormat+": "+annotatedFormats)
	flags.StringVar(&o.systemFormat, "system-format", "", "`FORMAT` of --a and --b (default that of --gold)")
	flags.StringVar(&o.types, "types", "", typesHelp)
}

// formatOfSystems is --system-format or, by default, that of --gold.
func (o *systemsOptions) formatOfSystems() string { return cmp.Or(o.systemFormat, o.format) }

// given returns the first of the flags that is given, or "".
func given(flags *pflag.FlagSet, names []string) string {
	for _, name := range names {
		if flags.Changed(name) {
			return name
		}
	}
	return ""
}

// typeSet is that of --types or, by default, of a format.
func typeSet(name, formatName string) (*data.TypeSet, error) {
	types, err := data.LookupTypeSet(cmp.Or(name, experiments.DefaultTypes(formatName), "any"))
	if err != nil {
		return nil, fmt.Errorf("--types: %w", err)
	}
	return types, nil
}

// readMarked reads annotated notes of a named format, and tells what it leaves out
// of a folder. That it cannot is the first thing that the documents say.
func readMarked(path, formatName string, types *data.TypeSet) data.Documents {
	return func(yield func(*data.Document, error) bool) {
		f, err := format.Lookup(formatName)
		if err == nil && f.TextOnly {
			err = fmt.Errorf("format %s holds no spans to score", formatName)
		}
		if err == nil {
			err = tellLeftOut(path, f)
		}
		if err != nil {
			yield(nil, err)
			return
		}
		f.Read(path, types)(yield)
	}
}

// readGold is readMarked of a gold standard. One without any annotation is an error:
// nothing could be missed in it.
func readGold(path, formatName string, types *data.TypeSet) data.Documents {
	return func(yield func(*data.Document, error) bool) {
		documents, spans := 0, 0
		for doc, err := range readMarked(path, formatName, types) {
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
			yield(nil, fmt.Errorf("%s: the gold standard holds no annotation, so there is nothing to score", path))
		}
	}
}

// allUnreadable is the error that a comparison of what is at the paths ended with; if
// that was of a note that cannot be read, those of all such notes, up to a number.
func allUnreadable(err error, types *data.TypeSet, formats map[string]string) error {
	if _, ok := errors.AsType[*data.Error](err); !ok {
		return err
	}
	const most = 20
	var bad []error
	for _, path := range slices.Sorted(maps.Keys(formats)) {
		for _, err := range format.Read(formats[path], path, types) {
			if err == nil {
				continue
			}
			if bad = append(bad, err); len(bad) > most {
				bad[most] = fmt.Errorf("there are more; only the first %d notes that cannot be read are named", most)
				return errors.Join(bad...)
			}
		}
	}
	return cmp.Or(errors.Join(bad...), err)
}

// byPatient reads --by.
func byPatient(by string) (bool, error) {
	if err := data.CheckBy(by); err != nil {
		return false, fmt.Errorf("--by: %w", err)
	}
	return by == data.ByPatient, nil
}
