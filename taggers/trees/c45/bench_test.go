package c45

import (
	"math/rand/v2"
	"testing"
)

// tokenData returns data like the attributes of a tagger: mostly flags and small
// numbers, some frequencies; nearly all instances are of one class.
func tokenData(n, attributes, classes int) *Data {
	rng := rand.New(rand.NewPCG(1, 2))
	d := &Data{Classes: make([]string, classes), Class: make([]int32, n)}
	for c := range classes {
		d.Classes[c] = string(rune('a' + c))
	}
	hidden := make([]float64, n)
	for i := range hidden {
		hidden[i] = rng.Float64()
	}
	for a := range attributes {
		column := make([]float32, n)
		for i := range column {
			v := 0.7*hidden[i]*float64(a%5) + rng.ExpFloat64()
			switch a % 10 {
			case 0:
				column[i] = float32(v) // as many values as instances
			case 1, 2:
				column[i] = float32(int(100 * v))
			case 3, 4, 5:
				column[i] = float32(int(4 * v))
			default:
				if v > 2 {
					column[i] = 1
				}
			}
		}
		d.Attributes = append(d.Attributes, Attribute{Name: string(rune('A' + a))})
		d.Columns = append(d.Columns, column)
	}
	for i := range d.Class {
		switch h := hidden[i]; {
		case rng.Float64() < 0.01:
			d.Class[i] = int32(rng.IntN(classes))
		case h > 0.9:
			d.Class[i] = int32(float64(classes)*(h-0.9)*10) % int32(classes)
		}
	}
	return d
}

func BenchmarkGrow(b *testing.B) {
	d := tokenData(20_000, 140, 9)
	for b.Loop() {
		if _, err := Grow(b.Context(), d, DefaultOptions(), 1); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBoost(b *testing.B) {
	d := tokenData(20_000, 140, 9)
	for b.Loop() {
		if _, err := Boost(b.Context(), d, 5, DefaultOptions(), 1); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkClassify(b *testing.B) {
	d := tokenData(20_000, 140, 9)
	boosted, err := Boost(b.Context(), d, 5, DefaultOptions(), 1)
	if err != nil {
		b.Fatal(err)
	}
	row := make([]float32, len(d.Attributes))
	i := 0
	for b.Loop() {
		for a := range row {
			row[a] = d.Columns[a][i]
		}
		boosted.Classify(row)
		i = (i + 1) % d.Len()
	}
}
