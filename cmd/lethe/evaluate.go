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
)

// evaluateOptions is the options that all scorers share.
type evaluateOptions struct {
	gold, system string
	file         string // FILE, for a scorer that accepts one instead of gold and system
	sides
	json bool

	// Only some scorers accept these.
	verbose, corrected bool
}

// scorer computes scores as Lethe or an official script does. The function that returns a scorer also adds the flags that
// only this scorer accepts.
type scorer struct {
	name   string   // value of --script; empty for Lethe's own scores
	format string   // default of --format
	flags  []string // names of the flags that it accepts and some other scorer does not
	file   bool     // it accepts a FILE instead of --gold and --system
	run    func(*evaluateOptions) error
}

// scorers returns all scorers and adds their flags.
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
		Long: `Score what a system found against the gold standard. The first table is the leak, the
PHI that would stay in the text: tokens, instances and notes, by category and type,
with 95 % intervals. The second is precision, recall and F1, micro-averaged, of spans
and of tokens, with and without their types.

With --script, scores are computed as others do: i2b2, meddocan and conll reproduce
the official scripts exactly, including their bugs, and tokens prints the tables of
Dernoncourt et al. 2016. docs/evaluation.md explains what each of them counts.

Notes are matched by ID. A note that cannot be read is an error, because a score of
the other notes would be the score of another corpus.`,
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
	flags.StringVar(&opt.gold, "gold", "", "`PATH`, a file or folder, of the gold standard (required unless there is a FILE)")
	flags.StringVar(&opt.system, "system", "", "`PATH`, a file or folder, of what the system found (required unless there is a FILE)")
	opt.add(flags, "", "`FORMAT` of --gold: "+annotatedFormats+" (default i2b2; of --script meddocan and conll the same name)", "--system")
	flags.StringVar(&script, "script", "", "score as an official `SCRIPT` does: "+scorerNames(all)+" (default Lethe's own scores)")
	flags.BoolVar(&opt.corrected, "corrected", false, "score without the script's bugs, and print how the scores differ from the script's (default no)")
	flags.BoolVarP(&opt.verbose, "verbose", "v", false, "also print the scores of each note (default no)")
	flags.BoolVar(&opt.json, "json", false, "print JSON (default a table)")
	return cmd
}

// sources returns the gold standard and what the system found.
func (o *evaluateOptions) sources(types *data.TypeSet) ([]source, error) {
	return o.sides.sources(types, o.gold, o.system)
}

// readingGiven returns the first flag that is given about types and how notes are read, or "".
func (o *evaluateOptions) readingGiven() string {
	return given(o.flags, slices.DeleteFunc(slices.Clone(o.names), func(name string) bool { return strings.HasSuffix(name, "format") }))
}

// pairs returns the notes of both sides.
func (o *evaluateOptions) pairs(types *data.TypeSet) (gold, system data.Documents, err error) {
	all, err := o.sources(types)
	if err != nil {
		return nil, nil, err
	}
	return all[0].gold(), all[1].marked(), nil
}

// takeFile sets o.file, and checks that there is either a FILE or --gold and --system.
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
	}
	if name := given(o.flags, append([]string{"gold", "system"}, o.names...)); name != "" {
		return fmt.Errorf("--%s cannot be combined with a FILE", name)
	}
	o.file = args[0]
	return nil
}

// pickScorer returns the scorer with a name. It is an error if flags are set that only other scorers accept.
func pickScorer(all []scorer, name string, flags *pflag.FlagSet) (*scorer, error) {
	i := slices.IndexFunc(all, func(s scorer) bool { return s.name == name })
	if i < 0 {
		return nil, fmt.Errorf("unknown script %q (have %s)", name, scorerNames(all))
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
			err = fmt.Errorf("--%s requires %s, and cannot be combined with %s", f.Name, strings.Join(takers, " or "), all[i])
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

// ownScorer returns the scorer of Lethe's own scores.
func ownScorer(flags *pflag.FlagSet) scorer {
	hipaa := flags.Bool("hipaa", false, "score only the types that HIPAA names (default all)")
	typeMap := flags.String("map", "", "`MAP` that translates the types of both sides, a name or a file: see lethe cross --help (default none)")
	minF1 := flags.Float64("min-f1", 0, "exit with code 1 if the strict F1 is below `X`, in [0, 1]")
	return scorer{format: "i2b2", flags: []string{"hipaa", "map", "min-f1", "types"}, run: func(o *evaluateOptions) error {
		if !(*minF1 >= 0 && *minF1 <= 1) {
			return fmt.Errorf("--min-f1 %v is not in [0, 1]", *minF1)
		}
		return o.run(*hipaa, *typeMap, *minF1)
	}}
}

// mapped returns the type set after a map. types is the set of --types, which describes the types after the map if it has
// all of them, and those before it otherwise.
func (o *evaluateOptions) mapped(types *data.TypeSet, m *data.TypeMap) (*data.TypeSet, *data.TypeMap, error) {
	if o.types == "" {
		return cmp.Or(m.Types, anyTypes()), m, nil
	}
	m = m.For(types)
	for _, to := range m.To {
		if to != "" && !types.Has(to) {
			types, err := m.Result(types)
			if err != nil {
				return nil, nil, fmt.Errorf("--map: %w", err)
			}
			return types, m, nil
		}
	}
	return types, m, nil
}

func (o *evaluateOptions) run(hipaa bool, typeMap string, minF1 float64) error {
	types, err := typeSet(o.types, o.format)
	if err != nil {
		return err
	}
	var m *data.TypeMap
	var mapOfGold, mapOfSystem data.MapCounts
	read := types
	if typeMap != "" { // each side may have a different type set, so any type is read, and the map checks them
		if m, err = data.OpenTypeMap(typeMap, data.DropOthers); err != nil {
			return err
		}
		read = anyTypes()
		if types, m, err = o.mapped(types, m); err != nil {
			return err
		}
	}
	sources, err := o.sources(read)
	if err != nil {
		return err
	}
	gold, system := sources[0].marked(), sources[1].marked()
	if m != nil {
		gold, system = m.Apply(gold, &mapOfGold), m.Apply(system, &mapOfSystem)
	}
	scores, err := evaluation.Options{Types: types, HIPAA: hipaa}.Compare(gold, system)
	if err != nil {
		return allUnreadable(err, sources)
	}
	for _, line := range append(mapOfGold.Lines("--gold"), mapOfSystem.Lines("--system")...) {
		complain(errors.New(line))
	}
	if m != nil {
		all := mapOfGold
		all.Add(mapOfSystem)
		if absent := m.Absent(all); len(absent) > 0 {
			complain(fmt.Errorf("types of the map %s that occur on neither side: %s", m.Name, strings.Join(absent, ", ")))
		}
	}
	if scores.Strict.TP+scores.Strict.FN == 0 {
		if o.json {
			err = printReport(scores, true)
		} else {
			_, err = fmt.Printf("documents: %d\nannotations in the gold standard: 0\n", scores.Documents)
		}
		return errors.Join(err, fmt.Errorf("%s: the gold standard contains no annotation of the types to score, so there is nothing to score", o.gold))
	}
	if err := printReport(scores, o.json); err != nil {
		return err
	}
	if f1 := scores.Strict.F1(); f1 < minF1 {
		return checkFailed(fmt.Sprintf("strict F1 is %.4f, below %v", f1, minF1))
	}
	return nil
}
