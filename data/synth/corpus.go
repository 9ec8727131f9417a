package synth

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/lethe-deid/lethe/data"
)

// A corpus is a kind of generated notes: a folder of grammar, its language, and how a note and a
// person are drawn.
type corpus struct {
	types    *data.TypeSet
	language language
	note     func(*writer)
	person   func(*writer) *person
	patient  func(*writer)
	visits   func(*writer) int // number of notes of a patient
	uncued   bool              // supports Config.NotesPerPatient
	grammars map[Split]func() grammar
}

// DefaultCorpus is the corpus of a Config that names none.
const DefaultCorpus = "demo"

var corpora = map[string]*corpus{
	DefaultCorpus: {
		types: data.I2B2, language: english, uncued: true, grammars: grammarsOf(DefaultCorpus),
		note: (*writer).demoNote, person: (*writer).demoPerson, patient: (*writer).demoPatient, visits: (*writer).demoVisits,
	},
	"en": written("en", data.I2B2, english),
	"es": spanishNotes,
}

// written returns a corpus whose notes and persons are rules of its grammar. Each patient has one
// note.
func written(name string, types *data.TypeSet, l language) *corpus {
	return &corpus{
		types: types, language: l, grammars: grammarsOf(name),
		note:    func(w *writer) { w.say("note") },
		person:  (*writer).anyPerson,
		patient: (*writer).anyPatient,
		visits:  func(*writer) int { return 1 },
	}
}

// Corpora returns the names of the generated corpora, sorted.
func Corpora() []string { return slices.Sorted(maps.Keys(corpora)) }

// grammarsOf returns functions that return the compiled grammar of each split, which is built at
// first use. Train and Dev share one. That of Test has the same rules but other lists of names.
func grammarsOf(name string) map[Split]func() grammar {
	train := sync.OnceValue(func() grammar { return compile(name, "train") })
	test := sync.OnceValue(func() grammar { return compile(name, "test") })
	return map[Split]func() grammar{Train: train, Dev: train, Test: test}
}

// lookup returns the corpus with a name, or DefaultCorpus if the name is empty.
func lookup(name string) (*corpus, error) {
	if name == "" {
		name = DefaultCorpus
	}
	if c := corpora[name]; c != nil {
		return c, nil
	}
	return nil, fmt.Errorf("no generated corpus %q (have %s)", name, strings.Join(Corpora(), ", "))
}
