package pos

import (
	"archive/tar"
	"compress/gzip"
	"io"
	"os"
	"testing"

	"github.com/lethe-deid/lethe/internal/shared"

	"github.com/lethe-deid/lethe/data/conllu"
)

// treebank reads at most n sentences from a file of Universal Dependencies in the
// archive of the shared folder.
func treebank(t testing.TB, name string, n int) []conllu.Sentence {
	t.Helper()
	path := shared.Path(t, "corpora", "universal-dependencies.tar.gz")
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	files := tar.NewReader(z)
	for {
		h, err := files.Next()
		if err == io.EOF {
			t.Fatalf("%s has no %s", path, name)
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Name == name {
			s, err := conllu.Decode(files, name)
			if err != nil {
				t.Fatal(err)
			}
			return s[:min(n, len(s))]
		}
	}
}

const (
	ewtTrain = "UD_English-EWT/en_ewt-ud-train.rebuilt.conllu"
	ewtDev   = "UD_English-EWT/en_ewt-ud-dev.conllu"
)

// This uses a sixth of the treebank, and few epochs; docs/pos.md has the accuracy on
// all of it.
func TestAccuracyOnEWT(t *testing.T) {
	g := train(t, treebank(t, ewtTrain, 2000), Options{Epochs: 4})
	a := g.Test(treebank(t, ewtDev, 500))
	for _, test := range []struct {
		name        string
		right, of   int
		least, most float64
	}{
		{"UPOS", a.All.UPOS, a.All.Words, 0.89, 1},
		{"XPOS", a.All.XPOS, a.All.WithXPOS, 0.875, 1},
		{"tense", a.All.Tense, a.All.Words, 0.97, 1},
		{"lemma", a.All.Lemma, a.All.WithLemma, 0.93, 1},
		{"UPOS of unknown words", a.Unknown.UPOS, a.Unknown.Words, 0.75, 1},
		{"share of unknown words", a.Unknown.Words, a.All.Words, 0.1, 0.3},
	} {
		if got := float64(test.right) / float64(test.of); got < test.least || got > test.most {
			t.Errorf("%s: %.4f, not in %.2f to %.2f", test.name, got, test.least, test.most)
		} else {
			t.Logf("%s: %.4f", test.name, got)
		}
	}
}

func BenchmarkTag(b *testing.B) {
	g := train(b, treebank(b, ewtTrain, 1<<30), Options{})
	var sentences [][]string
	words := 0
	for _, s := range treebank(b, ewtDev, 1<<30) {
		var forms []string
		for _, w := range s.Words {
			forms = append(forms, w.Form)
		}
		sentences = append(sentences, forms)
		words += len(forms)
	}
	var out []Word
	b.ReportAllocs()
	for b.Loop() {
		for _, s := range sentences {
			out = g.Tag(s, out)
		}
	}
	b.ReportMetric(float64(words)*float64(b.N)/b.Elapsed().Seconds(), "words/s")
}

func BenchmarkTrain(b *testing.B) {
	s := treebank(b, ewtTrain, 1<<30)
	for b.Loop() {
		train(b, s, Options{})
	}
}
