package main

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"

	"github.com/lethe-deid/lethe/data"
)

// pieceBytes is about how long the notes are that long texts are divided into, in bytes.
const pieceBytes = 1500

// paragraphs divides a note into notes of about pieceBytes, at line ends outside of spans.
func paragraphs(doc *data.Document) []*data.Document {
	var all []*data.Document
	start := 0
	for at := 0; at < len(doc.Text); {
		end := len(doc.Text)
		if n := strings.IndexByte(doc.Text[at:], '\n'); n >= 0 {
			end = at + n + 1
		}
		at = end
		if from, to := data.Overlapping(data.Flatten(doc.Spans), data.Span{Start: end - 1, End: end + 1}); from < to && end < len(doc.Text) {
			continue
		}
		if end-start >= pieceBytes || end == len(doc.Text) {
			all = append(all, part(doc, start, end, len(all)))
			start = end
		}
	}
	return all
}

// part returns a part of a note as a note of its own.
func part(doc *data.Document, start, end, number int) *data.Document {
	piece := &data.Document{ID: fmt.Sprintf("%s-%03d", doc.ID, number), Text: doc.Text[start:end]}
	for _, s := range doc.Spans {
		if s.Start >= start && s.End <= end {
			s.Start -= start
			s.End -= start
			piece.Spans = append(piece.Spans, s)
		}
	}
	return piece
}

// A sentence of a note, with its spans.
type sentence struct {
	text  string
	spans []data.Span
}

// sentenceEnd matches the end of a sentence within a line.
var sentenceEnd = regexp.MustCompile(`[a-z)][.!?] `)

// sentencesOf returns the sentences of notes that have PHI, at most 300 bytes long each.
func sentencesOf(notes []*data.Document) []sentence {
	var all []sentence
	for _, d := range notes {
		at := 0
		for line := range strings.Lines(d.Text) {
			from := at
			at += len(line)
			cuts := []int{0}
			for _, m := range sentenceEnd.FindAllStringIndex(line, -1) {
				cuts = append(cuts, m[1])
			}
			cuts = append(cuts, len(line))
			for i, cut := range cuts[1:] {
				if p := part(d, from+cuts[i], from+cut, 0); len(p.Spans) > 0 && len(p.Text) <= 300 {
					all = append(all, sentence{strings.TrimRight(p.Text, " \n"), p.Spans})
				}
			}
		}
	}
	return all
}

// carriers returns prose with sentences of annotated notes in it: one for about every 400 bytes, at
// random ends of sentences or lines.
func carriers(prose, marked []*data.Document, number int, seed uint64) []*data.Document {
	phi := sentencesOf(marked)
	var all []*data.Document
	for _, long := range prose {
		for _, d := range paragraphs(&data.Document{ID: long.ID, Text: long.Text}) {
			if len(all) == number && number > 0 {
				return all
			}
			rng := rand.New(rand.NewPCG(seed, uint64(len(all))))
			all = append(all, carry(d, phi, rng, fmt.Sprintf("%06d", len(all)+1)))
		}
	}
	return all
}

const bytesPerSentence = 400

func carry(d *data.Document, phi []sentence, rng *rand.Rand, id string) *data.Document {
	out := &data.Document{ID: id}
	var text strings.Builder
	at := 0
	add := func(s sentence) {
		for _, span := range s.spans {
			span.Start += text.Len()
			span.End += text.Len()
			out.Spans = append(out.Spans, span)
		}
		text.WriteString(s.text)
	}
	for _, end := range ends(d.Text) {
		text.WriteString(d.Text[at:end])
		if rng.Float64() < float64(end-at)/bytesPerSentence {
			after := " "
			if strings.HasSuffix(d.Text[:end], "\n") {
				after = "\n"
			}
			add(phi[rng.IntN(len(phi))])
			text.WriteString(after)
		}
		at = end
	}
	text.WriteString(d.Text[at:])
	out.Text = text.String()
	return out
}

// ends returns the offsets after which a sentence or a line begins.
func ends(text string) []int {
	var all []int
	at := 0
	for line := range strings.Lines(text) {
		for _, m := range sentenceEnd.FindAllStringIndex(line, -1) {
			all = append(all, at+m[1])
		}
		at += len(line)
		if strings.HasSuffix(line, "\n") {
			all = append(all, at)
		}
	}
	return all
}
