package synth

import (
	"bytes"
	"slices"

	"github.com/lethe-deid/lethe/data"
)

// finish does what concerns the whole note, after its text is known.
func (w *writer) finish() {
	w.agree()
	if w.flat {
		w.oneLine()
	}
	if w.width > 0 {
		w.wrap()
	}
	w.text("\n")
}

// agree turns each "a" of the slot {an} into "an" if a vowel follows.
func (w *writer) agree() {
	for _, at := range slices.Backward(w.articles) {
		rest := bytes.TrimLeft(w.buf[at:], " \n")
		if len(rest) == 0 || bytes.IndexByte([]byte("aeioAEIO8"), rest[0]) < 0 {
			continue
		}
		n := byte('n')
		if w.buf[at-1] == 'A' {
			n = 'N'
		}
		w.buf = slices.Insert(w.buf, at, n)
		for i, s := range w.spans {
			if s.Start >= at {
				w.spans[i].Start, w.spans[i].End = s.Start+1, s.End+1
			}
		}
	}
}

// oneLine writes the note on one line, as it is in some exports.
func (w *writer) oneLine() {
	for i, c := range w.buf {
		if c == '\n' {
			w.buf[i] = ' '
		}
	}
}

// wrap breaks lines at blanks, so that they have at most w.width bytes if possible. A span that
// is broken becomes two.
func (w *writer) wrap() {
	blank, column := -1, 0 // the last blank of the line; the length of the line so far
	for i, c := range w.buf {
		switch {
		case c == '\n':
			blank, column = -1, -1
		case column >= w.width && blank >= 0:
			w.buf[blank] = '\n'
			w.split(blank)
			column, blank = i-blank-1, -1
		}
		if c == ' ' && i > 0 && w.buf[i-1] > ' ' {
			blank = i
		}
		column++
	}
}

// split divides the span that contains the byte at an offset, which belongs to neither part.
func (w *writer) split(at int) {
	for i, s := range w.spans {
		if s.Start < at && at < s.End {
			w.spans = slices.Replace(w.spans, i, i+1, data.Span{Start: s.Start, End: at, Type: s.Type, Score: 1},
				data.Span{Start: at + 1, End: s.End, Type: s.Type, Score: 1})
			return
		}
	}
}
