package feature

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/lethe-deid/lethe/checkpoints"
	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/embeddings"
	"github.com/lethe-deid/lethe/embeddings/brown"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/wholefile"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/crf/pos"
	"github.com/lethe-deid/lethe/taggers/crf/wordnet"
	"github.com/lethe-deid/lethe/taggers/gazetteer"
	"github.com/lethe-deid/lethe/taggers/rules"
)

// Sources names the files and folders that families require besides the training notes.
// By default all are empty.
type Sources struct {
	POS        string          `yaml:"pos"`        // model file written by "lethe pos train"
	Clusters   string          `yaml:"clusters"`   // Brown clusters: file written by "lethe vectors clusters"
	Vectors    string          `yaml:"vectors"`    // word vectors, in any format of package embeddings
	WordNet    string          `yaml:"wordnet"`    // folder with a WordNet's files (its dict); models do not contain a copy
	Entities   string          `yaml:"entities"`   // model folder of a network that finds general named entities
	Gazetteers gazetteer.Lists `yaml:"gazetteers"` // gazetteer lists
	Rules      []rules.Config  `yaml:"rules"`      // rule sets
	// Headings are lists of section headings. The family section does not require them,
	// but only with them are its values from a closed set.
	Headings gazetteer.Lists `yaml:"headings,omitempty" json:",omitempty"`
}

// sourceKeys are the keys of all sources.
var sourceKeys = []string{"pos", "clusters", "vectors", "wordnet", "entities", "gazetteers", "rules", "headings"}

// Paths lists the files and folders that are given.
func (s *Sources) Paths() []taggers.Path {
	var all []taggers.Path
	for _, f := range s.files() {
		if *f.Value != "" {
			all = append(all, f)
		}
	}
	for _, p := range s.Gazetteers.Paths() {
		all = append(all, taggers.Path{Key: "gazetteers", Value: p})
	}
	for _, p := range s.Headings.Paths() {
		all = append(all, taggers.Path{Key: "headings", Value: p})
	}
	for i := range s.Rules {
		if f := &s.Rules[i].File; *f != "" {
			all = append(all, taggers.Path{Key: fmt.Sprintf("rules[%d].file", i), Value: f})
		}
	}
	return all
}

// Validate returns an error that begins with the first key whose value makes no sense.
// It opens no file.
func (s Sources) Validate() error {
	if len(s.Gazetteers) > 0 {
		if err := s.Gazetteers.Validate(); err != nil {
			return fmt.Errorf("gazetteers: %w", err)
		}
	}
	if len(s.Headings) > 0 {
		if err := s.Headings.Validate(); err != nil {
			return fmt.Errorf("headings: %w", err)
		}
	}
	for i, r := range s.Rules {
		if err := r.Validate(); err != nil {
			return fmt.Errorf("rules[%d].%w", i, err)
		}
	}
	return nil
}

// has reports whether the source of a key is given.
func (s Sources) has(key string) bool {
	switch key {
	case "gazetteers":
		return len(s.Gazetteers) > 0
	case "headings":
		return len(s.Headings) > 0
	case "rules":
		return len(s.Rules) > 0
	}
	for _, f := range s.files() {
		if f.Key == key {
			return *f.Value != ""
		}
	}
	return false
}

// files lists the sources that consist of one file or folder.
func (s *Sources) files() []taggers.Path {
	return []taggers.Path{{Key: "pos", Value: &s.POS}, {Key: "clusters", Value: &s.Clusters}, {Key: "vectors", Value: &s.Vectors},
		{Key: "wordnet", Value: &s.WordNet}, {Key: "entities", Value: &s.Entities}}
}

// Resources has the contents of sources. It does not change, so several goroutines may
// use it at once.
type Resources struct {
	sources  Sources // the paths that it was read from
	pos      *pos.Tagger
	clusters *brown.Clusters
	vectors  *binarized
	lists    *gazetteer.Dictionary
	listed   []tag // by number of a list: its tag
	headings *gazetteer.Dictionary
	rules    []*rules.Tagger
	entities taggers.Model // finds general named entities
	wordnet  *wordnet.WordNet
}

// Open reads all sources that are given. Its error begins with the key of the broken
// one.
func Open(s Sources, workers int) (*Resources, error) {
	return open(s, func(i int) (*rules.Tagger, error) { return rules.New(s.Rules[i], workers) }, workers)
}

func open(s Sources, set func(i int) (*rules.Tagger, error), workers int) (*Resources, error) {
	r := &Resources{sources: s, rules: make([]*rules.Tagger, len(s.Rules))}
	sources := []source{
		{"pos", s.POS != "", func() (err error) { r.pos, err = pos.Load(s.POS); return err }},
		{"clusters", s.Clusters != "", func() (err error) { r.clusters, err = brown.Read(s.Clusters); return err }},
		{"vectors", s.Vectors != "", func() error {
			v, err := embeddings.Load(s.Vectors, embeddings.Options{})
			if err == nil {
				r.vectors = binarize(v)
			}
			return err
		}},
		{"wordnet", s.WordNet != "", func() (err error) { r.wordnet, err = wordnet.Open(s.WordNet); return err }},
		{"entities", s.Entities != "", func() (err error) { r.entities, err = openNetwork(s.Entities, workers); return err }},
		{"gazetteers", len(s.Gazetteers) > 0, func() (err error) { r.lists, err = gazetteer.NewDictionary(s.Gazetteers); return err }},
		{"headings", len(s.Headings) > 0, func() (err error) { r.headings, err = gazetteer.NewDictionary(s.Headings); return err }},
	}
	for i := range s.Rules {
		sources = append(sources, source{fmt.Sprintf("rules[%d]", i), true, func() (err error) { r.rules[i], err = set(i); return err }})
	}
	if err := readAll(sources); err != nil {
		return nil, err
	}
	if r.lists != nil {
		for _, name := range r.lists.Lists().Names() {
			r.listed = append(r.listed, newTag(name))
		}
	}
	return r, nil
}

// A source is read if it is given.
type source struct {
	key   string
	given bool
	read  func() error
}

// readAll reads sources side by side. Of several errors, it returns that of the first source.
func readAll(sources []source) error {
	errs := make([]error, len(sources))
	var reading sync.WaitGroup
	for i, s := range sources {
		if s.given {
			reading.Go(func() { errs[i] = s.read() })
		}
	}
	reading.Wait()
	for i, err := range errs {
		if err != nil {
			return fmt.Errorf("resources.%s: %w", sources[i].key, err)
		}
	}
	return nil
}

// openNetwork reads the model folder of a network. It finds the kind by its key, because
// package ann imports this package.
func openNetwork(dir string, workers int) (taggers.Model, error) {
	network, _, err := taggers.New("ann").(taggers.Standalone).Open(dir, workers)
	return network, err
}

// resourcesFolder is the folder in which a model keeps a copy of its sources: a file or
// folder for each, named after its key.
const resourcesFolder = "resources"

func rulesFolder(dir string, i int) string {
	return filepath.Join(dir, resourcesFolder, fmt.Sprintf("rules%d", i+1))
}

// saved returns the sources with the paths that Save gives them in a model folder.
func (s Sources) saved(dir string) Sources {
	for _, f := range s.files() {
		if *f.Value != "" && f.Key != "wordnet" {
			*f.Value = filepath.Join(dir, resourcesFolder, f.Key)
		}
	}
	s.Gazetteers = s.Gazetteers.Saved(filepath.Join(dir, resourcesFolder, "gazetteers"))
	s.Headings = s.Headings.Saved(filepath.Join(dir, resourcesFolder, "headings"))
	return s
}

// Save copies the sources into a model folder, so that the model does not depend on
// other files, and other versions of the program use the same contents. For WordNet, it
// saves only the digest.
func (r *Resources) Save(dir string) error {
	from, to := r.sources, r.sources.saved(dir)
	for i, f := range to.files() {
		var err error
		switch source := *from.files()[i].Value; {
		case source == "":
		case f.Key == "wordnet":
			err = wholefile.WriteFile(digestFile(dir), []byte(r.wordnet.Digest()+"\n"), 0o666)
		case f.Key == "entities":
			err = r.entities.Save(*f.Value)
		default:
			err = checkpoints.CopyFile(*f.Value, source)
		}
		if err != nil {
			return err
		}
	}
	if r.vectors != nil && r.vectors.vectors.Stats().Format == embeddings.SENNA { // which has a second file
		if err := checkpoints.CopyFile(beside(to.Vectors), beside(from.Vectors)); err != nil {
			return err
		}
	}
	if r.lists != nil {
		if err := r.lists.Save(filepath.Join(dir, resourcesFolder, "gazetteers")); err != nil {
			return err
		}
	}
	if r.headings != nil {
		if err := r.headings.Save(filepath.Join(dir, resourcesFolder, "headings")); err != nil {
			return err
		}
	}
	for i, set := range r.rules {
		if err := set.Save(rulesFolder(dir, i)); err != nil {
			return err
		}
	}
	return nil
}

// beside returns the path of SENNA's words beside its vectors.
func beside(vectors string) string {
	return filepath.Join(filepath.Dir(vectors), embeddings.SENNAWords)
}

// digestFile returns the path of the file in which a model keeps its WordNet's digest.
func digestFile(dir string) string { return filepath.Join(dir, resourcesFolder, "wordnet.digest") }

// wordnetVariable is the environment variable that names the WordNet folder for models
// whose own WordNet has moved.
const wordnetVariable = "LETHE_WORDNET"

// LoadResources reads what Save wrote into a model folder. It fails if the WordNet
// differs from the one that the model was trained with.
func LoadResources(dir string, s Sources, workers int) (*Resources, error) {
	if s.WordNet != "" {
		if elsewhere := os.Getenv(wordnetVariable); elsewhere != "" {
			s.WordNet = elsewhere
		}
	}
	r, err := load(dir, s, workers)
	if err != nil || r.wordnet == nil {
		return r, err
	}
	digest, err := bounded.ReadFile(digestFile(dir), bounded.MaxConfig)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(string(digest)) != r.wordnet.Digest() {
		return nil, fmt.Errorf("%s: not the WordNet that %s was trained with; set the environment variable %s to the folder of the right one", s.WordNet, dir, wordnetVariable)
	}
	return r, nil
}

func load(dir string, s Sources, workers int) (*Resources, error) {
	return open(s.saved(dir), func(i int) (*rules.Tagger, error) { return rules.Open(rulesFolder(dir, i), workers) }, workers)
}

// Foreign tags the documents with general named entities. Without a network for them,
// it returns no spans.
func (r *Resources) Foreign(ctx context.Context, docs []*data.Document) ([][]data.Span, error) {
	if r.entities == nil {
		return make([][]data.Span, len(docs)), nil
	}
	return r.entities.Tag(ctx, docs)
}

// resourceFamilies returns the families that require a resource.
func resourceFamilies() map[string]family {
	tagged := func(about string, value func(w pos.Word) string) family {
		return withPOS(each(about, func(x *Text, t int) string { return value(x.tagged()[t]) }))
	}
	return map[string]family{
		"wordnet":   wordNet(),
		"pos":       closed(withPOS(posFamily())),
		"word-pos":  withPOS(wordPOS()),
		"lemma":     tagged("the lemma (Dernoncourt et al. 2016, table 2; Dehghan et al. 2015)", func(w pos.Word) string { return strings.ToLower(w.Lemma) }),
		"tense":     closed(tagged("the tense of a verb (Dernoncourt et al. 2016, table 2)", func(w pos.Word) string { return w.Tense })),
		"chunk":     closed(tagged("the position in the token's chunk, beginning or inside (Dehghan et al. 2015, section 2 (III))", func(w pos.Word) string { return w.Chunk })),
		"gazetteer": resource("gazetteers", "the lists with an entry that the token is part of, and the position in the entry (Szarvas et al. 2006; Dehghan et al. 2015, section 2 (III); Dernoncourt et al. 2016, table 2; Liu et al. 2017, section 3.3)", gazetteers),
		"rule":      resource("rules", "the rules with a match that the token is part of, and the position in the match (Zuccon et al. 2014, section 3; Dernoncourt et al. 2016, table 2)", ruleMatches),
		"entity":    resource("entities", "general named entities (person, place and so on) that a network finds (Liu et al. 2017, section 3.3)", entities),
		"cluster":   resource("clusters", "the path of the word's Brown cluster, and its first 4, 6, 10 and 20 bits (Liu et al. 2017, section 3.3; the lengths are those of Turian et al. 2010)", clusters),
		"vector": resource("vectors", "the dimensions of the word's vector that are clearly positive or negative (Liu et al. 2017, section 3.3, with word2vec; made binary as in Guo et al. 2014, section 4.1)",
			vectorSigns),
	}
}

// resource makes a family with one column, whose values come from a resource, such as
// the names of lists.
func resource(key, about string, values func(x *Text, r *Resources, put func(int, string))) family {
	return family{about: about, needs: key, closed: true, columns: func(s Spec, r *Resources) ([]column, error) {
		return []column{{name: s.Family, lo: -s.Window, hi: s.Window, values: func(x *Text, put func(int, string)) { values(x, r, put) }}}, nil
	}}
}

// tag has the values of the tokens in a range: begin for the first, inside for the others.
type tag struct{ begin, inside string }

func newTag(value string) tag { return tag{"B-" + value, "I-" + value} }

// on puts a tag on the tokens [start, end).
func (v tag) on(start, end int, put func(int, string)) {
	for t := start; t < end; t++ {
		if t == start {
			put(t, v.begin)
		} else {
			put(t, v.inside)
		}
	}
}

// pathBits are the lengths of the prefixes of a cluster's path that are features.
var pathBits = [...]int{4, 6, 10, 20}

// clusters looks up each word as it is written, then in lower case, then both forms
// with 0 instead of digits. The first hit counts.
func clusters(x *Text, r *Resources, put func(int, string)) {
	for t := range x.words {
		for _, w := range [...]string{x.words[t], x.lower()[t], zeros(x.words[t]), zeros(x.lower()[t])} {
			path, ok := r.clusters.Path(w)
			if !ok {
				continue
			}
			for _, n := range pathBits {
				if n < len(path) {
					put(t, path[:n]+"*")
				}
			}
			put(t, path)
			break
		}
	}
}

func gazetteers(x *Text, r *Resources, put func(int, string)) {
	for _, m := range r.lists.Match(x.Doc.Text, x.Tokens) {
		r.listed[m.List].on(m.Start, m.End, put)
	}
}

func ruleMatches(x *Text, r *Resources, put func(int, string)) {
	if len(x.Tokens) == 0 {
		return
	}
	from, to := x.Tokens[0].Start, x.Tokens[len(x.Tokens)-1].End
	if blank(x.Doc.Text[:from]) && blank(x.Doc.Text[to:]) { // all of the document, which others search as well
		from, to = 0, len(x.Doc.Text)
	}
	for _, set := range r.rules {
		first := 0 // matches are sorted by start
		for _, m := range set.Find(x.Doc.Text[from:to]) {
			for first < len(x.Tokens) && x.Tokens[first].End <= m.Start+from {
				first++
			}
			end := first
			for end < len(x.Tokens) && x.Tokens[end].Start < m.End+from {
				end++
			}
			newTag(m.Type).on(first, end, put)
			newTag(m.Rule).on(first, end, put)
		}
	}
}

func blank(text string) bool { return strings.TrimSpace(text) == "" }

func entities(x *Text, _ *Resources, put func(int, string)) {
	for _, s := range data.AlignSpans(x.Tokens, x.Foreign) {
		newTag(s.Type).on(s.Start, s.End, put)
	}
}
