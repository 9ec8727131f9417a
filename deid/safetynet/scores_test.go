package safetynet

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Fractions below headings such as Pain were dates, and the numbers beside them as well. The spans are between angle brackets.
func TestResultsInColumnsWereDates(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       []string
	}{
		{"pain", "HR | Pain | RR\n88 | <3/10> | 16\n<89> | <4/10> | <17>\n", nil},
		{"pain beside dates", "Date\tPain Score\tNurse\n<3/4>\t<3/10>\t<nOkoro>\n<3/5>\t<10/10>\t<nHaugen>\n", []string{"3/4", "Okoro", "3/5", "Haugen"}},
		{"a year of the number beside it", "Date,Pain,RR\n<03/04/2031>,<3/10>,16\n<03/05/2031>,<4/10><,17>\n<03/06/2031>,<8/10,18>\n", []string{"03/04/2031", "03/05/2031", "03/06/2031"}},
		{"Apgar", "Time\tApgar\tHR\n0800\t<8/9>\t16\n0900\t<9/8>\t17\n1000\t<7/9/10>\t18\n", nil},
		{"strength of sides", "Muscle   Strength R   Strength L\nDeltoid  <4/5>        <4+/5>\nTriceps  <5/5>        <3/5>\n", nil},
		{"before and after", "Session,Pain pre/post,Minutes\n1,<7/5>,30\n2,<6/4>,30\n", nil},
		{"before and after in full", "Session,Mood before/after,Minutes\n1,<7/5>,30\n2,<6/4>,30\n", nil},
		{"what is rated only as a pair", "HR | Symptoms | RR\n88 | <3/10> | 16\n89 | <4/10> | 17\n", []string{"3/10", "4/10"}},
		{"several", "Time | Pain | Comment\n0800 | <7/10 → 3/10> | after ice\n", nil},
		{"nodes and grade", "Site\tNodes\tGrade\nLeft\t<2/15>\t<2/3>\nRight\t<0/12>\t<1/3>\n", nil},
		{"scales", "Scale\tScore\tRater\nMini-Cog\t<3/5>\tOT\nMMSE\t<24/30>\tOT\n", nil},
		{"dolor", "Fecha | Dolor en reposo | FC\n<4/3> | <3/10> | 88\n<5/3> | <7/10> | 90\n", []string{"4/3", "5/3"}},
		{"fuerza y apgar", "Músculo;Fuerza dcha;Apgar\nDeltoides;<4/5>;<8/9>\n", nil},

		{"pair of stress tests", "Stress test pre/post\tPain\tHR\n<3/10>\t<2/10>\t88\n", []string{"3/10"}},
		{"a date of the result", "Test\tResult date\tFlag\nHb\t<3/10>\tH\nK\t<4/10>\tL\n", []string{"3/10", "4/10"}},
		{"a date of the score", "Scale\tScore date\tPain date\nMMSE\t<3/10>\t<4/10>\n", []string{"3/10", "4/10"}},
		{"results on", "Test\tResults on\tFlag\nHb\t<3/10>\tH\nK\t<4/10>\tL\n", []string{"3/10", "4/10"}},
		{"stress test", "Stress test\tPain\tHR\n<3/10>\t<2/10>\t88\n", []string{"3/10"}},
		{"values of anything", "Item | Value\nHb | <12/20>\nK | <4/20>\n", []string{"12/20", "4/20"}},
		{"values of an admission", "Item | Value\nAdmitted | <3/10>\nWard | <4/10>\n", []string{"3/10", "4/10"}},
		{"values that vary", "HR | Value | RR\n88 | <3/10> | 16\n89 | <4/11> | 17\n", []string{"3/10", "4/11"}},
		{"results beside days", "Start | Result | HR\n<3/9> | <3/10> | 88\n<4/9> | <4/10> | 89\n", []string{"3/9", "3/10", "4/9", "4/10"}},
		{"a calendar below Score", "HR | Score | RR\n88 | <3/10> | 16\n89 | <3/11> | 17\n90 | <3/12> | 18\n", []string{"3/10", "3/11", "3/12"}},
		{"another denominator", "HR | Pain | RR\n88 | <3/12> | 16\n", []string{"3/12"}},
		{"a column with a date", "HR | Pain | RR\n88 | <3/10> | 16\n89 | <3/14> | 17\n", []string{"3/10", "3/14"}},
		{"zeros of dates", "HR | Pain | RR\n88 | <03/10> | 16\n", []string{"03/10"}},
		{"a year", "HR | Pain | RR\n88 | <3/10/24> | 16\n", []string{"3/10/24"}},
		{"a date in a comment", "HR | Pain | RR\n88 | 2/10 since <3/10> | 16\n", []string{"3/10"}},
		{"the row of a visit", "HR | Pain | RR\nReviewed | <3/10> | <nOkoro>\nAlta | <4/10> | 17\nÚltima visita | <5/10> | 17\n", []string{"3/10", "Okoro", "4/10", "5/10"}},
		{"a row that is shorter", "HR | Pain | RR\n88 | <3/10>\n", []string{"3/10"}},
		{"below an unknown heading", "HR | Xyz | RR\n88 | <3/10> | 16\n", []string{"3/10"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			text, spans := marked(tc.text)
			var got []string
			for _, s := range CorrectCells(text, spans, func(typ string) bool { return typ == "n" }) {
				got = append(got, text[s.Start:s.End])
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
