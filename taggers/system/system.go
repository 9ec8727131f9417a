package system

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"

	"github.com/goccy/go-yaml"

	"github.com/lethe-deid/lethe/checkpoints"
	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/embeddings"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/strictyaml"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/ann"
	"github.com/lethe-deid/lethe/taggers/crf"
	"github.com/lethe-deid/lethe/taggers/crf/feature"
	"github.com/lethe-deid/lethe/taggers/ensemble"
	"github.com/lethe-deid/lethe/taggers/gazetteer"
	"github.com/lethe-deid/lethe/taggers/internal/card"
	"github.com/lethe-deid/lethe/taggers/internal/reader"
	"github.com/lethe-deid/lethe/taggers/rules"
	"github.com/lethe-deid/lethe/taggers/secondpass"
)

// What a model folder holds besides the files of a tagger itself. One without
// systemFile is a network's.
const (
	systemFile    = "system.yaml"
	membersFolder = "members" // the models of the nodes below, by name
	cardFile      = "README.md"
	bestFolder    = "best"
	epochsFile    = "epochs.json" // beside best, of a CRF while others are trained
)

// stored is systemFile.
type stored struct {
	Types  string            `yaml:"types"`            // name of the type set
	System Config            `yaml:"system"`           // as it was trained; its paths play no part any more
	Files  map[string]string `yaml:"files"`            // the node's own, with their SHA-256: see integrity.go
	Digest string            `yaml:"sha256,omitempty"` // of all lines above
}

// IsModel says whether a folder holds a model of any kind.
func IsModel(dir string) bool {
	dir = checkpoints.Locate(dir)
	for _, name := range []string{systemFile, "weights.safetensors"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
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
		t, err := ann.Load(dir, workers)
		if err != nil {
			return nil, nil, err
		}
		return t, t.Types(), nil
	}
	if err != nil {
		return nil, nil, err
	}
	if err := checkDigest(raw); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file, err)
	}
	var s stored
	if err := strictyaml.Decode(file, raw, &s, Defaults()...); err != nil {
		return nil, nil, err
	}
	if err := checkFiles(dir, s.Files); err != nil {
		return nil, nil, err
	}
	types, err := data.LookupTypeSet(s.Types)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: types: %w", file, err)
	}
	if err := s.System.Validate(types); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file, err)
	}
	b := builder{types: types, workers: workers}
	m, err := b.join(&s.System, func(c child) (taggers.Model, error) {
		return b.load(filepath.Join(dir, membersFolder, c.name))
	}, func(c *Config) (taggers.Model, error) {
		switch {
		case c.CRF != nil:
			return crf.Load(dir, workers)
		case c.Rules != nil:
			return rules.Open(dir, workers)
		case c.Gazetteer != nil:
			return gazetteer.Open(dir, workers)
		case c.Trained != nil:
			return b.load(filepath.Join(dir, trainedFolder))
		case c.Corrected != nil:
			return rules.Open(filepath.Join(dir, correctionsFolder), workers)
		}
		return nil, fmt.Errorf("%s: the system of a network stands in its own folder", file)
	})
	if err != nil {
		return nil, nil, err
	}
	return m, types, nil
}

// StateWorkers is the number of workers of the run that left the state of a
// network in a folder or below it, which a resumed run must have too; 0 if there
// is no state.
func StateWorkers(dir string) (int, error) {
	n, err := ann.StateWorkers(dir)
	if n > 0 || err != nil {
		return n, err
	}
	members, err := os.ReadDir(filepath.Join(dir, membersFolder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	for _, m := range members {
		if n, err := StateWorkers(filepath.Join(dir, membersFolder, m.Name())); n > 0 || err != nil {
			return n, err
		}
	}
	return 0, nil
}

// Folders within that of a node, for what is its own but has a system.yaml or
// config.yaml too.
const (
	correctionsFolder = "corrections" // the rules of a corrected system
	trainedFolder     = "trained"
)

// builder joins nodes.
type builder struct {
	types   *data.TypeSet
	workers int
}

// load reads a model whose types must be those of the task.
func (b builder) load(dir string) (taggers.Model, error) {
	m, types, err := Load(dir, b.workers)
	if err != nil {
		return nil, err
	}
	if types.Name != b.types.Name {
		return nil, fmt.Errorf("%s: the model has the types of %s, not of %s", dir, types.Name, b.types.Name)
	}
	return m, nil
}

// node is a model that is not a network's.
type node struct {
	data.Tagger
	types    string
	config   *Config
	own      taggers.Model   // of a leaf, itself; of a corrected system, its rules
	children []taggers.Model // in the order of the configuration
	readme   []byte
}

var _ taggers.Model = (*node)(nil)

// join makes the tagger of a node from those below it.
func (b builder) join(c *Config, below func(child) (taggers.Model, error), leaf func(*Config) (taggers.Model, error)) (*node, error) {
	n := &node{types: b.types.Name, config: c}
	for _, child := range c.children() {
		m, err := below(child)
		if err != nil {
			return nil, err
		}
		n.children = append(n.children, m)
	}
	switch {
	case c.Ensemble != nil:
		var members []ensemble.Member
		for i, m := range c.Ensemble.Members {
			members = append(members, ensemble.Member{Name: m.Name, Tagger: n.children[i], Types: m.Types, MinScore: m.MinScore})
		}
		n.Tagger = ensemble.New(c.Ensemble.Config, members)
		return n, nil
	case c.SecondPass != nil:
		n.Tagger = secondpass.New(c.SecondPass.Config, n.children[0])
		return n, nil
	}
	own, err := leaf(c)
	if err != nil {
		return nil, err
	}
	n.own, n.Tagger = own, own
	if r, ok := own.(*rules.Tagger); ok {
		if err := r.Check(b.types); err != nil {
			return nil, err
		}
		if c.Corrected != nil {
			n.Tagger = corrected{r, n.children[0]}
		}
	}
	return n, nil
}

// Probe implements data.Prober.
func (n *node) Probe(ctx context.Context, docs []*data.Document, from float64) (found, doubts [][]data.Span, err error) {
	return reader.Probe(ctx, n.Tagger, docs, from)
}

// TellsDoubts says whether a tagger ever has doubts when it is probed: networks and
// CRFs have, rules and lists have none, and of several members the spans that do not
// stand are some.
func TellsDoubts(t data.Tagger) bool {
	n, ok := t.(*node)
	switch {
	case !ok:
		_, ok = t.(data.Prober)
		return ok
	case len(n.children) == 0:
		return TellsDoubts(n.own)
	case len(n.children) > 1:
		return true
	}
	return TellsDoubts(n.children[0])
}

// Save implements taggers.Model.
func (n *node) Save(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	if n.own != nil {
		to := dir
		switch {
		case n.config.Corrected != nil:
			to = filepath.Join(dir, correctionsFolder)
		case n.config.Trained != nil:
			to = filepath.Join(dir, trainedFolder)
		}
		if err := n.own.Save(to); err != nil {
			return err
		}
	}
	for i, c := range n.config.children() {
		if err := n.children[i].Save(filepath.Join(dir, membersFolder, c.name)); err != nil {
			return err
		}
	}
	if n.readme != nil {
		if err := os.WriteFile(filepath.Join(dir, cardFile), n.readme, 0o666); err != nil {
			return err
		}
	}
	files, err := digests(dir)
	if err != nil {
		return err
	}
	raw, err := yaml.Marshal(stored{Types: n.types, System: *n.config, Files: files})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, systemFile), withDigest(raw), 0o666) // last: without it the folder is no model
}

// corrected is a tagger whose spans rules correct.
type corrected struct {
	rules *rules.Tagger
	first data.Tagger
}

// Tag implements data.Tagger.
func (t corrected) Tag(ctx context.Context, docs []*data.Document) ([][]data.Span, error) {
	found, err := t.first.Tag(ctx, docs)
	if err != nil {
		return nil, err
	}
	return found, t.correct(ctx, docs, found)
}

// Probe implements data.Prober: what a correction removes is no doubt.
func (t corrected) Probe(ctx context.Context, docs []*data.Document, from float64) (found, doubts [][]data.Span, err error) {
	found, doubts, err = reader.Probe(ctx, t.first, docs, from)
	if err != nil {
		return nil, nil, err
	}
	if err := t.correct(ctx, docs, found); err != nil {
		return nil, nil, err
	}
	for i := range docs {
		doubts[i] = reader.MergeDoubts(found[i], doubts[i])
	}
	return found, doubts, nil
}

func (t corrected) correct(ctx context.Context, docs []*data.Document, found [][]data.Span) error {
	for i, doc := range docs {
		if err := ctx.Err(); err != nil {
			return err
		}
		found[i] = t.rules.Correct(doc.Text, found[i])
	}
	return nil
}

// Learner fits a system.
type Learner struct{ Config Config }

var _ taggers.Learner = Learner{}

// Fit implements taggers.Learner. Each learning node is trained by itself, on the
// whole of Train; the model is saved in task.Dir as best. What a run that was cut
// off has left in task.Dir/members is used when it is resumed.
func (l Learner) Fit(ctx context.Context, task taggers.Task) (data.Tagger, error) {
	if err := l.Config.Validate(task.Types); err != nil {
		return nil, err
	}
	if l.Config.ANN != nil {
		return ann.Learner{Config: *l.Config.ANN}.Fit(ctx, task)
	}
	best := filepath.Join(task.Dir, bestFolder)
	if task.Resume && task.Dir != "" && IsModel(best) {
		m, _, err := Load(best, task.Workers)
		return m, err
	}
	if len(l.Config.children()) > 0 {
		if err := l.Config.Check(task.Types, task.Workers); err != nil {
			return nil, err
		}
	}
	n, err := fit(ctx, &l.Config, task, "")
	if err != nil {
		return nil, err
	}
	if n.readme, err = readme(ctx, n, task); err != nil {
		return nil, err
	}
	if task.Dir == "" {
		return n, nil
	}
	if err := checkpoints.Replace(best, n.Save); err != nil {
		return nil, err
	}
	return n, os.RemoveAll(filepath.Join(task.Dir, membersFolder)) // best has them
}

// Check opens all that the system needs and does not learn, rules, lists, resources
// and models of earlier trainings, and names the first key whose is broken: before
// another part has been trained for hours.
func (c *Config) Check(types *data.TypeSet, workers int) error {
	return c.check("system", builder{types, workers})
}

func (c *Config) check(key string, b builder) error {
	var err error
	kind := c.kind()
	switch {
	case c.ANN != nil && c.ANN.Vectors.File != "":
		_, err = embeddings.Load(c.ANN.Vectors.File, embeddings.Options{})
	case c.CRF != nil:
		_, err = feature.Open(c.CRF.Resources, b.workers)
	case c.Gazetteer != nil:
		_, err = gazetteer.New(*c.Gazetteer, b.types, b.workers)
	case c.Trained != nil:
		_, err = b.load(c.Trained.Model)
	case c.Rules != nil:
		err = b.checkRules(*c.Rules)
	case c.Corrected != nil:
		kind += ".rules"
		err = b.checkRules(c.Corrected.Rules)
	}
	if err != nil {
		return fmt.Errorf("%s.%s: %w", key, kind, err)
	}
	for _, child := range c.children() {
		if err := child.check(key+"."+child.key, b); err != nil {
			return err
		}
	}
	return nil
}

func (b builder) checkRules(c rules.Config) error {
	r, err := rules.New(c, b.workers)
	if err != nil {
		return err
	}
	return r.Check(b.types)
}

// fit trains a node that is no network. name is its place in the tree.
func fit(ctx context.Context, c *Config, task taggers.Task, name string) (*node, error) {
	b := builder{task.Types, task.Workers}
	return b.join(c, func(c child) (taggers.Model, error) {
		m, err := fitBelow(ctx, c, task, path.Join(name, c.name))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		return m, nil
	}, func(c *Config) (taggers.Model, error) {
		switch {
		case c.CRF != nil:
			task.Report = named(task.Report, name)
			t, err := crf.Learner{Config: *c.CRF}.Fit(ctx, task)
			if err != nil {
				return nil, err
			}
			return t.(*crf.Tagger), nil
		case c.Gazetteer != nil:
			return gazetteer.New(*c.Gazetteer, task.Types, task.Workers)
		case c.Trained != nil:
			return b.load(c.Trained.Model)
		case c.Corrected != nil:
			return rules.New(c.Corrected.Rules, task.Workers)
		}
		return rules.New(*c.Rules, task.Workers)
	})
}

// fitBelow trains a node below another, or takes over what an earlier run has
// left of it. Its seed follows from the experiment's and its name, so that two
// networks of one configuration are not the same.
func fitBelow(ctx context.Context, c child, task taggers.Task, name string) (taggers.Model, error) {
	task.Seed = rand.New(rand.NewPCG(task.Seed, hash(c.name))).Uint64()
	if task.Dir != "" {
		task.Dir = filepath.Join(task.Dir, membersFolder, c.name)
	}
	switch {
	case c.ANN != nil: // keeps what it has come to by itself
		task.Report = named(task.Report, name)
		t, err := ann.Learner{Config: *c.ANN}.Fit(ctx, task)
		if err != nil {
			return nil, err
		}
		return t.(*ann.Tagger), nil
	case c.CRF != nil && task.Dir != "":
		return fitCRF(ctx, c.Config, task, name)
	}
	return fit(ctx, c.Config, task, name)
}

// fitCRF keeps a CRF in the task's folder, with the story of its training, or takes
// it from there.
func fitCRF(ctx context.Context, c *Config, task taggers.Task, name string) (taggers.Model, error) {
	best, epochs := filepath.Join(task.Dir, bestFolder), filepath.Join(task.Dir, epochsFile)
	if task.Resume && IsModel(best) {
		if err := retell(epochs, task.Report); err != nil {
			return nil, err
		}
		return builder{task.Types, task.Workers}.load(best)
	}
	told := []taggers.Epoch{}
	tell := task.Report.Epoch
	task.Report.Epoch = func(e taggers.Epoch) {
		told = append(told, e)
		if tell != nil {
			tell(e)
		}
	}
	n, err := fit(ctx, c, task, name)
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(told)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(task.Dir, 0o777); err != nil {
		return nil, err
	}
	if err := os.WriteFile(epochs, raw, 0o666); err != nil {
		return nil, err
	}
	return n, checkpoints.Replace(best, n.Save)
}

// retell tells of the epochs of an earlier run.
func retell(path string, to taggers.Report) error {
	raw, err := bounded.ReadFile(path, bounded.MaxConfig)
	if err != nil {
		return err
	}
	var epochs []taggers.Epoch
	if err := json.Unmarshal(raw, &epochs); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, e := range epochs {
		e.Resumed = true
		if to.Epoch != nil {
			to.Epoch(e)
		}
	}
	return nil
}

func hash(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return h.Sum64()
}

// named tells of a member's progress by its name.
func named(r taggers.Report, name string) taggers.Report {
	if tell := r.Epoch; tell != nil && name != "" {
		r.Epoch = func(e taggers.Epoch) {
			e.Member = path.Join(name, e.Member)
			tell(e)
		}
	}
	return r
}

// readme is the model card.
func readme(ctx context.Context, n *node, task taggers.Task) ([]byte, error) {
	c := checkpoints.Card{
		Name: task.Name, Dataset: task.Name, Documents: len(task.Train), Split: "dev", Measure: "strict type and span, micro-averaged",
		VocabularyNote: "Its parts, each in a folder of its own or in this one, hold words of the training notes as their configurations say: " +
			"`min_documents` keeps out those of few notes.",
		Limits: "The system:\n\n```\n" + n.config.Tree() + "```\n",
	}
	system, err := n.Tag(ctx, task.Dev)
	if err != nil {
		return nil, err
	}
	gold := make([][]data.Span, len(task.Dev))
	for i, d := range task.Dev {
		gold[i] = d.Spans
	}
	return card.Score(c, gold, system).Markdown()
}
