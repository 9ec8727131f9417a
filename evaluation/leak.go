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

// Leak adds up, note by note, how much PHI would stay in the text if all that a
// system found were taken out. It keeps how many notes there are of which counts,
// and so takes little memory for any number of notes.
//
// A PHI token is one of Compare's (a run of letters and digits in a gold span; a
// span that has none is one token), and a PHI instance is a gold span. A token is
// left when spans of the system, together and of whatever type, do not cover all
// of it: of a name that lost its first half, the other half can be read. An
// instance is left when one of its tokens is, and a note holds PHI still when one
// of its instances is left. What several gold spans share counts once.
type Leak struct {
	types      *data.TypeSet
	notes      int
	kinds      []leakKind        // the first is of all PHI
	ofType     map[string][3]int // the kinds that a type is of: all, its category, and itself
	ofCategory map[string]int    // the kind that a category is
}

// leakKind is PHI of a category, or of a type of it, or any.
type leakKind struct {
	category, typ string
	notes         map[leakCounts]int // how many notes with such PHI have these counts of it
}

// leakCounts is what a note has of a kind, and how much of it was left.
type leakCounts struct{ tokens, instances tally }

type tally struct{ left, total int }

// NewLeak takes the type set that puts types into categories. A type that it
// does not have is its own category.
func NewLeak(types *data.TypeSet) *Leak {
	return &Leak{types: types, kinds: []leakKind{{notes: map[leakCounts]int{}}}, ofType: map[string][3]int{}, ofCategory: map[string]int{}}
}

// Add takes in one note. Of a note that the system did not give, let system be an
// empty document: all of its PHI is left.
func (l *Leak) Add(gold, system *data.Document) {
	var tokens, instances []phi
	removed := data.Merge(system.Spans)
	left := func(t data.Token) bool { return !data.Covered(data.Span{Start: t.Start, End: t.End}, removed) }
	words := newWords(gold.Text)
	leftBefore := make([]int, len(words)+1) // how many words before each are left
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

// phi is a token or an instance.
type phi struct {
	kinds      [3]int
	start, end int
	left       bool
}

// each calls count for each stretch of text once a kind. It sorts.
func each(all []phi, count func(kind int, left bool)) {
	slices.SortFunc(all, func(a, b phi) int { return cmp.Or(a.start-b.start, a.end-b.end) })
	first := 0            // of those on the same stretch
	last := map[int]int{} // by kind: the first of the stretch for which it was counted last, from 1
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

// LeakReport is what was left. In JSON:
//
//	{"resamples":1999,"tokens":{"left":12,"total":1200,"share":0.01,"low":0.005,"high":0.016},
//	 "instances":{...},"notes":{...},"categories":{"NAME":{"tokens":...}},"types":{"PATIENT":{"category":"NAME",...}}}
type LeakReport struct {
	Resamples int `json:"resamples"` // of the bootstrap
	LeakRow
	Categories map[string]LeakRow  `json:"categories"`
	Types      map[string]LeakType `json:"types"`
}

// LeakType is what was left of a type.
type LeakType struct {
	Category string `json:"category"`
	LeakRow
}

// LeakRow is what was left of PHI of one kind. Its notes are all notes, whether
// they hold PHI of this kind or not.
type LeakRow struct {
	Tokens    LeakShare `json:"tokens"`
	Instances LeakShare `json:"instances"`
	Notes     LeakShare `json:"notes"`
}

// LeakShare is Left of Total, their ratio (0 for 0/0), and its 95 % interval.
type LeakShare struct {
	Left  int     `json:"left"`
	Total int     `json:"total"`
	Share float64 `json:"share"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// leakResamples is how many corpora the bootstrap draws. The 95 % interval ends
// at the 50th smallest and the 50th greatest share: (1,999 + 1) * 0.025 = 50.
const (
	leakResamples = 1999
	leakTail      = 50
)

// Report computes the shares of what was added, with their 95 % percentile
// intervals of the bootstrap (Efron and Tibshirani 1993, section 13.3). Notes are
// drawn, not spans, since what a system misses in a note comes together. A drawn
// corpus without PHI of a kind does not count for that kind. All chance follows
// from the seed, whatever the number of cores, of which it takes all; kinds with
// the same counts have the same intervals.
//
// What the notes do not show, no resample shows: where nothing was left, the
// interval is [0, 0], and that of a type found in few notes is too narrow.
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

// tokens is how many notes have what tally of tokens.
func (k *leakKind) tokens() map[tally]int {
	return k.tallies(func(c leakCounts) tally { return c.tokens })
}

func (k *leakKind) instances() map[tally]int {
	return k.tallies(func(c leakCounts) tally { return c.instances })
}

// whole takes each of the notes as one thing, left or not.
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

// class is notes of equal tallies.
type class struct {
	tally
	notes int
}

// bootstrap draws corpora of notes, of which so many have each tally; the rest
// has nothing of what is counted. (That of package significance draws tallies of
// fractions, note by note, and tells several statistics of one draw. Here each of a
// hundred kinds has two whole numbers a note, mostly the same ones: what is drawn is
// how many notes have them, which makes it fast enough to be part of every score.)
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
		share.Low, share.High = share.Share, share.Share // of all resamples
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

// notesAClass is how many notes are drawn in the time that one binomial number
// takes.
const notesAClass = 50

// drawNotes draws one note after the other.
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

// drawClasses draws how many notes there are of each class: together these
// numbers are multinomial, and each is binomial given those before it. It takes
// as long for a million notes as for a thousand.
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

// WriteText writes the report as a table for people: of all PHI, and of each
// category and its types.
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
