package parquet

import (
	"encoding/binary"
	"math"
	"strconv"
	"time"
)

// Dated reports whether the values are days or instants.
func (l *Leaf) Dated() bool {
	return l.logical == dateType && l.scale > 0 && (l.physical == physInt32 || l.physical == physInt64 || l.physical == physInt96)
}

// Day returns the day of a value of a leaf for which Dated is true, as in 2071-04-03. That of an instant is the day in the zone of the column, or in UTC if the file
// does not name it.
func (l *Leaf) Day(v []byte) string {
	day, _ := l.split(v)
	return time.Unix(day*secondsPerDay, 0).UTC().Format(time.DateOnly)
}

// OnDay returns the value with the same time on another day, or false if the text is no day or the type cannot represent it.
func (l *Leaf) OnDay(v []byte, day string) ([]byte, bool) {
	_, rest := l.split(v)
	return l.at(day, rest)
}

// NewDay returns a value on a day: its midnight, or noon in UTC if the zone of an instant is not known, which is on that day in nearly all zones.
func (l *Leaf) NewDay(day string) ([]byte, bool) {
	if l.instant {
		return l.at(day, l.scale/2)
	}
	return l.at(day, 0)
}

const secondsPerDay = 86_400

// at returns the value on a day at a time of the day in units.
func (l *Leaf) at(day string, rest int64) ([]byte, bool) {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return nil, false
	}
	days := t.Unix() / secondsPerDay                                                                 // exact, since it is a midnight
	if last := math.MaxInt64/l.scale - 2; l.physical != physInt96 && (days > last || days < -last) { // of nanoseconds, the years from 1677 to 2262
		return nil, false
	}
	if l.zone != nil && !isSentinel(days) {
		second := l.scale / secondsPerDay
		shown := time.Date(t.Year(), t.Month(), t.Day(), 0, 0, int(rest/second), 0, l.zone)
		_, offset := shown.Zone()
		days, rest = l.whole(days, rest-int64(offset)*second)
	}
	if l.physical == physInt96 {
		return int96(days, rest), true
	}
	return l.integer(days*l.scale + rest), true
}

// isSentinel reports whether a day, since 1970, is in the first or the last year of calendars, or beyond them. Such a day means that there is none, in UTC as well as
// in a zone.
func isSentinel(day int64) bool {
	year := time.Unix(day*secondsPerDay, 0).UTC().Year()
	return year <= 1 || year >= 9999
}

// julianDay is the number of the day 1970-01-01 in timestamps of 96 bits.
const julianDay = 2_440_588

// int96 returns a timestamp of 96 bits, which is outdated but still written by some programs: the nanosecond of the day, and the number of the day.
func int96(day, rest int64) []byte {
	return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint64(nil, uint64(rest)), uint32(day+julianDay)) //nolint:gosec // two's complement
}

// split returns the day of a value, since 1970, and the time of the day in units, in the zone of the column.
func (l *Leaf) split(v []byte) (day, rest int64) {
	var n int64
	if l.physical == physInt96 {
		n = int64(binary.LittleEndian.Uint64(v))                          //nolint:gosec // two's complement
		day = int64(int32(binary.LittleEndian.Uint32(v[8:]))) - julianDay //nolint:gosec // two's complement
	} else {
		n, _ = strconv.ParseInt((&Leaf{physical: l.physical}).KeyText(v), 10, 64)
	}
	day, rest = l.whole(day, n)
	if l.zone == nil || isSentinel(day) {
		return day, rest
	}
	second := l.scale / secondsPerDay
	_, offset := time.Unix(day*secondsPerDay+rest/second, 0).In(l.zone).Zone()
	return l.whole(day, rest+int64(offset)*second)
}

// whole moves whole days from a number of units to a day.
func (l *Leaf) whole(day, units int64) (_, rest int64) {
	day, rest = day+units/l.scale, units%l.scale
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
