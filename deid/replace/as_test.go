package replace

import (
	"slices"
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
