// Package gazetteer finds what stands in lists: first names, surnames, cities, professions. It is the dictionary tagger of Dehghan et al. 2015
// (section II), and what gives a CRF its gazetteer features (Dernoncourt et al. 2016, Table 2; Szarvas et al. 2006).
//
// A list is a file of the user's (see List) or one of the project's own (see Builtins). Of several lists together a Dictionary is made, which finds in a
// text, for each list, its longest entries from left to right. A Tagger makes spans of the entries of those lists that have a PHI type.
//
// # What matches
//
// An entry and the text are both cut into runs of letters, runs of digits, and single other characters (tokenize.LettersDigits), whatever tokens
// the caller works with. An entry is found where its pieces stand one after another, with any white space or none between them but not a blank line,
// and where it begins and ends with tokens of the caller's. So "O'Brien" and "St. Louis" are found by every tokenizer, and "Ana" is never found
// in "Banana".
//
// Unless a list says otherwise, letters are compared without case and accents: "GARCIA" in the list is "García" in the text. That includes ñ,
// which counts as n, and ç. Spain's official lists write in capitals with Ñ and without other accents, while notes written on an English keyboard have Nunez,
// and there a miss costs more than a confusion of Peña with Pena.
//
// # Time and memory
//
// The automaton is that of Aho and Corasick (1975) over pieces instead of bytes, for the entries read backwards. It reads the text backwards too: its
// state at a piece then stands for the longest entry that begins there. The time is linear in the text whatever the lists and the text, and
// so is that of Dictionary.Match beyond a window of fixed size. docs/gazetteer.md has measurements, and
// docs/decisions/0017-gazetteers-by-our-own-automaton.md says why it is neither a trie nor a library.
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
)

// Config is everything about the tagger that a user chooses.
type Config struct {
	Lists Lists `yaml:"lists"` // required; one of them must have a type
	Join  bool  `yaml:"join"`  // make one span of neighbours of one type with nothing but spaces between: first name and surname; default false
}

// Validate names the first key that makes no sense. It opens no file.
func (c Config) Validate() error {
	if err := c.Lists.Validate(); err != nil {
		return err
	}
	if !slices.ContainsFunc(c.Lists, func(l List) bool { return l.Type != "" }) {
		return errors.New("lists: none has a type, so nothing would be tagged")
	}
	return nil
}

// Tagger tags what stands in lists. It needs no training.
type Tagger struct {
	config     Config
	types      *data.TypeSet
	dictionary *Dictionary
	workers    int
}

var _ data.Tagger = (*Tagger)(nil)

// New reads the lists. Their types must be of the set. Workers is the number of cores to use.
func New(cfg Config, types *data.TypeSet, workers int) (*Tagger, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if workers < 1 {
		return nil, fmt.Errorf("%d workers: not positive", workers)
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

// Types is the type set of the spans.
func (t *Tagger) Types() *data.TypeSet { return t.types }

// Tag implements data.Tagger. Of entries that overlap the longest becomes a span (in bytes; then the first in the text, then that of the first list).
// A span's score is its list's, and that of joined ones the least of theirs.
func (t *Tagger) Tag(ctx context.Context, docs []*data.Document) ([][]data.Span, error) {
	spans := make([][]data.Span, len(docs))
	errs := make([]error, len(docs))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(t.workers, len(docs)) {
		wg.Go(func() {
			s := t.dictionary.newScanner()
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

// pieceSize is how much of a text is cut into tokens at a time, so that a huge note costs little more memory than its spans; in bytes.
const pieceSize = 1 << 16

// found is an entry in the text: a range of bytes.
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
		// What the last tokens begin may go on beyond the piece, and so may the last token itself: they come again with the next piece.
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

// spans returns the entries that are left when of any that overlap only one is kept: the longest, then the earliest in the text, then that of the
// earliest list.
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

// blank reports whether between two entries of one line there are at most spaces.
func blank(s string) bool {
	for i := range len(s) {
		if s[i] != ' ' && s[i] != '\t' {
			return false
		}
	}
	return true
}
