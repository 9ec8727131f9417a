package deid

import (
	"testing"

	"github.com/lethe-deid/lethe/deid/replace"
)

// Results of five digits were cut to three, as if they were ZIP codes, and nothing showed it.
func TestAResultWasCutToThreeDigits(t *testing.T) {
	d := engine(t, replace.Plan{Default: replace.Tag, ByType: map[string]replace.Kind{"ZIP": replace.Zip3, "STATE": replace.Keep}})
	for in, want := range map[string]string{
		"row=«ZIP|44718»":                         "row=[OTHER]",
		"seen «ZIP|15234» and well":               "seen [OTHER] and well",
		"lives in «CITY|Springfield» «ZIP|44718»": "lives in [CITY] 447",
		"«STREET|12 Elm St»\n«CITY|Dover», «STATE|Ohio» «ZIP|44718-1234»":                     "[STREET]\n[CITY], Ohio 447",
		"«ZIP|44718» «CITY|Dover»":                                                            "447 [CITY]",
		"«CITY|Dover»\n\n«ZIP|44718»":                                                         "[CITY]\n\n[OTHER]",
		"lives in «CITY|Dover». " + "Her weight and her appetite were good. " + "«ZIP|44718»": "lives in [CITY]. Her weight and her appetite were good. [OTHER]",
		"ZIP: «ZIP|44718», \"zip_code\": \"«ZIP|44718»\", postal code «ZIP|44718»":            "ZIP: 447, \"zip_code\": \"447\", postal code 447",
		"lives in «ZIP|44718», OH «ZIP|44718»":                                                "lives in 447, OH 447",
	} {
		if got := clean(t, d, nil, in); got[0] != want {
			t.Errorf("%q: %q, want %q", in, got[0], want)
		}
	}
}
