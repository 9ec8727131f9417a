package inception

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/internal/notes"
	"github.com/lethe-deid/lethe/data/tokenize"
)

func encodeTSV(doc *data.Document, opt Options) ([]byte, error) {
	layer, feature := opt.written()
	spans := slices.Clone(doc.Spans)
	data.SortSpans(spans)
	for _, s := range spans {
		if s.Type == "" || strings.ContainsAny(s.Type, "\r\n") {
			return nil, errors.New("a type is empty or contains a line end")
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s3.3\n%s%s|%s\n\n", formatLine, spanLine, layer, feature)
	text := doc.Text
	units := notes.NewUnits(text)
	tokens := tsvTokens(text, spans)
	own := spansOf(tokens, spans)
	numbers := numbered(own, len(spans))
	sentence, number := 0, 0
	for i, t := range tokens {
		if i == 0 || strings.ContainsAny(text[tokens[i-1].End:t.Start], "\n") {
			sentence++
			number = 0
			b.WriteByte('\n')
			writeSentence(&b, text[t.Start:nextSentence(text, tokens[i:])], nextSentence(text, tokens[i:]) == len(text))
		}
		number++
		fmt.Fprintf(&b, "%d-%d\t%d-%d\t%s\t", sentence, number, units.Unit(t.Start), units.Unit(t.End), textEscapes.Replace(text[t.Start:t.End]))
		for k, s := range own[i] {
			if k > 0 {
				b.WriteByte('|')
			}
			b.WriteString(valueEscapes.Replace(spans[s].Type))
			if numbers[s] > 0 {
				fmt.Fprintf(&b, "[%d]", numbers[s])
			}
		}
		if len(own[i]) == 0 {
			b.WriteByte('_')
		}
		b.WriteString("\t\n")
	}
	return []byte(b.String()), nil
}

// nextSentence returns where the sentence after that of the first token begins, or the end of the text.
func nextSentence(text string, tokens []data.Token) int {
	for i := 1; i < len(tokens); i++ {
		if strings.Contains(text[tokens[i-1].End:tokens[i].Start], "\n") {
			return tokens[i].Start
		}
	}
	return len(text)
}

// writeSentence writes the text up to the next sentence in lines. Readers put a line end after a sentence if there is room for
// it before the next one, so this one is not written; nor do they count the one at the end of the text.
func writeSentence(b *strings.Builder, text string, last bool) {
	if !last {
		text = strings.TrimSuffix(text, "\n")
	}
	for _, line := range strings.Split(text, "\n") {
		b.WriteString(textLine + textEscapes.Replace(line) + "\n")
	}
}

// tsvTokens returns tokens at which the sorted spans begin and end. White space is in a token if a span begins or ends with
// it, and before the first token if it is not of spaces, because no other text can be without a token there.
func tsvTokens(text string, spans []data.Span) []data.Token {
	begins, ends := make([]bool, len(text)+1), make([]bool, len(text)+1)
	for _, s := range spans {
		begins[s.Start], ends[s.End] = true, true
	}
	var all []data.Token
	add := func(from, to int) {
		for at := from; at < to; {
			next := at + 1
			for next < to && !begins[next] && !ends[next] {
				next++
			}
			all = append(all, data.Token{Start: at, End: next})
			at = next
		}
	}
	done := 0
	blank := func(to int) {
		if slices.Contains(begins[done:to], true) || done < to && slices.Contains(ends[done+1:to+1], true) ||
			done == 0 && strings.Trim(text[:to], " ") != "" {
			add(done, to)
		}
		done = to
	}
	for _, t := range (tokenize.PTB{}).Tokens(text, nil) {
		for done < t.End { // a token may contain white space, such as that of a telephone number
			word := done
			for word < t.End {
				r, size := utf8.DecodeRuneInString(text[word:])
				if !unicode.IsSpace(r) {
					break
				}
				word += size
			}
			blank(word)
			for done < t.End {
				r, size := utf8.DecodeRuneInString(text[done:])
				if unicode.IsSpace(r) {
					break
				}
				done += size
			}
			add(word, done)
		}
	}
	blank(len(text))
	return all
}

// spansOf returns the spans that each token belongs to.
func spansOf(tokens []data.Token, spans []data.Span) [][]int {
	own := make([][]int, len(tokens))
	first := 0
	for s, span := range spans {
		for first < len(tokens) && tokens[first].End <= span.Start {
			first++
		}
		for i := first; i < len(tokens) && tokens[i].Start < span.End; i++ {
			own[i] = append(own[i], s)
		}
	}
	return own
}

// numbered returns the numbers of the spans that must have one, from 1, and 0 for the others: those with several tokens, and
// those that share a token.
func numbered(own [][]int, spans int) []int {
	need, tokens := make([]bool, spans), make([]int, spans)
	for _, some := range own {
		for _, s := range some {
			tokens[s]++
			need[s] = need[s] || len(some) > 1 || tokens[s] > 1
		}
	}
	numbers := make([]int, spans)
	n := 0
	for s := range numbers {
		if need[s] {
			n++
			numbers[s] = n
		}
	}
	return numbers
}

var valueEscapes = strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, "|", `\|`, "_", `\_`, "->", `\->`, ";", `\;`, "\t", `\t`, "\n", `\n`, "*", `\*`)
