package synth

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"
)

// The notes are written by a grammar, in files of rules:
//
//	# a comment
//	== finding                     a rule; each line below is one alternative
//	{pt.He} has [mild|severe] pain in the {joint}.
//	seen on <DATE:{d.m}/{d.d}> by Dr. <DOCTOR:{doc.last}>
//	=, joint                       a rule whose alternatives are parted by commas
//	knee, left hip, elbow
//
// In an alternative
//
//	{name}      is a rule, or a slot: a value of this patient or note (slots.go)
//	{^name}     the same in capitals, {_name} in lower case, {+name} with its
//	            first letter raised
//	{12..99}    is a number of the range, {3.1..5.2} one with as many decimals
//	{##-???}    is a random number: a digit for each #, a capital for each ?
//	[a|b|]      is one of the choices, each as likely
//	<TYPE:...>  marks what stands inside as PHI of that type
//	\n \{ \[ \| \< \>  are the character itself (\n: a line end), and a
//	            backslash at the end of a line goes on with a new line of text
//
// So the text and its annotation are read in one place, and every span border
// is right by construction.
//
//go:embed grammar/*.txt lists/*.txt
var files embed.FS

// A node is a piece of a rule.
type (
	node     interface{ write(*writer) }
	sequence []node
	choice   []node
	literal  string
	mark     struct {
		typ  string
		body node
	}
	slot struct {
		name string
		run  func(*writer)
	}
	shift struct { // letter case
		how  byte
		body node
	}
)

// A grammar is rules by name; a rule is a choice of alternatives.
type grammar map[string]choice

// grammars holds the compiled grammar of each split, made at first use. They
// share the rules of grammar/ and differ in the lists of names.
var grammars = map[Split]func() grammar{Train: trainGrammar, Dev: trainGrammar, Test: testGrammar}

var (
	trainGrammar = sync.OnceValue(func() grammar { return compile("lists/train.txt") })
	testGrammar  = sync.OnceValue(func() grammar { return compile("lists/test.txt") })
)

// compile reads the shared rules and one file of lists. The files are part of
// the program, so a fault in them panics; the tests compile every split.
func compile(lists string) grammar {
	g := grammar{}
	shared, err := fs.Glob(files, "grammar/*.txt")
	if err != nil {
		panic(err)
	}
	for _, name := range append(shared, lists) {
		text, err := files.ReadFile(name)
		if err != nil {
			panic(err)
		}
		g.read(path.Base(name), string(text))
	}
	for name, rule := range g {
		g.resolve(name, rule)
	}
	return g
}

func (g grammar) read(file, text string) {
	name, commas, joined := "", false, ""
	for i, line := range strings.Split(text, "\n") {
		line = joined + line
		joined = ""
		switch {
		case strings.HasSuffix(line, `\`):
			joined = strings.TrimSuffix(line, `\`) + "\n"
		case strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "":
		case strings.HasPrefix(line, "== "), strings.HasPrefix(line, "=, "):
			name, commas = line[3:], line[1] == ','
			if g[name] != nil {
				panic(fmt.Sprintf("synth: %s:%d: rule %s stands twice", file, i+1, name))
			}
		case commas:
			for _, word := range strings.Split(line, ",") {
				if word = strings.TrimSpace(word); word != "" {
					g[name] = append(g[name], parse(file, i+1, word))
				}
			}
		default:
			g[name] = append(g[name], parse(file, i+1, line))
		}
	}
}

// parse reads one alternative.
func parse(file string, line int, text string) node {
	p := parser{text: text}
	defer func() {
		if fault := recover(); fault != nil {
			panic(fmt.Sprintf("synth: %s:%d: %v at column %d", file, line, fault, p.at+1))
		}
	}()
	n := p.sequence("")
	if p.at < len(text) {
		panic("stray " + text[p.at:p.at+1])
	}
	return n
}

type parser struct {
	text string
	at   int
}

// sequence reads up to one of the stop characters, which it leaves.
func (p *parser) sequence(stop string) node {
	var seq sequence
	var lit strings.Builder
	flush := func() {
		if lit.Len() > 0 {
			seq = append(seq, literal(lit.String()))
			lit.Reset()
		}
	}
	for p.at < len(p.text) {
		c := p.text[p.at]
		if strings.IndexByte(stop, c) >= 0 {
			break
		}
		p.at++
		switch c {
		case '\\':
			c = p.text[p.at]
			p.at++
			if c == 'n' {
				c = '\n'
			}
			lit.WriteByte(c)
		case '{':
			flush()
			seq = append(seq, p.slot())
		case '[':
			flush()
			var ch choice
			for more := true; more; {
				ch = append(ch, p.sequence("|]"))
				more = p.text[p.at] == '|'
				p.at++
			}
			seq = append(seq, ch)
		case '<':
			flush()
			typ, _, _ := strings.Cut(p.text[p.at:], ":")
			p.at += len(typ) + 1
			seq = append(seq, mark{typ, p.sequence(">")})
			if p.at >= len(p.text) {
				panic("open <")
			}
			p.at++
		default:
			lit.WriteByte(c)
		}
	}
	flush()
	if len(seq) == 1 {
		return seq[0]
	}
	return seq
}

func (p *parser) slot() node {
	name, _, ok := strings.Cut(p.text[p.at:], "}")
	if !ok {
		panic("open {")
	}
	p.at += len(name) + 1
	if strings.IndexByte("^_+", name[0]) >= 0 {
		return shift{name[0], &slot{name: name[1:]}}
	}
	return &slot{name: name}
}

// resolve binds each slot below n to what writes it.
func (g grammar) resolve(rule string, n node) {
	switch n := n.(type) {
	case sequence:
		for _, m := range n {
			g.resolve(rule, m)
		}
	case choice:
		for _, m := range n {
			g.resolve(rule, m)
		}
	case mark:
		g.resolve(rule, n.body)
	case shift:
		g.resolve(rule, n.body)
	case *slot:
		body, isRule := g[n.name]
		value, isSlot := slots[n.name]
		switch {
		case isRule:
			n.run = body.write
		case isSlot:
			n.run = func(w *writer) { w.text(value(w)) }
		case strings.Contains(n.name, ".."):
			n.run = rangeOf(n.name)
		case strings.ContainsAny(n.name, "#?"):
			n.run = func(w *writer) { w.text(w.digits(n.name)) }
		default:
			panic(fmt.Sprintf("synth: rule %s: no rule or slot {%s}", rule, n.name))
		}
	}
}

// rangeOf writes a number of a range such as "60..180" or "0.8..1.4".
func rangeOf(name string) func(*writer) {
	lo, hi, _ := strings.Cut(name, "..")
	_, frac, _ := strings.Cut(lo, ".")
	var from, to int
	if _, err := fmt.Sscan(strings.Replace(lo, ".", "", 1), &from); err != nil {
		panic("synth: range " + name)
	}
	if _, err := fmt.Sscan(strings.Replace(hi, ".", "", 1), &to); err != nil || to < from {
		panic("synth: range " + name)
	}
	return func(w *writer) {
		s := fmt.Sprintf("%0*d", len(frac)+1, from+w.IntN(to-from+1))
		if frac != "" {
			s = s[:len(s)-len(frac)] + "." + s[len(s)-len(frac):]
		}
		w.text(s)
	}
}
