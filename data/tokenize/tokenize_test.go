package tokenize

import (
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/shared"
	"pgregory.net/rapid"
)

func words(text string, tokens []data.Token) []string {
	var w []string
	for _, t := range tokens {
		w = append(w, text[t.Start:t.End])
	}
	return w
}

// check fails unless tokens have the properties that the package guarantees. It
// prints no text.
func check(t rapid.TB, text string, tokens []data.Token) {
	t.Helper()
	last := 0
	for i, k := range append(slices.Clip(tokens), data.Token{Start: len(text), End: len(text)}) {
		if k.Start < last || k.End > len(text) || k.Start == k.End && i < len(tokens) || k.Start > k.End {
			t.Fatalf("token %d is [%d,%d) after %d in a text of %d bytes", i, k.Start, k.End, last, len(text))
		}
		if strings.TrimSpace(text[last:k.Start]) != "" {
			t.Fatalf("before token %d something in [%d,%d) is in no token", i, last, k.Start)
		}
		if i < len(tokens) {
			if s := text[k.Start:k.End]; strings.TrimSpace(s) != s || strings.ContainsAny(s, "\n\r\v\f\u0085\u2028\u2029") {
				t.Fatalf("token %d [%d,%d) starts or ends with white space or holds a line end", i, k.Start, k.End)
			}
		}
		for _, p := range []int{k.Start, k.End} {
			if !onCharacter(text, p) {
				t.Fatalf("token %d [%d,%d) cuts a code point", i, k.Start, k.End)
			}
		}
		last = k.End
	}
}

// onCharacter reports whether p is between two code points or invalid bytes.
func onCharacter(text string, p int) bool {
	for q := max(0, p-utf8.UTFMax+1); q < p; q++ {
		if r, n := utf8.DecodeRuneInString(text[q:]); q+n > p && r != utf8.RuneError {
			return false
		}
	}
	return true
}

// texts generates text from items that are difficult for tokenizers.
var texts = rapid.Custom(func(t *rapid.T) string {
	piece := rapid.OneOf(
		rapid.SampledFrom(strings.Split("a|B|é|ñ|e\u0301|中|ª|1|23|617|٣|½|.|..|...|,|:|;|?|!|¿|'|’|`|\"|“|»|(|)|[|<|-|--|–|_|/|@|#|$|%|&|*|+|=|°C"+
			"|n't|'s|O'|d'|cannot|Dr.|Jan.|No.|U.S.|J.|The|mailto|http://|www.|.com|.org|x@y.net|1/2| 1/2|\u00ad|\u200d|\ufeff|\U0001F600|\xff|\xe2\x80", "|")),
		rapid.SampledFrom([]string{" ", "  ", "\n", "\r\n", "\t", "\u00a0", "\u2028", " . ", "\n\n"}),
		rapid.StringN(0, 4, -1),
	)
	return strings.Join(rapid.SliceOfN(piece, 0, 30).Draw(t, "pieces"), "")
})

func TestTokensProperties(t *testing.T) {
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			tok, err := Lookup(name)
			if err != nil {
				t.Fatal(err)
			}
			rapid.Check(t, func(t *rapid.T) {
				text := texts.Draw(t, "text")
				tokens := tok.Tokens(text, nil)
				check(t, text, tokens)
				sentinel := data.Token{Start: -1, End: -1}
				if again := tok.Tokens(text, []data.Token{sentinel}); again[0] != sentinel || !slices.Equal(again[1:], tokens) {
					t.Fatal("appending to dst gives other tokens")
				}
			})
		})
	}
}

// A text split at white space gives the tokens of its parts: only ptb has rules
// that look across a space.
func TestTokensOfParts(t *testing.T) {
	for _, tok := range []Tokenizer{LettersDigits{}, Whitespace{}} {
		rapid.Check(t, func(t *rapid.T) {
			a, b := texts.Draw(t, "a"), texts.Draw(t, "b")
			want := append(words(a, tok.Tokens(a, nil)), words(b, tok.Tokens(b, nil))...)
			if got := words(a+" "+b, tok.Tokens(a+" "+b, nil)); !slices.Equal(got, want) {
				t.Fatalf("%q and %q: %q, want %q", a, b, got, want)
			}
		})
	}
}

// With quadratic time, this test would not end.
func TestTokensPathological(t *testing.T) {
	const size = 1 << 18
	units := strings.Split("a|1|'|\"|.|@|-|/|_|a.|A.|a@|a+|a-|1-|1/|1.|a'|n't|. |1 |12 |123-|a.b-|www.|www.a.com/-|http://|A&|$|é|\u0301|\u00ad|’|\xff|\u3000", "|")
	units = append(units, "A.\n", "\n", "....\n", "x.com", "a_", "a.a@", "('", "+1", "(617) ", "U.S.-")
	for _, name := range Names() {
		tok, _ := Lookup(name)
		var tokens []data.Token
		for _, u := range units {
			text := strings.Repeat(u, size/len(u))
			tokens = tok.Tokens(text, tokens[:0])
			check(t, text, tokens)
		}
	}
}

func TestTokensDoNotAllocate(t *testing.T) {
	text := strings.Repeat("Dr. O'Hara can't see pt. #12 at 10:30 (617) 555-0199, x.y@z.org; 1 1/2 mg/dL U.S.-based é.\n", 20)
	for _, name := range Names() {
		tok, _ := Lookup(name)
		dst := tok.Tokens(text, nil)
		if n := testing.AllocsPerRun(10, func() { dst = tok.Tokens(text, dst[:0]) }); n != 0 {
			t.Errorf("%s: %v allocations a text", name, n)
		}
	}
}

func TestLookup(t *testing.T) {
	if got, want := Names(), []string{"letters-digits", "ptb", "whitespace"}; !slices.Equal(got, want) {
		t.Errorf("Names() = %q, want %q", got, want)
	}
	if got, want := SplitterNames(), []string{"line", "blank-line", "rules", "note"}; !slices.Equal(got, want) {
		t.Errorf("SplitterNames() = %q, want %q", got, want)
	}
	if _, err := Lookup("spacy"); err == nil || !strings.Contains(err.Error(), "letters-digits") {
		t.Errorf("unknown tokenizer: error %v does not list the known ones", err)
	}
	if _, err := LookupSplitter("x"); err == nil || !strings.Contains(err.Error(), "blank-line") {
		t.Errorf("unknown splitter: error %v does not list the known ones", err)
	}
}

func TestLettersDigits(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"1/20/71Total time of visit (in minutes):", "1|/|20|/|71|Total|time|of|visit|(|in|minutes|)|:"}, // Liu et al. 2017, 3.2
		{"71Total", "71|Total"},
		{"Results02/20/2087", "Results|02|/|20|/|2087"},
		{"José Núñez, 52 años.", "José|Núñez|,|52|años|."},
		{"Jose\u0301 3\u0301", "Jose\u0301|3|\u0301"},
		{"2º dcha. m² ½", "2|º|dcha|.|m|²|½"},
		{"a_b __", "a|_|b|_|_"},
		{"\ufeffDatos\u00a0del\u3000caso", "\ufeff|Datos|del|caso"},
		{"in\u00adter zero\u200bwidth", "in|\u00ad|ter|zero|\u200b|width"},
		{"٣٤ १२abc", "٣٤|१२|abc"},
		{"a\xffb\xe2\x80", "a|\xff|b|\xe2|\x80"},
		{"😀👍🏽", "😀|👍|🏽"},
		{"...", ".|.|."},
		{"", ""},
		{" \r\n\t\u2028", ""},
	} {
		if got := strings.Join(words(c.text, LettersDigits{}.Tokens(c.text, nil)), "|"); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

func TestWhitespace(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"Seen by Dr. Varga,\r\n5/3/81.", "Seen|by|Dr.|Varga,|5/3/81."},
		{"\u00a0a\u2003b\ufeff\u200b c\xff\x85", "a|b\ufeff\u200b|c\xff\x85"},
		{"one", "one"},
		{"", ""},
	} {
		if got := strings.Join(words(c.text, Whitespace{}.Tokens(c.text, nil)), "|"); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

// A regular expression gives the same tokens on any valid text.
func TestLettersDigitsAgainstRegexp(t *testing.T) {
	const spaces = "\\t\\n\\v\\f\\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
	re := regexp.MustCompile(`(?:\p{L}[\p{L}\p{M}]*)|\p{Nd}+|[^` + spaces + `]`)
	rapid.Check(t, func(t *rapid.T) {
		text := strings.ToValidUTF8(texts.Draw(t, "text"), "?")
		if got, want := words(text, LettersDigits{}.Tokens(text, nil)), re.FindAllString(text, -1); !slices.Equal(got, want) {
			t.Fatalf("%q: %q, want %q", text, got, want)
		}
	})
}

// meddocan calls f with each document of a split: text and gold spans in bytes.
func meddocan(t testing.TB, split string, f func(text string, spans []data.Span)) {
	files, err := filepath.Glob(filepath.Join(shared.Path(t, "corpora", "meddocan", split, "xml"), "*.xml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files of %s: %v", split, err)
	}
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var doc struct {
			Text string `xml:"TEXT"`
			Tags struct {
				Tags []struct {
					Start int `xml:"start,attr"`
					End   int `xml:"end,attr"`
				} `xml:",any"`
			} `xml:"TAGS"`
		}
		if err := xml.Unmarshal(raw, &doc); err != nil {
			t.Fatal(err)
		}
		var at []int // byte offset of each code point
		for i := range doc.Text {
			at = append(at, i)
		}
		at = append(at, len(doc.Text))
		var spans []data.Span
		for _, tag := range doc.Tags.Tags {
			spans = append(spans, data.Span{Start: at[tag.Start], End: at[tag.End]})
		}
		f(doc.Text, spans)
	}
}

// misaligned counts the spans that start or end inside a token.
func misaligned(tokens []data.Token, spans []data.Span) int {
	n := 0
	for _, sp := range spans {
		if slices.ContainsFunc(tokens, func(k data.Token) bool {
			return k.Start < sp.Start && sp.Start < k.End || k.Start < sp.End && sp.End < k.End
		}) {
			n++
		}
	}
	return n
}

// The number of gold spans of MEDDOCAN that each tokenizer cannot represent. The
// ten of letters-digits all start or end between two letters or two digits: the
// annotations are inside words.
func TestAlignmentMEDDOCAN(t *testing.T) {
	for _, c := range []struct {
		split string
		spans int
		off   map[string]int
	}{
		{"train", 11333, map[string]int{"letters-digits": 7, "ptb": 717, "whitespace": 7325}},
		{"dev", 5801, map[string]int{"letters-digits": 3, "ptb": 353, "whitespace": 3780}},
	} {
		spans, off := 0, map[string]int{}
		meddocan(t, c.split, func(text string, gold []data.Span) {
			spans += len(gold)
			for _, name := range Names() {
				tok, _ := Lookup(name)
				tokens := tok.Tokens(text, nil)
				check(t, text, tokens)
				off[name] += misaligned(tokens, gold)
			}
		})
		if spans != c.spans {
			t.Errorf("%s: %d gold spans, want %d", c.split, spans, c.spans)
		}
		for name, want := range c.off {
			if off[name] != want {
				t.Errorf("%s: %s misses the borders of %d spans, want %d", c.split, name, off[name], want)
			}
		}
	}
}

// The tokens that the pretrained models of Dernoncourt et al. are tested with.
func TestPTBGolden(t *testing.T) {
	raw, err := os.ReadFile(shared.Path(t, "neuroner", "golden_i2b2_stanford.json"))
	if err != nil {
		t.Fatal(err)
	}
	var golden struct{ Sentences []struct{ Tokens []string } }
	if err := json.Unmarshal(raw, &golden); err != nil {
		t.Fatal(err)
	}
	if len(golden.Sentences) != 5 {
		t.Fatalf("%d golden sentences, want 5", len(golden.Sentences))
	}
	tight := regexp.MustCompile(` ([.,:)])|(\() `)
	for i, s := range golden.Sentences {
		for _, text := range []string{strings.Join(s.Tokens, " "), tight.ReplaceAllString(strings.Join(s.Tokens, " "), "$1$2")} {
			if got := words(text, PTB{}.Tokens(text, nil)); !slices.Equal(got, s.Tokens) {
				t.Errorf("sentence %d: %d tokens, not the %d of the reference or not the same", i, len(got), len(s.Tokens))
			}
		}
	}
}

func FuzzLettersDigits(f *testing.F) { fuzzTokens(f, LettersDigits{}) }
func FuzzPTB(f *testing.F)           { fuzzTokens(f, PTB{}) }
func FuzzWhitespace(f *testing.F)    { fuzzTokens(f, Whitespace{}) }

var fuzzSeeds = []string{
	"", " ", "\xff\xfe", "Dr. O'Hara can't come.\n\n2. (617) 555-0199", "\ufeffNombre: José. 03/03/1946", "http://a.b/c?d=e. x@y.org",
	". . . . A", "67 1 1/2 -3 +2 .5", "'twas '90s ''tis``", "c/ Mayor 5-7, 2º dcha\r\nNHC: 12", "www.a.com/(b)", "U.S.-U.K. A&B US$5",
}

func fuzzTokens(f *testing.F, tok Tokenizer) {
	for _, s := range fuzzSeeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) { check(t, text, tok.Tokens(text, nil)) })
}

func BenchmarkTokens(b *testing.B) {
	var text strings.Builder
	meddocan(b, "train", func(t string, _ []data.Span) { text.WriteString(t) })
	for _, name := range Names() {
		b.Run(name, func(b *testing.B) {
			tok, _ := Lookup(name)
			dst := tok.Tokens(text.String(), nil)
			b.SetBytes(int64(text.Len()))
			b.ReportAllocs()
			for b.Loop() {
				dst = tok.Tokens(text.String(), dst[:0])
			}
		})
	}
}
