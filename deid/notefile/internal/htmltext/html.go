// Package htmltext finds the text in HTML.
package htmltext

import (
	"errors"
	"html"
	"regexp"
	"strings"

	"github.com/lethe-deid/lethe/deid/notefile/internal/markup"
	"github.com/lethe-deid/lethe/internal/xmlnotes"
)

// elements contains the elements of HTML and the text that replaces their tags. Elements that are
// not known to be inline separate lines, so that words on both sides of a tag are never joined.
var elements = map[string]string{"td": "\t", "th": "\t", "img": " "}

func init() {
	for name := range markup.Words(`a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd mark nobr q s samp small span strike strong
		sub sup time tt u var wbr`) {
		elements[name] = ""
	}
	for name := range markup.Words(`address applet area article aside audio base basefont bgsound blink blockquote body br button canvas caption center
		col colgroup command content datalist dd details dialog dir div dl dt element embed fieldset figcaption figure footer form frame frameset
		h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe image input isindex keygen label legend li link listing main map marquee math menu
		menuitem meta meter multicol nav nextid noembed noframes noscript object ol optgroup option output p param picture plaintext portal
		pre progress rb rp rt rtc ruby script search section select shadow slot source spacer style summary svg table tbody
		template textarea tfoot thead title tr track ul video xmp`) {
		elements[name] = "\n"
	}
}

// attributes contains the known attributes by the kind of their values.
var attributes = map[string]attributeKind{}

type attributeKind int

const (
	unknownAttribute attributeKind = iota
	layoutAttribute                // names and numbers
	styleAttribute                 // names and numbers in CSS
	spaceAttribute                 // a namespace
	textAttribute                  // text for people, or the target of a link
)

func init() {
	for name := range markup.Words(`id class lang xml:lang dir align valign width height border cellpadding cellspacing colspan rowspan span rowspan headers scope
		bgcolor color face size type start rules frame nowrap noshade compact clear target rel charset http-equiv shape coords char charoff
		hspace vspace tabindex role hidden for method enctype rows cols maxlength minlength min max step wrap checked selected
		disabled multiple readonly required autofocus autocomplete open default loop controls autoplay muted async defer sizes`) {
		attributes[name] = layoutAttribute
	}
	for name := range markup.Words(`title alt name href src summary abbr cite content value datetime longdesc placeholder axis label usemap media reversed
		data action formaction srcset srcdoc poster background`) {
		attributes[name] = textAttribute
	}
	attributes["style"], attributes["xmlns"] = styleAttribute, spaceAttribute
}

// Text is the view of HTML. Its text outside of CDATA must not contain "]]>".
type Text struct {
	markup.View
	source string
	inside bool          // the source is not declared as HTML: see Inside
	drop   bool          // data in URLs is removed
	fixed  []markup.Edit // which remove it
	later  []value       // values of attributes that stand at the end of the text
	shown  int           // what stands for the inline tags before this position is already decided
}

// value is the value of an attribute, from:to of the source.
type value struct {
	from, to int
	quote    byte
}

// Below translates edits of the text into edits of the HTML.
func (h *Text) Below(edits []markup.Edit) []markup.Edit {
	all := append(h.View.Below(edits), h.fixed...)
	markup.SortEdits(all)
	return markup.SplitCDATAEnd(h.source, all, func(int) bool { return false })
}

// Is reports whether a text is HTML, which is not declared as such. It is if an element is closed, if it has two paragraphs, line ends, cells or the
// like, or if it begins like a document. Brackets in plain text, such as <3.5, <redacted> or <name@host>, are no tags.
func Is(text string) bool {
	at := strings.IndexByte(text, '<')
	if at < 0 {
		return false
	}
	if start := strings.TrimSpace(strings.TrimPrefix(text[:at], markup.BOM)); start == "" && documentStart.MatchString(text[at:]) {
		return true
	}
	open, breaks := map[string]bool{}, 0
	for {
		if t, ok := readTag(text[at:]); ok {
			if text[at+1] == '/' && open[t.name] {
				return true
			}
			if text[at+1] != '/' {
				open[t.name] = true
				if breaking[t.name] {
					breaks++
				}
			}
			if breaks == 2 {
				return true
			}
			at += t.n - 1
		}
		n := strings.IndexByte(text[at+1:], '<')
		if n < 0 {
			return false
		}
		at += 1 + n
	}
}

// documentStart matches the start of a document, which need not be complete.
var documentStart = regexp.MustCompile(`^<(?i:!doctype\s+html|html|head|body)[\s>]`)

// documentType matches a declaration of HTML.
var documentType = regexp.MustCompile(`^<!(?i:doctype)\s+(?i:html)(?:\s+(?i:public)\s+"-//W3C//DTD [A-Za-z0-9. ]{1,40}//EN"(?:\s+"http://www\.w3\.org/[-\w./]{1,60}")?)?\s*>`)

// maxDocumentType is the maximum length of a declaration.
const maxDocumentType = 300

// breaking contains elements that need not be closed.
var breaking = markup.Words("br p li div tr td")

// Inside reads a text for which Is is true. With drop, data in URLs is removed instead of refused. Because the text may contain anything, less is taken
// for markup than by Read: inline tags between words are blanks, and attributes for layout are lines at the end of the text unless their values are
// surely layout.
func Inside(source string, drop bool) (markup.Inside, error) {
	h := &Text{source: source, inside: true, drop: drop}
	if err := h.read(); err != nil {
		return markup.Inside{}, err
	}
	return markup.Inside{Text: h.Text.String(), Below: h.Below, Spans: h.Above, Always: len(h.fixed) > 0, Dropped: len(h.fixed)}, nil
}

// Read reads a narrative: the text between tags. Tags become line ends, tags of table cells
// become tabs, and tags of inline elements, such as b and span, do not appear.
//
// A tag is markup only if it is well-formed and both its element and its attributes are known.
// Anything else that begins with a bracket is text as written, although a browser may hide it: a
// comment, an address such as <name@host>, a tag that never ends or that has a quote too many.
// Values of attributes for people, such as title and href, are lines of the text. A picture in a
// URL is refused.
func Read(source string) (*Text, error) {
	h := &Text{source: source}
	if err := h.read(); err != nil {
		return nil, err
	}
	return h, nil
}

func (h *Text) read() error {
	source := h.source
	h.Encode, h.Others = markup.EscapeText, []func(string) string{EscapeAttribute, escapeUnquoted}
	inRow := false // the last tag is of a row or a cell
	for at := 0; at < len(source); {
		n := strings.IndexAny(source[at:], "<&")
		if n < 0 {
			n = len(source) - at
		}
		if text := source[at : at+n]; !inRow || strings.TrimSpace(text) != "" || !cellStart.MatchString(source[at+n:]) {
			h.Verbatim(at, text) // unlike the white space between the cells of a row, which stand in one line
		}
		if at += n; at == len(source) {
			break
		}
		if source[at] == '&' {
			at += h.reference(at)
			continue
		}
		if strings.HasPrefix(source[at:], "<!--") {
			h.Stands(markup.Markup, at, 4, "\n")
			at += 4
			continue // the content of the comment and its end are text
		}
		if n := len(documentType.FindString(source[at:min(len(source), at+maxDocumentType)])); n > 0 {
			h.Stands(markup.Markup, at, n, "\n")
			at += n
			continue
		}
		tag, ok := readTag(source[at:])
		if !ok {
			h.Verbatim(at, "<")
			at++
			continue
		}
		if err := h.tag(at, tag); err != nil {
			return err
		}
		inRow = tag.name == "tr" || tag.name == "td" || tag.name == "th"
		at += tag.n
	}
	for _, v := range h.later {
		h.Stands(markup.Markup, v.from, 0, "\n")
		h.value(v)
	}
	return nil
}

// cellStart matches the start of a cell.
var cellStart = regexp.MustCompile(`^<(?i:td|th)[\s/>]`)

// reference adds the character reference at a position, or else the ampersand, and returns its
// length.
func (h *Text) reference(at int) int {
	rest := h.source[at:]
	n := referenceLen(rest)
	if text := html.UnescapeString(rest[:n]); n > 1 && text != rest[:n] {
		h.Stands(markup.Escape, at, n, text)
	} else {
		h.Verbatim(at, rest[:n])
	}
	return n
}

// referenceLen returns the length of the character reference at the beginning of a text, or 1.
// Browsers also accept numbers and some old names without the semicolon.
func referenceLen(s string) int {
	n := 1
	for n < len(s) && (markup.IsAlphanumeric(s[n]) || n == 1 && s[n] == '#') {
		n++
	}
	if len(s) > 1 && s[1] == '#' {
		isDigit := func(c byte) bool { return c >= '0' && c <= '9' }
		n = 2
		if n < len(s) && s[n]|0x20 == 'x' {
			n++
			isDigit = func(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }
		}
		start := n
		for n < len(s) && isDigit(s[n]) {
			n++
		}
		if n == start {
			return 1
		}
	}
	if n > 1 && n < len(s) && s[n] == ';' {
		return n + 1
	}
	if n > 1 && s[1] == '#' {
		return n
	}
	for k := min(n, len("&Aacute")); k > 2; k-- { // the longest of those names
		if !strings.HasPrefix(html.UnescapeString(s[:k]), "&") || s[1:k] == "amp" || s[1:k] == "AMP" {
			return k
		}
	}
	return 1
}

// tag adds a tag at a position as markup, except for the values of attributes that are text.
func (h *Text) tag(at int, t tag) error {
	from := at // the start of the part that is not yet added
	for _, a := range t.attributes {
		v := value{at + a.from, at + a.to, a.quote}
		text := h.source[v.from:v.to]
		if h.isHarmless(t.name, a.name, text) {
			continue
		}
		if DataURL.MatchString(html.UnescapeString(text)) {
			if h.drop {
				empty := map[byte]string{0: `""`}[a.quote]
				h.fixed = append(h.fixed, markup.Edit{Start: v.from, End: v.to, New: empty})
				continue
			}
			return errors.New("HTML with a picture or other data in a URL, which cannot be examined")
		}
		if h.inside && attributes[a.name] != textAttribute {
			h.later = append(h.later, v)
			continue
		}
		h.Stands(markup.Markup, from, v.from-from, "\n")
		h.value(v)
		from = v.to
	}
	shown := elements[t.name]
	if from > at {
		shown = "\n"
	} else if h.inside && shown == "" {
		shown = h.between(at)
	}
	h.Stands(markup.Markup, from, at+t.n-from, shown)
	return nil
}

// value adds the value of an attribute as text.
func (h *Text) value(v value) {
	h.Syntax = 1
	if v.quote == 0 {
		h.Syntax = 2
	}
	for from := v.from; from < v.to; {
		n := strings.IndexByte(h.source[from:v.to], '&')
		if n < 0 {
			n = v.to - from
		}
		h.Verbatim(from, h.source[from:from+n])
		if from += n; from < v.to {
			from += min(h.reference(from), v.to-from)
		}
	}
	h.Syntax = 0
}

// EscapeAttribute encodes text for a place between quotes of either kind.
func EscapeAttribute(text string) string { return attributeEscapes.Replace(xmlnotes.Legal(text)) }

// escapeUnquoted encodes text as the value of an attribute without quotes.
func escapeUnquoted(text string) string { return unquotedEscapes.Replace(xmlnotes.Legal(text)) }

var (
	attributeEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;")
	unquotedEscapes  = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;", " ", "&#32;", "\t", "&#9;", "\n", "&#10;", "\r", "&#13;", "\f", "&#12;",
		"=", "&#61;", "`", "&#96;")
)

// isHarmless reports whether the value of an attribute is known not to be text.
func (h *Text) isHarmless(element, name, value string) bool {
	if value == "" {
		return true
	}
	if h.inside {
		return isLayout(name, value)
	}
	switch attributes[name] {
	case layoutAttribute:
		return markup.Only(value, "-_.:#%*+, ") || name == "type" && mediaType.MatchString(value)
	case styleAttribute:
		return markup.Only(value, "-_.:#%*+, ;()!\t\r\n")
	case spaceAttribute:
		return strings.HasPrefix(value, "http://www.w3.org/") && markup.Only(value, "-_.:/#")
	}
	switch name {
	case "href", "usemap":
		return value == "#"
	case "content":
		return strings.HasPrefix(strings.ToLower(value), "text/html") && markup.Only(value, "-/;= ")
	case "name":
		return element == "meta" && markup.Only(value, "-_.:")
	}
	return false
}

// mediaType matches the type of a script or a link.
var mediaType = regexp.MustCompile(`^(?:application|audio|font|image|text|video)/[a-z0-9.+-]{1,40}(?:; ?charset=[A-Za-z0-9-]{1,20})?$`)

// tag is a tag of n bytes.
type tag struct {
	n          int
	name       string
	attributes []attribute
}

// attribute is an attribute whose value is at from:to of the tag, without quotes.
type attribute struct {
	name     string
	from, to int
	quote    byte // 0: none
}

// readTag reads the tag at the beginning of a text, and reports whether there is a known one.
func readTag(s string) (tag, bool) {
	var t tag
	at := 1
	end := at < len(s) && s[at] == '/'
	if end {
		at++
	}
	start := at
	for at < len(s) && markup.IsAlphanumeric(s[at]) {
		at++
	}
	t.name = strings.ToLower(s[start:at])
	if _, ok := elements[t.name]; !ok {
		return t, false
	}
	for {
		before := at
		for at < len(s) && markup.IsSpace(s[at]) {
			at++
		}
		rest := s[at:]
		switch {
		case strings.HasPrefix(rest, ">"):
			t.n = at + 1
			return t, true
		case strings.HasPrefix(rest, "/>") && !end:
			t.n = at + 2
			return t, true
		case at == before || end:
			return t, false
		}
		a, n := readAttribute(s, at)
		if n == 0 {
			return t, false
		}
		t.attributes = append(t.attributes, a)
		at += n
	}
}

// readAttribute reads the attribute at a position of a tag. It returns its length, or 0 if there is
// no known attribute.
func readAttribute(s string, at int) (attribute, int) {
	start := at
	for at < len(s) && (markup.IsAlphanumeric(s[at]) || s[at] == '-' || s[at] == ':') {
		at++
	}
	a := attribute{name: strings.ToLower(s[start:at]), from: at, to: at}
	if attributes[a.name] == unknownAttribute {
		return a, 0
	}
	after := at
	for after < len(s) && markup.IsSpace(s[after]) {
		after++
	}
	if after == len(s) || s[after] != '=' {
		return a, at - start // without a value
	}
	for at = after + 1; at < len(s) && markup.IsSpace(s[at]); {
		at++
	}
	if at == len(s) {
		return a, 0
	}
	if q := s[at]; q == '"' || q == '\'' {
		n := strings.IndexByte(s[at+1:], q)
		if n < 0 {
			return a, 0
		}
		a.quote, a.from, a.to = q, at+1, at+1+n
		return a, a.to + 1 - start
	}
	a.from = at
	for at < len(s) && !markup.IsSpace(s[at]) && strings.IndexByte("\"'<>=`", s[at]) < 0 {
		at++
	}
	a.to = at
	if at == a.from || at == len(s) || strings.IndexByte("\"'<=`", s[at]) >= 0 {
		return a, 0
	}
	return a, at - start
}

// DataURL matches the beginning of a URL that contains data instead of an address.
var DataURL = regexp.MustCompile(`(?i)^\s*data:(?:[-\w.+]+/[-\w.+]+)?(?:;[^,]*)?,`)
