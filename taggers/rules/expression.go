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
	"sync"
	"unicode/utf8"
)

const (
	maxExpression   = 1 << 18 // maximum length of an expression in bytes, after replacing names
	maxInstructions = 1 << 15 // maximum length of a program
)

// blanks is the meaning of a space in an expression: it does not cross lines.
const blanks = `(?:[ \t\x{a0}\x{2007}\x{2009}\x{202f}]{1,8})`

// anything precedes an expression that is searched for.
const anything = `(?s:.*?)`

// orthography has the forms of words (Dehghan's ORTHO; the names are those of GATE).
// Combining marks count as lower case.
var orthography = map[string]string{
	"upperInitial": `\p{Lu}[\p{Ll}\p{M}]+`,               // Dr, Álvarez
	"allCapital":   `(?:\p{Lu}\p{M}*){2,}`,               // MRN
	"capitalized":  `\p{Lu}[\p{L}\p{M}]*`,                // Dr, MRN, McDonald, J
	"lower":        `[\p{Ll}\p{Lo}][\p{Ll}\p{Lo}\p{M}]*`, // street
}

// reference is a name used in an expression. It cannot be mistaken for a repetition,
// which has a digit after the bracket.
var reference = regexp.MustCompile(`^\{(!?)([A-Za-z][A-Za-z0-9_-]*)\}`)

// compiler turns expressions into programs. When the definitions are in it, several goroutines may use it at once.
type compiler struct {
	tested   bool              // tests have found no errors
	text     map[string]string // expressions of lexicons and patterns, by name
	lexicons map[string]bool   // names that are lexicons
	letters  *alphabet         // of all programs

	mu       sync.Mutex
	programs map[string]*program // programs for names used as {!name}
}

func newCompiler() *compiler {
	return &compiler{text: map[string]string{}, lexicons: map[string]bool{}, programs: map[string]*program{}, letters: newAlphabet()}
}

// partError is an error in one of the expressions that make up a program.
type partError struct {
	key string
	err error
}

func (e *partError) Error() string { return e.err.Error() }

// compile makes a program of find between before and after, which may be "". The span
// begins and ends at word borders or, on a side with a context, between a letter and a
// digit.
func (c *compiler) compile(before, find, after string) (*program, error) {
	e := newExpansion(c)
	var parts [3]string
	for i, x := range []struct{ key, expression string }{{"before", before}, {"find", find}, {"after", after}} {
		text, err := e.expand(x.expression)
		if err == nil && !c.tested {
			_, err = parseAs(text, x.expression) // each on its own, so that no bracket is closed by another expression
		}
		if err != nil {
			return nil, &partError{x.key, err}
		}
		parts[i] = text
	}
	p, tree, err := e.finish("(?:" + parts[0] + ")(?P<span>" + parts[1] + ")(?:" + parts[2] + ")")
	if err != nil {
		return nil, err
	}
	p.lead = leadOf(tree, &p.first)
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

// context makes a program of an expression without a span, between two pieces that
// determine its position. It may begin and end within a word.
func (c *compiler) context(left, expression, right string) (*program, error) {
	e := newExpansion(c)
	text, err := e.expand(expression)
	if err != nil {
		return nil, err
	}
	if !c.tested {
		if _, err := parseAs(text, expression); err != nil {
			return nil, err
		}
	}
	p, _, err := e.finish(left + "(?:" + text + ")" + right)
	return p, err
}

// finish makes the program for the expanded text, and returns its tree.
func (e *expansion) finish(text string) (*program, *syntax.Regexp, error) {
	tree, err := parse(text)
	if err != nil {
		return nil, nil, err
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, nil, err
	}
	if len(prog.Inst) > maxInstructions {
		return nil, nil, fmt.Errorf("the expression is too long: %d instructions exceed the maximum of %d", len(prog.Inst), maxInstructions)
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
				return nil, nil, err
			}
			events[i] = [2]groupEvent{guard, noEvent}
			if guards[i], err = e.guard(e.guards[n]); err != nil {
				return nil, nil, err
			}
		}
	}
	return newProgram(prog, events, guards, e.letters), tree, nil
}

// parse parses an expression whose names are replaced. ^ and $ match at line borders.
func parse(text string) (*syntax.Regexp, error) { return parseAs(text, text) }

// parseAs is parse. Its error shows the expression as it was written, not with what stands for blanks and names.
func parseAs(text, written string) (*syntax.Regexp, error) {
	tree, err := syntax.Parse(text, syntax.Perl&^syntax.OneLine)
	if e := (*syntax.Error)(nil); errors.As(err, &e) {
		if strings.Contains(written, e.Expr) {
			written = e.Expr
		}
		return nil, fmt.Errorf("%s: %.60q", e.Code, written)
	}
	return tree, err
}

// guard compiles the expression that {!name} rules out.
func (c *compiler) guard(name string) (*program, error) {
	c.mu.Lock() // not for long: an expression that has guards cannot be one
	defer c.mu.Unlock()
	if known := c.programs[name]; known != nil {
		return known, nil
	}
	e := newExpansion(c)
	if _, err := e.expand("{" + name + "}"); err != nil {
		return nil, err
	}
	if len(e.guards) > 0 {
		return nil, fmt.Errorf("{!%s} is not allowed, because {%s} itself contains {!...}", name, name)
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
	inside []string       // names that are being replaced
	groups int            // number of groups so far, for their names
	guards map[int]string // names used as {!name}, by the number of their group
}

func newExpansion(c *compiler) *expansion { return &expansion{compiler: c, guards: map[int]string{}} }

func (e *expansion) expand(expression string) (string, error) {
	e.out.Reset()
	err := e.write(expression)
	return e.out.String(), err
}

func (e *expansion) write(x string) error {
	for len(x) > 0 {
		n := 1 // bytes that are copied unchanged
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
				return errors.New("named groups are not supported")
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

// name writes the expression for a name or, if not is set, a guard against it.
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
		return fmt.Errorf("{%s} is defined in terms of itself: %s", name, names(append(e.inside, name)))
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

// escape returns the length of the escape at the beginning of x.
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

// bracket returns the length of the bracketed class at the beginning of x.
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

// lexicon returns an expression for one of the entries, preferring longer ones. Spaces
// match as they do in expressions. Accents may be left out or written as separate
// characters.
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

// accented maps letters with an accent to expressions for their spellings: as one
// character, as letter and mark, or without the accent, as in many notes. A tilde is
// part of the letter and required: año is not ano.
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
