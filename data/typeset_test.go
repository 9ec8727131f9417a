package data

import (
	"encoding/csv"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/internal/shared"
)

func TestTypeSets(t *testing.T) {
	for name, want := range map[string]struct{ types, hipaa int }{
		"i2b2-2014": {31, 21}, "i2b2-2006": {8, 6}, "mimic": {12, 8}, "meddocan": {29, 19}, "conll": {4, 0}, "any": {0, 0},
	} {
		s, err := LookupTypeSet(name)
		if err != nil {
			t.Fatal(err)
		}
		hipaa := 0
		for i, typ := range s.Types {
			if typ.HIPAA {
				hipaa++
			}
			if !wellFormed(typ.Name) || !wellFormed(typ.Category) {
				t.Errorf("%s: malformed type %+v", name, typ)
			}
			if i > 0 && s.Types[i-1].Name >= typ.Name {
				t.Errorf("%s: %s twice or out of order", name, typ.Name)
			}
			if got, ok := s.Lookup(typ.Name); !ok || got != typ || !s.Has(typ.Name) {
				t.Errorf("%s: Lookup(%s) = %+v", name, typ.Name, got)
			}
		}
		if len(s.Types) != want.types || hipaa != want.hipaa {
			t.Errorf("%s: %d types, %d of HIPAA; want %d, %d", name, len(s.Types), hipaa, want.types, want.hipaa)
		}
		if name != "any" && (s.Has("Zebulon") || s.Has("") || s.Has("O")) {
			t.Errorf("%s knows a type that is none", name)
		}
	}
	if _, err := LookupTypeSet("i2b2"); err == nil || !strings.Contains(err.Error(), "have i2b2-2014, i2b2-2006, mimic, meddocan, conll, any") {
		t.Error(err)
	}
}

func TestAnyType(t *testing.T) {
	open, _ := LookupTypeSet("any")
	for name, want := range map[string]bool{
		"PATIENT": true, "LOCATION-OTHER": true, "b.2_x": true, strings.Repeat("x", 64): true,
		"": false, "2b": false, "-x": false, "a b": false, "a\nb": false, "é": false, "a<": false, strings.Repeat("x", 65): false,
	} {
		if got, ok := open.Lookup(name); ok != want || ok && got != (Type{Name: name, Category: name}) {
			t.Errorf("Lookup(%q) = %+v, %v", name, got, ok)
		}
	}
}

// The categories, which are element names in the XML, are those of the corpus's
// own map.
func TestMEDDOCANCategories(t *testing.T) {
	f, err := os.Open(shared.Path(t, "corpora/meddocan/mappings/brat_to_xml_map_categories.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for _, row := range rows {
		want[row[0]] = row[1]
	}
	delete(want, "ROOT") // the name of the XML's root
	s, _ := LookupTypeSet("meddocan")
	got := map[string]string{}
	for _, typ := range s.Types {
		got[typ.Name] = typ.Category
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if !slices.Contains(TypeSetNames(), "meddocan") {
		t.Error("meddocan is not listed")
	}
}
