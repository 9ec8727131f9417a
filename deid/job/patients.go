package job

import (
	"hash/maphash"

	"github.com/lethe-deid/lethe/deid/audit"
)

// patients counts the patients whose notes a run has seen. It stores a hash of each, in a few bytes per patient.
type patients struct {
	seed      maphash.Seed
	seen      map[uint64]bool // patients with notes that were written
	batched   map[uint64]bool // patients with notes in this batch or an earlier one
	restarted map[uint64]bool // patients with notes in several batches
	numbered  bool            // the run numbers values; otherwise batched and restarted stay empty
}

func newPatients(numbered bool) patients {
	return patients{maphash.MakeSeed(), map[uint64]bool{}, map[uint64]bool{}, map[uint64]bool{}, numbered}
}

// count adds the patient of a written note to the summary.
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

// come records the patients of a batch. Each batch restarts the numbering, so a patient with notes in several batches
// has several numberings.
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
		if p.batched[patient] {
			p.restarted[patient] = true
		}
		p.batched[patient] = true
	}
}
