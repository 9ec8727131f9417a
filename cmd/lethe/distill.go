package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/lethe-deid/lethe/experiments"
	"github.com/lethe-deid/lethe/models"
	"github.com/lethe-deid/lethe/taggers"
)

func newDistill() *cobra.Command {
	var (
		settings []string
		format   string
		teacher  string
		opt      experiments.TrainOptions
		silver   experiments.Silver
	)
	cmd := &cobra.Command{
		Use:   "distill CONFIG.yaml TEXT... --teacher MODEL",
		Short: "Train the system of an experiment on what a better system finds in text without annotations",
		Long: `Train the system of an experiment on its training notes, and on silver notes that a
teacher has labelled: a better but slower system, such as an ensemble. The system then
comes close to the teacher, at its own speed.

A silver note has the fields and the signature of a training note, with other values
(see corpus.copies), and lines of TEXT instead of its narrative. A TEXT is a file, a
folder of .txt files or a .tar.gz archive of .txt files; an empty line separates
narratives. Use text of the same kind and language as the notes, but never notes of
dev or test.

The silver notes are in the run folder as silver.jsonl. Each epoch uses --per-epoch of
them, one part after another. The teacher is not always right, so a span is kept, in
each epoch anew, with its score as probability; --certain keeps all instead.

An interrupted run can be resumed, and ends with the same bits.`,
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
			case silver.Notes < 0 || silver.PerEpoch < 0:
				return usageError(cmd, errors.New("--notes and --per-epoch must not be negative"))
			}
			config, err := experiments.Load(args[0], settings)
			if err != nil {
				return err
			}
			model, err := models.Open(teacher, opt.Workers)
			if err != nil {
				return err
			}
			if !cmd.Flags().Changed("workers") {
				opt.Workers = 0 // all cores or, with --resume, as many as before
			}
			silver.Teacher = model.Tagger
			if silver.Text, err = openTexts(args[1:], format); err != nil {
				return err
			}
			opt.Silver = &silver
			p := newProgress()
			defer p.clear()
			if opt.Dir == "" {
				opt.Dir = filepath.Join("runs", config.Name+"-"+time.Now().Format("20060102-150405"))
				p.line("run folder: %s", opt.Dir)
			}
			epochs := 0
			opt.Progress, opt.Failed, opt.Version = p.show, p.failed, version
			opt.Epoch = func(e taggers.Epoch) {
				epochs++
				p.line("%s", epochLine(e))
			}
			scores, err := experiments.Train(cmd.Context(), config, opt)
			p.clear()
			if errors.Is(err, context.Canceled) && epochs > 0 {
				return fmt.Errorf("interrupted; to resume, give the same command with --out %s --resume", opt.Dir)
			}
			if scores == nil {
				return err
			}
			return errors.Join(scores.WriteText(os.Stdout), err)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&teacher, "teacher", "", "model or run folder `MODEL` of the teacher (required)")
	flags.StringVar(&format, "format", "text", "`FORMAT` of the TEXTs: "+allFormats)
	flags.IntVar(&silver.Notes, "notes", 0, "make at most this `NUMBER` of silver notes (default as many as the text gives)")
	flags.IntVar(&silver.PerEpoch, "per-epoch", 1000, "use this `NUMBER` of silver notes in each epoch; 0: all")
	flags.Float64Var(&silver.MinScore, "min-score", 0, "leave out the teacher's spans with a lower `SCORE`")
	flags.BoolVar(&silver.Sampled, "sampled", false, "keep spans with their scores as probability")
	flags.StringArrayVar(&settings, "set", nil, "override a setting of the config with `path=value`, as in seed=2; repeatable (default none)")
	flags.StringVar(&opt.Dir, "out", "", "run folder `DIR`, new or empty (default runs/NAME-TIME)")
	flags.BoolVar(&opt.Resume, "resume", false, "resume the interrupted run in --out (default no)")
	workersFlag(cmd, &opt.Workers)
	return cmd
}
