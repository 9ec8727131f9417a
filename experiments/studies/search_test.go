package studies

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/experiments"
	"github.com/lethe-deid/lethe/taggers"
)

func space(t *testing.T, lines ...string) (s Space) {
	t.Helper()
	for _, line := range lines {
		d, err := ParseDimension(line)
		if err != nil {
			t.Fatal(err)
		}
		s = append(s, d...)
	}
	return s
}

// halve simulates asynchronous successive halving for trials whose score on dev after each epoch is
// known, and returns how many epochs each is trained.
func halve(scores [][]float64, rungs []int, factor int) []int {
	best := func(i, epochs int) float64 { return slices.Max(scores[i][:epochs]) }
	trained := []int{rungs[len(rungs)-1]} // the first trial
	started := 1
	for {
		promote := -1
		for k := len(rungs) - 2; k >= 0 && promote < 0; k-- {
			type entry struct {
				i     int
				score float64
			}
			var there []entry
			for i := range started {
				if trained[i] >= rungs[k] {
					there = append(there, entry{i, best(i, rungs[k])})
				}
			}
			slices.SortStableFunc(there, func(a, b entry) int {
				if a.score > b.score {
					return -1
				} else if a.score < b.score {
					return 1
				}
				return 0
			})
			for _, e := range there[:len(there)/factor] {
				if trained[e.i] == rungs[k] && promote < 0 {
					promote = e.i
				}
			}
		}
		next := func(i int) int { return rungs[slices.Index(rungs, trained[i])+1] }
		switch {
		case promote >= 0:
			trained[promote] = next(promote)
		case started < len(scores):
			trained = append(trained, rungs[0])
			started++
		default:
			top := 0
			for i := range started {
				if best(i, trained[i]) > best(top, trained[top]) {
					top = i
				}
			}
			if trained[top] == rungs[len(rungs)-1] {
				return trained
			}
			trained[top] = next(top)
		}
	}
}

// A search trains each trial as far as a simulation says that knows all scores. Interrupted and
// resumed, it leaves the same bytes.
func TestSearch(t *testing.T) {
	c := load(t, tiny, "system.ann.training.epochs=4")
	so := SearchOptions{Runs: 6, Seed: 3, Factor: 2, First: 1,
		Space: space(t, "system.ann.optimizer.learning_rate={log_uniform: [0.005, 0.1]}", "system.ann.network.dropout=[0, 0.2]")}
	whole := filepath.Join(t.TempDir(), "whole")
	r, err := Search(t.Context(), c, so, Options{Dir: whole, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Trials) != 6 || !slices.Equal(r.Epochs, []int{1, 2, 4}) {
		t.Fatalf("%d trials, compared after %v epochs", len(r.Trials), r.Epochs)
	}
	all := so
	all.Factor = 1 // every trial is trained to its end
	complete, err := Search(t.Context(), c, all, Options{Dir: filepath.Join(t.TempDir(), "all"), Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	var scores [][]float64
	for i, trial := range complete.Trials {
		if !slices.Equal(trial.Settings, r.Trials[i].Settings) || trial.State != "complete" || trial.Epochs != 4 {
			t.Errorf("trial %d: %+v, with early stopping %+v", i+1, trial, r.Trials[i])
		}
		config, err := c.With(trial.Settings...)
		if err != nil {
			t.Fatal(err)
		}
		var log []float64
		if _, err := experiments.Train(t.Context(), config, experiments.TrainOptions{Dir: filepath.Join(t.TempDir(), "run"), Workers: 2,
			Epoch: func(e taggers.Epoch) { log = append(log, e.Dev.F1()) }}); err != nil {
			t.Fatal(err)
		}
		if got, want := trial.Mean, slices.Max(log); got != want {
			t.Errorf("%s: score %v, want %v", trial.Name, got, want)
		}
		scores = append(scores, log)
	}
	stops := 0
	for i, want := range halve(scores, []int{1, 2, 4}, 2) {
		trial := r.Trials[i]
		if trial.Epochs != want || trial.Mean != slices.Max(scores[i][:want]) || (trial.State == "complete") != (want == 4) {
			t.Errorf("%s: %d epochs, %s, score %v; want %d epochs of %v", trial.Name, trial.Epochs, trial.State, trial.Mean, want, scores[i])
		}
		if want < 4 {
			stops++
		}
	}
	if stops == 0 {
		t.Error("the test stops no trial")
	}
	best, err := experiments.Load(filepath.Join(whole, "best.yaml"), nil)
	if err != nil {
		t.Fatal(err)
	}
	wanted, err := c.With(r.Trials[r.Best].Settings...)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := fmt.Sprint(best), fmt.Sprint(wanted); a != b && best.System.Tree() != wanted.System.Tree() {
		t.Errorf("best.yaml is %s, want %s", a, b)
	}

	broken := filepath.Join(t.TempDir(), "broken")
	for _, after := range []int{1, 6} {
		ctx, cancel := context.WithCancel(t.Context())
		epochs := 0
		_, err := Search(ctx, c, so, Options{Dir: broken, Workers: 2, Resume: after > 1, Epoch: func(taggers.Epoch) {
			if epochs++; epochs == after {
				cancel()
			}
		}})
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("interrupted after %d epochs: %v", after, err)
		}
		cancel()
	}
	if _, err := Search(t.Context(), c, so, Options{Dir: broken, Resume: true}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"table.json", "table.txt", "table.tex", "tables/trials.csv", "best.yaml", "study.yaml", "search-learning-rate.svg"} {
		if a, b := read(t, whole, name), read(t, broken, name); a != b {
			t.Errorf("%s differs:\n%s\n%s", name, a, b)
		}
	}
	other := so
	other.Space = space(t, "system.ann.optimizer.learning_rate={log_uniform: [0.005, 0.2]}", "system.ann.network.dropout=[0, 0.2]")
	if _, err := Search(t.Context(), c, other, Options{Dir: broken, Resume: true}); err == nil || !strings.Contains(err.Error(), "it cannot be resumed") {
		t.Errorf("another space: error %v", err)
	}
	more := so
	more.Runs = 7 // the earlier trials stay as they are
	again, err := Search(t.Context(), c, more, Options{Dir: broken, Resume: true})
	if err != nil {
		t.Fatal(err)
	}
	for i, trial := range r.Trials {
		if !slices.Equal(again.Trials[i].Settings, trial.Settings) || again.Trials[i].Epochs < trial.Epochs {
			t.Errorf("with more trials %+v, before %+v", again.Trials[i], trial)
		}
	}
}

// A trial that cannot be trained, or whose settings are not valid together, is the worst one. The
// experiment itself must be trainable.
func TestSearchWithFailures(t *testing.T) {
	c := load(t, tiny, "system.ann.training.epochs=1")
	so := SearchOptions{Grid: true, Space: space(t, "system.ann.optimizer.learning_rate=[1e30, 0.03]")}
	opt := Options{Dir: filepath.Join(t.TempDir(), "x"), Workers: 1, Seeds: []uint64{1, 2}}
	r, err := Search(t.Context(), c, so, opt)
	if err != nil {
		t.Fatal(err)
	}
	if x := r.Trials[1]; len(r.Trials) != 3 || x.State != "failed" || x.Reason == "" || len(r.Trials[2].Runs) != 2 || r.Best == 1 {
		t.Errorf("%+v", r)
	}
	opt.Resume, opt.Begin = true, func(string, int, int) { t.Error("something was trained again") }
	again, err := Search(t.Context(), c, so, opt)
	if err != nil || again.Trials[1].Reason != r.Trials[1].Reason {
		t.Errorf("resumed: %v", err)
	}
	late, err := Search(t.Context(), c, SearchOptions{Space: so.Space, Time: 1}, Options{Dir: filepath.Join(t.TempDir(), "y"), Workers: 1})
	if err != nil || len(late.Trials) != 1 || late.Trials[0].State != "out of time" {
		t.Errorf("without time: %+v, error %v", late, err)
	}
	broken := load(t, tiny, "system.ann.optimizer.learning_rate=1e30")
	if _, err := Search(t.Context(), broken, SearchOptions{Space: space(t, "system.ann.network.dropout=[0.1]")}, Options{Dir: filepath.Join(t.TempDir(), "z"), Workers: 1}); err == nil {
		t.Error("an experiment that cannot be trained")
	}
	for want, so := range map[string]SearchOptions{
		"the space of a search is empty":                                    {},
		"seed: is in the space twice":                                       {Space: space(t, "seed=[1]", "seed=[2]")},
		"seed: a grid requires steps, the number of values between 1 and 9": {Grid: true, Space: space(t, "seed={integer: [1, 9]}")},
		"system.ann.network.dropout=1: ...":                                 {Space: space(t, "system.ann.network.dropout={uniform: [0, 1]}")},
		"system.ann.network.droput=0: ...":                                  {Space: space(t, "system.ann.network.droput=[0]")},
		// The best of trials that were scored on other notes or by another score was not the best, and these keys had no effect.
		"seed: cannot be varied, because a study decides it for all of its runs":                                  {Space: space(t, "seed=[1, 2]")},
		"name: cannot be varied, because a study decides it for all of its runs":                                  {Space: space(t, "name=[a, b]")},
		"corpus.seed=2: corpus.seed: must not change the notes of dev, their annotations or types, ...":           {Space: space(t, "corpus.seed=[2]")},
		"corpus.notes.dev=2: corpus.notes.dev: must not change the notes of dev, their annotations or types, ...": {Space: space(t, "corpus.notes.dev=[2]")},
		"corpus.merge=[train, dev]: the corpus has no split dev of its own ...":                                   {Space: space(t, "corpus.merge=[[train, dev]]")},
		"system.ann.training.metric=binary_token: must not change the score by which trials are compared":         {Space: space(t, "system.ann.training.metric=[binary_token]")},
	} {
		dir := filepath.Join(t.TempDir(), "bad")
		_, err := Search(t.Context(), c, so, Options{Dir: dir})
		begin, cut := strings.CutSuffix(want, "...")
		if err == nil || err.Error() != want && (!cut || !strings.HasPrefix(err.Error(), begin)) {
			t.Errorf("error %v, want %s", err, want)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Error("a search that did not begin leaves a folder")
		}
	}
}

// Another system than a network is trained to its end in each trial.
func TestSearchOfCRF(t *testing.T) {
	c := load(t, "name: crf\ncorpus: {format: synth, notes: {train: 12, dev: 4}}\nsystem: {crf: {features: [{family: lower}], training: {iterations: 3}}}\n")
	r, err := Search(t.Context(), c, SearchOptions{Grid: true, Space: space(t, "system.crf.training.l2={log_uniform: [0.01, 1], steps: 3}", "system.crf.features=[[{family: word}], [{family: shape}]]")},
		Options{Dir: filepath.Join(t.TempDir(), "x"), Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	var settings []string
	for _, x := range r.Trials {
		if x.State != "complete" || x.Epochs != 0 || len(x.Runs) != 1 {
			t.Errorf("%+v", x)
		}
		settings = append(settings, strings.Join(x.Settings, " "))
	}
	if len(r.Trials) != 7 || settings[3] != "system.crf.training.l2=0.1 system.crf.features=[{family: word}]" {
		t.Errorf("trials %q", settings)
	}
}

// What changes only the notes to train on can be varied.
func TestSearchVariesTheTrainingNotes(t *testing.T) {
	c := load(t, "name: crf\ncorpus: {format: jsonl, types: i2b2-2014, splits: {train: a, dev: b}}\nsystem: {crf: {features: [{family: lower}]}}\n")
	s := &search{study: &study{config: c}}
	s.Space = space(t, "corpus.splits.train=[c]", "corpus.copies={choice: [{number: 1, typos: 0.1}]}", "corpus.subset.documents={integer: [1, 3]}", "corpus.seed=[2]")
	if err := s.check(); err != nil {
		t.Error(err)
	}
}

func TestSpace(t *testing.T) {
	file := filepath.Join(t.TempDir(), "space.yaml")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("# keys\na.b[0].c: {log_uniform: [1e-4, 1]}\nd: {uniform: [-1, 2.5], steps: 8}\ne: {integer: [1, 4]}\nf: {log_integer: [1, 100], steps: 3}\ng: [true, text, {x: 1}, null]\n")
	s, err := LoadSpace(file)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	below := 0
	for n := range uint64(4000) {
		drawn := s.draw(rand.New(rand.NewPCG(1, n)))
		for i, setting := range drawn {
			_, value, _ := strings.Cut(setting, "=")
			x, err := strconv.ParseFloat(value, 64)
			d := s[i]
			if d.kind != "choice" && (err != nil || x < d.low || x > d.high || d.whole() && x != float64(int(x))) {
				t.Fatalf("%s is not in [%v, %v]", setting, d.low, d.high)
			}
			if i == 0 && x < 1e-2 {
				below++
			}
			if i == 2 || i == 4 {
				counts[setting]++
			}
		}
	}
	if below < 1850 || below > 2150 { // the middle of the logarithmic range
		t.Errorf("%d of 4000 below 0.01", below)
	}
	if len(counts) != 8 {
		t.Errorf("values %v", counts)
	}
	for setting, n := range counts {
		if n < 850 || n > 1150 {
			t.Errorf("%s: %d of 4000", setting, n)
		}
	}
	if got := []string{s[3].at(0), s[3].at(0.5), s[3].at(1), s[1].at(1. / 7), s[4].from[2], s[4].from[3]}; !slices.Equal(got, []string{"1", "10", "100", "-0.5", "{x: 1}", "null"}) {
		t.Errorf("values %q", got)
	}
	for text, want := range map[string]string{
		"a: {uniform: [1]}":                     "FILE:1:1: a: uniform: not a list of two numbers",
		"b: [1]\na: {uniform: [2, 1]}":          "FILE:2:1: a: uniform: the second number must be larger than the first",
		"a: {log_uniform: [0, 1]}":              "FILE:1:1: a: log_uniform: must be positive",
		"a: {integer: [0.5, 1]}":                "FILE:1:1: a: integer: must be whole numbers",
		"a: {normal: [0, 1]}":                   "FILE:1:1: a: normal: unknown key (have choice, uniform, log_uniform, integer, log_integer, steps)",
		"a: {uniform: [0, 1], integer: [0, 1]}": "FILE:1:1: a: must have just one of choice, uniform, log_uniform, integer, log_integer",
		"a: {steps: 3}":                         "FILE:1:1: a: must have one of choice, uniform, log_uniform, integer, log_integer",
		"a: {choice: [1], steps: 3}":            "FILE:1:1: a: steps: only allowed for a range",
		"a: {uniform: [0, 1], steps: 1}":        "FILE:1:1: a: steps: not a whole number in [2, 10000]",
		"a: 3":                                  "FILE:1:1: a: not a list of 1 to 10000 values",
		"a: [1, 1]":                             "FILE:1:1: a: duplicate value 1",
		"a..b: [1]":                             "FILE:1:1: a..b: not a path of keys, such as system.ann.network.dropout",
		"- a":                                   "FILE:1:1: a list where a mapping is expected",
		"a: [1]\na: [2]":                        `FILE:2:1: mapping key "a" already defined at [1:1]`,
		"":                                      "FILE: requires one YAML document, but has 0",
	} {
		write(text)
		if _, err := LoadSpace(file); err == nil || strings.ReplaceAll(err.Error(), file, "FILE") != want {
			t.Errorf("%s: error %v, want %s", text, err, want)
		}
	}
	for text, want := range map[string]string{
		"a":                "a: not of the form path=values",
		"a={uniform: [1]}": "a: uniform: not a list of two numbers",
	} {
		if _, err := ParseDimension(text); err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", text, err, want)
		}
	}
}

// A trial that was out of time had the best score of the epochs after which it was compared, beside the number of all its epochs. The best experiment
// had lost its seeds.
func TestScoreOfATrialOutOfTimeWasOfFewerEpochs(t *testing.T) {
	c := load(t, tiny, "system.ann.training.epochs=4", "seeds=[3, 4]")
	so := SearchOptions{Runs: 1, Factor: 2, First: 1, Space: space(t, "system.ann.network.dropout=[0, 0.2]")}
	opt := Options{Dir: filepath.Join(t.TempDir(), "x"), Workers: 1}
	if _, err := Search(t.Context(), c, so, opt); err != nil {
		t.Fatal(err)
	}
	best, err := experiments.Load(filepath.Join(opt.Dir, "best.yaml"), nil)
	if err != nil || !slices.Equal(best.Seeds, []uint64{3, 4}) {
		t.Errorf("the seeds of the best experiment are %v, error %v", best.Seeds, err)
	}
	opt.Split = experiments.DevSplit
	base, err := newStudy("search", c, opt)
	if err != nil {
		t.Fatal(err)
	}
	s := &search{study: base, SearchOptions: so}
	if err := s.prepare(); err != nil {
		t.Fatal(err)
	}
	trial := s.trials[0] // as if the time had ended on the way to the third of the rungs 1, 2 and 4
	trial.rung, trial.scores, trial.late = 2, []float64{0, 0}, true
	r, err := s.result()
	if err != nil {
		t.Fatal(err)
	}
	if x := r.Trials[0]; x.State != outOfTime || x.Epochs != 2 {
		t.Errorf("%s after %d epochs, with the score of 2", x.State, x.Epochs)
	}
}
