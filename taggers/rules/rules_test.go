package rules

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/lethe-deid/lethe/data"
)

// Parse tries the examples of every rule, so that reading a set tests it.
func TestBuiltin(t *testing.T) {
	typesOf := map[string]string{"anonym": "any", "english": "i2b2-2014", "liu2017": "i2b2-2014", "spanish": "meddocan"}
	for _, name := range BuiltinNames() {
		set, err := Builtin(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		types, err := data.LookupTypeSet(typesOf[name])
		if err != nil {
			t.Fatal(err)
		}
		if err := set.Check(types); err != nil {
			t.Error(err)
		}
	}
	if _, err := Builtin("french"); err == nil || err.Error() != `no built-in rules "french" (have anonym, english, liu2017, spanish)` {
		t.Errorf("french: %v", err)
	}
}

func TestCheck(t *testing.T) {
	set := mustParse(t, "rules: [{name: a, type: TATTOO, find: x, match: ['«x»'], not: [y]}]")
	types := data.MEDDOCAN
	if err := set.Check(types); err == nil || err.Error() != "f.yaml: TATTOO is not a type of meddocan" {
		t.Error(err)
	}
}

// one returns a file with one rule.
func one(keys string) string {
	return "lexicons: {clue: [St, Street, Av. de la, Médico], other: [ab]}\npatterns: {number: '[0-9]+', word: '{!clue}[a-z]+'}\n" +
		"rules:\n- name: r\n  type: T\n  " + strings.ReplaceAll(keys, "; ", "\n  ") + "\n"
}

func mustParse(t testing.TB, raw string) *Set {
	t.Helper()
	set, err := Parse("f.yaml", []byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// Each rule finds its examples. They test the meaning of expressions.
func TestExpressions(t *testing.T) {
	for name, keys := range map[string]string{
		"orthography":            `find: '{upperInitial} {allCapital} {lower} {capitalized}'; match: ['a «Ünder ÄB éa McX» b', "«Jose\u0301 AB c D»"]; not: [AB AB ab Ab, Ab Ab ab ab]`,
		"lexicon, longest first": `find: '{clue}'; match: ['«Street» «St» Stree «Av.  de la»', "«Me\u0301dico»"]; not: [Streets, XSt, street]`,
		"without case":           `find: '(?i:{clue})'; match: ['«STREET» «médico»']; not: [streets]`,
		"pattern":                `find: '{number}(?:-{number}){1,2}'; match: ['1 «2-3» «4-5-6»-7']; not: ['1 -2']`,
		"a pattern is a unit":    `find: '{number}|x'; before: 'a|b'; match: ['a«1» bx b«2»']; not: ['c1', '|1']`,
		"a space is blanks":      `find: 'a b'; match: ["«a b» «a \t\u00a0b»"]; not: ["a\nb", ab, a         b]`,
		"a space may be absent":  `find: 'a ?b'; match: ['«ab» «a b»,']; not: [a-b]`,
		"lines":                  `find: '^[a-z]+$'; match: ["X\n«ab»\r\n«cd»"]; not: [ab cd]`,
		"words are Unicode's":    `find: 'a\b.{1,3}'; match: ['«a bc»']; not: [añbc, a1bc]`,
		"borders of the span":    `find: '[0-9]{2}'; match: ['«12»/«34»']; not: ['123', a12, 12a, ñ12, "12\u0301"]`,
		"letter meets digit":     `find: '[0-9]{2}'; before: '^|tel'; after: 'F|$'; match: ["tel«12»F\n«34»"]; not: [el12F, tel123F]`,
		"guard":                  `find: '{word}(?: {word}){0,3}'; match: ['«ab cd» St «ef»', '«sts»']; not: [St St]`,
		"guard that is no clue":  `find: '{!other}[a-z]+'; match: ['«abc» ab «b»']; not: [ab]`,
		"except":                 `find: '[a-z]+ [a-z]+'; except: '^no|x$'; match: ['«a noy»,«a no»']; not: [no a, a x]`,
		"not before":             `find: '[0-9]+'; not_before: '[0-9]-|\bno ?'; match: ['«55»-6', 'piano «7»']; not: [no 7, no7]`,
		"not after":              `find: '[0-9]+'; not_after: ' ?m'; match: ['«55» n', '«7»']; not: [7 mg, '7m']`,
		"the first alternative":  `find: 'ab?|a-c'; match: ['«ab» «a»-c']; not: [abc]`,
		"and back to the second": `find: 'ab?|abc'; match: ['«ab» «abc»']; not: [abcd]`,
		"reluctant":              `find: '[a-z]+(?: [a-z]+)*?'; after: ' ?[.;]'; match: ['«ab cd» .', '«x»;']; not: [ab]`,
		"after the last":         `find: 'x'; before: '[ax] '; match: ['a «x» «x» «x»']; not: [x]`,
	} {
		if _, err := Parse("f.yaml", []byte(one(keys))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestParseErrors(t *testing.T) {
	examples := "; match: ['«x»']; not: [y]"
	for raw, want := range map[string]string{
		"rule: []":                                      "f.yaml:1:1: rule: unknown key (have types, lexicons, patterns, rules, corrections)",
		"rules: [{name: a, weight: 1}]":                 "f.yaml:1:19: rules[0].weight: unknown key (have name, type, score, find, before, after, not_before, not_after, except, match, not)",
		"types: any":                                    "f.yaml: no rules",
		"types: icd":                                    `f.yaml:1:8: types: no type set "icd" (have ` + strings.Join(data.TypeSetNames(), ", ") + ")",
		"rules: [{type: T}]":                            "f.yaml:1:10: a rule without a name",
		"lexicons: {a: []}":                             `f.yaml:1:15: lexicon "a" is empty`,
		"lexicons: {a: [x, ' y']}":                      `f.yaml:1:19: lexicon "a": entry 2 is empty, or has blanks other than single spaces between words`,
		"lexicons: {a b: [x]}":                          `f.yaml:1:17: lexicon "a b": a name consists of letters, digits, - and _, and begins with a letter`,
		"lexicons: {lower: [x]}":                        `f.yaml:1:19: lexicon "lower": the name is reserved for a form of words`,
		"lexicons: {a: [x]}\npatterns: {a: x}":          `f.yaml:2:15: pattern "a": a lexicon has the same name`,
		"patterns: {a: '{b}', b: '{a}'}":                `f.yaml:1:15: pattern "a": {b} is defined in terms of itself: b, a, b`,
		"patterns: {a: '{b}'}":                          `f.yaml:1:15: pattern "a": no lexicon or pattern {b} (have a, allCapital, capitalized, lower, upperInitial)`,
		one("find: '(Oda Lund'" + examples):             `f.yaml:6:9: rule "r": find: missing closing ): "(Oda Lund"`, // not with what stands for the blank
		one("find: '(x'" + examples):                    `f.yaml:6:9: rule "r": find: missing closing ): "(x"`,
		one("find: 'x)(?:y'" + examples):                `f.yaml:6:9: rule "r": find: unexpected ): "x)(?:y"`,
		one("find: x; before: '[b-a]'" + examples):      `f.yaml:7:11: rule "r": before: invalid character class range: "b-a"`,
		one("find: x; after: '*'" + examples):           `f.yaml:7:10: rule "r": after: missing argument to repetition operator: "*"`,
		one("find: x; except: '\\p{Xx}'" + examples):    `f.yaml:7:11: rule "r": except: invalid character class range: "\\p{Xx}"`,
		one("find: x; not_before: '{nope}'" + examples): `f.yaml:7:15: rule "r": not_before: no lexicon or pattern {nope} (have allCapital, capitalized, clue, lower, number, other, upperInitial, word)`,
		one("find: x; not_after: 'x{1001}'" + examples): `f.yaml:7:14: rule "r": not_after: invalid repeat count: "{1001}"`,
		one("find: '{!word}x'" + examples):              `f.yaml:6:9: rule "r": find: {!word} is not allowed, because {word} itself contains {!...}`,
		one("find: '(?P<n>x)'" + examples):              `f.yaml:6:9: rule "r": find: named groups are not supported`,
		one("find: '\\Qx\\E'" + examples):               `f.yaml:6:9: rule "r": find: \Q is not supported`,
		one("find: '(?:(?:x{1,99}y){1,9}z){1,9}[a-z]{1,999}{lower}{1,999}'" + examples): `f.yaml:6:9: rule "r": find: invalid repeat count: "{1,9}"`,
		one("find: '" + strings.Repeat("[a-f]{1,999}", 40) + "'" + examples):            `f.yaml:6:9: rule "r": find: the expression is too long: 79886 instructions exceed the maximum of 32768`,
		one("before: x" + examples):                                              `f.yaml:4:3: rule "r": find is missing`,
		one("find: x; score: 1.5" + examples):                                    `f.yaml:7:10: rule "r": score: 1.5 is not in (0, 1]`,
		one("find: x; score: 0" + examples):                                      `f.yaml:7:10: rule "r": score: 0 is not in (0, 1]`,
		one("find: x; match: ['«x»']"):                                           `f.yaml:4:3: rule "r": requires at least one text that it matches (match) and one that it does not match (not)`,
		one("find: x; not: [y]"):                                                 `f.yaml:4:3: rule "r": requires at least one text that it matches (match) and one that it does not match (not)`,
		one("find: x; match: [x]; not: [y]"):                                     `f.yaml:7:11: rule "r": example 1 marks no span with « »`,
		one("find: x; match: ['«x»', '«x']; not: [y]"):                           `f.yaml:7:18: rule "r": example 2: unpaired « or »`,
		one("find: x; match: ['x»']; not: [y]"):                                  `f.yaml:7:11: rule "r": example 1: unpaired « or »`,
		one("find: x; match: ['««x»']; not: [y]"):                                `f.yaml:7:11: rule "r": example 1: unpaired « or »`,
		one("find: x; match: ['«x» x']; not: [y]"):                               `f.yaml:7:11: rule "r": example 1: the rule finds "«x» «x»"`,
		one("find: x; match: ['«xx»']; not: [y]"):                                `f.yaml:7:11: rule "r": example 1: the rule finds nothing`,
		one("find: x; match: ['«x»']; not: [y, a x]"):                            `f.yaml:8:12: rule "r": counterexample 2: the rule finds "a «x»"`,
		one("find: 'x?'; match: ['«»y']; not: [y]"):                              `f.yaml:7:11: rule "r": example 1: the rule finds nothing`,
		"types: meddocan\n" + one("find: x"+examples):                            `f.yaml:6:9: rule "r": type: T is not a type of meddocan`,
		"rules:\n- {name: a, find: x}":                                           `f.yaml:2:4: rule "a": type is missing`,
		one("find: x"+examples) + "- {name: r, type: T}":                         `f.yaml:9:10: rule "r": duplicate name`,
		"corrections: [{name: c, find: x}]":                                      `f.yaml:1:16: rule "c": on is missing`,
		"corrections: [{name: c, 'on': [A], find: x}]":                           `f.yaml:1:16: rule "c": action is "", not grow, remove, cut or retype`,
		"corrections: [{name: c, 'on': [A, ''], find: x}]":                       `f.yaml:1:35: rule "c": on is missing`,
		"corrections: [{name: c, 'on': [A], action: grow, type: B, find: x}]":    `f.yaml:1:56: rule "c": type is for retype only`,
		"corrections: [{name: c, 'on': [A], action: retype, find: x}]":           `f.yaml:1:16: rule "c": type is missing`,
		"corrections: [{name: c, 'on': [A], action: remove, find: x, not: [y]}]": `f.yaml:1:16: rule "c": requires at least one text that it matches (match) and one that it does not match (not)`,
	} {
		_, err := Parse("f.yaml", []byte(raw))
		if err == nil || err.Error() != want {
			t.Errorf("%s:\n got %v\nwant %s", raw, err, want)
		}
	}
	if _, err := Load("nowhere.yaml"); !os.IsNotExist(err) {
		t.Error(err)
	}
}

func TestFindAndSpans(t *testing.T) {
	set := mustParse(t, `
rules:
- {name: first, type: B, score: 0.5, find: 'b c', match: ['«b c»'], not: [a]}
- {name: second, type: A, find: '[a-z] [a-z] [a-z]', match: ['«a b c»'], not: [a]}
- {name: third, type: C, find: '[a-z]', match: ['«a»'], not: [A]}
`)
	var found []string
	for _, m := range set.Find("a b c d") {
		found = append(found, m.Rule+" "+m.Type+" "+"a b c d"[m.Start:m.End])
	}
	want := []string{"second A a b c", "third C a", "first B b c", "third C b", "third C c", "third C d"}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Error(diff)
	}
	spans := []data.Span{{Start: 0, End: 1, Type: "C", Score: 1}, {Start: 2, End: 5, Type: "B", Score: 0.5}, {Start: 6, End: 7, Type: "C", Score: 1}}
	if diff := cmp.Diff(spans, set.Spans("a b c d")); diff != "" {
		t.Error(diff)
	}
	if got := set.Types(); !slices.Equal(got, []string{"A", "B", "C"}) {
		t.Error(got)
	}
	if set.Find("") != nil || set.Spans("") != nil {
		t.Error("spans in an empty text")
	}
}

// A match with its contexts has at most 512 bytes, and not_before sees 128.
func TestWindows(t *testing.T) {
	set := mustParse(t, one("find: '[a-z]+'; match: ['«x»']; not: ['1']"))
	for n, want := range map[int]int{512: 1, 513: 0} {
		if got := len(set.Spans(strings.Repeat("a", n))); got != want {
			t.Errorf("%d letters: %d spans, want %d", n, got, want)
		}
	}
	set = mustParse(t, one("find: 'x'; not_before: 'y.*'; match: ['«x»']; not: [y x]"))
	for n, want := range map[int]int{127: 0, 128: 1} {
		if got := len(set.Spans("y" + strings.Repeat(" ", n) + "x")); got != want {
			t.Errorf("%d blanks: %d spans, want %d", n, got, want)
		}
	}
}

// The machine and the automaton are compared with package regexp: from each position of
// a text, does the expression match to the end? In regexp, \b counts ASCII letters and
// _, so the texts are ASCII without _.
func TestMachineLikeRegexp(t *testing.T) {
	atom := rapid.SampledFrom([]string{"a", "b", "[ab]", "[^a]", ".", `\d`, `\w`, `\b`, `\B`, "^", "$", "(?i:A)", "(?:ab|a|)", `\n`, "-"})
	piece := rapid.Custom(func(t *rapid.T) string {
		return atom.Draw(t, "atom") + rapid.SampledFrom([]string{"", "", "", "?", "*", "+", "{1,2}", "+?", "*?"}).Draw(t, "times")
	})
	rapid.Check(t, func(t *rapid.T) {
		expression := strings.Join(rapid.SliceOfN(piece, 1, 4).Draw(t, "pieces"), rapid.SampledFrom([]string{"", "", "|"}).Draw(t, "join"))
		text := rapid.StringMatching(`[abA1 \n-]{0,8}`).Draw(t, "text")
		p, err := newCompiler().context("", expression, `\z`)
		if err != nil {
			t.Skip(err)
		}
		m := newMachine(nil)
		for i := range len(text) + 1 {
			want := regexp.MustCompile(fmt.Sprintf(`\A(?s:.{%d})(?m:%s)\z`, i, expression)).MatchString(text)
			if _, _, got := m.run(p, text, i, len(text)); got != want {
				t.Fatalf("%q on %q from %d: the machine says %v, want %v", expression, text, i, got, want)
			}
			if got := m.can(p, text, i, len(text)); got != want {
				t.Fatalf("%q on %q from %d: the automaton says %v, want %v", expression, text, i, got, want)
			}
		}
	})
}

// Many rules of a set advance in one automaton. It must report the same rules as one
// automaton for each, also where it starts anew because it is full, and in the parts of a
// text that a group of rules is tried in.
func TestRulesTogetherAsOneByOne(t *testing.T) {
	scans := map[string]*scan{}
	for _, name := range BuiltinNames() {
		set, err := Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		scans[name] = set.scan
	}
	for _, name := range []string{"english", "spanish"} {
		set, err := Net(name)
		if err != nil {
			t.Fatal(err)
		}
		scans["net/"+name], scans["net/"+name+" corrections"] = set.scan, set.search
	}
	piece := rapid.SampledFrom([]string{"Dr. ", "Calle Mayor, 3", "NHC: ", "12/03/2016", "\n", " ", "ñ", "e\u0301", "\u00a0", "555-555-1234", "Hospital ", "San Juan", "stopped ", "3, 7 May ", "kwame", "[at]", "mail(dot)org", "92",
		"Nombre: ", "a@b.es", "MRN ", "28001 ", "70 ", "años", "year-old ", "March ", "3rd", "x", "www.", ".com", ":", "Smith", "apixaban ", "dose of ", "M", "F "})
	for name, sc := range scans {
		m := newMachine(sc.groups())
		rapid.Check(t, func(t *rapid.T) {
			text := strings.Join(rapid.SliceOfN(piece, 1, 8).Draw(t, "pieces"), "")
			if rapid.IntRange(0, 20).Draw(t, "full") == 0 {
				for _, d := range m.automata {
					d.states = slices.Grow(d.states, maxStates)[:maxStates+1]
				}
			}
			got := map[int][]uint32{}
			m.candidates(text, func(i int, k uint32) { got[i] = append(got[i], k) })
			for i := range text {
				if classAfter(text, i).word() && classBefore(text, i).word() {
					continue // no match begins within a word
				}
				var want []uint32
				for k, r := range sc.rules {
					if m.can(r.whole(), text, i, floor(text, i+maxMatch)) {
						want = append(want, uint32(k))
					}
				}
				if slices.Sort(got[i]); !slices.Equal(got[i], want) {
					t.Fatalf("%s on %q from %d: together %v, one by one %v", name, text, i, got[i], want)
				}
				delete(got, i)
			}
			if len(got) > 0 {
				t.Fatalf("%s on %q: %v within words", name, text, got)
			}
		})
	}
}

// A rule that may begin with any word is tried only where what it needs follows as closely as in its expression.
func TestLeads(t *testing.T) {
	for expression, want := range map[string]lead{
		`[0-9]+ mg`:                       {}, // begins with a digit
		`[A-Z][a-z]+ [0-9]`:               {}, // begins with a capital
		`\p{L}+`:                          {}, // needs nothing
		`\p{L}+(?: [0-9])?`:               {},
		`\p{L}+(?: \p{L}+)* [0-9]`:        {}, // may be far away
		`\p{L}{2,}ed [0-9]`:               {aDigit, 3},
		`\p{L}+(?: \p{L}+){0,2}: [0-9]`:   {aDigit, 7},
		`\p{L}+[.,]?[0-9]|on\p{L}* [0-9]`: {aDigit, 3},
		`[\p{L}.]{1,9}@\p{L}`:             {aSign, 9},
		`\p{L}+ ?[(\[]at`:                 {aSign, 2},
	} {
		p, err := newCompiler().compile("", expression, "")
		if err != nil {
			t.Fatal(err)
		}
		if p.lead != want {
			t.Errorf("%s: %v, want %v", expression, p.lead, want)
		}
	}
	const text = "One two, three 4 five six seven eight"
	if got, want := (lead{aDigit, 5}).parts(nil, text), []part{{4, 16}}; !slices.Equal(got, want) {
		t.Errorf("parts %v, want %v", got, want)
	}
}

// The contract of a tagger, on texts that look like notes and texts that do not.
func TestSpansAreLegal(t *testing.T) {
	sets := map[string]*Set{}
	for _, name := range BuiltinNames() {
		set, err := Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		sets[name] = set
	}
	piece := rapid.OneOf(rapid.SampledFrom([]string{"Dr. ", "Calle Mayor, 3", "NHC: ", "12/03/2016", "\n", " ", "ñ", "e\u0301", "\u00a0", "😀", "555-555-1234",
		"Hospital ", "Nombre: ", "Íñigo", "España", "a@b.es", "(", "\ufeff", "MRN ", "«", "28001 ", "años", "70 "}), rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		text := strings.ToValidUTF8(strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "pieces"), ""), "")
		for _, name := range BuiltinNames() {
			set := sets[name]
			doc := data.Document{Text: text, Spans: set.Spans(text)}
			legal(t, doc)
			doc.Spans = set.Correct(text, doc.Spans)
			legal(t, doc)
			for _, m := range set.Find(text) {
				doc.Spans = []data.Span{m.Span}
				legal(t, doc)
			}
		}
	})
}

type fataler interface{ Fatalf(string, ...any) }

func legal(t fataler, doc data.Document) {
	if err := doc.Check(); err != nil {
		t.Fatalf("%v", err)
	}
	for i, s := range doc.Spans {
		if i > 0 && s.Start < doc.Spans[i-1].End {
			t.Fatalf("spans %d and %d overlap or are not sorted", i-1, i)
		}
		if s.Score <= 0 || s.Score > 1 || s.Type == "" {
			t.Fatalf("span %d: type %q, score %v", i, s.Type, s.Score)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("types: meddocan\nlexicons: {via: [calle, c/, avda.]}\nrules:\n- name: calle\n  type: CALLE\n  score: 0.9\n"+
		"  find: '(?i:{via}) {!via}{capitalized}(?:, [0-9]{1,3})?'\n  except: 'x$'\n  match: ['«Calle Mayor, 3».']\n  not: [calle c/ Mayor]\n", "en Calle Mayor, 3 y c/ Ñ")
	f.Add(one("find: '{number} {clue}'; before: x|y; match: ['x«3 St»']; not: [y]"), "x3 St")
	f.Add("corrections: [{name: c, action: remove, 'on': [A], find: '[0-9/]+', match: ['«1/2»'], not: [y]}]", "1/2")
	f.Fuzz(func(t *testing.T, raw, text string) {
		set, err := Parse("f.yaml", []byte(raw))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f.yaml:") {
				t.Errorf("the error does not name the file: %v", err)
			}
			return
		}
		if len(text) > 2000 || !utf8.ValidString(text) {
			return
		}
		spans := set.Spans(text)
		legal(t, data.Document{Text: text, Spans: spans})
		legal(t, data.Document{Text: text, Spans: set.Correct(text, spans)})
	})
}
