package ann

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/tokenize"
)

// An encoder gives the ids of the vocabulary, before and after it is full.
func TestEncoderLikeVocabulary(t *testing.T) {
	v := newVocabulary([]string{unknownToken, "seen", "Dr", "000"}, []rune{0, 's', 'e', 'n', 'D', 'r', '0', '1', 'é'}, true)
	e := newEncoder(v)
	var text strings.Builder
	text.WriteString("Seen by Dr. Roe, 123 " + strings.Repeat("sé", 100) + " ")
	for i := range maxKnown + 10 {
		fmt.Fprintf(&text, "%d ", i)
	}
	text.WriteString("Seen by Dr. Roe, 123")
	doc := &data.Document{Text: text.String()}
	tokens := tokenize.LettersDigits{}.Tokens(doc.Text, nil)
	for range 2 {
		s := e.encode(doc, tokens)
		for i, token := range tokens {
			form := doc.Text[token.Start:token.End]
			if s.Tokens[i] != v.token(form) || !slices.Equal(s.Characters[i], v.spelling(nil, form)) {
				t.Fatalf("token %d: ids %d %v", i, s.Tokens[i], s.Characters[i])
			}
		}
	}
	if n := e.known.Len(); n > maxKnown {
		t.Errorf("the encoder knows %d tokens", n)
	}
}

func BenchmarkEncoder(b *testing.B) {
	v := newVocabulary([]string{unknownToken, "seen", "Dr", "000"}, []rune{0, 's', 'e', 'n', 'D', 'r', '0', '1', 'é'}, true)
	e := newEncoder(v)
	doc := &data.Document{Text: strings.Repeat("Seen by Dr. Roe on 12/3/2016, doing well. ", 25)}
	tokens := tokenize.LettersDigits{}.Tokens(doc.Text, nil)
	b.ReportAllocs()
	for b.Loop() {
		e.encode(doc, tokens)
	}
}

func TestMemoryLendsZeros(t *testing.T) {
	for _, m := range []*memory{nil, {}} {
		var lent [][]int32
		for n := range 20 {
			numbers := m.numbers(n)
			if len(numbers) != n || cap(numbers) != n {
				t.Fatalf("%d numbers with room for %d, want %d", len(numbers), cap(numbers), n)
			}
			for i := range numbers {
				numbers[i] += int32(n)
			}
			lists := m.lists(n)
			for i := range lists {
				if lists[i] != nil {
					t.Fatalf("list %d of %d is not empty", i, n)
				}
				lists[i] = numbers
			}
			lent = append(lent, numbers)
		}
		for n, numbers := range lent { // also those that were lent before it grew
			for _, v := range numbers {
				if v != int32(n) {
					t.Fatalf("%d numbers became %v", n, numbers)
				}
			}
		}
		if m != nil {
			m.clear()
			if again := m.numbers(15); slices.Max(again) != 0 || m.lists(3)[2] != nil {
				t.Errorf("after it was cleared it lends %v", again)
			}
		}
	}
}
