package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/lethe-deid/lethe/data/format"
	"github.com/lethe-deid/lethe/evaluation/i2b2"
)

// i2b2Scorer returns the scorer that reproduces the official script of i2b2 2014.
func i2b2Scorer(flags *pflag.FlagSet) scorer {
	filter := flags.String("filter", "", "i2b2: in Token, Strict and Relaxed, score only the tags of these `ELEMENTS`, as in NAME,DATE (default all)")
	conjunctive := flags.Bool("conjunctive", false, "i2b2: a tag must match all words of --filter (default any)")
	invert := flags.Bool("invert", false, "i2b2: score the tags that do not match --filter; the script's bugs in this are in docs/evaluation.md (default no)")
	return scorer{
		name: "i2b2", format: "i2b2",
		flags: []string{"filter", "conjunctive", "invert", "verbose", "corrected", "types"},
		run: func(o *evaluateOptions) error {
			opt := i2b2.Options{Conjunctive: *conjunctive, Invert: *invert, Corrected: o.corrected, Documents: o.verbose}
			if *filter != "" {
				opt.Filter = strings.Split(*filter, ",")
			}
			return o.runI2B2(opt)
		},
	}
}

func (o *evaluateOptions) runI2B2(opt i2b2.Options) error {
	layout := i2b2.Summary
	if o.verbose {
		layout = i2b2.Verbose
	}
	asWritten := []string{"i2b2", "meddocan"}
	if !slices.Contains(asWritten, o.format) || !slices.Contains(asWritten, o.formatOfSystems()) {
		types, err := typeSet(o.types, o.format)
		if err != nil {
			return err
		}
		gold, system, err := o.pairs(types)
		if err != nil {
			return err
		}
		return o.scoreI2B2(i2b2.FromDocuments(gold), i2b2.System{Documents: i2b2.FromDocuments(system)}, opt, layout)
	}

	if name := o.readingGiven(); name != "" {
		return fmt.Errorf("--%s cannot be combined with XML files, which the script reads in its own way, with every TYPE", name)
	}
	goldIsFile, err := isFile(o.gold)
	if err != nil {
		return err
	}
	systemIsFile, err := isFile(o.system)
	if err != nil {
		return err
	}
	if goldIsFile != systemIsFile {
		return errors.New("--gold and --system must be two folders or two files")
	}
	if goldIsFile {
		layout, opt.Documents = i2b2.Single, true
	}
	xml, err := format.Lookup(o.format)
	if err != nil {
		return err
	}
	if err := errors.Join(tellLeftOut(o.gold, flat(xml), format.Options{}), tellLeftOut(o.system, flat(xml), format.Options{})); err != nil {
		return err
	}
	gold, err := i2b2.Read(o.gold)
	if err != nil {
		return err
	}
	systems, err := i2b2.Systems(o.system)
	if err != nil {
		return err
	}
	for _, system := range systems {
		if err := o.scoreI2B2(gold, system, opt, layout); err != nil {
			return err
		}
	}
	return nil
}

func (o *evaluateOptions) scoreI2B2(gold i2b2.Source, system i2b2.System, opt i2b2.Options, layout i2b2.Layout) error {
	report, err := i2b2.Compare(gold, system.Documents, opt)
	if err != nil {
		return err
	}
	report.System = system.ID
	for _, w := range report.Warnings() {
		if system.ID != "" {
			w = fmt.Sprintf("system %s: %s", system.ID, w)
		}
		complain(errors.New(w))
	}
	if o.json {
		return printJSON(report)
	}
	return report.WriteText(os.Stdout, layout)
}

func isFile(path string) (bool, error) {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir(), err
}
