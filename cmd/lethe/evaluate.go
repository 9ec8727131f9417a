package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/experiments"
)

// evaluateOptions is what all scorers share.
type evaluateOptions struct {
	gold, system         string
	file                 string // in place of gold and system, for a scorer that takes one
	format, systemFormat string // systemFormat is empty when it is format
	types                string // empty for the default of format
	json                 bool

	// For some scorers only.
	verbose, corrected bool
}

// scorer is a way to score: Lethe's own, or an official script's. Each is made
// by a function in a file of its own, which also adds the flags that only this
// scorer takes.
type scorer struct {
	name   string   // what --script takes; empty for Lethe's own
	format string   // the default of --format
	flags  []string // the names of the flags that not every scorer takes
	file   bool     // it takes a FILE in place of --gold and --system
	run    func(*evaluateOptions) error
}

// scorers lists them, their flags being added to those of the command.
func scorers(flags *pflag.FlagSet) []scorer {
	return []scorer{
		ownScorer(flags),
		i2b2Scorer(flags),
		meddocanScorer(flags),
		conllScorer(flags),
		tokensScorer(flags),
	}
}

func newEvaluate() *cobra.Command {
	var (
		opt    evaluateOptions
		script string
		all    []scorer
	)
	cmd := &cobra.Command{
		Use:   "evaluate {--gold DIR --system DIR | --script conll FILE}",
		Short: "Score what a system found against the gold standard",
		Long: `Score what a system found against the gold standard. First, what PHI would stay in
the text: tokens, instances and notes, by category and type, with 95 % intervals.
Then spans with and without their type, tokens with and without it: precision,
recall and F1, micro-averaged.

With --script, score as others do: i2b2, meddocan and conll are the official
scripts, to the letter; tokens makes the tables of Dernoncourt et al. 2016.
docs/evaluation.md says what each counts, bugs included.

Notes are matched by their ID. A note that cannot be read is an error: a score
over the rest would be that of another corpus.`,
		Example: `  lethe evaluate --gold test/xml --system found --format i2b2
  lethe evaluate --gold gold/brat --format brat --system found.jsonl --system-format jsonl --types meddocan
  lethe evaluate --gold test/xml --system found --hipaa --min-f1 0.95 --json
  lethe evaluate --script meddocan --format brat --gold dev/brat --system found
  lethe evaluate --script conll labels.txt`,
		Args: wants("[FILE]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := pickScorer(all, script, cmd.Flags())
			if err == nil {
				err = opt.takeFile(s, args)
			}
			if err != nil {
				return usageError(cmd, err)
			}
			opt.format = cmp.Or(opt.format, s.format)
			return s.run(&opt)
		},
	}
	flags := cmd.Flags()
	all = scorers(flags)
	flags.StringVar(&opt.gold, "gold", "", "file or folder of the gold standard (needed but with FILE)")
	flags.StringVar(&opt.system, "system", "", "file or folder of what the system found (needed but with FILE)")
	flags.StringVar(&opt.format, "format", "", "`FORMAT` of --gold: "+annotatedFormats+" (default i2b2; of --script meddocan and conll the same name)")
	flags.StringVar(&opt.systemFormat, "system-format", "", "`FORMAT` of --system (default that of --gold)")
	flags.StringVar(&opt.types, "types", "", typesHelp)
	flags.StringVar(&script, "script", "", "score as an official `SCRIPT` does: "+scorerNames(all)+" (default Lethe's own scores)")
	flags.BoolVar(&opt.corrected, "corrected", false, "do not copy the script's bugs; what that changes is printed, too")
	flags.BoolVarP(&opt.verbose, "verbose", "v", false, "the scores of each note as well")
	flags.BoolVar(&opt.json, "json", false, "print JSON (default a table)")
	return cmd
}

// takeFile checks that there is something to score.
func (o *evaluateOptions) takeFile(s *scorer, args []string) error {
	switch {
	case len(args) == 0 && (o.gold == "" || o.system == "") && s.file:
		return errors.New("--gold and --system must be given, or a FILE")
	case len(args) == 0 && (o.gold == "" || o.system == ""):
		return errors.New("--gold and --system must be given")
	case len(args) == 0:
		return nil
	case !s.file:
		return fmt.Errorf("unexpected argument %q", args[0])
	case o.gold+o.system+o.format+o.systemFormat+o.types != "":
		return errors.New("--gold, --system, --format, --system-format and --types do not go with a FILE")
	}
	o.file = args[0]
	return nil
}

// pickScorer finds a scorer by its name, and refuses flags that belong to others.
func pickScorer(all []scorer, name string, flags *pflag.FlagSet) (*scorer, error) {
	i := slices.IndexFunc(all, func(s scorer) bool { return s.name == name })
	if i < 0 {
		return nil, fmt.Errorf("no script %q (have %s)", name, scorerNames(all))
	}
	var err error
	flags.Visit(func(f *pflag.Flag) {
		var takers []string
		for _, s := range all {
			if slices.Contains(s.flags, f.Name) {
				takers = append(takers, s.String())
			}
		}
		if err == nil && len(takers) > 0 && !slices.Contains(takers, all[i].String()) {
			err = fmt.Errorf("--%s goes with %s only, not with %s", f.Name, strings.Join(takers, " and "), all[i])
		}
	})
	return &all[i], err
}

func (s scorer) String() string {
	if s.name == "" {
		return "Lethe's own scores"
	}
	return "--script " + s.name
}

// scorerNames lists the values of --script.
func scorerNames(all []scorer) string {
	var names []string
	for _, s := range all {
		if s.name != "" {
			names = append(names, s.name)
		}
	}
	return cmp.Or(strings.Join(names, ", "), "none yet")
}

// ownScorer is Lethe's own.
func ownScorer(flags *pflag.FlagSet) scorer {
	hipaa := flags.Bool("hipaa", false, "score the types that HIPAA names only (default all)")
	typeMap := flags.String("map", "", "`MAP` of types to put both sides through, by name or as a file: see lethe cross --help (default none)")
	minF1 := flags.Float64("min-f1", 0, "exit with 1 when strict F1 is below `X`, in [0, 1]")
	return scorer{format: "i2b2", flags: []string{"hipaa", "map", "min-f1", "types"}, run: func(o *evaluateOptions) error {
		if !(*minF1 >= 0 && *minF1 <= 1) {
			return fmt.Errorf("--min-f1 %v is not in [0, 1]", *minF1)
		}
		return o.run(*hipaa, *typeMap, *minF1)
	}}
}

func (o *evaluateOptions) run(hipaa bool, typeMap string, minF1 float64) error {
	types, err := typeSet(o.types, o.format)
	if err != nil {
		return err
	}
	var m *data.TypeMap
	var leftOfGold, leftOfSystem data.LeftOut
	read := types
	if typeMap != "" { // each side may have a type set of its own: the map says what it knows
		if m, err = experiments.LoadTypeMap(typeMap); err != nil {
			return err
		}
		read = anyTypes()
		if o.types == "" {
			types = read
			if m.Types != nil {
				types = m.Types
			}
		}
	}
	gold := readMarked(o.gold, o.format, read)
	system := readMarked(o.system, cmp.Or(o.systemFormat, o.format), read)
	if m != nil {
		gold, system = m.Apply(gold, &leftOfGold), m.Apply(system, &leftOfSystem)
	}
	scores, err := evaluation.Options{Types: types, HIPAA: hipaa}.Compare(gold, system)
	if err != nil {
		return allUnreadable(err, read, map[string]string{o.gold: o.format, o.system: cmp.Or(o.systemFormat, o.format)})
	}
	for _, line := range append(leftOfGold.Lines("--gold"), leftOfSystem.Lines("--system")...) {
		complain(errors.New(line))
	}
	if scores.Strict.TP+scores.Strict.FN == 0 {
		if o.json {
			err = printReport(scores, true)
		} else {
			_, err = fmt.Printf("documents: %d\nannotations in the gold standard: 0\n", scores.Documents)
		}
		return errors.Join(err, fmt.Errorf("%s: the gold standard holds no annotation of the types to score, so there is nothing to score", o.gold))
	}
	if err := printReport(scores, o.json); err != nil {
		return err
	}
	if f1 := scores.Strict.F1(); f1 < minF1 {
		return checkFailed(fmt.Sprintf("strict F1 is %.4f, below %v", f1, minF1))
	}
	return nil
}
