package tagged

import "testing"

// Int accepts the same strings as Python's int.
func TestInt(t *testing.T) {
	for s, want := range map[string]int{"0": 0, "007": 7, " 12\n": 12, "-3": -3, "+4": 4, "1_000": 1000, "-0": 0} {
		if got, err := Int(s); err != nil || got != want {
			t.Errorf("%q: %d, %v, want %d", s, got, err, want)
		}
	}
	for _, s := range []string{"", " ", "x", "1.0", "1_", "_1", "-_1", "1__0", "+-1", "--1", "0x10", "1 2", "99999999999999999999"} {
		if got, err := Int(s); err == nil {
			t.Errorf("%q: %d, want an error", s, got)
		}
	}
}

// Only ElementTree continues reading after a comment.
func TestParsers(t *testing.T) {
	const file = "<x><TEXT>Mr. <!-- x -->Al<?y?>an<b/> left</TEXT><TAGS/></x>"
	for by, want := range map[Parser]string{LXML: "Mr. ", ElementTree: "Mr. Alan"} {
		d, err := XML([]byte(file), "f.xml", by)
		if err != nil {
			t.Fatal(err)
		}
		if d.Text != want {
			t.Errorf("%d: %q, want %q", by, d.Text, want)
		}
	}
}
