package deid

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/lethe-deid/lethe/data"
)

// Kind is what stands in the place of a span.
type Kind string

// The kinds. That two values are the same is said by what they mean: case, spaces
// and the separators of numbers do not count, and "Amundsen, Oda" is "Oda Amundsen".
const (
	KindTag       Kind = "tag"       // the type in brackets: [PATIENT]
	KindNumbered  Kind = "numbered"  // a number for each value of a patient: [PATIENT_1]
	KindMask      Kind = "mask"      // * for each letter and digit; spaces and punctuation stay
	KindRedact    Kind = "redact"    // nothing
	KindHash      Kind = "hash"      // 32 hexadecimal digits of an HMAC under the key: the same for a value wherever it stands
	KindKeep      Kind = "keep"      // what stood there
	KindSurrogate Kind = "surrogate" // an invented value of the same sort
)

// Kinds lists them all.
func Kinds() []Kind {
	return []Kind{KindTag, KindNumbered, KindMask, KindRedact, KindHash, KindKeep, KindSurrogate}
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
		return KindTag
	}
	return p.Default
}

// MinKey is how many bytes a key has at least.
const MinKey = 16

// Options are what a plan's kinds need.
type Options struct {
	// Key is the secret that hashes and surrogates are derived from: at least
	// MinKey bytes, needed if the plan names one of the two. Whoever has it can
	// find out whether a guessed value is behind a hash.
	Key []byte
	// Types is the type set of the spans. Types that the plan names must be in it;
	// nil allows any.
	Types *data.TypeSet
}

// Replacement puts something in the place of spans, by a plan. It is not
// changed by use: goroutines may share it, each with Patients of its own.
type Replacement struct {
	plan Plan
	opt  Options
}

// NewReplacement checks plan and options.
func NewReplacement(plan Plan, opt Options) (*Replacement, error) {
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
		if (k == KindHash || k == KindSurrogate) && len(opt.Key) < MinKey {
			return nil, fmt.Errorf("a key of %d bytes is too short for %s: at least %d are needed", len(opt.Key), k, MinKey)
		}
		if k == KindSurrogate {
			return nil, fmt.Errorf("the kind %s is not there yet", k)
		}
	}
	return &Replacement{plan: plan, opt: opt}, nil
}

// A Patient replaces the spans of the notes of one patient: what is consistent
// is consistent within it. It serves one goroutine at a time.
type Patient struct {
	*Replacement
	group   string
	numbers map[string]map[string]int // number of each value, by type
}

// Patient begins the notes of one patient, whose name is the group
// (data.Document.Group). The docs are all of the patient's notes, their Spans
// what is going to be replaced: with them numbers and surrogates depend on the
// set of notes alone, not on which of them is replaced first. A value that is in
// none of them is given what is left when Replace comes to it.
func (r *Replacement) Patient(group string, docs []*data.Document) *Patient {
	p := &Patient{Replacement: r, group: group, numbers: map[string]map[string]int{}}
	docs = slices.Clone(docs)
	slices.SortStableFunc(docs, func(a, b *data.Document) int { return strings.Compare(a.ID, b.ID) })
	for _, d := range docs {
		if d.Check() != nil {
			continue // Replace is going to say it
		}
		for _, s := range r.prune(d.Spans) {
			p.number(s.Type, d.Text[s.Start:s.End])
		}
	}
	return p
}

// Change says what stands in the place of one stretch of the old text.
type Change struct {
	Old  data.Span // in the text that was given: one span, or several that overlap, with the type and score of the longest
	New  data.Span // in the text that came out, with the same type and score; empty where nothing stands there
	Kind Kind
}

// Replace returns the new document, as the function Replace does, and what was
// changed, in order. A span whose kind is keep stays in the text and in the
// Spans of the new document, but not where it overlaps one of another kind:
// what the other covers is replaced.
func (p *Patient) Replace(doc *data.Document, spans []data.Span) (*data.Document, []Change, error) {
	if err := (&data.Document{ID: doc.ID, Text: doc.Text, Spans: spans}).Check(); err != nil {
		return nil, nil, err
	}
	var changes []Change
	out, err := replace(doc, p.prune(spans), func(s data.Span) (string, error) {
		changes = append(changes, Change{Old: s, Kind: p.plan.kind(s.Type)})
		return p.value(s.Type, doc.Text[s.Start:s.End])
	}, func(s data.Span) { changes[len(changes)-1].New = s })
	if err != nil {
		return nil, nil, err
	}
	return out, changes, nil
}

// prune joins spans that overlap, and leaves out those to keep that overlap others.
func (r *Replacement) prune(spans []data.Span) []data.Span {
	var kept, rest []data.Span
	for _, s := range spans {
		if r.plan.kind(s.Type) == KindKeep {
			kept = append(kept, s)
		} else {
			rest = append(rest, s)
		}
	}
	rest = merge(rest)
	for _, k := range data.Flatten(kept) {
		if !slices.ContainsFunc(rest, func(s data.Span) bool { return s.Start < k.End && k.Start < s.End }) {
			rest = append(rest, k)
		}
	}
	data.SortSpans(rest)
	return rest
}

// value is what stands in the place of the text.
func (p *Patient) value(typ, text string) (string, error) {
	switch kind := p.plan.kind(typ); kind {
	case KindTag:
		return "[" + typ + "]", nil
	case KindNumbered:
		return fmt.Sprintf("[%s_%d]", typ, p.number(typ, text)), nil
	case KindMask:
		return mask(text), nil
	case KindRedact:
		return "", nil
	case KindHash:
		mac := hmac.New(sha256.New, p.opt.Key)
		mac.Write([]byte("lethe hash\x00" + normalise(text)))
		return hex.EncodeToString(mac.Sum(nil)[:16]), nil
	case KindKeep:
		return text, nil
	default:
		return "", fmt.Errorf("the kind %s is not there yet", kind)
	}
}

// number counts the values of a type from 1, in the order in which they come.
func (p *Patient) number(typ, text string) int {
	values := p.numbers[typ]
	if values == nil {
		values = map[string]int{}
		p.numbers[typ] = values
	}
	key := normalise(text)
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

// normalise takes out what does not tell two values apart.
func normalise(text string) string { return strings.Join(strings.Fields(strings.ToLower(text)), " ") }
