package evaluation

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"text/tabwriter"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/lethe-deid/lethe/data"
)

// Leak adds up, note by note, how much PHI would remain in the text if everything
// that a system found were removed. It stores how many notes have which counts,
// and so needs little memory for any number of notes.
//
// A PHI token is a token as defined by [Options.Compare]: a run of letters and
// digits in a gold span, or a whole span without such a run. A PHI instance is a
// gold span. A token is left unless the system's spans, taken together and
// regardless of type, cover all of it: if only the first half of a name is
// removed, the other half can still be read. An instance is left if any of its
// tokens is left, and a note is left if any of its instances is left. Text shared
// by several gold spans counts once.
type Leak struct {
	types      *data.TypeSet
	notes      int
	kinds      []leakKind        // the first counts all PHI
	ofType     map[string][3]int // indexes of the kinds that a type belongs to: all, its category, and the type itself
	ofCategory map[string]int    // index of the kind of a category
}

// leakKind counts all PHI, the PHI of one category, or the PHI of one type.
type leakKind struct {
	category, typ string
	notes         map[leakCounts]int // number of notes with PHI of this kind, by their counts
}

// leakCounts are the tokens and instances of one kind in one note.
type leakCounts struct{ tokens, instances tally }

type tally struct{ left, total int }

// NewLeak returns an empty Leak. The type set assigns types to categories; a type
// that it does not contain is its own category.
func NewLeak(types *data.TypeSet) *Leak {
	return &Leak{types: types, kinds: []leakKind{{notes: map[leakCounts]int{}}}, ofType: map[string][3]int{}, ofCategory: map[string]int{}}
}

// Add adds one note. For a note that is missing from the system's output, pass an
// empty document as system: all of its PHI then counts as left.
func (l *Leak) Add(gold, system *data.Document) {
	var tokens, instances []phi
	removed := data.Merge(system.Spans)
	left := func(t data.Token) bool { return !data.Covered(data.Span{Start: t.Start, End: t.End}, removed) }
	words := newWords(gold.Text)
	leftBefore := make([]int, len(words)+1) // number of left words before each word
	for i, word := range words {
		leftBefore[i+1] = leftBefore[i]
		if left(word) {
			leftBefore[i+1]++
		}
	}
	ofType := map[[3]int][]wordRange{}
	for _, s := range gold.Spans {
		instance := phi{l.kindsOf(s.Type), s.Start, s.End, false}
		whole, parts := words.of(s.Start, s.End)
		if whole.empty() && parts == nil {
			parts = []data.Token{{Start: s.Start, End: s.End}}
		}
		for _, p := range parts {
			tokens = append(tokens, phi{instance.kinds, p.Start, p.End, left(p)})
			instance.left = instance.left || left(p)
		}
		if !whole.empty() {
			ofType[instance.kinds] = append(ofType[instance.kinds], whole)
			instance.left = instance.left || leftBefore[whole.to] > leftBefore[whole.from]
		}
		instances = append(instances, instance)
	}
	for kinds, ranges := range ofType {
		for i := range union(ranges) {
			tokens = append(tokens, phi{kinds, words[i].Start, words[i].End, leftBefore[i+1] > leftBefore[i]})
		}
	}
	note := make([]leakCounts, len(l.kinds))
	each(tokens, func(kind int, left bool) { note[kind].tokens.add(left) })
	each(instances, func(kind int, left bool) { note[kind].instances.add(left) })
	for k, c := range note {
		if c.tokens.total > 0 {
			l.kinds[k].notes[c]++
		}
	}
	l.notes++
}

// phi is a PHI token or a PHI instance.
type phi struct {
	kinds      [3]int
	start, end int
	left       bool
}

// each calls count once per kind and stretch of text. It sorts all.
func each(all []phi, count func(kind int, left bool)) {
	slices.SortFunc(all, func(a, b phi) int { return cmp.Or(a.start-b.start, a.end-b.end) })
	first := 0            // index of the first entry on the same stretch
	last := map[int]int{} // by kind: 1 + the value of first when the kind was last counted
	for i, p := range all {
		if p.start != all[first].start || p.end != all[first].end {
			first = i
		}
		for _, k := range p.kinds {
			if last[k] != first+1 {
				last[k] = first + 1
				count(k, p.left)
			}
		}
	}
}

func (t *tally) add(left bool) {
	t.total++
	if left {
		t.left++
	}
}

func (l *Leak) kindsOf(typ string) [3]int {
	kinds, ok := l.ofType[typ]
	if ok {
		return kinds
	}
	category := typ
	if t, ok := l.types.Lookup(typ); ok {
		category = t.Category
	}
	if kinds[1], ok = l.ofCategory[category]; !ok {
		kinds[1] = len(l.kinds)
		l.ofCategory[category] = kinds[1]
		l.kinds = append(l.kinds, leakKind{category: category, notes: map[leakCounts]int{}})
	}
	kinds[2] = len(l.kinds)
	l.kinds = append(l.kinds, leakKind{category: category, typ: typ, notes: map[leakCounts]int{}})
	l.ofType[typ] = kinds
	return kinds
}

// LeakReport is the PHI that would remain in the text. In JSON:
//
//	{"resamples":1999,"tokens":{"left":12,"total":1200,"share":0.01,"low":0.005,"high":0.016},
//	 "instances":{...},"notes":{...},"categories":{"NAME":{"tokens":...}},"types":{"PATIENT":{"category":"NAME",...}}}
type LeakReport struct {
	Resamples int `json:"resamples"` // number of bootstrap resamples
	LeakRow
	Categories map[string]LeakRow  `json:"categories"`
	Types      map[string]LeakType `json:"types"`
}

// LeakType is the leak of one type.
type LeakType struct {
	Category string `json:"category"`
	LeakRow
}

// LeakRow is the leak of one kind of PHI. Its Notes are shares of all notes,
// including those without PHI of this kind.
type LeakRow struct {
	Tokens    LeakShare `json:"tokens"`
	Instances LeakShare `json:"instances"`
	Notes     LeakShare `json:"notes"`
}

// LeakShare is the ratio Left / Total (0 for 0/0), with its 95 % interval.
type LeakShare struct {
	Left  int     `json:"left"`
	Total int     `json:"total"`
	Share float64 `json:"share"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// leakResamples is the number of corpora that the bootstrap draws. The ends of
// the 95 % interval are the 50th smallest and the 50th greatest share: (1,999 +
// 1) * 0.025 = 50.
const (
	leakResamples = 1999
	leakTail      = 50
)

// Report computes the shares of what was added, with their 95 % percentile
// bootstrap intervals (Efron and Tibshirani 1993, section 13.3). It draws whole
// notes, not spans, because the misses within a note are correlated. A drawn
// corpus without PHI of a kind is ignored for that kind. The result depends only
// on the notes and the seed. Report uses all cores, and kinds with the same
// counts have the same intervals.
//
// No resample can show what the notes do not: if nothing was left, the interval
// is [0, 0], and for a type found in few notes it is too narrow.
func (l *Leak) Report(seed uint64) *LeakReport {
	rows := make([]LeakRow, len(l.kinds))
	limit := make(chan struct{}, runtime.GOMAXPROCS(0))
	var wait sync.WaitGroup
	for i := range l.kinds {
		k := &l.kinds[i]
		for j, share := range []struct {
			into *LeakShare
			of   map[tally]int
		}{{&rows[i].Tokens, k.tokens()}, {&rows[i].Instances, k.instances()}, {&rows[i].Notes, k.whole(l.notes)}} {
			limit <- struct{}{}
			wait.Go(func() {
				*share.into = bootstrap(share.of, l.notes, rand.NewPCG(seed, uint64(j)))
				<-limit
			})
		}
	}
	wait.Wait()
	r := &LeakReport{Resamples: leakResamples, Categories: map[string]LeakRow{}, Types: map[string]LeakType{}}
	for i, k := range l.kinds {
		switch {
		case k.typ != "":
			r.Types[k.typ] = LeakType{k.category, rows[i]}
		case k.category != "":
			r.Categories[k.category] = rows[i]
		default:
			r.LeakRow = rows[i]
		}
	}
	return r
}

// tokens returns the number of notes by their tally of tokens.
func (k *leakKind) tokens() map[tally]int {
	return k.tallies(func(c leakCounts) tally { return c.tokens })
}

func (k *leakKind) instances() map[tally]int {
	return k.tallies(func(c leakCounts) tally { return c.instances })
}

// whole returns the tally of whole notes: each note is left or not.
func (k *leakKind) whole(notes int) map[tally]int {
	of := k.tallies(func(c leakCounts) tally { return tally{min(c.instances.left, 1), 1} })
	of[tally{0, 1}] = notes - of[tally{1, 1}]
	return of
}

func (k *leakKind) tallies(of func(leakCounts) tally) map[tally]int {
	n := map[tally]int{}
	for c, notes := range k.notes {
		n[of(c)] += notes
	}
	return n
}

// class is a group of notes with equal tallies.
type class struct {
	tally
	notes int
}

// bootstrap returns the share and its 95 % interval. tallies maps each tally to
// the number of notes that have it; the other notes contain nothing that is
// counted.
//
// Package significance has a bootstrap of its own, which draws tallies of
// fractions note by note and computes several statistics from each draw. Here,
// each of about a hundred kinds has two whole numbers per note, mostly the same
// ones. Drawing how many notes have each tally is fast enough to be part of every
// score.
func bootstrap(tallies map[tally]int, notes int, source rand.Source) LeakShare {
	classes := []class{{notes: notes}}
	var sum tally
	for t, n := range tallies {
		classes = append(classes, class{t, n})
		classes[0].notes -= n
		sum.left += n * t.left
		sum.total += n * t.total
	}
	share := LeakShare{Left: sum.left, Total: sum.total, Share: ratio(sum.left, sum.total)}
	if classes = slices.DeleteFunc(classes, func(c class) bool { return c.notes == 0 }); len(classes) == 1 {
		share.Low, share.High = share.Share, share.Share // the same in all resamples
		return share
	}
	slices.SortFunc(classes, func(a, b class) int { // large ones first, and then in any fixed order
		return cmp.Or(b.notes-a.notes, a.total-b.total, a.left-b.left)
	})
	draw := drawNotes
	if notes > notesAClass*len(classes) {
		draw = drawClasses
	}
	drawn := make([]float64, 0, leakResamples)
	draw(classes, notes, source, func(got tally) {
		if got.total > 0 {
			drawn = append(drawn, ratio(got.left, got.total))
		}
	})
	if n := len(drawn); n > 0 {
		slices.Sort(drawn)
		tail := max(1, leakTail*(n+1)/(leakResamples+1))
		share.Low, share.High = drawn[tail-1], drawn[n-tail]
	}
	return share
}

// notesAClass is the number of notes that can be drawn in the time that one
// binomial number takes.
const notesAClass = 50

// drawNotes draws notes one by one.
func drawNotes(classes []class, notes int, source rand.Source, yield func(tally)) {
	var all []tally
	for _, c := range classes {
		all = append(all, slices.Repeat([]tally{c.tally}, c.notes)...)
	}
	random := rand.New(source)
	for range leakResamples {
		var sum tally
		for range notes {
			t := all[random.IntN(notes)]
			sum.left += t.left
			sum.total += t.total
		}
		yield(sum)
	}
}

// drawClasses draws the number of notes of each class. Together these numbers are
// multinomial; each is binomial given the ones before it. The time does not
// depend on the number of notes.
func drawClasses(classes []class, notes int, source rand.Source, yield func(tally)) {
	for range leakResamples {
		var sum tally
		toDraw, among := notes, notes
		for _, c := range classes {
			n := toDraw
			if c.notes < among {
				n = int(distuv.Binomial{N: float64(toDraw), P: float64(c.notes) / float64(among), Src: source}.Rand())
			}
			sum.left += n * c.left
			sum.total += n * c.total
			toDraw -= n
			among -= c.notes
			if toDraw == 0 {
				break
			}
		}
		yield(sum)
	}
}

// WriteText writes the report as a table for people, with a row for all PHI and
// for each category and its types.
func (r *LeakReport) WriteText(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "left in the text")
	for _, what := range []string{"tokens", "instances", "notes"} {
		fmt.Fprintf(t, "\t%s\t     %%\t95 %% interval", what)
	}
	fmt.Fprintln(t)
	leakLine(t, "all PHI", r.LeakRow)
	for _, category := range slices.Sorted(maps.Keys(r.Categories)) {
		leakLine(t, category, r.Categories[category])
		for _, typ := range slices.Sorted(maps.Keys(r.Types)) {
			if row := r.Types[typ]; row.Category == category && typ != category {
				leakLine(t, "  "+typ, row.LeakRow)
			}
		}
	}
	if err := t.Flush(); err != nil || r.Notes.Left > 0 || r.Notes.Total == 0 {
		return err
	}
	// The upper end of the exact interval for 0 of n (Clopper and Pearson 1934).
	bound := 1 - math.Pow(0.025, 1/float64(r.Notes.Total))
	_, err := fmt.Fprintf(w, "Nothing was left. Of more notes like these up to %.2f %% may still hold PHI (95 %%, exact binomial).\n", 100*bound)
	return err
}

func leakLine(w io.Writer, name string, row LeakRow) {
	fmt.Fprint(w, name)
	for _, s := range []LeakShare{row.Tokens, row.Instances, row.Notes} {
		fmt.Fprintf(w, "\t%d of %d\t%6.2f\t[%.2f, %.2f]", s.Left, s.Total, 100*s.Share, 100*s.Low, 100*s.High)
	}
	fmt.Fprintln(w)
}
