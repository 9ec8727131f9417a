package c45

import (
	"slices"
	"strconv"
)

// A column contains the values of an attribute as codes. The code of a nominal value
// is its index; the code of a number is its rank among the column's distinct values.
type column struct {
	codes
	count  int       // number of codes
	values []float64 // numeric: the distinct values, increasing
	many   bool      // nominal, with at least 0.3 times as many values as instances
}

// codes are the codes of a column by instance, in as few bytes as possible.
type codes interface {
	at(instance int32) int
	// span returns the least and the greatest code of instances.
	span(instances []int32) (low, high int)
	// add adds each instance to a tally that begins at code low.
	add(t tally, low, classes int, s *sample)
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

// A tally contains the weight of instances by code and class, and their number by
// code.
type tally struct {
	weights []float64 // weights[code*classes + class]
	numbers []int32
}

func (c codesOf[T]) add(t tally, low, classes int, s *sample) {
	weights, class := s.weights[:len(s.instances)], s.classes[:len(s.instances)]
	for j, i := range s.instances {
		code := int(c[i]) - low
		t.weights[code*classes+int(class[j])] += weights[j]
		t.numbers[code]++
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

// decimal returns the shortest decimal number that rounds to v, so that 0.1 is the same
// number as in a program that reads it in double precision.
func decimal(v float32) float64 {
	if v == float32(int32(v)) {
		return float64(v)
	}
	number, _ := strconv.ParseFloat(strconv.FormatFloat(float64(v), 'g', -1, 32), 64)
	return number
}
