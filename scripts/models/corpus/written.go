package main

import (
	"fmt"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/augment"
	"github.com/lethe-deid/lethe/evaluation/unseen"
)

// written returns hand-written notes with inline marks, and modified copies of each. Half of the values of a copy are
// invented, a quarter are those of other notes: dates, ages and professions are never invented, so that the forms
// of these are learned from all notes.
func written(dirs []string, types *data.TypeSet, others []*data.Document, copies int, seed uint64) ([]*data.Document, error) {
	var docs []*data.Document
	for _, dir := range dirs {
		texts, err := unseen.Notes(dir, types)
		if err != nil {
			return nil, err
		}
		for _, t := range texts {
			docs = append(docs, t.Document)
		}
	}
	augmenter, err := augment.New(append(others, docs...), types, augment.Options{
		SwapValues: 0.25, InventValues: 0.7, DropLabels: 0.05, Capitals: 0.04, LowerCase: 0.06, Typos: 0.005, Vary: true,
	})
	if err != nil {
		return nil, err
	}
	all := docs
	for n := range copies {
		changed, err := augmenter.Copy(docs, seed+uint64(n))
		if err != nil {
			return nil, err
		}
		for _, d := range changed {
			d.ID = fmt.Sprintf("%s-%02d", d.ID, n+1)
		}
		all = append(all, changed...)
	}
	return all, nil
}
