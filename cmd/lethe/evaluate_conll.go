package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/pflag"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/tokenize"
	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/evaluation/conlleval"
	"github.com/lethe-deid/lethe/internal/bounded"
)

// conllScorer returns the scorer that reproduces conlleval.
func conllScorer(flags *pflag.FlagSet) scorer {
	var opt conlleval.Options
	var tokenizer, splitter string
	latex := flags.Bool("latex", false, "conll: print rows of a LaTeX table, like the script's -l (default a text table)")
	flags.BoolVar(&opt.Raw, "raw", false, "conll: the labels of FILE are types without B- and I-, and each token is a phrase (default no)")
	flags.StringVar(&opt.Delimiter, "delimiter", "", "conll: regular `EXPRESSION` that matches the separator of the columns of FILE (default one space)")
	flags.StringVar(&opt.Outside, "outside", "", "conll: `LABEL` of tokens outside of any phrase, with --raw (default O)")
	flags.StringVar(&tokenizer, "tokenizer", "", "conll: `TOKENIZER` for notes: ptb, letters-digits or whitespace (default ptb; for the format conll, whitespace)")
	flags.StringVar(&splitter, "splitter", "", "conll: sentence `SPLITTER` for notes: rules, line, blank-line or note (default rules; for the format conll, line)")
	return scorer{
		name: "conll", format: "conll", file: true,
		flags: []string{"raw", "delimiter", "outside", "latex", "tokenizer", "splitter", "corrected", "types"},
		run: func(o *evaluateOptions) error {
			opt.Corrected = o.corrected
			notes, columns := tokenizer+splitter != "", opt != conlleval.Options{}
			var (
				report *conlleval.Report
				err    error
			)
			switch {
			case *latex && o.json:
				return errors.New("--latex and --json cannot be combined")
			case o.file == "" && columns:
				return errors.New("--raw, --delimiter, --outside and --corrected require a FILE of labels")
			case o.file == "":
				report, err = o.scoreNotesCoNLL(tokenizer, splitter)
			case notes:
				return errors.New("--tokenizer and --splitter require notes, and cannot be combined with a FILE of labels")
			default:
				report, err = o.scoreFileCoNLL(opt)
			}
			if err != nil {
				return err
			}
			if *latex {
				return report.WriteLaTeX(os.Stdout)
			}
			return printReport(report, o.json)
		},
	}
}

func (o *evaluateOptions) scoreFileCoNLL(opt conlleval.Options) (*conlleval.Report, error) {
	in, name := io.Reader(os.Stdin), "stdin"
	if o.file != stdio {
		f, err := bounded.OpenInput(o.file)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in, name = f, o.file
	}
	return conlleval.Read(in, name, opt)
}

// scoreNotesCoNLL scores notes. All PHI in a note that the system does not have counts as missed.
func (o *evaluateOptions) scoreNotesCoNLL(tokenizer, splitter string) (*conlleval.Report, error) {
	if o.format == "conll" { // its reader makes texts with spaces between tokens and one sentence per line
		tokenizer, splitter = cmp.Or(tokenizer, "whitespace"), cmp.Or(splitter, "line")
	}
	tokens, err := tokenize.Lookup(cmp.Or(tokenizer, "ptb"))
	if err != nil {
		return nil, fmt.Errorf("--tokenizer: %w", err)
	}
	sentences, err := tokenize.LookupSplitter(cmp.Or(splitter, "rules"))
	if err != nil {
		return nil, fmt.Errorf("--splitter: %w", err)
	}
	types, err := typeSet(o.types, o.format)
	if err != nil {
		return nil, err
	}
	scorer := conlleval.NewScorer(tokens, sentences)
	golds, systems, err := o.pairs(types)
	if err != nil {
		return nil, err
	}
	m, err := evaluation.EachPair(golds, systems, func(gold, system *data.Document) error {
		scorer.Add(gold, system)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(m.Missing) > 0 {
		complain(fmt.Errorf("gold documents that the system does not have, counted as missed: %d, first %s", len(m.Missing), m.Missing[0]))
	}
	if len(m.Extra) > 0 {
		complain(fmt.Errorf("system documents without a gold standard, not scored: %d, first %s", len(m.Extra), m.Extra[0]))
	}
	report := scorer.Report()
	if report.Lost > 0 {
		complain(fmt.Errorf("spans that are not scored, because they overlap a longer one or contain no token: %d", report.Lost))
	}
	return report, nil
}
