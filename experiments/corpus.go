package experiments

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/augment"
	"github.com/lethe-deid/lethe/data/format"
	"github.com/lethe-deid/lethe/data/synth"
	"github.com/lethe-deid/lethe/models"
)

// The splits that have a meaning of their own. A corpus may have others.
const (
	TrainSplit = "train" // what a system is trained on
	DevSplit   = "dev"   // by which the best epoch is chosen
	TestSplit  = "test"  // of a fold, too
)

// has reports whether a split is given rather than cut off train.
func (c *Corpus) has(split string) bool { return c.Splits[split] != "" || c.Notes[split] > 0 }

// cuts reports whether a split is made of what is given as train.
func (c *Corpus) cuts(split string) bool {
	switch split {
	case TrainSplit:
		return c.Fold.Of > 0 || c.HoldOut.Fraction > 0 || c.Subset.Documents > 0
	case DevSplit:
		return c.HoldOut.Fraction > 0
	case TestSplit:
		return c.Fold.Of > 0
	}
	return false
}

// SplitNames lists the splits, sorted.
func (c *Corpus) SplitNames() []string {
	names := slices.AppendSeq(slices.Collect(maps.Keys(c.Splits)), maps.Keys(c.Notes))
	for _, name := range []string{DevSplit, TestSplit} {
		if c.cuts(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// OutputFormat is the format in which predictions are kept by default: the
// corpus's own, if it can hold spans.
func (c *Corpus) OutputFormat() string {
	switch c.Format {
	case synthetic:
		return "i2b2"
	case "text":
		return "jsonl"
	}
	return c.Format
}

// TypeSet returns the set of the corpus's types. It panics if Types is not the name
// of one, which Config.Validate reports.
func (c *Corpus) TypeSet() *data.TypeSet {
	types, err := data.LookupTypeSet(c.Types)
	if err != nil {
		panic(fmt.Errorf("experiments: corpus.types: %w", err))
	}
	return types
}

// read reads a split. An error that stops it before the first document names
// the key.
func (c *Corpus) read(split string, progress models.Progress) (data.Documents, error) {
	switch {
	case c.cuts(split):
		parts, err := c.part(progress)
		return data.Each(parts[split]), err
	case c.has(split):
		return c.source(split)
	}
	return nil, fmt.Errorf("corpus: no split %s (have %s)", split, strings.Join(c.SplitNames(), ", "))
}

// source reads or generates what the configuration gives as a split.
func (c *Corpus) source(split string) (data.Documents, error) {
	if c.Format == synthetic {
		return synth.Config{Split: synth.Split(split), Seed: c.Seed, NotesPerPatient: c.NotesPerPatient}.Notes(c.Notes[split]), nil
	}
	path := c.Splits[split]
	if path == "" {
		return nil, fmt.Errorf("corpus.splits.%s: not given", split)
	}
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("corpus.splits.%s: %w", split, err)
	}
	return format.Read(c.Format, path, c.TypeSet()), nil
}

// part cuts up what is given as train. All of it must be readable, since the
// parts would be others without a note.
func (c *Corpus) part(progress models.Progress) (parts map[string][]*data.Document, err error) {
	source, err := c.source(TrainSplit)
	if err != nil {
		return nil, err
	}
	train, err := c.collect(TrainSplit, source, progress)
	if err != nil {
		return nil, err
	}
	parts = map[string][]*data.Document{}
	if f := c.Fold; f.Of > 0 {
		if err := checkDivision("corpus.fold", f.By, train); err != nil {
			return nil, err
		}
		folds, err := data.Folds(train, f.Of, f.By == data.ByPatient, c.Seed)
		if err != nil {
			return nil, fmt.Errorf("corpus.fold: %w", err)
		}
		parts[TestSplit] = folds[f.Number-1]
		held := map[*data.Document]bool{}
		for _, d := range parts[TestSplit] {
			held[d] = true
		}
		train = slices.DeleteFunc(train, func(d *data.Document) bool { return held[d] })
	}
	if h := c.HoldOut; h.Fraction > 0 {
		if err := checkDivision("corpus.hold_out", h.By, train); err != nil {
			return nil, err
		}
		if train, parts[DevSplit], err = data.Split(train, h.Fraction, h.By == data.ByPatient, c.Seed); err != nil {
			return nil, fmt.Errorf("corpus.hold_out: %w", err)
		}
	}
	if s := c.Subset; s.Documents > 0 {
		if err := checkDivision("corpus.subset", s.By, train); err != nil {
			return nil, err
		}
		if train, err = data.Sample(train, s.Documents, s.By == data.ByPatient, s.Seed); err != nil {
			return nil, fmt.Errorf("corpus.subset: %w", err)
		}
	}
	parts[TrainSplit] = train
	return parts, nil
}

// checkDivision refuses to divide documents by patient whose patients are unknown.
func checkDivision(key, by string, docs []*data.Document) error {
	if by != data.ByPatient {
		return nil
	}
	return CheckPatients(key, docs)
}

// Load reads all of a split, every note of which must be readable.
func (c *Corpus) Load(split string, progress models.Progress) ([]*data.Document, error) {
	source, err := c.read(split, progress)
	if err != nil {
		return nil, err
	}
	return c.collect(split, source, progress)
}

// checkSplits reports whether there is what a training needs.
func (c *Corpus) checkSplits() error {
	switch have := strings.Join(c.SplitNames(), ", "); {
	case !c.has(TrainSplit):
		return fmt.Errorf("corpus: no split train (have %s)", have)
	case !c.has(DevSplit) && !c.cuts(DevSplit):
		return fmt.Errorf("corpus: no split dev (have %s): give one, or let corpus.hold_out make it of a part of train", have)
	}
	return nil
}

// loadBoth reads what a training needs, a corpus that is to be parted only once.
// The other splits it does not need, but compares with train: such of their notes
// as can be read. It returns what there is to say of each split.
func (c *Corpus) loadBoth(progress models.Progress) (train, dev []*data.Document, all []Facts, err error) {
	if err := c.checkSplits(); err != nil {
		return nil, nil, nil, err
	}
	parts := map[string][]*data.Document{}
	if c.cuts(TrainSplit) {
		if parts, err = c.part(progress); err != nil {
			return nil, nil, nil, err
		}
	}
	for _, name := range c.inOrder() {
		if parts[name] == nil {
			docs, err := c.Load(name, progress)
			if needed := name == TrainSplit || name == DevSplit; err != nil && needed {
				return nil, nil, nil, err
			} else if err != nil {
				continue // it is an error when it is to be scored
			}
			parts[name] = docs
		}
		if err := c.checkSplit(name, parts[TrainSplit], parts[name]); err != nil {
			return nil, nil, nil, err
		}
		all = append(all, factsOf(name, parts[name]))
	}
	return parts[TrainSplit], parts[DevSplit], all, nil
}

// inOrder lists the splits, train first and dev second.
func (c *Corpus) inOrder() []string {
	names := []string{TrainSplit, DevSplit}
	for _, name := range c.SplitNames() {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// checkSplit refuses a split that is of no use beside train.
func (c *Corpus) checkSplit(name string, train, docs []*data.Document) error {
	if format.TextOnly(c.Format) && name != TrainSplit && name != DevSplit {
		return nil // notes to be tagged, and not to be scored
	}
	if err := checkAnnotated(name, docs); err != nil || name == TrainSplit {
		return err
	}
	return c.checkOverlap(train, name, docs)
}

// check reads all splits, and returns what is wrong with each.
func (c *Corpus) check(progress models.Progress) (all []Facts, err error) {
	if err := c.checkSplits(); err != nil {
		return nil, err
	}
	if c.Format == synthetic {
		return nil, nil // what is generated is as it should be
	}
	var bad []error
	var train []*data.Document
	for _, name := range c.inOrder() {
		docs, err := c.Load(name, progress)
		if err == nil {
			if name == TrainSplit {
				train = docs
			}
			all = append(all, factsOf(name, docs))
			err = c.checkSplit(name, train, docs)
		}
		if err != nil && !slices.ContainsFunc(bad, func(e error) bool { return e.Error() == err.Error() }) {
			bad = append(bad, err)
		}
	}
	return all, errors.Join(bad...)
}

// copies makes the changed copies of the training documents.
func (c *Corpus) copies(train []*data.Document) []*data.Document {
	var all []*data.Document
	for n := range c.Copies.Number {
		opt := augment.Options{DropLabels: c.Copies.DropLabels, SwapValues: c.Copies.SwapValues}
		all = append(all, augment.Copy(train, opt, c.Seed+uint64(n)<<32)...)
	}
	return all
}

// maxBad is how many unreadable notes are named.
const maxBad = 20

// collect reads a source to its end. Of notes that cannot be read, it names the
// first.
func (c *Corpus) collect(split string, source data.Documents, progress models.Progress) ([]*data.Document, error) {
	var docs []*data.Document
	var bad []error
	for doc, err := range source {
		if err != nil {
			if bad = append(bad, err); len(bad) > maxBad {
				bad[maxBad] = fmt.Errorf("split %s: there are more; only the first %d notes that cannot be read are named", split, maxBad)
				break
			}
			continue
		}
		if bad == nil {
			docs = append(docs, doc)
			progress.Tell("reading "+split, len(docs), c.Notes[split])
		}
	}
	if bad != nil {
		return nil, errors.Join(bad...)
	}
	if len(docs) == 0 {
		return nil, fmt.Errorf("corpus: split %s holds no document", split)
	}
	return docs, nil
}
