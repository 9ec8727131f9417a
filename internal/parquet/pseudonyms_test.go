package parquet

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"testing"
)

func pseudonymOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}

// Keys of 32 bits and decimals could not become pseudonyms, because two of them would be equal by chance.
func TestPseudonymsOfSmallNumbersDiffer(t *testing.T) {
	integer := func(width, signed int) value {
		sign := byte(typeFalse)
		if signed == 1 {
			sign = typeTrue
		}
		return structOf(field{10, structOf(field{10, structOf(field{1, value{typ: typeI8, num: int64(width)}}, field{2, value{typ: sign}})})})
	}
	decimal := func(digits int) value {
		return structOf(field{10, structOf(field{5, structOf(field{1, i32(0)}, field{2, i32(digits)})})})
	}
	for _, c := range []struct {
		name      string
		leaf      Leaf
		element   value
		from, end int64 // the first value, and one more than the last
	}{
		{"int8", Leaf{physical: physInt32}, integer(8, 1), -128, 128},
		{"uint8", Leaf{physical: physInt32}, integer(8, 0), 0, 256},
		{"int16", Leaf{physical: physInt32}, integer(16, 1), -1 << 15, 1 << 15},
		{"uint16", Leaf{physical: physInt32}, integer(16, 0), 0, 1 << 16},
		{"int32", Leaf{physical: physInt32}, structOf(), 1000, 60_000},
		{"lowest int32", Leaf{physical: physInt32}, structOf(), -1 << 31, -1<<31 + 99},
		{"uint32", Leaf{physical: physInt32}, integer(32, 0), 1<<32 - 30_000, 1 << 32},
		{"decimal of 3 digits", Leaf{physical: physInt32}, decimal(3), -999, 1000},
		{"decimal of 10 digits", Leaf{physical: physInt64}, decimal(10), 9_999_970_000, 10_000_000_000},
		{"decimal of 4 digits in bytes", Leaf{physical: physFixed, length: 2}, decimal(4), -9999, 10_000},
		{"decimal of 18 digits in bytes", Leaf{physical: physFixed, length: 8}, decimal(18), 999_999_999_999_970_000, 1_000_000_000_000_000_000},
		{"decimal of 5 digits in an array", Leaf{physical: physByteArray}, decimal(5), -30_000, 30_000},
		{"decimal of 38 digits", Leaf{physical: physFixed, length: 16}, decimal(38), -1000, 30_000},
		{"int64", Leaf{physical: physInt64}, structOf(), -1000, 30_000},
	} {
		l := c.leaf
		l.logical, l.scale = meaning(&c.element)
		l.setRange(&c.element)
		if !l.Pseudonyms() {
			t.Errorf("%s: no pseudonyms", c.name)
			continue
		}
		seen := map[string]bool{}
		same := int64(0)
		for n := c.from; n < c.end; n++ {
			was := strconv.FormatInt(n, 10)
			made := l.KeyText(l.Pseudonym(was, pseudonymOf))
			is, err := strconv.ParseInt(made, 10, 64)
			if err != nil || seen[made] || l.below > 0 && ((is < 0) != (n < 0) || is >= int64(l.below)) {
				t.Errorf("%s: %s becomes %s, %v", c.name, was, made, err)
				break
			}
			if seen[made] = true; made == was {
				same++
			}
		}
		if same > 3+(c.end-c.from)/100 {
			t.Errorf("%s: %d values stay", c.name, same)
		}
		if other := l.KeyText(l.Pseudonym("n-0001", pseudonymOf)); other == "" {
			t.Errorf("%s: no pseudonym for a note without an id", c.name)
		}
	}
}

// The numbers of a type that does not fit its columns must not stop the program.
func TestDecimalsThatDoNotFitHaveNoPseudonyms(t *testing.T) {
	for _, l := range []Leaf{{physical: physInt32}, {physical: physFixed, length: 2}, {physical: physFixed}} {
		e := structOf(field{10, structOf(field{5, structOf(field{1, i32(0)}, field{2, i32(20)})})})
		l.logical, l.scale = meaning(&e)
		if l.setRange(&e); l.Pseudonyms() {
			t.Errorf("%+v has pseudonyms", l)
		}
	}
}
