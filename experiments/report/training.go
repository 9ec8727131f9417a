package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/lethe-deid/lethe/internal/chart"
	"github.com/lethe-deid/lethe/taggers"
)

// course is the training of one part of a system.
type course struct {
	member string // "" for a system that is one part
	epochs []taggers.Epoch
}

// courses returns the courses in a log, in the order in which they began.
func courses(log []taggers.Epoch) []course {
	var all []course
	at := map[string]int{}
	for _, e := range log {
		i, ok := at[e.Member]
		if !ok {
			i = len(all)
			at[e.Member] = i
			all = append(all, course{member: e.Member})
		}
		all[i].epochs = append(all[i].epochs, e)
	}
	return all
}

// iterates reports whether the steps are iterations of an optimizer over all notes rather than
// epochs: their loss is a sum, and dev is not evaluated.
func (c course) iterates() bool { return c.epochs[0].Tokens == 0 }

// kept returns the epoch whose model is kept.
func (c course) kept() (best taggers.Epoch) {
	for _, e := range c.epochs {
		if e.Best {
			best = e
		}
	}
	return best
}

func (c course) took() (took time.Duration) {
	for _, e := range c.epochs {
		took += e.Total
	}
	return took
}

// about describes the training in words.
func (c course) about() string {
	last := c.epochs[len(c.epochs)-1]
	if c.iterates() {
		return fmt.Sprintf("%s in %s, to a loss of %.4g", counted(len(c.epochs), "iteration"), duration(c.took()), last.Loss)
	}
	s := fmt.Sprintf("%s in %s", counted(len(c.epochs), "epoch"), duration(c.took()))
	if e := c.kept(); e.Best {
		s += fmt.Sprintf("; the model of epoch %d is kept, with a strict F1 of %s %% on dev", e.Epoch, percent(e.Dev.F1()))
	}
	return s
}

// learning fills in the course of the training. Only networks have charts.
func (m *material) learning(p *page) {
	loss := &chart.Chart{Title: "Loss by epoch", X: chart.Axis{Label: "Epoch", Whole: true}, Y: chart.Axis{Label: "Loss, mean over the minibatches"}}
	dev := &chart.Chart{Title: "Score on dev by epoch", X: chart.Axis{Label: "Epoch", Whole: true}, Y: chart.Axis{Label: "Strict score on dev", Logit: true}}
	var best chart.Line
	for _, r := range m.runs {
		all := courses(r.log)
		for _, c := range all {
			if c.iterates() {
				continue
			}
			name := r.Label()
			if c.member != "" {
				name += " " + c.member
			}
			var losses, f1, precision, recall []chart.Point
			for _, e := range c.epochs {
				x := float64(e.Epoch)
				losses = append(losses, chart.Point{X: x, Y: e.Loss})
				if e.Scored {
					f1 = append(f1, chart.Point{X: x, Y: e.Dev.F1()})
					precision = append(precision, chart.Point{X: x, Y: e.Dev.Precision()})
					recall = append(recall, chart.Point{X: x, Y: e.Dev.Recall()})
				}
			}
			loss.Lines = append(loss.Lines, chart.Line{Name: name, Points: losses, Style: chart.Plain})
			switch {
			case len(f1) == 0:
				continue
			case p.Several || len(all) > 1:
				dev.Lines = append(dev.Lines, chart.Line{Name: name + ", F1", Points: f1, Style: chart.Plain})
			default:
				dev.Lines = append(dev.Lines, chart.Line{Name: "F1", Points: f1, Style: chart.Plain},
					chart.Line{Name: "precision", Points: precision, Style: chart.Plain}, chart.Line{Name: "recall", Points: recall, Style: chart.Plain})
			}
			if e := c.kept(); e.Best {
				best.Points = append(best.Points, chart.Point{X: float64(e.Epoch), Y: e.Dev.F1()})
			}
		}
	}
	if len(best.Points) > 0 {
		best.Name, best.Style = "the epoch that is kept", chart.Marks
		dev.Lines = append(dev.Lines, best)
	}
	m.describe(p, loss, dev)
}

// describe adds the charts that are not empty, with words and figures.
func (m *material) describe(p *page, loss, dev *chart.Chart) {
	a := m.runs[0]
	p.Learning = a.course()
	if len(loss.Lines) > 0 {
		positive, low, high := true, math.Inf(1), 0.0
		for _, l := range loss.Lines {
			for _, e := range l.Points {
				positive, low, high = positive && e.Y > 0, min(low, e.Y), max(high, e.Y)
			}
		}
		loss.Y.Log = positive && high > 20*low // the first epochs would hide the others
		loss.Description = "The table of epochs has the figures. " + p.Learning
		p.Loss, p.Losses = loss, len(loss.Lines) > 1
		p.plots = append(p.plots, plot{"loss", loss})
	}
	if len(dev.Lines) > 0 {
		dev.Description = loss.Description + " The scale is one of log-odds, on which 0.9 is as far from 0.5 as 0.99 from 0.9."
		dev.Y.Min, dev.Y.Max = view(dev.Lines)
		p.Dev = dev
		p.plots = append(p.plots, plot{"dev", dev})
	}
	t := &table{ID: "epochs", Caption: "Epochs of " + a.Label(), First: "Epoch", Groups: []group{{"", []string{"loss", "P, %", "R, %", "F1, %", "seconds"}}}}
	for _, c := range courses(a.log) {
		epochs := c.epochs
		if c.iterates() { // there are hundreds, and the last one is enough
			last := epochs[len(epochs)-1]
			last.Total = c.took()
			epochs = []taggers.Epoch{last}
		}
		for _, e := range epochs {
			name := strings.TrimSpace(c.member + " " + strconv.Itoa(e.Epoch))
			if e.Best && e.Epoch == c.kept().Epoch {
				name += " (kept)"
			}
			precision, recall, f1 := none, none, none
			if e.Scored {
				precision, recall, f1 = scores(e.Dev)
			}
			t.add("", name, fmt.Sprintf("%.4f", e.Loss), precision, recall, f1, fmt.Sprintf("%.1f", e.Total.Seconds()))
		}
	}
	if len(t.Rows) > 0 {
		p.Epochs = t
	}
}

// view returns the range of a scale of log-odds that shows all scores, except that those below a tenth are drawn at its edge. It
// begins at 0.8 or below, so that the scale has several ticks.
func view(lines []chart.Line) (low, high float64) {
	low, high = 1, 0
	for _, l := range lines {
		for _, s := range l.Points {
			low, high = min(low, s.Y), max(high, s.Y)
		}
	}
	low, high = min(max(low, 0.1), 0.8), min(max(high, 0.81), 0.999)
	return low, high
}

// course describes how the training went, or returns "" if there is no log.
func (r *runMaterial) course() string {
	all := courses(r.log)
	switch {
	case len(all) == 0:
		return ""
	case len(all) == 1 && all[0].member == "":
		return sentence("%s was trained for %s.", r.Label(), all[0].about())
	}
	var parts []string
	var took time.Duration
	for _, c := range all {
		parts = append(parts, c.member+" for "+c.about())
		took += c.took()
	}
	return sentence("%s was trained in %s, part by part: %s.", r.Label(), duration(took), strings.Join(parts, "; "))
}

// settings fills in the machines and the differences between the configurations.
func (m *material) settings(p *page) error {
	t := &table{ID: "machine", Caption: "Machine and seed", Class: "words", First: "Trained with", Groups: []group{{}}}
	rows := []string{"seed", "Lethe", "Go", "system", "processor", "cores", "workers", "kernel", "begun", "resumed"}
	cells := make([][]string, len(rows))
	known := 1
	for _, r := range m.runs {
		t.Groups[0].Columns = append(t.Groups[0].Columns, r.Label())
		of := append([]string{strconv.FormatUint(r.Config.Seed, 10)}, slices.Repeat([]string{none}, len(rows)-1)...)
		if on := r.on; on != nil {
			known = len(rows)
			of = []string{
				of[0], on.Lethe, on.Go, on.System, cmp.Or(on.Processor, none), strconv.Itoa(on.Cores), strconv.Itoa(on.Workers), on.Kernel,
				on.Started.UTC().Format("2006-01-02 15:04 UTC"), counted(on.Resumed, "time"),
			}
		}
		for i := range rows {
			cells[i] = append(cells[i], of[i])
		}
	}
	for i, name := range rows[:known] {
		t.add("", name, cells[i]...)
	}
	if known == 1 {
		t.Note = "The run folder holds no run.json, so the machine is not known."
	}
	p.Machine = t
	if !p.Several {
		return nil
	}
	differences, err := m.differences()
	p.Differences = differences
	return err
}

// differences returns the keys whose values differ between the configurations.
func (m *material) differences() (*table, error) {
	t := &table{ID: "differences", Caption: "Where the configurations differ", Class: "words", First: "Key", Groups: []group{{}}}
	trees := make([]any, len(m.runs))
	for i, r := range m.runs {
		t.Groups[0].Columns = append(t.Groups[0].Columns, r.Label())
		if err := yaml.Unmarshal([]byte(r.config), &trees[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", r.Dir, err)
		}
	}
	compare(t, "", trees)
	return t, nil
}

// compare adds a row for each place where trees differ. Parts that only some of the trees have are one row. A nil tree is missing.
func compare(t *table, path string, trees []any) {
	allMaps, allLists, length := true, true, -1
	keys := map[string]bool{}
	for _, tree := range trees {
		m, isMap := tree.(map[string]any)
		l, isList := tree.([]any)
		allMaps, allLists = allMaps && isMap, allLists && isList && (length < 0 || len(l) == length)
		length = len(l)
		for key := range m {
			keys[key] = true
		}
	}
	within := func(path string, of func(tree any) any) {
		parts := make([]any, len(trees))
		for i, tree := range trees {
			parts[i] = of(tree)
		}
		compare(t, path, parts)
	}
	switch {
	case allMaps:
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			within(strings.TrimPrefix(path+"."+key, "."), func(tree any) any { return tree.(map[string]any)[key] })
		}
	case allLists:
		for i := range length {
			within(fmt.Sprintf("%s[%d]", path, i), func(tree any) any { return tree.([]any)[i] })
		}
	case slices.ContainsFunc(trees, func(tree any) bool { return !reflect.DeepEqual(tree, trees[0]) }):
		var cells []string
		for _, tree := range trees {
			cells = append(cells, shown(tree))
		}
		t.add("", path, cells...)
	}
}

// shown returns a value as a cell. Of a value with parts it says how many these are.
func shown(tree any) string {
	switch x := tree.(type) {
	case nil:
		return none
	case map[string]any:
		return counted(len(x), "key")
	case []any:
		var parts []string
		for _, part := range x {
			if parts = append(parts, fmt.Sprint(part)); shown(part) != parts[len(parts)-1] {
				return counted(len(x), "element")
			}
		}
		return strings.Join(parts, ", ")
	}
	return fmt.Sprint(tree)
}
