package safetynet

import (
	"strings"
	"testing"
)

// finds marks what a net finds for values in a text.
func finds(t *testing.T, removed []Removed, text string) string {
	t.Helper()
	return show(text, (&Net{Types: types(t)}).Originals(removed).Find(text, nil))
}

// A city, an employer or a hospital that is an ordinary word, too, erased this word from all notes of the patient.
func TestPlacesErasedOrdinaryWords(t *testing.T) {
	removed := []Removed{{"Normal", "CITY"}, {"Reading", "CITY"}, {"Weed", "CITY"}, {"Bath", "CITY"}, {"Hurricane", "CITY"}, {"Buffalo", "CITY"}, {"Independence", "CITY"}, {"Battle", "CITY"},
		{"Target", "ORGANIZATION"}, {"Staples", "ORGANIZATION"}, {"Delta", "ORGANIZATION"}, {"Next", "ORGANIZATION"}, {"Mercy", "HOSPITAL"}, {"Methodist", "HOSPITAL"}, {"Camas", "CITY"}, {"Granada", "CITY"}, {"Boots", "ORGANIZATION"}, {"ONCE", "ORGANIZATION"}, {"Salto", "CITY"}, {"Wells", "CITY"}}
	for text, want := range map[string]string{
		"Lungs: Normal. Normal S1 S2. EXAM NORMAL. Gait normal, Target INR 2-3. INR at target.": "",
		"Reading glasses. BP Reading 140/90. Staples removed. Delta troponin 4. Delta: 3":       "",
		"Bed bath. Bath given. hurricane spray used. Buffalo hump, buffalo hump. Weed daily":    "",
		"Independence with ADLs. Battle sign neg. Religion: Methodist. Religion Methodist":      "",
		"Next session in a week. Mercy flight. Target lesion LAD. Target HR 120":                "",
		"Normal": "",
		"Camas disponibles: 3. EN CAMAS SEPARADAS. Granada, en su piel":            "",
		"Vitals\nNormal\nTarget: 120. Plan: Target INR, mental state: Normal":      "",
		"Lives in Normal, Illinois. Went back to Normal yesterday.":                "Lives in [CITY|Normal], Illinois. Went back to [CITY|Normal] yesterday.",
		"14 Elm Ct, Normal, IL 61761":                                              "14 Elm Ct, [CITY|Normal], IL 61761",
		"Normal, Illinois":                                                         "[CITY|Normal], Illinois",
		"City: Reading. Employer: Target":                                          "City: [CITY|Reading]. Employer: [ORGANIZATION|Target]",
		"works at target, lives in weed, target INR":                               "works at [ORGANIZATION|target], lives in [CITY|weed], target INR",
		"Target called about his shift. Moved from Bath.":                          "[ORGANIZATION|Target] called about his shift. Moved from [CITY|Bath].",
		"Boss at Next. Next week. Transferred from Mercy; Mercy records":           "Boss at [ORGANIZATION|Next]. Next week. Transferred from [HOSPITAL|Mercy]; [HOSPITAL|Mercy] records",
		"His friends in Hurricane and the Methodist staff":                         "His friends in [CITY|Hurricane] and the [HOSPITAL|Methodist] staff",
		"Boots, Thurso. Salto, 7/7/2071. Vende cupones de la ONCE. No come carne.": "[ORGANIZATION|Boots], Thurso. [CITY|Salto], 7/7/2071. Vende cupones de la [ORGANIZATION|ONCE]. No come carne.",
		"VISTA A LAS ONCE HORAS. Once días. De once a doce. Wells BA5 7QX":         "VISTA A LAS ONCE HORAS. Once días. De once a doce. [CITY|Wells] BA5 7QX",
		"LIVES IN READING. 41900 CAMAS. Vive en Camas. Policía Local de CAMAS":     "LIVES IN [CITY|READING]. 41900 [CITY|CAMAS]. Vive en [CITY|Camas]. Policía Local de [CITY|CAMAS]",
	} {
		if want == "" {
			want = text
		}
		if got := finds(t, removed, text); got != want {
			t.Errorf("%s, want\n%s", got, want)
		}
	}
}

// A city erased the scales, devices and organisms that are named after it.
func TestPlacesErasedScales(t *testing.T) {
	var removed []Removed
	for _, city := range []string{"Boston", "Bristol", "Denver", "Rome", "Montreal", "Miami", "Stanford", "Philadelphia", "Edinburgh", "Glasgow", "Vancouver", "Toronto", "Milan", "Atlanta", "Tokyo", "Chicago",
		"Los Angeles", "Coxsackie", "Springfield", "Paris", "Birmingham"} {
		removed = append(removed, Removed{city, "CITY"})
	}
	removed = append(removed, Removed{"Mayo", "HOSPITAL"})
	for text, want := range map[string]string{
		"Boston prep 2/3/2, Boston 2/3/2. Boston prep score 8. Boston Scientific lead. Stool Bristol 4, Bristol type 6 x2": "",
		"Denver II passed. Rome IV. Montreal A2L3B1. Miami J collar. Stanford A. Type Stanford B dissection":               "",
		"Philadelphia chromosome positive. Edinburgh 9/30. Glasgow Coma Scale 15. Glasgow-Blatchford 6. Vancouver B2":      "",
		"Toronto bronchiolitis score. Within Milan. Revised Atlanta. Tokyo grade II. Chicago classification type II":       "",
		"Los Angeles grade B. Coxsackie A16. Mayo 2, partial Mayo 5. Montreal Cognitive Assessment Scale. Paris 0-IIa":     "",
		"Springfield Criteria; escala de Montreal 24; Springfield chromosome":                                              "",
		"She went back to Boston. Boston is cold. From Denver 3/4. In Miami. Moved from Rome 4 years ago.":                 "She went back to [CITY|Boston]. [CITY|Boston] is cold. From [CITY|Denver] 3/4. In [CITY|Miami]. Moved from [CITY|Rome] 4 years ago.",
		"boston, Springfield police, Springfield 62704. Mayo records, Mayo Clinic. Lives in Bristol with a low score":      "[CITY|boston], [CITY|Springfield] police, [CITY|Springfield] 62704. [HOSPITAL|Mayo] records, [HOSPITAL|Mayo] Clinic. Lives in [CITY|Bristol] with a low score",
		"Birmingham B15 2TT":                              "[CITY|Birmingham] B15 2TT",
		"Los Angeles County; Vancouver, BC; Rome A. Lund": "[CITY|Los Angeles] County; [CITY|Vancouver], BC; [CITY|Rome] A. Lund",
	} {
		if want == "" {
			want = text
		}
		if got := finds(t, removed, text); got != want {
			t.Errorf("%s, want\n%s", got, want)
		}
	}
}

// A known city replaced the whole result "Normal" of a laboratory.
func TestKnownCityIsNoResult(t *testing.T) {
	p := (&Net{Types: types(t)}).Known([]Value{{Kind: City, Text: "NORMAL"}, {Kind: Hospital, Text: "Mercy"}, {Kind: City, Text: "Boston"}})
	for text, want := range map[string]string{
		"Normal": "Normal", "NORMAL": "NORMAL", "NOR^Normal": "NOR^Normal", "Clarity: Normal": "Clarity: Normal", "Home: 4 Elm, Normal, IL 61761": "Home: 4 Elm, [CITY|Normal], IL 61761",
		"Boston": "[CITY|Boston]", "Boston 2/3/2": "Boston 2/3/2",
	} {
		if got := show(text, p.Find(text, nil)); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// The surname of a nurse or the patient erased the eponym, without a noun behind it.
func TestSurnamesErasedEponyms(t *testing.T) {
	var removed []Removed
	for _, name := range []string{"Foley", "Murphy", "Wells", "Fisher", "Swan", "Weber", "Hickman", "Bishop", "Garden", "Allen", "Graves", "Ross", "Kelly", "Hodgkin", "Barrett", "Hunt", "Clark"} {
		removed = append(removed, Removed{"Ida " + name, "DOCTOR"})
	}
	for text, want := range map[string]string{
		"Foley draining clear. Foley removed at 0600. Foley in place, FOLEY DC'D, D/C Foley. No Foley; Lines: Foley. Foley: yes": "",
		"Murphy negative, no Murphy, Murphy +, Murphy (-). Positive Murphy":                                                      "",
		"Wells 4.5, PERC 1. Wells 3. PE: Wells low. SAH Fisher 3, Fisher 4. Hunt and Hess 2. Bishop 6, cervix soft":              "",
		"Swan floated, Hickman flushed, Garden IV. Weber B fracture. Weber midline. Allen normal bilat":                          "",
		"hx of Graves, Dx: Graves, treated for Graves, Graves in remission, s/p Ross, dx Hodgkin 2014, Non-Hodgkin":              "",
		"Two Kellys placed, curved Kelly, a Kelly clamp. Ross procedure. Barrett C2M4; EGD: Barrett's, no ulcer":                 "",
		"Foley placed the order. RN Foley removed it. Foley called. Told Foley. Wells 3 days ago, Clark 5 pm":                    "[DOCTOR|Foley] placed the order. RN [DOCTOR|Foley] removed it. [DOCTOR|Foley] called. Told [DOCTOR|Foley]. [DOCTOR|Wells] 3 days ago, [DOCTOR|Clark] 5 pm",
		"Murphy positive for flu. Weber B. was here, Weber B Lund, with Ross. Barrett's daughter. Dr. Allen normal":              "[DOCTOR|Murphy] positive for flu. [DOCTOR|Weber B]. was here, [DOCTOR|Weber] B Lund, with [DOCTOR|Ross]. [DOCTOR|Barrett]'s daughter. Dr. [DOCTOR|Allen] normal",
		"Allen was seen, Ross signed, Bishop on call, per Hunt; Hickman RN, Kelly 4/5/2071":                                      "[DOCTOR|Allen] was seen, [DOCTOR|Ross] signed, [DOCTOR|Bishop] on call, per [DOCTOR|Hunt]; [DOCTOR|Hickman] RN, [DOCTOR|Kelly] 4/5/2071",
	} {
		if want == "" {
			want = text
		}
		if got := finds(t, removed, text); got != want {
			t.Errorf("%s, want\n%s", got, want)
		}
	}
}

// Verbs, ages and moods behind a frequent surname that is also a device, a sign or a score left the surname.
func TestDeedsOfPeopleMadeThemEponyms(t *testing.T) {
	for surname, text := range map[string]string{
		"Blake":   "[DOCTOR|Blake] d/c home. [DOCTOR|Blake] removed IV. [DOCTOR|Blake] d/c today. Both [DOCTOR|Blake] and wife. Continue [DOCTOR|Blake] on lasix. [DOCTOR|Blake] dc'd. Curved Blake",
		"Foley":   "[DOCTOR|Foley] placed IV. [DOCTOR|Foley] flushed line. [DOCTOR|Foley] changed bag. [DOCTOR|Foley] accessed port. Foley changed. Foley placed by urology, Foley d/c'd at 10",
		"Hickman": "No [DOCTOR|Hickman] concerns. [DOCTOR|Hickman] placed on oxygen. [DOCTOR|Hickman], d/c home. [DOCTOR|Hickman] d/c. Lines: [DOCTOR|Hickman], RN. No Hickman. Hickman accessed",
		"Kelly":   "[DOCTOR|Kelly] changed position. [DOCTOR|Kelly] in place. Access: [DOCTOR|Kelly], RN. [DOCTOR|Kelly] removed. Kelly clamp",
		"Clark":   "[DOCTOR|Clark] 3 kids at home. [DOCTOR|Clark] low mood. Clark III. Clark 4",
		"Fisher":  "[DOCTOR|Fisher] 2 falls this week. [DOCTOR|Fisher] low. Fisher 3. Fisher 3 hemorrhage",
		"Mason":   "[DOCTOR|Mason] 34 yo. [DOCTOR|Mason] 34. [DOCTOR|Mason] class tomorrow. Mason II fracture",
		"Hawkins": "[DOCTOR|Hawkins] normal affect. Has [DOCTOR|Hawkins]. Hawkins positive on exam. Hawkins test",
		"Norton":  "[DOCTOR|Norton] low mood. Norton low risk. Norton 14",
		"Murphy":  "[DOCTOR|Murphy] neg COVID. [DOCTOR|Murphy] positive attitude. Murphy negative. No Murphy. Murphy sign",
		"Addison": "[DOCTOR|Addison] resolved to quit. [DOCTOR|Addison] normal. No [DOCTOR|Addison]. Hx of Addison. Treated for Addison with steroids",
		"Ross":    "[DOCTOR|Ross] test pending. [DOCTOR|Ross] class. S/p [DOCTOR|Ross] visit. S/p Ross. Ross procedure",
		"Graves":  "Mr. [DOCTOR|Graves] has no pain. Assessment: [DOCTOR|Graves] is well. Hx: [DOCTOR|Graves], 45M. Hx: Graves. Graves in remission",
		"Bell":    "[DOCTOR|Bell] pos for COVID. [DOCTOR|Bell] resolving. Assessment: [DOCTOR|Bell] is well. Has [DOCTOR|Bell]. Bell palsy",
	} {
		plain := strings.NewReplacer("[DOCTOR|", "", "]", "").Replace(text)
		if got := finds(t, []Removed{{"Ida " + surname, "DOCTOR"}}, plain); got != text {
			t.Errorf("%s, want\n%s", got, text)
		}
	}
}

// A surname or a city of the record stayed where it could be a device, a sign, a disease or an ordinary word.
func TestKnownValuesWereTakenForThings(t *testing.T) {
	p := (&Net{Types: types(t)}).Known([]Value{{Kind: Name, Text: "Blake Kelly"}, {Kind: Name, Text: "Ida Graves"}, {Kind: City, Text: "Mobile"}, {Kind: City, Text: "Boston"}, {Kind: Hospital, Text: "Mayo"}})
	for _, text := range []string{
		"[PATIENT|Kelly] d/c home. [PATIENT|Kelly] removed. [PATIENT|Kelly] in place. [PATIENT|Blake] draining. Lines: [PATIENT|Kelly]. Hx of [PATIENT|Graves]. Graves disease",
		"[CITY|Mobile] PD. [CITY|Mobile] address ok. [CITY|Mobile] and alert. mobile in bed",
		"[CITY|Boston] 3/4. [CITY|Boston] type. [HOSPITAL|Mayo] stroke. Boston prep score 8. Boston 2/3/2",
	} {
		plain := strings.NewReplacer("[PATIENT|", "", "[CITY|", "", "[HOSPITAL|", "", "]", "").Replace(text)
		if got := show(plain, p.Find(plain, nil)); got != text {
			t.Errorf("%s, want\n%s", got, text)
		}
	}
}

// Departments, offices and dates behind a city that is also a word or a scale left the city.
func TestPlacesBesideWhatTheyHaveStayed(t *testing.T) {
	for value, text := range map[Removed]string{
		{"Mobile", "CITY"}:        "[CITY|Mobile] address. [CITY|Mobile] fire dept. [CITY|Mobile] PD. Mobile in bed",
		{"Delta", "ORGANIZATION"}: "[ORGANIZATION|Delta] HR. [ORGANIZATION|Delta] disability forms. Delta troponin 4",
		{"Reading", "CITY"}:       "[CITY|Reading] PCP. Reading 140/90",
		{"Denver", "CITY"}:        "[CITY|Denver] class reunion. [CITY|Denver] heart. Denver developmental screen. Denver shunt",
		{"Dallas", "CITY"}:        "[CITY|Dallas] test site. [CITY|Dallas] knee clinic. [CITY|Dallas] negative",
		{"Stanford", "HOSPITAL"}:  "[HOSPITAL|Stanford] stroke. [HOSPITAL|Stanford] trauma. Stanford type B. Stanford A",
		{"Los Angeles", "CITY"}:   "[CITY|Los Angeles] trauma. [CITY|Los Angeles] 2. Los Angeles grade B",
		{"Boston", "CITY"}:        "[CITY|Boston] 3/4. Boston 2/3/2. Boston Scientific lead",
		{"Mayo", "HOSPITAL"}:      "[HOSPITAL|Mayo] recommends biologics. [HOSPITAL|Mayo] clinic. Mayo 2",
		{"Normal", "CITY"}:        "[CITY|Normal] resident. Normal gait",
		{"Seattle", "CITY"}:       "Outside [CITY|Seattle]. [CITY|Seattle] 3",
		{"Rosa", "CITY"}:          "INFORME DE [CITY|ROSA]. LESION ROSA",
	} {
		plain := strings.NewReplacer("[CITY|", "", "[HOSPITAL|", "", "[ORGANIZATION|", "", "]", "").Replace(text)
		if got := finds(t, []Removed{value}, plain); got != text {
			t.Errorf("%s, want\n%s", got, text)
		}
	}
}
