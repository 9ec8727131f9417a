// Package significance tests whether the difference between two systems is real
// or can be explained by chance.
//
// [Compare] takes what two systems found in the same documents. For precision,
// recall and F1 of any metric, it computes the p-value of approximate
// randomization and the bootstrap interval of the difference. Both treat units as
// a whole: documents or, because notes of the same patient resemble each other,
// patients.
package significance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/evaluation"
)

// Options of a test. The zero value tests by document with 9,999 shuffles, seed 0
// and all cores.
type Options struct {
	Shuffles  int    // maximum number; 0: 9,999, as in Dernoncourt et al. 2016, section 3.4
	ByPatient bool   // swap and draw the documents of one patient (see data.Document) together
	Seed      uint64 // the seed of all random numbers
	Workers   int    // number of cores, which affects only the time; 0: all
}

// System contains what one system found in the documents of a gold standard.
type System struct {
	Name        string // the name in errors and in the report
	Gold, Found data.Documents
}

// Report is the comparison of two systems. Other programs may rely on the keys of
// its JSON form.
type Report struct {
	A         string   `json:"a"` // the systems' names
	B         string   `json:"b"`
	Split     string   `json:"split,omitempty"` // split of the systems' corpus, if known; set by the caller
	Documents int      `json:"documents"`
	By        string   `json:"by"`    // the unit that was swapped: document or patient
	Units     int      `json:"units"` // number of units
	Seed      uint64   `json:"seed"`
	Metrics   []Result `json:"metrics"`
}

// Result is the comparison by one metric.
type Result struct {
	Metric    string     `json:"metric"`
	Differing int        `json:"differing"` // number of units with different tallies for A and B: the only ones that affect the test
	Shuffles  int        `json:"shuffles"`
	Exact     bool       `json:"exact"` // all possible shuffles were used, instead of random ones
	Precision Difference `json:"precision"`
	Recall    Difference `json:"recall"`
	F1        Difference `json:"f1"`
}

// Difference is the difference of one score, in [0, 1], between two systems.
type Difference struct {
	A          float64 `json:"a"`
	B          float64 `json:"b"`
	ALow       float64 `json:"a_low"` // 95 % bootstrap interval of A
	AHigh      float64 `json:"a_high"`
	BLow       float64 `json:"b_low"` // and of B
	BHigh      float64 `json:"b_high"`
	Difference float64 `json:"difference"` // B - A
	Low        float64 `json:"low"`        // lower end of the 95 % bootstrap interval of the difference
	High       float64 `json:"high"`       // upper end of the interval
	P          float64 `json:"p"`          // two-sided p-value of this difference alone
	Holm       float64 `json:"p_holm"`     // P corrected for all differences that are tested together; see Holm
}

// differences returns the differences that are tested together.
func (r *Result) differences() []*Difference {
	return []*Difference{&r.Precision, &r.Recall, &r.F1}
}

// Compare tests, for each of the metrics, whether a and b differ in what they
// found of the gold standard. Documents are matched by ID and read one at a time.
//
// Compare returns an error that names documents if a system does not have exactly
// the documents of its gold standard, or if the two gold standards differ in
// their documents, texts or spans. It also returns the errors of
// evaluation.DocumentPairs. Patients are those of the gold documents; with
// ByPatient, it is an error if a document has none.
func Compare(ctx context.Context, a, b System, metrics []evaluation.Metric, opt Options) (*Report, error) {
	notesA, err := read(ctx, a, metrics)
	if err != nil {
		return nil, err
	}
	notesB, err := read(ctx, b, metrics)
	if err != nil {
		return nil, err
	}
	if err := sameGold(a.Name, notesA, b.Name, notesB); err != nil {
		return nil, err
	}
	ids := slices.Sorted(maps.Keys(notesA)) // whatever the order in which they were read
	if len(ids) == 0 {
		return nil, errors.New("no gold documents to compare with")
	}
	units, err := group(ids, notesA, opt.ByPatient)
	if err != nil {
		return nil, err
	}
	r := &Report{A: a.Name, B: b.Name, Documents: len(ids), By: data.ByDocument, Units: len(units), Seed: opt.Seed, Metrics: []Result{}}
	if opt.ByPatient {
		r.By = data.ByPatient
	}
	for i, m := range metrics {
		result, err := Test(ctx, sums(i, units, notesA), sums(i, units, notesB), m.Score, opt)
		if err != nil {
			return nil, fmt.Errorf("metric %s: %w", m.Name, err)
		}
		result.Metric = m.Name
		r.Metrics = append(r.Metrics, *result)
	}
	var results []*Result
	for i := range r.Metrics {
		results = append(results, &r.Metrics[i])
	}
	Correct(results...)
	return r, nil
}

// note is the data kept of a gold document and of what a system found in it.
type note struct {
	patient     string
	text, spans uint64      // digests of the gold standard
	tallies     [][]float64 // by metric
}

var digest = maphash.MakeSeed()

// read reads the documents and returns the data needed of each, by ID.
func read(ctx context.Context, s System, metrics []evaluation.Metric) (map[string]*note, error) {
	notes := map[string]*note{}
	var missing, extra []string
	for p, err := range evaluation.DocumentPairs(s.Gold, s.Found) {
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			if _, ok := errors.AsType[*data.Error](err); ok {
				return nil, err // it names a file
			}
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		case p.System == nil:
			missing = append(missing, p.ID)
			continue
		case p.Gold == nil:
			extra = append(extra, p.ID)
			continue
		}
		n := &note{patient: p.Gold.Patient, text: maphash.String(digest, p.Gold.Text), spans: digestSpans(p.Gold.Spans)}
		for _, m := range metrics {
			n.tallies = append(n.tallies, m.Tally(p.Gold, p.System))
		}
		notes[p.ID] = n
	}
	if len(missing)+len(extra) > 0 {
		return nil, fmt.Errorf("%s: not the documents of its gold standard: %s", s.Name,
			unshared("the gold standard", missing, "what was found", extra, len(notes)))
	}
	return notes, nil
}

func digestSpans(spans []data.Span) uint64 {
	var h maphash.Hash
	h.SetSeed(digest)
	sorted := slices.Clone(spans)
	data.SortSpans(sorted)
	for _, s := range sorted {
		fmt.Fprintf(&h, "%d %d %s\n", s.Start, s.End, s.Type)
	}
	return h.Sum64()
}

// unshared names the documents that are on one side only, and says how many there
// are compared with those on both sides.
func unshared(nameA string, onlyA []string, nameB string, onlyB []string, both int) string {
	const most = 5
	var parts []string
	for _, side := range []struct {
		name string
		ids  []string
	}{{nameA, onlyA}, {nameB, onlyB}} {
		n := len(side.ids)
		if n == 0 {
			continue
		}
		names := strings.Join(side.ids[:min(n, most)], ", ")
		if n > most {
			names += ", ..."
		}
		parts = append(parts, fmt.Sprintf("only in %s: %d of %d (%s)", side.name, n, n+both, names))
	}
	return strings.Join(parts, "; ")
}

// SameGold returns an error unless the gold standards of two systems have the same documents, with the same texts and spans.
func SameGold(ctx context.Context, nameA string, a data.Documents, nameB string, b data.Documents) error {
	notesA, err := read(ctx, System{Name: nameA, Gold: a, Found: a}, nil)
	if err != nil {
		return err
	}
	notesB, err := read(ctx, System{Name: nameB, Gold: b, Found: b}, nil)
	if err != nil {
		return err
	}
	return sameGold(nameA, notesA, nameB, notesB)
}

// sameGold returns an error if the two systems were tested on different
// documents, or if their gold standards of a document differ.
func sameGold(nameA string, a map[string]*note, nameB string, b map[string]*note) error {
	var onlyA, onlyB, both []string
	for _, id := range slices.Sorted(maps.Keys(a)) {
		if b[id] == nil {
			onlyA = append(onlyA, id)
		} else {
			both = append(both, id)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(b)) {
		if a[id] == nil {
			onlyB = append(onlyB, id)
		}
	}
	if len(onlyA)+len(onlyB) > 0 {
		return fmt.Errorf("different test sets: %s", unshared(nameA, onlyA, nameB, onlyB, len(both)))
	}
	for _, id := range both {
		switch a, b := a[id], b[id]; {
		case a.text != b.text:
			return fmt.Errorf("document %s: the gold standards of %s and %s have different texts", id, nameA, nameB)
		case a.spans != b.spans:
			return fmt.Errorf("document %s: the gold standards of %s and %s have different spans", id, nameA, nameB)
		}
	}
	return nil
}

// group divides documents into units, each a list of IDs.
func group(ids []string, notes map[string]*note, byPatient bool) ([][]string, error) {
	var units [][]string
	place := map[string]int{} // index of each patient's unit
	unknown := 0
	for _, id := range ids {
		patient := notes[id].patient
		if patient == "" {
			unknown++
		}
		if at, ok := place[patient]; ok && byPatient {
			units[at] = append(units[at], id)
			continue
		}
		place[patient] = len(units)
		units = append(units, []string{id})
	}
	if byPatient && unknown > 0 {
		return nil, fmt.Errorf("cannot group by patient: the patients of %d of %d documents are not known (give corpus.patient, or --patients for files)", unknown, len(ids))
	}
	return units, nil
}

// sums adds up the tallies of one metric over the documents of each unit.
func sums(metric int, units [][]string, notes map[string]*note) [][]float64 {
	var all [][]float64
	for _, ids := range units {
		sum := slices.Clone(notes[ids[0]].tallies[metric])
		for _, id := range ids[1:] {
			for at, v := range notes[id].tallies[metric] {
				sum[at] += v
			}
		}
		all = append(all, sum)
	}
	return all
}

// Test compares by one metric, given the tallies of all units: a[i] and b[i] are
// what the two systems add to the totals that score turns into scores. All
// tallies must have the same length. Test leaves Result.Metric to the caller, and
// Difference.Holm to Correct.
func Test(ctx context.Context, a, b [][]float64, score func(total []float64) evaluation.PRF, opt Options) (*Result, error) {
	if err := check(a, b); err != nil {
		return nil, err
	}
	if opt.Shuffles < 0 {
		return nil, fmt.Errorf("%d shuffles", opt.Shuffles)
	}
	s := newShuffler(a, b, score)
	r := &Result{Differing: len(s.differing)}
	var (
		p   [3]float64
		err error
	)
	if p, r.Shuffles, r.Exact, err = s.pValues(ctx, cmp.Or(opt.Shuffles, 9999), opt); err != nil {
		return nil, err
	}
	both := make([][]float64, len(a))
	for i := range both {
		both[i] = slices.Concat(a[i], b[i])
	}
	n := len(a[0])
	intervals, err := bootstrap(ctx, both, func(total []float64) []float64 {
		a, b := score(total[:n]), score(total[n:])
		return []float64{
			b.Precision - a.Precision, b.Recall - a.Recall, b.F1 - a.F1,
			a.Precision, a.Recall, a.F1, b.Precision, b.Recall, b.F1,
		}
	}, opt)
	if err != nil {
		return nil, err
	}
	for i, d := range r.differences() {
		ofA, ofB := intervals[i+3], intervals[i+6]
		*d = Difference{
			A: s.a[i], ALow: ofA.low, AHigh: ofA.high, B: s.b[i], BLow: ofB.low, BHigh: ofB.high,
			Difference: s.b[i] - s.a[i], Low: intervals[i].low, High: intervals[i].high, P: p[i],
		}
	}
	return r, nil
}

// check returns an error if the tallies cannot be compared.
func check(a, b [][]float64) error {
	if len(a) == 0 || len(a) != len(b) {
		return fmt.Errorf("tallies of %d and %d units", len(a), len(b))
	}
	for i := range a {
		if len(a[i]) != len(a[0]) || len(b[i]) != len(a[0]) {
			return fmt.Errorf("tallies of different lengths: %d, %d and %d numbers", len(a[0]), len(a[i]), len(b[i]))
		}
	}
	return nil
}

// parallel calls a function for each number from 0 to n-1, on several workers.
// worker is called once per worker and returns its function. parallel ends early
// only if the context does.
func parallel(ctx context.Context, workers, n int, worker func() func(int)) error {
	const stride = 32 // taken by a worker at a time
	var (
		next atomic.Int64
		done sync.WaitGroup
	)
	if workers < 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	for range min(workers, (n+stride-1)/stride) {
		do := worker()
		done.Go(func() {
			for ctx.Err() == nil {
				first := int(next.Add(stride)) - stride
				for i := first; i < min(first+stride, n); i++ {
					do(i)
				}
				if first+stride >= n {
					return
				}
			}
		})
	}
	done.Wait()
	return ctx.Err()
}
