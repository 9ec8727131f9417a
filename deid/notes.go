package deid

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/replace"
	"github.com/lethe-deid/lethe/deid/safetynet"
)

// Note is a note to de-identify.
type Note struct {
	*data.Document                   // its Spans are used only if the Deidentifier has no Tagger
	Group          string            // identifies the patient; "" means Document.Patient; if both are empty, no other note has the same patient
	Known          []safetynet.Value // known values of the patient; may be empty
	Search         Search            // how PHI is found in the note; by default by all means
	// Tags is the text with tags that the document does not have, or empty. The Tagger examines both, because tags between words can hide names from it, and so
	// can their absence. Without returns where spans of Tags are in the document.
	Tags    string
	Without func([]data.Span) []data.Span
	As      replace.Kind // with Marked: the kind of replacement of its Spans, which must be among Plan.Also; "" means that of the plan

	types *data.TypeSet // those of the patient's notes, if the language of this one is a guess; nil if its values keep their types: see TypesIn

	// If the note is examined in a reading that differs from it, the Document is the reading: see read.
	written       *data.Document // the note as it was given
	substitutions []substitution
	lineEnds      []data.Span // escapes for line ends, in the note as it was given
	// If the reading has words in one piece that the end of a line divides in the note, these are the reading without that, and its substitutions. The Tagger examines both.
	divided   string
	inDivided []substitution
}

// Search says how PHI is found in a note.
type Search int

// The ways to search a note.
const (
	Fully    Search = iota // by the Tagger and all other sources
	Untagged               // by all sources but the Tagger: the text is PHI only in rare cases
	Marked                 // by none: the note's own Spans are its PHI, and the other notes of the patient are searched for their values
)

// Result is the outcome for a note.
type Result struct {
	Clean   *data.Document                      // a new document with the replacements as its Spans; nil if Err is not nil
	Changes []replace.Change                    // the replacements, in the order of the text
	Tagged  []data.Span                         // the tagger's spans in the original text; without a tagger, the note's own Spans
	Found   map[safetynet.Source]map[string]int // number of values that the tagger missed and another source found, by source and type
	Err     error                               // why the note could not be examined; nil if it was
	// Languages are those by whose models the note was examined, sorted, if the Tagger is for several languages.
	Languages []string
}

// maxRounds limits how often the notes of a patient are searched for originals, the values that are replaced elsewhere. A
// round that finds something requires another, because the values that it finds are originals, too.
const maxRounds = 8

// Notes finds the PHI in notes and replaces it. It returns one result per note, in the order of the notes, and does not
// change the notes. All notes of a patient must be in one call, so that equal values get consistent replacements, and the
// safety net, if there is one, finds the values of each note in the others.
//
// If the tagger fails on a note, the results of that note and of the notes next to it with the same Document.Patient have
// an error. If ctx is cancelled, all results that are not complete have the error of ctx.
func (d *Deidentifier) Notes(ctx context.Context, notes []Note) []Result {
	results := make([]Result, len(notes))
	notes = read(notes)
	d.tag(ctx, notes, results)
	d.eachPatient(notes, results, func(d *Deidentifier, group string, notes []Note, results []*Result) {
		if err := ctx.Err(); err != nil {
			for _, r := range results {
				*r = Result{Err: err}
			}
			return
		}
		d.patient(group, notes, results)
	})
	return results
}

// tag sets the Tagged spans of the results, or their errors.
func (d *Deidentifier) tag(ctx context.Context, notes []Note, results []Result) {
	if d.Tagger == nil {
		for i, n := range notes {
			results[i].Tagged = n.Spans
		}
		return
	}
	if len(notes) == 0 {
		return
	}
	var docs []*data.Document
	var at []int
	for i, n := range notes {
		switch n.Search {
		case Fully:
			docs, at = append(docs, &data.Document{ID: n.ID, Patient: n.Patient, Text: n.Text, Language: n.Language, Columns: n.Columns}), append(at, i)
		case Marked:
			results[i].Tagged = n.Spans
		}
	}
	languages, patients := d.languages(docs, func(k int) string { return notes[at[k]].group() })
	for k, l := range patients {
		if l != "" && d.TypesIn != nil {
			notes[at[k]].types = d.TypesIn(l)
		}
	}
	if d.Net != nil && d.Net.Expect != nil {
		go d.Net.Expect(slices.Compact(slices.Sorted(slices.Values(slices.Concat(languages...))))) // which takes as long as opening a model, when the first notes come
	}
	for k, i := range slices.Clone(at) {
		if n := notes[i]; n.Tags != "" && len(n.Columns) == 0 {
			text, _, _ := reading(n.Tags)
			docs, at = append(docs, &data.Document{ID: n.ID, Patient: n.Patient, Text: text, Language: docs[k].Language}), append(at, i)
		}
	}
	withTags := len(docs)
	for k, i := range at[:len(languages)] {
		if n := notes[i]; n.divided != "" && len(n.Columns) == 0 {
			docs, at = append(docs, &data.Document{ID: n.ID, Patient: n.Patient, Text: n.divided, Language: docs[k].Language}), append(at, i)
		}
	}
	found, errs := data.TagEach(ctx, d.Tagger, docs)
	for k, i := range at {
		if k < len(languages) {
			results[i].Tagged, results[i].Err, results[i].Languages = found[k], errs[k], languages[k]
			continue
		}
		more := notes[i].withoutDivided(found[k])
		if k < withTags {
			more = notes[i].withoutTags(func(string) []data.Span { return found[k] })
		}
		results[i].Err = cmp.Or(results[i].Err, errs[k])
		results[i].Tagged = united(notes[i].Text, results[i].Tagged, more)
	}
}

// languages returns the languages by whose models each document is examined. If those of a text are a guess, as of a heading or a number, and the patient's other
// texts tell one language, that becomes the Language of the document. If all texts of the patient are guesses, together they make one. For each guess, patients has
// that language of the patient, or "".
func (d *Deidentifier) languages(docs []*data.Document, group func(k int) string) (all [][]string, patients []string) {
	all, patients = make([][]string, len(docs)), make([]string, len(docs))
	guessed := make([]bool, len(docs))
	if d.Languages == nil {
		return all, patients
	}
	inParallel(cmp.Or(d.Workers, runtime.NumCPU()), len(docs), func(k int) { all[k], guessed[k] = d.Languages(docs[k].Text, docs[k].Language) })
	told, guesses := map[string][]string{}, map[string][]string{} // by patient: languages, and texts
	for k, doc := range docs {
		if p := group(k); !guessed[k] {
			told[p] = append(told[p], all[k]...)
		} else if p != "" {
			guesses[p] = append(guesses[p], doc.Text)
		}
	}
	for p := range told {
		slices.Sort(told[p])
		told[p] = slices.Compact(told[p])
	}
	together := map[string]string{}
	for p, texts := range guesses {
		if len(told[p]) == 0 && len(texts) > 1 {
			likely, _ := d.Languages(strings.Join(texts, "\n"), "")
			together[p] = likely[0]
		}
	}
	for k, doc := range docs {
		switch p := group(k); {
		case !guessed[k] || p == "" || doc.Language != "":
		case len(told[p]) == 1:
			doc.Language, patients[k] = told[p][0], told[p][0]
			all[k], _ = d.Languages(doc.Text, doc.Language)
		default:
			patients[k] = together[p]
		}
	}
	return all, patients
}

// eachPatient calls do with the notes and results of each patient, several patients at a time.
func (d *Deidentifier) eachPatient(notes []Note, results []Result, do func(d *Deidentifier, group string, notes []Note, results []*Result)) {
	type patient struct {
		notes   []Note
		results []*Result
	}
	var patients []*patient
	groups := map[string]*patient{}
	for i, n := range notes {
		p := groups[n.group()]
		if p == nil {
			p = &patient{}
			patients = append(patients, p)
			if n.group() != "" {
				groups[n.group()] = p
			}
		}
		p.notes, p.results = append(p.notes, n), append(p.results, &results[i])
	}
	inParallel(cmp.Or(d.Workers, runtime.NumCPU()), len(patients), func(i int) {
		p := patients[i]
		do(d.forPatient(p.notes), cmp.Or(p.notes[0].group(), p.notes[0].ID), p.notes, p.results)
	})
}

// forPatient returns d with the Replacer for the notes of a patient.
func (d *Deidentifier) forPatient(notes []Note) *Deidentifier {
	if d.ReplacerFor == nil {
		return d
	}
	texts := make([]string, len(notes))
	for i, n := range notes {
		texts[i] = n.Text
	}
	own := *d
	own.Replacer = d.ReplacerFor(texts)
	return &own
}

// group returns the key that the notes of a patient share, or "" if no other note has the same patient.
func (n Note) group() string {
	if n.Group != "" {
		return n.Group
	}
	return n.Patient
}

// inParallel calls do(0) to do(n-1), in up to workers goroutines, and returns when all calls have returned.
func inParallel(workers, n int, do func(i int)) {
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(workers, n) {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	all.Wait()
}

// patient de-identifies those notes of one patient that have no error.
func (d *Deidentifier) patient(group string, notes []Note, results []*Result) {
	found := d.find(notes, results)
	var docs []*data.Document
	var known []string
	spans := make([][]data.Span, len(notes))
	for i, n := range notes {
		if results[i].Err == nil {
			spans[i] = n.found(spansOf(found[i]))
			results[i].Tagged = spansAsWritten(n.substitutions, results[i].Tagged)
			docs = append(docs, &data.Document{ID: n.ID, Patient: n.Patient, Text: n.document().Text, Spans: spans[i], Columns: n.document().Columns})
			known = append(known, n.knownNames()...)
		}
	}
	slices.Sort(known)
	patient := d.replacer().Patient(group, docs, slices.Compact(known)...)
	for i, n := range notes {
		if r := results[i]; r.Err == nil {
			r.Clean, r.Changes, r.Err = patient.ReplaceAs(n.As, n.document(), spans[i])
		}
	}
}

func (d *Deidentifier) replacer() *replace.Replacer {
	if d.Replacer != nil {
		return d.Replacer
	}
	return byType()
}

// byType returns the default replacer.
var byType = sync.OnceValue(func() *replace.Replacer {
	r, err := replace.New(replace.Plan{}, replace.Options{})
	if err != nil {
		panic(err) // the plan is fixed
	}
	return r
})

// knownNames returns the names of persons among the known values.
func (n Note) knownNames() []string {
	var names []string
	for _, v := range n.Known {
		if v.Kind == safetynet.Name || v.Kind == safetynet.Clinician {
			names = append(names, v.Text)
		}
	}
	return names
}

// Tag implements data.Tagger. It returns the spans that Notes would replace or keep, for each document. If it fails
// on any document, it returns the joined errors of all documents and no spans. Without a Tagger it uses the documents' own
// Spans, which data.Tagger does not allow.
func (d *Deidentifier) Tag(ctx context.Context, docs []*data.Document) ([][]data.Span, error) {
	notes, results := make([]Note, len(docs)), make([]Result, len(docs))
	for i, doc := range docs {
		notes[i].Document = doc
	}
	notes = read(notes)
	d.tag(ctx, notes, results)
	spans := make([][]data.Span, len(docs))
	d.eachPatient(notes, results, func(d *Deidentifier, _ string, notes []Note, results []*Result) {
		for i, found := range d.find(notes, results) {
			results[i].Tagged = notes[i].found(spansOf(found))
		}
	})
	var failed []error
	for i, r := range results {
		spans[i] = r.Tagged
		failed = append(failed, r.Err)
	}
	if err := errors.Join(failed...); err != nil {
		return nil, err
	}
	return spans, nil
}
