// Package system makes one tagger of a configuration: a tree whose leaves are the
// taggers of the papers, and whose inner nodes join or correct what is below.
package system

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/taggers/ann"
	"github.com/lethe-deid/lethe/taggers/crf"
	"github.com/lethe-deid/lethe/taggers/ensemble"
	"github.com/lethe-deid/lethe/taggers/gazetteer"
	"github.com/lethe-deid/lethe/taggers/rules"
	"github.com/lethe-deid/lethe/taggers/secondpass"
)

// Config is a node of the tree: just one of its fields is set. Keys left out have
// the defaults of the packages.
type Config struct {
	ANN        *ann.Config       `yaml:"ann,omitempty"`         // the recurrent network
	CRF        *crf.Config       `yaml:"crf,omitempty"`         // the CRF over features
	Rules      *rules.Config     `yaml:"rules,omitempty"`       // rules; they learn nothing
	Gazetteer  *gazetteer.Config `yaml:"gazetteer,omitempty"`   // lists; they learn nothing
	Trained    *Trained          `yaml:"trained,omitempty"`     // a model that is there already; it learns nothing more
	Ensemble   *Ensemble         `yaml:"ensemble,omitempty"`    // several systems together
	SecondPass *SecondPass       `yaml:"second_pass,omitempty"` // a system, and what it found looked for again
	Corrected  *Corrected        `yaml:"corrected,omitempty"`   // a system, and rules that correct what it finds
}

// Trained is a model of an earlier training. The new model holds a copy of it.
type Trained struct {
	Model string `yaml:"model"` // a model folder, as the best of a run: RUN/model/best
}

// Ensemble is several systems, and how they are joined.
type Ensemble struct {
	ensemble.Config `yaml:",inline"`
	Members         []Member `yaml:"members"` // in the order of their weight
}

// Member is one system of several.
type Member struct {
	Name     string   `yaml:"name"`            // of its own; a name of a folder
	Types    []string `yaml:"types,omitempty"` // only these of its spans count; default all
	MinScore float64  `yaml:"min_score"`       // spans that it is less sure of do not count, unless another member found the same; default 0
	System   Config   `yaml:"system"`
}

// SecondPass is a system with a second pass.
type SecondPass struct {
	secondpass.Config `yaml:",inline"`
	System            Config `yaml:"system"`
}

// Corrected is a system with rules over it.
type Corrected struct {
	Rules  rules.Config `yaml:"rules"` // of which the corrections are applied
	System Config       `yaml:"system"`
}

// Defaults is what a node begins with when its key is given: for
// strictyaml.Decode.
func Defaults() []any {
	return []any{
		ann.DefaultConfig(), crf.DefaultConfig(), Ensemble{Config: ensemble.DefaultConfig()}, SecondPass{Config: secondpass.DefaultConfig()},
	}
}

// kind is the key of the node, "" unless just one is set.
func (c *Config) kind() string {
	v, set := reflect.ValueOf(c).Elem(), ""
	for i := range v.NumField() {
		if !v.Field(i).IsNil() {
			if set != "" {
				return ""
			}
			set, _, _ = strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
		}
	}
	return set
}

// child is a node below another.
type child struct {
	name string // of its folder
	key  string // from its parent's key on
	*Config
}

func (c *Config) children() []child {
	switch {
	case c.Ensemble != nil:
		var all []child
		for i := range c.Ensemble.Members {
			m := &c.Ensemble.Members[i]
			all = append(all, child{m.Name, fmt.Sprintf("ensemble.members[%d].system", i), &m.System})
		}
		return all
	case c.SecondPass != nil:
		return []child{{"first", "second_pass.system", &c.SecondPass.System}}
	case c.Corrected != nil:
		return []child{{"corrected", "corrected.system", &c.Corrected.System}}
	}
	return nil
}

var wellFormed = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$`)

// Validate names the first key that makes no sense, from "system" on. It does not
// look for files.
func (c *Config) Validate(types *data.TypeSet) error { return c.validate("system", types) }

func (c *Config) validate(key string, types *data.TypeSet) error {
	known := func(key string, names []string) error {
		for _, t := range names {
			if !types.Has(t) {
				return fmt.Errorf("%s: %s is no type of %s", key, t, types.Name)
			}
		}
		return nil
	}
	var err error
	kind := c.kind()
	switch {
	case kind == "":
		return fmt.Errorf("%s: wants just one system (ann, crf, rules, gazetteer, trained, ensemble, second_pass or corrected)", key)
	case c.ANN != nil:
		err = c.ANN.Validate()
	case c.CRF != nil:
		if err = c.CRF.Validate(); err == nil {
			err = known("types", c.CRF.Types)
		}
		if err == nil {
			err = known("subsets", slices.Sorted(maps.Keys(c.CRF.Subsets)))
		}
	case c.Rules != nil:
		err = c.Rules.Validate()
	case c.Gazetteer != nil:
		err = c.Gazetteer.Validate()
	case c.Trained != nil && c.Trained.Model == "":
		err = errors.New("model: must be given")
	case c.Corrected != nil:
		if err = c.Corrected.Rules.Validate(); err != nil {
			err = fmt.Errorf("rules.%w", err)
		}
	case c.SecondPass != nil:
		if err = c.SecondPass.Validate(); err == nil {
			err = known("types", c.SecondPass.Types)
		}
		if err == nil {
			err = known("parts", c.SecondPass.Parts)
		}
	case c.Ensemble != nil:
		if err = c.Ensemble.Validate(len(c.Ensemble.Members)); err == nil {
			err = known("priority", c.Ensemble.Priority)
		}
		names := map[string]bool{}
		for i, m := range c.Ensemble.Members {
			at := fmt.Sprintf("members[%d].", i)
			switch {
			case err != nil:
			case !wellFormed.MatchString(m.Name):
				err = fmt.Errorf("%sname: wants up to 100 letters, digits, '_', '-' and '.', the first a letter or digit", at)
			case names[m.Name]:
				err = fmt.Errorf("%sname: %s is there twice", at, m.Name)
			case !(m.MinScore >= 0 && m.MinScore <= 1):
				err = fmt.Errorf("%smin_score: %v is not in [0, 1]", at, m.MinScore)
			default:
				err = known(at+"types", m.Types)
			}
			names[m.Name] = true
		}
	}
	if err != nil {
		return fmt.Errorf("%s.%s.%w", key, kind, err)
	}
	for _, child := range c.children() {
		if err := child.validate(key+"."+child.key, types); err != nil {
			return err
		}
	}
	return nil
}

// Path is a file or folder that a configuration names.
type Path struct {
	Key   string
	Value *string
}

// Paths lists all of them that are given.
func (c *Config) Paths() []Path {
	var all []Path
	add := func(key string, values ...*string) {
		for _, v := range values {
			if *v != "" {
				all = append(all, Path{key, v})
			}
		}
	}
	switch {
	case c.ANN != nil:
		add("ann.vectors.file", &c.ANN.Vectors.File)
	case c.CRF != nil:
		for _, p := range c.CRF.Resources.Paths() {
			add("crf.resources."+p.Key, p.Value)
		}
	case c.Rules != nil:
		add("rules.file", &c.Rules.File)
	case c.Gazetteer != nil:
		add("gazetteer.lists", c.Gazetteer.Paths()...)
	case c.Trained != nil:
		add("trained.model", &c.Trained.Model)
	case c.Corrected != nil:
		add("corrected.rules.file", &c.Corrected.Rules.File)
	}
	for _, child := range c.children() {
		for _, p := range child.Paths() {
			all = append(all, Path{child.key + "." + p.Key, p.Value})
		}
	}
	return all
}

// Tree draws the system, a node a line.
func (c *Config) Tree() string {
	var b strings.Builder
	c.draw(&b, "", "", "")
	return b.String()
}

func (c *Config) draw(b *strings.Builder, name, first, rest string) {
	b.WriteString(first)
	if name != "" {
		b.WriteString(name + ": ")
	}
	b.WriteString(c.about() + "\n")
	children := c.children()
	for i, child := range children {
		label := ""
		if c.Ensemble != nil {
			m := c.Ensemble.Members[i]
			label = m.Name
			if m.Types != nil {
				label += " (" + strings.Join(m.Types, ", ") + ")"
			}
			if m.MinScore > 0 {
				label += fmt.Sprintf(" (score from %v)", m.MinScore)
			}
		}
		if i == len(children)-1 {
			child.draw(b, label, rest+"└─ ", rest+"   ")
		} else {
			child.draw(b, label, rest+"├─ ", rest+"│  ")
		}
	}
}

// about is a node in a few words.
func (c *Config) about() string {
	list := func(words ...string) string {
		return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), ", ")
	}
	when := func(yes bool, word string) string {
		if yes {
			return word
		}
		return ""
	}
	switch {
	case c.ANN != nil:
		n := c.ANN.Network
		return "ann: " + list(when(n.CharacterEmbedding > 0, "characters"), when(n.TokenEmbedding > 0, "tokens"), when(c.ANN.Vectors.File != "", "pretrained vectors"),
			when(n.CRF, "CRF"), fmt.Sprintf("up to %d epochs", c.ANN.Training.Epochs))
	case c.CRF != nil:
		return "crf: " + list(c.CRF.About())
	case c.Rules != nil:
		return "rules: " + c.Rules.Set + c.Rules.File
	case c.Gazetteer != nil:
		return "gazetteer: " + strings.Join(c.Gazetteer.Lists.Names(), ", ")
	case c.Trained != nil:
		return "trained: " + c.Trained.Model
	case c.Ensemble != nil:
		return "ensemble: " + list(string(c.Ensemble.Method), when(c.Ensemble.Method == ensemble.Vote, fmt.Sprintf("%d votes", c.Ensemble.Votes)),
			strings.Join(c.Ensemble.Priority, " > "))
	case c.SecondPass != nil:
		return "second_pass: by " + c.SecondPass.By + when(c.SecondPass.Standardize, ", standardized")
	case c.Corrected != nil:
		return "corrected: by rules " + c.Corrected.Rules.Set + c.Corrected.Rules.File
	}
	return "nothing"
}
