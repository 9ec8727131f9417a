package trees

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/sorting"
	"github.com/lethe-deid/lethe/internal/wholefile"
	"github.com/lethe-deid/lethe/taggers/trees/c45"
)

// learnedFile of a model folder has all words of the training notes that the model
// contains, as JSON: see stored. The trees are in one file per iteration and set of
// triggers. Of the words in learnedFile, they repeat only the headings. Their thresholds
// are values of attributes in the training notes, among them numbers of up to five digits.
const learnedFile = "learned.json"

func treesFile(dir string, iteration int, set string) string {
	return filepath.Join(dir, fmt.Sprintf("iteration-%d-%s.trees", iteration+1, set))
}

// stored is the content of learnedFile.
type stored struct {
	Classes  []string               `json:"classes"` // O, then the types
	Labels   []string               `json:"labels"`  // O, then the labels of these types
	Words    []string               `json:"words"`
	Headings []storedHeading        `json:"headings"` // most frequent first
	Cues     map[string][]storedCue `json:"cues"`     // by clue
}

type storedHeading struct {
	Heading string  `json:"heading"`
	Trusted bool    `json:"trusted"`
	Class   string  `json:"class"` // the most frequent class under it apart from O; O: none
	Share   float32 `json:"share"` // of this class among the tokens under it
}

type storedCue struct {
	Words string  `json:"words"` // separated by spaces
	Class string  `json:"class"`
	Share float32 `json:"share"`
}

// Save implements taggers.Model.
func (t *Tagger) Save(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	if err := t.resources.save(dir); err != nil {
		return err
	}
	raw, err := json.MarshalIndent(t.learned.store(), "", " ")
	if err != nil {
		return err
	}
	if err := wholefile.WriteFile(filepath.Join(dir, learnedFile), append(raw, '\n'), 0o666); err != nil {
		return err
	}
	for i, models := range t.iterations {
		for k, set := range t.config.sets() {
			raw, err := models[k].trees.MarshalBinary()
			if err != nil {
				return err
			}
			if err := wholefile.WriteFile(treesFile(dir, i, set), raw, 0o666); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *learned) store() stored {
	s := stored{Classes: l.classes, Labels: l.labels, Words: l.words, Headings: []storedHeading{}, Cues: map[string][]storedCue{}}
	for i, name := range l.names {
		c := l.suggests[i]
		s.Headings = append(s.Headings, storedHeading{name, l.clear[i], l.classes[c.class], c.share})
	}
	for clue, of := range l.cues {
		all := []storedCue{}
		for key, c := range of {
			var words []string
			for _, id := range keyWords(key) {
				words = append(words, l.words[id])
			}
			all = append(all, storedCue{strings.Join(words, " "), l.classes[c.class], c.share})
		}
		sorting.By(all, func(a, b storedCue) int { return strings.Compare(a.Words, b.Words) })
		s.Cues[clue] = all
	}
	return s
}

// load reads a folder that Save wrote.
func load(dir string, c Config, types *data.TypeSet, workers int) (*Tagger, error) {
	path := filepath.Join(dir, learnedFile)
	raw, err := bounded.ReadFile(path, bounded.MaxModel)
	if err != nil {
		return nil, err
	}
	l, err := decodeLearned(raw, c.sets(), types)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	r, err := loadResources(dir, c.Resources, workers)
	if err != nil {
		return nil, err
	}
	t, err := newTagger(c, r, l, workers)
	if err != nil {
		return nil, err
	}
	for i := range c.trainings() {
		var models []model
		for _, set := range c.sets() {
			m := model{newSchema(c, set, i == 1, l, r), &c45.Boosted{}}
			path := treesFile(dir, i, set)
			raw, err := bounded.ReadFile(path, bounded.MaxModel)
			if err != nil {
				return nil, err
			}
			if err := m.trees.UnmarshalBinary(raw); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			if !m.fits(l.labels) {
				return nil, fmt.Errorf("%s: the trees have other attributes or labels than %s says", path, learnedFile)
			}
			models = append(models, m)
		}
		t.iterations = append(t.iterations, models)
	}
	return t, nil
}

// fits reports whether the trees have the attributes of the schema and these labels.
func (m model) fits(labels []string) bool {
	return slices.Equal(m.trees.Classes(), labels) &&
		slices.EqualFunc(m.trees.Attributes(), m.schema.attributes(), func(a, b c45.Attribute) bool { return a.Name == b.Name && slices.Equal(a.Values, b.Values) })
}

// decodeLearned reads learnedFile.
func decodeLearned(raw []byte, sets []string, types *data.TypeSet) (*learned, error) {
	var s stored
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("text after the object")
	}
	if len(s.Classes) < 2 || s.Classes[0] != "O" {
		return nil, errors.New("classes: must be O and at least one type")
	}
	for _, c := range s.Classes[1:] {
		if !types.Has(c) {
			return nil, fmt.Errorf("classes: %s is not a type of %s", c, types.Name)
		}
	}
	if len(s.Labels) < 2 || s.Labels[0] != "O" {
		return nil, errors.New("labels: must be O and at least one label of a type")
	}
	for _, label := range s.Labels[1:] {
		if _, typ := data.SplitLabel(label); !slices.Contains(s.Classes[1:], typ) {
			return nil, errors.New("labels: a label is not that of a class")
		}
	}
	if len(s.Words) >= maxWords {
		return nil, errors.New("words: there are too many")
	}
	l := &learned{classes: s.Classes, labels: s.Labels, words: s.Words, numbers: map[string]int32{}, headings: map[string]int32{}, cues: map[string]cues{}}
	of := numbersOf(s.Classes)
	entry := func(class string, share float32) (cue, error) {
		n, ok := of[class]
		if !ok || !(share >= 0 && share <= 1) {
			return cue{}, errors.New("a class or share is invalid")
		}
		return cue{n, share}, nil
	}
	for _, h := range s.Headings {
		c, err := entry(h.Class, h.Share)
		if err != nil {
			return nil, fmt.Errorf("headings: %w", err)
		}
		l.names, l.clear, l.suggests = append(l.names, h.Heading), append(l.clear, h.Trusted), append(l.suggests, c)
	}
	l.index()
	for _, clue := range clues(sets) {
		all, ok := s.Cues[clue.name]
		if !ok {
			return nil, fmt.Errorf("cues: %s is missing", clue.name)
		}
		l.cues[clue.name] = cues{}
		for _, stored := range all {
			c, err := entry(stored.Class, stored.Share)
			if err != nil {
				return nil, fmt.Errorf("cues: %s: %w", clue.name, err)
			}
			key := uint64(0)
			for w := range strings.SplitSeq(stored.Words, " ") {
				id, ok := l.numbers[w]
				if !ok || key>>(64-keyBits) > 0 {
					return nil, fmt.Errorf("cues: %s: a cue has words that are not in the vocabulary, or too many", clue.name)
				}
				key = key<<keyBits | uint64(id+1)
			}
			l.cues[clue.name][key] = c
		}
	}
	return l, nil
}
