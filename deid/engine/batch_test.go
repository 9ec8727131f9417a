package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lethe-deid/lethe/data"
)

// slow is a tagger that finds each document as a whole, and takes part of it for a span of its patient.
type slow struct {
	batches, documents atomic.Int64
	hold               chan struct{} // nil: no waiting
}

var errSpoilt = errors.New("spoilt")

func (s *slow) Tag(ctx context.Context, docs []*data.Document) ([][]data.Span, error) {
	s.batches.Add(1)
	s.documents.Add(int64(len(docs)))
	if s.hold != nil {
		select {
		case <-s.hold:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	byPatient := map[string]int{}
	for _, d := range docs {
		if d.Text == "spoilt" {
			return nil, errSpoilt
		}
		if d.Patient != "" {
			byPatient[d.Patient]++
		}
	}
	found := make([][]data.Span, len(docs))
	for i, d := range docs {
		found[i] = []data.Span{{End: len(d.Text), Type: "T", Score: float64(byPatient[d.Patient])}}
	}
	return found, nil
}

func TestManyCallersGetTheirOwnSpans(t *testing.T) {
	s := &slow{}
	b := &batched{tagger: s}
	var all sync.WaitGroup
	for c := range 64 {
		all.Go(func() {
			for n := range 20 {
				docs := []*data.Document{{Text: strings.Repeat("x", c+1), Patient: "p"}, {Text: strings.Repeat("x", n+1), Patient: "p"}}
				found, err := b.Tag(t.Context(), docs)
				if err != nil || len(found) != 2 || found[0][0].End != c+1 || found[1][0].End != n+1 {
					t.Errorf("caller %d: %v, %v", c, found, err)
				} else if found[0][0].Score != 2 {
					t.Errorf("caller %d: patients of other callers count: %v", c, found[0][0].Score)
				}
				if docs[0].Patient != "p" {
					t.Error("a document of the caller has changed")
				}
			}
		})
	}
	all.Wait()
	if s.documents.Load() != 64*20*2 {
		t.Errorf("%d documents were tagged", s.documents.Load())
	}
}

// waitFor waits until n calls are waiting behind the one that is being tagged.
func waitFor(t *testing.T, b *batched, n int) {
	t.Helper()
	for range 5000 {
		b.mutex.Lock()
		waiting := len(b.waiting)
		b.mutex.Unlock()
		if waiting == n {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatalf("there are never %d calls waiting", n)
}

func TestWaitingCallsAreTaggedTogether(t *testing.T) {
	s := &slow{hold: make(chan struct{})}
	b := &batched{tagger: s}
	errs := make(chan error, 12)
	tag := func(ctx context.Context, text string) {
		go func() {
			found, err := b.Tag(ctx, []*data.Document{{Text: text}})
			if err == nil && found[0][0].End != len(text) {
				err = fmt.Errorf("a span of %d bytes instead of %d", found[0][0].End, len(text))
			}
			errs <- err
		}()
	}
	tag(t.Context(), "first")
	for s.batches.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	gone, leave := context.WithCancel(t.Context())
	tag(gone, "gone")
	waitFor(t, b, 1)
	for i := range 9 {
		tag(t.Context(), strings.Repeat("x", i+1))
	}
	tag(t.Context(), "spoilt")
	waitFor(t, b, 11)
	leave()
	if err := <-errs; !errors.Is(err, context.Canceled) {
		t.Errorf("the caller that has gone: %v", err)
	}
	close(s.hold)
	spoilt := 0
	for range 11 {
		if err := <-errs; errors.Is(err, errSpoilt) {
			spoilt++
		} else if err != nil {
			t.Error(err)
		}
	}
	if spoilt != 1 {
		t.Errorf("%d calls failed because of one", spoilt)
	}
	if got := s.batches.Load(); got != 2+10 { // the first, the batch, and each of it again
		t.Errorf("%d batches", got)
	}
}

func TestNobodyWaitsForCallersThatHaveGone(t *testing.T) {
	s := &slow{hold: make(chan struct{})}
	b := &batched{tagger: s}
	ctx, leave := context.WithCancel(t.Context())
	errs := make(chan error)
	go func() {
		_, err := b.Tag(ctx, []*data.Document{{Text: "x"}})
		errs <- err
	}()
	for s.batches.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	leave()
	if err := <-errs; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	close(s.hold)
	if _, err := b.Tag(t.Context(), []*data.Document{{Text: "y"}}); err != nil {
		t.Errorf("the next caller: %v", err)
	}
}

type panics struct{ once sync.Once }

func (p *panics) Tag(context.Context, []*data.Document) (_ [][]data.Span, err error) {
	p.once.Do(func() { panic("invented") })
	return [][]data.Span{nil}, nil
}

func TestAPanicDoesNotStopTheOthers(t *testing.T) {
	b := &batched{tagger: &panics{}}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic is lost")
			}
		}()
		_, _ = b.Tag(t.Context(), []*data.Document{{}})
	}()
	if _, err := b.Tag(t.Context(), []*data.Document{{}}); err != nil {
		t.Errorf("the next caller: %v", err)
	}
}
