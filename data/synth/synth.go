// Package synth writes invented clinical notes in English with their PHI
// marked: a corpus for demonstrations and tests, free of any real person. The
// notes are meant to be as hard as real ones, with names that are words or
// diseases, headings without labels, wrong dates, missing spaces, misspellings
// and much that only looks like PHI. They bear every type of the set i2b2-2014.
//
// The span borders follow one rule set, which stands beside the rules it
// governs in grammar/*.txt: titles, degrees, 's, "y/o", times of day, "the"
// before a day and the label before a number stand outside of the span.
package synth

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/brianvoe/gofakeit/v7"

	"github.com/lethe-deid/lethe/data"
)

// Split is one part of the corpus. No name of a person, street, city, hospital
// or organization is in the lists of both the test split and the other two.
type Split string

// The splits. Train and Dev draw other notes from the same lists.
const (
	Train Split = "train"
	Dev   Split = "dev"
	Test  Split = "test"
)

var splits = []Split{Train, Dev, Test}

// TypeSet names the type set of the spans.
const TypeSet = "i2b2-2014"

// ParseSplit knows train, dev and test.
func ParseSplit(name string) (Split, error) {
	if s := Split(name); slices.Contains(splits, s) {
		return s, nil
	}
	return "", fmt.Errorf("no split %q of the generated corpus (have train, dev, test)", name)
}

// Notes writes the first n notes of a split: none when n is not above zero.
// The same seed gives the same notes, however many are asked for. Each patient
// has one to five notes in a row, with identifiers such as 100-01: patient,
// note. Patients' numbers differ between the splits. The last item is an error
// if the split is unknown; nothing else fails.
func Notes(n int, seed uint64, split Split) data.Documents {
	return func(yield func(*data.Document, error) bool) {
		if _, err := ParseSplit(string(split)); err != nil {
			yield(nil, err)
			return
		}
		rules := grammars[split]()
		part := slices.Index(splits, split)
		for number := 100 + part; n > 0; number += len(splits) {
			// A stream of its own a patient: PCG is seeded by two words.
			source := rand.NewPCG(seed, uint64(number))
			w := &writer{Rand: rand.New(source), fake: gofakeit.NewFaker(source, false), rules: rules, latest: map[*node]int{}}
			w.newPatient()
			for note := range min(n, 1+w.IntN(5)) {
				w.newVisit()
				w.buf, w.spans = nil, nil
				w.note()
				w.text("\n")
				d := &data.Document{
					ID:      fmt.Sprintf("%d-%02d", number, note+1),
					Patient: fmt.Sprint(number),
					Text:    string(w.buf),
					Spans:   w.spans,
				}
				if !yield(d, nil) {
					return
				}
				n--
			}
		}
	}
}
