package ann

import (
	"context"
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/tokenize"
	"github.com/lethe-deid/lethe/taggers/internal/reader"
)

// A batch of several sentences has at most batchTokens tokens, and each sentence is in one batch.
func TestBatchesAreBounded(t *testing.T) {
	lengths := []int{5, batchTokens + 700, 1500, 900, 900, batchTokens, 40, 40, 1200}
	tokens := 0
	x := reader.Text{Doc: &data.Document{}}
	for _, n := range lengths {
		x.Sentences = append(x.Sentences, tokenize.Range{Start: tokens, End: tokens + n})
		tokens += n
	}
	x.Tokens = make([]data.Token, tokens)
	shared := &text{Text: x}
	var pool []sentence
	for k := range lengths {
		pool = append(pool, sentence{shared, k})
	}
	work := make(chan []sentence, len(pool))
	if err := send(context.Background(), pool, work); err != nil {
		t.Fatal(err)
	}
	close(work)
	seen, several := map[int]bool{}, false
	for batch := range work {
		size := 0
		for _, s := range batch {
			if seen[s.number] {
				t.Errorf("sentence %d is in two batches", s.number)
			}
			seen[s.number] = true
			size += len(s.tokens())
		}
		if len(batch) > 1 && size > batchTokens {
			t.Errorf("a batch of %d sentences has %d tokens", len(batch), size)
		}
		several = several || len(batch) > 1
	}
	if len(seen) != len(lengths) || !several {
		t.Errorf("%d of %d sentences, several in a batch: %v", len(seen), len(lengths), several)
	}
}
