package main

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/lethe-deid/lethe/experiments"
	"github.com/lethe-deid/lethe/internal/paths"
	"github.com/lethe-deid/lethe/internal/wholefile"
	"github.com/lethe-deid/lethe/taggers/trees"
	"github.com/lethe-deid/lethe/taggers/trees/c45"
)

type attributesOptions struct {
	settings                []string
	split, triggers, output string
	workers                 int
	json                    bool
}

// attributesWritten is the JSON output.
type attributesWritten struct {
	File       string `json:"file"`
	Split      string `json:"split"`
	Triggers   string `json:"triggers"`
	Tokens     int    `json:"tokens"`
	Attributes int    `json:"attributes"` // without the class
	Classes    int    `json:"classes"`    // including O
}

func newAttributes() *cobra.Command {
	var opt attributesOptions
	cmd := &cobra.Command{
		Use:   "attributes CONFIG.yaml --output FILE.arff",
		Short: "Write what decision trees see of the tokens of a split",
		Long: `Write the attributes and the label of each token of a split as an ARFF file, which WEKA
and other programs read. The system of the experiment must be or contain a node trees.

The attributes are those of its first iteration, for one set of triggers. What they use
of the training notes, such as the triggers, is learnt from the split train. The
attributes of the preceding tokens' labels have the gold labels, as in training.

The file contains no text of the notes except headings that occur in several of them.
The values of its attributes still describe the tokens, so protect it like the notes.`,
		Example: `  lethe attributes experiments/configs/meddocan/szarvas2006.yaml --output train.arff
  lethe attributes ward.yaml --split dev --triggers trigram --output dev.arff`,
		Args: wants("CONFIG.yaml"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case opt.output == "":
				return usageError(cmd, errors.New("--output must be given"))
			case !slices.Contains(trees.Sets(), opt.triggers):
				return usageError(cmd, fmt.Errorf("--triggers %s is not %s", opt.triggers, or(trees.Sets())))
			}
			config, err := experiments.Load(args[0], opt.settings)
			if err != nil {
				return err
			}
			return opt.run(config)
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&opt.settings, "set", nil, "override a setting of the config with `path=value`, as in seed=2; repeatable (default none)")
	flags.StringVar(&opt.split, "split", experiments.TrainSplit, "`SPLIT` whose tokens are written")
	flags.StringVar(&opt.triggers, "triggers", trees.TokenTriggers, "`SET` of triggers: "+or(trees.Sets()))
	flags.StringVar(&opt.output, "output", "", "`FILE` to write (required)")
	flags.BoolVar(&opt.json, "json", false, "print a summary as JSON (default a line on stderr)")
	workersFlag(cmd, &opt.workers)
	return cmd
}

func (o *attributesOptions) run(config *experiments.Config) error {
	if err := paths.MustBeNew(o.output); err != nil {
		return err
	}
	p := newProgress()
	defer p.clear()
	d, err := config.Attributes(o.split, o.triggers, o.workers, p.show)
	if err != nil {
		return err
	}
	if err := wholefile.Write(o.output, 0o666, func(w io.Writer) error { return d.WriteARFF(w) }); err != nil {
		return err
	}
	return o.tell(p, d)
}

func (o *attributesOptions) tell(p *progress, d *c45.Data) error {
	if o.json {
		return printJSON(attributesWritten{o.output, o.split, o.triggers, d.Len(), len(d.Attributes), len(d.Classes)})
	}
	p.line("%s: %d tokens, %d attributes, %d classes", o.output, d.Len(), len(d.Attributes), len(d.Classes))
	return nil
}
