package lazyregexp

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"sync"
	"sync/atomic"
	"unicode"
	"unicode/utf8"
)

// Package regexp follows all threads of an expression through a text, or goes back and forth, at 20 to 100 nanoseconds a byte. Most searches find nothing. So a deterministic automaton comes first,
// which takes some two nanoseconds a byte and tells whether there is a match: its states are sets of places in the expression, and are made when a text first leads to them.

// automaton tells whether an expression matches in a text. Several goroutines may use it at once.
type automaton struct {
	insts    []inst
	start    uint32 // the instruction to begin with
	readers  []*reader
	readerOf []uint16                     // by instruction
	fixed    bool                         // matches begin at the beginning of the text only
	ascii    [128]uint16                  // classes of the characters of ASCII
	starts   [kinds]atomic.Pointer[state] // by the kind of the character before
	wide     atomic.Pointer[wideClasses]  // nil until a text has such characters

	mu      sync.Mutex // for what follows, and to add states and classes
	classes []class
	numbers map[string]uint16 // of the classes, by the readers that read their characters, and their kind
	states  map[string]*state // by their instructions and the kind of the character before
	seen    []uint32          // scratch of reachable: by instruction, the round in which it was last reached
	round   uint32
	stack   []uint32
	reading []uint32
}

// inst is an instruction of a program without the characters that it reads.
type inst struct {
	out, arg uint32
	op       syntax.InstOp
}

// maxStates bounds the states of an automaton. Beyond that it begins anew. Few expressions reach a hundred.
const maxStates = 1000

// state is the state between two characters.
type state struct {
	from   []uint32 // the instructions to continue from, sorted; that to begin with is the last
	before kind
	idle   bool                    // whether only a match that begins here is possible
	next   []atomic.Pointer[state] // by class of the next character; nil if unknown
	atEnd  atomic.Int32            // whether there is a match if the text ends here
}

// found and dead are the last states: there is a match, and there cannot be one any more.
var found, dead = new(state), new(state)

const (
	unknown int32 = iota
	succeeds
	fails
)

// class are characters that an expression does not tell apart.
type class struct {
	kind
	one rune // of them
}

// kind is the kind of a character, or of the border of a text, for the assertions of an expression.
type kind uint8

const (
	border kind = iota
	other
	word // a letter, a digit or _ of ASCII
	lineFeed
	kinds
)

func kindOf(r rune) kind {
	switch {
	case syntax.IsWordChar(r):
		return word
	case r == '\n':
		return lineFeed
	}
	return other
}

// emptyBetween returns the assertions that hold between two characters.
func emptyBetween(before, after kind) (holds syntax.EmptyOp) {
	switch before {
	case border:
		holds |= syntax.EmptyBeginText | syntax.EmptyBeginLine
	case lineFeed:
		holds |= syntax.EmptyBeginLine
	}
	switch after {
	case border:
		holds |= syntax.EmptyEndText | syntax.EmptyEndLine
	case lineFeed:
		holds |= syntax.EmptyEndLine
	}
	if (before == word) != (after == word) {
		return holds | syntax.EmptyWordBoundary
	}
	return holds | syntax.EmptyNoWordBoundary
}

// newAutomaton returns the automaton of an expression, which must be valid.
func newAutomaton(expression string) *automaton {
	tree, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		panic(err)
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		panic(err)
	}
	prog.Inst = append(prog.Inst, syntax.Inst{Op: syntax.InstNop, Out: uint32(prog.Start)}) // no loop leads to it, so a match that begins differs from one on its way
	a := &automaton{start: uint32(len(prog.Inst) - 1), fixed: prog.StartCond()&syntax.EmptyBeginText != 0, numbers: map[string]uint16{}, seen: make([]uint32, len(prog.Inst))}
	a.readers, a.readerOf = readersOf(prog)
	for _, in := range prog.Inst {
		a.insts = append(a.insts, inst{in.Out, in.Arg, in.Op})
	}
	for r := range a.ascii {
		a.ascii[r] = a.number(rune(r))
	}
	a.begin()
	return a
}

// begin forgets all states but the first.
func (a *automaton) begin() {
	a.states = map[string]*state{}
	for k := range a.starts {
		a.starts[k].Store(a.state([]uint32{a.start}, kind(k)))
	}
}

// find reports whether the expression matches in text[pos:], and returns a place at or before the beginning of the first match, from pos on. No match begins between this place and that beginning: it is
// the last one at which no thread was on its way.
func (a *automaton) find(text string, pos int) (from int, ok bool) {
	before := border
	if pos > 0 {
		r, _ := utf8.DecodeLastRuneInString(text[:pos])
		before = kindOf(r)
	}
	s := a.starts[before].Load()
	from = pos
	for i := pos; i < len(text); {
		if s.idle {
			from = i
		}
		var c uint16
		size := 1
		if b := text[i]; b < utf8.RuneSelf {
			c = a.ascii[b]
		} else {
			c, size = a.classAt(text[i:])
		}
		var next *state
		if int(c) < len(s.next) {
			next = s.next[c].Load()
		}
		if next == nil {
			next = a.step(s, c)
		}
		switch next {
		case found:
			return from, true
		case dead:
			return from, false
		}
		s = next
		i += size
	}
	if s.idle {
		from = len(text)
	}
	end := s.atEnd.Load()
	if end == unknown {
		end = a.end(s)
	}
	return from, end == succeeds
}

// wideClasses remembers characters outside of ASCII with their classes, each in the place of its low bits.
type wideClasses [512]atomic.Uint64

// classAt returns the class and the length of the character at the beginning of a text, which is outside of ASCII.
func (a *automaton) classAt(text string) (class uint16, size int) {
	r, size := utf8.DecodeRuneInString(text)
	place := int(r) % len(wideClasses{})
	if wide := a.wide.Load(); wide != nil {
		if known := wide[place].Load(); known>>16 == uint64(r) {
			return uint16(known), size
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	classes := len(a.classes)
	class = a.number(r)
	if len(a.classes) > classes {
		a.begin() // with states that have room for the new class
	}
	if a.wide.Load() == nil {
		a.wide.Store(new(wideClasses))
	}
	a.wide.Load()[place].Store(uint64(r)<<16 | uint64(class))
	return class, size
}

// number returns the number of the class of a character.
func (a *automaton) number(r rune) uint16 {
	key := append(make([]byte, 0, 64), byte(kindOf(r)))
	for i := range a.readers {
		if i%8 == 0 {
			key = append(key, 0)
		}
		if a.readers[i].reads(r) {
			key[len(key)-1] |= 1 << (i % 8)
		}
	}
	n, ok := a.numbers[string(key)]
	if !ok {
		n = uint16(len(a.classes))
		a.classes, a.numbers[string(key)] = append(a.classes, class{kindOf(r), r}), n
	}
	return n
}

// step returns what follows a state if a character of a class is read.
func (a *automaton) step(s *state, c uint16) *state {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.follow(s, c)
}

// follow is step with the lock held.
func (a *automaton) follow(s *state, c uint16) *state {
	if int(c) >= len(s.next) { // the class is newer than the state
		return a.after(s, c)
	}
	next := s.next[c].Load()
	if next == nil {
		next = a.after(s, c)
		s.next[c].Store(next)
	}
	return next
}

// after computes what follow returns.
func (a *automaton) after(s *state, c uint16) *state {
	from, class := s.from, a.classes[c]
	var next []uint32
	if !a.fixed && !s.idle { // a match may begin here as well: what follows then is known, or will be asked for again
		begun := a.follow(a.starts[s.before].Load(), c)
		if begun == found {
			return found
		}
		from, next = from[:len(from)-1], slices.Clone(begun.from)
	}
	readers, matches := a.reachable(from, s.before, class.kind)
	if matches {
		return found
	}
	for _, pc := range readers {
		if a.readers[a.readerOf[pc]].reads(class.one) {
			next = append(next, a.insts[pc].out)
		}
	}
	if !a.fixed && s.idle {
		next = append(next, a.start)
	}
	if len(next) == 0 {
		return dead
	}
	slices.Sort(next)
	return a.state(slices.Compact(next), class.kind)
}

// end computes whether there is a match if the text ends in a state.
func (a *automaton) end(s *state) int32 {
	a.mu.Lock()
	defer a.mu.Unlock()
	end := fails
	if _, matches := a.reachable(s.from, s.before, border); matches {
		end = succeeds
	}
	s.atEnd.Store(end)
	return end
}

// state returns the state of some instructions, which must be sorted, behind a character of a kind.
func (a *automaton) state(from []uint32, before kind) *state {
	key := append(make([]byte, 0, 64), byte(before))
	for _, pc := range from {
		key = binary.LittleEndian.AppendUint32(key, pc)
	}
	s := a.states[string(key)]
	if s == nil {
		if len(a.states) >= maxStates {
			a.begin()
		}
		s = &state{from: from, before: before, idle: len(from) == 1 && from[0] == a.start, next: make([]atomic.Pointer[state], len(a.classes))}
		a.states[string(key)] = s
	}
	return s
}

// reachable returns the instructions, among those that some lead to between two characters, that read the next one, and whether there is a match before it. They are valid until the next call.
func (a *automaton) reachable(from []uint32, before, after kind) (readers []uint32, matches bool) {
	holds := emptyBetween(before, after)
	a.round++
	a.stack, a.reading = append(a.stack[:0], from...), a.reading[:0]
	for len(a.stack) > 0 {
		pc := a.stack[len(a.stack)-1]
		a.stack = a.stack[:len(a.stack)-1]
		if a.seen[pc] == a.round {
			continue
		}
		a.seen[pc] = a.round
		switch in := &a.insts[pc]; in.op {
		case syntax.InstAlt, syntax.InstAltMatch:
			a.stack = append(a.stack, in.out, in.arg)
		case syntax.InstCapture, syntax.InstNop:
			a.stack = append(a.stack, in.out)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(in.arg)&^holds == 0 {
				a.stack = append(a.stack, in.out)
			}
		case syntax.InstMatch:
			return nil, true
		case syntax.InstFail:
		default:
			a.reading = append(a.reading, pc)
		}
	}
	return a.reading, false
}

// reader are instructions that read the same characters.
type reader struct {
	one   syntax.Inst
	ascii [2]uint64 // those of ASCII
}

// allReaders has the readers of all automata. Classes such as the letters of all scripts take some kilobytes each, and occur in most expressions several times.
var allReaders sync.Map

// readersOf returns the readers of a program, and the number of that of each instruction that reads a character.
func readersOf(prog *syntax.Prog) (readers []*reader, of []uint16) {
	numbers, of := map[*reader]uint16{}, make([]uint16, len(prog.Inst))
	var key []byte
	for pc := range prog.Inst {
		in := &prog.Inst[pc]
		switch in.Op {
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		default:
			continue
		}
		key = append(key[:0], byte(in.Op), byte(in.Arg))
		for _, r := range in.Rune {
			key = binary.LittleEndian.AppendUint32(key, uint32(r))
		}
		known, ok := allReaders.Load(string(key))
		if !ok {
			known, _ = allReaders.LoadOrStore(string(key), &reader{*in, ASCII(in)})
		}
		one := known.(*reader)
		n, ok := numbers[one]
		if !ok {
			n = uint16(len(readers))
			readers, numbers[one] = append(readers, one), n
		}
		of[pc] = n
	}
	return readers, of
}

// ASCII returns the characters of ASCII that an instruction reads, as bits.
func ASCII(in *syntax.Inst) (set [2]uint64) {
	add := func(from, to rune) {
		for r := from; r <= min(to, utf8.RuneSelf-1); r++ {
			set[r/64] |= 1 << (r % 64)
		}
	}
	switch {
	case in.Op == syntax.InstRuneAny:
		add(0, utf8.RuneSelf)
	case in.Op == syntax.InstRuneAnyNotNL:
		add(0, '\n'-1)
		add('\n'+1, utf8.RuneSelf)
	case len(in.Rune) == 1:
		add(in.Rune[0], in.Rune[0])
		if syntax.Flags(in.Arg)&syntax.FoldCase != 0 {
			for r := unicode.SimpleFold(in.Rune[0]); r != in.Rune[0]; r = unicode.SimpleFold(r) {
				add(r, r)
			}
		}
	default:
		for i := 0; i < len(in.Rune) && in.Rune[i] < utf8.RuneSelf; i += 2 {
			add(in.Rune[i], in.Rune[i+1])
		}
	}
	return set
}

func (r *reader) reads(c rune) bool {
	if c < utf8.RuneSelf {
		return r.ascii[c/64]>>(c%64)&1 != 0
	}
	return r.one.Op == syntax.InstRuneAny || r.one.Op == syntax.InstRuneAnyNotNL || r.one.MatchRune(c)
}
