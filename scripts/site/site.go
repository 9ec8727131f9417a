package main

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
)

//go:embed static
var static embed.FS

var frame = template.Must(template.ParseFS(static, "static/page.html"))

// The front page lists all pages by task, so it also decides the groups and their order.
const front = "docs/README.md"

// maxShown limits the size of a file that is shown on a page of its own, in bytes. Larger ones are only copied.
const maxShown = 256 << 10

// site is all pages and the files that they link to.
type site struct {
	root   string
	pages  map[string]*page  // by source
	copies map[string]string // files that are copied as they are, from source to path in the site
	groups []group
	unread []*page // pages whose links were not followed yet
}

// group is a part of the navigation.
type group struct {
	title   string
	entries []entry
}

// entry is a page in the navigation, and those below it.
type entry struct {
	*page
	below []*page
}

// outOf returns the path that a page or file has in the site. The pages in docs are at the top.
func outOf(source string) string {
	switch source {
	case front:
		return "index.html"
	case "README.md":
		return "overview.html"
	}
	out := strings.TrimPrefix(strings.TrimPrefix(source, "docs/"), ".") // some servers hide files whose name begins with a dot
	if dir, name := path.Split(out); name == "README.md" {
		return dir + "index.html"
	}
	if stem, ok := strings.CutSuffix(out, ".md"); ok {
		return stem + ".html"
	}
	return out
}

// newSite reads the front page and everything that can be reached from it, and the generated pages.
func newSite(root string, generated map[string]string) (*site, error) {
	s := &site{root: root, pages: map[string]*page{}, copies: map[string]string{}}
	for _, source := range slices.Sorted(maps.Keys(generated)) {
		p, err := parse(source, []byte(generated[source]), true)
		if err != nil {
			return nil, err
		}
		s.pages[source] = p
		s.unread = append(s.unread, p)
	}
	if _, err := s.reach(front); err != nil {
		return nil, err
	}
	if err := s.follow(); err != nil {
		return nil, err
	}
	s.group()
	return s, errors.Join(s.orphans(), s.resolve())
}

// reach returns the source of the page for a file or folder of the repository, and reads it and what it links to. For
// images and large files there is no page.
func (s *site) reach(source string) (string, error) {
	if s.pages[source] != nil || s.copies[source] != "" {
		return source, nil
	}
	if strings.HasPrefix(source, "../") {
		return "", errors.New("it leaves the repository")
	}
	if s.pages[source+"/README.md"] != nil {
		return source + "/README.md", nil
	}
	raw, generated, err := s.read(source)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(s.path(source))
	if err == nil && info.IsDir() {
		return s.reachFolder(source)
	}
	switch {
	case raw == nil:
		s.copies[source] = outOf(source)
		return source, nil
	case path.Ext(source) != ".md":
		source += ".md" // its page
	}
	p, err := parse(source, raw, generated)
	if err != nil {
		return "", err
	}
	switch { // titles that say too little beside others
	case source == "README.md":
		p.title = "Overview"
	case strings.HasPrefix(source, "checkpoints/"):
		p.title = "Model card: " + p.title
	}
	s.pages[source] = p
	s.unread = append(s.unread, p)
	return source, nil
}

// read returns the Markdown of a file: its own, or that of a page that shows it. It is nil for files that are copied.
func (s *site) read(source string) (raw []byte, generated bool, err error) {
	info, err := os.Stat(s.path(source))
	if err != nil || info.IsDir() {
		return nil, false, shorter(err)
	}
	if raw, err = os.ReadFile(s.path(source)); err != nil {
		return nil, false, err
	}
	if path.Ext(source) == ".md" {
		return raw, false, nil
	}
	switch path.Ext(source) {
	case ".png", ".svg", ".pdf":
		return nil, false, nil
	}
	if len(raw) > maxShown || !utf8.Valid(raw) {
		return nil, false, nil
	}
	return fmt.Appendf(nil, "# %s\n\n~~~~~~\n%s\n~~~~~~\n", source, bytes.TrimRight(raw, "\n")), true, nil
}

// shorter removes the path on this machine from an error.
func shorter(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

func (s *site) path(source string) string { return filepath.Join(s.root, filepath.FromSlash(source)) }

// reachFolder returns the page of a folder: its README.md, or a list of what is in it.
func (s *site) reachFolder(dir string) (string, error) {
	source := dir + "/README.md"
	if _, err := os.Stat(s.path(source)); err == nil {
		return s.reach(source)
	}
	entries, err := os.ReadDir(s.path(dir))
	if err != nil {
		return "", err
	}
	var pages, others strings.Builder
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() || strings.HasPrefix(name, ".") {
			continue
		}
		if path.Ext(name) == ".md" {
			raw, err := os.ReadFile(s.path(dir + "/" + name))
			if err != nil {
				return "", err
			}
			p, err := parse(dir+"/"+name, raw, false)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&pages, "- [%s](%s)\n", p.title, name)
			continue
		}
		fmt.Fprintf(&others, "- [%s](%s)\n", name, name)
	}
	title := path.Base(dir)
	text := "# " + strings.ToUpper(title[:1]) + title[1:] + "\n\n" + pages.String()
	if others.Len() > 0 && pages.Len() > 0 {
		text += "\n## Other files\n\n"
	}
	p, err := parse(source, []byte(text+others.String()), true)
	if err != nil {
		return "", err
	}
	s.pages[source] = p
	s.unread = append(s.unread, p)
	return source, nil
}

// follow reads everything that can be reached from the pages so far.
func (s *site) follow() (err error) {
	for len(s.unread) > 0 {
		p := s.unread[0]
		s.unread = s.unread[1:]
		err = errors.Join(err, p.follow(func(source, _ string, _ *citation) error {
			found, err := s.reach(source)
			p.links = append(p.links, found)
			return err
		}))
	}
	return err
}

// orphans returns an error if a page in docs is not in the navigation, because the front page does not list it.
func (s *site) orphans() (err error) {
	listed := map[string]bool{}
	for _, g := range s.groups {
		for _, e := range g.entries {
			for _, p := range append([]*page{e.page}, e.below...) {
				listed[p.source] = true
			}
		}
	}
	walk := fs.WalkDir(os.DirFS(s.root), "docs", func(name string, _ fs.DirEntry, problem error) error {
		if problem == nil && path.Ext(name) == ".md" && !listed[name] {
			err = errors.Join(err, fmt.Errorf("%s: %s does not list this page", name, front))
		}
		return problem
	})
	return errors.Join(err, walk)
}

// resolve replaces each link with the path in the site.
func (s *site) resolve() (err error) {
	for _, source := range slices.Sorted(maps.Keys(s.pages)) {
		p := s.pages[source]
		err = errors.Join(err, p.follow(func(to, id string, link *citation) error {
			found, err := s.reach(to)
			if err != nil {
				return err
			}
			target := s.pages[found]
			if target == nil && id == "" {
				link.lead(relative(p.out, s.copies[found]), path.Base(found), p.text)
				return nil
			}
			if link.image {
				return fmt.Errorf("%s is not an image", found)
			}
			if id == "" {
				link.lead(relative(p.out, target.out), target.title, p.text)
				return nil
			}
			if target != nil {
				for i, section := range target.sections {
					if section.id == id {
						title := target.title
						if i > 0 {
							title += ": " + section.title
						}
						link.lead(relative(p.out, target.out)+"#"+id, title, p.text)
						return nil
					}
				}
			}
			return fmt.Errorf("%s has no heading #%s", found, id)
		}))
	}
	return err
}

// relative returns the path of a file of the site relative to a page.
func relative(from, to string) string {
	link, err := filepath.Rel(filepath.FromSlash(path.Dir(from)), filepath.FromSlash(to))
	if err != nil {
		panic(err) // both are paths of the site
	}
	return filepath.ToSlash(link)
}

// group divides the pages as the front page does. A folder, or an index of generated pages, has its pages below it.
func (s *site) group() {
	seen := map[string]bool{}
	add := func(g *group, source string) {
		p := s.pages[source]
		if p == nil || seen[source] {
			return
		}
		seen[source] = true
		e := entry{page: p}
		if path.Base(source) == "README.md" && strings.Count(source, "/") > 1 {
			for _, link := range p.links {
				if strings.HasPrefix(link, path.Dir(source)+"/") && s.pages[link] != nil && !strings.Contains(strings.TrimSuffix(link, ".md"), ".") && !seen[link] {
					seen[link] = true
					e.below = append(e.below, s.pages[link])
				}
			}
		}
		g.entries = append(g.entries, e)
	}
	s.groups = []group{{title: "Lethe"}}
	add(&s.groups[0], front)
	p := s.pages[front]
	links := p.links
	_ = ast.Walk(p.tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			if n.Level == 2 {
				s.groups = append(s.groups, group{title: textOf(n, p.text)})
			}
		case *ast.Link:
			if !elsewhere.Match(n.Destination) {
				add(&s.groups[len(s.groups)-1], links[0])
				links = links[1:]
			}
		}
		return ast.WalkContinue, nil
	})
	reference := group{title: "Reference"}
	for _, source := range []string{commandIndex, keyIndex, packageIndex} {
		add(&reference, source)
	}
	if len(reference.entries) > 0 {
		s.groups = append(s.groups, reference)
	}
	s.groups = slices.DeleteFunc(s.groups, func(g group) bool { return len(g.entries) == 0 })
}

// files returns the files of the site by their paths.
func (s *site) files() (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, name := range []string{"style.css", "site.js", "icon.svg"} {
		raw, err := static.ReadFile("static/" + name)
		if err != nil {
			return nil, err
		}
		files["static/"+name] = raw
	}
	var err error
	if files["static/index.js"], err = s.index(); err != nil { // before pages are rendered, which adds links to headings
		return nil, err
	}
	for source, out := range s.copies {
		raw, err := os.ReadFile(s.path(source))
		if err != nil {
			return nil, err
		}
		files[out] = raw
	}
	var order []*page
	for _, g := range s.groups {
		for _, e := range g.entries {
			order = append(append(order, e.page), e.below...)
		}
	}
	for _, p := range s.pages {
		raw, err := s.render(p, order)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.source, err)
		}
		if files[p.out] != nil {
			return nil, fmt.Errorf("%s: another file has the path %s in the site", p.source, p.out)
		}
		files[p.out] = raw
	}
	return files, nil
}

// link is a link of the frame around a page.
type link struct {
	URL, Title string
	Current    bool
	Below      []link
}

// view is what the frame of a page shows.
type view struct {
	Title, Root string
	Front       bool
	Body        template.HTML
	Contents    []section
	Groups      []struct {
		Title string
		Links []link
	}
	Before, After *link
	Reference     []link
}

// ID, Heading and Deep are read by the frame.
func (s section) ID() string      { return s.id }
func (s section) Heading() string { return s.title }
func (s section) Deep() bool      { return s.level > 2 }

func (s *site) render(p *page, order []*page) ([]byte, error) {
	body, err := p.html()
	if err != nil {
		return nil, err
	}
	to := func(q *page) link {
		return link{URL: relative(p.out, q.out), Title: q.title, Current: p == q}
	}
	v := view{Title: p.title, Root: strings.Repeat("../", strings.Count(p.out, "/")), Front: p.source == front, Body: template.HTML(body)}
	for _, g := range s.groups {
		var links []link
		for _, e := range g.entries {
			l := to(e.page)
			if p == e.page || slices.Contains(e.below, p) {
				for _, q := range e.below {
					l.Below = append(l.Below, to(q))
				}
			}
			links = append(links, l)
			if g.title == "Reference" {
				v.Reference = append(v.Reference, l)
			}
		}
		v.Groups = append(v.Groups, struct {
			Title string
			Links []link
		}{g.title, links})
	}
	for _, section := range p.sections {
		if section.level == 2 || section.level == 3 {
			v.Contents = append(v.Contents, section)
		}
	}
	if i := slices.Index(order, p); i >= 0 {
		if i > 0 {
			before := to(order[i-1])
			v.Before = &before
		}
		if i+1 < len(order) {
			after := to(order[i+1])
			v.After = &after
		}
	}
	var b bytes.Buffer
	err = frame.ExecuteTemplate(&b, "page.html", v)
	return b.Bytes(), err
}

// index returns the text of all sections, as a script: pages that are opened from the disk may not read other files.
func (s *site) index() ([]byte, error) {
	group := map[*page]string{}
	for _, g := range s.groups {
		for _, e := range g.entries {
			group[e.page] = g.title
			for _, below := range e.below {
				group[below] = e.title
			}
		}
	}
	type found struct {
		Page  int    `json:"p"`
		ID    string `json:"i,omitempty"`
		Title string `json:"h"`
		Text  string `json:"t"`
	}
	var all struct {
		Pages    [][3]string `json:"pages"` // path, title and group
		Sections []found     `json:"sections"`
	}
	for _, source := range slices.Sorted(maps.Keys(s.pages)) {
		p := s.pages[source]
		if group[p] == "" && path.Ext(strings.TrimSuffix(source, ".md")) != "" {
			continue // a file that is shown, such as a table of measurements
		}
		texts := p.texts()
		for i, section := range p.sections {
			f := found{Page: len(all.Pages), ID: section.id, Title: section.title, Text: texts[i]}
			if i == 0 {
				f.ID = ""
			}
			all.Sections = append(all.Sections, f)
		}
		all.Pages = append(all.Pages, [3]string{p.out, p.title, group[p]})
	}
	raw, err := json.Marshal(all)
	return append(append([]byte("letheIndex("), raw...), ");\n"...), err
}
