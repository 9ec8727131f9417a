package replace

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"html"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/surrogate"
	"github.com/lethe-deid/lethe/internal/counted"
	"github.com/lethe-deid/lethe/internal/plain"
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

	Year  Kind = "year"  // of a date, its year in full, unless it tells that the patient is over 89
	Shift Kind = "shift" // a date moved by the patient's number of days, which is derived from the key, in the form of the original
	Zip3  Kind = "zip3"  // of a ZIP code of the United States, the first three digits, or 000 if few people live there
	Age90 Kind = "age90" // an age up to 89 as it is, and 90+ instead of every higher one
)

// Kinds returns all kinds.
func Kinds() []Kind {
	return []Kind{Tag, Numbered, Mask, Redact, Hash, Keep, Surrogate, Year, Shift, Zip3, Age90}
}

// For returns the sort of values that the kind can replace, or "" if it can replace all.
func (k Kind) For() data.Sort {
	switch k {
	case Year, Shift:
		return data.Date
	case Zip3:
		return data.Zip
	case Age90:
		return data.Age
	}
	return ""
}

// KindsFor lists the kinds that can replace all values of a sort: with an empty sort, those that can replace all values.
func KindsFor(sort data.Sort) []Kind {
	return slices.DeleteFunc(Kinds(), func(k Kind) bool { return k.For() != "" && k.For() != sort })
}

// Coarse reports whether the kind leaves a part of a value in the text, such as the year of a date, or all of it if nothing must go.
func (k Kind) Coarse() bool { return k == Year || k == Zip3 || k == Age90 }

// Secret reports whether the kind requires a key.
func (k Kind) Secret() bool { return k == Hash || k == Surrogate || k == Shift }

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

// Plan chooses the kind of replacement for each type: that of ByType or, if the type is not in it, of Clinicians, of BySort, or the Default. The zero
// value replaces all spans with tags.
type Plan struct {
	Default    Kind               // kind for everything that the other fields do not contain; empty means Tag
	ByType     map[string]Kind    // kinds by the exact name of the type; may be nil
	BySort     map[data.Sort]Kind // kinds by the sort of the type's values; may be nil
	Clinicians Kind               // kind for names of persons who treat patients (data.Type.Clinician); empty means that of BySort
	// HideOver89 gives the tag, instead of a surrogate, to dates that tell that the patient is over 89. Surrogates keep the intervals between dates.
	HideOver89 bool
	Also       []Kind // kinds that only Patient.ReplaceAs is asked for; may be nil
}

// byDefault returns the default kind.
func (p Plan) byDefault() Kind { return cmp.Or(p.Default, Tag) }

// Kinds returns all kinds in the plan, sorted, each once.
func (p Plan) Kinds() []Kind {
	all := slices.Concat([]Kind{p.byDefault(), cmp.Or(p.Clinicians, p.byDefault())}, slices.Collect(maps.Values(p.ByType)), slices.Collect(maps.Values(p.BySort)), p.Also)
	slices.Sort(all)
	return slices.Compact(all)
}

// Planned returns the kind that the plan has for a type: see KindOf for single values.
func (r *Replacer) Planned(typ string) Kind {
	if t, ok := r.types[typ]; ok {
		return t.kind
	}
	return r.planned(typ)
}

func (r *Replacer) planned(typ string) Kind {
	if k, ok := r.plan.ByType[typ]; ok {
		return k
	}
	sort := r.SortOf(typ)
	if sort == data.Person && r.plan.Clinicians != "" && r.opt.Types.Describe(typ).Clinician {
		return r.plan.Clinicians
	}
	if k, ok := r.plan.BySort[sort]; ok {
		return k
	}
	return r.plan.byDefault()
}

// KindOf returns the kind of replacement for a value, which is a span of a text. The plan's kind for the type applies only if the value has a form that suits it, and
// otherwise the Default:
//
//   - Keep requires a form that is usual for the sort: the tagger may have mistaken a record number for a date. All values of the type are kept if
//     its sort is unknown, or if Keep is the Default, too.
//   - Year requires a date with a year, Shift a date, Zip3 a ZIP code that is not one of another country by the text around it, and Age90 an age. If the Default is Keep, other values get Tag.
//     Days of the week in a schedule are kept instead of Year, of Shift, and of Surrogate if HideOver89 is set: see surrogate.Maker.Recurs.
//     So are dates such as 9999-12-31 instead of Year, Shift and Surrogate: see surrogate.IsSentinel.
//
// A Patient may also use the Default instead of Year, because of what else is in the notes: see surrogate.Patient.Year.
func (r *Replacer) KindOf(text string, s data.Span) Kind {
	kind, _ := r.decide(text, s)
	return kind
}

// Extent tells how much of a value a replacement leaves in the text.
type Extent int

// The extents, in order.
const (
	Nothing Extent = iota // the value is gone
	Part                  // a part that reveals less than the whole stays, such as the year of a date
	Whole                 // the value stays as it is
)

// Remains returns how much of a value stays in the text.
func (r *Replacer) Remains(text string, s data.Span) Extent {
	_, extent := r.decide(text, s)
	return extent
}

// decide returns the kind of replacement for a value, and how much of the value stays in the text.
func (r *Replacer) decide(text string, s data.Span) (Kind, Extent) {
	kind, value := r.Planned(s.Type), plain.Text(text[s.Start:s.End])
	dated := kind == Year || kind == Shift || kind == Surrogate && r.plan.HideOver89 && r.SortOf(s.Type) == data.Date
	if r.isSentinel(kind, s.Type, value) || dated && r.maker.Recurs(text, s.Start, s.End) {
		return Keep, Whole
	}
	var suits, same bool
	var made string
	switch kind {
	case Keep:
		sort := r.SortOf(s.Type)
		suits, same = r.plan.Default == Keep || sort == "" || r.maker.HasForm(sort, value) ||
			sort == data.Date && (surrogate.IsPeriod(value) || r.maker.IsDateInWords(value) || r.maker.IsPartOfDate(value)) ||
			s.End-s.Start == len(text) && surrogate.IsRegionOfField(sort, value), true
	case Year:
		suits, same = r.maker.HasYear(value)
	case Zip3:
		made, suits = r.maker.Zip3(value)
		suits = suits && !r.maker.IsAbroad(text, s.Start, s.End)
		same = made == value
	case Age90:
		made, suits = r.maker.AgeUpTo89(value)
		same = made == value
	case Shift:
		if !r.maker.HasForm(data.Date, value) {
			kind = r.otherwise()
		}
		return kind, Nothing
	default:
		return kind, Nothing
	}
	switch {
	case !suits:
		return r.otherwise(), Nothing
	case same:
		return kind, Whole
	}
	return kind, Part
}

// isSentinel reports whether a value is a date that stays because it means "no end" or the like. An invented date in its place would be a wrong statement.
func (r *Replacer) isSentinel(kind Kind, typ, value string) bool {
	return (kind == Year || kind == Shift || kind == Surrogate) && r.SortOf(typ) == data.Date && surrogate.IsSentinel(value)
}

// otherwise returns the kind for values that do not suit the kind of their type.
func (r *Replacer) otherwise() Kind {
	if kind := r.plan.byDefault(); kind != Keep {
		return kind
	}
	return Tag
}

// A Replacer replaces spans according to a plan. Create it with New. It is safe for concurrent use.
type Replacer struct {
	plan         Plan
	opt          Options
	maker        *surrogate.Maker
	types        map[string]typed // of the types of the set, what Planned and SortOf return
	numbers      bool             // the plan has Numbered
	looks        bool             // the plan has a kind for which a replacement depends on the patient's other values
	looksAtDates bool             // or only on the patient's dates and ages
	shifts       bool             // the plan has the kind Shift
}

// typed is a type with the kind of its replacements and the sort of its values.
type typed struct {
	kind Kind
	sort data.Sort
}

// New returns a Replacer. It is an error if plan or options name an unknown kind, sort, language or list, or a type that
// is not in opt.Types; if the key is too short for the plan; if the plan has a kind for a type or sort whose values the kind
// cannot replace; or if it has Surrogate for a type in opt.Types whose sort is unknown.
func New(plan Plan, opt Options) (*Replacer, error) {
	kinds := plan.Kinds()
	for _, typ := range slices.Sorted(maps.Keys(plan.ByType)) {
		if opt.Types != nil && !opt.Types.Has(typ) {
			return nil, fmt.Errorf("the plan names the type %q, which is not in the set %s", typ, opt.Types.Name)
		}
	}
	for _, k := range kinds {
		if _, err := ParseKind(string(k)); err != nil {
			return nil, err
		}
		if k.Secret() && len(opt.Key) < MinKey {
			return nil, fmt.Errorf("a key of %d bytes is too short for %s: at least %d are required", len(opt.Key), k, MinKey)
		}
	}
	for _, typ := range slices.Sorted(maps.Keys(opt.Sorts)) {
		switch {
		case !slices.Contains(data.Sorts(), opt.Sorts[typ]):
			return nil, fmt.Errorf("unknown sort %q for the type %q (have %s)", opt.Sorts[typ], typ, counted.List(data.Sorts()))
		case opt.Types != nil && !opt.Types.Has(typ):
			return nil, fmt.Errorf("sorts contains the type %q, which is not in the set %s", typ, opt.Types.Name)
		}
	}
	r := &Replacer{plan: plan, opt: opt}
	if err := r.checkSorts(); err != nil {
		return nil, err
	}
	if opt.Language == "" && opt.Types != nil {
		opt.Language = surrogate.Language(opt.Types.Language)
	}
	maker, err := surrogate.New(surrogate.Options{Key: opt.Key, Language: opt.Language, Lists: opt.Lists})
	if err != nil {
		return nil, err
	}
	r.maker = maker
	if opt.Types != nil {
		all := map[string]typed{}
		for _, t := range opt.Types.Types {
			all[t.Name] = typed{r.planned(t.Name), r.SortOf(t.Name)}
		}
		r.types = all
	}
	r.numbers = slices.Contains(kinds, Numbered)
	r.looks = r.numbers || slices.Contains(kinds, Surrogate)
	r.shifts = slices.Contains(kinds, Shift)
	r.looksAtDates = r.looks || r.shifts || slices.Contains(kinds, Year)
	return r, nil
}

// checkSorts returns an error if the plan has a kind for a type or sort whose values it cannot replace.
func (r *Replacer) checkSorts() error {
	if sort := r.plan.byDefault().For(); sort != "" {
		return fmt.Errorf("%s replaces only values of the sort %s, so it cannot be the default for all types", r.plan.byDefault(), sort)
	}
	if sort := r.plan.Clinicians.For(); sort != "" {
		return fmt.Errorf("%s replaces only values of the sort %s, not names of clinicians", r.plan.Clinicians, sort)
	}
	for _, sort := range slices.Sorted(maps.Keys(r.plan.BySort)) {
		k := r.plan.BySort[sort]
		switch {
		case !slices.Contains(data.Sorts(), sort):
			return fmt.Errorf("the plan names the unknown sort %q (have %s)", sort, counted.List(data.Sorts()))
		case k.For() != "" && k.For() != sort:
			return fmt.Errorf("%s replaces only values of the sort %s, not of the sort %s", k, k.For(), sort)
		}
	}
	for _, typ := range slices.Sorted(maps.Keys(r.plan.ByType)) {
		if k, sort := r.plan.ByType[typ], r.SortOf(typ); k.For() != "" && k.For() != sort {
			return fmt.Errorf("%s replaces only values of the sort %s, but those of the type %q have the sort %s", k, k.For(), typ, cmp.Or(sort, "unknown"))
		}
	}
	if r.opt.Types == nil {
		return nil
	}
	for _, t := range r.opt.Types.Types {
		if r.SortOf(t.Name) == "" && r.Planned(t.Name) == Surrogate {
			return fmt.Errorf("surrogates for the type %q require its sort: add it to sorts", t.Name)
		}
	}
	return nil
}

// SortOf returns the sort of a type's values, or "" if it is unknown.
func (r *Replacer) SortOf(typ string) data.Sort {
	if t, ok := r.types[typ]; ok {
		return t.sort
	}
	return cmp.Or(r.opt.Sorts[typ], r.opt.Types.SortOf(typ))
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
	if !r.looksAtDates {
		return p
	}
	docs = slices.DeleteFunc(slices.Clone(docs), func(d *data.Document) bool { return d.Check() != nil }) // Replace reports the error
	slices.SortStableFunc(docs, func(a, b *data.Document) int { return strings.Compare(a.ID, b.ID) })
	var mentions []surrogate.Mention
	if r.looks {
		for _, name := range known {
			mentions = append(mentions, surrogate.Mention{Sort: data.Person, Text: name, Aside: true})
		}
	}
	tells := tellsOfYears
	if r.shifts {
		tells = tellsOfDates
	}
	for _, d := range docs {
		for _, s := range r.prune(d.Text, d.Spans) {
			sort := r.SortOf(s.Type)
			if !r.looks && !tells[sort] {
				continue
			}
			mentions = append(mentions, surrogate.Mention{
				Note: d.ID, Sort: sort, Text: plain.Text(d.Text[s.Start:s.End]), Before: before(d.Text, s.Start), After: after(d.Text, s.End), Aside: s.kind != Surrogate,
			})
		}
	}
	switch {
	case r.looks:
	case r.shifts:
		p.made = r.maker.Dates(group, mentions)
		return p
	default:
		p.made = r.maker.Years(mentions)
		return p
	}
	p.made = r.maker.Patient(group, mentions)
	if !r.numbers {
		return p
	}
	for _, d := range docs {
		for _, s := range r.prune(d.Text, d.Spans) {
			if kind, _ := p.kindOf(d, s); kind == Numbered {
				p.number(s.Type, plain.Text(d.Text[s.Start:s.End]))
			}
		}
	}
	return p
}

// tellsOfYears are the sorts of values that surrogate.Maker.Years reads, and tellsOfDates those that surrogate.Maker.Dates reads: dates, ages, and those that tell in which order the country of
// the notes writes dates.
var (
	tellsOfYears = map[data.Sort]bool{data.Date: true, data.Age: true}
	tellsOfDates = map[data.Sort]bool{data.Date: true, data.Age: true, data.Zip: true, data.Phone: true, data.Number: true}
)

// before returns up to 32 bytes before a span on the same line: enough for a title or a label.
func before(text string, at int) string {
	start := max(0, at-32)
	for start < at && !utf8.RuneStart(text[start]) {
		start++
	}
	line := text[start:at]
	return plain.Text(line[strings.LastIndexByte(line, '\n')+1:])
}

// after returns up to 64 bytes after a span on the same line: enough for ", her son," and a pronoun.
func after(text string, at int) string {
	end := min(len(text), at+64)
	for end > at && end < len(text) && !utf8.RuneStart(text[end]) {
		end--
	}
	line, _, _ := strings.Cut(text[at:end], "\n")
	return plain.Text(line)
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
// It is an error if doc and spans do not pass data.Document.Check.
func (p *Patient) Replace(doc *data.Document, spans []data.Span) (*data.Document, []Change, error) {
	return p.ReplaceAs("", doc, spans)
}

// ReplaceAs is Replace, but all spans get replacements of the given kind, which must be one of Plan.Kinds. If it is empty, the plan decides.
func (p *Patient) ReplaceAs(kind Kind, doc *data.Document, spans []data.Span) (*data.Document, []Change, error) {
	if err := (&data.Document{ID: doc.ID, Text: doc.Text, Spans: spans}).Check(); err != nil {
		return nil, nil, err
	}
	var planned []decided
	if kind == "" {
		planned = p.replacer.prune(doc.Text, spans)
		spans = spans[:0:0]
		for _, d := range planned {
			spans = append(spans, d.Span)
		}
	} else {
		spans = data.Merge(spans)
	}
	changes := make([]Change, 0, len(spans))
	out := rewrite(doc, spans, func(s data.Span) string {
		kind, year := kind, ""
		if kind == "" {
			kind, year = p.kindOf(doc, planned[len(changes)])
		} else if p.replacer.isSentinel(kind, s.Type, plain.Text(doc.Text[s.Start:s.End])) {
			kind = Keep
		}
		changes = append(changes, Change{Old: s, Kind: kind})
		if year != "" {
			return year
		}
		return p.value(kind, doc.ID, s.Type, doc.Text[s.Start:s.End])
	}, func(s data.Span) { changes[len(changes)-1].New = s })
	return out, changes, nil
}

// decided is a span with the kind of its replacement.
type decided struct {
	data.Span
	kind Kind
}

// prune merges overlapping spans that are to be replaced, and drops each span of the kind Keep that overlaps one of them. A merged span of which a part
// must be replaced entirely has the type of that part: a number that another tagger took for a year must not stay.
func (r *Replacer) prune(text string, spans []data.Span) []decided {
	pruned := make([]decided, 0, len(spans))
	apart := true // they are sorted and disjoint, as nearly always
	for i, s := range spans {
		pruned = append(pruned, decided{s, r.KindOf(text, s)})
		apart = apart && (i == 0 || spans[i-1].End <= s.Start)
	}
	if apart {
		return pruned
	}
	var kept, rest, entirely []data.Span
	for _, s := range pruned {
		if s.kind == Keep {
			kept = append(kept, s.Span)
			continue
		}
		rest = append(rest, s.Span)
		if r.Remains(text, s.Span) == Nothing {
			entirely = append(entirely, s.Span)
		}
	}
	rest = data.Merge(rest)
	entirely = data.Merge(entirely)
	for i, s := range rest {
		from, to := data.Overlapping(entirely, s)
		if from < to {
			longest := slices.MaxFunc(entirely[from:to], func(a, b data.Span) int { return cmp.Compare(a.End-a.Start, b.End-b.Start) })
			rest[i].Type, rest[i].Score = longest.Type, longest.Score
		}
	}
	all := rest
	for _, k := range data.Flatten(kept) {
		if from, to := data.Overlapping(rest, k); from == to {
			all = append(all, k)
		}
	}
	data.SortSpans(all)
	pruned = pruned[:0]
	for _, s := range all {
		pruned = append(pruned, decided{s, r.KindOf(text, s)})
	}
	return pruned
}

// kindOf returns the kind of replacement for a value in a note and, if it is Year, the year. It differs from that of prune if the year tells that
// the patient is over 89.
func (p *Patient) kindOf(doc *data.Document, s decided) (kind Kind, year string) {
	kind = s.kind
	value := plain.Text(doc.Text[s.Start:s.End])
	switch {
	case kind == Surrogate && p.replacer.plan.HideOver89 && p.replacer.SortOf(s.Type) == data.Date && p.made.TellsOver89(doc.ID, value):
		return Tag, ""
	case kind != Year:
		return kind, ""
	}
	if year, ok := p.made.Year(doc.ID, value); ok {
		return kind, year
	}
	if kind = p.replacer.otherwise(); kind == Surrogate {
		kind = Tag
	}
	return kind, ""
}

// value returns the replacement of a kind for a text, which need not be in plain characters (see package plain). If it has character references of HTML, such as &eacute;, the
// replacement has them as well.
func (p *Patient) value(kind Kind, note, typ, text string) string {
	if plainly := plain.Text(text); plainly != text && kind != Keep {
		made := p.value(kind, note, typ, plainly)
		if plain.HasReference(text) {
			made = html.EscapeString(made)
		}
		return made
	}
	switch kind {
	case Tag:
		return "[" + typ + "]"
	case Numbered:
		return fmt.Sprintf("[%s_%d]", typ, p.number(typ, text))
	case Mask:
		return mask(text)
	case Redact:
		return ""
	case Hash:
		sort := p.replacer.SortOf(typ)
		mac := hmac.New(sha256.New, p.replacer.opt.Key)
		mac.Write([]byte("lethe hash 1\x00" + p.replacer.maker.Identity(sort, text)))
		return hex.EncodeToString(mac.Sum(nil)[:16])
	case Keep:
		return text
	case Shift:
		shifted, ok := p.made.Shift(note, text)
		if !ok {
			shifted = "[" + typ + "]"
		}
		return shifted
	case Zip3:
		zip, _ := p.replacer.maker.Zip3(text)
		return zip
	case Age90:
		age, _ := p.replacer.maker.AgeUpTo89(text)
		return age
	default:
		sort := p.replacer.SortOf(typ)
		made, ok := p.made.Replace(note, sort, text)
		if !ok {
			made = "[" + typ + "]"
		}
		return made
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
