package rules

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	maxExpression   = 1 << 18 // bytes of an expression with all names replaced
	maxInstructions = 1 << 15 // of a program
)

// blanks is what a space in an expression stands for: it does not cross lines.
const blanks = `(?:[ \t\x{a0}\x{2007}\x{2009}\x{202f}]{1,8})`

// anything stands before what is searched for.
const anything = `(?s:.*?)`

// orthography is the forms of words (Dehghan's ORTHO; the names are GATE's). A
// combining mark counts as small.
var orthography = map[string]string{
	"upperInitial": `\p{Lu}[\p{Ll}\p{M}]+`,               // Dr, Álvarez
	"allCapital":   `(?:\p{Lu}\p{M}*){2,}`,               // MRN
	"capitalized":  `\p{Lu}[\p{L}\p{M}]*`,                // Dr, MRN, McDonald, J
	"lower":        `[\p{Ll}\p{Lo}][\p{Ll}\p{Lo}\p{M}]*`, // street
}

// reference is a name used in an expression. It cannot be taken for a repetition,
// since that has a digit after the bracket.
var reference = regexp.MustCompile(`^\{(!?)([A-Za-z][A-Za-z0-9_-]*)\}`)

// compiler turns expressions into programs.
type compiler struct {
	text     map[string]string   // the expressions of lexicons and patterns by name
	lexicons map[string]bool     // which names are lexicons
	programs map[string]*program // of the names that {!name} refuses
	made     int                 // programs so far
}

func newCompiler() *compiler {
	return &compiler{text: map[string]string{}, lexicons: map[string]bool{}, programs: map[string]*program{}}
}

// partError is an error in one of the expressions that make a program.
type partError struct {
	key string
	err error
}

func (e *partError) Error() string { return e.err.Error() }

// compile makes a program of find between before and after, which may be "". Its
// span begins and ends at borders of words or, on a side with a context, where letter
// and digit meet.
func (c *compiler) compile(before, find, after string) (*program, error) {
	e := newExpansion(c)
	var parts [3]string
	for i, x := range []struct{ key, expression string }{{"before", before}, {"find", find}, {"after", after}} {
		text, err := e.expand(x.expression)
		if err == nil {
			_, err = parse(text) // alone, so that no bracket closes in another part
		}
		if err != nil {
			return nil, &partError{x.key, err}
		}
		parts[i] = text
	}
	p, err := e.finish("(?:" + parts[0] + ")(?P<span>" + parts[1] + ")(?:" + parts[2] + ")")
	if err != nil {
		return nil, err
	}
	for i := range p.inst {
		switch p.inst[i].group {
		case spanStart:
			p.inst[i].loose = before != ""
		case spanEnd:
			p.inst[i].loose = after != ""
		}
	}
	return p, nil
}

// context makes a program of an expression that is no span, between two pieces that
// say where it stands. It may begin and end within a word.
func (c *compiler) context(left, expression, right string) (*program, error) {
	e := newExpansion(c)
	text, err := e.expand(expression)
	if err != nil {
		return nil, err
	}
	if _, err := parse(text); err != nil {
		return nil, err
	}
	return e.finish(left + "(?:" + text + ")" + right)
}

// finish makes the program of an expanded text.
func (e *expansion) finish(text string) (*program, error) {
	tree, err := parse(text)
	if err != nil {
		return nil, err
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, err
	}
	if len(prog.Inst) > maxInstructions {
		return nil, fmt.Errorf("the expression is too long: %d instructions, and %d are allowed", len(prog.Inst), maxInstructions)
	}
	events, guards := make([][2]groupEvent, tree.MaxCap()+1), map[int]*program{}
	for i, name := range tree.CapNames() {
		switch {
		case name == "span":
			events[i] = [2]groupEvent{spanStart, spanEnd}
		case strings.HasPrefix(name, "word"):
			events[i] = [2]groupEvent{wordBorder, wordBorder}
		case strings.HasPrefix(name, "guard"):
			n, err := strconv.Atoi(name[len("guard"):])
			if err != nil {
				return nil, err
			}
			events[i] = [2]groupEvent{guard, noEvent}
			if guards[i], err = e.guard(e.guards[n]); err != nil {
				return nil, err
			}
		}
	}
	p := newProgram(prog, events, guards)
	p.id = e.made
	e.made++
	return p, nil
}

// parse parses an expression whose names are replaced. ^ and $ are borders of lines.
func parse(text string) (*syntax.Regexp, error) {
	tree, err := syntax.Parse(text, syntax.Perl&^syntax.OneLine)
	if e := (*syntax.Error)(nil); errors.As(err, &e) {
		return nil, fmt.Errorf("%s: %.60q", e.Code, e.Expr)
	}
	return tree, err
}

// guard compiles what {!name} refuses.
func (c *compiler) guard(name string) (*program, error) {
	if known := c.programs[name]; known != nil {
		return known, nil
	}
	e := newExpansion(c)
	if _, err := e.expand("{" + name + "}"); err != nil {
		return nil, err
	}
	if len(e.guards) > 0 {
		return nil, fmt.Errorf("{!%s} cannot be used: what {%s} stands for has {!...} in it", name, name)
	}
	p, err := c.context("", "{"+name+"}", "")
	if err == nil {
		c.programs[name] = p
	}
	return p, err
}

// expansion replaces names and spaces in expressions.
type expansion struct {
	*compiler
	out    strings.Builder
	inside []string       // the names being replaced
	groups int            // so far, for their names
	guards map[int]string // the names that {!name} refuses, by the number of its group
}

func newExpansion(c *compiler) *expansion { return &expansion{compiler: c, guards: map[int]string{}} }

func (e *expansion) expand(expression string) (string, error) {
	e.out.Reset()
	err := e.write(expression)
	return e.out.String(), err
}

func (e *expansion) write(x string) error {
	for len(x) > 0 {
		n := 1 // bytes that are taken over as they are
		switch x[0] {
		case ' ':
			e.out.WriteString(blanks)
			x = x[1:]
			continue
		case '\\':
			n = escape(x)
			if strings.HasPrefix(x, `\Q`) {
				return errors.New(`\Q is not supported`)
			}
		case '[':
			n = bracket(x)
		case '(':
			if strings.HasPrefix(x, "(?P<") || strings.HasPrefix(x, "(?<") {
				return errors.New("groups with names have no use here")
			}
		case '{':
			if m := reference.FindStringSubmatch(x); m != nil {
				if err := e.name(m[2], m[1] != ""); err != nil {
					return err
				}
				x = x[len(m[0]):]
				continue
			}
		}
		e.out.WriteString(x[:n])
		x = x[n:]
		if e.out.Len() > maxExpression {
			return fmt.Errorf("the expression is too long: more than %d bytes with all names replaced", maxExpression)
		}
	}
	return nil
}

// name writes what a name stands for or, with not, that it does not stand here.
func (e *expansion) name(name string, not bool) error {
	text, ok := e.text[name]
	form, isForm := orthography[name]
	e.groups++
	switch {
	case !ok && !isForm:
		have := append(slices.Collect(maps.Keys(e.text)), slices.Collect(maps.Keys(orthography))...)
		slices.Sort(have)
		return fmt.Errorf("no lexicon or pattern {%s} (have %s)", name, names(have))
	case slices.Contains(e.inside, name):
		return fmt.Errorf("{%s} is defined by itself: %s", name, names(append(e.inside, name)))
	case not:
		e.guards[e.groups] = name
		fmt.Fprintf(&e.out, "(?P<guard%d>)", e.groups)
		return nil
	case isForm:
		e.out.WriteString("(?:" + form + ")")
		return nil
	case e.lexicons[name]:
		fmt.Fprintf(&e.out, "(?P<word%d>%s)", e.groups, text)
		return nil
	}
	e.inside = append(e.inside, name)
	e.out.WriteString("(?:")
	err := e.write(text)
	e.out.WriteString(")")
	e.inside = e.inside[:len(e.inside)-1]
	return err
}

// escape is the length of the escape that x begins with.
func escape(x string) int {
	if len(x) < 2 {
		return len(x)
	}
	if strings.ContainsRune("pPx", rune(x[1])) && len(x) > 2 && x[2] == '{' {
		if end := strings.IndexByte(x, '}'); end > 0 {
			return end + 1
		}
	}
	_, n := utf8.DecodeRuneInString(x[1:])
	return 1 + n
}

// bracket is the length of the class in brackets that x begins with.
func bracket(x string) int {
	i := 1
	if strings.HasPrefix(x[i:], "^") {
		i++
	}
	if strings.HasPrefix(x[i:], "]") {
		i++
	}
	for i < len(x) {
		switch {
		case x[i] == ']':
			return i + 1
		case x[i] == '\\':
			i += escape(x[i:])
		case strings.HasPrefix(x[i:], "[:"):
			if end := strings.Index(x[i:], ":]"); end > 0 {
				i += end + 2
				continue
			}
			i++
		default:
			i++
		}
	}
	return len(x)
}

// lexicon is the expression for one of entries, the longest that fits. Spaces are
// those of expressions, and accents may be left out or be characters of their own.
func lexicon(entries []string) string {
	entries = slices.Clone(entries)
	slices.SortStableFunc(entries, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	for i, entry := range entries {
		var b strings.Builder
		for _, r := range entry {
			switch forms, ok := accented[r]; {
			case r == ' ':
				b.WriteString(blanks)
			case ok:
				b.WriteString("(?:" + forms + ")")
			default:
				b.WriteString(regexp.QuoteMeta(string(r)))
			}
		}
		entries[i] = b.String()
	}
	return strings.Join(entries, "|")
}

// accented is how letters with an accent are written: as one character, as letter
// and mark, or, as in many a note, without it. A tilde is part of the letter, and
// stays: año is not ano.
var accented = func() map[rune]string {
	m := map[rune]string{}
	for mark, pairs := range map[string]string{
		"\u0300": "àaèeìiòoùuÀAÈEÌIÒOÙU", "\u0301": "áaéeíióoúuÁAÉEÍIÓOÚU", "\u0302": "âaêeîiôoûuÂAÊEÎIÔOÛU",
		"\u0303": "ñnãaõoÑNÃAÕO", "\u0308": "äaëeïiöoüuÄAËEÏIÖOÜU", "\u0327": "çcÇC",
	} {
		runes := []rune(pairs)
		for i := 0; i < len(runes); i += 2 {
			accented, letter := string(runes[i]), string(runes[i+1])
			m[runes[i]] = accented + "|" + letter + mark
			if mark != "\u0303" {
				m[runes[i]] += "|" + letter
			}
		}
	}
	return m
}()
