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

// Kind is a kind of replacement.
type Kind string

// Numbered and Hash replace equal values with the same text, and Surrogate replaces them with the same invented value, in
// the form of each original. Two values are equal if they differ only in case, accents or spaces. Numbers may also differ
// in their separators, names in the order of their parts, and dates in their notation.
//
// Numbered and Surrogate recognize more values of the same patient as equal: "Lund", "O. Lund" and "Lnud" belong to the
// person who is "Oda Lund" elsewhere, and 3/4/71 is the same as April 3, 2071 in another note.
const (
	Tag       Kind = "tag"       // the type in brackets: [PATIENT]
	Numbered  Kind = "numbered"  // the type and a number per patient and value, from 1: [PATIENT_1]
	Mask      Kind = "mask"      // the text with * instead of each character except spaces and punctuation
	Redact    Kind = "redact"    // nothing
	Hash      Kind = "hash"      // 32 hexadecimal digits of an HMAC-SHA256 under the key, the same for all patients
	Keep      Kind = "keep"      // the original text
	Surrogate Kind = "surrogate" // an invented value of the same sort (package surrogate), or the tag if that is not possible
)

// Kinds returns all kinds.
func Kinds() []Kind {
	return []Kind{Tag, Numbered, Mask, Redact, Hash, Keep, Surrogate}
}

// ParseKind returns the kind with the given name. The error for an unknown name lists all kinds.
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

// Plan chooses the kind of replacement for each type. The zero value replaces all spans with tags.
type Plan struct {
	Default Kind            // kind for types that ByType does not contain; empty means Tag
	ByType  map[string]Kind // kinds by the exact name of the type; may be nil
}

// kind returns the kind for a type.
func (p Plan) kind(typ string) Kind {
	if k, ok := p.ByType[typ]; ok {
		return k
	}
	if p.Default == "" {
		return Tag
	}
	return p.Default
}

// KindOf returns the kind of replacement for a value. A value of a type for which Plan.ByType has Keep is kept only if it
// has a form that is usual for the type, and otherwise gets the Default: the tagger may have mistaken a record number
// for a date. All values of the type are kept if its sort is unknown, or if Keep is the Default, too.
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

// A Replacer replaces spans according to a plan. Create it with New. It is safe for concurrent use.
type Replacer struct {
	plan  Plan
	opt   Options
	maker *surrogate.Maker
	looks bool // the plan has a kind for which a replacement depends on the patient's other values
}

// New returns a Replacer. It is an error if plan or options name an unknown kind, sort, language or list, or a type that
// is not in opt.Types; if the key is too short for the plan; or if the plan has Surrogate for a type in opt.Types
// whose sort is unknown.
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
			return nil, fmt.Errorf("a key of %d bytes is too short for %s: at least %d are required", len(opt.Key), k, MinKey)
		}
	}
	for _, typ := range slices.Sorted(maps.Keys(opt.Sorts)) {
		switch {
		case !slices.Contains(data.Sorts(), opt.Sorts[typ]):
			return nil, fmt.Errorf("unknown sort %q for the type %q (have %v)", opt.Sorts[typ], typ, data.Sorts())
		case opt.Types != nil && !opt.Types.Has(typ):
			return nil, fmt.Errorf("sorts contains the type %q, which is not in the set %s", typ, opt.Types.Name)
		}
	}
	if r := (&Replacer{plan: plan, opt: opt}); slices.Contains(kinds, Surrogate) && opt.Types != nil {
		for _, t := range opt.Types.Types {
			if r.SortOf(t.Name) == "" && plan.kind(t.Name) == Surrogate {
				return nil, fmt.Errorf("surrogates for the type %q require its sort: add it to sorts", t.Name)
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

// A Patient replaces spans in the notes of one patient, so that equal values get the same replacement. Create it with
// Replacer.Patient. It is not safe for concurrent use.
type Patient struct {
	replacer *Replacer
	made     *surrogate.Patient
	numbers  map[string]map[string]int // type -> identity of a value -> its number, from 1
}

// Patient returns a Patient. group identifies the patient (data.Document.Group).
//
// docs lists all notes of the patient, with the spans to replace as their Spans. They determine the numbers and surrogates,
// so that these do not depend on the order of the calls to Replace. Replace also accepts values that are not in docs; they
// get the numbers and surrogates that are left.
//
// known lists full names of persons, for example from the patient's record. With them, Oda in one note and Mrs. Lund in
// another are recognized as the same person.
func (r *Replacer) Patient(group string, docs []*data.Document, known ...string) *Patient {
	p := &Patient{replacer: r, numbers: map[string]map[string]int{}}
	if !r.looks {
		return p
	}
	docs = slices.DeleteFunc(slices.Clone(docs), func(d *data.Document) bool { return d.Check() != nil }) // Replace reports the error
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

// before returns up to 32 bytes before a span on the same line: enough for a title or a label.
func before(text string, at int) string {
	start := max(0, at-32)
	for start < at && !utf8.RuneStart(text[start]) {
		start++
	}
	line := text[start:at]
	return line[strings.LastIndexByte(line, '\n')+1:]
}

// after returns up to 64 bytes after a span on the same line: enough for ", her son," and a pronoun.
func after(text string, at int) string {
	end := min(len(text), at+64)
	for end > at && end < len(text) && !utf8.RuneStart(text[end]) {
		end--
	}
	line, _, _ := strings.Cut(text[at:end], "\n")
	return line
}

// Change is one replacement.
type Change struct {
	Old  data.Span // in the original text: a span, or several overlapping spans merged, with the type and score of the longest
	New  data.Span // in the new text, with the same type and score; it has length 0 if the replacement is empty
	Kind Kind      // kind of the replacement
}

// Replace returns a new document in which the spans are replaced, and the changes in the order of the text. The spans
// may have any order. The Spans of the new document are the non-empty replacements. No byte inside a replaced span is
// copied, and every byte outside of all spans is.
//
// Overlapping spans are replaced as a single span, which covers all of them and has the type and score of the longest
// or, among equally long ones, of the first in the text. A span of the kind Keep stays in the text and is among the Spans
// of the new document, unless it overlaps a span of another kind. Then only the other span counts.
//
// It is an error if doc and spans do not pass data.Document.Check, or if a list of surrogates has no entry left.
func (p *Patient) Replace(doc *data.Document, spans []data.Span) (*data.Document, []Change, error) {
	if err := (&data.Document{ID: doc.ID, Text: doc.Text, Spans: spans}).Check(); err != nil {
		return nil, nil, err
	}
	var changes []Change
	out, err := rewrite(doc, p.replacer.prune(doc.Text, spans), func(s data.Span) (string, error) {
		changes = append(changes, Change{Old: s, Kind: p.replacer.KindOf(s.Type, doc.Text[s.Start:s.End])})
		return p.value(doc.ID, s.Type, doc.Text[s.Start:s.End])
	}, func(s data.Span) { changes[len(changes)-1].New = s })
	if err != nil {
		return nil, nil, err
	}
	return out, changes, nil
}

// prune merges overlapping spans that are to be replaced, and drops each span of the kind Keep that overlaps one of them.
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

// value returns the replacement for a text.
func (p *Patient) value(note, typ, text string) (string, error) {
	switch p.replacer.KindOf(typ, text) {
	case Tag:
		return "[" + typ + "]", nil
	case Numbered:
		return fmt.Sprintf("[%s_%d]", typ, p.number(typ, text)), nil
	case Mask:
		return mask(text), nil
	case Redact:
		return "", nil
	case Hash:
		sort := p.replacer.SortOf(typ)
		mac := hmac.New(sha256.New, p.replacer.opt.Key)
		mac.Write([]byte("lethe hash 1\x00" + p.replacer.maker.Identity(sort, text)))
		return hex.EncodeToString(mac.Sum(nil)[:16]), nil
	case Keep:
		return text, nil
	default:
		sort := p.replacer.SortOf(typ)
		made, ok, err := p.made.Replace(note, sort, text)
		if err == nil && !ok {
			made = "[" + typ + "]"
		}
		return made, err
	}
}

// number returns the number of a value among those of its type. New values get the next number, from 1.
func (p *Patient) number(typ, text string) int {
	values := p.numbers[typ]
	if values == nil {
		values = map[string]int{}
		p.numbers[typ] = values
	}
	sort := p.replacer.SortOf(typ)
	key := p.made.Identity(sort, text)
	if values[key] == 0 {
		values[key] = len(values) + 1
	}
	return values[key]
}

// mask replaces each character with *, except spaces and punctuation.
func mask(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsPunct(r) {
			return r
		}
		return '*'
	}, text)
}
