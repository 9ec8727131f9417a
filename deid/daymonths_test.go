package deid

import (
	"testing"

	"github.com/lethe-deid/lethe/data"
)

// In one list, some days and months were replaced and others stayed, which gives a shift away. The rules of the language find the first ones.
func TestDaysAndMonthsOfAListStayed(t *testing.T) {
	for _, tc := range []struct{ language, text, want string }{
		{"es", "Hemocultivos 7/4 positivos; inicia cefazolina 8/4. Punción 6/4 de 1200 cc, Na 138 (9/4), EVA 6/4.", "Hemocultivos [FECHAS] positivos; inicia cefazolina [FECHAS]. Punción [FECHAS] de 1200 cc, Na 138 ([FECHAS]), EVA 6/4."},
		{"en", "Events: 3/4 fall; seen 3/5; tap 3/6, admitted 3/8, nodes 3/7.", "Events: 3/4 fall; seen [DATE]; tap [DATE], admitted [DATE], nodes 3/7."},
		{"en", "Labs 3/5 normal. Nodes 3/7, tap 3/6.", "Labs [DATE] normal. Nodes 3/7, tap 3/6."},
	} {
		net, err := NewNet("auto", data.Any)
		if err != nil {
			t.Fatal(err)
		}
		net.Languages = func(string) []string { return []string{tc.language} }
		d := &Deidentifier{Net: net}
		results := d.Notes(t.Context(), []Note{{Document: &data.Document{ID: "n", Text: tc.text}}})
		if got := results[0].Clean.Text; got != tc.want {
			t.Errorf("%q became %q, want %q", tc.text, got, tc.want)
		}
	}
}
