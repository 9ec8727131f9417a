package deid

import (
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/policy"
	"github.com/lethe-deid/lethe/deid/replace"
)

// TestWordForRelativeWentWithTheName: "su hermana Carmen" became a tag or another relative, although Safe Harbor keeps words for relatives.
func TestWordForRelativeWentWithTheName(t *testing.T) {
	const typ = "FAMILIARES_SUJETO_ASISTENCIA"
	for _, x := range []struct{ policy, in, want string }{
		{policy.SafeHarbor, "su «F|hermana Carmen» llama", "su hermana [F] llama"},
		{policy.SafeHarbor, "mi «F|mama rosa»", "mi mama [F]"},
		{policy.SafeHarbor, "SU «F|HIJA MARCELA»", "SU HIJA [F]"},
		{policy.SafeHarbor, "«F|abuela materna Carmen»", "abuela materna [F]"},
		{policy.SafeHarbor, "con su «F|nieto iker»", "con su nieto [F]"},
		{policy.SafeHarbor, "«F|Nieto Ana»", "[F]"}, // a surname
		{policy.SafeHarbor, "«F|Carmen»", "[F]"},
		{policy.SafeHarbor, "su «F|hija mayor Carmen»", "su hija mayor [F]"},
		// The second word is a surname, too.
		{policy.SafeHarbor, "Su «F|madre Sobrino Ruiz» refiere", "Su madre [F] refiere"},
		{policy.SafeHarbor, "su «F|hermana Mayor Gil»", "su hermana [F]"},
		{policy.SafeHarbor, "su «F|padre Abuelo Soto»", "su padre [F]"},
		{policy.SafeHarbor, "SU «F|MADRE NIETO SOTO»", "SU MADRE [F]"},
		{policy.SafeHarbor, "su «F|padre sobrino ruiz»", "su padre [F]"},
		{policy.SafeHarbor, "su madre «F|Sobrino Ruiz»", "su madre [F]"},
		{policy.SafeHarbor, "su hermana «F|mayor Carmen»", "su hermana mayor [F]"},
		{policy.SafeHarbor, "su «F|sobrino Ruiz»", "su sobrino [F]"},
		{policy.SafeHarbor, "residía en «F|Madre de Dios»", "residía en [F]"},
		{policy.SafeHarbor, "«F|hermana»", "hermana"},
		// Words that describe relatives, and their ages, are no names.
		{policy.SafeHarbor, "con su «F|nueva pareja»", "con su nueva pareja"},
		{policy.SafeHarbor, "su «F|nueva pareja Legal»", "su nueva [F]"},
		{policy.SafeHarbor, "con su «F|hijo mediano»", "con su hijo mediano"},
		{policy.SafeHarbor, "con su «F|hijo Mediano»", "con su hijo [F]"},
		{policy.SafeHarbor, "«F|recién nacida» sana", "recién nacida sana"},
		{policy.SafeHarbor, "Madre a los «F|55 años»", "Madre a los 55 años"},
		{policy.SafeHarbor, "Madre a los «F|95 años»", "Madre a los [F]"},
		{policy.SafeHarbor, "«F|Carmen hermana»", "[F]"},
		{"all", "su «F|hermana Carmen»", "su [F]"},
	} {
		p, err := policy.Open(x.policy)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := p.Plan(replace.Tag, data.MEDDOCAN)
		if err != nil {
			t.Fatal(err)
		}
		d := engine(t, plan)
		long := func(text string) string {
			return strings.NewReplacer("«F|", "«"+typ+"|", "[F]", "["+typ+"]").Replace(text)
		}
		if got := clean(t, d, nil, long(x.in))[0]; got != long(x.want) {
			t.Errorf("%s: %q becomes %q", x.policy, x.in, got)
		}
	}
}
