package chart

import "github.com/lethe-deid/lethe/internal/pdf"

// The font of all text, for SVG. PNG and PDF have pdf.Typeface.
const fontFamily = "Liberation Sans, Arial, Helvetica, sans-serif"

// Sizes of text in points, and the height of its capitals as a share of the size.
const (
	textSize  = 10
	labelSize = 8.5 // of the labels of points
	capital   = 0.7
)

// width returns the width of a text in points.
func width(s string, size float64) float64 { return pdf.Width(s, size) }
