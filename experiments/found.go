package experiments

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/format"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/models"
)

// scoresSuffix follows the name of a split, as in predictions/SPLIT.scores.jsonl.
const scoresSuffix = ".scores.jsonl"

// Gold reads a split of the run's corpus. Every note must be readable.
func (r *Run) Gold(split string, progress models.Progress) ([]*data.Document, error) {
	if err := r.checkSplit(split); err != nil {
		return nil, err
	}
	source, err := r.read(split, progress)
	if err != nil {
		return nil, err
	}
	return r.Config.Corpus.collect(split, source, progress)
}

// read reads a split of the run's corpus. If it is a part of the notes given as train, and these are no longer divided as for the training, it returns an error,
// because the part might contain notes that the model was trained on.
func (r *Run) read(split string, progress models.Progress) (data.Documents, error) {
	c := &r.Config.Corpus
	if !c.cuts(split) || split == TrainSplit {
		return c.read(split, progress)
	}
	m, err := r.Machine()
	if err != nil {
		return nil, err
	}
	parts, err := c.part(progress)
	if err != nil {
		return nil, err
	}
	if m != nil && m.Notes != "" && m.Notes != notesDigest(parts[TrainSplit]) {
		return nil, fmt.Errorf("%s: the notes given as train have changed since the training, or their order has, so that the part %s is another and may contain notes that the model was trained on", r.Dir, split)
	}
	return data.Each(parts[split]), nil
}

// SameNotes returns an error if a split is a part of the notes given as train, and these are no longer divided as for the training.
func (r *Run) SameNotes(split string, progress models.Progress) error {
	if !r.Config.Corpus.cuts(split) || split == TrainSplit {
		return nil
	}
	_, err := r.read(split, progress)
	return err
}

// Found reads the predictions for a split that Predict has written. scored reports whether the
// spans have the model's scores, which are in a file of their own because few formats support them.
func (r *Run) Found(split string) (docs []*data.Document, scored bool, err error) {
	if err := r.checkSplit(split); err != nil {
		return nil, false, err
	}
	path := filepath.Join(r.Dir, predictions, split)
	if !bounded.Exists(path) {
		return nil, false, fmt.Errorf("%s: contains no predictions for split %s: create them with lethe predict %s --split %s", r.Dir, split, r.Dir, split)
	}
	types := r.Config.Corpus.TypeSet()
	if docs, err = data.Collect(format.Read(r.Config.Corpus.OutputFormat(), path, format.Options{Types: types})); err != nil {
		return nil, false, err
	}
	scored, err = readScores(path+scoresSuffix, docs)
	return docs, scored, err
}

// PredictedSplit returns test if it was predicted, else dev. It is an error if neither was.
func (r *Run) PredictedSplit() (string, error) {
	for _, split := range []string{TestSplit, DevSplit} {
		if bounded.Exists(filepath.Join(r.Dir, predictions, split)) {
			return split, nil
		}
	}
	return "", fmt.Errorf("%s: contains no predictions for split %s or %s: create them with lethe predict %s", r.Dir, TestSplit, DevSplit, r.Dir)
}

func (r *Run) checkSplit(split string) error {
	if err := r.Config.Corpus.CheckSplit(split); err != nil {
		return fmt.Errorf("%s: the run's corpus has %w", r.Dir, err)
	}
	return nil
}

// scores is one line of the file of scores: the scores of the spans of one document, in order.
type scores struct {
	ID     string    `json:"id"`
	Scores []float64 `json:"scores"`
}

func newScores(doc *data.Document) scores {
	s := scores{doc.ID, []float64{}}
	for _, span := range doc.Spans {
		s.Scores = append(s.Scores, math.Round(span.Score*1e6)/1e6)
	}
	return s
}

// readScores sets the scores of the documents' spans from a file. It returns false if the file does
// not exist, and an error if the file is about other spans.
func readScores(path string, docs []*data.Document) (bool, error) {
	raw, err := bounded.ReadFile(path, bounded.MaxModel)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	all := map[string][]float64{}
	for i, line := range bytes.Split(bytes.TrimSuffix(raw, []byte("\n")), []byte("\n")) {
		var s scores
		if err := json.Unmarshal(line, &s); err != nil {
			return false, fmt.Errorf("%s:%d: not a line of scores", path, i+1)
		}
		for _, x := range s.Scores {
			if !(x >= 0 && x <= 1) {
				return false, fmt.Errorf("%s:%d: score %v is not in [0, 1]", path, i+1, x)
			}
		}
		all[s.ID] = s.Scores
	}
	for _, d := range docs {
		if len(all[d.ID]) != len(d.Spans) {
			return false, fmt.Errorf("%s: contains %d scores for document %s, which has %d spans: predict the split again",
				path, len(all[d.ID]), d.ID, len(d.Spans))
		}
		for i := range d.Spans {
			d.Spans[i].Score = all[d.ID][i]
		}
	}
	return true, nil
}
