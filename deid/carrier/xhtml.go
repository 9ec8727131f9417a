package carrier

import (
	"html"
	"strings"
)

// blocks are the elements of XHTML whose tags part words or lines.
var blocks = map[string]string{
	"address": "\n", "blockquote": "\n", "br": "\n", "caption": "\n", "dd": "\n", "div": "\n", "dl": "\n", "dt": "\n", "h1": "\n", "h2": "\n",
	"h3": "\n", "h4": "\n", "h5": "\n", "h6": "\n", "hr": "\n", "img": " ", "li": "\n", "ol": "\n", "p": "\n", "pre": "\n", "section": "\n",
	"table": "\n", "tbody": "\n", "td": "\t", "tfoot": "\n", "th": "\t", "thead": "\n", "tr": "\n", "ul": "\n",
}

// xhtmlView reads a narrative: the text between tags. Tags of blocks and table cells
// show as line ends and tabs, others not at all; what stands within tags is not read. A
// comment is text. So is what looks like a tag and never ends.
func xhtmlView(source string) *view {
	v := &view{encode: escapeText}
	for at := 0; at < len(source); {
		rest := source[at:]
		n := strings.IndexAny(rest, "<&")
		if n < 0 {
			n = len(rest)
		}
		v.verbatim(at, rest[:n])
		at += n
		rest = rest[n:]
		if rest == "" {
			break
		}
		if rest[0] == '&' {
			n := entity(rest)
			if text := html.UnescapeString(rest[:n]); n > 1 && text != rest[:n] {
				v.stands(escape, at, n, text)
			} else {
				v.verbatim(at, rest[:n])
			}
			at += n
			continue
		}
		if strings.HasPrefix(rest, "<!--") {
			v.stands(markup, at, 4, "\n")
			at += 4
			continue // the text of the comment, and its end as text
		}
		n, name := tag(rest)
		if n == 0 {
			v.verbatim(at, "<")
			at++
			continue
		}
		v.stands(markup, at, n, blocks[name])
		at += n
	}
	return v
}

// entity is the length of the reference that the text begins with, or 1.
func entity(s string) int {
	end := strings.IndexByte(s[:min(len(s), 32)], ';')
	if end < 2 {
		return 1
	}
	for _, c := range s[1:end] {
		if c != '#' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return 1
		}
	}
	return end + 1
}

// tag is the length and the name of the tag that the text begins with, or 0.
func tag(s string) (int, string) {
	at := 1
	if at < len(s) && s[at] == '/' {
		at++
	}
	start := at
	for at < len(s) && (s[at] >= 'a' && s[at] <= 'z' || s[at] >= 'A' && s[at] <= 'Z' || at > start && s[at] >= '0' && s[at] <= '9') {
		at++
	}
	if at == start {
		return 0, ""
	}
	name := strings.ToLower(s[start:at])
	quote := byte(0)
	for ; at < len(s); at++ {
		switch c := s[at]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '>':
			return at + 1, name
		case c == '<':
			return 0, ""
		}
	}
	return 0, ""
}
