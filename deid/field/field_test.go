package field

import (
	"slices"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
)

// rulesOf parses rules for a format.
func rulesOf(t *testing.T, format string, texts ...string) []Rule {
	t.Helper()
	rules, err := ParseRules(format, texts)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

func TestPathsMatch(t *testing.T) {
	for _, c := range []struct {
		path     string
		matching []string // names separated by |
		others   []string
	}{
		{"name", []string{"name"}, []string{"Name", "names", "name|first", "a|name"}},
		{"meta.mrn", []string{"meta|mrn"}, []string{"meta", "mrn", "meta.mrn", "meta|x|mrn"}},
		{`"meta.mrn"`, []string{"meta.mrn"}, []string{"meta|mrn"}},
		{`a."b.c".d`, []string{"a|b.c|d"}, []string{"a|b|c|d"}},
		{"*", []string{"a", "a.b", "a/b", `a\b`, "ñ", ""}, []string{"a|b"}},
		{"*_id", []string{"note_id", "_id", "a_id_id"}, []string{"note_id2"}},
		{"a?c", []string{"abc", "añc", "a/c"}, []string{"ac", "abbc"}},
		{"a*b*c", []string{"abc", "axbybc"}, []string{"acb", "abcd"}},
		{"c[1]", []string{"c[1]"}, []string{"c1"}},
		{`a\*`, []string{`a\`, `a\b`}, []string{"a*"}},
		{"**", []string{"a", "a|b|c"}, nil},
		{"**.mrn", []string{"mrn", "a|mrn", "a|b|mrn"}, []string{"mrn|a"}},
		{"a.**", []string{"a", "a|b", "a|b|c"}, []string{"b|a"}},
		{"a.**.z", []string{"a|z", "a|b|c|z"}, []string{"a", "z"}},
		{"*.*", []string{"a|b"}, []string{"a", "a|b|c"}},
	} {
		table := NewTable(rulesOf(t, "", c.path+"=drop"))
		for _, at := range c.matching {
			if _, ok := table.Action(strings.Split(at, "|")...); !ok {
				t.Errorf("%s does not match %s", c.path, at)
			}
		}
		for _, at := range c.others {
			if _, ok := table.Action(strings.Split(at, "|")...); ok {
				t.Errorf("%s matches %s", c.path, at)
			}
		}
	}
}

// A path of csv is the name of a column, which may contain dots.
func TestPathsOfCSVAreOneName(t *testing.T) {
	for _, path := range []string{"a.b", `"a.b"`, "a.*", "*", "**", "*.b"} {
		if _, ok := NewTable(rulesOf(t, "csv", path+"=drop")).Action("a.b"); !ok {
			t.Errorf("%s does not match", path)
		}
	}
}

func TestTheLastRuleDecides(t *testing.T) {
	table := With(rulesOf(t, "", "**=drop", "name=person"), rulesOf(t, "", "name = hash", "n* = shift", "id=keep", "gone=MEDICALRECORD"))
	for at, want := range map[string]Action{"name": Shift, "id": Keep, "other": Drop, "a.b": Drop} {
		if got, ok := table.Action(strings.Split(at, ".")...); got != want || !ok {
			t.Errorf("%s: %q, want %q", at, got, want)
		}
	}
	if got := table.Missing([][]string{{"id"}, {"nobody"}}); !slices.Equal(got, []string{"name", "gone"}) {
		t.Errorf("%v are missing", got)
	}
	if got := table.Unused(); !slices.Equal(got, []string{"gone"}) {
		t.Errorf("%v are unused", got)
	}
}

func TestBadRules(t *testing.T) {
	for text, want := range map[string]string{
		"name":           `"name" is not of the form PATH=ACTION`,
		"=drop":          "the path has an empty element",
		"a..b=drop":      "the path has an empty element",
		`""=drop`:        "the path has an empty element",
		`"a=drop`:        "a quote is not closed",
		`"a"b=drop`:      "text after a closing quote",
		`a."b".=drop`:    "the path has an empty element",
		"a=":             "the action is missing",
		"a=peson":        `no action "peson"`,
		"a=drop=nothing": `no action "nothing"`,
	} {
		if _, err := ParseRules("", []string{text}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestDropsOfObjects(t *testing.T) {
	for text, want := range map[string]struct {
		drops bool
		err   string
	}{
		"a=drop":       {true, ""},
		"a.**=drop":    {true, ""},
		"a.**=hash":    {false, ""},
		"b=hash":       {false, ""},
		"a=hash":       {false, "the field a is an object: write a.** for everything in it, or the path of one of its values"},
		"*=person":     {false, "the field * is an object"},
		"**.name=drop": {false, ""},
	} {
		drops, err := With(nil, rulesOf(t, "", text)).Drops("a")
		if drops != want.drops || (err == nil) != (want.err == "") || err != nil && !strings.Contains(err.Error(), want.err) {
			t.Errorf("%s: %v, %v", text, drops, err)
		}
	}
	if _, err := With(rulesOf(t, "", "a=hash"), nil).Drops("a"); err != nil {
		t.Errorf("a built-in rule: %v", err)
	}
}

func TestTypesOfActions(t *testing.T) {
	for action, want := range map[Action]string{
		"person": "PATIENT", "clinician": "DOCTOR", "date": "DATE", "shift": "DATE", "MEDICALRECORD": "MEDICALRECORD", "drop": "", "hash": "", "keep": "",
	} {
		if got := action.Type(data.I2B2); got != want {
			t.Errorf("%s: %q, want %q", action, got, want)
		}
	}
	for text, want := range map[string]string{"a=person": "", "a=shift": "", "a=MEDICALRECORD": "", "a=NOTYPE": "a: the model has no type for NOTYPE"} {
		err := With(nil, rulesOf(t, "", text)).Check(data.I2B2)
		if (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestPseudonymsJoin(t *testing.T) {
	a, again, b := Pseudonyms([]byte("one key of 16 by")), Pseudonyms([]byte("one key of 16 by")), Pseudonyms([]byte("another key of 1"))
	switch {
	case a("7") != again("7"), len(a("7")) != 32:
		t.Error("equal values under the same key have different pseudonyms")
	case a("7") == b("7"), a("7") == a("07"), a("7") == a("7 "):
		t.Error("different values or keys have the same pseudonym")
	case a("") != "":
		t.Error("an empty value has a pseudonym")
	}
}

// The pseudonym of \N was a value when the table was loaded again.
func TestMissingValuesHaveNoPseudonyms(t *testing.T) {
	made := Pseudonyms([]byte("a key of sixteen"))
	for _, value := range []string{"", "NULL", `\N`} {
		if got := made(value); got != value {
			t.Errorf("%q became %q", value, got)
		}
	}
	if len(made("null")) != 32 {
		t.Error("null has no pseudonym")
	}
}
