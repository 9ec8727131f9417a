package feature

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// families has all families by name, each with a description and its source.
var families map[string]family

func init() {
	families = map[string]family{
		// Lexical.
		"word":        word("the token as it is written (Dehghan et al. 2015; Dernoncourt et al. 2016, table 2; Liu et al. 2017, section 3.3)", func(x *Text, t int) string { return x.words[t] }),
		"lower":       word("the token in lower case, with 0 instead of digits", func(x *Text, t int) string { return zeros(x.lower()[t]) }),
		"ngram":       ngrams("sequences of 2 to size tokens, in lower case, within the window (Liu et al. 2017, section 3.3: trigrams within 2)", func(x *Text, t int) string { return x.lower()[t] }),
		"disjunctive": disjunctive(),
		"short":       shortWords(),
		"position":    closed(position()),
		// Morphology.
		"prefix":     affixes("prefixes of 1 to size letters (Liu et al. 2017, section 3.3: 5)", prefix),
		"suffix":     affixes("suffixes of 1 to size letters (Liu et al. 2017, section 3.3: 5)", suffix),
		"characters": characters(),
		"shape":      closed(ofWord("the shape of the token, with one character per character and with one per run: Hospital is Aaaaaaaa and Aa (Liu et al. 2017, section 3.3)", shapes)),
		"pattern":    closed(ofWord("the two maps of Dehghan et al. 2015, section 2 (III): BrightPoint is XxxxxxXxxxx, and Xx__ by the kinds of characters that it contains", patterns)),
		"morphology": closed(ofWord("ends with s, contains a digit, is numeric, alphabetic, alphanumeric, title case, lower case (Dernoncourt et al. 2016, table 2), and upper case, contains a capital, contains punctuation (Liu et al. 2017, section 3.3)", morphology)),
		// Time.
		"temporal": closed(many("season, month, day of the week and time of day (Dernoncourt et al. 2016, table 2), and units of time such as year, in English and Spanish", temporal)),
		// Sentence and layout.
		"sentence": closed(many("number of tokens of the sentence, its end mark, and whether it has an unmatched bracket (Liu et al. 2017, section 3.3); the number in steps above 10, which is ours", sentence)),
		"section":  section(),
		"label":    each("the words before the last colon on the token's line, at most four", label),
		"line":     closed(each("the number of the token's line in the note (Dehghan et al. 2015, section 2 (III)); in tens from 20 on, which is ours", line)),
		"space":    closed(many("whether white space, a line end or a blank line precedes the token, and whether white space or a line end follows it (Dehghan et al. 2015, section 2 (III): whether a space follows it)", space)),
	}
	families[columnFamily] = columnValues()
	for name, f := range resourceFamilies() {
		families[name] = f
	}
}

// word makes a family whose values include one for positions beyond the sequence.
func word(about string, value func(x *Text, t int) string) family {
	f := each(about, value)
	return family{about: about, columns: func(s Spec, r *Resources) ([]column, error) {
		columns, err := f.columns(s, r)
		columns[0].edges = true
		return columns, err
	}}
}

// zeros replaces digits with 0.
func zeros(s string) string {
	if !strings.ContainsAny(s, "123456789") {
		return s
	}
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return '0'
		}
		return r
	}, s)
}

// ngrams makes a family with one column per length. Each n-gram lies entirely within
// the window.
func ngrams(about string, value func(x *Text, t int) string) family {
	return family{about: about, size: 2, maximum: 5, columns: func(s Spec, _ *Resources) ([]column, error) {
		if s.Size < 2 || 2*s.Window+1 < s.Size {
			return nil, fmt.Errorf("size: %d does not fit into window %d", s.Size, s.Window)
		}
		var all []column
		for n := 2; n <= s.Size; n++ {
			all = append(all, column{name: fmt.Sprint(s.Family, n), lo: -s.Window, hi: s.Window - n + 1, values: grams(n, value)})
		}
		return all, nil
	}}
}

// grams produces for each token the n tokens that begin there.
func grams(n int, value func(x *Text, t int) string) func(x *Text, put func(int, string)) {
	return func(x *Text, put func(int, string)) {
		var b strings.Builder
		for t := 0; t+n <= len(x.Tokens); t++ {
			if x.sentence()[t] != x.sentence()[t+n-1] {
				continue
			}
			b.Reset()
			for k := range n {
				if k > 0 {
					b.WriteByte(' ')
				}
				b.WriteString(value(x, t+k))
			}
			put(t, b.String())
		}
	}
}

// disjunctive has the tokens and shapes that occur among those before the token, and
// those that occur among those after it.
func disjunctive() family {
	const about = "tokens and shapes that occur anywhere among the size tokens before, and anywhere among the size tokens after (Zuccon et al. 2014, section 3 (2)); 4 by default"
	return family{about: about, size: 4, maximum: 20, columns: func(s Spec, _ *Resources) ([]column, error) {
		around := func(from, to int, value func(x *Text, t int) string) func(x *Text, put func(int, string)) {
			return func(x *Text, put func(int, string)) {
				for t := range x.Tokens {
					for o := from; o <= to; o++ {
						if k := t + o; k >= 0 && k < len(x.Tokens) && x.sentence()[k] == x.sentence()[t] {
							put(t, value(x, k))
						}
					}
				}
			}
		}
		lower := func(x *Text, t int) string { return x.lower()[t] }
		short := func(x *Text, t int) string { return shape(x.words[t], true) }
		return []column{
			{name: "before", values: around(-s.Size, -1, lower)}, {name: "after", values: around(1, s.Size, lower)},
			{name: "shapes-before", closed: true, values: around(-s.Size, -1, short)}, {name: "shapes-after", closed: true, values: around(1, s.Size, short)},
		}, nil
	}}
}

// shortWords joins neighbouring words of at most Size letters each.
func shortWords() family {
	const about = "the token with its neighbour if both have at most size letters (Zuccon et al. 2014, section 3 (4)); 3 by default"
	return family{about: about, size: 3, maximum: 10, columns: func(s Spec, _ *Resources) ([]column, error) {
		return []column{{name: "short", lo: -1, hi: 0, values: func(x *Text, put func(int, string)) {
			for t := 0; t+1 < len(x.Tokens); t++ {
				if x.sentence()[t] == x.sentence()[t+1] && utf8.RuneCountInString(x.words[t]) <= s.Size && utf8.RuneCountInString(x.words[t+1]) <= s.Size {
					put(t, x.lower()[t]+" "+x.lower()[t+1])
				}
			}
		}}}, nil
	}}
}

// position is the position of a token in its sentence.
func position() family {
	f := each("the number of the token in its sentence, up to 10, and whether it is the last (Zuccon et al. 2014, section 3 (5))", func(x *Text, t int) string {
		s := x.Sentences[x.sentence()[t]]
		if t == s.End-1 {
			return "last"
		}
		return strconv.Itoa(min(10, t-s.Start))
	})
	return f
}

func affixes(about string, of func(w string, n int) string) family {
	return family{about: about, size: 5, maximum: 10, columns: func(s Spec, _ *Resources) ([]column, error) {
		return []column{{name: s.Family, lo: -s.Window, hi: s.Window, values: func(x *Text, put func(int, string)) {
			for t, w := range x.lower() {
				for n := 1; n <= s.Size; n++ {
					if v := of(w, n); v != "" {
						put(t, v)
					}
				}
			}
		}}}, nil
	}}
}

// prefix returns the first n characters, or "" if there are fewer.
func prefix(w string, n int) string {
	for i := range w {
		if n == 0 {
			return w[:i]
		}
		n--
	}
	if n == 0 {
		return w
	}
	return ""
}

// suffix returns the last n characters, or "" if there are fewer.
func suffix(w string, n int) string {
	at := len(w)
	for range n {
		if at == 0 {
			return ""
		}
		_, size := utf8.DecodeLastRuneInString(w[:at])
		at -= size
	}
	return w[at:]
}

// characters has the character n-grams of the token, including its borders.
func characters() family {
	const about = "sequences of up to size characters, including the token's borders (Zuccon et al. 2014, section 3 (1) and (3): 6, or 3); 6 by default"
	return family{about: about, size: 6, maximum: 10, columns: func(s Spec, _ *Resources) ([]column, error) {
		return []column{{name: s.Family, lo: -s.Window, hi: s.Window, values: func(x *Text, put func(int, string)) {
			var at []int
			for t, w := range x.lower() {
				bordered := "<" + w + ">"
				at = at[:0]
				for i := range bordered {
					at = append(at, i)
				}
				at = append(at, len(bordered))
				for n := 2; n <= s.Size; n++ {
					for i := 0; i+n < len(at) && i < 40; i++ { // only the first 40 of a very long token
						put(t, bordered[at[i]:at[i+n]])
					}
				}
			}
		}}}, nil
	}}
}
