package tagged

import (
	"fmt"
	"iter"

	"github.com/lethe-deid/lethe/data"
)

// Convert converts the documents of any reader to those of a scorer.
func Convert[D any](docs data.Documents, one func(*data.Document) *D) iter.Seq2[*D, error] {
	return func(yield func(*D, error) bool) {
		for d, err := range docs {
			if err == nil {
				err = d.Check()
			}
			var converted *D
			if err == nil {
				converted = one(d)
			}
			if !yield(converted, err) {
				return
			}
		}
	}
}

// Finding counts occurrences of something, and remembers where the first one is.
type Finding struct {
	n     int
	first string
}

// Add counts n occurrences, which may be 0, in a document of one side.
func (f *Finding) Add(n int, side, id string) {
	if f.n == 0 && n > 0 {
		f.first = fmt.Sprintf("%s document %s", side, id)
	}
	f.n += n
}

// Warnings are lines about what may surprise a user.
type Warnings []string

// Found adds a warning about a finding, unless it is empty.
func (w *Warnings) Found(what string, f Finding) { w.add(what, f.n, "in "+f.first) }

// Documents adds a warning with a list of IDs, unless it is empty.
func (w *Warnings) Documents(what string, ids []string) {
	if len(ids) > 0 {
		w.add(what, len(ids), ids[0])
	}
}

func (w *Warnings) add(what string, n int, first string) {
	if n > 0 {
		*w = append(*w, fmt.Sprintf("%s: %d, first %s", what, n, first))
	}
}
