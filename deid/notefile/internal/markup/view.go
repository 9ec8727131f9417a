// Package markup maps texts to their sources, in which they are escaped or between markup, and tells texts from what cannot be examined.
package markup

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/xmlnotes"
)

// View maps a text to its source, in which it may be escaped, in pieces, or with markup in between.
// It is built from left to right.
type View struct {
	Text   strings.Builder
	Runs   []Run
	Encode func(string) string   // writes text in the syntax of the source
	Others []func(string) string // Encode for parts of the source with another syntax
	Syntax uint8                 // the syntax of the next part to add: 0 for Encode, n for Others[n-1]
}

// Run is a part of the text and of the source. Bytes of the source between two runs do not appear
// in the text and never change.
type Run struct {
	text, n int // start and length in the text, in bytes; n > 0
	From, M int // start and length in the source, in bytes
	kind    RunKind
	syntax  uint8
}

// RunKind is the way in which a part of the source represents a part of the text.
type RunKind uint8

// The kinds of runs.
const (
	Verbatim RunKind = iota // byte for byte
	Escape                  // M bytes of the source represent n bytes of the text
	Markup                  // like Escape, but the bytes stay even if the text is replaced
)

// Verbatim adds source[from:from+len(s)], which equals s.
func (v *View) Verbatim(from int, s string) {
	if s == "" {
		return
	}
	if k := len(v.Runs) - 1; k >= 0 && v.Runs[k].kind == Verbatim && v.Runs[k].From+v.Runs[k].M == from {
		v.Runs[k].n += len(s)
		v.Runs[k].M += len(s)
	} else {
		v.Runs = append(v.Runs, Run{v.Text.Len(), len(s), from, len(s), Verbatim, v.Syntax})
	}
	v.Text.WriteString(s)
}

// Stands adds source[from:from+m], which represents s. If s is empty, the text does not change.
func (v *View) Stands(kind RunKind, from, m int, s string) {
	if s != "" {
		v.Runs = append(v.Runs, Run{v.Text.Len(), len(s), from, m, kind, v.Syntax})
		v.Text.WriteString(s)
	}
}

// Edit replaces a part of a note's text.
type Edit struct {
	Start, End int     // Text[Start:End] is replaced; in bytes
	New        string  // may be empty
	Type       string  // the type of the replaced PHI
	Score      float64 // its score, in [0,1]
}

// Below translates edits of the text, sorted and disjoint, into edits of the source. If an edit
// spans several runs, the first gets all new text and the others become empty, unless the new text
// has the text of the markup between them, such as a line end: see besideMarkup. Markup does not
// change; an edit of nothing but markup is dropped.
func (v *View) Below(edits []Edit) []Edit {
	edits = v.besideMarkup(edits)
	var out []Edit
	text := v.Text.String()
	written := -1 // the last edit whose text is written
	first, _ := slices.BinarySearchFunc(v.Runs, firstStart(edits), func(r Run, at int) int { return cmp.Compare(r.text+r.n, at+1) })
	for next, k := 0, first; k < len(v.Runs) && next < len(edits); k++ {
		r := v.Runs[k]
		for next < len(edits) && edits[next].End <= r.text {
			next++
		}
		end := r.text + r.n
		if next == len(edits) || edits[next].Start >= end || r.kind == Markup {
			continue
		}
		encode := v.Encode
		if r.syntax > 0 {
			encode = v.Others[r.syntax-1]
		}
		var whole strings.Builder // the new text of an escape
		at := r.text
		for i := next; i < len(edits) && edits[i].Start < end; i++ {
			from, to := max(edits[i].Start, r.text), min(edits[i].End, end)
			replaced := ""
			if i > written {
				replaced, written = encode(edits[i].New), i
			}
			if r.kind == Verbatim {
				out = append(out, Edit{Start: r.From + from - r.text, End: r.From + to - r.text, New: replaced})
				continue
			}
			whole.WriteString(encode(text[at:from]))
			whole.WriteString(replaced)
			at = to
		}
		if r.kind == Escape {
			whole.WriteString(encode(text[at:end]))
			out = append(out, Edit{Start: r.From, End: r.From + r.M, New: whole.String()})
		}
	}
	return out
}

// besideMarkup divides edits whose new text contains the text of the markup within them. A first name and a surname with a line end between them stay on both sides of
// the markup for the line end, which would otherwise be written a second time.
func (v *View) besideMarkup(edits []Edit) []Edit {
	var out []Edit
	for _, e := range edits {
		whole, divided := e, true
		k, _ := slices.BinarySearchFunc(v.Runs, e.Start, func(r Run, at int) int { return cmp.Compare(r.text+r.n, at+1) })
		var parts []Edit
		for ; k < len(v.Runs) && v.Runs[k].text+v.Runs[k].n < e.End && divided; k++ {
			r := v.Runs[k]
			if r.kind != Markup || r.text < e.Start {
				continue
			}
			part := e
			part.End, e.Start = r.text, r.text+r.n
			part.New, e.New, divided = strings.Cut(e.New, v.Text.String()[r.text:e.Start])
			parts = append(parts, part)
		}
		if divided {
			out = append(out, slices.DeleteFunc(append(parts, e), func(e Edit) bool { return e.Start == e.End && e.New == "" })...)
		} else {
			out = append(out, whole)
		}
	}
	return out
}

// Above returns where spans of the source are in the text, sorted. A span with markup in it that has a text is divided there.
func (v *View) Above(spans []data.Span) []data.Span {
	runs := slices.DeleteFunc(slices.Clone(v.Runs), func(r Run) bool { return r.kind == Markup })
	slices.SortFunc(runs, func(a, b Run) int { return cmp.Compare(a.From, b.From) })
	var above []data.Span
	for _, s := range spans {
		var parts []data.Span
		k, _ := slices.BinarySearchFunc(runs, s.Start, func(r Run, at int) int { return cmp.Compare(r.From+r.M, at+1) })
		for ; k < len(runs) && runs[k].From < s.End; k++ {
			r, part := runs[k], s
			part.Start, part.End = r.text, r.text+r.n
			if r.kind == Verbatim {
				part.Start, part.End = r.text+max(0, s.Start-r.From), r.text+min(r.n, s.End-r.From)
			}
			if n := len(parts); n > 0 && parts[n-1].End == part.Start {
				parts[n-1].End = part.End
			} else {
				parts = append(parts, part)
			}
		}
		above = append(above, parts...)
	}
	data.SortSpans(above)
	return above
}

func firstStart(edits []Edit) int {
	if len(edits) == 0 {
		return 0
	}
	return edits[0].Start
}

// CDATAEnd ends a section of CDATA in XML.
const CDATAEnd = "]]>"

// SplitCDATAEnd prevents new text from completing "]]>", which XML text must not contain, together
// with the text before or after it. The edits are sorted and disjoint. Inside a CDATA section, as
// cdata reports for a position, a second section begins before the last character; elsewhere that
// character is escaped. Neither changes the text.
func SplitCDATAEnd(source string, edits []Edit, cdata func(at int) bool) []Edit {
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
		n := strings.Index(tail+s[:min(2, len(s))], CDATAEnd)
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

// CheckEdits returns an error unless the edits are sorted, disjoint, and within n bytes.
func CheckEdits(edits []Edit, n int) error {
	at := 0
	for _, e := range edits {
		if e.Start < at || e.End < e.Start || e.End > n {
			return errOverlap
		}
		at = e.End
	}
	return nil
}

// Apply applies edits that CheckEdits has accepted.
func Apply(text string, edits []Edit) string {
	if len(edits) == 0 {
		return text
	}
	return string(ApplyBytes([]byte(text), edits))
}

// ApplyBytes is Apply for bytes, which it does not change.
func ApplyBytes(text []byte, edits []Edit) []byte {
	size := len(text)
	for _, e := range edits {
		size += len(e.New) - (e.End - e.Start)
	}
	all := make([]byte, 0, size)
	at := 0
	for _, e := range edits {
		all = append(append(all, text[at:e.Start]...), e.New...)
		at = e.End
	}
	return append(all, text[at:]...)
}

// SortEdits sorts edits by their places.
func SortEdits(edits []Edit) {
	slices.SortStableFunc(edits, func(a, b Edit) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End)) })
}

// EscapeText encodes text for XML outside of CDATA sections.
func EscapeText(text string) string { return xmlnotes.EscapeText(xmlnotes.Legal(text)) }
