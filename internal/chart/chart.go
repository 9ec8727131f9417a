// Package chart draws lines, points, bars and box plots, for a web page ([Chart.SVG]) or
// for a paper ([Chart.Save]: SVG, PNG or PDF).
//
// Series differ in colour (in a palette for the colour-blind after Okabe and Ito
// 2008) and also in dash, mark or hatching, so that a chart is readable in black
// and white. The same chart gives the same bytes.
package chart

import (
	"errors"
	"fmt"
	"math"
)

// Chart is a picture of lines, of bars or of boxes.
type Chart struct {
	Title         string // for screen readers; not drawn, because a caption or heading shows it
	Description   string // what the chart shows, in one or two sentences, for screen readers
	X, Y          Axis   // with horizontal bars and with boxes, Y is the horizontal axis
	Lines         []Line
	Bars          *Bars
	Boxes         *Boxes
	Width, Height float64 // in points of 1/72 inch; 0: 400 and 250
}

// Axis describes one axis.
type Axis struct {
	Label    string
	Min, Max float64 // range in view; both 0: the range of the data, rounded
	Whole    bool    // ticks at whole numbers only, for counts; has no effect on a scale that is not linear
	Log      bool    // logarithmic scale; all values must be positive
	Logit    bool    // log-odds scale, for lines only; values must be in [0, 1], and those out of view (as 0 and 1 always are) are drawn at the edge
}

// Line is a series of points.
type Line struct {
	Name   string // name in the legend, which is shown for more than one line; "": none
	Points []Point
	Style  Style
	Band   bool // show Low and High as a band instead of a bar at each point
}

// Style is the way to draw the points of a line.
type Style uint8

// The styles.
const (
	Joined Style = iota // marks at the points, joined by lines
	Plain               // only the line, for many points
	Marks               // only the marks: a scatter plot
)

// Point is one point of a line.
type Point struct {
	X, Y      float64
	Low, High float64 // an interval about Y; both 0: none
	Label     string  // text next to the point, if there is room; "": none
}

// Bars is groups of adjacent bars: Series[s].Bars[g] is the bar of series s in
// the group Groups[g].
type Bars struct {
	Groups     []string
	Series     []Series
	Horizontal bool // stack the groups vertically, for many groups or long names
}

// Series is the bars with the same meaning, one per group.
type Series struct {
	Name string // name in the legend, which is shown for more than one series
	Bars []Bar
}

// Bar is one bar, which extends from 0 (or from the edge, if 0 is out of view) to
// Value.
type Bar struct {
	Value     float64
	Low, High float64 // an interval about Value; both 0: none
}

// check returns an error if the chart cannot be drawn.
func (c *Chart) check() error {
	if err := c.checkContent(); err != nil {
		return fmt.Errorf("chart %q: %w", c.Title, err)
	}
	return nil
}

func (c *Chart) checkContent() error {
	if c.Width < 0 || c.Height < 0 {
		return errors.New("a size is negative")
	}
	for _, a := range []Axis{c.X, c.Y} {
		if err := a.check(c.Bars == nil && c.Boxes == nil); err != nil {
			return fmt.Errorf("axis %q: %w", a.Label, err)
		}
	}
	kinds := 0
	for _, has := range []bool{len(c.Lines) > 0, c.Bars != nil, c.Boxes != nil} {
		if has {
			kinds++
		}
	}
	switch {
	case kinds > 1:
		return errors.New("lines, bars and boxes cannot be combined")
	case c.Bars != nil:
		return c.Bars.check(c.Y.Log)
	case c.Boxes != nil:
		return c.Boxes.check(c.Y.Log)
	}
	points := 0
	for _, l := range c.Lines {
		for i, p := range l.Points {
			if reason := c.refuses(p); reason != "" {
				return fmt.Errorf("line %q: point %d is not %s", l.Name, i, reason)
			}
			points++
		}
	}
	if points == 0 {
		return errors.New("nothing to draw")
	}
	return nil
}

func (a Axis) check(lines bool) error {
	if !finite(a.Min, a.Max) || a.Min > a.Max || a.Log && a.Min < 0 {
		return fmt.Errorf("[%v, %v] is not a range", a.Min, a.Max)
	}
	if a.Logit && (a.Log || !lines || a.Min < 0 || a.Max >= 1 || a.Min == 0 && a.Max > 0) {
		return errors.New("log-odds require lines, and a range above 0 and below 1")
	}
	return nil
}

// refuses says what a point must be and is not, or "".
func (c *Chart) refuses(p Point) string {
	switch {
	case !finite(p.X, p.Y, p.Low, p.High):
		return "finite"
	case c.X.Log && p.X <= 0, c.Y.Log && (p.Y <= 0 || p.interval() && p.Low <= 0):
		return "positive, as a logarithmic scale requires"
	case c.X.Logit && !shares(p.X), c.Y.Logit && !shares(p.Y, p.Low, p.High):
		return "in [0, 1], as a scale of log-odds requires"
	}
	return ""
}

func (b *Bars) check(log bool) error {
	if len(b.Groups) == 0 || len(b.Series) == 0 {
		return errors.New("nothing to draw")
	}
	if log {
		return errors.New("bars start at 0, which a logarithmic scale does not have")
	}
	for _, s := range b.Series {
		if len(s.Bars) != len(b.Groups) {
			return fmt.Errorf("series %q: %d bars for %d groups", s.Name, len(s.Bars), len(b.Groups))
		}
		for i, v := range s.Bars {
			if !finite(v.Value, v.Low, v.High) {
				return fmt.Errorf("series %q: bar %d is not finite", s.Name, i)
			}
		}
	}
	return nil
}

func finite(all ...float64) bool {
	for _, x := range all {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
	}
	return true
}

func shares(all ...float64) bool {
	for _, x := range all {
		if x < 0 || x > 1 {
			return false
		}
	}
	return true
}

func (p Point) interval() bool { return p.Low != 0 || p.High != 0 }
func (b Bar) interval() bool   { return b.Low != 0 || b.High != 0 }
