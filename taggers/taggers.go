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

// Task is what Node.Fit learns from.
type Task struct {
	Name       string // of the experiment, for the model card
	Types      *data.TypeSet
	Train, Dev []*data.Document // Dev decides which epoch is best
	// Copies are changed copies of Train. They are used for training but not for
	// vocabulary counts, so that min_documents still counts real notes.
	Copies  []*data.Document
	Seed    uint64 // all chance follows from it
	Workers int    // cores to use; results are the same for the same number
	Dir     string // where models are kept: Dir/best, Dir/last; "" for nowhere
	Resume  bool   // go on from what an interrupted run left in Dir, to the same bits
	Report  Report
}

// Report receives the progress of a training. Any of its functions may be nil; they are
// called from one goroutine.
type Report struct {
	// Step is called as an epoch goes on: done of total tokens.
	Step func(epoch, done, total int)
	// Epoch is called after each epoch, and first, when a run is resumed, for
	// those done before.
	Epoch func(Epoch)
}

// Epoch is one line of a training log.
type Epoch struct {
	Member  string            `json:"member,omitempty"` // of a system of several: which one learns
	Epoch   int               `json:"epoch"`            // from 1
	Loss    float64           `json:"loss"`             // mean over the minibatches
	Scored  bool              `json:"scored"`           // whether Dev was tagged
	Dev     evaluation.Counts `json:"dev"`              // strict, type and span
	Tokens  int               `json:"tokens"`
	Train   time.Duration     `json:"train_ns"` // time spent on training steps
	Total   time.Duration     `json:"total_ns"` // with the evaluation and the saving
	Best    bool              `json:"best"`     // better than all before
	Resumed bool              `json:"-"`        // done by an earlier run
}
