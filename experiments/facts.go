package experiments

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
)

// Facts says how large a split of a corpus is.
type Facts struct {
	Split string
	Notes int
	Spans int
	Types int // that occur
	Lost  int // spans that no sequence labeller can learn: they overlap a longer one, repeat one, or are blank
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

func (f Facts) String() string {
	line := fmt.Sprintf("%s: %s, %s of %s", f.Split, count(f.Notes, "note"), count(f.Spans, "span"), count(f.Types, "type"))
	if f.Lost > 0 {
		line += fmt.Sprintf(", %d of which cannot be learned (they overlap a longer span, repeat one, or are blank)", f.Lost)
	}
	return line
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// CheckPatients returns an error unless each document says whose it is. what names
// the setting that wants to keep the documents of a patient together.
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
	return fmt.Errorf("%s: by patient, but %d of %s (such as %s) do not say whose they are: "+
		"divide by document instead, or name the patients: a file 110-04.txt is of patient 110, and JSON Lines have a key patient",
		what, unknown, count(len(docs), "note"), quoted(first))
}

// checkAnnotated refuses documents that teach nothing, or by which nothing can be
// scored.
func checkAnnotated(split string, docs []*data.Document) error {
	if slices.ContainsFunc(docs, func(d *data.Document) bool { return len(d.Spans) > 0 }) {
		return nil
	}
	if split == TrainSplit {
		return errors.New("corpus: split train holds no annotation to learn from")
	}
	return fmt.Errorf("corpus: split %s holds no annotation to score by", split)
}

// checkOverlap refuses a split some of whose annotated notes are notes of train as
// well: its scores would be those of a system that knew the answers. The same text
// without PHI in it ("did not attend") may stand in both.
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
	return fmt.Errorf("corpus: %d of the %s of split %s have the same text as a note of train, which makes its scores worthless (%s): "+
		"take them out, or, if that is intended, set corpus.allow_overlap to true", len(shared), count(len(docs), "note"), split, some)
}

// fingerprint is that of the text, but for white space.
func fingerprint(d *data.Document) [sha256.Size]byte {
	return sha256.Sum256([]byte(strings.Join(strings.Fields(d.Text), " ")))
}

// quoted is an ID that cannot break a line.
func quoted(id string) string {
	if strings.ContainsAny(id, "\r\n\t\x1b") {
		return fmt.Sprintf("%q", id)
	}
	return id
}
