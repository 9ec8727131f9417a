package data

import "iter"

// A batch is tagged and held in memory as a whole. It is full at any of these
// numbers of notes, items (with or without notes) or bytes. Consecutive notes of
// one patient stay in one batch, because a tagger may learn about each note from
// the others. But a batch that has grown to batchStretch times a limit always ends.
const (
	batchNotes   = 256
	batchItems   = 16 * batchNotes
	batchBytes   = 8 << 20
	batchStretch = 8
)

// BatchSize is what an item adds to the size of a batch.
type BatchSize struct {
	First, Last string // patients of its first and last note; "": unknown
	Notes       int
	Bytes       int
}

// Batches divides items, such as documents or records of a file, into batches of
// about 256 notes or 8 MiB. Consecutive notes of one patient are in the same
// batch, unless it would grow to eight times that size. The slice is reused for
// the next batch, so the caller must not retain it.
func Batches[T any](items iter.Seq[T], size func(T) BatchSize) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		var batch []T
		var sum BatchSize // size of the batch
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
