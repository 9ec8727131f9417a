package chart

import "fmt"

// ink is an opaque colour.
type ink struct{ r, g, b uint8 }

func (i ink) hex() string { return fmt.Sprintf("#%02X%02X%02X", i.r, i.g, i.b) }

var (
	paper = ink{255, 255, 255}
	text  = ink{0x33, 0x33, 0x36}
	axis  = ink{0x76, 0x76, 0x79}
	grid  = ink{0xDE, 0xDE, 0xE2}

	// Blue, vermillion, bluish green, purple, brown and grey: the palette of
	// Okabe and Ito, darkened where a line on white would have less than the
	// contrast of 3:1 that WCAG 2.2 (1.4.11) requires.
	palette = []ink{
		{0x00, 0x72, 0xB2}, {0xC8, 0x50, 0x00}, {0x00, 0x8A, 0x65},
		{0xA8, 0x49, 0x80}, {0x8A, 0x6A, 0x00}, {0x5A, 0x5A, 0x60},
	}
	dashes = [][]float64{nil, {6, 3}, {1.5, 2.5}, {7, 2.5, 1.5, 2.5}}
)

// pen is the way to draw a line.
type pen struct {
	ink
	width  float64
	dashes []float64 // lengths of dashes and gaps in turn; nil: an unbroken line
}

func colour(series int) ink { return palette[series%len(palette)] }

func stroke(series int) pen { return pen{colour(series), 1.6, dashes[series%len(dashes)]} }

// thin returns the pen of intervals and outlines.
func thin(i ink) pen { return pen{ink: i, width: 0.9} }

// mark draws the mark of a series: a disc, a square, a triangle or a diamond.
func mark(c canvas, series int, at point) {
	const disc, square, triangle, diamond = 2.8, 2.5, 3.2, 3.4 // radii that look equally large
	corner := func(x, y float64) point { return point{at.x + x, at.y + y} }
	switch series % 4 {
	case 0:
		c.disc(at, disc, colour(series))
	case 1:
		const r = square
		c.fill([]point{corner(-r, -r), corner(r, -r), corner(r, r), corner(-r, r)}, colour(series), 1)
	case 2:
		const half = triangle * 0.866
		c.fill([]point{corner(0, -triangle), corner(half, triangle/2), corner(-half, triangle/2)}, colour(series), 1)
	case 3:
		const r = diamond
		c.fill([]point{corner(0, -r), corner(r, 0), corner(0, r), corner(-r, 0)}, colour(series), 1)
	}
}
