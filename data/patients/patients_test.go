package patients

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRules(t *testing.T) {
	for _, tc := range []struct{ rule, file, want string }{
		{"<patient>_*", "p01_3", "p01"},
		{"<patient>_*", "ward/p01_a_3", "p01"},
		{"<patient>", "ward/p01", "p01"},
		{"*-<patient>-*", "x-17-a-b", "17"},
		{"note *(<patient>)", "note 4 (9.5)", "9.5"},
		{"<patient>/**", "p1/2019/n", "p1"},
		{"<patient>/**", "p1/n", "p1"},
		{"**/<patient>/*", "a/b/p1/n", "p1"},
		{"**/<patient>/*", "p1/n", "p1"},
		{"*/<patient>/*", "a/p1/n", "p1"},
		{"ward/<patient>-*", "ward/p1-3", "p1"},
		{`(?<patient>P\d+)`, "ward/aP17b", "P17"},
		{`(?P<patient>\d+)[a-z]$`, "2019/17c", "17"},
	} {
		r, err := Open(tc.rule)
		if err != nil {
			t.Errorf("%s: %v", tc.rule, err)
			continue
		}
		if got, err := r.Of("x", tc.file); err != nil || got != tc.want {
			t.Errorf("%s of %s: %q, %v, want %q", tc.rule, tc.file, got, err, tc.want)
		}
	}
	for _, tc := range []struct{ rule, file string }{
		{"<patient>_*", "p01-3"}, {"<patient>_*", "_3"}, {"<patient>/**", "n"}, {"*/<patient>/*", "p1/n"}, {"a<patient>", "b1"}, {`(?<patient>\d*)$`, "x"},
	} {
		r, err := Open(tc.rule)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := r.Of("x", tc.file); err == nil || got != "" || !strings.Contains(err.Error(), tc.rule) {
			t.Errorf("%s of %s: %q, %v, want an error with the rule", tc.rule, tc.file, got, err)
		}
	}
}

func TestRuleErrors(t *testing.T) {
	for rule, want := range map[string]string{
		"":                     "the rule is empty",
		"<patient>-<patient>":  "more than once",
		"{patient}_*":          "does not contain <patient>, as in <patient>_*",
		"*_notes":              "does not contain <patient>",
		"<id>_*":               "does not contain <patient>",
		"(?P<patient>[":        "is not a regular expression",
		"nosuchfolder/pat.csv": "a rule for the names of files contains <patient>): open nosuchfolder/pat.csv",
	} {
		if _, err := Open(rule); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", rule, err, want)
		}
	}
}

func TestTables(t *testing.T) {
	for name, tc := range map[string]struct{ table, id, want string }{
		"without header":   {"n1,p1\nn2,p2\n", "n2", "p2"},
		"header":           {"note,patient\nn1,p1\n", "n1", "p1"},
		"other order":      {"Subject ID;x;Note_ID\r\np1;;n1\r\n", "n1", "p1"},
		"tabs":             {"n1\tp 1\n", "n1", "p 1"},
		"BOM":              {"\uFEFFid,patient\nn1,p1\n", "n1", "p1"},
		"file names":       {"file,patient\nward/n1.txt,p1\n", "ward/n1", "p1"},
		"quotes":           {"\"n,1\",\"p\"\"1\"\n", "n,1", `p"1`},
		"the same twice":   {"n1,p1\nn1,p1\n", "n1", "p1"},
		"blanks":           {"n1, p1 \n\n", "n1", "p1"},
		"no dot extension": {"n.1,p1\n", "n.1", "p1"},
	} {
		path := filepath.Join(t.TempDir(), "t.csv")
		if err := os.WriteFile(path, []byte(tc.table), 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := Open(path)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got, err := r.Of(tc.id, "x"); err != nil || got != tc.want {
			t.Errorf("%s: %q, %v, want %q", name, got, err, tc.want)
		}
		if _, err := r.Of("other", "x"); err == nil || !strings.HasSuffix(err.Error(), "t.csv has no line for the note other") {
			t.Errorf("%s: error %v for another note", name, err)
		}
	}
}

func TestTableErrors(t *testing.T) {
	for name, tc := range map[string]struct{ table, want string }{
		"two patients":  {"note,patient\nn1,p1\nn1.txt,p2\n", "t.csv:3: the note has another patient in line 2"},
		"empty":         {"", "t.csv: the table of patients contains no note"},
		"header only":   {"note,patient\n", "t.csv: the table of patients contains no note"},
		"no note":       {"n1,p1\n,p2\n", "t.csv:2: the note is empty"},
		"no patient":    {"n1,p1\nn2, \n", "t.csv:2: the patient is empty"},
		"three columns": {"n1,p1,x\n", "t.csv:1: the table has 3 columns: its first line must name two of them note and patient"},
		"ragged":        {"n1,p1\nn2\n", "t.csv:2: not a line of the table: wrong number of fields"},
		"quote":         {"n1,p1\nn\"2,p2\n", "t.csv:2: not a line of the table: bare \" in non-quoted-field"},
		"Latin-1":       {"n1,p\xe9\n", "t.csv: the table of patients is not UTF-8"},
	} {
		path := filepath.Join(t.TempDir(), "t.csv")
		if err := os.WriteFile(path, []byte(tc.table), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path); err == nil || !strings.HasSuffix(err.Error(), tc.want) {
			t.Errorf("%s: error %v, want %q", name, err, tc.want)
		}
	}
}

func TestTablesOfOtherNotes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(path, []byte("note,patient\nn1,p1\nn3,p1\nn2,p1\nn4,p1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	err = r.CheckNotes(func(id string) bool { return id == "n1" || id == "n2" })
	if err == nil || !strings.Contains(err.Error(), "t.csv:3: no split of the corpus has a note with this ID (2 of 4 lines") {
		t.Error(err)
	}
	if err := r.CheckNotes(func(string) bool { return true }); err != nil {
		t.Error(err)
	}
}
