package gazetteer

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/goccy/go-yaml"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/strictyaml"
	"github.com/lethe-deid/lethe/internal/wholefile"
)

// ModelFile is the file of a model folder that Open reads first.
const ModelFile = "gazetteer.yaml"

// model is the content of gazetteer.yaml: a configuration whose files are in the folder.
type model struct {
	Types data.TypeSetConfig `yaml:"types"`
	Lists Lists              `yaml:"lists"`
	Join  bool               `yaml:"join"`
}

// Save writes a model folder: gazetteer.yaml, and for each list a gzipped file with the entries that remain after filtering, folded and sorted. The
// same lists give the same bytes. The folder contains all of these entries: if a list is confidential (the staff of a hospital, for example), so is
// the folder.
func (t *Tagger) Save(dir string) error {
	// Without ModelFile a folder is not a model, so it is removed first and written last.
	if err := os.Remove(filepath.Join(dir, ModelFile)); err != nil && !os.IsNotExist(err) {
		return err
	}
	if err := t.dictionary.Save(dir); err != nil {
		return err
	}
	m := model{Types: t.types.Config(), Lists: t.config.Lists.Saved(""), Join: t.config.Join}
	raw, err := yaml.Marshal(m)
	if err != nil {
		return fmt.Errorf("model %s: %w", dir, err)
	}
	return wholefile.WriteFile(filepath.Join(dir, ModelFile), raw, 0o666)
}

// Open reads a model folder. workers is the number of cores to use.
func Open(dir string, workers int) (*Tagger, error) {
	path := filepath.Join(dir, ModelFile)
	raw, err := bounded.ReadFile(path, bounded.MaxModel)
	if err != nil {
		return nil, err
	}
	var m model
	if err := strictyaml.Decode(path, raw, &m); err != nil {
		return nil, err
	}
	types, err := m.Types.Stored()
	if err != nil {
		return nil, fmt.Errorf("%s: types: %w", path, err)
	}
	cfg := Config{Lists: m.Lists, Join: m.Join}
	for _, file := range cfg.Lists.Paths() {
		if !filepath.IsLocal(*file) {
			return nil, fmt.Errorf("%s: the file of a list is outside of the folder", path)
		}
		*file = filepath.Join(dir, *file)
	}
	t, err := New(cfg, types, workers)
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", dir, err)
	}
	return t, nil
}

// Save writes the lists into a folder, which it creates if necessary: for each, a gzipped file of the entries that remain after filtering, folded and
// sorted. Lists.Saved returns the configuration that reads them; the original files are no longer required.
func (d *Dictionary) Save(dir string) error {
	for i, l := range d.lists.Saved(dir) {
		if err := writeList(l.File, d.entries(i)); err != nil {
			return err
		}
	}
	return nil
}

// Saved returns the lists as Dictionary.Save writes them into a folder. A dictionary of these finds the same entries under the same names.
func (ls Lists) Saved(dir string) Lists {
	var all Lists
	for i, l := range ls {
		file := filepath.Join(dir, fmt.Sprintf("list%03d.txt.gz", i+1))
		all = append(all, List{Name: l.name(), File: file, Type: l.Type, Score: l.Score, Format: Lines, Fold: l.Fold, Capital: l.Capital})
	}
	return all
}

func writeList(path string, entries []string) error {
	return wholefile.Write(path, 0o666, func(out io.Writer) error {
		z := gzip.NewWriter(out)
		w := bufio.NewWriter(z)
		for _, e := range entries {
			if e[0] == '#' {
				e = " " + e // otherwise it would be a comment
			}
			fmt.Fprintln(w, e)
		}
		if err := w.Flush(); err != nil {
			return err
		}
		return z.Close()
	})
}

// entries returns the remaining entries of a list, folded and sorted.
func (d *Dictionary) entries(list int) []string {
	var all []string
	var entry []byte
	for _, a := range d.automata {
		if a.fold != d.lists[list].fold() {
			continue
		}
		for n := uint32(1); n < uint32(len(a.parent)); n++ {
			depth := 0
			for m := n; m != 0; m = a.parent[m] {
				depth++
			}
			if !slices.Contains(a.outputs[a.out[n]], output{uint16(list), uint16(depth)}) {
				continue
			}
			entry = entry[:0]
			for m := n; m != 0; m = a.parent[m] { // the last node has the first word
				word := a.words.String(a.label[m])
				if len(entry) > 0 {
					entry = append(entry, ' ')
				}
				entry = append(entry, word...)
			}
			all = append(all, string(entry))
		}
	}
	slices.Sort(all)
	return all
}
