package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/pflag"

	"github.com/lethe-deid/lethe/data/format"
	"github.com/lethe-deid/lethe/evaluation/meddocan"
)

// meddocanScorer returns the scorer that reproduces the official script of MEDDOCAN.
func meddocanScorer(flags *pflag.FlagSet) scorer {
	sentences := flags.String("sentences", "", "meddocan: `DIR` of files ID.ann with one line per sentence, to compute leak per sentence (default none: leak is NA)")
	return scorer{
		name: "meddocan", format: "meddocan", flags: []string{"sentences", "verbose", "corrected", "types"},
		run: func(o *evaluateOptions) error {
			opt := meddocan.Options{Corrected: o.corrected, Documents: o.verbose}
			if *sentences != "" {
				if info, err := os.Stat(*sentences); err != nil || !info.IsDir() {
					return fmt.Errorf("--sentences: %w", cmp.Or(err, fmt.Errorf("%s is not a folder", *sentences)))
				}
				opt.Sentences = meddocan.Sentences(*sentences)
			}
			return o.runMEDDOCAN(opt)
		},
	}
}

func (o *evaluateOptions) runMEDDOCAN(opt meddocan.Options) error {
	gold, system, err := o.meddocanSources()
	if err != nil {
		return err
	}
	report, err := meddocan.Compare(gold, system, opt)
	if err != nil {
		return err
	}
	for _, w := range report.Warnings() {
		complain(errors.New(w))
	}
	if err := printReport(report, o.json); err != nil {
		return err
	}
	if report.Failed() {
		return errors.New("no scores")
	}
	return nil
}

// meddocanSources reads the gold standard and the system's spans. If both are in the same format and the script supports
// it, they are read exactly as the script does; otherwise as documents.
func (o *evaluateOptions) meddocanSources() (gold, system meddocan.Source, err error) {
	asWritten := map[string]func(string) (meddocan.Source, error){
		"brat": meddocan.ReadBrat, "meddocan": meddocan.ReadXML, "i2b2": meddocan.ReadXML,
	}[o.format]
	if asWritten == nil || o.formatOfSystems() != o.format {
		types, err := typeSet(o.types, o.format)
		if err != nil {
			return nil, nil, err
		}
		gold, system, err := o.pairs(types)
		if err != nil {
			return nil, nil, err
		}
		return meddocan.FromDocuments(gold), meddocan.FromDocuments(system), nil
	}
	if name := o.readingGiven(); name != "" {
		return nil, nil, fmt.Errorf("--%s cannot be combined with brat or XML files, which the script reads in its own way, with every type", name)
	}
	f, err := format.Lookup(o.format)
	if err != nil {
		return nil, nil, err
	}
	if err := errors.Join(tellLeftOut(o.gold, flat(f), format.Options{}), tellLeftOut(o.system, flat(f), format.Options{})); err != nil {
		return nil, nil, err
	}
	if gold, err = asWritten(o.gold); err != nil {
		return nil, nil, err
	}
	system, err = asWritten(o.system)
	return gold, system, err
}
