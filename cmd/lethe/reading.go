package main

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/format"
	"github.com/lethe-deid/lethe/data/hf"
	"github.com/lethe-deid/lethe/data/patients"
)

// readingFlags say how annotated notes are read that are not those of an experiment. They correspond to keys of corpus in one.
type readingFlags struct {
	conll                       columns
	layer                       layer
	labels, columns             []string
	offsets, fragments, patient string
}

// readingNames are the names of these flags.
var readingNames = []string{"conll", "layer", "hf-labels", "hf-columns", "offsets", "fragments", "patients"}

func (r *readingFlags) add(flags *pflag.FlagSet) {
	flags.Var(&r.conll, "conll", "`LAYOUT` of columns to read, such as documents=block,token=2: see docs/formats.md (default that of CoNLL-2003)")
	flags.Var(&r.layer, "layer", "`LAYER` of annotations in the formats xmi and webanno, perhaps with a feature, such as custom.PHI:kind (default named entities; to read, also the only layer of the project)")
	flags.StringSliceVar(&r.labels, "hf-labels", nil, "`LABELS` that the numbers in files of the format hf mean, beginning with that of 0 (default those in dataset_info.json)")
	flags.StringSliceVar(&r.columns, "hf-columns", nil, "`KEYS` of lists in files of the format hf that are columns of the notes, such as pos_tags (default none)")
	flags.StringVar(&r.offsets, "offsets", "", "what the offsets in files of the formats brat, i2b2, meddocan, jsonl and labelstudio `COUNT`, such as utf-16 or code-points+lf: see docs/experiments.md (default what the format prescribes)")
	flags.StringVar(&r.fragments, "fragments", "", "what becomes of discontinuous spans in the format brat: refuse, hull, parts or longest (default `refuse`)")
	flags.StringVar(&r.patient, "patients", "", patientsHelp)
}

// options returns the options of a reader.
func (r *readingFlags) options(f *format.Format, types *data.TypeSet) (format.Options, error) {
	opt := format.Options{
		Types: types, Fragments: data.Fragments(r.fragments), Offsets: data.Offsets(r.offsets),
		CoNLL: r.conll.Options, HF: hf.Options{Labels: r.labels, Columns: r.columns}, INCEpTION: r.layer.Options,
	}
	if err := opt.Check(f); err != nil {
		return opt, flagged(err)
	}
	if r.patient != "" {
		var err error
		if opt.Patients, err = patients.Open(r.patient); err != nil {
			return opt, fmt.Errorf("--patients: %w", err)
		}
	}
	return opt, nil
}

// flagged returns an error of format.Options with the flag in place of the key.
func flagged(err error) error {
	text := err.Error()
	for key, flag := range map[string]string{"hf": "hf-labels", "inception": "layer"} {
		if rest, ok := strings.CutPrefix(text, key+":"); ok {
			return fmt.Errorf("--%s:%s", flag, rest)
		}
	}
	return fmt.Errorf("--%w", err)
}
