// Package taggers defines how a tagger (data.Tagger) is configured, trained and saved. Every
// system of every paper is a tagger, in a package of its own below this one, and so is every
// combination of systems. Each package registers its kind of tagger here: see [Node].
package taggers

import (
	"time"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/evaluation"
)

// Model is a tagger that can be saved.
type Model interface {
	data.Tagger
	// Save writes the model's files into a folder, which it creates if necessary.
	Save(dir string) error
}

// Task is the input of Node.Fit.
type Task struct {
	Name       string // of the experiment, for the model card
	Types      *data.TypeSet
	Train, Dev []*data.Document // the scores on Dev determine the best epoch; Dev may be empty unless System.NeedsDev
	// Copies returns changed copies of Train, and other notes that nobody has checked, for an epoch,
	// counted from 1. They are used for training but not for vocabulary counts, so that min_documents
	// still counts real notes. A system without epochs uses those of epoch 1. Nil: none. The function
	// is called from several goroutines when taggers are trained side by side; nobody changes the notes.
	Copies func(epoch int) ([]*data.Document, error)
	// Unseen is for a Stacked node: by child and document of Train, the spans that the
	// child found in the document when it was trained without it. Nil for other nodes.
	Unseen  [][][]data.Span
	Seed    uint64 // determines all random choices
	Workers int    // number of cores to use; results are the same for the same number
	Dir     string // folder for models (Dir/best, Dir/last); "" saves nothing
	Resume  bool   // continue the interrupted run in Dir, with the same bits as an uninterrupted one
	Report  Report
}

// CopiesOf returns the Copies of an epoch.
func (t Task) CopiesOf(epoch int) ([]*data.Document, error) {
	if t.Copies == nil {
		return nil, nil
	}
	return t.Copies(epoch)
}

// Report receives the progress of a training. Any of its functions may be nil. Taggers that are
// trained side by side take turns to report, so no two calls overlap.
type Report struct {
	// Step is called during an epoch: done of total tokens are processed.
	Step func(epoch, done, total int)
	// Epoch is called after each epoch. In a resumed run, it is first called for the
	// epochs of the earlier run.
	Epoch func(Epoch)
}

// Epoch is one line of a training log.
type Epoch struct {
	Member string            `json:"member,omitempty"` // the member of a system that is being trained, if there are several
	Epoch  int               `json:"epoch"`            // from 1
	Loss   float64           `json:"loss"`             // mean over the minibatches
	Scored bool              `json:"scored"`           // whether Dev was tagged
	Dev    evaluation.Counts `json:"dev"`              // strict scores, by type and span
	Metric string            `json:"metric,omitempty"` // what Score is, and what decides which epoch is the best; "": strict F1
	Score  float64           `json:"score,omitzero"`   // on Dev, in [0, 1]
	Rate   float64           `json:"rate,omitzero"`    // learning rate of the last update, if there is a schedule
	Tokens int               `json:"tokens"`
	// Parameters is the number of values that the training sets, such as the weights of a network; 0 if unknown.
	Parameters int           `json:"parameters,omitzero"`
	NonZero    int           `json:"nonzero,omitzero"`  // of the parameters, if the training sets many to 0, as an L1 penalty does
	Train      time.Duration `json:"train_ns"`          // time spent on training steps
	Total      time.Duration `json:"total_ns"`          // including evaluation and saving
	Best       bool          `json:"best"`              // better than all epochs before
	Warning    string        `json:"warning,omitempty"` // for people, about the settings of the training; "": none
	Resumed    bool          `json:"-"`                 // done by an earlier run
}

// Decisive returns the score on Dev that decides which epoch is the best.
func (e Epoch) Decisive() float64 {
	if e.Metric != "" {
		return e.Score
	}
	return e.Dev.F1()
}
