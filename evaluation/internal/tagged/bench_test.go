package tagged

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/lethe-deid/lethe/internal/shared"
)

func BenchmarkXMLCorpus(b *testing.B) {
	files, _ := filepath.Glob(filepath.Join(shared.Path(b, "corpora/meddocan"), "dev", "xml", "*.xml"))
	var raw [][]byte
	total := 0
	for _, f := range files {
		r, err := os.ReadFile(f)
		if err != nil {
			b.Fatal(err)
		}
		raw = append(raw, r)
		total += len(r)
	}
	b.SetBytes(int64(total))
	b.ReportAllocs()
	for b.Loop() {
		for _, r := range raw {
			if _, err := XML(r, "f.xml", LXML); err != nil {
				b.Fatal(err)
			}
		}
	}
}
