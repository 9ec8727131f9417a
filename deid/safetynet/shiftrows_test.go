package safetynet

import (
	"slices"
	"testing"
)

// Residents with a first name alone stayed in the rows of a shift report.
func TestFirstNamesBehindRoomsStayed(t *testing.T) {
	for text, want := range map[string][]string{
		"211 Honorio 38,1. Paracetamol\n207 Amparo la maestra se ha caído\n210 Sor Piedad agitada\n":            {"Honorio", "Amparo", "Piedad"},
		"101 Fermín duerme mal\n\n102-A Eulalia Vega come poco\n104: Don Julián de la Vega, caída\nSin novedad": {"Fermín", "Eulalia Vega", "Julián de la Vega"},
		"Hab. 12 Rosario no cena\nHab. 14 Consuelo vómito\nHab. 15 Tomasa bien":                                 {"Rosario", "Consuelo", "Tomasa"},
		"Room 211 Harold febrile\nRoom 207 Agnes fell\nRoom 210 Winifred agitated\n":                            {"Harold", "Agnes", "Winifred"},
		"211 Honorio febril\n207 Eulalia bien":                                                                  nil,
		"211 Honorio febril\n211 Eulalia bien\n211 Tomasa bien":                                                 nil,
		"100 Glucosa\n120 Colesterol\n140 Sodio\n":                                                              nil,
		"1. Paracetamol\n2. Control\n3. Dieta\n4. Alta":                                                         nil,
		"10 unidades de insulina\n12 horas de ayuno\n15 mg de prednisona\n":                                     nil,
		"211 honorio febril\n207 eulalia bien\n210 tomasa bien":                                                 nil,
		"El 211 Honorio febril\nEl 207 Eulalia bien\nEl 210 Tomasa bien":                                        nil,
		"1. Luz apagada\n2. Rosa en la mesilla\n3. Sol por la mañana sin molestias":                             nil,
		"1 Jordan frame\n2 Foster care\n3 Robin sequence\n":                                                     nil,
	} {
		var got []string
		for _, s := range ShiftRows(text) {
			got = append(got, text[s.Start:s.End])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
