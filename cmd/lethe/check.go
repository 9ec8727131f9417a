package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lethe-deid/lethe/data/check"
	"github.com/lethe-deid/lethe/data/format"
	"github.com/lethe-deid/lethe/data/tokenize"
	"github.com/lethe-deid/lethe/experiments"
)

func newCheck() *cobra.Command {
	var (
		settings               []string
		formatName, types      string
		reading                readingFlags
		labelling              = check.Default
		asJSON                 bool
		configOnly, corpusOnly = []string{"set"}, append([]string{"types", "tokenizer", "sentences"}, readingNames...)
	)
	cmd := &cobra.Command{
		Use:   "check {CONFIG.yaml | {PATH | SPLIT=PATH}... --format FORMAT}",
		Short: "Check a corpus before you train or score on it",
		Long: `Read all notes of a corpus, which is that of an experiment or consists of files and
folders, and report what is in it and what is wrong with it:

  - notes, patients, tokens, and spans by type, for each split
  - all notes that cannot be read, grouped by cause
  - spans that a sequence labeller cannot learn, and what becomes of them
  - notes and patients that are in two splits, and notes that are nearly the same
  - types that are rare, or that train does not contain
  - notes without spans, and files that are not read

The exit code is 1 if there is a problem: training would be impossible, or scores would
be meaningless. Warnings do not change it. lethe train makes the same checks.

No text of the notes is printed. docs/check.md explains each part of the report.`,
		Example: `  lethe check ward.yaml
  lethe check ward.yaml --set corpus.hold_out.by=document --json
  lethe check notes --format brat
  lethe check train=a/train dev=a/dev test=a/test --format brat --types meddocan`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError(cmd, errors.New("CONFIG.yaml or PATH must be given"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := exist(args); err != nil {
				return err
			}
			if formatName != "" {
				if f := given(cmd.Flags(), configOnly); f != "" {
					return usageError(cmd, fmt.Errorf("--%s requires a CONFIG.yaml, and cannot be combined with --format", f))
				}
				corpus, err := corpusOf(args, formatName, types, &reading)
				if err != nil {
					return usageError(cmd, err)
				}
				if err := labelling.Check(); err != nil {
					return usageError(cmd, fmt.Errorf("--%w", err))
				}
				p := newProgress()
				report, err := corpus.Check(check.Options{Labellings: []check.Labelling{labelling}}, p.show)
				p.clear()
				return printCheck(report, err, asJSON)
			}
			if f := given(cmd.Flags(), corpusOnly); f != "" {
				return usageError(cmd, fmt.Errorf("--%s requires --format", f))
			}
			if ext := strings.ToLower(filepath.Ext(args[0])); len(args) > 1 || ext != ".yaml" && ext != ".yml" {
				return usageError(cmd, fmt.Errorf("the notes in %s require their --format (a single file CONFIG.yaml does not)", args[0]))
			}
			config, err := experiments.Load(args[0], settings)
			if err != nil {
				return err
			}
			p := newProgress()
			report, err := config.Check(p.show)
			p.clear()
			return printCheck(report, err, asJSON)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&formatName, "format", "", "`FORMAT` of the notes: "+annotatedFormats+" (required unless a CONFIG.yaml is given)")
	flags.StringVar(&types, "types", "", typesHelp)
	reading.addWithPatients(flags)
	flags.StringVar(&labelling.Tokenizer, "tokenizer", labelling.Tokenizer, "`TOKENIZER` of the system that is to learn the spans: "+or(tokenize.Names()))
	flags.StringVar(&labelling.Sentences, "sentences", labelling.Sentences, "how the system that is to learn the spans splits notes into `SENTENCES`: "+or(tokenize.SplitterNames()))
	flags.StringArrayVar(&settings, "set", nil, "override a setting of the config with `path=value`, as in corpus.seed=2; repeatable (default none)")
	flags.BoolVar(&asJSON, "json", false, "print JSON, with all places of bad notes (default tables)")
	return cmd
}

// exist returns an error if the PATH of an argument, which may have SPLIT= before it, does not exist.
func exist(args []string) error {
	for _, arg := range args {
		_, path, named := strings.Cut(arg, "=")
		if !named {
			path = arg
		}
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: no such file or folder", path)
		}
	}
	return nil
}

// corpusOf returns the corpus of arguments of the form PATH or SPLIT=PATH. A single PATH is the split all, and several
// have the names of their files or folders.
func corpusOf(args []string, formatName, types string, reading *readingFlags) (*experiments.Corpus, error) {
	f, err := format.Lookup(formatName)
	if err != nil {
		return nil, err
	}
	opt, err := reading.options(nil, f)
	if err != nil {
		return nil, err
	}
	splits := map[string]experiments.Sources{}
	for _, arg := range args {
		name, path, named := strings.Cut(arg, "=")
		if !named {
			name, path = "all", arg
			if len(args) > 1 {
				base := filepath.Base(filepath.Clean(arg))
				name = cmp.Or(strings.TrimSuffix(base, filepath.Ext(base)), base)
			}
		}
		if splits[name] != nil {
			return nil, fmt.Errorf("two splits are called %s: name them, as in dev=%s", name, path)
		}
		splits[name] = experiments.Sources{{Path: path}}
	}
	return experiments.NewCorpus(experiments.Corpus{
		Format: formatName, Splits: splits, Patient: reading.patient,
		Fragments: opt.Fragments, Offsets: opt.Offsets, CoNLL: opt.CoNLL, HF: opt.HF, INCEpTION: opt.INCEpTION,
	}, types)
}

// printCheck prints a report, which may be nil. A problem with the notes is a failed check, and err another failure.
func printCheck(report *check.Report, err error, asJSON bool) error {
	if report == nil {
		return err
	}
	if err := printReport(report, asJSON); err != nil {
		return err
	}
	if !asJSON && len(report.Problems) > 0 {
		fmt.Println("\nProblems:")
		for _, p := range report.Problems {
			fmt.Printf("- %s\n", strings.ReplaceAll(p, "\n", "\n  "))
		}
	}
	switch n := len(report.Problems); {
	case err != nil:
		return err
	case n == 0:
		return nil
	case n == 1:
		return checkFailed("the corpus has a problem")
	default:
		return checkFailed(fmt.Sprintf("the corpus has %d problems", n))
	}
}
