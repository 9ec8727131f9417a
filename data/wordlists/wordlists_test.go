package wordlists

import "testing"

func TestEntries(t *testing.T) {
	if len(Names()) != 38 {
		t.Errorf("%d lists, want 38", len(Names()))
	}
	for _, name := range Names() {
		if len(Entries(name)) == 0 {
			t.Errorf("%s is empty", name)
		}
	}
	if got := Entries("en-countries")[:2]; got[0] != "Afghanistan" || got[1] != "Albania" {
		t.Errorf("the countries begin with %q", got)
	}
}
