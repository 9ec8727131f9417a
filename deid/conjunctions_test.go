package deid

import (
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
)

// The word between two addresses in one span became letters of an address: "and" became "zes".
func TestWordBetweenAddressesChanged(t *testing.T) {
	for _, tc := range []struct {
		value string
		sort  data.Sort
		want  string
	}{
		{"192.168.14.7 and 2001:db8::8a2e:370:7334", data.IP, "192.168.14.7|2001:db8::8a2e:370:7334"},
		{"192.0.2.7, 192.0.2.8 y 192.0.2.9", data.IP, "192.0.2.7, 192.0.2.8|192.0.2.9"},
		{"oda@lund.example or ida@vega.example or i@v.example", data.Email, "oda@lund.example|ida@vega.example|i@v.example"},
		{"617-555-0143 or 0144", data.Phone, "617-555-0143|0144"},
		{"FPC 17 U 00 I", data.Number, "FPC 17 U 00 I"},
		{"4471 and above", data.Number, "4471 and above"},
		{"Lund and Vega 7", data.Number, "Lund and Vega 7"},
		{"Lund and Vega", data.Person, "Lund and Vega"},
		{"4 and 5 March", data.Date, "4 and 5 March"},
	} {
		var got []string
		for _, s := range valuesApart(tc.value, []data.Span{{End: len(tc.value), Type: "X"}}, func(string) data.Sort { return tc.sort }) {
			got = append(got, tc.value[s.Start:s.End])
		}
		if strings.Join(got, "|") != tc.want {
			t.Errorf("%q: %q, want %q", tc.value, got, tc.want)
		}
	}
}
