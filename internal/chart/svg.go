package chart

import (
	"fmt"
	"hash/fnv"
	"html"
	"math"
	"strconv"
	"strings"
)

// svg is a canvas that writes SVG elements.
type svg struct{ strings.Builder }

// variables are the CSS variables of the colours.
var variables = func() map[ink]string {
	names := map[ink]string{text: "ink", axis: "line", grid: "grid"}
	for i, c := range palette {
		names[c] = strconv.Itoa(i + 1)
	}
	return names
}()

// css returns a colour as a CSS value: a variable, with the colour as its default. Paper
// has no variable.
func (i ink) css() string {
	name, ok := variables[i]
	if !ok {
		return i.hex()
	}
	return "var(--chart-" + name + "," + i.hex() + ")"
}

// coordinate formats a length in points with up to two decimals.
func coordinate(v float64) string {
	return strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64)
}

func (c *svg) fill(shape []point, with ink, opacity float64) {
	fmt.Fprintf(c, `<path d="%sZ" style="fill:%s`, path(shape), with.css())
	if opacity < 1 {
		fmt.Fprintf(c, ";fill-opacity:%v", opacity)
	}
	c.WriteString("\"/>\n")
}

func (c *svg) stroke(line []point, with pen) {
	fmt.Fprintf(c, `<path d="%s" style="fill:none;stroke:%s;stroke-width:%v`, path(line), with.css(), with.width)
	for i, length := range with.dashes {
		separator := ","
		if i == 0 {
			separator = ";stroke-dasharray:"
		}
		fmt.Fprintf(c, "%s%v", separator, length)
	}
	c.WriteString("\"/>\n")
}

func path(points []point) string {
	var b strings.Builder
	command := byte('M')
	for _, p := range points {
		b.WriteByte(command)
		b.WriteString(coordinate(p.x) + "," + coordinate(p.y))
		command = 'L'
	}
	return b.String()
}

func (c *svg) disc(centre point, radius float64, with ink) {
	fmt.Fprintf(c, "<circle cx=\"%s\" cy=\"%s\" r=\"%v\" style=\"fill:%s\"/>\n", coordinate(centre.x), coordinate(centre.y), radius, with.css())
}

func (c *svg) write(s string, at point, size, align float64) {
	fmt.Fprintf(c, `<text x="%s" y="%s"`, coordinate(at.x), coordinate(at.y))
	switch align {
	case 0.5:
		c.WriteString(` text-anchor="middle"`)
	case 1:
		c.WriteString(` text-anchor="end"`)
	}
	if size != textSize {
		fmt.Fprintf(c, ` font-size="%v"`, size)
	}
	fmt.Fprintf(c, " style=\"fill:%s\">%s</text>\n", text.css(), html.EscapeString(s))
}

// document returns the whole SVG element, with the title and description of a chart.
func (c *svg) document(of *Chart) []byte {
	sum := fnv.New32a()
	sum.Write([]byte(c.String() + of.Title + "\x00" + of.Description))
	id := fmt.Sprintf("chart-%08x", sum.Sum32()) // ids must be unique on a page
	w, h := of.size()
	return fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" role="img" aria-labelledby="%s-title %s-desc" font-family="%s" font-size="%d">
<title id="%s-title">%s</title>
<desc id="%s-desc">%s</desc>
%s</svg>
`, w, h, id, id, fontFamily, textSize, id, html.EscapeString(of.Title), id, html.EscapeString(of.Description), c.String())
}
