package feature

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/lethe-deid/lethe/data/tokenize"
	"github.com/lethe-deid/lethe/taggers/crf/chain"
)

// Attribute is what an attribute's number stands for: the value of a column at an
// offset from the token. New needs no more than column, offset and value.
type Attribute struct {
	Family string
	Column string
	Offset int
	Value  string
	Closed bool // whether the value is of a closed set, rather than words or parts of words of the training notes
}

// Extractor draws attributes from texts. Once made it does not change, and may be
// used by several goroutines.
type Extractor struct {
	columns []column
	values  []map[string]int32 // of each column: the number of each value it knows
	// numbers[c][offset-lo][value] is the attribute's number, or -1.
	numbers [][][]int32
	count   int
}

// beyond is the number of the value of places beyond the sequence, in columns
// with edges.
const beyond = 0

// row is the values of a column for a text: of token t those from ends[t-1] to
// ends[t].
type row struct {
	ends   []int32
	values []int32
}

// draw lists the values of each column for a text, as number tells.
func draw(columns []column, x *Text, number func(column int, value string) int32) []row {
	rows := make([]row, len(columns))
	type at struct{ token, value int32 }
	var found []at
	for c := range columns {
		found = found[:0]
		columns[c].values(x, func(t int, v string) {
			if n := number(c, v); n >= 0 {
				found = append(found, at{int32(t), n})
			}
		})
		r := row{ends: make([]int32, len(x.Tokens)), values: make([]int32, len(found))}
		for _, f := range found { // a counting sort: families may tell tokens in any order
			r.ends[f.token]++
		}
		sum := int32(0)
		for t, n := range r.ends {
			r.ends[t] = sum
			sum += n
		}
		for _, f := range found {
			r.values[r.ends[f.token]] = f.value
			r.ends[f.token]++
		}
		rows[c] = r
	}
	return rows
}

func (r row) of(t int) []int32 {
	from := int32(0)
	if t > 0 {
		from = r.ends[t-1]
	}
	return r.values[from:r.ends[t]]
}

// Fit makes an extractor that knows what occurs in the training texts: the
// values that occur in at least minDocuments documents of the first texts, as many
// as counted says, at each place where they occur in any. It returns the sequences
// of the texts as well, one for each sentence.
func Fit(ctx context.Context, specs []Spec, resources *Resources, texts []*Text, counted, minDocuments, workers int) (*Extractor, [][]chain.Sequence, error) {
	columns, at, err := compile(specs, resources)
	if err != nil {
		return nil, nil, fmt.Errorf("features[%d]: %w", at, err)
	}
	e := &Extractor{columns: columns, values: make([]map[string]int32, len(columns)), numbers: make([][][]int32, len(columns))}

	// Each worker numbers the values of its share of the texts in the order in
	// which they come; put together, the order is that of the texts.
	type share struct {
		from      int // the number of its first text
		texts     []*Text
		rows      [][]row
		numbers   []map[string]int32
		values    [][]string
		documents [][]int32 // of each value: in how many documents
		last      [][]int32 // and the number of the last such document
	}
	shares := make([]*share, 0, workers)
	for i, from := 0, 0; i < workers; i++ {
		to := len(texts) * (i + 1) / workers
		for to > from && to < len(texts) && texts[to].Doc == texts[to-1].Doc {
			to++ // all of a document in one share
		}
		if to > from {
			shares = append(shares, &share{from: from, texts: texts[from:to]})
			from = to
		}
	}
	var wg sync.WaitGroup
	for _, s := range shares {
		wg.Go(func() {
			n := len(columns)
			s.numbers, s.values, s.documents, s.last = make([]map[string]int32, n), make([][]string, n), make([][]int32, n), make([][]int32, n)
			for c := range columns {
				s.numbers[c] = map[string]int32{}
			}
			document := int32(0)
			for i, x := range s.texts {
				if ctx.Err() != nil {
					return
				}
				if i == 0 || x.Doc != s.texts[i-1].Doc {
					document++
				}
				s.rows = append(s.rows, draw(columns, x, func(c int, v string) int32 {
					k, ok := s.numbers[c][v]
					if !ok {
						k = int32(len(s.values[c]))
						s.numbers[c][v] = k
						s.values[c] = append(s.values[c], v)
						s.documents[c], s.last[c] = append(s.documents[c], 0), append(s.last[c], 0)
					}
					if s.last[c][k] != document && s.from+i < counted {
						s.last[c][k] = document
						s.documents[c][k]++
					}
					return k
				}))
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	for c := range columns {
		total := map[string]int32{}
		for _, s := range shares {
			for k, v := range s.values[c] {
				total[v] += s.documents[c][k]
			}
		}
		e.values[c] = map[string]int32{}
		if columns[c].edges {
			e.values[c][""] = beyond
		}
		for _, s := range shares {
			for _, v := range s.values[c] {
				if _, ok := e.values[c][v]; !ok && int(total[v]) >= minDocuments {
					e.values[c][v] = int32(len(e.values[c]))
				}
			}
		}
	}
	for _, s := range shares { // from the share's numbers to the common ones
		for c := range columns {
			to := make([]int32, len(s.values[c]))
			for k, v := range s.values[c] {
				to[k] = -1
				if n, ok := e.values[c][v]; ok {
					to[k] = n
				}
			}
			for i := range s.rows {
				r := &s.rows[i][c]
				kept, from := int32(0), int32(0)
				for t, end := range r.ends {
					for _, k := range r.values[from:end] {
						if to[k] >= 0 {
							r.values[kept] = to[k]
							kept++
						}
					}
					from, r.ends[t] = end, kept
				}
				r.values = r.values[:kept]
			}
		}
	}
	for c := range columns {
		for range columns[c].hi - columns[c].lo + 1 {
			numbers := make([]int32, len(e.values[c]))
			for i := range numbers {
				numbers[i] = -1
			}
			e.numbers[c] = append(e.numbers[c], numbers)
		}
	}
	sequences := make([][]chain.Sequence, 0, len(texts))
	for _, s := range shares {
		for i, x := range s.texts {
			var all []chain.Sequence
			for _, sentence := range x.Sentences {
				all = append(all, e.sequence(s.rows[i], sentence, true))
			}
			sequences = append(sequences, all)
		}
	}
	return e, sequences, nil
}

// Sequences draws the attributes of a text, a sequence for each sentence.
func (e *Extractor) Sequences(x *Text) []chain.Sequence {
	rows := draw(e.columns, x, func(c int, v string) int32 {
		if n, ok := e.values[c][v]; ok {
			return n
		}
		return -1
	})
	all := make([]chain.Sequence, len(x.Sentences))
	for i, s := range x.Sentences {
		all[i] = e.sequence(rows, s, false)
	}
	return all
}

// sequence puts the values of all columns and places together. Unless it learns,
// it leaves out what it does not know.
func (e *Extractor) sequence(rows []row, s tokenize.Range, learn bool) chain.Sequence {
	n := s.End - s.Start
	out := chain.Sequence{Ends: make([]int32, n)}
	for t := range n {
		for c := range e.columns {
			col := &e.columns[c]
			for o := col.lo; o <= col.hi; o++ {
				numbers := e.numbers[c][o-col.lo]
				if t+o < 0 || t+o >= n {
					if col.edges {
						out.Attributes = e.add(out.Attributes, numbers, beyond, learn)
					}
					continue
				}
				for _, v := range rows[c].of(s.Start + t + o) {
					out.Attributes = e.add(out.Attributes, numbers, v, learn)
				}
			}
		}
		out.Ends[t] = int32(len(out.Attributes))
	}
	return out
}

func (e *Extractor) add(to []int32, numbers []int32, v int32, learn bool) []int32 {
	a := numbers[v]
	if a < 0 {
		if !learn {
			return to
		}
		a = int32(e.count)
		numbers[v] = a
		e.count++
	}
	return append(to, a)
}

// Len is the number of attributes.
func (e *Extractor) Len() int { return e.count }

// Attributes says what each number stands for.
func (e *Extractor) Attributes() []Attribute {
	all := make([]Attribute, e.count)
	for c, numbers := range e.numbers {
		col := &e.columns[c]
		values := make([]string, len(e.values[c]))
		for v, n := range e.values[c] {
			values[n] = v
		}
		for o, at := range numbers {
			for v, a := range at {
				if a >= 0 {
					all[a] = Attribute{col.family, col.name, o + col.lo, values[v], col.closed}
				}
			}
		}
	}
	return all
}

// New makes the extractor that knows just these attributes, numbered in this
// order.
func New(specs []Spec, resources *Resources, attributes []Attribute) (*Extractor, error) {
	columns, at, err := compile(specs, resources)
	if err != nil {
		return nil, fmt.Errorf("features[%d]: %w", at, err)
	}
	e := &Extractor{columns: columns, count: len(attributes)}
	byName := map[string]int{}
	for c, col := range columns {
		byName[col.name] = c
		e.values = append(e.values, map[string]int32{})
		e.numbers = append(e.numbers, make([][]int32, col.hi-col.lo+1))
		if col.edges {
			e.values[c][""] = beyond
		}
	}
	for _, a := range attributes {
		c, ok := byName[a.Column]
		if !ok {
			return nil, fmt.Errorf("an attribute of %s, which no family of the configuration makes", a.Column)
		}
		if _, ok := e.values[c][a.Value]; !ok {
			e.values[c][a.Value] = int32(len(e.values[c]))
		}
	}
	for c := range columns {
		for o := range e.numbers[c] {
			e.numbers[c][o] = slices.Repeat([]int32{-1}, len(e.values[c]))
		}
	}
	for n, a := range attributes {
		c := byName[a.Column]
		o := a.Offset - columns[c].lo
		if o < 0 || o >= len(e.numbers[c]) {
			return nil, fmt.Errorf("an attribute of %s at %d, outside the window of the configuration", a.Column, a.Offset)
		}
		at := &e.numbers[c][o][e.values[c][a.Value]]
		if *at >= 0 {
			return nil, fmt.Errorf("an attribute of %s at %d is there twice", a.Column, a.Offset)
		}
		*at = int32(n)
	}
	return e, nil
}
