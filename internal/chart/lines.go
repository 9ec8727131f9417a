package chart

import (
	"math"
	"slices"
)

func (c *Chart) lineContent() content {
	x, y := c.ranges()
	all := content{x: x, y: y}
	all.labels.x, all.labels.y = c.X.Label, c.Y.Label
	lines := slices.Clone(c.Lines)
	for i, l := range lines {
		lines[i].Points = slices.Clone(l.Points)
		for k := range l.Points {
			lines[i].Points[k].limit(c, x, y)
		}
		all.legend = append(all.legend, entry{l.Name, l.sample(i)})
	}
	all.draw = func(v view) {
		for i, l := range lines {
			l.draw(v, i)
		}
		drawLabels(v, lines)
	}
	return all
}

// ranges returns the scales of both axes, which show all points and intervals.
func (c *Chart) ranges() (x, y scale) {
	left, right, low, high := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, l := range c.Lines {
		for _, p := range l.Points {
			left, right = min(left, p.X), max(right, p.X)
			low, high = min(low, p.Y), max(high, p.Y)
			if p.interval() {
				low, high = min(low, p.Low), max(high, p.High)
			}
		}
	}
	if scattered := c.Lines[0].Style == Marks; scattered && c.X.Log {
		left, right = left/1.3, right*1.3
	} else if scattered {
		room := (right - left) / 25
		left, right = left-room, right+room
	}
	return c.X.scaled(left, right, false), c.Y.scaled(low, high, true)
}

// limit moves values to the edge of a scale of log-odds, which cannot show 0 and 1.
func (p *Point) limit(c *Chart, x, y scale) {
	if c.X.Logit {
		p.X = x.within(p.X)
	}
	if c.Y.Logit {
		p.Y = y.within(p.Y)
		if p.interval() {
			p.Low, p.High = y.within(p.Low), y.within(p.High)
		}
	}
}

// draw draws the intervals of a line, the line and its marks.
func (l Line) draw(v view, series int) {
	var path, upper, lower []point
	for _, p := range l.Points {
		path = append(path, v.at(p.X, p.Y))
		if p.interval() {
			upper, lower = append(upper, v.at(p.X, p.High)), append(lower, v.at(p.X, p.Low))
		}
	}
	if l.Band {
		slices.Reverse(lower)
		if shape := v.clipPolygon(append(upper, lower...)); len(shape) > 0 {
			v.fill(shape, colour(series), 0.18)
		}
	} else {
		for i := range upper {
			v.interval(upper[i], lower[i], thin(colour(series)))
		}
	}
	if l.Style != Marks {
		for _, part := range v.clip(path) {
			v.stroke(part, stroke(series))
		}
	}
	if l.Style != Plain {
		for _, at := range path {
			if v.contains(at) {
				mark(v, series, at)
			}
		}
	}
}

// interval draws a line with a cap at each end that is in view.
func (v view) interval(from, to point, with pen) {
	for _, part := range v.clip([]point{from, to}) {
		v.stroke(part, with)
	}
	length := from.distance(to)
	if length == 0 {
		return
	}
	x, y := 2.5*(to.y-from.y)/length, 2.5*(to.x-from.x)/length
	for _, end := range []point{from, to} {
		if v.contains(end) {
			v.stroke([]point{{end.x - x, end.y - y}, {end.x + x, end.y + y}}, with)
		}
	}
}

func (l Line) sample(series int) func(canvas, box) {
	return func(c canvas, in box) {
		middle := in.centre()
		if l.Style != Marks {
			c.stroke([]point{{in.left, middle.y}, {in.right, middle.y}}, stroke(series))
		}
		if l.Style != Plain {
			mark(c, series, middle)
		}
	}
}

// drawLabels draws the labels of points. Each is on the first side of its point where
// it overlaps no point, line or interval, or else on the first side with room.
func drawLabels(v view, lines []Line) {
	taken := occupied(v, lines)
	const height = 9
	for _, l := range lines {
		for _, p := range l.Points {
			at := v.at(p.X, p.Y)
			if p.Label == "" || !v.contains(at) {
				continue
			}
			places := slices.DeleteFunc(around(at, width(p.Label, labelSize), height), func(b box) bool {
				return b.left < v.left || b.right > v.right || b.top < v.top-4 || b.bottom > v.bottom+2
			})
			if len(places) == 0 {
				continue // the label is wider than the plot
			}
			free := slices.IndexFunc(places, func(b box) bool { return !slices.ContainsFunc(taken, b.overlaps) })
			place := places[max(0, free)]
			taken = append(taken, place)
			middle := place.centre().y
			if at.y > place.bottom+height || at.y < place.top-height { // too far away from its point
				end := point{place.left, middle}
				if at.x > place.right {
					end.x = place.right
				}
				v.stroke([]point{at, end}, pen{ink: axis, width: 0.5})
			}
			v.write(p.Label, point{place.left, middle + labelSize*capital/2}, labelSize, 0)
		}
	}
}

// occupied returns boxes that cover all points, lines and intervals.
func occupied(v view, lines []Line) (taken []box) {
	take := func(at point, radius float64) {
		taken = append(taken, box{at.x - radius, at.y - radius, at.x + radius, at.y + radius})
	}
	for _, l := range lines {
		for i, p := range l.Points {
			at := v.at(p.X, p.Y)
			take(at, 2)
			if p.interval() && !l.Band {
				taken = append(taken, box{at.x - 1, v.at(p.X, p.High).y, at.x + 1, v.at(p.X, p.Low).y})
			}
			if i > 0 && l.Style != Marks { // the line from the previous point
				from := v.at(l.Points[i-1].X, l.Points[i-1].Y)
				const step = 2
				n := math.Ceil(from.distance(at) / step)
				for k := 1.0; k < n; k++ {
					take(from.between(at, k/n), 1)
				}
			}
		}
	}
	return taken
}

// around returns boxes of some size next to a point, in order of preference.
func around(at point, wide, high float64) []box {
	var boxes []box
	left, right := -5-wide, 5.0
	add := func(x, y float64) { // the offset of the lower left corner
		boxes = append(boxes, box{at.x + x, at.y + y - high, at.x + x + wide, at.y + y})
	}
	add(right, high/2)
	add(left, high/2)
	add(-wide/2, -4)
	add(-wide/2, 4+high)
	for away := 4.0; away < 60; away += 4 {
		for _, x := range []float64{right, left} {
			add(x, -away)
			add(x, away+high)
		}
	}
	return boxes
}
