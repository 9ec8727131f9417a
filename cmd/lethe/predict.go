package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/format"
	"github.com/lethe-deid/lethe/experiments"
	"github.com/lethe-deid/lethe/models"
)

type predictOptions struct {
	split, input, format string
	output, outputFormat string
	workers              int
	json                 bool

	operating operatingOptions
	safetyNet string
}

func newPredict() *cobra.Command {
	var opt predictOptions
	cmd := &cobra.Command{
		Use:   "predict RUN|MODEL",
		Short: "Find PHI with a trained model",
		Long: `Find PHI with the best model of a run folder, or with a model folder.

With --split, the notes are those of the run's corpus: what is found is kept in
RUN/predictions/SPLIT (or --output); its scores go to RUN/evaluation/SPLIT.json
and are printed.

With --input, they are any others, read and written one after another. Marks
that they bear already play no part.

With --min-recall, --bias or --safety-net, what is found is what "lethe deidentify"
would take out with them, and the scores say what would stay in the text. Nothing is
kept in the run folder then.

A note that cannot be read is named, the others are done, and the exit code is 3.`,
		Example: `  lethe predict runs/meddocan --split dev
  lethe predict runs/meddocan --split dev --min-recall 0.995 --safety-net auto
  lethe predict runs/meddocan --input notes --format text --output found --output-format brat
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
			tagger, err := opt.operating.set(model)
			if err != nil {
				return err
			}
			if tagger, err = newNetted(tagger, opt.safetyNet, model.Types, opt.workers); err != nil {
				return usageError(cmd, err)
			}
			model.Tagger = tagger
			if opt.input != "" {
				return opt.others(cmd.Context(), model)
			}
			run, err := runOf(args[0], "give an --input")
			if err != nil {
				return err
			}
			return opt.ofRun(cmd.Context(), run, model)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&opt.split, "split", "", "`SPLIT` of the run's corpus (default test)")
	flags.StringVar(&opt.input, "input", "", "file, folder or - (stdin) with other notes (default none)")
	flags.StringVar(&opt.format, "format", "text", "`FORMAT` of --input: "+allFormats)
	flags.StringVar(&opt.output, "output", "", outputHelp+"; - is stdout, with the notes' text (default RUN/predictions/SPLIT; required for --input)")
	flags.StringVar(&opt.outputFormat, "output-format", "", "`FORMAT` of --output (default that of the input; jsonl for text and stdout, i2b2 for synth)")
	opt.operating.flags(cmd)
	flags.StringVar(&opt.safetyNet, "safety-net", "off", "add what the safety net of deidentify finds, by `RULES`: "+netHelp)
	flags.BoolVar(&opt.json, "json", false, "print the scores of a split as JSON (default a table)")
	workersFlag(cmd, &opt.workers)
	return cmd
}

func (o *predictOptions) check(cmd *cobra.Command) error {
	switch {
	case o.split != "" && o.input != "":
		return errors.New("--split and --input exclude each other")
	case o.input != "" && o.output == "":
		return errors.New("--input wants an --output; - prints JSON lines with the notes' text")
	case o.input != "" && o.json:
		return errors.New("--json is about the scores of a split; --output - prints JSON lines")
	case o.input == "" && o.output == stdio:
		return errors.New("--output - goes with --input: of a split, the scores are printed")
	case o.input == "" && cmd.Flags().Changed("format"):
		return errors.New("--format is that of --input")
	case o.output == "" && o.outputFormat != "":
		return errors.New("--output-format is that of --output")
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

// open opens the output; of a split there may be none.
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
		return nil, fmt.Errorf("--output-format %s has no place for what is found", name)
	}
	if ext := filepath.Ext(o.output); o.outputFormat == "" && anotherFormat(ext, name) {
		return nil, fmt.Errorf("%s: would hold %s, in spite of its extension: give an --output-format", o.output, name)
	}
	return openOutput(o.output, name, types, oneNote)
}

// anotherFormat says whether an extension belongs to formats, but not to this.
func anotherFormat(ext, formatName string) bool {
	others := false
	for _, name := range format.Names() {
		if f, err := format.Lookup(name); err == nil && slices.Contains(f.Exts, strings.ToLower(ext)) {
			if name == formatName {
				return false
			}
			others = true
		}
	}
	return others
}

// runOf opens a run folder. The hint says what to do with a model folder, which has no splits.
func runOf(dir, hint string) (*experiments.Run, error) {
	if !models.IsRun(dir) {
		return nil, fmt.Errorf("%s: a model folder has no splits: %s", dir, hint)
	}
	return experiments.OpenRun(dir)
}

// ofRun tags and scores a split.
func (o *predictOptions) ofRun(ctx context.Context, run *experiments.Run, m *models.Model) error {
	corpus := &run.Config.Corpus
	split := o.split
	if split == "" {
		split = experiments.TestSplit
	}
	if names := corpus.SplitNames(); !slices.Contains(names, split) {
		return fmt.Errorf("the run's corpus has no split %s (have %s)", split, strings.Join(names, ", "))
	}
	out, err := o.open(corpus.OutputFormat(), m.Types, false)
	if err != nil {
		return err
	}
	p := newProgress()
	scores, err := run.Predict(ctx, m, split, experiments.PredictOptions{
		Output: out, Aside: o.operating != operatingOptions{} || o.safetyNet != "off", Failed: p.failed, Progress: p.show,
	})
	p.clear()
	if scores == nil {
		return err
	}
	if scores.Strict.TP+scores.Strict.FN == 0 && corpus.Format != "text" {
		return errors.Join(fmt.Errorf("split %s holds no annotation, so there is nothing to score; what was found is kept", split), err)
	}
	return errors.Join(printReport(scores, o.json), err)
}

// others tags notes that are not of the run's corpus.
func (o *predictOptions) others(ctx context.Context, m *models.Model) error {
	in, oneNote, err := openInput(o.input, o.format, anyTypes())
	if err != nil {
		return err
	}
	out, err := o.open(o.format, m.Types, oneNote)
	if err != nil {
		return err
	}
	return apply(ctx, m, in, out, func(found *data.Document) (*data.Document, error) { return found, nil })
}

// apply tags notes, rewrites each as it is to be written, and writes it.
func apply(ctx context.Context, m *models.Model, in data.Documents, out data.Writer,
	rewrite func(found *data.Document) (*data.Document, error)) error {
	defer func() { _ = out.Abort() }() // after Close it does nothing
	p := newProgress()
	if _, ok := out.(*stdout); ok && isTerminal(os.Stdout) {
		p.animated = false // a bar would stand among the notes
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
