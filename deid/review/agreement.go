package review

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/evaluation"
)

// Agreement says how well two readers agree on the notes with which both are done. Neither is the gold standard: F1 is the
// same whichever of them is taken as one (Hripcsak and Rothschild 2005, "Agreement, the F-measure, and reliability in
// information retrieval").
type Agreement struct {
	Notes   int                      `json:"notes"`    // in the sample
	Both    int                      `json:"both"`     // with which both readers are done
	Decided int                      `json:"decided"`  // on which they agree, or Final has decided
	F1      float64                  `json:"f1"`       // of spans with equal borders and types; 1 if there are none
	TokenF1 float64                  `json:"token_f1"` // of PHI tokens, whatever their types; 1 if there are none
	Kappa   *float64                 `json:"kappa"`    // Cohen's, over all tokens with their types; null if it is undefined, as when there is no PHI
	ByType  map[string]TypeAgreement `json:"by_type"`
}

// TypeAgreement is the agreement on one type.
type TypeAgreement struct {
	First   int      `json:"first"`  // spans of the first reader
	Second  int      `json:"second"` // spans of the second reader
	Both    int      `json:"both"`   // equal ones
	F1      float64  `json:"f1"`
	TokenF1 float64  `json:"token_f1"` // of tokens of this type
	Kappa   *float64 `json:"kappa"`    // over all tokens, of this type or not
}

// Difference is a place where two readers differ. It has a span of one of them, or of both if they overlap.
type Difference struct {
	Note   int   `json:"note"`
	First  *Span `json:"first,omitempty"`
	Second *Span `json:"second,omitempty"`
}

// ErrOneReader is the error of Agreement if there is only one.
var ErrOneReader = errors.New("the review has one reader, and agreement requires two")

// ErrNoneDone is the error of Agreement if there is nothing to compare yet.
var ErrNoneDone = errors.New("there is no note yet with which both readers are done")

// Agreement computes the agreement of the two readers. The error is ErrOneReader or ErrNoneDone if there is nothing to compare.
func (r *Review) Agreement() (*Agreement, []Difference, error) {
	if len(r.Readers) != 2 {
		return nil, nil, ErrOneReader
	}
	a := &Agreement{Notes: len(r.Notes), ByType: map[string]TypeAgreement{}}
	var (
		spans, tokens matches
		all           table
		differences   []Difference
		ofType        = map[string]*matches{}
	)
	for number := 1; number <= len(r.Notes); number++ {
		of, agreed, err := r.Differences(number)
		if errors.Is(err, ErrNotDone) {
			continue
		} else if err != nil {
			return nil, nil, err
		}
		_, verdict, err := r.Gold(number)
		if err != nil {
			return nil, nil, err
		}
		n, err := r.Note(number)
		if err != nil {
			return nil, nil, err
		}
		a.Both++
		if verdict != Differing {
			a.Decided++
		}
		spans.add(len(of[0]), len(of[1]), len(agreed))
		for i := range of {
			for _, s := range of[i] {
				matchesOf(ofType, s.Type)[i]++
			}
		}
		for _, s := range agreed {
			matchesOf(ofType, s.Type)[2]++
		}
		first, second := phiTokens(n.Text, of[0]), phiTokens(n.Text, of[1])
		tokens.add(len(first), len(second), shared(first, second))
		all.add(labels(n.Text, of[0]), labels(n.Text, of[1]))
		differences = append(differences, differ(number, of)...)
	}
	if a.Both == 0 {
		return nil, nil, ErrNoneDone
	}
	a.F1, a.TokenF1, a.Kappa = spans.f1(), tokens.f1(), all.kappa()
	for _, name := range slices.Sorted(maps.Keys(ofType)) {
		m, binary := *ofType[name], all.only(name)
		a.ByType[name] = TypeAgreement{m[0], m[1], m[2], m.f1(), binary.f1(), binary.kappa()}
	}
	return a, differences, nil
}

// shared counts the tokens that are in both lists, whatever their types.
func shared(first, second []data.Span) int {
	n := 0
	for _, t := range first {
		if from, to := data.Overlapping(second, t); from < to && second[from].Start == t.Start && second[from].End == t.End {
			n++
		}
	}
	return n
}

// matches counts what the first reader marked, what the second did, and what both did.
type matches [3]int

func matchesOf(all map[string]*matches, name string) *matches {
	if all[name] == nil {
		all[name] = &matches{}
	}
	return all[name]
}

func (m *matches) add(first, second, both int) {
	m[0] += first
	m[1] += second
	m[2] += both
}

func (m matches) f1() float64 {
	if m[0]+m[1] == 0 {
		return 1
	}
	return evaluation.Counts{TP: m[2], FP: m[0] - m[2], FN: m[1] - m[2]}.F1()
}

// table counts tokens by the labels of both readers.
type table map[[2]string]int

func (t *table) add(first, second []string) {
	if *t == nil {
		*t = table{}
	}
	for i := range first {
		(*t)[[2]string{first[i], second[i]}]++
	}
}

// only returns the table of a type against everything else.
func (t table) only(name string) table {
	binary := table{}
	for labels, n := range t {
		for i := range labels {
			if labels[i] != name {
				labels[i] = ""
			}
		}
		binary[labels] += n
	}
	return binary
}

// f1 returns the F1 of the tokens that are of a type, whichever.
func (t table) f1() float64 {
	var m matches
	for labels, n := range t {
		if labels[0] != "" {
			m[0] += n
		}
		if labels[1] != "" {
			m[1] += n
		}
		if labels[0] != "" && labels[0] == labels[1] {
			m[2] += n
		}
	}
	return m.f1()
}

// kappa returns the coefficient of Cohen (1960, "A coefficient of agreement for nominal scales"), or nil if agreement by chance
// is certain.
func (t table) kappa() *float64 {
	total, equal := 0, 0
	of := [2]map[string]int{{}, {}}
	for labels, n := range t {
		total += n
		if labels[0] == labels[1] {
			equal += n
		}
		for i, label := range labels {
			of[i][label] += n
		}
	}
	chance := 0 // times total squared
	for label, n := range of[0] {
		chance += n * of[1][label]
	}
	if chance == total*total {
		return nil
	}
	kappa := float64(total*equal-chance) / float64(total*total-chance)
	return &kappa
}

// differ lists the places in a note where two readers differ.
func differ(number int, of [2][]data.Span) []Difference {
	var all []Difference
	paired := map[int]bool{}
	for _, s := range of[0] {
		if slices.Contains(of[1], s) {
			continue
		}
		d := Difference{Note: number, First: &Span{s.Start, s.End, s.Type, s.Score}}
		from, to := data.Overlapping(of[1], s)
		for k := from; k < to; k++ {
			if !paired[k] {
				paired[k], d.Second = true, &toJSON(of[1][k : k+1])[0]
				break
			}
		}
		all = append(all, d)
	}
	for k, s := range of[1] {
		if !paired[k] && !slices.Contains(of[0], s) {
			all = append(all, Difference{Note: number, Second: &Span{s.Start, s.End, s.Type, s.Score}})
		}
	}
	slices.SortStableFunc(all, func(a, b Difference) int { return cmp.Compare(a.place(), b.place()) })
	return all
}

// place returns where the difference begins.
func (d Difference) place() int {
	if d.First == nil {
		return d.Second.Start
	}
	return d.First.Start
}

// What says in a word or two what differs: the type, the borders, or who alone marked the place.
func (d Difference) What(readers []string) string {
	switch {
	case d.Second == nil:
		return "only " + readers[0]
	case d.First == nil:
		return "only " + readers[1]
	case d.First.Start == d.Second.Start && d.First.End == d.Second.End:
		return "type"
	}
	return "borders"
}

// WriteText writes the figures for people.
func (a *Agreement) WriteText(w io.Writer) error {
	_, err := fmt.Fprintf(w, "notes              %d, of which both readers are done with %d, of which %d are decided\nspan F1            %.4f\ntoken F1           %.4f\nCohen's kappa      %s\n",
		a.Notes, a.Both, a.Decided, a.F1, a.TokenF1, coefficient(a.Kappa))
	if err != nil || len(a.ByType) == 0 {
		return err
	}
	if _, err := fmt.Fprintf(w, "\n%-16s %7s %7s %7s %8s %8s %8s\n", "type", "first", "second", "both", "span F1", "token F1", "kappa"); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(a.ByType)) {
		t := a.ByType[name]
		if _, err := fmt.Fprintf(w, "%-16s %7d %7d %7d %8.4f %8.4f %8s\n", name, t.First, t.Second, t.Both, t.F1, t.TokenF1, coefficient(t.Kappa)); err != nil {
			return err
		}
	}
	return nil
}

// coefficient returns a coefficient as text.
func coefficient(x *float64) string {
	if x == nil {
		return "undefined"
	}
	return fmt.Sprintf("%.4f", *x)
}
