package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/pflag"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/format"
	"github.com/lethe-deid/lethe/data/hf"
	"github.com/lethe-deid/lethe/data/patients"
)

// readingNames are the names of the flags of readingFlags.
var readingNames = []string{"conll", "layer", "annotator", "hf-labels", "hf-columns", "offsets", "fragments", "patients"}

// readingFlags say how files of notes are read that are not those of an experiment. They correspond to keys of corpus in one.
type readingFlags struct {
	prefix                      string // before the names of the flags, in errors
	conll                       columns
	layer                       layer
	labels, columns             []string
	offsets, fragments, patient string
	annotator                   string
}

// add adds the flags, except --patients.
func (r *readingFlags) add(flags *pflag.FlagSet) {
	flags.Var(&r.conll, "conll", "`LAYOUT` of columns to read, such as documents=block,token=2: see docs/formats.md (default that of CoNLL-2003)")
	flags.Var(&r.layer, "layer", "`LAYER` of annotations in the formats xmi and webanno, perhaps with a feature, such as custom.PHI:kind (default named entities; to read, also the only layer of the project)")
	flags.StringVar(&r.annotator, "annotator", "", "`NAME` of whose annotations of a project that INCEpTION exported are read; CURATION_USER is the curation (default the only one)")
	flags.StringSliceVar(&r.labels, "hf-labels", nil, "`LABELS` that the numbers in files of the format hf mean, beginning with that of 0 (default those in dataset_info.json)")
	flags.StringSliceVar(&r.columns, "hf-columns", nil, "`KEYS` of lists in files of the format hf that are columns of the notes, such as pos_tags (default none)")
	flags.StringVar(&r.offsets, "offsets", "", "what the offsets in files of the formats brat, i2b2, meddocan, jsonl and labelstudio `COUNT`, such as utf-16 or code-points+lf: see docs/experiments.md (default what the format prescribes)")
	flags.StringVar(&r.fragments, "fragments", "", "`WHAT` becomes of discontinuous spans in the format brat: refuse, hull, parts or longest (default refuse)")
}

// addWithPatients adds the flags.
func (r *readingFlags) addWithPatients(flags *pflag.FlagSet) {
	r.add(flags)
	flags.StringVar(&r.patient, "patients", "", patientsHelp)
}

// options returns the options of a reader. It is an error if none of the formats has one of them.
func (r *readingFlags) options(types *data.TypeSet, formats ...*format.Format) (format.Options, error) {
	opt := format.Options{
		Types: types, Fragments: data.Fragments(r.fragments), Offsets: data.Offsets(r.offsets),
		CoNLL: r.conll.Options, HF: hf.Options{Labels: r.labels, Columns: r.columns}, INCEpTION: r.layer.Options,
	}
	opt.INCEpTION.Annotator = r.annotator
	if err := opt.Check(formats...); err != nil {
		return opt, r.flagged(err)
	}
	if r.patient != "" {
		var err error
		if opt.Patients, err = patients.Open(r.patient); err != nil {
			return opt, fmt.Errorf("--patients: %w", err)
		}
	}
	return opt, nil
}

// guess is format.Guess. The error advises to give the flag that names the format, unless there is nothing at the path.
func guess(path, flag string) (*format.Format, error) {
	f, err := format.Guess(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w: give --%s", err, flag)
	}
	return f, err
}

// open is openInput with these options.
func (r *readingFlags) open(path, formatName string, types *data.TypeSet) (docs data.Documents, oneNote bool, err error) {
	f, err := format.Lookup(formatName)
	if err != nil {
		return nil, false, err
	}
	opt, err := r.options(types, f)
	if err != nil {
		return nil, false, err
	}
	return openInput(path, formatName, opt)
}

// readsColumns reports whether notes of a format are read with columns of their own.
func (r *readingFlags) readsColumns(formatName string) bool {
	return formatName == "jsonl" || formatName == "conll" && r.conll.Columns != nil || formatName == "hf" && r.columns != nil
}

// flagged returns an error of format.Options with the flag in place of the key.
func (r *readingFlags) flagged(err error) error {
	text := err.Error()
	hf := "hf-labels:"
	if r.labels == nil {
		hf = "hf-columns:"
	}
	inception := "layer:"
	if r.layer.Layer == "" {
		inception = "annotator:"
	}
	for key, flag := range map[string]string{"hf:": hf, "hf.": "hf-", "inception:": inception} {
		if rest, ok := strings.CutPrefix(text, key); ok {
			text = flag + rest
			break
		}
	}
	return fmt.Errorf("--%s%s", r.prefix, text)
}

// sides say how the gold standard is read, and what systems found.
type sides struct {
	format, systemFormat string // an empty systemFormat means format
	types                string // empty means the default of format
	reading              readingFlags
	system               readingFlags // of what systems found, in place of those in reading
	names                []string     // of the flags

	flags *pflag.FlagSet
}

// add adds the flags. usage is that of --format, whose default is defaultFormat, and systems names the flags with what systems found.
func (s *sides) add(flags *pflag.FlagSet, defaultFormat, usage, systems string) {
	own := pflag.NewFlagSet("", pflag.ContinueOnError)
	own.StringVar(&s.format, "format", defaultFormat, usage)
	own.StringVar(&s.systemFormat, "system-format", "", "`FORMAT` of "+systems+" (default that of --gold)")
	own.StringVar(&s.types, "types", "", typesHelp)
	s.reading.add(own)
	s.system.prefix = "system-"
	ofSystems := pflag.NewFlagSet("", pflag.ContinueOnError)
	s.system.add(ofSystems)
	ofSystems.VisitAll(func(f *pflag.Flag) {
		value, _ := pflag.UnquoteUsage(f)
		f.Usage = fmt.Sprintf("`%s` for %s (default that of --%s)", value, systems, f.Name)
		if f.Name == "annotator" { // an error for paths that are not projects
			f.Usage = fmt.Sprintf("`%s` for %s (default the only one)", value, systems)
		}
		f.Name = s.system.prefix + f.Name
		own.AddFlag(f)
	})
	own.VisitAll(func(f *pflag.Flag) { s.names = append(s.names, f.Name) })
	flags.AddFlagSet(own)
	s.flags = flags
}

// options returns the options of the readers of both sides.
func (s *sides) options(types *data.TypeSet) (gold, system format.Options, err error) {
	goldFormat, err := format.Lookup(s.format)
	if err != nil {
		return gold, system, err
	}
	systemFormat, err := format.Lookup(s.formatOfSystems())
	if err != nil {
		return gold, system, err
	}
	if gold, err = s.reading.options(types, goldFormat, systemFormat); err != nil {
		return gold, system, err
	}
	own, err := s.system.options(types, systemFormat)
	if err != nil {
		return gold, system, err
	}
	system = gold
	system.Patients = nil
	system.Fragments, system.Offsets = cmp.Or(own.Fragments, gold.Fragments), cmp.Or(own.Offsets, gold.Offsets)
	if own.INCEpTION.Layer != "" {
		system.INCEpTION = own.INCEpTION
	}
	system.INCEpTION.Annotator = own.INCEpTION.Annotator
	if s.system.conll.given {
		system.CoNLL = own.CoNLL
	}
	if own.HF.Labels != nil {
		system.HF.Labels = own.HF.Labels
	}
	if own.HF.Columns != nil {
		system.HF.Columns = own.HF.Columns
	}
	return gold, system, nil
}

// formatOfSystems returns --system-format or, by default, --format.
func (s *sides) formatOfSystems() string { return cmp.Or(s.systemFormat, s.format) }

// sources returns the gold standard and what systems found.
func (s *sides) sources(types *data.TypeSet, gold string, systems ...string) ([]source, error) {
	ofGold, ofSystems, err := s.options(types)
	if err != nil {
		return nil, err
	}
	all := []source{{gold, s.format, ofGold}}
	for _, path := range systems {
		all = append(all, source{path, s.formatOfSystems(), ofSystems})
	}
	return all, nil
}
