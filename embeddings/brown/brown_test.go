package brown

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/embeddings/learn"
)

// bruteForce returns the mutual information of clusters of words, times the
// number of pairs, computed from the formula. Only pairs of words that are both
// in a cluster count.
func bruteForce(words []int, pairs map[uint64]int32, clusters [][]int32) float64 {
	of := map[int32]int{}
	frequency := make([]float64, len(clusters))
	for c, members := range clusters {
		for _, w := range members {
			of[w] = c
			frequency[c] += float64(words[w])
		}
	}
	n := map[[2]int]float64{}
	totalWords, totalPairs := 0.0, 0.0
	for _, count := range words {
		totalWords += float64(count)
	}
	for k, count := range pairs {
		a, known := of[int32(k>>32)]
		b, known2 := of[int32(uint32(k))]
		totalPairs += float64(count)
		if known && known2 {
			n[[2]int{a, b}] += float64(count)
		}
	}
	sum := 0.0
	for ab, x := range n {
		sum += x * math.Log(x/totalPairs/(frequency[ab[0]]/totalWords*frequency[ab[1]]/totalWords))
	}
	return sum
}

// occurrences returns invented frequencies that fit the pairs: each word occurs
// some times more often than it is the first or the second word of a pair.
func occurrences(words int, pairs map[uint64]int32) []int {
	first, second := make([]int, words), make([]int, words)
	for k, n := range pairs {
		first[k>>32] += int(n)
		second[uint32(k)] += int(n)
	}
	for w := range first {
		first[w] = max(first[w], second[w]) + 1 + w%3
	}
	return first
}

func merged(clusters [][]int32, a, b int) [][]int32 {
	var all [][]int32
	for c, words := range clusters {
		if c != a && c != b {
			all = append(all, words)
		}
	}
	return append(all, slices.Concat(clusters[a], clusters[b]))
}

// After any additions of words and merges of clusters, all losses equal those of
// the formula.
func TestLossesAreThoseOfTheFormula(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.IntRange(2, 9).Draw(t, "words")
		counts := map[uint64]int32{}
		for range rapid.IntRange(1, 40).Draw(t, "pairs") {
			x, y := rapid.Uint64Range(0, uint64(words-1)).Draw(t, "x"), rapid.Uint64Range(0, uint64(words-1)).Draw(t, "y")
			counts[x<<32|y] += rapid.SampledFrom([]int32{1, 1, 2, 7, 1000, 70_000, 1 << 20}).Draw(t, "n")
		}
		frequencies := occurrences(words, counts)
		c := newTable(newBigrams(frequencies, counts), words)
		next := int32(0)
		for next < int32(words) || c.k > 1 {
			if c.k < 2 || next < int32(words) && rapid.Bool().Draw(t, "add") {
				c.add(next)
				next++
			} else {
				a := rapid.IntRange(0, c.k-2).Draw(t, "a")
				c.merge(a, rapid.IntRange(a+1, c.k-1).Draw(t, "b"))
			}
			clusters := c.words[:c.k]
			before := bruteForce(frequencies, counts, clusters)
			least := math.Inf(1)
			for a := range clusters {
				for b := a + 1; b < len(clusters); b++ {
					want := before - bruteForce(frequencies, counts, merged(clusters, a, b))
					got := *c.at(a, b)
					if math.Abs(got-want) > 1e-6*(1+math.Abs(before)) {
						t.Fatalf("clusters %v: merging %d and %d loses %v, want %v", clusters, a, b, got, want)
					}
					least = min(least, got)
				}
			}
			if c.k > 1 {
				if a, b := c.best(); a >= b || *c.at(a, b) != least {
					t.Fatalf("the best of %v is not %d and %d", clusters, a, b)
				}
			}
			if next == int32(words) {
				total := int32(0)
				for _, n := range counts {
					total += n
				}
				if got := c.mutual() * float64(total); math.Abs(got-before) > 1e-6*(1+math.Abs(before)) {
					t.Fatalf("mutual information %v, want %v", got, before)
				}
			}
		}
	})
}

// The tree of a small text equals that of a greedy search that recomputes
// everything.
func TestTreeIsThatOfGreedySearch(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		const words, k = 14, 5
		counts := map[uint64]int32{}
		for range 150 { // large, different counts: no ties
			counts[uint64(rng.IntN(words))<<32|uint64(rng.IntN(words))] += int32(1 + rng.IntN(1000))
		}
		frequencies := occurrences(words, counts)
		_, paths, err := cluster(context.Background(), newBigrams(frequencies, counts), k, func(string, int, int) {})
		if err != nil {
			t.Fatal(err)
		}
		best := func(clusters [][]int32) (x, y int) {
			most := math.Inf(-1)
			for a := range clusters {
				for b := a + 1; b < len(clusters); b++ {
					if mi := bruteForce(frequencies, counts, merged(clusters, a, b)); mi > most {
						most, x, y = mi, a, b
					}
				}
			}
			return x, y
		}
		var clusters [][]int32
		for w := range int32(words) {
			if clusters = append(clusters, []int32{w}); len(clusters) > k {
				x, y := best(clusters)
				clusters = merged(clusters, x, y)
			}
		}
		want := make([]string, words)
		for len(clusters) > 1 {
			x, y := best(clusters)
			if slices.Min(clusters[x]) > slices.Min(clusters[y]) {
				x, y = y, x
			}
			for _, w := range clusters[x] {
				want[w] = "0" + want[w]
			}
			for _, w := range clusters[y] {
				want[w] = "1" + want[w]
			}
			clusters = merged(clusters, x, y)
		}
		if !slices.Equal(paths, want) {
			t.Errorf("%v, want %v", paths, want)
		}
	}
}

// grammar returns a text of sentences "determiner noun verb", with each word
// drawn from three.
func grammar(sentences int) *data.Document {
	rng := rand.New(rand.NewPCG(3, 4))
	var b strings.Builder
	for range sentences {
		fmt.Fprintf(&b, "%s %s %s\n", []string{"un", "el", "ese"}[rng.IntN(3)], []string{"perro", "gato", "burro"}[rng.IntN(3)], []string{"corre", "duerme", "come"}[rng.IntN(3)])
	}
	return &data.Document{ID: "1", Text: b.String() + "raro\n"}
}

func config(clusters int) Config {
	c := DefaultConfig()
	c.Clusters, c.Sentences = clusters, "line"
	return c
}

func TestTrain(t *testing.T) {
	corpus := data.Each([]*data.Document{grammar(1000)})
	c, s, err := Train(context.Background(), corpus, config(9), nil)
	if err != nil {
		t.Fatal(err)
	}
	if s.Documents != 1 || s.Sentences != 1001 || s.Tokens != 3001 || s.Words != 10 || s.Kept != 3000 || s.Pairs != 2000 || s.Clusters != 9 || c.Len() != 9 {
		t.Errorf("%+v", s)
	}
	if want := math.Log(9. / 2); math.Abs(s.Mutual-want) > 0.01 { // two kinds of pairs, each half of them, of three kinds of words, each a third
		t.Errorf("mutual information %v, want %v", s.Mutual, want)
	}
	// Each kind of word is a branch of the tree.
	for _, kind := range []string{"un el ese", "perro gato burro", "corre duerme come"} {
		var common string
		for i, w := range strings.Fields(kind) {
			path, ok := c.Path(w)
			if !ok {
				t.Errorf("%s has no path", w)
			}
			if i == 0 {
				common = path
			}
			for !strings.HasPrefix(path, common) {
				common = common[:len(common)-1]
			}
		}
		for _, e := range c.Entries() {
			if strings.HasPrefix(e.Path, common) != slices.Contains(strings.Fields(kind), e.Word) {
				t.Errorf("%s: %s has the path %s", kind, e.Word, e.Path)
			}
		}
	}
	if _, ok := c.Path("raro"); ok {
		t.Error("a rare word has a path")
	}
	again, _, err := Train(context.Background(), corpus, config(9), nil)
	if err != nil || !slices.Equal(again.Entries(), c.Entries()) {
		t.Errorf("the same text gives other clusters (%v)", err)
	}
	if all, s, err := Train(context.Background(), corpus, config(100), nil); err != nil || all.Len() != 9 || s.Clusters != 9 {
		t.Errorf("more clusters than words: %+v, %v", s, err)
	}
	if one, _, err := Train(context.Background(), corpus, config(1), nil); err != nil || one.Len() != 1 || one.Entries()[0].Path != "" {
		t.Errorf("one cluster: %v", err)
	}
}

func TestTrainErrors(t *testing.T) {
	ctx := context.Background()
	broken := errors.New("broken")
	for want, c := range map[string]struct {
		corpus data.Documents
		config Config
	}{
		"no tokens in the corpus": {data.Each(nil), config(3)},
		"broken":                  {func(yield func(*data.Document, error) bool) { yield(nil, broken) }, config(3)},
		"of 2 distinct words, 0 occur 5 times or more in 1 documents or more: too few to cluster": {data.Each([]*data.Document{{Text: "a b"}}), config(3)},
		"no two of the words that are frequent enough are neighbours":                             {data.Each([]*data.Document{{Text: strings.Repeat("a\nb\n", 5)}}), config(3)},
		"0 clusters: not in [1, 8192]":                                                            {data.Each(nil), config(0)},
		"no tokenizer \"x\" (have letters-digits, ptb, whitespace)":                               {data.Each(nil), Config{learn.Words{MinCount: 1, MinDocuments: 1, Tokenizer: "x"}, 1}},
	} {
		if _, _, err := Train(ctx, c.corpus, c.config, nil); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	stopped, cancel := context.WithCancel(ctx)
	_, _, err := Train(stopped, data.Each([]*data.Document{grammar(1000)}), config(3), func(stage string, _, _ int) {
		if stage == "clustering" {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("called off: %v", err)
	}
}

func TestReadWrite(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		words := rapid.SliceOfDistinct(rapid.StringMatching(`[a-zñA-Z0-9.,"#é-]{1,5}`), rapid.ID).Filter(func(s []string) bool { return len(s) > 0 }).Draw(r, "words")
		var entries []Entry
		for _, w := range words {
			entries = append(entries, Entry{rapid.StringMatching(`[01]{0,9}`).Draw(r, "path"), w, rapid.IntRange(0, 1<<40).Draw(r, "count")})
		}
		c := newClusters(entries)
		path := filepath.Join(t.TempDir(), rapid.SampledFrom([]string{"p.txt", "p.txt.gz"}).Draw(r, "name"))
		file, err := Create(path)
		if err == nil {
			err = file.Save(c)
		}
		if err != nil {
			r.Fatal(err)
		}
		got, err := Read(path)
		if err != nil || !slices.Equal(got.Entries(), c.Entries()) {
			r.Fatalf("%v, %v", got, err)
		}
	})
}

func TestCreate(t *testing.T) {
	dir := t.TempDir()
	file, err := Create(filepath.Join(dir, "new", "x"))
	if err != nil {
		t.Fatal(err)
	}
	if err := file.Abort(); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(filepath.Join(dir, "new")); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
	os.WriteFile(filepath.Join(dir, "file"), nil, 0o666)
	if _, err := Create(filepath.Join(dir, "file", "x")); err == nil || !strings.Contains(err.Error(), "x: cannot be written: ") {
		t.Error(err)
	}
}

func TestReadErrors(t *testing.T) {
	for content, want := range map[string]string{
		"0\ta\t1\n1\tb\n":          ":2: requires path, word and count, but has 2 columns",
		"0\ta\t1\r\n012\tb\t1\n":   ":2: the path does not consist of 0 and 1",
		"0\t\t1\n":                 ":1: the word is empty or not UTF-8",
		"0\t\xff\t1\n":             ":1: the word is empty or not UTF-8",
		"0\ta\tmany\n":             ":1: the count is not a whole number of at least 0",
		"0\ta\t-1\n":               ":1: the count is not a whole number of at least 0",
		"0\ta\t1\n\n1\ta\t1":       ":3: duplicate word, first in line 1",
		strings.Repeat("0", 1<<17): ":1: is longer than 65536 bytes",
		"":                         ": no words",
		"\x1f\x8bx":                ": cannot be read: unexpected EOF",
	} {
		path := filepath.Join(t.TempDir(), "paths")
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(path); err == nil || err.Error() != path+want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := Read(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{"0\ta\t1\n", "\uFEFF01\tñ\t2\r\n\n\tb\t0", "0\ta", "\x1f\x8b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, content string) {
		c, err := read(strings.NewReader(content), "x")
		if e := (*data.Error)(nil); err != nil && (!errors.As(err, &e) || e.Path != "x") {
			t.Errorf("%v", err)
		}
		if err == nil && (c.Len() < 1 || c.Len() > len(c.Entries())) {
			t.Errorf("%d clusters of %d words", c.Len(), len(c.Entries()))
		}
	})
}

func BenchmarkCluster(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(rng, 1.1, 3, 19_999)
	counts := map[uint64]int32{}
	for range 2_000_000 {
		counts[zipf.Uint64()<<32|zipf.Uint64()]++
	}
	text := newBigrams(occurrences(20_000, counts), counts)
	for _, k := range []int{100, 500, 1000} {
		b.Run(fmt.Sprint(k), func(b *testing.B) {
			for b.Loop() {
				if _, _, err := cluster(context.Background(), text, k, func(string, int, int) {}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
