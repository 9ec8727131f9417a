package main

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// page is a page of the site.
type page struct {
	source   string // path in the repository, or the one that a generated page would have
	out      string // path in the site
	title    string // its first heading, as text
	sections []section
	links    []string // sources of the pages and files that it links to, in their order
	text     []byte
	tree     ast.Node
}

// section is a heading, and the text below it up to the next one.
type section struct {
	level int // of the heading, from 1
	id    string
	title string
}

// markdown reads what GitHub reads in the files of a repository.
var markdown = goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(html.WithUnsafe())) // see checkHTML

// explicit also reads headings with an id, as in "# Load {#Load}", which only generated pages have.
var explicit = goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAttribute()))

var frontMatter = regexp.MustCompile(`(?s)\A---\n.*?\n---\n`)

// parse reads a page. Its links are not resolved yet.
func parse(source string, raw []byte, generated bool) (*page, error) {
	raw = frontMatter.ReplaceAll(bytes.ReplaceAll(raw, []byte("\r\n"), []byte("\n")), nil)
	reader := markdown
	if generated {
		reader = explicit
	}
	p := &page{source: source, out: outOf(source), text: raw, tree: reader.Parser().Parse(text.NewReader(raw))}
	taken := map[string]int{}
	err := ast.Walk(p.tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			title := textOf(n, raw)
			id, given := n.AttributeString("id")
			if !given {
				id = []byte(unique(slug(title), taken))
			}
			n.SetAttributeString("id", id)
			p.sections = append(p.sections, section{level: n.Level, id: string(id.([]byte)), title: title})
			if n.Level == 1 && p.title == "" {
				p.title = title
			}
			return ast.WalkSkipChildren, nil
		case *ast.HTMLBlock:
			return ast.WalkContinue, checkHTML(source, linesOf(n, raw))
		case *ast.RawHTML:
			return ast.WalkContinue, checkHTML(source, n.Segments.Value(raw))
		}
		return ast.WalkContinue, nil
	})
	if err == nil && p.title == "" {
		err = fmt.Errorf("%s: the page has no heading", source)
	}
	return p, err
}

// texts returns the text below each heading.
func (p *page) texts() []string {
	var texts []string
	var body strings.Builder
	_ = ast.Walk(p.tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			if n.Type() == ast.TypeBlock {
				body.WriteByte('\n')
			}
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			texts = append(texts, body.String())
			body.Reset()
			return ast.WalkSkipChildren, nil
		case *ast.Text:
			body.Write(shown(n, p.text))
			if n.SoftLineBreak() || n.HardLineBreak() {
				body.WriteByte(' ')
			}
		case *ast.String:
			body.Write(n.Value)
		case *ast.AutoLink:
			body.Write(n.Label(p.text))
		case *ast.CodeBlock, *ast.FencedCodeBlock:
			body.Write(linesOf(n, p.text))
		case *east.TableCell:
			body.WriteByte(' ')
		}
		return ast.WalkContinue, nil
	})
	texts = append(texts, body.String())
	for i, text := range texts {
		texts[i] = strings.Join(strings.Fields(text), " ")
	}
	return texts[1:]
}

var harmless = regexp.MustCompile(`(?s)\A\s*(<!--.*-->|<br>)\s*\z`)

// checkHTML returns an error for HTML other than comments and line breaks.
func checkHTML(source string, raw []byte) error {
	if harmless.Match(raw) {
		return nil
	}
	return fmt.Errorf("%s: HTML in Markdown: %s", source, raw)
}

// textOf returns the text within a node.
func textOf(n ast.Node, raw []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				b.Write(shown(n, raw))
			}
		case *ast.String:
			if entering {
				b.Write(n.Value)
			}
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// shown returns a text without the backslashes and entities that Markdown replaces.
func shown(n *ast.Text, raw []byte) []byte {
	value := n.Segment.Value(raw)
	if _, code := n.Parent().(*ast.CodeSpan); code {
		return value
	}
	return util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(value)))
}

func linesOf(n ast.Node, raw []byte) []byte {
	var b []byte
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		b = append(b, line.Value(raw)...)
	}
	return b
}

// slug returns the id that GitHub gives a heading: its text in lower case, without anything but letters, digits, marks,
// hyphens and underscores, and with hyphens for spaces.
func slug(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || unicode.In(r, unicode.L, unicode.M, unicode.Nd, unicode.Pc):
			return unicode.ToLower(r)
		}
		return -1
	}, title)
}

// unique appends a number to an id that was given before, as GitHub does.
func unique(id string, taken map[string]int) string {
	for n, candidate := taken[id], id; ; n++ {
		if n > 0 {
			candidate = fmt.Sprintf("%s-%d", id, n)
		}
		if _, ok := taken[candidate]; !ok || n == 0 && taken[id] == 0 {
			taken[candidate] = max(taken[candidate], 1)
			taken[id] = n + 1
			return candidate
		}
	}
}

var (
	elsewhere = regexp.MustCompile(`^(https?|mailto):`)
	// hosted are links to files of the repository on GitHub, which texts contain that are also shown elsewhere.
	hosted = regexp.MustCompile(`^https://github\.com/lethe-deid/lethe/(?:blob|tree)/main/`)
)

// citation is a link or an image in the text of a page.
type citation struct {
	node  ast.Node
	to    *[]byte
	image bool
}

var fileName = regexp.MustCompile(`^[\w./-]+\.md$`)

// lead sets where a link leads. If its text is only the name of a file, which a site does not show, it gets the title.
func (c *citation) lead(to, title string, raw []byte) {
	*c.to = []byte(to)
	if !c.image && fileName.MatchString(textOf(c.node, raw)) {
		c.node.RemoveChildren(c.node)
		c.node.AppendChild(c.node, ast.NewString([]byte(title)))
	}
}

// follow calls f with each link and image of the page that leads into the repository: the source that it names, the id
// of a heading or "", and the link itself.
func (p *page) follow(f func(source, id string, link *citation) error) (err error) {
	_ = ast.Walk(p.tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		link := &citation{node: n}
		switch n := n.(type) {
		case *ast.Link:
			link.to = &n.Destination
		case *ast.Image:
			link.to, link.image = &n.Destination, true
		default:
			return ast.WalkContinue, nil
		}
		name, id, _ := strings.Cut(string(*link.to), "#")
		switch {
		case hosted.MatchString(name):
			name = hosted.ReplaceAllString(name, "")
		case elsewhere.MatchString(name):
			return ast.WalkContinue, nil
		case name == "":
			name = p.source
		default:
			name = path.Join(path.Dir(p.source), name)
		}
		if problem := f(name, id, link); problem != nil {
			err = errors.Join(err, fmt.Errorf("%s: link %s: %w", p.source, *link.to, problem))
		}
		return ast.WalkContinue, nil
	})
	return err
}

// html renders the page, with a link at each heading.
func (p *page) html() (string, error) {
	err := ast.Walk(p.tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if h, ok := n.(*ast.Heading); ok && entering && h.Level > 1 {
			id, _ := h.AttributeString("id")
			link := ast.NewLink()
			link.Destination = append([]byte("#"), id.([]byte)...)
			link.SetAttributeString("class", []byte("anchor"))
			link.SetAttributeString("aria-label", []byte("Link to this section"))
			link.AppendChild(link, ast.NewString([]byte("#")))
			h.AppendChild(h, link)
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if err := markdown.Renderer().Render(&b, p.text, p.tree); err != nil {
		return "", err
	}
	// Wide tables and blocks scroll by themselves, also with the keys.
	return strings.NewReplacer("<table>", `<div class="wide" tabindex="0"><table>`, "</table>", "</table></div>", "<pre>", `<pre tabindex="0">`).Replace(b.String()), nil
}
