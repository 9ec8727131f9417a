package safetynet

import "testing"

// B.I.D. behind a dose was the name of a patient or a doctor. The spans are between angle brackets.
func TestDoseAbbreviationsWereNames(t *testing.T) {
	for source, want := range map[string]bool{
		"metformin 500 mg p.o. <B.I.D.> and glipizide 5 mg Q.D.": true,
		"insulin 10 units <B.I.D.>":                              true,
		"Colace 100 mg <B.I.D>., and was told":                   true,
		"metoprolol 50 mg <p.o. b.i.d.>":                         true,
		"Lasix 40 mg <I.V.> Given at noon":                       true,
		"heparin 5000 units <S.C.> Q.8H.":                        true,
		"2 tablets P.O. Q.4-<6>H. <P.R.N.> pain":                 true,
		"glargine 10 units <Q.H.S.>":                             true,
		"metformin 500 mg T.I.D. A.C. and <H.S.>":                true,
		"metformin 500 mg p.o. <A.C.>":                           true,
		"Lasix P.O. <B.I.D.>":                                    true,
		"amoxicillin 500 mg <T.D.S.>":                            true,
		"morphine 2-4 mg, <Q.4H.>":                               true,
		"omeprazol 20 mg <V.O.> C/12 H.":                         true,
		"enoxaparina 40 mg <S.C. C/24 H.> y reposo":              true,
		"furosemida 2 ampollas <P.R.N.>":                         true,
		"lorazepam 1 mg <I.M.> STAT":                             true,
		"Seen by <B.I.D.>":                                       false,
		"metformin 500 mg <J.D.>":                                false,
		"metformin 500 mg <A.C.>":                                false,
		"Lasix 40 mg, <P.O.>":                                    false, // signed
		"Lasix 40 mg. <I.V.>":                                    false,
		"Lasix 40 mg <I.V.> Okoro":                               false,
		"Lasix 40 mg <H.S.>, RN":                                 false,
		"Lasix 40 mg <P.O.>/RN":                                  false,
		"Lasix 40 mg <B.I.D. Okoro>":                             false,
		"Lasix 40 mg <B.I.D.>, Dr. <Okoro>":                      false, // the second
		"Tylenol 500 mg PO <PR>":                                 false,
		"Tylenol 500 mg (<I.M.>)":                                false,
		"Tylenol 500 mg p.o., <I.M.>":                            false,
		"Tylenol 500 mg <I.M.> Page, RN":                         false,
		"Tylenol 500 mg T.I.D., <O.D.> Young RN":                 false,
		"Tylenol 500 mg B.I.D. <A.C.> Grace":                     false,
		"Given 5 mg P.O. <P.R.>, Brown RN":                       false, // a name behind a sign or a line end
		"Given 5 mg P.O. <P.R.>\nBrown RN":                       false,
		"Given 5 mg P.O. <P.R.> - Okoro, RN":                     false,
		"Tylenol 500 mg P.O. <H.S.>; Garcia":                     false,
		"Given 5 mg P.O. <P.R.>, Colace 100 mg":                  true,
		"Room 40 <H.S.>":                                         false,
		"Given 40 mg by <S.C.>":                                  false,
		"40 mg\n<P.O.>":                                          false,
		"<I.V.>":                                                 false,
	} {
		text, spans := marked(source)
		if got := IsDoseAbbreviation(text, spans[len(spans)-1]); got != want {
			t.Errorf("%s: %v", source, got)
		}
	}
}
