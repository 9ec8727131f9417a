package models

import "testing"

func TestMemberFile(t *testing.T) {
	for _, c := range [][3]string{
		{"x.tsv", "a", "x.a.tsv"},
		{"d.d/x.tsv.gz", "a/b", "d.d/x.a-b.tsv.gz"},
		{"x", "a", "x.a"},
	} {
		if got := MemberFile(c[0], c[1]); got != c[2] {
			t.Errorf("%s of %s: %s, want %s", c[0], c[1], got, c[2])
		}
	}
}
