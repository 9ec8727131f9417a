package chart

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/internal/pdf"
)

// page is a canvas that writes the content of a page of PDF. It embeds the font, as publishers of papers require.
type page struct {
	bytes.Buffer
	opacities []float64
	font      pdf.Font
}

// colour sets the colour of lines and areas.
func (c *page) colour(i ink) {
	r, g, b := float64(i.r)/255, float64(i.g)/255, float64(i.b)/255
	fmt.Fprintf(c, "%.4f %.4f %.4f rg %.4f %.4f %.4f RG ", r, g, b, r, g, b)
}

func (c *page) path(points []point) {
	operator := "m"
	for _, p := range points {
		fmt.Fprintf(c, "%s %s %s ", coordinate(p.x), coordinate(p.y), operator)
		operator = "l"
	}
}

func (c *page) fill(shape []point, with ink, opacity float64) {
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

func (c *page) stroke(path []point, with pen) {
	c.colour(with.ink)
	fmt.Fprintf(c, "%v w %v 0 d ", with.width, with.dashes)
	c.path(path)
	c.WriteString("S\n")
}

// disc draws a line of no length with round ends.
func (c *page) disc(centre point, radius float64, with ink) {
	c.colour(with)
	fmt.Fprintf(c, "q 1 J %v w [] 0 d ", 2*radius)
	c.path([]point{centre, centre})
	c.WriteString("S Q\n")
}

func (c *page) write(s string, at point, size, align float64) {
	c.colour(text)
	fmt.Fprintf(c, "BT /F %v Tf 1 0 0 -1 %s %s Tm %s Tj ET\n", size, coordinate(at.x-align*width(s, size)), coordinate(at.y), c.font.Encode(s))
}

// document returns the whole file, with the title of the chart.
func (c *page) document(of *Chart) []byte {
	w, h := of.size()
	var states strings.Builder
	for _, o := range c.opacities {
		fmt.Fprintf(&states, "/%s << /ca %v >> ", transparency(o), o)
	}
	out := pdf.New()
	catalog := out.Object("<< /Type /Catalog /Pages 2 0 R /ViewerPreferences << /DisplayDocTitle true >> >>")
	out.Object("<< /Type /Pages /Kids [3 0 R] /Count 1 >>")
	out.Object("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %v %v] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> /ExtGState << %s>> >> >>", w, h, states.String())
	out.Stream(fmt.Appendf(nil, "1 0 0 -1 0 %v cm 1 j\n%s", h, c.Bytes()))
	c.font.Embed(out)
	info := out.Object("<< /Title %s >>", pdf.Text(of.Title))
	return out.Finish(catalog, info)
}
