package experiments

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/taggers"
)

// Unfinished reports whether the run's training has begun and not ended: its model is the best one until then.
func (r *Run) Unfinished() bool {
	m, err := r.Machine()
	if err != nil || m == nil || m.Parameters > 0 {
		return false
	}
	log, err := r.Epochs()
	return err == nil && slices.ContainsFunc(log, func(e taggers.Epoch) bool { return e.Parameters > 0 })
}

// Epochs reads the log of the run's training. A run that has none has not begun.
func (r *Run) Epochs() (log []taggers.Epoch, err error) {
	path := filepath.Join(r.Dir, LogFile)
	raw, err := bounded.ReadFile(path, bounded.MaxModel)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	n := 0
	for line := range bytes.Lines(raw) {
		n++
		var e taggers.Epoch
		if err := json.Unmarshal(line, &e); err != nil || e.Epoch < 1 {
			return nil, fmt.Errorf("%s:%d: not an epoch of a training", path, n)
		}
		log = append(log, e)
	}
	return log, nil
}
