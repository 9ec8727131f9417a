// Package augment modifies training notes so that a tagger does not learn the
// peculiarities of their template: for example that a name follows "Name:", that
// only these names exist, or that names are never in capitals.
package augment

import (
	"fmt"
	"math/rand/v2"

	"github.com/lethe-deid/lethe/data"
)

// Options control what is changed. The zero value changes nothing.
type Options struct {
	DropLabels float64 // probability that the label of a field is removed; see fieldLabels
	SwapValues float64 // probability that a span's text is replaced by that of another span of its type, from any of the notes
	// InventValues is the probability that a value is replaced by an invented one of the same form,
	// wherever it occurs in the note. It applies to the values that SwapValues leaves, and to the sorts of values
	// that package surrogate invents: names, places, institutions, addresses and numbers.
	InventValues float64
	Capitals     float64 // probability that a note is written in capitals
	LowerCase    float64 // probability that a note is written in lower case
	Unaccented   float64 // probability that a note has no accents
	Typos        float64 // probability that a word has a typing error
	// Vary lets each copy draw its own rates for DropLabels, SwapValues and InventValues: uniformly
	// from the widest interval within [0, 1] around the probability given.
	Vary bool
}

// An Augmenter makes modified copies of notes. Several goroutines may use it at once.
type Augmenter struct {
	types  *data.TypeSet
	opt    Options
	values map[string][]string // the text of all spans, by type
	names  *inventor           // nil unless values are invented
}

// New returns an Augmenter that exchanges the values of notes. The error says that values
// cannot be invented for the language of the type set.
func New(docs []*data.Document, types *data.TypeSet, opt Options) (*Augmenter, error) {
	a := &Augmenter{types: types, opt: opt, values: map[string][]string{}}
	for _, d := range docs {
		for _, s := range data.Flatten(d.Spans) {
			a.values[s.Type] = append(a.values[s.Type], d.Text[s.Start:s.End])
		}
	}
	if opt.InventValues > 0 {
		var err error
		if a.names, err = newInventor(types); err != nil {
			return nil, fmt.Errorf("inventing values: %w", err)
		}
	}
	return a, nil
}

// Copy returns a modified copy of each note. The notes need not be those of New, but values
// are exchanged for values of those only. The same seed gives the same copies.
func (a *Augmenter) Copy(docs []*data.Document, seed uint64) ([]*data.Document, error) {
	var cast *cast // nil unless values are invented
	if a.names != nil {
		var err error
		if cast, err = a.names.cast(rand.New(rand.NewPCG(seed, castStream)), seed); err != nil {
			return nil, fmt.Errorf("inventing values: %w", err)
		}
	}
	copies := make([]*data.Document, len(docs))
	for i, d := range docs {
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		var err error
		if copies[i], err = a.change(d, cast, rng); err != nil {
			return nil, err
		}
	}
	return copies, nil
}

// castStream separates the random numbers of the names that are invented from those of the notes.
const castStream = 1 << 63

func (a *Augmenter) change(d *data.Document, cast *cast, rng *rand.Rand) (*data.Document, error) {
	o := a.opt
	if o.Vary {
		for _, rate := range []*float64{&o.DropLabels, &o.SwapValues, &o.InventValues} {
			least, most := max(0, 2**rate-1), min(1, 2**rate)
			*rate = least + rng.Float64()*(most-least)
		}
	}
	var edits []edit
	if o.DropLabels > 0 {
		for _, l := range fieldLabels(d) {
			if rng.Float64() < o.DropLabels {
				edits = append(edits, edit{l[0], l[1], ""})
			}
		}
	}
	spans := data.Flatten(d.Spans)
	invented := cast.values(d, spans, o.InventValues, rng)
	for _, s := range spans {
		value := d.Text[s.Start:s.End]
		if all := a.values[s.Type]; o.SwapValues > 0 && len(all) > 0 && rng.Float64() < o.SwapValues {
			edits = append(edits, edit{s.Start, s.End, all[rng.IntN(len(all))]})
		} else if made, ok := invented[typed{s.Type, value}]; ok {
			edits = append(edits, edit{s.Start, s.End, made})
		}
	}
	changed, err := apply(d, spans, edits)
	if err != nil {
		return nil, err
	}
	return o.rewrite(changed, rng)
}
