// Package models opens trained models and applies them to notes.
//
//	model, err := models.Open("runs/meddocan", 0)
//	if err != nil {
//		return err
//	}
//	found, err := model.Tag(ctx, []*data.Document{{ID: "1", Text: text}})
//
// A model is a folder that "lethe train" or system.Fit has written; docs/systems.md describes the kinds of models. A run
// is a folder that "lethe train" has written, with several models. Its best model is the one with the best scores on the
// dev split.
package models

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/lethe-deid/lethe/checkpoints"
	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/language"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/recent"
	"github.com/lethe-deid/lethe/taggers/operating"
	"github.com/lethe-deid/lethe/taggers/system"
)

const (
	// Folder is the name of the folder in a run folder that contains the models.
	Folder = "model"
	best   = "best" // name of the best model's folder, inside Folder
)

// Each model folder has at least one of checkpoints.WeightsFile and this file.
const systemFile = "system.yaml"

// Best returns the folder of the best model of a run. It does not check whether there is one.
func Best(run string) string { return checkpoints.Locate(filepath.Join(run, Folder, best)) }

// IsRun reports whether a folder is a run folder. It is false if the folder does not exist.
func IsRun(dir string) bool { return bounded.Exists(filepath.Join(dir, Folder)) }

// A Model is a trained tagger that Open has read from a folder.
type Model struct {
	data.Tagger
	Types *data.TypeSet // type set of the spans that the model finds
	Dir   string        // model folder, even if Open was given a run folder

	members      map[language.Language]member // of Auto; nil for other models
	vocabularies func() (*vocabularies, error)
	decisions    *recent.Texts[decision] // the tagger, the safety net, the replacer and the audit ask for that about each note
	usualOnce    sync.Once
	usual        *operating.Usual // see Unlike
	known        sync.Pool        // of *recent.Words[bool]: whether the first network knows a word
}

// Open reads the model in a model folder, or the best model of a run folder. If dir is the name of a model that comes
// with the program (checkpoints.Builtin), or Auto, it opens this one; a folder of the same name is opened as ./NAME. The
// model uses up to workers cores; 0 means all. It is an error if dir is none of these.
func Open(dir string, workers int) (*Model, error) {
	switch {
	case dir == Auto:
		return openAuto(workers)
	case slices.Contains(checkpoints.Builtin(), dir):
		dir = bounded.Builtin(dir)
	}
	info, err := bounded.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w, and no model that comes with the program (%s)", dir, syscall.ENOENT, strings.Join(available(), ", "))
	} else if err != nil {
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
		if !system.IsModel(m.Dir) {
			return nil, fmt.Errorf("%s: contains no model yet: lethe train --resume continues its training", dir)
		}
	} else if !system.IsModel(dir) {
		return nil, fmt.Errorf("%s: neither a run folder, which contains %s, nor a model folder, which contains %s or %s", dir, Folder, checkpoints.WeightsFile, systemFile)
	}
	m.Tagger, m.Types, err = system.Load(m.Dir, workers)
	if err != nil {
		return nil, err
	}
	return m, nil
}

// available lists the names that Open knows: those of the models that come with the program, and Auto.
func available() []string { return append(slices.Clone(checkpoints.Builtin()), Auto) }

// OpenOne is Open for what concerns a single model. Auto is an error.
func OpenOne(name string, workers int) (*Model, error) {
	if name == Auto {
		return nil, fmt.Errorf("%s is not one model: it chooses among those that come with the program (%s)", Auto, strings.Join(checkpoints.Builtin(), ", "))
	}
	return Open(name, workers)
}

// CheckPlain returns an error if the model cannot tag notes without columns (data.Document.Columns), such as plain text, because a
// feature reads one. No model that comes with the program does.
func (m *Model) CheckPlain(ctx context.Context) error {
	if m.Builtin() {
		return nil // and Auto opens a model when a note of its language comes
	}
	_, err := m.Tag(ctx, []*data.Document{{ID: "none"}})
	if missing, ok := errors.AsType[*data.NoColumn](err); ok {
		return fmt.Errorf("%s: the model reads the column %s of each note, beside its text, and these notes have none: lethe predict reads it from files of the format jsonl, or of conll and hf with --conll and --hf-columns", m.Dir, missing.Column)
	}
	return nil
}

// Builtin reports whether the model comes with the program.
func (m *Model) Builtin() bool { return bounded.IsBuiltin(m.Dir) }
