// Package models opens trained models and applies them to notes.
//
//	model, err := models.Open("runs/meddocan", 0)
//	if err != nil {
//		return err
//	}
//	found, err := model.Tag(ctx, []*data.Document{{ID: "1", Text: text}})
//
// A model is a folder that "lethe train" or system.Fit has written. It is opened by its own path, or
// by that of the run folder, whose best model it is. Models are described in docs/systems.md.
package models

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/lethe-deid/lethe/checkpoints"
	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/taggers/system"
)

// Folders of a run.
const (
	Folder = "model" // in the run folder, the folder of its models
	best   = "best"  // in that, the model that was best on dev
)

// Files of a model, one of which each has.
const (
	weightsFile = "weights.safetensors"
	systemFile  = "system.yaml"
)

// Best returns the folder of the best model of a run.
func Best(run string) string { return checkpoints.Locate(filepath.Join(run, Folder, best)) }

// IsRun reports whether a folder is a run folder.
func IsRun(dir string) bool { return exists(filepath.Join(dir, Folder)) }

// A Model is a tagger that was read from a folder.
type Model struct {
	data.Tagger
	Types *data.TypeSet // of the spans that it finds
	Dir   string        // the model folder
}

// Open reads a model folder, or the best model of a run folder. It uses as many cores as workers
// says; 0 means all.
func Open(dir string, workers int) (*Model, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s: is a file, not a run or model folder", dir)
	}
	if workers == 0 {
		workers = runtime.NumCPU()
	}
	m := &Model{Dir: dir}
	if IsRun(dir) {
		m.Dir = Best(dir)
	} else if !system.IsModel(dir) {
		return nil, fmt.Errorf("%s: neither a run folder, which holds %s, nor a model folder, which holds %s or %s", dir, Folder, weightsFile, systemFile)
	}
	m.Tagger, m.Types, err = system.Load(m.Dir, workers)
	if err != nil {
		return nil, err
	}
	return m, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
