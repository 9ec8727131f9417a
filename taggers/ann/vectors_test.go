package ann

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Most keeps the first words of the file, of which Keep may leave out some.
func TestMostVectors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "v.txt")
	if err := os.WriteFile(file, []byte("the 1 2\nof 3 4\nOstrava 5 6\nknee 7 8\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	count := newCounter(false)
	for _, token := range []string{"of", "knee"} {
		count.add(0, token)
	}
	cfg := DefaultConfig()
	cfg.Network.TokenEmbedding = 2
	for _, c := range []struct {
		keep       string
		most, read int
		words      []string
	}{
		{"all", 0, 4, []string{"the", "of", "Ostrava", "knee"}},
		{"all", 3, 3, []string{"the", "of", "Ostrava"}},
		{"training", 0, 2, nil},
		{"training", 3, 1, nil},
	} {
		cfg.Vectors = Vectors{File: file, Keep: c.keep, Most: c.most}
		v, words, err := loadVectors(cfg, count)
		if err != nil {
			t.Fatal(err)
		}
		if v.Len() != c.read || !slices.Equal(words, c.words) {
			t.Errorf("keep %s, most %d: %d vectors, words %q", c.keep, c.most, v.Len(), words)
		}
	}
}
