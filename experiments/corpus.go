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
)

const (
	trainSplit = "train"
	devSplit   = "dev"
	testSplit  = "test"
)

// has says whether a split is given, rather than cut off train.
func (c *Corpus) has(split string) bool { return c.Splits[split] != "" || c.Notes[split] > 0 }

// cuts says whether a split is made of what is given as train.
func (c *Corpus) cuts(split string) bool {
	switch split {
	case trainSplit:
		return c.Fold.Of > 0 || c.HoldOut.Fraction > 0 || c.Subset.Documents > 0
	case devSplit:
		return c.HoldOut.Fraction > 0
	case testSplit:
		return c.Fold.Of > 0
	}
	return false
}

// SplitNames lists the splits, sorted.
func (c *Corpus) SplitNames() []string {
	names := slices.AppendSeq(slices.Collect(maps.Keys(c.Splits)), maps.Keys(c.Notes))
	for _, name := range []string{devSplit, testSplit} {
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

// read reads a split. An error that stops it before the first document names
// the key.
func (c *Corpus) read(split string, progress Progress) (data.Documents, error) {
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
	types, err := data.LookupTypeSet(c.Types)
	if err != nil {
		return nil, fmt.Errorf("corpus.types: %w", err)
	}
	return format.Read(c.Format, path, types), nil
}

// part cuts up what is given as train. All of it must be readable, since the
// parts would be others without a note.
func (c *Corpus) part(progress Progress) (parts map[string][]*data.Document, err error) {
	source, err := c.source(trainSplit)
	if err != nil {
		return nil, err
	}
	train, err := c.collect(trainSplit, source, progress)
	if err != nil {
		return nil, err
	}
	parts = map[string][]*data.Document{}
	if f := c.Fold; f.Of > 0 {
		folds, err := data.Folds(train, f.Of, f.By == byPatient, c.Seed)
		if err != nil {
			return nil, fmt.Errorf("corpus.fold: %w", err)
		}
		parts[testSplit] = folds[f.Number-1]
		held := map[*data.Document]bool{}
		for _, d := range parts[testSplit] {
			held[d] = true
		}
		train = slices.DeleteFunc(train, func(d *data.Document) bool { return held[d] })
	}
	if h := c.HoldOut; h.Fraction > 0 {
		if train, parts[devSplit], err = data.Split(train, h.Fraction, h.By == byPatient, c.Seed); err != nil {
			return nil, fmt.Errorf("corpus.hold_out: %w", err)
		}
	}
	if s := c.Subset; s.Documents > 0 {
		if train, err = data.Sample(train, s.Documents, s.By == byPatient, s.Seed); err != nil {
			return nil, fmt.Errorf("corpus.subset: %w", err)
		}
	}
	parts[trainSplit] = train
	return parts, nil
}

// Load reads all of a split, every note of which must be readable.
func (c *Corpus) Load(split string, progress Progress) ([]*data.Document, error) {
	source, err := c.read(split, progress)
	if err != nil {
		return nil, err
	}
	return c.collect(split, source, progress)
}

// checkSplits says whether there is what a training needs.
func (c *Corpus) checkSplits() error {
	switch have := strings.Join(c.SplitNames(), ", "); {
	case !c.has(trainSplit):
		return fmt.Errorf("corpus: no split train (have %s)", have)
	case !c.has(devSplit) && !c.cuts(devSplit):
		return fmt.Errorf("corpus: no split dev (have %s): give one, or let corpus.hold_out make it of a part of train", have)
	}
	return nil
}

// loadBoth reads what a training needs, a corpus that is to be parted only once.
func (c *Corpus) loadBoth(progress Progress) (train, dev []*data.Document, err error) {
	if err := c.checkSplits(); err != nil {
		return nil, nil, err
	}
	if c.cuts(trainSplit) && c.cuts(devSplit) {
		parts, err := c.part(progress)
		return parts[trainSplit], parts[devSplit], err
	}
	if train, err = c.Load(trainSplit, progress); err != nil {
		return nil, nil, err
	}
	dev, err = c.Load(devSplit, progress)
	return train, dev, err
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

// collect reads a source to its end.
func (c *Corpus) collect(split string, source data.Documents, progress Progress) ([]*data.Document, error) {
	var docs []*data.Document
	for doc, err := range source {
		if err != nil {
			return nil, err
		}
		docs = append(docs, doc)
		progress.tell("reading "+split, len(docs), c.Notes[split])
	}
	if len(docs) == 0 {
		return nil, fmt.Errorf("corpus: split %s holds no document", split)
	}
	return docs, nil
}

// checkAnnotated refuses documents that teach nothing.
func checkAnnotated(docs []*data.Document) error {
	for _, d := range docs {
		if len(d.Spans) > 0 {
			return nil
		}
	}
	return errors.New("corpus: split train holds no annotation to learn from")
}
