package main

import (
	"cmp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/lethe-deid/lethe/deid/engine"
	"github.com/lethe-deid/lethe/deid/policy"
	"github.com/lethe-deid/lethe/deid/replace"
)

// engineOptions are the flags that say what is PHI and what replaces it, wherever the notes come from.
type engineOptions struct {
	operating operatingOptions
	rules     ruleOptions
}

func (o *engineOptions) flags(cmd *cobra.Command, config *engine.Options) {
	flags := cmd.Flags()
	flags.StringVar(&config.Policy, "policy", "", "what must go: "+strings.Join(policy.Names(), ", ")+", or a YAML `FILE`; lethe policies prints them (default safe-harbor)")
	flags.StringVar(&config.Replace, "replace", "", "`KIND` of replacement, where the policy demands no other: "+kindNames(true)+" (default tag)")
	flags.StringArrayVar(&config.ReplaceType, "replace-type", nil, "`TYPE=KIND`: another kind of replacement for one type, whatever the policy says, for example DATE=keep; also "+kindNames(false)+"; repeatable")
	flags.StringVar(&config.KeyFile, "key-file", "", "`FILE` with the secret, of at least 16 bytes, that hashes, surrogates and shifts are derived from (default none)")
	flags.StringVar(&config.Surrogates, "surrogates", "", "YAML `FILE` with your own lists of surrogates; for types that Lethe does not know, the file also gives the sort of value, such as person or date: see docs/surrogates.md (default none)")
	strictFlag(flags, &config.Strict)
	o.operating.flags(cmd, ofCalibration)
	o.rules.flags(flags)
	workersFlag(cmd, &config.Workers)
}

// set checks the flags and completes config.
func (o *engineOptions) set(cmd *cobra.Command, config *engine.Options) error {
	config.MinRecall, config.Bias = o.operating.minRecall, o.operating.bias
	config.SafetyNet, config.Rules, config.Deny, config.Allow, config.Known = o.rules.net(), o.rules.rules, o.rules.deny, o.rules.allow, o.rules.known
	return cmp.Or(o.rules.check(), o.operating.check(cmd))
}

// kindNames lists the kinds of replacement that work for values of all sorts, or the others.
func kindNames(all bool) string {
	var names []string
	for _, k := range replace.Kinds() {
		if (k.For() == "") == all {
			names = append(names, string(k))
		}
	}
	return strings.Join(names, ", ")
}

// modelFlag adds the flag for the model of commands that have one.
func modelFlag(flags *pflag.FlagSet, model *string) {
	flags.StringVar(model, "model", "", "model or run folder `DIR`, or the name of a model that comes with the program: en, es, or auto, which is the default and chooses by the language of each note")
}

// strictFlag adds the flag that takes no account of a default threshold.
func strictFlag(flags *pflag.FlagSet, strict *bool) {
	flags.BoolVar(strict, "strict", false, "take the model's most probable labels, even if its calibration has a default threshold that finds more, as those of the program's own models have")
}

// markedDefaults adds to the help of flags what their defaults are with --marked.
func markedDefaults(flags *pflag.FlagSet) {
	for name, byDefault := range map[string]string{"policy": "all", "replace": "surrogate"} {
		f := flags.Lookup(name)
		f.Usage = strings.TrimSuffix(f.Usage, ")") + "; with --marked, " + byDefault + ")"
	}
}

// fieldFlag adds the flag for the fields of records, which are called what.
func fieldFlag(flags *pflag.FlagSet, fields *[]string, what string) {
	flags.StringArrayVar(fields, "field", nil, "`PATH=ACTION`: what happens to "+what+": keep, drop, hash, shift, a sort such as person, or a type of the model; repeatable: see docs/fields.md (default: the format's own rules)")
}
