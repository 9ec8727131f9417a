package c45

import (
	"slices"
	"strconv"
)

// A column is a coded attribute: the code of a nominal value is its index, the code
// of a number its rank among the column's distinct values.
type column struct {
	codes
	count  int       // number of codes
	values []float64 // numeric: the distinct values, increasing
	many   bool      // nominal, and with many values for the number of instances
}

// codes are the codes of a column by instance, in as few bytes as possible.
type codes interface {
	at(instance int32) int
	// span returns the least and the greatest code of instances.
	span(instances []int32) (low, high int)
	// add adds the weight of each instance to counts[(code-low)*classes + class], in
	// one of n tables that follow each other in counts; n is 1 or lanes.
	add(counts []float64, low, classes int, s *sample, n int)
	// keys returns code<<32 | position for each instance.
	keys(instances []int32, buffer []uint64) []uint64
}

type codesOf[T uint8 | uint16 | uint32] []T

func (c codesOf[T]) at(instance int32) int { return int(c[instance]) }

func (c codesOf[T]) span(instances []int32) (low, high int) {
	least, greatest := c[instances[0]], c[instances[0]]
	for _, i := range instances[1:] {
		least, greatest = min(least, c[i]), max(greatest, c[i])
	}
	return int(least), int(greatest)
}

// lanes is the number of tables that long samples are counted in. Most instances
// have the same value and class, so that with one table each addition would wait for
// the one before.
const lanes = 4

func (c codesOf[T]) add(counts []float64, low, classes int, s *sample, n int) {
	weights, class, instances := s.weights, s.classes, s.instances
	j := 0
	if size := len(counts) / lanes; n == lanes {
		t0, t1, t2, t3 := counts[:size], counts[size:2*size], counts[2*size:3*size], counts[3*size:]
		for ; j+lanes <= len(instances); j += lanes {
			i, k, w := instances[j:j+lanes:j+lanes], class[j:j+lanes:j+lanes], weights[j:j+lanes:j+lanes]
			t0[(int(c[i[0]])-low)*classes+int(k[0])] += w[0]
			t1[(int(c[i[1]])-low)*classes+int(k[1])] += w[1]
			t2[(int(c[i[2]])-low)*classes+int(k[2])] += w[2]
			t3[(int(c[i[3]])-low)*classes+int(k[3])] += w[3]
		}
	}
	for ; j < len(instances); j++ {
		counts[(int(c[instances[j]])-low)*classes+int(class[j])] += weights[j]
	}
}

func (c codesOf[T]) keys(instances []int32, buffer []uint64) []uint64 {
	buffer = buffer[:0]
	for j, i := range instances {
		buffer = append(buffer, uint64(c[i])<<32|uint64(j))
	}
	return buffer
}

// newColumn codes a column of values that Data.Check has accepted.
func newColumn(a *Attribute, values []float32) column {
	if a.Nominal() {
		code := func(v float32) int { return int(v) }
		return column{
			codes: encode(values, len(a.Values), code),
			count: len(a.Values),
			many:  float64(len(a.Values)) >= 0.3*float64(len(values)),
		}
	}
	distinct := slices.Clone(values)
	slices.Sort(distinct)
	distinct = slices.Clip(slices.Compact(distinct))
	code := func(v float32) int {
		rank, _ := slices.BinarySearch(distinct, v)
		return rank
	}
	c := column{
		codes:  encode(values, len(distinct), code),
		count:  len(distinct),
		values: make([]float64, len(distinct)),
	}
	for i, v := range distinct {
		c.values[i] = decimal(v)
	}
	return c
}

func encode(values []float32, count int, code func(float32) int) codes {
	switch {
	case count <= 1<<8:
		return encodeAs[uint8](values, code)
	case count <= 1<<16:
		return encodeAs[uint16](values, code)
	default:
		return encodeAs[uint32](values, code)
	}
}

func encodeAs[T uint8 | uint16 | uint32](values []float32, code func(float32) int) codes {
	result := make(codesOf[T], len(values))
	for i, v := range values {
		if i > 0 && v == values[i-1] {
			result[i] = result[i-1]
		} else {
			result[i] = T(code(v))
		}
	}
	return result
}

// decimal returns the number with the shortest decimal that v is nearest to, so
// that 0.1 is the same number as in a program that reads it in double precision.
func decimal(v float32) float64 {
	if v == float32(int32(v)) {
		return float64(v)
	}
	number, _ := strconv.ParseFloat(strconv.FormatFloat(float64(v), 'g', -1, 32), 64)
	return number
}
