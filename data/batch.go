package data

import "iter"

// A batch is what is tagged together, and so held in memory: at most this many notes, items with
// or without notes, or bytes. The notes of one patient that follow each other stay together, since a
// tagger may learn of one from the others, unless they are more than batchStretch times as much.
const (
	batchNotes   = 256
	batchItems   = 16 * batchNotes
	batchBytes   = 8 << 20
	batchStretch = 8
)

// BatchSize says how much an item adds to a batch.
type BatchSize struct {
	First, Last string // whose its first and last note are; "" if that is unknown
	Notes       int
	Bytes       int
}

// Batches cuts items, such as documents or records of a file, into batches. A batch is reused
// for the next: keep nothing of it.
func Batches[T any](items iter.Seq[T], size func(T) BatchSize) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		var batch []T
		var sum BatchSize // of the batch
		full := func(times int) bool {
			return sum.Notes >= times*batchNotes || len(batch) >= times*batchItems || sum.Bytes >= times*batchBytes
		}
		for item := range items {
			next := size(item)
			if full(1) && (next.Notes == 0 || next.First == "" || next.First != sum.Last) || full(batchStretch) {
				if !yield(batch) {
					return
				}
				batch, sum = batch[:0], BatchSize{}
			}
			batch = append(batch, item)
			sum.Notes += next.Notes
			sum.Bytes += next.Bytes
			if next.Notes > 0 {
				sum.Last = next.Last
			}
		}
		if len(batch) > 0 {
			yield(batch)
		}
	}
}
