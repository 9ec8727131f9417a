package experiments

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/check"
	"github.com/lethe-deid/lethe/data/format"
	"github.com/lethe-deid/lethe/deid/augment"
	"github.com/lethe-deid/lethe/models"
)

// Check reads all files that training, its ablations and scoring each split would read. The report
// is about the notes. The error is about all other files, folders and settings that are missing or
// wrong; if there is none, it is about the first broken file of the system. The report is nil if no
// note was read.
func (c *Config) Check(progress models.Progress) (*check.Report, error) {
	err := c.Corpus.checkSplits(c.System.NeedsDev())
	var report *check.Report
	if err == nil {
		report, err = c.Corpus.Check(c.wanted(progress), progress)
	}
	if err = errors.Join(err, c.checkAblations(), c.checkFiles()); err != nil {
		return report, err
	}
	return report, c.System.Check(c.Corpus.TypeSet(), runtime.NumCPU())
}

// wanted says what the system requires of notes.
func (c *Config) wanted(progress models.Progress) check.Options {
	return check.Options{Labellings: c.System.Labellings(), Columns: c.System.Columns(), Inherited: c.inherited(progress)}
}

// checkAblations returns an error for each ablation whose settings are invalid.
func (c *Config) checkAblations() error {
	var wrong []error
	for i, a := range c.Ablations {
		if _, err := c.Variant(a); err != nil {
			wrong = append(wrong, fmt.Errorf("ablations[%d] (%s): %w", i, a.Name, err))
		}
	}
	return errors.Join(wrong...)
}

// checkFiles returns an error for each file or folder of the system that is missing.
func (c *Config) checkFiles() error {
	var missing []error
	for _, p := range c.System.Paths() {
		if _, err := os.Stat(*p.Value); err != nil {
			missing = append(missing, fmt.Errorf("system.%s: %w", p.Key, err))
		}
	}
	return errors.Join(missing...)
}

// Check reads and checks the notes of all splits, with the options except AllowOverlap, which is the corpus's own. It keeps
// no notes, unless it has to divide train. The error names all splits whose files are missing; then
// the report is about the others, or nil if there is none.
func (c *Corpus) Check(opt check.Options, progress models.Progress) (*check.Report, error) {
	names, err := c.present()
	if len(names) == 0 {
		return nil, err
	}
	_, report, failed := c.examine(names, false, opt, progress)
	return report, errors.Join(err, failed)
}

// load reads and checks the notes of all splits before a training, and returns those of train and of
// dev, which is nil if there is none. Train and dev must be readable and without problems; other
// splits that cannot be read are a warning.
func (c *Corpus) load(needsDev bool, opt check.Options, progress models.Progress) (train, dev []*data.Document, report *check.Report, err error) {
	if err := c.checkSplits(needsDev); err != nil {
		return nil, nil, nil, err
	}
	names, missing := c.present()
	for _, name := range []string{TrainSplit, DevSplit} {
		if c.exists(name) && !slices.Contains(names, name) {
			return nil, nil, nil, missing
		}
	}
	docs, report, err := c.examine(names, true, opt, progress)
	if err == nil {
		err = report.Err()
	}
	if err != nil {
		return nil, nil, nil, err
	}
	if missing != nil {
		report.Warnings = append(report.Warnings, strings.Split(missing.Error(), "\n")...)
	}
	return docs[TrainSplit], docs[DevSplit], report, nil
}

// present lists the splits that can be opened, train first and dev, if it exists, second. The error
// names the files and folders that are missing.
func (c *Corpus) present() (names []string, err error) {
	var missing []error
	all := []string{TrainSplit, DevSplit}
	for _, name := range c.SplitNames() {
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	for _, name := range all {
		if !c.exists(name) {
			continue
		}
		switch err := c.missing(name); {
		case err == nil:
			names = append(names, name)
		case c.has(name): // what is created from train is not missing itself
			missing = append(missing, err)
		}
	}
	return names, errors.Join(missing...)
}

// missing returns an error for each file or folder that a split is read from and that is missing.
func (c *Corpus) missing(split string) error {
	if c.cuts(split) {
		split = TrainSplit
	}
	var missing []error
	for _, source := range c.sources(split) {
		if _, err := c.open(source); err != nil {
			missing = append(missing, err)
		}
	}
	return errors.Join(missing...)
}

// examine reads and checks splits. Before a training, it returns the documents of train and dev, and the
// others need not be readable.
func (c *Corpus) examine(names []string, training bool, opt check.Options, progress models.Progress) (map[string][]*data.Document, *check.Report, error) {
	opt.AllowOverlap = c.AllowOverlap
	checker := check.New(opt)
	parts, undivided, err := c.divided(progress)
	if err != nil {
		return nil, nil, err
	}
	kept, ids := map[string][]*data.Document{}, map[string]bool{}
	whole := !slices.ContainsFunc(c.SplitNames(), func(name string) bool { return !slices.Contains(names, name) })
	for _, name := range names {
		source, reading := data.Each(parts[name]), !c.cuts(name)
		switch {
		case reading:
			if source, err = c.source(name); err != nil {
				return nil, nil, err
			}
		case parts == nil && name == TrainSplit:
			source = undivided.documents
		case parts == nil:
			whole = false
			continue // train tells what is wrong
		}
		split := checker.Split(name)
		c.describe(&split.Split, training)
		keep := training && !split.Spare
		for doc, err := range source {
			split.Add(doc, err)
			if whole = whole && err == nil; whole {
				ids[doc.ID] = true
			}
			if err == nil && keep {
				kept[name] = append(kept[name], doc)
			}
			if reading {
				progress.Tell("reading "+name, split.Notes, c.total(name))
			}
		}
	}
	report := checker.Report()
	if whole {
		if err := c.checkPatients(ids); err != nil {
			report.Problems = append(report.Problems, err.Error())
		}
	}
	if k := c.Copies; k.Number == 0 && k.augment() != (augment.Options{}) {
		report.Warnings = append(report.Warnings, "corpus.copies: number is 0, so a training makes no copies; only lethe distill uses the other keys")
	}
	if undivided.why != nil {
		report.Problems = append(report.Problems, undivided.why.Error())
	}
	return kept, report, nil
}

// describe sets what the notes of a split do not tell.
func (c *Corpus) describe(s *check.Split, training bool) {
	s.Added = c.added(s.Name)
	s.TextOnly = format.TextOnly(c.Format) && s.Name != TrainSplit && s.Name != DevSplit // its notes are tagged but not scored
	s.Spare = training && s.Name != TrainSplit && s.Name != DevSplit
	if !c.has(s.Name) || c.Format == synthetic {
		return // generated, or created from train
	}
	for _, split := range c.sources(s.Name) {
		for _, source := range c.Splits[split] {
			s.LeftOut = append(s.LeftOut, c.leftOut(source)...)
		}
	}
}

// leftOut returns the files in the folders of a source that are not read. Of a source that cannot be
// read, reading tells.
func (c *Corpus) leftOut(s Source) (all []string) {
	f, err := format.Lookup(cmp.Or(s.Format, c.Format))
	if err != nil {
		return nil
	}
	paths, err := s.paths()
	if err != nil {
		return nil
	}
	for _, path := range paths {
		if left, err := f.LeftOut(path, c.reading(nil)); err == nil {
			all = append(all, left...)
		}
	}
	return all
}

// undivided are the notes of train if they cannot be divided.
type undivided struct {
	documents data.Documents
	why       error // nil: some note cannot be read
}

// divided reads train and divides it, if the configuration says so. If that is impossible, parts is
// nil.
func (c *Corpus) divided(progress models.Progress) (parts map[string][]*data.Document, whole undivided, err error) {
	if !c.cuts(TrainSplit) {
		return nil, whole, nil
	}
	source, err := c.source(TrainSplit)
	if err != nil {
		return nil, whole, err
	}
	var docs []*data.Document
	var bad []error
	for doc, err := range source {
		if err != nil {
			bad = append(bad, err)
			continue
		}
		docs = append(docs, doc)
		progress.Tell("reading "+TrainSplit, len(docs), c.total(TrainSplit))
	}
	whole.documents = func(yield func(*data.Document, error) bool) {
		for _, err := range bad {
			if !yield(nil, err) {
				return
			}
		}
		data.Each(docs)(yield)
	}
	if len(bad) == 0 && len(docs) > 0 {
		parts, whole.why = c.divide(docs)
	}
	return parts, whole, nil
}

// NewCorpus completes a corpus of files and folders, of which c has the format, the splits and what else is known of the files. types
// is the name of a type set or a file (see data.OpenTypeSet); "" is the default of the format, or any.
func NewCorpus(c Corpus, types string) (*Corpus, error) {
	set, err := data.OpenTypeSet(cmp.Or(types, DefaultTypes(c.Format), data.Any.Name))
	if err != nil {
		return nil, fmt.Errorf("types: %w", err)
	}
	c.Types, c.Seed = set.Config(), 1
	c.Fold, c.HoldOut, c.Subset = Fold{By: data.ByPatient}, HoldOut{By: data.ByPatient}, Subset{By: data.ByPatient, Seed: 1}
	return &c, c.validate()
}

// CheckPatients returns an error unless the patient of each document is known. what names the
// setting that requires the documents of a patient to stay together.
func CheckPatients(what string, docs []*data.Document) error {
	unknown, first := 0, ""
	for _, d := range docs {
		if d.Patient == "" {
			if unknown == 0 {
				first = d.ID
			}
			unknown++
		}
	}
	if unknown == 0 {
		return nil
	}
	return fmt.Errorf("%s: by patient, but %d of %d notes (such as %s) do not name their patient: "+
		"divide by document instead, or say whose they are with corpus.patient, as in <patient>_* for the names of files or patients.csv for a table "+
		"(without it, a file 110-04.txt belongs to patient 110, and JSON Lines have a key patient)",
		what, unknown, len(docs), quoted(first))
}

// quoted returns an ID in a form that cannot break a line.
func quoted(id string) string {
	if strings.ContainsAny(id, "\r\n\t\x1b") {
		return fmt.Sprintf("%q", id)
	}
	return id
}
