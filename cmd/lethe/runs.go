package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/experiments"
	"github.com/lethe-deid/lethe/internal/strictyaml"
)

// relocateFlag adds --set to a command that reads the corpus of a run.
func relocateFlag(cmd *cobra.Command, settings *[]string) {
	cmd.Flags().StringArrayVar(settings, "set", nil, "read a split of the run's corpus elsewhere, with `path=value` as in corpus.splits.test=notes/test; repeatable (default where it was during the training)")
}

// openRun opens a run folder and says which paths of its corpus have moved. split is the one that the command reads; "": test or dev.
func openRun(dir string, settings []string, split string) (*experiments.Run, error) {
	run, err := experiments.OpenRun(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: is not a run folder: %w", dir, err)
	} else if err != nil {
		return nil, err
	}
	if err := checkSplits(run, settings, split); err != nil {
		return nil, err
	}
	if err := run.Relocate(settings); err != nil {
		return nil, err
	}
	for _, moved := range run.Moved {
		fmt.Fprintf(os.Stderr, "lethe: %s: %s\n", dir, moved)
	}
	if run.Unfinished() {
		fmt.Fprintf(os.Stderr, "lethe: %s: the training is not complete: to go on with it, use lethe train --resume\n", dir)
	}
	return run, nil
}

// checkSplits returns an error if a setting is of a split that the run does not have, unless it is the one to read: it would have no effect.
func checkSplits(run *experiments.Run, settings []string, split string) error {
	read := []string{split}
	if split == "" {
		read = []string{experiments.TestSplit, experiments.DevSplit}
	}
	for _, s := range settings {
		key, _, _ := strings.Cut(s, "=")
		path, _ := strictyaml.ParsePath(key)
		if len(path) < 3 || path[0] != "corpus" || path[1] != "splits" || slices.Contains(read, path[2]) || len(run.Config.Corpus.Splits[path[2]]) > 0 {
			continue
		}
		if err := run.Config.Corpus.CheckSplit(path[2]); err != nil {
			return fmt.Errorf("--set %s: the run's corpus has %w", key, err)
		}
	}
	return nil
}

// openRuns opens several run folders. split is as for openRun.
func openRuns(dirs, settings []string, split string) (runs []*experiments.Run, err error) {
	for _, dir := range dirs {
		run, err := openRun(dir, settings, split)
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	return runs, nil
}

// learnedFrom returns an error if a run's model was trained on some of the notes, as far as its training notes are still there.
func learnedFrom(run *experiments.Run, notes []*data.Document, p *progress) error {
	learned, err := run.TrainedOn(p.show)
	if err != nil {
		return err
	}
	for _, from := range learned {
		if known := from.Among(notes); known.Notes > 0 {
			return fmt.Errorf("%d of the %d notes are among those that %s was trained on", known.Notes, len(notes), known.Model)
		}
	}
	return nil
}
