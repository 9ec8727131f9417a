package rules

import (
	"archive/zip"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/goccy/go-yaml"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/archived"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/strictyaml"
	"github.com/lethe-deid/lethe/internal/wholefile"
	"github.com/lethe-deid/lethe/taggers"
)

// The program contains the folder of the built-in sets as an archive, which is a fraction of its size. The sets of the safety net are in it as JSON and
// without examples, and so are read in a tenth of the time. TestArchive makes it.
//
//go:embed sets.zip.br
var archive []byte

var builtin = sync.OnceValue(func() *zip.Reader { return archived.Open(archive) })

// BuiltinNames lists the built-in sets:
//
//   - anonym: the families of patterns of Zuccon et al. 2014 (section 3, table 2),
//     which are features of tokens rather than types of PHI
//   - english: English notes, in the types of i2b2-2014
//   - liu2017: table 2 of Liu et al. 2017, in the types of i2b2-2014
//   - spanish: Spanish notes, in the types of meddocan
func BuiltinNames() []string {
	var names []string
	files, err := fs.ReadDir(builtin(), "sets")
	if err != nil {
		panic(err) // the sets are embedded
	}
	for _, f := range files {
		if !f.IsDir() {
			names = append(names, strings.TrimSuffix(f.Name(), ".yaml"))
		}
	}
	return names
}

// Builtin returns a built-in set; see BuiltinNames.
func Builtin(name string) (*Set, error) {
	if !slices.Contains(BuiltinNames(), name) {
		return nil, fmt.Errorf("no built-in rules %q (have %s)", name, names(BuiltinNames()))
	}
	raw, err := fs.ReadFile(builtin(), "sets/"+name+".yaml")
	if err != nil {
		return nil, err
	}
	return parseFile(name+".yaml", raw, true)
}

// Net returns the rules that the safety net has beside a built-in set, which may be none. They are no features of networks, so they
// can change without a training.
func Net(name string) (*Set, error) {
	raw, err := fs.ReadFile(builtin(), "sets/net/"+name+".json")
	if errors.Is(err, fs.ErrNotExist) {
		return &Set{scan: newScan(nil), search: newScan(nil)}, nil
	}
	if err != nil {
		return nil, err
	}
	return once("net/"+name+".json", raw, func(path string, raw []byte) (*Set, error) {
		var content file
		if err := json.Unmarshal(raw, &content); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return content.set(path, raw, true)
	})
}

// Config configures which rules a tagger uses.
type Config struct {
	Set    string   `yaml:"set,omitempty"`    // built-in set, see BuiltinNames; exactly one of Set and File is required; default none
	File   string   `yaml:"file,omitempty"`   // rule file; default none
	Only   []string `yaml:"only,omitempty"`   // types whose rules are used; default all
	Except []string `yaml:"except,omitempty"` // types whose rules are left out; default none
}

// Validate returns an error that begins with the first key whose value makes no sense.
// It reads no files.
func (c Config) Validate() error {
	switch {
	case c.Set == "" && c.File == "":
		return errors.New("set or file: exactly one of the two is required")
	case c.Set != "" && c.File != "":
		return errors.New("set, file: exactly one of the two is required")
	case c.Set != "" && !slices.Contains(BuiltinNames(), c.Set):
		return fmt.Errorf("set: no built-in rules %q (have %s)", c.Set, names(BuiltinNames()))
	}
	for _, t := range c.Only {
		if slices.Contains(c.Except, t) {
			return fmt.Errorf("only, except: both contain %s", t)
		}
	}
	return nil
}

// Tagger tags with a set of rules.
type Tagger struct {
	*Set
	config  Config
	workers int
}

var _ data.Tagger = (*Tagger)(nil)

// New returns a tagger that uses this many cores, at least one. It fails if the rules
// cannot be read, or have no type that Only or Except names.
func New(c Config, workers int) (*Tagger, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	load := func() (*Set, error) { return Load(c.File) }
	if c.Set != "" {
		load = func() (*Set, error) { return Builtin(c.Set) }
	}
	set, err := load()
	if err != nil {
		return nil, err
	}
	for _, list := range []struct {
		key   string
		types []string
	}{{"only", c.Only}, {"except", c.Except}} {
		for _, t := range list.types {
			if !slices.Contains(set.types, t) {
				return nil, fmt.Errorf("%s: %s has no rule for the type %s (have %s)", list.key, set.path, t, names(set.types))
			}
		}
	}
	return &Tagger{set.keep(c.Only, c.Except), c, max(workers, 1)}, nil
}

// Tag implements data.Tagger; see Set.Spans for a single text. The result does not
// depend on the number of workers.
func (t *Tagger) Tag(ctx context.Context, docs []*data.Document) ([][]data.Span, error) {
	spans := make([][]data.Span, len(docs))
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(t.workers, len(docs)) {
		all.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(docs) {
					return
				}
				spans[i] = t.Spans(docs[i].Text)
			}
		})
	}
	all.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return spans, nil
}

// Contents implements taggers.Inventory.
func (t *Tagger) Contents() taggers.Contents {
	return taggers.Contents{Kind: "rules", Vocabulary: len(t.rules) + len(t.corrections), Entries: "rules", Privacy: "It holds rules that people have written, and nothing of notes.", Unlearned: true}
}

const (
	rulesFile  = "rules.yaml"
	configFile = "config.yaml"
)

// Save writes the tagger into a folder, which it creates if necessary: rules.yaml, the
// rules exactly as they were read, and config.yaml with the types in use.
func (t *Tagger) Save(dir string) error {
	config, err := yaml.Marshal(Config{File: rulesFile, Only: t.config.Only, Except: t.config.Except})
	if err != nil {
		return err
	}
	if err := wholefile.WriteFile(filepath.Join(dir, rulesFile), t.raw, 0o666); err != nil {
		return err
	}
	return wholefile.WriteFile(filepath.Join(dir, configFile), config, 0o666)
}

// Open reads a folder that Save wrote. workers is the number of cores to use.
func Open(dir string, workers int) (*Tagger, error) {
	path := filepath.Join(dir, configFile)
	raw, err := bounded.ReadFile(path, bounded.MaxConfig)
	if err != nil {
		return nil, err
	}
	var c Config
	if err := strictyaml.Decode(path, raw, &c); err != nil {
		return nil, err
	}
	if c.Set != "" || c.File != rulesFile {
		return nil, fmt.Errorf("%s: file: the rules of a model must be in its %s", path, rulesFile)
	}
	c.File = filepath.Join(dir, rulesFile)
	return New(c, workers)
}
