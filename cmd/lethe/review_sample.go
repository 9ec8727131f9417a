package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid"
	"github.com/lethe-deid/lethe/deid/engine"
	"github.com/lethe-deid/lethe/deid/job"
	"github.com/lethe-deid/lethe/deid/review"
	"github.com/lethe-deid/lethe/experiments"
	"github.com/lethe-deid/lethe/internal/counted"
	"github.com/lethe-deid/lethe/internal/paths"
	"github.com/lethe-deid/lethe/models"
)

// sampleOptions are the flags of lethe review sample.
type sampleOptions struct {
	input     job.Config
	operating operatingOptions
	rules     ruleOptions
	draw      review.Draw
}

// findFlags are the flags that decide what the model finds. The manifest of the sample lists them.
var findFlags = []string{"min-recall", "bias", "strict", "safety-net", "rules", "deny", "allow", "known"}

func newReviewSample() *cobra.Command {
	o := sampleOptions{input: job.Config{Version: experiments.Version(version)}}
	cmd := &cobra.Command{
		Use:   "sample INPUT... --notes N --output DIR",
		Short: "Draw a sample of notes for review",
		Long: `Draw a sample of notes, find the PHI in them as "lethe deidentify" would with the same
options, and make a new folder for their review.

--by says how the notes are drawn:
  random   each note with the same probability. Only such a sample, or one by patient,
           allows a statement about all notes.
  patient  patients at random, with all of their notes
  doubt    the notes in which the model is least sure, from which it learns most

The folder contains the texts of the notes. Its permissions allow only you to read it.`,
		Example: `  lethe review sample notes --model en --notes 300 --output ward
  lethe review sample notes.csv --column note --patient mrn --by patient --notes 100 --output ward
  lethe review sample notes --model en --by doubt --notes 50 --readers anna,ben --output hard`,
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.input.Output, "output", "", "new `DIR` for the review (required)")
	flags.IntVar(&o.draw.Notes, "notes", 0, "`NUMBER` of notes or, with --by patient, of patients to draw (required)")
	flags.StringVar((*string)(&o.draw.By), "by", string(review.ByNote), "`HOW` to draw: random, patient or doubt")
	flags.Uint64Var(&o.draw.Seed, "seed", 1, "seed `N` of a random sample: the same seed and notes give the same sample")
	flags.StringSliceVar(&o.draw.Readers, "readers", []string{"reader"}, "`NAMES` of one or two readers, separated by a comma")
	flags.Lookup("readers").DefValue = "reader" // for the help, which otherwise contains [reader]
	flags.BoolVar(&o.draw.Unaided, "unaided", false, "do not show the readers what the model found, so that it cannot mislead them (default no)")
	flags.StringVar(&o.draw.Name, "name", "", "`NAME` of the review for people (default that of the folder)")
	modelFlag(flags, &o.input.Model)
	strictFlag(flags, &o.input.Strict)
	o.operating.flags(cmd, ofCalibration)
	o.rules.flags(flags)
	noteFlags(flags, &o.input)
	flags.BoolVar(&o.input.SkipOthers, "skip-others", false, "do not end with exit code 3 if files of the input folder are left out, for example because they lack the format's extension")
	workersFlag(cmd, &o.input.Workers)
	return cmd
}

func (o *sampleOptions) run(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return usageError(cmd, errors.New("INPUT must be given"))
	case o.input.Output == "":
		return usageError(cmd, errors.New("--output must be given"))
	case o.draw.Notes < 1:
		return usageError(cmd, errors.New("--notes must be given, and must be positive"))
	case slices.Equal(args, []string{stdio}):
		if err := checkStdin(); err != nil {
			return usageError(cmd, err)
		}
	}
	if err := cmp.Or(o.rules.check(), o.operating.check(cmd)); err != nil {
		return usageError(cmd, err)
	}
	o.input.Inputs, o.draw.Version = args, o.input.Version
	o.input.Options = engine.Options{
		Model: o.input.Model, Workers: o.input.Workers, Strict: o.input.Strict, MinRecall: o.operating.minRecall, Bias: o.operating.bias,
		SafetyNet: o.rules.net(), Rules: o.rules.rules, Deny: o.rules.deny, Allow: o.rules.allow, Known: o.rules.known,
	}
	p := newJobProgress(false, 0)
	notes, err := job.Read(cmd.Context(), o.input, job.Events{Progress: p.show, Warn: p.failed})
	if _, ok := errors.AsType[*job.OptionError](err); ok {
		return usageError(cmd, err)
	} else if err != nil {
		return err
	}
	model, notes, err := o.open(notes)
	if err != nil {
		return err
	}
	model.Finds = asGiven(cmd.Flags(), findFlags)
	m, err := review.Sample(cmd.Context(), o.input.Output, notes, model, o.draw, p.failed)
	p.clear()
	if errors.Is(err, paths.ErrNotEmpty) {
		return fmt.Errorf("%w: choose another with --output", err)
	} else if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "sampled: %s of %d, for %s\n", counted.Of(len(m.Notes), "note"), m.Population.Notes, strings.Join(m.Readers, " and "))
	if failed := m.Failed + m.Population.Failed; failed > 0 {
		return &models.Unexamined{Failed: failed, Notes: m.Population.Notes + failed}
	}
	return nil
}

// open opens the model, and adds the known values to the notes.
func (o *sampleOptions) open(notes iter.Seq2[deid.Note, error]) (review.Model, iter.Seq2[deid.Note, error], error) {
	setup, err := o.input.Check()
	if err != nil {
		return review.Model{}, nil, err
	}
	e, err := setup.Open()
	if err != nil {
		return review.Model{}, nil, err
	}
	d := e.Deidentifier()
	d.Replacer, d.ReplacerFor = nil, nil // whatever a policy would keep is found, too
	m := review.Model{Name: setup.Model, Types: e.Types, Find: func(ctx context.Context, notes []deid.Note) ([][]data.Span, []error) {
		found, errs := make([][]data.Span, len(notes)), make([]error, len(notes))
		for i, r := range d.Notes(ctx, notes) {
			errs[i] = r.Err
			for _, c := range r.Changes {
				found[i] = append(found[i], c.Old)
			}
		}
		return found, errs
	}}
	for _, t := range e.FoundTypes() {
		m.TypeNames = append(m.TypeNames, t.Name)
	}
	if m.Digest, err = e.Model.Digest(); err != nil {
		return m, nil, err
	}
	if doubts, err := e.Model.Doubts(review.LeastDoubt); err == nil { // rules and lists have none
		m.Doubts = doubts
	}
	return m, func(yield func(deid.Note, error) bool) {
		for n, err := range notes {
			if err == nil {
				n.Known = slices.Concat(n.Known, e.Known.Of(n.Document))
			}
			if !yield(n, err) {
				return
			}
		}
	}, nil
}

// asGiven returns those of the flags that are given, with their values, as on the command line.
func asGiven(flags *pflag.FlagSet, names []string) string {
	var all []string
	flags.Visit(func(f *pflag.Flag) {
		if slices.Contains(names, f.Name) {
			all = append(all, fmt.Sprintf("--%s=%s", f.Name, strings.Trim(f.Value.String(), "[]")))
		}
	})
	return strings.Join(all, " ")
}
