package chart

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf16"

	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// pdf is a canvas that writes the content of a page of PDF 1.7 (ISO 32000-1). It embeds
// the font, as publishers of papers require.
type pdf struct {
	bytes.Buffer
	opacities []float64
	letters   map[sfnt.GlyphIndex]letter
}

// letter is a glyph that the page uses.
type letter struct {
	rune
	advance float64
}

func newPDF() *pdf { return &pdf{letters: map[sfnt.GlyphIndex]letter{}} }

// colour sets the colour of lines and areas.
func (c *pdf) colour(i ink) {
	r, g, b := float64(i.r)/255, float64(i.g)/255, float64(i.b)/255
	fmt.Fprintf(c, "%.4f %.4f %.4f rg %.4f %.4f %.4f RG ", r, g, b, r, g, b)
}

func (c *pdf) path(points []point) {
	operator := "m"
	for _, p := range points {
		fmt.Fprintf(c, "%s %s %s ", coordinate(p.x), coordinate(p.y), operator)
		operator = "l"
	}
}

func (c *pdf) fill(shape []point, with ink, opacity float64) {
	c.colour(with)
	if opacity < 1 {
		if !slices.Contains(c.opacities, opacity) {
			c.opacities = append(c.opacities, opacity)
		}
		fmt.Fprintf(c, "q /%s gs ", transparency(opacity))
	}
	c.path(shape)
	c.WriteString("f\n")
	if opacity < 1 {
		c.WriteString("Q\n")
	}
}

// transparency returns the name of the graphics state of an opacity.
func transparency(opacity float64) string { return fmt.Sprintf("T%.0f", opacity*1000) }

func (c *pdf) stroke(path []point, with pen) {
	c.colour(with.ink)
	fmt.Fprintf(c, "%v w %v 0 d ", with.width, with.dashes)
	c.path(path)
	c.WriteString("S\n")
}

// disc draws a line of no length with round ends.
func (c *pdf) disc(centre point, radius float64, with ink) {
	c.colour(with)
	fmt.Fprintf(c, "q 1 J %v w [] 0 d ", 2*radius)
	c.path([]point{centre, centre})
	c.WriteString("S Q\n")
}

func (c *pdf) write(s string, at point, size, align float64) {
	c.colour(text)
	var codes strings.Builder
	characters := []rune(s)
	for i, g := range glyphs(s) {
		c.letters[g.GlyphIndex] = letter{characters[i], g.advance}
		fmt.Fprintf(&codes, "%04X", g.GlyphIndex)
	}
	fmt.Fprintf(c, "BT /F %v Tf 1 0 0 -1 %s %s Tm <%s> Tj ET\n", size, coordinate(at.x-align*width(s, size)), coordinate(at.y), codes.String())
}

// document returns the whole file, with the title of the chart.
func (c *pdf) document(of *Chart) []byte {
	w, h := of.size()
	var states strings.Builder
	for _, o := range c.opacities {
		fmt.Fprintf(&states, "/%s << /ca %v >> ", transparency(o), o)
	}
	var widths, characters strings.Builder
	for _, index := range slices.Sorted(maps.Keys(c.letters)) {
		l := c.letters[index]
		fmt.Fprintf(&widths, "%d [%.0f] ", index, l.advance*1000)
		fmt.Fprintf(&characters, "1 beginbfchar <%04X> <%X> endbfchar\n", index, bigEndian(string(l.rune)))
	}
	const name = "/BaseFont /LiberationSans"
	var out file
	out.WriteString("%PDF-1.7\n")
	out.object("<< /Type /Catalog /Pages 2 0 R /ViewerPreferences << /DisplayDocTitle true >> >>") // 1
	out.object("<< /Type /Pages /Kids [3 0 R] /Count 1 >>")
	out.object("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %v %v] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> /ExtGState << %s>> >> >>", w, h, states.String())
	out.stream(fmt.Appendf(nil, "1 0 0 -1 0 %v cm 1 j\n%s", h, c.Bytes()))
	out.object("<< /Type /Font /Subtype /Type0 %s /Encoding /Identity-H /DescendantFonts [6 0 R] /ToUnicode 7 0 R >>", name) // 5
	out.object("<< /Type /Font /Subtype /CIDFontType2 %s /CIDToGIDMap /Identity /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /FontDescriptor 8 0 R /W [%s] >>", name, widths.String())
	out.stream(fmt.Appendf(nil, toUnicode, characters.String()))
	out.object("%s", descriptor()) // 8
	out.stream(liberationsansregular.TTF)
	out.object("<< /Title <%X> >>", bigEndian("\uFEFF"+of.Title)) // 10
	return out.finish(1, 10)
}

// toUnicode tells viewers which characters the glyphs are, for searching and copying.
const toUnicode = `/CIDInit /ProcSet findresource begin 12 dict begin begincmap
/CMapName /Adobe-Identity-UCS def /CMapType 2 def
1 begincodespacerange <0000> <FFFF> endcodespacerange
%sendcmap end end
`

// descriptor returns the font descriptor, in thousandths of the size of the text.
func descriptor() string {
	f, buffer := typeface(), new(sfnt.Buffer)
	bounds, err := f.Bounds(buffer, fixed.I(1000), font.HintingNone)
	metrics, err2 := f.Metrics(buffer, fixed.I(1000), font.HintingNone)
	if err != nil || err2 != nil {
		panic("the font that comes with the program has no metrics")
	}
	return fmt.Sprintf("<< /Type /FontDescriptor /FontName /LiberationSans /Flags 32 /ItalicAngle 0 /StemV 80 /FontBBox [%d %d %d %d] /Ascent %d /Descent %d /CapHeight %d /FontFile2 9 0 R >>",
		bounds.Min.X.Floor(), -bounds.Max.Y.Ceil(), bounds.Max.X.Ceil(), -bounds.Min.Y.Floor(), metrics.Ascent.Round(), -metrics.Descent.Round(), metrics.CapHeight.Round())
}

// bigEndian returns a text as big-endian UTF-16.
func bigEndian(s string) (encoded []byte) {
	for _, unit := range utf16.Encode([]rune(s)) {
		encoded = append(encoded, byte(unit>>8), byte(unit))
	}
	return encoded
}

// file is a PDF file of numbered objects.
type file struct {
	bytes.Buffer
	offsets []int
}

func (f *file) object(format string, args ...any) {
	f.offsets = append(f.offsets, f.Len())
	fmt.Fprintf(f, "%d 0 obj\n"+format+"\nendobj\n", append([]any{len(f.offsets)}, args...)...)
}

// stream adds an object of compressed data.
func (f *file) stream(data []byte) {
	var compressed bytes.Buffer
	z := zlib.NewWriter(&compressed)
	_, _ = z.Write(data) // a buffer returns no errors
	_ = z.Close()
	f.object("<< /Length %d /Length1 %d /Filter /FlateDecode >>\nstream\n%s\nendstream", compressed.Len(), len(data), compressed.Bytes())
}

// finish adds the table of objects.
func (f *file) finish(catalog, info int) []byte {
	start := f.Len()
	fmt.Fprintf(f, "xref\n0 %d\n0000000000 65535 f \n", len(f.offsets)+1)
	for _, at := range f.offsets {
		fmt.Fprintf(f, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(f, "trailer\n<< /Size %d /Root %d 0 R /Info %d 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(f.offsets)+1, catalog, info, start)
	return f.Bytes()
}
