package parquet

import (
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"time"
)

// Dated reports whether the values are days or instants.
func (l *Leaf) Dated() bool {
	return l.logical == dateType && l.scale > 0 && (l.physical == physInt32 || l.physical == physInt64)
}

// Day returns the day of a value of a leaf for which Dated is true, as in 2071-04-03.
func (l *Leaf) Day(v []byte) string {
	day, _ := l.split(v)
	return time.Unix(day*86_400, 0).UTC().Format(time.DateOnly)
}

// OnDay returns the value with the same time on another day, or false if the text is no day.
func (l *Leaf) OnDay(v []byte, day string) ([]byte, bool) {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return nil, false
	}
	_, rest := l.split(v)
	return l.integer(t.Unix()/86_400*l.scale + rest), true
}

// Midnight returns the beginning of 1970 as a value.
func (l *Leaf) Midnight() []byte { return l.integer(0) }

// split returns the day of a value, since 1970, and the time of the day in units.
func (l *Leaf) split(v []byte) (day, rest int64) {
	n, _ := strconv.ParseInt((&Leaf{physical: l.physical}).KeyText(v), 10, 64)
	day, rest = n/l.scale, n%l.scale
	if rest < 0 {
		day, rest = day-1, rest+l.scale
	}
	return day, rest
}

// integer returns a number in the encoding PLAIN.
func (l *Leaf) integer(n int64) []byte {
	if l.physical == physInt32 {
		return binary.LittleEndian.AppendUint32(nil, uint32(n)) //nolint:gosec // only the lower bits count
	}
	return binary.LittleEndian.AppendUint64(nil, uint64(n)) //nolint:gosec // two's complement
}

// FromText returns a value of a leaf for which Key is true, or false if it does not fit the type.
func (l *Leaf) FromText(text string) ([]byte, bool) {
	switch {
	case l.Text():
		return []byte(text), true
	case l.logical == decimalType || l.physical != physInt32 && l.physical != physInt64:
		return nil, false
	}
	bits := 64
	if l.physical == physInt32 {
		bits = 32
	}
	n, err := strconv.ParseInt(text, 10, bits)
	return l.integer(n), err == nil
}

// Pseudonyms reports whether the values can be pseudonyms. Integers of 32 bits cannot: among a hundred thousand of them, two would be equal.
func (l *Leaf) Pseudonyms() bool {
	return l.Key() && l.logical != decimalType && l.physical != physInt32
}

// FromPseudonym returns the value that stands for a pseudonym of 32 hexadecimal digits: the digits in text, a UUID, or a positive integer
// of 63 bits.
func (l *Leaf) FromPseudonym(digits string) []byte {
	if l.Text() {
		return []byte(digits)
	}
	raw, err := hex.DecodeString(digits)
	if err != nil || len(raw) != 16 {
		panic("parquet: a pseudonym is not 32 hexadecimal digits")
	}
	if l.physical == physInt64 {
		return l.integer(int64(binary.BigEndian.Uint64(raw) >> 1)) //nolint:gosec // 63 bits
	}
	raw[6], raw[8] = raw[6]&0x0f|0x40, raw[8]&0x3f|0x80 // version 4
	return raw
}
