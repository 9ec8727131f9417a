package report

import (
	"errors"
	"fmt"
	"io/fs"
	"math"

	"github.com/lethe-deid/lethe/internal/chart"
	"github.com/lethe-deid/lethe/models"
	"github.com/lethe-deid/lethe/taggers/operating"
)

// calibration shows the result of lethe calibrate for the runs.
type calibration struct {
	Meaning []string
	Worth   []*worth
	Curve   *chart.Chart
	Points  *table
}

// worth shows how reliable one kind of score is.
type worth struct {
	Name, About string
	Diagram     *chart.Chart
	Bins        *table
}

// readOperatingPoints reads the operating points of a run's model, if it was calibrated.
func (m *material) readOperatingPoints(r *runMaterial) (err error) {
	switch r.operating, err = models.OperatingPoints(models.Best(r.Dir)); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, operating.ErrOutdated):
		m.Warn(fmt.Errorf("no calibration: %w", err))
		return nil
	}
	return err
}

// calibration fills in the section about the calibration of the runs.
func (m *material) calibration(p *page) {
	c := &calibration{Curve: &chart.Chart{
		Title:       "Recall of PHI tokens against precision, at operating points",
		Description: "Each point is a recall that one can ask for; to the left more is taken for PHI, so recall rises and precision falls. The table of the recall that one can ask for has the figures.",
		X:           chart.Axis{Label: "Precision of tokens, %"}, Y: chart.Axis{Label: "Recall of PHI tokens, %, with its 95 % interval"},
	}}
	for _, r := range m.runs {
		if r.operating == nil {
			continue
		}
		c.Curve.Lines = append(c.Curve.Lines, operatingLine(r))
		c.Meaning = append(c.Meaning, sentence("%s was calibrated on %s: %s with %s PHI tokens. What it says of its probabilities and of recall holds for notes like those.",
			r.Label(), r.operating.Measured(), counted(r.operating.Documents, "note"), number(r.operating.Tokens)))
	}
	if len(c.Curve.Lines) == 0 {
		return
	}
	lowest := 100.0
	for _, l := range c.Curve.Lines {
		for _, v := range l.Points {
			lowest = min(lowest, v.X)
		}
	}
	c.Curve.X.Min, c.Curve.X.Max = max(0, math.Floor(lowest-1)), 100
	p.plots = append(p.plots, plot{"operating-points", c.Curve})
	if curve := m.runs[0].operating; curve != nil {
		c.Points = pointsTable(curve)
		for _, w := range []*worth{
			newWorth("spans", "Spans", "A span that the system finds is right if its type and both its borders are.", curve.SpansWorth),
			newWorth("doubts", "Doubts", "A doubt is a token that the system leaves in the text, though it gives it some probability of being PHI.", curve.DoubtsWorth),
		} {
			if w == nil {
				continue
			}
			c.Worth = append(c.Worth, w)
			p.plots = append(p.plots, plot{"reliability-" + w.Bins.ID[len("bins-"):], w.Diagram})
		}
	}
	p.Calibration = c
}

// operatingLine returns one point per operating point, skipping those that find no more than the
// previous one.
func operatingLine(r *runMaterial) chart.Line {
	line := chart.Line{Name: r.Label()}
	for i, q := range r.operating.Points {
		if i > 0 && q.Recall == r.operating.Points[i-1].Recall && q.Precision == r.operating.Points[i-1].Precision {
			continue
		}
		label, _ := q.Names()
		line.Points = append(line.Points, chart.Point{X: 100 * q.Precision, Y: 100 * q.Recall, Low: 100 * q.Low, High: 100 * q.High, Label: label})
	}
	return line
}

func pointsTable(c *operating.Curve) *table {
	t := &table{ID: "recall-points", Caption: "The recall that one can ask for, and what it costs: tokens, PHI or not", First: "Recall wanted", Groups: []group{
		{"", []string{"probability from", "recall, %", "95 % interval", "left, %", "precision, %"}},
	}}
	for _, p := range c.Points {
		wanted, from := p.Names()
		if p.Target == 0 {
			from = none
		}
		t.add("", wanted, from, percent(p.Recall), percent(p.Low)+" to "+percent(p.High), percent(1-p.Recall), percent(p.Precision))
	}
	t.Note = "Each note is measured with the calibration and the threshold that other notes chose, so the recall reached is not quite the one wanted; intervals come of drawing notes anew. " +
		"Where the probability is “all”, the recall wanted is out of reach, and all doubts are taken."
	return t
}

// newWorth shows the reliability of raw and calibrated scores; it returns nil if there are no
// cases.
func newWorth(id, name, about string, w operating.Worth) *worth {
	if len(w.Calibrated.Bins) == 0 {
		return nil
	}
	t := &table{ID: "bins-" + id, Caption: name + ": what was said, and what was so", First: "Bin", Groups: []group{}}
	diagram := &chart.Chart{
		Title:       name + ": said probability against observed share",
		Description: fmt.Sprintf("Points on the line are right as often as was said. The table “%s” has the figures.", t.Caption),
		X:           chart.Axis{Label: "Probability said, mean of the bin", Logit: true},
		Y:           chart.Axis{Label: "Share that was right, with its 95 % interval", Logit: true},
		Height:      300,
	}
	const least = 1e-4    // axis limits are least and 1-least at most: a bin is not more precise
	low, high := 0.5, 0.5 // axis limits
	for _, kind := range []struct {
		name string
		operating.Reliability
	}{{"calibrated", w.Calibrated}, {"raw scores", w.Raw}} {
		t.Groups = append(t.Groups, group{kind.name, []string{"said, %", "right", "of", "%", "95 % interval"}})
		line := chart.Line{Name: kind.name, Style: chart.Marks}
		for _, b := range kind.Bins {
			from, to := b.Interval()
			line.Points = append(line.Points, chart.Point{X: b.Said, Y: b.Observed(), Low: from, High: to})
			for _, v := range []float64{b.Said, b.Observed()} {
				if v > 0 && v < 1 {
					low, high = min(low, max(v, least)), max(high, min(v, 1-least))
				}
			}
		}
		diagram.Lines = append(diagram.Lines, line)
	}
	for i := range w.Calibrated.Bins {
		var cells []string
		for _, r := range []operating.Reliability{w.Calibrated, w.Raw} {
			b := r.Bins[i] // both have the same number of bins, because they have the same cases
			from, to := b.Interval()
			cells = append(cells, percent(b.Said), number(b.Right), number(b.Cases), percent(b.Observed()), percent(from)+" to "+percent(to))
		}
		t.add("", fmt.Sprint(i+1), cells...)
	}
	t.Note = sentence("Bins have equally many cases, from the least to the most probable. The intervals are binomial, as if cases were independent; those of a note are not quite. "+
		"The expected calibration error, the mean difference between said and observed, is %s percentage points; of the raw scores %s.", percent(w.Calibrated.Error), percent(w.Raw.Error))
	// Both axes have the same limits, which are ticks, so that the line is a diagonal.
	decade := func(p float64) float64 { return math.Pow10(int(math.Floor(math.Log10(p) + 1e-9))) }
	low, high = decade(low), 1-decade(1-high)
	diagram.X.Min, diagram.X.Max, diagram.Y.Min, diagram.Y.Max = low, high, low, high
	diagram.Lines = append(diagram.Lines, chart.Line{Name: "as said", Style: chart.Plain, Points: []chart.Point{{X: low, Y: low}, {X: high, Y: high}}})
	return &worth{name, about, diagram, t}
}
