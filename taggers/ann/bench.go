package ann

import (
	"context"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/taggers"
)

// Rate is a measured speed.
type Rate struct {
	TokensPerSecond float64
	NotesPerSecond  float64 // 0 for training
	GFLOPS          float64 // billions of multiplications and additions in matrix products per second
}

// Bench trains on the task's documents for about limit and returns the training speed,
// the number of labels and the number of tokens in the documents. The tagger is only
// partly trained: use it for measurements only.
func (c Config) Bench(ctx context.Context, task taggers.Task, limit time.Duration) (tagger *Tagger, train Rate, labels, tokens int, err error) {
	task.Dir, task.Resume, task.Dev = "", false, task.Train
	course, err := c.newCourse(ctx, task)
	if err != nil {
		return nil, Rate{}, 0, 0, err
	}
	defer course.trainer.Close()
	rng := rand.New(rand.NewPCG(task.Seed, 1))
	var batches [][]int
	train, err = measure(ctx, limit, course.trainer.FLOP, func() (int, error) {
		if len(batches) == 0 {
			batches = course.batches(rng)
		}
		_, n, err := course.step(batches[0], rng, 1)
		batches = batches[1:]
		return n, err
	})
	return course.tagger, train, len(course.tagger.labels), course.tokens, err
}

// Bench tags the documents repeatedly for about limit and returns the speed from text
// to spans.
func (t *Tagger) Bench(ctx context.Context, docs []*data.Document, limit time.Duration) (Rate, error) {
	tokens := 0
	for _, d := range docs {
		for x := range t.reader.Cut(d) {
			tokens += len(x.Tokens)
		}
	}
	r, err := measure(ctx, limit, t.flop, func() (int, error) {
		_, err := t.Tag(ctx, docs)
		return tokens, err
	})
	r.NotesPerSecond = r.TokensPerSecond * float64(len(docs)) / float64(max(tokens, 1))
	return r, err
}

// flop returns the sum over the predictors, all of which must be idle.
func (t *Tagger) flop() (sum float64) {
	idle := make([]predictor, 0, cap(t.predictors))
	for range cap(t.predictors) {
		idle = append(idle, <-t.predictors)
	}
	for _, p := range idle {
		sum += p.FLOP()
		t.predictors <- p
	}
	return sum
}

// measure repeats work for about limit, after warming up for a fifth of it.
func measure(ctx context.Context, limit time.Duration, flop func() float64, work func() (tokens int, err error)) (r Rate, err error) {
	var begin time.Time
	var before float64
	tokens, warm := 0, false
	start := time.Now()
	for {
		if err := ctx.Err(); err != nil {
			return r, err
		}
		if !warm && time.Since(start) > limit/5 {
			runtime.GC()
			warm, tokens, before, begin = true, 0, flop(), time.Now()
		}
		n, err := work()
		if err != nil {
			return r, err
		}
		tokens += n
		if warm && time.Since(start) > limit {
			seconds := time.Since(begin).Seconds()
			return Rate{TokensPerSecond: float64(tokens) / seconds, GFLOPS: (flop() - before) / seconds / 1e9}, nil
		}
	}
}
