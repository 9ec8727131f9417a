package safetynet

import (
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
)

// A religion, a people or a language that was all of a field was taken for a name.
func TestDemographicWordsAloneAreNoNames(t *testing.T) {
	for text, want := range map[string]bool{
		"Catholic": true, "Mestizo": true, " Aimara\n": true, "Evangélico": true, "MAORI": true, "Urdu": true, "Jehovah's Witness": true, "en paro": true, "Boliviana": true, "Testigo de Jehová": true,
		"Blanca": false, "Christian": false, "White": false, "Lund": false, "Christian Lund": false, "Religion: Urdu": false, "": false, "Dolores": false, "German": false,
	} {
		if got := NoName(text, data.Span{Start: 0, End: len(text)}); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// The disease of a relative was taken for the name of this relative.
func TestDiseasesOfRelativesWereTakenForNames(t *testing.T) {
	for text, want := range map[string]bool{
		"«Turner»": false, "Niece «Turner»; nephew Duchenne; uncle Cushing.": true, "Niece Turner; nephew «Duchenne».": true, "FHx: sister «Graves»": true, "AF: padre «Parkinson», tío Huntington": true,
		"Hijo «Duchenne», hermano Crohn.": true, "Cousin «Wilson», mother DM": true, "Mother: Hashimoto. Father: «Barrett».": true, "Sister with «Graves», cousin Marfan": true,
		"Antecedentes familiares: abuela «Alzheimer»":    true,
		"Lives with niece «Turner» and cousin Wilson.":   false,
		"Niece «Turner» Haugstad; nephew Duchenne":       false,
		"Daughter «Graves» called; RN Turner informed":   false,
		"FHx: none\nDaughter «Turner» called":            false,
		"FHx: seen by «Turner»":                          false,
		"Son «Lund», mother DM":                          false,
		"nurse «Turner». FHx:\nniece Duchenne, aunt DM2": false,
	} {
		before, rest, _ := strings.Cut(text, "«")
		name, after, _ := strings.Cut(rest, "»")
		if got := NoName(before+name+after, data.Span{Start: len(before), End: len(before + name)}); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// The span of a network over a relative and the disease was left, and eponyms were missing from the list.
func TestDiseasesTogetherWithTheRelativeWereTakenForNames(t *testing.T) {
	for text, want := range map[string]bool{
		"AF: «tía Kawasaki», padre DM.": true, "Antecedentes familiares: «abuela Gaucher», padre HTA.": true, "«madre Wilms», padre HTA": true, "AF: «tía materna Bartter».": true, "FH: father «Gitelman», mother HTN": true, "Mother: «Crohn»": false, "FHx: Mother: «Crohn»": true,
		"«tía Hunter» trae informes": false, "Mother: «Hunter»": false, "mother «Gardner» at bedside": false, "AF: «tía Lund», padre DM.": false,
	} {
		before, rest, _ := strings.Cut(text, "«")
		name, after, _ := strings.Cut(rest, "»")
		if got := NoName(before+name+after, data.Span{Start: len(before), End: len(before + name)}); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// A brother, a son or a husband in the same line as a family history kept his name.
func TestRelativesBesideAFamilyHistoryKeptTheirNames(t *testing.T) {
	for _, text := range []string{
		"Brother «Wilson» drove her. Father has CAD, mother has DM.", "Accompanied by son «Wilson». Brother ALS.", "Patient lives with brother «Wilson»; mother dm2.", "Brother «Wilson». Mother DM.",
		"FHx: father CAD. Husband «Wilson» phone 555-342-1111, wife Turner.", "FHx: father CAD, husband «Wilson», son Turner", "Fam hx: reviewed with husband Gilbert and daughter «Turner».",
		"Family history: unknown. Patient's son «Gilbert» will call.", "Emergency contact: brother «Wilson» 555-342-1234. Family history reviewed with sister Graves.",
		"FHx: sister «Graves», who called", "FHx: sister «Graves» 555-342-1234", "FHx: mother DM. Sister «Graves» at bedside", "Mother DM, brother «Wilson», both at bedside", "Vive con hermano «Gilbert». Madre HTA, padre cáncer.",
	} {
		before, rest, _ := strings.Cut(text, "«")
		name, after, _ := strings.Cut(rest, "»")
		if NoName(before+name+after, data.Span{Start: len(before), End: len(before + name)}) {
			t.Error(text)
		}
	}
	for _, text := range []string{"FHx: mother DM, HTN, father CAD at 50 and sister «Graves».", "Fam hx: maternal aunt «Graves» disease age 30", "Madre HTA, hermano «Gilbert»."} {
		before, rest, _ := strings.Cut(text, "«")
		name, after, _ := strings.Cut(rest, "»")
		if !NoName(before+name+after, data.Span{Start: len(before), End: len(before + name)}) {
			t.Error(text)
		}
	}
}

// Contacts kept their names, because current surnames were among the diseases, and a relative with a colon needed no heading.
func TestContactsWereTakenForAFamilyHistory(t *testing.T) {
	for text, want := range map[string]bool{
		"Emergency contacts:\nMother: «Gardner»\nFather: Lund": false, "Next of kin. Sister: «Cooley». Phone 555-342-1234.": false, "PERSONS PRESENT\nMother: «Alzheimer»": false, "Mother: «Plummer»\nFather: HTN": false,
		"Family history: mother «Gardner», son Hunter.": false, "Family history: mother Gardner, son «Hunter».": false, "FH: brother «Leigh», mother DM": false, "AF: madre «Horton», padre HTA": false,
		"Contactos:\nMadre: «Conn»\nPadre: Lund": false, "Mother: Gardner. Father: «Barrett».": false,
		"Family history: mother «Huntington», son Duchenne.": true, "FH: brother «Gitelman», mother DM": true, "AF: madre «Alzheimer», padre HTA": true,
	} {
		before, rest, _ := strings.Cut(text, "«")
		name, after, _ := strings.Cut(rest, "»")
		if got := NoName(before+name+after, data.Span{Start: len(before), End: len(before + name)}); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
