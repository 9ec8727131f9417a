package htmltext

import "testing"

// The cells of a row stand in one line of the text, however the file is laid out.
func TestCellsOfARowStandInOneLine(t *testing.T) {
	for source, want := range map[string]string{
		"<tr><td>a b</td><td>c</td></tr>":                               "\n\ta b\t\tc\t\n",
		"<tr>\n  <td>a b</td>\n  <td>c</td></tr>":                       "\n\ta b\t\tc\t\n",
		"<TR>\r\n<TH class=\"x\">a</TH>\r\n\t<th/>\r\n<td >c</td></TR>": "\n\ta\t\t\tc\t\n",
		"<tr>\n  <td>a</td>\n  b <td>c</td></tr>":                       "\n\ta\t\n  b \tc\t\n",
		"<p>a</p>\n<p>b</p>":                                            "\na\n\n\nb\n",
		"<td>\n  <b>a</b>\n</td>":                                       "\t\n  a\n\t",
		"<td>a</td>\n<tdx>":                                             "\ta\t\n<tdx>",
	} {
		h, err := Read(source)
		if err != nil {
			t.Fatal(err)
		}
		if got := h.Text.String(); got != want {
			t.Errorf("%q reads as %q, want %q", source, got, want)
		}
	}
}
