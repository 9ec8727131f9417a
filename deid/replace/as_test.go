package replace

import (
	"slices"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
)

func TestReplaceAsIgnoresThePlan(t *testing.T) {
	d := note(t, "1", "<PATIENT:Oda Lund> seen <DATE:2071-04-03>")
	r := maker(t, "a key of sixteen", Plan{ByType: map[string]Kind{"PATIENT": Keep}, Also: []Kind{Mask, Shift, Redact, Keep}})
	p := r.Patient("p", []*data.Document{d})
	for kind, want := range map[Kind]string{"": "Oda Lund seen [DATE]", Mask: "*** **** seen ****-**-**", Redact: " seen ", Keep: "Oda Lund seen 2071-04-03"} {
		out, changes, err := p.ReplaceAs(kind, d, d.Spans)
		if err != nil || out.Text != want || len(changes) != 2 || kind != "" && changes[0].Kind != kind {
			t.Errorf("%q: %q, %v, %v", kind, out.Text, changes, err)
		}
	}
}

func TestAlsoCountsAsAKindOfThePlan(t *testing.T) {
	plan := Plan{Default: Tag, Also: []Kind{Shift}}
	if got := plan.Kinds(); !slices.Equal(got, []Kind{Shift, Tag}) {
		t.Errorf("%v", got)
	}
	if _, err := New(plan, Options{Types: data.I2B2}); err == nil {
		t.Error("a plan that also shifts requires no key")
	}
}

// The names of character references were replaced as words of a name, as in Ramona&maria;y.
func TestReferencesOfHTMLAreCharacters(t *testing.T) {
	d := note(t, "1", "<PATIENT:Jos&eacute;e Lund> or <PATIENT:Jos\u00e9e Lund> of <HOSPITAL:Lund &amp; Vega Clinic>, <URL:http://lund.example/?a=1&copy=2>")
	r := maker(t, "a key of sixteen", Plan{Also: []Kind{Mask, Surrogate, Numbered, Keep}})
	for kind, want := range map[Kind]string{
		Mask: "***** **** or ***** **** of **** &amp; **** ******, ****://****.*******/?***&******", Numbered: "[PATIENT_1] or [PATIENT_1] of [HOSPITAL_1], [URL_1]", Keep: d.Text,
	} {
		out, _, err := r.Patient("p", []*data.Document{d}).ReplaceAs(kind, d, d.Spans)
		if err != nil || out.Text != want {
			t.Errorf("%s: %q, %v", kind, out.Text, err)
		}
	}
	out, _, err := r.Patient("p", []*data.Document{d}).ReplaceAs(Surrogate, d, d.Spans[:2])
	made, rest, _ := strings.Cut(out.Text, " or ")
	if err != nil || strings.Contains(made, "&") || !strings.HasPrefix(rest, made+" of Lund &amp; Vega") {
		t.Errorf("%q, %v", out.Text, err)
	}
}
