// Package system trains, saves and loads a tree of taggers (taggers.System). The leaves
// of the tree are the taggers of the papers; its inner nodes combine or correct the
// results of the nodes below.
package system

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"

	"github.com/goccy/go-yaml"

	"github.com/lethe-deid/lethe/checkpoints"
	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/strictyaml"
	"github.com/lethe-deid/lethe/internal/wholefile"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/internal/reader"
)

// Files of a model folder besides those of the tagger itself. A folder without
// systemFile belongs to a standalone kind.
const (
	systemFile    = "system.yaml"
	membersFolder = "members" // models of the nodes below, by name
	cardFile      = "README.md"
)

// stored is systemFile.
type stored struct {
	Types  data.TypeSetConfig `yaml:"types"`
	System taggers.System     `yaml:"system"`           // as it was trained; its paths are no longer used
	Files  map[string]string  `yaml:"files"`            // SHA-256 of each of the node's own files: see integrity.go
	Digest string             `yaml:"sha256,omitempty"` // SHA-256 of all lines above
}

// standalones yields the kinds with model folders of their own.
func standalones(yield func(taggers.Standalone) bool) {
	for _, kind := range taggers.Kinds() {
		if s, ok := taggers.New(kind).(taggers.Standalone); ok && !yield(s) {
			return
		}
	}
}

// IsModel reports whether a folder contains a model of any kind.
func IsModel(dir string) bool {
	dir = checkpoints.Locate(dir)
	if _, err := bounded.Stat(filepath.Join(dir, systemFile)); err == nil {
		return true
	}
	for s := range standalones {
		if s.IsModel(dir) {
			return true
		}
	}
	return false
}

// Load reads a model folder of any kind. workers is the number of cores to use.
func Load(dir string, workers int) (taggers.Model, *data.TypeSet, error) {
	dir = checkpoints.Locate(dir)
	file := filepath.Join(dir, systemFile)
	raw, err := bounded.ReadFile(file, bounded.MaxConfig)
	if errors.Is(err, fs.ErrNotExist) {
		return open(dir, workers)
	}
	if err != nil {
		return nil, nil, err
	}
	if err := checkDigest(raw); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file, err)
	}
	var s stored
	if err := strictyaml.Decode(file, raw, &s); err != nil {
		return nil, nil, err
	}
	if err := checkFiles(dir, s.Files); err != nil {
		return nil, nil, err
	}
	types, err := s.Types.Stored()
	if err != nil {
		return nil, nil, fmt.Errorf("%s: types: %w", file, err)
	}
	if err := s.System.Validate(types); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file, err)
	}
	n := &node{types: types, system: s.System}
	if err := n.join(func(c taggers.Child) (taggers.Model, error) {
		return loadFor(types, filepath.Join(dir, membersFolder, c.Name), workers)
	}, func(own taggers.Node, below []taggers.Model) (data.Tagger, error) {
		return own.Load(filepath.Join(dir, subfolder(own)), types, workers, below...)
	}); err != nil {
		return nil, nil, err
	}
	return n, types, nil
}

// TypesOf returns the type set of the model in a folder without reading the rest of it. The folder must be that of a system, not of a
// standalone kind.
func TypesOf(dir string) (*data.TypeSet, error) {
	file := filepath.Join(checkpoints.Locate(dir), systemFile)
	raw, err := bounded.ReadFile(file, bounded.MaxConfig)
	if err != nil {
		return nil, err
	}
	var s stored
	if err := strictyaml.Decode(file, raw, &s); err != nil {
		return nil, err
	}
	return s.Types.Stored()
}

// open reads the model folder of a standalone kind. If it is not one, the error is that
// of the first kind, which names the missing file.
func open(dir string, workers int) (taggers.Model, *data.TypeSet, error) {
	var first taggers.Standalone
	for s := range standalones {
		if first == nil || s.IsModel(dir) {
			first = s
		}
	}
	return first.Open(dir, workers)
}

// StateWorkers returns the number of workers of the interrupted run whose state is in a
// folder or below it, or 0 if there is no state. A resumed run must use the same
// number.
func StateWorkers(dir string) (int, error) {
	for s := range standalones {
		if n, err := s.StateWorkers(dir); n > 0 || err != nil {
			return n, err
		}
	}
	for _, folder := range []string{membersFolder, foldsFolder} {
		below, err := os.ReadDir(filepath.Join(dir, folder))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return 0, err
		}
		for _, b := range below {
			if n, err := StateWorkers(filepath.Join(dir, folder, b.Name())); n > 0 || err != nil {
				return n, err
			}
		}
	}
	return 0, nil
}

// CopySettings copies the file system.yaml of a model, with its paths cut to the names of the files.
func CopySettings(to, from string) error {
	raw, err := bounded.ReadFile(from, bounded.MaxConfig)
	if err != nil {
		return err
	}
	var s stored
	if err := strictyaml.Decode(from, raw, &s); err != nil {
		return err
	}
	CutPaths(s.System.Paths())
	s.Digest = ""
	if raw, err = yaml.Marshal(s); err != nil {
		return err
	}
	return wholefile.WriteFile(to, withDigest(raw), 0o666)
}

// CutPaths cuts paths to the names of the files or folders.
func CutPaths(paths []taggers.Path) {
	for _, p := range paths {
		*p.Value = filepath.Base(*p.Value)
	}
}

// node is a model with systemFile.
type node struct {
	data.Tagger
	types    *data.TypeSet
	system   taggers.System
	children []taggers.Model // in the order of taggers.Children
	readme   []byte
}

var _ taggers.Model = (*node)(nil)

// join sets the models below with below, and the node's own tagger with own.
func (n *node) join(below func(taggers.Child) (taggers.Model, error), own func(taggers.Node, []taggers.Model) (data.Tagger, error)) error {
	_, root := n.system.Root()
	for _, c := range taggers.Children(root) {
		m, err := below(c)
		if err != nil {
			return err
		}
		n.children = append(n.children, m)
	}
	var err error
	n.Tagger, err = own(root, n.children)
	return err
}

func subfolder(n taggers.Node) string {
	if s, ok := n.(taggers.Subfolder); ok {
		return s.Subfolder()
	}
	return ""
}

// Probe implements data.Prober.
func (n *node) Probe(ctx context.Context, docs []*data.Document, from float64) (found, doubts [][]data.Span, err error) {
	return reader.Probe(ctx, n.Tagger, docs, from)
}

// Estimate implements data.Estimator.
func (n *node) Estimate(ctx context.Context, docs []*data.Document) ([][]data.Estimate, error) {
	return reader.Estimate(ctx, n.Tagger, docs)
}

// TellsDoubts reports whether a tagger can have doubts when it is probed. Networks and
// CRFs can; rules and lists cannot. An ensemble of several members can, because the
// spans that it does not keep are doubts.
func TellsDoubts(t data.Tagger) bool {
	t = untranslated(t)
	n, ok := t.(*node)
	switch {
	case !ok:
		_, ok = t.(data.Prober)
		return ok
	case len(n.children) == 0:
		return TellsDoubts(n.Tagger)
	case len(n.children) > 1:
		return true
	}
	return TellsDoubts(n.children[0])
}

// Leaves yields the taggers at the leaves of a model that Load or Fit returned, in the
// order of the tree. The keys are the positions in the tree as in taggers.Epoch.Member,
// or "" for the system itself.
func Leaves(model data.Tagger) iter.Seq2[string, data.Tagger] {
	return func(yield func(string, data.Tagger) bool) { leaves(model, "", yield) }
}

func leaves(t data.Tagger, place string, yield func(string, data.Tagger) bool) bool {
	t = untranslated(t)
	n, ok := t.(*node)
	switch {
	case !ok:
		return yield(place, t)
	case len(n.children) == 0:
		return leaves(n.Tagger, place, yield)
	}
	_, root := n.system.Root()
	for i, c := range taggers.Children(root) {
		if !leaves(n.children[i], path.Join(place, c.Name), yield) {
			return false
		}
	}
	return true
}

// Save implements taggers.Model.
func (n *node) Save(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	_, root := n.system.Root()
	if own, ok := n.Tagger.(taggers.Model); ok {
		if err := own.Save(filepath.Join(dir, subfolder(root))); err != nil {
			return err
		}
	}
	for i, c := range taggers.Children(root) {
		if err := n.children[i].Save(filepath.Join(dir, membersFolder, c.Name)); err != nil {
			return err
		}
	}
	if n.readme != nil {
		if err := wholefile.WriteFile(filepath.Join(dir, cardFile), n.readme, 0o666); err != nil {
			return err
		}
	}
	files, err := digests(dir)
	if err != nil {
		return err
	}
	raw, err := yaml.Marshal(stored{Types: n.types.Config(), System: n.system, Files: files})
	if err != nil {
		return err
	}
	return wholefile.WriteFile(filepath.Join(dir, systemFile), withDigest(raw), 0o666) // last: without it the folder is not a model
}

// Tree draws the system of a model that Load or Fit returned, one node per line. It returns "" for the model of a
// standalone kind.
func Tree(model data.Tagger) string {
	if n, ok := model.(*node); ok {
		return n.system.Tree()
	}
	return ""
}
