package data

import (
	"fmt"
	"slices"
	"strings"
)

// Scheme is a way to encode spans as one label per token.
type Scheme string

// Label schemes. In all of them, O labels a token outside of any span.
const (
	IO    Scheme = "IO"    // I-X: inside. Adjacent spans of one type merge.
	BIO   Scheme = "BIO"   // B-X begins every span (IOB2), I-X continues it.
	BIOES Scheme = "BIOES" // S-X is a whole span of one token, E-X ends a longer one.
)

// ParseScheme returns the scheme with the given name, in upper or lower case. It
// returns an error for other names.
func ParseScheme(name string) (Scheme, error) {
	s := Scheme(strings.ToUpper(name))
	if !slices.Contains([]Scheme{IO, BIO, BIOES}, s) {
		return "", fmt.Errorf("no label scheme %q (have IO, BIO, BIOES)", name)
	}
	return s, nil
}

// TokenSpan is a span of the tokens [Start, End), of one type.
type TokenSpan struct {
	Start, End int
	Type       string
}

// Labels returns all labels of the scheme for the types: O first, then by type in
// the given order and by prefix B, E, I, S.
func (s Scheme) Labels(types []string) []string {
	labels := []string{"O"}
	for _, t := range types {
		for _, p := range map[Scheme]string{IO: "I", BIO: "BI", BIOES: "BEIS"}[s] {
			labels = append(labels, string(p)+"-"+t)
		}
	}
	return labels
}

// Encode returns the labels of n tokens. The spans must be within [0, n), sorted
// and disjoint. Otherwise Encode panics, because only a programming error can
// cause it.
func (s Scheme) Encode(n int, spans []TokenSpan) []string {
	labels := slices.Repeat([]string{"O"}, n)
	last := 0
	for _, sp := range spans {
		if sp.Start < last || sp.Start >= sp.End || sp.End > n {
			panic(fmt.Sprintf("data: token span [%d,%d) after %d of %d tokens", sp.Start, sp.End, last, n))
		}
		last = sp.End
		for i := sp.Start; i < sp.End; i++ {
			labels[i] = s.prefix(i-sp.Start, sp.End-i-1) + "-" + sp.Type
		}
	}
	return labels
}

func (s Scheme) prefix(before, after int) string {
	switch {
	case s == IO:
		return "I"
	case s == BIOES && before == 0 && after == 0:
		return "S"
	case before == 0:
		return "B"
	case s == BIOES && after == 0:
		return "E"
	}
	return "I"
}

// Decode converts labels to spans. It is the inverse of Encode for legal labels,
// except that IO merges adjacent spans of one type.
//
// It repairs illegal labels so that they cover more text rather than less, because
// missed PHI is worse than PHI found twice. Every label except O is in some span. A
// span ends before O, before another type, before B and S, and after E and S. The
// next label except O starts a new span, whatever its prefix. (So O I O is one
// span, and S-X E-X are two; NeuroNER merges the latter.)
func (s Scheme) Decode(labels []string) []TokenSpan {
	var spans []TokenSpan
	open := false
	for i, l := range labels {
		p, t := SplitLabel(l)
		if t == "" {
			open = false
			continue
		}
		if k := len(spans) - 1; open && spans[k].Type == t && (p == "I" || p == "E") {
			spans[k].End = i + 1
		} else {
			spans = append(spans, TokenSpan{i, i + 1, t})
		}
		open = p != "E" && p != "S"
	}
	return spans
}

// SplitLabel splits "B-DATE" into "B" and "DATE" at the first hyphen, so that
// types may contain hyphens. For "O" both results are empty.
func SplitLabel(label string) (prefix, typ string) {
	if p, t, ok := strings.Cut(label, "-"); ok {
		return p, t
	}
	return "", ""
}

// Legal reports whether label b may follow label a. An empty a is the start of
// the sequence, an empty b its end.
func (s Scheme) Legal(a, b string) bool {
	pa, ta := SplitLabel(a)
	pb, tb := SplitLabel(b)
	switch s {
	case BIO:
		return pb != "I" || ta == tb && (pa == "B" || pa == "I")
	case BIOES:
		inside := pa == "B" || pa == "I" // a's span must go on
		goesOn := pb == "I" || pb == "E" // b continues one
		return inside == goesOn && (!inside || ta == tb)
	}
	return true
}

// AlignSpans converts character spans to token spans: a token belongs to the span
// that it overlaps. The spans are flattened first (see Flatten). A token shared
// by two spans goes to the earlier one, and a span without tokens is dropped.
// Starts and ends therefore move out to token borders.
func AlignSpans(tokens []Token, spans []Span) []TokenSpan {
	var out []TokenSpan
	i := 0
	for _, sp := range Flatten(spans) {
		for i < len(tokens) && tokens[i].End <= sp.Start {
			i++
		}
		start := i
		for i < len(tokens) && tokens[i].Start < sp.End {
			i++
		}
		if i > start {
			out = append(out, TokenSpan{start, i, sp.Type})
		}
	}
	return out
}
