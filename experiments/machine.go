package experiments

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/wholefile"
	"github.com/lethe-deid/lethe/models"
	"github.com/lethe-deid/lethe/nn/kernel"
)

// machineFile is the file of a run's Machine.
const machineFile = "run.json"

// Machine describes the program and the machine that trained a run. The same configuration, seed,
// workers and kernel produce the same bits.
type Machine struct {
	Lethe     string    `json:"lethe"` // version
	Go        string    `json:"go"`
	System    string    `json:"system"`    // e.g. linux/amd64
	Processor string    `json:"processor"` // "" if unknown
	Cores     int       `json:"cores"`
	Workers   int       `json:"workers"` // cores in use
	Kernel    string    `json:"kernel"`  // of the matrix products
	Seed      uint64    `json:"seed"`
	Started   time.Time `json:"started"` // when the training began
	Resumed   int       `json:"resumed"` // how often the run was resumed; the machine is the last one
	// Parameters is the number of values that the training sets, in all members; 0 while it is not done.
	Parameters int `json:"parameters,omitzero"`
	// Notes is a digest of the ids of the notes that the run was trained on, in their order: see Run.read.
	Notes string `json:"notes,omitzero"`
}

// Machine reads the description that Train wrote. It returns nil if the run has none.
func (r *Run) Machine() (*Machine, error) {
	path := filepath.Join(r.Dir, machineFile)
	raw, err := bounded.ReadFile(path, bounded.MaxConfig)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	m := &Machine{}
	if err := json.Unmarshal(raw, m); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// note writes the description of the program, the machine and the notes to train on. A run cannot be resumed with others.
func (r *Run) note(opt TrainOptions, train []*data.Document) error {
	m := &Machine{
		Lethe: Version(opt.Version), Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH, Processor: processor(),
		Cores: runtime.NumCPU(), Workers: opt.Workers, Kernel: kernel.Name(), Seed: r.Config.Seed,
		Started: time.Now().UTC().Truncate(time.Second), Notes: notesDigest(train),
	}
	if opt.Resume {
		earlier, err := r.Machine()
		if err != nil {
			return err
		}
		if earlier != nil {
			if earlier.Notes != "" && earlier.Notes != m.Notes {
				return fmt.Errorf("%s: the notes to train on are not those with which the run began, or they are in another order", r.Dir)
			}
			m.Started, m.Resumed, m.Parameters = earlier.Started, earlier.Resumed, earlier.Parameters
		}
		m.Resumed++
	}
	return r.writeMachine(m)
}

// notesDigest returns a digest of the ids of notes, or "" if there are none.
func notesDigest(docs []*data.Document) string {
	if len(docs) == 0 {
		return ""
	}
	digest := sha256.New()
	for _, d := range docs {
		fmt.Fprintf(digest, "%d %s\n", len(d.ID), d.ID)
	}
	return "sha256:" + hex.EncodeToString(digest.Sum(nil))
}

// NotesDigest reads the notes to train on and returns their digest: see Machine.Notes.
func (c *Corpus) NotesDigest(progress models.Progress) (string, error) {
	train, err := c.Load(TrainSplit, progress)
	return notesDigest(train), err
}

// noteParameters adds the number of parameters to the description.
func (r *Run) noteParameters(byMember map[string]int) error {
	m, err := r.Machine()
	if err != nil || m == nil || m.Parameters > 0 { // the training was complete before it was resumed
		return err
	}
	for _, n := range byMember {
		m.Parameters += n
	}
	return r.writeMachine(m)
}

func (r *Run) writeMachine(m *Machine) error {
	encoded, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return wholefile.WriteFile(filepath.Join(r.Dir, machineFile), append(encoded, '\n'), 0o666)
}

// Version returns the version of the program: linked, which the linker sets, or if that is "" the
// version of the module that Go recorded, or "unknown".
func Version(linked string) string {
	if info, ok := debug.ReadBuildInfo(); ok && linked == "" {
		linked = info.Main.Version
	}
	return cmp.Or(linked, "unknown")
}

// processor returns the name of the processor on Linux, and "" elsewhere.
func processor() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(info)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
