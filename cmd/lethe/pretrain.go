package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/lethe-deid/lethe/experiments"
	"github.com/lethe-deid/lethe/taggers/ann"
)

func newPretrain() *cobra.Command {
	var (
		settings []string
		format   string
		reading  readingFlags
		opt      experiments.PretrainOptions
	)
	s := &opt.Settings
	*s = ann.DefaultPretraining()
	cmd := &cobra.Command{
		Use:   "pretrain CONFIG.yaml TEXT...",
		Short: "Pretrain the network of an experiment on text without annotations",
		Long: `Pretrain the network of an experiment on text without annotations. Its characters,
token vectors and first token LSTM learn to predict the next and the previous word. With
few annotated notes, a training that starts from its characters and token vectors finds
more:

  lethe train CONFIG.yaml --set system.ann.start=RUN

A TEXT is a file, a folder of .txt files or a .tar.gz archive of .txt files, and may
have any size. The experiment determines the tokenizer, the sentences, the sizes of the
network, and the word vectors, if any; its corpus is not read. The perplexity after
each epoch is that of sentences that are held out, forward and backward; lower is
better.

The result contains words of the text. If the text contains PHI, so does the result:
every name that occurs at least --min-count times. Protect it like the text.

A run that was interrupted can be resumed, and ends with the same bits.`,
		Example: `  lethe pretrain meddocan.yaml spanish.tar.gz --out runs/spanish
  lethe pretrain meddocan.yaml spanish/ --out runs/spanish --epochs 10 --resume
  lethe train meddocan.yaml --set system.ann.start=runs/spanish`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return wants("CONFIG.yaml", "TEXT")(cmd, args)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if opt.Resume && opt.Dir == "" {
				return usageError(cmd, errors.New("--resume requires the run folder: --out DIR"))
			}
			if err := s.Validate(); err != nil {
				return usageError(cmd, err)
			}
			if !cmd.Flags().Changed("workers") {
				opt.Workers = 0 // all cores or, with --resume, as many as before
			}
			config, err := experiments.Load(args[0], settings)
			if err != nil {
				return err
			}
			text, err := openTexts(args[1:], format, &reading)
			if err != nil {
				return err
			}
			p := newProgress()
			defer p.clear()
			byDefault := opt.Dir == ""
			if byDefault {
				opt.Dir = newFolder(config.Name + "-pretrained")
			}
			begun := false
			opt.Progress, opt.Version = p.show, version
			opt.Corpus = func(tokens, held, words int) {
				begun = true
				if byDefault {
					p.line("run folder: %s", opt.Dir)
				}
				p.line("%d tokens, %d of them held out; %d words", tokens, held, words)
			}
			opt.Epoch = func(e ann.PretrainEpoch) { p.line("%s", pretrainLine(e)) }
			err = experiments.Pretrain(cmd.Context(), config, text, opt)
			if errors.Is(err, context.Canceled) && begun {
				return fmt.Errorf("interrupted; to resume, give the same command with --out %s --resume", opt.Dir)
			}
			return err
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&settings, "set", nil, "override a setting of the config with `path=value`, as in seed=2; repeatable (default none)")
	flags.StringVar(&opt.Dir, "out", "", "run folder `DIR`, new or empty (default runs/NAME-pretrained-TIME)")
	flags.BoolVar(&opt.Resume, "resume", false, "resume the interrupted run in --out (default no)")
	flags.StringVar(&format, "format", "text", "`FORMAT` of the TEXTs: "+allFormats)
	reading.add(flags)
	flags.IntVar(&s.Epochs, "epochs", s.Epochs, "`NUMBER` of passes over the text")
	flags.IntVar(&s.Batch, "batch", s.Batch, "update the weights after each `N` tokens")
	flags.Float64Var(&s.Rate, "rate", s.Rate, "learning `RATE` in the first epoch")
	flags.IntVar(&s.Samples, "samples", s.Samples, "`NUMBER` of words that are sampled for the softmax of an update")
	flags.IntVar(&s.Vocabulary, "vocabulary", s.Vocabulary, "maximum `NUMBER` of words that are predicted and have a vector; the most frequent are kept")
	flags.IntVar(&s.MinCount, "min-count", s.MinCount, "leave out words that occur less often than `N` times")
	flags.Float64Var(&s.HeldOut, "held-out", s.HeldOut, "`SHARE` of the sentences on which only the perplexity is measured")
	workersFlag(cmd, &opt.Workers)
	flags.Lookup("workers").Usage += ", which affects the last bits of the weights; with --resume, the default is that of the interrupted run"
	return cmd
}

func pretrainLine(e ann.PretrainEpoch) string {
	line := fmt.Sprintf("epoch %3d  loss %8.4f  perplexity forward %.1f backward %.1f  %6.0f tokens/s  %6.1f s", e.Epoch, e.Loss, e.Forward, e.Backward,
		float64(e.Tokens)/max(e.Train.Seconds(), 1e-9), e.Train.Seconds())
	if e.Best {
		line += "  best"
	}
	if e.Resumed {
		line += "  (before)"
	}
	return line
}
