package tokenize

import (
	"slices"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
	"pgregory.net/rapid"
)

// units returns the texts of the units, including line ends, separated by |.
func units(s Splitter, tok Tokenizer, text string) string {
	tokens := tok.Tokens(text, nil)
	var parts []string
	for _, u := range s.Sentences(text, tokens, nil) {
		parts = append(parts, text[tokens[u.Start].Start:tokens[u.End-1].End])
	}
	return strings.Join(parts, "|")
}

// checkUnits fails unless the units cover n tokens in order.
func checkUnits(t rapid.TB, n int, units []Range) {
	t.Helper()
	last := 0
	for i, u := range units {
		if u.Start != last || u.End <= u.Start {
			t.Fatalf("unit %d is [%d,%d) after %d", i, u.Start, u.End, last)
		}
		last = u.End
	}
	if last != n {
		t.Fatalf("the units cover %d of %d tokens", last, n)
	}
}

func TestLinesAndParagraphs(t *testing.T) {
	for _, c := range []struct{ text, lines, paragraphs string }{
		{"a b\nc", "a b|c", "a b\nc"},
		{"a\r\nb\rc", "a|b|c", "a\r\nb\rc"},
		{"a\r\n\r\nb", "a|b", "a|b"},
		{"a\n \t\n\n\nb\n", "a|b", "a|b"},
		{"\n\na", "a", "a"},
		{"a\u2028b\u2029c\u0085d\ve\ff", "a|b|c|d|e|f", "a\u2028b\u2029c\u0085d\ve\ff"},
		{"a\n\u00a0\u2028b", "a|b", "a|b"},
		{"a\r\rb", "a|b", "a|b"},
		{"a\u00a0\u2003b", "a\u00a0\u2003b", "a\u00a0\u2003b"},
		{"", "", ""},
		{" \n ", "", ""},
	} {
		for _, tok := range []Tokenizer{LettersDigits{}, PTB{}, Whitespace{}} {
			if got := units(Lines{}, tok, c.text); got != c.lines {
				t.Errorf("lines of %q with %T: %q, want %q", c.text, tok, got, c.lines)
			}
			if got := units(Paragraphs{}, tok, c.text); got != c.paragraphs {
				t.Errorf("paragraphs of %q with %T: %q, want %q", c.text, tok, got, c.paragraphs)
			}
		}
	}
}

// Every tokenizer gives the same sentences.
func TestRules(t *testing.T) {
	const long = "The patient is a retired teacher who came to the ward with his"
	for _, c := range []struct{ text, want string }{
		// On a line.
		{"He left. She stayed.", "He left.|She stayed."},
		{"Why? No! Stop?! Go… Then", "Why?|No!|Stop?!|Go…|Then"},
		{"He said \"stop.\" (She did.) Then", "He said \"stop.\"|(She did.)|Then"},
		{"¿Fuma? ¡No! «Nunca.» Bebe.", "¿Fuma?|¡No!|«Nunca.»|Bebe."},
		{"Fiebre. ¿Desde cuándo?", "Fiebre.|¿Desde cuándo?"},
		{"Wait... then go. Next... Then", "Wait... then go.|Next...|Then"},
		{"Seen by Dr. Varga and Mrs. Lund. Both agreed.", "Seen by Dr. Varga and Mrs. Lund.|Both agreed."},
		{"Vista por la Dra. Núñez en Avda. Mayor. Alta.", "Vista por la Dra. Núñez en Avda. Mayor.|Alta."},
		{"Seen by J. Q. Varga. Home.", "Seen by J. Q. Varga.|Home."},
		{"Ines Varga, M.D. Harbor Clinic", "Ines Varga, M.D. Harbor Clinic"},
		{"Seen in the U.S. The ward was full.", "Seen in the U.S.|The ward was full."},
		{"Viajó a EE.UU. El paciente volvió.", "Viajó a EE.UU.|El paciente volvió."},
		{"Vitamin K. She is well.", "Vitamin K.|She is well."},
		{"Room No. 5 is free. No. Next", "Room No. 5 is free.|No.|Next"},
		{"Temp 98.6 and 1.5 mg. Dose 2. Then", "Temp 98.6 and 1.5 mg.|Dose 2.|Then"},
		{"Left 5/3. 2 days later", "Left 5/3.|2 days later"},
		{"Calle Mayor 19. 6C. Alta.", "Calle Mayor 19. 6C.|Alta."},
		{"Fdo.J. Varga en EE. UU. de viaje, km. 12.", "Fdo.J. Varga en EE. UU. de viaje, km. 12."},
		{"1. Metformin 2. Aspirin", "1. Metformin 2.|Aspirin"},
		{"end.Next word", "end.Next word"},
		{"Allergies: none. Age: 67", "Allergies: none.|Age: 67"},
		{"mg. of lead", "mg. of lead"},
		// Across lines.
		{"one\n\ntwo", "one|two"},
		{long + "\nwife and sister.", long + "\nwife and sister."},
		{long + "\nWife Ann.", long + "\nWife Ann."},
		{"Short line\nNext line", "Short line|Next line"},
		{"short line\nwraps", "short line\nwraps"},
		{long + " Dr.\nVarga again. Fine.", long + " Dr.\nVarga again.|Fine."},
		{long + ".\nwife", long + ".|wife"},
		{"Plan:\nrest", "Plan:|rest"},
		{long + "\n- rest\n* sleep\n• food", long + "|- rest|* sleep|• food"},
		{long + "\n2. Rest\n3) Sleep\nb) food\n(4) x\n#5 y", long + "|2. Rest|3) Sleep|b) food|(4) x|#5 y"},
		{long + "\n10:30 saw him", long + "\n10:30 saw him"},
		{long + "\nDate of birth: 5/3/81", long + "|Date of birth: 5/3/81"},
		{long + "\nNº de colegiado: 28", long + "|Nº de colegiado: 28"},
		{long + "\nwife as follows: rest", long + "\nwife as follows: rest"},
		{"HISTORY OF PRESENT ILLNESS\n" + long, "HISTORY OF PRESENT ILLNESS|" + long},
		{long + "\nPLAN", long + "|PLAN"},
		{"a\r\nB", "a|B"},
		{"", ""},
	} {
		for _, tok := range []Tokenizer{LettersDigits{}, PTB{}, Whitespace{}} {
			if got := units(Rules{}, tok, c.text); got != c.want {
				t.Errorf("%q with %T:\n got %q\nwant %q", c.text, tok, got, c.want)
			}
		}
	}
}

func TestLimit(t *testing.T) {
	for _, c := range []struct {
		text string
		max  int
		want string
	}{
		{"a b c d e f g", 3, "a b c|d e f|g"},
		{"a b c d e f", 3, "a b c|d e f"},
		{"a. b c d e", 4, "a. b c|d e"}, // the . is in the first half
		{"a b c, d. e f, g h", 6, "a b c, d.|e f, g h"},
		{"a b c, d e f", 6, "a b c,|d e f"},
		{"a b. c\nd, e f", 5, "a b. c|d, e f"},
		{"a b\nc d\ne f", 2, "a b|c d|e f"},
		{"a b c", 1, "a|b|c"},
		{"a b c", 0, "a b c"},
		{"a b c", 3, "a b c"},
		{"", 3, ""},
	} {
		if got := units(Limit(Paragraphs{}, c.max), LettersDigits{}, c.text); got != c.want {
			t.Errorf("%q, at most %d: %q, want %q", c.text, c.max, got, c.want)
		}
	}
	// Units before and after a long one stay unchanged, and so does the content of dst.
	text := "a\nb c d e\nf"
	tokens := LettersDigits{}.Tokens(text, nil)
	got := Limit(Lines{}, 3).Sentences(text, tokens, []Range{{7, 9}})
	if want := []Range{{7, 9}, {0, 1}, {1, 4}, {4, 5}, {5, 6}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func allSplitters() []Splitter {
	var all []Splitter
	for _, name := range SplitterNames() {
		s, _ := LookupSplitter(name)
		all = append(all, s)
	}
	return all
}

func TestUnitsProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := texts.Draw(t, "text")
		tok, _ := Lookup(rapid.SampledFrom(Names()).Draw(t, "tokenizer"))
		max := rapid.IntRange(1, 6).Draw(t, "max")
		tokens := tok.Tokens(text, nil)
		lines := Lines{}.Sentences(text, tokens, nil)
		for _, s := range allSplitters() {
			whole := s.Sentences(text, tokens, nil)
			checkUnits(t, len(tokens), whole)
			pieces := Limit(s, max).Sentences(text, tokens, nil)
			checkUnits(t, len(tokens), pieces)
			ends := map[int]bool{}
			for _, u := range pieces {
				ends[u.End] = true
				if u.End-u.Start > max {
					t.Fatalf("%T: a unit of %d tokens, limit %d", s, u.End-u.Start, max)
				}
			}
			for _, u := range whole {
				if !ends[u.End] {
					t.Fatalf("%T: the limit moved the end of a unit", s)
				}
			}
		}
		// A blank line always ends a unit.
		paragraphs := Paragraphs{}.Sentences(text, tokens, nil)
		for _, finer := range [][]Range{lines, Rules{}.Sentences(text, tokens, nil)} {
			for _, p := range paragraphs {
				if !slices.ContainsFunc(finer, func(u Range) bool { return u.End == p.End }) {
					t.Fatal("a unit goes on over a blank line")
				}
			}
		}
	})
}

// With quadratic time, this test would not end.
func TestUnitsPathological(t *testing.T) {
	const size = 1 << 18
	for _, u := range []string{"a", "a ", ". ", ".\n", "A\n", "\" ", "a: ", "\n", "1.\n", "U.S. ", "a\n\n", "- ", "\u2028", "\xff "} {
		text := strings.Repeat(u, size/len(u))
		tokens := LettersDigits{}.Tokens(text, nil)
		for _, s := range allSplitters() {
			units := Limit(s, 500).Sentences(text, tokens, nil)
			checkUnits(t, len(tokens), units)
		}
	}
	space := strings.Repeat(strings.Repeat("\n", size/4)+"a", 4)
	for _, s := range allSplitters() {
		tokens := PTB{}.Tokens(space, nil)
		checkUnits(t, len(tokens), s.Sentences(space, tokens, nil))
	}
}

// The number of gold spans of MEDDOCAN that contain the end of a unit, so that no
// labeller can find them whole.
func TestUnitsMEDDOCAN(t *testing.T) {
	cutSpans := map[string]int{}
	meddocan(t, "dev", func(text string, gold []data.Span) {
		tokens := LettersDigits{}.Tokens(text, nil)
		for _, name := range SplitterNames() {
			s, _ := LookupSplitter(name)
			units := s.Sentences(text, tokens, nil)
			checkUnits(t, len(tokens), units)
			for _, sp := range gold {
				if slices.ContainsFunc(units, func(u Range) bool {
					end := tokens[u.End-1].End
					return sp.Start < end && end < sp.End
				}) {
					cutSpans[name]++
				}
			}
		}
	})
	for name, want := range map[string]int{"line": 0, "blank-line": 0, "rules": 8, "note": 0} {
		if cutSpans[name] != want {
			t.Errorf("%s cuts %d gold spans, want %d", name, cutSpans[name], want)
		}
	}
}

func FuzzLines(f *testing.F)      { fuzzUnits(f, Lines{}) }
func FuzzParagraphs(f *testing.F) { fuzzUnits(f, Paragraphs{}) }
func FuzzNotes(f *testing.F)      { fuzzUnits(f, Notes{}) }
func FuzzRules(f *testing.F)      { fuzzUnits(f, Rules{}) }

func fuzzUnits(f *testing.F, s Splitter) {
	for _, text := range fuzzSeeds {
		f.Add(text, 3)
	}
	f.Fuzz(func(t *testing.T, text string, max int) {
		for _, tok := range []Tokenizer{LettersDigits{}, PTB{}, Whitespace{}} {
			tokens := tok.Tokens(text, nil)
			units := Limit(s, max).Sentences(text, tokens, nil)
			checkUnits(t, len(tokens), units)
			for _, u := range units {
				if max > 0 && u.End-u.Start > max {
					t.Fatalf("a unit of %d tokens, limit %d", u.End-u.Start, max)
				}
			}
		}
	})
}

func BenchmarkSentences(b *testing.B) {
	var text strings.Builder
	meddocan(b, "train", func(t string, _ []data.Span) { text.WriteString(t) })
	tokens := LettersDigits{}.Tokens(text.String(), nil)
	for _, name := range SplitterNames() {
		b.Run(name, func(b *testing.B) {
			s, _ := LookupSplitter(name)
			s = Limit(s, 500)
			dst := s.Sentences(text.String(), tokens, nil)
			b.SetBytes(int64(text.Len()))
			b.ReportAllocs()
			for b.Loop() {
				dst = s.Sentences(text.String(), tokens, dst[:0])
			}
		})
	}
}
