package ensemble

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/fold"
	"github.com/lethe-deid/lethe/data/tokenize"
	"github.com/lethe-deid/lethe/data/wordlists"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/wholefile"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/ensemble/svm"
)

// featureNames lists the features of a candidate, a span with a type that a member
// found (Liu et al. 2017, section 3.7, in the paper's order). Yes is 1 and no is 0. What
// the paper calls others is the spans of the other members.
func featureNames(members []Member) []string {
	names := []string{
		"same span",                // another member found a span with the same borders
		"same span and type",       // and with the same type
		"overlap",                  // another member found a span that overlaps with other borders
		"overlap of the same type", // and with the same type
		"connective",               // the text contains a conjunction or preposition
	}
	for _, m := range members {
		names = append(names, "by "+m.Name) // this member found the candidate
	}
	return append(names,
		"times",             // number of members that found the candidate
		"times of span",     // number of members that found a span with these borders
		"tokens",            // number of tokens (section 3.2)
		"times in the note", // number of spans, of all members, with this text and type in the note
	)
}

// judge decides which candidates are right.
type judge struct {
	members     []Member
	connectives map[string]bool // folded
	most        []float64       // by feature: its maximum in training; at least 1
	machine     *svm.Model
}

// fitJudge learns from the members' results in the training notes.
func (c Config) fitJudge(ctx context.Context, task taggers.Task) (*judge, error) {
	j := newJudge(c.Members, task.Types)
	rows, right := j.rows(c, task)
	if n := count(right); n == 0 || n == len(right) {
		return nil, fmt.Errorf("method learned requires right and wrong spans to learn from, but the members found %d and %d in the training notes", n, len(right)-n)
	}
	var err error
	j.machine, err = svm.Train(ctx, rows, right, svm.DefaultOptions())
	return j, err
}

// Rows returns what method learned learns from: the scaled features of each candidate in
// the training notes, and whether it is right, that is whether the document has the same
// span with the same type. task.Unseen has the members' spans.
func (c Config) Rows(task taggers.Task) (rows [][]float64, right []bool) {
	return newJudge(c.Members, task.Types).rows(c, task)
}

func (j *judge) rows(c Config, task taggers.Task) (rows [][]float64, right []bool) {
	for i, d := range task.Train {
		gold := map[place]bool{}
		for _, s := range d.Spans {
			gold[place{s.Start, s.End, s.Type}] = true
		}
		all := New(c, nil).candidates(task.Unseen, i)
		for k, row := range j.features(d.Text, all) {
			rows, right = append(rows, row), append(right, gold[place{all[k].Start, all[k].End, all[k].Type}])
		}
	}
	for _, row := range rows {
		for k, v := range row {
			j.most[k] = max(j.most[k], v)
		}
	}
	for _, row := range rows {
		j.scale(row)
	}
	return rows, right
}

func count(all []bool) (n int) {
	for _, b := range all {
		if b {
			n++
		}
	}
	return n
}

func newJudge(members []Member, types *data.TypeSet) *judge {
	j := &judge{members: members, connectives: map[string]bool{}, most: slices.Repeat([]float64{1}, len(featureNames(members)))}
	for _, language := range []string{"en", "es"} {
		if types.Language != "" && types.Language != language {
			continue
		}
		for _, word := range wordlists.Entries(language + "-connectives") {
			j.connectives[fold.Fold(word)] = true
		}
	}
	return j
}

// scale divides the features by their maximum in training, as LIBSVM's authors
// recommend: otherwise counts would outweigh everything else in the distance of two
// rows. Greater values count as the maximum.
func (j *judge) scale(row []float64) {
	for k, v := range row {
		row[k] = min(1, v/j.most[k])
	}
}

// divide separates the candidates of a note into right and wrong ones, and replaces
// their scores.
func (j *judge) divide(text string, all []candidate) (right, wrong []candidate) {
	for i, row := range j.features(text, all) {
		j.scale(row)
		c := all[i]
		d := j.machine.Decision(row)
		if c.Score = 1 / (1 + math.Exp(-d)); d > 0 {
			right = append(right, c)
		} else {
			wrong = append(wrong, c)
		}
	}
	return right, wrong
}

// features returns the features of each candidate of a note, in the order of
// featureNames.
func (j *judge) features(text string, all []candidate) [][]float64 {
	type value struct{ text, typ string }
	spans, values := map[[2]int]int{}, map[value]int{}
	for _, c := range all {
		spans[[2]int{c.Start, c.End}] += len(c.by)
		values[value{text[c.Start:c.End], c.Type}] += len(c.by)
	}
	overlap, ofType := overlaps(all)
	rows := make([][]float64, len(all))
	for i, c := range all {
		times := spans[[2]int{c.Start, c.End}]
		tokens, connective := j.read(text[c.Start:c.End])
		row := []float64{yes(times > 1), yes(len(c.by) > 1), yes(overlap[i]), yes(ofType[i]), yes(connective)}
		for m := range j.members {
			row = append(row, yes(slices.Contains(c.by, m)))
		}
		rows[i] = append(row, float64(len(c.by)), float64(times), float64(tokens), float64(values[value{text[c.Start:c.End], c.Type}]))
	}
	return rows
}

func yes(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// overlaps reports, for each candidate, whether one with other borders overlaps it, and
// whether one of its own type does. The spans of one member do not overlap, so the other
// candidate is another member's.
func overlaps(all []candidate) (any, ofType []bool) {
	any, ofType = make([]bool, len(all)), make([]bool, len(all))
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return all[a].Start - all[b].Start })
	for k, i := range order {
		for _, o := range order[k+1:] {
			a, b := all[i], all[o]
			if b.Start >= a.End {
				break
			}
			if a.Start == b.Start && a.End == b.End {
				continue
			}
			any[i], any[o] = true, true
			if a.Type == b.Type {
				ofType[i], ofType[o] = true, true
			}
		}
	}
	return any, ofType
}

// read returns the number of tokens of a text, and whether one is a conjunction or
// preposition.
func (j *judge) read(text string) (tokens int, connective bool) {
	for _, t := range (tokenize.LettersDigits{}).Tokens(text, nil) {
		tokens++
		connective = connective || j.connectives[fold.Fold(text[t.Start:t.End])]
	}
	return tokens, connective
}

// Files of a learned ensemble.
const (
	featuresFile = "features.json"
	machineFile  = "svm.json"
)

// storedFeature is one item of featuresFile.
type storedFeature struct {
	Name    string  `json:"name"`
	Maximum float64 `json:"maximum"` // in training
}

func (j *judge) save(dir string) error {
	var all []storedFeature
	for k, name := range featureNames(j.members) {
		all = append(all, storedFeature{name, j.most[k]})
	}
	raw, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	if err := wholefile.WriteFile(filepath.Join(dir, featuresFile), append(raw, '\n'), 0o666); err != nil {
		return err
	}
	return j.machine.Save(filepath.Join(dir, machineFile))
}

func loadJudge(dir string, members []Member, types *data.TypeSet) (*judge, error) {
	path := filepath.Join(dir, featuresFile)
	raw, err := bounded.ReadFile(path, bounded.MaxModel)
	if err != nil {
		return nil, err
	}
	var all []storedFeature
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&all); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("%s: text after the features", path)
	}
	j := newJudge(members, types)
	names := featureNames(members)
	if len(all) != len(names) {
		return nil, fmt.Errorf("%s: %d features, but the configuration has %d", path, len(all), len(names))
	}
	for k, f := range all {
		switch {
		case f.Name != names[k]:
			return nil, fmt.Errorf("%s: feature %d is not %q", path, k+1, names[k])
		case !(f.Maximum >= 1) || math.IsInf(f.Maximum, 1):
			return nil, fmt.Errorf("%s: feature %q: its maximum %v is not finite and at least 1", path, f.Name, f.Maximum)
		}
		j.most[k] = f.Maximum
	}
	path = filepath.Join(dir, machineFile)
	if j.machine, err = svm.Load(path); err != nil {
		return nil, err
	}
	if j.machine.Features() != len(names) {
		return nil, fmt.Errorf("%s: %d features, but the configuration has %d", path, j.machine.Features(), len(names))
	}
	return j, nil
}
