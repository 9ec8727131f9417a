package rules

import (
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// A rule that may begin with any word would be followed to the end of each word of a text, together with all others. Nearly all such rules need a digit or a sign of an address of mail within a few words.
// They are tried apart from the others, and only where one follows so closely.

// landmark is what the matches of a rule have in common.
type landmark uint8

const (
	nothing landmark = iota
	aDigit
	aSign
	landmarks
)

// of are the characters of each landmark.
var of = [landmarks]string{aDigit: "0123456789", aSign: "@(["}

// are reports whether all characters from first to last are the landmark.
func (l landmark) are(first, last rune) bool {
	for r := first; r <= last; r++ {
		if !strings.ContainsRune(of[l], r) {
			return false
		}
	}
	return true
}

// maxLead is the maximum lead of a rule that is not tried everywhere.
const maxLead = 64

// lead is how much of a text the matches of a rule may read before they come to a landmark. It is measured in units: a run of letters or of blanks is one, and so is each other character of ASCII.
// Characters outside of ASCII are none in a text, because the classes of an expression need not tell which run they belong to.
type lead struct {
	to    landmark
	units int
}

// leadOf returns the lead of an expression whose matches begin with the bytes of first. If they do not begin with any letter, it is that to nothing.
func leadOf(tree *syntax.Regexp, first *[256]bool) lead {
	for b := 'a'; b <= 'z'; b++ {
		if !first[b] {
			return lead{}
		}
	}
	for to := nothing + 1; to < landmarks; to++ {
		if s := to.stretch(tree); s.past < 0 && s.before <= maxLead {
			return lead{to, s.before}
		}
	}
	return lead{}
}

// stretch is how many units a part of an expression reads at most, and -1 if it never does so.
type stretch struct {
	past   int // without coming to a landmark
	before int // before the first landmark
}

// tooFar is more units than any lead has.
const tooFar = maxLead + 1

func (l landmark) stretch(tree *syntax.Regexp) stretch {
	switch tree.Op {
	case syntax.OpNoMatch:
		return stretch{-1, -1}
	case syntax.OpLiteral:
		return l.ofLiteral(tree.Rune)
	case syntax.OpCharClass:
		for i := 0; i < len(tree.Rune); i += 2 {
			if !l.are(tree.Rune[i], tree.Rune[i+1]) {
				return stretch{1, -1}
			}
		}
		return stretch{-1, 0}
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return stretch{1, -1}
	case syntax.OpCapture:
		return l.stretch(tree.Sub[0])
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		return l.ofRepetition(tree)
	case syntax.OpConcat:
		s := stretch{0, -1}
		for _, sub := range tree.Sub {
			next := l.stretch(sub)
			if next.before >= 0 {
				s.before = max(s.before, min(s.past+next.before, tooFar))
			}
			if next.past < 0 {
				return stretch{-1, s.before}
			}
			s.past = min(s.past+next.past, tooFar)
		}
		return s
	case syntax.OpAlternate:
		s := stretch{-1, -1}
		for _, sub := range tree.Sub {
			next := l.stretch(sub)
			s.past, s.before = max(s.past, next.past), max(s.before, next.before)
		}
		return s
	}
	return stretch{0, -1} // an assertion, which reads nothing
}

func (l landmark) ofLiteral(text []rune) stretch {
	units, before := 0, alone
	for _, r := range text {
		if l.are(r, r) {
			return stretch{-1, units}
		}
		in := runOf(r, r)
		if in == alone || in != before {
			units++
		}
		before = in
	}
	return stretch{min(units, tooFar), -1}
}

func (l landmark) ofRepetition(tree *syntax.Regexp) stretch {
	least, most := 0, tooFar
	switch tree.Op {
	case syntax.OpPlus:
		least = 1
	case syntax.OpQuest:
		most = 1
	case syntax.OpRepeat:
		if least = tree.Min; tree.Max >= 0 {
			most = tree.Max
		}
	}
	if isRun(tree.Sub[0]) {
		most = min(most, 1) // all together are one unit
	}
	one := l.stretch(tree.Sub[0])
	s := one
	switch {
	case one.past >= 0:
		s.past = min(one.past*most, tooFar)
		if one.before >= 0 {
			s.before = min(one.past*max(most-1, 0)+one.before, tooFar)
		}
	case least == 0:
		s.past = 0
	}
	return s
}

// run is the kind of run that a character belongs to.
type run uint8

const (
	alone run = iota // none: the character is a unit of its own
	ofLetters
	ofBlanks
	ofAny   // not ASCII
	reached // a landmark
)

// runOf returns the kind of run that all characters from first to last belong to.
func runOf(first, last rune) run {
	switch {
	case first >= utf8.RuneSelf:
		return ofAny
	case first >= 'A' && last <= 'Z', first >= 'a' && last <= 'z':
		return ofLetters
	case first == last && (first == ' ' || first == '\t'):
		return ofBlanks
	}
	return alone
}

// isRun reports whether the characters of a class belong to one kind of run.
func isRun(tree *syntax.Regexp) bool {
	if tree.Op != syntax.OpCharClass {
		return false
	}
	in := ofAny
	for i := 0; i < len(tree.Rune) && tree.Rune[i] < utf8.RuneSelf; i += 2 {
		next := runOf(tree.Rune[i], min(tree.Rune[i+1], utf8.RuneSelf-1))
		if next == alone || in != ofAny && next != in {
			return false
		}
		in = next
	}
	return true
}

// runsTo has the kinds of the bytes of a text for each landmark.
var runsTo = func() (all [landmarks][256]run) {
	for to := range all {
		for b := range all[to] {
			all[to][b] = runOf(rune(b), rune(b))
			if strings.IndexByte(of[to], byte(b)) >= 0 {
				all[to][b] = reached
			}
		}
	}
	return all
}()

// part is a part of a text, in bytes.
type part struct{ from, to int }

// parts appends the parts of a text where a match with the lead can begin, the last one first.
func (l lead) parts(parts []part, text string) []part {
	if l.to == nothing {
		return append(parts, part{0, len(text)})
	}
	runs := &runsTo[l.to]
	units, before := tooFar, alone
	for i := len(text) - 1; i >= 0; i-- {
		in := runs[text[i]]
		switch {
		case in == reached:
			if units > l.units {
				parts = append(parts, part{to: i + 1})
			}
			units, before = 0, alone
		case units > l.units:
			continue
		case in != ofAny:
			if in == alone || in != before {
				units++
			}
			if before = in; units > l.units {
				parts[len(parts)-1].from = i + 1
			}
		}
	}
	return parts
}
