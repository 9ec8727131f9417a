package intern

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestTable compares the table with a map and a slice.
func TestTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := NewFor(rapid.IntRange(0, 200).Draw(t, "room for"), rapid.IntRange(0, 200).Draw(t, "bytes"))
		ids, all := map[string]uint32{}, []string(nil)
		for _, s := range rapid.SliceOfN(rapid.StringN(0, 3, -1), 0, 300).Draw(t, "strings") {
			if got, want := table.Find(s), ids[s]; got != want {
				t.Fatalf("Find(%q): %d, want %d", s, got, want)
			}
			if ids[s] == 0 {
				all = append(all, s)
				ids[s] = uint32(len(all))
			}
			if got, err := table.Add(s); got != ids[s] || err != nil {
				t.Fatalf("Add(%q): %d, %v, want %d", s, got, err, ids[s])
			}
			if rapid.IntRange(0, 50).Draw(t, "trim") == 0 {
				table.Trim()
			}
		}
		if table.Len() != len(all) {
			t.Fatalf("Len: %d, want %d", table.Len(), len(all))
		}
		for i, s := range all {
			if got := table.String(uint32(i + 1)); got != s {
				t.Fatalf("String(%d): %q, want %q", i+1, got, s)
			}
		}
	})
}

func TestFindDoesNotAllocate(t *testing.T) {
	table := New()
	word := []byte("amundsen")
	if _, err := table.Add(string(word)); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(100, func() { table.Find(string(word)) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	long := strings.Repeat("a", 1000)
	if n := testing.AllocsPerRun(100, func() { table.Find(long) }); n != 0 {
		t.Errorf("%v allocations for a long string", n)
	}
}
