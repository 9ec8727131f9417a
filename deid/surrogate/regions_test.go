package surrogate

import (
	"testing"

	regions "golang.org/x/text/language"
)

// TestCodesOfCountries compares the codes with those of another library.
func TestCodesOfCountries(t *testing.T) {
	for code := range countryCodes() {
		if r, err := regions.ParseRegion(code); err != nil || !r.IsCountry() || r.String() != code && r.ISO3() != code {
			t.Errorf("%s is no code of a country: %v", code, err)
		}
	}
}

func TestIsRegionOfField(t *testing.T) {
	for _, x := range []struct {
		sort  Sort
		value string
		want  bool
	}{
		{Country, "MX", true}, {Country, "ESP", true}, {Country, " CHL ", true}, {Country, "mx", false}, {Country, "XX", false}, {Country, "Getafe", false},
		{State, "Jalisco", true}, {State, "NUEVO LEON", true}, {State, "Región Metropolitana", true}, {State, "Araucanía", true}, {State, "Antioquia", true}, {State, "Temuco", false},
		{City, "Jalisco", false}, {State, "MX", false}, {State, "", false}, {Country, "", false},
	} {
		if got := IsRegionOfField(x.sort, x.value); got != x.want {
			t.Errorf("%s %q: %v", x.sort, x.value, got)
		}
	}
}
