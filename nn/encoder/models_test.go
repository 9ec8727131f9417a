package encoder

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/lethe-deid/lethe/checkpoints/huggingface"
)

// models calls f with each network in the folder that LETHE_ENCODERS names, which
// "scripts/peers/encoders.py models" makes.
func models(t testing.TB, f func(name string, m *huggingface.Folder)) {
	t.Helper()
	folder := os.Getenv("LETHE_ENCODERS")
	if folder == "" {
		t.Skip("LETHE_ENCODERS names no folder")
	}
	dirs, err := filepath.Glob(filepath.Join(folder, "*", huggingface.ConfigFile))
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no models in %s, %v", folder, err)
	}
	for _, path := range dirs {
		m, err := huggingface.Open(filepath.Dir(path))
		if err != nil {
			t.Fatal(err)
		}
		f(filepath.Dir(path), m)
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Networks of the usual sizes have the scores of transformers. Those of bytes are only logged.
func TestModels(t *testing.T) {
	models(t, func(dir string, m *huggingface.Folder) {
		raw, err := os.ReadFile(filepath.Join(dir, "cases.json"))
		if err != nil {
			t.Fatal(err)
		}
		var cases example
		if err := json.Unmarshal(raw, &cases); err != nil {
			t.Fatal(err)
		}
		for _, int8 := range []bool{false, true} {
			e, err := New(m.Config(), m, Options{Int8: int8})
			if err != nil {
				t.Fatal(err)
			}
			scores, err := e.Logits(cases.Sequences)
			if err != nil {
				t.Fatal(err)
			}
			most, same, tokens := 0.0, 0, 0
			for i, want := range cases.Scores {
				d := difference(t, scores[i], want)
				if most = max(most, d); !int8 && !(d <= tolerance) {
					t.Errorf("%s: sequence %d, %d tokens: the scores differ by %.2g", dir, i, scores[i].Rows, d)
				}
				for r := range scores[i].Rows {
					if best(scores[i].Row(r)) == best(want[r*e.labels:][:e.labels]) {
						same++
					}
				}
				tokens += scores[i].Rows
			}
			t.Logf("%s, int8 %v: the scores differ by up to %.2g; the best label is the same for %d of %d tokens", filepath.Base(dir), int8, most, same, tokens)
		}
	})
}

func best[T float32 | float64](x []T) (i int) {
	for j, v := range x {
		if v > x[i] {
			i = j
		}
	}
	return i
}

// Eight sequences of 512 tokens, with as many workers as -cpu says.
func BenchmarkLogits(b *testing.B) {
	models(b, func(dir string, m *huggingface.Folder) {
		for _, int8 := range []bool{false, true} {
			name := filepath.Base(dir)
			if int8 {
				name += "-int8"
			}
			b.Run(name, func(b *testing.B) {
				e, err := New(m.Config(), m, Options{Int8: int8})
				if err != nil {
					b.Fatal(err)
				}
				batch := make([][]int32, 8)
				for s := range batch {
					for i := range 512 {
						batch[s] = append(batch[s], int32((7*i*i+13*i+5*s+i/3)%e.embeddings.words.Rows))
					}
				}
				for b.Loop() {
					if _, err := e.Logits(batch); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(8*512*float64(b.N)/b.Elapsed().Seconds(), "tokens/s")
			})
		}
	})
}
