// Command box measures a model on texts that it has not seen: the notes and phrases in checkpoints/testdata and, in English, ASQ-PHI
// and the test half of presidio-research.
//
//	go run ./scripts/box --model runs/demo
//	go run ./scripts/box --model runs/meddocan --lang es --json
//
// The model is applied as "lethe deidentify" does by default, with the safety net, and everything that it finds counts as
// removed, with one exception: ages under 90 and years without a day or month stay in ASQ-PHI, which does not mark them
// because Safe Harbor allows them. Of the phrases that are lost, those that "lethe deidentify" changes by default are counted as well: it keeps ages
// under 90, years, and the days of the week of a schedule.
//
// --rules also measures the built-in rules of the language alone, and --spans also measures another tool:
// box writes the texts to a folder with --write, and the tool writes files with the same names and IDs to another folder,
// in the format of package jsonl. If several systems are given, the tables of types and kinds are those of the first model or, without a
// model, of the rules. --failures also prints what this system leaves of the hand-written notes, and what they and the
// phrases lose. Do not use this list to improve a model.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/jsonl"
	"github.com/lethe-deid/lethe/deid"
	"github.com/lethe-deid/lethe/deid/policy"
	"github.com/lethe-deid/lethe/deid/replace"
	"github.com/lethe-deid/lethe/evaluation/unseen"
	"github.com/lethe-deid/lethe/internal/wholefile"
	"github.com/lethe-deid/lethe/models"
	"github.com/lethe-deid/lethe/taggers/rules"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "box:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	models, spans           folders
	rules                   bool
	minRecall, bias         float64
	strict                  bool
	write                   string
	lang, testdata, corpora string
	queries                 string
	json, failures          bool
	workers                 int
}

func run(ctx context.Context, args []string, out io.Writer) error {
	var o options
	flags := flag.NewFlagSet("box", flag.ContinueOnError)
	flags.Var(&o.models, "model", "model or run `folder`; repeatable")
	flags.Float64Var(&o.minRecall, "min-recall", 0, "as for lethe deidentify")
	flags.Float64Var(&o.bias, "bias", 0, "as for lethe deidentify")
	flags.BoolVar(&o.strict, "strict", false, "as for lethe deidentify")
	flags.BoolVar(&o.rules, "rules", false, "measure the built-in rules of the language alone")
	flags.Var(&o.spans, "spans", "measure the spans that another tool has written to this `folder`; repeatable")
	flags.StringVar(&o.write, "write", "", "write the texts with their gold spans to this `folder`, and measure nothing")
	flags.StringVar(&o.lang, "lang", "en", "`language` of the texts: en or es")
	flags.StringVar(&o.testdata, "testdata", "checkpoints/testdata", "`folder` with the notes and phrases")
	flags.StringVar(&o.corpora, "corpora", os.Getenv("LETHE_CORPORA"), "`folder` with asq-phi and presidio-research; they are skipped if it is empty (default $LETHE_CORPORA)")
	flags.StringVar(&o.queries, "queries", "501-630", "`range` of the queries of ASQ-PHI")
	flags.BoolVar(&o.json, "json", false, "write JSON instead of a table")
	flags.BoolVar(&o.failures, "failures", false, "also print what is left of and lost from the notes and phrases")
	flags.IntVar(&o.workers, "workers", 1, "`number` of cores")
	if err := flags.Parse(args); err != nil {
		return err
	}
	types, ok := map[string]*data.TypeSet{"en": data.I2B2, "es": data.MEDDOCAN}[o.lang]
	if !ok {
		return fmt.Errorf("--lang: %q is neither en nor es", o.lang)
	}
	sets, err := o.sets(types)
	if err != nil {
		return err
	}
	if o.write != "" {
		return write(o.write, sets)
	}
	systems, err := o.systems(types)
	if err != nil {
		return err
	}
	var measured []unseen.Named
	keeps, err := keptByDefault(types)
	if err != nil {
		return err
	}
	for _, s := range sets {
		for _, system := range systems {
			tagger, err := system.tagger(s)
			if err != nil {
				return err
			}
			m, err := unseen.Measure(ctx, tagger, s.texts, unseen.Options{Types: s.types(types), Stays: s.stays, Keeps: keeps})
			if err != nil {
				return fmt.Errorf("%s: %s: %w", system.name, s.name, err)
			}
			measured = append(measured, unseen.Named{
				Set: s.name, System: system.name, Measures: m, CharacterRecall: m.CharacterRecall(), CharacterPrecision: m.CharacterPrecision(),
			})
		}
	}
	if o.json {
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "  ")
		return encoder.Encode(measured)
	}
	if err := unseen.WriteText(out, measured); err != nil || !o.failures {
		return err
	}
	measured = slices.DeleteFunc(measured, func(n unseen.Named) bool { return n.System != systems[0].name })
	return writeFailures(out, sets, measured)
}

// folders is a flag that can be repeated.
type folders []string

func (f *folders) String() string { return strings.Join(*f, " ") }

func (f *folders) Set(folder string) error {
	*f = append(*f, folder)
	return nil
}

// set is a set of texts.
type set struct {
	name  string
	own   bool // written for this project, with the types of the model
	texts []unseen.Text
	stays func(text string, s data.Span) bool // see unseen.Options
}

// types returns the types of the set's spans, or nil if they are not those of the language.
func (s set) types(ofLanguage *data.TypeSet) *data.TypeSet {
	if s.own {
		return ofLanguage
	}
	return nil
}

// sets reads the sets of the language.
func (o options) sets(types *data.TypeSet) ([]set, error) {
	notes, err := unseen.Notes(filepath.Join(o.testdata, "notes", o.lang), types)
	if err != nil {
		return nil, err
	}
	phrases, err := unseen.Phrases(filepath.Join(o.testdata, "phrases-"+o.lang+".txt"))
	if err != nil {
		return nil, err
	}
	sets := []set{{name: "notes", own: true, texts: notes}, {name: "phrases", own: true, texts: phrases}}
	if o.lang != "en" {
		return sets, nil
	}
	if o.corpora == "" {
		fmt.Fprintln(os.Stderr, "box: ASQ-PHI and presidio-research are skipped, because neither LETHE_CORPORA nor --corpora is set")
		return sets, nil
	}
	queries, err := o.asqphi()
	if err != nil {
		return nil, err
	}
	sentences, err := unseen.Sentences(filepath.Join(o.corpora, "presidio-research", "synth_dataset_v2.json"), true)
	if err != nil {
		return nil, err
	}
	allowed := func(text string, s data.Span) bool { return safeHarborAllows(text[s.Start:s.End], s.Type) }
	return append(sets, set{name: "asq-phi", texts: queries, stays: allowed}, set{name: "presidio-research", texts: sentences}), nil
}

// asqphi returns the queries in the range.
func (o options) asqphi() ([]unseen.Text, error) {
	from, to, ok := strings.Cut(o.queries, "-")
	first, err1 := strconv.Atoi(from)
	last, err2 := strconv.Atoi(to)
	if !ok || err1 != nil || err2 != nil {
		return nil, fmt.Errorf("--queries: %q is not a range such as 501-630", o.queries)
	}
	paths, err := filepath.Glob(filepath.Join(o.corpora, "asq-phi", "*.txt"))
	if err != nil || len(paths) != 1 {
		return nil, errors.Join(fmt.Errorf("%s: expected one .txt file", filepath.Join(o.corpora, "asq-phi")), err)
	}
	all, err := unseen.Queries(paths[0], func(string) {})
	if err != nil {
		return nil, err
	}
	var texts []unseen.Text
	for _, t := range all {
		if n, err := strconv.Atoi(t.ID); err == nil && first <= n && n <= last {
			texts = append(texts, t)
		}
	}
	return texts, nil
}

// system is one of the systems to measure.
type system struct {
	name   string                         // the last element of the path of the folder, or rules
	tagger func(set) (data.Tagger, error) // the tagger for the texts of a set
}

// systems opens the systems.
func (o options) systems(types *data.TypeSet) ([]system, error) {
	var systems []system
	add := func(name string, tagger data.Tagger, types *data.TypeSet, languages func(string) []string) error {
		net, err := deid.NewNet("auto", types)
		if err == nil {
			net.Languages = languages
		}
		d := &deid.Deidentifier{Tagger: tagger, Net: net, Workers: o.workers}
		systems = append(systems, system{name, func(set) (data.Tagger, error) { return d, nil }})
		return err
	}
	for _, dir := range o.models {
		model, err := models.Open(dir, o.workers)
		if err != nil {
			return nil, err
		}
		tagger, _, err := model.At(o.minRecall)
		if o.strict {
			tagger = model.Tagger
		}
		if err == nil && o.bias > 0 {
			tagger, err = model.Biased(o.bias)
		}
		if err != nil {
			return nil, err
		}
		if err := add(filepath.Base(dir), tagger, model.Types, model.Languages); err != nil {
			return nil, err
		}
	}
	if o.rules {
		found, err := rules.New(rules.Config{Set: types.Rules[0]}, o.workers)
		if err != nil {
			return nil, err
		}
		if err := add("rules", found, types, nil); err != nil {
			return nil, err
		}
	}
	for _, dir := range o.spans {
		systems = append(systems, system{filepath.Base(dir), func(s set) (data.Tagger, error) { return readSpans(filepath.Join(dir, s.name+jsonl.Ext)) }})
	}
	if len(systems) == 0 {
		return nil, errors.New("give --model, --rules, --spans or --write")
	}
	named := map[string]bool{}
	for _, s := range systems {
		if named[s.name] {
			return nil, fmt.Errorf("two systems are named %s: rename one of the folders", s.name)
		}
		named[s.name] = true
	}
	return systems, nil
}

// spansOf is a tagger that returns spans that another tool has found, by the ID of the document.
type spansOf map[string][]data.Span

func readSpans(path string) (spansOf, error) {
	all := spansOf{}
	for doc, err := range jsonl.Read(path, data.ReadOptions{Types: data.Any}) {
		if err != nil {
			return nil, err
		}
		all[doc.ID] = doc.Spans
	}
	return all, nil
}

func (s spansOf) Tag(_ context.Context, docs []*data.Document) ([][]data.Span, error) {
	found := make([][]data.Span, len(docs))
	for i, d := range docs {
		spans, ok := s[d.ID]
		if !ok {
			return nil, fmt.Errorf("no spans for the text %s", d.ID)
		}
		found[i] = spans
	}
	return found, nil
}

// write writes the texts of each set to a file.
func write(dir string, sets []set) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, s := range sets {
		var lines []byte
		for _, t := range s.texts {
			line, err := jsonl.Encode(t.Document)
			if err != nil {
				return fmt.Errorf("%s: %s: %w", s.name, t.ID, err)
			}
			lines = append(lines, line...)
		}
		if err := wholefile.WriteFile(filepath.Join(dir, s.name+jsonl.Ext), lines, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// keptByDefault returns a function that reports whether the default policy keeps a span entirely, such as an age under 90 or the days of the week of a
// schedule.
func keptByDefault(types *data.TypeSet) (func(text string, s data.Span) bool, error) {
	p, err := policy.Open(policy.SafeHarbor)
	if err != nil {
		return nil, err
	}
	plan, err := p.Plan(replace.Tag, types)
	if err != nil {
		return nil, err
	}
	r, err := replace.New(plan, replace.Options{Types: types})
	if err != nil {
		return nil, err
	}
	return func(text string, s data.Span) bool { return r.Remains(text, s) == replace.Whole }, nil
}

// safeHarborAllows reports whether Safe Harbor, 45 CFR 164.514(b)(2)(i)(C), lets a value of a type stay: an age under 90, or a
// year.
func safeHarborAllows(value, typ string) bool {
	t, _ := data.Any.Lookup(typ)
	switch t.Sort {
	case data.Age:
		digits := number.FindString(value)
		if digits == "" {
			return !inWords.MatchString(value)
		}
		n, err := strconv.Atoi(digits)
		return err == nil && n < 90
	case data.Date:
		return year.MatchString(value)
	}
	return false
}

var (
	number  = regexp.MustCompile(`\d+`)
	inWords = regexp.MustCompile(`(?i)ninet|hundred`)
	year    = regexp.MustCompile(`^(19|20)\d\d$`)
)

// writeFailures prints the items that are left and the phrases that are lost in the project's own texts.
func writeFailures(w io.Writer, sets []set, measured []unseen.Named) error {
	for i, s := range sets {
		if !s.own {
			continue
		}
		byID := map[string]unseen.Text{}
		for _, t := range s.texts {
			byID[t.ID] = t
		}
		for _, e := range measured[i].Each {
			t := byID[e.ID]
			for _, item := range e.Left {
				if _, err := fmt.Fprintf(w, "%s\t%s\tleft\t%s\t%q\n", s.name, e.ID, item.Type, t.Text[item.Start:item.End]); err != nil {
					return err
				}
			}
			for _, phrase := range e.Lost {
				if _, err := fmt.Fprintf(w, "%s\t%s\tlost\t%s\t%q\n", s.name, e.ID, cmp.Or(phrase.Type, "-"), t.Text[phrase.Start:phrase.End]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
