package notes

import (
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
)

func TestLikelyCause(t *testing.T) {
	quote := func(start, end int, text string) Quotation { return Quotation{start, end, text} }
	for name, tc := range map[string]struct {
		text string
		all  []Quotation
		how  data.Offsets
		want string
	}{
		"CR LF as one":     {"a\r\nb\r\nZebulon", []Quotation{quote(4, 11, "Zebulon")}, "", "CR LF counts as one (corpus.offsets: code-points+lf)"},
		"LF as two":        {"a\nb\nZebulon\n", []Quotation{quote(6, 13, "Zebulon")}, "", "each line end counts as two, like CR LF (corpus.offsets: code-points+crlf)"},
		"UTF-16":           {"\U0001F600 Zebulon", []Quotation{quote(3, 10, "Zebulon")}, "", "offsets count UTF-16 units as in JavaScript (corpus.offsets: utf-16)"},
		"bytes":            {"é Zebulon", []Quotation{quote(3, 10, "Zebulon")}, "", "offsets count bytes (corpus.offsets: bytes)"},
		"code points":      {"\U0001F600 Zebulon", []Quotation{quote(2, 9, "Zebulon")}, "utf-16", "offsets count code points (corpus.offsets: code-points)"},
		"BOM not counted":  {"\uFEFFMr Zebulon", []Quotation{quote(3, 10, "Zebulon"), quote(0, 2, "Mr")}, "", "the byte order mark of the text does not count (corpus.offsets: code-points+no-bom)"},
		"two causes":       {"\r\n\U0001F600\r\nZebulon", []Quotation{quote(4, 11, "Zebulon")}, "", "offsets count UTF-16 units as in JavaScript and CR LF counts as one (corpus.offsets: utf-16+lf)"},
		"from 1":           {"Mr Zebulon", []Quotation{quote(4, 11, "Zebulon")}, "", "the first character is 1, not 0"},
		"last character":   {"Mr Zebulon.", []Quotation{quote(3, 9, "Zebulon")}, "", "the end is the last character"},
		"NFC":              {"e\u0301 Zebulon", []Quotation{quote(2, 9, "Zebulon")}, "", "the text is in Unicode's form NFC"},
		"NFD":              {"é Zebulon \U0001F600é", []Quotation{quote(3, 10, "Zebulon"), quote(12, 14, "e\u0301")}, "", "the text is in Unicode's form NFD"},
		"references":       {"R&D Zebulon", []Quotation{quote(8, 15, "Zebulon")}, "", "&, < and > count as &amp;"},
		"trimmed":          {"Zebulon Roe", []Quotation{quote(5, 12, "Zebulon")}, "", "fit 5 code points earlier: characters have been removed from the text before"},
		"header added":     {"Ward 5a: Zebulon Roe", []Quotation{quote(0, 7, "Zebulon")}, "", "fit 9 code points later: characters have been added to the text before"},
		"white space":      {"Mr  Zebulon", []Quotation{quote(0, 11, "Mr Zebulon")}, "", ": they differ in white space only"},
		"one is wrong":     {"a\r\nZebulon", []Quotation{quote(2, 9, "Zebulon"), quote(3, 7, "Zuri")}, "", ""},
		"nothing to go by": {"a b", []Quotation{quote(1, 2, "b")}, "", ""},
	} {
		got := LikelyCause(tc.text, tc.all, tc.how)
		if !strings.Contains(got, tc.want) || tc.want == "" && got != "" {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
		if strings.Contains(got, "Zebulon") {
			t.Errorf("%s: %q contains text", name, got)
		}
	}
}
