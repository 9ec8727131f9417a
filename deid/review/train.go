package review

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/synth"
	"github.com/lethe-deid/lethe/deid/augment"
	"github.com/lethe-deid/lethe/models"
	"github.com/lethe-deid/lethe/taggers"
)

// Training says how Train trains a model further on reviewed notes. See DefaultTraining.
type Training struct {
	Epochs  int    // number of times that the notes are read; must be positive
	Mix     int    // number of generated notes in each epoch, other ones each time, so that the model does not forget what it knows; 0: none
	Seed    uint64 // determines all random choices
	Workers int    // number of cores to use; the result is the same for the same number
	Report  taggers.Report
}

// DefaultTraining returns the defaults, which docs/review.md compares with others.
func DefaultTraining() Training { return Training{Epochs: 10, Mix: 1000, Seed: 1} }

const (
	rate    = 0.5     // factor of the learning rate
	copies  = 3       // copies of the notes with other values in each epoch
	inEpoch = 1 << 20 // between the seeds of two epochs
	// enough is the number of notes from which every fifth is kept for the calibration. From fewer notes, it would know too few doubts.
	enough, everyFifth = 100, 5
)

// Trained says what Train did.
type Trained struct {
	Notes      int    // reviewed notes that the model was trained on
	Copies     bool   // copies with other values were among the training notes
	Generated  string // corpus of the generated notes: see synth.Corpora; "" if there are none for the model's types
	Calibrated int    // reviewed notes that the model was calibrated on
	Carried    bool   // it was not calibrated, but has the default threshold of the old model
}

// Train trains a model further on reviewed notes (see models.Model.Tune), and writes the new model into the folder to, which is
// an error if it exists. In each epoch, it also reads copies of the notes with other values, if such values can be invented for
// the model's language, and generated notes, if there are any of its types. If there are at least 100 notes, it does not train on
// every fifth, but calibrates the new model on them. Otherwise, the new model keeps the default threshold of the old one.
func Train(ctx context.Context, m *models.Model, to string, notes []*data.Document, how Training) (*Trained, error) {
	if len(notes) == 0 {
		return nil, errors.New("there are no notes to train on")
	}
	done := &Trained{Generated: generatedFor(m.Types)}
	if done.Generated == "" {
		how.Mix = 0
	}
	train, held := divide(notes)
	done.Notes = len(train)
	about := fmt.Sprintf("It learnt from %d reviewed notes of its user. No word of them is in its files, but its weights depend on them: treat it as you treat the notes until you know what it gives away.", len(train))
	tuning := models.Tuning{Notes: train, Epochs: how.Epochs, Rate: rate, Seed: how.Seed, Workers: how.Workers, About: about, Report: how.Report}
	augmenter, err := augment.New(train, m.Types, augment.Options{SwapValues: 0.2, InventValues: 0.5, Vary: true})
	done.Copies = err == nil // otherwise there are no surrogates for the language
	tuning.Copies = func(epoch int) ([]*data.Document, error) {
		var all []*data.Document
		for k := range copies {
			if !done.Copies {
				break
			}
			some, err := augmenter.Copy(train, how.Seed+uint64(epoch*copies+k)*inEpoch)
			if err != nil {
				return nil, err
			}
			all = append(all, some...)
		}
		if how.Mix > 0 {
			some, err := generated(done.Generated, "train", how.Seed+uint64(epoch)*inEpoch, how.Mix)
			if err != nil {
				return nil, err
			}
			all = append(all, some...)
		}
		return all, nil
	}
	if err := m.Tune(ctx, to, tuning); err != nil {
		return nil, err
	}
	return done, done.calibrate(ctx, m, to, held, how.Workers)
}

// divide returns the notes to train on, and those to calibrate on, if there are enough. All notes of a patient are on one side.
func divide(notes []*data.Document) (train, held []*data.Document) {
	if len(notes) < enough {
		return notes, nil
	}
	number := map[string]int{}
	for i, d := range notes {
		key := d.Group()
		if d.Patient == "" {
			key = fmt.Sprint("\x00", i)
		}
		if _, ok := number[key]; !ok {
			number[key] = len(number)
		}
		if number[key]%everyFifth == everyFifth-1 {
			held = append(held, d)
		} else {
			train = append(train, d)
		}
	}
	return train, held
}

// generatedFor returns the corpus of generated notes that have the types of a set, or "".
func generatedFor(types *data.TypeSet) string {
	for _, corpus := range slices.Backward(synth.Corpora()) {
		if corpus != synth.DefaultCorpus && (synth.Config{Corpus: corpus}).Types().Name == types.Name {
			return corpus
		}
	}
	return ""
}

func generated(corpus string, split synth.Split, seed uint64, n int) ([]*data.Document, error) {
	return data.Collect(synth.Config{Corpus: corpus, Split: split, Seed: seed}.Notes(n))
}

// calibrate calibrates the new model.
func (t *Trained) calibrate(ctx context.Context, old *models.Model, to string, held []*data.Document, workers int) error {
	if held == nil {
		var err error
		t.Carried, err = old.CarryDefault(to)
		return err
	}
	byDefault := 0.0
	if curve, err := models.OperatingPoints(old.Dir); err == nil {
		byDefault = curve.Default
	}
	m, err := models.Open(to, workers)
	if err != nil {
		return err
	}
	t.Calibrated = len(held)
	_, err = m.Calibrate(ctx, held, "", byDefault)
	return err
}
