package review

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/lethe-deid/lethe/data"
)

// Bound says how much PHI the model leaves in the notes that the sample was drawn from. A PHI token is a run of letters and
// digits in a span that the readers marked, or the whole span if it has none. It is left unless the spans of the model cover
// all of it, whatever their types.
//
// The bounds are one-sided, with a confidence of 95 %. If the sample is the whole population, they are the shares themselves;
// otherwise, UpperClustered and UpperIndependent have no correction for a finite population, and are too high rather than too
// low if much of it is in the sample.
type Bound struct {
	Notes  int               `json:"notes"`   // in the sample
	Units  int               `json:"units"`   // drawn: patients if the sample is ByPatient, otherwise notes
	Tokens int               `json:"tokens"`  // PHI tokens in the sample
	Missed int               `json:"missed"`  // of them, left by the model
	Share  float64           `json:"share"`   // Missed / Tokens
	Upper  float64           `json:"upper95"` // the figure of Statement: UpperClustered
	Types  map[string]Missed `json:"types"`
	// UpperClustered allows for the tokens of a unit to be alike, as they are in a note in another layout, of which everything
	// is missed: see upperClustered. UpperIndependent takes each token as drawn by itself (Clopper and Pearson). It is lower,
	// and right only if misses do not cluster.
	UpperClustered   float64 `json:"upper95_clustered"`
	UpperIndependent float64 `json:"upper95_independent"`
	DesignEffect     float64 `json:"design_effect"` // tokens divided by the number of independent ones that tell as much
	// Of the drawn units, the number in which anything is left, and the upper bound for the share of such units, which is exact
	// for a population of this size.
	UnitsLeft  int     `json:"units_left"`
	UpperUnits float64 `json:"upper95_units"`
	// Hidden is the number of PHI tokens that both readers and the model missed, as estimated from those that one reader found
	// and the other did not. It is nil unless there are two readers. UpperHidden is Upper with these tokens added.
	Hidden      *float64   `json:"hidden,omitempty"`
	UpperHidden *float64   `json:"upper95_hidden,omitempty"`
	Differing   int        `json:"differing"` // number of notes on which the readers differ and Final has not decided: whatever either marked counts as PHI
	Population  Population `json:"population"`
	By          By         `json:"by"`
	Whole       bool       `json:"whole"` // the sample is the whole population
	Statement   string     `json:"statement"`
}

// Missed counts the PHI tokens of a type.
type Missed struct {
	Tokens int `json:"tokens"`
	Missed int `json:"missed"`
	// Upper is the bound for the tokens of this type alone, as UpperClustered is for all. Each such bound holds with a confidence of
	// 95 %, but not all of them together.
	Upper float64 `json:"upper95"`
}

// NoBound is the error for a review that allows no statement about the notes that it was drawn from.
type NoBound struct{ Reason string }

func (e *NoBound) Error() string { return "there is no bound: " + e.Reason }

// Bound computes the bound. The error is a *NoBound if the sample is not random or a note is not decided.
func (r *Review) Bound() (*Bound, error) {
	if !r.By.Random() {
		return nil, &NoBound{"the sample is not random, but was drawn by " + string(r.By)}
	}
	b := &Bound{Notes: len(r.Notes), By: r.By, Population: r.Population, Types: map[string]Missed{}}
	units, ofType := map[int]cluster{}, map[string]map[int]cluster{}
	seen := &captures{}
	undecided := 0
	for number := 1; number <= len(r.Notes); number++ {
		gold, verdict, err := r.Gold(number)
		if err != nil {
			return nil, err
		}
		switch verdict {
		case Undecided:
			undecided++
			continue
		case Differing:
			b.Differing++
		}
		n, err := r.Note(number)
		if err != nil {
			return nil, err
		}
		found := n.Found()
		tokens := phiTokens(n.Text, gold)
		left := outside(tokens, found)
		unit := r.Notes[number-1].Unit
		units[unit] = units[unit].plus(len(tokens), len(left))
		for _, t := range tokens {
			if ofType[t.Type] == nil {
				ofType[t.Type] = map[int]cluster{}
			}
			ofType[t.Type][unit] = ofType[t.Type][unit].plus(1, 0)
		}
		for _, t := range left {
			ofType[t.Type][unit] = ofType[t.Type][unit].plus(0, 1)
		}
		if len(r.Readers) == 2 {
			of, _, err := r.both(number)
			if err != nil {
				return nil, err
			}
			seen.add(left, of)
		}
	}
	if undecided > 0 {
		return nil, &NoBound{fmt.Sprintf("%d of %d notes are not reviewed by every reader", undecided, len(r.Notes))}
	}
	all := inOrder(units)
	if err := b.compute(all); err != nil {
		return nil, err
	}
	for name, units := range ofType {
		b.Types[name] = b.ofType(inOrder(units))
	}
	if len(r.Readers) == 2 {
		b.addHidden(all, seen.hidden())
	}
	b.Statement = b.statement()
	return b, nil
}

// compute sets the figures that follow from the units.
func (b *Bound) compute(units []cluster) error {
	for _, u := range units {
		b.Tokens += u.tokens
		b.Missed += u.left
		if u.left > 0 {
			b.UnitsLeft++
		}
	}
	b.Units = len(units)
	if b.Tokens == 0 {
		return &NoBound{"the readers marked no PHI"}
	}
	b.Share = float64(b.Missed) / float64(b.Tokens)
	b.UpperClustered, b.DesignEffect = upperClustered(units)
	b.UpperIndependent = upperBinomial(float64(b.Missed), float64(b.Tokens))
	b.UpperUnits = float64(upperFinite(b.UnitsLeft, b.Units, b.Population.Units)) / float64(b.Population.Units)
	if b.Whole = b.Units == b.Population.Units; b.Whole {
		b.UpperClustered, b.UpperIndependent = b.Share, b.Share
	}
	b.Upper = b.UpperClustered
	return nil
}

// ofType returns the figures of one type, whose tokens are in these units.
func (b *Bound) ofType(units []cluster) (m Missed) {
	for _, u := range units {
		m.Tokens += u.tokens
		m.Missed += u.left
	}
	if m.Upper, _ = upperClustered(units); b.Whole {
		m.Upper = float64(m.Missed) / float64(m.Tokens)
	}
	return m
}

// inOrder returns units by their numbers, so that sums do not depend on the order of a map.
func inOrder(units map[int]cluster) (all []cluster) {
	for _, number := range slices.Sorted(maps.Keys(units)) {
		all = append(all, units[number])
	}
	return all
}

// addHidden sets the figures that include the PHI that nobody saw, as tokens that are spread over the units.
func (b *Bound) addHidden(units []cluster, hidden float64) {
	b.Hidden = &hidden
	with := make([]cluster, len(units))
	copy(with, units)
	for i := range int(math.Ceil(hidden)) {
		with[i%len(with)].tokens++
		with[i%len(with)].left++
	}
	upper, _ := upperClustered(with)
	if b.Whole {
		upper = (float64(b.Missed) + math.Ceil(hidden)) / (float64(b.Tokens) + math.Ceil(hidden))
	}
	upper = math.Max(upper, b.Upper)
	b.UpperHidden = &upper
}

// captures counts the PHI tokens that the model left, by who of the readers found them.
type captures struct{ first, second, both int }

// add adds the tokens left in a note.
func (c *captures) add(left []data.Span, of [2][]data.Span) {
	for _, t := range left {
		first, second := data.Covered(t, of[0]), data.Covered(t, of[1])
		switch {
		case first && second:
			c.both++
		case first:
			c.first++
		case second:
			c.second++
		}
	}
}

// hidden estimates how many tokens neither reader found, by the estimator of Chapman (1951, "Some properties of the
// hypergeometric distribution with applications to zoological sample censuses"), with the readers as the two captures. It
// assumes that a token which one reader overlooked is not harder for the other. That is rarely so, so the estimate tends to be
// too low.
func (c *captures) hidden() float64 {
	first, second, both := float64(c.first+c.both), float64(c.second+c.both), float64(c.both)
	all := (first+1)*(second+1)/(both+1) - 1
	return math.Max(0, all-(first+second-both))
}

func (b *Bound) statement() string {
	what := map[By]string{ByNote: "notes", ByPatient: "patients"}[b.By]
	if b.Whole {
		return fmt.Sprintf("All %d %s were reviewed: %s of the PHI tokens are left.", b.Units, what, percent(b.Share))
	}
	return fmt.Sprintf("With 95 %% confidence, at most %s of the PHI tokens are left in the %d notes that the sample was drawn from.", percentUp(b.Upper), b.Population.Notes)
}

// percent returns a share as a percentage with two digits after the point.
func percent(share float64) string { return fmt.Sprintf("%.2f %%", 100*share) }

// percentUp is percent, rounded up, as a bound must be.
func percentUp(share float64) string {
	return fmt.Sprintf("%.2f %%", math.Max(0, math.Ceil(1e4*share-1e-9))/100)
}

// WriteText writes the figures for people.
func (b *Bound) WriteText(w io.Writer) error {
	what := map[By]string{ByNote: "notes", ByPatient: "patients"}[b.By]
	lines := []string{
		b.Statement,
		"",
		fmt.Sprintf("reviewed                 %d notes with %d PHI tokens, of %d notes", b.Notes, b.Tokens, b.Population.Notes),
		fmt.Sprintf("left by the model        %d PHI tokens (%s), in %d of %d %s", b.Missed, percent(b.Share), b.UnitsLeft, b.Units, what),
		fmt.Sprintf("upper bounds (95 %%)      %s of the PHI tokens, if misses may cluster in %s (the statement; design effect %.1f)", percentUp(b.UpperClustered), what, b.DesignEffect),
		fmt.Sprintf("                         %s of the PHI tokens, if each is missed independently of the others", percentUp(b.UpperIndependent)),
		fmt.Sprintf("                         %s of the %s have anything left", percentUp(b.UpperUnits), what),
	}
	if b.Hidden != nil {
		lines = append(lines, fmt.Sprintf("missed by both readers   about %.1f PHI tokens, by capture and recapture; with them, the bound is %s", *b.Hidden, percentUp(*b.UpperHidden)))
	}
	if b.Differing > 0 {
		lines = append(lines, fmt.Sprintf("not decided              %d notes on which the readers differ: whatever either marked counts as PHI", b.Differing))
	}
	if b.Population.Failed > 0 {
		lines = append(lines, fmt.Sprintf("not in the population    %d notes that could not be read", b.Population.Failed))
	}
	for _, line := range lines {
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}
