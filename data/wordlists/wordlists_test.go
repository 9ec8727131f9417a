package wordlists

import (
	"testing"

	"github.com/lethe-deid/lethe/data/fold"
)

func TestEntries(t *testing.T) {
	if len(Names()) != 46 {
		t.Errorf("%d lists, want 46", len(Names()))
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

// The entries of the lists of common words are folded, which Frequent relies on.
func TestCommonWordsAreFolded(t *testing.T) {
	for _, name := range []string{"en-common", "es-common"} {
		for _, word := range Entries(name) {
			if fold.Fold(word) != word {
				t.Fatalf("%s: %q is not folded", name, word)
			}
		}
	}
	for word, want := range map[string]bool{"long": true, "anos": true, "pillai": false, "mercier": false, "topeka": false} {
		if Common(word) != want {
			t.Errorf("Common(%q) is %v", word, !want)
		}
	}
	if !Frequent("will") || Frequent("hazel") || !Eponym("parkinson") || Eponym("lund") {
		t.Error("frequent words or eponyms are not those of the lists")
	}
}

// The lists contain the hints and indicators that Dehghan et al. 2015, section 2 (III),
// give as examples, and no entry twice.
func TestHintsAndCues(t *testing.T) {
	for name, examples := range map[string][]string{
		"en-profession-hints":  {"worked for", "retired from"},
		"es-profession-hints":  {"trabaja en", "jubilado de"},
		"en-organization-cues": {"works in", "runs", "church", "lodge"},
	} {
		entries := map[string]bool{}
		for _, entry := range Entries(name) {
			if entries[entry] {
				t.Errorf("%s: duplicate entry %q", name, entry)
			}
			entries[entry] = true
		}
		for _, example := range examples {
			if !entries[example] {
				t.Errorf("%s lacks %q", name, example)
			}
		}
	}
}

// TestBegins: a prefix need not be a word, and a word begins itself.
func TestBegins(t *testing.T) {
	for prefix, want := range map[string]bool{"patie": true, "patient": true, "hosp": true, "olun": false, "zzzz": false, "": true} {
		if Begins(prefix) != want {
			t.Errorf("%q: %v", prefix, !want)
		}
	}
}
