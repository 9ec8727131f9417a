package safetynet

import (
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/matching"
)

// The cheap tests before the expressions of genes and of drugs exclude nothing that these match.
func TestTestsOfGenesAndDrugsExcludeNothing(t *testing.T) {
	for _, value := range matching.Texts(t, ofGene, 5000) {
		if value != "" && !termAt(value, data.Span{End: len(value)}).beginsLikeGene() {
			t.Errorf("%q is excluded", value)
		}
	}
	for _, word := range matching.Texts(t, drugEnding, 5000) {
		if !lettersOfDrugs[word[len(word)-3:]] {
			t.Errorf("%q is excluded", word)
		}
	}
}

func testClinical(t *testing.T, cases map[string]bool) {
	t.Helper()
	for marked, want := range cases {
		before, rest, _ := strings.Cut(marked, "«")
		value, after, _ := strings.Cut(rest, "»")
		if got := IsClinical(before+value+after, data.Span{Start: len(before), End: len(before) + len(value)}); got != want {
			t.Errorf("%s: %v", marked, got)
		}
	}
}

// Diseases and operations that stand alone or in a list of problems became people, institutions and dates.
func TestDiseasesWereTakenForNames(t *testing.T) {
	testClinical(t, map[string]bool{
		"Hx: «Kwashiorkor», CKD.": true, "Hx: «Osteomalacia», CKD.": true, "1- «Agoraphobia».": true, "«KLEPTOMANIA» TREATED": true, "Refer for «Anhedonia».": true, "AP: «Orzuelo», HTA.": true,
		"Derivo por «Narcolepsia».": true, "Derivo por «Hidrosálpinx».": true, "- «Lichen planus»": true, "Dolor en «OIZQ».": true, "F/u for «XGP».": true,
		"4. Volume overload  5. «Rhabdo»": true, "«Melaena» 1x overnight": true,
		"Dr. «Rhabdo»": false, "Dr. «Osteomalacia»": false, "Patient: «Agoraphobia»": false, "«Agoraphobia» Lund": false, "Kari «Agoraphobia»": false, "«Agoraphobia» Clinic": false, "calle «Porfiria» 3": false, "1- «Politis»": false, "- «Noemia»": false, "Visto por «Narcolepsia»": false,
		"Seen at «XGP».": false, "«Choque»": false, "Hx: «Rose», CKD.": false, "su hija «Porfiria»": false,
	})
}

// The first letter of a microbe and its species became a clinician, and serovars became towns.
func TestMicrobesWereTakenForNames(t *testing.T) {
	testClinical(t, map[string]bool{
		"caused by «C. koseri»": true, "caused by «P.» jirovecii": true, "Treated for S. «Dublin» last year.": true, "Shigella flexneri, Sh. «sonnei»": true, "Infección por «M. chelonae».": true, "Treated for «Morganella» morganii": true,
		"PCR positiva para «K. kingae»": true, "CULTIVO: «C. AURIS»": true, "Infección por «S. Newport»": true,
		"«J. mansoni» called": false, "«C. mansoni», RN": false, "Fdo: «M. suis»": false, "seen by «C. Quintana»": false, "«S. Dublin», RN": false, "caused by «J. Lund»": false, "Dr. «C. Koseri»": false, "lives in «Dublin»": false, "Dr. «S.» sonnei": false, "Treated for «J. Dublin»": false,
	})
}

// Instruments became institutions and people, and their sizes became rooms.
func TestInstrumentsWereTakenForNames(t *testing.T) {
	testClinical(t, map[string]bool{
		"The «Balfour» was placed in the wound.": true, "the «Kelly» was then removed": true, "A 19 «Kocher» drain was left.": true, "A «19» Kocher drain was left.": true,
		"«Kelly» was placed in foster care.": false, "The «Kelly» was placed on hold": false, "The «Kelly» family": false, "Dr. «Balfour» was": false, "Room «19» Kocher drain": false, "The «Lund» was placed": false,
	})
}

// A verb with its object, such as "to establish care", became an institution.
func TestPurposeOfAVisitWasTakenForAnInstitution(t *testing.T) {
	testClinical(t, map[string]bool{
		"She is here to «establish care».": true, "admitted to «undergo dialysis»": true, "Pt here to «establish primary care».": true, "here to «restore fertility»": true,
		"to «establish care with mercy»": false, "to «establish Care»": false, "went to «mercy hospital»": false, "to «establish care at the clinic»": false, "«establish care»": false,
	})
}

// Interjections of a conversation became people.
func TestInterjectionsWereTakenForNames(t *testing.T) {
	testClinical(t, map[string]bool{
		"«Aha», no pain.": true, "Yeah, «Uhh», it hurts.": true, "«O. K.» And how long?": true, "Doctor: «Ahh», go on.": true, "«O. K.», go on.": true,
		"«Oh», RN": false, "Dr. «Aha»": false, "Initials: «O. K.»": false, "Nurse «O. K.» gave": false, "«Aha» Lund": false, "«Yep», no": false, "«MM», 40": false, "«HM», RN": false, "«AAH», 40": false, "«Mmm», not really": true, "«O. K.», 40 years": false,
	})
}

// Genes behind the words for a carrier became serial numbers and institutions.
func TestGenesOfCarriersWereTakenForNumbers(t *testing.T) {
	testClinical(t, map[string]bool{
		"Portador de «JAK2» V617F": true, "heterocigoto para «PT G20210A»": true, "Portador de «DNMT3A R882H»": true, "heterocigoto para «GBA» N370S": true, "carrier of «MLH1»": true, "Biología molecular: PT «G20210A»": true,
		"Portador de «DAI A1234C»": false, "Portador de «A1234-C»": false, "NHC: «G20210A»": false, "vive en «JAK2»": false,
	})
}

// A tomography of the eye became October, and a body with its side became a person.
func TestTomographiesAndSidesOfTheBodyWereTakenForOther(t *testing.T) {
	testClinical(t, map[string]bool{
		"In this case, «OCT» shows that": true, "En la «OCT» se observa edema": true, "«OCT»: normal": true, "Presenta «Oído Izquierdo»": true, "Tras «Oído» Izquierdo": true,
		"On «OCT» 12 she": false, "12 «OCT» shows": false, "visit in «OCT» 2019": false, "Dr. «Izquierdo»": false, "«Mano Izquierdo»": false, "«Pilar Izquierdo»": false, "Paciente «Izquierdo»": false,
	})
}

// Public agencies that recommend or approve became institutions.
func TestAgenciesThatRecommendWereTakenForInstitutions(t *testing.T) {
	testClinical(t, map[string]bool{
		"on the «NCI» website": true, "Según la «SEGO», se": true, "«Food and Drug Administration» approval": true, "NIH: «National Institute of Neurological Disorders and Stroke»": true, "«FDA»-approved": true,
		"works at the «FDA»": false, "Jefe de la «SEMI» en Lugo": false, "on the «NCI» staff": false, "retired from the «National Cancer Institute»": false, "«Mercy» guidelines": false,
	})
}

// Adjectives behind a word for a relative became names of relatives.
func TestAdjectivesOfRelativesWereTakenForNames(t *testing.T) {
	testClinical(t, map[string]bool{
		"hijo «único»": true, "HIJO «ÚNICO»": true, "tutora «legal»": true, "hija «mediana»": true, "cuidadora «principal»": true, "pareja «actual»": true,
		"hijo «Mediano»": false, "HIJO «MEDIANO»": false, "pareja «Legal»": false, "firmado «legal»": false, "hijo «Iker»": false,
	})
}
