package taggers

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/check"
)

// Node is the settings of one tagger in a [System]: a pointer to a struct with yaml
// tags. A package adds its kind of tagger by calling Register in an init function.
// These methods suffice for a tagger without children, files or a model format of its
// own; [Parent], [Stacked], [Files], [Typed], [Checker], [Fixed], [Tuned], [Labeller],
// [Columned], [Cleaner], [Effective], [Subfolder] and [Standalone] are optional.
type Node interface {
	// Validate returns an error that begins with the first key whose value makes no
	// sense, relative to the node. It opens no files.
	Validate() error
	// Describe summarizes the settings on one line, for outlines and model cards.
	Describe() string
	// Fit trains the tagger, or opens the files of a tagger that does not learn. below
	// has the models of the children, in their order. If the tagger is a Model, it is
	// saved with the node.
	Fit(ctx context.Context, task Task, below ...Model) (data.Tagger, error)
	// Load reads the files that the tagger's Save wrote into dir.
	Load(dir string, types *data.TypeSet, workers int, below ...Model) (data.Tagger, error)
}

// Parent is a node with others below it.
type Parent interface {
	Node
	// Children lists the nodes below. Each is trained, saved and loaded before the node.
	Children() []Child
}

// Stacked is a parent that learns from the results of its children (stacked
// generalization, Wolpert 1992). Children are nearly perfect on notes that they were
// trained on, so the parent learns from Task.Unseen: for each fold of the training
// notes, every child is trained on the other folds as well, and applied to this one.
type Stacked interface {
	Parent
	// TrainingFolds returns the number of folds, or 0 if the node does not learn with its
	// settings and requires no Task.Unseen.
	TrainingFolds() int
}

// Child is a node below another.
type Child struct {
	Name   string // name of its folder, unique among its siblings
	Key    string // its key in the configuration, relative to the parent
	Label  string // text before it in outlines; "" for none
	System System
}

// Files is a node whose settings name files or folders.
type Files interface {
	// Paths lists the files and folders that are given. Callers may change their
	// values.
	Paths() []Path
}

// Path is a file or folder that settings name.
type Path struct {
	Key   string // relative to the node
	Value *string
}

// Typed is a node whose settings name types of PHI. The corpus must have all of them.
type Typed interface {
	TypeNames() []Types
}

// Types lists the types that one key names.
type Types struct {
	Key   string // relative to the node
	Names []string
}

// Checker is a node that opens files before or instead of learning.
type Checker interface {
	// Check opens these files, so that a broken file is found before another node has
	// been trained for hours.
	Check(types *data.TypeSet, workers int) error
}

// Fixed is a node without children that does not learn: its Fit only opens files. Other nodes
// without children learn, and siblings that learn divide the workers among themselves.
type Fixed interface {
	Fixed()
}

// Cleaner is a node that can keep words of few patients out of its model. A leaf that is neither a
// Cleaner nor Fixed cannot be part of a clean system: see System.SetMinPatients.
type Cleaner interface {
	// SetMinPatients sets the number of patients in whose training notes a word must occur
	// to be in the files of the model. A note whose patient is unknown counts as a patient of its own. 0: see the
	// other settings of the node. It returns the number before.
	SetMinPatients(n int) (before int)
}

// Tuned is a node whose training may depend on Task.Dev.
type Tuned interface {
	// NeedsDev reports whether Fit fails without Task.Dev. Nodes without this method
	// learn from Task.Train alone.
	NeedsDev() bool
}

// Effective is a node that knows which of its settings have an effect.
type Effective interface {
	// Effects returns an error that begins with the first key whose value has no effect with
	// the other settings, relative to the node. Validate must accept such a value: models
	// and runs may have it, and a variant of an experiment may leave it over.
	Effects() error
}

// Labeller is a node that labels the tokens of a note, and therefore cannot learn every
// span.
type Labeller interface {
	// Labelling says how the node reads notes.
	Labelling() check.Labelling
}

// Columned is a node whose features read columns of the notes.
type Columned interface {
	// Columns lists the names of the columns. Notes must have all of them.
	Columns() []string
}

// Subfolder is a node that saves its files in a subfolder of its model folder, because
// their names would clash with those of a model. Other nodes save their files in the
// model folder itself.
type Subfolder interface {
	Subfolder() string
}

// Standalone is a node with a model format of its own, which does not require
// system.yaml. Its Fit returns a Model and manages Task.Dir itself: it saves the best
// model in Dir/best, and resumes an interrupted run from the files in Dir.
type Standalone interface {
	Node
	// IsModel reports whether a folder contains a model in this format.
	IsModel(dir string) bool
	// Open reads such a folder.
	Open(dir string, workers int) (Model, *data.TypeSet, error)
	// StateWorkers returns the number of workers of the interrupted run that left its
	// state in a folder, or 0 if there is no state.
	StateWorkers(dir string) (int, error)
}

var kinds = map[string]func() Node{}

// Register adds a kind of tagger under its YAML key. fresh returns settings with all
// defaults. Register panics if the key is already registered.
func Register(key string, fresh func() Node) {
	if kinds[key] != nil {
		panic(fmt.Sprintf("taggers: kind %s is already registered", key))
	}
	kinds[key] = fresh
}

// Kinds lists the keys of all registered kinds, sorted.
func Kinds() []string { return slices.Sorted(maps.Keys(kinds)) }

// New returns the settings of a registered kind with all defaults. It panics for a key
// that is not registered.
func New(key string) Node { return kinds[key]() }

// Children lists the nodes below a node. There are none unless it is a Parent.
func Children(n Node) []Child {
	if p, ok := n.(Parent); ok {
		return p.Children()
	}
	return nil
}
