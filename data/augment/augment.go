// Package augment modifies training notes so that a tagger does not learn the
// peculiarities of their template: for example that a name follows "Name:", or
// that only these names exist.
package augment

import (
	"math/rand/v2"
	"strings"
	"unicode"

	"github.com/lethe-deid/lethe/data"
)

// Options control what is changed. The zero value changes nothing.
type Options struct {
	DropLabels float64 // probability that the label of a field is removed; see Labels
	SwapValues float64 // probability that a span's text is replaced by that of another span of its type, from any of the notes
}

// Copy returns a modified copy of each note. The same seed gives the same copies.
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

// edit is a replacement of a piece of text.
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

// apply makes the edits. An edit must replace whole spans or no part of any, and
// edits must not overlap.
func apply(d *data.Document, spans []data.Span, edits []edit) *data.Document {
	at := map[int]edit{} // by start, which is unique because no edit is empty
	for _, e := range edits {
		at[e.start] = e
	}
	var b strings.Builder
	moved := make([]int, len(d.Text)+1) // new offset of each byte
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

// Limits on the length of a label.
const (
	labelWords = 6
	labelBytes = 60
)

// Labels returns the ranges of the labels of a note's fields. A label is the
// start of a line up to a colon and the blanks after it, if it is a few words
// without digits, starts with a letter, and touches no span.
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

// label returns the length of the label at the start of a line, 0 if there is
// none.
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
		return 0 // a heading: the line would become empty
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
