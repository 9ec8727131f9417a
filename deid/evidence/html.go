package evidence

import (
	_ "embed"
	"fmt"
	"html"
	"strconv"
	"strings"
)

//go:embed style.css
var style string

// HTML returns the document as one page, which needs no other file and no script. Each number is an element with the attributes
// data-source and data-value: its source, and the number before it was rounded.
func (d *Document) HTML() []byte {
	w := &page{}
	w.f(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta name="generator" content="lethe evidence"/>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"/>
<title>%s</title>
<style>
%s</style>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header>
<h1>%s</h1>
`, html.EscapeString(d.title), style, html.EscapeString(d.title))
	for _, line := range d.about {
		w.element("p", line)
	}
	w.WriteString("<nav aria-label=\"Contents\">\n<ol>\n")
	for _, s := range d.sections {
		w.f("<li><a href=\"#%s\">%s</a></li>\n", s.id, html.EscapeString(s.heading))
	}
	w.WriteString("</ol>\n</nav>\n</header>\n<main id=\"main\">\n")
	for i, s := range d.sections {
		w.f("<section aria-labelledby=\"%s\">\n<h2 id=\"%s\">%d. %s</h2>\n", s.id, s.id, i+1, html.EscapeString(s.heading))
		for _, b := range s.blocks {
			w.block(b)
		}
		w.WriteString("</section>\n")
	}
	w.WriteString("</main>\n</body>\n</html>\n")
	return []byte(w.String())
}

type page struct{ strings.Builder }

func (w *page) f(format string, args ...any) { fmt.Fprintf(w, format, args...) }

func (w *page) element(name, s string) {
	w.f("<%s>%s</%s>\n", name, strings.ReplaceAll(html.EscapeString(s), " %", "&#160;%"), strings.Fields(name)[0])
}

func (w *page) block(b block) {
	switch {
	case b.table != nil:
		w.table(b.table)
	case b.list != nil:
		w.WriteString("<ul>\n")
		for _, item := range b.list {
			w.element("li", item)
		}
		w.WriteString("</ul>\n")
	case b.warning:
		w.element(`p class="warning"`, b.text)
	default:
		w.element("p", b.text)
	}
}

func (w *page) table(t *table) {
	w.f("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"%s\">\n<table>\n<caption>%s</caption>\n<thead>\n<tr>", html.EscapeString(t.caption), html.EscapeString(t.caption))
	for _, c := range t.columns {
		w.f("<th scope=\"col\"%s>%s</th>", numberClass(c.number), html.EscapeString(c.heading))
	}
	w.WriteString("</tr>\n")
	if t.sourced() {
		w.WriteString("<tr class=\"source\">")
		for i, c := range t.columns {
			source := html.EscapeString(c.source)
			if i == 0 {
				source = "Source"
			}
			w.f("<td%s>%s</td>", numberClass(c.number), breakable(source))
		}
		w.WriteString("</tr>\n")
	}
	w.WriteString("</thead>\n<tbody>\n")
	for i, row := range t.rows {
		w.WriteString("<tr>")
		if !row[0].same {
			w.f("<th%s>%s</th>", headerScope(t.rows[i:]), html.EscapeString(row[0].text))
		}
		for k := 1; k < len(row); k++ {
			w.cell(t, k, row[k], k == len(row)-1 && len(row) < len(t.columns))
		}
		w.WriteString("</tr>\n")
	}
	w.WriteString("</tbody>\n</table>\n</div>\n")
}

// sourced reports whether the columns have sources.
func (t *table) sourced() bool {
	for _, c := range t.columns {
		if c.source != "" {
			return true
		}
	}
	return false
}

// headerScope returns the attributes of the heading of the first of some rows, which may be the heading of others as well.
func headerScope(rows [][]*cell) string {
	n := 1
	for n < len(rows) && rows[n][0].same {
		n++
	}
	if n == 1 {
		return ` scope="row"`
	}
	return ` scope="row" rowspan="` + strconv.Itoa(n) + `"`
}

func numberClass(is bool) string {
	if is {
		return ` class="number"`
	}
	return ""
}

// cell writes a cell of a column, or of this column and all that follow.
func (w *page) cell(t *table, column int, c *cell, rest bool) {
	attributes := numberClass(t.columns[column].number && !rest)
	if t.columns[column].heading == sourceHeading {
		attributes = ` class="ref"`
	}
	if rest {
		attributes = fmt.Sprintf(` colspan="%d"`, len(t.columns)-column)
	}
	s := html.EscapeString(c.text)
	if c.value != nil {
		attributes += fmt.Sprintf(` data-source="%s" data-value="%v"`, html.EscapeString(c.source), c.value)
	} else {
		s = breakable(s)
	}
	w.f("<td%s>%s</td>", attributes, s)
}

// breakable allows a line to break within long names and pointers.
func breakable(s string) string {
	return strings.NewReplacer("/", "/<wbr/>", "_", "_<wbr/>").Replace(s)
}
