// Package augment changes training notes so that a tagger does not learn what
// holds for their template alone: that a name follows "Name:", or that there are
// just these names.
package augment

import (
	"math/rand/v2"
	"strings"
	"unicode"

	"github.com/lethe-deid/lethe/data"
)

// Options say what a copy changes. Zero changes nothing.
type Options struct {
	DropLabels float64 // probability that the label of a field is left out: see Labels
	SwapValues float64 // probability that a span gets the text of another span of its type, from any of the notes
}

// Copy makes a changed copy of each note. The same seed gives the same copies.
func Copy(docs []*data.Document, opt Options, seed uint64) []*data.Document {
	values := map[string][]string{} // the text of all spans, by type
	for _, d := range docs {
		for _, s := range data.Flatten(d.Spans) {
			values[s.Type] = append(values[s.Type], d.Text[s.Start:s.End])
		}
	}
	copies := make([]*data.Document, len(docs))
	for i, d := range docs {
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		copies[i] = opt.change(d, values, rng)
	}
	return copies
}

// edit is a piece of text to be replaced.
type edit struct {
	start, end int
	text       string
}

func (o Options) change(d *data.Document, values map[string][]string, rng *rand.Rand) *data.Document {
	var edits []edit
	if o.DropLabels > 0 {
		for _, l := range Labels(d) {
			if rng.Float64() < o.DropLabels {
				edits = append(edits, edit{l[0], l[1], ""})
			}
		}
	}
	spans := data.Flatten(d.Spans)
	if o.SwapValues > 0 {
		for _, s := range spans {
			if all := values[s.Type]; rng.Float64() < o.SwapValues {
				edits = append(edits, edit{s.Start, s.End, all[rng.IntN(len(all))]})
			}
		}
	}
	return apply(d, spans, edits)
}

// apply makes the edits, which overlap no span but as a whole, nor each other.
func apply(d *data.Document, spans []data.Span, edits []edit) *data.Document {
	at := map[int]edit{} // by start; no two begin at the same place, since none is empty
	for _, e := range edits {
		at[e.start] = e
	}
	var b strings.Builder
	moved := make([]int, len(d.Text)+1) // where each byte goes
	for i := 0; i < len(d.Text); {
		moved[i] = b.Len()
		e, ok := at[i]
		if !ok {
			b.WriteByte(d.Text[i])
			i++
			continue
		}
		for k := e.start; k < e.end; k++ {
			moved[k] = b.Len()
		}
		b.WriteString(e.text)
		i = e.end
	}
	moved[len(d.Text)] = b.Len()
	out := &data.Document{ID: d.ID, Patient: d.Patient, Text: b.String()}
	for _, s := range spans {
		s.Start, s.End = moved[s.Start], moved[s.End]
		out.Spans = append(out.Spans, s)
	}
	return out
}

// The most of a label.
const (
	labelWords = 6
	labelBytes = 60
)

// Labels finds the labels of a note's fields: what stands at the start of a line
// up to a colon and the blanks after it, if it is a few words without a digit,
// begins with a letter, and is no part of a span.
func Labels(d *data.Document) [][2]int {
	var all [][2]int
	for start := 0; start < len(d.Text); {
		end := start + len(d.Text[start:])
		if i := strings.IndexByte(d.Text[start:], '\n'); i >= 0 {
			end = start + i
		}
		if n := label(d.Text[start:end]); n > 0 && !touches(d.Spans, start, start+n) {
			all = append(all, [2]int{start, start + n})
		}
		start = end + 1
	}
	return all
}

// label is the length of the label that a line begins with, 0 if there is none.
func label(line string) int {
	colon := strings.IndexByte(line, ':')
	if colon < 1 || colon > labelBytes || len(strings.Fields(line[:colon])) > labelWords {
		return 0
	}
	for i, r := range line[:colon] {
		if unicode.IsDigit(r) || i == 0 && !unicode.IsLetter(r) {
			return 0
		}
	}
	n := colon + 1
	for n < len(line) && (line[n] == ' ' || line[n] == '\t') {
		n++
	}
	if strings.TrimSpace(line[n:]) == "" {
		return 0 // a heading: nothing would be left of the line
	}
	return n
}

func touches(spans []data.Span, start, end int) bool {
	for _, s := range spans {
		if s.Start < end && start < s.End {
			return true
		}
	}
	return false
}
