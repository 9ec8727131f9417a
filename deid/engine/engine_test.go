package engine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid"
	"github.com/lethe-deid/lethe/deid/replace"
	"github.com/lethe-deid/lethe/deid/safetynet"
)

const text = "Mrs. Oda Lund, 71, was seen by Dr. Per Vega on 03/04/2031. Phone 555-201-3344."

func open(t *testing.T, o Options) *Engine {
	t.Helper()
	s, err := o.Check()
	if err != nil {
		t.Fatal(err)
	}
	e, err := s.Open()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func key(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, []byte("an invented secret of a test"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func clean(t *testing.T, e *Engine, q Request, spans ...data.Span) string {
	t.Helper()
	d, err := e.For(q)
	if err != nil {
		t.Fatal(err)
	}
	r := d.Notes(t.Context(), []deid.Note{{Document: &data.Document{ID: "1", Text: text, Spans: spans}}})
	if r[0].Err != nil {
		t.Fatal(r[0].Err)
	}
	return r[0].Clean.Text
}

func TestRequestsDifferFromTheEngine(t *testing.T) {
	e := open(t, Options{Model: "en", KeyFile: key(t)})
	own := clean(t, e, Request{})
	if strings.Contains(own, "Lund") || !strings.Contains(own, "2031") || !strings.Contains(own, "71") {
		t.Errorf("the policy safe-harbor leaves %q", own)
	}
	for _, c := range []struct {
		name       string
		q          Request
		with, left []string
	}{
		{"another policy", Request{Policy: "all"}, []string{"[PATIENT]"}, []string{"2031", "71"}},
		{"another kind", Request{Replace: replace.Mask}, []string{"*** ****"}, nil},
		{"another kind for a type", Request{ByType: map[string]replace.Kind{"DOCTOR": replace.Redact}}, []string{"[PATIENT]"}, []string{"[DOCTOR]"}},
		{"surrogates", Request{Replace: replace.Surrogate}, nil, []string{"[", "Lund"}},
		{"phrases that are PHI", Request{Deny: []string{"was seen"}}, nil, []string{"was seen"}},
		{"phrases that are not", Request{Allow: []string{"per vega"}}, []string{"Per Vega"}, nil},
	} {
		got := clean(t, e, c.q)
		for _, s := range c.with {
			if !strings.Contains(got, s) {
				t.Errorf("%s: no %q in %q", c.name, s, got)
			}
		}
		for _, s := range c.left {
			if strings.Contains(got, s) {
				t.Errorf("%s: %q in %q", c.name, s, got)
			}
		}
		if again := clean(t, e, c.q); again != got {
			t.Errorf("%s: then %q", c.name, again)
		}
	}
	if got := clean(t, e, Request{Marked: true, Policy: "all"}, data.Span{Start: 15, End: 17, Type: "AGE"}); got != strings.Replace(text, "71", "[AGE]", 1) {
		t.Errorf("with spans of the notes: %q", got)
	}
	if after := clean(t, e, Request{}); after != own {
		t.Errorf("the engine has changed: %q", after)
	}
}

func TestDemandsInVain(t *testing.T) {
	e := open(t, Options{Model: "en"})
	for name, q := range map[string]Request{
		"a kind that requires a key":   {Replace: replace.Surrogate},
		"an unknown kind":              {Replace: "shred"},
		"a kind for one sort":          {Replace: replace.Zip3},
		"an unknown policy":            {Policy: "../secret.yaml"},
		"an unknown type":              {ByType: map[string]replace.Kind{"KLANT": replace.Mask}},
		"an unknown kind for a type":   {ByType: map[string]replace.Kind{"DATE": "shred"}},
		"keep against the policy":      {Replace: replace.Keep},
		"a phrase that is both":        {Allow: []string{"Ivory"}, Deny: []string{"ivory"}},
		"a phrase without letters":     {Deny: []string{"--"}},
		"a phrase of more than a line": {Allow: []string{"a\nb"}},
	} {
		if _, err := e.For(q); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestExceptionsOfTheServerWeakenedAnotherPolicy: a kind by type of the options applied also to a policy that a request chose, and the error of a
// kind against that policy named an option of the command line.
func TestExceptionsOfTheServerWeakenedAnotherPolicy(t *testing.T) {
	e := open(t, Options{Model: "en", Policy: "all", ReplaceType: []string{"DATE=keep"}})
	for policy, stays := range map[string]bool{"": true, "all": true, "safe-harbor": false, "limited-data-set": true} {
		if got := clean(t, e, Request{Policy: policy}); strings.Contains(got, "03/04/2031") != stays {
			t.Errorf("policy %q: %q", policy, got)
		}
	}
	_, err := e.For(Request{Policy: "safe-harbor", Replace: replace.Keep})
	if err == nil || strings.Contains(err.Error(), "--") {
		t.Errorf("keep against a policy: %v", err)
	}
}

func TestFinderFindsWhatThePolicyKeeps(t *testing.T) {
	e := open(t, Options{Model: "en", Policy: "limited-data-set"})
	d, err := e.Finder(Request{})
	if err != nil {
		t.Fatal(err)
	}
	known := safetynet.ValuesOf(map[string][]string{"id_number": {"555-201"}, "patient": {"7"}}, e.Types)
	r := d.Notes(t.Context(), []deid.Note{{Document: &data.Document{Text: text}, Known: known}})
	var found []string
	for _, c := range r[0].Changes {
		found = append(found, text[c.Old.Start:c.Old.End])
	}
	if all := strings.Join(found, "|"); !strings.Contains(all, "03/04/2031") || !strings.Contains(all, "Oda Lund") {
		t.Errorf("found %s", all)
	}
}

// With the model auto, whose type set is open, a misspelt type was accepted, and what was asked for it was not done.
func TestTypesThatNoModelOfAutoHasAreErrors(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	ruleFile := func(typ string) []string {
		return []string{write(typ+".rules", "types: any\nrules:\n- name: own\n  type: "+typ+"\n  find: Zebulon\n  match: ['«Zebulon»']\n  not: [cat]\n")}
	}
	policyFile := func(types string) string {
		return write("policy"+types[1:4]+".yaml", "name: ours\ntypes: "+types+"\n")
	}
	for name, c := range map[string]struct {
		o   Options
		bad bool
	}{
		"a type of neither model":              {Options{ReplaceType: []string{"DATES=tag"}}, true},
		"a type of en":                         {Options{ReplaceType: []string{"DATE=tag"}}, false},
		"a type of es":                         {Options{ReplaceType: []string{"FECHAS=tag"}}, false},
		"a policy with a type of no set":       {Options{Policy: policyFile("{FOO: keep}")}, true},
		"a policy with a type of another set":  {Options{Policy: policyFile("{NAME: keep, DATE: tag}")}, false},
		"rules with a type of neither model":   {Options{Rules: ruleFile("FOO")}, true},
		"rules with a type of es":              {Options{Rules: ruleFile("FECHAS")}, false},
		"a net with a type of neither model":   {Options{SafetyNet: ruleFile("FOO")[0]}, true},
		"phrases with a type of neither model": {Options{Deny: []string{write("deny.txt", "FOO: Zebulon\n")}}, true},
		"phrases with a type of en":            {Options{Deny: []string{write("right.txt", "DOCTOR: Zebulon\n")}}, false},
		"sorts with a type of neither model":   {Options{Replace: "surrogate", KeyFile: key(t), Surrogates: write("sorts.yaml", "sorts: {FOO: person}\n")}, true},
	} {
		s, err := c.o.Check()
		if err == nil {
			_, err = s.Open()
		}
		if (err != nil) != c.bad {
			t.Errorf("%s: error %v, want one: %v", name, err, c.bad)
		}
		if err != nil && !strings.Contains(err.Error(), "type") {
			t.Errorf("%s: the error %v is about something else", name, err)
		}
	}
	e := open(t, Options{Model: "en"})
	if _, err := e.For(Request{ByType: map[string]replace.Kind{"DATES": replace.Tag}}); err == nil {
		t.Error("a request for a type of neither model is accepted")
	}
}

// An error repeated the kind of replacement that a request asked for, which may be a note that the client put in the wrong field, and offered kinds that are refused there.
func TestErrorsRepeatedWhatARequestAskedFor(t *testing.T) {
	e := open(t, Options{Model: "en"})
	for _, q := range []Request{
		{Replace: "Mrs. Oda Lund, SSN 123-45-6789"},
		{ByType: map[string]replace.Kind{"PATIENT": "Mrs. Oda Lund, SSN 123-45-6789"}},
	} {
		_, err := e.For(q)
		if err == nil || strings.Contains(err.Error(), "Lund") || !strings.Contains(err.Error(), "(have tag, numbered, mask, redact, hash, keep, surrogate)") {
			t.Errorf("%v", err)
		}
	}
	_, err := e.For(Request{ByType: map[string]replace.Kind{"DATE": "shred"}})
	if want := "no such kind of replacement for the type DATE (have tag, numbered, mask, redact, hash, keep, surrogate, year, shift)"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// With the model auto, --replace-type DATE=tag left the years in notes that the Spanish model examines.
func TestATypeOfOneModelWasIgnoredInNotesOfTheOther(t *testing.T) {
	for _, c := range []struct {
		replaceType []string
		in, want    string
	}{
		{[]string{"DATE=tag"}, "El paciente fue visto el 3/4/2019 por la fiebre.", "El paciente fue visto el [FECHAS] por la fiebre."},
		{[]string{"FECHAS=tag"}, "Mr. Roe was seen on 3/4/2019 for the flu.", "Mr. [PATIENT] was seen on [DATE] for the flu."},
		{[]string{"DATE=tag", "FECHAS=keep"}, "El paciente fue visto el 3/4/2019 por la fiebre.", "El paciente fue visto el 3/4/2019 por la fiebre."},
	} {
		s, err := Options{Model: "auto", ReplaceType: c.replaceType}.Check()
		if err != nil {
			t.Fatal(err)
		}
		e, err := s.Open()
		if err != nil {
			t.Fatal(err)
		}
		d := e.Deidentifier()
		doc := &data.Document{ID: "a", Text: c.in}
		spans, err := d.Tagger.Tag(t.Context(), []*data.Document{doc})
		if err != nil {
			t.Fatal(err)
		}
		doc.Spans = spans[0]
		r := d.Notes(t.Context(), []deid.Note{{Document: doc}})[0]
		if r.Err != nil || r.Clean.Text != c.want {
			t.Errorf("%v: %q, error %v, want %q", c.replaceType, r.Clean.Text, r.Err, c.want)
		}
	}
}
