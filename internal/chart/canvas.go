package chart

import "math"

// point is a place on a canvas, in points of 1/72 inch from the upper left corner. y
// grows downwards.
type point struct{ x, y float64 }

// between returns the point at a share of the way from p to q.
func (p point) between(q point, share float64) point {
	return point{p.x + share*(q.x-p.x), p.y + share*(q.y-p.y)}
}

func (p point) distance(q point) float64 { return math.Hypot(q.x-p.x, q.y-p.y) }

// canvas is what a chart is drawn on: an SVG, PNG or PDF file.
type canvas interface {
	// fill fills a polygon with a colour of this opacity.
	fill(shape []point, with ink, opacity float64)
	stroke(path []point, with pen)
	disc(centre point, radius float64, with ink)
	// write writes a line of text on the baseline of at. A share align of the text is
	// to the left of at.
	write(s string, at point, size, align float64)
}

// box is a rectangle.
type box struct{ left, top, right, bottom float64 }

func (b box) corners() []point {
	return []point{{b.left, b.top}, {b.right, b.top}, {b.right, b.bottom}, {b.left, b.bottom}}
}

func (b box) outline() []point { return append(b.corners(), point{b.left, b.top}) }

func (b box) centre() point { return point{(b.left + b.right) / 2, (b.top + b.bottom) / 2} }

func (b box) overlaps(o box) bool {
	return b.left < o.right && o.left < b.right && b.top < o.bottom && o.top < b.bottom
}

// contains reports whether a point is in the box or, except for errors of rounding, on its
// edge.
func (b box) contains(p point) bool {
	for _, d := range b.inside(p) {
		if d < -1e-6 {
			return false
		}
	}
	return true
}

// inside returns the distances of a point from the edges. They are negative outside of
// the box.
func (b box) inside(p point) [4]float64 {
	return [4]float64{p.x - b.left, b.right - p.x, p.y - b.top, b.bottom - p.y}
}

// clip returns the parts of a path that are in the box.
func (b box) clip(path []point) (parts [][]point) {
	for i := 1; i < len(path); i++ {
		first, last := 0.0, 1.0 // the part of this segment that is in the box
		from, to := b.inside(path[i-1]), b.inside(path[i])
		for edge := range from {
			switch crossing := from[edge] / (from[edge] - to[edge]); {
			case from[edge] < 0 && to[edge] < 0:
				first, last = 1, 0
			case from[edge] < 0:
				first = max(first, crossing)
			case to[edge] < 0:
				last = min(last, crossing)
			}
		}
		if first > last {
			continue
		}
		start, end := path[i-1].between(path[i], first), path[i-1].between(path[i], last)
		if n := len(parts); n > 0 && first == 0 && parts[n-1][len(parts[n-1])-1] == start {
			parts[n-1] = append(parts[n-1], end)
		} else {
			parts = append(parts, []point{start, end})
		}
	}
	return parts
}

// clipPolygon returns the part of a polygon that is in the box.
func (b box) clipPolygon(shape []point) []point {
	for edge := range 4 {
		var kept []point
		for i, p := range shape {
			before := shape[(i+len(shape)-1)%len(shape)]
			from, to := b.inside(before)[edge], b.inside(p)[edge]
			if (from < 0) != (to < 0) {
				kept = append(kept, before.between(p, from/(from-to)))
			}
			if to >= 0 {
				kept = append(kept, p)
			}
		}
		shape = kept
	}
	return shape
}
