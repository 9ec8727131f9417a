package rules

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// The machine runs the programs that regexp/syntax compiles. Package regexp provides
// neither word borders outside of ASCII nor a bound on how far a search for all matches
// reads. All threads of a program advance over the text together (Pike's simulation of
// Thompson's automaton), so a run over w bytes takes at most w times the program's
// length. As in Perl, the first alternative that matches wins.

// program is a compiled expression.
type program struct {
	lead   lead // of the program of a rule
	inst   []inst
	reads  []characters // of the instructions
	start  uint32
	guards []*program
	first  [256]bool // bytes that a match can begin with
}

// inst is an instruction of syntax.Prog, prepared for the machine. It is small and has no pointers, because programs have hundreds of thousands of
// instructions, through which the garbage collector would go again and again.
type inst struct {
	op    syntax.InstOp
	group groupEvent // for InstCapture
	loose bool       // for a span's border: it may be between a letter and a digit
	out   uint32
	// arg is the other way out, the condition of an empty width, the number of a program's guard, or that of the characters that are read, by op.
	arg uint32
}

// characters are those that an instruction reads.
type characters struct {
	ascii [2]uint64
	all   syntax.Inst
}

// has reports whether a character is one of them.
func (c *characters) has(r rune) bool {
	if r < utf8.RuneSelf {
		return c.ascii[r/64]&(1<<(r%64)) != 0
	}
	switch c.all.Op {
	case syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		return true
	}
	return c.all.MatchRune(r)
}

// alphabet has the distinct characters of the instructions of several programs, of which there are few: thousands of instructions read a letter.
type alphabet struct {
	mu     sync.Mutex
	all    []characters
	number map[string]uint32
	key    []byte // of the characters added last
}

func newAlphabet() *alphabet { return &alphabet{number: map[string]uint32{}} }

// soFar returns the characters that were added so far, by their numbers.
func (a *alphabet) soFar() []characters {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.all
}

// add returns the number of the characters that an instruction reads.
func (a *alphabet) add(in *syntax.Inst) uint32 {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.key = append(a.key[:0], byte(in.Op), byte(in.Arg))
	for _, c := range in.Rune {
		a.key = binary.LittleEndian.AppendUint32(a.key, uint32(c))
	}
	n, ok := a.number[string(a.key)]
	if !ok {
		n = uint32(len(a.all))
		all := syntax.Inst{Op: in.Op, Arg: in.Arg, Rune: slices.Clone(in.Rune)}
		a.all, a.number[string(a.key)] = append(a.all, characters{lazyregexp.ASCII(&all), all}), n
	}
	return n
}

// groupEvent is the meaning of a group's border.
type groupEvent uint8

const (
	noEvent groupEvent = iota
	spanStart
	spanEnd
	wordBorder // border of a lexicon's entry
	guard      // an expression that must not match here
)

// newProgram prepares prog. events[g] has the events at the start and at the end of
// group g. guards has the programs of the groups that are guards. What the instructions read is added to the alphabet.
func newProgram(prog *syntax.Prog, events [][2]groupEvent, guards map[int]*program, letters *alphabet) *program {
	p := &program{inst: make([]inst, len(prog.Inst)), start: uint32(prog.Start)}
	known := map[*rune]uint32{} // numbers of characters by their ranges, which the instructions of repetitions have in common
	for i, in := range prog.Inst {
		to := &p.inst[i]
		to.op, to.out, to.arg = in.Op, in.Out, in.Arg
		switch {
		case in.Op == syntax.InstCapture:
			to.group = events[in.Arg/2][in.Arg%2]
			if g := guards[int(in.Arg/2)]; to.group == guard {
				to.arg = uint32(len(p.guards))
				p.guards = append(p.guards, g)
			}
		case consumes(in.Op):
			if len(in.Rune) < 2 {
				to.arg = letters.add(&in)
				continue
			}
			n, ok := known[&in.Rune[0]]
			if !ok {
				n = letters.add(&in)
				known[&in.Rune[0]] = n
			}
			to.arg = n
		}
	}
	p.reads = letters.soFar()
	p.mark(p.start, make([]bool, len(p.inst)))
	return p
}

// mark sets the bytes of first that can follow from instruction pc.
func (p *program) mark(pc uint32, seen []bool) {
	if seen[pc] {
		return
	}
	seen[pc] = true
	in := &p.inst[pc]
	switch in.op {
	case syntax.InstAlt, syntax.InstAltMatch:
		p.mark(in.out, seen)
		p.mark(in.arg, seen)
	case syntax.InstCapture, syntax.InstEmptyWidth, syntax.InstNop:
		p.mark(in.out, seen)
	case syntax.InstMatch:
		for b := range p.first {
			p.first[b] = true
		}
	case syntax.InstFail:
	default:
		for b := range p.first {
			switch {
			case b >= utf8.RuneSelf:
				p.first[b] = true // the character depends on the bytes that follow
			case p.reads[in.arg].has(rune(b)):
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

// group has the rules of a scan that are tried in the same parts of a text.
type group struct {
	lead   lead     // the longest one
	rules  []uint32 // their numbers
	layout *layout
	begins [256]bool // bytes that a match can begin with
}

// groupsOf returns the groups of programs.
func groupsOf(programs []*program) []group {
	var groups []group
	for to := range landmarks {
		g := group{lead: lead{to: to}}
		var own []*program
		for k, p := range programs {
			if p.lead.to != to {
				continue
			}
			g.lead.units = max(g.lead.units, p.lead.units)
			g.rules, own = append(g.rules, uint32(k)), append(own, p)
			for b, can := range p.first {
				g.begins[b] = g.begins[b] || can
			}
		}
		if len(own) > 0 {
			g.layout = newLayout(own...)
			groups = append(groups, g)
		}
	}
	return groups
}

// machine runs the programs of a scan. Only one goroutine at a time may use it.
type machine struct {
	now, then queue
	groups    []group
	automata  []*automaton // of the groups
	contexts  map[*program]*automaton
	may       []uint32  // scratch: the rules of a group that can match
	parts     []part    // scratch, of a group
	found     [][]Match // scratch, by rule: its matches
	done      []int     // scratch, by rule: the end of its last span
}

// newMachine returns a machine for the groups of a scan.
func newMachine(groups []group) *machine {
	m := &machine{groups: groups, contexts: map[*program]*automaton{}}
	n := 0
	for _, g := range groups {
		m.automata = append(m.automata, newAutomaton(g.layout))
		n += len(g.rules)
	}
	m.found, m.done = make([][]Match, n), make([]int, n)
	return m
}

// candidates calls yield with each place in a text and the number of each rule that can match there. The places of a rule are in ascending order.
func (m *machine) candidates(text string, yield func(i int, rule uint32)) {
	for n := range m.groups {
		g := &m.groups[n]
		m.parts = g.lead.parts(m.parts[:0], text)
		for _, p := range slices.Backward(m.parts) {
			before := classBefore(text, p.from)
			for i := p.from; i < p.to; {
				class, size := asciiClass[text[i]&0x7f], 1
				if text[i] >= utf8.RuneSelf {
					var r rune
					r, size = utf8.DecodeRuneInString(text[i:])
					class = classOf(r)
				}
				if (!class.word() || !before.word()) && g.begins[text[i]] {
					m.may = m.automata[n].possible(m.may[:0], text, before, i, floor(text, i+maxMatch))
					for _, k := range m.may {
						yield(i, g.rules[k])
					}
				}
				before = class
				i += size
			}
		}
	}
}

// can reports whether p, which is not the program of a rule, can match at text[i] and
// end at or before limit.
func (m *machine) can(p *program, text string, i, limit int) bool {
	d := m.contexts[p]
	if d == nil {
		d = newAutomaton(newLayout(p))
		m.contexts[p] = d
	}
	var one [1]uint32
	return len(d.possible(one[:0], text, classBefore(text, i), i, limit)) > 0
}

// queue has the threads at one position of the text, in order of priority.
type queue struct {
	threads []thread
	seen    []uint32 // by instruction: the generation in which it was last reached
	gen     uint32
}

type thread struct {
	pc         uint32
	start, end int // the span so far
}

func (q *queue) clear(size int) {
	q.threads = q.threads[:0]
	if len(q.seen) < size {
		q.seen = make([]uint32, size)
		q.gen = 0
	}
	if q.gen++; q.gen == 0 { // overflow, after 2^32 clearings
		clear(q.seen)
		q.gen = 1
	}
}

// run returns the span of the match of p that begins at from, and reads up to limit.
// The characters outside of from and limit still determine borders.
func (m *machine) run(p *program, text string, from, limit int) (start, end int, ok bool) {
	var best thread
	m.now.clear(len(p.inst))
	m.add(p, &m.now, p.start, thread{start: from, end: from}, text, from)
	for i := from; len(m.now.threads) > 0; {
		r, size := rune(-1), 0
		if i < limit {
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		m.then.clear(len(p.inst))
		for _, t := range m.now.threads {
			in := &p.inst[t.pc]
			if in.op == syntax.InstMatch {
				best, ok = t, true
				break // the other threads have lower priority
			}
			if size > 0 && p.reads[in.arg].has(r) {
				m.add(p, &m.then, in.out, t, text, i+size)
			}
		}
		m.now, m.then = m.then, m.now
		i += size
	}
	return best.start, best.end, ok
}

// matches reports whether p matches at text[from], and reads up to limit.
func (m *machine) matches(p *program, text string, from, limit int) bool {
	if !m.can(p, text, from, limit) {
		return false
	}
	if len(p.guards) == 0 {
		return true
	}
	_, _, ok := m.run(p, text, from, limit)
	return ok
}

// add adds the threads to q that follow from t at instruction pc without reading a
// character; the next character is text[i].
func (m *machine) add(p *program, q *queue, pc uint32, t thread, text string, i int) {
	for {
		if q.seen[pc] == q.gen {
			return
		}
		q.seen[pc] = q.gen
		in := &p.inst[pc]
		switch in.op {
		case syntax.InstAlt, syntax.InstAltMatch:
			m.add(p, q, in.out, t, text, i)
			pc = in.arg
			continue
		case syntax.InstCapture:
			if !in.passes(classBefore(text, i), classAfter(text, i)) || in.group == guard && m.guarded(p.guards[in.arg], text, i) {
				return
			}
			switch in.group {
			case spanStart:
				t.start, t.end = i, i
			case spanEnd:
				t.end = i
			}
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(in.arg)&^emptyBetween(classBefore(text, i), classAfter(text, i)) != 0 {
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
		pc = in.out
	}
}

// guarded reports whether the guard p, which must not match, matches at text[i].
func (m *machine) guarded(p *program, text string, i int) bool {
	return i < len(text) && p.first[text[i]] && m.can(p, text, i, floor(text, i+maxGuard))
}

// passes reports whether the border of a group can be between two characters.
func (in *inst) passes(before, after class) bool {
	switch in.group {
	case noEvent, guard:
		return true
	}
	if !before.word() || !after.word() {
		return true
	}
	return in.loose && (before == digit && after == letter || before == letter && after == digit)
}

// emptyBetween returns the empty-width assertions that hold between two characters.
func emptyBetween(before, after class) syntax.EmptyOp {
	var op syntax.EmptyOp
	switch before {
	case none:
		op |= syntax.EmptyBeginText | syntax.EmptyBeginLine
	case lineFeed:
		op |= syntax.EmptyBeginLine
	}
	switch after {
	case none:
		op |= syntax.EmptyEndText | syntax.EmptyEndLine
	case lineFeed, carriageReturn:
		op |= syntax.EmptyEndLine
	}
	if before.word() != after.word() {
		return op | syntax.EmptyWordBoundary
	}
	return op | syntax.EmptyNoWordBoundary
}

func classBefore(text string, i int) class {
	if i == 0 {
		return none
	}
	r, _ := utf8.DecodeLastRuneInString(text[:i])
	return classOf(r)
}

func classAfter(text string, i int) class {
	if i == len(text) {
		return none
	}
	r, _ := utf8.DecodeRuneInString(text[i:])
	return classOf(r)
}

// class is the class of a character, as far as empty-width assertions and word borders
// depend on it.
type class uint8

const (
	none class = iota // before or after the text
	other
	lineFeed
	carriageReturn
	letter
	digit
	mark
	classes = int(mark) + 1
)

func (c class) word() bool { return c >= letter }

func classOf(r rune) class {
	if r < utf8.RuneSelf {
		return asciiClass[r]
	}
	switch {
	case unicode.IsLetter(r):
		return letter
	case unicode.IsDigit(r):
		return digit
	case unicode.IsMark(r):
		return mark
	}
	return other
}

var asciiClass = func() (t [utf8.RuneSelf]class) {
	for r := range t {
		switch {
		case r == '\n':
			t[r] = lineFeed
		case r == '\r':
			t[r] = carriageReturn
		case r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z':
			t[r] = letter
		case r >= '0' && r <= '9':
			t[r] = digit
		default:
			t[r] = other
		}
	}
	return t
}()

// asciiOfClass has the ASCII characters of each class as bits.
var asciiOfClass = func() (t [classes][2]uint64) {
	for r, c := range asciiClass {
		t[c][r/64] |= 1 << (r % 64)
	}
	return t
}()
