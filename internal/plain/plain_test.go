package plain

import "testing"

func TestText(t *testing.T) {
	if !HasReference("AT&T &#39;") || HasReference("AT&T?a=1&b=2\u00a0") {
		t.Error("references")
	}
	for text, want := range map[string]string{
		"":                                       "",
		"Lund's wound":                           "Lund's wound",
		"Lund&#39;s wound":                       "Lund's wound",
		"Mu&#241;oz, Jos&eacute; &#x26; R&amp;D": "Muñoz, José & R&D",
		"&#8722;1 &minus;2":                      "-1 -2",
		"R&D; AT&T; &Mercer; &; &#;":             "R&D; AT&T; &Mercer; &; &#;",
		"&amp;lt;":                               "&lt;",
		"Oda&nbsp;Lund":                          "Oda Lund",
		"03−04−2071":                             "03-04-2071",
		"123\u00a045\u20096789":                  "123 45 6789",
		"1–2 — 3":                                "1–2 — 3",
		"Amund\u00adsen 5\u200b7":                "Amundsen 57",
		"Oda \u200bLund\u00ad":                   "Oda \u200bLund\u00ad",
		"\ufeffOda Lund \ufeff":                  "Oda Lund \ufeff",
		"a\xff\u00a0\xc2":                        "a\xff \xc2",
	} {
		if got := Text(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
