package tagged

import (
	"fmt"
	"iter"

	"github.com/lethe-deid/lethe/data"
)

// Convert makes what a scorer compares of what any reader yields.
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

// Finding says how many there are of something, and where the first is.
type Finding struct {
	n     int
	first string
}

// Add adds n, which may be 0, in a document of one side.
func (f *Finding) Add(n int, side, id string) {
	if f.n == 0 && n > 0 {
		f.first = fmt.Sprintf("%s document %s", side, id)
	}
	f.n += n
}

// Warnings say what a user may not expect.
type Warnings []string

// Found adds a finding, if there is any.
func (w *Warnings) Found(what string, f Finding) { w.add(what, f.n, "in "+f.first) }

// Documents adds a list of IDs, if there are any.
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
