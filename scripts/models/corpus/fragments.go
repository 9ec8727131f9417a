package main

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
)

// fragments returns short notes: sentences of annotated notes, pieces of those that have no PHI, and
// pieces of prose about medicine, which names nobody. A network that has read only whole notes takes
// a phrase that stands alone, such as the name of a sign, for a signature. One that has seen
// short notes only without PHI finds none in them, so a third of these have PHI.
func fragments(prose, marked []*data.Document, number int, seed uint64) []*data.Document {
	rng := rand.New(rand.NewPCG(seed, 0))
	lines := [2][]string{clean(marked), nil}
	for _, d := range prose {
		for line := range strings.Lines(d.Text) {
			lines[1] = append(lines[1], cut(line)...)
		}
	}
	phi := sentencesOf(marked)
	var all []*data.Document
	for len(all) < number {
		id := fmt.Sprintf("%06d", len(all)+1)
		if len(all)%3 == 2 {
			s := phi[rng.IntN(len(phi))]
			all = append(all, &data.Document{ID: id, Text: s.text + "\n", Spans: s.spans})
			continue
		}
		text := piece(rng, lines[len(all)%3])
		if len(text) < 3 {
			continue
		}
		switch p := rng.Float64(); {
		case p < 0.05:
			text = strings.ToUpper(text)
		case p < 0.15:
			text = strings.ToLower(text)
		case p < 0.4:
			first, n := utf8.DecodeRuneInString(text)
			text = string(unicode.ToUpper(first)) + text[n:]
		}
		all = append(all, &data.Document{ID: id, Text: text + "\n"})
	}
	return all
}

// clean returns the sentences of notes that contain no PHI.
func clean(notes []*data.Document) []string {
	var all []string
	for _, d := range notes {
		spans := data.Flatten(d.Spans)
		at := 0
		for line := range strings.Lines(d.Text) {
			from := at
			at += len(line)
			begin := from
			for _, sentence := range cut(line) {
				end := begin + strings.Index(d.Text[begin:at], sentence) + len(sentence)
				if a, b := data.Overlapping(spans, data.Span{Start: begin, End: end}); a == b {
					all = append(all, sentence)
				}
				begin = end
			}
		}
	}
	return all
}

// cut divides a line into sentences.
func cut(line string) []string {
	var all []string
	at := 0
	for _, m := range sentenceEnd.FindAllStringIndex(line, -1) {
		all = append(all, strings.TrimSpace(line[at:m[1]]))
		at = m[1]
	}
	return append(all, strings.TrimSpace(line[at:]))
}

// words matches the words of a sentence, and what separates them.
var words = regexp.MustCompile(`\S+`)

// piece returns a sentence or, more often, two to eight words of it.
func piece(rng *rand.Rand, sentences []string) string {
	s := sentences[rng.IntN(len(sentences))]
	at := words.FindAllStringIndex(s, -1)
	if len(at) < 3 || rng.Float64() < 0.3 {
		return s
	}
	n := min(len(at), 2+rng.IntN(7))
	from := rng.IntN(len(at) - n + 1)
	return strings.TrimRight(s[at[from][0]:at[from+n-1][1]], ",;:")
}
