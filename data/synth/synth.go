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
	"errors"
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

// Config says which notes to write.
type Config struct {
	Split Split
	Seed  uint64 // the same seed gives the same notes, however many are asked for
	// NotesPerPatient, up to 99, is how many notes each patient has; in them names
	// and numbers stand without a local cue as well ("Amundsen agrees with the
	// plan."). Default 0: one to five notes, without such sentences.
	NotesPerPatient int
	// UncuedOnly leaves only the spans of these sentences, and the text as it is:
	// a gold standard for the recall of what has no local cue.
	UncuedOnly bool
}

// Validate names the first field that makes no sense.
func (c Config) Validate() error {
	if _, err := ParseSplit(string(c.Split)); err != nil {
		return err
	}
	if c.NotesPerPatient < 0 || c.NotesPerPatient > 99 {
		return fmt.Errorf("%d notes per patient: not in [0, 99]", c.NotesPerPatient)
	}
	if c.UncuedOnly && c.NotesPerPatient == 0 {
		return errors.New("what has no local cue stands only in notes that are counted per patient")
	}
	return nil
}

// Notes writes the first n notes of a split as Config's defaults have it.
func Notes(n int, seed uint64, split Split) data.Documents {
	return Config{Split: split, Seed: seed}.Notes(n)
}

// Notes writes the first n notes: none when n is not above zero. Each patient's
// notes stand in a row, with identifiers such as 100-01: patient, note. Patients'
// numbers differ between the splits. The last item is an error if the
// configuration is not valid; nothing else fails.
func (c Config) Notes(n int) data.Documents {
	return func(yield func(*data.Document, error) bool) {
		if err := c.Validate(); err != nil {
			yield(nil, err)
			return
		}
		rules := grammars[c.Split]()
		part := slices.Index(splits, c.Split)
		for number := 100 + part; n > 0; number += len(splits) {
			// A stream of its own a patient: PCG is seeded by two words.
			source := rand.NewPCG(c.Seed, uint64(number))
			w := &writer{Rand: rand.New(source), fake: gofakeit.NewFaker(source, false), rules: rules, latest: map[*node]int{}, uncued: c.NotesPerPatient > 0}
			w.newPatient()
			notes := c.NotesPerPatient
			if notes == 0 {
				notes = 1 + w.IntN(5)
			}
			for note := range min(n, notes) {
				w.newVisit()
				w.buf, w.spans, w.alone = nil, nil, nil
				w.note()
				w.text("\n")
				if c.UncuedOnly {
					w.spans = w.alone
				}
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
