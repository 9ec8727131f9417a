package tokens

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/evaluation"
)

func span(start, end int, typ string) data.Span {
	return data.Span{Start: start, End: end, Type: typ, Score: 1}
}

func docs(docs ...*data.Document) data.Documents { return data.Each(docs) }

// Worked out by hand, over two notes.
var (
	gold = docs(
		&data.Document{ID: "a", Text: "Ana Gil (MRN 123) saw Dr. Roy", Spans: []data.Span{
			span(0, 7, "PATIENT"), span(13, 16, "IDNUM"), span(26, 29, "DOCTOR"), span(26, 29, "PATIENT")}},
		&data.Document{ID: "b", Text: "Lund 1/2", Spans: []data.Span{span(0, 4, "CITY"), span(5, 8, "DATE")}})
	system = docs(
		&data.Document{ID: "a", Text: "Ana Gil (MRN 123) saw Dr. Roy", Spans: []data.Span{
			span(0, 3, "DOCTOR"), span(9, 12, "IDNUM"), span(13, 16, "IDNUM"), span(22, 29, "PATIENT")}},
		&data.Document{ID: "b", Text: "Lund 1/2", Spans: []data.Span{span(0, 8, "DATE")}})
)

func TestCompare(t *testing.T) {
	type c = evaluation.Counts
	for _, tc := range []struct {
		name  string
		opt   Options
		hipaa *c
	}{
		// PATIENT: Ana, Gil, Roy; CITY: Lund; DATE: 1, 2. Of the system's the doctor is out.
		{"the script's HIPAA", Options{Types: data.I2B2}, &c{TP: 4, FP: 1, FN: 2}},
		{"with IDNUM", Options{Types: data.I2B2, Corrected: true}, &c{TP: 5, FP: 2, FN: 2}},
		{"of another set", Options{Types: data.I2B22006}, nil}, // below
	} {
		t.Run(tc.name, func(t *testing.T) {
			r, err := Compare(gold, system, tc.opt)
			if err != nil {
				t.Fatal(err)
			}
			// Found: Ana (as DOCTOR), 123, Roy, Lund (as DATE), 1, 2; missed: Gil; wrong: MRN, Dr.
			if want := (c{TP: 6, FP: 2, FN: 1}); r.All != want {
				t.Errorf("all: %+v, want %+v", r.All, want)
			}
			if tc.hipaa == nil {
				return
			}
			want := []Category{
				{"NAME", c{TP: 2, FP: 1, FN: 1}, []Type{{"PATIENT", c{TP: 2, FP: 1, FN: 1}}, {"DOCTOR", c{TP: 1}}}},
				{"DATE", c{TP: 2}, []Type{{"DATE", c{TP: 2}}}},
				{"ID", c{TP: 1, FP: 1}, []Type{{"IDNUM", c{TP: 1, FP: 1}}}},
				{"LOCATION", c{TP: 1}, []Type{{"CITY", c{TP: 1}}}},
			}
			if diff := cmp.Diff(want, r.Categories); diff != "" {
				t.Errorf("categories (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.hipaa, r.HIPAA); diff != "" {
				t.Errorf("HIPAA (-want +got):\n%s", diff)
			}
		})
	}
}

// If the type set names no HIPAA types, there is no such score.
func TestWithoutHIPAA(t *testing.T) {
	r, err := Compare(gold, docs(), Options{Types: data.Any})
	if err == nil {
		t.Fatalf("no error without a document of the system: %+v", r)
	}
	r, err = Compare(gold, gold, Options{Types: data.Any})
	if err != nil {
		t.Fatal(err)
	}
	if r.HIPAA != nil || len(r.Categories) != 5 || r.All.TP != 7 {
		t.Errorf("%+v", r)
	}
	raw, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(raw), `"hipaa":null`) {
		t.Errorf("JSON %s", raw)
	}
}

func TestText(t *testing.T) {
	r, err := Compare(gold, system, Options{Types: data.I2B2, Corrected: true})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := r.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	want := `documents: 2

PHI type           Precision     Recall   F1-score  Support
NAME category          66.67      66.67      66.67        3
  PATIENT              66.67      66.67      66.67        3
  DOCTOR              100.00     100.00     100.00        1
DATE category         100.00     100.00     100.00        2
  DATE                100.00     100.00     100.00        2
ID category            50.00     100.00      66.67        1
  IDNUM                50.00     100.00      66.67        1
LOCATION category     100.00     100.00     100.00        1
  CITY                100.00     100.00     100.00        1
All PHI types          75.00      85.71      80.00        7
HIPAA's types         71.429     71.429     71.429        7
Unlike the paper's, these scores are corrected:
- ` + Corrections[0] + "\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
	raw, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back struct {
		Documents  int
		All        struct{ TP int }
		HIPAA      struct{ F1 float64 }
		Categories []struct {
			Category string
			FP       int
			Types    []struct {
				Type   string
				Recall float64
			}
		}
		Corrections []string
	}
	if err := json.Unmarshal(raw, &back); err != nil {
		t.Fatal(err)
	}
	if back.Documents != 2 || back.All.TP != 6 || math.Abs(back.HIPAA.F1-5.0/7) > 1e-15 || len(back.Categories) != 4 ||
		back.Categories[2].FP != 1 || back.Categories[0].Types[1].Type != "DOCTOR" || back.Categories[0].Types[1].Recall != 1 || len(back.Corrections) != 1 {
		t.Errorf("JSON %s", raw)
	}
}

// The statement of the package comment about the paper's Table A1: the rows of
// ANN, from which true and false positives follow, add up to the row of all
// types.
func TestTableA1AddsUp(t *testing.T) {
	tp, fp, support := 0.0, 0.0, 0.0
	for _, row := range [][3]float64{ // precision, recall, support
		{99.42, 99.14, 12532}, {98.65, 97.54, 3297}, {99.58, 98.97, 1450}, {86.79, 100, 92}, {96.17, 94.48, 1595},
		{99.52, 100, 416}, {98.80, 95.93, 344}, {98.94, 91.22, 205}, {97.17, 70.07, 147}, {97.30, 100, 144},
		{95.15, 75.39, 130}, {100, 40, 20}, {99.32, 99.45, 732}, {98.65, 95.81, 382}, {100, 66.67, 12},
		{99.22, 96.20, 790}, {99.51, 99.76, 410}, {100, 50, 6}, {0, 0, 3}, {91.67, 77.65, 340},
	} {
		found := math.Round(row[1] / 100 * row[2])
		tp, support = tp+found, support+row[2]
		if row[0] > 0 {
			fp += math.Round(found/(row[0]/100)) - found
		}
	}
	const precision, recall, all = 98.87, 97.62, 23047
	if support != all || math.Abs(100*tp/support-recall) > 0.006 || math.Abs(100*tp/(tp+fp)-precision) > 0.03 {
		t.Errorf("sums: precision %.3f, recall %.3f, support %.0f", 100*tp/(tp+fp), 100*tp/support, support)
	}
}
