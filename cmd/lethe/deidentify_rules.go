package main

import (
	"errors"

	"github.com/spf13/pflag"
)

// ruleOptions are the flags that name what else is PHI, besides what the model finds.
type ruleOptions struct {
	safetyNet          []string // one, or none for auto
	rules, deny, allow []string // files
	known              []string // files
}

const netHelp = "auto (the built-in rules for the model's types), a built-in set such as english or spanish, a FILE of rules, none (search only for known values and for values that are replaced elsewhere in the patient's notes), or off"

func (o *ruleOptions) flags(flags *pflag.FlagSet) {
	flags.StringArrayVar(&o.safetyNet, "safety-net", nil, "`RULES` with which the safety net finds PHI by its form: "+netHelp+" (default auto)")
	flags.StringArrayVar(&o.rules, "rules", nil, "`FILE` of your own rules, for any type of the model, in addition to the built-in ones: see docs/rules.md; repeatable (default none)")
	flags.StringArrayVar(&o.deny, "deny", nil, "`FILE` of words and phrases that are always replaced, one per line; repeatable (default none)")
	flags.StringArrayVar(&o.allow, "allow", nil, "`FILE` of words and phrases that are not PHI, one per line; repeatable (default none)")
	flags.StringArrayVar(&o.known, "known", nil, "`FILE` (csv, JSON, or FHIR with Patients) with known values of each patient or note; repeatable: see docs/deidentification.md (default none)")
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
