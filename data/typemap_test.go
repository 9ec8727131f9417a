package data

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/internal/shared"
)

func TestTypeMapApply(t *testing.T) {
	m := &TypeMap{To: map[string]string{"CITY": "LOCATION", "STATE": "LOCATION", "PATIENT": "PATIENT", "EMAIL": ""}}
	doc := &Document{ID: "a", Patient: "p", Text: "0123456789", Spans: []Span{
		{0, 1, "CITY", 1}, {0, 1, "STATE", 0.5}, {2, 3, "LOCATION", 1}, {3, 4, "EMAIL", 1}, {4, 5, "EMAIL", 1}, {5, 6, "PAGER", 1}, {6, 7, "PATIENT", 1},
	}}
	before := slices.Clone(doc.Spans)
	left := &MapCounts{}
	docs, err := Collect(m.Apply(Each([]*Document{doc, {ID: "b", Text: "x"}}), left))
	if err != nil {
		t.Fatal(err)
	}
	want := []*Document{
		{ID: "a", Patient: "p", Text: "0123456789", Spans: []Span{{0, 1, "LOCATION", 1}, {2, 3, "LOCATION", 1}, {6, 7, "PATIENT", 1}}},
		{ID: "b", Text: "x"},
	}
	if diff := cmp.Diff(want, docs); diff != "" {
		t.Error("-want +got", diff)
	}
	if diff := cmp.Diff(&MapCounts{
		Kept: map[string]int{"LOCATION": 1, "PATIENT": 1}, Changed: map[string]int{"CITY": 1, "STATE": 1}, Equal: 1,
		Dropped: map[string]int{"EMAIL": 2}, Unknown: map[string]int{"PAGER": 1},
	}, left); diff != "" {
		t.Error("left out: -want +got", diff)
	}
	if !slices.Equal(before, doc.Spans) {
		t.Error("the document given was changed")
	}
}

func TestTypeMapCheck(t *testing.T) {
	types := I2B22006
	for want, m := range map[string]*TypeMap{
		"": {Types: types, To: map[string]string{"CITY": "LOCATION", "EMAIL": ""}},
		"types.CITY: TOWN is not in the type set i2b2-2006":             {Types: types, To: map[string]string{"CITY": "TOWN"}},
		`types: "a b" cannot be the name of a type`:                     {To: map[string]string{"a b": "X"}},
		`types.CITY: "a b" cannot be the name of a type`:                {To: map[string]string{"CITY": "a b"}},
		"types.A: becomes B, which becomes C: give both the type C":     {To: map[string]string{"A": "B", "B": "C"}},
		"types.A: becomes B, which the map drops: drop both or neither": {To: map[string]string{"A": "B", "B": ""}},
		`others: "all" is not keep, drop or refuse`:                     {Others: "all"},
	} {
		if err := m.Check(); want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// The built-in maps contain each type of their source sets, and map to their
// target set.
func TestTypeMaps(t *testing.T) {
	for name, sets := range map[string][]string{
		"i2b2-2006": {"i2b2-2014", "i2b2-2006"},
		"mist":      {"i2b2-2014", "i2b2-2006"},
		"mimic":     {"i2b2-2014", "mimic"},
		"meddocan":  {"i2b2-2014", "meddocan"},
		"i2b2-2014": {"meddocan", "i2b2-2014"},
		"anonym":    {"i2b2-2014", "i2b2-2006", "mimic", "meddocan"},
		"category":  {"i2b2-2014", "i2b2-2006", "mimic", "meddocan", "anonym", "conll"},
	} {
		m, err := LookupTypeMap(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		used := map[string]bool{}
		for _, setName := range sets {
			set, err := LookupTypeSet(setName)
			if err != nil {
				t.Fatal(err)
			}
			for _, typ := range set.Types {
				used[typ.Name] = true
				to, known := m.Lookup(typ.Name)
				if !known {
					t.Errorf("%s does not know %s of %s", name, typ.Name, setName)
				}
				if m.Types == set && to != typ.Name {
					t.Errorf("%s: %s, which is in the set already, becomes %q", name, typ.Name, to)
				}
				if name == "category" && to != typ.Category {
					t.Errorf("the category of %s is %s, not %s", typ.Name, typ.Category, to)
				}
			}
		}
		for _, from := range slices.Sorted(maps.Keys(m.To)) {
			if !used[from] {
				t.Errorf("%s maps %s, which none of %v has", name, from, sets)
			}
		}
	}
	if _, err := LookupTypeMap("i2b2-2016"); err == nil {
		t.Error("no error for an unknown map")
	}
	if len(TypeMapNames()) != 7 {
		t.Errorf("maps %v", TypeMapNames())
	}
}

// The map mist is Table A3 of Dernoncourt et al. 2016, with FAX as its text says, because the
// table prints FAX next to EMAIL.
func TestTypeMapOfMIST(t *testing.T) {
	m, err := LookupTypeMap("mist")
	if err != nil {
		t.Fatal(err)
	}
	for label, types := range map[string]string{
		"DATE": "DATE", "DOCTOR": "DOCTOR", "PATIENT": "PATIENT", "HOSPITAL": "HOSPITAL", "AGE": "AGE",
		"LOCATION": "STREET CITY STATE ORGANIZATION ZIP COUNTRY LOCATION-OTHER", "ID": "USERNAME MEDICALRECORD IDNUM DEVICE",
		"PHONE": "PHONE FAX", "": "EMAIL PROFESSION",
	} {
		for typ := range strings.FieldsSeq(types) {
			if to, known := m.Lookup(typ); to != label || !known {
				t.Errorf("%s becomes %q (known %v), want %q", typ, to, known, label)
			}
		}
	}
	for _, typ := range MIMIC.Types {
		if _, known := m.Lookup(typ.Name); !known {
			t.Errorf("the map does not know %s of MIMIC", typ.Name)
		}
	}
}

// The maps between MEDDOCAN and i2b2 2014 are those that come with the corpus,
// except for type names that neither set has.
func TestTypeMapsOfMEDDOCAN(t *testing.T) {
	mappings := shared.Path(t, "corpora/meddocan/mappings")
	renamed := map[string]string{"SOCIALSECURITY": "SSN", "IPADDRESS": "IPADDR"}
	for file, name := range map[string]string{"xml_to_i2b2_map_types.csv": "i2b2-2014", "i2b2_to_xml_map_types.csv": "meddocan"} {
		raw, err := os.ReadFile(filepath.Join(mappings, file))
		if err != nil {
			t.Fatal(err)
		}
		m, err := LookupTypeMap(name)
		if err != nil {
			t.Fatal(err)
		}
		compared := 0
		for line := range strings.Lines(string(raw)) {
			from, to, ok := strings.Cut(strings.TrimSpace(line), ",")
			if !ok || to == "OTRO" {
				continue
			}
			if other, ok := renamed[from]; ok {
				from = other
			}
			if other, ok := renamed[to]; ok {
				to = other
			}
			if got, known := m.Lookup(from); !known || got != to {
				t.Errorf("%s: %s becomes %q (%v), the corpus's map says %s", name, from, got, known, to)
			}
			compared++
		}
		if compared < 20 {
			t.Errorf("%s has %d lines", file, compared)
		}
	}
}
