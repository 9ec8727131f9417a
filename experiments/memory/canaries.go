package memory

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/sorting"
)

// Canary is an invented value that was planted in training notes.
type Canary struct {
	Form     string `json:"form"`     // name or number
	Type     string `json:"type"`     // of PHI, the same at all places
	Times    int    `json:"times"`    // number of notes that have it
	Patients int    `json:"patients"` // number of patients whose notes these are

	note  *data.Document // an excerpt of the first of these notes
	place data.Span      // of the canary in it
}

// Forms of canaries.
const (
	nameForm   = "name"
	numberForm = "number"
)

var forms = []string{nameForm, numberForm}

// Repeats is the numbers of notes that canaries are planted in.
var Repeats = []int{1, 2, 4, 8}

// Plant returns copies of notes in which invented values stand instead of PHI: names of two words that nobody
// has, and numbers of eight digits, in equal parts. A quarter of the canaries each is in 1, 2, 4 and 8 notes: all in those of one patient, as the name of
// a patient would be, if the patient has as many, and else in those of few. A note has a canary at most once, and a canary has
// one type. The other notes are the same as before. Columns of notes with canaries are left out.
func Plant(notes []*data.Document, types *data.TypeSet, n int, seed uint64) ([]*data.Document, []Canary, error) {
	if n < 1 {
		return nil, nil, fmt.Errorf("%d canaries: at least 1 is required", n)
	}
	rng := rand.New(rand.NewPCG(seed, 3))
	p := newPlanter(notes, types, rng)
	canaries := make([]Canary, n)
	values := make([]string, n)
	for i := range canaries {
		canaries[i].Form, canaries[i].Times = forms[i%len(forms)], Repeats[i/len(forms)%len(Repeats)]
		values[i] = p.invent(canaries[i].Form)
	}
	ranked := rng.Perm(n) // the most frequent first, because they are the hardest to place
	slices.SortStableFunc(ranked, func(a, b int) int { return canaries[b].Times - canaries[a].Times })
	firsts := make([]spot, n)
	for _, i := range ranked {
		c := &canaries[i]
		typ, ok := p.typeFor(c.Form, c.Times)
		if !ok {
			return nil, nil, fmt.Errorf("%d canaries: the training notes do not have enough PHI that is a %s: plant fewer", n, c.Form)
		}
		c.Type = typ
		spots := p.spots(key{c.Form, typ}, c.Times)
		firsts[i] = spots[0]
		of := map[int]bool{}
		for _, s := range spots {
			p.edits[s.doc] = append(p.edits[s.doc], edit{s.span, values[i], i})
			of[p.patientOf[s.doc]] = true
		}
		c.Patients = len(of)
	}
	out := slices.Clone(notes)
	for at, edits := range p.edits {
		if len(edits) == 0 {
			continue
		}
		doc, placed := rewrite(notes[at], edits)
		out[at] = doc
		for i, s := range placed {
			if c := &canaries[i]; firsts[i].doc == at {
				c.note, c.place = excerpt(doc, s)
			}
		}
	}
	return out, canaries, nil
}

// spot is a span of a note.
type spot struct {
	doc  int
	span data.Span
}

type edit struct {
	span   data.Span
	value  string
	canary int
}

// planter finds places for canaries.
type planter struct {
	rng       *rand.Rand
	known     map[string]bool       // words of the notes and of canaries, in lower case
	patientOf []int                 // by note
	order     []int                 // notes, those of a patient one after another
	free      map[key][][]data.Span // by note
	next      map[key]int           // index into order
	edits     [][]edit              // by note
}

// key is what a canary and the PHI in whose place it stands have in common.
type key struct{ form, typ string }

func newPlanter(notes []*data.Document, types *data.TypeSet, rng *rand.Rand) *planter {
	p := &planter{rng: rng, known: map[string]bool{}, patientOf: data.NumberPatients(notes), free: map[key][][]data.Span{}, next: map[key]int{}, edits: make([][]edit, len(notes))}
	for word := range uses(notes) {
		p.known[word] = true
	}
	rank := rng.Perm(len(notes))
	for i := range notes {
		p.order = append(p.order, i)
	}
	slices.SortStableFunc(p.order, func(a, b int) int { return rank[p.patientOf[a]] - rank[p.patientOf[b]] })
	for i, d := range notes {
		for _, s := range d.Spans {
			if form := formOf(d.Text[s.Start:s.End], types.SortOf(s.Type)); form != "" && alone(d.Spans, s) {
				k := key{form, s.Type}
				if p.free[k] == nil {
					p.free[k] = make([][]data.Span, len(notes))
				}
				p.free[k][i] = append(p.free[k][i], s)
			}
		}
	}
	return p
}

// alone reports whether no other span overlaps one.
func alone(spans []data.Span, s data.Span) bool {
	n := 0
	for _, o := range spans {
		if o.Start < s.End && s.Start < o.End {
			n++
		}
	}
	return n == 1
}

// formOf returns the form of the canaries that can stand instead of a value, or "".
func formOf(value string, sort data.Sort) string {
	letters, digits := 0, 0
	for _, r := range value {
		switch {
		case unicode.IsLetter(r):
			letters++
		case unicode.IsDigit(r):
			digits++
		case r == '\n' || r == '\r' || r == '/':
			return "" // a value in several lines, or a date
		}
	}
	r, _ := utf8.DecodeRuneInString(value)
	switch {
	case (sort == data.Person || sort == "") && digits == 0 && letters >= 3 && unicode.IsUpper(r):
		return nameForm
	case (sort == data.Number || sort == data.Phone || sort == "") && letters == 0 && digits >= 4:
		return numberForm
	}
	return ""
}

// typeFor draws the type of a canary, in proportion to the notes that have a free place. There must be enough of them.
func (p *planter) typeFor(form string, n int) (typ string, ok bool) {
	var types []string
	notes := map[string]int{}
	total := 0
	for k, free := range p.free {
		if k.form != form {
			continue
		}
		some := 0
		for _, spans := range free {
			some += min(1, len(spans))
		}
		if some >= n {
			types, notes[k.typ] = append(types, k.typ), some
			total += some
		}
	}
	if len(types) == 0 {
		return "", false
	}
	slices.Sort(types)
	at := p.rng.IntN(total)
	for _, typ = range types {
		if at -= notes[typ]; at < 0 {
			break
		}
	}
	return typ, true
}

// spots returns that many free places in different notes, which must exist. The search goes on where the one before ended.
func (p *planter) spots(of key, n int) (all []spot) {
	free := p.free[of]
	for k := range p.order {
		i := p.order[(p.next[of]+k)%len(p.order)]
		if len(free[i]) == 0 {
			continue
		}
		at := p.rng.IntN(len(free[i]))
		all = append(all, spot{i, free[i][at]})
		free[i] = slices.Delete(free[i], at, at+1)
		if len(all) == n {
			at := p.next[of] + k + 1
			for at%len(p.order) != 0 && p.patientOf[p.order[at%len(p.order)]] == p.patientOf[i] { // the next canary belongs to another patient
				at++
			}
			p.next[of] = at % len(p.order)
			break
		}
	}
	return all
}

// invent returns a value whose words no note has.
func (p *planter) invent(form string) string {
	for {
		value := draw(form, p.rng)
		words := strings.Fields(strings.ToLower(value))
		if slices.ContainsFunc(words, func(w string) bool { return p.known[w] }) {
			continue
		}
		for _, w := range words {
			p.known[w] = true
		}
		return value
	}
}

// draw returns a random value of a form.
func draw(form string, rng *rand.Rand) string {
	if form == numberForm {
		return fmt.Sprintf("%08d", rng.IntN(100_000_000))
	}
	return word(rng) + " " + word(rng)
}

// word returns a random word of seven letters that can be spoken.
func word(rng *rand.Rand) string {
	const consonants, vowels = "bdfghjklmnprstvz", "aeiou"
	var b strings.Builder
	for i := range 7 {
		letters := consonants
		if i%2 == 1 {
			letters = vowels
		}
		c := letters[rng.IntN(len(letters))]
		if i == 0 {
			c -= 'a' - 'A'
		}
		b.WriteByte(c)
	}
	return b.String()
}

// rewrite replaces spans of a note, and returns where the canaries are.
func rewrite(d *data.Document, edits []edit) (*data.Document, map[int]data.Span) {
	values := map[data.Span]edit{}
	for _, e := range edits {
		values[e.span] = e
	}
	sorting.By(edits, func(a, b edit) int { return a.span.Start - b.span.Start })
	out := &data.Document{ID: d.ID, Patient: d.Patient}
	placed := map[int]data.Span{}
	var text strings.Builder
	at := 0
	moved := func(offset int) int { // of a byte outside of the edits
		shift := 0
		for _, e := range edits {
			if e.span.End <= offset {
				shift += len(e.value) - (e.span.End - e.span.Start)
			}
		}
		return offset + shift
	}
	for _, e := range edits {
		text.WriteString(d.Text[at:e.span.Start])
		text.WriteString(e.value)
		at = e.span.End
	}
	text.WriteString(d.Text[at:])
	out.Text = text.String()
	for _, s := range d.Spans {
		e, changed := values[s]
		s.Start, s.End = moved(s.Start), moved(s.End)
		if changed {
			s.End = s.Start + len(e.value)
			placed[e.canary] = s
		}
		out.Spans = append(out.Spans, s)
	}
	return out, placed
}

// around is the number of bytes on each side of a canary that the model reads with it.
const around = 100

// excerpt returns the part of the line around a span.
func excerpt(d *data.Document, s data.Span) (*data.Document, data.Span) {
	from, to := max(0, s.Start-around), min(len(d.Text), s.End+around)
	if i := strings.LastIndexByte(d.Text[from:s.Start], '\n'); i >= 0 {
		from += i + 1
	} else if i := strings.IndexAny(d.Text[from:s.Start], " \t"); from > 0 && i >= 0 {
		from += i + 1
	}
	if i := strings.IndexByte(d.Text[s.End:to], '\n'); i >= 0 {
		to = s.End + i
	} else if i := strings.LastIndexAny(d.Text[s.End:to], " \t"); to < len(d.Text) && i >= 0 {
		to = s.End + i
	}
	for !utf8.RuneStart(d.Text[from]) {
		from++
	}
	for to < len(d.Text) && !utf8.RuneStart(d.Text[to]) {
		to--
	}
	out := &data.Document{ID: d.ID, Patient: d.Patient, Text: d.Text[from:to]}
	for _, o := range d.Spans {
		if o.Start >= from && o.End <= to {
			o.Start, o.End = o.Start-from, o.End-from
			out.Spans = append(out.Spans, o)
		}
	}
	s.Start, s.End = s.Start-from, s.End-from
	return out, s
}

// Exposure says how well the canaries can be told from other values.
type Exposure struct {
	Canaries int `json:"canaries"`
	// Most is the exposure of a canary that scores higher than all candidates, in bits: log2 of the number of values.
	Most   float64   `json:"most"`
	Chance float64   `json:"chance"` // mean exposure of a value that was not planted
	Groups []Group   `json:"groups"` // all; then for each form all, and those in each number of notes
	Each   []float64 `json:"each"`   // exposure of each canary
}

// Group is the mean of some canaries.
type Group struct {
	Name     string   `json:"name"`
	Canaries int      `json:"canaries"`
	Patients float64  `json:"patients"` // mean number of patients whose notes have the canary
	Exposure Estimate `json:"exposure"` // mean, in bits
	First    int      `json:"first"`    // canaries that score higher than all candidates
}

// batch is the number of texts that are scored at a time.
const batch = 128

// expose measures the exposure of the canaries (Carlini et al. 2019, definition 5, with a random
// sample of all values of the form, which includes the canary). The score of a value is the confidence of the
// model in the gold type of the value, in the line of the note where the canary was planted.
func expose(ctx context.Context, t data.Tagger, opt Options) (Exposure, error) {
	x := Exposure{Canaries: len(opt.Canaries), Most: math.Log2(float64(1 + opt.Candidates)), Chance: chance(1 + opt.Candidates)}
	if len(opt.Canaries) == 0 {
		return Exposure{}, nil
	}
	for i, c := range opt.Canaries {
		opt.Progress.Tell("canaries", i, len(opt.Canaries))
		rng := rand.New(rand.NewPCG(opt.Seed, 4+uint64(i)))
		docs, at := []*data.Document{c.note}, []data.Span{c.place}
		for range opt.Candidates {
			doc, placed := rewrite(c.note, []edit{{c.place, draw(c.Form, rng), 0}})
			docs, at = append(docs, doc), append(at, placed[0])
		}
		var scores []float64
		for from := 0; from < len(docs); from += batch {
			part := docs[from:min(len(docs), from+batch)]
			all, err := beliefs(ctx, t, part)
			if err != nil {
				return x, err
			}
			for k := range part {
				score, _ := confidence(all[k], at[from+k])
				scores = append(scores, score)
			}
		}
		x.Each = append(x.Each, exposure(scores))
	}
	x.summarize(opt)
	return x, nil
}

// exposure returns log2 of the number of scores, less log2 of the rank of the first of them among all, in
// descending order. Among equal scores, the rank is the mean.
func exposure(scores []float64) float64 {
	above, equal := 0, 0
	for _, s := range scores[1:] {
		switch {
		case s > scores[0]:
			above++
		case s == scores[0]:
			equal++
		}
	}
	rank := 1 + float64(above) + float64(equal)/2
	return math.Log2(float64(len(scores))) - math.Log2(rank)
}

// chance returns the mean exposure if all ranks among n are equally probable. It approaches log2 e = 1.44.
func chance(n int) float64 {
	sum := 0.0
	for rank := 1; rank <= n; rank++ {
		sum += math.Log2(float64(n)) - math.Log2(float64(rank))
	}
	return sum / float64(n)
}

// summarize computes the means.
func (x *Exposure) summarize(opt Options) {
	group := func(name string, in func(c Canary) bool) Group {
		g := Group{Name: name}
		var values []float64
		for i, c := range opt.Canaries {
			if !in(c) {
				continue
			}
			g.Canaries++
			g.Patients += float64(c.Patients)
			values = append(values, x.Each[i])
			if x.Each[i] == x.Most {
				g.First++
			}
		}
		g.Patients /= float64(max(1, g.Canaries))
		g.Exposure = meanOf(values, opt.Seed)
		return g
	}
	x.Groups = []Group{group("all", func(Canary) bool { return true })}
	for _, form := range forms {
		for _, n := range append([]int{0}, Repeats...) {
			name := form + "s"
			if n > 0 {
				name += fmt.Sprintf(" in %d notes", n)
			}
			if g := group(name, func(c Canary) bool { return c.Form == form && (n == 0 || c.Times == n) }); g.Canaries > 0 {
				x.Groups = append(x.Groups, g)
			}
		}
	}
}

// meanOf returns the mean of values with its interval.
func meanOf(values []float64, seed uint64) Estimate {
	if len(values) == 0 {
		return Estimate{}
	}
	mean := func(pick func(i int) float64) float64 {
		sum := 0.0
		for i := range values {
			sum += pick(i)
		}
		return sum / float64(len(values))
	}
	rng := rand.New(rand.NewPCG(seed, 5))
	var means []float64
	for range resamples {
		means = append(means, mean(func(int) float64 { return values[rng.IntN(len(values))] }))
	}
	return Estimate{mean(func(i int) float64 { return values[i] }), quantile(means, 0.025), quantile(means, 0.975)}
}
