package evidence

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/lethe-deid/lethe/internal/pdf"
)

// All lengths are in points. The page is as wide as A4 and as high as Letter, so that it is printed whole on both.
const (
	pageWidth, pageHeight = 595, 792
	side, top, bottom     = 42, 46, 748 // margins, from the left and from the top
	inner                 = pageWidth - 2*side
	gap                   = 7.0 // between the columns of a table
)

// font is how text is set.
type font struct {
	size float64
	bold bool
	grey float64 // 0 is black
}

var (
	titleFont   = font{18, true, 0}
	headingFont = font{13, true, 0}
	captionFont = font{8.5, true, 0}
	textFont    = font{9.5, false, 0}
	softFont    = font{9, false, 0.35}
	cellFont    = font{7.5, false, 0}
	softCell    = font{7.5, false, 0.35}
	columnFont  = font{7.5, true, 0.25}
	sourceFont  = font{5.5, false, 0.35}
)

func (f font) line() float64 { return 1.3 * f.size }

// PDF returns the document as a PDF file with the title, bookmarks for the sections, and numbers on the pages. It embeds its font, which
// has the letters of Latin, Greek and Cyrillic. Text with other characters is an error, because it would be unreadable; HTML supports
// all characters.
func (d *Document) PDF() ([]byte, error) {
	p := &paper{}
	p.newPage()
	p.paragraph(d.title, titleFont, 0, 6)
	for _, line := range d.about {
		p.paragraph(line, softFont, 0, 1)
	}
	for i, s := range d.sections {
		p.heading(fmt.Sprintf("%d. %s", i+1, s.heading))
		for _, b := range s.blocks {
			p.block(b)
		}
	}
	if p.lacking != 0 {
		return nil, fmt.Errorf("the font of the PDF lacks the character U+%04X (%.20s...): write HTML, which has all", p.lacking, p.where)
	}
	return p.file(d.title), nil
}

// paper sets text on pages.
type paper struct {
	pages     []*bytes.Buffer
	y         float64 // where the next line begins, from the top
	font      pdf.Font
	bookmarks []bookmark
	lacking   rune // a character that the font lacks; 0: none
	where     string
}

type bookmark struct {
	title string
	page  int
	y     float64
}

func (p *paper) newPage() {
	p.pages = append(p.pages, &bytes.Buffer{})
	p.y = top
}

// need begins a new page unless there is room for so much.
func (p *paper) need(height float64) {
	if p.y+height > bottom {
		p.newPage()
	}
}

// write writes a line of which the top is at y.
func (p *paper) write(s string, x, y float64, f font) {
	p.check(s)
	writeOn(p.pages[len(p.pages)-1], &p.font, s, x, y, f)
}

func writeOn(page *bytes.Buffer, typeface *pdf.Font, s string, x, y float64, f font) {
	mode := "0 Tr"
	if f.bold { // an outline of the same colour makes the letters bold
		mode = fmt.Sprintf("2 Tr %.2f w", 0.03*f.size)
	}
	fmt.Fprintf(page, "BT %.2f g %.2f G %s /F %v Tf %.2f %.2f Td %s Tj ET\n", f.grey, f.grey, mode, f.size, x, pageHeight-y-0.92*f.size, typeface.Encode(norm.NFC.String(s)))
}

// check records the first character that cannot be shown as it should be: one that the font lacks, or one of a script that is written from
// the right or with combined characters.
func (p *paper) check(s string) {
	s = norm.NFC.String(s)
	characters := []rune(s)
	for i, g := range pdf.Glyphs(s) {
		if r := characters[i]; p.lacking == 0 && (g.GlyphIndex == 0 || unicode.In(r, unicode.Mn, unicode.Hebrew, unicode.Arabic, unicode.Cf)) {
			p.lacking, p.where = r, s
		}
	}
}

// rule draws a horizontal line.
func (p *paper) rule(x, y, length, thickness, grey float64) {
	fmt.Fprintf(p.pages[len(p.pages)-1], "%.2f G %.2f w %.2f %.2f m %.2f %.2f l S\n", grey, thickness, x, pageHeight-y, x+length, pageHeight-y)
}

func (p *paper) heading(s string) {
	p.need(110) // with some lines of what follows
	if p.y > top {
		p.y += 16
	}
	p.bookmarks = append(p.bookmarks, bookmark{s, len(p.pages) - 1, p.y})
	p.rule(side, p.y, inner, 1, 0)
	p.y += 6
	p.paragraph(s, headingFont, 0, 4)
}

// paragraph writes a text, and leaves some room after it.
func (p *paper) paragraph(s string, f font, indent, after float64) {
	for _, line := range wrap(s, inner-indent, f) {
		p.need(f.line())
		p.write(line, side+indent, p.y, f)
		p.y += f.line()
	}
	p.y += after
}

func (p *paper) block(b block) {
	switch {
	case b.table != nil:
		p.table(b.table)
	case b.list != nil:
		for _, item := range b.list {
			p.need(2 * textFont.line())
			p.write("•", side+3, p.y, textFont)
			p.paragraph(item, textFont, 13, 3)
		}
		p.y += 3
	case b.warning:
		p.warning(b.text)
	default:
		p.paragraph(b.text, textFont, 0, 6)
	}
}

// warning writes a paragraph with a bar beside it.
func (p *paper) warning(s string) {
	lines := wrap(s, inner-12, textFont)
	height := float64(len(lines))*textFont.line() + 6
	p.need(min(height, bottom-top))
	page := p.pages[len(p.pages)-1]
	fmt.Fprintf(page, "1 0.95 0.88 rg %d %.2f %d %.2f re f 0.42 0.23 0 rg %d %.2f 3 %.2f re f\n", side, pageHeight-p.y-height, inner, height, side, pageHeight-p.y-height, height)
	p.y += 3
	p.paragraph(s, textFont, 12, 9)
}

// table writes a table, with its heading on each page.
func (p *paper) table(t *table) {
	widths := t.widths()
	caption := wrap(t.caption, inner, captionFont)
	first := height(t.lines(t.rows[0], widths))
	p.need(min(bottom-top, 6+float64(len(caption))*captionFont.line()+t.headHeight(widths)+first))
	p.y += 6
	p.paragraph(t.caption, captionFont, 0, 2)
	p.head(t, widths)
	var heading []string // lines of the heading of several rows that are not written yet
	for i, row := range t.rows {
		lines := t.lines(row, widths)
		whole := lines[0]
		if row[0].same {
			lines[0] = heading
		}
		heading = nil
		if i+1 < len(t.rows) && t.rows[i+1][0].same {
			n := min(len(lines[0]), mostLines(lines[1:]))
			lines[0], heading = lines[0][:n], lines[0][n:]
		}
		switch {
		case i > 0 && p.y+height(lines) > bottom:
			p.newPage()
			p.head(t, widths)
			if row[0].same {
				lines[0], heading = whole, nil
			}
		case i > 0 && !row[0].same:
			p.rule(side, p.y, inner, 0.4, 0.8)
		}
		p.row(t, row, lines, widths)
	}
	p.y += 8
}

// row writes the lines of a row. One that is higher than a page continues on the next.
func (p *paper) row(t *table, row []*cell, lines [][]string, widths []float64) {
	p.y += 2
	for n := range mostLines(lines) {
		if p.y+cellFont.line() > bottom {
			p.newPage()
			p.head(t, widths)
			p.y += 2
		}
		x := float64(side)
		for k := range row {
			if n < len(lines[k]) {
				at, f := x, cellFont
				if k > 0 && t.columns[k].number && len(row) == len(t.columns) {
					at += widths[k] - pdf.Width(lines[k][n], f.size)
				} else if t.columns[k].heading == sourceHeading {
					f = softCell
				}
				p.write(lines[k][n], at, p.y, f)
			}
			x += widths[k] + gap
		}
		p.y += cellFont.line()
	}
	p.y += 1.5
}

// head writes the headings of the columns.
func (p *paper) head(t *table, widths []float64) {
	names, sources := t.headings(widths)
	write := func(all [][]string, f font) {
		most := mostLines(all)
		x := float64(side)
		for k, l := range all {
			for n, line := range l {
				at := x
				if t.columns[k].number {
					at += widths[k] - pdf.Width(line, f.size)
				}
				p.write(line, at, p.y+float64(most-len(l)+n)*f.line(), f)
			}
			x += widths[k] + gap
		}
		p.y += float64(most) * f.line()
	}
	write(names, columnFont)
	if t.sourced() {
		write(sources, sourceFont)
	}
	p.y += 1.5
	p.rule(side, p.y, inner, 0.6, 0)
	p.y++
}

func (t *table) headings(widths []float64) (names, sources [][]string) {
	for k, c := range t.columns {
		names = append(names, wrap(c.heading, widths[k], columnFont))
		source := c.source
		if k == 0 && t.sourced() {
			source = "Source"
		}
		sources = append(sources, wrap(source, widths[k], sourceFont))
	}
	return names, sources
}

func (t *table) headHeight(widths []float64) float64 {
	names, sources := t.headings(widths)
	return float64(mostLines(names))*columnFont.line() + float64(mostLines(sources))*sourceFont.line() + 2.5
}

// lines returns the lines of each cell of a row. The last cell of a short row is as wide as all columns that it lacks.
func (t *table) lines(row []*cell, widths []float64) (all [][]string) {
	for k, c := range row {
		width := widths[k]
		if k == len(row)-1 {
			for _, more := range widths[k+1:] {
				width += gap + more
			}
		}
		all = append(all, wrap(c.text, width, cellFont))
	}
	return all
}

// mostLines returns the number of lines of the highest of some cells.
func mostLines(cells [][]string) int {
	most := 1
	for _, l := range cells {
		most = max(most, len(l))
	}
	return most
}

// height returns the height of a row.
func height(cells [][]string) float64 { return float64(mostLines(cells))*cellFont.line() + 3.5 }

// widths divides the width of the page among the columns. Each gets at least the width of its longest word, if that is possible.
func (t *table) widths() []float64 {
	n := len(t.columns)
	least, most := make([]float64, n), make([]float64, n)
	measure := func(k int, s string, f font, limit float64, whole bool) {
		all := pdf.Width(s, f.size) + 0.1
		most[k] = max(most[k], min(all, limit))
		if whole {
			least[k] = max(least[k], all)
			return
		}
		for _, piece := range pieces(s) {
			least[k] = max(least[k], min(pdf.Width(strings.TrimRight(piece, " "), f.size)+0.1, 80))
		}
	}
	for k, c := range t.columns {
		measure(k, c.heading, columnFont, 60, false)
		measure(k, c.source, sourceFont, 60, false)
	}
	for _, row := range t.rows {
		for k, c := range row {
			if len(row) == n || k < len(row)-1 {
				measure(k, c.text, cellFont, 300, c.value != nil || strings.HasPrefix(c.text, "sha256:"))
			}
		}
	}
	room := inner - gap*float64(n-1)
	sumLeast, sumMost := 0.0, 0.0
	for k := range n {
		sumLeast, sumMost = sumLeast+least[k], sumMost+most[k]
	}
	widths := make([]float64, n)
	for k := range n {
		switch {
		case sumLeast > room:
			widths[k] = least[k] * room / sumLeast
		case sumMost > sumLeast:
			widths[k] = least[k] + (most[k]-least[k])*min(1, (room-sumLeast)/(sumMost-sumLeast))
		default:
			widths[k] = least[k]
		}
	}
	// What is left over goes to the columns of words.
	words := 0.0
	for k, c := range t.columns {
		if !c.number {
			words += most[k]
		}
	}
	for k, c := range t.columns {
		if !c.number && sumMost < room {
			widths[k] += (room - sumMost) * most[k] / words
		}
	}
	return widths
}

// pieces divides a text where a line may break: after spaces, and after characters within long names.
func pieces(s string) []string {
	var all []string
	start := 0
	for i, r := range s {
		if next := i + len(string(r)); strings.ContainsRune(" /_-", r) && next < len(s) && s[next] != ' ' && s[next] != '%' {
			all, start = append(all, s[start:next]), next
		}
	}
	return append(all, s[start:])
}

// wrap divides a text into lines of at most a width. A piece that is longer is divided between any two characters.
func wrap(s string, width float64, f font) []string {
	if s == "" {
		return nil
	}
	var lines []string
	line := ""
	fits := func(s string) bool { return pdf.Width(strings.TrimRight(s, " "), f.size) <= width }
	for _, piece := range pieces(s) {
		if fits(line + piece) {
			line += piece
			continue
		}
		if line != "" {
			lines = append(lines, strings.TrimRight(line, " "))
		}
		for line = piece; !fits(line); {
			characters := []rune(line)
			n := 1
			for n < len(characters) && fits(string(characters[:n+1])) {
				n++
			}
			lines, line = append(lines, string(characters[:n])), string(characters[n:])
		}
	}
	return append(lines, strings.TrimRight(line, " "))
}

// file returns the file.
func (p *paper) file(title string) []byte {
	foot := font{7.5, false, 0.35}
	name := wrap(title, inner-80, foot)[0]
	for i, page := range p.pages {
		number := fmt.Sprintf("Page %d of %d", i+1, len(p.pages))
		writeOn(page, &p.font, name, side, bottom+14, foot)
		writeOn(page, &p.font, number, side+inner-pdf.Width(number, foot.size), bottom+14, foot)
	}
	out := pdf.New()
	typeface := p.font.Embed(out)
	first := out.Next() // of the pages, each of which has two objects: its content and the page
	tree := first + 2*len(p.pages)
	var kids strings.Builder
	for i, page := range p.pages {
		content := out.Stream(page.Bytes())
		out.Object("<< /Type /Page /Parent %d 0 R /MediaBox [0 0 %d %d] /Contents %d 0 R /Resources << /Font << /F %d 0 R >> >> >>", tree, pageWidth, pageHeight, content, typeface)
		fmt.Fprintf(&kids, "%d 0 R ", first+2*i+1)
	}
	out.Object("<< /Type /Pages /Kids [%s] /Count %d >>", strings.TrimSpace(kids.String()), len(p.pages))
	outlines := out.Next()
	last := outlines + len(p.bookmarks)
	out.Object("<< /Type /Outlines /First %d 0 R /Last %d 0 R /Count %d >>", outlines+1, last, len(p.bookmarks))
	for i, b := range p.bookmarks {
		number := outlines + 1 + i
		neighbours := ""
		if number > outlines+1 {
			neighbours += fmt.Sprintf(" /Prev %d 0 R", number-1)
		}
		if number < last {
			neighbours += fmt.Sprintf(" /Next %d 0 R", number+1)
		}
		out.Object("<< /Title %s /Parent %d 0 R%s /Dest [%d 0 R /XYZ 0 %.2f null] >>", pdf.Text(b.title), outlines, neighbours, first+2*b.page+1, pageHeight-b.y+10)
	}
	catalog := out.Object("<< /Type /Catalog /Pages %d 0 R /Outlines %d 0 R /Lang (en) /PageMode /UseOutlines /ViewerPreferences << /DisplayDocTitle true >> >>", tree, outlines)
	info := out.Object("<< /Title %s /Creator (lethe evidence) >>", pdf.Text(title))
	return out.Finish(catalog, info)
}
