package experiments

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/strictyaml"
	"github.com/lethe-deid/lethe/internal/wholefile"
)

// pathsFile says how the paths in the run's configuration were written, so that they can be found
// again after the run or its corpus has moved. Older runs have none.
const pathsFile = "paths.yaml"

// movable is a path in pathsFile.
type movable struct {
	Written string `yaml:"written"`  // in the experiment, perhaps with ${VAR} or relative to the working directory
	FromRun string `yaml:"from_run"` // relative to the run folder, with slashes; "": there is no such path
}

// remember records the paths that were resolved since before, the texts of the configuration.
func (c *Config) remember(before map[string]string) {
	for key, text := range strictyaml.Strings(c) {
		described := strings.HasPrefix(key, "corpus.types.") || strings.HasPrefix(key, "corpus.map.") // by what was in the file
		if was, ok := before[key]; ok && was != "" && was != text && !described {
			c.note(key, was)
		}
	}
}

func (c *Config) note(key, written string) {
	if c.written == nil {
		c.written = map[string]string{}
	}
	c.written[key] = written
}

// inherit records how the paths that c shares with another configuration were written.
func (c *Config) inherit(from *Config) {
	paths, others := strictyaml.Strings(c), strictyaml.Strings(from)
	for key, written := range from.written {
		if _, ok := c.written[key]; !ok && paths[key] != "" && paths[key] == others[key] {
			c.note(key, written)
		}
	}
}

// YAML returns the experiment with every key, and with the paths as they were written.
func (c *Config) YAML() ([]byte, error) {
	raw, err := yaml.Marshal(c)
	if err != nil {
		return nil, err
	}
	asWritten := &Config{}
	if err := decode("", raw, asWritten); err != nil {
		return nil, err
	}
	for key, written := range c.written {
		if err := asWritten.put(key, written); err != nil {
			return nil, err
		}
	}
	return yaml.Marshal(asWritten)
}

// put sets a text.
func (c *Config) put(key, text string) error {
	encoded, err := yaml.MarshalWithOptions(text, yaml.Flow(true))
	if err != nil {
		return err
	}
	return strictyaml.Set(key, strings.TrimSpace(string(encoded)), c)
}

// writePaths writes pathsFile.
func (r *Run) writePaths() error {
	if len(r.Config.written) == 0 {
		return nil
	}
	dir, err := filepath.Abs(r.Dir)
	if err != nil {
		return err
	}
	resolved, all := strictyaml.Strings(r.Config), map[string]movable{}
	for key, written := range r.Config.written {
		if resolved[key] == "" {
			continue // of a part of the configuration that has been taken away
		}
		m := movable{Written: written}
		if from, err := filepath.Rel(dir, resolved[key]); err == nil {
			m.FromRun = filepath.ToSlash(from)
		}
		all[key] = m
	}
	encoded, err := yaml.Marshal(map[string]any{"paths": all})
	if err != nil {
		return err
	}
	return wholefile.WriteFile(filepath.Join(r.Dir, pathsFile), encoded, 0o666)
}

// findPaths replaces paths of files and folders that have moved since the training. A path may now be
//   - what was written, if it contains environment variables;
//   - the path at the time of the training;
//   - at the same place relative to the run folder;
//   - what was written, relative to the working directory.
//
// The first of them that exists is used.
func (r *Run) findPaths() error {
	path := filepath.Join(r.Dir, pathsFile)
	raw, err := bounded.ReadFile(path, bounded.MaxConfig)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	all := struct {
		Paths map[string]movable `yaml:"paths"`
	}{}
	if err := strictyaml.Decode(path, raw, &all); err != nil {
		return err
	}
	resolved := strictyaml.Strings(r.Config)
	for _, key := range slices.Sorted(maps.Keys(all.Paths)) {
		m, was := all.Paths[key], resolved[key]
		if was == "" {
			return fmt.Errorf("%s: %s is no path of the run", path, key)
		}
		var candidates []string
		now, err := resolvePath(key, m.Written)
		if err == nil && strings.Contains(m.Written, "${") {
			candidates = append(candidates, now)
		}
		candidates = append(candidates, was)
		if m.FromRun != "" {
			if near, err := filepath.Abs(filepath.Join(r.Dir, filepath.FromSlash(m.FromRun))); err == nil {
				candidates = append(candidates, near)
			}
		}
		if err == nil {
			candidates = append(candidates, now)
		}
		r.Config.note(key, m.Written)
		at := slices.IndexFunc(candidates, func(p string) bool { _, err := os.Stat(p); return err == nil })
		if at < 0 || candidates[at] == was {
			continue
		}
		if err := r.Config.put(key, candidates[at]); err != nil {
			return err
		}
		shown, only := strings.CutSuffix(key, "[0].path")
		if _, more := resolved[shown+"[1].path"]; !only || more {
			shown = key
		}
		r.Moved = append(r.Moved, fmt.Sprintf("%s: using %s, which was %s during the training", shown, candidates[at], was))
	}
	return nil
}

// Relocate applies settings to the corpus of a run, such as corpus.splits.test=elsewhere. Other keys
// of a trained run cannot be changed.
func (r *Run) Relocate(settings []string) error {
	for _, s := range settings {
		key, _, _ := strings.Cut(s, "=")
		if !strings.HasPrefix(key, "corpus.splits.") && key != "corpus.patient" {
			return fmt.Errorf("--set %s: only the paths of a run's corpus can be changed, such as corpus.splits.test", key)
		}
		if err := r.Config.set(s); err != nil {
			return fmt.Errorf("--set %w", err)
		}
	}
	if len(settings) == 0 {
		return nil
	}
	r.relocated = true
	if err := r.Config.finish(); err != nil {
		return fmt.Errorf("--set %w", err)
	}
	return nil
}
