package learn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/tokenize"
	"github.com/lethe-deid/lethe/embeddings"
)

// Words defines the words of a text, and which of them are learnt.
type Words struct {
	Tokenizer    string // see tokenize.Names; default ptb
	Sentences    string // sentence splitter, since a word's neighbours are within its sentence; see tokenize.SplitterNames; default rules
	Lowercase    bool   // convert words to lower case
	ZeroDigits   bool   // replace digits by 0
	MinCount     int    // minimum number of occurrences of a word to be learnt; default 5
	MinDocuments int    // minimum number of documents with the word; default 1
}

// DefaultWords returns the words of Dernoncourt et al. 2016, with the minimum
// count of their section 3.3.
func DefaultWords() Words {
	return Words{Tokenizer: "ptb", Sentences: "rules", MinCount: 5, MinDocuments: 1}
}

// Validate returns an error for the first invalid setting.
func (w Words) Validate() error {
	switch {
	case w.MinCount < 1:
		return fmt.Errorf("minimum count %d is not positive", w.MinCount)
	case w.MinDocuments < 1:
		return fmt.Errorf("minimum number of documents %d is not positive", w.MinDocuments)
	}
	_, err := newReader(w)
	return err
}

// Sentence contains the words of one sentence. The slice is valid until the next
// sentence.
type Sentence struct {
	Document string // its ID
	Words    []string
}

// Sentences yields the sentences of a corpus, with all their words. If there is
// an error, it is the last item.
func Sentences(ctx context.Context, corpus data.Documents, words Words) iter.Seq2[Sentence, error] {
	return func(yield func(Sentence, error) bool) {
		r, err := newReader(words)
		if err == nil {
			r.corpus = corpus
			err = r.each(ctx, func(doc *data.Document, words []string) error {
				if !yield(Sentence{doc.ID, words}, nil) {
					return errStop
				}
				return nil
			})
		}
		if err != nil && err != errStop {
			yield(Sentence{}, err)
		}
	}
}

var errStop = errors.New("no more sentences are wanted")

// reader splits a corpus into sentences of words.
type reader struct {
	corpus     data.Documents
	tokenizer  tokenize.Tokenizer
	splitter   tokenize.Splitter
	lowercase  bool
	zeroDigits bool
}

func newReader(w Words) (r *reader, err error) {
	r = &reader{lowercase: w.Lowercase, zeroDigits: w.ZeroDigits}
	if r.tokenizer, err = tokenize.Lookup(w.Tokenizer); err != nil {
		return nil, err
	}
	r.splitter, err = tokenize.LookupSplitter(w.Sentences)
	return r, err
}

// each calls do with the words of each sentence, in a slice that is valid until
// the next call.
func (r *reader) each(ctx context.Context, do func(doc *data.Document, words []string) error) error {
	var tokens []data.Token
	var sentences []tokenize.Range
	var words []string
	for doc, err := range r.corpus {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		tokens = r.tokenizer.Tokens(doc.Text, tokens[:0])
		sentences = r.splitter.Sentences(doc.Text, tokens, sentences[:0])
		for _, s := range sentences {
			words = words[:0]
			for _, t := range tokens[s.Start:s.End] {
				words = append(words, r.word(doc.Text[t.Start:t.End]))
			}
			if err := do(doc, words); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *reader) word(token string) string {
	if r.lowercase {
		token = strings.ToLower(token)
	}
	if r.zeroDigits {
		token = embeddings.ZeroDigits(token)
	}
	return token
}

// vocabulary contains the words that get a vector, the most frequent first.
type vocabulary struct {
	words  []string
	counts []int
	total  int // sum of the counts
	ids    map[string]int32
}

// count reads the corpus once and determines the vocabulary.
func (r *reader) count(ctx context.Context, cfg Config, progress Progress) (*vocabulary, Summary, error) {
	type occurrences struct {
		count, documents int32
		last             int32 // number of the last document with the word
	}
	var s Summary
	seen := map[string]*occurrences{}
	id := ""
	err := r.each(ctx, func(doc *data.Document, words []string) error {
		if doc.ID != id || s.Documents == 0 {
			id = doc.ID
			s.Documents++
		}
		s.Sentences++
		if s.Sentences%4096 == 0 {
			progress("counting words", s.Tokens, 0)
		}
		s.Tokens += len(words)
		for _, w := range words {
			o := seen[w]
			if o == nil {
				o = &occurrences{}
				seen[strings.Clone(w)] = o // do not keep the document of the word in memory
			}
			o.count++
			if o.last != int32(s.Documents) {
				o.last = int32(s.Documents)
				o.documents++
			}
		}
		return nil
	})
	if err != nil {
		return nil, s, err
	}
	s.Words = len(seen)
	if s.Tokens == 0 {
		return nil, s, errors.New("no tokens in the corpus")
	}
	v := &vocabulary{ids: map[string]int32{}}
	for w, o := range seen {
		switch {
		case strings.ContainsFunc(w, unwritable):
			s.Unwritable++
		case int(o.count) >= cfg.MinCount && int(o.documents) >= cfg.MinDocuments:
			v.words = append(v.words, w)
		}
	}
	if len(v.words) < 2 {
		return nil, s, fmt.Errorf("of %d distinct words, %d occur %d times or more in %d documents or more: too few to learn from",
			s.Words, len(v.words), cfg.MinCount, cfg.MinDocuments)
	}
	slices.SortFunc(v.words, func(a, b string) int {
		return cmp.Or(cmp.Compare(seen[b].count, seen[a].count), cmp.Compare(a, b))
	})
	for i, w := range v.words {
		v.ids[w] = int32(i)
		v.counts = append(v.counts, int(seen[w].count))
		v.total += v.counts[i]
	}
	s.Kept = v.total
	return v, s, nil
}

// unwritable reports whether a character ends a word in files of vectors, or
// makes them look like binary files.
func unwritable(c rune) bool { return unicode.IsSpace(c) || unicode.IsControl(c) }

// sentences calls do with the ids of the words of each sentence, without words
// that have no vector. The slice is valid until the next call.
func (r *reader) sentences(ctx context.Context, v *vocabulary, do func(ids []int32) error) error {
	var ids []int32
	return r.each(ctx, func(_ *data.Document, words []string) error {
		ids = ids[:0]
		for _, w := range words {
			if id, ok := v.ids[w]; ok {
				ids = append(ids, id)
			}
		}
		return do(ids)
	})
}
