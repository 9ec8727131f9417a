package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid"
	"github.com/lethe-deid/lethe/deid/replace"
)

var clinicalNotes = flag.Int("clinical-notes", 1000, "how many notes TestClinicalValuesStay generates")

// clinicalNote is a generated note with its PHI and its clinical values.
type clinicalNote struct {
	text          strings.Builder
	phi, clinical []data.Span
	chance        *rand.Rand
}

func (n *clinicalNote) one(of ...string) string { return of[n.chance.IntN(len(of))] }
func (n *clinicalNote) n(from, to int) int      { return from + n.chance.IntN(to-from+1) }

func (n *clinicalNote) add(spans *[]data.Span, typ, value string) {
	*spans = append(*spans, data.Span{Start: n.text.Len(), End: n.text.Len() + len(value), Type: typ, Score: 1})
	n.text.WriteString(value)
}

func (n *clinicalNote) date() string {
	month, day, year := n.n(1, 12), n.n(1, 28), n.n(1990, 2040)
	long := strings.Fields("January February March April May June July August September October November December")[month-1]
	short := strings.Fields("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec")[month-1]
	return n.one(fmt.Sprintf("%s %d", short, day), fmt.Sprintf("%s %d", long, day), fmt.Sprintf("%s %d, %d", long, day, year), fmt.Sprintf("%d/%d/%02d", month, day, year%100),
		fmt.Sprintf("%02d/%02d/%d", month, day, year), fmt.Sprintf("%d-%02d-%02d", year, month, day), fmt.Sprintf("%d %s %d", day, short, year), fmt.Sprintf("%d %s", day, long),
		fmt.Sprintf("%d-%s-%d", day, short, year), fmt.Sprintf("%s %d", strings.ToUpper(long), day), fmt.Sprintf("%d.%d.%d", month, day, year))
}

func (n *clinicalNote) id() (typ, value string) {
	digits := func(k int) string {
		var b strings.Builder
		for range k {
			b.WriteByte(byte('0' + n.chance.IntN(10)))
		}
		return b.String()
	}
	switch n.chance.IntN(6) {
	case 0:
		return "PHONE", fmt.Sprintf("555-%s-%s", digits(3), digits(4))
	case 1:
		return "SSN", fmt.Sprintf("9%s-%s-%s", digits(2), digits(2), digits(4))
	case 2:
		return "EMAIL", n.one("oda.lund", "o_vega7") + "@" + n.one("mail.clinic.example", "hosp.example.edu")
	case 3:
		return "IDNUM", n.one("A", "CX", "") + digits(7)
	case 4:
		return "MEDICALRECORD", digits(5) + "-" + digits(2)
	}
	return "MEDICALRECORD", digits(7)
}

// value is a clinical value with possible texts before and after it.
func (n *clinicalNote) value() (before, value, after string) {
	f := fmt.Sprintf
	drug := n.one("lantus", "metoprolol", "Lasix", "warfarin", "amoxicillin", "prednisone", "insulin glargine")
	switch n.chance.IntN(26) {
	case 0:
		return "", f("%d units", n.n(2, 60)), " " + drug
	case 1:
		return "", f("%d:%02d", n.n(0, 23), n.n(0, 59)), n.one(" pt seen", "", " am", " hrs")
	case 2:
		return "", f("%d hr", n.one2(12, 24, 48)), " urine collected"
	case 3:
		return n.one("pain ", "Pain: ", ""), f("%d-%d/10", n.n(1, 5), n.n(6, 9)), n.one("", " pain")
	case 4:
		return n.one("BP ", "", "bp: "), f("%d/%d", n.n(90, 190), n.n(50, 110)), ""
	case 5:
		return n.one("HR ", "P "), f("%d", n.n(50, 130)), ""
	case 6:
		return n.one("T ", "temp "), f("%d.%d", n.n(96, 103), n.n(0, 9)), n.one(" F", "")
	case 7:
		return "", f("%d%%", n.n(80, 100)), n.one(" RA", " on 2 L")
	case 8:
		return "x ", f("%d days", n.n(2, 30)), ""
	case 9:
		return drug + " ", f("%d mg", n.n(1, 500)), n.one(" bid", " po qd", " tab")
	case 10:
		return "", f("%d ml", n.n(100, 3000)), " UOP"
	case 11:
		return n.one("Na ", "K ", "WBC ", "Hct ", "Plt "), f("%d.%d", n.n(1, 160), n.n(0, 9)), ""
	case 12:
		return "", f("%d/5", n.n(1, 5)), " strength"
	case 13:
		return "grade ", f("%d/6", n.n(1, 4)), " systolic murmur"
	case 14:
		return "ABG ", f("7.%02d/%d/%d", n.n(20, 55), n.n(30, 60), n.n(50, 110)), ""
	case 15:
		return "labs ", f("%d/%d.%d/%d/%d", n.n(130, 145), n.n(3, 5), n.n(0, 9), n.n(95, 110), n.n(20, 30)), ""
	case 16:
		return "", f("%d-%d weeks", n.n(1, 4), n.n(5, 8)), n.one(" ago", "")
	case 17:
		return "", f("%d x %d x %d.%d cm", n.n(1, 9), n.n(1, 9), n.n(1, 9), n.n(1, 9)), " mass"
	case 18:
		return "GCS ", f("%d", n.n(3, 15)), ""
	case 19:
		return "I/O ", f("%d/%d", n.n(1000, 3000), n.n(800, 2900)), ""
	case 20:
		return "q", f("%d-%dh", n.n(4, 6), n.n(7, 12)), " prn"
	case 21:
		return drug + " ", f("%d/%d", n.one2(5, 10, 7), n.one2(325, 500, 650)), " tabs"
	case 22:
		return "", f("%d of %d", n.n(1, 4), n.n(5, 9)), " doses given"
	case 23:
		return "L", f("%d-%d", n.n(1, 3), n.n(4, 5)), " disc"
	case 24:
		return "EF ", f("%d-%d%%", n.n(20, 50), n.n(51, 70)), ""
	}
	return "MMSE ", f("%d/30", n.n(10, 30)), ""
}

func (n *clinicalNote) one2(of ...int) int { return of[n.chance.IntN(len(of))] }

func newClinicalNote(seed uint64) *clinicalNote {
	n := &clinicalNote{chance: rand.New(rand.NewPCG(seed, 12))}
	for range n.n(3, 12) {
		switch n.chance.IntN(5) {
		case 0:
			n.text.WriteString(n.one("| ", "", "- ", "* "))
		case 1:
			n.text.WriteString(n.one("Seen on ", "on ", "since ", "", "Labs ", "Started ", "dose "))
		}
		for range n.n(1, 3) {
			if n.chance.IntN(3) > 0 {
				n.add(&n.phi, "DATE", n.date())
			} else {
				typ, value := n.id()
				n.text.WriteString(n.one("no ", "ID: ", "call ", "MRN ", "MRN: "))
				n.add(&n.phi, typ, value)
			}
			n.text.WriteString(n.one(" ", " ", " ", ", ", ": ", "; ", " | "))
			before, value, after := n.value()
			n.text.WriteString(before)
			n.add(&n.clinical, "", value)
			n.text.WriteString(after + n.one(" ", ", ", ". ", "; ", " | "))
		}
		n.text.WriteString(n.one("\n", "\n\n", "\n+-----+-----+\n"))
	}
	return n
}

// found returns the spans of an imperfect tagger, which misses some PHI and finds only parts of other.
func (n *clinicalNote) found() []data.Span {
	var found []data.Span
	for _, s := range n.phi {
		switch n.chance.IntN(8) {
		case 0:
			continue
		case 1:
			if s.End-s.Start > 4 {
				s.End -= n.n(1, 2)
			}
		case 2:
			if s.End-s.Start > 4 {
				s.Start += n.n(1, 2)
			}
		}
		found = append(found, s)
	}
	return found
}

// TestClinicalValuesStay checks, for each kind of replacement and with and without the safety net, that text outside of
// the changes stays the same byte for byte, and that no change covers a clinical value.
func TestClinicalValuesStay(t *testing.T) {
	types := data.I2B2
	failures := 0
	for _, net := range []string{"auto", "none", "off"} {
		for _, kind := range replace.Kinds() {
			plan := replace.Plan{Default: kind}
			if sort := kind.For(); sort != "" {
				plan = replace.Plan{BySort: map[data.Sort]replace.Kind{sort: kind}}
			}
			replacement, err := replace.New(plan, replace.Options{Key: []byte("a key of sixteen bytes"), Types: types})
			if err != nil {
				t.Fatal(err)
			}
			d := &deid.Deidentifier{Replacer: replacement}
			if d.Net, err = deid.NewNet(net, types); err != nil {
				t.Fatal(err)
			}
			for seed := range uint64(*clinicalNotes) {
				n := newClinicalNote(seed)
				text := n.text.String()
				r := d.Notes(t.Context(), []deid.Note{{Document: &data.Document{ID: "n", Text: text, Spans: n.found()}}})[0]
				if r.Err != nil {
					t.Fatal(r.Err)
				}
				at, made := 0, 0
				for _, c := range r.Changes {
					if text[at:c.Old.Start] != r.Clean.Text[made:c.New.Start] {
						t.Fatalf("seed %d, %s, net %s: text outside of the changes is different", seed, kind, net)
					}
					at, made = c.Old.End, c.New.End
					for _, v := range n.clinical {
						if c.Old.Start < v.End && v.Start < c.Old.End && c.Kind != replace.Keep {
							if failures++; failures < 40 {
								t.Errorf("seed %d, %s, net %s: %s %q takes the value %q: %q", seed, kind, net, c.Old.Type, text[c.Old.Start:c.Old.End], text[v.Start:v.End],
									text[max(0, c.Old.Start-20):min(len(text), c.Old.End+20)])
							}
						}
					}
				}
				if text[at:] != r.Clean.Text[made:] {
					t.Fatalf("seed %d, %s, net %s: text at the end is different", seed, kind, net)
				}
			}
		}
	}
	if failures > 0 {
		t.Errorf("%d clinical values were taken", failures)
	}
}
