package rules

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"unicode/utf8"
)

// Nearly all attempts to match a rule fail, most of them after a few characters. So
// each attempt begins with a deterministic automaton that reports whether the program
// can match at all. Its states are created when they are first reached. It assumes that
// every guard passes, and so may report a possible match where the machine then finds
// none; it never misses a match. For programs without guards it is exact.

// maxStates bounds the states of an automaton. When it is full, it starts anew.
const maxStates = 1000

// dfa is the automaton of one program.
type dfa struct {
	p      *program
	states []dfaState
	index  map[string]int32 // states by key
	starts [classes]int32   // by class of the character before; initially unknown
	seen   []bool           // scratch, by instruction
	stack  []uint32         // scratch
	pcs    []uint32         // scratch
}

// dfaState is the state of a program between two characters.
type dfaState struct {
	pcs    []uint32 // instructions to continue from, sorted
	before class    // class of the character before
	ascii  [utf8.RuneSelf]int32
	others map[rune]int32
	atEnd  int32 // next state at the end of the text
}

// Values besides the number of a state:
const (
	unknown int32 = 0
	dead    int32 = -1 // no match is possible any more
	matched int32 = -2 // the program matches before the character
)

// can reports whether p can match at text[i] and end at or before limit.
func (m *machine) can(p *program, text string, i, limit int) bool {
	d := m.automaton(p)
	before := classBefore(text, i)
	s := d.starts[before]
	if s == unknown {
		s = d.state([]uint32{p.start}, before)
		d.starts[before] = s
	}
	for {
		if i == len(text) {
			if d.states[s].atEnd == unknown {
				d.states[s].atEnd = dead
				if d.closure(s, none) {
					d.states[s].atEnd = matched
				}
			}
			return d.states[s].atEnd == matched
		}
		var next int32
		size := 1
		if b := text[i]; b < utf8.RuneSelf {
			if next = d.states[s].ascii[b]; next == unknown {
				next = d.step(s, rune(b))
			}
		} else {
			var r rune
			r, size = utf8.DecodeRuneInString(text[i:])
			if next = d.states[s].others[r]; next == unknown {
				next = d.step(s, r)
			}
		}
		if next < 0 || i >= limit {
			return next == matched
		}
		s = next
		i += size
	}
}

func (m *machine) automaton(p *program) *dfa {
	for len(m.automata) <= p.id {
		m.automata = append(m.automata, nil)
	}
	if m.automata[p.id] == nil {
		m.automata[p.id] = &dfa{p: p, seen: make([]bool, len(p.inst))}
	}
	d := m.automata[p.id]
	if len(d.states) == 0 || len(d.states) > maxStates {
		d.states = append(d.states[:0], dfaState{}) // no state is unknown
		d.index = map[string]int32{}
		d.starts = [classes]int32{}
	}
	return d
}

// state returns the number of the state for pcs, which must be sorted.
func (d *dfa) state(pcs []uint32, before class) int32 {
	key := make([]byte, 0, 4*len(pcs)+1)
	for _, pc := range pcs {
		key = binary.LittleEndian.AppendUint32(key, pc)
	}
	key = append(key, byte(before))
	s, ok := d.index[string(key)]
	if !ok {
		s = int32(len(d.states))
		d.states = append(d.states, dfaState{pcs: slices.Clone(pcs), before: before})
		d.index[string(key)] = s
	}
	return s
}

// step computes and stores the state after s when the next character is r.
func (d *dfa) step(s int32, r rune) int32 {
	next := matched
	if !d.closure(s, classOf(r)) {
		var out []uint32
		for _, pc := range d.pcs {
			if in := &d.p.inst[pc]; in.matches(r) {
				out = append(out, in.Out)
			}
		}
		next = dead
		if len(out) > 0 {
			slices.Sort(out)
			next = d.state(slices.Compact(out), classOf(r))
		}
	}
	if r < utf8.RuneSelf {
		d.states[s].ascii[r] = next
	} else {
		if d.states[s].others == nil || len(d.states[s].others) > maxStates {
			d.states[s].others = map[rune]int32{}
		}
		d.states[s].others[r] = next
	}
	return next
}

// closure fills pcs with the instructions that read a character and are reachable from
// s without reading one, if the next character has class after. It reports whether a
// match is reachable as well.
func (d *dfa) closure(s int32, after class) (match bool) {
	before := d.states[s].before
	clear(d.seen)
	d.pcs = d.pcs[:0]
	d.stack = append(d.stack[:0], d.states[s].pcs...)
	for len(d.stack) > 0 {
		pc := d.stack[len(d.stack)-1]
		d.stack = d.stack[:len(d.stack)-1]
		if d.seen[pc] {
			continue
		}
		d.seen[pc] = true
		in := &d.p.inst[pc]
		switch in.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			d.stack = append(d.stack, in.Out, in.Arg)
		case syntax.InstCapture:
			if in.passes(before, after) {
				d.stack = append(d.stack, in.Out)
			}
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(in.Arg)&^emptyBetween(before, after) == 0 {
				d.stack = append(d.stack, in.Out)
			}
		case syntax.InstNop:
			d.stack = append(d.stack, in.Out)
		case syntax.InstMatch:
			return true
		case syntax.InstFail:
		default:
			d.pcs = append(d.pcs, pc)
		}
	}
	return false
}
