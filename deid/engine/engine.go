package engine

import (
	"context"
	"fmt"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid"
	"github.com/lethe-deid/lethe/deid/notefile"
	"github.com/lethe-deid/lethe/deid/policy"
	"github.com/lethe-deid/lethe/deid/replace"
	"github.com/lethe-deid/lethe/deid/safetynet"
	"github.com/lethe-deid/lethe/deid/surrogate"
	"github.com/lethe-deid/lethe/models"
	"github.com/lethe-deid/lethe/taggers/operating"
)

// Engine is a model with everything around it. It is safe for concurrent use.
type Engine struct {
	Model  *models.Model     // nil if notes mark their PHI
	Types  *data.TypeSet     // of the model (models.Model.Accepted) or of the marks
	Policy *policy.Policy    // of requests that choose no other
	Known  *safetynet.Values // known values of patients; nil if there are none
	Point  *operating.Point  // recall and precision to expect; nil if they are unknown

	setup       *Setup
	replacement replace.Options
	base        deid.Deidentifier
	replacers   replacers
}

// Open opens the model and reads all files that the options name.
func (s *Setup) Open() (*Engine, error) {
	go surrogate.Prepare() // while the first files of the model are decompressed, which only one core can do
	e := &Engine{setup: s, Types: s.types, Policy: s.Policy, base: deid.Deidentifier{Workers: s.Workers, Exact: s.Marked}}
	if !s.Marked {
		if err := e.openModel(); err != nil {
			return nil, err
		}
	}
	var err error
	if e.replacement, err = s.readReplacement(e.Types); err != nil {
		return nil, err
	}
	plan, err := s.plan(e.Types)
	if err != nil {
		return nil, err
	}
	own, err := e.replacersFor(plan)
	if err != nil {
		return nil, err
	}
	e.base.Replacer, e.base.ReplacerFor = own.one, own.byNotes
	given := deid.RuleFiles{SafetyNet: s.SafetyNet, Rules: s.Rules, Deny: s.Deny, Allow: s.Allow}
	if err = given.Set(&e.base, e.Types); err != nil {
		return nil, fmt.Errorf("--%w", err) // it begins with the name of a field, and the option has the same name
	}
	for _, path := range s.Known {
		known, err := notefile.ReadKnown(path, e.Types)
		if err != nil {
			return nil, fmt.Errorf("--known: %w", err)
		}
		if e.Known == nil {
			e.Known = known
		} else {
			e.Known.Join(known)
		}
	}
	if e.Model != nil && e.Model.Languages("") != nil {
		e.base.Languages, e.base.TypesIn = e.Model.Told, e.Types.InLanguage
	}
	if e.base.Net != nil && e.Model != nil {
		e.base.Net.Languages = e.Model.Languages
	}
	return e, nil
}

// Deidentifier finds and replaces PHI as the options say.
func (e *Engine) Deidentifier() *deid.Deidentifier {
	d := e.base
	return &d
}

// Replacement returns what replacements follow from besides the plan: the key, the type set, and the lists.
func (e *Engine) Replacement() replace.Options { return e.replacement }

func (e *Engine) openModel() error {
	s := e.setup
	var err error
	if e.Model, err = models.Open(s.Model, s.Workers); err != nil {
		return err
	}
	if err := e.Model.CheckPlain(context.Background()); err != nil {
		return err
	}
	if e.Types, err = e.Model.Accepted(); err != nil {
		return err
	}
	switch {
	case s.Strict:
		e.base.Tagger, e.Point = e.Model.MostProbable()
	case s.Bias > 0:
		e.base.Tagger, err = e.Model.Biased(s.Bias)
	default:
		e.base.Tagger, e.Point, err = e.Model.At(s.MinRecall)
	}
	return err
}

// readReplacement reads the key file and the surrogates file.
func (s *Setup) readReplacement(types *data.TypeSet) (opt replace.Options, err error) {
	if s.Surrogates != "" {
		if opt, err = replace.ReadOptions(s.Surrogates); err != nil {
			return opt, err
		}
	}
	if s.KeyFile != "" {
		if opt.Key, err = replace.ReadKey(s.KeyFile); err != nil {
			return opt, err
		}
	}
	opt.Types = types
	return opt, nil
}

// chosen is what replaces PHI under one plan.
type chosen struct {
	one     *replace.Replacer
	byNotes func(texts []string) *replace.Replacer // see deid.Deidentifier.ReplacerFor
}

// replacersFor makes the replacers of a plan. If the model is for several languages and the options name none, there is one for
// each, and the notes of a patient get that of most of them, because a date such as 3/4 means different days in English and in
// Spanish, and surrogates should look like the names around them.
func (e *Engine) replacersFor(plan replace.Plan) (c chosen, err error) {
	with := e.replacement
	if c.one, err = replace.New(plan, with); err != nil || e.Model == nil || with.Language != "" {
		return c, err
	}
	all := e.Model.Languages("")
	if len(all) == 0 {
		return c, nil
	}
	byLanguage := map[string]*replace.Replacer{}
	for _, l := range all {
		with.Language = surrogate.Language(l)
		if byLanguage[l], err = replace.New(plan, with); err != nil {
			return c, err
		}
	}
	c.byNotes = func(texts []string) *replace.Replacer {
		notes := map[string]int{}
		for _, text := range texts {
			if languages, guessed := e.Model.Told(text, ""); len(languages) == 1 && !guessed {
				notes[languages[0]]++
			}
		}
		if len(notes) == 0 {
			if languages := e.Model.Languages(strings.Join(texts, "\n")); len(languages) == 1 {
				return byLanguage[languages[0]]
			}
		}
		most := all[0]
		for _, l := range all {
			if notes[l] > notes[most] {
				most = l
			}
		}
		return byLanguage[most]
	}
	return c, nil
}

// HasKey reports whether there is a key for hashes, surrogates and shifts.
func (e *Engine) HasKey() bool { return e.replacement.Key != nil }

// FoundTypes lists the types that the engine finds, also if its type set is open because its model is for several languages.
func (e *Engine) FoundTypes() []data.Type {
	if e.Model == nil {
		return e.Types.Types
	}
	return e.Model.FoundTypes()
}
