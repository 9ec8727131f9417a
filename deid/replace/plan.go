package replace

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/surrogate"
)

// Kind is what stands in the place of a span.
type Kind string

// The kinds. Two values are the same, for numbered, hash and surrogate, if they
// differ but in case, accents or spaces, numbers if they do in separators, names if
// they do in the order of their parts, dates if they do in how they are written. Within
// a patient, numbered and surrogate know more: "Lund", "O. Lund" and "Lnud" are of the person who is
// "Oda Lund" elsewhere, and 3/4/71 is the April 3, 2071 of another note.
const (
	Tag       Kind = "tag"       // the type in brackets: [PATIENT]
	Numbered  Kind = "numbered"  // a number for each value of a patient: [PATIENT_1]
	Mask      Kind = "mask"      // * for each letter and digit; spaces and punctuation stay
	Redact    Kind = "redact"    // nothing
	Hash      Kind = "hash"      // 32 hexadecimal digits of an HMAC under the key: the same for a value wherever it stands
	Keep      Kind = "keep"      // what stood there
	Surrogate Kind = "surrogate" // an invented value of the same sort, see package surrogate; the tag where there is none
)

// Kinds lists them all.
func Kinds() []Kind {
	return []Kind{Tag, Numbered, Mask, Redact, Hash, Keep, Surrogate}
}

// ParseKind knows the names of Kinds.
func ParseKind(name string) (Kind, error) {
	if k := Kind(name); slices.Contains(Kinds(), k) {
		return k, nil
	}
	var names []string
	for _, k := range Kinds() {
		names = append(names, string(k))
	}
	return "", fmt.Errorf("no kind of replacement %q (have %s)", name, strings.Join(names, ", "))
}

// Plan says what stands in the place of each type.
type Plan struct {
	Default Kind            // of types that ByType does not name; empty means tag
	ByType  map[string]Kind // by the type's exact name
}

func (p Plan) kind(typ string) Kind {
	if k, ok := p.ByType[typ]; ok {
		return k
	}
	if p.Default == "" {
		return Tag
	}
	return p.Default
}

// KindOf is what stands in the place of a value. A type that the plan keeps, one by one, is kept only where
// the value has the form of the type: a record number that a tagger takes for a date is no date to keep.
func (r *Replacer) KindOf(typ, text string) Kind {
	kind := r.plan.kind(typ)
	if kind != Keep || r.plan.Default == Keep {
		return kind
	}
	if sort := r.SortOf(typ); sort != "" && !r.maker.HasForm(sort, text) {
		return r.plan.kind("")
	}
	return kind
}

// A Replacer puts something in the place of spans, by a plan. It is not
// changed by use: goroutines may share it, each with Patients of its own.
type Replacer struct {
	plan  Plan
	opt   Options
	maker *surrogate.Maker
	looks bool // the plan has a kind for which one value depends on others
}

// New checks plan and options.
func New(plan Plan, opt Options) (*Replacer, error) {
	kinds := []Kind{plan.kind("")}
	types := make([]string, 0, len(plan.ByType))
	for typ, k := range plan.ByType {
		types, kinds = append(types, typ), append(kinds, k)
	}
	slices.Sort(types)
	for _, typ := range types {
		if opt.Types != nil && !opt.Types.Has(typ) {
			return nil, fmt.Errorf("the plan names the type %q, which is not in the set %s", typ, opt.Types.Name)
		}
	}
	slices.Sort(kinds)
	for _, k := range kinds {
		if _, err := ParseKind(string(k)); err != nil {
			return nil, err
		}
		if (k == Hash || k == Surrogate) && len(opt.Key) < MinKey {
			return nil, fmt.Errorf("a key of %d bytes is too short for %s: at least %d are needed", len(opt.Key), k, MinKey)
		}
	}
	for _, typ := range slices.Sorted(maps.Keys(opt.Sorts)) {
		switch {
		case !slices.Contains(data.Sorts(), opt.Sorts[typ]):
			return nil, fmt.Errorf("the type %q is of no sort %q (have %v)", typ, opt.Sorts[typ], data.Sorts())
		case opt.Types != nil && !opt.Types.Has(typ):
			return nil, fmt.Errorf("a sort is given to the type %q, which is not in the set %s", typ, opt.Types.Name)
		}
	}
	if r := (&Replacer{plan: plan, opt: opt}); slices.Contains(kinds, Surrogate) && opt.Types != nil {
		for _, t := range opt.Types.Types {
			if r.SortOf(t.Name) == "" && plan.kind(t.Name) == Surrogate {
				return nil, fmt.Errorf("surrogates for the type %q: say in Sorts what its values are", t.Name)
			}
		}
	}
	if opt.Language == "" && opt.Types != nil {
		opt.Language = surrogate.Language(opt.Types.Language)
	}
	maker, err := surrogate.New(surrogate.Options{Key: opt.Key, Language: opt.Language, Lists: opt.Lists})
	if err != nil {
		return nil, err
	}
	looks := slices.Contains(kinds, Surrogate) || slices.Contains(kinds, Numbered)
	return &Replacer{plan: plan, opt: opt, maker: maker, looks: looks}, nil
}

// SortOf returns the sort of a type's values, or "" if it is unknown.
func (r *Replacer) SortOf(typ string) data.Sort {
	return cmp.Or(r.opt.Sorts[typ], r.opt.Types.Describe(typ).Sort)
}

// A Patient replaces the spans of the notes of one patient: what is consistent
// is consistent within it. It serves one goroutine at a time.
type Patient struct {
	*Replacer
	made    *surrogate.Patient
	numbers map[string]map[string]int // number of each value, by type
}

// Patient begins the notes of one patient, whose name is the group
// (data.Document.Group). The docs are all of the patient's notes, their Spans
// what is going to be replaced: with them numbers and surrogates depend on the
// set of notes alone, not on which of them is replaced first. A value that is in
// none of them is given what is left when Replace comes to it. Known are full names of persons, from
// elsewhere: with them Oda in one note and Mrs. Lund in another are one person.
func (r *Replacer) Patient(group string, docs []*data.Document, known ...string) *Patient {
	p := &Patient{Replacer: r, numbers: map[string]map[string]int{}}
	if !r.looks {
		return p
	}
	docs = slices.DeleteFunc(slices.Clone(docs), func(d *data.Document) bool { return d.Check() != nil }) // Replace is going to say it
	slices.SortStableFunc(docs, func(a, b *data.Document) int { return strings.Compare(a.ID, b.ID) })
	var mentions []surrogate.Mention
	for _, name := range known {
		mentions = append(mentions, surrogate.Mention{Sort: data.Person, Text: name, Aside: true})
	}
	for _, d := range docs {
		for _, s := range r.prune(d.Text, d.Spans) {
			sort := r.SortOf(s.Type)
			mentions = append(mentions, surrogate.Mention{
				Note: d.ID, Sort: sort, Text: d.Text[s.Start:s.End], Before: before(d.Text, s.Start), After: after(d.Text, s.End), Aside: r.KindOf(s.Type, d.Text[s.Start:s.End]) != Surrogate,
			})
		}
	}
	p.made = r.maker.Patient(group, mentions)
	for _, d := range docs {
		for _, s := range r.prune(d.Text, d.Spans) {
			if text := d.Text[s.Start:s.End]; r.KindOf(s.Type, text) == Numbered {
				p.number(s.Type, text)
			}
		}
	}
	return p
}

// before is the end of what stands before a span on its line: enough for a title, or a label.
func before(text string, at int) string {
	start := max(0, at-32)
	for start < at && !utf8.RuneStart(text[start]) {
		start++
	}
	line := text[start:at]
	return line[strings.LastIndexByte(line, '\n')+1:]
}

// after is the beginning of what stands after a span on its line: enough for ", her son," and a pronoun.
func after(text string, at int) string {
	end := min(len(text), at+64)
	for end > at && end < len(text) && !utf8.RuneStart(text[end]) {
		end--
	}
	line, _, _ := strings.Cut(text[at:end], "\n")
	return line
}

// Change says what stands in the place of one stretch of the old text.
type Change struct {
	Old  data.Span // in the text that was given: one span, or several that overlap, with the type and score of the longest
	New  data.Span // in the text that came out, with the same type and score; empty where nothing stands there
	Kind Kind
}

// Replace returns a new document in which the spans, given in any order, are replaced, and what was
// changed, in order. The Spans of the new document are where the replacements stand. Not one byte inside
// a span is copied, and every byte outside of all spans is. Spans that overlap are replaced as one, over
// all that they cover, with the type and score of the longest (of equals the first in reading order). A span whose kind is keep stays in the text and in the
// Spans of the new document, but not where it overlaps one of another kind:
// what the other covers is replaced.
func (p *Patient) Replace(doc *data.Document, spans []data.Span) (*data.Document, []Change, error) {
	if err := (&data.Document{ID: doc.ID, Text: doc.Text, Spans: spans}).Check(); err != nil {
		return nil, nil, err
	}
	var changes []Change
	out, err := rewrite(doc, p.prune(doc.Text, spans), func(s data.Span) (string, error) {
		changes = append(changes, Change{Old: s, Kind: p.KindOf(s.Type, doc.Text[s.Start:s.End])})
		return p.value(doc.ID, s.Type, doc.Text[s.Start:s.End])
	}, func(s data.Span) { changes[len(changes)-1].New = s })
	if err != nil {
		return nil, nil, err
	}
	return out, changes, nil
}

// prune joins spans that overlap, and leaves out those to keep that overlap others.
func (r *Replacer) prune(text string, spans []data.Span) []data.Span {
	var kept, rest []data.Span
	for _, s := range spans {
		if r.KindOf(s.Type, text[s.Start:s.End]) == Keep {
			kept = append(kept, s)
		} else {
			rest = append(rest, s)
		}
	}
	rest = data.Merge(rest)
	pruned := rest
	for _, k := range data.Flatten(kept) {
		if from, to := data.Overlapping(rest, k); from == to {
			pruned = append(pruned, k)
		}
	}
	data.SortSpans(pruned)
	return pruned
}

// value is what stands in the place of the text.
func (p *Patient) value(note, typ, text string) (string, error) {
	switch p.KindOf(typ, text) {
	case Tag:
		return "[" + typ + "]", nil
	case Numbered:
		return fmt.Sprintf("[%s_%d]", typ, p.number(typ, text)), nil
	case Mask:
		return mask(text), nil
	case Redact:
		return "", nil
	case Hash:
		sort := p.SortOf(typ)
		mac := hmac.New(sha256.New, p.opt.Key)
		mac.Write([]byte("lethe hash 1\x00" + p.maker.Identity(sort, text)))
		return hex.EncodeToString(mac.Sum(nil)[:16]), nil
	case Keep:
		return text, nil
	default:
		sort := p.SortOf(typ)
		made, ok, err := p.made.Replace(note, sort, text)
		if err == nil && !ok {
			made = "[" + typ + "]"
		}
		return made, err
	}
}

// number counts the values of a type from 1, in the order in which they come.
func (p *Patient) number(typ, text string) int {
	values := p.numbers[typ]
	if values == nil {
		values = map[string]int{}
		p.numbers[typ] = values
	}
	sort := p.SortOf(typ)
	key := p.made.Identity(sort, text)
	if values[key] == 0 {
		values[key] = len(values) + 1
	}
	return values[key]
}

// mask writes * for all but spaces and punctuation.
func mask(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsPunct(r) {
			return r
		}
		return '*'
	}, text)
}
