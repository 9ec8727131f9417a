package parquet

import (
	"encoding/binary"
	"encoding/hex"
	"math/big"
	"math/bits"
	"strconv"
)

// Pseudonyms reports whether the values can be pseudonyms.
func (l *Leaf) Pseudonyms() bool {
	return l.Key() && (l.logical != decimalType || l.below > 0 || l.long)
}

// Pseudonym returns the value that stands for a text which KeyText returned, or for any other one. The function of returns the pseudonym of a text, of 32 hexadecimal digits.
//
// In text, these digits are the value. In a column of UUIDs, they become one, and in a column of integers of 64 bits or of decimals that can have as many, a positive integer
// of 63 bits. In smaller numbers, two pseudonyms would soon be equal by chance. There, the numbers that the type can have change places, so that different
// values have different pseudonyms; negative ones stay negative.
func (l *Leaf) Pseudonym(text string, of func(string) string) []byte {
	switch {
	case l.Text():
		return []byte(of(text))
	case l.logical == uuidType:
		raw := digest(of(text))
		raw[6], raw[8] = raw[6]&0x0f|0x40, raw[8]&0x3f|0x80 // version 4
		return raw
	case l.below == 0:
		return l.number(int64(number(of(text)) >> 1)) //nolint:gosec // 63 bits
	}
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil || n < -int64(l.below) || n >= int64(l.below): //nolint:gosec // below is less than 2^63
		n = int64(number(of(text)) % l.below) //nolint:gosec // it is no value of the column
	case n < 0:
		return l.number(-int64(l.exchanged(uint64(-(n+1)), of)) - 1) //nolint:gosec // below is less than 2^63
	}
	return l.number(int64(l.exchanged(uint64(n), of))) //nolint:gosec // below is less than 2^63
}

// exchanged returns the number below l.below that takes the place of another one: a Feistel network over the bits of the numbers, which is repeated until its result is one
// of them (Black and Rogaway 2002: Ciphers with arbitrary finite domains).
func (l *Leaf) exchanged(n uint64, of func(string) string) uint64 {
	width := bits.Len64(l.below - 1)
	low := uint64(1)<<(width/2) - 1
	high := uint64(1)<<(width-width/2) - 1
	for {
		left, right := n>>(width/2), n&low
		for round := range feistelRounds {
			mixed := func(half uint64) uint64 {
				return number(of("number below " + strconv.FormatUint(l.below, 10) + ", round " + strconv.Itoa(round) + ": " + strconv.FormatUint(half, 10)))
			}
			if round%2 == 0 {
				left ^= mixed(right) & high
			} else {
				right ^= mixed(left) & low
			}
		}
		if n = left<<(width/2) | right; n < l.below {
			return n
		}
	}
}

// feistelRounds is as many as the standard for encryption that preserves the format has (NIST SP 800-38G, FF1).
const feistelRounds = 10

// number returns a number in the encoding PLAIN, also as a decimal.
func (l *Leaf) number(n int64) []byte {
	if l.physical == physInt32 || l.physical == physInt64 {
		return l.integer(n)
	}
	size := l.length
	if l.physical == physByteArray {
		size = 9
	}
	whole := big.NewInt(n)
	if n < 0 {
		whole.Add(whole, new(big.Int).Lsh(big.NewInt(1), uint(8*size))) //nolint:gosec // not negative
	}
	return whole.FillBytes(make([]byte, size))
}

// digest returns the bytes of a pseudonym.
func digest(digits string) []byte {
	raw, err := hex.DecodeString(digits)
	if err != nil || len(raw) != 16 {
		panic("parquet: a pseudonym is not 32 hexadecimal digits")
	}
	return raw
}

func number(digits string) uint64 { return binary.BigEndian.Uint64(digest(digits)) }
