package experiments

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/check"
	"github.com/lethe-deid/lethe/data/format"
	"github.com/lethe-deid/lethe/data/synth"
	"github.com/lethe-deid/lethe/deid/augment"
	"github.com/lethe-deid/lethe/models"
)

// The splits with a meaning of their own. A corpus may have others.
const (
	TrainSplit = "train" // to train on
	DevSplit   = "dev"   // to choose the best epoch, if the system does
	TestSplit  = "test"  // to score; also created by Fold
)

// has reports whether the configuration gives a split, rather than creating it from train or adding
// it to train.
func (c *Corpus) has(split string) bool { return c.given(split) && !c.merged(split) }

// cuts reports whether a split is created from the documents given as train.
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

// exists reports whether the corpus has a split, given or created from train.
func (c *Corpus) exists(split string) bool { return c.has(split) || c.cuts(split) }

// SplitNames lists the splits, including those created from train but not those added to it, sorted.
func (c *Corpus) SplitNames() []string {
	names := slices.AppendSeq(slices.Collect(maps.Keys(c.Splits)), maps.Keys(c.Notes))
	names = slices.DeleteFunc(names, c.merged)
	for _, name := range []string{DevSplit, TestSplit} {
		if c.cuts(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// OutputFormat returns the default format of predictions: the corpus's own, if it supports spans.
func (c *Corpus) OutputFormat() string {
	switch c.Format {
	case synthetic:
		return "i2b2"
	case "text":
		return "jsonl"
	}
	return c.Format
}

// TypeSet returns the set of the corpus's types. It panics if Types is not the name of a set, which
// Config.Validate reports as an error.
func (c *Corpus) TypeSet() *data.TypeSet {
	types, err := data.LookupTypeSet(c.Types)
	if err != nil {
		panic(fmt.Errorf("experiments: corpus.types: %w", err))
	}
	return types
}

// read reads a split. An error before the first document names the key.
func (c *Corpus) read(split string, progress models.Progress) (data.Documents, error) {
	switch {
	case c.cuts(split):
		parts, err := c.part(progress)
		return data.Each(parts[split]), err
	case c.has(split):
		return c.source(split)
	}
	return nil, fmt.Errorf("corpus: %w", c.CheckSplit(split))
}

// source reads or generates the documents that the configuration gives as a split: for train, those
// of all splits that are merged.
func (c *Corpus) source(split string) (data.Documents, error) {
	if len(c.sources(split)) > 1 {
		return c.joined()
	}
	return c.open(split)
}

// open reads or generates the documents of a given split.
func (c *Corpus) open(split string) (data.Documents, error) {
	if c.Format == synthetic {
		return c.generator(split).Notes(c.Notes[split]), nil
	}
	path := c.Splits[split]
	if path == "" {
		return nil, fmt.Errorf("corpus.splits.%s: not given", split)
	}
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("corpus.splits.%s: %w", split, err)
	}
	if c.Map == "" {
		return format.Read(c.Format, path, c.reading(c.TypeSet())), nil
	}
	types, err := data.LookupTypeMap(c.Map)
	return mapped(types, format.Read(c.Format, path, c.reading(data.Any))), err
}

// reading returns the options of the reader of the corpus.
func (c *Corpus) reading(types *data.TypeSet) format.Options {
	return format.Options{Types: types, CoNLL: c.CoNLL, HF: c.HF, INCEpTION: c.INCEpTION}
}

// generator returns what generates a split.
func (c *Corpus) generator(split string) synth.Config {
	return synth.Config{Corpus: c.Generated, Split: synth.Split(split), Seed: c.Seed, NotesPerPatient: c.NotesPerPatient}
}

// mapped applies a type map to documents. A document with a type that the map does not know yields an error.
func mapped(types *data.TypeMap, docs data.Documents) data.Documents {
	return func(yield func(*data.Document, error) bool) {
		var left data.LeftOut
		for doc, err := range types.Apply(docs, &left) {
			if err == nil && len(left.Unknown) > 0 {
				unknown := slices.Sorted(maps.Keys(left.Unknown))
				clear(left.Unknown)
				doc, err = nil, fmt.Errorf("document %s: the map %s does not know the type %s", doc.ID, types.Name, unknown[0])
			}
			if !yield(doc, err) {
				return
			}
		}
	}
}

// part reads and divides the documents given as train. All of them must be readable, because one
// missing note would change the parts.
func (c *Corpus) part(progress models.Progress) (map[string][]*data.Document, error) {
	source, err := c.source(TrainSplit)
	if err != nil {
		return nil, err
	}
	train, err := c.collect(TrainSplit, source, progress)
	if err != nil {
		return nil, err
	}
	return c.divide(train)
}

// divide divides the documents given as train.
func (c *Corpus) divide(train []*data.Document) (parts map[string][]*data.Document, err error) {
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

// checkDivision returns an error if documents are to be divided by patient but a patient is
// unknown.
func checkDivision(key, by string, docs []*data.Document) error {
	if by != data.ByPatient {
		return nil
	}
	return CheckPatients(key, docs)
}

// Load reads all documents of a split. Every note must be readable.
func (c *Corpus) Load(split string, progress models.Progress) ([]*data.Document, error) {
	source, err := c.read(split, progress)
	if err != nil {
		return nil, err
	}
	return c.collect(split, source, progress)
}

// checkSplits returns an error unless the splits that training requires exist.
func (c *Corpus) checkSplits(needsDev bool) error {
	switch have := strings.Join(c.SplitNames(), ", "); {
	case !c.has(TrainSplit):
		return fmt.Errorf("corpus: no split train (have %s)", have)
	case needsDev && !c.exists(DevSplit) && c.merged(DevSplit):
		return errors.New("corpus: the system requires the split dev, which corpus.merge adds to train: set training.patience to 0, or create dev from a part of the merged notes with corpus.hold_out")
	case needsDev && !c.exists(DevSplit):
		return fmt.Errorf("corpus: no split dev (have %s), which the system requires: give one, or create it from a part of train with corpus.hold_out", have)
	}
	return nil
}

// copies returns a function that makes the changed copies of the training documents for an epoch,
// which are the same for all epochs unless they are to be renewed. It is nil if there are none.
// Several goroutines may call it.
func (c *Corpus) copies(train []*data.Document) (func(epoch int) ([]*data.Document, error), error) {
	if c.Copies.Number == 0 {
		return nil, nil
	}
	augmenter, err := c.augmenter(train)
	if err != nil {
		return nil, err
	}
	draw := func(epoch int) ([]*data.Document, error) {
		var all []*data.Document
		for n := range c.Copies.Number {
			copies, err := augmenter.Copy(train, c.copySeed(n, epoch))
			if err != nil {
				return nil, fmt.Errorf("corpus.copies: %w", err)
			}
			all = append(all, copies...)
		}
		return all, nil
	}
	if c.Copies.Renew {
		return draw, nil
	}
	first := sync.OnceValues(func() ([]*data.Document, error) { return draw(1) })
	return func(int) ([]*data.Document, error) { return first() }, nil
}

// augmenter returns what changes notes as Copies says.
func (c *Corpus) augmenter(train []*data.Document) (*augment.Augmenter, error) {
	augmenter, err := augment.New(train, c.TypeSet(), c.Copies.augment())
	if err != nil {
		return nil, fmt.Errorf("corpus.copies: %w", err)
	}
	return augmenter, nil
}

// copySeed returns the seed of a copy, counted from 0, in an epoch. The multiplier, which is 2^64 divided
// by the golden ratio, keeps the seeds of further copies away from those of silver notes, which
// differ from the seed of the corpus in few bits.
func (c *Corpus) copySeed(n, epoch int) uint64 {
	return c.Seed + uint64(n)*0x9e3779b97f4a7c15 + uint64(epoch-1)<<48
}

// total returns the number of documents of a split if they are generated, and 0 otherwise.
func (c *Corpus) total(split string) (n int) {
	for _, source := range c.sources(split) {
		n += c.Notes[source]
	}
	return n
}

// collect reads a source to its end. If notes cannot be read, the error names them.
func (c *Corpus) collect(split string, source data.Documents, progress models.Progress) ([]*data.Document, error) {
	var docs []*data.Document
	var bad check.Unreadable
	for doc, err := range source {
		if err != nil {
			bad.Add(err)
			continue
		}
		docs = append(docs, doc)
		progress.Tell("reading "+split, len(docs), c.total(split))
	}
	if err := bad.Err(); err != nil {
		return nil, err
	}
	if len(docs) == 0 {
		return nil, fmt.Errorf("corpus: split %s holds no document", split)
	}
	return docs, nil
}
