package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/lethe-deid/lethe/internal/chart"
	"github.com/lethe-deid/lethe/taggers"
)

// learning fills in the course of the training.
func (m *material) learning(p *page) {
	loss := &chart.Chart{Title: "Loss by epoch", X: chart.Axis{Label: "Epoch"}, Y: chart.Axis{Label: "Loss, mean over the minibatches"}}
	dev := &chart.Chart{Title: "Score on dev by epoch", X: chart.Axis{Label: "Epoch"}, Y: chart.Axis{Label: "Strict score on dev, %"}}
	var best chart.Line
	for _, r := range m.runs {
		if len(r.log) == 0 {
			continue
		}
		var losses, f1, precision, recall []chart.Point
		for _, e := range r.log {
			x := float64(e.Epoch)
			losses = append(losses, chart.Point{X: x, Y: e.Loss})
			if e.Scored {
				f1 = append(f1, chart.Point{X: x, Y: 100 * e.Dev.F1()})
				precision = append(precision, chart.Point{X: x, Y: 100 * e.Dev.Precision()})
				recall = append(recall, chart.Point{X: x, Y: 100 * e.Dev.Recall()})
			}
		}
		loss.Lines = append(loss.Lines, chart.Line{Name: r.Label(), Points: losses, Style: chart.Plain})
		if len(f1) == 0 {
			continue
		}
		if p.Several {
			dev.Lines = append(dev.Lines, chart.Line{Name: r.Label() + ", F1", Points: f1, Style: chart.Plain})
		} else {
			dev.Lines = append(dev.Lines, chart.Line{Name: "F1", Points: f1, Style: chart.Plain},
				chart.Line{Name: "precision", Points: precision, Style: chart.Plain}, chart.Line{Name: "recall", Points: recall, Style: chart.Plain})
		}
		if e := bestEpoch(r.log); e.Best {
			best.Points = append(best.Points, chart.Point{X: float64(e.Epoch), Y: 100 * e.Dev.F1()})
		}
	}
	if len(best.Points) > 0 {
		best.Name, best.Style = "the epoch that is kept", chart.Marks
		dev.Lines = append(dev.Lines, best)
	}
	m.describe(p, loss, dev)
}

// describe shows the charts that have something to show, with words and figures.
func (m *material) describe(p *page, loss, dev *chart.Chart) {
	if len(loss.Lines) == 0 {
		return
	}
	a := m.runs[0]
	p.Learning = a.course()
	positive, low, high := true, math.Inf(1), 0.0
	for _, l := range loss.Lines {
		for _, e := range l.Points {
			positive, low, high = positive && e.Y > 0, min(low, e.Y), max(high, e.Y)
		}
	}
	loss.Y.Log = positive && high > 20*low // the first epochs would hide the others
	loss.Description = "The table of epochs has the figures. " + p.Learning
	p.Loss = loss
	p.plots = append(p.plots, plot{"loss", loss})
	if len(dev.Lines) > 0 {
		dev.Description = loss.Description
		dev.Y.Min, dev.Y.Max = view(dev.Lines)
		p.Dev = dev
		p.plots = append(p.plots, plot{"dev", dev})
	}
	t := &table{ID: "epochs", Caption: "Epochs of " + a.Label(), First: "Epoch", Groups: []group{{"", []string{"loss", "P, %", "R, %", "F1, %", "seconds"}}}}
	for _, e := range a.log {
		name := strconv.Itoa(e.Epoch)
		if e.Best && e.Epoch == bestEpoch(a.log).Epoch {
			name += " (kept)"
		}
		precision, recall, f1 := none, none, none
		if e.Scored {
			precision, recall, f1 = scores(e.Dev)
		}
		t.add("", name, fmt.Sprintf("%.4f", e.Loss), precision, recall, f1, fmt.Sprintf("%.1f", e.Total.Seconds()))
	}
	p.Epochs = t
}

// view leaves the first steps of a long training out, since they make all that
// follows look like one line.
func view(lines []chart.Line) (low, high float64) {
	const first = 5 // of so many parts
	low = 100
	for _, l := range lines {
		for _, s := range l.Points[len(l.Points)/first:] {
			low, high = min(low, s.Y), max(high, s.Y)
		}
	}
	return math.Floor(low), math.Ceil(high)
}

// bestEpoch is the epoch whose model is kept.
func bestEpoch(log []taggers.Epoch) (best taggers.Epoch) {
	for _, e := range log {
		if e.Best {
			best = e
		}
	}
	return best
}

// course says in words how the training went.
func (r *runMaterial) course() string {
	var took time.Duration
	for _, e := range r.log {
		took += e.Total
	}
	s := fmt.Sprintf("%s was trained for %s in %s", r.Label(), counted(len(r.log), "epoch"), duration(took))
	if e := bestEpoch(r.log); e.Best {
		s += fmt.Sprintf("; the model of epoch %d is kept, with a strict F1 of %s %% on dev", e.Epoch, percent(e.Dev.F1()))
	}
	return sentence("%s.", s)
}

// settings fills in the machines, and what differs between the configurations.
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

// differences are the keys whose values are not the same in all configurations.
func (m *material) differences() (*table, error) {
	t := &table{ID: "differences", Caption: "Where the configurations differ", Class: "words", First: "Key", Groups: []group{{}}}
	keys := map[string]bool{}
	values := make([]map[string]string, len(m.runs))
	for i, r := range m.runs {
		t.Groups[0].Columns = append(t.Groups[0].Columns, r.Label())
		var tree any
		if err := yaml.Unmarshal([]byte(r.config), &tree); err != nil {
			return nil, fmt.Errorf("%s: %w", r.Dir, err)
		}
		values[i] = map[string]string{}
		flatten("", tree, values[i])
		for key := range values[i] {
			keys[key] = true
		}
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		var cells []string
		for i := range m.runs {
			value, ok := values[i][key]
			if !ok {
				value = none
			}
			cells = append(cells, value)
		}
		if len(slices.Compact(slices.Clone(cells))) > 1 {
			t.add("", key, cells...)
		}
	}
	return t, nil
}

// flatten names each leaf of a tree by its path.
func flatten(path string, tree any, into map[string]string) {
	switch x := tree.(type) {
	case map[string]any:
		for key, value := range x {
			flatten(strings.TrimPrefix(path+"."+key, "."), value, into)
		}
	default:
		into[path] = fmt.Sprint(x)
	}
}
