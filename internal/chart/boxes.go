package chart

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Boxes is a box plot: one horizontal box per group, the first group at the top.
type Boxes struct {
	Name   string // what the values of a box are, for the legend, which is shown if there are dots
	Groups []string
	Boxes  []Box  // one per group
	Dots   []Dots // single values to compare with the boxes
}

// Box summarizes the values of a group. Its whiskers extend from the smallest to
// the largest value, the box from the first to the third quartile.
type Box struct {
	Low, Q1, Median, Q3, High float64
}

// Dots is a series of dots, one per group.
type Dots struct {
	Name   string // name in the legend
	Values []float64
}

// NewBox returns the box of some values. Quartiles are interpolated between the
// two nearest values (method 7 of Hyndman and Fan 1996). It panics without values.
func NewBox(values []float64) Box {
	sorted := slices.Sorted(slices.Values(values))
	quantile := func(p float64) float64 {
		at := p * float64(len(sorted)-1)
		below := int(at)
		above := min(below+1, len(sorted)-1)
		return sorted[below] + (at-float64(below))*(sorted[above]-sorted[below])
	}
	return Box{quantile(0), quantile(0.25), quantile(0.5), quantile(0.75), quantile(1)}
}

func (b *Boxes) check(log bool) error {
	if len(b.Groups) == 0 {
		return errors.New("nothing to draw")
	}
	if log {
		return errors.New("boxes require a linear scale")
	}
	if len(b.Boxes) != len(b.Groups) {
		return fmt.Errorf("%d boxes for %d groups", len(b.Boxes), len(b.Groups))
	}
	for i, x := range b.Boxes {
		values := []float64{x.Low, x.Q1, x.Median, x.Q3, x.High}
		if !finite(values...) || !slices.IsSorted(values) {
			return fmt.Errorf("box %d is not five ascending finite numbers", i)
		}
	}
	for _, m := range b.Dots {
		if len(m.Values) != len(b.Groups) || !finite(m.Values...) {
			return fmt.Errorf("dots %q are not one finite number per group", m.Name)
		}
	}
	return nil
}

// addBoxes adds the grid, the boxes and their axes to the plot.
func (c *Chart) addBoxes(p *plot.Plot) []entry {
	low, high := math.Inf(1), math.Inf(-1)
	for _, x := range c.Boxes.Boxes {
		low, high = min(low, x.Low), max(high, x.High)
	}
	for _, m := range c.Boxes.Dots {
		low, high = min(low, slices.Min(m.Values)), max(high, slices.Max(m.Values))
	}
	values := c.Y.scaled(low, high, true)
	set(&p.X, values, c.Y)
	set(&p.Y, groupScale(c.Boxes.Groups, true), Axis{})
	p.Add(gridlines{}, boxes{c.Boxes, values})
	entries := []entry{{c.Boxes.Name, func(c *draw.Canvas) { boxed(c, c.Min, c.Max) }}}
	for i, m := range c.Boxes.Dots {
		entries = append(entries, entry{m.Name, func(c *draw.Canvas) {
			c.DrawGlyph(glyph(i+1), c.Center())
		}})
	}
	return entries
}

// boxes draws all boxes and dots.
type boxes struct {
	*Boxes
	values scale
}

func (b boxes) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for g, box := range b.Boxes.Boxes {
		at := func(value, across float64) vg.Point {
			return vg.Point{X: x(b.values.within(value)), Y: y(float64(len(b.Groups)) - 1 - float64(g) - across)}
		}
		const half, end = 0.3, 0.12 // of a group's room
		line := func(style draw.LineStyle, from, to vg.Point) { c.StrokeLine2(style, from.X, from.Y, to.X, to.Y) }
		whisker := thin(text)
		line(whisker, at(box.Low, 0), at(box.Q1, 0))
		line(whisker, at(box.Q3, 0), at(box.High, 0))
		for _, value := range []float64{box.Low, box.High} {
			line(whisker, at(value, -end), at(value, end))
		}
		boxed(&c, at(box.Q1, half), at(box.Q3, -half))
		line(stroke(0), at(box.Median, -half), at(box.Median, half))
		for i, m := range b.Dots {
			c.DrawGlyph(glyph(i+1), at(m.Values[g], 0))
		}
	}
}

// boxed draws a tinted rectangle between its lower left and its upper right corner.
func boxed(c *draw.Canvas, lower, upper vg.Point) {
	c.SetColor(colour(0).faint(0.25))
	c.Fill(vg.Rectangle{Min: lower, Max: upper}.Path())
	c.StrokeLines(thin(colour(0)), []vg.Point{lower, {X: upper.X, Y: lower.Y}, upper, {X: lower.X, Y: upper.Y}, lower})
}
