package gazetteer

import (
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/tokenize"
)

func write(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func dictionary(t testing.TB, lists ...List) *Dictionary {
	t.Helper()
	d, err := NewDictionary(lists)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// matches returns the entries in a text as "list:text".
func matches(d *Dictionary, tokenizer tokenize.Tokenizer, text string) []string {
	all := []string{}
	tokens := tokenizer.Tokens(text, nil)
	for _, m := range d.Match(text, tokens) {
		all = append(all, d.Lists().Names()[m.List]+":"+text[tokens[m.Start].Start:tokens[m.End-1].End])
	}
	return all
}

func TestMatch(t *testing.T) {
	cities := write(t, "cities", "# comment\r\nMÁLAGA\r\nSan Francisco\nSan Francisco de Asís\n\nSt. Louis\nPEÑA\nWinston-Salem\n O'Fallon \nLodz\nde\n #1 City\n")
	names := write(t, "names.csv", "\uFEFFname,frequency\nFRANCISCO,100\nPEÑA,50\nASIS,..\n\"LUIS\",\n")
	for _, c := range []struct{ name, text, want string }{
		{"longest", "San Francisco de Asis", "cities:San Francisco de Asis|names:Francisco"},
		{"folded", "málaga MALAGA Ma\u0301laga Málaga", "cities:málaga|cities:MALAGA|cities:Ma\u0301laga|cities:Málaga"},
		{"the n with a tilde counts as n", "Pena Peña PEN\u0303A", "cities:Pena|names:Pena|cities:Peña|names:Peña|cities:PEN\u0303A|names:PEN\u0303A"},
		{"whole tokens only", "Malagas Lodzka Winston-Salem-on-the-hill O'Fallons", "cities:Winston-Salem"},
		{"any white space", "San\u00a0 Francisco\nde\tAsis", "cities:San\u00a0 Francisco\nde\tAsis|names:Francisco"},
		{"no white space", "Winston - Salem, O' Fallon", "cities:Winston - Salem|cities:O' Fallon"},
		{"not over a blank line", "San\r\n\r\nFrancisco San\nFrancisco", "names:Francisco|cities:San\nFrancisco|names:Francisco"},
		{"punctuation", "St. Louis, St Louis, O’Fallon, Łódź", "cities:St. Louis|cities:O’Fallon|cities:Łódź"},
		{"comment and entry that begins with #", "comment #1 City", "cities:#1 City"},
		{"from left to right", "de Asis San Francisco de de", "cities:de|cities:San Francisco|names:Francisco|cities:de|cities:de"},
		{"empty", "", ""},
		{"nothing", " \n ", ""},
		{"invalid UTF-8", "San \xff Francisco\xff", "names:Francisco"},
	} {
		d := dictionary(t, List{File: cities}, List{File: names, Column: "name", CountColumn: "frequency", MinCount: 50})
		if got := strings.Join(matches(d, tokenize.LettersDigits{}, c.text), "|"); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// With every tokenizer, entries that begin and end with its tokens are found, and a shorter one where the longest does not.
func TestMatchTokenizers(t *testing.T) {
	d := dictionary(t, List{File: write(t, "x", "St. Louis\nDr.\nSan\nSan Smith\nSmith Jones\nO'Brien\nnot")})
	for _, c := range []struct{ tokenizer, text, want string }{
		{"ptb", "St. Louis Dr. San Smith-Jones O'Brien cannot do", "x:St. Louis|x:Dr.|x:San|x:O'Brien|x:not"},
		{"whitespace", "St. Louis Dr. San Smith-Jones O'Brien cannot Louis. St. Louis.", "x:St. Louis|x:Dr.|x:San|x:O'Brien"},
		{"letters-digits", "St. Louis Dr. San Smith-Jones O'Brien cannot do", "x:St. Louis|x:Dr.|x:San Smith|x:O'Brien"},
	} {
		tokenizer, err := tokenize.Lookup(c.tokenizer)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(matches(d, tokenizer, c.text), "|"); got != c.want {
			t.Errorf("%s: %q, want %q", c.tokenizer, got, c.want)
		}
	}
}

func TestListSettings(t *testing.T) {
	places := write(t, "places.txt", "Reading\nÁvila\nOlot\nUlm\nNueva York\nParkinson")
	words := write(t, "words.txt", "reading\nyork\nAvila")
	text := "reading Reading Ávila avila AVILA Ulm OLOT nueva York Parkinson"
	for _, c := range []struct {
		name string
		list List
		want string
	}{
		{"all", List{}, "reading|Reading|Ávila|avila|AVILA|Ulm|OLOT|nueva York|Parkinson"},
		{"capital", List{Capital: true}, "Reading|Ávila|AVILA|Ulm|OLOT|Parkinson"},
		{"case", List{Fold: FoldCase}, "reading|Reading|Ávila|Ulm|OLOT|nueva York|Parkinson"},
		{"accents", List{Fold: FoldAccents}, "Reading|Ávila|Ulm|Parkinson"},
		{"none", List{Fold: FoldNone}, "Reading|Ávila|Ulm|Parkinson"},
		{"min_length", List{MinLength: 4}, "reading|Reading|Ávila|avila|AVILA|OLOT|nueva York|Parkinson"},
		{"filtered by a list", List{Filters: []string{"words"}}, "Ulm|OLOT|nueva York|Parkinson"},
		{"filtered, of another folding", List{Filters: []string{"words"}, Fold: FoldCase}, "Ávila|Ulm|OLOT|nueva York|Parkinson"},
		{"filtered by a list built in", List{Filters: []string{"words", "en-ambiguous-eponyms"}}, "Ulm|OLOT|nueva York"},
	} {
		c.list.File = places
		d := dictionary(t, List{File: words}, c.list)
		var got []string
		for _, m := range matches(d, tokenize.LettersDigits{}, text) {
			if name, found, _ := strings.Cut(m, ":"); name == "places" {
				got = append(got, found)
			}
		}
		if s := strings.Join(got, "|"); s != c.want {
			t.Errorf("%s: %q, want %q", c.name, s, c.want)
		}
	}
}

// Words of a small alphabet, with the forms in which its letters are compared, worked out by hand.
var (
	letters = []string{"a", "A", "á", "Á", "a\u0301", "n", "ñ", "Ñ", "(", "-", "’", "'", "1", "2"}
	compare = map[Fold][]string{
		FoldBoth:    {"a", "a", "a", "a", "a", "n", "n", "n", "(", "-", "'", "'", "1", "2"},
		FoldCase:    {"a", "a", "á", "á", "á", "n", "ñ", "ñ", "(", "-", "’", "'", "1", "2"},
		FoldAccents: {"a", "A", "a", "A", "a", "n", "n", "N", "(", "-", "'", "'", "1", "2"},
		FoldNone:    {"a", "A", "á", "Á", "á", "n", "ñ", "Ñ", "(", "-", "’", "'", "1", "2"},
	}
)

// The dictionary finds the same as a search for each entry at each token, with several lists of several foldings at once, filters and tokenizers.
func TestMatchIsNaiveLongestMatch(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.Map(rapid.SliceOfN(rapid.SampledFrom(letters), 1, 3), func(s []string) string { return strings.Join(s, "") })
		entry := rapid.Map(rapid.SliceOfN(word, 1, 4), func(s []string) string { return strings.Join(s, " ") }).
			Filter(func(s string) bool { return strings.ContainsAny(s, "aAáÁnñÑ12") })
		lists := make(Lists, rapid.IntRange(1, 4).Draw(t, "lists"))
		contents := make([][]string, len(lists))
		for i := range lists {
			contents[i] = rapid.SliceOfN(entry, 1, 8).Draw(t, "entries")
			lists[i] = List{
				File: filepath.Join(dir, fmt.Sprint(i)), Capital: rapid.Bool().Draw(t, "capital"),
				Fold: rapid.SampledFrom([]Fold{FoldBoth, FoldCase, FoldAccents, FoldNone}).Draw(t, "fold"),
			}
			if i > 0 && rapid.IntRange(0, 3).Draw(t, "filtered") == 0 {
				lists[i].Filters = []string{"0"}
			}
			if err := os.WriteFile(lists[i].File, []byte(strings.Join(contents[i], "\n")), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		spaces := rapid.SampledFrom([]string{"", " ", " ", "  ", "\n", "\n\n", " \n \n"})
		var b strings.Builder
		for _, w := range rapid.SliceOfN(word, 0, 60).Draw(t, "text") {
			b.WriteString(w + spaces.Draw(t, "space"))
		}
		text := b.String()
		tokenizer, _ := tokenize.Lookup(rapid.SampledFrom(tokenize.Names()).Draw(t, "tokenizer"))
		tokens := tokenizer.Tokens(text, nil)

		want := naive(lists, contents, text, tokens)
		d, err := NewDictionary(lists)
		if err != nil {
			if !strings.Contains(err.Error(), "no entries are left") || !slices.ContainsFunc(lists, func(l List) bool { return l.Filters != nil }) {
				t.Fatal(err)
			}
			return
		}
		if got := d.Match(text, tokens); !slices.Equal(got, want) {
			t.Fatalf("%q of %q: %v, want %v", text, contents, got, want)
		}
	})
}

// naive compares each entry with the text at each token.
func naive(lists Lists, contents [][]string, text string, tokens []data.Token) []Match {
	// same returns the pieces of a text as they are compared, with NUL for a blank line.
	same := func(s string, fold Fold) string {
		for i, l := range letters {
			if l == "a\u0301" { // the longest first
				s = strings.ReplaceAll(s, l, compare[fold][i])
			}
		}
		var b strings.Builder
		for _, p := range (tokenize.LettersDigits{}).Tokens(s, nil) {
			for _, r := range s[p.Start:p.End] {
				b.WriteString(compare[fold][slices.Index(letters, string(r))])
			}
			b.WriteByte(' ')
		}
		return b.String()
	}
	has := func(list int, fold Fold, key string) bool {
		return slices.ContainsFunc(contents[list], func(e string) bool { return same(e, fold) == key })
	}
	var all []Match
	for i, l := range lists {
		for start := 0; start < len(tokens); start++ {
			begin := text[tokens[start].Start:]
			if l.Capital && !strings.HasPrefix(begin, "A") && !strings.HasPrefix(begin, "Á") && !strings.HasPrefix(begin, "Ñ") {
				continue
			}
			for end := len(tokens); end > start; end-- {
				s := text[tokens[start].Start:tokens[end-1].End]
				key := same(s, l.Fold)
				if !strings.Contains(strings.ReplaceAll(s, " ", ""), "\n\n") && has(i, l.Fold, key) && (l.Filters == nil || !has(0, l.Fold, key)) {
					all = append(all, Match{start, end, i})
					start = end - 1
					break
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Match) int { return cmp.Compare(a.Start, b.Start) })
	return all
}

// Windows of a long text give the matches of the whole text.
func TestMatchAcrossWindows(t *testing.T) {
	d := dictionary(t, List{File: write(t, "x", "a b c d e f\nb\nc d")})
	var b strings.Builder
	for i := range 3 * window {
		b.WriteString("a b c d e f "[2*(i%6):][:2])
		if i%1009 == 0 {
			b.WriteString("c ")
		}
	}
	text := b.String()
	tokens := tokenize.LettersDigits{}.Tokens(text, nil)
	got := d.Match(text, tokens)
	var want []Match
	for i := 0; i < len(tokens); i++ {
		for _, n := range []int{6, 2, 1} {
			if i+n <= len(tokens) && slices.Contains([]string{"a b c d e f", "c d", "b"}, text[tokens[i].Start:tokens[i+n-1].End]) {
				want = append(want, Match{i, i + n, 0})
				i += n - 1
				break
			}
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%d matches, want %d", len(got), len(want))
	}
}

func tagger(t testing.TB, cfg Config) *Tagger {
	t.Helper()
	types := data.CoNLL
	tg, err := New(cfg, types, 2)
	if err != nil {
		t.Fatal(err)
	}
	return tg
}

func tag(t testing.TB, tg *Tagger, texts ...string) [][]data.Span {
	t.Helper()
	var docs []*data.Document
	for i, text := range texts {
		docs = append(docs, &data.Document{ID: fmt.Sprint(i), Text: text})
	}
	spans, err := tg.Tag(context.Background(), docs)
	if err != nil {
		t.Fatal(err)
	}
	return spans
}

func people(t testing.TB) Config {
	return Config{Join: true, Lists: Lists{
		{File: write(t, "places", "Paris\nParis Hill\nRosa Linda"), Type: "LOC", Score: 0.5},
		{File: write(t, "first", "Rosa\nParis\nAna"), Type: "PER"},
		{File: write(t, "last", "Hill\nLinda Vista Alegre\nPaz"), Type: "PER", Score: 0.25},
		{Builtin: "en-months"},
	}}
}

func TestTag(t *testing.T) {
	cfg := people(t)
	text := "Ana Paz saw Paris Hill in Paris, May. Ana\nPaz. Rosa Linda Vista Alegre"
	got := tag(t, tagger(t, cfg), text, "", "none")
	want := [][]data.Span{{
		{Start: 0, End: 7, Type: "PER", Score: 0.25},
		{Start: 12, End: 22, Type: "LOC", Score: 0.5},  // longer than Paris, and than Hill
		{Start: 26, End: 31, Type: "LOC", Score: 0.5},  // its list is before that of first names
		{Start: 38, End: 41, Type: "PER", Score: 1},    // not joined over the line
		{Start: 42, End: 45, Type: "PER", Score: 0.25}, //
		{Start: 47, End: 70, Type: "PER", Score: 0.25}, // Linda Vista Alegre is longer than Rosa Linda
	}, nil, nil}
	for i := range want {
		if !slices.Equal(got[i], want[i]) {
			t.Errorf("document %d: %v, want %v", i, got[i], want[i])
		}
	}
	cfg.Join = false
	if n := len(tag(t, tagger(t, cfg), text)[0]); n != 8 {
		t.Errorf("%d spans without joining, want 8", n)
	}
}

// A text of many pieces is tagged like its lines.
func TestTagAcrossPieces(t *testing.T) {
	tg := tagger(t, people(t))
	for _, line := range []string{
		"Rosa Linda Vista Alegre met Ana Paz in Paris Hill. ", "Ana Paz,", "(((Paris ", "ñañáRosañ—Rosa—\xff", "Rosa " + strings.Repeat("x", pieceSize) + " ", "Ana" + strings.Repeat(" ", pieceSize) + "x ",
	} {
		one := tag(t, tg, line)[0]
		n := 3*pieceSize/len(line) + 2
		var want []data.Span
		for i := range n {
			for _, s := range one {
				s.Start, s.End = s.Start+i*len(line), s.End+i*len(line)
				want = append(want, s)
			}
		}
		if got := tag(t, tg, strings.Repeat(line, n))[0]; !slices.Equal(got, want) || len(want) == 0 {
			t.Errorf("%.20q: %d spans, want %d", line, len(got), len(want))
		}
	}
}

func TestTagIsTheSameForAnyWorkers(t *testing.T) {
	types := data.CoNLL
	cfg := people(t)
	var docs []*data.Document
	for i := range 50 {
		docs = append(docs, &data.Document{Text: strings.Repeat("Rosa Linda Vista Alegre. Ana went ", i)})
	}
	var first [][]data.Span
	for _, workers := range []int{1, 2, 7} {
		tg, err := New(cfg, types, workers)
		if err != nil {
			t.Fatal(err)
		}
		got, err := tg.Tag(context.Background(), docs)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = got
		}
		for i := range got {
			if !slices.Equal(got[i], first[i]) {
				t.Errorf("%d workers: document %d differs", workers, i)
			}
		}
	}
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	if spans, err := tagger(t, cfg).Tag(stopped, docs); !errors.Is(err, context.Canceled) || spans != nil {
		t.Errorf("called off: %v", err)
	}
	if spans, err := tagger(t, cfg).Tag(context.Background(), nil); err != nil || len(spans) != 0 {
		t.Errorf("no documents: %v, %v", spans, err)
	}
}

func TestSaveOpen(t *testing.T) {
	cfg := people(t)
	cfg.Lists = append(cfg.Lists, List{
		Name: "odd", File: write(t, "odd.tsv", "x\t#1 Peña\nx\tO'Łódź\nx\tRosa\nx\tß-æ\n"), Column: "2", Type: "ORG", Capital: true, Fold: FoldAccents, Filters: []string{"first"},
	})
	tg := tagger(t, cfg)
	text := "Ana Paz saw Paris Hill, Rosa, #1 Pena, O'Łodz ß-æ ss-ae SS-æ"
	want := tag(t, tg, text)[0]
	dirs := []string{filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")}
	if err := tg.Save(dirs[0]); err != nil {
		t.Fatal(err)
	}
	opened, err := Open(dirs[0], 1)
	if err != nil {
		t.Fatal(err)
	}
	if got := tag(t, opened, text)[0]; !slices.Equal(got, want) || len(want) != 4 {
		t.Errorf("%v, want %v", got, want)
	}
	if opened.Types().Name != "conll" {
		t.Errorf("types %s", opened.Types().Name)
	}
	for range 2 { // the second time over a model
		if err := opened.Save(dirs[1]); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{ModelFile, "list001.txt.gz", "list005.txt.gz"} {
		a, err1 := os.ReadFile(filepath.Join(dirs[0], name))
		b, err2 := os.ReadFile(filepath.Join(dirs[1], name))
		if err1 != nil || err2 != nil || string(a) != string(b) {
			t.Errorf("%s of the model of a model differs (%v, %v)", name, err1, err2)
		}
	}
	for _, c := range []struct{ name, file, content, want string }{
		{"damaged", "list001.txt.gz", "\x1f\x8bxx", "list places: DIR/list001.txt.gz: cannot be read: unexpected EOF"},
		{"missing", "list001.txt.gz", "", "list places: open DIR/list001.txt.gz: no such file or directory"},
		{"types", ModelFile, "types: x\nlists: []", "DIR/gazetteer.yaml: types: no type set \"x\""},
		{"elsewhere", ModelFile, "types: conll\nlists: [{file: ../x, type: PER}]", "DIR/gazetteer.yaml: the file of a list is outside of the folder"},
		{"key", ModelFile, "typos: x", "DIR/gazetteer.yaml:1:1: typos: unknown key"},
		{"type", ModelFile, "types: conll\nlists: [{file: list001.txt.gz, type: DOCTOR}]", "lists[0].type: DOCTOR is not a type of conll"},
		{"no model", ModelFile, "", "open DIR/gazetteer.yaml: no such file"},
	} {
		dir := filepath.Join(t.TempDir(), "m")
		if err := tg.Save(dir); err != nil {
			t.Fatal(err)
		}
		os.Remove(filepath.Join(dir, c.file))
		if c.content != "" {
			os.WriteFile(filepath.Join(dir, c.file), []byte(c.content), 0o666)
		}
		if _, err := Open(dir, 1); err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), dir, "DIR"), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

func TestBrokenLists(t *testing.T) {
	long := strings.Repeat("x", maxLine)
	for _, c := range []struct {
		name, content string
		list          List
		want          string
	}{
		{"encoding", "Ana\r\nJos\xe9\n", List{}, "FILE:2: invalid UTF-8"},
		{"control", "Ana\nRo\x00sa\n", List{}, "FILE:2: contains the control character U+0000"},
		{"table read as lines", "ANA\t100\n", List{}, "FILE:1: contains the control character U+0009"},
		{"nothing to find", "\n\nAna\n--\n", List{}, "FILE:4: the entry has no letters or digits"},
		{"long entry", "Ana\n" + long[:maxEntry+1], List{}, "FILE:2: the entry has 1001 bytes, more than the maximum of 1000"},
		{"long line", "Ana\n" + long + "\nRosa", List{}, "FILE:2: is longer than 65536 bytes"},
		{"empty", "# none\n\n", List{}, "no entries are left"},
		{"quote", "name,n\nAna,1\n\"Rosa,2\n", List{Format: CSV, Column: "name"}, "FILE:3: broken CSV: extraneous or missing \" in quoted-field"},
		{"short line", "name,n\n\nAna,1\nRosa\n", List{Format: CSV, Column: "name"}, "FILE:4: has 1 columns, but the first line has 2"},
		{"short line of tsv", "name\tn\r\nAna\t1\r\nRosa\r\n", List{Format: TSV, Column: "name"}, "FILE:3: has 1 columns, but the first line has 2"},
		{"short line of columns", "ANA 1.0 1\nROSA 2\n", List{Format: Columns, Column: "1"}, "FILE:2: has 2 columns, but the first line has 3"},
		{"no such column", "name,n\nAna,1\n", List{Format: CSV, Column: "surname"}, "FILE:1: no column is named \"surname\""},
		{"no such number", "Ana,1\n", List{Format: CSV, Column: "1", CountColumn: "3"}, "FILE:1: has 2 columns, but no column 3"},
		{"count", "Ana,1\nRosa,many\n", List{Format: CSV, Column: "1", CountColumn: "2"}, "FILE:2: the count, column 2, is not a number of at least 0"},
		{"header without a name", "name,n\nAna,1\n", List{Format: CSV, Column: "1", CountColumn: "2"}, "FILE:1: the count, column 2, is not a number"},
		{"all too rare", "Ana,1\n", List{Format: CSV, Column: "1", CountColumn: "2", MinCount: 2}, "no entries are left"},
		{"cell of two lines", "Ana,1\n\"Ro\nsa\",2\n", List{Format: CSV, Column: "1"}, "FILE:2: contains the control character U+000A"},
		{"truncated gzip", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff", List{}, "FILE:1: cannot be read: unexpected EOF"},
	} {
		c.list.Name = "names"
		c.list.File = write(t, "list", c.content)
		_, err := NewDictionary(Lists{c.list})
		if err == nil || !strings.HasPrefix(strings.ReplaceAll(err.Error(), c.list.File, "FILE"), "list names: "+c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	if _, err := NewDictionary(Lists{{Name: "names", File: filepath.Join(t.TempDir(), "none")}}); !errors.Is(err, os.ErrNotExist) || !strings.HasPrefix(err.Error(), "list names: ") {
		t.Error(err)
	}
}

func TestFormats(t *testing.T) {
	var zipped strings.Builder
	z := gzip.NewWriter(&zipped)
	z.Write([]byte("ANA 2.629  2.629      1\nROSA           1.073  3.702      2\n"))
	z.Close()
	for _, c := range []struct {
		name, content string
		list          List
		want          string
	}{
		{"lines.txt", "\uFEFFAna\r\n\r\n  Rosa  María \r\n", List{}, "Ana|Rosa  María"},
		{"x.csv", "name,country,n\nAna,ES,\"1\"\n\"Rosa, María\",,2\n,ES,3\n", List{Column: "name"}, "Ana|Rosa, María"},
		{"x.csv", "Ana,3\r\nRosa,..\r\nPaz,4\r\n", List{Column: "1", CountColumn: "2", MinCount: 4}, "Paz"},
		{"x.tsv", "n\tname\r\n1\t\"Ana\" \r\n2\tRosa\r\n", List{Column: "name", CountColumn: "n"}, "\"Ana\"|Rosa"},
		{"dist.all.last.gz", zipped.String(), List{Format: Columns, Column: "1", CountColumn: "2", MinCount: 2}, "ANA"},
	} {
		c.list.File = write(t, c.name, c.content)
		if err := c.list.validate(); err != nil {
			t.Fatal(err)
		}
		var got []string
		err := c.list.each(func(entry []byte) error {
			got = append(got, string(entry))
			return nil
		})
		if s := strings.Join(got, "|"); s != c.want || err != nil {
			t.Errorf("%s: %q, %v, want %q", c.name, s, err, c.want)
		}
	}
}

func TestValidate(t *testing.T) {
	for want, c := range map[string]Config{
		"lists: at least one is required":                  {},
		"lists: at least one must have a type":             {Lists: Lists{{File: "x"}}},
		"lists[0].file: exactly one of file and builtin":   {Lists: Lists{{}}},
		"lists[1].file: exactly one of file and builtin":   {Lists: Lists{{File: "x"}, {File: "x", Builtin: "en-months"}}},
		"lists[0].builtin: no built-in list \"months\"":    {Lists: Lists{{Builtin: "months"}}},
		"lists[0].builtin: cannot be combined with":        {Lists: Lists{{Builtin: "en-months", Format: CSV}}},
		"lists[1].name: x is already the name of lists[0]": {Lists: Lists{{File: "a/x.txt"}, {File: "b/x.csv.gz", Column: "1"}}},
		"lists[0].type: not the name of a type":            {Lists: Lists{{File: "x", Type: "a b"}}},
		"lists[0].score: 2 is not in":                      {Lists: Lists{{File: "x", Score: 2}}},
		"lists[0].format: \"xls\" is not":                  {Lists: Lists{{File: "x", Format: "xls"}}},
		"lists[0].column: requires format":                 {Lists: Lists{{File: "x", Column: "1"}}},
		"lists[0].column: is required for format csv":      {Lists: Lists{{File: "x.csv.gz"}}},
		"lists[0].count_column: must be a name":            {Lists: Lists{{File: "x.csv", Column: "name", CountColumn: "2"}}},
		"lists[0].count_column: requires column":           {Lists: Lists{{File: "x", CountColumn: "2"}}},
		"lists[0].min_count: requires count_column":        {Lists: Lists{{File: "x", MinCount: 2}}},
		"lists[0].min_count: -1 is not":                    {Lists: Lists{{File: "x", MinCount: -1}}},
		"lists[0].fold: \"all\" is not":                    {Lists: Lists{{File: "x", Fold: "all"}}},
		"lists[0].min_length: -1 is negative":              {Lists: Lists{{File: "x", MinLength: -1}}},
		"lists[0].filters[0]: no list \"y\"":               {Lists: Lists{{File: "x", Filters: []string{"y"}}}},
		"lists[0].filters[0]: x is the list itself":        {Lists: Lists{{File: "x", Filters: []string{"x"}}}},
	} {
		if err := c.Validate(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	c := Config{Lists: Lists{{Builtin: "en-months"}, {File: "${DIR}/x.txt.gz", Type: "PER"}}}
	if err := c.Validate(); err != nil {
		t.Error(err)
	}
	paths := c.Paths()
	if len(paths) != 1 {
		t.Fatalf("%d paths", len(paths))
	}
	*paths[0].Value = "/x"
	if c.Lists[1].File != "/x" {
		t.Error("Paths does not point to the configuration")
	}
}

// Every built-in list can be read, has no duplicate entries, and has a description.
func TestBuiltins(t *testing.T) {
	for _, name := range Builtins() {
		l := List{Builtin: name}
		seen := map[string]bool{}
		err := l.each(func(entry []byte) error {
			if seen[string(entry)] {
				t.Errorf("%s: %s twice", name, entry)
			}
			seen[string(entry)] = true
			return nil
		})
		if err != nil || len(seen) < 4 {
			t.Errorf("%s: %d entries, %v", name, len(seen), err)
		}
		dictionary(t, l)
	}
}

// An iota below a capital with an accent was joined with the small letter only when it was folded again.
func TestIotaBelowACapital(t *testing.T) {
	const capital = "\u1fba\u0345"
	if once := string(appendFolded(nil, FoldCase, capital)); once != "\u1fb2" {
		t.Errorf("%+q", once)
	}
}

func TestFoldedFoldsToItself(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringN(1, 5, -1).Draw(t, "piece")
		for _, fold := range []Fold{FoldBoth, FoldCase, FoldAccents, FoldNone} {
			once := string(appendFolded(nil, fold, s))
			if twice := string(appendFolded(nil, fold, once)); once != twice || once == "" {
				t.Fatalf("%s: %q, then %q", fold, once, twice)
			}
		}
	})
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{"Ana\nRosa", "name,n\nAna,1", "\uFEFFa\tb\r\n", "\"a\nb\",2", "A 1 1\nB 2", "#x\n #x", "\xff", "x\x00", "a,1\na,..", "\x1f\x8b"} {
		f.Add(s, uint8(0), "1", "")
		f.Add(s, uint8(1), "name", "n")
		f.Add(s, uint8(2), "1", "2")
	}
	f.Fuzz(func(t *testing.T, content string, format uint8, column, count string) {
		l := List{Name: "x", File: "x", Format: []Format{Lines, CSV, TSV, Columns}[format%4]}
		if l.Format != Lines {
			l.Column, l.CountColumn = column, count
		}
		if l.validate() != nil {
			return
		}
		err := l.read(strings.NewReader(content), "x", func(entry []byte) error {
			if len(entry) == 0 || len(tokenize.LettersDigits{}.Tokens(string(entry), nil)) > maxEntry {
				t.Errorf("entry of %d bytes", len(entry))
			}
			return nil
		})
		if e := (*data.Error)(nil); err != nil && (!errors.As(err, &e) || e.Path != "x" || e.Line < 1 || e.Line > strings.Count(content, "\n")+1) {
			t.Errorf("%v", err)
		}
	})
}
