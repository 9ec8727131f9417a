package models

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"

	"path/filepath"
	"regexp"

	"github.com/lethe-deid/lethe/checkpoints"
	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/wholefile"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/ann"
	"github.com/lethe-deid/lethe/taggers/operating"
)

// Tuning says how Tune trains a model further.
type Tuning struct {
	Notes []*data.Document // with gold Spans, of the model's types
	// Copies returns further notes to train on in an epoch, counted from 1: see taggers.Task. Nil: none.
	Copies  func(epoch int) ([]*data.Document, error)
	Epochs  int     // number of times that Notes are read; must be positive
	Rate    float64 // factor of the learning rate with which each network was trained; must be positive
	Seed    uint64  // determines all random choices
	Workers int     // number of cores to use; the result is the same for the same number
	About   string  // sentences about the notes for the model card, in Markdown
	Report  taggers.Report
}

// Tune trains the networks of a model further, and writes the new model into the folder to, which is an error if it exists. All
// other parts of the model, such as rules, CRFs and the weights of an ensemble, are copied, but not the operating points, which
// are no longer right: calibrate the new model. No word of the notes gets into the files of the new model, but its weights
// depend on them. A model without networks is an error.
func (m *Model) Tune(ctx context.Context, to string, how Tuning) error {
	if m.members != nil {
		return errors.New("the model auto has several members: train one of them")
	}
	networks := 0
	return m.copy(to, func(to, from string) error {
		networks++
		name, err := bounded.Rel(m.Dir, from)
		if err != nil {
			return err
		}
		task := taggers.Task{Types: m.Types, Train: how.Notes, Copies: how.Copies, Workers: how.Workers, Report: how.Report, Seed: how.Seed ^ hash(filepath.ToSlash(name))}
		return ann.Tune(ctx, from, to, ann.Tuning{Epochs: how.Epochs, Rate: how.Rate}, task)
	}, func(fresh string) error {
		if networks == 0 {
			return fmt.Errorf("%s: contains no network, and nothing else can be trained further: train a new model with lethe train", m.Dir)
		}
		return setCard(fresh, how.About)
	})
}

// CarryDefault gives a model that Tune has written into a folder the default threshold of the model that it was made from, if
// this has one (see Calibrate). It reports whether it has. No recall is known then, as without a calibration.
func (m *Model) CarryDefault(to string) (bool, error) {
	curve, err := OperatingPoints(m.Dir)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, operating.ErrOutdated) || err == nil && curve.Default == 0 {
		return false, nil
	} else if err != nil {
		return false, err
	}
	digest, err := measured(to)
	if err != nil {
		return false, err
	}
	return true, curve.Carry(to, digest)
}

// hash returns a number for the name of a network, so that the networks of an ensemble are not trained in the same order.
func hash(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}

// title matches the title of a model card.
var title = regexp.MustCompile(`(?m)^# .*$`)

// setCard says in the model card that the model was trained further, and that its operating points are unknown.
func setCard(dir, about string) error {
	if err := checkpoints.SetOperatingPoints(dir, []byte("They are not known: lethe calibrate measures them.")); err != nil {
		return err
	}
	path := filepath.Join(dir, checkpoints.CardFile)
	card, err := bounded.ReadFile(path, bounded.MaxConfig)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	at := 0
	if found := title.FindIndex(card); found != nil {
		at = found[1]
	}
	card = bytes.Join([][]byte{card[:at], []byte("**Trained further.** " + about + " What follows is the card of the model before."), bytes.TrimLeft(card[at:], "\n")}, []byte("\n\n"))
	return wholefile.WriteFile(path, card, 0o666)
}
