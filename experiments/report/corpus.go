package report

import (
	"fmt"
	"slices"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/experiments"
)

// corpus returns the size of the training notes, of dev, and of the notes of the report. A split that cannot be read
// is left out, with a warning.
func (m *material) corpus() *table {
	t := &table{ID: "corpus", Caption: "The corpus, by split", First: "Split", Groups: []group{
		{"", []string{"notes", "patients", "notes without PHI", "tokens", "PHI tokens", "PHI spans", "types"}},
	}}
	add := func(split string, notes []*data.Document) {
		t.add("", split, size(notes)...)
	}
	if m.train != nil {
		add(experiments.TrainSplit, m.train)
	}
	if slices.Contains(m.runs[0].Config.Corpus.SplitNames(), experiments.DevSplit) && m.Split != experiments.DevSplit {
		dev, err := m.runs[0].Gold(experiments.DevSplit, m.Progress)
		if err != nil {
			m.Warn(fmt.Errorf("no size of dev, since its notes cannot be read: %w", err))
		} else {
			add(experiments.DevSplit, dev)
		}
	}
	if m.Split != experiments.TrainSplit {
		add(m.Split, m.gold)
	}
	t.Note = "A token is a run of letters and digits. The number of patients is known only if each note says whose it is."
	return t
}

// size counts what the table of the corpus shows about a split.
func size(notes []*data.Document) []string {
	patients, types := map[string]bool{}, map[string]bool{}
	known := true
	var empty, tokens, inPHI, spans int
	for _, d := range notes {
		known = known && d.Patient != ""
		patients[d.Patient] = true
		if len(d.Spans) == 0 {
			empty++
		}
		spans += len(d.Spans)
		for _, s := range d.Spans {
			types[s.Type] = true
		}
		for t := range evaluation.Tokens(d.Text) {
			tokens++
			if slices.ContainsFunc(d.Spans, func(s data.Span) bool { return s.Start < t.End && t.Start < s.End }) {
				inPHI++
			}
		}
	}
	people := none
	if known {
		people = number(len(patients))
	}
	return []string{number(len(notes)), people, number(empty), number(tokens), number(inPHI), number(spans), number(len(types))}
}
