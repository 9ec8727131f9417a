package counted

import "testing"

func TestOf(t *testing.T) {
	for n, want := range map[int]string{0: "0 notes", 1: "1 note", 2: "2 notes"} {
		if got := Of(n, "note"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
