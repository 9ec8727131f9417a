package chart

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"html"
	"image/color"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"golang.org/x/text/encoding/charmap"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/lethe-deid/lethe/internal/wholefile"
)

// pngDPI makes a chart of 400 points 1,250 pixels wide.
const pngDPI = 225

// SVG returns the chart as an element for an HTML page. It is as wide as there is
// room, its text is real text, and it has a title and description for screen
// readers. The page can set the colours with CSS variables: --chart-ink (text),
// --chart-line (the axis), --chart-grid, and --chart-1 to --chart-6 (the series).
// The background is that of the page.
func (c *Chart) SVG() ([]byte, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	canvas := vgsvg.NewWith(vgsvg.UseWH(c.size()))
	if err := c.layout(draw.New(canvas)); err != nil {
		return nil, err
	}
	return c.rewrite(canvas)
}

// Save writes the chart to a file as SVG, PNG or PDF, by the extension of the
// path, dark on a white background. The file appears under its name only when it
// is complete.
func (c *Chart) Save(path string) error {
	encoded, err := c.encode(strings.ToLower(filepath.Ext(path)))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return wholefile.WriteFile(path, encoded, 0o666)
}

func (c *Chart) encode(extension string) ([]byte, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	w, h := c.size()
	var canvas vg.CanvasWriterTo
	switch extension {
	case ".svg":
		canvas = vgsvg.NewWith(vgsvg.UseWH(w, h))
	case ".png":
		canvas = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(pngDPI))}
	case ".pdf":
		canvas = latin{vgpdf.New(w, h)}
	default:
		return nil, fmt.Errorf("a chart requires the extension .svg, .png or .pdf, not %q", extension)
	}
	area := draw.New(canvas)
	area.SetColor(paper)
	area.Fill(area.Path())
	if err := c.layout(area); err != nil {
		return nil, err
	}
	if svg, ok := canvas.(*vgsvg.Canvas); ok {
		return c.rewrite(svg)
	}
	var out bytes.Buffer
	if _, err := canvas.WriteTo(&out); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// latin is gonum's PDF canvas with two fixes. gonum interprets text as
// Windows-1252 (other characters become "?" here) and darkens colours that are
// not opaque.
type latin struct{ *vgpdf.Canvas }

func (c latin) FillString(f font.Face, at vg.Point, s string) {
	var encoded []byte
	for _, r := range s {
		b, ok := charmap.Windows1252.EncodeRune(r)
		if !ok {
			b = '?'
		}
		encoded = append(encoded, b)
	}
	c.Canvas.FillString(f, at, string(encoded))
}

func (c latin) SetColor(in color.Color) {
	if i, ok := in.(ink); ok {
		in = straight(i)
	}
	c.Canvas.SetColor(in)
}

// straight is an ink whose components are not multiplied by alpha.
type straight ink

func (s straight) RGBA() (r, g, b, a uint32) {
	_, _, _, a = ink(s).RGBA()
	return uint32(s.r) * 0x101, uint32(s.g) * 0x101, uint32(s.b) * 0x101, a
}

// The bytes of a PDF must not depend on the time. Its library takes the date of a
// document from global variables.
func init() {
	epoch := time.Unix(0, 0).UTC()
	fpdf.SetDefaultCreationDate(epoch)
	fpdf.SetDefaultModificationDate(epoch)
	fpdf.SetDefaultCatalogSort(true)
}

func (c *Chart) size() (w, h vg.Length) {
	w, h = vg.Points(c.Width), vg.Points(c.Height)
	if w == 0 {
		w = 400
	}
	if h == 0 {
		h = 250
	}
	return w, h
}

// Replacements in gonum's output for web pages: the font is set only once, and
// colours become variables. Liberation Sans has the widths of Arial and
// Helvetica, so text also fits if it is not installed.
var (
	svgHead = regexp.MustCompile(`(?s)^.*?<svg[^>]*>`)
	svgBody = strings.NewReplacer(append(variables(),
		"font-family:Liberation Sans;font-variant:normal;font-weight:normal;font-style:normal;", "",
		"\n\tstyle=", " style=")...)
)

const fontFamily = "Liberation Sans, Arial, Helvetica, sans-serif"

func variables() []string {
	var pairs []string
	name := func(i ink, variable string) {
		pairs = append(pairs, ":"+i.hex(), ":var(--chart-"+variable+","+i.hex()+")")
	}
	name(text, "ink")
	name(axis, "line")
	name(grid, "grid")
	for i, c := range palette {
		name(c, fmt.Sprint(i+1))
	}
	return pairs
}

func (c *Chart) rewrite(canvas *vgsvg.Canvas) ([]byte, error) {
	var svg bytes.Buffer
	if _, err := canvas.WriteTo(&svg); err != nil {
		return nil, err
	}
	w, h := c.size()
	sum := fnv.New32a()
	sum.Write(svg.Bytes())
	sum.Write([]byte(c.Title + "\x00" + c.Description))
	id := fmt.Sprintf("chart-%08x", sum.Sum32()) // ids must be unique on a page
	head := fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" role="img" aria-labelledby="%s-title %s-desc" font-family="%s">`+
		"\n<title id=\"%s-title\">%s</title>\n<desc id=\"%s-desc\">%s</desc>",
		w.Points(), h.Points(), id, id, fontFamily, id, html.EscapeString(c.Title), id, html.EscapeString(c.Description))
	body := svgBody.Replace(string(svgHead.ReplaceAll(svg.Bytes(), nil)))
	return []byte(head + body), nil
}
