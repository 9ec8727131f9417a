package rules

import (
	"regexp/syntax"
	"unicode"
	"unicode/utf8"
)

// The machine runs the programs that regexp/syntax compiles, since package regexp
// gives neither borders of words outside of ASCII nor a bound on how far a search
// for all matches reads. All threads of a program step over the text at once (Pike's
// simulation of Thompson's automaton), so a run over w bytes takes at most w times the
// program's length. As in Perl, the first alternative that matches wins.

// program is a compiled expression.
type program struct {
	inst  []inst
	start uint32
	first [256]bool // the bytes that a match can begin with
}

// inst is an instruction of syntax.Prog, made ready.
type inst struct {
	syntax.Inst
	ascii [2]uint64  // the ASCII characters that it matches
	group groupEvent // of InstCapture
	loose bool       // of a span's border: it may be one between letter and digit
	guard *program   // of InstCapture with the event guard
}

// groupEvent is what passing the border of a group means.
type groupEvent uint8

const (
	noEvent groupEvent = iota
	spanStart
	spanEnd
	wordBorder // of an entry of a lexicon
	guard      // what must not match here
)

// newProgram readies prog, whose group g means events[g]: what happens at its start
// and at its end. guards is the programs of the groups that are guards.
func newProgram(prog *syntax.Prog, events [][2]groupEvent, guards map[int]*program) *program {
	p := &program{inst: make([]inst, len(prog.Inst)), start: uint32(prog.Start)}
	for i, in := range prog.Inst {
		p.inst[i].Inst = in
		switch {
		case in.Op == syntax.InstCapture:
			p.inst[i].group, p.inst[i].guard = events[in.Arg/2][in.Arg%2], guards[int(in.Arg/2)]
		case consumes(in.Op):
			for r := range rune(utf8.RuneSelf) {
				if matchRune(&in, r) {
					p.inst[i].ascii[r/64] |= 1 << (r % 64)
				}
			}
		}
	}
	p.mark(p.start, make([]bool, len(p.inst)))
	return p
}

// mark fills first with what can follow from the instruction pc on.
func (p *program) mark(pc uint32, seen []bool) {
	if seen[pc] {
		return
	}
	seen[pc] = true
	in := &p.inst[pc]
	switch in.Op {
	case syntax.InstAlt, syntax.InstAltMatch:
		p.mark(in.Out, seen)
		p.mark(in.Arg, seen)
	case syntax.InstCapture, syntax.InstEmptyWidth, syntax.InstNop:
		p.mark(in.Out, seen)
	case syntax.InstMatch:
		for b := range p.first {
			p.first[b] = true
		}
	case syntax.InstFail:
	default:
		for b := range p.first {
			switch {
			case b >= utf8.RuneSelf:
				p.first[b] = true // what it is depends on the bytes that follow
			case in.ascii[b/64]&(1<<(b%64)) != 0:
				p.first[b] = true
			}
		}
	}
}

func consumes(op syntax.InstOp) bool {
	switch op {
	case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		return true
	}
	return false
}

func matchRune(in *syntax.Inst, r rune) bool {
	switch in.Op {
	case syntax.InstRuneAny:
		return true
	case syntax.InstRuneAnyNotNL:
		return r != '\n'
	}
	return in.MatchRune(r)
}

func (in *inst) matches(r rune) bool {
	if r < utf8.RuneSelf {
		return in.ascii[r/64]&(1<<(r%64)) != 0
	}
	return matchRune(&in.Inst, r)
}

// machine runs programs. Its memory is of the order of the longest of them.
type machine struct {
	now, then queue
	guard     *machine // for guards, which have no guards themselves
}

// queue is the threads at one place of the text, in order of priority.
type queue struct {
	threads []thread
	seen    []uint32 // by instruction: the generation that it was last reached in
	gen     uint32
}

type thread struct {
	pc         uint32
	start, end int // the span, so far
}

func (q *queue) clear(size int) {
	q.threads = q.threads[:0]
	if len(q.seen) < size {
		q.seen = make([]uint32, size)
		q.gen = 0
	}
	if q.gen++; q.gen == 0 { // after 2^32 clearings
		clear(q.seen)
		q.gen = 1
	}
}

// mode is how a run goes.
type mode uint8

const (
	anywhere mode = 1 << iota // a match may begin at any character
	toTheEnd                  // a match must end at the limit
)

// run returns the span of the match of p that begins at from, and reads to limit at
// most. What stands outside of the two still counts for borders.
func (m *machine) run(p *program, text string, from, limit int, mode mode) (start, end int, ok bool) {
	var best thread
	m.now.clear(len(p.inst))
	for i := from; ; {
		if i == from || mode&anywhere != 0 && !ok {
			m.add(p, &m.now, p.start, thread{start: i, end: i}, text, i)
		}
		if len(m.now.threads) == 0 && (mode&anywhere == 0 || ok) {
			break
		}
		r, size := rune(-1), 0
		if i < limit {
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		m.then.clear(len(p.inst))
		for _, t := range m.now.threads {
			in := &p.inst[t.pc]
			if in.Op == syntax.InstMatch {
				if mode&toTheEnd != 0 && i != limit {
					continue
				}
				best, ok = t, true
				break // the rest has lower priority
			}
			if r >= 0 && in.matches(r) {
				m.add(p, &m.then, in.Out, t, text, i+size)
			}
		}
		if size == 0 {
			break
		}
		m.now, m.then = m.then, m.now
		i += size
	}
	return best.start, best.end, ok
}

func (m *machine) matches(p *program, text string, from, limit int, mode mode) bool {
	_, _, ok := m.run(p, text, from, limit, mode)
	return ok
}

// add puts the threads into q that follow from t at instruction pc without a
// character being read; the next is text[i].
func (m *machine) add(p *program, q *queue, pc uint32, t thread, text string, i int) {
	for {
		if q.seen[pc] == q.gen {
			return
		}
		q.seen[pc] = q.gen
		in := &p.inst[pc]
		switch in.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			m.add(p, q, in.Out, t, text, i)
			pc = in.Arg
			continue
		case syntax.InstCapture:
			switch in.group {
			case noEvent:
			case guard:
				if m.guarded(in.guard, text, i) {
					return
				}
			default:
				if !border(text, i) && !(in.loose && letterMeetsDigit(text, i)) {
					return
				}
				if in.group == spanStart {
					t.start = i
				}
				if in.group != wordBorder {
					t.end = i
				}
			}
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(in.Arg)&^emptyAt(text, i) != 0 {
				return
			}
		case syntax.InstNop:
		case syntax.InstFail:
			return
		default:
			t.pc = pc
			q.threads = append(q.threads, t)
			return
		}
		pc = in.Out
	}
}

// guarded says whether p, which must not match at text[i], does.
func (m *machine) guarded(p *program, text string, i int) bool {
	if i == len(text) || !p.first[text[i]] {
		return false
	}
	if m.guard == nil {
		m.guard = &machine{}
	}
	return m.guard.matches(p, text, i, floor(text, i+maxGuard), 0)
}

// emptyAt is the empty expressions that match at text[i].
func emptyAt(text string, i int) syntax.EmptyOp {
	var op syntax.EmptyOp
	if i == 0 {
		op |= syntax.EmptyBeginText | syntax.EmptyBeginLine
	} else if text[i-1] == '\n' {
		op |= syntax.EmptyBeginLine
	}
	if i == len(text) {
		op |= syntax.EmptyEndText | syntax.EmptyEndLine
	} else if text[i] == '\n' || text[i] == '\r' {
		op |= syntax.EmptyEndLine
	}
	if wordBefore(text, i) != wordAfter(text, i) {
		return op | syntax.EmptyWordBoundary
	}
	return op | syntax.EmptyNoWordBoundary
}

// border says whether no word goes on at text[i].
func border(text string, i int) bool { return !wordBefore(text, i) || !wordAfter(text, i) }

// letterMeetsDigit says whether a letter and a digit meet at text[i], as in 40F.
func letterMeetsDigit(text string, i int) bool {
	if i == 0 || i == len(text) {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	after, _ := utf8.DecodeRuneInString(text[i:])
	return unicode.IsDigit(before) && unicode.IsLetter(after) || unicode.IsLetter(before) && unicode.IsDigit(after)
}

func wordAfter(text string, i int) bool {
	if i == len(text) {
		return false
	}
	word, _ := wordAt(text, i)
	return word
}

func wordBefore(text string, i int) bool {
	if i == 0 {
		return false
	}
	if b := text[i-1]; b < utf8.RuneSelf {
		return wordByte[b]
	}
	r, _ := utf8.DecodeLastRuneInString(text[:i])
	return wordRune(r)
}

// wordAt says whether the character at text[i] is one of a word, and its length.
func wordAt(text string, i int) (word bool, size int) {
	if b := text[i]; b < utf8.RuneSelf {
		return wordByte[b], 1
	}
	r, size := utf8.DecodeRuneInString(text[i:])
	return wordRune(r), size
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

var wordByte = func() (t [utf8.RuneSelf]bool) {
	for r := range rune(utf8.RuneSelf) {
		t[r] = wordRune(r)
	}
	return t
}()
