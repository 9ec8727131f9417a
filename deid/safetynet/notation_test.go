package safetynet

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/matching"
)

// withoutMarked returns a text without its marks «», and what WithoutNotation leaves of the marked span.
func withoutMarked(text, typ string) (plain string, left []string) {
	before, rest, _ := strings.Cut(text, "«")
	value, after, _ := strings.Cut(rest, "»")
	plain = before + value + after
	for _, s := range WithoutNotation(plain, []data.Span{{Start: len(before), End: len(before + value), Type: typ}}, func(typ string) data.Sort { return data.Any.Describe(typ).Sort }) {
		left = append(left, plain[s.Start:s.End])
	}
	return plain, left
}

// TestNotationsWereTakenForPHI has notations, in «», that networks took for names, ages, streets, numbers and dates.
func TestNotationsWereTakenForPHI(t *testing.T) {
	for _, text := range []string{
		// vital signs with full stops
		"O2 sat. «95». P. 94. B.P. 122/70, H.R. 97.", "O2 sat. 95. P. «94». B.P. 122/70", "P. 94. «B.P.» 122/70", "B.P. 122/70, H.R. «97».", "B.P. «131/73 P. 97»", "«B.P. 115-98»", "W.B.C. «94»", "M.C.V. «92»", "P.R. «96 R.R. 12»",
		"MAP avg. «94»", "Pulse ox. «95» on room air", "Doing well. B.S. «93», no hypoglycemia", "«A.M.» glucose 92", "A.M. glucose «92»", "I.Q. «95»", "see pp. «95-97»",
		"«T.A.» 124-74", "T.A. «124-74»", "T.A. 136-81, F.C. «94», F.R. 18", "F.C. «95 F.R. 21»", "P.V.C. 8, T.A.M. «94»", "Control de T.A. por la tarde «141-83»", "T.A.: 130/80\nF.C.: «97»", "Exploración: F.C. «94».", "T.A. «13/8», F.C. 95",
		// genetics
		"«chr3:31836795-27842826»", "hg19 «3:84605172»", "arr[GRCh37] 22q11.21(«18919477_21459713»)x1", "«NC_000017.11:g.43094692G>A»", "NP_009225.1:p.«Gly1756His»", "«ENST00000357654.9»", "ClinVar «47763504»", "«COSM3840»", "MTHFR «C677T»",
		"prothrombin «G20210A» heterozygous", "protrombina «G20210A»", "HFE «C282Y/H63D»", "p.Leu1420«Ter»", "«p.Leu1420Val»", "BRAF «V600E»",
		// series
		"Glucemias: «187 243 236 177»", "perfil glucémico «92-74-181-219»", "DXT «113-250-178»", "Accuchecks «67 241 207»", "FSBG «160-229-114-98»", "Perio: PD «323 434 545»", "PPD «#2 434 323 #3 535 434»", "PPD «323 434 323»", "«17: 434 333 16: 545 434»", "Pocketing «323 434 323»", "sondaje: «323 434»",
		// codes and citations
		"PT: RASH [«10037844»]; LLT: RASH MACULAR [10037867]", "LLT: RASH MACULAR «[10037867]»", "SRP UR «D4341», LR D4342", "«Arch Intern Med 2019;279:564»", "N Engl J Med «57:2411, 2018»", "«Med Clin (Barc) 2015;144»:12-9", "cholecystitis per «Tokyo 2018»",
		// fixed terms
		"fiebre de «Malta»", "agua de «Jamaica» diaria", "«Crimean-Congo» hemorrhagic fever", "fiebre de «Crimea-Congo»", "bálsamo del «Perú»", "«Rift Valley» fever", "mancha de vino de «Oporto»", "«puente de Varolio»", "«Canada C-Spine» negative", "«Sudán III» positivo",
		"«Hospital at Home» team", "acude a «Hospital de Día» los lunes", "«Personal Independence Payment» form", "flor de «Jamaica»", "síndrome de «Klippel Trenaunay»", "«St. John's» wort", "Dx: «Guillain-Barré».", "«Ross» procedure in 2015", "known «Epstein-Barr»\nvirus", "«Graves\ndisease»", "«Hill-Sachs» lesion", "«Holt-Oram» syndrome", "KIT «D816V»",
	} {
		if plain, left := withoutMarked(text, "PATIENT"); len(left) > 0 {
			t.Errorf("%q: %q is left", plain, left)
		}
	}
}

// TestPHIBesideNotationsStays has PHI, in «», that looks like a notation.
func TestPHIBesideNotationsStays(t *testing.T) {
	for _, text := range []string{
		"Pt H.R., «97» yo", "H.R. «97» yo woman", "H.R. «97»M with CHF", "Patient: H.R. «97»", "«H.R.» 97", "Seen by B.P. «12/8»", "visto por T.A. «12/8»", "Visto por T.A. el «12/8»", "A.B. 91, H.R. «97», C.D. 93", "H.R. «97» fell at home", "F.C. «94» años", "Paciente F.C. «94», ingresa",
		"Mother aged approx. «94»", "B.P. «617-555-0143»", "Wt. «3/14/21»", "«P. 94 Elm Street»",
		"BG «314-555-0143»", "DXT «612 345 678»", "Glucemias. Tel. «612 345 678»", "PD «323 434 5450»", "FSBG log, phone «617 555 0143»",
		"LUND, ODA [«10037844»]", "PT: LUND ODA [«10037844»]", "UR: «D4341»", "MRN «D4341» dental", "MRN: «NM_527977»", "plate «E123D»", "Lund O. «Vik A», 2019", "moved to «Atlanta 2012»", "seen by «Berlin 2012»",
		"«Malta»", "vive en «Malta»", "Dr. «Sturge Weber»", "Father «Sturge Weber» called", "«Rift Valley» Clinic", "12 «Rift Valley» Road", "«Hospital de Día» Infanta Leonor", "calle «Flor de Jamaica» 3", "«Rosa Malta»", "«Smith Magenis» called", "Hospital de Día «Salas»", "born in «Boston»", "attends «PS 188»", "drives for the «Red Cross»",
		// dates and numbers of records behind the label of glucoses or depths
		"Last BM «11-12-23», normal.", "GC «03-15-22» negative", "Blood sugar «12-25-20» was 140", "Glucose: «12-10-19» 140", "DXT «12-10-19»", "Glucemia capilar «12-10-19» 140", "BG of «2023-05-12»", "FSBG last «20-11-12»", "BG «12 25 45»",
		"BM: «45-67-89»", "BG «412-55-67»", "BG «123 456 789»", "Glucemias «45-67-89-91»", "REC: «234 567 891»", "PD «234 567 891»", "CAL: «323 434 545»", "PS «323 434»", "MG «323 434»", "PPD «612 345 678»", "PPD «323 434 3235»", "PPD «323 434»", "Tel. «17: 434 333 16: 545 434»", "17: «434 333 1616»", "1: «555 234 789» 2: 555 345",
		"Dental patient «D4341» seen", "Client «D4341», crown", "dental pt ID «D4341»", "Insurance plan «D4341» crown", "KIT «A1234C»", "RET «C4512G»", "MET «C4512G»",
		// initials and ages
		"Resident R.R. «94», found on floor.", "Re: B.S. «92», seen at home.", "Client H.R. «94»", "Veteran F.S. «92»;", "Uncle E.F. «94»", "Residents: H.R. «94», B.S. 91.", "Saw F.C. «94».", "Vecina F.C. «93»,", "Residentes: F.C. «94», F.R. 91.",
		"Discussed with «A.M.» report given.", "Nurse «P.M.» labs", "Report to «P.M.» shift", "Cosigned by «A.M.» labs", "Avisó a «A.M.» insulina",
		// dates with a time behind a word of a journal
		"Surgery «2023 Mar 12, 10:30».", "Pulm Rehabil «2021 Jul 4, 9:15»", "Urology («2023 Mar 12»), 10:30", "Wound Care «2023 Mar 12; 9:15»", "Womens Health «10:30, 2023»",
		// names at the end of a line, beside a label, or with a hyphen
		"Surgeon: «Ross»\nProcedure: CABG", "SURGEON: «ROSS»\nPROCEDURE: LEFT", "Signed by «Jones»\r\nFracture: none", "PCP «Murphy»\n\nSign here", "Surgeon: «Ross»  Procedure: bypass", "Surgeon: «Ross» Procedure: bypass", "Surgeon «Jones» fracture note",
		"City: «Denver»\nClassification: none", "Travel: «Rome»\nIV: 20G", "Travel: «Rome» IV 20G", "trip to «Rome» IV", "Flew in from «Rome» criteria unknown", "Ciudad: «Denver» II", "Cirujano: «Hartmann»\nProcedimiento: uno",
		"Seen by «Hill-Sachs», MD today", "Cc: «Riley-Day», NP", "Seen by «Stokes-Adams»", "Attending: «Holt-Oram»", "Surgeon: «Weber-Christian»\nAnesthesia: none", "«Williams-Beuren», RN", "per «Lambert-Eaton»", "Ross - «Procedure»", "Seen by «Jones» Fracture note", "Visto por «Jones» fracture", "Pt name: «Holt-Oram»", "Spoke with «Williams-Beuren» about labs", "Seen by «Cox-Maze», MD", "Signed «P.M.» labs", "granted by «Make-A-Wish»", "voluntario de «Cruz Roja»",
		"Firmado: «De Quervain».", "Apellidos: «Braxton Hicks»", "Derivada al «centro de día la paz»", "Patient: «Guillain Barre»",
	} {
		before, rest, _ := strings.Cut(text, "«")
		value, _, _ := strings.Cut(rest, "»")
		if plain, left := withoutMarked(text, "PATIENT"); !slices.Equal(left, []string{value}) {
			t.Errorf("%q behind %q: %q is left", plain, before, left)
		}
	}
}

// A span over a name and a vital sign was one, and the name must remain when the sign is taken out.
func TestNameBesideANotationRemains(t *testing.T) {
	for text, want := range map[string]string{"«Oda Lund B.P. 120/80»": "Oda Lund", "«C/ Mayor 3 T.A. 124-74»": "C/ Mayor 3", "«12 Elm Street, B.P. 131/73 P. 97»": "12 Elm Street", "seen «3/14 B.P. 120/80»": "3/14"} {
		if plain, left := withoutMarked(text, "STREET"); !slices.Equal(left, []string{want}) {
			t.Errorf("%q: %q is left", plain, left)
		}
	}
}

// A city that is replaced elsewhere stayed in no fixed term.
func TestPlacesOfTheNoteStayInFixedTerms(t *testing.T) {
	net := &Net{Types: data.Any}
	patterns := net.Originals([]Removed{{Text: "Oporto", Type: "CITY"}, {Text: "Jamaica", Type: "CITY"}})
	text := "Mancha de vino de Oporto. Toma flor de Jamaica. Vive en Oporto."
	if found := patterns.Find(text, nil); len(found) != 1 || found[0].Start != strings.LastIndex(text, "Oporto") {
		t.Errorf("%v", found)
	}
}

// Terms are listed with two words or more, because a single one may be PHI. Terms stood in both lists, or with a blank and, without any effect, with a hyphen.
func TestTermsHaveSeveralWordsAndStandOnce(t *testing.T) {
	seen := map[string]bool{}
	for line := range strings.Lines(listText("terms") + listText("terms_es")) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		for _, term := range phrases(line) {
			key := joined(split(term))
			if !strings.Contains(key, " ") || seen[key] {
				t.Errorf("%q is one word or stands twice", term)
			}
			seen[key] = true
		}
	}
}

// A cheap test decides which parts of a text are searched for fixed terms, in which those of the whole text are found.
func TestNoFixedTermIsExcluded(t *testing.T) {
	filler := strings.Repeat("x ", 40)
	for line := range strings.Lines(listText("terms") + listText("terms_es")) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		for _, term := range phrases(line) {
			for _, text := range []string{term, filler + "2 " + strings.ToUpper(term) + ". " + filler + term} {
				if got, want := termsIn(text), termsOf(text, split(text)); len(partsWithTerms(text)) == 0 || !slices.Equal(got, want) {
					t.Errorf("%q: %v, and %v in the whole text", text, got, want)
				}
			}
		}
	}
}

// TestGroupsExcludeNothing has texts that the expression of a notation matches, for which the expression of its group must match.
func TestGroupsExcludeNothing(t *testing.T) {
	filler := strings.Repeat(" x", 30) + " "
	for _, g := range formGroups() {
		for _, n := range g.forms {
			for _, text := range matching.Texts(t, n.form, 300) {
				for _, text := range []string{text, filler + text + filler} {
					if n.form.MatchString(text) && !g.any.MatchString(text) {
						t.Errorf("%q is excluded", text)
					}
				}
			}
		}
	}
}

// TestHintsOfVitalSignsExcludeNothing has vital signs, of which those that have no full stop are never found.
func TestHintsOfVitalSignsExcludeNothing(t *testing.T) {
	for _, text := range matching.Texts(t, sign, 3000) {
		m := sign.FindStringSubmatchIndex(text)
		if m == nil || m[0] > 0 || m[2*bareKind] >= 0 {
			continue
		}
		kind := slices.IndexFunc([]int{certainKind, pressureKind, likelyKind, letterKind}, func(kind int) bool { return m[2*kind] >= 0 })
		end := m[2*[]int{certainKind, pressureKind, likelyKind, letterKind}[kind]+1]
		if len(strings.Fields(text[end:m[2*valueGroup]])) > 1 && m[2*pressureKind] < 0 { // others count only without words
			continue
		}
		if stop := strings.LastIndexByte(text[:m[2*valueGroup]], '.'); stop >= 0 && !mayBeVital("x "+text[:stop], text[stop+1:]+" x") {
			t.Errorf("%q is excluded", text)
		}
	}
}

// TestVitalSignsAreFoundAnywhereInALongText was once in doubt, because only the surroundings of a full stop before a number are searched.
func TestVitalSignsAreFoundAnywhereInALongText(t *testing.T) {
	const signs = "T.A. 136/81, F.C. 94, F.R. 18"
	for length := range 600 {
		text := strings.Repeat("es. 2 x ñandú ", 1+length/16)[:length] + " " + signs + ". Sin más. " + strings.Repeat("3 ml. 4 ", 40)
		if !utf8.ValidString(text) {
			continue
		}
		found := data.Flatten(vitalsIn(text))
		if len(found) < 3 || !slices.ContainsFunc(found, func(s data.Span) bool { return text[s.Start:s.End] == "F.C. 94" }) {
			t.Errorf("after %d bytes: %v", length, found)
		}
	}
}
