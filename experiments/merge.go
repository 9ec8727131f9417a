package experiments

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
)

// given reports whether the configuration gives the documents of a split.
func (c *Corpus) given(split string) bool { return len(c.Splits[split]) > 0 || c.Notes[split] > 0 }

// merged reports whether the documents of a split are added to train, so that it is not a split of
// its own.
func (c *Corpus) merged(split string) bool {
	return split != TrainSplit && slices.Contains(c.Merge, split)
}

// sources lists the given splits whose documents make up a split: for train, those of Merge.
func (c *Corpus) sources(split string) []string {
	if split == TrainSplit && len(c.Merge) > 0 {
		return c.Merge
	}
	return []string{split}
}

// added lists the splits whose documents are added to a split.
func (c *Corpus) added(split string) []string {
	return slices.DeleteFunc(slices.Clone(c.sources(split)), func(name string) bool { return name == split })
}

// validateMerge checks the names of the splits that train consists of.
func (c *Corpus) validateMerge() error {
	if len(c.Merge) == 0 {
		return nil
	}
	for i, split := range c.Merge {
		switch {
		case split == TestSplit:
			return errors.New("merge: test cannot be merged, because a system must not learn from the notes that it is scored on")
		case slices.Contains(c.Merge[:i], split):
			return fmt.Errorf("merge: duplicate split %s", split)
		case !c.given(split):
			given := slices.Sorted(maps.Keys(c.Splits))
			given = append(given, slices.Sorted(maps.Keys(c.Notes))...)
			return fmt.Errorf("merge: no split %q is given (have %s)", split, strings.Join(given, ", "))
		}
	}
	if len(c.Merge) == 1 || !slices.Contains(c.Merge, TrainSplit) {
		return fmt.Errorf("merge: [%s] is not train and at least one other split", strings.Join(c.Merge, ", "))
	}
	return nil
}

// CheckSplit returns an error unless the corpus has the split. The error reads well after "the corpus
// has".
func (c *Corpus) CheckSplit(split string) error {
	names := c.SplitNames()
	have := strings.Join(names, ", ")
	switch {
	case slices.Contains(names, split):
		return nil
	case c.merged(split):
		return fmt.Errorf("no split %s of its own (have %s): corpus.merge adds its notes to train, so its scores would be meaningless", split, have)
	}
	return fmt.Errorf("no split %s (have %s)", split, have)
}

// joined reads the documents of the sources of train, one after the other. It yields an error for a
// source without annotation, which would teach the system that nothing in its notes is PHI, and for
// an ID that occurs in two sources.
func (c *Corpus) joined() (data.Documents, error) {
	var parts []part
	for _, split := range c.Merge {
		docs, err := c.open(split)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part{split, annotated(docs, fmt.Errorf("corpus.merge: split %s contains no annotation to learn from", split))})
	}
	return concatenate(parts, func(a, b, id string) error {
		return fmt.Errorf("corpus.merge: a note of split %s and one of split %s have the same ID %s: rename one of them", a, b, quoted(id))
	}), nil
}

// annotated yields the documents and, if all of them can be read but none has a span, an error at the
// end.
func annotated(docs data.Documents, none error) data.Documents {
	return func(yield func(*data.Document, error) bool) {
		spans, failed := 0, false
		for doc, err := range docs {
			if err == nil {
				spans += len(doc.Spans)
			}
			failed = failed || err != nil
			if !yield(doc, err) {
				return
			}
		}
		if spans == 0 && !failed {
			yield(nil, none)
		}
	}
}
