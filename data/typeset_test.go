package data

import (
	"encoding/csv"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/internal/shared"
)

func TestTypeSets(t *testing.T) {
	wants := map[string]struct{ types, hipaa int }{
		"i2b2-2014": {31, 21}, "i2b2-2006": {8, 6}, "mimic": {12, 8}, "meddocan": {29, 19}, "anonym": {6, 6}, "conll": {4, 0}, "any": {0, 0},
	}
	for _, s := range TypeSets() {
		name := s.Name
		want, ok := wants[name]
		if again, err := LookupTypeSet(name); !ok || err != nil || again != s {
			t.Errorf("%s: %v", name, err)
		}
		delete(wants, name)
		hipaa := 0
		for i, typ := range s.Types {
			if typ.HIPAA {
				hipaa++
			}
			if !wellFormed(typ.Name) || !wellFormed(typ.Category) || !slices.Contains(Sorts(), typ.Sort) {
				t.Errorf("%s: malformed type %+v", name, typ)
			}
			if i > 0 && s.Types[i-1].Name >= typ.Name {
				t.Errorf("%s: %s twice or out of order", name, typ.Name)
			}
			if got, ok := s.Lookup(typ.Name); !ok || got != typ || !s.Has(typ.Name) {
				t.Errorf("%s: Lookup(%s) = %+v", name, typ.Name, got)
			}
		}
		for sort, typ := range s.Preferred {
			if got, ok := s.Lookup(typ); !ok || got.Sort != sort {
				t.Errorf("%s prefers %s for %s", name, typ, sort)
			}
		}
		if len(s.Types) != want.types || hipaa != want.hipaa {
			t.Errorf("%s: %d types, %d of HIPAA; want %d, %d", name, len(s.Types), hipaa, want.types, want.hipaa)
		}
		if name != "any" && (s.Has("Zebulon") || s.Has("") || s.Has("O")) {
			t.Errorf("%s knows a type that is none", name)
		}
	}
	if len(wants) > 0 {
		t.Errorf("missing: %v", wants)
	}
	if _, err := LookupTypeSet("i2b2"); err == nil || !strings.Contains(err.Error(), `no type set "i2b2" (have i2b2-2014, i2b2-2006, mimic, `) {
		t.Error(err)
	}
}

func TestAnyType(t *testing.T) {
	for name, want := range map[string]bool{
		"PATIENT": true, "LOCATION-OTHER": true, "b.2_x": true, strings.Repeat("x", 64): true,
		"": false, "2b": false, "-x": false, "a b": false, "a\nb": false, "é": false, "a<": false, strings.Repeat("x", 65): false,
	} {
		if got, ok := Any.Lookup(name); ok != want || ok && (got.Name != name || got.Category != name || got.HIPAA) {
			t.Errorf("Lookup(%q) = %+v, %v", name, got, ok)
		}
	}
}

// The set of the types of two others had every other type, too, because it was the open set.
func TestAnyOfHasOnlyTheTypesOfItsSets(t *testing.T) {
	both := AnyOf(I2B2, MEDDOCAN)
	for name, want := range map[string]bool{"DATE": true, "FECHAS": true, "DATES": false, "FOO": false, "date": false, "": false} {
		if got := both.Has(name); got != want {
			t.Errorf("Has(%q) = %v, want %v", name, got, want)
		}
	}
	if got, want := both.Describe("FECHAS").Sort, Date; got != want {
		t.Errorf("the sort of FECHAS is %q, want %q", got, want)
	}
	if known, _ := both.Lookup("DOCTOR"); known.Category != "NAME" {
		t.Errorf("DOCTOR is %+v, and not that of its set", known)
	}
	if got, want := both.Lacks("fechas"), "the type fechas is not in the type set i2b2-2014 or meddocan, which has FECHAS"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if set, err := both.Config().Stored(); err != nil || set != Any {
		t.Errorf("stored and read again, it is %v, %v", set, err)
	}
	if both.OfSort(Date) != "DATE" || !Any.Has("FOO") {
		t.Error("the set is not otherwise like Any, or Any has changed")
	}
}

func TestCounterparts(t *testing.T) {
	both := AnyOf(I2B2, MEDDOCAN)
	for name, want := range map[string]string{
		"DATE": "FECHAS true", "FECHAS": "DATE true", "DOCTOR": "NOMBRE_PERSONAL_SANITARIO true", "PATIENT": "NOMBRE_SUJETO_ASISTENCIA true",
		"NOMBRE_SUJETO_ASISTENCIA": "PATIENT true", "PHONE": "NUMERO_FAX NUMERO_TELEFONO false", "OTHER": " true",
	} {
		types, only := both.Counterparts(name)
		if got := fmt.Sprint(strings.Join(types, " "), " ", only); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if types, _ := I2B2.Counterparts("DATE"); types != nil {
		t.Errorf("a set by itself has the counterparts %v", types)
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
	got := map[string]string{}
	for _, typ := range MEDDOCAN.Types {
		got[typ.Name] = typ.Category
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The type of a value follows from its sort. A set without such a type has the
// nearest that can hold the value, or none.
func TestTypeOfSort(t *testing.T) {
	for _, tc := range []struct {
		set  *TypeSet
		sort Sort
		want string
	}{
		{I2B2, Number, "MEDICALRECORD"}, {I2B2, Phone, "PHONE"}, {I2B2, Zip, "ZIP"}, {I2B2, Date, "DATE"}, {I2B2, Other, "OTHER"},
		{I2B22006, Email, "PHONE"}, {I2B22006, Street, "LOCATION"}, {I2B22006, Other, ""},
		{MIMIC, City, "LOCATION-OTHER"}, {MIMIC, Street, "STREET"}, {MIMIC, URL, "PHONE"}, {MIMIC, Number, "IDNUM"},
		{MEDDOCAN, Number, "ID_SUJETO_ASISTENCIA"}, {MEDDOCAN, Phone, "NUMERO_TELEFONO"}, {MEDDOCAN, City, "TERRITORIO"}, {MEDDOCAN, Hospital, "HOSPITAL"},
		{Anonym, Email, "PHONE"}, {Anonym, Street, "INSTITUTION"}, {Anonym, Number, "ID"},
		{CoNLL, Hospital, "ORG"}, {CoNLL, Zip, "LOC"}, {CoNLL, Number, ""}, {Any, Number, "MEDICALRECORD"},
		{&TypeSet{Types: []Type{{Name: "CODE", Sort: Number}}}, IP, "CODE"}, {&TypeSet{}, Person, ""},
	} {
		if got := tc.set.OfSort(tc.sort); got != tc.want {
			t.Errorf("%s: %s for %s, want %s", tc.set.Name, got, tc.sort, tc.want)
		}
	}
	for set, want := range map[*TypeSet][2]string{
		I2B2: {"PATIENT", "DOCTOR"}, MEDDOCAN: {"NOMBRE_SUJETO_ASISTENCIA", "NOMBRE_PERSONAL_SANITARIO"}, Anonym: {"NAME", "NAME"}, CoNLL: {"PER", "PER"},
		Any: {"PATIENT", "DOCTOR"}, {}: {},
	} {
		if got := [2]string{set.OfPerson(false), set.OfPerson(true)}; got != want {
			t.Errorf("%s: %s for persons, want %s", set.Name, got, want)
		}
	}
}

// What is known of a type comes from its own set first, then from any other.
func TestDescribe(t *testing.T) {
	own := &TypeSet{Types: []Type{{Name: "EMAIL", Category: "X", Sort: Other}}}
	for _, tc := range []struct {
		set  *TypeSet
		name string
		want Type
	}{
		{own, "EMAIL", own.Types[0]},
		{own, "DOCTOR", Type{"DOCTOR", "NAME", Person, false, true}},
		{nil, "FECHAS", Type{"FECHAS", "DATE", Date, true, false}},
		{Any, "PERSON", Type{"PERSON", "PERSON", Person, false, false}},
		{Any, "DOCTOR", Type{"DOCTOR", "DOCTOR", Person, false, true}},
		{CoNLL, "KLANT", Type{Name: "KLANT"}},
	} {
		if got := tc.set.Describe(tc.name); got != tc.want {
			t.Errorf("%s: %+v, want %+v", tc.name, got, tc.want)
		}
	}
}

// An error about an unknown type said neither which type it was nor which one of the set might be meant.
func TestLacks(t *testing.T) {
	for name, want := range map[string]string{
		"WARD":         "the type WARD is not in the type set i2b2-2014",
		"doctor":       "the type doctor is not in the type set i2b2-2014, which has DOCTOR",
		"Zoë Vance":    "the type is not in the type set i2b2-2014, nor a possible type: types have letters, digits, _, - and ., and begin with a letter",
		"12 High Road": "the type is not in the type set i2b2-2014, nor a possible type: types have letters, digits, _, - and ., and begin with a letter",
		"":             "the type is missing",
	} {
		if got := I2B2.Lacks(name); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
}
