package chart

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	margin    = 4  // around the chart
	rowHeight = 15 // height of a row of the legend, and of the label of the vertical axis
	thumbnail = 22 // width of a sample in the legend
)

// layout draws, from top to bottom, the legend, the label of the vertical axis
// (horizontal, so that it is easy to read), and the plot.
func (c *Chart) layout(area draw.Canvas) error {
	area = draw.Crop(area, margin, -margin, margin, -margin)
	p := plot.New()
	p.BackgroundColor = nil
	var entries []entry
	upright, flat := c.Y, c.X
	sideways := c.Boxes != nil || c.Bars != nil && c.Bars.Horizontal
	if sideways {
		upright, flat = c.X, c.Y
	}
	switch {
	case c.Bars != nil:
		entries = c.addBars(p)
	case c.Boxes != nil:
		entries = c.addBoxes(p)
	default:
		var err error
		if entries, err = c.addLines(p); err != nil {
			return err
		}
	}
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle = lettering(draw.XCenter, draw.YBottom)
		a.Label.Padding = 2
		a.LineStyle = draw.LineStyle{Color: axis, Width: 0.8}
		a.Tick.LineStyle = a.LineStyle
		a.Tick.Length = 3
		a.Padding = 0
	}
	p.X.Label.Text = flat.Label
	p.X.Tick.Label = lettering(draw.XCenter, draw.YTop)
	p.Y.Tick.Label = lettering(draw.XRight, draw.YCenter)
	if sideways {
		p.X.Width = 0
		p.Y.Tick.Length = 0
	} else {
		p.Y.Width = 0
		p.Y.Tick.Length = 0
	}

	top := drawLegend(area, entries)
	if upright.Label != "" {
		area.FillText(lettering(draw.XLeft, draw.YTop), vg.Point{X: area.Min.X, Y: area.Max.Y - top}, upright.Label)
		top += rowHeight
	}
	p.Draw(draw.Crop(area, 0, 0, 0, -top-4))
	return nil
}

// addLines adds the grid, the lines and their axes to the plot.
func (c *Chart) addLines(p *plot.Plot) ([]entry, error) {
	low, high := plotter.XY{X: math.Inf(1), Y: math.Inf(1)}, plotter.XY{X: math.Inf(-1), Y: math.Inf(-1)}
	for _, l := range c.Lines {
		for _, v := range l.Points {
			low.X, high.X = math.Min(low.X, v.X), math.Max(high.X, v.X)
			low.Y, high.Y = math.Min(low.Y, v.Y), math.Max(high.Y, v.Y)
			if v.interval() {
				low.Y, high.Y = math.Min(low.Y, v.Low), math.Max(high.Y, v.High)
			}
		}
	}
	if scattered := c.Lines[0].Style == Marks; scattered && c.X.Log {
		low.X, high.X = low.X/1.3, high.X*1.3
	} else if scattered {
		room := (high.X - low.X) / 25
		low.X, high.X = low.X-room, high.X+room
	}
	x, y := c.X.scaled(low.X, high.X, false), c.Y.scaled(low.Y, high.Y, true)
	set(&p.X, x, c.X)
	set(&p.Y, y, c.Y)
	p.Add(gridlines{horizontal: true})
	var entries []entry
	lines := slices.Clone(c.Lines)
	for i, l := range lines {
		if c.X.Logit || c.Y.Logit {
			l.Points = slices.Clone(l.Points)
			for k, v := range l.Points {
				if c.X.Logit {
					v.X = x.within(v.X)
				}
				if c.Y.Logit && v.interval() {
					v.Low, v.High = y.within(v.Low), y.within(v.High)
				}
				if c.Y.Logit {
					v.Y = y.within(v.Y)
				}
				l.Points[k] = v
			}
			lines[i] = l
		}
		if err := l.add(p, i); err != nil {
			return nil, err
		}
		entries = append(entries, entry{l.Name, l.thumbnail(i)})
	}
	p.Add(labels(lines))
	return entries, nil
}

func set(a *plot.Axis, s scale, of Axis) {
	a.Min, a.Max, a.Tick.Marker = s.min, s.max, s
	switch {
	case of.Log:
		a.Scale = plot.LogScale{}
	case of.Logit:
		a.Scale = logitScale{}
	}
}

// logitScale implements plot.Normalizer.
type logitScale struct{}

func (logitScale) Normalize(low, high, x float64) float64 {
	logit := func(p float64) float64 { return math.Log(p / (1 - p)) }
	return (logit(x) - logit(low)) / (logit(high) - logit(low))
}

// add adds one line to the plot: its intervals, the line and the marks.
func (l Line) add(p *plot.Plot, series int) error {
	x0, x1, y0, y1 := p.X.Min, p.X.Max, p.Y.Min, p.Y.Max // Add would change them
	defer func() { p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = x0, x1, y0, y1 }()
	var all plotter.XYs
	var upper, lower plotter.XYs
	errors := struct {
		plotter.XYs
		plotter.YErrors
	}{}
	for _, v := range l.Points {
		all = append(all, plotter.XY{X: v.X, Y: v.Y})
		if v.interval() {
			upper, lower = append(upper, plotter.XY{X: v.X, Y: v.High}), append(lower, plotter.XY{X: v.X, Y: v.Low})
			errors.XYs = append(errors.XYs, plotter.XY{X: v.X, Y: v.Y})
			errors.YErrors = append(errors.YErrors, struct{ Low, High float64 }{v.Y - v.Low, v.High - v.Y})
		}
	}
	if len(upper) > 0 && l.Band {
		for i := len(lower) - 1; i >= 0; i-- {
			upper = append(upper, lower[i])
		}
		band, err := plotter.NewPolygon(upper)
		if err != nil {
			return err
		}
		band.Color, band.Width = colour(series).faint(0.18), 0
		p.Add(clipped{band})
	} else if len(upper) > 0 {
		bars, err := plotter.NewYErrorBars(errors)
		if err != nil {
			return err
		}
		bars.LineStyle, bars.CapWidth = thin(colour(series)), 5
		p.Add(bars)
	}
	if l.Style != Marks {
		line, err := plotter.NewLine(all)
		if err != nil {
			return err
		}
		line.LineStyle = stroke(series)
		p.Add(line)
	}
	if l.Style != Plain {
		marks, err := plotter.NewScatter(all)
		if err != nil {
			return err
		}
		marks.GlyphStyle = glyph(series)
		p.Add(marks)
	}
	return nil
}

// clipped is a polygon that is clipped to the plot.
type clipped struct{ *plotter.Polygon }

func (b clipped) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, ring := range b.XYs {
		var points []vg.Point
		for _, v := range ring {
			points = append(points, vg.Point{X: x(v.X), Y: y(v.Y)})
		}
		c.FillPolygon(b.Color, c.ClipPolygonXY(points))
	}
}

// gridlines draws a line at each tick: horizontal lines at those of Y, or
// vertical lines at those of X.
type gridlines struct{ horizontal bool }

func (g gridlines) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	style := draw.LineStyle{Color: grid, Width: 0.7}
	if g.horizontal {
		for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
			c.StrokeLine2(style, c.Min.X, y(t.Value), c.Max.X, y(t.Value))
		}
		return
	}
	for _, t := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
		c.StrokeLine2(style, x(t.Value), c.Min.Y, x(t.Value), c.Max.Y)
	}
}

// labels draws the labels of points. Each is on the first side of its point where
// it overlaps no point, line or interval, or else on the first side with room.
type labels []Line

func (all labels) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	var taken []vg.Rectangle
	take := func(at vg.Point, radius vg.Length) {
		taken = append(taken, vg.Rectangle{Min: at.Sub(vg.Point{X: radius, Y: radius}), Max: at.Add(vg.Point{X: radius, Y: radius})})
	}
	for _, l := range all {
		for i, v := range l.Points {
			at := vg.Point{X: x(v.X), Y: y(v.Y)}
			take(at, 2)
			if v.interval() && !l.Band {
				taken = append(taken, vg.Rectangle{Min: vg.Point{X: at.X - 1, Y: y(v.Low)}, Max: vg.Point{X: at.X + 1, Y: y(v.High)}})
			}
			if i > 0 && l.Style != Marks { // the line from the previous point
				from := vg.Point{X: x(l.Points[i-1].X), Y: y(l.Points[i-1].Y)}
				way := at.Sub(from)
				const step = 2
				n := vg.Length(math.Ceil(math.Hypot(float64(way.X), float64(way.Y)) / step))
				for k := vg.Length(1); k < n; k++ {
					take(from.Add(way.Scale(k/n)), 1)
				}
			}
		}
	}
	style := lettering(draw.XLeft, draw.YCenter)
	style.Font.Size = 8.5
	const height = 9
	for _, l := range all {
		for _, v := range l.Points {
			if v.Label == "" {
				continue
			}
			at := vg.Point{X: x(v.X), Y: y(v.Y)}
			boxes := slices.DeleteFunc(around(at, vg.Point{X: style.Width(v.Label), Y: height}), func(b vg.Rectangle) bool {
				return b.Min.X < c.Min.X || b.Max.X > c.Max.X || b.Min.Y < c.Min.Y-2 || b.Max.Y > c.Max.Y+4
			})
			if len(boxes) == 0 {
				continue // the label is wider than the plot
			}
			box := boxes[max(0, slices.IndexFunc(boxes, func(b vg.Rectangle) bool { return !overlaps(b, taken) }))]
			taken = append(taken, box)
			middle := vg.Point{X: box.Min.X, Y: box.Min.Y + height/2}
			if at.Y < box.Min.Y-height || at.Y > box.Max.Y+height { // too far away from its point
				end := middle
				if at.X > box.Max.X {
					end.X = box.Max.X
				}
				c.StrokeLine2(draw.LineStyle{Color: axis, Width: 0.5}, at.X, at.Y, end.X, end.Y)
			}
			c.FillText(style, middle, v.Label)
		}
	}
}

// around returns boxes of some size next to a point, in order of preference.
func around(at, size vg.Point) []vg.Rectangle {
	var boxes []vg.Rectangle
	left, right := -5-size.X, vg.Length(5)
	add := func(x, y vg.Length) {
		corner := at.Add(vg.Point{X: x, Y: y})
		boxes = append(boxes, vg.Rectangle{Min: corner, Max: corner.Add(size)})
	}
	add(right, -size.Y/2)
	add(left, -size.Y/2)
	add(-size.X/2, 4)
	add(-size.X/2, -4-size.Y)
	for away := vg.Length(4); away < 60; away += 4 {
		for _, x := range []vg.Length{right, left} {
			add(x, away)
			add(x, -away-size.Y)
		}
	}
	return boxes
}

func overlaps(box vg.Rectangle, taken []vg.Rectangle) bool {
	return slices.ContainsFunc(taken, func(t vg.Rectangle) bool {
		return box.Min.X < t.Max.X && t.Min.X < box.Max.X && box.Min.Y < t.Max.Y && t.Min.Y < box.Max.Y
	})
}

// entry is one series in the legend.
type entry struct {
	name string
	draw func(c *draw.Canvas) // draws the sample into a canvas of its size
}

func (l Line) thumbnail(series int) func(*draw.Canvas) {
	return func(c *draw.Canvas) {
		middle := c.Center()
		if l.Style != Marks {
			c.StrokeLine2(stroke(series), c.Min.X, middle.Y, c.Max.X, middle.Y)
		}
		if l.Style != Plain {
			c.DrawGlyph(glyph(series), middle)
		}
	}
}

// drawLegend draws the entries from left to right, in as many rows as necessary,
// and returns their height. A single entry is not drawn.
func drawLegend(c draw.Canvas, entries []entry) (height vg.Length) {
	if len(entries) < 2 {
		return 0
	}
	style := lettering(draw.XLeft, draw.YCenter)
	x, y := c.Min.X, c.Max.Y-rowHeight/2
	for _, e := range entries {
		if e.name == "" {
			continue
		}
		width := thumbnail + 5 + style.Width(e.name)
		if x > c.Min.X && x+width > c.Max.X {
			x, y = c.Min.X, y-rowHeight
		}
		e.draw(&draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: x, Y: y - 4}, Max: vg.Point{X: x + thumbnail, Y: y + 4}}})
		c.FillText(style, vg.Point{X: x + thumbnail + 5, Y: y}, e.name)
		x += width + 14
	}
	return c.Max.Y - y + rowHeight/2 + 3
}
