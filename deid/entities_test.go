package deid

import (
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/replace"
	"github.com/lethe-deid/lethe/deid/safetynet"
)

// The digits of &#39; were taken for a number, and names lost the letters that &eacute; stands for.
func TestEditsDoNotSplitCharacterReferences(t *testing.T) {
	for in, want := range map[string]string{
		"Lund&#«IDNUM|39»;s wound":                    "Lund&#39;s wound",
		"«PATIENT|Lund&#x»27;s wound":                 "«PATIENT|Lund»&#x27;s wound",
		"tel&#«PHONE|58; 555-0142»":                   "tel&#58; «PHONE|555-0142»",
		"«PATIENT|Oda&»nbsp;Lund":                     "«PATIENT|Oda»&nbsp;Lund",
		"«PATIENT|Oda&nbsp;Lund» seen":                "«PATIENT|Oda&nbsp;Lund» seen",
		"«PATIENT|Jos»&eacute; seen":                  "«PATIENT|Jos&eacute;» seen",
		"«PATIENT|Jos&eac»ute; seen":                  "«PATIENT|Jos&eacute;» seen",
		"S&#225;«PATIENT|nchez» seen":                 "«PATIENT|S&#225;nchez» seen",
		"Mu&ntilde;«PATIENT|oz» seen":                 "«PATIENT|Mu&ntilde;oz» seen",
		"Mu&«USERNAME|ntilde»;oz":                     "Mu&ntilde;oz",
		"«PATIENT|Z»&uuml;&ntilde;iga; &eacute;":      "«PATIENT|Z&uuml;&ntilde;iga»; &eacute;",
		"R&D «PATIENT|Lund»; AT&T; «PATIENT|Vega»":    "R&D «PATIENT|Lund»; AT&T; «PATIENT|Vega»",
		"at &Mercer«HOSPITAL|Wing»; 5 &lt; «AGE|45»;": "at &Mercer«HOSPITAL|Wing»; 5 &lt; «AGE|45»;",
	} {
		text, spans := marked(t, in)
		if got := mark(text, wholeEntities(text, spans, false)); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
	d := engine(t, replace.Plan{Default: replace.Tag})
	d.Net.Formulaic = func(string) []data.Span { return []data.Span{{Start: 6, End: 8, Type: "IDNUM", Score: 1}} }
	if got := clean(t, d, nil, "Lund&#39;s wound")[0]; got != "Lund&#39;s wound" {
		t.Error(got)
	}
	known := []safetynet.Value{{Kind: safetynet.Name, Text: "Oda Lund"}}
	if got := clean(t, d, known, "Lund&#39;s wound")[0]; got != "[PATIENT]&#39;s wound" {
		t.Error(got)
	}
}
