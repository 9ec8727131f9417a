package main

import (
	"github.com/spf13/pflag"

	"github.com/lethe-deid/lethe/evaluation/tokens"
)

// tokensScorer returns the scorer that prints the tables of Dernoncourt et al. 2016.
func tokensScorer(*pflag.FlagSet) scorer {
	return scorer{name: "tokens", format: "i2b2", flags: []string{"corrected", "types"}, run: func(o *evaluateOptions) error {
		types, err := typeSet(o.types, o.format)
		if err != nil {
			return err
		}
		gold, system, err := o.pairs(types)
		if err != nil {
			return err
		}
		report, err := tokens.Compare(gold, system, tokens.Options{Types: types, Corrected: o.corrected})
		if err != nil {
			return err
		}
		return printReport(report, o.json)
	}}
}
