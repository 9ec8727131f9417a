package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/review"
	"github.com/lethe-deid/lethe/models"
	"github.com/lethe-deid/lethe/taggers"
)

func newReviewTrain() *cobra.Command {
	var (
		name, output string
		unfinished   bool
		how          = review.DefaultTraining()
	)
	cmd := &cobra.Command{
		Use:   "train DIR... --model MODEL --output NEW",
		Short: "Train a model further on reviewed notes",
		Long: `Train the networks of a model further on the decided notes of one or more reviews. The new
model is a folder that can be used wherever a model can. Its vocabulary is that of the
old model, so no word of the notes gets into its files, but its weights depend on them.

So that the model does not forget what it knows, and does not learn the notes by heart,
each epoch also has generated notes, and copies of the reviewed notes with other values.
If there are at least 100 notes, the new model is not trained on every fifth, but calibrated
on them. Otherwise it keeps the default threshold of the old model, and its recall is
unknown until you calibrate it.`,
		Example: `  lethe review train ward --model en --output ward-model
  lethe deidentify --model ward-model --output clean notes`,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return usageError(cmd, errors.New("DIR must be given"))
			case name == "" || output == "":
				return usageError(cmd, errors.New("--model and --output must be given"))
			case how.Epochs < 1:
				return usageError(cmd, fmt.Errorf("--epochs %d is not positive", how.Epochs))
			case how.Mix < 0:
				return usageError(cmd, fmt.Errorf("--mix %d is negative", how.Mix))
			}
			m, err := models.Open(name, how.Workers)
			if err != nil {
				return err
			}
			docs, err := decided(args, m.Types, unfinished)
			if err != nil {
				return err
			}
			p := newProgress()
			defer p.clear()
			how.Report = taggers.Report{Epoch: func(e taggers.Epoch) { tellEpoch(p, e) }}
			done, err := review.Train(cmd.Context(), m, output, docs, how)
			p.clear()
			if err != nil {
				return err
			}
			tell(done, output)
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&name, "model", "", "model or run folder `DIR` to train further, or en or es (required)")
	flags.StringVar(&output, "output", "", "new `DIR` for the new model (required)")
	flags.BoolVar(&unfinished, "unfinished", false, "leave out notes that are not decided, instead of training nothing (default no)")
	flags.IntVar(&how.Epochs, "epochs", how.Epochs, "number `N` of times that all notes are read")
	flags.IntVar(&how.Mix, "mix", how.Mix, "number `N` of generated notes in each epoch, if there are generated notes with the types of the model; 0: none")
	flags.Uint64Var(&how.Seed, "seed", how.Seed, "seed `N` of the random numbers")
	workersFlag(cmd, &how.Workers)
	return cmd
}

// decided returns the decided notes of reviews, of which all types must be those of the model.
func decided(dirs []string, types *data.TypeSet, unfinished bool) ([]*data.Document, error) {
	var all []*data.Document
	for _, dir := range dirs {
		r, err := review.Open(dir)
		if err != nil {
			return nil, err
		}
		docs, err := r.Documents(review.WhoseGold)
		if left, ok := errors.AsType[*review.Unfinished](err); ok && unfinished {
			complain(fmt.Errorf("%s: left out: %w", dir, left))
		} else if ok {
			return nil, fmt.Errorf("%s: %w; --unfinished leaves them out", dir, left)
		} else if err != nil {
			return nil, err
		}
		for _, d := range docs {
			for _, s := range d.Spans {
				if !types.Has(s.Type) {
					return nil, fmt.Errorf("%s: note %s has a span of the type %s, which is not a type of the model (%s)", dir, d.ID, s.Type, types.Name)
				}
			}
		}
		all = append(all, docs...)
	}
	return all, nil
}

// tell prints on stderr what the training did.
func tell(done *review.Trained, output string) {
	fmt.Fprintf(os.Stderr, "%s: trained on %d reviewed notes", output, done.Notes)
	if !done.Copies {
		fmt.Fprint(os.Stderr, ", without copies, because there are no surrogates for the language of its types")
	}
	if done.Generated == "" {
		fmt.Fprint(os.Stderr, ", without generated notes, because there are none of its types")
	}
	switch {
	case done.Calibrated > 0:
		fmt.Fprintf(os.Stderr, "; calibrated on %d others\n", done.Calibrated)
	case done.Carried:
		fmt.Fprintln(os.Stderr, "; not calibrated, with the default threshold of the old model")
	default:
		fmt.Fprintln(os.Stderr, "; not calibrated")
	}
}
