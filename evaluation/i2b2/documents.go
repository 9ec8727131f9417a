package i2b2

import (
	"strconv"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/evaluation/internal/tagged"
)

// FromDocuments converts documents from any reader. The element of a span is the
// category of its type in the built-in type sets, or PHI if none of them assigns
// the type to one of the script's categories.
func FromDocuments(docs data.Documents) Source { return tagged.Convert(docs, fromDocument) }

func fromDocument(doc *data.Document) *Document {
	d := &Document{ID: doc.ID, Text: doc.Text, Tags: make([]Tag, len(doc.Spans))}
	point := tagged.CodePoints(doc.Text)
	for i, s := range doc.Spans {
		start, end := point(s.Start), point(s.End)
		d.Tags[i] = Tag{elementsOfTypes[s.Type], s.Type, strconv.Itoa(start), strconv.Itoa(end), start, end}
	}
	return d
}

// elementsOfTypes maps the types of all built-in sets to the index of their
// element. No two sets assign a type of the same name to different categories of
// the script.
var elementsOfTypes = func() map[string]int {
	m := map[string]int{}
	for _, types := range data.TypeSets() {
		for _, t := range types.Types {
			if e := elementIndex(t.Category); e > phi {
				m[t.Name] = e
			}
		}
	}
	return m
}()

// Metrics returns the 42 evaluations as metrics over documents, by the script's
// rules; see FromDocuments for their elements. The metrics are named by the
// corrected names ("HIPAA Token", "NAME HIPAA Strict") after "i2b2/" for the
// micro average and "i2b2/macro/" for the macro average, whose F1 is 0 for 0/0.
func Metrics() []evaluation.Metric {
	shared, err := newCounter(Options{})
	if err != nil {
		panic(err) // there is no filter that could be wrong
	}
	var micro, macro []evaluation.Metric
	for i, r := range shared.rules {
		count := func(gold, system *data.Document) evaluation.Counts {
			return shared.fork().count(fromDocument(gold), fromDocument(system))[i]
		}
		micro = append(micro, evaluation.Metric{
			Name: "i2b2/" + r.name, Score: evaluation.Micro,
			Tally: func(gold, system *data.Document) []float64 {
				c := count(gold, system)
				return []float64{float64(c.TP), float64(c.FP), float64(c.FN)}
			},
		})
		macro = append(macro, evaluation.Metric{
			Name: "i2b2/macro/" + r.name, Score: meanOf,
			Tally: func(gold, system *data.Document) []float64 {
				c := count(gold, system)
				return []float64{c.Precision(), c.Recall(), 1}
			},
		})
	}
	return append(micro, macro...)
}

// meanOf returns the score of a total of P, R and the number of documents.
func meanOf(total []float64) evaluation.PRF {
	p, r, n := total[0], total[1], total[2]
	if p+r == 0 {
		return evaluation.PRF{}
	}
	return evaluation.PRF{Precision: p / n, Recall: r / n, F1: harmonic(p/n, r/n)}
}
