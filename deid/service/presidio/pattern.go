package presidio

import (
	"errors"
	"fmt"
	"iter"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2"
	"github.com/dlclark/regexp2/syntax"
)

// invalidPattern begins the error for a regular expression that Python cannot compile.
const invalidPattern = "Invalid regex pattern: "

// flags of Python's package regex.
const (
	flagI  = 0x2
	flagM  = 0x8
	flagS  = 0x10
	flagU  = 0x20
	flagX  = 0x40
	flagV0 = 0x2000
)

// expression is a regular expression of Python's package regex.
type expression struct {
	all *regexp2.Regexp
	// longer matches where a search starts, and only text that is not empty. After an empty match, Python looks for such a match at the same
	// position.
	longer *regexp2.Regexp
}

// compile compiles a regular expression, with flags of a request. One that Python cannot compile has the status 500, as in Presidio, and one that
// only this server cannot run has the status 400. limit is the maximum duration of one search.
func compile(regex string, flags any, limit time.Duration) (*expression, error) {
	bits, ok := whole(flags)
	if !ok {
		return nil, refuse("unsupported operand type(s) for &: '%s' and 'RegexFlag'", typeName(flags))
	}
	if rest := bits &^ (flagI | flagM | flagS | flagU | flagX | flagV0); rest != 0 {
		return nil, refuse("This server does not support the flags %d of regular expressions.", rest)
	}
	translated, comments, err := translate(regex, bits&flagX != 0)
	if err != nil {
		return nil, err
	}
	options := regexp2.RegexOptions(0)
	for flag, option := range map[int]regexp2.RegexOptions{flagI: regexp2.IgnoreCase, flagM: regexp2.Multiline, flagS: regexp2.Singleline, flagX: regexp2.IgnorePatternWhitespace} {
		if bits&flag != 0 {
			options |= option
		}
	}
	all, err := regexp2.Compile(translated, options)
	if err != nil {
		return nil, patternError(regex, err)
	}
	end := ")"
	if comments {
		end = "\n)" // a comment may be at the end
	}
	longer, err := regexp2.Compile(`\G(?:`+translated+end+`(?!\G)`, options)
	if err != nil {
		return nil, patternError(regex, err)
	}
	all.MatchTimeout, longer.MatchTimeout = limit, limit
	return &expression{all, longer}, nil
}

// matches yields the matches in a text that are not empty, from start to end in code points, and the error if a search takes too long.
func (e *expression) matches(text []rune) iter.Seq2[[2]int, error] {
	return func(yield func([2]int, error) bool) {
		m, err := e.all.FindRunesMatch(text)
		for m != nil && err == nil {
			if m.Length == 0 {
				longer, failed := e.longer.FindRunesMatchStartingAt(text, m.Index)
				if err = failed; longer == nil || err != nil {
					if err == nil {
						m, err = e.all.FindNextMatch(m)
					}
					continue
				}
				m = longer
			}
			end := m.Index + m.Length
			if !yield([2]int{m.Index, end}, nil) {
				return
			}
			m, err = e.all.FindRunesMatchStartingAt(text, end)
		}
		if err != nil {
			yield([2]int{}, err)
		}
	}
}

func cannotRun(what string) error {
	return refuse("This server cannot run a regular expression of the request: %s.", what)
}

// patternError returns the error for a regular expression that cannot be compiled. If Python cannot compile it either, it has Python's reason.
func patternError(regex string, err error) error {
	wrong, ok := errors.AsType[*syntax.Error](err)
	if !ok {
		return cannotRun("it is not supported")
	}
	end := fmt.Sprintf(" at position %d", utf8.RuneCountInString(regex))
	switch wrong.Code {
	case syntax.ErrMissingParen, syntax.ErrUnterminatedComment:
		return broken("%smissing )%s", invalidPattern, end)
	case syntax.ErrUnterminatedBracket:
		return broken("%sunterminated character set%s", invalidPattern, end)
	case syntax.ErrIllegalEndEscape:
		return broken("%sbad escape (end of pattern)%s", invalidPattern, end)
	case syntax.ErrUnexpectedParen:
		return broken("%sunbalanced parenthesis", invalidPattern)
	case syntax.ErrMissingRepeatArgument:
		return broken("%snothing to repeat", invalidPattern)
	case syntax.ErrInvalidRepeatSize:
		return broken("%smin repeat greater than max repeat", invalidPattern)
	case syntax.ErrReversedCharRange:
		return broken("%sbad character range", invalidPattern)
	case syntax.ErrUndefinedBackRef:
		return broken("%sinvalid group reference", invalidPattern)
	case syntax.ErrUndefinedNameRef:
		return broken("%sunknown group", invalidPattern)
	}
	if len(wrong.Args) > 0 {
		return cannotRun(fmt.Sprintf(wrong.Code.String(), wrong.Args...))
	}
	return cannotRun(wrong.Code.String())
}

// translator rewrites a regular expression of Python in the notation of package regexp2, which is that of .NET.
type translator struct {
	in          string
	out         strings.Builder
	comments    bool           // blanks and comments are no part of the expression
	groups      int            // number of groups so far
	named       map[string]int // groups with a name so far
	all         map[string]int // all groups with a name; nil if they are not known yet
	unsupported string         // a construct that regexp2 lacks or understands in another way
	mistake     string         // a construct that Python cannot compile
}

// translate returns an expression in the notation of regexp2, and whether it can have comments. All groups get numbers in the order of Python,
// since .NET counts groups with names after all others.
func translate(regex string, comments bool) (translated string, commented bool, err error) {
	first := &translator{in: regex, comments: comments, named: map[string]int{}}
	first.run()
	t := &translator{in: regex, comments: comments, named: map[string]int{}, all: first.named}
	t.run()
	switch {
	case t.mistake != "":
		return "", false, broken("%s%s", invalidPattern, t.mistake)
	case t.unsupported != "":
		return "", false, cannotRun(t.unsupported)
	}
	return t.out.String(), t.comments, nil
}

// run translates everything.
func (t *translator) run() {
	for t.in != "" && t.unsupported == "" && t.mistake == "" {
		switch t.in[0] {
		case '\\':
			t.escape(false)
		case '[':
			t.class()
		case '(':
			t.group()
		case '{':
			t.repeat()
		case '#':
			t.comment()
		default:
			t.copy(1)
		}
	}
}

// copy copies n bytes.
func (t *translator) copy(n int) {
	n = min(n, len(t.in))
	t.out.WriteString(t.in[:n])
	t.in = t.in[n:]
}

// put writes a text instead of n bytes.
func (t *translator) put(text string, n int) {
	t.out.WriteString(text)
	t.in = t.in[n:]
}

// apart returns what a function would write, instead of writing it.
func (t *translator) apart(translate func()) string {
	before := t.out.String()
	t.out.Reset()
	translate()
	after := t.out.String()
	t.out.Reset()
	t.out.WriteString(before)
	return after
}

// escape translates an escape.
func (t *translator) escape(inClass bool) {
	if len(t.in) < 2 {
		t.copy(1)
		return
	}
	switch c := t.in[1]; {
	case c == 'Z' && !inClass:
		t.put(`\z`, 2)
	case c == 'U' && len(t.in) >= 10:
		var r rune
		if _, err := fmt.Sscanf(t.in[2:10], "%08x", &r); err != nil || !utf8.ValidRune(r) {
			t.unsupported = `an escape \U`
			return
		}
		t.put(regexp2.Escape(string(r)), 10)
	case strings.IndexByte("XRKGmMhNLgeQEczy", c) >= 0 || c == 'k':
		t.unsupported = `the escape \` + string(c)
	case c == 'p' || c == 'P':
		t.property()
	case c == '_' || c >= utf8.RuneSelf: // Python takes it for itself, and regexp2 for a mistake
		_, size := utf8.DecodeRuneInString(t.in[1:])
		t.put(t.in[1:1+size], 1+size)
	default:
		t.copy(2)
	}
}

// property translates \p{...}, in which regexp2 knows general categories and scripts.
func (t *translator) property() {
	end := strings.IndexByte(t.in, '}')
	if len(t.in) < 3 || t.in[2] != '{' || end < 0 {
		t.copy(2)
		return
	}
	name := t.in[3:end]
	for _, prefix := range []string{"gc=", "General_Category=", "script=", "Script=", "sc="} {
		name = strings.TrimPrefix(name, prefix)
	}
	if long, ok := categories[strings.ToLower(name)]; ok {
		name = long
	}
	t.put(t.in[:2]+"{"+name+"}", end+1)
}

// categories contains short names of general categories.
var categories = map[string]string{"letter": "L", "uppercase_letter": "Lu", "lowercase_letter": "Ll", "number": "N", "punctuation": "P", "symbol": "S", "mark": "M", "separator": "Z"}

// class translates a set of characters. In the sets of .NET, a bracket after a hyphen would begin a set to subtract. A negated class such as \W
// comes last, because regexp2 ignores the classes after it.
func (t *translator) class() {
	var negated string
	t.copy(1)
	if strings.HasPrefix(t.in, "^") {
		t.copy(1)
	}
	if strings.HasPrefix(t.in, "]") {
		t.put(`\]`, 1)
	}
	for t.in != "" && t.unsupported == "" {
		switch {
		case t.in[0] == ']':
			t.put(negated+"]", 1)
			return
		case len(t.in) > 1 && t.in[0] == '\\' && strings.IndexByte("WDSP", t.in[1]) >= 0:
			one := t.apart(func() { t.escape(true) })
			if negated != "" && negated != one {
				t.unsupported = "a set with two negated classes"
			}
			negated = one
		case strings.HasPrefix(t.in, "[:"):
			t.posix()
		case t.in[0] == '[':
			t.put(`\[`, 1)
		case t.in[0] == '\\':
			t.escape(true)
		default:
			t.copy(1)
		}
	}
}

// posix translates a class such as [:alpha:] in a set.
func (t *translator) posix() {
	end := strings.Index(t.in, ":]")
	if end < 0 {
		t.put(`\[`, 1)
		return
	}
	text, ok := posix[t.in[2:end]]
	if !ok {
		t.unsupported = "a class of POSIX"
		return
	}
	t.put(text, end+2)
}

// posix contains the classes of POSIX.
var posix = map[string]string{
	"alpha": `\p{L}`, "digit": `\d`, "alnum": `\p{L}\d`, "space": `\s`, "upper": `\p{Lu}`, "lower": `\p{Ll}`, "word": `\w`, "xdigit": `0-9A-Fa-f`, "punct": `\p{P}`,
}

// group translates the beginning of a group.
func (t *translator) group() {
	rest, special := strings.CutPrefix(t.in, "(?")
	end := strings.IndexByte(rest, ')')
	name := groupName.FindStringSubmatch(rest)
	switch {
	case strings.HasPrefix(t.in, "(*"):
		t.unsupported = "a verb such as (*FAIL)"
	case !special:
		t.groups++
		t.put(fmt.Sprintf("(?<%d>", t.groups), 1)
	case name != nil:
		t.put(fmt.Sprintf("(?<%d>", t.numberOf(name[1])), len("(?")+len(name[0]))
	case strings.HasPrefix(rest, "P=") && end > 0:
		t.put(fmt.Sprintf(`(?:\k<%d>)`, t.referenceTo(rest[len("P="):end])), len("(?")+end+1)
	case strings.HasPrefix(rest, "(") && end > 0:
		t.put(fmt.Sprintf("(?(%d)", t.referenceTo(rest[1:end])), len("(?")+end+1)
	case strings.HasPrefix(rest, "#") && end >= 0:
		t.put("", len("(?")+end+1)
	case lookAround.MatchString(rest):
		t.copy(len("(?") + 1)
	default:
		t.inlineFlags(rest)
	}
}

var (
	groupName  = regexp.MustCompile(`^P?<([\pL_][\pL\pN_]*)>`)
	lookAround = regexp.MustCompile(`^(?:[:=!>#]|<[=!])`)
)

// numberOf returns the number of a new group with a name. Groups of the same name have the same number.
func (t *translator) numberOf(name string) int {
	if t.named[name] == 0 {
		t.groups++
		t.named[name] = t.groups
	}
	return t.named[name]
}

// referenceTo returns the number of a group to which the expression refers, by name or number.
func (t *translator) referenceTo(name string) int {
	if n, err := strconv.Atoi(name); err == nil {
		return n
	}
	if t.all != nil && t.all[name] == 0 {
		t.mistake = "unknown group"
	}
	return t.all[name]
}

// inlineFlags translates flags such as (?i) and (?i:.
func (t *translator) inlineFlags(rest string) {
	n := strings.IndexFunc(rest, func(r rune) bool { return !strings.ContainsRune("imsxu-", r) })
	if n <= 0 || rest[n] != ')' && rest[n] != ':' {
		t.unsupported = "a group that begins with (? and is neither a look-around nor sets the flags i, m, s, u and x"
		return
	}
	flags := strings.ReplaceAll(rest[:n], "u", "")
	on, _, _ := strings.Cut(flags, "-")
	if strings.Contains(on, "x") && rest[n] == ')' {
		t.comments = true
	}
	if (flags == "" || flags == "-") && rest[n] == ')' {
		t.put("", len("(?")+n+1)
		return
	}
	t.put("(?"+flags+rest[n:n+1], len("(?")+n+1)
}

// repeat translates the beginning of {n,m}. Python takes {,m} for {0,m}, and .NET takes it for text.
func (t *translator) repeat() {
	end := strings.IndexByte(t.in, '}')
	switch {
	case strings.HasPrefix(t.in, "{,") && end >= 2 && strings.Trim(t.in[2:end], "0123456789") == "":
		t.put("{0,", 2)
	case end > 0 && strings.ContainsAny(t.in[:end], "<=") && strings.ContainsAny(t.in[:end], "eids"):
		t.unsupported = "fuzzy matching"
	default:
		t.copy(1)
	}
}

// comment copies a comment if there may be some.
func (t *translator) comment() {
	end := strings.IndexByte(t.in, '\n')
	if !t.comments {
		end = 0
	} else if end < 0 {
		end = len(t.in) - 1
	}
	t.copy(end + 1)
}
