package check

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/tokenize"
)

// Labelling says how a sequence labeller reads notes, which decides which spans it can learn.
type Labelling struct {
	Tokenizer string      `json:"tokenizer"`    // as tokenize.Lookup
	Sentences string      `json:"sentences"`    // as tokenize.LookupSplitter
	MaxTokens int         `json:"max_sentence"` // longer sentences are split
	Scheme    data.Scheme `json:"scheme"`
}

// Default is the labelling of the network with its default settings.
var Default = Labelling{Tokenizer: "ptb", Sentences: "rules", MaxTokens: 1000, Scheme: data.BIOES}

// Check returns an error that begins with the key of an unknown tokenizer or splitter.
func (l Labelling) Check() error {
	if _, err := tokenize.Lookup(l.Tokenizer); err != nil {
		return fmt.Errorf("tokenizer: %w", err)
	}
	if _, err := tokenize.LookupSplitter(l.Sentences); err != nil {
		return fmt.Errorf("sentences: %w", err)
	}
	return nil
}

func (l Labelling) String() string {
	return fmt.Sprintf("tokenizer %s, sentences %s, scheme %s", l.Tokenizer, l.Sentences, l.Scheme)
}

// Reason says why a labeller cannot learn a span as it is.
type Reason int

// The reasons. If several of them apply to a span, the first one is reported.
const (
	Duplicate Reason = iota
	Blank
	Overlapping
	Shared
	Crossing
	Inside
	Padded
	Adjacent
	exact // there is none
)

var reasons = [exact]struct{ key, what, becomes string }{
	Duplicate:   {"duplicate", "repeats a span of the same type", "learned and scored once"},
	Blank:       {"blank", "contains only white space", "not learned"},
	Overlapping: {"overlapping", "overlaps a longer span", "not learned"},
	Shared:      {"shared", "lies within a token of the span before it", "not learned"},
	Crossing:    {"crossing", "crosses the end of a sentence", "learned and found in parts"},
	Inside:      {"inside", "begins or ends inside a token", "learned and found with other borders"},
	Padded:      {"padded", "begins or ends with white space", "learned and found without it"},
	Adjacent:    {"adjacent", "touches a span of the same type", "learned and found as one with it"},
}

// String describes the spans, as in "overlaps a longer span".
func (r Reason) String() string { return reasons[r].what }

// Becomes says what a labeller makes of the spans, as in "not learned".
func (r Reason) Becomes() string { return reasons[r].becomes }

// MarshalText implements encoding.TextMarshaler.
func (r Reason) MarshalText() ([]byte, error) { return []byte(reasons[r].key), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (r *Reason) UnmarshalText(text []byte) error {
	for i := range reasons {
		if reasons[i].key == string(text) {
			*r = Reason(i)
			return nil
		}
	}
	return fmt.Errorf("no reason %q", text)
}

// Lost counts the spans that a labeller cannot learn as they are, by reason and type.
type Lost map[Reason]map[string]int

func (l Lost) add(why Reason, typ string) {
	if l[why] == nil {
		l[why] = map[string]int{}
	}
	l[why][typ]++
}

// Spans returns the number of spans with a reason.
func (l Lost) Spans(why Reason) (n int) {
	for _, spans := range l[why] {
		n += spans
	}
	return n
}

// Missed returns the number of spans that a labeller whose labels are all right would not find
// exactly, which limits its strict recall.
func (l Lost) Missed() (n int) {
	for why := range l {
		if why != Duplicate {
			n += l.Spans(why)
		}
	}
	return n
}

// labeller finds what a labelling loses. It keeps its buffers from note to note.
type labeller struct {
	tokenizer tokenize.Tokenizer
	splitter  tokenize.Splitter
	scheme    data.Scheme
	tokens    []data.Token
	sentences []tokenize.Range
	why       []Reason
	at        []tokenize.Range // tokens of each span
}

func newLabeller(l Labelling) *labeller {
	if err := l.Check(); err != nil {
		panic(fmt.Errorf("check: %w", err))
	}
	tokenizer, _ := tokenize.Lookup(l.Tokenizer)
	splitter, _ := tokenize.LookupSplitter(l.Sentences)
	return &labeller{tokenizer: tokenizer, splitter: tokenize.Limit(splitter, l.MaxTokens), scheme: l.Scheme}
}

// lost yields the spans of a document that the labeller cannot learn as they are: the index of
// each, and the reason. It follows data.AlignSpans and the labels of sentences.
func (l *labeller) lost(doc *data.Document) iter.Seq2[int, Reason] {
	return func(yield func(int, Reason) bool) {
		if len(doc.Spans) == 0 {
			return
		}
		l.examine(doc)
		for i, why := range l.why {
			if why != exact && !yield(i, why) {
				return
			}
		}
	}
}

func (l *labeller) examine(doc *data.Document) {
	l.tokens = l.tokenizer.Tokens(doc.Text, l.tokens[:0])
	l.sentences = l.splitter.Sentences(doc.Text, l.tokens, l.sentences[:0])
	l.why, l.at = l.why[:0], l.at[:0]
	kept := data.Flatten(doc.Spans)
	token, before := 0, -1 // the next token, and the last span with tokens
	for i, s := range doc.Spans {
		var why Reason
		at := tokenize.Range{}
		text := doc.Text[s.Start:s.End]
		isKept := len(kept) > 0 && same(kept[0], s)
		if isKept { // as data.AlignSpans does
			kept = kept[1:]
			for token < len(l.tokens) && l.tokens[token].End <= s.Start {
				token++
			}
			at.Start = token
			for token < len(l.tokens) && l.tokens[token].Start < s.End {
				token++
			}
			at.End = token
		}
		switch {
		case i > 0 && same(doc.Spans[i-1], s):
			why = Duplicate
		case strings.TrimSpace(text) == "":
			why = Blank
		case !isKept:
			why = Overlapping
		case at.Start == at.End:
			why = Shared
		case l.crosses(at):
			why = Crossing
		default:
			why = l.borders(at, s, text)
		}
		l.why, l.at = append(l.why, why), append(l.at, at)
		if at.Start < at.End {
			if before >= 0 && l.scheme == data.IO && doc.Spans[before].Type == s.Type && l.at[before].End == at.Start && !l.begins(at.Start) {
				l.why[before], l.why[i] = min(l.why[before], Adjacent), min(l.why[i], Adjacent)
			}
			before = i
		}
	}
}

// borders compares the borders of a span with those of its tokens.
func (l *labeller) borders(at tokenize.Range, s data.Span, text string) Reason {
	start, end := l.tokens[at.Start].Start, l.tokens[at.End-1].End
	trimmed := strings.TrimSpace(text)
	first := s.Start + strings.Index(text, trimmed)
	switch {
	case start == s.Start && end == s.End:
		return exact
	case start == first && end == first+len(trimmed):
		return Padded
	}
	return Inside
}

// crosses reports whether a sentence begins within a range of tokens.
func (l *labeller) crosses(at tokenize.Range) bool {
	i, _ := slices.BinarySearchFunc(l.sentences, at.Start+1, func(r tokenize.Range, token int) int { return r.Start - token })
	return i < len(l.sentences) && l.sentences[i].Start < at.End
}

// begins reports whether a sentence begins with a token.
func (l *labeller) begins(token int) bool {
	_, found := slices.BinarySearchFunc(l.sentences, token, func(r tokenize.Range, token int) int { return r.Start - token })
	return found
}

func same(a, b data.Span) bool { return a.Start == b.Start && a.End == b.End && a.Type == b.Type }
