package tagged

import (
	"errors"
	"strconv"
	"strings"
)

var errNumber = errors.New("not a whole number")

// Int is Python's int: blanks around, a sign, and single underscores between
// digits are allowed.
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
