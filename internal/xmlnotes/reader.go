package xmlnotes

import (
	"encoding/xml"
	"fmt"
	"io"
	"iter"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Kind is the kind of a token.
type Kind uint8

// The kinds of tokens.
const (
	Start       Kind = iota // <x> or <x/>
	End                     // </x>; <x/> is followed by an empty token
	Text                    // character data with references
	CDATA                   // <![CDATA[x]]>
	Comment                 // <!--x-->
	Instruction             // <?x?>, the XML declaration included
	Directive               // <!DOCTYPE x>
)

// Token is a token of a file, at file[From:To].
type Token struct {
	Kind         Kind
	From, To     int
	Line         int         // line of its first character, from 1
	Space, Local string      // name of a Start; Space is the namespace, or the prefix if it is not bound to one
	Attributes   []Attribute // attributes of a Start; valid until the next call of Next
}

// Attribute is an attribute as written: its name with the prefix, and its value
// with references.
type Attribute struct{ Name, Value string }

// Error is a defect of a file. It never quotes the file.
type Error struct {
	Line   int // from 1
	Offset int // in bytes; -1: unknown
	Reason string
	Hint   string // what probably went wrong, or what to do; perhaps ""
}

func (e *Error) Error() string { return e.Reason }

// Reader reads the tokens of an XML file in order. It accepts the same files as
// encoding/xml in strict mode and returns the same content, but at no place in a
// file may more than maxBound namespaces be bound.
type Reader struct {
	file       string
	at         int
	line       int // line of the current position
	open       []string
	empty      bool // the last token was <x/>
	attributes []Attribute
	bound      []binding
	hint       string // for the error of a file that is not well-formed
}

// binding is the namespace that a prefix is bound to within an open element.
type binding struct {
	prefix, space string
	depth         int
}

// maxBound is far beyond the namespaces of any document. Each element may be compared with all that are
// bound, so that without a limit, a file with many namespaces and many elements would take hours.
const maxBound = 1024

// NewReader returns a reader of a file that is in UTF-8, whatever encoding it
// declares, and has no illegal characters (see Illegal). It skips a byte order
// mark at the start.
func NewReader(file string) *Reader {
	r := &Reader{file: file, line: 1}
	r.skip("\uFEFF")
	return r
}

// Line returns the line on which the next token starts, from 1.
func (r *Reader) Line() int { return r.line }

// Next returns the next token, or io.EOF after the last. Any other error is an *Error.
func (r *Reader) Next() (Token, error) {
	t := Token{From: r.at, Line: r.line}
	rest := r.file[r.at:]
	well := true
	switch {
	case r.empty:
		t.Kind = End
		r.empty = false
		r.pop()
	case rest == "" && len(r.open) == 0:
		return t, io.EOF
	case rest == "":
		well = false
	case rest[0] != '<':
		t.Kind = Text
		well = r.text()
	case r.skip("</"):
		t.Kind = End
		well = r.end()
	case r.skip("<?"):
		t.Kind = Instruction
		well = r.instruction()
	case r.skip("<!--"):
		t.Kind = Comment
		well = r.until("--") && r.skip(">")
	case r.skip("<![CDATA["):
		t.Kind = CDATA
		well = r.until("]]>")
	case r.skip("<!"):
		t.Kind = Directive
		well = r.directive()
	default:
		well = r.start(&t)
	}
	t.To = r.at
	r.line += strings.Count(r.file[t.From:t.To], "\n")
	if !well {
		if r.hint == "" && r.at == len(r.file) {
			r.hint = "the file ends too early, and is probably truncated"
		}
		return t, &Error{Line: r.line, Offset: -1, Reason: "not well-formed XML", Hint: r.hint}
	}
	return t, nil
}

// skip advances over a word and reports whether the word was found.
func (r *Reader) skip(word string) bool {
	found := strings.HasPrefix(r.file[r.at:], word)
	if found {
		r.at += len(word)
	}
	return found
}

// until advances over the next occurrence of a mark, or to the end of the file.
func (r *Reader) until(mark string) bool {
	n := strings.Index(r.file[r.at:], mark)
	if n < 0 {
		r.at = len(r.file)
		return false
	}
	r.at += n + len(mark)
	return true
}

func (r *Reader) blank() {
	for r.at < len(r.file) && isBlank(r.file[r.at]) {
		r.at++
	}
}

func isBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// name reads a name with at most the given number of colons. It returns "" if
// there is no valid name.
func (r *Reader) name(colons int) string {
	from := r.at
	plain := true
	for r.at < len(r.file) {
		c := r.file[r.at]
		if c >= utf8.RuneSelf {
			plain = false
		} else if !isNameByte(c) {
			break
		}
		r.at++
	}
	name := r.file[from:r.at]
	switch {
	case name == "" || name[0] < 'A' && name[0] != ':': // a digit, '-' or '.'
		return ""
	case strings.Count(name, ":") > colons:
		return ""
	case !plain && !isName(name):
		return ""
	}
	return name
}

func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= ':' || c == '_' || c == '-' || c == '.'
}

// isName reports whether name is a valid name. It checks names beyond ASCII,
// which are rare, with encoding/xml.
func isName(name string) bool {
	_, err := xml.NewDecoder(strings.NewReader("<?" + name + "?>")).RawToken()
	return err == nil
}

func (r *Reader) text() bool {
	n := strings.IndexByte(r.file[r.at:], '<')
	if n < 0 {
		n = len(r.file) - r.at
	}
	text := r.file[r.at : r.at+n]
	if i := strings.Index(text, "]]>"); i >= 0 {
		r.at += i
		return false
	}
	return r.references(text)
}

// references advances over a value, or to the first reference in it that is not
// supported.
func (r *Reader) references(value string) bool {
	end := r.at + len(value)
	for {
		n := strings.IndexByte(r.file[r.at:end], '&')
		if n < 0 {
			r.at = end
			return true
		}
		r.at += n
		_, n = reference(r.file[r.at:end])
		if n == 0 {
			r.hint = "an & is written &amp;, and a reference of HTML such as &nbsp; by its number, as in &#160;"
			return false
		}
		r.at += n
	}
}

// reference parses the reference at the start of a text. Its length n is 0 if it
// is not supported.
func reference(text string) (char string, n int) {
	n = strings.IndexByte(text, ';')
	if n < 0 {
		return "", 0
	}
	name := text[1:n]
	n++
	switch name {
	case "amp":
		return "&", n
	case "lt":
		return "<", n
	case "gt":
		return ">", n
	case "quot":
		return `"`, n
	case "apos":
		return "'", n
	}
	digits, number := strings.CutPrefix(name, "#")
	base := 10
	if hex, ok := strings.CutPrefix(digits, "x"); ok {
		digits, base = hex, 16
	}
	code, err := strconv.ParseUint(digits, base, 64)
	if !number || err != nil || code > utf8.MaxRune || !isLegal(rune(code)) {
		return "", 0
	}
	return string(rune(code)), n
}

func (r *Reader) start(t *Token) bool {
	r.at++
	name := r.name(1)
	if name == "" {
		if r.at < len(r.file) {
			r.hint = "a < that begins no tag is written &lt;"
		}
		return false
	}
	r.open = append(r.open, name)
	r.attributes = r.attributes[:0]
	for {
		r.blank()
		if r.skip(">") {
			break
		}
		if r.skip("/>") {
			r.empty = true
			break
		}
		if !r.attribute() {
			return false
		}
	}
	t.Attributes = r.attributes
	t.Space, t.Local = r.resolve(name)
	return true
}

// attribute reads name="value".
func (r *Reader) attribute() bool {
	name := r.name(1)
	if name == "" {
		return false
	}
	if r.blank(); !r.skip("=") {
		return false
	}
	r.blank()
	quote := `"`
	if r.skip("'") {
		quote = "'"
	} else if !r.skip(quote) {
		return false
	}
	from := r.at
	n := strings.Index(r.file[from:], quote)
	if n < 0 {
		r.at = len(r.file)
		return false
	}
	value := r.file[from : from+n]
	if i := strings.IndexByte(value, '<'); i >= 0 {
		r.at += i
		return false
	}
	if !r.references(value) {
		return false
	}
	r.at += len(quote)
	r.attributes = append(r.attributes, Attribute{name, value})
	prefix, space := cutName(name)
	if (prefix == "xmlns" || name == "xmlns") && len(r.bound) == maxBound {
		r.hint = fmt.Sprintf("more than %d namespaces are bound at once", maxBound)
		return false
	}
	if prefix == "xmlns" {
		r.bound = append(r.bound, binding{space, Unescape(value), len(r.open)})
	} else if name == "xmlns" {
		r.bound = append(r.bound, binding{"", Unescape(value), len(r.open)})
	}
	return true
}

// cutName splits a name into its prefix, if it has one, and its local name.
func cutName(name string) (prefix, local string) {
	prefix, local, _ = strings.Cut(name, ":")
	if prefix == "" || local == "" {
		return "", name
	}
	return prefix, local
}

// resolve returns the namespace and local name of an element.
func (r *Reader) resolve(name string) (space, local string) {
	prefix, local := cutName(name)
	switch {
	case prefix == "xmlns", name == "xmlns":
		return prefix, local
	case prefix == "xml":
		return "http://www.w3.org/XML/1998/namespace", local
	}
	for i := len(r.bound) - 1; i >= 0; i-- {
		if r.bound[i].prefix == prefix {
			return r.bound[i].space, local
		}
	}
	return prefix, local
}

func (r *Reader) end() bool {
	name := r.name(1)
	if r.blank(); name == "" || !r.skip(">") || len(r.open) == 0 || r.open[len(r.open)-1] != name {
		if r.at < len(r.file) || strings.HasSuffix(r.file, ">") {
			r.hint = "an end tag does not match the last tag that is open"
		}
		return false
	}
	r.pop()
	return true
}

// pop closes the innermost element and removes its namespaces.
func (r *Reader) pop() {
	for n := len(r.bound); n > 0 && r.bound[n-1].depth == len(r.open); n-- {
		r.bound = r.bound[:n-1]
	}
	r.open = r.open[:len(r.open)-1]
}

var versionRE = regexp.MustCompile(`version=("[^"]*"|'[^']*'|["'])`)

func (r *Reader) instruction() bool {
	name := r.name(len(r.file))
	from := r.at
	if name == "" || !r.until("?>") {
		return false
	}
	if name != "xml" {
		return true
	}
	m := versionRE.FindStringSubmatch(r.file[from : r.at-2])
	return m == nil || len(m[1]) <= 2 || m[1][1:len(m[1])-1] == "1.0"
}

// directive reads up to the matching >, ignoring quotes and comments.
func (r *Reader) directive() bool {
	if r.at < len(r.file) && (r.file[r.at] == '-' || r.file[r.at] == '[') { // a malformed comment or CDATA section
		return false
	}
	quote, depth := byte(0), 0
	for r.at++; r.at < len(r.file); { // encoding/xml ignores the first character
		c := r.file[r.at]
		r.at++
		switch {
		case c == quote:
			quote = 0
		case quote != 0:
		case c == '"' || c == '\'':
			quote = c
		case c == '>' && depth == 0:
			return true
		case c == '>':
			depth--
		case c == '<' && r.skip("!--"):
			if !r.until("-->") {
				return false
			}
		case c == '<':
			depth++
		}
	}
	r.at = len(r.file)
	return false
}

// Content returns the position of the characters of a Text or CDATA token,
// without the delimiters of a CDATA section.
func (t Token) Content() (from, to int) {
	if t.Kind == CDATA {
		return t.From + len("<![CDATA["), t.To - len("]]>")
	}
	return t.From, t.To
}

// Piece is a part of the characters of a token: file[From:To] represents Text.
type Piece struct {
	From, To int
	Text     string
	Verbatim bool // Text equals that part of the file, with no reference or line end converted
}

// Pieces yields the parts of a Text or CDATA token. As XML requires, CR LF and CR
// are read as LF.
func (r *Reader) Pieces(t Token) iter.Seq[Piece] {
	from, to := t.Content()
	return pieces(r.file, from, to, t.Kind == Text)
}

func pieces(file string, from, to int, references bool) iter.Seq[Piece] {
	marks := "\r&"
	if !references {
		marks = "\r"
	}
	return func(yield func(Piece) bool) {
		for at := from; at < to; {
			n := strings.IndexAny(file[at:to], marks)
			if n < 0 {
				n = to - at
			}
			p := Piece{From: at, To: at + n, Text: file[at : at+n], Verbatim: true}
			if n == 0 {
				p = special(file[at:to])
				p.From, p.To = at, at+p.To
			}
			if at = p.To; !yield(p) {
				return
			}
		}
	}
}

// special returns the piece of the line end or reference at the start of a text.
func special(text string) Piece {
	switch {
	case strings.HasPrefix(text, "\r\n"):
		return Piece{To: 2, Text: "\n"}
	case text[0] == '\r':
		return Piece{To: 1, Text: "\n"}
	}
	char, n := reference(text)
	return Piece{To: n, Text: char}
}

// Unescape returns the value of an attribute with its references resolved.
func Unescape(value string) string { return join(value, 0, len(value), true) }

// Characters returns the characters of a Text or CDATA token.
func (r *Reader) Characters(t Token) string {
	from, to := t.Content()
	return join(r.file, from, to, t.Kind == Text)
}

func join(file string, from, to int, references bool) string {
	if text := file[from:to]; strings.IndexByte(text, '\r') < 0 && (!references || strings.IndexByte(text, '&') < 0) {
		return text
	}
	var b strings.Builder
	for p := range pieces(file, from, to, references) {
		b.WriteString(p.Text)
	}
	return b.String()
}
