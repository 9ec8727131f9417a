package experiments

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/format"
	"github.com/lethe-deid/lethe/data/synth"
)

const (
	trainSplit = "train"
	devSplit   = "dev"
)

// has says whether a split is given, rather than held out.
func (c *Corpus) has(split string) bool { return c.Splits[split] != "" || c.Notes[split] > 0 }

// SplitNames lists the splits, sorted.
func (c *Corpus) SplitNames() []string {
	names := slices.AppendSeq(slices.Collect(maps.Keys(c.Splits)), maps.Keys(c.Notes))
	if c.HoldOut.Fraction > 0 && !c.has(devSplit) {
		names = append(names, devSplit)
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
	case c.HoldOut.Fraction > 0 && (split == trainSplit || split == devSplit):
		train, dev, err := c.part(progress)
		if split == trainSplit {
			return each(train), err
		}
		return each(dev), err
	case c.has(split):
		return c.source(split)
	}
	return nil, fmt.Errorf("corpus: no split %s (have %s)", split, strings.Join(c.SplitNames(), ", "))
}

// source reads or generates what the configuration gives as a split.
func (c *Corpus) source(split string) (data.Documents, error) {
	if c.Format == synthetic {
		return synth.Notes(c.Notes[split], c.Seed, synth.Split(split)), nil
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

// part parts what is given as train. All of it must be readable, since the parts
// would be others without a note.
func (c *Corpus) part(progress Progress) (train, dev []*data.Document, err error) {
	source, err := c.source(trainSplit)
	if err != nil {
		return nil, nil, err
	}
	all, err := c.collect(trainSplit, source, progress)
	if err != nil {
		return nil, nil, err
	}
	if train, dev, err = data.Split(all, c.HoldOut.Fraction, c.HoldOut.By == "patient", c.Seed); err != nil {
		return nil, nil, fmt.Errorf("corpus.hold_out: %w", err)
	}
	return train, dev, nil
}

func each(docs []*data.Document) data.Documents {
	return func(yield func(*data.Document, error) bool) {
		for _, d := range docs {
			if !yield(d, nil) {
				return
			}
		}
	}
}

// load reads all of a split, every note of which must be readable.
func (c *Corpus) load(split string, progress Progress) ([]*data.Document, error) {
	source, err := c.read(split, progress)
	if err != nil {
		return nil, err
	}
	return c.collect(split, source, progress)
}

// loadBoth reads what a training needs, a corpus that is to be parted only once.
func (c *Corpus) loadBoth(progress Progress) (train, dev []*data.Document, err error) {
	if c.HoldOut.Fraction > 0 {
		return c.part(progress)
	}
	if train, err = c.load(trainSplit, progress); err != nil {
		return nil, nil, err
	}
	dev, err = c.load(devSplit, progress)
	return train, dev, err
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
