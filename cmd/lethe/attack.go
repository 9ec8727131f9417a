package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/format"
	"github.com/lethe-deid/lethe/deid/attack"
	"github.com/lethe-deid/lethe/deid/replace"
	"github.com/lethe-deid/lethe/experiments"
	"github.com/lethe-deid/lethe/internal/paths"
	"github.com/lethe-deid/lethe/internal/wholefile"
	"github.com/lethe-deid/lethe/models"
)

type attackOptions struct {
	format, types            string
	reading                  readingFlags
	reader                   string
	marked                   bool
	original, originalFormat string
	surrogates, output       string
	folds, workers           int
	seed                     uint64
	json                     bool
	ofAttacks                string // a flag that is given and only has an effect on notes without tags, or ""
}

func newAttack() *cobra.Command {
	var o attackOptions
	cmd := &cobra.Command{
		Use:   "attack RELEASED",
		Short: "Attack de-identified notes, as somebody would who wants the PHI back",
		Long: `Look for PHI that was missed in notes that are to be released, with the means of
somebody who has nothing but these notes and this program. docs/attack.md explains the
attacks and their limits.

A reader, which is a model or, with --marked, whoever annotated the files of RELEASED,
marks everything that looks like PHI. In notes with invented values, these attacks then
try to tell real values from invented ones:

  parrot    trains a tagger on the marks in a part of the notes, and suspects what it
            does not find in the others (Carrell et al. 2019)
  unlisted  suspects names that are not in the lists that surrogates come from
  frequent  suspects values that occur with too many patients
  dates     suspects dates that are far from all others of the patient

In notes with tags such as [PATIENT] or <PERSON>, whatever the reader still finds is a suspect.

With --original, the notes before de-identification with their gold annotations, it
says how many of the values that were really left each attack finds, and how many of
its suspects are right. The output has no text of notes.`,
		Example: `  lethe attack released --format text
  lethe attack released.jsonl --format jsonl --original gold.jsonl --output suspects.jsonl
  lethe attack released --format brat --marked`,
		Args: wants("RELEASED"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(args[0], cmd.Flags().Changed("reader")); err != nil {
				return usageError(cmd, err)
			}
			o.ofAttacks = given(cmd.Flags(), []string{"surrogates", "folds", "seed"})
			return o.run(cmd.Context(), args[0])
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.format, "format", "", "`FORMAT` of RELEASED: "+allFormats+" (default the only one that its content and name allow)")
	flags.StringVar(&o.types, "types", "", typesHelp)
	o.reading.addWithPatients(flags)
	flags.StringVar(&o.reader, "reader", models.Auto, "model or run folder `DIR` that marks what looks like PHI, or the name of a model that comes with the program")
	flags.BoolVar(&o.marked, "marked", false, "take the annotations in the files of RELEASED for the marks of the reader (default no)")
	flags.StringVar(&o.original, "original", "", "`PATH`, a file or folder, of the notes before de-identification, with gold annotations and the same ids (default none)")
	flags.StringVar(&o.originalFormat, "original-format", "", "`FORMAT` of --original (default that of --format)")
	flags.StringVar(&o.surrogates, "surrogates", "", "YAML `FILE` with the lists that the surrogates come from, as for lethe deidentify (default the built-in lists)")
	flags.StringVar(&o.output, "output", "", "write the suspects to this `FILE`, as JSON Lines with note, offsets, type, attack and confidence (default not)")
	flags.IntVar(&o.folds, "folds", 2, "divide the notes into `N` parts for the parrot attack")
	flags.Uint64Var(&o.seed, "seed", 1, "seed `N` of the division")
	flags.BoolVar(&o.json, "json", false, "print JSON (default tables)")
	workersFlag(cmd, &o.workers)
	return cmd
}

func (o *attackOptions) check(released string, readerGiven bool) error {
	if o.folds < 2 {
		return fmt.Errorf("--folds %d is less than 2", o.folds)
	}
	if o.marked && readerGiven {
		return errors.New("--marked cannot be combined with --reader: either the files have the marks, or a model makes them")
	}
	for _, in := range []string{released, o.original, o.surrogates} {
		if in == "" || o.output == "" {
			continue
		}
		if err := paths.Apart(in, o.output); err != nil {
			return err
		}
	}
	if o.output != "" {
		if err := paths.MustBeNew(o.output); err != nil {
			return err
		}
	}
	if o.originalFormat != "" && o.original == "" {
		return errors.New("--original-format requires --original")
	}
	if o.format == "" {
		f, err := guess(released, "format")
		if err != nil {
			return err
		}
		o.format = f.Name
	}
	return nil
}

// bracketed matches what lethe deidentify writes for the kinds tag and numbered, the tags of other programs (<PERSON>, {{NAME}} and
// [**Name (1)**]), and other text in brackets.
var bracketed = regexp.MustCompile(`\[\*\*[^\[\]\n]*\*\*\]|\{\{([A-Za-z][A-Za-z0-9_.-]*)\}\}|<([A-Za-z][A-Za-z0-9_.-]*)>|\[([A-Za-z][A-Za-z0-9_.-]*)\]`)

// numberAtEnd is what the kind numbered adds to a type.
var numberAtEnd = regexp.MustCompile(`[_-][0-9]+$`)

// masked is the type of a tag that does not say it in one word.
const masked = "masked"

// otherTags lists names in tags of other programs, in upper case, that are no types of Lethe. Other names are not tags: they might be PHI in brackets.
var otherTags = strings.Fields(`ADDRESS CONTACT CREDIT_CARD CRYPTO DATE_TIME DOB EMAIL_ADDRESS FIRST_NAME GPE IBAN_CODE ID IP_ADDRESS LAST_NAME LOC LOCATION
	MEDICAL_LICENSE MRN NAME NRP ORG PER PERSON PHI PHONE_NUMBER PII REDACTED REMOVED STREET_ADDRESS TIME UK_NHS US_BANK_NUMBER US_DRIVER_LICENSE US_PASSPORT
	US_SSN ZIPCODE ZIP_CODE`)

// tagsIn returns the tags in a text, with the names of types that the sets know or that other programs use.
func tagsIn(text string, sets ...*data.TypeSet) (tags []data.Span) {
	for _, at := range bracketed.FindAllStringSubmatchIndex(text, -1) {
		tag := data.Span{Start: at[0], End: at[1], Type: masked}
		from, to := max(at[2], at[4], at[6]), max(at[3], at[5], at[7])
		if from < 0 {
			tags = append(tags, tag)
			continue
		}
		name := text[from:to]
		for _, typ := range []string{name, numberAtEnd.ReplaceAllString(name, "")} {
			if slices.Contains(otherTags, strings.ToUpper(typ)) || slices.ContainsFunc(sets, func(set *data.TypeSet) bool { // an open set has all names, but lists none
				return slices.ContainsFunc(set.Types, func(t data.Type) bool { return t.Name == typ })
			}) {
				tag.Type = typ
				tags = append(tags, tag)
				break
			}
		}
	}
	return tags
}

func (o *attackOptions) run(ctx context.Context, released string) error {
	named, err := typeSet(o.types, o.format)
	if err != nil {
		return err
	}
	docs, err := o.read(released, o.format, named)
	if err != nil {
		return err
	}
	originals, err := o.readOriginals()
	if err != nil {
		return err
	}
	types := named
	a := attack.Report{Version: experiments.Version(version), Notes: len(docs), Tags: map[string]int{}}
	if !o.marked {
		if types, err = o.mark(ctx, &a, docs); err != nil {
			return err
		}
	}
	tags := 0
	for _, doc := range docs {
		inTags := tagsIn(doc.Text, append(data.TypeSets(), types, named)...)
		for _, t := range inTags {
			a.Tags[t.Type]++
		}
		tags += len(inTags)
		doc.Spans = slices.DeleteFunc(doc.Spans, func(s data.Span) bool {
			return slices.ContainsFunc(inTags, func(t data.Span) bool { return t.Start < s.End && s.Start < t.End })
		})
		a.Marked += len(doc.Spans)
	}
	if err := o.attack(ctx, &a, docs, types, tags > a.Marked); err != nil {
		return err
	}
	if o.original != "" {
		if err := o.score(&a, originals, docs, types); err != nil {
			return err
		}
	}
	if o.output != "" {
		if err := wholefile.Write(o.output, 0o666, func(w io.Writer) error { return writeSuspects(&a, w, docs) }); err != nil {
			return err
		}
	}
	if o.json {
		return printJSON(a)
	}
	return printAttacks(&a)
}

func (o *attackOptions) read(path, formatName string, types *data.TypeSet) ([]*data.Document, error) {
	f, err := format.Lookup(formatName)
	if err != nil {
		return nil, err
	}
	opt, err := o.reading.options(types, f)
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(checkNoSyntax(path, f), tellLeftOut(path, f, opt)); err != nil {
		return nil, err
	}
	docs, err := data.Collect(f.Read(path, opt))
	if err == nil && len(docs) == 0 {
		err = fmt.Errorf("%s: has no notes", path)
	}
	return docs, err
}

// mark sets the spans of the notes to what the reader finds, and returns its types.
func (o *attackOptions) mark(ctx context.Context, a *attack.Report, docs []*data.Document) (*data.TypeSet, error) {
	model, err := models.Open(o.reader, o.workers)
	if err != nil {
		return nil, fmt.Errorf("--reader: %w", err)
	}
	if a.Reader, err = model.Digest(); err != nil {
		return nil, err
	}
	tagger, _, err := model.At(0)
	if err != nil {
		return nil, err
	}
	found, err := tagger.Tag(ctx, docs)
	if err != nil {
		return nil, err
	}
	for i, doc := range docs {
		doc.Spans = found[i]
	}
	return model.Types, nil
}

func (o *attackOptions) attack(ctx context.Context, a *attack.Report, docs []*data.Document, types *data.TypeSet, tagged bool) error {
	add := func(name string, suspects []attack.Suspect) {
		r := attack.Result{Name: name, Suspects: suspects, ByType: map[string]int{}}
		for _, s := range suspects {
			r.ByType[s.Type]++
			if s.Confidence >= 0.9 {
				r.Sure++
			}
		}
		a.Attacks = append(a.Attacks, r)
	}
	if tagged {
		fmt.Fprintln(os.Stderr, "the notes have tags, so whatever the reader finds besides is a suspect")
		if o.ofAttacks != "" {
			complain(fmt.Errorf("warning: --%s has no effect on notes with tags", o.ofAttacks))
		}
		var all []attack.Suspect
		for _, doc := range docs {
			for _, s := range doc.Spans {
				all = append(all, attack.Suspect{Note: doc.ID, Span: s, Confidence: s.Score})
			}
		}
		add("reader", all)
		return nil
	}
	lists := map[string][]string(nil)
	if o.surrogates != "" {
		opt, err := replace.ReadOptions(o.surrogates)
		if err != nil {
			return err
		}
		lists = opt.Lists
	}
	parrot, err := attack.Parrot(ctx, docs, types, attack.Training{
		Folds: o.folds, Seed: o.seed, Workers: o.workers,
		Progress: func(fold, of int) { fmt.Fprintf(os.Stderr, "parrot: training %d of %d\n", fold, of) },
	})
	switch impossible, ok := errors.AsType[*attack.ImpossibleError](err); {
	case ok:
		complain(fmt.Errorf("parrot: not possible, because %w", impossible))
	case err != nil:
		return err
	default:
		add("parrot", parrot)
	}
	add("unlisted", attack.Unlisted(docs, types, lists))
	add("frequent", attack.Frequent(docs))
	add("dates", attack.OddDates(docs, types))
	return nil
}

// readOriginals reads --original, if it is given.
func (o *attackOptions) readOriginals() ([]*data.Document, error) {
	if o.original == "" {
		return nil, nil
	}
	formatName := cmp.Or(o.originalFormat, o.format)
	types, err := typeSet(o.types, formatName)
	if err != nil {
		return nil, err
	}
	docs, err := o.read(o.original, formatName, types)
	if err != nil {
		return nil, err
	}
	marked := false
	for _, doc := range docs {
		marked = marked || len(doc.Spans) > 0
		doc.Spans = slices.DeleteFunc(doc.Spans, func(s data.Span) bool { return types.SortOf(s.Type) == data.Age })
	}
	if !marked {
		return nil, fmt.Errorf("%s: has no annotations, so that nothing can have been left", o.original)
	}
	return docs, nil
}

// score compares the suspects with what is really left. It leaves out ages, most of which need not go.
func (o *attackOptions) score(a *attack.Report, originals, docs []*data.Document, types *data.TypeSet) error {
	leaks, err := attack.Leaks(originals, docs)
	if err != nil {
		return fmt.Errorf("%s: %w", o.original, err)
	}
	released := map[string]bool{}
	for _, doc := range docs {
		released[doc.ID] = true
	}
	a.Left = &attack.Left{Left: len(leaks), ByType: map[string]int{}}
	for _, doc := range originals {
		if released[doc.ID] {
			a.Left.Gold += len(doc.Spans)
		}
	}
	for _, l := range leaks {
		a.Left.ByType[l.Type]++
	}
	for i, r := range a.Attacks {
		suspects := slices.DeleteFunc(slices.Clone(r.Suspects), func(s attack.Suspect) bool { return types.SortOf(s.Type) == data.Age })
		score := attack.Compare(suspects, leaks)
		a.Attacks[i].Score = &score
	}
	return nil
}

// writeSuspects writes JSON Lines. Offsets count code points, as in the format jsonl.
func writeSuspects(a *attack.Report, w io.Writer, docs []*data.Document) error {
	texts := map[string]string{}
	for _, doc := range docs {
		texts[doc.ID] = doc.Text
	}
	for _, r := range a.Attacks {
		for _, s := range r.Suspects {
			start := utf8.RuneCountInString(texts[s.Note][:s.Start])
			end := start + utf8.RuneCountInString(texts[s.Note][s.Start:s.End])
			line, err := json.Marshal(map[string]any{"attack": r.Name, "note": s.Note, "start": start, "end": end, "type": s.Type, "confidence": s.Confidence})
			if err != nil {
				return err
			}
			if _, err := w.Write(append(line, '\n')); err != nil {
				return err
			}
		}
	}
	return nil
}

func printAttacks(a *attack.Report) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "notes: %d, marked by the reader: %d", a.Notes, a.Marked)
	if len(a.Tags) > 0 {
		n := 0
		for _, count := range a.Tags {
			n += count
		}
		fmt.Fprintf(&out, ", tags: %d", n)
	}
	fmt.Fprintln(&out)
	if a.Left != nil {
		fmt.Fprintf(&out, "left: %d of %d values, without ages\n", a.Left.Left, a.Left.Gold)
	}
	fmt.Fprintln(&out)
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', tabwriter.AlignRight)
	columns := "attack\ttype\tsuspects\t"
	if a.Left != nil {
		columns += "leaks\tfound\trecall\tprecision\t"
	}
	fmt.Fprintln(w, columns)
	for _, r := range a.Attacks {
		row := func(typ string, suspects int, c *attack.Count) {
			if c != nil {
				suspects = c.Suspects // without ages
			}
			fmt.Fprintf(w, "%s\t%s\t%d\t", r.Name, typ, suspects)
			switch {
			case c != nil:
				fmt.Fprintf(w, "%d\t%d\t%s\t%s\t", c.Leaks, c.Hits, ratio(c.Recall()), ratio(c.Precision()))
			case a.Left != nil: // ages
				fmt.Fprint(w, "-\t-\t-\t-\t")
			}
			fmt.Fprintln(w)
		}
		var all *attack.Count
		var byType map[string]*attack.Count
		if r.Score != nil {
			all, byType = &r.Score.All, r.Score.ByType
		}
		row("all", len(r.Suspects), all)
		rows := maps.Clone(r.ByType)
		for typ := range byType {
			rows[typ] += 0
		}
		for _, typ := range slices.Sorted(maps.Keys(rows)) {
			row(typ, r.ByType[typ], byType[typ])
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := os.Stdout.Write(out.Bytes())
	return err
}

// ratio formats a share, or - if there is none.
func ratio(x float64, ok bool) string {
	if !ok {
		return "-"
	}
	return fmt.Sprintf("%.4f", x)
}
