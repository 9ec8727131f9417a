package lazyregexp

import (
	"cmp"
	"math/bits"
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// needs are bytes without which a text cannot match an expression. Looking for them takes a nanosecond for each byte, and running the
// expression twenty times as long, or more.
type needs struct {
	of          [256]uint8 // bit i is set for the bytes of set i, of which the text has one or more
	all         uint8      // the bits of all sets
	first, last *set       // of the first and the last byte of the text, or nil
}

// maxSets is the number of sets that a text is searched for, and maxShare the share of bytes of English text, in thousandths, that the bytes of a set may have: most
// texts contain bytes of a larger set.
const (
	maxSets  = 3
	maxShare = 150
)

// needsOf returns the needs of an expression, which must be valid.
func needsOf(expression string) *needs {
	parsed, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		panic(err)
	}
	n := &needs{}
	sets := required(parsed)
	slices.SortStableFunc(sets, func(a, b set) int { return cmp.Compare(a.share(), b.share()) })
	for i, s := range sets[:min(maxSets, len(sets))] {
		if s.share() > maxShare {
			break
		}
		for b := range n.of {
			if s.has(byte(b)) {
				n.of[b] |= 1 << i
			}
		}
		n.all |= 1 << i
	}
	if anchored(parsed, syntax.OpBeginText, false) {
		n.first = edge(parsed, false)
	}
	if anchored(parsed, syntax.OpEndText, true) {
		n.last = edge(parsed, true)
	}
	return n
}

// met reports whether a text has what the expression needs.
func met[T string | []byte](n *needs, text T) bool {
	if len(text) == 0 {
		return n.all == 0 && n.first == nil && n.last == nil
	}
	if n.first != nil && !n.first.has(text[0]) || n.last != nil && !n.last.has(text[len(text)-1]) {
		return false
	}
	missing := n.all
	for i := 0; i < len(text) && missing != 0; i++ {
		missing &^= n.of[text[i]]
	}
	return missing == 0
}

// set is a set of bytes. All bytes outside of ASCII are in it, or none.
type set [4]uint64

func (s *set) has(b byte) bool { return s[b/64]>>(b%64)&1 != 0 }

// add adds the characters from one to another.
func (s *set) add(from, to rune) {
	for r := from; r <= min(to, utf8.RuneSelf-1); r++ {
		s[r/64] |= 1 << (r % 64)
	}
	if to >= utf8.RuneSelf {
		s[2], s[3] = ^uint64(0), ^uint64(0)
	}
}

func (s *set) join(other set) {
	for i := range s {
		s[i] |= other[i]
	}
}

// share returns about how many of a thousand bytes of English text are in the set.
func (s *set) share() (share int) {
	for b, n := range shares {
		if s.has(byte(b)) {
			share += n
		}
	}
	return share + 2*(bits.OnesCount64(s[0])+bits.OnesCount64(s[1])) + min(5, bits.OnesCount64(s[2]))
}

// shares are the shares of the bytes that are frequent in English text, in thousandths.
var shares = map[rune]int{
	' ': 160, 'e': 90, 't': 65, 'a': 60, 'i': 55, 'o': 55, 'n': 52, 's': 50, 'r': 47, 'd': 33, 'h': 33, 'l': 32, 'c': 26, 'u': 22, 'm': 20, 'p': 18, 'f': 16, 'g': 15,
	'y': 13, 'w': 12, 'b': 10, 'v': 8, '.': 12, ',': 10, '\n': 10, '0': 6, '1': 6, '2': 6,
}

// required returns sets of which each has a byte of any match.
func required(re *syntax.Regexp) []set {
	switch re.Op {
	case syntax.OpLiteral:
		var sets []set
		for _, r := range re.Rune {
			sets = append(sets, ofRune(r, re.Flags))
		}
		return sets
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return []set{ofClass(re)}
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0])
		}
	case syntax.OpConcat:
		var sets []set
		for _, sub := range re.Sub {
			sets = append(sets, required(sub)...)
		}
		return sets
	case syntax.OpAlternate:
		var joined set
		for _, sub := range re.Sub {
			sets := required(sub)
			if len(sets) == 0 {
				return nil
			}
			joined.join(slices.MinFunc(sets, func(a, b set) int { return cmp.Compare(a.share(), b.share()) }))
		}
		return []set{joined}
	}
	return nil
}

func ofRune(r rune, flags syntax.Flags) (s set) {
	s.add(r, r)
	if flags&syntax.FoldCase != 0 {
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			s.add(other, other)
		}
	}
	return s
}

// ofClass returns the bytes of the characters of a class, among them those that are no UTF-8, which package regexp takes for a character outside of ASCII.
func ofClass(re *syntax.Regexp) (s set) {
	switch re.Op {
	case syntax.OpAnyChar:
		s.add(0, unicode.MaxRune)
	case syntax.OpAnyCharNotNL:
		s.add(0, '\n'-1)
		s.add('\n'+1, unicode.MaxRune)
	default:
		for i := 0; i < len(re.Rune); i += 2 {
			s.add(re.Rune[i], re.Rune[i+1])
		}
	}
	return s
}

// anchored reports whether any match begins at the beginning of the text or, if fromEnd, ends at its end, where the expression has the op for it.
func anchored(re *syntax.Regexp, op syntax.Op, fromEnd bool) bool {
	switch re.Op {
	case op:
		return true
	case syntax.OpCapture, syntax.OpPlus:
		return anchored(re.Sub[0], op, fromEnd)
	case syntax.OpConcat:
		sub := re.Sub[0]
		if fromEnd {
			sub = re.Sub[len(re.Sub)-1]
		}
		return anchored(sub, op, fromEnd)
	case syntax.OpAlternate:
		return !slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return !anchored(sub, op, fromEnd) })
	}
	return false
}

// edge returns the bytes that the matches of an expression begin with or, if last, end with. It returns nil if a match may be empty.
func edge(re *syntax.Regexp, last bool) *set {
	s, empty := edges(re, last)
	if empty {
		return nil
	}
	return &s
}

// edges also reports whether a match may be empty.
func edges(re *syntax.Regexp, last bool) (s set, empty bool) {
	switch re.Op {
	case syntax.OpLiteral:
		r := re.Rune[0]
		if last {
			r = re.Rune[len(re.Rune)-1]
		}
		return ofRune(r, re.Flags), false
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return ofClass(re), false
	case syntax.OpCapture, syntax.OpPlus:
		return edges(re.Sub[0], last)
	case syntax.OpStar, syntax.OpQuest:
		s, _ = edges(re.Sub[0], last)
		return s, true
	case syntax.OpRepeat:
		s, empty = edges(re.Sub[0], last)
		return s, empty || re.Min == 0
	case syntax.OpConcat:
		subs := slices.Clone(re.Sub)
		if last {
			slices.Reverse(subs)
		}
		for _, sub := range subs {
			of, empty := edges(sub, last)
			if s.join(of); !empty {
				return s, false
			}
		}
		return s, true
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			of, may := edges(sub, last)
			s.join(of)
			empty = empty || may
		}
		return s, empty
	}
	return s, true
}
