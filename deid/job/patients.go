package job

import (
	"hash/maphash"

	"github.com/lethe-deid/lethe/deid/audit"
)

// patients keeps account of whose notes a run has seen, in a few bytes a patient.
type patients struct {
	seed      maphash.Seed
	seen      map[uint64]bool // whose notes are written
	left      map[uint64]bool // whose notes were in a batch before this one
	restarted map[uint64]bool // of those, who came back
	numbered  bool            // whether it matters that they do
}

func newPatients(numbered bool) patients {
	return patients{maphash.MakeSeed(), map[uint64]bool{}, map[uint64]bool{}, map[uint64]bool{}, numbered}
}

// count adds a note that is written to the summary.
func (p *patients) count(s *audit.Summary, patient string) {
	if p.seen == nil {
		return
	}
	if patient == "" {
		s.Without++
		return
	}
	p.seen[maphash.String(p.seed, patient)] = true
	s.Patients = len(p.seen)
}

// come takes note of the patients of a batch: each batch numbers its own anew.
func (p *patients) come(batch []item) {
	if !p.numbered {
		return
	}
	now := map[uint64]bool{}
	for _, it := range batch {
		for _, n := range it.notes {
			if n.note.Patient != "" {
				now[maphash.String(p.seed, n.note.Patient)] = true
			}
		}
	}
	for patient := range now {
		if p.left[patient] {
			p.restarted[patient] = true
		}
		p.left[patient] = true
	}
}
