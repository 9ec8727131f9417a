package trees

import (
	"fmt"
	"path/filepath"

	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/wholefile"
	"github.com/lethe-deid/lethe/taggers/gazetteer"
	"github.com/lethe-deid/lethe/taggers/rules"
)

// resources has the contents of Sources. It does not change, so several goroutines may
// use it at once.
type resources struct {
	lists       *gazetteer.Dictionary // nil: none
	rules       []*rules.Tagger
	frequencies *frequencies // nil: none
}

// openResources reads all sources. Its error begins with the key of the broken one.
func openResources(s Sources, workers int) (*resources, error) {
	r := &resources{}
	var err error
	if len(s.Gazetteers) > 0 {
		if r.lists, err = gazetteer.NewDictionary(s.Gazetteers); err != nil {
			return nil, fmt.Errorf("resources.gazetteers: %w", err)
		}
	}
	for i, c := range s.Rules {
		set, err := rules.New(c, workers)
		if err != nil {
			return nil, fmt.Errorf("resources.rules[%d]: %w", i, err)
		}
		r.rules = append(r.rules, set)
	}
	if len(s.Text) > 0 {
		if r.frequencies, err = readFrequencies(s.Text); err != nil {
			return nil, fmt.Errorf("resources.text: %w", err)
		}
	}
	return r, nil
}

// Files of the folder in which a model keeps its resources.
const (
	resourcesFolder  = "resources"
	listsFolder      = "gazetteers"
	frequenciesFile  = "frequencies.bin"
	rulesFolderStart = "rules" // followed by a number, from 1
)

func rulesFolder(dir string, i int) string {
	return filepath.Join(dir, resourcesFolder, fmt.Sprintf("%s%d", rulesFolderStart, i+1))
}

// save writes the resources into a model folder, so that the model depends on no other
// files.
func (r *resources) save(dir string) error {
	if r.lists != nil {
		if err := r.lists.Save(filepath.Join(dir, resourcesFolder, listsFolder)); err != nil {
			return err
		}
	}
	for i, set := range r.rules {
		if err := set.Save(rulesFolder(dir, i)); err != nil {
			return err
		}
	}
	if r.frequencies == nil {
		return nil
	}
	return wholefile.WriteFile(filepath.Join(dir, resourcesFolder, frequenciesFile), r.frequencies.encode(), 0o666)
}

// loadResources reads what save wrote.
func loadResources(dir string, s Sources, workers int) (*resources, error) {
	r := &resources{}
	var err error
	if len(s.Gazetteers) > 0 {
		if r.lists, err = gazetteer.NewDictionary(s.Gazetteers.Saved(filepath.Join(dir, resourcesFolder, listsFolder))); err != nil {
			return nil, err
		}
	}
	for i := range s.Rules {
		set, err := rules.Open(rulesFolder(dir, i), workers)
		if err != nil {
			return nil, err
		}
		r.rules = append(r.rules, set)
	}
	if len(s.Text) > 0 {
		path := filepath.Join(dir, resourcesFolder, frequenciesFile)
		raw, err := bounded.ReadFile(path, bounded.MaxModel)
		if err != nil {
			return nil, err
		}
		if r.frequencies, err = decodeFrequencies(raw); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return r, nil
}

// properties returns what the resources say about tokens.
func (r *resources) properties() []property {
	var all []property
	if r.frequencies != nil {
		all = append(all, r.frequencies.properties()...)
	}
	for i, set := range r.rules {
		for _, typ := range set.Types() {
			all = append(all, property{name: fmt.Sprintf("rule %d %s", i+1, typ), fill: func(x *stretch, into []float32) {
				copy(into, x.ruleMatches(i, set)[typ])
			}})
		}
	}
	if r.lists != nil {
		for i, name := range r.lists.Lists().Names() {
			all = append(all, property{name: "list " + name, lo: -1, hi: 1, fill: func(x *stretch, into []float32) {
				copy(into, x.listMatches(r.lists)[i])
			}})
		}
	}
	return all
}

// ruleMatches returns, by type, 2 for the first token of a match of a rule, 1 for the
// others, 0 for tokens without a match.
func (x *stretch) ruleMatches(number int, set *rules.Tagger) map[string][]float32 {
	for len(x.byRule) <= number {
		x.byRule = append(x.byRule, nil)
	}
	if x.byRule[number] != nil {
		return x.byRule[number]
	}
	all := map[string][]float32{}
	for _, typ := range set.Types() {
		all[typ] = make([]float32, len(x.words))
	}
	x.byRule[number] = all
	if len(x.Tokens) == 0 {
		return all
	}
	start := x.Tokens[0].Start
	first := 0 // matches are sorted by start
	for _, m := range set.Find(x.Doc.Text[start:x.Tokens[len(x.Tokens)-1].End]) {
		for x.Tokens[first].End <= m.Start+start {
			first++
		}
		value := float32(2)
		for t := first; t < len(x.Tokens) && x.Tokens[t].Start < m.End+start; t++ {
			all[m.Type][t] = max(all[m.Type][t], value)
			value = 1
		}
	}
	return all
}

// listMatches returns, by list, the number of tokens of the entry that a token is part
// of, or 0.
func (x *stretch) listMatches(lists *gazetteer.Dictionary) [][]float32 {
	if x.byList == nil {
		x.byList = make([][]float32, len(lists.Lists()))
		for i := range x.byList {
			x.byList[i] = make([]float32, len(x.words))
		}
		for _, m := range lists.Match(x.Doc.Text, x.Tokens) {
			for t := m.Start; t < m.End; t++ {
				x.byList[m.List][t] = float32(m.End - m.Start)
			}
		}
	}
	return x.byList
}
