package experiments

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/tokenize"
)

// Facts contains the size of a split of a corpus.
type Facts struct {
	Split string
	Added []string // other splits whose notes Corpus.Merge adds to Split
	Notes int
	Spans int
	Types int // types that occur
	Lost  int // spans that no sequence labeller can learn, because they overlap a longer span, repeat one, or are blank

	// Tokens of the tokenizer ptb, which Config.Check counts: all, the distinct ones, and those that
	// a span touches (Dernoncourt et al. 2016, Table 3).
	Tokens, Distinct, PHITokens int
}

// factsOf returns facts about a split of the corpus.
func (c *Corpus) factsOf(split string, docs []*data.Document) Facts {
	f := factsOf(split, docs)
	f.Added = c.added(split)
	return f
}

func factsOf(split string, docs []*data.Document) Facts {
	f := Facts{Split: split, Notes: len(docs)}
	types := map[string]bool{}
	for _, d := range docs {
		f.Spans += len(d.Spans)
		f.Lost += len(d.Spans)
		for _, s := range data.Flatten(d.Spans) {
			if strings.TrimSpace(d.Text[s.Start:s.End]) != "" {
				f.Lost--
			}
		}
		for _, s := range d.Spans {
			types[s.Type] = true
		}
	}
	f.Types = len(types)
	return f
}

// countTokens counts the tokens of the documents.
func (f *Facts) countTokens(docs []*data.Document) {
	distinct := map[string]bool{}
	var tokens []data.Token
	for _, d := range docs {
		tokens = tokenize.PTB{}.Tokens(d.Text, tokens[:0])
		f.Tokens += len(tokens)
		for _, t := range tokens {
			distinct[d.Text[t.Start:t.End]] = true
		}
		for _, s := range data.AlignSpans(tokens, d.Spans) {
			f.PHITokens += s.End - s.Start
		}
	}
	f.Distinct = len(distinct)
}

func (f Facts) String() string {
	name := f.Split
	if len(f.Added) > 0 {
		name += " with " + strings.Join(f.Added, " and ")
	}
	line := fmt.Sprintf("%s: %s, %s of %s", name, count(f.Notes, "note"), count(f.Spans, "span"), count(f.Types, "type"))
	if f.Lost > 0 {
		line += fmt.Sprintf(", %d of which cannot be learned (they overlap a longer span, repeat one, or are blank)", f.Lost)
	}
	if f.Tokens > 0 {
		line += fmt.Sprintf("; %s, %d distinct, %d in spans", count(f.Tokens, "token"), f.Distinct, f.PHITokens)
	}
	return line
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// CheckPatients returns an error unless the patient of each document is known. what names the
// setting that requires the documents of a patient to stay together.
func CheckPatients(what string, docs []*data.Document) error {
	unknown, first := 0, ""
	for _, d := range docs {
		if d.Patient == "" {
			if unknown == 0 {
				first = d.ID
			}
			unknown++
		}
	}
	if unknown == 0 {
		return nil
	}
	return fmt.Errorf("%s: by patient, but %d of %s (such as %s) do not name their patient: "+
		"divide by document instead, or say whose they are with corpus.patient, as in <patient>_* for the names of files or patients.csv for a table "+
		"(without it, a file 110-04.txt belongs to patient 110, and JSON Lines have a key patient)",
		what, unknown, count(len(docs), "note"), quoted(first))
}

// checkAnnotated returns an error if no document has a span: there would be nothing to learn or to
// score.
func checkAnnotated(split string, docs []*data.Document) error {
	if slices.ContainsFunc(docs, func(d *data.Document) bool { return len(d.Spans) > 0 }) {
		return nil
	}
	if split == TrainSplit {
		return errors.New("corpus: split train contains no annotation to learn from")
	}
	return fmt.Errorf("corpus: split %s contains no annotation to score", split)
}

// checkOverlap returns an error if annotated notes of a split have the same text as a note of
// train: the system would be scored on answers that it was trained on. Notes without PHI ("did not
// attend") may occur in both.
func (c *Corpus) checkOverlap(train []*data.Document, split string, docs []*data.Document) error {
	if c.AllowOverlap {
		return nil
	}
	known := map[[sha256.Size]byte]bool{}
	for _, d := range train {
		known[fingerprint(d)] = true
	}
	var shared []string
	for _, d := range docs {
		if len(d.Spans) > 0 && known[fingerprint(d)] {
			shared = append(shared, quoted(d.ID))
		}
	}
	if shared == nil {
		return nil
	}
	const most = 5
	some := strings.Join(shared[:min(most, len(shared))], ", ")
	if len(shared) > most {
		some += ", ..."
	}
	return fmt.Errorf("corpus: %d of the %s of split %s have the same text as a note of train, so its scores would be meaningless (%s): "+
		"remove them, or set corpus.allow_overlap to true if this is intended", len(shared), count(len(docs), "note"), split, some)
}

// fingerprint hashes a document's text, treating any run of white space as one blank.
func fingerprint(d *data.Document) [sha256.Size]byte {
	return sha256.Sum256([]byte(strings.Join(strings.Fields(d.Text), " ")))
}

// quoted returns an ID in a form that cannot break a line.
func quoted(id string) string {
	if strings.ContainsAny(id, "\r\n\t\x1b") {
		return fmt.Sprintf("%q", id)
	}
	return id
}
