package chart

import (
	"sync"

	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// The font of all text. Liberation Sans has the widths of Arial and Helvetica, so text
// also fits in a browser that does not have it.
const fontFamily = "Liberation Sans, Arial, Helvetica, sans-serif"

// Sizes of text in points, and the height of its capitals as a share of the size.
const (
	textSize  = 10
	labelSize = 8.5 // of the labels of points
	capital   = 0.7
)

var typeface = sync.OnceValue(func() *sfnt.Font {
	f, err := sfnt.Parse(liberationsansregular.TTF)
	if err != nil {
		panic(err) // the font comes with the program
	}
	return f
})

// glyph is a character in the typeface.
type glyph struct {
	sfnt.GlyphIndex
	advance float64 // as a share of the size of the text
}

// glyphs returns the glyphs of a text. Characters that the typeface does not have become
// an empty rectangle.
func glyphs(s string) []glyph {
	var all []glyph
	f, buffer := typeface(), new(sfnt.Buffer)
	units := fixed.I(int(f.UnitsPerEm()))
	for _, r := range s {
		index, err := f.GlyphIndex(buffer, r)
		if err != nil {
			index = 0
		}
		advance, err := f.GlyphAdvance(buffer, index, units, font.HintingNone)
		if err != nil {
			advance = units / 2
		}
		all = append(all, glyph{index, float64(advance) / float64(units)})
	}
	return all
}

// width returns the width of a text in points.
func width(s string, size float64) (w float64) {
	for _, g := range glyphs(s) {
		w += g.advance * size
	}
	return w
}
