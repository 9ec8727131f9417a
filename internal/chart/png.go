package chart

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"

	"github.com/lethe-deid/lethe/internal/pdf"
)

// pngScale is the number of pixels per point, for 225 pixels per inch. It makes a chart of
// 400 points 1,250 pixels wide.
const pngScale = 225.0 / 72

// pixels is a canvas that draws a picture.
type pixels struct{ *image.RGBA }

func newPixels(w, h float64) pixels {
	c := pixels{image.NewRGBA(image.Rect(0, 0, int(math.Round(w*pngScale)), int(math.Round(h*pngScale))))}
	draw.Draw(c.RGBA, c.Rect, image.NewUniform(color.RGBA{paper.r, paper.g, paper.b, 255}), image.Point{}, draw.Src)
	return c
}

func (c pixels) encode() ([]byte, error) {
	var out bytes.Buffer
	err := png.Encode(&out, c.RGBA)
	return out.Bytes(), err
}

// outline is a shape of straight lines and of curves of second degree, in pixels. For a
// line, only the last point is used.
type outline []sfnt.Segment

// paint fills an outline. Where parts of it overlap, they must have the same direction.
func (c pixels) paint(o outline, with ink, opacity float64) {
	bounds := sfnt.Segments(o).Bounds()
	area := image.Rect(bounds.Min.X.Floor(), bounds.Min.Y.Floor(), bounds.Max.X.Ceil(), bounds.Max.Y.Ceil())
	if area.Empty() {
		return
	}
	r := vector.NewRasterizer(area.Dx(), area.Dy())
	pixel := func(p fixed.Point26_6) (x, y float32) {
		return float32(p.X)/64 - float32(area.Min.X), float32(p.Y)/64 - float32(area.Min.Y)
	}
	for _, s := range o {
		x, y := pixel(s.Args[0])
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			r.ClosePath()
			r.MoveTo(x, y)
		case sfnt.SegmentOpLineTo:
			r.LineTo(x, y)
		case sfnt.SegmentOpQuadTo:
			toX, toY := pixel(s.Args[1])
			r.QuadTo(x, y, toX, toY)
		}
	}
	r.ClosePath()
	shade := color.NRGBA{with.r, with.g, with.b, uint8(math.Round(opacity * 255))}
	r.Draw(c.RGBA, area, image.NewUniform(shade), image.Point{})
}

func (o *outline) add(shape []point) {
	for i, p := range shape {
		s := sfnt.Segment{Op: sfnt.SegmentOpLineTo}
		if i == 0 {
			s.Op = sfnt.SegmentOpMoveTo
		}
		s.Args[0] = fixed.Point26_6{X: subpixels(p.x), Y: subpixels(p.y)}
		*o = append(*o, s)
	}
}

func subpixels(v float64) fixed.Int26_6 { return fixed.Int26_6(math.Round(v * pngScale * 64)) }

func (c pixels) fill(shape []point, with ink, opacity float64) {
	var o outline
	o.add(shape)
	c.paint(o, with, opacity)
}

func (c pixels) disc(centre point, radius float64, with ink) {
	c.fill(circle(centre, radius), with, 1)
}

// circle returns a polygon that looks like a circle of a few points.
func circle(centre point, radius float64) (shape []point) {
	const corners = 32
	for i := range corners {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / corners)
		shape = append(shape, point{centre.x + radius*cos, centre.y + radius*sin})
	}
	return shape
}

// stroke draws each segment as a rectangle. It rounds the corners between them.
func (c pixels) stroke(path []point, with pen) {
	var o outline
	for _, dash := range dashed(path, with.dashes) {
		for i := 1; i < len(dash); i++ {
			from, to := dash[i-1], dash[i]
			length := from.distance(to)
			if length == 0 {
				continue
			}
			x, y := (to.x-from.x)/length*with.width/2, (to.y-from.y)/length*with.width/2
			o.add([]point{{from.x + y, from.y - x}, {to.x + y, to.y - x}, {to.x - y, to.y + x}, {from.x - y, from.y + x}})
			if i < len(dash)-1 {
				o.add(circle(to, with.width/2))
			}
		}
	}
	c.paint(o, with.ink, 1)
}

// dashed cuts a path into dashes. The lengths of dashes and gaps alternate.
func dashed(path []point, lengths []float64) (all [][]point) {
	if len(lengths) == 0 || len(path) == 0 {
		return [][]point{path}
	}
	dash, left, n := []point{path[0]}, lengths[0], 0
	for i := 1; i < len(path); i++ {
		at := path[i-1]
		for at.distance(path[i]) > left {
			at = at.between(path[i], left/at.distance(path[i]))
			if n%2 == 0 {
				all = append(all, append(dash, at))
			}
			n++
			dash, left = []point{at}, lengths[n%len(lengths)]
		}
		left -= at.distance(path[i])
		dash = append(dash, path[i])
	}
	if n%2 == 0 {
		all = append(all, dash)
	}
	return all
}

func (c pixels) write(s string, at point, size, align float64) {
	var o outline
	f, buffer := pdf.Typeface(), new(sfnt.Buffer)
	at.x -= align * width(s, size)
	for _, g := range pdf.Glyphs(s) {
		segments, err := f.LoadGlyph(buffer, g.GlyphIndex, subpixels(size), nil)
		if err != nil {
			panic(err) // the font comes with the program
		}
		for _, part := range segments {
			for i := range part.Args {
				part.Args[i].X += subpixels(at.x)
				part.Args[i].Y += subpixels(at.y)
			}
			o = append(o, part)
		}
		at.x += g.Advance * size
	}
	c.paint(o, text, 1)
}
