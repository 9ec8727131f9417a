package pdf

import (
	_ "embed"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	_ "codeberg.org/go-fonts/liberation" // whose font is in the archive, so that NOTICE names it
	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"

	"github.com/lethe-deid/lethe/internal/archived"
)

// The program contains the font as an archive, which is half of its size. TestArchive makes it.
//
//go:embed font.zip.br
var archive []byte

const fontFile = "LiberationSans-Regular.ttf"

var trueType = sync.OnceValue(func() []byte {
	content, err := fs.ReadFile(archived.Open(archive), fontFile)
	if err != nil {
		panic(err) // the font comes with the program
	}
	return content
})

// Typeface returns the font of all text, Liberation Sans. It has the widths of Arial and Helvetica, so text also fits in a
// browser that does not have it.
var Typeface = sync.OnceValue(func() *sfnt.Font {
	f, err := sfnt.Parse(trueType())
	if err != nil {
		panic(err) // the font comes with the program
	}
	return f
})

// Glyph is a character in the typeface.
type Glyph struct {
	sfnt.GlyphIndex
	Advance float64 // as a share of the size of the text
}

// Glyphs returns the glyphs of a text. Characters that the typeface does not have become
// an empty rectangle, which has the index 0.
func Glyphs(s string) []Glyph {
	var all []Glyph
	f, buffer := Typeface(), new(sfnt.Buffer)
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
		all = append(all, Glyph{index, float64(advance) / float64(units)})
	}
	return all
}

// Width returns the width of a text in points.
func Width(s string, size float64) (w float64) {
	for _, g := range Glyphs(s) {
		w += g.Advance * size
	}
	return w
}

// Font is the typeface as a font of a file. It records which glyphs are used. The zero value is ready to use.
type Font struct {
	letters map[sfnt.GlyphIndex]letter
}

// letter is a glyph that the file uses.
type letter struct {
	rune
	advance float64
}

// Encode returns a text as the operand of an operator that shows text.
func (f *Font) Encode(s string) string {
	if f.letters == nil {
		f.letters = map[sfnt.GlyphIndex]letter{}
	}
	var codes strings.Builder
	characters := []rune(s)
	for i, g := range Glyphs(s) {
		f.letters[g.GlyphIndex] = letter{characters[i], g.Advance}
		fmt.Fprintf(&codes, "%04X", g.GlyphIndex)
	}
	return "<" + codes.String() + ">"
}

// Embed adds the font to a file, as five objects, and returns the number of the first, which is the font of pages. All text
// must have been encoded.
func (f *Font) Embed(in *File) int {
	var widths, characters strings.Builder
	for _, index := range slices.Sorted(maps.Keys(f.letters)) {
		l := f.letters[index]
		fmt.Fprintf(&widths, "%d [%.0f] ", index, l.advance*1000)
		fmt.Fprintf(&characters, "1 beginbfchar <%04X> <%X> endbfchar\n", index, bigEndian(string(l.rune)))
	}
	const name = "/BaseFont /LiberationSans"
	n := in.Next()
	in.Object("<< /Type /Font /Subtype /Type0 %s /Encoding /Identity-H /DescendantFonts [%d 0 R] /ToUnicode %d 0 R >>", name, n+1, n+2)
	in.Object("<< /Type /Font /Subtype /CIDFontType2 %s /CIDToGIDMap /Identity /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /FontDescriptor %d 0 R /W [%s] >>", name, n+3, widths.String())
	in.Stream(fmt.Appendf(nil, toUnicode, characters.String()))
	in.Object("%s", descriptor(n+4))
	in.Stream(trueType())
	return n
}

// toUnicode tells viewers which characters the glyphs are, for searching and copying.
const toUnicode = `/CIDInit /ProcSet findresource begin 12 dict begin begincmap
/CMapName /Adobe-Identity-UCS def /CMapType 2 def
1 begincodespacerange <0000> <FFFF> endcodespacerange
%sendcmap end end
`

// descriptor returns the font descriptor, in thousandths of the size of the text. The typeface is in the object of this number.
func descriptor(typeface int) string {
	f, buffer := Typeface(), new(sfnt.Buffer)
	bounds, err := f.Bounds(buffer, fixed.I(1000), font.HintingNone)
	metrics, err2 := f.Metrics(buffer, fixed.I(1000), font.HintingNone)
	if err != nil || err2 != nil {
		panic("the font that comes with the program has no metrics")
	}
	return fmt.Sprintf("<< /Type /FontDescriptor /FontName /LiberationSans /Flags 32 /ItalicAngle 0 /StemV 80 /FontBBox [%d %d %d %d] /Ascent %d /Descent %d /CapHeight %d /FontFile2 %d 0 R >>",
		bounds.Min.X.Floor(), -bounds.Max.Y.Ceil(), bounds.Max.X.Ceil(), -bounds.Min.Y.Floor(), metrics.Ascent.Round(), -metrics.Descent.Round(), metrics.CapHeight.Round(), typeface)
}
