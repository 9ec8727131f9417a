package chart

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// addBars adds the grid, the bars and their axes to the plot. Group g is at
// position g of its axis; with horizontal bars, the first group is at the top.
func (c *Chart) addBars(p *plot.Plot) []entry {
	low, high := 0.0, 0.0
	for _, s := range c.Bars.Series {
		for _, b := range s.Bars {
			low, high = math.Min(low, b.Value), math.Max(high, b.Value)
			if b.interval() {
				low, high = math.Min(low, b.Low), math.Max(high, b.High)
			}
		}
	}
	groups := groupScale(c.Bars.Groups, c.Bars.Horizontal)
	values := c.Y.scaled(low, high, true)
	if c.Bars.Horizontal {
		set(&p.X, values, c.Y)
		set(&p.Y, groups, Axis{})
	} else {
		set(&p.X, groups, Axis{})
		set(&p.Y, values, c.Y)
	}
	p.Add(gridlines{horizontal: !c.Bars.Horizontal}, bars{c.Bars, values})
	var entries []entry
	for i, s := range c.Bars.Series {
		entries = append(entries, entry{s.Name, func(c *draw.Canvas) {
			fill(c, i, vg.Rectangle{Min: vg.Point{X: c.Min.X + 4, Y: c.Min.Y}, Max: vg.Point{X: c.Max.X - 4, Y: c.Max.Y}})
		}})
	}
	return entries
}

// groupScale returns the scale of an axis with one tick per group. If it is upright,
// the first group is at the top.
func groupScale(names []string, upright bool) scale {
	groups := scale{min: -0.5, max: float64(len(names)) - 0.5}
	for i, name := range names {
		at := float64(i)
		if upright {
			at = groups.max - 0.5 - at
		}
		groups.ticks = append(groups.ticks, plot.Tick{Value: at, Label: name})
	}
	return groups
}

// bars draws all bars.
type bars struct {
	*Bars
	values scale
}

func (b bars) Plot(c draw.Canvas, p *plot.Plot) {
	const used = 0.76 // share of a group's room that its bars use
	width := used / float64(len(b.Series))
	x, y := p.Transforms(&c)
	// place converts (across the groups, along the bars) to a point of the
	// canvas.
	place := func(group, value float64) vg.Point {
		value = math.Min(math.Max(value, b.values.min), b.values.max)
		if b.Horizontal {
			return vg.Point{X: x(value), Y: y(float64(len(b.Groups)) - 1 - group)}
		}
		return vg.Point{X: x(group), Y: y(value)}
	}
	for s, series := range b.Series {
		for g, v := range series.Bars {
			from := float64(g) - used/2 + float64(s)*width
			one, other := place(from+0.02, 0), place(from+width-0.02, v.Value)
			fill(&c, s, vg.Rectangle{
				Min: vg.Point{X: min(one.X, other.X), Y: min(one.Y, other.Y)},
				Max: vg.Point{X: max(one.X, other.X), Y: max(one.Y, other.Y)}})
			if v.interval() {
				b.interval(&c, place, from+width/2, v)
			}
		}
	}
}

// interval draws a line from Low to High with a cap at both ends.
func (b bars) interval(c *draw.Canvas, place func(group, value float64) vg.Point, at float64, v Bar) {
	low, high := place(at, v.Low), place(at, v.High)
	style := thin(text)
	c.StrokeLine2(style, low.X, low.Y, high.X, high.Y)
	for _, end := range []vg.Point{low, high} {
		if b.Horizontal {
			c.StrokeLine2(style, end.X, end.Y-2.5, end.X, end.Y+2.5)
		} else {
			c.StrokeLine2(style, end.X-2.5, end.Y, end.X+2.5, end.Y)
		}
	}
}

// fill draws one bar: solid, tinted or hatched, so that series can be
// distinguished without colours.
func fill(c *draw.Canvas, series int, r vg.Rectangle) {
	if r.Size().X <= 0 || r.Size().Y <= 0 {
		return
	}
	// With more series than colours, a colour has another pattern the next time.
	pattern := (series + series/len(palette)) % 3
	shade, ground := colour(series), 1.0
	if pattern > 0 {
		ground = 0.25
	}
	c.SetColor(shade.faint(ground))
	c.Fill(r.Path())
	if pattern == 2 { // rising lines x - y = k, from the upper left corner to the lower right
		for k := r.Min.X - r.Max.Y + 2.5; k < r.Max.X-r.Min.Y; k += 5 {
			x0, x1 := max(r.Min.X, r.Min.Y+k), min(r.Max.X, r.Max.Y+k)
			c.StrokeLine2(thin(shade), x0, x0-k, x1, x1-k)
		}
	}
	if pattern > 0 {
		c.StrokeLines(thin(shade), []vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}, r.Min})
	}
}
