package notefile

import (
	"cmp"
	"errors"
	"slices"
	"strings"
)

// view maps a text to its source, in which it may be escaped, in pieces, or with markup in between.
// It is built from left to right.
type view struct {
	text   strings.Builder
	runs   []run
	encode func(string) string   // writes text in the syntax of the source
	others []func(string) string // encode for parts of the source with another syntax
	syntax uint8                 // the syntax of the next part to add: 0 for encode, n for others[n-1]
}

// run is a part of the text and of the source. Bytes of the source between two runs do not appear
// in the text and never change.
type run struct {
	text, n int // start and length in the text, in bytes; n > 0
	from, m int // start and length in the source, in bytes
	kind    runKind
	syntax  uint8
}

type runKind uint8

const (
	verbatim runKind = iota // byte for byte
	escape                  // m bytes of the source represent n bytes of the text
	markup                  // like escape, but the bytes stay even if the text is replaced
)

// verbatim adds source[from:from+len(s)], which equals s.
func (v *view) verbatim(from int, s string) {
	if s == "" {
		return
	}
	if k := len(v.runs) - 1; k >= 0 && v.runs[k].kind == verbatim && v.runs[k].from+v.runs[k].m == from {
		v.runs[k].n += len(s)
		v.runs[k].m += len(s)
	} else {
		v.runs = append(v.runs, run{v.text.Len(), len(s), from, len(s), verbatim, v.syntax})
	}
	v.text.WriteString(s)
}

// stands adds source[from:from+m], which represents s. If s is empty, the text does not change.
func (v *view) stands(kind runKind, from, m int, s string) {
	if s != "" {
		v.runs = append(v.runs, run{v.text.Len(), len(s), from, m, kind, v.syntax})
		v.text.WriteString(s)
	}
}

// Edit replaces a part of a note's text.
type Edit struct {
	Start, End int     // Text[Start:End] is replaced; in bytes
	New        string  // may be empty
	Type       string  // the type of the replaced PHI
	Score      float64 // its score, in [0,1]
}

// below translates edits of the text, sorted and disjoint, into edits of the source. If an edit
// spans several runs, the first gets all new text and the others become empty. Markup does not
// change; an edit of nothing but markup is dropped.
func (v *view) below(edits []Edit) []Edit {
	var out []Edit
	text := v.text.String()
	written := -1 // the last edit whose text is written
	first, _ := slices.BinarySearchFunc(v.runs, firstStart(edits), func(r run, at int) int { return cmp.Compare(r.text+r.n, at+1) })
	for next, k := 0, first; k < len(v.runs) && next < len(edits); k++ {
		r := v.runs[k]
		for next < len(edits) && edits[next].End <= r.text {
			next++
		}
		end := r.text + r.n
		if next == len(edits) || edits[next].Start >= end || r.kind == markup {
			continue
		}
		encode := v.encode
		if r.syntax > 0 {
			encode = v.others[r.syntax-1]
		}
		var whole strings.Builder // the new text of an escape
		at := r.text
		for i := next; i < len(edits) && edits[i].Start < end; i++ {
			from, to := max(edits[i].Start, r.text), min(edits[i].End, end)
			replaced := ""
			if i > written {
				replaced, written = encode(edits[i].New), i
			}
			if r.kind == verbatim {
				out = append(out, Edit{Start: r.from + from - r.text, End: r.from + to - r.text, New: replaced})
				continue
			}
			whole.WriteString(encode(text[at:from]))
			whole.WriteString(replaced)
			at = to
		}
		if r.kind == escape {
			whole.WriteString(encode(text[at:end]))
			out = append(out, Edit{Start: r.from, End: r.from + r.m, New: whole.String()})
		}
	}
	return out
}

func firstStart(edits []Edit) int {
	if len(edits) == 0 {
		return 0
	}
	return edits[0].Start
}

const cdataEnd = "]]>"

// splitCDATAEnd prevents new text from completing "]]>", which XML text must not contain, together
// with the text before or after it. The edits are sorted and disjoint. Inside a CDATA section, as
// cdata reports for a position, a second section begins before the last character; elsewhere that
// character is escaped. Neither changes the text.
func splitCDATAEnd(source string, edits []Edit, cdata func(at int) bool) []Edit {
	const parted = "]]><![CDATA["
	var out []Edit
	tail := "" // the last two bytes written
	last2 := func(s string) string { return s[max(0, len(s)-2):] }
	add := func(s string) {
		if len(s) < 2 {
			s = tail + s
		}
		tail = last2(s)
	}
	// completed returns the position of the last character of "]]>". Only the beginning of the
	// text matters.
	completed := func(s string) int {
		if s == "" || s[0] != ']' && s[0] != '>' {
			return -1
		}
		n := strings.Index(tail+s[:min(2, len(s))], cdataEnd)
		if n < 0 {
			return -1
		}
		return n + 2 - len(tail)
	}
	for i, e := range edits {
		if i == 0 {
			tail = last2(source[:e.Start])
		}
		inside := cdata(e.Start)
		if n := completed(e.New); n >= 0 && inside {
			e.New = e.New[:n] + parted + e.New[n:]
		}
		out = append(out, e)
		add(e.New)
		gap := source[e.End:]
		if i+1 < len(edits) {
			gap = source[e.End:edits[i+1].Start]
		}
		if n := completed(gap); n >= 0 {
			at := e.End + n
			if inside {
				out = append(out, Edit{Start: at, End: at, New: parted})
			} else {
				out = append(out, Edit{Start: at, End: at + 1, New: "&gt;"})
			}
		}
		add(gap)
	}
	return out
}

var errOverlap = errors.New("two edits of the same place: the record cannot be written")

// checkEdits returns an error unless the edits are sorted, disjoint, and within n bytes.
func checkEdits(edits []Edit, n int) error {
	at := 0
	for _, e := range edits {
		if e.Start < at || e.End < e.Start || e.End > n {
			return errOverlap
		}
		at = e.End
	}
	return nil
}

// apply applies edits that checkEdits has accepted.
func apply(text string, edits []Edit) string {
	if len(edits) == 0 {
		return text
	}
	var b strings.Builder
	at := 0
	for _, e := range edits {
		b.WriteString(text[at:e.Start])
		b.WriteString(e.New)
		at = e.End
	}
	b.WriteString(text[at:])
	return b.String()
}

func sortEdits(edits []Edit) {
	slices.SortStableFunc(edits, func(a, b Edit) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End)) })
}
