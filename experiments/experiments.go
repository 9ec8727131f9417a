// Package experiments trains and scores the system that a YAML file describes on a corpus that it
// names. A run leaves a folder:
//
//	config.yaml                     the experiment with every key and all paths resolved
//	run.json                        the program and the machine: see Machine
//	log.jsonl                       one line per epoch: see taggers.Epoch
//	model/best, model/last          model folders: the best epoch on dev, the newest
//	predictions/SPLIT/              the spans that the best model found, in the corpus's format
//	predictions/SPLIT.scores.jsonl  the score of each span
//	evaluation/SPLIT.json           the scores of the predictions: see evaluation.Report
//
// Only predictions/SPLIT/ contains the text of notes. (A model contains words of the
// training notes: see its README.md, and Clean.)
package experiments

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/conll"
	"github.com/lethe-deid/lethe/data/format"
	"github.com/lethe-deid/lethe/data/hf"
	"github.com/lethe-deid/lethe/data/inception"
	"github.com/lethe-deid/lethe/data/patients"
	"github.com/lethe-deid/lethe/data/synth"
	"github.com/lethe-deid/lethe/deid/augment"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/shortname"
	"github.com/lethe-deid/lethe/internal/strictyaml"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/ann"
)

// Config is an experiment. Load sets the defaults.
type Config struct {
	Name string `yaml:"name"` // of the run and its model: letters, digits, '_', '-', '+' and '.'
	Seed uint64 `yaml:"seed"` // of the training's random numbers; default 1
	// Seeds are the seeds of several trainings of the same experiment, which package studies carries
	// out. Train refuses them. Default none: Seed alone.
	Seeds  []uint64       `yaml:"seeds,omitempty"`
	Corpus Corpus         `yaml:"corpus"`
	System taggers.System `yaml:"system"`
	// Clean keeps words of few patients out of the model; default: it may have any word. It decides the
	// settings min_patients of all parts of System.
	Clean Clean `yaml:"clean,omitempty"`
	// Ablations are used by experiments/studies and ignored when training.
	Ablations []Ablation `yaml:"ablations,omitempty"`

	written map[string]string // paths as they were written, by key, where they differ from the resolved ones
}

// Ablation is a variant of the experiment that a study compares with it.
type Ablation struct {
	Name string `yaml:"name"` // of its runs: as Config.Name
	// Without lists the keys of nodes to take away, such as system.ensemble.members.rules, where
	// rules is the name of the member: see Config.Variant.
	Without []string `yaml:"without,omitempty"`
	Set     []string `yaml:"set"` // settings "path=value", applied as by Config.With
}

// Corpus describes where the notes come from.
type Corpus struct {
	Format string `yaml:"format"` // name of a format (see format.Names), or synth (generated)
	// Types is the type set: the name of a built-in set, the path of a YAML file, or a description;
	// default: see DefaultTypes. Load replaces a path with the description, so that a run contains it.
	Types data.TypeSetConfig `yaml:"types"`
	// Map merges, renames or drops types: the name of a built-in map, the path of a YAML file, or a
	// description, which Load also puts in the place of a path; default none. If the map names a
	// resulting set, that is Types, and the files may have any types. Otherwise the files have Types,
	// and the system learns TypeMap.Result of them. A span whose type the map does not know is an
	// error, unless its key others says otherwise.
	Map data.TypeMapConfig `yaml:"map,omitempty"`
	// Patient says which patient each note belongs to, if the format does not: the rule
	// for the paths of files or the table that package patients describes; default none. The
	// path of a table is resolved like that of a split.
	Patient string `yaml:"patient,omitempty"`
	// Fragments says what becomes of discontinuous spans: refuse (the default), hull, parts or longest.
	Fragments data.Fragments `yaml:"fragments,omitempty"`
	// Offsets says what the offsets in the files count, if not what their format prescribes; default
	// code-points. The formats brat, i2b2, meddocan, jsonl and labelstudio heed it.
	Offsets data.Offsets `yaml:"offsets,omitempty"`
	// Splits maps each split to its files or folders. Training requires train and, if the system
	// needs it (taggers.System.NeedsDev) and HoldOut does not create it, dev; other splits may
	// have any name.
	Splits map[string]Sources `yaml:"splits,omitempty"`
	// Merge lists the splits that the system trains on as one: train and at least one other, but not
	// test; default none. Merged splits other than train are not splits of their own, so none of them
	// determines the best epoch or is scored.
	Merge   []string       `yaml:"merge,omitempty"`
	Fold    Fold           `yaml:"fold"`            // uses a part of train as test
	HoldOut HoldOut        `yaml:"hold_out"`        // uses a part of train, after Fold, as dev
	Subset  Subset         `yaml:"subset"`          // keeps a part of train, after Fold and HoldOut
	Copies  Copies         `yaml:"copies"`          // adds changed copies of train to the training documents
	Notes   map[string]int `yaml:"notes,omitempty"` // for synth, instead of Splits: how many notes to generate per split
	// Generated is the corpus of synth.Corpora to generate, for synth only; default demo.
	Generated string `yaml:"generated,omitempty"`
	// CoNLL describes the layout of the files, for conll only; default that of CoNLL-2003.
	CoNLL conll.Options `yaml:"conll,omitempty"`
	// HF describes the files, for hf only; by default, their tags are no numbers, or explained beside them.
	HF hf.Options `yaml:"hf,omitempty"`
	// INCEpTION chooses the layer and the feature of the annotations, for xmi and webanno only; default: see inception.Options.
	INCEpTION inception.Options `yaml:"inception,omitempty"`
	// AllowOverlap permits annotated notes of train in dev and other splits.
	AllowOverlap bool `yaml:"allow_overlap,omitempty"`
	// NotesPerPatient is passed to synth.Config, for synth only; default 0.
	NotesPerPatient int    `yaml:"notes_per_patient,omitempty"`
	Seed            uint64 `yaml:"seed"` // decides what is held out or generated; default 1
}

// Fold holds out one of several equal parts of the training documents as the split test. The
// corpus's seed decides which documents belong to which part.
type Fold struct {
	Number int    `yaml:"number"` // of the part, from 1
	Of     int    `yaml:"of"`     // number of parts, at least 2; 0, the default: no split test
	By     string `yaml:"by"`     // document, or patient (default), which keeps all notes of a patient together
}

// Subset is a random part of the training documents. Of two subsets with the same seed, the larger
// contains the smaller.
type Subset struct {
	Documents int    `yaml:"documents"` // number of documents; 0, the default: all
	By        string `yaml:"by"`        // document, or patient (default), which draws all notes of a patient before the next patient
	Seed      uint64 `yaml:"seed"`      // of the draw; default 1
}

// Copies adds changed copies of the training documents, so that a system does not learn to rely on
// the template of the notes. A vocabulary counts words in the original documents only. The corpus's
// seed decides the changes.
type Copies struct {
	Number       int     `yaml:"number"`                  // copies per document; default 0
	DropLabels   float64 `yaml:"drop_labels"`             // probability that the label of a field ("Name: ") is left out; default 0
	SwapValues   float64 `yaml:"swap_values"`             // probability that a span gets the text of another span of its type; default 0
	InventValues float64 `yaml:"invent_values,omitempty"` // probability that a value that is not swapped becomes an invented one, wherever it is in the note; default 0
	Capitals     float64 `yaml:"capitals,omitempty"`      // probability that a copy is written in capitals; default 0
	LowerCase    float64 `yaml:"lower_case,omitempty"`    // probability that a copy is written in lower case; default 0
	Unaccented   float64 `yaml:"unaccented,omitempty"`    // probability that a copy has no accents; default 0
	Typos        float64 `yaml:"typos,omitempty"`         // probability that a word of a copy has a typing error; default 0
	// Renew makes networks draw the copies anew in each epoch; other systems use those of the first.
	// Each copy of a note then draws its own DropLabels, SwapValues and InventValues, uniformly from
	// the widest interval within [0, 1] around the probability given. Default false.
	Renew bool `yaml:"renew,omitempty"`
}

// augment returns the changes that the copies have.
func (k Copies) augment() augment.Options {
	return augment.Options{DropLabels: k.DropLabels, SwapValues: k.SwapValues, InventValues: k.InventValues,
		Capitals: k.Capitals, LowerCase: k.LowerCase, Unaccented: k.Unaccented, Typos: k.Typos, Vary: k.Renew}
}

// HoldOut holds out a part of the training documents as the split dev.
type HoldOut struct {
	Fraction float64 `yaml:"fraction"` // of the documents, in [0, 1); 0, the default: none
	By       string  `yaml:"by"`       // document, or patient (default), which keeps all notes of a patient together
}

// synthetic names the format of a generated corpus.
const synthetic = "synth"

// DefaultTypes returns the name of the type set that files of a format have by default, or "" for
// formats that may have any.
func DefaultTypes(format string) string {
	if format == synthetic {
		return synth.TypeSet
	}
	for _, types := range data.TypeSets() {
		if types.Format == format {
			return types.Name
		}
	}
	return ""
}

// Load reads an experiment, applies the settings "path=value" (a key such as
// system.ann.training.epochs, and its value in YAML) over the file, resolves paths, and validates
// the result, in which every setting of the system must have an effect. Errors name the key, and the line and column of the file or the setting.
func Load(path string, settings []string) (*Config, error) {
	c, err := read(path)
	if err != nil {
		return nil, err
	}
	if err := c.checkClean(); err != nil {
		return nil, located(err, path, nil)
	}
	if err := c.apply(settings); err != nil {
		return nil, fmt.Errorf("--set %w", err)
	}
	if err := c.finish(); err != nil {
		return nil, located(err, path, settings)
	}
	if err := c.effects(); err != nil { // a run, or a variant of an experiment, may have such settings
		return nil, located(err, path, settings)
	}
	return c, nil
}

// effects returns an error that begins with the first key of the system whose value has no effect.
func (c *Config) effects() error {
	if err := c.Corpus.effects(); err != nil {
		return fmt.Errorf("corpus.%w", err)
	}
	if network := ann.Of(c.System); network != nil && !c.Corpus.exists(DevSplit) && !network.NeedsDev() { // crossval holds out a dev if it is needed
		switch t := network.Training; {
		case t.Metric != "":
			return errors.New("system.ann.training.metric: requires the split dev")
		case t.Measure != "":
			return errors.New("system.ann.training.measure: requires the split dev")
		}
	}
	return c.System.Effects()
}

// effects returns an error about the settings of a part of the training documents that is not made.
func (c *Corpus) effects() error {
	switch usual := defaults().Corpus; {
	case c.Fold.Of == 0 && c.Fold.By != usual.Fold.By:
		return errors.New("fold.by: requires corpus.fold.of")
	case c.HoldOut.Fraction == 0 && c.HoldOut.By != usual.HoldOut.By:
		return errors.New("hold_out.by: requires corpus.hold_out.fraction")
	case c.Subset.Documents == 0 && c.Subset.By != usual.Subset.By:
		return errors.New("subset.by: requires corpus.subset.documents")
	case c.Subset.Documents == 0 && c.Subset.Seed != usual.Subset.Seed:
		return errors.New("subset.seed: requires corpus.subset.documents")
	}
	return nil
}

var keyOfError = regexp.MustCompile(`^([A-Za-z0-9_.+\[\]-]+): `)

// located adds to an error that begins with a key where the key has its value from: the last of the
// settings that concerns it, or else the line and column of the file.
func located(err error, path string, settings []string) error {
	match := keyOfError.FindStringSubmatch(err.Error())
	if match == nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, s := range slices.Backward(settings) {
		if key, _, _ := strings.Cut(s, "="); below(match[1], key) || below(key, match[1]) {
			return fmt.Errorf("--set %w", err)
		}
	}
	raw, unreadable := bounded.ReadFile(path, bounded.MaxConfig)
	if line, column := strictyaml.Locate(raw, match[1]); unreadable == nil && line > 0 {
		return fmt.Errorf("%s:%d:%d: %w", path, line, column, err)
	}
	return fmt.Errorf("%s: %w", path, err)
}

// below reports whether a key is the other one or below it.
func below(key, other string) bool {
	rest, ok := strings.CutPrefix(key, other)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// With returns a copy without ablations and seeds in which the settings replace values of c, as in Load. c
// does not change.
func (c *Config) With(settings ...string) (*Config, error) {
	return c.copy(func(changed *Config) error { return changed.apply(settings) })
}

// apply applies settings in their order.
func (c *Config) apply(settings []string) error {
	for _, s := range settings {
		if err := c.set(s); err != nil {
			return err
		}
	}
	return nil
}

// Changed returns a copy without ablations and seeds after calling change on it. It fails if the copy is not
// valid.
func (c *Config) Changed(change func(*Config)) (*Config, error) {
	return c.copy(func(changed *Config) error {
		change(changed)
		return nil
	})
}

// copy makes a deep copy by encoding to YAML and decoding again, as OpenRun reads a run's
// config.yaml.
func (c *Config) copy(change func(*Config) error) (*Config, error) {
	raw, err := yaml.Marshal(c)
	if err != nil {
		return nil, err
	}
	changed := &Config{}
	if err := decode("", raw, changed); err != nil {
		return nil, err
	}
	changed.Ablations, changed.Seeds = nil, nil
	if err := change(changed); err != nil {
		return nil, err
	}
	if err := changed.finish(); err != nil {
		return nil, err
	}
	changed.inherit(c)
	return changed, nil
}

// finish is the last step of reading a configuration.
func (c *Config) finish() error {
	before := strictyaml.Strings(c)
	if err := c.resolve(); err != nil {
		return err
	}
	c.remember(before)
	if err := c.cleanSystem(); err != nil {
		return err
	}
	return c.Validate()
}

// read decodes a file over the defaults.
func read(path string) (*Config, error) {
	raw, err := bounded.ReadFile(path, bounded.MaxConfig)
	if err != nil {
		return nil, err
	}
	c := defaults()
	if err := decode(path, raw, c); err != nil {
		return nil, err
	}
	return c, nil
}

// defaults returns an experiment without any key.
func defaults() *Config {
	return &Config{Seed: 1, Corpus: Corpus{
		Seed: 1, Fold: Fold{By: data.ByPatient}, HoldOut: HoldOut{By: data.ByPatient}, Subset: Subset{By: data.ByPatient, Seed: 1},
	}}
}

func decode(path string, raw []byte, c *Config) error {
	return strictyaml.Decode(path, raw, c)
}

// set applies a setting "path=value" (see strictyaml.Set). The value null takes away what is there
// (see remove).
func (c *Config) set(setting string) error {
	path, value, ok := strings.Cut(setting, "=")
	if _, valid := strictyaml.ParsePath(path); !ok || !valid || strings.Contains(value, "\n") {
		return fmt.Errorf("%s: not of the form path=value, as in seed=2 or system.ensemble.members[0].name=first", setting)
	}
	if strings.HasSuffix(path, ".min_patients") {
		return fmt.Errorf("%s: is decided for all parts of the system at once: use clean.patients", path)
	}
	if value != "null" {
		return strictyaml.Set(path, value, c)
	}
	return c.remove(path)
}

// resolve fills in keys that follow from others and makes all paths absolute, so that a run folder
// can be used from anywhere.
func (c *Config) resolve() error {
	if err := c.Corpus.resolve(); err != nil {
		return fmt.Errorf("corpus.%w", err)
	}
	if r, err := patients.Parse(c.Corpus.Patient); err == nil && r.IsTable() {
		if c.Corpus.Patient, err = resolvePath("corpus.patient", c.Corpus.Patient); err != nil {
			return err
		}
	}
	for _, p := range c.System.Paths() {
		path, err := resolvePath("system."+p.Key, *p.Value)
		if err != nil {
			return err
		}
		*p.Value = path
	}
	return nil
}

var variable = regexp.MustCompile(`\$\{([^}]*)\}`)

func resolvePath(key, path string) (string, error) {
	if path == "" {
		return "", fmt.Errorf("%s: the path is empty", key)
	}
	for _, match := range variable.FindAllStringSubmatch(path, -1) {
		if os.Getenv(match[1]) == "" {
			return "", fmt.Errorf("%s: the environment variable %s is not set", key, match[1])
		}
	}
	expanded := variable.ReplaceAllStringFunc(path, func(v string) string { return os.Getenv(v[2 : len(v)-1]) })
	absolute, err := filepath.Abs(expanded)
	if err != nil {
		return "", fmt.Errorf("%s: %w", key, err)
	}
	return absolute, nil
}

// Validate returns an error that names the first invalid key. It does not look for files: a missing
// file is an error only when it is read.
func (c *Config) Validate() error {
	if err := shortname.Check(c.Name); err != nil {
		return fmt.Errorf("name: %w", err)
	}
	for i, seed := range c.Seeds {
		if slices.Contains(c.Seeds[:i], seed) {
			return fmt.Errorf("seeds: duplicate seed %d", seed)
		}
	}
	if err := c.Corpus.validate(); err != nil {
		return fmt.Errorf("corpus.%w", err)
	}
	if err := c.System.Validate(c.Corpus.TypeSet()); err != nil {
		return err
	}
	names := map[string]bool{}
	for i, a := range c.Ablations {
		if err := shortname.Check(a.Name); err != nil {
			return fmt.Errorf("ablations[%d].name: %w", i, err)
		}
		switch {
		case names[a.Name]:
			return fmt.Errorf("ablations[%d].name: duplicate name %s", i, a.Name)
		case len(a.Set)+len(a.Without) == 0:
			return fmt.Errorf("ablations[%d].set: %s changes nothing", i, a.Name)
		}
		names[a.Name] = true
	}
	return nil
}

// A corpus is kept in memory during training, so its size is bounded.
const (
	maxCopies = 100
	maxNotes  = 100_000
)

func (c *Corpus) validate() error {
	for _, part := range []func() error{c.validateFormat, c.validateMerge, c.validateParts, c.validateCopies, c.validateUnits, c.validateNames} {
		if err := part(); err != nil {
			return err
		}
	}
	return nil
}

func (c *Corpus) validateFormat() error {
	generated := c.Format == synthetic
	f := &format.Format{Name: synthetic}
	if !generated {
		var err error
		if f, err = format.Lookup(c.Format); err != nil {
			return fmt.Errorf("format: no format %q (have %s)", c.Format, strings.Join(append(format.Names(), synthetic), ", "))
		}
	}
	if err := c.reading(nil).Check(f); err != nil {
		return err
	}
	if err := c.validateTypes(); err != nil {
		return err
	}
	if c.Patient != "" {
		if _, err := patients.Parse(c.Patient); err != nil {
			return fmt.Errorf("patient: %w", err)
		}
	}
	switch {
	case generated && c.Patient != "":
		return errors.New("patient: not allowed with format synth, whose notes name their patients")
	case generated && !c.Map.IsZero():
		return errors.New("map: not allowed with format synth")
	case generated && c.generator("").Types() == nil:
		return fmt.Errorf("generated: no generated corpus %q (have %s)", c.Generated, strings.Join(synth.Corpora(), ", "))
	case generated && c.Types.Name != c.generator("").Types().Name:
		return fmt.Errorf("types: %s, but generated notes have %s", c.Types, c.generator("").Types().Name)
	case generated && len(c.Splits) > 0:
		return errors.New("splits: not allowed with format synth, which requires notes")
	case !generated && len(c.Notes) > 0:
		return errors.New("notes: only allowed with format synth")
	case !generated && c.Generated != "":
		return errors.New("generated: only allowed with format synth")
	case generated && c.NotesPerPatient > 0 && c.generator(TrainSplit).Validate() != nil:
		return fmt.Errorf("notes_per_patient: %w", c.generator(TrainSplit).Validate())
	case !generated && c.NotesPerPatient != 0:
		return errors.New("notes_per_patient: only allowed with format synth")
	case c.NotesPerPatient < 0 || c.NotesPerPatient > 99:
		return fmt.Errorf("notes_per_patient: %d is not in [0, 99]", c.NotesPerPatient)
	}
	return nil
}

// validateParts checks the parts that are split off train.
func (c *Corpus) validateParts() error {
	switch f := c.Fold; {
	case !(c.HoldOut.Fraction >= 0 && c.HoldOut.Fraction < 1):
		return fmt.Errorf("hold_out.fraction: %v is not in [0, 1)", c.HoldOut.Fraction)
	case c.HoldOut.Fraction > 0 && c.has(DevSplit):
		return errors.New("hold_out: creates the split dev, which is also given")
	case f.Of < 0 || f.Of == 1:
		return fmt.Errorf("fold.of: %d is neither 0 nor at least 2", f.Of)
	case f.Of == 0 && f.Number != 0 || f.Of > 0 && (f.Number < 1 || f.Number > f.Of):
		return fmt.Errorf("fold.number: %d of %d", f.Number, f.Of)
	case f.Of > 0 && c.has(TestSplit):
		return errors.New("fold: creates the split test, which is also given")
	case c.Subset.Documents < 0:
		return fmt.Errorf("subset.documents: %d is negative", c.Subset.Documents)
	}
	return nil
}

func (c *Corpus) validateCopies() error {
	switch k := c.Copies; {
	case k.Number < 0 || k.Number > maxCopies:
		return fmt.Errorf("copies.number: %d is not in [0, %d]", k.Number, maxCopies)
	case k.Number > 0 && k.augment() == (augment.Options{Vary: k.Renew}):
		return errors.New("copies: number is set, so a change such as drop_labels or swap_values is required")
	}
	for _, rate := range []struct {
		key   string
		value float64
	}{
		{"drop_labels", c.Copies.DropLabels}, {"swap_values", c.Copies.SwapValues}, {"invent_values", c.Copies.InventValues},
		{"capitals", c.Copies.Capitals}, {"lower_case", c.Copies.LowerCase}, {"unaccented", c.Copies.Unaccented}, {"typos", c.Copies.Typos},
	} {
		if !(rate.value >= 0 && rate.value <= 1) {
			return fmt.Errorf("copies.%s: %v is not in [0, 1]", rate.key, rate.value)
		}
	}
	return nil
}

func (c *Corpus) validateUnits() error {
	for _, unit := range []struct{ key, by string }{{"fold", c.Fold.By}, {"hold_out", c.HoldOut.By}, {"subset", c.Subset.By}} {
		if err := data.CheckBy(unit.by); err != nil {
			return fmt.Errorf("%s.by: %w", unit.key, err)
		}
	}
	return nil
}

// validateNames checks the names of splits and the numbers of notes to generate.
func (c *Corpus) validateNames() error {
	for _, name := range slices.Sorted(maps.Keys(c.Splits)) {
		if err := shortname.Check(name); err != nil {
			return fmt.Errorf("splits: a name %w", err)
		}
		if err := c.Splits[name].validate(c.Format); err != nil {
			return fmt.Errorf("splits.%s%w", name, err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Notes)) {
		if _, err := synth.ParseSplit(name); err != nil {
			return fmt.Errorf("notes.%s: %w", name, err)
		}
		if n := c.Notes[name]; n < 1 || n > maxNotes {
			return fmt.Errorf("notes.%s: %d is not in [1, %d]", name, n, maxNotes)
		}
	}
	return nil
}

// Outline describes the corpus and the system of the experiment for people to read.
func (c *Config) Outline() string {
	var b strings.Builder
	seeds := fmt.Sprintf("seed %d", c.Seed)
	if len(c.Seeds) > 0 {
		seeds = "seeds " + strings.Trim(fmt.Sprint(c.Seeds), "[]")
	}
	fmt.Fprintf(&b, "%s, %s\n\ncorpus: %s, types %s\n", c.Name, seeds, c.Corpus.Format, c.Corpus.TypeSet().Name)
	for _, name := range c.Corpus.SplitNames() {
		origin := "a part of train"
		if c.Corpus.has(name) {
			origin = c.Corpus.origin(name)
		}
		fmt.Fprintf(&b, "  %s: %s\n", name, origin)
		for _, added := range c.Corpus.added(name) {
			fmt.Fprintf(&b, "    with %s: %s\n", added, c.Corpus.origin(added))
		}
	}
	fmt.Fprintf(&b, "\n%s", c.System.Tree())
	return b.String()
}

// origin describes where the documents of a given split come from.
func (c *Corpus) origin(split string) string {
	if sources := c.Splits[split]; len(sources) > 0 {
		return sources.String()
	}
	return fmt.Sprintf("%d generated notes", c.Notes[split])
}
