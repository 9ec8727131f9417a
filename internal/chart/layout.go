package chart

const (
	margin    = 4  // around the chart
	rowHeight = 15 // height of a row of the legend, and of the label of an axis
	thumbnail = 22 // width of a sample in the legend
	tickSize  = 3  // length of a tick, and distance between a tick and its label
	labelGap  = 5  // between the labels of the vertical axis and the axis
)

// content is what charts of all kinds have in common.
type content struct {
	x, y   scale // of the horizontal and the vertical axis
	labels struct{ x, y string }
	rows   bool // the grid is vertical, and the axis is a vertical line: for groups that are stacked vertically
	legend []entry
	draw   func(view)
}

// view is the part of a canvas that shows the data.
type view struct {
	canvas
	box
	x, y scale
}

// at returns the point of two values.
func (v view) at(x, y float64) point {
	return point{v.left + v.x.share(x)*(v.right-v.left), v.bottom - v.y.share(y)*(v.bottom-v.top)}
}

func (c *Chart) content() content {
	switch {
	case c.Bars != nil:
		return c.barContent()
	case c.Boxes != nil:
		return c.boxContent()
	}
	return c.lineContent()
}

// draw draws, from top to bottom, the legend, the label of the vertical axis
// (horizontal, so that it is easy to read), the data and the horizontal axis.
func (c *Chart) draw(on canvas) {
	w, h := c.size()
	area := box{margin, margin, w - margin, h - margin}
	all := c.content()
	area.top += drawLegend(on, area, all.legend)
	if all.labels.y != "" {
		on.write(all.labels.y, point{area.left, area.top + textSize}, textSize, 0)
		area.top += rowHeight
	}
	if all.labels.x != "" {
		area.bottom -= rowHeight
	}
	area.top += textSize/2 + 2 // half of the uppermost label
	area.bottom -= tickSize + textSize + tickSize
	v := view{on, area, all.x, all.y}
	v.fit()
	v.axes(all.rows)
	if all.labels.x != "" {
		on.write(all.labels.x, point{v.centre().x, h - margin - 2}, textSize, 0.5)
	}
	all.draw(v)
}

// fit makes room for the labels of the ticks at the left, and for the ends of those below
// the plot.
func (v *view) fit() {
	outer := v.box
	for _, t := range v.y.ticks {
		v.left = max(v.left, outer.left+width(t.label, textSize)+labelGap)
	}
	v.right -= tickSize
	for _, t := range v.x.ticks {
		half, share := width(t.label, textSize)/2, v.x.share(t.value)
		if share < 1 {
			v.left = max(v.left, (outer.left+half-share*v.right)/(1-share))
		}
		if share > 0 {
			v.right = min(v.right, v.left+(outer.right-half-v.left)/share)
		}
	}
}

// axes draws the grid, the line of the axis without a grid, and the labels of both axes.
func (v view) axes(rows bool) {
	line, lines := pen{ink: axis, width: 0.8}, pen{ink: grid, width: 0.7}
	for _, t := range v.x.ticks {
		at := v.at(t.value, v.y.min)
		if rows {
			v.stroke([]point{{at.x, v.top}, at}, lines)
		}
		v.stroke([]point{at, {at.x, at.y + tickSize}}, line)
		v.write(t.label, point{at.x, at.y + tickSize + textSize}, textSize, 0.5)
	}
	for _, t := range v.y.ticks {
		at := v.at(v.x.min, t.value)
		if !rows {
			v.stroke([]point{at, {v.right, at.y}}, lines)
		}
		v.write(t.label, point{at.x - labelGap, at.y + textSize*capital/2}, textSize, 1)
	}
	if rows {
		v.stroke([]point{{v.left, v.top}, {v.left, v.bottom}}, line)
	} else {
		v.stroke([]point{{v.left, v.bottom}, {v.right, v.bottom}}, line)
	}
}

// entry is one series in the legend.
type entry struct {
	name   string
	sample func(canvas, box)
}

// drawLegend draws the entries from left to right, in as many rows as necessary,
// and returns their height. A single entry is not drawn.
func drawLegend(c canvas, area box, entries []entry) (height float64) {
	if len(entries) < 2 {
		return 0
	}
	x, y := area.left, area.top+rowHeight/2
	for _, e := range entries {
		if e.name == "" {
			continue
		}
		wide := thumbnail + 5 + width(e.name, textSize)
		if x > area.left && x+wide > area.right {
			x, y = area.left, y+rowHeight
		}
		e.sample(c, box{x, y - 4, x + thumbnail, y + 4})
		c.write(e.name, point{x + thumbnail + 5, y + textSize*capital/2}, textSize, 0)
		x += wide + 14
	}
	return y + rowHeight/2 + 3 - area.top
}
