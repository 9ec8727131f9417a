package service

import (
	"context"
	"errors"
	"sync/atomic"
)

// gate limits how many requests are worked on at the same time, and how many wait for that.
type gate struct {
	slots chan struct{} // has an element for each request that is worked on
	queue chan struct{} // has an element for each request that waits
}

func newGate(slots, queue int) *gate {
	return &gate{make(chan struct{}, slots), make(chan struct{}, queue)}
}

var errQueueFull = errors.New("too many requests are waiting")

// full reports whether a request that comes now would be refused.
func (g *gate) full() bool { return len(g.slots) == cap(g.slots) && len(g.queue) == cap(g.queue) }

// enter waits for a slot. It returns errQueueFull if too many requests wait already, or the error of ctx.
func (g *gate) enter(ctx context.Context) error {
	select {
	case g.slots <- struct{}{}:
		return nil
	default:
	}
	select {
	case g.queue <- struct{}{}:
	default:
		return errQueueFull
	}
	defer func() { <-g.queue }()
	return g.reenter(ctx)
}

// reenter waits for a slot, however many requests wait.
func (g *gate) reenter(ctx context.Context) error {
	select {
	case g.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (g *gate) leave() { <-g.slots }

// budget limits the memory of all bodies and answers.
type budget struct {
	limit int64
	used  atomic.Int64
}

// take reserves n bytes, and reports whether they are within the limit. If they are not, it reserves nothing.
func (b *budget) take(n int64) bool {
	if b.used.Add(n) > b.limit {
		b.used.Add(-n)
		return false
	}
	return true
}

// force reserves n bytes, also beyond the limit. It is for answers, which exist already.
func (b *budget) force(n int64) { b.used.Add(n) }

func (b *budget) give(n int64) { b.used.Add(-n) }
