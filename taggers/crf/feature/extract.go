package feature

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/tokenize"
	"github.com/lethe-deid/lethe/internal/recent"
	"github.com/lethe-deid/lethe/taggers/crf/chain"
	"github.com/lethe-deid/lethe/taggers/internal/reader"
)

// Attribute describes what an attribute's number means: a value of a column at an
// offset from the token. New requires only Column, Offset and Value.
type Attribute struct {
	Family string
	Column string
	Offset int
	Value  string
	Closed bool // whether the value is from a closed set, rather than words or parts of words of the training notes
}

// Extractor draws attributes from texts. It does not change once it is made, so several
// goroutines may use it at once.
type Extractor struct {
	columns []column
	values  []map[string]int32 // by column: the number of each known value
	// numbers[c][offset-lo][value] is the attribute's number, or -1.
	numbers [][][]int32
	count   int
	recent  *sync.Pool // of *[]*recent.Words[few], by column; nil for columns whose values depend on more than the word
}

// few are up to some numbers of values.
type few struct {
	n      uint8 // tooMany if they are not all here
	values [3]int32
}

const tooMany = 255

// beyond is the number of the value that stands for positions beyond the sequence, in
// columns with edges.
const beyond = 0

// row has the values of a column for a text: those of token t are values ends[t-1] to
// ends[t].
type row struct {
	ends   []int32
	values []int32
}

// draw returns the values of each column for each text, as the numbers that number assigns to them. It draws a column of all texts before the next one: some columns need tables as
// large as the cache of a core. It uses the values of recent words again, unless words is nil.
func draw(columns []column, texts []*Text, words []*recent.Words[few], number func(column int, value string) int32) [][]row {
	all := make([][]row, len(texts))
	for i := range all {
		all[i] = make([]row, len(columns))
	}
	var found []located
	for c := range columns {
		for i, x := range texts {
			found = found[:0]
			if words != nil && words[c] != nil {
				found = drawWords(found, x, words[c], columns[c].word, func(v string) int32 { return number(c, v) })
			} else {
				columns[c].values(x, func(t int, v string) {
					if n := number(c, v); n >= 0 {
						found = append(found, located{int32(t), n})
					}
				})
			}
			all[i][c] = newRow(len(x.Tokens), found)
		}
	}
	return all
}

// drawWords appends the values of a text's words, which are computed for words that are not among the recent ones.
func drawWords(found []located, x *Text, words *recent.Words[few], values func(w string, put func(string)), number func(value string) int32) []located {
	t := 0
	put := func(v string) {
		if n := number(v); n >= 0 {
			found = append(found, located{int32(t), n})
		}
	}
	for at, w := range x.words {
		t = at
		have, known := words.At(w)
		if known && have.n != tooMany {
			for _, n := range have.values[:have.n] {
				found = append(found, located{int32(t), n})
			}
			continue
		}
		from := len(found)
		values(w, put)
		if have == nil {
			continue
		}
		if have.n = tooMany; len(found)-from <= len(have.values) {
			have.n = uint8(len(found) - from)
			for i, f := range found[from:] {
				have.values[i] = f.value
			}
		}
	}
	return found
}

// pool returns memory for the values of words of columns.
func pool(columns []column) *sync.Pool {
	return &sync.Pool{New: func() any {
		words := make([]*recent.Words[few], len(columns))
		for c, col := range columns {
			if col.word != nil {
				words[c] = recent.New[few]()
			}
		}
		return &words
	}}
}

// located is a value of a token.
type located struct{ token, value int32 }

// newRow sorts the values of a column by token. It is a counting sort, because families may report tokens in any order.
func newRow(tokens int, found []located) row {
	r := row{ends: make([]int32, tokens), values: make([]int32, len(found))}
	for _, f := range found {
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
	return r
}

// between returns the number of values of some tokens.
func (r row) between(tokens tokenize.Range) int {
	if tokens.Start == tokens.End {
		return 0
	}
	n := int(r.ends[tokens.End-1])
	if tokens.Start > 0 {
		n -= int(r.ends[tokens.Start-1])
	}
	return n
}

func (r row) of(t int) []int32 {
	from := int32(0)
	if t > 0 {
		from = r.ends[t-1]
	}
	return r.values[from:r.ends[t]]
}

// Options configure Fit.
type Options struct {
	Counted      int // only this many of the texts, from the first, count towards MinDocuments and MinPatients
	MinDocuments int // number of counted documents in which a value must occur
	MinPatients  int // number of patients in whose counted documents a value must occur; 0: any
	Workers      int // number of cores to use
}

// Fit returns an extractor for the values of the training texts: those that occur in at
// least MinDocuments documents of MinPatients patients in the counted texts, at each offset where they occur in
// any text. It also returns the sequences of each text, one per sentence. The error
// names the first bad spec, or is the context's.
func Fit(ctx context.Context, specs []Spec, resources *Resources, texts []*Text, opt Options) (*Extractor, [][]chain.Sequence, error) {
	columns, at, err := compile(specs, resources)
	if err != nil {
		return nil, nil, fmt.Errorf("features[%d]: %w", at, err)
	}
	shares := newShares(columns, texts, opt.Workers)
	patients := numberPatients(texts)
	var wg sync.WaitGroup
	for _, s := range shares {
		wg.Go(func() { s.count(ctx, opt, patients) })
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	e := &Extractor{columns: columns, recent: pool(columns)}
	for c, col := range columns {
		e.values = append(e.values, merge(col, shares, c, opt))
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

// share is a worker's share of the texts. It numbers values in the order in which they
// occur. Merging share by share gives the order of all texts.
type share struct {
	columns []column
	from    int // the number of the share's first text
	texts   []*Text
	rows    [][]row // by text and column
	counts  []counts
}

// counts has the values of a column that occur in a share.
type counts struct {
	numbers   map[string]int32
	values    []string
	documents []int32 // by value: number of documents in which it occurs
	last      []int32 // by value: number of the last such document
	patients  []reader.Patients
}

// numberPatients returns the number of the patient of each text.
func numberPatients(texts []*Text) []int32 {
	var docs []*data.Document
	at := make([]int, len(texts)) // by text: index of its document
	for i, x := range texts {
		if i == 0 || x.Doc != texts[i-1].Doc {
			docs = append(docs, x.Doc)
		}
		at[i] = len(docs) - 1
	}
	of := data.NumberPatients(docs)
	all := make([]int32, len(texts))
	for i := range texts {
		all[i] = int32(of[at[i]])
	}
	return all
}

// newShares distributes the texts among the workers. All texts of a document go to one
// worker.
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

// count draws the rows of the share's texts. Only the first counted texts of all shares
// count for the numbers of documents and patients with a value.
func (s *share) count(ctx context.Context, opt Options, patients []int32) {
	document := int32(0)
	for i, x := range s.texts {
		if ctx.Err() != nil {
			return
		}
		if i == 0 || x.Doc != s.texts[i-1].Doc {
			document++
		}
		counts := s.from+i < opt.Counted
		s.rows = append(s.rows, draw(s.columns, []*Text{x}, nil, func(c int, v string) int32 {
			k := s.counts[c].number(v, document, counts)
			if counts && opt.MinPatients > 0 {
				s.counts[c].see(k, patients[s.from+i], opt.MinPatients)
			}
			return k
		})...)
	}
}

// number returns the number of a value that occurs in a document.
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

// see enters that a patient has a value.
func (c *counts) see(k, patient int32, most int) {
	for int(k) >= len(c.patients) {
		c.patients = append(c.patients, nil)
	}
	c.patients[k] = c.patients[k].Add(patient, most)
}

// merge numbers the values of column number at that occur in enough documents of enough patients.
func merge(col column, shares []*share, at int, opt Options) map[string]int32 {
	total, patients := map[string]int32{}, map[string]reader.Patients{}
	for _, s := range shares {
		for k, v := range s.counts[at].values {
			total[v] += s.counts[at].documents[k]
		}
		for k, seen := range s.counts[at].patients {
			v := s.counts[at].values[k]
			for _, p := range seen {
				patients[v] = patients[v].Add(p, opt.MinPatients)
			}
		}
	}
	numbers := known(col)
	for _, s := range shares {
		for _, v := range s.counts[at].values {
			if _, ok := numbers[v]; !ok && int(total[v]) >= opt.MinDocuments && len(patients[v]) >= opt.MinPatients {
				numbers[v] = int32(len(numbers))
			}
		}
	}
	return numbers
}

// known returns the values that a column has before any text: the one for positions
// beyond the sequence, if it has edges.
func known(col column) map[string]int32 {
	if col.edges {
		return map[string]int32{"": beyond}
	}
	return map[string]int32{}
}

// unnumbered returns a column's table of attributes, none of which has a number yet.
func unnumbered(col column, values int) [][]int32 {
	table := make([][]int32, col.hi-col.lo+1)
	for o := range table {
		table[o] = slices.Repeat([]int32{-1}, values)
	}
	return table
}

// renumber replaces the share's own numbers with common ones, and drops values that
// have none.
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

// renumber replaces each value with to[value], and drops those that become negative.
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

// Sequences draws the attributes of a text, and returns one sequence per sentence.
func (e *Extractor) Sequences(x *Text) []chain.Sequence { return e.Each([]*Text{x})[0] }

// Each draws the attributes of several texts, which is faster than one after the other, and returns the sequences of each.
func (e *Extractor) Each(texts []*Text) [][]chain.Sequence {
	words := e.recent.Get().(*[]*recent.Words[few])
	drawn := draw(e.columns, texts, *words, func(c int, v string) int32 {
		if n, ok := e.values[c][v]; ok {
			return n
		}
		return -1
	})
	e.recent.Put(words) // not if drawing panics, which may leave a word without its values
	all := make([][]chain.Sequence, len(texts))
	for i, x := range texts {
		for _, s := range x.Sentences {
			all[i] = append(all[i], e.sequence(drawn[i], s, false))
		}
	}
	return all
}

// sequence collects the attributes of the tokens in s from all columns and offsets.
// Unless learn is set, it leaves out unknown attributes.
func (e *Extractor) sequence(rows []row, s tokenize.Range, learn bool) chain.Sequence {
	n := s.End - s.Start
	size := 0
	for c := range e.columns {
		size += (e.columns[c].hi - e.columns[c].lo + 1) * rows[c].between(s)
	}
	out := chain.Sequence{Ends: make([]int32, n), Attributes: make([]int32, 0, size)}
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

// Len returns the number of attributes.
func (e *Extractor) Len() int { return e.count }

// Attributes returns the meaning of each attribute number.
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

// New returns an extractor for exactly these attributes, numbered in this order. It
// fails if the specs cannot produce one of them, or one occurs twice.
func New(specs []Spec, resources *Resources, attributes []Attribute) (*Extractor, error) {
	columns, at, err := compile(specs, resources)
	if err != nil {
		return nil, fmt.Errorf("features[%d]: %w", at, err)
	}
	e := &Extractor{columns: columns, recent: pool(columns), count: len(attributes)}
	byName := map[string]int{}
	for c, col := range columns {
		byName[col.name] = c
		e.values = append(e.values, known(col))
	}
	for _, a := range attributes {
		c, ok := byName[a.Column]
		if !ok {
			return nil, fmt.Errorf("an attribute of %s, which no family of the configuration produces", a.Column)
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
			return nil, fmt.Errorf("duplicate attribute of %s at %d", a.Column, a.Offset)
		}
		*at = int32(n)
	}
	return e, nil
}
