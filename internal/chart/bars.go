package chart

// barContent places group g at position g of its axis; with horizontal bars, the first
// group is at the top.
func (c *Chart) barContent() content {
	low, high := 0.0, 0.0
	for _, s := range c.Bars.Series {
		for _, b := range s.Bars {
			low, high = min(low, b.Value), max(high, b.Value)
			if b.interval() {
				low, high = min(low, b.Low), max(high, b.High)
			}
		}
	}
	values := c.Y.scaled(low, high, true)
	all := content{rows: c.Bars.Horizontal, draw: c.Bars.draw}
	if c.Bars.Horizontal {
		all.x, all.labels.x, all.y, all.labels.y = values, c.Y.Label, groupScale(c.Bars.Groups, true), c.X.Label
	} else {
		all.y, all.labels.y, all.x, all.labels.x = values, c.Y.Label, groupScale(c.Bars.Groups, false), c.X.Label
	}
	for i, s := range c.Bars.Series {
		all.legend = append(all.legend, entry{s.Name, func(c canvas, in box) {
			drawBar(c, i, box{in.left + 4, in.top, in.right - 4, in.bottom})
		}})
	}
	return all
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
		groups.ticks = append(groups.ticks, tick{at, name})
	}
	return groups
}

func (b *Bars) draw(v view) {
	const used = 0.76 // share of a group's room that its bars use
	width := used / float64(len(b.Series))
	// place converts (across the groups, along the bars) to a point of the
	// canvas.
	place := func(group, value float64) point {
		if b.Horizontal {
			return v.at(v.x.within(value), float64(len(b.Groups))-1-group)
		}
		return v.at(group, v.y.within(value))
	}
	for s, series := range b.Series {
		for g, bar := range series.Bars {
			from := float64(g) - used/2 + float64(s)*width
			one, other := place(from+0.02, 0), place(from+width-0.02, bar.Value)
			drawBar(v, s, box{min(one.x, other.x), min(one.y, other.y), max(one.x, other.x), max(one.y, other.y)})
			if bar.interval() {
				v.interval(place(from+width/2, bar.Low), place(from+width/2, bar.High), thin(text))
			}
		}
	}
}

// drawBar draws one bar: solid, tinted or hatched, so that series can be
// distinguished without colours.
func drawBar(c canvas, series int, in box) {
	if in.left >= in.right || in.top >= in.bottom {
		return
	}
	shade := colour(series)
	// With more series than colours, a colour has another pattern the next time.
	pattern := (series + series/len(palette)) % 3
	if pattern == 0 {
		c.fill(in.corners(), shade, 1)
		return
	}
	c.fill(in.corners(), shade, 0.25)
	if pattern == 2 { // rising lines x + y = k, from the upper left corner to the lower right
		for k := in.left + in.top + 2.5; k < in.right+in.bottom; k += 5 {
			left, right := max(in.left, k-in.bottom), min(in.right, k-in.top)
			c.stroke([]point{{left, k - left}, {right, k - right}}, thin(shade))
		}
	}
	c.stroke(in.outline(), thin(shade))
}
