// Package synth generates clinical notes with their PHI annotated, which are not
// about any real person. There are several corpora:
//
//   - demo, in English, for demonstrations and tests. Its notes do not change
//     between versions.
//   - en, English notes of many kinds, styles and countries, for training a
//     model that is used on notes of unknown origin.
//   - es, the same in Spanish.
//
// The notes are meant to be as hard as real ones. They have names that are also
// words or diseases, headings without labels, wrong dates, missing spaces,
// misspellings, and much text that only looks like PHI. The English ones contain
// every type of the set i2b2-2014.
//
// The span borders follow one set of rules, which is documented next to the
// grammar in grammar/demo/*.txt. Not part of a span are titles, degrees, 's,
// "y/o", times of day, "the" before a day, and the label before a number.
package synth

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/lethe-deid/lethe/data"
)

// Split is one part of the corpus. The name lists of the test split (persons,
// streets, cities, hospitals, organizations) have no entry in common with those
// of the other two.
type Split string

// The splits. Train and Dev are different notes from the same lists.
const (
	Train Split = "train"
	Dev   Split = "dev"
	Test  Split = "test"
)

var splits = []Split{Train, Dev, Test}

// TypeSet names the type set of the spans of the corpora in English.
const TypeSet = "i2b2-2014"

// ParseSplit returns the split named train, dev or test. It returns an error for
// other names.
func ParseSplit(name string) (Split, error) {
	if s := Split(name); slices.Contains(splits, s) {
		return s, nil
	}
	return "", fmt.Errorf("no split %q of the generated corpus (have train, dev, test)", name)
}

// Config selects the notes to generate.
type Config struct {
	Corpus string // one of Corpora; default DefaultCorpus
	Split  Split
	Seed   uint64 // the same seed gives the same notes; their number changes nothing
	// NotesPerPatient is the number of notes of each patient, at most 99. The
	// notes then also contain sentences with names and numbers without a local
	// cue ("Amundsen agrees with the plan."). If 0, the default, patients have
	// one to five notes, without such sentences. Only the corpus demo supports it.
	NotesPerPatient int
	// UncuedOnly removes all spans except those in these sentences, and leaves
	// the text unchanged: a gold standard for the recall of PHI without a local
	// cue. It requires NotesPerPatient.
	UncuedOnly bool
}

// Validate returns an error for the first invalid field.
func (c Config) Validate() error {
	corpus, err := lookup(c.Corpus)
	if err != nil {
		return err
	}
	if _, err := ParseSplit(string(c.Split)); err != nil {
		return err
	}
	if c.NotesPerPatient != 0 && !corpus.uncued {
		return fmt.Errorf("the generated corpus %s has one note per patient, so it takes no number of notes", c.Corpus)
	}
	if c.NotesPerPatient < 0 || c.NotesPerPatient > 99 {
		return fmt.Errorf("%d notes per patient: not in [0, 99]", c.NotesPerPatient)
	}
	if c.UncuedOnly && c.NotesPerPatient == 0 {
		return errors.New("PHI without a local cue requires a number of notes per patient")
	}
	return nil
}

// Types returns the type set of the spans, or nil if there is no such corpus.
func (c Config) Types() *data.TypeSet {
	corpus, err := lookup(c.Corpus)
	if err != nil {
		return nil
	}
	return corpus.types
}

// Notes generates the first n notes of a split with the defaults of Config.
func Notes(n int, seed uint64, split Split) data.Documents {
	return Config{Split: split, Seed: seed}.Notes(n)
}

// Notes generates the first n notes, none if n <= 0. The notes of a patient are
// consecutive and have IDs such as 100-01: patient, note. The patients' numbers
// differ between the splits. If the configuration is invalid, the only item is an
// error; there are no other errors.
func (c Config) Notes(n int) data.Documents {
	return func(yield func(*data.Document, error) bool) {
		if err := c.Validate(); err != nil {
			yield(nil, err)
			return
		}
		corpus, _ := lookup(c.Corpus)
		rules := corpus.grammars[c.Split]()
		part := slices.Index(splits, c.Split)
		for number := 100 + part; n > 0; number += len(splits) {
			// Each patient has an independent stream of random numbers, because PCG is seeded by two words.
			w := newWriter(corpus, rules, rand.NewPCG(c.Seed, uint64(number)))
			w.uncued = c.NotesPerPatient > 0
			corpus.patient(w)
			notes := c.NotesPerPatient
			if notes == 0 {
				notes = corpus.visits(w)
			}
			for note := range min(n, notes) {
				w.newVisit()
				w.newNote()
				corpus.note(w)
				w.finish()
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
