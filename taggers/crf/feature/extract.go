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

// Options of Fit.
type Options struct {
	Counted      int // only the first of the texts, as many as this, count towards MinDocuments
	MinDocuments int // in how many counted documents a value must occur to be known
	Workers      int // cores to use
}

// Fit makes an extractor that knows what occurs in the training texts: the
// values that occur in at least MinDocuments documents of the counted texts, at
// each place where they occur in any. It also returns the sequences of each text,
// one per sentence.
func Fit(ctx context.Context, specs []Spec, resources *Resources, texts []*Text, opt Options) (*Extractor, [][]chain.Sequence, error) {
	columns, at, err := compile(specs, resources)
	if err != nil {
		return nil, nil, fmt.Errorf("features[%d]: %w", at, err)
	}
	shares := newShares(columns, texts, opt.Workers)
	var wg sync.WaitGroup
	for _, s := range shares {
		wg.Go(func() { s.count(ctx, opt.Counted) })
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	e := &Extractor{columns: columns}
	for c, col := range columns {
		e.values = append(e.values, merge(col, shares, c, opt.MinDocuments))
		e.numbers = append(e.numbers, unnumbered(col, len(e.values[c])))
	}
	sequences := make([][]chain.Sequence, 0, len(texts))
	for _, s := range shares {
		s.renumber(e.values)
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

// share is a worker's share of the texts. It numbers the values in the order in
// which they come; merged share by share, the order is that of the texts.
type share struct {
	columns []column
	from    int // the number of its first text
	texts   []*Text
	rows    [][]row // by text and column
	counts  []counts
}

// counts is what a share knows of the values of a column.
type counts struct {
	numbers   map[string]int32
	values    []string
	documents []int32 // by value: in how many documents it occurs
	last      []int32 // by value: the number of the last such document
}

// newShares deals the texts to workers; all texts of a document go to one.
func newShares(columns []column, texts []*Text, workers int) []*share {
	var shares []*share
	for i, from := 0, 0; i < workers; i++ {
		to := len(texts) * (i + 1) / workers
		for to > from && to < len(texts) && texts[to].Doc == texts[to-1].Doc {
			to++
		}
		if to == from {
			continue
		}
		s := &share{columns: columns, from: from, texts: texts[from:to]}
		for range columns {
			s.counts = append(s.counts, counts{numbers: map[string]int32{}})
		}
		shares = append(shares, s)
		from = to
	}
	return shares
}

// count draws the rows of the share's texts. The first texts of all, as many as
// counted, count for the number of documents that a value occurs in.
func (s *share) count(ctx context.Context, counted int) {
	document := int32(0)
	for i, x := range s.texts {
		if ctx.Err() != nil {
			return
		}
		if i == 0 || x.Doc != s.texts[i-1].Doc {
			document++
		}
		counts := s.from+i < counted
		s.rows = append(s.rows, draw(s.columns, x, func(c int, v string) int32 {
			return s.counts[c].number(v, document, counts)
		}))
	}
}

// number is the number of a value that occurs in a document.
func (c *counts) number(v string, document int32, counts bool) int32 {
	k, ok := c.numbers[v]
	if !ok {
		k = int32(len(c.values))
		c.numbers[v] = k
		c.values = append(c.values, v)
		c.documents, c.last = append(c.documents, 0), append(c.last, 0)
	}
	if counts && c.last[k] != document {
		c.last[k] = document
		c.documents[k]++
	}
	return k
}

// merge numbers the values of a column, which is the one at an index, that occur in
// enough documents.
func merge(col column, shares []*share, at, minDocuments int) map[string]int32 {
	total := map[string]int32{}
	for _, s := range shares {
		for k, v := range s.counts[at].values {
			total[v] += s.counts[at].documents[k]
		}
	}
	numbers := known(col)
	for _, s := range shares {
		for _, v := range s.counts[at].values {
			if _, ok := numbers[v]; !ok && int(total[v]) >= minDocuments {
				numbers[v] = int32(len(numbers))
			}
		}
	}
	return numbers
}

// known is the values of a column before any text: those of places beyond the
// sequence.
func known(col column) map[string]int32 {
	if col.edges {
		return map[string]int32{"": beyond}
	}
	return map[string]int32{}
}

// unnumbered is a column's table of attributes that have no number yet.
func unnumbered(col column, values int) [][]int32 {
	table := make([][]int32, col.hi-col.lo+1)
	for o := range table {
		table[o] = slices.Repeat([]int32{-1}, values)
	}
	return table
}

// renumber changes the rows from the share's own numbers to common ones, and drops
// values that have none.
func (s *share) renumber(values []map[string]int32) {
	for c, counts := range s.counts {
		to := make([]int32, len(counts.values))
		for k, v := range counts.values {
			to[k] = -1
			if n, ok := values[c][v]; ok {
				to[k] = n
			}
		}
		for i := range s.rows {
			s.rows[i][c].renumber(to)
		}
	}
}

// renumber replaces each value by to[value] and drops those that become negative.
func (r *row) renumber(to []int32) {
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
		e.values = append(e.values, known(col))
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
	for c, col := range columns {
		e.numbers = append(e.numbers, unnumbered(col, len(e.values[c])))
	}
	for n, a := range attributes {
		c := byName[a.Column]
		o := a.Offset - columns[c].lo
		if o < 0 || o >= len(e.numbers[c]) {
			return nil, fmt.Errorf("an attribute of %s at %d, outside the window of the configuration", a.Column, a.Offset)
		}
		at := &e.numbers[c][o][e.values[c][a.Value]]
		if *at >= 0 {
			return nil, fmt.Errorf("an attribute of %s at %d is given twice", a.Column, a.Offset)
		}
		*at = int32(n)
	}
	return e, nil
}
