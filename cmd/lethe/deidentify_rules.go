package main

import (
	"errors"

	"github.com/spf13/pflag"
)

// ruleOptions are the flags that name what else is PHI, besides what the model finds.
type ruleOptions struct {
	safetyNet          []string // one, or none for auto
	rules, deny, allow []string // files
	known              string   // a file
}

const netHelp = "auto (those for the model's types), english, spanish, a FILE of rules in their place, none (only what is replaced elsewhere in a patient's notes, and --known), or off"

func (o *ruleOptions) flags(flags *pflag.FlagSet) {
	flags.StringArrayVar(&o.safetyNet, "safety-net", nil, "`RULES` by which the safety net knows the form of PHI: "+netHelp+" (default auto)")
	flags.StringArrayVar(&o.rules, "rules", nil, "`FILE` of rules of your own, for any type, in addition to all others: see docs/rules.md; repeatable (default none)")
	flags.StringArrayVar(&o.deny, "deny", nil, "`FILE` of words and phrases that are always replaced, one per line; repeatable (default none)")
	flags.StringArrayVar(&o.allow, "allow", nil, "`FILE` of words and phrases that are no PHI, one per line; repeatable (default none)")
	flags.StringVar(&o.known, "known", "", "`FILE` (csv or JSON) of what is known of each patient or note: see docs/deidentification.md (default none)")
}

// net is the value of --safety-net.
func (o *ruleOptions) net() string {
	if len(o.safetyNet) == 0 {
		return "auto"
	}
	return o.safetyNet[0]
}

func (o *ruleOptions) check() error {
	if len(o.safetyNet) > 1 {
		return errors.New("--safety-net can be given only once; --rules adds rules to the built-in ones")
	}
	return nil
}
