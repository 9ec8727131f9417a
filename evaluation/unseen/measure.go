package unseen

import (
	"context"
	"slices"
	"unicode"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/evaluation"
)

// Measures are what a tagger leaves of the PHI and takes from the other text of a set, if everything that it finds is
// removed. Words are the tokens of [evaluation.Tokens]; a word that a gold or neutral span cuts does not count as other text.
// Characters are letters and digits.
type Measures struct {
	Texts int `json:"texts"`
	Counts
	// Types contains the counts of each gold type. Their Lost and Removed counts are zero.
	Types map[string]*Counts `json:"types"`
	// LostTo counts the lost phrases by the type of the span that starts in, or before, their first word.
	LostTo map[string]int `json:"lost_to"`

	WithPHI int `json:"with_phi"` // texts that contain PHI
	NoLeak  int `json:"no_leak"`  // of these, texts of which all items were removed
	Clean   int `json:"clean"`    // texts without PHI
	Touched int `json:"touched"`  // of these, texts from which something was removed

	CleanCharacters int `json:"clean_characters"` // characters in texts without PHI
	CleanRemoved    int `json:"clean_removed"`    // of these, those that were removed

	Strict evaluation.Score `json:"strict"` // spans of equal start, end and type; empty if Measure got no types
	Spans  evaluation.Score `json:"spans"`  // spans of equal start and end
	Each   []TextMeasures   `json:"each"`   // the texts in which something is left or lost
}

// Counts are the counts that add up over texts.
type Counts struct {
	Items         int `json:"items"`          // gold spans
	Whole         int `json:"whole"`          // of these, those of which no character was removed
	Part          int `json:"part"`           // of these, those of which some characters were removed, but not all
	PHICharacters int `json:"phi_characters"` // characters of gold spans
	PHIRemoved    int `json:"phi_removed"`    // of these, those that were removed
	Removed       int `json:"removed"`        // characters that were removed, except neutral ones
	Words         int `json:"words"`          // words outside of gold and neutral spans
	LostWords     int `json:"lost_words"`     // of these, those of which something was removed
	LostPhrases   int `json:"lost_phrases"`   // maximal sequences of lost words
	Changed       int `json:"changed"`        // of these, those of which the policy does not keep everything
}

// TextMeasures are the counts of one text.
type TextMeasures struct {
	ID   string `json:"id"`
	Kind string `json:"kind,omitempty"`
	Counts
	Left []data.Span `json:"-"` // the items that are left in whole or in part
	Lost []data.Span `json:"-"` // the lost phrases, with the types of the spans that took them
}

// Options configure Measure.
type Options struct {
	Types *data.TypeSet // of the gold spans and of those that the tagger finds; nil means that they differ, so that there are no strict scores
	// Stays reports whether a span that the tagger finds is not removed; nil means that all are.
	Stays func(text string, s data.Span) bool
	// Keeps reports whether a policy lets a span stay that is counted as removed here; nil means that it lets none stay. See Counts.Changed.
	Keeps func(text string, s data.Span) bool
}

// Measure applies a tagger to the texts and compares what it finds with their gold spans.
func Measure(ctx context.Context, tagger data.Tagger, texts []Text, opt Options) (*Measures, error) {
	bare := make([]*data.Document, len(texts))
	for i, t := range texts {
		bare[i] = &data.Document{ID: t.ID, Patient: t.Patient, Text: t.Text}
	}
	found, err := tagger.Tag(ctx, bare)
	if err != nil {
		return nil, err
	}
	m := &Measures{Types: map[string]*Counts{}, LostTo: map[string]int{}}
	scorer, err := evaluation.Options{Types: opt.Types}.Scorer()
	if err != nil {
		return nil, err
	}
	for i, t := range texts {
		if opt.Stays != nil {
			found[i] = slices.DeleteFunc(found[i], func(s data.Span) bool { return opt.Stays(t.Text, s) })
		}
		bare[i].Spans = found[i]
		if err := scorer.Add(t.Document, bare[i]); err != nil {
			return nil, err
		}
		changed := found[i]
		if opt.Keeps != nil {
			changed = slices.DeleteFunc(slices.Clone(changed), func(s data.Span) bool { return opt.Keeps(t.Text, s) })
		}
		m.add(t, data.Merge(found[i]), data.Merge(changed))
	}
	report := scorer.Report()
	m.Spans = report.Spans
	if opt.Types != nil {
		m.Strict = report.Strict
	}
	return m, nil
}

// add adds a text of which some spans, which are sorted and disjoint, were removed, and some of these changed by the policy.
func (m *Measures) add(t Text, removed, changed []data.Span) {
	one := TextMeasures{ID: t.ID, Kind: t.Kind}
	for _, s := range t.Spans {
		c := countItem(t.Text, s, removed)
		if m.Types[s.Type] == nil {
			m.Types[s.Type] = &Counts{}
		}
		m.Types[s.Type].add(c)
		one.add(c)
		if c.Whole+c.Part > 0 {
			one.Left = append(one.Left, s)
		}
	}
	for _, s := range removed {
		one.Removed += characters(t.Text[s.Start:s.End])
		for _, n := range t.Neutral {
			if from, to := max(s.Start, n.Start), min(s.End, n.End); from < to {
				one.Removed -= characters(t.Text[from:to])
			}
		}
	}
	one.countOthers(t, removed)
	for _, s := range one.Lost {
		m.LostTo[s.Type]++
		if from, to := data.Overlapping(changed, s); from < to {
			one.Changed++
		}
	}
	m.Texts++
	switch {
	case len(t.Spans) == 0:
		m.Clean++
		m.CleanCharacters += characters(t.Text)
		m.CleanRemoved += one.Removed
		if one.Removed > 0 {
			m.Touched++
		}
	default:
		m.WithPHI++
		if len(one.Left) == 0 {
			m.NoLeak++
		}
	}
	m.Counts.add(one.Counts)
	if len(one.Left) > 0 || one.Removed > one.PHIRemoved {
		m.Each = append(m.Each, one)
	}
}

// countItem counts a gold span.
func countItem(text string, s data.Span, removed []data.Span) Counts {
	c := Counts{Items: 1, PHICharacters: characters(text[s.Start:s.End])}
	for _, left := range data.Subtract(s, removed) {
		c.PHIRemoved -= characters(text[left.Start:left.End])
	}
	c.PHIRemoved += c.PHICharacters
	if c.PHIRemoved == 0 {
		c.Whole = 1
	} else if c.PHIRemoved < c.PHICharacters {
		c.Part = 1
	}
	return c
}

// countOthers counts the words outside of gold and neutral spans.
func (one *TextMeasures) countOthers(t Text, removed []data.Span) {
	all := data.Merge(slices.Concat(t.Spans, t.Neutral))
	running := false
	for w := range evaluation.Tokens(t.Text) {
		word := data.Span{Start: w.Start, End: w.End}
		if from, to := data.Overlapping(all, word); from < to {
			running = false
			continue
		}
		one.Words++
		from, to := data.Overlapping(removed, word)
		if from == to {
			running = false
			continue
		}
		one.LostWords++
		if running {
			one.Lost[len(one.Lost)-1].End = w.End
			continue
		}
		running = true
		one.LostPhrases++
		one.Lost = append(one.Lost, data.Span{Start: w.Start, End: w.End, Type: removed[from].Type})
	}
}

func (c *Counts) add(d Counts) {
	c.Items += d.Items
	c.Whole += d.Whole
	c.Part += d.Part
	c.PHICharacters += d.PHICharacters
	c.PHIRemoved += d.PHIRemoved
	c.Removed += d.Removed
	c.Words += d.Words
	c.LostWords += d.LostWords
	c.LostPhrases += d.LostPhrases
	c.Changed += d.Changed
}

// CharacterRecall returns the share of the characters of PHI that were removed, or 1 if there are none.
func (c Counts) CharacterRecall() float64 { return share(c.PHIRemoved, c.PHICharacters) }

// CharacterPrecision returns the share of PHI in the removed characters, or 1 if none were removed.
func (c Counts) CharacterPrecision() float64 { return share(c.PHIRemoved, c.Removed) }

func share(part, all int) float64 {
	if all == 0 {
		return 1
	}
	return float64(part) / float64(all)
}

// characters counts the letters and digits of a text.
func characters(text string) (n int) {
	for _, r := range text {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n
}
