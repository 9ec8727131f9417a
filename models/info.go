package models

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/lethe-deid/lethe/checkpoints"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/ann"
	"github.com/lethe-deid/lethe/taggers/hf"
	"github.com/lethe-deid/lethe/taggers/operating"
	"github.com/lethe-deid/lethe/taggers/system"
)

// Kinds of models that Describe tells apart.
const (
	BuiltinKind     = "built-in"     // comes with the program
	RunKind         = "run"          // the best model of a run
	FolderKind      = "model"        // a model folder
	HuggingFaceKind = "hugging-face" // a folder that the tagger hf can read, and not a model yet
)

// Info describes a model.
type Info struct {
	Model      string   `json:"model"`            // as it was named
	Kind       string   `json:"kind"`             // one of the kinds
	Folder     string   `json:"folder"`           // of the model itself
	System     string   `json:"system"`           // the tree of its taggers, or the network of a folder of Hugging Face
	TypeSet    string   `json:"type_set"`         // "": it has labels of its own
	Types      []string `json:"types"`            // or the labels of a folder of Hugging Face, without their prefixes
	Bytes      int64    `json:"bytes"`            // of all files in the folder, except the state of a training
	Parameters int      `json:"parameters"`       // of all parts
	Digest     string   `json:"digest"`           // as in audits
	Card       string   `json:"card"`             // path of the model card; "": none
	Parts      []Part   `json:"parts"`            // the leaves of the tree
	Points     *Points  `json:"operating_points"` // nil: not calibrated
}

// Part describes a leaf of the tree: see taggers.Contents.
type Part struct {
	Name       string `json:"name"` // position in the tree; "" for the system itself
	Kind       string `json:"kind"`
	Parameters int    `json:"parameters"`
	Vocabulary int    `json:"vocabulary"`
	Entries    string `json:"entries"`
	Privacy    string `json:"privacy"`
	// MinPatients is the number of patients in whose training notes each word of them occurs at least; 0: no such number is known.
	MinPatients int `json:"min_patients"`
}

// Points describes the operating points of a model.
type Points struct {
	Outdated  bool      `json:"outdated"` // the model has changed since; then nothing else is known
	Split     string    `json:"split"`
	Documents int       `json:"documents"` // that they were measured on
	Default   float64   `json:"default"`   // probability from which a doubt counts as PHI if no recall is asked for; 0: no doubt does
	Recalls   []float64 `json:"recalls"`   // that can be asked for and are within reach
}

// Describe describes the model that Open opens under this name, or a folder of Hugging Face.
func Describe(name string) (*Info, error) {
	if !bounded.IsBuiltin(name) && !system.IsModel(name) && !IsRun(name) && hf.IsFolder(name) {
		return describeFolder(name)
	}
	m, err := OpenOne(name, 1)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, t := range m.Types.Types {
		names = append(names, t.Name)
	}
	i := &Info{Model: name, Kind: FolderKind, Folder: m.Dir, System: m.tree(), TypeSet: m.Types.Name, Types: names}
	switch {
	case m.Builtin():
		i.Kind = BuiltinKind
	case m.Dir != name:
		i.Kind = RunKind
	}
	for place, leaf := range system.Leaves(m.Tagger) {
		if t, ok := leaf.(taggers.Inventory); ok {
			c := t.Contents()
			i.Parts = append(i.Parts, Part{place, c.Kind, c.Parameters, c.Vocabulary, c.Entries, c.Privacy, c.MinPatients})
		}
	}
	if i.Digest, err = m.Digest(); err != nil {
		return nil, err
	}
	curve, err := OperatingPoints(m.Dir)
	switch {
	case errors.Is(err, operating.ErrOutdated):
		i.Points = &Points{Outdated: true}
	case err == nil:
		i.Points = &Points{Split: curve.Split, Documents: curve.Documents, Default: curve.Default, Recalls: reached(curve)}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	return i, i.measure()
}

// tree draws the taggers of the model.
func (m *Model) tree() string {
	if network, ok := m.Tagger.(*ann.Tagger); ok {
		c := network.Config()
		return taggers.System{"ann": &c}.Tree()
	}
	return system.Tree(m.Tagger)
}

// describeFolder describes a folder of Hugging Face.
func describeFolder(dir string) (*Info, error) {
	t, err := hf.Describe(dir)
	if err != nil {
		return nil, err
	}
	i := &Info{Model: dir, Kind: HuggingFaceKind, Folder: dir, System: t.Network + "\n", Types: t.Labels, Digest: t.Digest}
	i.Parts = []Part{{"", t.Kind, t.Parameters, t.Vocabulary, t.Entries, t.Privacy, t.MinPatients}}
	return i, i.measure()
}

// measure sets the size of the folder, the sum of the parameters and the path of the card.
func (i *Info) measure() error {
	for _, p := range i.Parts {
		i.Parameters += p.Parameters
	}
	if card := filepath.Join(i.Folder, checkpoints.CardFile); bounded.Exists(card) {
		i.Card = card
	}
	return bounded.WalkDir(i.Folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Name() == stateFile {
			return err
		}
		info, err := bounded.Stat(path) // of the file itself, where it is a link, as in a cache of Hugging Face
		if err == nil {
			i.Bytes += info.Size()
		}
		return err
	})
}
