package safetynet

import (
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
)

// Brands of drugs of other countries became institutions, towns and people: takes [ORGANIZATION] daily.
func TestBrandsOfDrugsWereTakenForNames(t *testing.T) {
	for marked, want := range map[string]bool{
		"She takes «Thyronorm» daily.":             true,
		"He ran out of «Thyronorm» last week.":     true,
		"Started on «Combiflam» yesterday.":        true,
		"is on «Panadeine Forte» for pain":         true,
		"Mum gave «Saridon» at 3 pm.":              true,
		"Allergic to «Augmentin».":                 true,
		"changed from «Diabex» to metformin":       true,
		"takes Concor 5 mg, «Ecosprin» and":        true,
		"Rx: «Crocin»":                             true,
		"«Rantac» 150 mg at night":                 true,
		"Se quedó sin «Enantyum».":                 true,
		"Se automedica con «Termalgin».":           true,
		"Alta con «Airtal».":                       true,
		"Le retiran el «Bilaxten».":                true,
		"alta con «Urolosin», ingesta 3 l":         true,
		"cura con «Varidasa»":                      true,
		"Alta con «Telma».":                        false,
		"Alta con «Lund».":                         false,
		"Alta con «Airtal» Lund":                   false,
		"habla con «Airtal».":                      false,
		"Suspendió «Cardyl» en marzo.":             true,
		"takes «Lovan» 20 mg":                      true,
		"Tab «Telma» 40":                           true,
		"Se cambia a «Zarelis»":                    true,
		"Le recetaron «Tafil».":                    true,
		"Paciente refiere que «Mitosyl» le va mal": true,
		"Called in «Lialda» to the pharmacy":       true,
		"stopped «Novavax» due to nausea":          true,
		"«Jantoven» was denied by insurance":       true,
		"- «Gocovri»":                              true,
		"1- «Veklury».":                            true,
		"Allergic to «Germolene».":                 true,
		"- «Gocovri» Lund":                         false,
		"refiere que «Lund» le va mal":             false,
		"Called in «Lund» to the pharmacy":         false,
		"Paciente refiere que «Mitosyl» vino":      false,
		"takes «Lovan» daily":                      false,
		"Nurse gave «Razon» a bath.":               false,
		"Team needs «Razon» to sign.":              false,
		"Mother held «Dalsy» and left":             false,
		"took «Amlong» home":                       false,
		"gave «Dalsy» 5 ml":                        true,
		"started on «Telma» today":                 false,
		"Seen by «Crocin» today.":                  false,
		"lives in «Crocin» with":                   false,
		"on «Crocin» ward":                         false,
		"on «Crocin» Street":                       false,
		"started on «Crocin» Lund":                 false,
		"Dr. «Crocin» was here":                    false,
		"takes «Thyronorm Lund»":                   false,
		"takes «Lund» to school":                   false,
		"Started on «Combiflam»'s":                 false,
		"She takes\n«Thyronorm»":                   false,
		"Vive en «Nolotil» con su hija":            false,
		"la doctora «Enantyum» 2 veces la recibió": false,
	} {
		before, rest, _ := strings.Cut(marked, "«")
		value, after, _ := strings.Cut(rest, "»")
		if got := IsBrand(before+value+after, data.Span{Start: len(before), End: len(before) + len(value)}); got != want {
			t.Errorf("%s: %v", marked, got)
		}
	}
}
