// Package gazetteer finds the entries of lists: first names, surnames, cities, professions. It is the dictionary tagger of Dehghan et al. 2015
// (section 2 (II)), and provides a CRF with its gazetteer features (Dernoncourt et al. 2016, table 2; Szarvas et al. 2006).
//
// A list is a file of the user's (see List) or a built-in one (see Builtins). A Dictionary combines several lists; for each list, it finds the
// longest entries in a text from left to right. A Tagger makes spans of the entries of those lists that have a PHI type.
//
// # What matches
//
// Entries and text are both split into runs of letters, runs of digits, and single other characters (tokenize.LettersDigits), whatever tokens the
// caller uses. An entry matches if its pieces follow each other, with or without white space between them but not with a blank line, and if it begins
// and ends at borders of the caller's tokens. So "O'Brien" and "St. Louis" are found with every tokenizer, and "Ana" is never found in "Banana".
//
// By default, case and accents are ignored: "GARCIA" in the list matches "García" in the text. That includes ñ, which matches n, and ç. Spain's
// official lists are in capitals with Ñ but without other accents, and notes written on an English keyboard have Nunez. Missing a name costs more
// than confusing Peña with Pena.
//
// # Time and memory
//
// The dictionary uses the automaton of Aho and Corasick (1975) over pieces instead of bytes, for the entries read backwards. It also reads the text
// backwards, so that its state at a piece represents the longest entry that begins there. The time is linear in the text, whatever the lists and the
// text. Dictionary.Match processes windows of fixed size, which bounds its memory. docs/gazetteer.md has measurements, and
// docs/decisions/0017-gazetteers-by-our-own-automaton.md explains why it is neither a trie nor a library.
package gazetteer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/tokenize"
	"github.com/lethe-deid/lethe/taggers"
)

// Config has all settings of the tagger.
type Config struct {
	Lists Lists `yaml:"lists"` // required; at least one must have a type
	Join  bool  `yaml:"join"`  // join neighbouring spans of one type with only spaces between them, such as first name and surname; default false
}

// Validate returns an error that begins with the first key whose value makes no sense. It opens no files.
func (c Config) Validate() error {
	if err := c.Lists.Validate(); err != nil {
		return err
	}
	if !slices.ContainsFunc(c.Lists, func(l List) bool { return l.Type != "" }) {
		return errors.New("lists: at least one must have a type")
	}
	return nil
}

// Tagger tags the entries of lists. It requires no training.
type Tagger struct {
	config     Config
	types      *data.TypeSet
	dictionary *Dictionary
	workers    int
}

var _ data.Tagger = (*Tagger)(nil)

// New reads the lists. Their types must belong to types. workers is the number of cores to use, at least 1.
func New(cfg Config, types *data.TypeSet, workers int) (*Tagger, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if workers < 1 {
		return nil, fmt.Errorf("workers: %d is not positive", workers)
	}
	for i, l := range cfg.Lists {
		if l.Type != "" && !types.Has(l.Type) {
			return nil, fmt.Errorf("lists[%d].type: %s is not a type of %s", i, l.Type, types.Name)
		}
	}
	d, err := NewDictionary(cfg.Lists)
	if err != nil {
		return nil, err
	}
	cfg.Lists = slices.Clone(cfg.Lists)
	return &Tagger{cfg, types, d, workers}, nil
}

// Contents implements taggers.Inventory.
func (t *Tagger) Contents() taggers.Contents {
	c := taggers.Contents{Kind: "gazetteer", Entries: "entries of lists", Privacy: "It holds the entries of its lists, and nothing of notes.", Unlearned: true}
	for i := range t.dictionary.lists {
		c.Vocabulary += len(t.dictionary.entries(i))
	}
	return c
}

// Types returns the type set of the spans.
func (t *Tagger) Types() *data.TypeSet { return t.types }

// Tag implements data.Tagger. Of overlapping entries, the longest in bytes becomes a span, then the first in the text, then that of the first list. A
// span's score is its list's; joined spans have the lowest score of their parts.
func (t *Tagger) Tag(ctx context.Context, docs []*data.Document) ([][]data.Span, error) {
	spans := make([][]data.Span, len(docs))
	errs := make([]error, len(docs))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(t.workers, len(docs)) {
		wg.Go(func() {
			s := t.dictionary.scanner()
			defer t.dictionary.scanners.Put(s)
			for i := int(next.Add(1) - 1); i < len(docs); i = int(next.Add(1) - 1) {
				spans[i], errs[i] = t.tag(ctx, s, docs[i].Text)
			}
		})
	}
	wg.Wait()
	if err := errors.Join(ctx.Err(), cmp.Or(errs...)); err != nil {
		return nil, cmp.Or(ctx.Err(), err)
	}
	return spans, nil
}

// pieceSize is the number of bytes of a text that are split into tokens at a time, so that a huge note takes little more memory than its spans.
const pieceSize = 1 << 16

// found is an entry in the text, as a range of bytes.
type found struct{ start, end, list int }

func (t *Tagger) tag(ctx context.Context, s *scanner, text string) ([]data.Span, error) {
	var all []found
	var tokens []data.Token
	s.reset()
	for from, size := 0, pieceSize; from < len(text); {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		to := min(from+size, len(text))
		for to < len(text) && !utf8.RuneStart(text[to]) {
			to++
		}
		tokens = tokenize.LettersDigits{}.Tokens(text[from:to], tokens[:0])
		for i := range tokens {
			tokens[i].Start += from
			tokens[i].End += from
		}
		// Entries that begin with the last tokens may extend beyond the piece, and so may the last token. They are processed again with the next
		// piece.
		begins := len(tokens)
		if to < len(text) {
			begins -= t.dictionary.longest + 1
			if begins < 1 {
				size *= 2
				continue
			}
		}
		s.scan(text, tokens, begins, func(start, end, list int) {
			if t.config.Lists[list].Type != "" {
				all = append(all, found{tokens[start].Start, tokens[end-1].End, list})
			}
		})
		if to == len(text) {
			break
		}
		from, size = tokens[begins].Start, pieceSize
	}
	return t.spans(text, all), nil
}

// spans returns the entries that remain after overlaps are resolved: the longest wins, then the earliest in the text, then that of the earliest list.
func (t *Tagger) spans(text string, all []found) []data.Span {
	slices.SortFunc(all, func(a, b found) int {
		return cmp.Or(cmp.Compare(b.end-b.start, a.end-a.start), cmp.Compare(a.start, b.start), cmp.Compare(a.list, b.list))
	})
	preferred := make([]data.Span, len(all))
	for i, f := range all {
		l := t.config.Lists[f.list]
		preferred[i] = data.Span{Start: f.start, End: f.end, Type: l.Type, Score: l.score()}
	}
	var spans []data.Span
	for _, s := range data.Disjoint(preferred) {
		if n := len(spans) - 1; t.config.Join && n >= 0 && spans[n].Type == s.Type && blank(text[spans[n].End:s.Start]) {
			spans[n].End, spans[n].Score = s.End, min(spans[n].Score, s.Score)
			continue
		}
		spans = append(spans, s)
	}
	return spans
}

// blank reports whether a text consists of spaces and tabs only.
func blank(s string) bool {
	for i := range len(s) {
		if s[i] != ' ' && s[i] != '\t' {
			return false
		}
	}
	return true
}
