package embeddings

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/shared"
)

func load(content string, opt Options) (*Vectors, error) {
	return read("v.txt", strings.NewReader(content), opt)
}

func mustLoad(t testing.TB, content string, opt Options) *Vectors {
	t.Helper()
	v, err := load(content, opt)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

type entry struct {
	word string
	row  []float32
}

func entries(v *Vectors) []entry {
	var all []entry
	for i := range v.Len() {
		all = append(all, entry{v.Word(i), slices.Clone(v.Row(i))})
	}
	return all
}

// write lays out vectors in each format.
func write(format Format, all []entry) string {
	var b bytes.Buffer
	if format != GloVe {
		fmt.Fprintf(&b, "%d %d\n", len(all), len(all[0].row))
	}
	for _, e := range all {
		b.WriteString(e.word)
		if format == Word2vecBinary {
			b.WriteByte(' ')
			binary.Write(&b, binary.LittleEndian, e.row)
		} else {
			for _, x := range e.row {
				b.WriteByte(' ')
				b.WriteString(strconv.FormatFloat(float64(x), 'g', -1, 32))
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func zip(s string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(s))
	z.Close()
	return b.String()
}

var people = []entry{
	{"the", []float32{0.5, -1.25, 3e-05}},
	{"José", []float32{1, 2, 3}},
	{"2007", []float32{float32(math.Copysign(0, -1)), math.MaxFloat32, math.SmallestNonzeroFloat32}},
	{"</s>", []float32{-1e-20, 16777217, 0.1}},
}

func same(a, b []entry) bool {
	return slices.EqualFunc(a, b, func(x, y entry) bool {
		return x.word == y.word && slices.EqualFunc(x.row, y.row, func(p, q float32) bool {
			return math.Float32bits(p) == math.Float32bits(q)
		})
	})
}

func TestLoadEveryFormat(t *testing.T) {
	for _, format := range []Format{GloVe, Word2vecText, Word2vecBinary} {
		for _, gzipped := range []bool{false, true} {
			content := write(format, people)
			if gzipped {
				content = zip(content)
			}
			v := mustLoad(t, content, Options{Dim: 3})
			if want := (Stats{Format: format, Gzipped: gzipped, Records: 4}); v.Stats() != want {
				t.Errorf("stats %+v, want %+v", v.Stats(), want)
			}
			if !same(entries(v), people) || v.Dim() != 3 {
				t.Errorf("%s, gzipped %v: read %v", format, gzipped, entries(v))
			}
		}
	}
}

func TestLoadRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.IntRange(2, 12).Draw(t, "dim")
		words := rapid.SliceOfNDistinct(rapid.StringMatching(`[^ \t\r\n\x00-\x1f\x7f]{1,9}`), 1, 300, rapid.ID[string]).Draw(t, "words")
		format := rapid.SampledFrom([]Format{GloVe, Word2vecText, Word2vecBinary}).Draw(t, "format")
		var all []entry
		for i, w := range words {
			row := make([]float32, dim)
			for j := range row {
				row[j] = float32(i) + float32(j)/7
			}
			all = append(all, entry{w, row})
		}
		v, err := load(write(format, all), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !same(entries(v), all) {
			t.Fatal("vectors differ after the round trip")
		}
		for i, w := range words {
			if row, ok := v.Index(w); !ok || row != i {
				t.Fatalf("Index gives row %d, %v for row %d", row, ok, i)
			}
		}
	})
}

// Blocks contain whole rows, and a table of several blocks must not lose or mix
// up rows.
func TestRowsAcrossBlocks(t *testing.T) {
	const dim, n = 1000, 700
	var all []entry
	for i := range n {
		row := make([]float32, dim)
		for j := range row {
			row[j] = float32(i*dim + j)
		}
		all = append(all, entry{fmt.Sprint("w", i), row})
	}
	v := mustLoad(t, write(Word2vecBinary, all), Options{})
	if len(v.blocks) < 3 || !same(entries(v), all) {
		t.Errorf("%d blocks, or rows differ", len(v.blocks))
	}
	if row := v.Row(0); cap(row) != dim {
		t.Errorf("a row has capacity %d: appending to it would write the next", cap(row))
	}
}

func TestTextLayout(t *testing.T) {
	for _, c := range []struct {
		name, content string
		want          []entry
	}{
		{"spaces in words", "a 1 2\n. . . 3 4\nto name@domain.example 5 6\n",
			[]entry{{"a", []float32{1, 2}}, {". . .", []float32{3, 4}}, {"to name@domain.example", []float32{5, 6}}}},
		{"spaces in the first word", ". . 1 2\nb 3 4\n", []entry{{". .", []float32{1, 2}}, {"b", []float32{3, 4}}}},
		{"a number as first word", "0 1 2\n1 3 4\n", []entry{{"0", []float32{1, 2}}, {"1", []float32{3, 4}}}},
		{"trailing space and CRLF", "a 1 2 \r\nb\t3\t4 \r\n", []entry{{"a", []float32{1, 2}}, {"b", []float32{3, 4}}}},
		{"blank lines, no last line end", "a 1 2\n\n \nb 3 4", []entry{{"a", []float32{1, 2}}, {"b", []float32{3, 4}}}},
		{"no-break space in a word", "a\u00a0b 1 2\n", []entry{{"a\u00a0b", []float32{1, 2}}}},
		{"one dimension with a header", "2 1\na 5\nb 6\n", []entry{{"a", []float32{5}}, {"b", []float32{6}}}},
		{"exponents", "a 1e-3 -2.5E+2\n", []entry{{"a", []float32{1e-3, -250}}}},
		{"NaN as a word", "NaN 1 2\n", []entry{{"NaN", []float32{1, 2}}}},
	} {
		if got := entries(mustLoad(t, c.content, Options{})); !same(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestDuplicatesAndInvalidUTF8(t *testing.T) {
	all := []entry{{"a", []float32{1, 2}}, {"\xff\xfe", []float32{3, 4}}, {"a", []float32{5, 6}}, {"b", []float32{7, 8}}}
	want := []entry{all[0], all[3]}
	for _, format := range []Format{GloVe, Word2vecText, Word2vecBinary} {
		v := mustLoad(t, write(format, all), Options{})
		if !same(entries(v), want) {
			t.Errorf("%s: %v, want %v", format, entries(v), want)
		}
		if s := (Stats{Format: format, Records: 4, Duplicates: 1, Invalid: 1}); v.Stats() != s {
			t.Errorf("%s: %+v, want %+v", format, v.Stats(), s)
		}
	}
}

// gensim writes no line feed after a vector; in its files the next word starts at
// once.
func TestBinaryWithoutLineFeeds(t *testing.T) {
	row := "\x00\x00\x80\x3f\x00\x00\x00\x40"
	v := mustLoad(t, "2 2\na "+row+"b "+row, Options{})
	want := []entry{{"a", []float32{1, 2}}, {"b", []float32{1, 2}}}
	if !same(entries(v), want) {
		t.Errorf("%v, want %v", entries(v), want)
	}
}

func TestLoadErrors(t *testing.T) {
	bin := write(Word2vecBinary, people) // header of 4 bytes, "the " and 12 bytes, line feed: José at 21
	nan := strings.Replace(bin, "\x00\x00\x80\x3f", "\x00\x00\xc0\x7f", 1)
	inf := strings.Replace(bin, "\x00\x00\x00\x40", "\x00\x00\x80\xff", 1)
	long := "a 1 2\n" + strings.Repeat("x", maxLine+1)
	for _, c := range []struct {
		name, content string
		opt           Options
		want          string
	}{
		{"empty", "", Options{}, "v.txt: no vectors"},
		{"blank", "\n \n", Options{}, "v.txt:2: no vectors"},
		{"header only", "0 5\n", Options{}, "v.txt:1: no vectors"},
		{"no numbers", "hello\n", Options{}, `v.txt:1: neither a header "count dim" nor a word and its numbers`},
		{"width zero", "3 0\n", Options{}, `v.txt:1: neither a header "count dim" nor a word and its numbers`},
		{"width beyond sense", "3 100000\n", Options{}, "v.txt:1: vectors of more than 65536 dimensions"},
		{"another width, GloVe", "a 1 2\n", Options{Dim: 100}, "v.txt:1: vectors of 2 dimensions where 100 are expected"},
		{"narrower than the file", "a 1 2 3\n", Options{Dim: 2}, "v.txt:1: vectors of 3 dimensions where 2 are expected"},
		{"another width, header", "4 3\n", Options{Dim: 100}, "v.txt:1: vectors of 3 dimensions where 100 are expected"},
		{"too few", "a 1 2\nb 3\n", Options{}, "v.txt:2: fewer than 2 numbers after the word"},
		{"too many", "a 1 2\n\nb 3 4 5\n", Options{}, "v.txt:3: more than 2 numbers after the word"},
		{"header lies on the width", "1 3\na 1 2\n", Options{}, "v.txt:2: fewer than 3 numbers after the word"},
		{"not a number", "a 1 2\nb 3 x\n", Options{}, "v.txt:2: field 1 from the right is not a finite number, or the width is not 2"},
		{"NaN", "a 1 2\nb NaN 4\n", Options{}, "v.txt:2: field 2 from the right is not a finite number, or the width is not 2"},
		{"infinite", "a 1 2\nb 3 inf\n", Options{}, "v.txt:2: field 1 from the right is not a finite number, or the width is not 2"},
		{"beyond float32", "a 1 2\nb 3 1e39\n", Options{}, "v.txt:2: field 1 from the right is not a finite number, or the width is not 2"},
		{"an unwanted line is checked too", "a 1 2\nb 3 x\n", Options{Want: func(string) bool { return false }}, "v.txt:2: field 1 from the right is not a finite number, or the width is not 2"},
		{"fewer words than the header says", "3 2\na 1 2\nb 3 4\n", Options{}, "v.txt:3: truncated: 2 words where the header says 3"},
		{"more words than the header says", "1 2\na 1 2\nb 3 4\n", Options{}, "v.txt:3: more words than the 1 of the header"},
		{"endless line", long, Options{}, "v.txt:2: line of more than 1048576 bytes"},
		{"truncated gzip", zip(write(GloVe, people))[:40], Options{}, "v.txt: truncated gzip"},
		{"broken gzip", "\x1f\x8bxxxxxxxxxxxx", Options{}, "v.txt: broken gzip: gzip: invalid header"},
		{"binary, cut in a vector", bin[:38], Options{}, "v.txt: word 2: truncated: the header says 4 (offset 27)"},
		{"binary, cut in a word", bin[:23], Options{}, "v.txt: word 2: truncated: the header says 4 (offset 21)"},
		{"binary, cut between words", bin[:20], Options{}, "v.txt: word 2: truncated: the header says 4 (offset 20)"},
		{"binary, more than the header says", bin + "x", Options{}, "v.txt: more data after the 4 words of the header (offset 76)"},
		{"binary, NaN", nan, Options{}, "v.txt: word 2: value 1 is not a finite number (offset 27)"},
		{"binary, infinite", inf, Options{}, "v.txt: word 2: value 2 is not a finite number (offset 31)"},
		{"binary, empty word", "1 2\n \x00\x00\x80\x3f\x00\x00\x00\x40", Options{}, "v.txt: word 1: empty (offset 4)"},
	} {
		_, err := load(c.content, c.opt)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: error %v\nwant %s", c.name, err, c.want)
		}
		var e *data.Error
		if !errors.As(err, &e) {
			t.Errorf("%s: not a *data.Error", c.name)
		}
	}
	if _, err := Load(filepath.Join(t.TempDir(), "none"), Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file gives %v", err)
	}
}

func TestLookup(t *testing.T) {
	v := mustLoad(t, "smith 1 0\nSmith 2 0\n00-mar 3 0\n00-Mar 4 0\n2007 5 0\n0000 6 0\nward0 7 0\n", Options{})
	all := Cascade{Lowercase: true, ZeroDigits: true}
	for _, c := range []struct {
		word    string
		cascade Cascade
		want    float32 // first value of the row found, 0 for none
	}{
		{"Smith", all, 2},
		{"SMITH", all, 1},
		{"SMITH", Cascade{ZeroDigits: true}, 0},
		{"SMITH", Cascade{Lowercase: true}, 1},
		{"12-Mar", all, 4}, // digits come before both
		{"12-MAR", all, 3},
		{"12-MAR", Cascade{Lowercase: true}, 0},
		{"12-MAR", Cascade{ZeroDigits: true}, 0},
		{"2007", all, 5},
		{"2008", all, 6},
		{"2008", Cascade{}, 0},
		{"٢٠٠٨", all, 6}, // every decimal digit, not only ASCII's
		{"WARD7", all, 7},
		{"Jones", all, 0},
		{"", all, 0},
	} {
		row, ok := v.Lookup(c.word, c.cascade)
		if ok != (c.want != 0) || ok && v.Row(row)[0] != c.want || !ok && row != -1 {
			t.Errorf("Lookup(%q, %+v) = %d, %v; want the row of %v", c.word, c.cascade, row, ok, c.want)
		}
	}
}

// A table filtered by Wanted returns the same result for every Lookup as the
// whole table.
func TestWanted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[aB0-2]{1,3}`)
		content := write(GloVe, nil)
		for i, w := range rapid.SliceOfN(word, 1, 30).Draw(t, "words") {
			content += fmt.Sprintf("%s %d 0\n", w, i)
		}
		c := Cascade{rapid.Bool().Draw(t, "lowercase"), rapid.Bool().Draw(t, "zeros")}
		words := rapid.SliceOf(word).Draw(t, "wanted")
		whole, err := load(content, Options{})
		if err != nil {
			t.Fatal(err)
		}
		part, err := load(content, Options{Want: Wanted(words, c)})
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range words {
			i, ok := whole.Lookup(w, c)
			j, found := part.Lookup(w, c)
			if ok != found || ok && (whole.Word(i) != part.Word(j) || whole.Row(i)[0] != part.Row(j)[0]) {
				t.Fatalf("row %d, %v in the whole, %d, %v in the part", i, ok, j, found)
			}
		}
	})
}

func TestLoadNothingWanted(t *testing.T) {
	v := mustLoad(t, "a 1 2\nb 3 4\n", Options{Want: func(string) bool { return false }})
	if _, ok := v.Index("a"); ok || v.Len() != 0 || v.Dim() != 2 || v.Stats().Records != 2 {
		t.Errorf("kept %d of %d words, width %d", v.Len(), v.Stats().Records, v.Dim())
	}
}

func TestSharedGloVe(t *testing.T) {
	path := shared.Path(t, "vectors/glove.6B.100d.head2604.txt")
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	v, err := Load(path, Options{Dim: 100})
	if err != nil {
		t.Fatal(err)
	}
	if want := (Stats{Format: GloVe, Records: 2604}); v.Stats() != want || v.Len() != 2604 {
		t.Fatalf("%d words, %+v; want %+v", v.Len(), v.Stats(), want)
	}
	for i, line := range strings.Split(strings.TrimSuffix(string(content), "\n"), "\n") {
		fields := strings.Split(line, " ")
		if fields[0] != v.Word(i) {
			t.Fatalf("line %d: another word", i+1)
		}
		for j, x := range v.Row(i) {
			if want, _ := strconv.ParseFloat(fields[j+1], 32); float32(want) != x {
				t.Fatalf("line %d: value %d is %v, want %v", i+1, j+1, x, want)
			}
		}
	}
}

// sameAsStrconv checks parseFloat for syntax that both functions support.
func sameAsStrconv(t interface{ Fatalf(string, ...any) }, s string) {
	got, ok := parseFloat([]byte(s))
	want, err := strconv.ParseFloat(s, 32)
	decimal := strings.Trim(s, "+-.0123456789eE") == ""
	if ok != (err == nil && decimal) {
		t.Fatalf("parseFloat(%q): ok %v; strconv says %v", s, ok, err)
	}
	if ok && math.Float32bits(got) != math.Float32bits(float32(want)) {
		t.Fatalf("parseFloat(%q) = %v (%x), want %v (%x)", s, got, math.Float32bits(got), want, math.Float32bits(float32(want)))
	}
}

func TestParseFloat(t *testing.T) {
	for _, s := range []string{"", "-", "+", ".", "-.", "1.", ".5", "+1", "-0", "-0.000", "1..2", "1e5", "1e", "1e400", "0x1p-2", "inf", "NaN", "1_0",
		"16777217", "16777219", "9007199254740993", "9007199791611905.0", // half way and next to it
		"1.00000005960464477539062", "1.00000005960464477539063", "0.00000000000000000000000001", "340282356779733661637539395458142568447.9",
		"340282356779733661637539395458142568448", "0.0000000000000000000000000000000000000117549435", "1.1754943e-38", "1e-46", "99999999999999999999"} {
		sameAsStrconv(t, s)
	}
	rapid.Check(t, func(t *rapid.T) {
		sameAsStrconv(t, rapid.StringMatching(`[-+]?[0-9]{0,12}(\.[0-9]{0,24})?([eE][-+]?[0-9]{1,2})?`).Draw(t, "s"))
	})
	// The hard cases are numbers close to the middle between two float32s.
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float32Range(1e-6, 1e6).Draw(t, "x")
		middle := (float64(x) + float64(math.Nextafter32(x, math.MaxFloat32))) / 2
		digits := rapid.IntRange(0, 22).Draw(t, "digits")
		sameAsStrconv(t, strconv.FormatFloat(middle, 'f', digits, 64))
	})
}

func FuzzParseFloat(f *testing.F) {
	for _, s := range []string{"-0.038194", "1e-05", "16777217", "1.00000005960464477539063", "nan", "0x1p3"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { sameAsStrconv(t, s) })
}

// check checks invariants of any vectors that were read.
func check(t *testing.T, v *Vectors, err error) {
	if err != nil {
		if e := (*data.Error)(nil); !errors.As(err, &e) {
			t.Fatalf("not a *data.Error: %v", err)
		}
		return
	}
	s := v.Stats()
	if v.Len()+s.Duplicates+s.Invalid != s.Records {
		t.Fatalf("%d words kept, but %+v", v.Len(), s)
	}
	for i := range v.Len() {
		if row, ok := v.Index(v.Word(i)); !ok || row != i {
			t.Fatalf("row %d is indexed as %d, %v", i, row, ok)
		}
		for _, x := range v.Row(i) {
			if x-x != 0 {
				t.Fatalf("row %d is not finite", i)
			}
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add([]byte(write(GloVe, people)))
	f.Add([]byte(write(Word2vecText, people)))
	f.Add([]byte(zip(write(GloVe, people))))
	f.Add([]byte("a 1 2\n. . 3 4\r\n\xff 5 6 "))
	f.Fuzz(func(t *testing.T, content []byte) {
		v, err := load(string(content), Options{})
		check(t, v, err)
	})
}

func FuzzBinary(f *testing.F) {
	body := write(Word2vecBinary, people)[4:]
	f.Add(uint16(4), uint8(3), []byte(body))
	f.Add(uint16(9), uint8(3), []byte(body))
	f.Fuzz(func(t *testing.T, count uint16, dim uint8, body []byte) {
		b := newBuilder(int(dim)+1, nil)
		in := &input{path: "v.bin", Reader: bufio.NewReaderSize(bytes.NewReader(body), maxLine)}
		check(t, b.v, in.readBinary(b, int(count)))
	})
}

func Example() {
	dir, _ := os.MkdirTemp("", "vectors")
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "tiny.txt")
	os.WriteFile(path, []byte("ward 0.1 0.2\nroom 0.3 0.4\n00 0.5 0.6\n"), 0o600)

	v, err := Load(path, Options{Dim: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	cascade := Cascade{Lowercase: true, ZeroDigits: true}
	for _, word := range []string{"Room", "47", "Lisbon"} {
		if row, ok := v.Lookup(word, cascade); ok {
			fmt.Println(word, "as", v.Word(row), v.Row(row))
		} else {
			fmt.Println(word, "is unknown")
		}
	}
	// Output:
	// Room as room [0.3 0.4]
	// 47 as 00 [0.5 0.6]
	// Lisbon is unknown
}

// BenchmarkLoad reads 20,000 x 100 vectors with GloVe's five digits. The relevant
// result, bytes per second, is independent of the size.
func BenchmarkLoad(b *testing.B) {
	var all []entry
	for i := range 20_000 {
		row := make([]float32, 100)
		for j := range row {
			x, _ := strconv.ParseFloat(fmt.Sprintf("%.5g", math.Sin(float64(i*100+j))), 32)
			row[j] = float32(x)
		}
		all = append(all, entry{fmt.Sprint("word", i), row})
	}
	for _, format := range []Format{GloVe, Word2vecBinary} {
		content := write(format, all)
		for _, c := range []struct{ name, content string }{{string(format), content}, {string(format) + ".gz", zip(content)}} {
			b.Run(c.name, func(b *testing.B) {
				b.SetBytes(int64(len(content)))
				b.ReportAllocs()
				for range b.N {
					mustLoad(b, c.content, Options{})
				}
			})
		}
	}
}
