package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/experiments"
	"github.com/lethe-deid/lethe/experiments/studies"
	"github.com/lethe-deid/lethe/taggers"
)

// studyFlags are the flags that studies share.
type studyFlags struct {
	settings []string
	seeds    seedList
	opt      studies.Options
	json     bool
}

func (f *studyFlags) add(cmd *cobra.Command, kind string) {
	flags := cmd.Flags()
	flags.StringArrayVar(&f.settings, "set", nil, "override a setting of the config with `path=value`, as in corpus.seed=2; null takes it away; repeatable (default none)")
	flags.Var(&f.seeds, "seeds", "train with each of the `SEEDS`, as in 1,2,3 (default those of the config)")
	if kind != "search" {
		flags.StringArrayVar(&f.opt.Metrics, "metric", nil, metricHelp)
	}
	flags.StringVar(&f.opt.Dir, "out", "", "study folder `DIR`, new or empty (default runs/NAME-"+kind+"-TIME)")
	flags.BoolVar(&f.opt.Resume, "resume", false, "resume the interrupted study in --out: complete runs are kept (default no)")
	flags.BoolVar(&f.json, "json", false, "print JSON (default tables)")
	workersFlag(cmd, &f.opt.Workers)
	flags.Lookup("workers").Usage += ", which affects the last bits of the weights; with --resume, the default is that of the interrupted run"
}

// seedList is the value of --seeds.
type seedList []uint64

// Set implements pflag.Value. A repeated flag adds its seeds.
func (l *seedList) Set(text string) error {
	for part := range strings.SplitSeq(text, ",") {
		seed, err := strconv.ParseUint(strings.TrimSpace(part), 10, 64)
		if err != nil {
			return fmt.Errorf("%q is not a seed: give whole numbers with commas between them, as in 1,2,3", part)
		}
		*l = append(*l, seed)
	}
	return nil
}

// adds implements adder.
func (l *seedList) adds() {}

// String implements pflag.Value.
func (l *seedList) String() string {
	var all []string
	for _, seed := range *l {
		all = append(all, strconv.FormatUint(seed, 10))
	}
	return strings.Join(all, ",")
}

// Type implements pflag.Value.
func (l *seedList) Type() string { return "seeds" }

const (
	metricDefault = "(default strict and binary_token, the latter for HIPAA's types if they are known)"
	metricHelp    = "`NAME` of a metric, as in lethe significance; repeatable " + metricDefault
)

// runStudy carries out a study of one or several experiments and prints its result, which is nil if the study failed.
func runStudy[R any, P interface {
	*R
	WriteText(io.Writer) error
}](f *studyFlags, cmd *cobra.Command, kind string, paths []string, study func(context.Context, []*experiments.Config, studies.Options) (P, error)) error {
	if f.opt.Resume && f.opt.Dir == "" {
		return usageError(cmd, errors.New("--resume requires the study folder: --out DIR"))
	}
	if !cmd.Flags().Changed("workers") {
		f.opt.Workers = 0 // all cores or, with --resume, as many as before
	}
	f.opt.Seeds = append(f.opt.Seeds, f.seeds...)
	var configs []*experiments.Config
	for _, path := range paths {
		config, err := experiments.Load(path, f.settings)
		if err != nil {
			return err
		}
		configs = append(configs, config)
	}
	return carryOut(f, cmd.Context(), kind, configs, study)
}

// carryOut carries out a study of experiments that are loaded, and prints its result.
func carryOut[R any, P interface {
	*R
	WriteText(io.Writer) error
}](f *studyFlags, ctx context.Context, kind string, configs []*experiments.Config, study func(context.Context, []*experiments.Config, studies.Options) (P, error)) error {
	p := newProgress()
	defer p.clear()
	byDefault := f.opt.Dir == ""
	if byDefault {
		f.opt.Dir = newFolder(configs[0].Name + "-" + kind)
	}
	began := false
	f.opt.Progress, f.opt.Failed, f.opt.Warn, f.opt.Version = p.show, p.failed, p.failed, version
	f.opt.Begin = func(run string, number, of int) {
		if byDefault && !began {
			p.line("study folder: %s", f.opt.Dir)
		}
		began = true
		p.line("run %d of %d: %s", number, of, run)
	}
	f.opt.Epoch = func(e taggers.Epoch) { tellEpoch(p, e) }
	r, err := study(ctx, configs, f.opt)
	p.clear()
	if errors.Is(err, context.Canceled) && began {
		return fmt.Errorf("interrupted; to resume, give the same command with --out %s --resume", f.opt.Dir)
	}
	if r == nil {
		return err
	}
	return cmp.Or(printReport(r, f.json), err)
}

// ofOne adapts a study of a single experiment.
func ofOne[P any](study func(context.Context, *experiments.Config, studies.Options) (P, error)) func(context.Context, []*experiments.Config, studies.Options) (P, error) {
	return func(ctx context.Context, configs []*experiments.Config, opt studies.Options) (P, error) {
		return study(ctx, configs[0], opt)
	}
}

func newAblate() *cobra.Command {
	var (
		f  studyFlags
		by string
	)
	cmd := &cobra.Command{
		Use:   "ablate CONFIG.yaml",
		Short: "Train a system without each of its parts, and compare",
		Long: `Train the network of an experiment, and the same network without one of its parts: the
CRF, the pretrained vectors, the token embeddings, the character embeddings (Dernoncourt
et al. 2016, section 3.7). The experiment may list further variants:

  ablations:
  - {name: no-dropout, set: [system.ann.network.dropout=0]}
  - {name: words-as-they-are, set: [system.ann.vocabulary.digits_as_zero=false]}
  - {name: no-rules, without: [system.ensemble.members.rules]}

A system that is not a network has only these variants. Each variant is trained with
each seed, scored on --split, and compared with the full network: differences with 95 %
bootstrap intervals, and p-values by approximate randomization. For the metrics strict
and token, and for their averages macro/strict and macro/token, further tables contain
the scores of each type and their differences.

The study folder contains a run folder for each, the tables as text, Markdown, JSON,
CSV and LaTeX, and charts as SVG and PNG: bars of the networks, and a box plot of each
type over all networks. If names have the form GROUP+NAME, a second box plot compares the groups.`,
		Example: `  lethe ablate meddocan.yaml --seeds 1,2,3 --out ablation
  lethe ablate meddocan.yaml --seeds 1,2,3 --out ablation --resume
  lethe ablate i2b2.yaml --split test --metric strict --metric hipaa/token`,
		Args: wants("CONFIG.yaml"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.opt.Shuffles < 1 {
				return usageError(cmd, fmt.Errorf("--shuffles %d is not positive", f.opt.Shuffles))
			}
			var err error
			if f.opt.ByPatient, err = byPatient(by); err != nil {
				return usageError(cmd, err)
			}
			return runStudy(&f, cmd, "ablate", args, ofOne(studies.Ablate))
		},
	}
	f.add(cmd, "ablate")
	flags := cmd.Flags()
	flags.StringVar(&f.opt.Split, "split", experiments.DevSplit, "`SPLIT` to score; the best epoch is always that on dev")
	flags.IntVar(&f.opt.Shuffles, "shuffles", 9999, "maximum `NUMBER` of shuffles per test")
	flags.StringVar(&by, "by", data.ByDocument, "`UNIT` of shuffling and of the bootstrap: document or patient")
	return cmd
}

func newCurve() *cobra.Command {
	var (
		f     studyFlags
		sizes []string
		curve studies.CurveOptions
	)
	cmd := &cobra.Command{
		Use:   "curve CONFIG.yaml [CONFIG.yaml...]",
		Short: "Measure scores as a function of the number of training documents",
		Long: `Train an experiment on parts of its training documents of increasing size, and score
each model on --split (Dernoncourt et al. 2016, section 3.6). The parts are drawn at
random, patient by patient if the patients are known. Each part contains the smaller
ones, and each seed draws different parts. The tables contain the score at each size,
and the score of each type with the number of its annotations.

With several experiments, which must have the same corpus, each is trained on the same
parts, and the charts contain one line per system (the paper's Figure 3), with shares
of the training documents on the horizontal axis.

By default the number of epochs is the config's at any size, so a small part gets few
updates. With --same-updates, a network gets as many updates at each size as with all
documents; other systems are trained as configured.`,
		Example: `  lethe curve meddocan.yaml --sizes 10,20,50,100,200,500 --seeds 1,2
  lethe curve i2b2.yaml --sizes 1%,10%,50%,100% --split test --same-updates
  lethe curve crf.yaml ann.yaml crf+ann.yaml --sizes 1%,5%,10%,50%,100% --metric hipaa/binary_token`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError(cmd, errors.New("CONFIG.yaml must be given"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, text := range sizes {
				size, err := studies.ParseSize(text)
				if err != nil {
					return usageError(cmd, fmt.Errorf("--sizes: %w", err))
				}
				curve.Sizes = append(curve.Sizes, size)
			}
			if len(args) > 1 {
				return runStudy(&f, cmd, "curve", args, func(ctx context.Context, c []*experiments.Config, opt studies.Options) (*studies.LearningCurves, error) {
					return studies.Curves(ctx, c, curve, opt)
				})
			}
			return runStudy(&f, cmd, "curve", args, ofOne(func(ctx context.Context, c *experiments.Config, opt studies.Options) (*studies.LearningCurve, error) {
				return studies.Curve(ctx, c, curve, opt)
			}))
		},
	}
	f.add(cmd, "curve")
	flags := cmd.Flags()
	flags.StringSliceVar(&sizes, "sizes", nil, "`SIZES`, numbers of documents, or shares as in 0.1 or 10% (default 10,20,50,100,200,500... and all)")
	flags.StringVar(&curve.By, "by", data.ByPatient, "`UNIT` of drawing: patient, which draws all notes of a patient together, or document")
	flags.BoolVar(&curve.SameUpdates, "same-updates", false, "scale epochs, patience, and decay and schedule of the learning rate, so that each size has the same number of updates (default the config's epochs)")
	flags.StringVar(&f.opt.Split, "split", experiments.DevSplit, "`SPLIT` to score; the best epoch is always that on dev")
	return cmd
}

func newCrossval() *cobra.Command {
	var (
		f     studyFlags
		folds int
		by    string
	)
	cmd := &cobra.Command{
		Use:   "crossval CONFIG.yaml",
		Short: "Cross-validate an experiment on its training documents",
		Long: `Divide the training documents of an experiment into folds, and test on each fold a
model that is trained on the others. If the system requires a split dev to choose the
best epoch, a part of the others (corpus.hold_out, or a tenth) is held out for it, so
that no document has any influence on the model that it tests. All notes of a patient
are in the same fold, which requires that each note names its patient, unless you give
--by document. Of the other splits, only those that corpus.merge adds to the training
documents are used.

The tables contain the score of each fold, their mean and standard deviation, and the
score of all folds' documents as one corpus, overall and by type.`,
		Example: `  lethe crossval demo.yaml --folds 10
  lethe crossval i2b2.yaml --folds 5 --seeds 1,2 --metric strict --metric token --out folds`,
		Args: wants("CONFIG.yaml"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if folds < 2 {
				return usageError(cmd, fmt.Errorf("--folds %d is less than 2", folds))
			}
			return runStudy(&f, cmd, "crossval", args, ofOne(func(ctx context.Context, c *experiments.Config, opt studies.Options) (*studies.CrossValidation, error) {
				return studies.CrossValidate(ctx, c, folds, by, opt)
			}))
		},
	}
	f.add(cmd, "crossval")
	flags := cmd.Flags()
	flags.IntVar(&folds, "folds", 10, "`NUMBER` of folds")
	flags.StringVar(&by, "by", data.ByPatient, "`UNIT` of division: patient, which keeps the notes of a patient in one fold, or document")
	return cmd
}
