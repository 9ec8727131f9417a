package embeddings

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/tokenize"
	"github.com/lethe-deid/lethe/internal/sorting"
)

// Coverage counts the tokens of a type that have a vector.
type Coverage struct {
	Type     string `json:"type"` // type of PHI, NotPHI or Everything
	Tokens   Found  `json:"tokens"`
	Distinct Found  `json:"distinct"` // each distinct token counts once
}

// Types of the rows of a coverage for all tokens, and for tokens outside of PHI.
const (
	Everything = "ALL"
	NotPHI     = "NOT PHI"
)

// Found counts tokens by the first spelling that has a vector.
type Found struct {
	Total      int `json:"total"`
	Exact      int `json:"exact"`       // as written
	Lower      int `json:"lower"`       // only in lower case
	Zeroed     int `json:"zeroed"`      // only with digits as zeros
	LowerZeros int `json:"lower_zeros"` // only with both
}

// Any returns the number of tokens found in some spelling.
func (f Found) Any() int { return f.Exact + f.Lower + f.Zeroed + f.LowerZeros }

// Share returns Any / Total, 0 if there are no tokens.
func (f Found) Share() float64 { return float64(f.Any()) / float64(max(1, f.Total)) }

// Cover counts the tokens of a corpus that have a vector: among all tokens, among
// those outside of any span, and for each type of span, sorted by type. A token
// belongs to a type if it overlaps a span of that type. Cover returns the first
// error of the corpus.
func (v *Vectors) Cover(corpus data.Documents, tokenizer tokenize.Tokenizer) ([]Coverage, error) {
	rows := map[string]*Coverage{Everything: {Type: Everything}, NotPHI: {Type: NotPHI}}
	seen := map[string]map[string]bool{}
	add := func(typ, token string) {
		row := rows[typ]
		if row == nil {
			row = &Coverage{Type: typ}
			rows[typ] = row
		}
		if seen[typ] == nil {
			seen[typ] = map[string]bool{}
		}
		v.find(&row.Tokens, token)
		if !seen[typ][token] {
			seen[typ][strings.Clone(token)] = true
			v.find(&row.Distinct, token)
		}
	}
	var tokens []data.Token
	for doc, err := range corpus {
		if err != nil {
			return nil, err
		}
		tokens = tokenizer.Tokens(doc.Text, tokens[:0])
		spans := data.AlignSpans(tokens, doc.Spans)
		for i, t := range tokens {
			for len(spans) > 0 && spans[0].End <= i {
				spans = spans[1:]
			}
			typ := NotPHI
			if len(spans) > 0 && spans[0].Start <= i {
				typ = spans[0].Type
			}
			add(Everything, doc.Text[t.Start:t.End])
			add(typ, doc.Text[t.Start:t.End])
		}
	}
	var all []Coverage
	for _, row := range rows {
		all = append(all, *row)
	}
	first := func(c Coverage) int { return max(-1, slices.Index([]string{NotPHI, Everything}, c.Type)) }
	sorting.By(all, func(a, b Coverage) int { return cmp.Or(first(b)-first(a), strings.Compare(a.Type, b.Type)) })
	return all, nil
}

// find counts a token in f by the first spelling that has a vector.
func (v *Vectors) find(f *Found, token string) {
	f.Total++
	steps := [...]*int{&f.Exact, &f.Lower, &f.Zeroed, &f.LowerZeros}
	for i, form := range (Cascade{Lowercase: true, ZeroDigits: true}).Forms(token) {
		if _, ok := v.Index(form); ok {
			*steps[i]++
			return
		}
	}
}

// Neighbour is a word and the cosine of its vector with that of another word.
type Neighbour struct {
	Word   string  `json:"word"`
	Cosine float64 `json:"cosine"`
}

// Nearest returns the n words whose vectors have the greatest cosine with that of
// a row, in descending order, without the word of the row itself.
func (v *Vectors) Nearest(row, n int) []Neighbour {
	x := v.Row(row)
	norm := math.Sqrt(dot(x, x))
	var near []Neighbour
	for i := range v.Len() {
		y := v.Row(i)
		c := dot(x, y) / (norm * math.Sqrt(dot(y, y)))
		if i == row || math.IsNaN(c) || len(near) == n && c <= near[n-1].Cosine {
			continue
		}
		at, _ := slices.BinarySearchFunc(near, c, func(a Neighbour, c float64) int { return cmp.Compare(c, a.Cosine) })
		near = slices.Insert(near, at, Neighbour{v.Word(i), c})
		near = near[:min(n, len(near))]
	}
	return near
}

func dot(x, y []float32) float64 {
	sum := 0.0
	for i, a := range x {
		sum += float64(a) * float64(y[i])
	}
	return sum
}
