// Package engine opens a model together with everything that says what is PHI and what replaces it: the policy, the kinds of
// replacement, rules, lists, known values, and the key.
//
//	setup, err := engine.Options{Model: "en", Policy: "limited-data-set"}.Check()
//	...
//	e, err := setup.Open()
//	...
//	results := e.Deidentifier().Notes(ctx, notes)
//
// Package job uses it for files and the workers of a cluster, and package service for the requests of many clients.
package engine

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/policy"
	"github.com/lethe-deid/lethe/deid/replace"
	"github.com/lethe-deid/lethe/models"
	"github.com/lethe-deid/lethe/taggers/operating"
)

// Options say what is PHI and what replaces it. The zero value of a field means its default.
//
// The tag of a field is the name of the option on the command line and in errors. The tag "file" marks options whose
// value may be the path of a file.
type Options struct {
	Model   string // model or run folder, or the name of a model that comes with the program; default models.Auto unless Marked is true
	Workers int    // number of cores to use; 0 means all

	// Marked replaces the PHI that notes mark, instead of the PHI that a model finds. The marks are taken as they are. Then
	// the default of Replace is surrogate, that of Policy is all, and that of SafetyNet is off.
	Marked bool   `option:"marked"`
	Types  string `option:"types"` // type set of the marks: see data.OpenTypeSet; required if Marked is true

	Policy      string   `option:"policy,file"`  // what must happen to each sort of PHI: one of policy.Names, or a file; default safe-harbor, with Marked all
	Replace     string   `option:"replace"`      // kind of replacement where the policy demands no other: one of replace.Kinds; default tag
	ReplaceType []string `option:"replace-type"` // TYPE=KIND: another kind of replacement for one type, whatever the policy says; default none
	KeyFile     string   `option:"key-file"`     // file with the secret that hashes, surrogates and shifts are derived from; required for those three kinds
	Surrogates  string   `option:"surrogates"`   // YAML file of lists and sorts, see replace.ReadOptions; default none

	MinRecall float64 `option:"min-recall"` // recall of PHI tokens to reach, in (0, 1), as measured by calibration; 0 means no threshold
	Strict    bool    `option:"strict"`     // use the model's most probable labels, even if its calibration has a default that finds more
	Bias      float64 `option:"bias"`       // log-odds to add to each token's log-odds of being PHI, at most operating.MaxBias; 0 means none

	SafetyNet string   `option:"safety-net,file"` // rules of the safety net: auto (default), off, none, the name of built-in rules, or a file
	Rules     []string `option:"rules,file"`      // files of additional rules
	Deny      []string `option:"deny,file"`       // files of phrases that are always replaced
	Allow     []string `option:"allow,file"`      // files of phrases that are not PHI
	Known     []string `option:"known,file"`      // files of known values of each patient or note: see notefile.ReadKnown; default none
}

// Setup is valid Options with their defaults filled in.
type Setup struct {
	Options
	Policy *policy.Policy

	types  *data.TypeSet           // of the marks; nil if there is a model
	byType map[string]replace.Kind // of ReplaceType
	also   []replace.Kind          // see Also
}

// Check fills in defaults and validates the options. It reads no file except that of the policy.
func (o Options) Check() (*Setup, error) {
	kind, net, what := replace.Tag, "auto", policy.SafeHarbor
	if o.Marked {
		kind, net, what = replace.Surrogate, "off", policy.All
	}
	o.Replace, o.SafetyNet, o.Policy = cmp.Or(o.Replace, string(kind)), cmp.Or(o.SafetyNet, net), cmp.Or(o.Policy, what)
	s := &Setup{Options: o}
	for _, check := range []func() error{s.checkSource, s.checkModel, s.checkPolicy, s.checkKinds, s.checkPlan} {
		if err := check(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// checkSource checks what says where the PHI is: a model or marks.
func (s *Setup) checkSource() error {
	switch {
	case s.Marked && s.Model != "":
		return errors.New("--model and --marked cannot be combined: the PHI is what the files mark")
	case !s.Marked && s.Types != "":
		return errors.New("--types requires --marked: a model has its own types")
	case s.Marked && (s.MinRecall != 0 || s.Bias != 0):
		return errors.New("--min-recall and --bias require a --model")
	case !s.Marked:
		s.Model = cmp.Or(s.Model, models.Auto)
		return nil
	}
	types, err := data.OpenTypeSet(s.Types)
	if err != nil {
		return fmt.Errorf("--types: %w", err)
	}
	s.types = types
	return nil
}

func (s *Setup) checkModel() error {
	switch {
	case len(s.Known) > 0 && s.SafetyNet == "off":
		return errors.New("--known requires the safety net: it cannot be combined with --safety-net off")
	case s.MinRecall != 0 && s.Bias != 0:
		return errors.New("--min-recall and --bias cannot be combined")
	case s.MinRecall != 0 && !(s.MinRecall > 0 && s.MinRecall < 1):
		return fmt.Errorf("--min-recall %v is not between 0 and 1", s.MinRecall)
	case s.Strict && (s.MinRecall != 0 || s.Bias != 0):
		return errors.New("--strict cannot be combined with --min-recall or --bias")
	case s.Bias != 0 && !(s.Bias > 0 && s.Bias <= operating.MaxBias):
		return fmt.Errorf("--bias %v is not in (0, %v]", s.Bias, operating.MaxBias)
	}
	return nil
}

func (s *Setup) checkPolicy() (err error) {
	if s.Policy, err = policy.Open(s.Options.Policy); err != nil {
		return fmt.Errorf("--policy: %w", err)
	}
	return nil
}

// checkKinds checks --replace and --replace-type.
func (s *Setup) checkKinds() error {
	kind, err := replace.ParseKind(s.Replace)
	if err != nil {
		return fmt.Errorf("--replace: no kind of replacement %q (have %s)", s.Replace, kindNames(""))
	}
	s.byType = map[string]replace.Kind{}
	for _, setting := range s.ReplaceType {
		typ, name, ok := strings.Cut(setting, "=")
		switch _, duplicate := s.byType[typ]; {
		case !ok:
			return fmt.Errorf("--replace-type %q is not of the form TYPE=KIND", setting)
		case duplicate:
			return fmt.Errorf("duplicate --replace-type %s", typ)
		}
		if s.byType[typ], err = replace.ParseKind(name); err != nil {
			return fmt.Errorf("--replace-type %s: %w", typ, err)
		}
	}
	if kind.For() != "" {
		return fmt.Errorf("--replace %s: this kind replaces only values of the sort %s: use --replace-type or a --policy", kind, kind.For())
	}
	return nil
}

// Also adds kinds that single notes ask for (deid.Note.As). It is an error if they require a key and there is none.
func (s *Setup) Also(kinds ...replace.Kind) error {
	s.also = slices.Concat(s.also, kinds)
	return s.checkPlan()
}

// checkPlan checks that there is a key if the plan requires one, and that there are lists only if it uses them.
func (s *Setup) checkPlan() error {
	plan, err := s.plan(nil)
	if err != nil {
		return err
	}
	for _, kind := range plan.Kinds() {
		if kind.Secret() && s.KeyFile == "" {
			return fmt.Errorf("%s requires a --key-file", kind)
		}
	}
	if s.Surrogates != "" && !slices.Contains(plan.Kinds(), replace.Surrogate) {
		return fmt.Errorf("--surrogates requires --replace, --replace-type or a --policy with the kind %s", replace.Surrogate)
	}
	return nil
}

// plan makes the plan of the policy and the options for a type set, or for any if it is nil.
func (s *Setup) plan(types *data.TypeSet) (replace.Plan, error) {
	plan, err := planOf(s.Policy, replace.Kind(s.Replace), s.byType, s.also, types)
	if err != nil {
		return plan, fmt.Errorf("--policy: %w", err)
	}
	return plan, nil
}

func planOf(p *policy.Policy, kind replace.Kind, byType map[string]replace.Kind, also []replace.Kind, types *data.TypeSet) (replace.Plan, error) {
	plan, err := p.Plan(kind, types)
	if err != nil {
		return plan, err
	}
	maps.Copy(plan.ByType, byType)
	plan.Also = also
	if types == nil {
		return plan, nil
	}
	// With several models, what is said of a type of one holds for the types of the same sort that another has instead. A kind that leaves
	// something in the text requires that there is only one such type.
	for _, typ := range slices.Sorted(maps.Keys(plan.ByType)) {
		kind := plan.ByType[typ]
		others, only := types.Counterparts(typ)
		for _, other := range others {
			if _, named := plan.ByType[other]; !named && (only || kind != replace.Keep && !kind.Coarse()) {
				plan.ByType[other] = kind
			}
		}
	}
	return plan, nil
}

// TypeSet returns the type set of the marks, or nil if there is a model.
func (s *Setup) TypeSet() *data.TypeSet { return s.types }

// Replaces reports whether values may be replaced by a kind.
func (s *Setup) Replaces(by replace.Kind) bool {
	plan, err := s.plan(nil)
	return err == nil && slices.Contains(plan.Kinds(), by)
}

// UsesKey reports whether a replacement follows from the key.
func (s *Setup) UsesKey() bool {
	plan, err := s.plan(nil)
	return err == nil && slices.ContainsFunc(plan.Kinds(), replace.Kind.Secret)
}
