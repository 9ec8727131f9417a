package chart

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	letters "gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ink is a colour with an alpha in [0, 1].
type ink struct {
	r, g, b uint8
	alpha   float64
}

// RGBA implements color.Color. It rounds up, so that code that divides by alpha
// again and truncates, such as gonum's SVG, gets exactly the original colour.
func (i ink) RGBA() (r, g, b, a uint32) {
	a = uint32(math.Round(i.alpha * 0xffff))
	part := func(v uint8) uint32 { return (uint32(v)*a + 254) / 255 }
	return part(i.r), part(i.g), part(i.b), a
}

func (i ink) hex() string { return fmt.Sprintf("#%02X%02X%02X", i.r, i.g, i.b) }

func (i ink) faint(alpha float64) ink { i.alpha = alpha; return i }

var (
	paper = ink{255, 255, 255, 1}
	text  = ink{0x33, 0x33, 0x36, 1}
	axis  = ink{0x76, 0x76, 0x79, 1}
	grid  = ink{0xDE, 0xDE, 0xE2, 1}

	// Blue, vermillion, bluish green, purple, brown and grey: the palette of
	// Okabe and Ito, darkened where a line on white would have less than the
	// contrast of 3:1 that WCAG 2.2 (1.4.11) requires.
	palette = []ink{
		{0x00, 0x72, 0xB2, 1}, {0xC8, 0x50, 0x00, 1}, {0x00, 0x8A, 0x65, 1},
		{0xA8, 0x49, 0x80, 1}, {0x8A, 0x6A, 0x00, 1}, {0x5A, 0x5A, 0x60, 1},
	}
	dashes = [][]vg.Length{nil, {6, 3}, {1.5, 2.5}, {7, 2.5, 1.5, 2.5}}
	glyphs = []draw.GlyphDrawer{
		draw.CircleGlyph{}, draw.SquareGlyph{}, draw.PyramidGlyph{}, diamond{},
	}
)

// diamond is a square standing on a corner.
type diamond struct{}

func (diamond) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	r := 1.2 * s.Radius
	c.FillPolygon(s.Color, []vg.Point{{X: at.X - r, Y: at.Y}, {X: at.X, Y: at.Y + r}, {X: at.X + r, Y: at.Y}, {X: at.X, Y: at.Y - r}})
}

func colour(series int) ink { return palette[series%len(palette)] }

func stroke(series int) draw.LineStyle {
	return draw.LineStyle{Color: colour(series), Width: 1.6, Dashes: dashes[series%len(dashes)]}
}

// thin returns the line style of intervals and outlines.
func thin(i ink) draw.LineStyle { return draw.LineStyle{Color: i, Width: 0.9} }

func glyph(series int) draw.GlyphStyle {
	return draw.GlyphStyle{Color: colour(series), Radius: 2.8, Shape: glyphs[series%len(glyphs)]}
}

func lettering(x letters.XAlignment, y letters.YAlignment) letters.Style {
	return letters.Style{
		Color: text, XAlign: x, YAlign: y, Handler: plot.DefaultTextHandler,
		Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: 10},
	}
}
