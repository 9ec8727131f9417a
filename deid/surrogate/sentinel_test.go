package surrogate

import (
	"strings"
	"testing"
)

func TestIsSentinel(t *testing.T) {
	for _, date := range []string{
		"9999-12-31", "9999-12-31T23:59:59Z", "9999-12-31 23:59:59.997", "99991231", "99991231235959", "9999-12", "9999", "12/31/9999", "31.12.9999", "31-DEC-9999", "Dec 31, 9999",
		"0001-01-01", "0001-01-01 00:00:00", "00010101", "1/1/0001", "01-ENE-0001", "0000-00-00",
	} {
		if !IsSentinel(date) {
			t.Errorf("%s is no sentinel", date)
		}
	}
	for _, date := range []string{"1900-01-01", "2099-12-31", "9999-12-30", "0001-04-03", "0001", "99991231-7", "12/31/99", "01/01/01", "9999 Oak", "9999 1234", "99991234", "0001-01", "99999", ""} {
		if IsSentinel(date) {
			t.Errorf("%s is a sentinel", date)
		}
	}
}

func TestSentinels(t *testing.T) {
	const text = "to 9999-12-31, 0001-01-01, 12/31/9999; 99991231T23:59:59Z. Not 99991231-7, 1900-01-01 or MRN499991231"
	var got []string
	for _, at := range Sentinels(text) {
		got = append(got, text[at[0]:at[1]])
	}
	if want := "9999-12-31 0001-01-01 12/31/9999 99991231T23:59:59Z"; strings.Join(got, " ") != want {
		t.Errorf("%q, want %q", got, want)
	}
}
