package models

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/lethe-deid/lethe/checkpoints"
	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/fold"
	"github.com/lethe-deid/lethe/data/language"
	"github.com/lethe-deid/lethe/data/tokenize"
	"github.com/lethe-deid/lethe/data/wordlists"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/recent"
	"github.com/lethe-deid/lethe/taggers/system"
)

// Auto is the name under which Open returns all models that come with the program as one,
// which applies to each part of a note the model of its language.
const Auto = "auto"

// maxForeign is the share of a note that may be in languages without a model. A note with
// more is an error.
const maxForeign = 0.3

// auto tags notes with the models of their languages.
type auto struct {
	taggers map[language.Language]data.Tagger
	// told returns the languages of a text, and what to try for one without enough function words; nil: all.
	told func(text string) decision
	// first returns the types of the model of the first language; nil: spans keep theirs.
	first func() (*data.TypeSet, error)
	// knows reports whether a network knows most words of a text, whatever its function words are; nil: none does.
	knows func(text string) bool
}

// A member of the model Auto is opened when the first note of its language comes, because
// opening takes longer than examining a note.
type member func() (*Model, error)

// openAuto returns a model of all models that come with the program. Their names are the languages.
func openAuto(workers int) (*Model, error) {
	m := &Model{Types: data.Any, Dir: bounded.Builtin("."), members: map[language.Language]member{}, decisions: recent.NewTexts(maxRecent, func(d decision) int { return 1 + len(d.parts) })}
	m.vocabularies = sync.OnceValues(func() (*vocabularies, error) { return readVocabularies(checkpoints.Builtin()) })
	for _, name := range checkpoints.Builtin() {
		m.members[language.Language(name)] = sync.OnceValues(func() (*Model, error) { return Open(name, workers) })
	}
	if len(m.members) == 0 {
		return nil, errors.New("this program was built without models of its own: give --model the folder of one")
	}
	m.Tagger = m.each(func(member *Model) (data.Tagger, error) { return member.Tagger, nil })
	return m, nil
}

// each returns a tagger that uses a tagger of each member.
func (m *Model) each(tagger func(*Model) (data.Tagger, error)) data.Tagger {
	all := auto{
		taggers: map[language.Language]data.Tagger{},
		told:    m.told,
		first:   sync.OnceValues(func() (*data.TypeSet, error) { return typesOf(slices.Min(slices.Collect(maps.Keys(m.members)))) }),
		knows:   m.knows,
	}
	for l, open := range m.members {
		all.taggers[l] = lazy(sync.OnceValues(func() (data.Tagger, error) {
			member, err := open()
			if err != nil {
				return nil, err
			}
			return tagger(member)
		}))
	}
	return all
}

// typesOf returns the types of the model of a language.
func typesOf(l language.Language) (*data.TypeSet, error) {
	return system.TypesOf(bounded.Builtin(string(l)))
}

// lazy is a tagger that is opened when it is first used.
type lazy func() (data.Tagger, error)

// Tag implements data.Tagger.
func (l lazy) Tag(ctx context.Context, docs []*data.Document) ([][]data.Span, error) {
	tagger, err := l()
	if err != nil {
		return nil, err
	}
	return tagger.Tag(ctx, docs)
}

// FoundTypes lists the types that the model finds, sorted by name. Unlike Types, it lists them also for Auto.
func (m *Model) FoundTypes() []data.Type {
	all := slices.Clone(m.Types.Types)
	for l := range m.members {
		if types, err := typesOf(l); err == nil {
			all = append(all, types.Types...)
		}
	}
	slices.SortStableFunc(all, func(a, b data.Type) int { return cmp.Compare(a.Name, b.Name) })
	return slices.CompactFunc(all, func(a, b data.Type) bool { return a.Name == b.Name })
}

// Accepted returns the set of the types that a user of the model can name, for example in rules: Types, or for Auto, whose Types
// are open, those of its members.
func (m *Model) Accepted() (*data.TypeSet, error) {
	if m.members == nil {
		return m.Types, nil
	}
	var sets []*data.TypeSet
	for _, l := range slices.Sorted(maps.Keys(m.members)) {
		types, err := typesOf(l)
		if err != nil {
			return nil, err
		}
		sets = append(sets, types)
	}
	return data.AnyOf(sets...), nil
}

// Languages returns the languages whose models examine a note, sorted. It returns nil unless
// the model is Auto.
func (m *Model) Languages(text string) []string {
	all, _ := m.Told(text, "")
	return all
}

// Told returns Languages, and whether these are a guess, because the text has too few function words to tell. With the language that the patient's other texts tell,
// or "", it returns those whose models examine the text then.
func (m *Model) Told(text, other string) (all []string, guessed bool) {
	if m.members == nil {
		return nil, false
	}
	d := m.told(text)
	languages := d.languages
	if d.guessed {
		languages = guided(languages, text, language.Language(other))
	}
	for _, l := range languages {
		all = append(all, string(l))
	}
	return all, d.guessed
}

// decision is which models examine a note.
type decision struct {
	parts     []language.Part
	languages []language.Language // sorted
	guessed   bool                // not told by function words
	american  bool                // the guess is due to an American town or label
	err       error               // why it could not be guessed
}

// maxRecent bounds the parts of the notes whose decisions are remembered, together with the number of these notes.
const maxRecent = 1 << 13

// told returns which models examine a note.
func (m *Model) told(text string) decision {
	return m.decisions.Get(text, func() decision { return m.decide(text) })
}

// decide is told for a note that is not remembered.
func (m *Model) decide(text string) decision {
	d := decide(m.members, text)
	if !strings.ContainsFunc(text, unicode.IsLetter) || len(d.parts) == 1 && d.parts[0].Language == language.English {
		return d
	}
	vocabularies, err := m.vocabularies()
	if err != nil {
		d.err = err // which tagging returns
		return d
	}
	if d.guessed {
		d.languages = vocabularies.likeliest(text, clearly)
		d.languages, d.american = vocabularies.withAmerican(text, d.languages)
		return d
	}
	told := d.languages
	d.languages = nil
	for i, p := range d.parts {
		_, ours := m.members[p.Language]
		if !ours && p.Language != language.Undecided {
			continue
		}
		likeliest := []language.Language{p.Language}
		if p.Language != language.English { // function words of Spanish may be parts of names, as in "de los Santos"; hardly any of English are
			likeliest = vocabularies.likeliest(text[p.Start:p.End], against)
		}
		switch {
		case ours && slices.Contains(likeliest, p.Language):
			likeliest = []language.Language{p.Language}
		case ours:
			d.parts[i].Language = language.Undecided
			d.guessed = len(d.parts) == 1
		case len(likeliest) == 1 && slices.Contains(told, likeliest[0]):
			d.parts[i].Language = likeliest[0]
		case len(likeliest) > 1: // the models of the other parts examine it
			continue
		}
		d.languages = append(d.languages, likeliest...)
	}
	slices.Sort(d.languages)
	d.languages = slices.Compact(d.languages)
	return d
}

// decide returns the languages that have a model among those of a text, or all of them if there are none.
func decide[V any](models map[language.Language]V, text string) decision {
	parts := language.Parts(text)
	known := languagesOf(models, parts)
	if len(known) > 0 {
		return decision{parts: parts, languages: known}
	}
	return decision{parts: parts, languages: slices.Sorted(maps.Keys(models)), guessed: true}
}

// languagesOf returns the languages of the parts that have a model, sorted.
func languagesOf[V any](models map[language.Language]V, parts []language.Part) []language.Language {
	var known []language.Language
	for _, p := range parts {
		if _, ok := models[p.Language]; ok {
			known = append(known, p.Language)
		}
	}
	slices.Sort(known)
	return slices.Compact(known)
}

// knows reports whether a network knows most words of a text.
func (m *Model) knows(text string) bool {
	vocabularies, err := m.vocabularies()
	return err == nil && vocabularies.knows(text)
}

// foreign returns an error if too much of a note is in languages without a model.
func (a auto) foreign(text string, parts []language.Part) error {
	bytes := map[language.Language]int{}
	total := 0
	for _, p := range parts {
		if _, ok := a.taggers[p.Language]; !ok && p.Language != language.Undecided {
			bytes[p.Language] += p.End - p.Start
			total += p.End - p.Start
		}
	}
	if float64(total) <= maxForeign*float64(len(text)) || a.knows != nil && a.knows(text) {
		return nil
	}
	return fmt.Errorf("the language seems to be %s, and there are models for %s only", names(bytes), names(a.taggers))
}

// names joins the keys of a map, sorted.
func names[V any](of map[language.Language]V) string {
	var all []string
	for _, l := range slices.Sorted(maps.Keys(of)) {
		all = append(all, string(l))
	}
	return strings.Join(all, " and ")
}

// Tag implements data.Tagger. In a note in several languages, each model's spans count in the
// parts of its language; where no language is known, the spans of all models count. If the whole
// note is a few words that may be in any language, and without a digit, ordinary words and
// abbreviations count only if all models find them; of an American town, so does its state. The spans of such a note have the types of the
// first language, so that a telephone number by itself has one type, whichever model finds it.
// The Language of a document guides the guess.
func (a auto) Tag(ctx context.Context, docs []*data.Document) ([][]data.Span, error) {
	parts := make([][]language.Part, len(docs))
	minor := make([]func(string) bool, len(docs)) // what all models must find; nil: nothing
	open := make([]bool, len(docs))               // whether the text may be in any language
	of := map[language.Language][]int{}           // the documents that each model examines
	for i, d := range docs {
		is := a.decide(d.Text)
		parts[i] = is.parts
		if err := cmp.Or(a.foreign(d.Text, parts[i]), is.err); err != nil {
			return nil, err
		}
		known := is.languages
		if is.guessed {
			told := language.Language(d.Language)
			if _, ok := a.taggers[told]; !ok {
				told = ""
			}
			known = guided(known, d.Text, told)
			open[i] = len(known) > 1
			switch {
			case open[i] && is.american: // a name, which a model may not know
				minor[i] = noTown(d.Text)
			case open[i] && !hasDigit(d.Text):
				minor[i] = isTerm
			}
		}
		for _, l := range known {
			of[l] = append(of[l], i)
		}
	}
	found := make([][]data.Span, len(docs))
	for _, l := range slices.Sorted(maps.Keys(of)) {
		some := make([]*data.Document, len(of[l]))
		for k, i := range of[l] {
			some[k] = docs[i]
		}
		spans, err := a.taggers[l].Tag(ctx, some)
		if err != nil {
			return nil, err
		}
		for k, i := range of[l] {
			for _, s := range spans[k] {
				if a.counts(parts[i], s, l) {
					found[i] = append(found[i], s)
				}
			}
		}
	}
	for i := range found {
		if minor[i] != nil {
			found[i] = agreed(docs[i].Text, found[i], minor[i])
		}
		found[i] = disjoint(found[i])
		if open[i] {
			if err := a.unify(found[i]); err != nil {
				return nil, err
			}
		}
	}
	return found, nil
}

// unify gives spans the corresponding types of the model of the first language, where it has one.
func (a auto) unify(spans []data.Span) error {
	if a.first == nil || len(spans) == 0 {
		return nil
	}
	types, err := a.first()
	if err != nil {
		return err
	}
	for i, s := range spans {
		spans[i].Type = cmp.Or(types.Counterpart(s.Type), s.Type)
	}
	return nil
}

// decide returns the languages of a text.
func (a auto) decide(text string) decision {
	if a.told != nil {
		return a.told(text)
	}
	return decide(a.taggers, text)
}

// counts reports whether a span of the model of a language counts: it overlaps a part of this
// language, or one in no language that has a model. The parts are in the order of the text.
func (a auto) counts(parts []language.Part, s data.Span, l language.Language) bool {
	first, _ := slices.BinarySearchFunc(parts, s.Start, func(p language.Part, at int) int { return cmp.Compare(p.End, at+1) })
	for _, p := range parts[first:] {
		if p.Start >= s.End {
			break
		}
		if _, known := a.taggers[p.Language]; p.Language == l || !known {
			return true
		}
	}
	return false
}

// guided returns the languages whose models examine a text without enough function words, from the guess and the language that the patient's other texts tell, if
// any. Where the guess is open, a text with digits is in the latter: they are the same in any language. Otherwise names decide, which may be of another language.
func guided(guess []language.Language, text string, told language.Language) []language.Language {
	switch {
	case told == "" || len(guess) == 1 && guess[0] == told:
		return guess
	case len(guess) > 1 && hasDigit(text):
		return []language.Language{told}
	}
	both := append(slices.Clone(guess), told)
	slices.Sort(both)
	return slices.Compact(both)
}

func hasDigit(text string) bool { return strings.ContainsFunc(text, unicode.IsDigit) }

// agreed returns the spans of several models without minor ones of a single model, such as ordinary words. They become sorted.
func agreed(text string, spans []data.Span, minor func(string) bool) []data.Span {
	data.SortSpans(spans)
	var counted []data.Span
	end := 0 // of the spans so far
	for i, s := range spans {
		overlaps := s.Start < end || i+1 < len(spans) && spans[i+1].Start < s.End
		if overlaps || !minor(text[s.Start:s.End]) {
			counted = append(counted, s)
		}
		end = max(end, s.End)
	}
	return counted
}

// isTerm reports whether all words of a text are ordinary words, drugs and the like, or abbreviations: two to five capitals, or letters without a vowel.
func isTerm(text string) bool {
	for _, token := range (tokenize.LettersDigits{}).Tokens(text, nil) {
		word := text[token.Start:token.End]
		folded := fold.Fold(word)
		short := len(word) <= 5 && strings.ToUpper(word) == word
		if !short && strings.ContainsAny(folded, "aeiou") && !wordlists.Common(folded) {
			return false
		}
	}
	return true
}

// disjoint sorts spans and merges those that overlap. A merged span has the type and score of
// the longest.
func disjoint(spans []data.Span) []data.Span {
	data.SortSpans(spans)
	var out []data.Span
	longest := 0
	for _, s := range spans {
		last := len(out) - 1
		if last < 0 || s.Start >= out[last].End {
			out, longest = append(out, s), s.End-s.Start
			continue
		}
		if n := s.End - s.Start; n > longest {
			out[last].Type, out[last].Score, longest = s.Type, s.Score, n
		}
		out[last].End = max(out[last].End, s.End)
	}
	return out
}
