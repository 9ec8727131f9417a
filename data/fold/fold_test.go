package fold

import (
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

func TestFold(t *testing.T) {
	for _, same := range [][]string{
		{"weiss", "Weiß", "WEISS", "WEIẞ", "Weiss", "ＷＥＩＳＳ"},
		{"bjornaes", "Bjørnæs", "BJØRNÆS", "Bjornaes"},
		{"dorde", "Đorđe", "ĐORĐE", "Dorde", norm.NFD.String("Đorđe")},
		{"strasser", "Straßer", "Strasser"},
		{"lukasz", "Łukasz", "LUKASZ", "lukasz"},
		{"gudrun thorsdottir", "Guðrún Þorsdóttir", "GUÐRÚN ÞORSDÓTTIR"},
		{"oeuvre", "Œuvre", "œuvre"},
		{"nunez", "Núñez", norm.NFD.String("Núñez"), "NUÑEZ"},
		{"isik", "Işık", "IŞIK", "ışık", "İşik"},
		{"o'brien", "O’Brien", "O`Brien", "O´BRIEN", "Oʼbrien"},
		{"anne-marie", "Anne‑Marie", "Anne–Marie", "ANNE‐MARIE"},
		{"γιωργοσ", "Γιώργος", "ΓΙΩΡΓΟΣ"},
		{"семен", "Семён", "СЕМЕН"},
		{"fiona", "ﬁona", "Fi\u00adona", "Fi\u200bona"},
		{"1234", "１２３４"},
		{"nº", "Nº", "nº"}, {"mª", "Mª"}, {"10²", "10²"},
	} {
		for _, s := range same {
			if got := Fold(s); got != same[0] {
				t.Errorf("%q became %q, want %q", s, got, same[0])
			}
		}
	}
	for _, pair := range [][2]string{{"Oda", "Ida"}, {"10²", "102"}, {"nº", "no"}, {"Lund", "Lunds"}} {
		if Fold(pair[0]) == Fold(pair[1]) {
			t.Errorf("%q and %q are one word", pair[0], pair[1])
		}
	}
}

// TestEveryCharacter compares each with itself in the other case and in Unicode's other forms.
func TestEveryCharacter(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if r >= 0xd800 && r < 0xe000 {
			continue
		}
		s := string(r)
		want := Fold(s)
		for _, form := range []string{want, norm.NFC.String(s), norm.NFD.String(s), string(unicode.ToLower(r))} {
			if got := Fold(form); got != want {
				t.Errorf("%U: %q and %q are two", r, got, want)
			}
		}
		if upper := unicode.ToUpper(r); unicode.ToLower(upper) == r && Fold(string(upper)) != want {
			t.Errorf("%U: its capital %U is another", r, upper)
		}
		if unicode.IsLetter(r) && want == "" && r != 0xff9e && r != 0xff9f { // the voicing marks of half-width katakana
			t.Errorf("the letter %U is nothing", r)
		}
	}
}

func FuzzFold(f *testing.F) {
	for _, s := range []string{"Weiß", "Ｏda `", "\xff´"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if once := Fold(s); Fold(once) != once {
			t.Errorf("%q, folded twice, is %q", s, Fold(once))
		}
	})
}
