package policy

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/replace"
)

const key = "a key of sixteen"

// replacer returns a replacer for a policy, a type set and a default kind.
func replacer(t *testing.T, name, types string, kind replace.Kind) *replace.Replacer {
	t.Helper()
	p, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	set, err := data.LookupTypeSet(types)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := p.Plan(kind, set)
	if err != nil {
		t.Fatal(err)
	}
	r, err := replace.New(plan, replace.Options{Key: []byte(key), Types: set})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// clean replaces the marked PHI of a patient's notes.
func clean(t *testing.T, r *replace.Replacer, marked []string) []string {
	t.Helper()
	var docs []*data.Document
	for i, text := range marked {
		docs = append(docs, note(t, string(rune('a'+i)), text))
	}
	patient := r.Patient("p", docs)
	var texts []string
	for _, d := range docs {
		out, _, err := patient.Replace(d, d.Spans)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, out.Text)
	}
	return texts
}

// note parses a text in which spans are marked as <TYPE:text>. A sign > that is followed by a digit does not end a mark.
func note(t *testing.T, id, marked string) *data.Document {
	t.Helper()
	d := &data.Document{ID: id, Patient: "p"}
	for {
		before, rest, ok := strings.Cut(marked, "<")
		d.Text += before
		if !ok {
			return d
		}
		end := strings.IndexByte(rest, '>')
		for end+1 < len(rest) && rest[end-1] == ':' {
			end += 1 + strings.IndexByte(rest[end+1:], '>')
		}
		typ, text, named := strings.Cut(rest[:end], ":")
		if !named {
			t.Fatal("a mark has no type")
		}
		d.Spans = append(d.Spans, data.Span{Start: len(d.Text), End: len(d.Text) + len(text), Type: typ, Score: 1})
		d.Text += text
		marked = rest[end+1:]
	}
}

// TestCases checks what the built-in policies do with each rule and its edges.
func TestCases(t *testing.T) {
	raw, err := os.ReadFile("testdata/cases.txt")
	if err != nil {
		t.Fatal(err)
	}
	var r *replace.Replacer
	cases := 0
	for i, line := range strings.Split(string(raw), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		if line[0] == '[' && !strings.Contains(line, "=>") {
			words := strings.Fields(strings.Trim(line, "[]"))
			r = replacer(t, words[0], words[1], replace.Kind(words[2]))
			continue
		}
		in, want, ok := strings.Cut(line, " => ")
		if !ok {
			t.Fatalf("cases.txt:%d: no arrow", i+1)
		}
		cases++
		if got := strings.Join(clean(t, r, strings.Split(in, " || ")), " || "); got != want {
			t.Errorf("cases.txt:%d: %s\n got %s\nwant %s", i+1, in, got, want)
		}
	}
	if cases < 200 {
		t.Errorf("only %d cases", cases)
	}
	t.Logf("%d cases", cases)
}

func TestBadPolicies(t *testing.T) {
	for _, tc := range []struct{ name, file, want string }{
		{"no name", "sorts: {date: year}\n", "ours.yaml: name: a policy requires a name"},
		{"bad name", "name: two words\n", "ours.yaml:1: name: a policy requires a name"},
		{"name of another", "name: safe-harbor\n", `ours.yaml:1: name: "safe-harbor" is the name of a built-in policy`},
		{"unknown key", "name: ours\nsort: {date: year}\n", "ours.yaml:2:1: sort: unknown key (have name, about, sorts, types, fields)"},
		{"unknown sort", "name: ours\nsorts:\n  dates: year\n", "ours.yaml:3: dates: unknown sort (have clinician, person"},
		{"unknown kind", "name: ours\nsorts:\n  date: years\n", `ours.yaml:3: date: no kind of replacement "years" (have tag`},
		{"kind of a type", "name: ours\ntypes:\n  ROOM: gone\n", `ours.yaml:3: ROOM: no kind of replacement "gone" (have tag`},
		{"other sort", "name: ours\nsorts:\n  city: zip3\n", "ours.yaml:3: city: zip3 replaces only values of the sort zip"},
		{"duplicate", "name: ours\nsorts:\n  date: year\n  date: keep\n", "ours.yaml:4:3: "},
		{"not YAML", "name: [\n", "ours.yaml:"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "ours.yaml")
			if err := os.WriteFile(path, []byte(tc.file), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := Open(path)
			if err == nil {
				t.Fatal("no error")
			}
			if got := strings.TrimPrefix(err.Error(), dir+string(filepath.Separator)); !strings.HasPrefix(got, tc.want) {
				t.Errorf("error %q, want %q", got, tc.want)
			}
		})
	}
	if _, err := Open("safe-harbour"); err == nil || !strings.Contains(err.Error(), "built-in policies: safe-harbor, limited-data-set, all") {
		t.Errorf("error %v", err)
	}
}

// TestSurrogatesUnderSafeHarbor checks that dates and ZIP codes get surrogates, that dates keep their intervals, and that a date of birth that tells
// an age over 89 goes.
func TestSurrogatesUnderSafeHarbor(t *testing.T) {
	r := replacer(t, SafeHarbor, "i2b2-2014", replace.Surrogate)
	got := clean(t, r, []string{
		"<DATE:03/04/2019>, <DATE:03/14/2019>, <ZIP:02139>, <STATE:Ohio>, <AGE:45>, <AGE:93>, <PATIENT:Oda Lund>", "DOB <DATE:03/04/1926>, <DATE:5/6/2019>",
	})
	parts := strings.Split(got[0], ", ")
	from, err := time.Parse("01/02/2006", parts[0])
	to, err2 := time.Parse("01/02/2006", parts[1])
	if err != nil || err2 != nil || to.Sub(from) != 10*24*time.Hour || parts[0] == "03/04/2019" {
		t.Errorf("%s and %s: errors %v, %v", parts[0], parts[1], err, err2)
	}
	if len(parts[2]) != 5 || parts[2] == "02139" || parts[3] != "Ohio" || parts[4] != "45" || parts[5] != "90+" || parts[6] == "Oda Lund" {
		t.Errorf("%q", got[0])
	}
	if !strings.HasPrefix(got[1], "DOB [DATE], ") || strings.Contains(got[1], "5/6/2019") {
		t.Errorf("%q", got[1])
	}
	all := clean(t, replacer(t, All, "i2b2-2014", replace.Surrogate), []string{"<STATE:Ohio>, DOB <DATE:03/04/1926>, <AGE:93>"})[0]
	if strings.Contains(all, "Ohio") || strings.Contains(all, "[") || strings.Contains(all, "03/04/1926") {
		t.Errorf("%q", all)
	}
}
