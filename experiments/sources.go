package experiments

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/format"
)

// Sources are the files and folders of a split, which are read one after the other. In YAML, a list
// of one element can be written without the list.
type Sources []Source

// Source is a file or a folder, or a pattern for several, as in notes/2019-*.jsonl. In YAML, the text
// PATH stands for {path: PATH}.
type Source struct {
	// Path is a path or, if there is nothing at the path, a pattern with the syntax of filepath.Match.
	// ${VAR} is the environment variable VAR, and a relative path starts at the working directory.
	Path   string `yaml:"path"`
	Format string `yaml:"format,omitempty"` // default Corpus.Format
}

// Series implements strictyaml.Series.
func (Sources) Series() {}

// SetText implements strictyaml.Short.
func (s *Source) SetText(path string) { *s = Source{Path: path} }

// MarshalYAML writes a single source without a list.
func (s Sources) MarshalYAML() (any, error) {
	if len(s) == 1 {
		return s[0].MarshalYAML()
	}
	return []Source(s), nil
}

// MarshalYAML writes a source without a format as a text.
func (s Source) MarshalYAML() (any, error) {
	type plain Source
	if s.Format == "" {
		return s.Path, nil
	}
	return plain(s), nil
}

// String lists the paths.
func (s Sources) String() string {
	var all []string
	for _, source := range s {
		if source.Format == "" {
			all = append(all, source.Path)
		} else {
			all = append(all, source.Path+" ("+source.Format+")")
		}
	}
	return strings.Join(all, ", ")
}

// key returns the key of a source within that of its split.
func (s Sources) key(i int) string {
	if len(s) == 1 {
		return ""
	}
	return fmt.Sprintf("[%d]", i)
}

func (s Sources) validate(corpusFormat string) error {
	if len(s) == 0 {
		return errors.New(": the list is empty")
	}
	for i, source := range s {
		if source.Format == "" {
			continue
		}
		f, err := format.Lookup(source.Format)
		if err == nil && f.TextOnly != format.TextOnly(corpusFormat) {
			err = fmt.Errorf("%s and the corpus's %s cannot be in one split, because only one of them has annotations", source.Format, corpusFormat)
		}
		if err != nil {
			return fmt.Errorf("%s.format: %w", s.key(i), err)
		}
	}
	return nil
}

// resolve fills in keys of the corpus that follow from others, and makes its paths absolute.
func (c *Corpus) resolve() error {
	if err := c.resolveTypes(); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(c.Splits)) {
		for i := range c.Splits[name] {
			source := &c.Splits[name][i]
			path, err := resolvePath("splits."+name+c.Splits[name].key(i), source.Path)
			if err != nil {
				return err
			}
			source.Path = path
		}
	}
	return nil
}

// paths returns the files and folders of a source: the path itself, or all that a pattern matches,
// sorted.
func (s Source) paths() ([]string, error) {
	_, err := os.Stat(s.Path)
	if err == nil || !strings.ContainsAny(s.Path, "*?[") {
		return []string{s.Path}, err
	}
	matches, err := filepath.Glob(s.Path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", s.Path, err)
	case len(matches) == 0:
		return nil, fmt.Errorf("%s: no file or folder matches", s.Path)
	}
	return matches, nil
}

// files reads the documents of a split, which must be given, from its files and folders, with the
// types that the files have. It yields an error for an ID that two of them have.
func (c *Corpus) files(split string) (data.Documents, error) {
	sources := c.Splits[split]
	if len(sources) == 0 {
		return nil, fmt.Errorf("corpus.splits.%s: not given", split)
	}
	types, _, err := c.types()
	if err != nil {
		return nil, fmt.Errorf("corpus.%w", err)
	}
	opt, err := c.options(types)
	if err != nil {
		return nil, err
	}
	var parts []part
	for i, s := range sources {
		paths, err := s.paths()
		if err != nil {
			return nil, fmt.Errorf("corpus.splits.%s%s: %w", split, sources.key(i), err)
		}
		for _, path := range paths {
			if slices.ContainsFunc(parts, func(p part) bool { return p.name == path }) {
				return nil, fmt.Errorf("corpus.splits.%s%s: %s is read twice", split, sources.key(i), path)
			}
			parts = append(parts, part{path, format.Read(cmp.Or(s.Format, c.Format), path, opt)})
		}
	}
	return concatenate(parts, func(a, b, id string) error {
		return fmt.Errorf("corpus.splits.%s: a note of %s and one of %s have the same ID %s: rename one of them", split, a, b, quoted(id))
	}), nil
}

// part is a part of the documents of a split.
type part struct {
	name string
	docs data.Documents
}

// concatenate yields the documents of the parts, one part after the other. It yields the error of
// collision for an ID that occurs in two parts.
func concatenate(parts []part, collision func(a, b, id string) error) data.Documents {
	if len(parts) == 1 {
		return parts[0].docs
	}
	return func(yield func(*data.Document, error) bool) {
		origin := map[string]string{} // the part of each ID
		for _, p := range parts {
			for doc, err := range p.docs {
				if err == nil {
					if earlier, ok := origin[doc.ID]; ok && earlier != p.name {
						doc, err = nil, collision(earlier, p.name, doc.ID)
					} else {
						origin[doc.ID] = p.name
					}
				}
				if !yield(doc, err) {
					return
				}
			}
		}
	}
}
