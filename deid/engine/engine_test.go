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
