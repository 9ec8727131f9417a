package chart

import (
	"errors"
	"fmt"
	"math"
	"slices"
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

func (c *Chart) boxContent() content {
	low, high := math.Inf(1), math.Inf(-1)
	for _, x := range c.Boxes.Boxes {
		low, high = min(low, x.Low), max(high, x.High)
	}
	for _, m := range c.Boxes.Dots {
		low, high = min(low, slices.Min(m.Values)), max(high, slices.Max(m.Values))
	}
	all := content{x: c.Y.scaled(low, high, true), y: groupScale(c.Boxes.Groups, true), rows: true, draw: c.Boxes.draw}
	all.labels.x, all.labels.y = c.Y.Label, c.X.Label
	all.legend = []entry{{c.Boxes.Name, drawBox}}
	for i, m := range c.Boxes.Dots {
		all.legend = append(all.legend, entry{m.Name, func(c canvas, in box) { mark(c, i+1, in.centre()) }})
	}
	return all
}

// draw draws all boxes and dots.
func (b *Boxes) draw(v view) {
	for g, group := range b.Boxes {
		at := func(value, across float64) point {
			return v.at(v.x.within(value), float64(len(b.Groups))-1-float64(g)-across)
		}
		const half, end = 0.3, 0.12 // of a group's room
		line := func(with pen, from, to point) { v.stroke([]point{from, to}, with) }
		whisker := thin(text)
		line(whisker, at(group.Low, 0), at(group.Q1, 0))
		line(whisker, at(group.Q3, 0), at(group.High, 0))
		for _, value := range []float64{group.Low, group.High} {
			line(whisker, at(value, -end), at(value, end))
		}
		upper, lower := at(group.Q1, -half), at(group.Q3, half)
		drawBox(v, box{upper.x, upper.y, lower.x, lower.y})
		line(stroke(0), at(group.Median, -half), at(group.Median, half))
		for i, m := range b.Dots {
			if dot := v.at(m.Values[g], float64(len(b.Groups))-1-float64(g)); v.contains(dot) {
				mark(v, i+1, dot)
			}
		}
	}
}

// drawBox draws a tinted rectangle.
func drawBox(c canvas, in box) {
	c.fill(in.corners(), colour(0), 0.25)
	c.stroke(in.outline(), thin(colour(0)))
}
