package data

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/lethe-deid/lethe/internal/strictyaml"
)

// file writes a YAML file and returns its path.
func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOwnTypeSet(t *testing.T) {
	path := file(t, "ward.yaml", `language: en
types: {NURSE: clinician, WARD: department, DATE, PATIENT: person, NHS: {sort: number, category: NUMBER, hipaa: false}, MRN: number}
preferred: {number: NHS}
`)
	set, err := OpenTypeSet(path)
	if err != nil {
		t.Fatal(err)
	}
	want := &TypeSet{Name: "ward", Language: "en", Rules: []string{"english"}, Preferred: map[Sort]string{Number: "NHS"}, Types: []Type{
		{"DATE", "DATE", Date, true, false}, {"MRN", "ID", Number, true, false}, {"NHS", "NUMBER", Number, false, false},
		{"NURSE", "NAME", Person, false, true}, {"PATIENT", "NAME", Person, true, false}, {"WARD", "LOCATION", Department, false, false},
	}}
	if diff := cmp.Diff(want, set, cmpopts.IgnoreUnexported(TypeSet{})); diff != "" {
		t.Error("-want +got", diff)
	}
	if set.OfSort(Number) != "NHS" || set.OfPerson(true) != "NURSE" {
		t.Errorf("numbers are %s, clinicians %s", set.OfSort(Number), set.OfPerson(true))
	}
	more, err := TypeSetConfig{Base: path, Types: map[string]TypeConfig{"NURSE": {Sort: Other}, "X": {Sort: Zip}}}.Open()
	if err != nil || more.Name != "own" || len(more.Types) != 7 || more.Language != "en" || more.Describe("NURSE").Sort != Other {
		t.Errorf("with a base: %+v, %v", more, err)
	}
	if base, err := (TypeSetConfig{Base: "i2b2-2014", Types: map[string]TypeConfig{"PHONE": {Sort: Number}}}).Open(); err != nil || base.Preferred[Phone] != "" || len(I2B2.Types) != 31 {
		t.Errorf("a preferred type of the base that has another sort now: %+v, %v", base, err)
	}
}

// What a run or a model contains is the same set again, and that of a built-in set is its name.
func TestTypeSetIsStored(t *testing.T) {
	own, err := TypeSetConfig{Base: "i2b2-2006", Language: "es", Rules: []string{}, Types: map[string]TypeConfig{"NURSE": {Sort: Person, Clinician: true}}}.Open()
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range append(TypeSets(), own) {
		raw, err := json.Marshal(set.Config())
		if err != nil {
			t.Fatal(err)
		}
		if set != own && string(raw) != `"`+set.Name+`"` {
			t.Errorf("%s is stored as %s", set.Name, raw)
		}
		var c TypeSetConfig
		if err := json.Unmarshal(raw, &c); err != nil {
			t.Fatal(err)
		}
		type holder struct {
			Types TypeSetConfig `yaml:"types"`
		}
		encoded, err := yaml.Marshal(holder{set.Config()})
		if err != nil {
			t.Fatal(err)
		}
		var again holder
		if err := strictyaml.Decode("x", encoded, &again); err != nil {
			t.Fatal(err)
		}
		for _, c := range []TypeSetConfig{c, again.Types} {
			if got, err := c.Stored(); err != nil || got.Difference(set) != "" || set != own && got != set {
				t.Errorf("%s: %v from %s\n%s", set.Name, err, raw, encoded)
			}
		}
		if set != own && string(encoded) != "types: "+set.Name+"\n" {
			t.Errorf("%s is written as %s", set.Name, encoded)
		}
	}
	if err := json.Unmarshal([]byte(`{"name":"x","sorts":{}}`), &TypeSetConfig{}); err == nil {
		t.Error("an unknown key was accepted")
	}
	if _, err := (TypeSetConfig{Base: "mimic"}).Stored(); err == nil {
		t.Error("a stored set may depend on another")
	}
}

func TestBadTypeSets(t *testing.T) {
	for text, want := range map[string]string{
		"types: {}":              "types: required",
		"name: x":                "types: required",
		"types: {WARD: }":        "types.WARD: sort: required, because no built-in set has this type (have person, ",
		"types: {WARD: ward}":    `types.WARD: sort: no sort "ward" (have person, `,
		"types: {\"a b\": date}": "types.a b: a name is at most 64 letters",
		"types: {A: {sort: date, clinician: true}}":   "types.A: clinician: requires the sort person, not date",
		"types: {A: {sort: date, category: \"a b\"}}": `types.A: category: "a b" is not at most`,
		"types: {A: {sort: date, hippa: true}}":       "types.A.hippa: unknown key (have sort, category, hipaa, clinician)",
		"name: mimic\ntypes: {A: date}":               "name: mimic is a built-in type set: choose another name",
		"name: a b\ntypes: {A: date}":                 `name: "a b" is not at most 64`,
		"language: de\ntypes: {A: date}":              `language: no language "de" (have en, es; leave it out for any other)`,
		"rules: [english, english]\ntypes: {A: date}": `rules: "english" is not one of english, spanish, once each`,
		"rules: [french]\ntypes: {A: date}":           `rules: "french" is not one of`,
		"preferred: {date: B}\ntypes: {A: date}":      "preferred.date: the set has no type B of this sort",
		"base: any\ntypes: {A: date}":                 "base: any names no types",
		"base: nowhere\ntypes: {A: date}":             `base: no type set "nowhere" (have `,
		"types: {A: date, A: date}":                   "",
	} {
		_, err := OpenTypeSet(file(t, "x.yaml", text))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "x.yaml") {
			t.Errorf("%s: error %v, want %s", text, err, want)
		}
	}
	circle := file(t, "x.yaml", "")
	if err := os.WriteFile(circle, []byte("base: "+circle+"\ntypes: {A: date}"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenTypeSet(circle); err == nil || !strings.Contains(err.Error(), "refer to each other") {
		t.Errorf("a circle: %v", err)
	}
	if _, err := OpenTypeSet("nowhere"); err == nil || !strings.HasSuffix(err.Error(), "and there is no such file") {
		t.Error(err)
	}
}

func TestTypeSetDifference(t *testing.T) {
	own := func(change func(*TypeSetConfig)) *TypeSet {
		c := TypeSetConfig{Name: "w", Language: "en", Types: map[string]TypeConfig{"A": {Sort: Date}, "B": {Sort: Person}}}
		change(&c)
		set, err := c.Open()
		if err != nil {
			t.Fatal(err)
		}
		return set
	}
	plain := own(func(*TypeSetConfig) {})
	for want, other := range map[string]*TypeSet{
		"":        own(func(*TypeSetConfig) {}),
		"w and v": own(func(c *TypeSetConfig) { c.Name = "v" }),
		"two different sets called w, of which one lacks the type C":                                  own(func(c *TypeSetConfig) { c.Types["C"] = TypeConfig{Sort: Age} }),
		"two different sets called w, which describe the type A differently":                          own(func(c *TypeSetConfig) { c.Types["A"] = TypeConfig{Sort: Age} }),
		"two different sets called w, which differ in the language, the rules or the preferred types": own(func(c *TypeSetConfig) { c.Language = "es" }),
	} {
		if got := plain.Difference(other); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The types that result from a map are described by those that they replace.
func TestTypeMapResult(t *testing.T) {
	m, err := TypeMapConfig{Types: map[string]string{
		"PATIENT": "NAME", "DOCTOR": "NAME", "CITY": "ADDRESS", "ZIP": "ADDRESS", "AGE": "THING", "ROOM": "THING", "PROFESSION": "drop", "FAX": "PHONE",
	}, Others: KeepOthers}.Open(RefuseOthers)
	if err != nil {
		t.Fatal(err)
	}
	set, err := m.Result(I2B2)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []Type{
		{"NAME", "NAME", Person, true, false}, {"ADDRESS", "LOCATION", Place, true, false}, {"THING", "THING", Other, true, false},
		{"PHONE", "CONTACT", Phone, true, false}, {"STATE", "LOCATION", State, false, false},
	} {
		if got, ok := set.Lookup(want.Name); !ok || got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	if set.Name != "i2b2-2014.own" || set.Has("PATIENT") || set.Has("PROFESSION") || len(set.Types) != 31-8+3 || set.Preferred[Phone] != "PHONE" {
		t.Errorf("%+v", set)
	}
	category, err := LookupTypeMap("category")
	if err != nil {
		t.Fatal(err)
	}
	own, err := TypeSetConfig{Types: map[string]TypeConfig{"WARD": {Sort: Department, Category: "PLACE"}, "BED": {Sort: Room, Category: "PLACE"}}}.Open()
	if err != nil {
		t.Fatal(err)
	}
	if set, err := category.Result(own); err != nil || len(set.Types) != 1 || set.Types[0] != (Type{"PLACE", "PLACE", Other, false, false}) {
		t.Errorf("categories of an own set: %+v, %v", set, err)
	}
	if _, err := m.Result(MIMIC); err == nil || err.Error() != "types: CITY is not in the type set mimic" {
		t.Errorf("a type that the set lacks: %v", err)
	}
	if set, err := m.Result(Any); err != nil || set != Any {
		t.Errorf("%v, %v", set, err)
	}
}

func TestTypeMapRefusesAndKeeps(t *testing.T) {
	doc := &Document{ID: "a", Text: "0123456789", Spans: []Span{{0, 1, "DOCTOR", 1}, {2, 3, "WARD", 1}, {4, 5, "BED", 1}}}
	for _, tc := range []struct {
		m    TypeMap
		want string
	}{
		{TypeMap{Others: RefuseOthers}, "document a: the map own does not know the type BED, WARD: add it to the map, or say with others what becomes of such types"},
		{TypeMap{Others: KeepOthers}, ""},
		{TypeMap{Others: KeepOthers, Types: I2B2}, "document a: the map own keeps the type BED, WARD, which is not in the type set i2b2-2014"},
	} {
		tc.m.Name, tc.m.To, tc.m.Own = "own", map[string]string{"DOCTOR": "PATIENT", "AGE": "DATE"}, true
		var counts MapCounts
		_, err := Collect(tc.m.Apply(Each([]*Document{doc}), &counts))
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || err.Error() != tc.want) {
			t.Errorf("error %v, want %s", err, tc.want)
		}
		if got := tc.m.Absent(counts); !cmp.Equal(got, []string{"AGE"}) {
			t.Errorf("absent: %v", got)
		}
		if tc.want == "" && counts.Summary(&tc.m) != "PATIENT of DOCTOR 1" {
			t.Errorf("summary %q", counts.Summary(&tc.m))
		}
	}
}

// Averages over types need to know which types there are, also for the open set.
func TestWithTypes(t *testing.T) {
	docs := []*Document{{Spans: []Span{{0, 1, "X", 1}, {1, 2, "DATE", 1}}}}
	if set := Any.WithTypes(docs); len(set.Types) != 2 || set.Name != "any" || !set.Has("Y") {
		t.Errorf("%+v", set)
	}
	if I2B2.WithTypes(docs) != I2B2 {
		t.Error("a set that names its types is another one")
	}
}
