package engine

import (
	"context"
	"strconv"
	"sync"

	"github.com/lethe-deid/lethe/data"
)

// A batch of calls is tagged together until it has this many documents or bytes. More would only make the first of them wait.
const (
	batchDocuments = 128
	batchBytes     = 512 << 10
)

// batched is a tagger that many callers share: documents of calls that come while others are being tagged are tagged together,
// which is faster than one by one. A call never affects the results of another. The zero value of the other fields is ready to use.
type batched struct {
	tagger data.Tagger

	mutex   sync.Mutex
	waiting []*call
	busy    bool // one of the callers is tagging
}

// call is a call of Tag that waits for its result.
type call struct {
	ctx   context.Context
	docs  []*data.Document
	bytes int
	found [][]data.Span
	err   error
	done  chan struct{} // closed when found or err is set
	lead  chan struct{} // receives a value if the caller has to tag the waiting calls
}

// Tag implements data.Tagger. If ctx is cancelled, it returns the error of ctx at once.
func (b *batched) Tag(ctx context.Context, docs []*data.Document) ([][]data.Span, error) {
	c := &call{ctx: ctx, docs: docs, done: make(chan struct{}), lead: make(chan struct{}, 1)}
	for _, d := range docs {
		c.bytes += len(d.Text)
	}
	b.mutex.Lock()
	b.waiting = append(b.waiting, c)
	if !b.busy {
		b.busy = true
		c.lead <- struct{}{}
	}
	b.mutex.Unlock()
	select {
	case <-c.done:
	case <-c.lead:
		b.work()
		<-c.done
	case <-ctx.Done():
		b.leave(c)
		return nil, ctx.Err()
	}
	return c.found, c.err
}

// leave makes sure that the waiting calls do not wait for a caller that has gone.
func (b *batched) leave(c *call) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	select {
	case <-c.lead:
		b.handOver()
	default:
	}
}

// handOver makes the caller of the first waiting call tag the next batch. Calls whose callers have gone are dropped.
func (b *batched) handOver() {
	for len(b.waiting) > 0 && b.waiting[0].ctx.Err() != nil {
		b.waiting[0].give(nil, b.waiting[0].ctx.Err())
		b.waiting = b.waiting[1:]
	}
	if b.busy = len(b.waiting) > 0; b.busy {
		b.waiting[0].lead <- struct{}{}
	}
}

// work tags the first waiting calls, among them that of the caller.
func (b *batched) work() {
	b.mutex.Lock()
	var batch []*call
	documents, bytes := 0, 0
	for len(b.waiting) > 0 && (len(batch) == 0 || documents+len(b.waiting[0].docs) <= batchDocuments && bytes+b.waiting[0].bytes <= batchBytes) {
		c := b.waiting[0]
		b.waiting = b.waiting[1:]
		if c.ctx.Err() != nil {
			c.give(nil, c.ctx.Err())
			continue
		}
		batch = append(batch, c)
		documents, bytes = documents+len(c.docs), bytes+c.bytes
	}
	b.mutex.Unlock()
	defer func() { // also if the tagger panics
		b.mutex.Lock()
		defer b.mutex.Unlock()
		for _, c := range batch {
			c.give(nil, errStopped)
		}
		b.handOver()
	}()
	if len(batch) > 0 {
		b.tag(batch)
	}
}

// tag tags the documents of a batch. It is cancelled when all callers have gone.
func (b *batched) tag(batch []*call) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(batch[0].ctx))
	defer cancel()
	var callers sync.WaitGroup
	for _, c := range batch {
		callers.Go(func() {
			select {
			case <-c.ctx.Done():
			case <-ctx.Done():
			}
		})
	}
	go func() {
		callers.Wait()
		cancel()
	}()
	var all []*data.Document
	for i, c := range batch {
		for _, d := range c.docs {
			own := *d
			if len(batch) > 1 && d.Patient != "" { // patients of different callers are not the same
				own.Patient = strconv.Itoa(i) + "\x00" + d.Patient
			}
			all = append(all, &own)
		}
	}
	found, err := b.tagger.Tag(ctx, all)
	at := 0
	for _, c := range batch {
		switch {
		case err == nil:
			c.give(found[at:at+len(c.docs)], nil)
		case len(batch) == 1 || ctx.Err() != nil:
			c.give(nil, err)
		default: // the batch may have failed because of another call
			c.give(b.tagger.Tag(ctx, c.docs))
		}
		at += len(c.docs)
	}
}

// give sets the result of a call unless it has one.
func (c *call) give(found [][]data.Span, err error) {
	select {
	case <-c.done:
	default:
		c.found, c.err = found, err
		close(c.done)
	}
}
