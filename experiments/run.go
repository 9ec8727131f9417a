package experiments

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/goccy/go-yaml"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/format"
	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/lockfile"
	"github.com/lethe-deid/lethe/internal/strictyaml"
	"github.com/lethe-deid/lethe/internal/wholefile"
	"github.com/lethe-deid/lethe/models"
	"github.com/lethe-deid/lethe/taggers/ann"
)

// Names in a run folder.
const (
	ConfigFile  = "config.yaml" // the experiment with every key
	LogFile     = "log.jsonl"   // a taggers.Epoch per line; it exists once the training has begun
	predictions = "predictions"
	evaluations = "evaluation"
)

// Run is a run folder.
type Run struct {
	Dir    string
	Config *Config
	// Moved describes, for people, each path of the configuration that was found elsewhere than during
	// the training.
	Moved []string
	// relocated reports whether Relocate has changed the paths of the corpus.
	relocated bool
}

// OpenRun opens a run folder that Train created. The error wraps fs.ErrNotExist if it has no
// config.yaml. Paths of files and folders that have moved since the training are replaced if they can
// be found again: see Run.Moved.
func OpenRun(dir string) (*Run, error) {
	c, err := read(filepath.Join(dir, ConfigFile))
	if err != nil {
		return nil, err
	}
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, ConfigFile), err)
	}
	r := &Run{Dir: dir, Config: c}
	return r, r.findPaths()
}

// CalibrationNotes loads the notes of a split on which the run's model can be calibrated, which is
// any split whose notes the model was not trained on.
func (r *Run) CalibrationNotes(split string, progress models.Progress) ([]*data.Document, error) {
	if split == TrainSplit {
		return nil, errors.New("cannot calibrate on train: a model has too few doubts on the notes that it was trained on")
	}
	return r.Gold(split, progress)
}

// PredictOptions are the options of Run.Predict.
type PredictOptions struct {
	Output   data.Writer // receives the notes with the spans found; nil: predictions/SPLIT in the run folder, which is replaced
	Aside    bool        // write nothing into the run folder, because the tagger is not the run's model as trained
	Failed   func(error) // called for each note that could not be examined; may be nil
	Progress models.Progress

	unrecorded bool // do not write the scores, which are not those of the run's corpus
}

// Predict tags a split of the run's corpus, writes the spans found and their scores, writes the
// evaluation to evaluation/SPLIT.json, and returns it. Notes that cannot be read are not scored;
// notes that cannot be tagged or written count as missed. In both cases Predict returns a
// *models.Unexamined together with the report. If Relocate has replaced the notes with others than those that were predicted before,
// an Output or Aside is required, and the scores are not written.
func (r *Run) Predict(ctx context.Context, tagger data.Tagger, split string, opt PredictOptions) (*evaluation.Report, error) {
	others, err := r.others(split, opt.Progress)
	if err != nil {
		return nil, err
	}
	if others && opt.Output == nil && !opt.Aside {
		return nil, fmt.Errorf("%s: the notes given for split %s are not those that the run has predictions for, which would be lost: give an --output for them, or remove %s",
			r.Dir, split, filepath.Join(r.Dir, predictions, split))
	}
	opt.unrecorded = others
	source, err := r.read(split, opt.Progress)
	if err != nil {
		return nil, err
	}
	return r.predict(ctx, tagger, split, source, opt)
}

// predict implements Predict for documents that are already open.
func (r *Run) predict(ctx context.Context, tagger data.Tagger, split string, source data.Documents, opt PredictOptions) (_ *evaluation.Report, err error) {
	out := opt.Output
	switch {
	case out != nil:
	case opt.Aside:
		out = nowhere{}
	default:
		unlock, err := r.lockPredictions(split)
		if err != nil {
			return nil, err
		}
		defer unlock()
		if out, err = r.createPredictions(split); err != nil {
			return nil, err
		}
	}
	defer func() { _ = out.Abort() }() // after Close it does nothing

	types := r.Config.Corpus.TypeSet()
	scorer, err := evaluation.Options{Types: types}.Scorer()
	if err != nil {
		return nil, err
	}
	var (
		written  int
		lines    bytes.Buffer // the scores of the spans found
		encoder  = json.NewEncoder(&lines)
		unscored error // the first error of a note that was written but could not be scored
	)
	unexamined := models.Apply(ctx, tagger, source, models.Stream{
		Use: func(gold, found *data.Document) error {
			format.Fit(r.Config.Corpus.Format, found)
			found.Columns = nil // predictions are spans; the corpus has the columns
			err := out.Write(found)
			if err != nil {
				found = nil // counts as missed
			} else {
				written++
				unscored = cmp.Or(unscored, encoder.Encode(newScores(found)))
			}
			unscored = cmp.Or(unscored, scorer.Add(gold, found))
			return err
		},
		Untagged: func(gold *data.Document) { unscored = cmp.Or(unscored, scorer.Add(gold, nil)) }, // counts as missed
		Failed:   opt.Failed, Stage: "tagging " + split, Total: r.Config.Corpus.total(split), Progress: opt.Progress,
	})
	if partly := (*models.Unexamined)(nil); unexamined != nil && (!errors.As(unexamined, &partly) || written == 0) {
		return nil, unexamined
	}
	if err := out.Close(); err != nil {
		return nil, err
	}
	if opt.Output == nil && !opt.Aside {
		if err := wholefile.WriteFile(filepath.Join(r.Dir, predictions, split+scoresSuffix), lines.Bytes(), 0o666); err != nil {
			return nil, err
		}
	}
	if unscored != nil {
		return nil, unscored
	}
	report := scorer.Report()
	if opt.Aside || opt.unrecorded {
		return report, unexamined
	}
	encoded, err := json.MarshalIndent(report, "", "  ")
	if err != nil {
		return nil, err
	}
	if err := wholefile.WriteFile(r.scores(split), append(encoded, '\n'), 0o666); err != nil {
		return nil, err
	}
	return report, unexamined
}

// others reports whether Relocate has replaced the notes of a split with others than those that the run has predictions for: with other ids, or,
// where the text of the predicted ones is known, with other texts, as numbers that are ids occur in any notes.
func (r *Run) others(split string, progress models.Progress) (bool, error) {
	if !r.relocated || !bounded.Exists(filepath.Join(r.Dir, predictions, split)) {
		return false, nil
	}
	found, _, err := r.Found(split)
	if err != nil {
		return false, err
	}
	predicted := map[string]string{} // the texts, "" if unknown
	for _, d := range found {
		predicted[d.ID] = d.Text
	}
	if raw, err := bounded.ReadFile(r.scores(split), bounded.MaxModel); err == nil {
		var report evaluation.Report
		if err := json.Unmarshal(raw, &report); err != nil {
			return false, fmt.Errorf("%s: %w", r.scores(split), err)
		}
		for _, id := range report.Missing { // those that could not be tagged or written
			predicted[id] = ""
		}
	}
	source, err := r.read(split, progress)
	if err != nil {
		return false, err
	}
	n := 0
	for doc, err := range source {
		if err != nil {
			continue // as when it was predicted, perhaps
		}
		n++
		if text, ok := predicted[doc.ID]; !ok || text != "" && evaluation.SameText(doc.ID, doc.Text, text) != nil {
			return true, nil
		}
	}
	return n < len(predicted), nil
}

// scores returns the path of a split's scores.
func (r *Run) scores(split string) string { return filepath.Join(r.Dir, evaluations, split+".json") }

// forget removes the predictions and scores of an earlier model, as its operating points are removed.
func (r *Run) forget() {
	for _, dir := range []string{predictions, evaluations} {
		_ = os.RemoveAll(filepath.Join(r.Dir, dir)) // if it fails, they are as old as before
	}
}

// Scored reports whether the run is complete for a split: its scores are what Predict writes last.
func (r *Run) Scored(split string) bool { return bounded.Exists(r.scores(split)) }

// createPredictions opens a writer for predictions/SPLIT. Close replaces an older folder.
func (r *Run) createPredictions(split string) (data.Writer, error) {
	f := &freshFolder{
		final: filepath.Join(r.Dir, predictions, split),
		fresh: filepath.Join(r.Dir, predictions, "."+split+".new"),
	}
	if err := os.RemoveAll(f.fresh); err != nil { // left by a program that was killed
		return nil, err
	}
	var err error
	f.Writer, err = format.Create(r.Config.Corpus.OutputFormat(), f.fresh, r.Config.Corpus.TypeSet())
	return f, err
}

// lockPredictions keeps other programs away from the predictions for a split until unlock is called or the process ends.
func (r *Run) lockPredictions(split string) (unlock func(), err error) {
	dir := filepath.Join(r.Dir, predictions)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "."+split+".lock")
	file, err := lockfile.Open(path, os.O_RDWR|os.O_CREATE, 0o666)
	if errors.Is(err, lockfile.ErrLocked) {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, split), lockfile.ErrLocked)
	} else if err != nil {
		return nil, err
	}
	return func() {
		_ = os.Remove(path) // on Windows, the file stays
		_ = file.Close()
	}, nil
}

// nowhere is a writer that discards all documents.
type nowhere struct{}

func (nowhere) Write(*data.Document) error { return nil }
func (nowhere) Close() error               { return nil }
func (nowhere) Abort() error               { return nil }

// freshFolder is a writer whose folder gets its final name when it is complete.
type freshFolder struct {
	data.Writer
	fresh, final string
}

func (f *freshFolder) Close() error {
	if err := f.Writer.Close(); err != nil {
		return err
	}
	if err := os.RemoveAll(f.final); err != nil {
		return err
	}
	return os.Rename(f.fresh, f.final)
}

func (f *freshFolder) Abort() error { return errors.Join(f.Writer.Abort(), os.RemoveAll(f.fresh)) }

// lock creates the run folder, unless the run is resumed, and keeps other runs out of it until
// unlock is called or the process ends.
func (r *Run) lock(resume bool) (unlock func(), err error) {
	if !resume {
		if err := os.MkdirAll(r.Dir, 0o777); err != nil {
			return nil, err
		}
	}
	dir, err := os.Open(r.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: contains no %s, so there is no run to resume", r.Dir, ConfigFile)
	} else if err != nil {
		return nil, err
	}
	if err := lockfile.Lock(dir); err != nil {
		_ = dir.Close()
		return nil, fmt.Errorf("%s: %w", r.Dir, err)
	}
	return func() { _ = dir.Close() }, nil
}

// begin writes the configuration into the run folder, after check.
func (r *Run) begin(resume bool) error {
	if err := r.check(resume); err != nil {
		return err
	}
	return r.writeConfig()
}

// check returns an error unless the run folder is empty. If the run is resumed, check returns an error
// unless it had the same configuration, except for the number of epochs, which must not be less than are done, and the patience.
func (r *Run) check(resume bool) error {
	if resume {
		earlier, err := OpenRun(r.Dir)
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: contains no %s, so there is no run to resume", r.Dir, ConfigFile)
		} else if err != nil {
			return err
		}
		if was, is := ann.Of(earlier.Config.System), ann.Of(r.Config.System); was != nil && is != nil { // a resumed run may train for longer
			log, err := r.Epochs()
			if err != nil {
				return err
			}
			if done := len(log); is.Training.Epochs < done {
				return fmt.Errorf("%s: system.ann.training.epochs is %d, but %d epochs are done: it cannot be resumed with fewer", r.Dir, is.Training.Epochs, done)
			}
			was.Training.Epochs, was.Training.Patience = is.Training.Epochs, is.Training.Patience
		}
		if key, from, to := strictyaml.Difference(earlier.Config, r.Config); key != "" {
			return fmt.Errorf("%s: %s was %v when the run began, and is %v now: it cannot be resumed", r.Dir, key, from, to)
		}
	} else if entries, err := os.ReadDir(r.Dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	} else if len(entries) > 0 {
		return fmt.Errorf("%s: the folder is not empty: continue its run with --resume, or choose another folder with --out", r.Dir)
	}
	return nil
}

func (r *Run) writeConfig() error {
	encoded, err := yaml.Marshal(r.Config)
	if err != nil {
		return err
	}
	if err := r.writePaths(); err != nil {
		return err
	}
	return wholefile.WriteFile(filepath.Join(r.Dir, ConfigFile), encoded, 0o666)
}
