package subword

import (
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkEncode measures notes, one after another. Bytes per second are per core.
func BenchmarkEncode(b *testing.B) {
	texts := readLines[string](b, "testdata/texts.jsonl")
	note := strings.Repeat(strings.Join(texts[:7], "\n")+"\n", 4)
	for _, kind := range kinds {
		b.Run(kind, func(b *testing.B) {
			tokenizer, err := Open(filepath.Join("testdata", kind))
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(note)))
			for b.Loop() {
				if _, err := tokenizer.Encode(note); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
