package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/lethe-deid/lethe/experiments"
	"github.com/lethe-deid/lethe/models"
)

func newDistill() *cobra.Command {
	var (
		settings []string
		format   string
		reading  readingFlags
		teacher  string
		opt      experiments.TrainOptions
		silver   experiments.Silver
	)
	cmd := &cobra.Command{
		Use:   "distill CONFIG.yaml TEXT... --teacher MODEL",
		Short: "Train the system of an experiment also on text that a better system has labelled",
		Long: `Train the system of an experiment on its training notes and on silver notes. A teacher
labels the silver notes: a better but slower system, such as an ensemble. The trained
system comes closer to the teacher, and keeps its own speed.

A silver note has the fields and the signature of a training note, with other values
(see corpus.copies), and lines of TEXT instead of its narrative. The fields keep their
gold annotations, and the teacher finds the spans of the narrative. A TEXT is a file, a
folder of .txt files or a .tar.gz archive of .txt files. An empty line ends a narrative.
A narrative that is longer than the one it replaces is divided among several silver
notes. Use text of the same kind and language as the notes, but never notes of dev or
test.

The silver notes are written to silver.jsonl in the run folder, the teacher and the
settings to distill.yaml. Each epoch uses --per-epoch of the silver notes, beginning
where the epoch before stopped, and changes them as corpus.copies says.

An interrupted run can be resumed with the same command and --resume. It ends with the
same bits as without the interruption.`,
		Example: `  lethe train best.yaml --out runs/best
  lethe distill student.yaml spanish.tar.gz --teacher runs/best --out runs/student
  lethe distill student.yaml spanish.tar.gz --teacher runs/best --out runs/student --resume`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return wants("CONFIG.yaml", "TEXT")(cmd, args)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case opt.Resume && opt.Dir == "":
				return usageError(cmd, errors.New("--resume requires the run folder: --out DIR"))
			case teacher == "":
				return usageError(cmd, errors.New("--teacher is required"))
			case silver.Notes < 0:
				return usageError(cmd, fmt.Errorf("--notes %d is negative", silver.Notes))
			case silver.PerEpoch < 0:
				return usageError(cmd, fmt.Errorf("--per-epoch %d is negative", silver.PerEpoch))
			}
			config, err := experiments.Load(args[0], settings)
			if err != nil {
				return err
			}
			if silver.Teacher, err = models.Open(teacher, opt.Workers); err != nil {
				return err
			}
			if !cmd.Flags().Changed("workers") {
				opt.Workers = 0 // all cores or, with --resume, as many as before
			}
			if silver.Text, err = openTexts(args[1:], format, &reading); err != nil {
				return err
			}
			opt.Silver = &silver
			return runTraining(cmd.Context(), config, opt)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&teacher, "teacher", "", "model or run folder `MODEL` of the teacher (required)")
	flags.StringVar(&format, "format", "text", "`FORMAT` of the TEXTs: "+allFormats)
	reading.add(flags)
	flags.IntVar(&silver.Notes, "notes", 0, "make at most this `NUMBER` of silver notes (default as many as the text gives)")
	flags.IntVar(&silver.PerEpoch, "per-epoch", 1000, "use this `NUMBER` of silver notes in each epoch; 0: all")
	flags.BoolVar(&silver.Sampled, "sampled", false, "in each epoch, keep a span with its score as probability (default no)")
	flags.StringArrayVar(&settings, "set", nil, "override a setting of the config with `path=value`, as in seed=2; repeatable (default none)")
	runFlags(cmd, &opt)
	return cmd
}
