package rules

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/internal/intern"
)

// Nearly all attempts to match a rule fail, most of them after a few characters. So
// each attempt begins with a deterministic automaton that reports which of several
// programs can match at all: all rules of a scan advance together, in one step per
// character. Its states are created when they are first reached. It assumes that every
// guard passes, and so may report a possible match where the machine then finds none;
// it never misses a match. For programs without guards it is exact.

// maxStates bounds the states of an automaton, and its hits. When it is full, it starts
// anew. The English rules reach some 14,000 in a thousand pages. All numbers fit into 16
// bits, so that the tables are small: a search of a text adds at most one state and two
// hits for each of maxMatch bytes before it looks at the bound again.
const maxStates = 31000

// layout numbers the instructions of some programs consecutively.
type layout struct {
	programs []*program
	first    []uint32 // by program: the number of its first instruction
	owner    []uint32 // by instruction: its program
}

func newLayout(programs ...*program) *layout {
	var l layout
	for k, p := range programs {
		l.programs, l.first = append(l.programs, p), append(l.first, uint32(len(l.owner)))
		l.owner = append(l.owner, slices.Repeat([]uint32{uint32(k)}, len(p.inst))...)
	}
	l.owner = slices.Clip(l.owner)
	return &l
}

// inst returns an instruction of program k by its number.
func (l *layout) inst(pc, k uint32) *inst { return &l.programs[k].inst[pc-l.first[k]] }

// automaton is the deterministic automaton of some programs.
type automaton struct {
	*layout
	states []state
	others []map[rune]int16       // of the states: what follows characters outside of ASCII
	tables [][utf8.RuneSelf]int16 // of states that many characters lead out of; the first is of none
	keys   *intern.Table          // of the states, in their order: see state
	key    []byte                 // scratch
	hits   []hit
	starts [classes]int16 // by class of the character before; initially unknown
	wide   map[point]reach

	seen    []uint32 // scratch: by instruction, the closure in which it was last reached
	gen     uint32
	stack   []uint32
	readers []uint32 // instructions that closure found
	matches []uint32 // programs that closure found
	out     []uint32
}

// point is a state before a character of a class.
type point struct {
	state int16
	after class
}

// reach is what closure finds. That of a point from which a program reaches very many instructions, such as the
// beginning of a list of names, is kept, because it is needed for one character after the other.
type reach struct{ readers, matches []uint32 }

// minWide is the number of instructions from which on a reach is kept.
const minWide = 100

// state is what the programs can do between two characters, as far as is known. It takes
// 64 bytes, as much as a processor moves to its cache at a time, because waiting for states
// was most of the time of a search.
type state struct {
	read  [2]uint64      // ASCII characters that an instruction reads, of those classes with a rest
	rest  [classes]int16 // what follows any other character of a class, and at none the end of the text
	next  [few]int16     // what follows characters that an instruction reads,
	chars [few]byte      // and these characters
	n     uint8          // number of these characters
	table int16          // if they are more than few: the number of their table
}

// few is the number of ASCII characters out of a state that need no table.
const few = 10

// What follows a state when a character is read is the number of a state, or minus the
// number of a hit. The first two numbers are not those of states.
const (
	unknown int16 = iota
	dead          // no match is possible any more
	firstState
)

// hit is a step before which programs match.
type hit struct {
	programs []uint32
	next     int16
}

func newAutomaton(of *layout) *automaton {
	return &automaton{layout: of, seen: make([]uint32, len(of.owner))}
}

// possible appends the numbers of the programs that can match at text[i], after a
// character of class before, and end at or before limit.
func (d *automaton) possible(to []uint32, text string, before class, i, limit int) []uint32 {
	if len(d.states) == 0 || max(len(d.states), len(d.hits)) > maxStates {
		d.clear()
	}
	s := d.starts[before]
	if s == unknown {
		s = d.start(before)
	}
	for {
		if i == len(text) {
			next := d.states[s].rest[none]
			if next == unknown {
				next = d.step(s, none, -1)
			}
			to, _ = d.follow(to, next)
			return to
		}
		var next int16
		size := 1
		if b := text[i]; b < utf8.RuneSelf {
			if next = d.after(s, b); next == unknown {
				next = d.step(s, asciiClass[b], rune(b))
			}
		} else {
			var r rune
			r, size = utf8.DecodeRuneInString(text[i:])
			if next = d.others[s][r]; next == unknown {
				next = d.step(s, classOf(r), r)
				d.remember(s, r, next)
			}
		}
		if next < 0 {
			to, next = d.follow(to, next)
		}
		if next == dead || i >= limit {
			return to
		}
		s = next
		i += size
	}
}

// after returns what follows state s if an ASCII character is read, or unknown.
func (d *automaton) after(s int16, b byte) int16 {
	at := &d.states[s]
	if at.read[b/64]&(1<<(b%64)) == 0 {
		return at.rest[asciiClass[b]]
	}
	if at.table > 0 {
		return d.tables[at.table][b]
	}
	for k, c := range at.chars[:at.n] {
		if c == b {
			return at.next[k]
		}
	}
	return unknown
}

// set stores what follows state s if an ASCII character is read that an instruction reads.
func (d *automaton) set(s int16, b byte, next int16) {
	at := &d.states[s]
	switch {
	case at.table > 0:
		d.tables[at.table][b] = next
	case int(at.n) < few:
		at.chars[at.n], at.next[at.n] = b, next
		at.n++
	default:
		at.table = int16(len(d.tables))
		d.tables = append(d.tables, [utf8.RuneSelf]int16{})
		table := &d.tables[at.table]
		for k, c := range at.chars {
			table[c] = at.next[k]
		}
		table[b] = next
	}
}

// follow returns the state after a step, and appends the programs that match before it.
func (d *automaton) follow(to []uint32, next int16) ([]uint32, int16) {
	if next >= 0 {
		return to, next
	}
	h := &d.hits[-next]
	return append(to, h.programs...), h.next
}

func (d *automaton) clear() {
	d.states = append(d.states[:0], make([]state, firstState)...)
	d.others = append(d.others[:0], make([]map[rune]int16, firstState)...)
	d.tables = append(d.tables[:0], [utf8.RuneSelf]int16{})
	d.hits = append(d.hits[:0], hit{}) // its number has no sign
	d.keys, d.wide = intern.New(), map[point]reach{}
	d.starts = [classes]int16{}
}

// start returns the state in which all programs begin.
func (d *automaton) start(before class) int16 {
	var begins []uint32
	for k, p := range d.programs {
		begins = append(begins, d.first[k]+p.start)
	}
	d.starts[before] = d.state(begins, before)
	return d.starts[before]
}

// state returns the number of the state that continues from the instructions from,
// which must be sorted, after a character of class before. They are its key.
func (d *automaton) state(from []uint32, before class) int16 {
	d.key = d.key[:0]
	for _, pc := range from {
		d.key = binary.LittleEndian.AppendUint32(d.key, pc)
	}
	d.key = append(d.key, byte(before))
	n, err := d.keys.Add(string(d.key))
	if err != nil {
		panic(err) // of more than 4 GiB, which so many states cannot have
	}
	s := firstState + int16(n-1)
	if int(s) == len(d.states) {
		d.states, d.others = append(d.states, state{}), append(d.others, nil)
	}
	return s
}

// from returns the instructions that a state continues from, and the class of the character before.
func (d *automaton) from(s int16, to []uint32) (from []uint32, before class) {
	key := d.keys.String(uint32(s-firstState) + 1)
	n := len(key) - 1
	for i := 0; i < n; i += 4 {
		to = append(to, uint32(key[i])|uint32(key[i+1])<<8|uint32(key[i+2])<<16|uint32(key[i+3])<<24)
	}
	return to, class(key[n])
}

// remember stores what follows a state if a character outside of ASCII is read.
func (d *automaton) remember(s int16, r rune, next int16) {
	if d.others[s] == nil || len(d.others[s]) > maxStates {
		d.others[s] = map[rune]int16{}
	}
	d.others[s][r] = next
}

// step computes what follows state s if the next character, of class after, is r; -1
// stands for the end of the text. A program that matches is not continued. It stores the
// result, except for characters outside of ASCII, and also what follows the characters of
// the class that no program reads, because that is the same for all of them.
func (d *automaton) step(s int16, after class, r rune) int16 {
	d.closure(s, after)
	if len(d.matches) > 0 {
		d.readers = slices.DeleteFunc(d.readers, func(pc uint32) bool { return slices.Contains(d.matches, d.owner[pc]) })
	}
	d.out = d.out[:0]
	var read [2]uint64 // ASCII characters
	for _, pc := range d.readers {
		k := d.owner[pc]
		in := d.inst(pc, k)
		chars := &d.programs[k].reads[in.arg]
		read[0] |= chars.ascii[0]
		read[1] |= chars.ascii[1]
		if r >= 0 && chars.has(r) {
			d.out = append(d.out, d.first[k]+in.out)
		}
	}
	if d.states[s].rest[after] == unknown {
		rest := d.matching(dead)
		at := &d.states[s]
		at.rest[after] = rest
		for i, all := range asciiOfClass[after] {
			at.read[i] |= all & read[i]
		}
	}
	if len(d.out) == 0 {
		return d.states[s].rest[after]
	}
	slices.Sort(d.out)
	next := d.matching(d.state(slices.Compact(d.out), after))
	if r < utf8.RuneSelf {
		d.set(s, byte(r), next)
	}
	return next
}

// matching returns the number of a step to a state before which the programs match that closure found.
func (d *automaton) matching(next int16) int16 {
	if len(d.matches) == 0 {
		return next
	}
	d.hits = append(d.hits, hit{slices.Clone(d.matches), next})
	return -int16(len(d.hits) - 1)
}

// closure finds what is reachable from s without reading a character if the next
// character has class after: the instructions that read one, and the programs that
// match.
func (d *automaton) closure(s int16, after class) {
	if d.gen++; d.gen == 0 { // overflow, after 2^32 closures
		clear(d.seen)
		d.gen = 1
	}
	d.readers, d.matches = d.readers[:0], d.matches[:0]
	at := point{s, after}
	if wide, ok := d.wide[at]; ok {
		d.readers, d.matches = append(d.readers, wide.readers...), append(d.matches, wide.matches...)
		return
	}
	visits := 0
	var before class
	d.stack, before = d.from(s, d.stack[:0])
	for len(d.stack) > 0 {
		pc := d.stack[len(d.stack)-1]
		d.stack = d.stack[:len(d.stack)-1]
		if d.seen[pc] == d.gen {
			continue
		}
		d.seen[pc] = d.gen
		visits++
		k := d.owner[pc]
		in := d.inst(pc, k)
		switch in.op {
		case syntax.InstAlt, syntax.InstAltMatch:
			d.stack = append(d.stack, d.first[k]+in.out, d.first[k]+in.arg)
		case syntax.InstCapture:
			if in.passes(before, after) {
				d.stack = append(d.stack, d.first[k]+in.out)
			}
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(in.arg)&^emptyBetween(before, after) == 0 {
				d.stack = append(d.stack, d.first[k]+in.out)
			}
		case syntax.InstNop:
			d.stack = append(d.stack, d.first[k]+in.out)
		case syntax.InstMatch:
			d.matches = append(d.matches, k)
		case syntax.InstFail:
		default:
			d.readers = append(d.readers, pc)
		}
	}
	if visits >= minWide {
		d.wide[at] = reach{slices.Clone(d.readers), slices.Clone(d.matches)}
	}
}
