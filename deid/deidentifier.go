// Package deid finds protected health information (PHI) in notes and replaces it.
//
//	model, err := models.Open("model/best", 0)
//	...
//	d := &deid.Deidentifier{Tagger: model}
//	for _, r := range d.Notes(ctx, []deid.Note{{Document: &data.Document{ID: "1", Text: text}}}) {
//		if r.Err != nil {
//			return r.Err
//		}
//		fmt.Println(r.Clean.Text)
//	}
//
// Package replace chooses the replacements, and package safetynet finds PHI that a tagger has missed. To de-identify files
// and folders, as "lethe deidentify" does, use package job.
package deid

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/replace"
	"github.com/lethe-deid/lethe/deid/safetynet"
)

// A Deidentifier finds the PHI in notes and replaces it. The zero value replaces each of the notes' own Spans with its type
// in brackets. A Deidentifier searches the original text only, never text with replacements in it. It is safe for
// concurrent use if its Tagger is.
//
// PHI comes from these sources:
//
//   - the Tagger; its spans are extended to whole tokens, unless Exact is true
//   - Rules and Deny, which the user supplies
//   - the safety net: values whose form is typical of PHI (Net.Formulaic), known values of the patient
//     (Note.Known), and values that are replaced elsewhere in the patient's notes
//
// Overlapping spans are replaced as a single span, which covers all of them and has the type of the longest. A span that
// the Replacer keeps in the text, or of which it leaves a part there, such as the year of a date, decides the type only if
// none of the overlapping spans leaves less.
type Deidentifier struct {
	Tagger   data.Tagger       // nil means that the notes' own Spans are used
	Exact    bool              // whether the spans of the Tagger or of the notes are used as they are, not extended to whole tokens
	Replacer *replace.Replacer // nil means that each value is replaced with its type in brackets, as in [PATIENT]
	// ReplacerFor chooses the Replacer for the notes of a patient, such as one for their language; nil means Replacer for all.
	ReplacerFor func(texts []string) *replace.Replacer
	// Languages returns the languages by whose models a Tagger for several languages examines a text, and whether these are a guess. Other is the language that the
	// patient's other texts tell, or "". Nil means that the Tagger is not for several.
	Languages func(text, other string) (all []string, guessed bool)
	// TypesIn returns the types of the notes in a language. Those of the language of a patient's notes are given to values in notes whose own language is a guess, so
	// that a value has one type in all notes of a patient. It may return nil, and may be nil.
	TypesIn func(language string) *data.TypeSet
	Net     *safetynet.Net                // nil means no safety net; then Note.Known only makes the replacements consistent
	Rules   func(text string) []data.Span // the user's own rules, for any type, called by several goroutines at a time; nil means none
	// Correct changes what Tagger and the rules of Net find by the user's own corrections. Several goroutines call it at a time; nil means none.
	Correct func(text string, spans []data.Span) []data.Span
	Deny    *safetynet.Phrases // phrases that are always PHI; nil means none
	Allow   *safetynet.Phrases // phrases that are not PHI unless Rules, Deny or known values match them; nil means none
	Workers int                // number of patients to process at the same time; 0 means one per core
}

// found is a span of PHI. If it overlaps others, its length, rank and remains decide whether the merged span
// gets its type: see join.
type found struct {
	data.Span
	rank    rank
	remains replace.Extent // how much of the value the replacement plan leaves in the text
}

// rank decides between the types of overlapping spans of the same length: the highest rank wins.
type rank int

const (
	byTagger rank = iota
	byForm
	byOriginal
	byUser
	byKnown
)

func spansOf(all []found) []data.Span {
	spans := make([]data.Span, len(all))
	for i, f := range all {
		spans[i] = f.Span
	}
	return spans
}

// going returns the spans of which less than the whole stays in the text. A span that stays is searched like the text around
// it: the tagger may have mistaken the patient's name Georgia for the state.
func going(all []found) []data.Span {
	return selected(all, func(f found) bool { return f.remains != replace.Whole })
}

// named returns the spans that going returns, and those of persons that stay because the plan keeps clinicians.
func (d *Deidentifier) named(all []found) []data.Span {
	return selected(all, func(f found) bool { return f.remains != replace.Whole || d.sort(f.Type) == data.Person })
}

func selected(all []found, counts func(found) bool) []data.Span {
	spans := make([]data.Span, 0, len(all))
	for _, f := range all {
		if counts(f) {
			spans = append(spans, f.Span)
		}
	}
	return spans
}

// find returns all PHI in each note of a patient. It skips notes whose result already has an error, and reports an error
// if the tagger's spans do not fit the note.
func (d *Deidentifier) find(notes []Note, results []*Result) [][]found {
	all := make([][]found, len(notes))
	for i, n := range notes {
		r := results[i]
		if r.Err != nil {
			continue
		}
		n.Document = &data.Document{ID: n.ID, Patient: n.Patient, Text: n.Text, Spans: r.Tagged}
		if r.Err = n.Check(); r.Err == nil {
			r.Found = map[safetynet.Source]map[string]int{}
			all[i] = d.inNote(n, r)
		}
	}
	if d.Net != nil {
		d.findAgain(notes, results, all)
		d.retypeShortNames(notes, results, all)
	}
	for i, n := range notes {
		if results[i].Err != nil {
			continue
		}
		d.inTypes(n, results[i], all[i])
		if n.Search != Marked {
			all[i] = d.withoutKin(n.Text, all[i])
		}
	}
	return all
}

// findAgain adds to the PHI in each note of a patient what is PHI because of the other PHI in them.
func (d *Deidentifier) findAgain(notes []Note, results []*Result, all [][]found) {
	d.likeDates(notes, results, all)
	for range maxRounds {
		originals := d.Net.Originals(removed(notes, all))
		again := false
		for i, n := range notes {
			if results[i].Err != nil || n.Search == Marked {
				continue
			}
			more := d.permitted(n.Text, d.place(n.Text, originals.Find(n.Text, going(all[i])), byOriginal))
			if len(more) > 0 {
				again = true
				all[i] = d.join(results[i], n.Text, all[i], more, safetynet.Original)
			}
		}
		if !again {
			return
		}
	}
}

// likeDates adds to the PHI of each note of a patient the days and months without a year that are dates because others are.
func (d *Deidentifier) likeDates(notes []Note, results []*Result, all [][]found) {
	texts, dates := make([]string, len(notes)), make([][]data.Span, len(notes))
	for i, n := range notes {
		if results[i].Err != nil {
			continue
		}
		texts[i] = n.Text
		for _, f := range all[i] {
			if f.remains != replace.Whole && d.sort(f.Type) == data.Date {
				dates[i] = append(dates[i], f.Span)
			}
		}
	}
	dated := safetynet.NewDated(texts, dates)
	for i, n := range notes {
		if results[i].Err != nil || n.Search == Marked {
			continue
		}
		language := d.Net.Language(n.Text)
		more := dated.Like(i, n.Text, language, spansOf(all[i]))
		if language != "es" { // where the day comes first
			for _, s := range dates[i] {
				more = append(more, safetynet.DaysAfter(n.Text, s)...)
			}
			more = data.Flatten(more)
		}
		if len(more) > 0 && d.Net.Correct != nil {
			more = d.Net.Correct(n.Text, more)
		}
		if len(more) > 0 && d.Correct != nil {
			more = d.Correct(n.Text, more)
		}
		all[i] = d.join(results[i], n.Text, all[i], d.permitted(n.Text, d.place(n.Text, more, byOriginal)), safetynet.Original)
	}
}

// inNote finds the PHI in a note, except values that are PHI only because they are replaced elsewhere.
func (d *Deidentifier) inNote(n Note, r *Result) []found {
	text := n.Text
	spans := n.Spans
	if n.Search == Marked {
		all := d.add(text, spans, byKnown)
		if n.As == "" {
			return join(all, d.remains(text))
		}
		for i := range all {
			all[i].remains = replace.Nothing
		}
		return join(all, func(data.Span) replace.Extent { return replace.Nothing })
	}
	if d.Net != nil && d.Net.Correct != nil && !d.Exact {
		spans = d.Net.Correct(text, spans)
	}
	if d.Correct != nil {
		spans = d.Correct(text, spans)
	}
	if !d.Exact {
		spans = whole(text, spans, d.sort)
	}
	all := join(d.permitted(text, d.place(text, spans, byTagger)), d.remains(text))
	if d.Rules != nil {
		all = d.join(r, text, all, d.place(text, d.Rules(text), byUser), safetynet.Rule)
	}
	all = d.join(r, text, all, d.denied(text), safetynet.Denied)
	if d.Net == nil {
		return all
	}
	if d.Net.Formulaic != nil {
		formulaic := slices.DeleteFunc(d.Net.Formulaic(text), func(s data.Span) bool { return isPublic(text, s, d.sort(s.Type)) })
		formulaic = safetynet.WithoutGuesses(datesWithoutValues(text, formulaic, d.sort), d.named(all), d.sort)
		if d.Correct != nil {
			formulaic = d.Correct(text, data.Disjoint(formulaic))
		}
		all = d.join(r, text, all, d.permitted(text, d.place(text, formulaic, byForm)), safetynet.Formulaic)
	}
	if !d.Exact {
		all = d.visibly(text, all)
	}
	if len(n.Known) == 0 {
		return all
	}
	known := d.Net.Known(n.Known)
	everywhere := known.Find(text, nil)
	if n.Tags != "" {
		everywhere = united(text, everywhere, n.withoutTags(func(tags string) []data.Span { return known.Find(tags, nil) }))
	}
	certain := everywhere
	if guessed := func(v safetynet.Value) bool { return v.Guessed }; slices.ContainsFunc(n.Known, guessed) {
		certain = d.Net.Known(slices.DeleteFunc(slices.Clone(n.Known), guessed)).Find(text, nil)
	}
	all = d.retype(text, all, certain)
	return d.join(r, text, all, slices.DeleteFunc(d.place(text, everywhere, byKnown), settled(text, all)), safetynet.Known)
}

// settled returns a function that reports whether a known value lies in spans whose type retype has decided, and of which nothing stays that
// should go with the value. Of a date or a ZIP code of which a part stays, that part consists of digits.
func settled(text string, all []found) func(known found) bool {
	leaving := going(all)
	var gone []data.Span
	for _, f := range all {
		if f.remains == replace.Nothing {
			gone = append(gone, f.Span)
		}
	}
	return func(known found) bool {
		if known.remains == replace.Nothing && strings.ContainsFunc(text[known.Start:known.End], unicode.IsDigit) {
			return data.Covered(known.Span, gone)
		}
		return data.Covered(known.Span, leaving)
	}
}

// place is add for spans whose boundaries may be within placeholders, and which may run over several cells of a table.
func (d *Deidentifier) place(text string, spans []data.Span, rank rank) []found {
	if d.Exact && rank == byTagger {
		return d.add(text, spans, rank)
	}
	if rank != byUser {
		spans = slices.DeleteFunc(byCell(text, outsidePlaceholders(text, spans), d.sort), func(s data.Span) bool { return isConjunction(text, s, d.sort(s.Type)) })
	}
	return d.add(text, spans, rank)
}

// add returns spans with a rank and with how much of them the plan leaves in the text.
func (d *Deidentifier) add(text string, spans []data.Span, rank rank) []found {
	all, remains := make([]found, len(spans)), d.remains(text)
	for i, s := range spans {
		all[i] = found{s, rank, remains(s)}
	}
	return all
}

// denied returns the phrases of Deny. One of a type that stays in the text, as a whole or in part, becomes one of the type of entries
// without a type, because these phrases are always replaced.
func (d *Deidentifier) denied(text string) []found {
	all := d.place(text, d.Deny.Find(text), byUser)
	for i, f := range all {
		if f.remains == replace.Nothing {
			continue
		}
		f.Type = d.Deny.Other
		all[i] = d.add(text, []data.Span{f.Span}, byUser)[0]
	}
	return all
}

// remains returns a function that tells how much of a span the plan leaves in the text.
func (d *Deidentifier) remains(text string) func(data.Span) replace.Extent {
	if d.Replacer == nil {
		return func(data.Span) replace.Extent { return replace.Nothing }
	}
	return func(s data.Span) replace.Extent { return d.Replacer.Remains(text, s) }
}

// permitted returns all spans except those inside a phrase of Allow. A phrase that has a type applies only to spans of that
// type.
func (d *Deidentifier) permitted(text string, all []found) []found {
	if d.Allow == nil {
		return all
	}
	allowed := d.Allow.Find(text)
	return slices.DeleteFunc(all, func(f found) bool {
		from, to := data.Overlapping(allowed, f.Span)
		return from < to && allowed[from].Start <= f.Start && f.End <= allowed[from].End && (allowed[from].Type == "" || allowed[from].Type == f.Type)
	})
}

// removed lists the values that are replaced in the notes, without those that are kept.
func removed(notes []Note, all [][]found) []safetynet.Removed {
	var removed []safetynet.Removed
	for i, n := range notes {
		for _, f := range all[i] {
			if f.remains != replace.Whole {
				removed = append(removed, safetynet.Removed{Text: n.Text[f.Start:f.End], Type: f.Type})
			}
		}
	}
	return removed
}

// join returns the spans in the slices all and more, merged. It counts in r.Found each new span that will be replaced and that
// covers a letter or a digit that no span of the slice all covers, except spans that stay in the text.
func (d *Deidentifier) join(r *Result, text string, all, more []found, source safetynet.Source) []found {
	if len(more) == 0 {
		return all
	}
	before := going(all)
	for _, f := range join(more, d.remains(text)) {
		if f.remains != replace.Whole && slices.ContainsFunc(data.Subtract(f.Span, before), func(s data.Span) bool { return hasWord(text[s.Start:s.End]) }) {
			if r.Found[source] == nil {
				r.Found[source] = map[string]int{}
			}
			r.Found[source][f.Type]++
		}
	}
	return join(append(all, more...), d.remains(text))
}

// join merges overlapping spans. A merged span has the type and score of the longest of them; among spans of the same
// length, the highest rank decides. But a span of which more stays in the text decides only if there is none of which less
// stays. The result is sorted and disjoint. The function remains tells how much of a span stays in the text.
func join(all []found, remains func(data.Span) replace.Extent) []found {
	slices.SortStableFunc(all, func(a, b found) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End), cmp.Compare(b.rank, a.rank), cmp.Compare(a.Type, b.Type))
	})
	out := make([]found, 0, len(all))
	for len(all) > 0 {
		n, end := 1, all[0].End
		for ; n < len(all) && all[n].Start < end; n++ {
			end = max(end, all[n].End)
		}
		out = append(out, merged(all[:n], end, remains))
		all = all[n:]
	}
	return out
}

// merged returns the span that covers sorted spans, which overlap and end at end. More of it may stay in the text than of the span that
// decides its type: with a policy that keeps cities, a name marked as a city goes, but not within the longer name of a city. Then a
// type decides of which no more stays, if any of the spans has one.
func merged(all []found, end int, remains func(data.Span) replace.Extent) found {
	whole := func(f found) found {
		if f.Start != all[0].Start || f.End != end {
			f.Start, f.End = all[0].Start, end
			f.remains = remains(f.Span)
		}
		return f
	}
	best := all[0]
	for _, f := range all[1:] {
		if f.above(best) {
			best = f
		}
	}
	out, ok := whole(best), found{}
	if out.remains <= best.remains {
		return out
	}
	for _, f := range all {
		if m := whole(f); m.remains <= best.remains && (ok.Type == "" || f.above(ok)) {
			out, ok = m, f
		}
	}
	return out
}

// above reports whether f rather than other decides the type of the merged span. The span of which less stays in the text
// wins.
func (f found) above(other found) bool {
	if f.remains != other.remains {
		return f.remains < other.remains
	}
	longer := (f.End - f.Start) - (other.End - other.Start)
	return longer > 0 || longer == 0 && f.rank > other.rank
}

// sort returns the sort of a type's values, or "" if it is unknown.
func (d *Deidentifier) sort(typ string) data.Sort {
	if d.Replacer != nil {
		return d.Replacer.SortOf(typ)
	}
	var types *data.TypeSet
	if d.Net != nil {
		types = d.Net.Types
	}
	return types.SortOf(typ)
}
