// Package meddocan computes the scores of the official script of MEDDOCAN
// (Marimon et al. 2019; the version on Codalab, PlanTL-GOB-ES/SPACCC_MEDDOCAN,
// run by Python 3). It reproduces the script's oddities, so that scores can be
// compared with published ones. [Options.Corrected] removes the oddities.
//
// # Subtask 1: named entities
//
// In each document, both sides are sets of tags, and the intersection is the true
// positives. In brat, a tag is its type, start and end. In XML, it is its
// element, start, end and TYPE, each as written: "010" and "10" differ, and a tag
// under another element than in the gold standard is wrong. Leak is the number of
// missed tags in all documents divided by the number of their sentences, as
// counted by another tool.
//
// # Subtask 2: spans
//
// Strict: both sides are sets of starts and ends.
//
// Merged: the spans of a side are sorted, and a span is merged into the previous
// one if there is no letter or digit between them, which includes overlapping
// spans. A merged span ends where its last part ends, even if an earlier part
// reaches further. True positives are the strict spans that are on both sides
// together with the merged spans that are on both sides. There can therefore be
// more true positives than spans; two adjacent names each count once alone and
// once as a pair. False positives and false negatives are the strict spans of one
// side that are not inside a true positive.
//
// # Averages
//
// Precision, recall and F1 are computed from the summed counts, 0 for 0/0.
//
// # Files
//
// If a gold document is not among the system's, all scores are ERROR. Documents
// without a gold standard are not scored. The texts of a document are not
// compared: each side's own text determines what is between its spans.
package meddocan

import (
	"cmp"
	"iter"
	"slices"
	"unicode"

	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/evaluation/internal/tagged"
)

// Document is one note with the tags of one side.
type Document struct {
	ID      string
	Text    string
	Tags    []Tag
	Skipped []error // brat: lines that look like tags but are skipped by the script
	Ignored int     // XML: number of tags of elements that the script does not support
}

// Tag is a tag as the script compares it. A tag from XML has an element, and its
// offsets as written. A tag from brat has no element, and its offsets are
// numbers.
type Tag struct {
	Element, Type string
	start, end    string
	span
}

// span is [from, to) in code points. It may be reversed, and may lie beyond the
// text.
type span struct{ from, to int }

// Source yields documents, in a fixed order.
type Source = iter.Seq2[*Document, error]

// Options control the scoring. The zero value scores as the script does.
type Options struct {
	Corrected bool // without the script's oddities; see Corrections
	Documents bool // include the counts of each document in the report
	// Sentences returns the number of sentences of a document, or false if it is
	// unknown, in which case no leak is computed. It may be nil if no numbers are
	// known.
	Sentences func(id string) (int, bool, error)
}

// Corrections describes what Options.Corrected changes.
var Corrections = []string{
	"a gold document that the system does not have counts as missed, and does not turn all scores into ERROR",
	"texts of a document that differ are an error",
	"subtask 1 of XML compares offsets as numbers and TYPE, not elements: XML and brat have the same scores",
	"a line of brat that starts with T and cannot be read is an error, and is not passed over",
	"merged: a merged span reaches to the farthest end of its parts",
	"merged: only merged spans are compared: those of both sides are true positives, those of one side false",
}

// Compare scores the documents of a system, one pair at a time; see
// evaluation.Pairs for how much is held in memory. It returns the first error of
// a source, and an error if an ID occurs twice on one side.
func Compare(gold, system Source, o Options) (*Report, error) {
	r := &Report{Missing: []string{}, Extra: []string{}}
	if o.Corrected {
		r.Corrections = Corrections
	}
	for p, err := range evaluation.Pairs(gold, system, func(d *Document) string { return d.ID }) {
		if err == nil {
			err = r.add(p.Gold, p.System, o)
		}
		if err != nil {
			return nil, err
		}
	}
	return r, nil
}

// counts are the counts of the three evaluations.
type counts struct{ ner, strict, merged evaluation.Counts }

// count compares one document.
func count(gold, system *Document, corrected bool) counts {
	key := Tag.asWritten
	if corrected {
		key = Tag.asNumbers
	}
	g, s := newSide(gold, key, corrected), newSide(system, key, corrected)
	c := counts{ner: compare(g.tags, s.tags), strict: compare(g.spans, s.spans)}
	if corrected {
		c.merged = compare(g.merged, s.merged)
		return c
	}
	both := map[span]bool{}
	for span := range g.spans {
		if s.spans[span] {
			both[span] = true
		}
	}
	for span := range g.merged {
		if s.merged[span] {
			both[span] = true
		}
	}
	within := newContainers(both)
	c.merged.TP = len(both)
	for span := range s.spans {
		if !g.spans[span] && !within.hold(span) {
			c.merged.FP++
		}
	}
	for span := range g.spans {
		if !s.spans[span] && !within.hold(span) {
			c.merged.FN++
		}
	}
	return c
}

// tagKey contains the properties that tags are compared by.
type tagKey struct{ element, typ, start, end string }

func (t Tag) asWritten() tagKey { return tagKey{t.Element, t.Type, t.start, t.end} }

func (t Tag) asNumbers() tagKey { return NewTag(t.Type, t.from, t.to).asWritten() }

// side contains the sets of tags and spans of one side.
type side struct {
	tags          map[tagKey]bool
	spans, merged map[span]bool
}

func newSide(d *Document, key func(Tag) tagKey, farthest bool) side {
	s := side{map[tagKey]bool{}, map[span]bool{}, map[span]bool{}}
	var spans []span
	for _, t := range d.Tags {
		s.tags[key(t)] = true
		s.spans[t.span] = true
		spans = append(spans, t.span)
	}
	for _, m := range merge([]rune(d.Text), spans, farthest) {
		s.merged[m] = true
	}
	return s
}

func compare[K comparable](gold, system map[K]bool) evaluation.Counts {
	var c evaluation.Counts
	for k := range gold {
		if system[k] {
			c.TP++
		}
	}
	c.FP, c.FN = len(system)-c.TP, len(gold)-c.TP
	return c
}

// merge sorts spans and merges neighbours. A merged span ends where the last of
// its parts ends or, if farthest is set, at the greatest end of its parts.
func merge(text []rune, spans []span, farthest bool) []span {
	slices.SortFunc(spans, span.compare)
	var merged []span
	for _, s := range spans {
		if n := len(merged); n > 0 {
			last := &merged[n-1]
			if from, to := tagged.Slice(len(text), last.to, s.from); !slices.ContainsFunc(text[from:to], alphanumeric) {
				if !farthest || s.to > last.to {
					last.to = s.to
				}
				continue
			}
		}
		merged = append(merged, s)
	}
	return merged
}

func (s span) compare(o span) int {
	return cmp.Or(cmp.Compare(s.from, o.from), cmp.Compare(s.to, o.to))
}

// alphanumeric reports whether Python's isalnum is true for r.
func alphanumeric(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

// containers are spans sorted by start, each with the greatest end of itself and
// those before it.
type containers []span

func newContainers(spans map[span]bool) containers {
	var c containers
	for s := range spans {
		c = append(c, s)
	}
	slices.SortFunc(c, span.compare)
	for i := 1; i < len(c); i++ {
		c[i].to = max(c[i].to, c[i-1].to)
	}
	return c
}

// hold reports whether a span is inside one of the containers.
func (c containers) hold(s span) bool {
	after, _ := slices.BinarySearchFunc(c, s.from, func(c span, from int) int {
		if c.from <= from {
			return -1
		}
		return 1
	})
	return after > 0 && s.to <= c[after-1].to
}
