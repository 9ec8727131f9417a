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

// conllScorer is conlleval.
func conllScorer(flags *pflag.FlagSet) scorer {
	var opt conlleval.Options
	var tokenizer, splitter string
	latex := flags.Bool("latex", false, "conll: print rows of a LaTeX table, as the script's -l (default a table of text)")
	flags.BoolVar(&opt.Raw, "raw", false, "conll: the labels of FILE are bare types, and each token is a phrase")
	flags.StringVar(&opt.Delimiter, "delimiter", "", "conll: `EXPRESSION` of what parts the columns of FILE (default one space)")
	flags.StringVar(&opt.Outside, "outside", "", "conll: with --raw, the `LABEL` outside of any phrase (default O)")
	flags.StringVar(&tokenizer, "tokenizer", "", "conll: what cuts notes into tokens: ptb, letters-digits or whitespace (default ptb; of format conll whitespace)")
	flags.StringVar(&splitter, "splitter", "", "conll: what cuts notes into sentences: rules, line or blank-line (default rules; of format conll line)")
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
				return errors.New("--latex and --json exclude each other")
			case o.file == "" && columns:
				return errors.New("--raw, --delimiter, --outside and --corrected are for a FILE of labels")
			case o.file == "":
				report, err = o.scoreNotesCoNLL(tokenizer, splitter)
			case notes:
				return errors.New("--tokenizer and --splitter are for notes, not for a FILE of labels")
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

// scoreNotesCoNLL scores notes; one that the system does not have counts as missed.
func (o *evaluateOptions) scoreNotesCoNLL(tokenizer, splitter string) (*conlleval.Report, error) {
	if o.format == "conll" { // whose texts are made so
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
	m, err := evaluation.EachPair(readGold(o.gold, o.format, types), readMarked(o.system, cmp.Or(o.systemFormat, o.format), types),
		func(gold, system *data.Document) error {
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
		complain(fmt.Errorf("spans that are no phrases, since they overlap a longer one or hold no token: %d", report.Lost))
	}
	return report, nil
}
