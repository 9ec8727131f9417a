package language

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/lethe-deid/lethe/data/fold"
)

func TestParts(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []Language
	}{
		{"English", "Mr. Roe was seen in clinic today with his wife. He denies pain and has been well since the last visit.", []Language{"en"}},
		{"English shorthand", "62M w/ CHF, s/p CABG. Denies CP. Plan: continue meds and f/u in the clinic in 2 wks", []Language{"en"}},
		{"Spanish", "Paciente de 45 años que acude a urgencias por dolor en el costado desde hace dos días, sin fiebre.", []Language{"es"}},
		{"Spanish without accents, in capitals", "PACIENTE DE 45 ANOS QUE ACUDE POR DOLOR ABDOMINAL DE DOS DIAS, SE REALIZA TAC.", []Language{"es"}},
		{"Portuguese", "Doente do sexo feminino, de 45 anos, com dor no peito há dois dias, não tem febre. Foi observada na urgência pelo médico.", []Language{"pt"}},
		{"French", "Patiente de 45 ans qui se présente aux urgences avec une douleur dans la poitrine depuis deux jours, sans fièvre.", []Language{"fr"}},
		{"Italian", "Paziente di 45 anni che si presenta al pronto soccorso con dolore al petto da due giorni, non ha febbre, è stata visitata dal medico.", []Language{"it"}},
		{"Catalan", "Pacient de 45 anys que acudeix amb dolor al pit des de fa dos dies, sense febre. No té al·lèrgies i va ser ingressat amb els seus pares.", []Language{"ca"}},
		{"German", "Die Patientin wurde mit Schmerzen in der Brust seit zwei Tagen aufgenommen und ist ohne Fieber.", []Language{"de"}},
		{"Dutch", "De patiënte kwam met pijn op de borst sinds twee dagen en heeft geen koorts, zij was niet eerder bij ons.", []Language{"nl"}},
		{"Greek", "Ο ασθενής προσήλθε με πόνο στο στήθος", []Language{"Greek"}},
		{"Russian", "Пациент поступил с болью в груди", []Language{"Cyrillic"}},
		{"Polish", "Pacjentka została przyjęta na oddział z powodu bólu w klatce piersiowej. Nie ma gorączki i nie była wcześniej leczona, ale przyjmuje leki od dwóch lat.", []Language{"pl"}},
		{"Turkish", "Hasta göğüs ağrısı nedeniyle acile geldi ve iki gün sonra taburcu edildi. Ateşi yok, daha önce bir ameliyat oldu.", []Language{"tr"}},
		{"Tagalog", "Si Juan ay pumunta sa klinika noong Marso kasama ang kanyang asawa. Masakit ang kanyang tiyan.", []Language{"tl"}},
		{"Vietnamese", "Bệnh nhân đến khám vì đau ngực từ hai ngày nay, không sốt và không có tiền sử phẫu thuật. Bác sĩ cho thuốc và hẹn tái khám.", []Language{"vi"}},
		{"Swedish", "Patienten undersöktes på kliniken och har ingen smärta. Han kom med sin fru den 3 mars.", []Language{"sv"}},
		{"Haitian Creole", "Pasyan an te vini lopital la paske li gen doulè nan lestomak li. Li pa gen lafyèv epi li pa t janm fè operasyon anvan.", []Language{"ht"}},
		{"Somali", "Bukaanku wuxuu yimid isbitaalka isagoo leh xanuun xabadka ah oo socday laba maalmood. Ma laha qandho, waxaana la siiyay daawo.", []Language{"so"}},
		{"Romanian", "Pacienta în vârstă de 45 de ani s-a prezentat la spital cu durere toracică de două zile, fără febră. Nu a fost operată.", []Language{"ro"}},
		{"Basque", "Gaixoa ospitalera etorri da bularreko mina duela eta bi egun daramatza horrela. Ez du sukarrik izan eta ez zen ebakuntzarik egin.", []Language{"eu"}},
		{"Galician", "Muller de 45 anos que acode a urxencias por dor no peito desde hai dous días, sen febre. Foi valorada polo médico de garda. Non ten alerxias.", []Language{"gl"}},
		{"Croatian", "Pacijent je primljen u bolnicu zbog bolova u prsima koji traju dva dana. Nije imao temperaturu i nije operiran. Došao je sa suprugom.", []Language{"hr"}},
		{"Japanese, in three scripts", "患者は二日前からの胸の痛みのためにクリニックに来院しました", []Language{"Hiragana"}},
		{"Amharic", "በሽተኛው በደረት ህመም ምክንያት ወደ ሆስፒታል መጣ", []Language{"Ethiopic"}},
		{"English with Tagalog", "\"Masakit ang ulo niya kahapon pa,\" says her daughter. The patient was given ibuprofen and will return in a week with her.", []Language{"en"}},
		{"English abbreviations", "NG tube to LIWS. NPO. NA 138, K 4.1. NG flush q4h. NA repeat in AM. PO meds via NG. IR for drain. AV fistula. SA node. OD 20/40", []Language{""}},
		{"Vietnamese names", "Nguyen Van An, Tran Thi Nam, Le Van Trong, Pham Thi Mot, Hoang Van Nam, Bui Thi Chi, Dau Van Den, Vo Thi Truoc", []Language{""}},
		{"numbers", "BP 120/80 HR 72 RR 16 T 98.6", []Language{""}},
		{"a name", "María Pérez 03/04/2071", []Language{""}},
		{"empty", "", []Language{""}},
		{"Latin words in English", "Status post excision of nevus in situ, no CIN; corpora amylacea in prostata", []Language{""}},
		{"initials", "Board: e. hart | o. lam | i. roe | e. low | a. wu | o. bell, in situ, s/p i&d, e/e' 8", []Language{""}},
		{"the left eye", "VA OD 20/40 OS 20/60. IOP OD 12 OS 14, Cosopt OS, C/D OD 0.4 OS 0.5, drops OU, OCT OS 104, OS quiet", []Language{""}},
		{"English, then Spanish", "He was seen in the clinic with his wife and was well.\n\nBP 120/80\nLa paciente acude con dolor en el costado y se realiza una ecografía de control.\n", []Language{"en", "es"}},
		{"a Spanish quotation", "She said that she was well and had no pain.\nHer words: no me duele.\nShe was given the results of the test and will be seen again.\n", []Language{"en"}},
	} {
		parts := Parts(c.text)
		var got []Language
		at := 0
		for _, p := range parts {
			if p.Start != at {
				t.Errorf("%s: a part starts at %d, and the one before ends at %d", c.name, p.Start, at)
			}
			at = p.End
			got = append(got, p.Language)
		}
		if at != len(c.text) || !slices.Equal(got, c.want) {
			t.Errorf("%s: %q to %d of %d, want %q", c.name, got, at, len(c.text), c.want)
		}
	}
}

// TestALineOfHeadingsBelongsToTheTextAroundIt checks that lines without function words do
// not become parts of their own.
func TestALineOfHeadingsBelongsToTheTextAroundIt(t *testing.T) {
	text := strings.Repeat("ANTECEDENTES\nHTA, DM2\nEl paciente refiere dolor en la espalda desde hace una semana.\n", 5)
	if parts := Parts(text); len(parts) != 1 || parts[0].Language != Spanish {
		t.Errorf("%v", parts)
	}
}

// The last line of a text that does not end with a line end was in no part, so that nothing that was found in it counted.
func TestPartsCoverTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"the clinic and the nurse were with her ", "acude con dolor desde hace dos días ", "\n", "\n\n", "\r\n", "BP 120/80", "não foi com uma "})).Draw(t, "pieces"), "")
		at := 0
		for _, p := range Parts(text) {
			if p.Start != at || p.End < p.Start {
				t.Fatalf("%q: the parts are %v", text, Parts(text))
			}
			at = p.End
		}
		if at != len(text) {
			t.Fatalf("%q: the parts end at %d of %d", text, at, len(text))
		}
	})
}

// The words are the runs of letters and marks, folded, without those that are longer than any function word.
func TestWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"a", "Z", "é", "e\u0301", "Ñ", " ", "-", "1", "\n", "ß", "the", "λ", "\xff", "abcdefghijklmno", "´"})).Draw(t, "pieces"), "")
		var got, want []string
		for w := range words(text) {
			got = append(got, string(w))
		}
		for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }) {
			if len(w) <= longest {
				want = append(want, fold.Fold(w))
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("the words of %q are %q, not %q", text, got, want)
		}
	})
}

// No function word may be too long to be found.
func TestFunctionWordsAreFound(t *testing.T) {
	for w := range languagesOf() {
		for got := range words("1 " + w + ",") {
			if string(got) != w {
				t.Errorf("%s is read as %s", w, got)
			}
		}
		if len(w) > longest {
			t.Errorf("%s is too long", w)
		}
	}
}
