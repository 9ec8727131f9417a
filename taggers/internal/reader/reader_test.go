package reader

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
)

// Stretches contain every byte once, end between code points, and do not exceed the
// maximum length.
func TestStretch(t *testing.T) {
	for name, unit := range map[string]string{"lines": "seen by Dr. Amundsen\n", "words": "seen by ", "letters": "é", "wide": "🙂", "bytes": "\x80", "short": "x"} {
		text := strings.Repeat(unit, 3*maxStretch/len(unit)+7)
		if name == "short" {
			text = unit
		}
		for rest := text; rest != ""; {
			n := stretch(rest)
			if n < 1 || n > maxStretch {
				t.Fatalf("%s: a stretch of %d bytes", name, n)
			}
			if n < len(rest) && utf8.ValidString(text) && !utf8.RuneStart(rest[n]) {
				t.Fatalf("%s: a stretch ends inside a code point", name)
			}
			if n < len(rest) && n < maxStretch-len(unit)-utf8.UTFMax {
				t.Fatalf("%s: a stretch of only %d bytes", name, n)
			}
			rest = rest[n:]
		}
	}
}

// A span across a line end is split. A token that a span covers partly gets its label.
func TestInside(t *testing.T) {
	spans := []data.TokenSpan{{Start: 1, End: 4, Type: "DATE"}}
	for _, c := range []struct {
		start, end int
		want       []data.TokenSpan
	}{
		{0, 3, []data.TokenSpan{{Start: 1, End: 3, Type: "DATE"}}},
		{3, 6, []data.TokenSpan{{Start: 0, End: 1, Type: "DATE"}}},
		{4, 6, nil},
	} {
		if got := inside(spans, c.start, c.end); !slices.Equal(got, c.want) {
			t.Errorf("inside tokens [%d,%d): %v, want %v", c.start, c.end, got, c.want)
		}
	}
}
