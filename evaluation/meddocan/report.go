package meddocan

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/evaluation/internal/tagged"
)

// Report contains the scores of a system. In JSON:
//
//	{"n_docs":40,"missing":[],"extra":[],"warnings":[],
//	 "subtask1_ner":{"tp":9,"fp":1,"fn":1,"precision":0.9,"recall":0.9,"f1":0.9,"leak":0.01,"num_sentences":100},
//	 "subtask2_strict":{"tp":9,...},"subtask2_merged":{"tp":9,...}}
//
// The numbers are null in case of ERROR, and leak and num_sentences are null in
// case of NA. Each evaluation has docs, {"ID":[tp,fp,fn]}, if Options.Documents
// was set. The report has corrections if Options.Corrected was set.
type Report struct {
	Documents           int      // number of scored documents
	Missing             []string // IDs of gold documents without a system document
	Extra               []string // IDs of system documents without a gold document: not scored
	Corrections         []string // Corrections, if Options.Corrected was set
	NER, Strict, Merged Evaluation
	Sentences           int  // number of sentences in all documents
	NA                  bool // the number of sentences of some document is unknown

	differ  []string       // IDs of documents whose two texts differ
	skipped tagged.Finding // see Document.Skipped
	ignored tagged.Finding
}

// Evaluation contains the scores of one of the three evaluations.
type Evaluation struct {
	evaluation.Counts                             // sums over documents
	Documents         []evaluation.DocumentCounts // if Options.Documents was set
}

// add scores one document. A side that lacks the document is nil.
func (r *Report) add(gold, system *Document, o Options) error {
	switch {
	case gold == nil:
		r.Extra = append(r.Extra, system.ID)
		return nil
	case system == nil:
		r.Missing = append(r.Missing, gold.ID)
		if !o.Corrected {
			return nil
		}
		system = &Document{ID: gold.ID, Text: gold.Text}
	}
	if err := evaluation.SameText(gold.ID, gold.Text, system.Text); err != nil {
		if o.Corrected {
			return err
		}
		r.differ = append(r.differ, gold.ID)
	}
	for _, d := range []struct {
		side string
		*Document
	}{{"gold", gold}, {"system", system}} {
		if o.Corrected && len(d.Skipped) > 0 {
			return d.Skipped[0]
		}
		r.skipped.Add(len(d.Skipped), d.side, d.ID)
		r.ignored.Add(d.Ignored, d.side, d.ID)
	}
	r.Documents++
	c := count(gold, system, o.Corrected)
	r.NER.add(gold.ID, c.ner, o)
	r.Strict.add(gold.ID, c.strict, o)
	r.Merged.add(gold.ID, c.merged, o)
	if o.Sentences == nil {
		r.NA = true
		return nil
	}
	n, known, err := o.Sentences(gold.ID)
	r.Sentences += n
	r.NA = r.NA || !known
	return err
}

func (e *Evaluation) add(id string, c evaluation.Counts, o Options) {
	e.Counts = e.Plus(c)
	if o.Documents {
		e.Documents = append(e.Documents, evaluation.DocumentCounts{ID: id, Counts: c})
	}
}

// Failed reports whether the scores are ERROR because gold documents are missing.
func (r *Report) Failed() bool { return len(r.Missing) > 0 && r.Corrections == nil }

// Leak returns the number of missed tags per sentence, or false for NA.
func (r *Report) Leak() (float64, bool) {
	return share(float64(r.NER.FN), float64(r.Sentences)), !r.NA && r.Documents > 0
}

// PRF returns precision, recall and F1 of the summed counts, computed as the
// script does. The last digit may differ from that of Counts.F1.
func (e *Evaluation) PRF() evaluation.PRF {
	return prf([]float64{float64(e.TP), float64(e.FP), float64(e.FN)})
}

// prf computes the scores from a total of true positives, false positives and
// false negatives.
func prf(total []float64) evaluation.PRF {
	s := evaluation.PRF{Precision: share(total[0], total[0]+total[1]), Recall: share(total[0], total[0]+total[2])}
	if s.Precision+s.Recall > 0 {
		s.F1 = 2 * (s.Recall * s.Precision / (s.Recall + s.Precision))
	}
	return s
}

func share(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// Warnings returns what may surprise a user: missing and extra documents, texts
// that differ, and lines and tags that were not scored.
func (r *Report) Warnings() []string {
	var all tagged.Warnings
	missing := "gold documents that the system does not have, so that there are no scores"
	if r.Corrections != nil {
		missing = "gold documents that the system does not have, counted as missed"
	}
	all.Documents(missing, r.Missing)
	all.Documents("system documents without a gold standard, not scored", r.Extra)
	all.Documents("documents whose gold text and system text differ, scored all the same", r.differ)
	all.Found("lines that look like tags and have too few fields, not scored", r.skipped)
	all.Found("tags of elements that the script does not know, not scored", r.ignored)
	return all
}

// WriteText writes the script's file of scores and, if Options.Documents was set,
// the counts of each document.
func (r *Report) WriteText(w io.Writer) error {
	show := repr
	var b strings.Builder
	if r.Failed() {
		show = func(float64) string { return "ERROR" }
		b.WriteString("You did not annotate all data\n")
	}
	leak := "NA"
	if l, known := r.Leak(); known || r.Failed() {
		leak = show(l)
	}
	fmt.Fprintf(&b, "Subtask1_Leak : %s \n", leak)
	for _, e := range []struct {
		name string
		evaluation.PRF
	}{{"Subtask1", r.NER.PRF()}, {"Subtask2Strict", r.Strict.PRF()}, {"Subtask2Merged", r.Merged.PRF()}} {
		fmt.Fprintf(&b, "%[1]s_Precision : %[2]s\n%[1]s_Recall : %[3]s\n%[1]s_F1 : %[4]s\n", e.name, show(e.Precision), show(e.Recall), show(e.F1))
	}
	if r.NER.Documents != nil {
		t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprint(t, "\n\tner TP\tFP\tFN\tstrict TP\tFP\tFN\tmerged TP\tFP\tFN\t\n")
		for i, d := range r.NER.Documents {
			fmt.Fprint(t, d.ID)
			for _, c := range []evaluation.Counts{d.Counts, r.Strict.Documents[i].Counts, r.Merged.Documents[i].Counts} {
				fmt.Fprintf(t, "\t%d\t%d\t%d", c.TP, c.FP, c.FN)
			}
			fmt.Fprint(t, "\t\n")
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	for _, line := range evaluation.CorrectionLines("the script's", r.Corrections) {
		fmt.Fprintln(&b, line)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// repr formats a non-negative number as Python does: with the fewest digits that
// identify it.
func repr(x float64) string {
	if x != 0 && (x < 1e-4 || x >= 1e16) {
		return strconv.FormatFloat(x, 'e', -1, 64)
	}
	s := strconv.FormatFloat(x, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// scores is the JSON form of an evaluation.
type scores struct {
	TP        *int              `json:"tp"`
	FP        *int              `json:"fp"`
	FN        *int              `json:"fn"`
	Precision *float64          `json:"precision"`
	Recall    *float64          `json:"recall"`
	F1        *float64          `json:"f1"`
	Docs      map[string][3]int `json:"docs,omitempty"`
}

func (e *Evaluation) scores(failed bool) scores {
	if failed {
		return scores{}
	}
	p := e.PRF()
	return scores{
		TP: &e.TP, FP: &e.FP, FN: &e.FN, Precision: &p.Precision, Recall: &p.Recall, F1: &p.F1,
		Docs: evaluation.CountsByDocument(e.Documents),
	}
}

// MarshalJSON writes the form that Report shows.
func (r *Report) MarshalJSON() ([]byte, error) {
	type ner struct {
		scores
		Leak      *float64 `json:"leak"`
		Sentences *int     `json:"num_sentences"`
	}
	failed := r.Failed()
	subtask1 := ner{scores: r.NER.scores(failed)}
	if leak, known := r.Leak(); known && !failed {
		subtask1.Leak, subtask1.Sentences = &leak, &r.Sentences
	}
	return json.Marshal(struct {
		Documents   int      `json:"n_docs"`
		Missing     []string `json:"missing"`
		Extra       []string `json:"extra"`
		Warnings    []string `json:"warnings"`
		Corrections []string `json:"corrections,omitempty"`
		NER         ner      `json:"subtask1_ner"`
		Strict      scores   `json:"subtask2_strict"`
		Merged      scores   `json:"subtask2_merged"`
	}{
		r.Documents, r.Missing, r.Extra, append([]string{}, r.Warnings()...), r.Corrections,
		subtask1, r.Strict.scores(failed), r.Merged.scores(failed),
	})
}
