package models

import (
	"context"
	"errors"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/tsv"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/system"
)

// Recording says which scores of the labels of all tokens are written, as tables of tab-separated values. A model with
// several networks or CRFs has a table for each, with its name before the extension: scores.NAME.tsv.
type Recording struct {
	Marginals string // file for the probability of each label, given the whole sentence; "": none
	Logits    string // file for what the CRF or the softmax reads; "": none
	Text      bool   // write the tokens as well
}

// Recorder is a tagger that also writes the scores of the labels.
type Recorder struct {
	data.Tagger
	text   bool
	leaves []recorded
}

// recorded is a leaf of a model with its tables, by chain.
type recorded struct {
	taggers.Scorer
	marginals, logits []*tsv.Writer // nil: not wanted
}

// NewRecorder returns a tagger that finds what t finds, and writes the scores of the networks and CRFs of a model that
// Open has read. The caller must close or abort it. It is an error if the model has none.
func NewRecorder(t data.Tagger, model *Model, opt Recording) (*Recorder, error) {
	r := &Recorder{Tagger: t, text: opt.Text}
	type table struct {
		leaf, chain int
		name        string
	}
	var tables []table
	for member, leaf := range system.Leaves(model.Tagger) {
		s, ok := leaf.(taggers.Scorer)
		if !ok {
			continue
		}
		for k, c := range s.Chains() {
			tables = append(tables, table{len(r.leaves), k, strings.Trim(member+"/"+c.Name, "/")})
		}
		r.leaves = append(r.leaves, recorded{Scorer: s})
	}
	if len(tables) == 0 {
		return nil, errors.New(model.Dir + ": has no network and no CRF, whose labels would have scores")
	}
	for _, x := range tables {
		leaf := &r.leaves[x.leaf]
		header := []string{"document", "sentence", "start", "end"}
		if r.text {
			header = append(header, "text")
		}
		header = append(header, "label")
		header = append(header, leaf.Chains()[x.chain].Labels...)
		create := func(path string, to *[]*tsv.Writer) error {
			if path == "" {
				return nil
			}
			if len(tables) > 1 {
				path = MemberFile(path, x.name)
			}
			w, err := tsv.Create(path, header)
			if w != nil {
				*to = append(*to, w)
			}
			return err
		}
		if err := errors.Join(create(opt.Marginals, &leaf.marginals), create(opt.Logits, &leaf.logits)); err != nil {
			r.Abort()
			return nil, err
		}
	}
	return r, nil
}

// MemberFile returns the path of the table of a member of a system: with the member's name before the extension.
func MemberFile(path, member string) string {
	rest, compressed := strings.CutSuffix(path, ".gz")
	ext := filepath.Ext(rest)
	path = strings.TrimSuffix(rest, ext) + "." + strings.ReplaceAll(member, "/", "-") + ext
	if compressed {
		path += ".gz"
	}
	return path
}

// Tag implements data.Tagger. Only one goroutine at a time may call it.
func (r *Recorder) Tag(ctx context.Context, docs []*data.Document) ([][]data.Span, error) {
	found, err := r.Tagger.Tag(ctx, docs)
	if err != nil {
		return nil, err
	}
	for _, leaf := range r.leaves {
		scores, err := leaf.Scores(ctx, docs)
		if err != nil {
			return nil, err
		}
		for i, doc := range docs {
			for k, tokens := range scores[i] {
				if err := leaf.write(doc, k, tokens, r.text); err != nil {
					return nil, err
				}
			}
		}
	}
	return found, nil
}

// write writes the rows of a document. Offsets are in code points.
func (l recorded) write(doc *data.Document, chain int, tokens []taggers.TokenScores, text bool) error {
	labels := l.Chains()[chain].Labels
	at, points := 0, 0 // the same place in bytes and in code points
	offset := func(to int) string {
		points += utf8.RuneCountInString(doc.Text[at:to])
		at = to
		return strconv.Itoa(points)
	}
	for _, x := range tokens {
		row := []string{doc.ID, strconv.Itoa(x.Sentence), offset(x.Start), offset(x.End)}
		if text {
			row = append(row, doc.Text[x.Start:x.End])
		}
		row = append(row, labels[x.Label])
		with := func(values []float64) []string {
			all := row[:len(row):len(row)]
			for _, v := range values {
				all = append(all, tsv.Float(v))
			}
			return all
		}
		if l.marginals != nil {
			if err := l.marginals[chain].Write(with(x.Marginals)); err != nil {
				return err
			}
		}
		if l.logits != nil {
			if err := l.logits[chain].Write(with(x.Logits)); err != nil {
				return err
			}
		}
	}
	return nil
}

// each calls do for all tables.
func (r *Recorder) each(do func(*tsv.Writer)) {
	for _, l := range r.leaves {
		for _, tables := range [][]*tsv.Writer{l.marginals, l.logits} {
			for _, w := range tables {
				do(w)
			}
		}
	}
}

// Close completes the tables.
func (r *Recorder) Close() (err error) {
	r.each(func(w *tsv.Writer) { err = errors.Join(err, w.Close()) })
	return err
}

// Abort removes the tables. After Close it does nothing.
func (r *Recorder) Abort() { r.each((*tsv.Writer).Abort) }
