package data

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var schemes = []Scheme{IO, BIO, BIOES}

// Types with a hyphen must survive the trip through a label.
var someTypes = []string{"DATE", "LOCATION-OTHER"}

// disjoint draws sorted, disjoint spans over n tokens.
func disjoint(t *rapid.T, n int) []TokenSpan {
	var spans []TokenSpan
	for i := 0; i < n; {
		i += rapid.IntRange(0, 2).Draw(t, "gap")
		end := i + rapid.IntRange(1, 3).Draw(t, "length")
		if end > n {
			break
		}
		spans = append(spans, TokenSpan{i, end, rapid.SampledFrom(someTypes).Draw(t, "type")})
		i = end
	}
	return spans
}

// merged joins adjacent spans of one type, which IO cannot distinguish.
func merged(spans []TokenSpan) []TokenSpan {
	var out []TokenSpan
	for _, s := range spans {
		if k := len(out) - 1; k >= 0 && out[k].End == s.Start && out[k].Type == s.Type {
			out[k].End = s.End
		} else {
			out = append(out, s)
		}
	}
	return out
}

func TestEncodeDecodeInverse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 12).Draw(t, "tokens")
		spans := disjoint(t, n)
		for _, s := range schemes {
			labels := s.Encode(n, spans)
			if len(labels) != n {
				t.Fatalf("%s: %d labels for %d tokens", s, len(labels), n)
			}
			want := spans
			if s == IO {
				want = merged(spans)
			}
			if got := s.Decode(labels); !slices.Equal(got, want) {
				t.Fatalf("%s: %v decodes as %v, want %v", s, labels, got, want)
			}
			if !legal(s, labels) {
				t.Fatalf("%s: what Encode makes is not legal: %v", s, labels)
			}
			for _, l := range labels {
				if !slices.Contains(s.Labels(someTypes), l) {
					t.Fatalf("%s: %s is not in Labels", s, l)
				}
			}
		}
	})
}

// legal reports whether every step is legal, from the start to the end.
func legal(s Scheme, labels []string) bool {
	last := ""
	for _, l := range append(slices.Clone(labels), "") {
		if !s.Legal(last, l) {
			return false
		}
		last = l
	}
	return true
}

// For all label sequences, not only those that Encode returns: every label except
// O is inside a span of its type and no other token is in a span, and the legal
// sequences are exactly those that Encode returns after Decode.
func TestDecodeAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, s := range schemes {
			labels := rapid.SliceOfN(rapid.SampledFrom(s.Labels(someTypes)), 1, 8).Draw(t, string(s))
			spans := s.Decode(labels)
			covered := slices.Repeat([]string{""}, len(labels))
			last := 0
			for _, sp := range spans {
				if sp.Start < last || sp.End <= sp.Start {
					t.Fatalf("%s: %v decodes as %v", s, labels, spans)
				}
				last = sp.End
				for i := sp.Start; i < sp.End; i++ {
					covered[i] = sp.Type
				}
			}
			for i, l := range labels {
				if _, typ := SplitLabel(l); typ != covered[i] {
					t.Fatalf("%s: %v decodes as %v: label %d", s, labels, spans, i)
				}
			}
			if same := slices.Equal(s.Encode(len(labels), spans), labels); same != legal(s, labels) {
				t.Fatalf("%s: %v: legal %v, but encoded again the same: %v", s, labels, legal(s, labels), same)
			}
		}
	})
}

func TestDecodeRepairs(t *testing.T) {
	for _, tc := range []struct {
		labels []string
		want   []TokenSpan
	}{
		{[]string{"O", "I-A", "O"}, []TokenSpan{{1, 2, "A"}}},
		{[]string{"I-A", "I-A", "B-A", "I-B"}, []TokenSpan{{0, 2, "A"}, {2, 3, "A"}, {3, 4, "B"}}},
		{[]string{"S-A", "E-A"}, []TokenSpan{{0, 1, "A"}, {1, 2, "A"}}},
		{[]string{"B-A", "E-A", "I-A", "E-A"}, []TokenSpan{{0, 2, "A"}, {2, 4, "A"}}},
		{[]string{"B-A", "S-A", "I-A"}, []TokenSpan{{0, 1, "A"}, {1, 2, "A"}, {2, 3, "A"}}},
	} {
		if diff := cmp.Diff(tc.want, BIOES.Decode(tc.labels)); diff != "" {
			t.Errorf("%v: %s", tc.labels, diff)
		}
	}
}

func TestEncodePanics(t *testing.T) {
	for what, spans := range map[string][]TokenSpan{
		"overlap": {{0, 2, "A"}, {1, 3, "A"}}, "order": {{2, 3, "A"}, {0, 1, "A"}}, "empty": {{1, 1, "A"}}, "beyond": {{2, 4, "A"}}, "negative": {{-1, 1, "A"}},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", what)
				}
			}()
			BIO.Encode(3, spans)
		}()
	}
}

func TestLabels(t *testing.T) {
	for s, want := range map[Scheme][]string{
		IO:    {"O", "I-X", "I-Y-Z"},
		BIO:   {"O", "B-X", "I-X", "B-Y-Z", "I-Y-Z"},
		BIOES: {"O", "B-X", "E-X", "I-X", "S-X", "B-Y-Z", "E-Y-Z", "I-Y-Z", "S-Y-Z"},
	} {
		if diff := cmp.Diff(want, s.Labels([]string{"X", "Y-Z"})); diff != "" {
			t.Errorf("%s: %s", s, diff)
		}
	}
}

func TestParseScheme(t *testing.T) {
	for _, s := range schemes {
		for _, name := range []string{string(s), "bio", "Bioes", "io"} {
			if got, err := ParseScheme(name); err != nil || name == string(s) && got != s {
				t.Errorf("%q: %v, %v", name, got, err)
			}
		}
	}
	if _, err := ParseScheme("IOB"); err == nil || err.Error() != `no label scheme "IOB" (have IO, BIO, BIOES)` {
		t.Error(err)
	}
}

// Compared with the definition: go through the spans in order, and assign to each
// the tokens that it overlaps and that no earlier one has.
func TestAlignSpans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var tokens []Token
		for i := 0; i < 20; {
			i += rapid.IntRange(0, 2).Draw(t, "gap")
			end := i + rapid.IntRange(1, 4).Draw(t, "length")
			tokens = append(tokens, Token{i, end})
			i = end
		}
		spans := spansUpTo(24).Draw(t, "spans")
		owner := slices.Repeat([]int{-1}, len(tokens))
		flat := Flatten(spans)
		for k, s := range flat {
			for i, tok := range tokens {
				if owner[i] < 0 && tok.Start < s.End && s.Start < tok.End {
					owner[i] = k
				}
			}
		}
		var want []TokenSpan
		for k, s := range flat {
			if i := slices.Index(owner, k); i >= 0 {
				end := i
				for end < len(owner) && owner[end] == k {
					end++
				}
				want = append(want, TokenSpan{i, end, s.Type})
			}
		}
		got := AlignSpans(tokens, spans)
		if !slices.Equal(got, want) {
			t.Fatalf("tokens %v, spans %v: %v, want %v", tokens, flat, got, want)
		}
		BIO.Encode(len(tokens), got) // panics unless sorted and disjoint
	})
	tokens := []Token{{0, 2}, {2, 3}, {4, 6}}
	for what, tc := range map[string]struct {
		spans []Span
		want  []TokenSpan
	}{
		"moves out to token borders": {[]Span{{1, 5, "A", 1}}, []TokenSpan{{0, 3, "A"}}},
		"white space only":           {[]Span{{3, 4, "A", 1}}, nil},
		"a token for two":            {[]Span{{4, 5, "A", 1}, {5, 6, "B", 1}}, []TokenSpan{{2, 3, "A"}}},
	} {
		if diff := cmp.Diff(tc.want, AlignSpans(tokens, tc.spans)); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
	}
}

func ExampleScheme_Decode() {
	fmt.Println(BIOES.Decode([]string{"O", "B-PATIENT", "E-PATIENT", "S-DATE"}))
	// A missed end is repaired towards covering more.
	fmt.Println(BIOES.Decode([]string{"B-PATIENT", "I-PATIENT", "O", "I-DATE"}))
	// Output:
	// [{1 3 PATIENT} {3 4 DATE}]
	// [{0 2 PATIENT} {3 4 DATE}]
}
