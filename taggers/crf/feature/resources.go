package feature

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/embeddings"
	"github.com/lethe-deid/lethe/taggers/ann"
	"github.com/lethe-deid/lethe/taggers/crf/pos"
	"github.com/lethe-deid/lethe/taggers/gazetteer"
	"github.com/lethe-deid/lethe/taggers/rules"
)

// Sources says where what families need comes from, besides the training notes.
type Sources struct {
	POS        string          `yaml:"pos"`        // a file of "lethe pos train"
	Clusters   string          `yaml:"clusters"`   // Brown clusters: a file of "lethe vectors clusters"
	Vectors    string          `yaml:"vectors"`    // word vectors, in any format of package embeddings
	WordNet    string          `yaml:"wordnet"`    // the folder dict of a WordNet
	Entities   string          `yaml:"entities"`   // model folder of a network for general named entities
	Gazetteers gazetteer.Lists `yaml:"gazetteers"` // lists
	Rules      []rules.Config  `yaml:"rules"`      // sets of rules
}

// Path is a file or folder that a configuration names.
type Path struct {
	Key   string
	Value *string
}

// Paths lists those that are given.
func (s *Sources) Paths() []Path {
	var all []Path
	for _, p := range []Path{{"pos", &s.POS}, {"clusters", &s.Clusters}, {"vectors", &s.Vectors}, {"wordnet", &s.WordNet}, {"entities", &s.Entities}} {
		if *p.Value != "" {
			all = append(all, p)
		}
	}
	for _, p := range s.Gazetteers.Paths() {
		all = append(all, Path{"gazetteers", p})
	}
	for i := range s.Rules {
		if f := &s.Rules[i].File; *f != "" {
			all = append(all, Path{fmt.Sprintf("rules[%d].file", i), f})
		}
	}
	return all
}

// Validate names the first key that makes no sense.
func (s Sources) Validate() error {
	if len(s.Gazetteers) > 0 {
		if err := s.Gazetteers.Validate(); err != nil {
			return fmt.Errorf("gazetteers: %w", err)
		}
	}
	for i, r := range s.Rules {
		if err := r.Validate(); err != nil {
			return fmt.Errorf("rules[%d].%w", i, err)
		}
	}
	return nil
}

// Resources is what sources hold. It does not change, and may be used by several
// goroutines.
type Resources struct {
	config   Sources // as the configuration has them
	sources  Sources // where they are: for a model that was loaded, in its folder
	pos      *pos.Tagger
	vectors  *binarized
	lists    *gazetteer.Dictionary
	rules    []*rules.Tagger
	entities *ann.Tagger
}

// Open reads all sources that are given.
func Open(s Sources, workers int) (*Resources, error) {
	r := &Resources{config: s, sources: s}
	var err error
	if s.POS != "" {
		if r.pos, err = pos.Load(s.POS); err != nil {
			return nil, fmt.Errorf("resources.pos: %w", err)
		}
	}
	if s.Vectors != "" {
		v, err := embeddings.Load(s.Vectors, embeddings.Options{})
		if err != nil {
			return nil, fmt.Errorf("resources.vectors: %w", err)
		}
		r.vectors = binarize(v)
	}
	if s.Entities != "" {
		if r.entities, err = ann.Load(s.Entities, workers); err != nil {
			return nil, fmt.Errorf("resources.entities: %w", err)
		}
	}
	if len(s.Gazetteers) > 0 {
		if r.lists, err = gazetteer.NewDictionary(s.Gazetteers); err != nil {
			return nil, fmt.Errorf("resources.gazetteers: %w", err)
		}
	}
	for i, c := range s.Rules {
		t, err := rules.New(c, workers)
		if err != nil {
			return nil, fmt.Errorf("resources.rules[%d]: %w", i, err)
		}
		r.rules = append(r.rules, t)
	}
	return r, nil
}

// resourcesFolder is where a model keeps copies of its sources.
const resourcesFolder = "resources"

// within is the sources as copies in a model folder.
func (s Sources) within(dir string) Sources {
	kept := s
	kept.Gazetteers = append(gazetteer.Lists{}, s.Gazetteers...)
	kept.Rules = append([]rules.Config{}, s.Rules...)
	for i, p := range kept.Paths() {
		name := fmt.Sprintf("%02d-%s", i+1, filepath.Base(*p.Value)) // its end says what kind of list it is
		*p.Value = filepath.Join(dir, resourcesFolder, name)
	}
	return kept
}

// Save copies the sources into a model folder, so that the model needs nothing
// else. A WordNet is as large as all others: it is not copied.
func (r *Resources) Save(dir string) error {
	kept := r.config.within(dir)
	from, to := r.sources.Paths(), kept.Paths()
	if len(from) == 0 {
		return nil
	}
	if err := os.MkdirAll(filepath.Join(dir, resourcesFolder), 0o777); err != nil {
		return err
	}
	for i := range from {
		var err error
		switch from[i].Key {
		case "wordnet":
		case "entities":
			err = r.entities.Save(*to[i].Value)
		default:
			err = copyFile(*to[i].Value, *from[i].Value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// LoadResources reads what Save copied.
func LoadResources(dir string, s Sources, workers int) (*Resources, error) {
	kept := s.within(dir)
	kept.WordNet = s.WordNet
	r, err := Open(kept, workers)
	if err == nil {
		r.config = s
	}
	return r, err
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}

// Foreign tags the documents with general named entities; nil without a network
// for them.
func (r *Resources) Foreign(ctx context.Context, docs []*data.Document) ([][]data.Span, error) {
	if r.entities == nil {
		return make([][]data.Span, len(docs)), nil
	}
	return r.entities.Tag(ctx, docs)
}

// needs is the error of a family whose resource is missing.
func needs(key string) error { return fmt.Errorf("needs resources.%s, which is not given", key) }

// resourceFamilies are those that need a resource.
func resourceFamilies() map[string]family {
	tagged := func(about string, value func(w pos.Word) string) family {
		return withPOS(about, each(about, func(x *Text, t int) string { return value(x.tagged()[t]) }))
	}
	return map[string]family{
		"pos":      posFamily(),
		"word-pos": wordPOS(),
		"lemma":    tagged("the lemma (Dernoncourt et al. 2016, table 2; Dehghan et al. 2015)", func(w pos.Word) string { return strings.ToLower(w.Lemma) }),
		"tense":    tagged("the tense of a verb (Dernoncourt et al. 2016, table 2)", func(w pos.Word) string { return w.Tense }),
		"chunk":    tagged("the place in its chunk, beginning or inside (Dehghan et al. 2015, section 2 (III))", func(w pos.Word) string { return w.Chunk }),
		"gazetteer": resource("the lists that the token is in an entry of, and where in it (all papers)", func(s Spec, r *Resources) error {
			if r.lists == nil {
				return needs("gazetteers")
			}
			return nil
		}, gazetteers),
		"rule": resource("the rules whose match the token is in, and where in it (Zuccon et al. 2014, section 3; Dernoncourt et al. 2016, table 2)", func(s Spec, r *Resources) error {
			if len(r.rules) == 0 {
				return needs("rules")
			}
			return nil
		}, ruleMatches),
		"entity": resource("general named entities: person, place and so on, by a network (Liu et al. 2017, section 3.3)", func(s Spec, r *Resources) error {
			if r.entities == nil {
				return needs("entities")
			}
			return nil
		}, entities),
		"vector": resource("the dimensions of the word's vector that are clearly positive or negative (Liu et al. 2017, section 3.3, by word2vec; made binary as by Guo et al. 2014, section 4.1)",
			func(s Spec, r *Resources) error {
				if r.vectors == nil {
					return needs("vectors")
				}
				return nil
			}, vectorSigns),
	}
}

// resource is a family with one column, whose values need a resource.
func resource(about string, check func(Spec, *Resources) error, values func(x *Text, r *Resources, put func(int, string))) family {
	return family{about: about, columns: func(s Spec, r *Resources) ([]column, error) {
		if err := check(s, r); err != nil {
			return nil, err
		}
		return []column{{name: s.Family, lo: -s.Window, hi: s.Window, values: func(x *Text, put func(int, string)) { values(x, r, put) }}}, nil
	}}
}

// ranges tells of each token of a span its value, with B for the first and I for
// the others.
func ranges(x *Text, start, end int, value string, put func(int, string)) {
	for t := start; t < end; t++ {
		if t == start {
			put(t, "B-"+value)
		} else {
			put(t, "I-"+value)
		}
	}
}

func gazetteers(x *Text, r *Resources, put func(int, string)) {
	names := r.sources.Gazetteers.Names()
	for _, m := range r.lists.Match(x.Doc.Text, x.Tokens) {
		ranges(x, m.Start, m.End, names[m.List], put)
	}
}

// spanned tells the tokens of spans of the document.
func spanned(x *Text, spans []data.Span, value func(i int) string, put func(int, string)) {
	for i, s := range spans {
		for _, t := range data.AlignSpans(x.Tokens, []data.Span{s}) {
			ranges(x, t.Start, t.End, value(i), put)
		}
	}
}

func ruleMatches(x *Text, r *Resources, put func(int, string)) {
	if len(x.Tokens) == 0 {
		return
	}
	from, to := x.Tokens[0].Start, x.Tokens[len(x.Tokens)-1].End
	for _, set := range r.rules {
		matches := keep(x, fmt.Sprintf("rules %p", set), func() []rules.Match { return set.Find(x.Doc.Text[from:to]) })
		next := 0
		for _, m := range matches {
			for next > 0 && x.Tokens[next].Start > m.Start+from {
				next--
			}
			for next < len(x.Tokens) && x.Tokens[next].End <= m.Start+from {
				next++
			}
			end := next
			for end < len(x.Tokens) && x.Tokens[end].Start < m.End+from {
				end++
			}
			ranges(x, next, end, m.Type, put)
			ranges(x, next, end, m.Rule, put)
		}
	}
}

func entities(x *Text, _ *Resources, put func(int, string)) {
	spanned(x, x.Foreign, func(i int) string { return x.Foreign[i].Type }, put)
}
