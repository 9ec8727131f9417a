package review

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Status says how far a review is.
type Status struct {
	Name       string                   `json:"name"`
	Model      string                   `json:"model"`
	Digest     string                   `json:"digest"`
	Finds      string                   `json:"finds,omitempty"`
	By         By                       `json:"by"`
	Seed       uint64                   `json:"seed"`
	Population Population               `json:"population"`
	Notes      int                      `json:"notes"`
	Tokens     int                      `json:"tokens"`
	Readers    map[string]map[State]int `json:"readers"`  // number of notes by state, for each reader
	Verdicts   map[Verdict]int          `json:"verdicts"` // number of notes by verdict; undecided ones have the key ""
}

// Status returns how far the review is.
func (r *Review) Status() (*Status, error) {
	s := &Status{
		Name: r.Name, Model: r.Model, Digest: r.Digest, Finds: r.Finds, By: r.By, Seed: r.Seed, Population: r.Population, Notes: len(r.Notes),
		Readers: map[string]map[State]int{}, Verdicts: map[Verdict]int{},
	}
	for i, e := range r.Notes {
		s.Tokens += e.Tokens
		states, verdict, err := r.States(i + 1)
		if err != nil {
			return nil, err
		}
		s.Verdicts[verdict]++
		for reader, state := range states {
			if reader == Final && verdict != Differing && verdict != Decided {
				continue // there is nothing to decide
			}
			if s.Readers[reader] == nil {
				s.Readers[reader] = map[State]int{}
			}
			s.Readers[reader][state]++
		}
	}
	return s, nil
}

// WriteText writes the status for people.
func (s *Status) WriteText(w io.Writer) error {
	how := map[By]string{ByNote: "at random", ByPatient: "with all notes of random patients", ByDoubt: "by doubt"}[s.By]
	lines := []string{
		fmt.Sprintf("review     %s", s.Name),
		fmt.Sprintf("sample     %d notes with %d tokens, drawn %s from %d notes with %d tokens", s.Notes, s.Tokens, how, s.Population.Notes, s.Population.Tokens),
		strings.TrimSpace(fmt.Sprintf("model      %s (%.19s) %s", s.Model, s.Digest, s.Finds)),
	}
	for _, reader := range slices.Sorted(maps.Keys(s.Readers)) {
		n := s.Readers[reader]
		lines = append(lines, fmt.Sprintf("%-10s %d done, %d begun, %d open", reader, n[Done], n[Begun], n[ToDo]))
	}
	lines = append(lines, fmt.Sprintf("decided    %d of %d notes; the readers differ on %d", s.Notes-s.Verdicts[Undecided]-s.Verdicts[Differing], s.Notes, s.Verdicts[Differing]))
	_, err := fmt.Fprintln(w, strings.Join(lines, "\n"))
	return err
}
