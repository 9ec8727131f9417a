package i2b2

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/evaluation/internal/tagged"
)

// Report contains the scores of a system. In its JSON form the evaluations are an
// object in the order of the script, and NaN is null:
//
//	{"system":"","n_docs":40,"missing":[],"extra":[],"warnings":[],"evaluations":{"Token":{
//	  "tp":9,"fp":1,"fn":1,"micro_p":0.9,"micro_r":0.9,"micro_f1":0.9,
//	  "macro_p":0.9,"macro_p_sd":0.1,"macro_r":0.9,"macro_r_sd":0.1,"macro_f1":0.9,"n_docs":40,
//	  "docs":{"110-04":[9,1,1]}}}}
//
// docs, with [tp,fp,fn] of each document, is present if Options.Documents was
// set, and corrections if Options.Corrected was set.
type Report struct {
	System      string       // ID of the system; see System
	Documents   int          // how many were scored
	Missing     []string     // IDs of gold documents without a system document
	Extra       []string     // IDs of system documents without a gold document: not scored
	Corrections []string     // Corrections, if Options.Corrected was set
	Evaluations []Evaluation // all 42, in the script's order

	ignored tagged.Finding  // tags of elements that the script does not support: not scored
	unknown tagged.Finding  // tags with a TYPE that the script does not expect in their element: scored
	flags   tagged.Warnings // warnings about the filter flags
}

// Evaluation contains the scores of one of the 42 evaluations.
type Evaluation struct {
	Name              string
	evaluation.Counts                             // sums over documents
	Micro             evaluation.PRF              // from the summed counts
	Macro             evaluation.PRF              // means over documents, and their F1; may be NaN
	PrecisionSD       float64                     // standard deviation over documents; may be NaN
	RecallSD          float64                     // likewise
	Documents         []evaluation.DocumentCounts // in the order of scoring, if Options.Documents was set
	documents         int                         // how many were scored
}

// average computes the averages from the counts.
func (e *Evaluation) average(macro [2]moments, corrected bool) {
	e.Micro = prf(e.Counts)
	p, r := macro[0], macro[1]
	e.Macro = evaluation.PRF{Precision: p.mean(), Recall: r.mean()}
	e.PrecisionSD, e.RecallSD = p.sd(), r.sd()
	e.Macro.F1 = harmonic(e.Macro.Precision, e.Macro.Recall)
	e.documents = p.n
	if corrected && p.n == 0 {
		e.Macro, e.PrecisionSD, e.RecallSD = evaluation.PRF{}, 0, 0
	}
	if corrected && math.IsNaN(e.Macro.F1) {
		e.Macro.F1 = 0
	}
}

// prf computes F1 from P and R as the script does. The last digit may differ from
// Counts.F1.
func prf(c evaluation.Counts) evaluation.PRF {
	s := evaluation.PRF{Precision: c.Precision(), Recall: c.Recall()}
	if s.Precision+s.Recall > 0 {
		s.F1 = harmonic(s.Precision, s.Recall)
	}
	return s
}

// harmonic returns the harmonic mean, NaN for two zeros.
func harmonic(p, r float64) float64 { return 2 * (p * r / (p + r)) }

// moments accumulates the mean and variance of numbers: Welford 1962, "Note on a
// method for calculating corrected sums of squares and products".
type moments struct {
	n       int
	m       float64 // the mean
	squares float64 // sum of squared differences from it
}

func (m *moments) add(x float64) {
	m.n++
	d := x - m.m
	m.m += d / float64(m.n)
	m.squares += d * (x - m.m)
}

func (m moments) mean() float64 {
	if m.n == 0 {
		return math.NaN()
	}
	return m.m
}

// sd returns the standard deviation of the population: divided by n, not n-1.
func (m moments) sd() float64 { return math.Sqrt(m.squares / float64(m.n)) }

// MarshalJSON writes the form that Report shows.
func (r *Report) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		System      string      `json:"system"`
		Documents   int         `json:"n_docs"`
		Missing     []string    `json:"missing"`
		Extra       []string    `json:"extra"`
		Warnings    []string    `json:"warnings"`
		Corrections []string    `json:"corrections,omitempty"`
		Evaluations evaluations `json:"evaluations"`
	}{r.System, r.Documents, r.Missing, r.Extra, append([]string{}, r.Warnings()...), r.Corrections, r.Evaluations})
}

// evaluations marshal as a JSON object that keeps their order.
type evaluations []Evaluation

func (es evaluations) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	sep := byte('{')
	for i := range es {
		name, err := json.Marshal(es[i].Name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(es[i].json())
		if err != nil {
			return nil, err
		}
		b.WriteByte(sep)
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
		sep = ','
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func (e *Evaluation) json() any {
	return struct {
		TP        int               `json:"tp"`
		FP        int               `json:"fp"`
		FN        int               `json:"fn"`
		MicroP    float64           `json:"micro_p"`
		MicroR    float64           `json:"micro_r"`
		MicroF1   float64           `json:"micro_f1"`
		MacroP    orNull            `json:"macro_p"`
		MacroPSD  orNull            `json:"macro_p_sd"`
		MacroR    orNull            `json:"macro_r"`
		MacroRSD  orNull            `json:"macro_r_sd"`
		MacroF1   orNull            `json:"macro_f1"`
		Documents int               `json:"n_docs"`
		Docs      map[string][3]int `json:"docs,omitempty"`
	}{
		e.TP, e.FP, e.FN, e.Micro.Precision, e.Micro.Recall, e.Micro.F1,
		orNull(e.Macro.Precision), orNull(e.PrecisionSD), orNull(e.Macro.Recall), orNull(e.RecallSD), orNull(e.Macro.F1),
		e.documents, evaluation.CountsByDocument(e.Documents),
	}
}

// orNull is a number that marshals NaN as null.
type orNull float64

func (x orNull) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(x)) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(x))
}

// Warnings returns what may surprise a user: documents missing on one side, tags
// that the script does not support, and flags without the effect that they seem
// to have.
func (r *Report) Warnings() []string {
	all := slices.Clone(r.flags)
	missing := "gold documents that the system does not have, not scored"
	if r.Corrections != nil {
		missing = "gold documents that the system does not have, counted as missed"
	}
	all.Documents(missing, r.Missing)
	all.Documents("system documents without a gold standard, not scored", r.Extra)
	all.Found("tags of elements that the script does not know, not scored", r.ignored)
	all.Found("tags with a TYPE that the script does not expect in their element, scored", r.unknown)
	return all
}

// Layout selects the tables that WriteText writes.
type Layout int

// The layouts of the script: the averages (for folders), the averages after the
// tables of each document (-v), and the table of a single document (for two
// files).
const (
	Summary Layout = iota
	Verbose
	Single
)

// WriteText writes what the script prints. The tables of documents require that
// Options.Documents was set.
func (r *Report) WriteText(w io.Writer, layout Layout) error {
	var b bytes.Buffer
	for i := range r.Evaluations {
		e := &r.Evaluations[i]
		name := e.Name
		if r.System != "" {
			name = r.System + " " + name
		}
		if layout != Summary {
			e.writeDocuments(&b, name)
		}
		if layout != Single {
			e.writeSummary(&b, name)
		}
	}
	for _, line := range evaluation.CorrectionLines("the script's", r.Corrections) {
		fmt.Fprintln(&b, line)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// row writes a line of four columns, and ruled writes the rule between tables.
func row(b *bytes.Buffer, a, c, d, e string) { fmt.Fprintf(b, "%-25s%-15s%-15s%-20s\n", a, c, d, e) }

func ruled(b *bytes.Buffer) { b.WriteString(strings.Repeat("-", 75) + "\n") }

func (e *Evaluation) writeSummary(b *bytes.Buffer, name string) {
	withSD := func(x, sd float64) string { return digits(x, 4) + " (" + digits(sd, 2) + ")" }
	row(b, fmt.Sprintf("%s (%d)", name, e.documents), "Measure", "Macro (SD)", "Micro (Primary)")
	ruled(b)
	row(b, "Total", "Precision", withSD(e.Macro.Precision, e.PrecisionSD), digits(e.Micro.Precision, 4))
	row(b, "", "Recall", withSD(e.Macro.Recall, e.RecallSD), digits(e.Micro.Recall, 4))
	row(b, "", "F1", digits(e.Macro.F1, 4), digits(e.Micro.F1, 4))
	b.WriteString("\n\n")
}

func (e *Evaluation) writeDocuments(b *bytes.Buffer, name string) {
	fmt.Fprintf(b, "Report for %s:\n", name)
	row(b, "", "Measure", "", "Micro (Primary)")
	ruled(b)
	for _, d := range e.Documents {
		s := prf(d.Counts)
		row(b, d.ID, "Precision", "", digits(s.Precision, 4))
		row(b, fmt.Sprintf("[%d(%d)%d]", d.TP+d.FN, d.TP, d.TP+d.FP), "Recall", "", digits(s.Recall, 4))
		row(b, "", "F1", "", digits(s.F1, 4))
		ruled(b)
	}
}

// digits formats a number as Python's "{:.4}" does, with n significant digits.
func digits(x float64, n int) string {
	s := strconv.FormatFloat(x, 'g', n, 64)
	switch {
	case math.IsNaN(x):
		return "nan"
	case !strings.ContainsAny(s, ".e"):
		return s + ".0"
	}
	return s
}
