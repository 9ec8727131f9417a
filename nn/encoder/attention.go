package encoder

import (
	"math"

	"github.com/lethe-deid/lethe/nn/kernel"
)

// queries is the number of queries that attention handles at a time, so that its memory grows with the
// length of a sequence, not with its square.
const queries = 128

// attend computes one head of the attention of one sequence (Vaswani et al. 2017, section 3.2). The
// columns of found that belong to the head become the mean of the values, weighted by the softmax of the
// products of query and keys.
func (l *layer) attend(found, projected kernel.Matrix, head, size int, s *scratch) {
	length, hidden := found.Rows, found.Cols
	query := projected.Columns(head*size, (head+1)*size)
	key := projected.Columns(hidden+head*size, hidden+(head+1)*size)
	value := projected.Columns(2*hidden+head*size, 2*hidden+(head+1)*size)
	found = found.Columns(head*size, (head+1)*size)
	keys := s.keys.matrix(size, length)
	kernel.Transpose(keys, key)
	if l.relative != nil {
		l.relative.begin(key, head, s)
	}
	for i := 0; i < length; i += queries {
		j := min(i+queries, length)
		from, to := 0, length // the keys that some of these queries see
		if l.window >= 0 {
			from, to = max(0, i-l.window), min(length, j+l.window)
		}
		scores := s.scores.zeroed(j-i, to-from)
		if l.relative != nil {
			l.relative.add(scores, query.Slice(i, j), head, i, s)
		}
		kernel.AddMul(scores, query.Slice(i, j), keys.Columns(from, to))
		for r := range scores.Rows {
			row := scores.Row(r)
			if l.window >= 0 {
				first, end := max(0, i+r-l.window-from), min(len(row), i+r+l.window+1-from)
				clear(row[:first])
				clear(row[end:])
				row = row[first:end]
			}
			kernel.Softmax(row, row)
			clear(found.Row(i + r))
		}
		kernel.AddMul(found.Slice(i, j), scores, value.Slice(from, to))
	}
}

// rotation turns pairs of numbers of queries and keys by angles in proportion to their position, so that
// their products depend on the distance (Su et al. 2021, section 3.2). Numbers n and n+size/2 of a head of
// this size are a pair.
type rotation struct {
	speed []float32 // angle per position, by pair
}

// newRotation computes in float32, as PyTorch does, because at great positions the rounding matters.
func newRotation(size int, theta float64) *rotation {
	r := &rotation{make([]float32, size/2)}
	for n := range r.speed {
		r.speed[n] = 1 / float32(math.Pow(theta, float64(float32(2*n)/float32(size))))
	}
	return r
}

// turn turns each head in the queries and keys of a position.
func (r *rotation) turn(heads []float32, position int32, s *scratch) {
	pairs := len(r.speed)
	angles := s.angles.matrix(2, pairs)
	sin, cos := angles.Row(0), angles.Row(1)
	for n, speed := range r.speed {
		a, b := math.Sincos(float64(float32(position) * speed))
		sin[n], cos[n] = float32(a), float32(b)
	}
	for ; len(heads) > 0; heads = heads[2*pairs:] {
		first, second := heads[:pairs], heads[pairs:2*pairs]
		for n, x := range first {
			y := second[n]
			first[n], second[n] = x*cos[n]-y*sin[n], y*cos[n]+x*sin[n]
		}
	}
}

// relative is disentangled attention: it adds to the product of a query and a key the product of the
// query and the key of their relative position, and of the key and the query of their relative position (He et
// al. 2021, section 3.1).
type relative struct {
	// The number of a relative position, by limit-1 + position of the key - position of the query.
	bucket []int32
	// [numbers of a state, buckets], so that a head is a block of rows. Without rows, the products are not
	// added.
	keys    kernel.Matrix
	queries kernel.Matrix // scaled as those of content
}

// buckets numbers the relative positions in sequences up to limit tokens. If count is 0, each distance up
// to most has a number. Otherwise, the near half of count distances have a number each, and the
// others share the rest in logarithmic steps (He et al. 2021, appendix A.6).
func buckets(limit, count, most int) []int32 {
	span := count
	if count == 0 {
		span = most
	}
	numbers := make([]int32, 2*limit-1)
	for i := range numbers {
		distance := limit - 1 - i // position of the query - position of the key
		number := distance
		if middle := count / 2; count > 0 && (distance > middle || distance < -middle) {
			// The operations of PyTorch, in float32, because the result is rounded up.
			logarithm := func(x int) float32 { return float32(math.Log(float64(float32(x) / float32(middle)))) }
			number = middle + int(math.Ceil(float64(logarithm(max(distance, -distance))/logarithm(most-1)*float32(middle-1))))
			if distance < 0 {
				number = -number
			}
		}
		numbers[i] = int32(min(max(number+span, 0), 2*span-1))
	}
	return numbers
}

// numbers returns the numbers of the keys' positions relative to the query at a position. The positions of
// the keys are [from, to).
func (r *relative) numbers(query, from, to int) []int32 {
	zero := len(r.bucket)/2 - query
	return r.bucket[zero+from : zero+to]
}

// span returns the numbers that occur in a sequence, which are [from, to).
func (r *relative) span(length int) (from, to int) {
	return int(r.numbers(0, length-1, length)[0]), int(r.numbers(length-1, 0, 1)[0]) + 1
}

// begin multiplies the keys of a sequence by the queries of relative positions.
func (r *relative) begin(key kernel.Matrix, head int, s *scratch) {
	if r.queries.Rows > 0 {
		from, to := r.span(key.Rows)
		s.keyPositions = s.byKey.zeroed(key.Rows, to-from)
		kernel.AddMul(s.keyPositions, key, r.queries.Slice(head*key.Cols, (head+1)*key.Cols).Columns(from, to))
	}
}

// add adds the products with relative positions to the scores of queries, of which the first has the
// position first. It follows begin.
func (r *relative) add(scores, query kernel.Matrix, head, first int, s *scratch) {
	length := scores.Cols
	from, to := r.span(length)
	if r.keys.Rows > 0 {
		products := s.byQuery.zeroed(query.Rows, to-from)
		kernel.AddMul(products, query, r.keys.Slice(head*query.Cols, (head+1)*query.Cols).Columns(from, to))
		for i := range scores.Rows {
			row, from, products := scores.Row(i), int32(from), products.Row(i)
			for j, n := range r.numbers(first+i, 0, length) {
				row[j] += products[n-from]
			}
		}
	}
	if r.queries.Rows > 0 {
		for i := range scores.Rows {
			row, products := scores.Row(i), s.keyPositions.Data
			for j, n := range r.numbers(first+i, 0, length) {
				row[j] += products[j*s.keyPositions.Stride+int(n)-from]
			}
		}
	}
}
