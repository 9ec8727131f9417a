package experiments

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/lethe-deid/lethe/checkpoints"
	"github.com/lethe-deid/lethe/data/check"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/models"
)

// inherited returns the training notes of the models that a system contains or starts from, as far as these
// are in run folders. Scores on these notes would be those of notes that the system was trained on.
func (c *Config) inherited(progress models.Progress) []check.Inherited {
	return c.inheritedBut(map[string]bool{}, progress)
}

// inheritedBut is inherited without the run folders in seen, to which it adds those that it finds: several models can contain the same one, and a
// folder can have the name of the run that its own model started from.
func (c *Config) inheritedBut(seen map[string]bool, progress models.Progress) []check.Inherited {
	var all []check.Inherited
	for _, p := range c.System.Paths() {
		run := RunAround(*p.Value)
		if run == nil || seen[run.Dir] {
			continue
		}
		seen[run.Dir] = true
		m, err := run.Machine()
		if err != nil || run.pretrained() {
			continue // a broken run, of which opening the model tells, or a pretraining, whose text has no annotations
		}
		all = append(append(all, run.learned(fmt.Sprintf("%s (system.%s)", *p.Value, p.Key), m, progress)), run.Config.inheritedBut(seen, progress)...)
	}
	return all
}

// learned returns the training notes of the run's own model. m is its description, or nil.
func (r *Run) learned(model string, m *Machine, progress models.Progress) check.Inherited {
	from := check.Inherited{Model: model}
	from.Notes, from.Err = r.Config.Corpus.Load(TrainSplit, progress)
	if from.Err == nil && m != nil && m.Notes != "" && notesDigest(from.Notes) != m.Notes {
		from.Notes, from.Err = nil, errors.New("they have changed since the training")
	}
	return from
}

// pretrained reports whether the run is a pretraining: its network has no labels. Other runs without a digest of their notes are of an earlier version.
func (r *Run) pretrained() bool {
	best := checkpoints.Locate(filepath.Join(r.Dir, models.Folder, "best"))
	raw, err := bounded.ReadFile(filepath.Join(best, "labels.json"), bounded.MaxModel)
	if err != nil {
		return false // another tagger than a network, or a broken model
	}
	var network struct {
		Labels []string `json:"labels"`
	}
	return json.Unmarshal(raw, &network) == nil && len(network.Labels) == 0
}

// TrainedOn returns the training notes of the run's model, and those of the models that it contains or started from.
func (r *Run) TrainedOn(progress models.Progress) ([]check.Inherited, error) {
	m, err := r.Machine()
	if err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(r.Dir) // as the paths in a configuration are
	if err != nil {
		return nil, err
	}
	return append([]check.Inherited{r.learned(r.Dir, m, progress)}, r.Config.inheritedBut(map[string]bool{dir: true}, progress)...), nil
}

// RunAround opens the run folder that a path names or in which it is. It returns nil if there is none.
func RunAround(path string) *Run {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return nil
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil
	}
	for dir := path; ; dir = filepath.Dir(dir) {
		if bounded.Exists(filepath.Join(dir, machineFile)) {
			run, err := OpenRun(dir)
			if err != nil {
				return nil
			}
			return run
		}
		if dir == filepath.Dir(dir) {
			return nil
		}
	}
}
