package conlleval

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/tokenize"
	"github.com/lethe-deid/lethe/internal/shared"
)

// TestGolden compares the tables with those that the script printed.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(shared.Path(t, "golden/conlleval"), "*.txt"))
	if err != nil || len(files) != 7 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			want, err := os.ReadFile(strings.TrimSuffix(file, ".txt") + ".out")
			if err != nil {
				t.Fatal(err)
			}
			in, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := table(t, string(in), Options{Raw: filepath.Base(file) == "raw.txt"})
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("table (-script +got):\n%s", diff)
			}
			if !strings.Contains(filepath.Base(file), "io") {
				return
			}
			// The files with 704 phrases have the same phrases in three schemes.
			r, err := Read(bytes.NewReader(in), "in", Options{Corrected: true})
			if err != nil {
				t.Fatal(err)
			}
			if want := (Chunks{Gold: 704, Found: 751, Correct: 588}); r.Chunks != want {
				t.Errorf("corrected: %+v, want %+v", r, want)
			}
		})
	}
}

func table(t *testing.T, in string, opt Options) string {
	t.Helper()
	r, err := Read(strings.NewReader(in), "in", opt)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := r.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// With Corrected, the phrases of one file in IOB1, IOB2 and BIOES are the same:
// they have the script's counts for IOB2.
func TestCorrected(t *testing.T) {
	const entities = "w %s O\nw %s %s\n\n-DOCSTART- O O\nw %s %s\nw %s O\nw %s %s"
	want := Chunks{Gold: 4, Found: 3, Correct: 2} // gold: X, X, 0, Y
	for scheme, l := range map[string][]any{
		"IOB1":  {"I-X", "B-X", "I-X", "I-0", "I-0", "I-0", "I-Y", "I-Y"},
		"IOB2":  {"B-X", "B-X", "B-X", "B-0", "B-0", "I-0", "B-Y", "B-Y"},
		"BIOES": {"S-X", "S-X", "S-X", "B-0", "S-0", "E-0", "S-Y", "S-Y"},
	} {
		in := fmt.Sprintf(entities, l...)
		r, err := Read(strings.NewReader(in), "x", Options{Corrected: true})
		if err != nil {
			t.Fatal(err)
		}
		if r.Chunks != want || r.Tokens != 5 || r.CorrectTokens != 3 || r.Types["0"].Gold != 1 {
			t.Errorf("%s: %+v, want %+v", scheme, r, want)
		}
		if text := table(t, in, Options{Corrected: true}); strings.Count(text, "\n- ") != len(Corrections) {
			t.Errorf("%s: text\n%s", scheme, text)
		}
	}
}

// The script's results for odd input, recorded from running it.
func TestQuirks(t *testing.T) {
	for _, tc := range []struct {
		name, in string
		opt      Options
		want     string
	}{
		{"nothing", "", Options{}, "processed 0 tokens with 0 phrases; found: 0 phrases; correct: 0.\n"},
		{"boundaries only", "\n-X- O O\n\n", Options{}, "processed 0 tokens with 0 phrases; found: 0 phrases; correct: 0.\n"},
		{"the width of a name is in bytes", "w B-é B-é\n", Options{}, "" +
			"processed 1 tokens with 1 phrases; found: 1 phrases; correct: 1.\n" +
			"accuracy: 100.00%; precision: 100.00%; recall: 100.00%; FB1: 100.00\n" +
			"               é: precision: 100.00%; recall: 100.00%; FB1: 100.00  1\n"},
		{"no type, and type 0", "w B-0 B-0\nw I-0 O\nw B O\nw I-00 I\n", Options{}, "" +
			"processed 4 tokens with 3 phrases; found: 2 phrases; correct: 0.\n" +
			"accuracy:  25.00%; precision:   0.00%; recall:   0.00%; FB1:   0.00\n" +
			"                 : precision:   0.00%; recall:   0.00%; FB1:   0.00  2\n" +
			"                 : precision:   0.00%; recall:   0.00%; FB1:   0.00  2\n" +
			"               00: precision:   0.00%; recall:   0.00%; FB1:   0.00  0\n"},
		{"-DOCSTART- goes on with the phrase", "w B-X B-X\n-DOCSTART- I-X I-X\n", Options{}, "" +
			"processed 2 tokens with 1 phrases; found: 1 phrases; correct: 1.\n" +
			"accuracy: 100.00%; precision: 100.00%; recall: 100.00%; FB1: 100.00\n" +
			"                X: precision: 100.00%; recall: 100.00%; FB1: 100.00  1\n"},
		{"two singletons are one phrase", "w S-X S-X\nw S-X S-X\n", Options{}, "" +
			"processed 2 tokens with 1 phrases; found: 1 phrases; correct: 1.\n" +
			"accuracy: 100.00%; precision: 100.00%; recall: 100.00%; FB1: 100.00\n" +
			"                X: precision: 100.00%; recall: 100.00%; FB1: 100.00  1\n"},
		{"a delimiter that is an expression", "w\tB-X  O\t\n", Options{Delimiter: `\s+`}, "" +
			"processed 1 tokens with 1 phrases; found: 0 phrases; correct: 0.\n" +
			"accuracy:   0.00%; precision:   0.00%; recall:   0.00%; FB1:   0.00\n" +
			"                X: precision:   0.00%; recall:   0.00%; FB1:   0.00  0\n"},
		{"a type that no phrase begins with", "w B-X B-X\nw .-X .-X\nw .-Y .-Y\n", Options{}, "" +
			"processed 3 tokens with 1 phrases; found: 1 phrases; correct: 1.\n" +
			"accuracy: 100.00%; precision: 100.00%; recall: 100.00%; FB1: 100.00\n" +
			"                X: precision:   0.00%; recall:   0.00%; FB1:   0.00  1\n"},
		{"raw, with a word for outside", "w none none\nw X none\nw O X\n", Options{Raw: true, Outside: "none"}, "" +
			"processed 3 tokens with 1 phrases; found: 1 phrases; correct: 0.\n" +
			"accuracy:  33.33%; precision:   0.00%; recall:   0.00%; FB1:   0.00\n" +
			"                X: precision:   0.00%; recall:   0.00%; FB1:   0.00  1\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, table(t, tc.in, tc.opt)); diff != "" {
				t.Errorf("table (-script +got):\n%s", diff)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	for in, want := range map[string]string{
		"\nw O O\n\nw x O O\n": "notes.txt:4: columns: 4, but line 2 has 3",
		"w O O\n-X-\n":         "notes.txt:2: columns: 1, but line 1 has 3",
		"Zebulon\n":            "notes.txt:1: the line has only one column",
	} {
		if _, err := Read(strings.NewReader(in), "notes.txt", Options{}); err == nil || err.Error() != want {
			t.Errorf("%q: error %v, want %s", in, err, want)
		}
	}
	if _, err := Read(strings.NewReader(""), "x", Options{Delimiter: "("}); err == nil {
		t.Error("no error for a delimiter that is no expression")
	}
}

// On legal IOB2 labels, the phrases are the spans that data.Scheme decodes, and
// the correct ones are those on both sides.
func TestLegalLabels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var in strings.Builder
		var want Chunks
		tokens := 0
		for range rapid.IntRange(1, 4).Draw(t, "sentences") {
			n := rapid.IntRange(1, 12).Draw(t, "tokens")
			gold, found := drawSpans(t, n), drawSpans(t, n)
			in.WriteString(columns(data.BIO.Encode(n, gold), data.BIO.Encode(n, found)))
			tokens += n
			want.Gold += len(gold)
			want.Found += len(found)
			for _, g := range gold {
				for _, f := range found {
					if g == f {
						want.Correct++
					}
				}
			}
		}
		r, err := Read(strings.NewReader(in.String()), "x", Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Chunks != want || r.Tokens != tokens {
			t.Fatalf("%d tokens, %+v, want %d, %+v\n%s", r.Tokens, r.Chunks, tokens, want, in.String())
		}
		var sum Chunks
		for _, c := range r.Types {
			sum = sum.plus(c)
		}
		if sum != want {
			t.Fatalf("the types sum to %+v, want %+v", sum, want)
		}
	})
}

func drawSpans(t *rapid.T, n int) []data.TokenSpan {
	var spans []data.TokenSpan
	for at := rapid.IntRange(0, 3).Draw(t, "gap"); at < n; at += rapid.IntRange(0, 2).Draw(t, "gap") {
		end := min(n, at+rapid.IntRange(1, 3).Draw(t, "length"))
		spans = append(spans, data.TokenSpan{Start: at, End: end, Type: rapid.SampledFrom([]string{"X", "Y-Z"}).Draw(t, "type")})
		at = end
	}
	return spans
}

func columns(gold, found []string) string {
	var b strings.Builder
	for i := range gold {
		b.WriteString("w " + gold[i] + " " + found[i] + "\n")
	}
	return b.String() + "\n"
}

// Documents with borders inside tokens and a span across a line end have the same
// score as labels written by hand.
func TestDocuments(t *testing.T) {
	const text = "Ana Gil, 43.\nSeen 01/02 in Lund\nby Dr. Roy"
	doc := func(spans ...data.Span) *data.Document { return &data.Document{Text: text, Spans: spans} }
	gold := doc(data.Span{Start: 0, End: 7, Type: "PATIENT"}, data.Span{Start: 18, End: 23, Type: "DATE"}, data.Span{Start: 27, End: 37, Type: "PLACE"})
	system := doc(data.Span{Start: 0, End: 6, Type: "PATIENT"}, data.Span{Start: 18, End: 23, Type: "DATE"}, data.Span{Start: 27, End: 31, Type: "PLACE"})
	s := NewScorer(tokenize.Whitespace{}, tokenize.Lines{})
	s.Add(gold, system)
	s.Add(gold, &data.Document{}) // the system has no such note
	var byHand strings.Builder
	for _, found := range [][]string{
		{"B-PATIENT", "I-PATIENT", "O", "", "O", "B-DATE", "O", "B-PLACE", "", "O", "O", "O"},
		{"O", "O", "O", "", "O", "O", "O", "O", "", "O", "O", "O"},
	} {
		for i, label := range []string{"B-PATIENT", "I-PATIENT", "O", "", "O", "B-DATE", "O", "B-PLACE", "", "I-PLACE", "I-PLACE", "O"} {
			byHand.WriteString(strings.TrimSpace("w "+label+" "+found[i]) + "\n")
		}
		byHand.WriteString("\n")
	}
	want, err := Read(strings.NewReader(strings.ReplaceAll(byHand.String(), "w\n", "\n")), "x", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, s.Report()); diff != "" {
		t.Errorf("report (-by hand +documents):\n%s", diff)
	}

	m := Metrics()[0]
	one, two := m.Tally(gold, system), m.Tally(gold, &data.Document{})
	sum := []float64{one[0] + two[0], one[1] + two[1], one[2] + two[2]}
	both := NewScorer(tokenize.PTB{}, tokenize.Rules{})
	both.Add(gold, system)
	both.Add(gold, &data.Document{})
	if got, want := m.Score(sum), both.Report().PRF(); got != want || got.F1 == 0 {
		t.Errorf("metric %+v, want %+v", got, want)
	}
}

func TestJSON(t *testing.T) {
	r, err := Read(strings.NewReader("w B-X B-X\nw O B-Y\nw B-X O\n"), "x", Options{})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Tokens, Gold, Found, Correct    int
		Accuracy, Precision, Recall, F1 float64
		Types                           map[string]struct{ Recall float64 }
	}
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	if got.Tokens != 3 || got.Gold != 2 || got.Found != 2 || got.Correct != 1 || math.Abs(got.Accuracy-1.0/3) > 1e-15 ||
		got.Precision != 0.5 || got.Recall != 0.5 || got.F1 != 0.5 || got.Types["X"].Recall != 0.5 || len(got.Types) != 2 {
		t.Errorf("%s", raw)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("a B-X I-X\n\n-DOCSTART- O O\na S-0 E-\nb -X .-Y\n"), false, false)
	f.Add([]byte("a X none\n-X- x x"), true, true)
	f.Fuzz(func(t *testing.T, raw []byte, bare, corrected bool) {
		r, err := Read(bytes.NewReader(raw), "x", Options{Raw: bare, Corrected: corrected})
		if err != nil {
			return
		}
		if r.Correct > r.Gold || r.Correct > r.Found || r.CorrectTokens > r.Tokens {
			t.Fatalf("%+v", r)
		}
		if err := r.WriteText(io.Discard); err != nil {
			t.Fatal(err)
		}
	})
}

// In a file with the line ends of Windows, the last label ended in CR, so that no prediction was right.
func TestWindowsLineEndsMadeAllLabelsWrong(t *testing.T) {
	file := "Dr. O O\nRoe B-DOCTOR B-DOCTOR\n\nw O O \n"
	if diff := cmp.Diff(table(t, file, Options{}), table(t, strings.ReplaceAll(file, "\n", "\r\n"), Options{})); diff != "" {
		t.Errorf("(-LF +CR LF):\n%s", diff)
	}
}
