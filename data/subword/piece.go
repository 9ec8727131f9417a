package subword

import "unicode/utf8"

// none is the id of text that is not an added token.
const none = -1

// piece is a part of a text, in its present form, that knows from which bytes of the original text each of its bytes was made.
type piece struct {
	s    string
	from []span // one for each byte of s; nil if s is the original text that begins at base
	base int    // of s in the original text
	id   int32  // of the added token that s is, or none
}

// span is a range of bytes of the original text. The starts, and the ends, of the spans of a piece never decrease.
type span struct{ start, end int32 }

// at returns what byte i was made from.
func (p *piece) at(i int) span {
	if p.from != nil {
		return p.from[i]
	}
	return span{int32(p.base + i), int32(p.base + i + 1)}
}

// span returns what s[i:j] was made from, which is empty if nothing was.
func (p *piece) span(i, j int) span {
	if i < j {
		return span{p.at(i).start, p.at(j - 1).end}
	}
	return p.border(i)
}

// border returns the empty span before byte i.
func (p *piece) border(i int) span {
	var at int32
	switch {
	case i < len(p.s):
		at = p.at(i).start
	case i > 0:
		at = p.at(i - 1).end
	default:
		at = int32(p.base)
	}
	return span{at, at}
}

// cut returns s[i:j] as a piece.
func (p *piece) cut(i, j int) piece {
	q := piece{s: p.s[i:j], id: none}
	q.base = int(p.border(i).start)
	if p.from != nil {
		q.from = p.from[i:j:j]
	}
	return q
}

// edit makes a piece from another one by replacing parts of it from left to right.
type edit struct {
	in   piece
	done int // bytes of in that have been copied or replaced
	out  []byte
	from []span
	any  bool // whether anything was replaced
}

// replace replaces in.s[i:j] by a string. Every byte of the string is made from the whole of in.s[i:j], except that a code
// point replaced by one of the same length keeps what its bytes were made from.
func (e *edit) replace(i, j int, with string) {
	if !e.any {
		e.any = true
		e.out = make([]byte, 0, len(e.in.s)+len(e.in.s)/8+16)
	}
	e.keep(i)
	oneToOne := len(with) == j-i && j > i && isRune(with) && isRune(e.in.s[i:j])
	if e.from == nil && (!oneToOne || e.in.from != nil) {
		e.from = make([]span, 0, cap(e.out))
		for k := range e.done {
			e.from = append(e.from, e.in.at(k))
		}
	}
	e.out = append(e.out, with...)
	if e.from != nil {
		whole := e.in.span(i, j)
		for k := range len(with) {
			if oneToOne {
				whole = e.in.at(i + k)
			}
			e.from = append(e.from, whole)
		}
	}
	e.done = j
}

// keep copies what precedes byte i.
func (e *edit) keep(i int) {
	e.out = append(e.out, e.in.s[e.done:i]...)
	if e.from != nil {
		for k := e.done; k < i; k++ {
			e.from = append(e.from, e.in.at(k))
		}
	}
	e.done = i
}

// result copies the rest and returns the new piece.
func (e *edit) result() piece {
	if !e.any {
		return e.in
	}
	e.keep(len(e.in.s))
	return piece{s: string(e.out), from: e.from, base: e.in.base, id: e.in.id}
}

func isRune(s string) bool {
	_, n := utf8.DecodeRuneInString(s)
	return n == len(s)
}
