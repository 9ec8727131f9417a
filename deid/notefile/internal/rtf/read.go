// Package rtf finds the text in the Rich Text Format, version 1.9.1.
package rtf

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/deid/notefile/internal/markup"
	"github.com/lethe-deid/lethe/deid/safetynet"
)

// Is reports whether a value is RTF, which must not be examined as if it were plain text.
func Is(value string) bool {
	return markup.ContentKind(value[:min(len(value), markup.ContentPeek)]) == "rtf"
}

// Cell returns the note in a value of a table: the value itself, or the text of RTF.
func Cell(value string, drop bool) (markup.Inside, error) {
	if Is(value) {
		return Read(value, drop)
	}
	return markup.Inside{Text: value, Below: slices.Clone[[]markup.Edit]}, nil
}

// Error is the reason why RTF cannot be read, and its position.
type Error struct {
	At     int
	Reason string
}

func (e *Error) Error() string { return fmt.Sprintf("%s (at byte %d of the RTF)", e.Reason, e.At) }

// Read reads RTF. Its errors are of type *Error.
func Read(source string, drop bool) (markup.Inside, error) {
	r := &reader{source: source, utf8: utf8.ValidString(source), drop: drop, fonts: map[int]codePage{}, contexts: map[context]uint8{}, marks: map[string]string{}}
	if err := r.read(); err != nil {
		return markup.Inside{}, err
	}
	v := r.text()
	return markup.Inside{
		Text: v.Text.String(), Always: len(r.fixed) > 0, Dropped: r.dropped, Known: r.known,
		Below: func(edits []markup.Edit) []markup.Edit {
			all := append(v.Below(edits), r.fixed...)
			markup.SortEdits(all)
			return delimited(source, all)
		},
	}, nil
}

// reader builds the text of RTF from its tokens.
type reader struct {
	source  string
	utf8    bool // bytes of 128 and more are UTF-8; otherwise they are characters of the code page
	drop    bool // see Options.Drop
	groups  []group
	streams []*stream
	page    codePage // of \ansicpg
	deff    int      // the default font
	fonts   map[int]codePage
	font    int // the font of the font table that is declared last
	star    int // position of \* if it was the last token, else -1
	pending partialCharacter

	contexts map[context]uint8 // the syntax of new text by its context
	encoders []func(string) string
	marks    map[string]string // new names of bookmarks
	fixed    []markup.Edit
	dropped  int
	known    []safetynet.Value
}

// group is the state of the reader in a group.
type group struct {
	start    int // position of its brace
	stream   *stream
	kind     destination
	name     string // of the destination
	first    int    // position of \* or of the word of a destination that begins here, else 0
	content  int    // end of that word
	whole    bool   // that word is the first thing in the group
	fresh    bool   // nothing has been read yet
	font, uc int
}

// stream is the text of one place of the document.
type stream struct {
	name   string // of its destination
	always bool   // it is text even without letters
	pieces []piece
}

// piece is a part of a stream: source[from:from+m], which represents the text.
type piece struct {
	kind    markup.RunKind
	syntax  uint8
	from, m int
	text    string
}

// context determines how new text is written.
type context struct {
	page  codePage
	uc    int
	field bool // in the instruction of a field
}

// partialCharacter are bytes of one character of the code page that is not complete.
type partialCharacter struct {
	at, end int
	bytes   []byte
	need    int
}

func (r *reader) fail(at int, reason string) error { return &Error{at, reason} }

// read reads the document.
func (r *reader) read() error {
	start := strings.Index(r.source, `{\rtf`)
	if start < 0 || strings.Trim(r.source[:start], markup.BOM+" \t\r\n\x0b\x1c") != "" || isLetter((r.source + " ")[start+5]) {
		return r.fail(0, `not RTF: it does not begin with {\rtf`)
	}
	r.page, r.star = windows1252, -1
	s := scanner{source: r.source, at: start, utf8: r.utf8}
	for {
		t, err := s.next()
		if err != nil {
			return err
		}
		if t.kind == endToken {
			return r.fail(len(r.source), fmt.Sprintf("RTF that is cut off: %d groups are never closed", len(r.groups)))
		}
		if err := r.token(&s, t); err != nil {
			return err
		}
		if len(r.groups) == 0 {
			break
		}
	}
	for at := s.at; at < len(r.source); at++ {
		if c := r.source[at]; c != 0 && !markup.IsSpace(c) && c != 0x1a {
			return r.fail(at, "text after the end of the RTF, or a closing brace too many")
		}
	}
	return nil
}

// maxDepth is the maximum number of nested groups.
const maxDepth = 1000

func (r *reader) token(s *scanner, t token) error {
	if t.kind != charsToken && t.kind != hexToken {
		r.flush()
	}
	star := r.star
	r.star = -1
	switch t.kind {
	case openToken:
		return r.open(t)
	case closeToken:
		return r.close(t)
	}
	g := &r.groups[len(r.groups)-1]
	fresh := g.fresh
	g.fresh = false
	if t.kind == symbolToken && t.word == "*" {
		r.star, g.fresh = t.at, fresh
		return nil
	}
	if t.kind == wordToken {
		return r.word(s, t, star, fresh)
	}
	if t.kind == binaryToken {
		if g.kind == textual || g.kind == harmless {
			return r.fail(t.at, `\bin outside of a picture or an object`)
		}
		return nil
	}
	if g.kind == authors {
		r.authors(t)
	}
	if g.stream == nil {
		return nil
	}
	switch t.kind {
	case charsToken:
		r.chars(g, t)
	case hexToken:
		r.byte(g, t.at, t.end, t.hex)
	case symbolToken:
		r.symbol(g, t)
	}
	return nil
}

func (r *reader) open(t token) error {
	if len(r.groups) >= maxDepth {
		return r.fail(t.at, fmt.Sprintf("groups nested more than %d deep", maxDepth))
	}
	g := group{start: t.at, kind: textual, uc: 1, fresh: true}
	if n := len(r.groups); n > 0 {
		outer := &r.groups[n-1]
		outer.fresh = false
		g.stream, g.kind, g.name, g.font, g.uc = outer.stream, outer.kind, outer.name, outer.font, outer.uc
	} else {
		g.stream = &stream{always: true}
		r.streams = append(r.streams, g.stream)
	}
	r.groups = append(r.groups, g)
	return nil
}

// close ends a group, and removes what its destination says.
func (r *reader) close(t token) error {
	n := len(r.groups) - 1
	g := r.groups[n]
	r.groups = r.groups[:n]
	if g.first == 0 {
		if g.kind == author && g.content > 0 { // its content is removed with the group around it
			r.knowAuthor(r.source[g.content:t.at])
		}
		return nil
	}
	switch g.kind {
	case author, personal:
		if g.kind == author {
			r.knowAuthor(r.source[g.content:t.at])
		}
		if strings.TrimSpace(r.source[g.content:t.at]) != "" {
			r.fixed = append(r.fixed, markup.Edit{Start: g.content, End: t.at})
		}
	case bookmark:
		r.bookmark(g.content, t.at)
	case opaque, copied:
		e := markup.Edit{Start: g.first, End: t.at}
		if g.whole {
			e = markup.Edit{Start: g.start, End: t.end}
		}
		r.fixed = append(r.fixed, e)
		if g.kind == opaque {
			r.dropped++
		}
	case hexadecimal:
		if at := strings.IndexFunc(r.source[g.content:t.at], func(c rune) bool { return c > 0x7f || !markup.IsSpace(byte(c)) && !isHex(byte(c)) }); at >= 0 {
			return r.fail(g.content+at, `text in \`+g.name+`, which cannot be examined`)
		}
	}
	return nil
}

// authors removes the names in a part of a list of authors.
func (r *reader) authors(t token) {
	for at := t.at; at < t.end; {
		n := t.end - at
		if semicolon := strings.IndexByte(r.source[at:t.end], ';'); semicolon >= 0 && t.kind == charsToken {
			n = semicolon
		}
		if name := r.source[at : at+n]; strings.TrimSpace(name) != "" && name != "Unknown" {
			r.knowAuthor(name)
			r.fixed = append(r.fixed, markup.Edit{Start: at, End: at + n})
		}
		at += n + 1
	}
}

// knowAuthor adds the name of an author, in RTF, to the known values.
func (r *reader) knowAuthor(source string) {
	if name := strings.Trim(source, "; \r\n"); len(name) > 1 && len(name) < 100 && !strings.ContainsAny(name, `\{}`) && name != "Unknown" {
		r.known = append(r.known, safetynet.Value{Kind: safetynet.Clinician, Text: name})
	}
}

// bookmark renames a bookmark, the same in all places, unless its name has the form of those that programs make.
func (r *reader) bookmark(from, to int) {
	name := strings.TrimSpace(r.source[from:to])
	if name == "" || madeBookmark.MatchString(name) {
		return
	}
	if r.marks[name] == "" {
		r.marks[name] = fmt.Sprintf("bookmark%d", len(r.marks)+1)
	}
	r.fixed = append(r.fixed, markup.Edit{Start: from, End: to, New: r.marks[name]})
}

// madeBookmark matches names of bookmarks that Word and LibreOffice make.
var madeBookmark = regexp.MustCompile(`^(?:_GoBack|_(?:Toc|Ref|Hlk|Hlt|Toc_|MON_?)\d+|OLE_LINK\d+|__RefHeading___?\w{0,3}?\d+(?:_\d+)?|__DdeLink__\d+_\d+|bookmark\d+)$`)

// word reads a control word.
func (r *reader) word(s *scanner, t token, star int, fresh bool) error {
	g := &r.groups[len(r.groups)-1]
	switch {
	case g.kind == personal && g.first == 0 && destinations[t.word] == author:
		g.kind, g.content = author, t.end
		return nil
	case g.kind == authors:
		r.authors(t)
		return nil
	case g.kind >= hexadecimal: // its content does not matter
		return nil
	}
	kind, ok := destinations[t.word]
	if !ok && star >= 0 && g.kind == textual {
		kind, ok = separate, true
	}
	if ok && (g.kind != harmless || kind != harmless) {
		at := t.at
		if star >= 0 {
			at = star
		}
		return r.enter(g, t, kind, at, fresh)
	}
	switch t.word {
	case "ansicpg":
		r.page = knownPage(t.param)
	case "mac":
		r.page = macintosh
	case "pc":
		r.page = dos437
	case "pca":
		r.page = dos850
	case "deff":
		r.deff = t.param
		g.font = t.param
	case "plain":
		g.font = r.deff
	case "uc":
		if t.param < 0 || t.param > 32 {
			return r.fail(t.at, `\uc with a number that is not from 0 to 32`)
		}
		g.uc = t.param
	case "f":
		if g.kind == fontTable {
			r.font = t.param
			delete(r.fonts, r.font)
		} else {
			g.font = t.param
		}
	case "fcharset":
		if page := charsets[t.param]; page != 0 && g.kind == fontTable && r.fonts[r.font] == 0 {
			r.fonts[r.font] = page
		}
	case "cpg":
		if g.kind == fontTable {
			r.fonts[r.font] = knownPage(t.param)
		}
	}
	if dateWords[t.word] && t.param != 0 {
		r.fixed = append(r.fixed, markup.Edit{Start: t.at, End: t.digits, New: `\` + t.word + "0"})
	}
	if g.stream == nil {
		return nil
	}
	if t.word == "u" && t.hasParam {
		return r.unicode(s, g, t)
	}
	if c, ok := characters[t.word]; ok {
		r.add(g, c.kind, t.at, t.end-t.at, c.text)
	} else if !controlWords[t.word] {
		r.add(g, markup.Escape, t.at, t.end-t.at, r.source[t.at:t.end])
	}
	return nil
}

// enter begins a destination.
func (r *reader) enter(g *group, t token, kind destination, at int, fresh bool) error {
	if kind == same {
		if g.kind == harmless {
			kind = separate
		} else {
			return nil
		}
	}
	if kind == opaque || kind == copied {
		if !r.drop || len(r.groups) == 1 {
			return r.fail(at, "RTF with a picture, an object or other data that cannot be examined (\\"+t.word+")")
		}
	}
	if kind == separate {
		g.kind, g.name = textual, t.word
		g.stream = &stream{name: t.word, always: t.word == "sv" && len(r.streams) > 0 && r.isTextProperty()}
		r.streams = append(r.streams, g.stream)
		return nil
	}
	if !fresh && kind != opaque && kind != copied { // as in C:\private, which was not escaped; the text after it would be lost
		return r.fail(at, `\`+t.word+" in the middle of a group")
	}
	g.kind, g.name, g.stream, g.first, g.content, g.whole = kind, t.word, nil, at, t.end, fresh
	return nil
}

// isTextProperty reports whether the value of a shape's property is text, by the name before it.
func (r *reader) isTextProperty() bool {
	for i := len(r.streams) - 1; i >= 0; i-- {
		if s := r.streams[i]; s.name == "sn" {
			name := strings.TrimSpace(s.string())
			return strings.HasPrefix(name, "wz") || strings.HasPrefix(name, "gtext") || strings.HasPrefix(name, "pihl")
		}
	}
	return false
}

// text joins the streams.
func (r *reader) text() *markup.View {
	v := &markup.View{Others: r.encoders}
	last := 0
	for _, s := range r.streams {
		if !s.isText() {
			continue
		}
		if v.Text.Len() > 0 {
			v.Stands(markup.Markup, last, 0, "\n\n")
		}
		for _, p := range s.pieces {
			v.Syntax = p.syntax
			if p.kind == markup.Verbatim {
				v.Verbatim(p.from, p.text)
			} else {
				v.Stands(p.kind, p.from, p.m, p.text)
			}
			last = p.from + p.m
		}
		v.Syntax = 0
	}
	return v
}

func (s *stream) string() string {
	var b strings.Builder
	for _, p := range s.pieces {
		b.WriteString(p.text)
	}
	return b.String()
}

// isText reports whether a stream may contain PHI: not names of properties, fields of layout such as PAGE, and punctuation. A
// number is text except in a property.
func (s *stream) isText() bool {
	if len(s.pieces) == 0 || s.name == "sn" {
		return false
	}
	text := s.string()
	switch {
	case s.always:
		return true
	case s.name == "fldinst":
		return !layoutField.MatchString(text)
	case s.name == "sv":
		return strings.ContainsFunc(text, unicode.IsLetter)
	}
	return strings.ContainsFunc(text, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) })
}

// layoutField matches instructions of fields that contain no text.
var layoutField = regexp.MustCompile(`^\s*(?:PAGE|NUMPAGES|SECTIONPAGES|SECTION|DATE|TIME|FORMTEXT|FORMCHECKBOX|FORMDROPDOWN)?\s*(?:\\[*@#]\s*(?:MERGEFORMAT|arabic|roman|Arabic|ARABIC|"[dMyHhmsapAP/:., -]*")\s*)*$`)

// add adds source[from:from+m], which represents the text, to the stream of a group.
func (r *reader) add(g *group, kind markup.RunKind, from, m int, text string) {
	if text != "" {
		g.stream.pieces = append(g.stream.pieces, piece{kind, r.syntax(g), from, m, text})
	}
}

// syntax returns the syntax of new text in a group.
func (r *reader) syntax(g *group) uint8 {
	c := context{r.pageOf(g), g.uc, g.stream.name == "fldinst"}
	n, ok := r.contexts[c]
	if !ok {
		if len(r.encoders) == 255 { // no writer uses as many
			return 1
		}
		r.encoders = append(r.encoders, c.encode)
		n = uint8(len(r.encoders)) //nolint:gosec // see above
		r.contexts[c] = n
	}
	return n
}

// pageOf returns the code page of the font of a group.
func (r *reader) pageOf(g *group) codePage { return cmp.Or(r.fonts[g.font], r.page) }

// chars adds characters that are written as themselves.
func (r *reader) chars(g *group, t token) {
	at := t.at
	for at < t.end && r.pending.need > 0 { // the second half of a character
		if r.utf8 && r.source[at] >= 0x80 {
			r.flush()
			break
		}
		r.byte(g, at, at+1, r.source[at])
		at++
	}
	if at < t.end && r.source[at] >= 0x80 && !r.utf8 {
		r.byte(g, at, at+1, r.source[at]) // the scanner returns such a byte alone
		return
	}
	if at < t.end {
		r.add(g, markup.Verbatim, at, t.end-at, r.source[at:t.end])
	}
}

// byte adds a byte of the code page.
func (r *reader) byte(g *group, at, end int, c byte) {
	p, page := &r.pending, r.pageOf(g)
	if p.need == 0 {
		*p = partialCharacter{at: at, need: page.length(c), bytes: p.bytes[:0]}
	}
	p.bytes, p.end = append(p.bytes, c), end
	if len(p.bytes) < p.need {
		return
	}
	text := page.decode(p.bytes)
	r.add(g, markup.Escape, p.at, p.end-p.at, text)
	p.need = 0
}

// flush adds a character that is not complete.
func (r *reader) flush() {
	if p := &r.pending; p.need > 0 {
		g := &r.groups[len(r.groups)-1]
		r.add(g, markup.Escape, p.at, p.end-p.at, r.pageOf(g).decode(p.bytes))
		p.need = 0
	}
}

// symbol adds a control symbol.
func (r *reader) symbol(g *group, t token) {
	if c, ok := symbols[t.word]; ok {
		r.add(g, c.kind, t.at, t.end-t.at, c.text)
	} else if t.word != "" && t.word[0] >= 0x80 && r.utf8 { // a backslash before another character
		r.add(g, markup.Escape, t.at, t.end-t.at, t.word)
	}
}

// unicode adds \uN with the characters that old readers show instead. Two halves of a surrogate pair are one character.
func (r *reader) unicode(s *scanner, g *group, t token) error {
	s.skip(g.uc)
	end := s.at
	c := rune(t.param)
	if c < 0 {
		c += 1 << 16
	}
	if c >= 0xd800 && c < 0xdc00 {
		before := *s
		low, err := s.next()
		if err == nil && low.kind == wordToken && low.word == "u" && low.hasParam {
			if second := rune(low.param & 0xffff); second >= 0xdc00 && second < 0xe000 {
				s.skip(g.uc)
				r.add(g, markup.Escape, t.at, s.at-t.at, string((c-0xd800)<<10+second-0xdc00+1<<16))
				return nil
			}
		}
		*s = before
	}
	r.add(g, markup.Escape, t.at, end-t.at, string(c))
	return nil
}
