package subword

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dlclark/regexp2"
)

// searchTime is the maximum duration of one search. Some expressions need more time than anybody has.
const searchTime = 10 * time.Second

// regex makes a pattern of a regular expression of tokenizers, in the notation of Oniguruma. It is translated to that of .NET, and what
// the two do not both have with the same meaning is an error.
func regex(expression string) (pattern, error) {
	translated, err := translate(expression)
	if err != nil {
		return nil, err
	}
	compiled, err := regexp2.Compile(translated, regexp2.Multiline)
	if err != nil {
		return nil, errors.New("the regular expression is invalid or not supported")
	}
	compiled.MatchTimeout = searchTime
	return func(s string, found func(start, end int)) error {
		text := []rune(s)
		at, offset := 0, 0 // the same place in text and in s
		forward := func(to int) int {
			for ; at < to; at++ {
				offset += utf8.RuneLen(text[at])
			}
			return offset
		}
		m, err := compiled.FindRunesMatch(text)
		for ; m != nil && err == nil; m, err = compiled.FindNextMatch(m) {
			start := forward(m.Index)
			found(start, forward(m.Index+m.Length))
		}
		if err != nil {
			return errors.New("a regular expression of the tokenizer takes too long")
		}
		return nil
	}, nil
}

// word is \w of Oniguruma, inside a class.
const word = `\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}Ⓐ-ⓩ²³¹¼½¾`

// translate returns an expression for regexp2.
func translate(expression string) (string, error) {
	var out strings.Builder
	in := []rune(expression)
	class, quantified := false, false // in brackets; after a quantifier
	for i := 0; i < len(in); i++ {
		c := in[i]
		wasQuantified := quantified
		quantified = false
		switch {
		case c == '\\':
			i++
			if i == len(in) {
				return "", errors.New("the regular expression ends with a backslash")
			}
			switch e := in[i]; {
			case strings.ContainsRune("sSdrntfv", e), e == 'D' && !class, e == 'b' && !class:
				out.WriteString(`\` + string(e))
			case e == 'w' && class:
				out.WriteString(word)
			case e == 'w':
				out.WriteString("[" + word + "]")
			case e == 'W' && !class:
				out.WriteString("[^" + word + "]")
			case (e == 'p' || e == 'P') && i+1 < len(in) && in[i+1] == '{':
				end := i + 2
				for end < len(in) && in[end] != '}' {
					end++
				}
				name := string(in[i+2 : min(end, len(in))])
				if _, ok := unicode.Categories[name]; !ok || len(name) > 2 {
					if _, ok := unicode.Scripts[name]; !ok {
						return "", fmt.Errorf("the regular expression has the property %q, which is not supported", name)
					}
				}
				out.WriteString(`\` + string(e) + "{" + name + "}")
				i = end
			case e == 'x' || e == 'u':
				n := map[rune]int{'x': 2, 'u': 4}[e]
				digits := string(in[i+1 : min(i+1+n, len(in))])
				if len(digits) != n || strings.Trim(digits, "0123456789abcdefABCDEF") != "" {
					return "", fmt.Errorf("the regular expression has \\%c without %d digits", e, n)
				}
				out.WriteString(`\` + string(e) + digits)
				i += n
			case e < utf8.RuneSelf && !isLetterOrDigit(byte(e)):
				out.WriteString(`\` + string(e))
			default:
				return "", fmt.Errorf("the regular expression has \\%c, which is not supported", e)
			}
		case class:
			if c == '[' || c == '&' && i+1 < len(in) && in[i+1] == '&' {
				return "", errors.New("the regular expression has classes in classes, which are not supported")
			}
			if c == ']' {
				class = false
			}
			out.WriteRune(c)
		case c == '[':
			class = true
			out.WriteRune(c)
			if i+1 < len(in) && in[i+1] == '^' {
				i++
				out.WriteRune('^')
			}
			if i+1 < len(in) && in[i+1] == ']' {
				return "", errors.New("the regular expression has an empty class")
			}
		case c == '*' || c == '+' || c == '?' || c == '{':
			if wasQuantified && c != '?' {
				return "", errors.New("the regular expression has possessive quantifiers, which are not supported")
			}
			if c == '{' {
				end := i + 1
				for end < len(in) && in[end] != '}' {
					end++
				}
				bounds := string(in[i+1 : end])
				if end == len(in) || strings.Trim(bounds, "0123456789,") != "" || bounds == "" || bounds[0] == ',' || strings.Count(bounds, ",") > 1 {
					return "", errors.New("the regular expression has { without bounds, which is not supported")
				}
				out.WriteString("{" + bounds + "}")
				i = end
				if i+1 < len(in) && (in[i+1] == '+' || in[i+1] == '?') {
					return "", errors.New("the regular expression has bounds followed by a quantifier, which are not supported")
				}
			} else {
				out.WriteRune(c)
			}
			quantified = !wasQuantified
		case c == '(' && i+1 < len(in) && in[i+1] == '?':
			rest := string(in[i:])
			if inside, ok := strings.CutPrefix(rest, "(?i:"); ok {
				inside, _, ok = strings.Cut(inside, ")")
				folded, err := foldCase(inside)
				if !ok {
					err = errCase
				}
				if err != nil {
					return "", err
				}
				out.WriteString("(?:" + folded + ")")
				i += len("(?i:") + len(inside)
				continue
			}
			kind := ""
			for _, k := range []string{"(?:", "(?=", "(?!", "(?<=", "(?<!"} {
				if strings.HasPrefix(rest, k) {
					kind = k
				}
			}
			if kind == "" {
				return "", errors.New("the regular expression has a kind of group that is not supported")
			}
			out.WriteString(kind)
			i += len(kind) - 1
		default:
			out.WriteRune(c)
		}
	}
	if class {
		return "", errors.New("the regular expression has a class without an end")
	}
	return out.String(), nil
}

var errCase = errors.New("the regular expression has (?i:) with more than letters and apostrophes, which is not supported")

// foldCase returns the alternatives of a group in which case is ignored: of letters that Oniguruma also finds in ligatures, none may be
// neighbours.
func foldCase(alternatives string) (string, error) {
	var out strings.Builder
	for i, c := range alternatives {
		switch {
		case c == '|' || c == '\'':
			out.WriteRune(c)
		case c == 's':
			out.WriteString("[sSſ]")
		case c == 'k':
			out.WriteString("[kK\u212a]")
		case c >= 'a' && c <= 'z':
			fmt.Fprintf(&out, "[%c%c]", c, unicode.ToUpper(c))
		default:
			return "", errCase
		}
		if i > 0 && strings.Contains("ss st ff fi fl", alternatives[i-1:i+1]) {
			return "", errCase
		}
	}
	return out.String(), nil
}
