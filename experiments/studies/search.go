package studies

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/experiments"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/chart"
	"github.com/lethe-deid/lethe/internal/wholefile"
	"github.com/lethe-deid/lethe/models"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/ann"
)

// SearchOptions say which settings Search tries.
type SearchOptions struct {
	Space  Space
	Grid   bool          // try all combinations; default: random ones
	Runs   int           // maximum number of trials, including the experiment as it is; 0: 30, or for a grid all
	Time   time.Duration // all trainings together, in all calls for the same folder, take about this time at most; 0: no limit
	Seed   uint64        // of the random settings; not of the trainings
	Factor int           // of the trials that reach a number of epochs, the best 1/Factor are trained further; 1: all; 0: 3
	First  int           // epochs after which a trial is compared with others for the first time; 0: a ninth of all epochs
}

// SearchResult contains the trials of a search. The keys of its JSON form are stable.
type SearchResult struct {
	Study  string   `json:"study"` // "search"
	Name   string   `json:"name"`  // of the experiment
	Keys   []string `json:"keys"`  // that vary
	Seeds  []uint64 `json:"seeds"` // of the trainings
	Score  string   `json:"score"` // what is compared, on dev
	Epochs []int    `json:"epochs"`
	Trials []Trial  `json:"trials"` // in their order
	Best   int      `json:"best"`   // index of the best trial
}

// Trial is one set of values for the keys.
type Trial struct {
	Name     string   `json:"name"`
	Settings []string `json:"settings"` // empty for the experiment as it is
	Epochs   int      `json:"epochs"`   // trained so far, the maximum over the seeds; 0 if the system is not a network
	State    string   `json:"state"`    // complete, stopped, out of time or failed
	Reason   string   `json:"reason,omitempty"`
	// Mean and Deviation are over the seeds, of the best score on dev.
	Mean      float64   `json:"mean"`
	Deviation float64   `json:"deviation"`
	Runs      []float64 `json:"runs"`
}

// States of a trial.
const (
	complete  = "complete"    // trained as the experiment says
	stopped   = "stopped"     // worse than others
	outOfTime = "out of time" // no time was left to train it further
	failed    = "failed"
)

// The files of a search, and of a trial that failed.
const (
	bestFile   = "best.yaml"
	failedFile = "failed.txt"
)

// Search tries settings of an experiment and compares their scores on dev. Trials of a network are
// trained in steps, and only the better ones are trained further (asynchronous successive halving,
// Li et al. 2020, with one worker): whenever one of the best 1/Factor of the trials that have reached
// a number of epochs has not been trained further, this comes first; otherwise a new trial begins.
// The first trial is the experiment as it is, which is always trained to its end. A trial that fails,
// for example because its training diverges, counts as the worst.
//
// All decisions follow from the seed and the scores, so that an interrupted search continues as if it
// had not been interrupted, except for the limit of time.
func Search(ctx context.Context, c *experiments.Config, so SearchOptions, opt Options) (*SearchResult, error) {
	opt.Split = experiments.DevSplit
	base, err := newStudy("search", c, opt)
	if err != nil {
		return nil, err
	}
	if err := c.Corpus.CheckSplit(experiments.DevSplit); err != nil {
		return nil, fmt.Errorf("a search requires dev: the corpus has %w", err)
	}
	s := &search{study: base, SearchOptions: so}
	if err := s.prepare(); err != nil {
		return nil, err
	}
	if err := s.begin(); err != nil {
		return nil, err
	}
	spent, err := s.spent()
	if err != nil {
		return nil, err
	}
	inTime := ctx
	if s.Time > 0 {
		var cancel context.CancelFunc
		inTime, cancel = context.WithTimeout(ctx, s.Time-spent)
		defer cancel()
	}
	err = s.run(inTime)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil && inTime.Err() == nil {
		return nil, err
	}
	r, err := s.result()
	if err != nil {
		return nil, err
	}
	return r, s.write(r)
}

// search is a search in progress.
type search struct {
	*study
	SearchOptions
	rungs  []int // numbers of epochs at which trials are compared, the last of which is their end; {0} for other systems
	trials []*trial
	more   func() []string // returns settings for the next trial, or nil
}

// trial is a trial in progress.
type trial struct {
	variant
	settings []string
	rung     int // index of the next of the rungs; len(rungs): all are reached
	// scores are those at each rung that is reached. A trial that has ended has reached all of them.
	scores []float64
	failed string // the reason
	late   bool   // no time was left to reach the next rung
}

// prepare checks the options, sets their defaults, and prepares the first trial.
func (s *search) prepare() error {
	if len(s.Space) == 0 {
		return errors.New("the space of a search is empty")
	}
	for i, d := range s.Space {
		if slices.ContainsFunc(s.Space[:i], func(o dimension) bool { return o.path == d.path }) {
			return fmt.Errorf("%s: is in the space twice", d.path)
		}
	}
	for _, d := range s.Space {
		if d.steps > 0 && !s.Grid {
			return fmt.Errorf("%s: steps: only --method grid has them", d.path)
		}
	}
	s.Factor, s.rungs = cmp.Or(s.Factor, 3), []int{0}
	if network := ann.Of(s.config.System); network != nil {
		epochs := network.Training.Epochs
		if s.First > epochs {
			return fmt.Errorf("--first %d epochs, but training.epochs is %d", s.First, epochs)
		}
		s.First = cmp.Or(s.First, (epochs+8)/9)
		s.rungs = nil
		for n := s.First; s.Factor > 1 && n < epochs; n *= s.Factor {
			s.rungs = append(s.rungs, n)
		}
		s.rungs = append(s.rungs, epochs)
	}
	s.search = []string{fmt.Sprintf("factor %d", s.Factor), fmt.Sprintf("epochs %v", s.rungs)}
	tried := map[string]bool{}
	if s.Grid {
		all, err := s.Space.grid()
		if err != nil {
			return err
		}
		s.Runs = cmp.Or(s.Runs, len(all)+1)
		s.more = func() (next []string) {
			if len(all) > 0 {
				next, all = all[0], all[1:]
			}
			return next
		}
		s.search = append(s.search, "grid")
	} else {
		s.Runs = cmp.Or(s.Runs, 30)
		s.more = func() []string {
			// A small space may have no other settings; a draw that repeats an earlier one does not count.
			for n := range uint64(1000) {
				settings := s.Space.draw(rand.New(rand.NewPCG(s.Seed, uint64(len(s.trials))<<32+n)))
				if key := strings.Join(settings, "\n"); !tried[key] {
					tried[key] = true
					return settings
				}
			}
			return nil
		}
		s.search = append(s.search, fmt.Sprintf("random, seed %d", s.Seed))
	}
	for _, d := range s.Space {
		s.search = append(s.search, d.path+": "+d.spec)
	}
	if err := s.check(); err != nil {
		return err
	}
	s.add([]string{})
	return nil
}

// check returns an error unless the ends of all dimensions, a value between them, and all values of choices, are valid, and give trials whose scores can be compared.
func (s *search) check() error {
	for _, d := range s.Space {
		if err := experiments.CheckVaried(d.path); err != nil {
			return err
		}
		values := d.from
		if d.kind != "choice" {
			values = []string{d.at(0), d.at(1)}
			if !s.Grid {
				values = append(values, d.at(0.382)) // it need not be a whole number, as the ends may be
			}
		}
		for _, v := range values {
			trial, err := s.config.With(d.path + "=" + v)
			if err == nil {
				err = s.config.Corpus.SameSplit(&trial.Corpus, experiments.DevSplit)
			}
			if err == nil && scoreName(trial) != scoreName(s.config) {
				err = errors.New("must not change the score by which trials are compared")
			}
			if err != nil {
				return fmt.Errorf("%s=%s: %w", d.path, v, err)
			}
		}
	}
	return nil
}

// add adds a trial. Settings that are not valid together are a trial that has failed.
func (s *search) add(settings []string) *trial {
	t := &trial{settings: settings, variant: variant{name: fmt.Sprintf("trial-%03d", len(s.trials)+1), changes: settings}}
	var err error
	if t.config, err = s.config.With(settings...); err != nil {
		t.fail(s.rungs, err.Error())
	}
	s.trials = append(s.trials, t)
	return t
}

// fail ends a trial with the lowest score.
func (t *trial) fail(rungs []int, reason string) {
	t.failed, t.rung, t.scores = reason, len(rungs), slices.Repeat([]float64{-1}, len(rungs))
}

// network reports whether the trial is one of a network, which can be trained in steps.
func (t *trial) network() bool { return ann.Of(t.config.System) != nil }

// run carries out the search.
func (s *search) run(ctx context.Context) error {
	first := s.trials[0]
	for first.rung < len(s.rungs) {
		if err := s.advance(ctx, first); err != nil {
			return err
		}
	}
	if first.failed != "" {
		return fmt.Errorf("the experiment as it is cannot be trained: %s", first.failed)
	}
	for {
		next := s.promoted()
		if next == nil && len(s.trials) < s.Runs {
			if settings := s.more(); settings != nil {
				if next = s.add(settings); next.failed != "" {
					continue
				}
			}
		}
		if next == nil { // nothing is left but to train the best one to its end
			if next = s.best(); next.rung == len(s.rungs) {
				return nil
			}
		}
		if err := s.advance(ctx, next); err != nil {
			return err
		}
	}
}

// promoted returns the trial to train further, or nil.
func (s *search) promoted() *trial {
	for k := len(s.rungs) - 2; k >= 0; k-- {
		var reached []*trial
		for _, t := range s.trials {
			if t.rung > k {
				reached = append(reached, t)
			}
		}
		slices.SortStableFunc(reached, func(a, b *trial) int { return cmp.Compare(b.scores[k], a.scores[k]) })
		for _, t := range reached[:len(reached)/s.Factor] {
			if t.rung == k+1 {
				return t
			}
		}
	}
	return nil
}

// best returns the trial with the best score so far, and the first of equal ones.
func (s *search) best() *trial {
	return slices.MaxFunc(s.trials, func(a, b *trial) int {
		return cmp.Or(cmp.Compare(a.score(), b.score()), cmp.Compare(b.name, a.name))
	})
}

// score returns the best score so far.
func (t *trial) score() float64 {
	if len(t.scores) == 0 {
		return -1
	}
	return t.scores[len(t.scores)-1]
}

// advance trains a trial to its next rung, unless it has been trained that far.
func (s *search) advance(ctx context.Context, t *trial) error {
	epochs := s.rungs[t.rung]
	if !t.network() {
		epochs = 0
	}
	ended := true
	var scores []float64
	for _, seed := range s.opt.Seeds {
		r, err := s.study.run(t.variant, seed)
		if err != nil {
			return err
		}
		if err := s.same(r); err != nil {
			return err
		}
		p, err := s.progress(t, r, epochs)
		if err == nil && !p.enough {
			if s.opt.Begin != nil {
				what := fmt.Sprintf("%s, seed %d", t.name, seed)
				if epochs > 0 {
					what += fmt.Sprintf(", to epoch %d", epochs)
				}
				if len(t.settings) > 0 {
					what += ": " + strings.Join(t.settings, ", ")
				}
				s.opt.Begin(what, len(s.trials), s.Runs)
			}
			if err = s.extend(ctx, t, r, epochs); err == nil {
				p, err = s.progress(t, r, epochs)
			}
		}
		if err != nil {
			t.late = true
			return err
		}
		if p.failed != "" {
			t.fail(s.rungs, p.failed)
			return nil
		}
		ended = ended && p.ended && (epochs == 0 || p.epochs <= epochs) // otherwise it goes on to the next rung
		scores = append(scores, p.score)
	}
	mean, _ := meanAndDeviation(scores)
	for {
		t.scores = append(t.scores, mean)
		t.rung++
		if !ended || t.rung == len(s.rungs) {
			return nil
		}
	}
}

// progress describes how far a run of a trial has come.
type progress struct {
	enough bool    // it has the epochs, or has ended
	ended  bool    // its training is complete
	epochs int     // trained
	score  float64 // the best score on dev of the epochs up to the given one
	failed string  // the reason why it failed
}

// progress examines a run. epochs is 0 for a system that is not a network.
func (s *search) progress(t *trial, r run, epochs int) (p progress, err error) {
	reason, err := bounded.ReadFile(s.failure(t), bounded.MaxConfig)
	if err == nil {
		return progress{enough: true, failed: strings.TrimSpace(string(reason))}, nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return p, err
	}
	log, err := r.open().Epochs()
	if err != nil {
		return p, err
	}
	p.ended, p.epochs = r.scored(experiments.DevSplit), len(log)
	p.enough = p.ended
	if epochs == 0 {
		if p.ended {
			p.score, err = r.devScore()
		}
		return p, err
	}
	p.enough = p.ended || len(log) >= epochs && epochs < s.rungs[len(s.rungs)-1]
	for _, e := range log[:min(epochs, len(log))] {
		if e.Scored {
			p.score = max(p.score, e.Decisive())
		}
	}
	return p, nil
}

// failure returns the path of the file with the reason why a trial failed.
func (s *search) failure(t *trial) string {
	return filepath.Join(s.opt.Dir, runsFolder, t.name, failedFile)
}

// devScore returns the strict F1 of a complete run.
func (r run) devScore() (float64, error) {
	raw, err := bounded.ReadFile(filepath.Join(r.dir, "evaluation", experiments.DevSplit+".json"), bounded.MaxModel)
	if err != nil {
		return 0, err
	}
	var report evaluation.Report
	if err := json.Unmarshal(raw, &report); err != nil {
		return 0, err
	}
	return report.Strict.F1(), nil
}

// extend trains a run until it has this many epochs, or to its end.
func (s *search) extend(ctx context.Context, t *trial, r run, epochs int) error {
	step, stop := context.WithCancel(ctx)
	defer stop()
	reached := false
	opt := s.opt
	opt.Epoch = func(e taggers.Epoch) {
		if s.opt.Epoch != nil && !e.Resumed {
			s.opt.Epoch(e)
		}
		if t.network() && epochs < s.rungs[len(s.rungs)-1] && e.Epoch >= epochs {
			reached = true
			stop()
		}
	}
	part := *s.study
	part.opt = opt
	err := part.finish(step, r)
	switch {
	case err == nil || reached && errors.Is(err, context.Canceled):
		return nil
	case ctx.Err() != nil || t == s.trials[0]:
		return err
	}
	if u, ok := errors.AsType[*models.Unexamined](err); ok && u.Failed < u.Notes {
		return nil
	}
	return wholefile.WriteFile(s.failure(t), []byte(err.Error()+"\n"), 0o666)
}

// spent returns how long all runs in the folder have been trained.
func (s *search) spent() (total time.Duration, err error) {
	logs, err := filepath.Glob(filepath.Join(s.opt.Dir, runsFolder, "*", "*", experiments.LogFile))
	if err != nil {
		return 0, err
	}
	for _, path := range logs {
		log, err := (&experiments.Run{Dir: filepath.Dir(path)}).Epochs()
		if err != nil {
			return 0, err
		}
		for _, e := range log {
			total += e.Total
		}
	}
	return total, nil
}

// result describes all trials.
func (s *search) result() (*SearchResult, error) {
	r := &SearchResult{Study: s.kind, Name: s.config.Name, Seeds: s.opt.Seeds, Score: scoreName(s.config), Epochs: s.rungs, Trials: []Trial{}}
	for _, d := range s.Space {
		r.Keys = append(r.Keys, d.path)
	}
	best := s.best()
	for i, t := range s.trials {
		x := Trial{Name: t.name, Settings: t.settings, State: complete, Reason: t.failed, Runs: []float64{}}
		if t == best {
			r.Best = i
		}
		switch {
		case t.failed != "":
			x.State = failed
		case t.late:
			x.State = outOfTime
		case t.rung < len(s.rungs):
			x.State = stopped
		}
		if t.failed == "" && t.rung > 0 {
			epochs := s.rungs[t.rung-1]
			if !t.network() {
				epochs = 0
			}
			for _, seed := range s.opt.Seeds {
				run, err := s.study.run(t.variant, seed)
				if err != nil {
					return nil, err
				}
				p, err := s.progress(t, run, epochs)
				if err != nil {
					return nil, err
				}
				if epochs > 0 {
					x.Epochs = max(x.Epochs, min(p.epochs, epochs)) // a trial that is out of time may have more, which its score is not of
				}
				x.Runs = append(x.Runs, p.score)
			}
		}
		if len(x.Runs) > 0 {
			x.Mean, x.Deviation = meanAndDeviation(x.Runs)
		}
		r.Trials = append(r.Trials, x)
	}
	return r, nil
}

// scoreName returns the name of the score that is compared: for a network, the one that decides which
// epoch is the best.
func scoreName(c *experiments.Config) string {
	if network := ann.Of(c.System); network != nil {
		return cmp.Or(network.Training.Metric, "strict") + " " + strings.Replace(cmp.Or(network.Training.Measure, "f1"), "f1", "F1", 1)
	}
	return "strict F1"
}

// write writes the result, and the best settings as an experiment.
func (s *search) write(r *SearchResult) error {
	best := r.Trials[r.Best]
	config, err := s.config.With(best.Settings...)
	if err != nil {
		return err
	}
	config.Seeds = s.config.Seeds
	encoded, err := config.YAML()
	if err != nil {
		return err
	}
	var text bytes.Buffer
	fmt.Fprintf(&text, "# The best of %d trials of lethe search: %s, with a %s of %.4f on dev.\n", len(r.Trials), best.Name, r.Score, best.Mean)
	for _, setting := range best.Settings {
		fmt.Fprintf(&text, "# %s\n", setting)
	}
	text.Write(encoded)
	if err := wholefile.WriteFile(filepath.Join(s.opt.Dir, bestFile), text.Bytes(), 0o666); err != nil {
		return err
	}
	return write(s.opt.Dir, r)
}

// WriteText writes the study's tables.
func (r *SearchResult) WriteText(w io.Writer) error { return writeText(w, r) }

func (r *SearchResult) tables() []table {
	if r.Best >= len(r.Trials) { // decoded from an unrelated file
		return nil
	}
	t := table{
		name:  "trials",
		title: fmt.Sprintf("%s, %s on dev of %d trials, %s", r.Name, r.Score, len(r.Trials), overSeeds(r.Seeds)),
		head:  append([]string{"trial", r.Score}, shortKeys(r.Keys)...),
	}
	if r.Epochs[0] > 0 {
		t.head = append(t.head, "epochs")
	}
	t.head = append(t.head, "state")
	order := slices.Clone(r.Trials)
	slices.SortStableFunc(order, func(a, b Trial) int {
		return cmp.Or(cmp.Compare(len(b.Runs), len(a.Runs)), cmp.Compare(b.Mean, a.Mean))
	})
	for _, x := range order {
		row := []cell{name(x.Name), blank}
		if len(x.Runs) > 0 {
			row[1] = Score{Mean: evaluation.PRF{F1: x.Mean}, Deviation: evaluation.PRF{F1: x.Deviation}, Runs: make([]evaluation.PRF, len(x.Runs))}.cell(f1)
		}
		for _, key := range r.Keys {
			row = append(row, name(cmp.Or(x.value(key), "as it is")))
		}
		if r.Epochs[0] > 0 {
			row = append(row, count(x.Epochs))
		}
		t.rows = append(t.rows, append(row, name(x.State)))
	}
	best := r.Trials[r.Best]
	t.legend = []string{
		"The best of many trials has a high score on dev partly by chance: compare it with the experiment as it is on other documents.",
		fmt.Sprintf("Best: %s (%s). Its experiment is in %s; the settings are:", best.Name, best.State, bestFile),
	}
	for _, setting := range best.Settings {
		t.legend = append(t.legend, "  --set "+quoted(setting))
	}
	if len(best.Settings) == 0 {
		t.legend = append(t.legend, "  none: no trial is better than the experiment as it is.")
	}
	for _, x := range r.Trials {
		if x.Reason != "" {
			t.legend = append(t.legend, fmt.Sprintf("%s failed: %s.", x.Name, x.Reason))
		}
	}
	return []table{t}
}

// value returns the value of a key, or "".
func (x Trial) value(key string) string {
	for _, setting := range x.Settings {
		if path, value, _ := strings.Cut(setting, "="); path == key {
			return value
		}
	}
	return ""
}

// quoted quotes a setting for a shell if necessary.
func quoted(setting string) string {
	if strings.ContainsAny(setting, " []{}'\"$*?&|;<>()#!~\\") {
		return "'" + strings.ReplaceAll(setting, "'", `'\''`) + "'"
	}
	return setting
}

// shortKeys returns the last elements of the paths, as many as tell all of them apart.
func shortKeys(keys []string) []string {
	var paths []string
	for _, key := range keys {
		paths = append(paths, strings.ReplaceAll(key, ".", "/"))
	}
	names := experiments.ShortNames(paths)
	for i := range names {
		names[i] = strings.ReplaceAll(names[i], "/", ".")
	}
	return names
}

// charts returns a chart for each key: points if its values are numbers, else a box for each value.
func (r *SearchResult) charts() map[string]*chart.Chart {
	all := map[string]*chart.Chart{}
	for i, short := range shortKeys(r.Keys) {
		c := r.points(r.Keys[i], short)
		if c == nil {
			c = r.boxes(r.Keys[i])
		}
		if c != nil {
			c.Title = fmt.Sprintf("%s: %s on dev against %s", r.Name, r.Score, short)
			all[fileName("search", short)] = c
		}
	}
	return all
}

// points returns a chart with a point for each trial, or nil if fewer than two have a number as the value of the key.
func (r *SearchResult) points(key, short string) *chart.Chart {
	var points []chart.Point
	for _, x := range r.Trials {
		if value, err := strconv.ParseFloat(x.value(key), 64); err == nil && len(x.Runs) > 0 {
			points = append(points, chart.Point{X: value, Y: x.Mean})
		}
	}
	if len(points) < 2 {
		return nil
	}
	low := slices.MinFunc(points, func(a, b chart.Point) int { return cmp.Compare(a.X, b.X) }).X
	high := slices.MaxFunc(points, func(a, b chart.Point) int { return cmp.Compare(a.X, b.X) }).X
	return &chart.Chart{
		Description: fmt.Sprintf("A point for each trial, of which some were stopped early, with its best %s on dev and its value of %s.", r.Score, key),
		X:           chart.Axis{Label: short, Log: low > 0 && high/low > 20}, Y: chart.Axis{Label: r.Score + " on dev"},
		Lines: []chart.Line{{Style: chart.Marks, Points: points}}, Width: 480, Height: 300,
	}
}

// boxes returns a chart with a box for each value of a key, or nil if there are fewer than two values.
func (r *SearchResult) boxes(key string) *chart.Chart {
	b := &chart.Boxes{}
	scores := map[string][]float64{}
	for _, x := range r.Trials {
		if len(x.Runs) == 0 {
			continue
		}
		value := cmp.Or(x.value(key), "as it is")
		if scores[value] == nil {
			b.Groups = append(b.Groups, value)
		}
		scores[value] = append(scores[value], x.Mean)
	}
	if len(b.Groups) < 2 {
		return nil
	}
	slices.Sort(b.Groups)
	for _, value := range b.Groups {
		b.Boxes = append(b.Boxes, chart.NewBox(scores[value]))
	}
	return &chart.Chart{
		Description: fmt.Sprintf("A box for each value of %s, with the best %s on dev of its trials, of which some were stopped early: from the worst to the best, with the quartiles.", key, r.Score),
		Y:           chart.Axis{Label: r.Score + " on dev"}, Boxes: b, Width: 480, Height: boxesHeight(b),
	}
}
