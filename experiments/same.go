package experiments

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/strictyaml"
)

// SameSystem reports whether two runs trained the same system and differ at most in their seeds: they have the same configuration, the same
// notes to train on, as far as these are known, and, if they are distillations, the same teacher and settings. The notes of runs of earlier
// versions are unknown.
func SameSystem(a, b *Run) (bool, error) {
	x, y := *a.Config, *b.Config
	x.Seed, y.Seed = 0, 0
	if key, _, _ := strictyaml.Difference(&x, &y); key != "" {
		return false, nil
	}
	notesOfA, distilledA, err := a.learnedFrom()
	if err != nil {
		return false, err
	}
	notesOfB, distilledB, err := b.learnedFrom()
	sameNotes := notesOfA == notesOfB || notesOfA == "" || notesOfB == ""
	return sameNotes && distilledA == distilledB, err
}

// learnedFrom returns the digest of the notes that the run was trained on, "" if it is unknown, and the settings of its distillation, which
// are zero if it is none. They do not contain the teacher's folder, which may have moved.
func (r *Run) learnedFrom() (notes string, distilled settings, err error) {
	m, err := r.Machine()
	if err != nil {
		return "", distilled, err
	}
	if m != nil {
		notes = m.Notes
	}
	path := filepath.Join(r.Dir, distillFile)
	raw, err := bounded.ReadFile(path, bounded.MaxConfig)
	if errors.Is(err, fs.ErrNotExist) {
		return notes, distilled, nil
	}
	if err == nil {
		err = strictyaml.Decode(path, raw, &distilled)
	}
	distilled.Teacher = ""
	return notes, distilled, err
}
