package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/format"
	"github.com/lethe-deid/lethe/experiments"
	"github.com/lethe-deid/lethe/models"
)

type predictOptions struct {
	split, input, format string
	reading              readingFlags // of input
	output, outputFormat string
	settings             []string
	workers              int
	json                 bool

	operating operatingOptions
	safetyNet string
	recording models.Recording
}

func newPredict() *cobra.Command {
	var opt predictOptions
	cmd := &cobra.Command{
		Use:   "predict RUN|MODEL",
		Short: "Find PHI with a trained model",
		Long: `Find PHI with the best model of a run folder, or with a model folder.

With --split, the notes are a split of the run's corpus. The predictions are written to
RUN/predictions/SPLIT (or --output) and the scores to RUN/evaluation/SPLIT.json, and
the scores are printed.

With --set, a split may be read elsewhere. If it has other notes there than the run has
predictions for, --output is required, and the scores are only printed.

With --input, the notes are any others. Existing annotations in them are ignored.

With --min-recall, --bias or --safety-net, the result is what "lethe deidentify" would
remove with the same options, and the scores tell what would stay in the text. Then
nothing is written to the run folder. With --safety-net, the threshold is that of
deidentify, too: the default of the model's calibration, if it has one.

With --marginals or --logits, a table of tab-separated values has a row for each token
and a column for each label of the network or CRF: the probability of the label, or what
the CRF or the softmax reads. Offsets count code points. A model with several networks
or CRFs has a table for each: FILE.NAME.tsv. A name that ends in .gz is compressed. The
tokens themselves are written only with --show-text.

If a note cannot be read, Lethe reports it and continues; then the exit code is 3.`,
		Example: `  lethe predict runs/meddocan --split dev
  lethe predict runs/meddocan --split dev --min-recall 0.995 --safety-net auto
  lethe predict runs/meddocan --input notes --format text --output found --output-format brat
  lethe predict runs/meddocan --split dev --marginals dev.tsv.gz
  lethe predict model/best --input - --format text --output - <note.txt`,
		Args: wants("RUN|MODEL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cmp.Or(opt.check(cmd), opt.operating.check(cmd)); err != nil {
				return usageError(cmd, err)
			}
			model, err := models.Open(args[0], opt.workers)
			if err != nil {
				return err
			}
			if opt.input != "" && !opt.reading.readsColumns(opt.format) {
				if err := model.CheckPlain(cmd.Context()); err != nil {
					return err
				}
			}
			tagger, err := opt.operating.set(model, opt.safetyNet != "off")
			if err != nil {
				return err
			}
			if tagger, err = newNetted(tagger, opt.safetyNet, model, opt.workers); err != nil {
				return usageError(cmd, err)
			}
			if opt.recording.Marginals+opt.recording.Logits == "" {
				model.Tagger = tagger
				return opt.apply(cmd.Context(), args[0], model)
			}
			recorder, err := models.NewRecorder(tagger, model, opt.recording)
			if err != nil {
				return err
			}
			defer recorder.Abort()
			model.Tagger = recorder
			err = opt.apply(cmd.Context(), args[0], model)
			if _, some := errors.AsType[*models.Unexamined](err); err != nil && !some {
				return err
			}
			return errors.Join(recorder.Close(), err)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&opt.split, "split", "", "`SPLIT` of the run's corpus (default test)")
	flags.StringVar(&opt.input, "input", "", "`PATH`: a file, a folder or - (stdin) with other notes (default none)")
	flags.StringVar(&opt.format, "format", "text", "`FORMAT` of --input: "+allFormats)
	opt.reading.addWithPatients(flags)
	flags.StringVar(&opt.output, "output", "", outputHelp+"; - is stdout, with the notes' text (default RUN/predictions/SPLIT; required for --input)")
	flags.StringVar(&opt.outputFormat, "output-format", "", "`FORMAT` of --output (default the format of the input, but jsonl for text and stdout, and i2b2 for synth)")
	opt.operating.flags(cmd, "the most probable labels; with --safety-net, "+ofCalibration)
	flags.StringVar(&opt.safetyNet, "safety-net", "off", "also find PHI with the safety net of deidentify, with these `RULES`: "+netHelp)
	flags.StringVar(&opt.recording.Marginals, "marginals", "", "also write the probability of each label of each token to a new `FILE` (default none)")
	flags.StringVar(&opt.recording.Logits, "logits", "", "also write the score of each label of each token to a new `FILE` (default none)")
	flags.BoolVar(&opt.recording.Text, "show-text", false, "write the tokens to these files, which may be PHI (default no)")
	relocateFlag(cmd, &opt.settings)
	flags.BoolVar(&opt.json, "json", false, "print the scores of a split as JSON (default a table)")
	workersFlag(cmd, &opt.workers)
	return cmd
}

// apply tags the split or the notes of --input.
func (o *predictOptions) apply(ctx context.Context, dir string, model *models.Model) error {
	if o.input != "" {
		return o.others(ctx, model)
	}
	o.split = cmp.Or(o.split, experiments.TestSplit)
	run, err := runOf(dir, o.settings, o.split, "give an --input")
	if err != nil {
		return err
	}
	return o.ofRun(ctx, run, model)
}

func (o *predictOptions) check(cmd *cobra.Command) error {
	switch {
	case o.recording.Text && o.recording.Marginals+o.recording.Logits == "":
		return errors.New("--show-text requires --marginals or --logits")
	case o.recording.Marginals != "" && o.recording.Marginals == o.recording.Logits:
		return errors.New("--marginals and --logits have the same file")
	case o.split != "" && o.input != "":
		return errors.New("--split and --input cannot be combined")
	case o.input != "" && o.output == "":
		return errors.New("--input requires an --output; --output - prints JSON lines with the notes' text")
	case o.input != "" && o.json:
		return errors.New("--json cannot be combined with --input, which has no scores; --output - prints JSON lines")
	case o.input == "" && o.output == stdio:
		return errors.New("--output - requires --input, because the scores of a split go to stdout")
	case o.input == "" && given(cmd.Flags(), append([]string{"format"}, readingNames...)) != "":
		return fmt.Errorf("--%s requires --input", given(cmd.Flags(), append([]string{"format"}, readingNames...)))
	case o.input != "" && len(o.settings) > 0:
		return errors.New("--set and --input cannot be combined")
	case o.output == "" && o.outputFormat != "":
		return errors.New("--output-format requires --output")
	}
	if o.input != "" {
		f, err := format.Lookup(o.format)
		if err != nil {
			return err
		}
		if _, err := o.reading.options(nil, f); err != nil {
			return err
		}
	}
	if o.input == stdio {
		if err := checkStdin(); err != nil {
			return err
		}
	}
	if o.output == stdio {
		return checkStdout()
	}
	return nil
}

// open opens the output. The writer is nil if there is no --output, as is possible for a split.
func (o *predictOptions) open(inputFormat string, types *data.TypeSet, oneNote bool) (data.Writer, error) {
	if o.output == "" {
		return nil, nil
	}
	name := o.outputFormat
	switch {
	case name != "":
	case o.output == stdio || format.TextOnly(inputFormat):
		name = "jsonl"
	default:
		name = inputFormat
	}
	if format.TextOnly(name) {
		return nil, fmt.Errorf("--output-format %s cannot contain the spans that were found", name)
	}
	if ext := format.Ext(o.output); o.outputFormat == "" && anotherFormat(ext, name) {
		return nil, fmt.Errorf("%s: would contain %s despite its extension: give an --output-format", o.output, name)
	}
	return openOutput(o.output, name, of(types), oneNote)
}

// anotherFormat reports whether an extension, in lower case, belongs to other formats than the named one.
func anotherFormat(ext, formatName string) bool {
	others := false
	for _, name := range format.Names() {
		if f, err := format.Lookup(name); err == nil && slices.Contains(f.Exts, ext) {
			if name == formatName {
				return false
			}
			others = true
		}
	}
	return others
}

// runOf opens a run folder: see openRun. For a model folder, which has no splits, the error contains a hint.
func runOf(dir string, settings []string, split, hint string) (*experiments.Run, error) {
	if !models.IsRun(dir) {
		return nil, fmt.Errorf("%s: a model folder has no splits: %s", dir, hint)
	}
	return openRun(dir, settings, split)
}

// ofRun tags and scores a split.
func (o *predictOptions) ofRun(ctx context.Context, run *experiments.Run, m *models.Model) error {
	corpus := &run.Config.Corpus
	split := o.split
	if err := corpus.CheckSplit(split); err != nil {
		return fmt.Errorf("the run's corpus has %w", err)
	}
	out, err := o.open(corpus.OutputFormat(), m.Types, false)
	if err != nil {
		return err
	}
	p := newProgress()
	if len(o.settings) > 0 && split != experiments.TrainSplit { // which may have given the split other notes than at the training
		if notes, err := corpus.Load(split, p.show); err == nil { // otherwise Predict tells what is wrong
			if err := learnedFrom(run, notes, p); err != nil {
				complain(fmt.Errorf("warning: %w: its scores on others are lower", err))
			}
		}
	}
	scores, err := run.Predict(ctx, m, split, experiments.PredictOptions{
		Output: out, Aside: o.operating != operatingOptions{} || o.safetyNet != "off", Failed: p.failed, Progress: p.show,
	})
	p.clear()
	if scores == nil {
		return err
	}
	if split == experiments.TrainSplit {
		complain(errors.New("warning: the system was trained on these notes: its scores on others are lower"))
	}
	if scores.Strict.TP+scores.Strict.FN == 0 && corpus.Format != "text" {
		return errors.Join(fmt.Errorf("split %s contains no annotation, so there is nothing to score; the predictions are kept", split), err)
	}
	return errors.Join(printReport(scores, o.json), err)
}

// others tags the notes of --input.
func (o *predictOptions) others(ctx context.Context, m *models.Model) error {
	in, oneNote, err := o.reading.open(o.input, o.format, anyTypes())
	if err != nil {
		return err
	}
	out, err := o.open(o.format, m.Types, oneNote)
	if err != nil {
		return err
	}
	return apply(ctx, m, in, out, func(found *data.Document) (*data.Document, error) {
		format.Fit(o.format, found)
		return found, nil
	})
}

// apply tags notes, and writes what rewrite returns for each.
func apply(ctx context.Context, m *models.Model, in data.Documents, out data.Writer,
	rewrite func(found *data.Document) (*data.Document, error)) error {
	defer func() { _ = out.Abort() }() // after Close it does nothing
	p := newProgress()
	if _, ok := out.(*stdout); ok && isTerminal(os.Stdout) {
		p.animated = false // a bar would get between the notes
	}
	defer p.clear()
	err := models.Apply(ctx, m, in, models.Stream{
		Use: func(_, found *data.Document) error {
			doc, err := rewrite(found)
			if err != nil {
				return err
			}
			return out.Write(doc)
		},
		Failed: p.failed, Stage: "tagging", Progress: p.show,
	})
	if u, ok := errors.AsType[*models.Unexamined](err); err != nil && (!ok || u.Failed == u.Notes) {
		return err
	}
	return errors.Join(out.Close(), err)
}
