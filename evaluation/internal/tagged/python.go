package tagged

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

var errNumber = errors.New("not a whole number")

// Int parses a whole number as Python's int does: blanks around it, a sign, and
// single underscores between digits are allowed.
func Int(s string) (int, error) {
	digits := strings.TrimSpace(s)
	if unsigned := strings.TrimLeft(digits, "+-"); strings.HasPrefix(unsigned, "_") || strings.HasSuffix(digits, "_") || strings.Contains(digits, "__") {
		return 0, errNumber
	}
	n, err := strconv.ParseInt(strings.ReplaceAll(digits, "_", ""), 10, 48)
	if err != nil {
		return 0, errNumber
	}
	return int(n), nil
}

// Offsets parses the start and end of a tag.
func Offsets(start, end string) (from, to int, err error) {
	if from, err = Int(start); err != nil {
		return 0, 0, fmt.Errorf("start: %w", err)
	}
	if to, err = Int(end); err != nil {
		return from, 0, fmt.Errorf("end: %w", err)
	}
	return from, to, nil
}

// Slice returns the bounds of Python's x[from:to] for an x of length n: offsets
// below 0 count from the end, offsets beyond an end become that end, and from <=
// to.
func Slice(n, from, to int) (int, int) {
	at := func(i int) int {
		if i < 0 {
			i += n
		}
		return min(max(i, 0), n)
	}
	return at(from), max(at(from), at(to))
}

// CodePoints returns a function that returns the number of code points before a
// byte offset of a text. It is fast if the offsets grow from call to call.
func CodePoints(text string) func(offset int) int {
	at, points := 0, 0
	return func(offset int) int {
		if offset < at {
			at, points = 0, 0
		}
		points += utf8.RuneCountInString(text[at:offset])
		at = offset
		return points
	}
}
