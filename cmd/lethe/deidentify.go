package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid"
	"github.com/lethe-deid/lethe/deid/audit"
	"github.com/lethe-deid/lethe/deid/mapping"
	"github.com/lethe-deid/lethe/deid/notefile"
	"github.com/lethe-deid/lethe/deid/replace"
	"github.com/lethe-deid/lethe/models"
)

type deidentifyOptions struct {
	model, format, output string
	workers               int

	columns                     []string
	id, patient, delimiter      string
	encoding                    string
	patientFolders, keepPatient bool

	replace     string
	replaceType []string
	keyFile     string
	surrogates  string

	operating operatingOptions
	rules     ruleOptions

	mapFile       string
	mapRecipients []string

	audit                     string
	resume, quiet, skipOthers bool
}

func newDeidentify() *cobra.Command {
	var opt deidentifyOptions
	cmd := &cobra.Command{
		Use:   "deidentify --model DIR [FILE|DIR|-]",
		Short: "Take the PHI out of notes",
		Long: `Find PHI with a trained model and put something else in its place: the same file
comes out, with [PATIENT] where the patient's name was, and every other byte as it
was. A file, or stdin, goes to stdout or to a file; a folder, with those in it, to
another folder. Files may be gzipped, and come out gzipped.

Formats: text, i2b2 and meddocan (XML), brat, jsonl, csv, fhir (JSON or NDJSON) and
hl7 (v2). Of csv and jsonl --column says where the notes are. Of fhir and hl7 only
texts are changed: what their fields say of the patient is looked for in the texts,
and stays where it is.

A safety net looks through each note, as it was written, for what the model has left:
what is replaced elsewhere in the patient's notes, what --known says of the patient,
and what has the form of PHI. --rules, --deny and --allow add what you know.

A note that cannot be examined is named, never passed through; the others are
done, and the exit code is 3. So it is if files of a folder are left out, for
example since they do not have the format's extension, unless --skip-others says that
this is meant. A run that was killed goes on with --resume and the same options: files
that are whole are left as they are.

Only text is changed. The names of files and the ids of notes stay, so that a
note can be found again: often they are record numbers or names, and you must see
to them yourself. So must you to other columns and keys.

No model finds everything: check a sample of what comes out.`,
		Example: `  lethe deidentify --model runs/demo <note.txt
  lethe deidentify --model model/best --output clean.txt note.txt
  lethe deidentify --model model/best --output clean --audit audit.jsonl notes
  lethe deidentify --model model/best --format jsonl - <notes.jsonl >clean.jsonl
  lethe deidentify --model model/best --format csv --column note --patient mrn --output clean.csv notes.csv`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError(cmd, fmt.Errorf("one FILE or DIR is taken, not %d: put the files into a folder and give that", len(args)))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			input := stdio
			if len(args) == 1 {
				input = args[0]
			}
			if input == stdio {
				if err := checkStdin(); err != nil {
					return usageError(cmd, err)
				}
			}
			if opt.model == "" {
				return usageError(cmd, errors.New("--model must be given"))
			}
			if err := opt.rules.check(); err != nil {
				return usageError(cmd, err)
			}
			if err := opt.operating.check(cmd); err != nil {
				return usageError(cmd, err)
			}
			return opt.run(cmd, input)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&opt.model, "model", "", "model or run folder `DIR` (needed)")
	flags.StringVar(&opt.format, "format", "text", "`FORMAT` of the notes: "+strings.Join(notefile.Names(), ", "))
	flags.StringVar(&opt.output, "output", "", "where to write: "+outputHelp+"; needed for those of a folder (default stdout)")
	flags.StringArrayVar(&opt.columns, "column", nil, "`NAME` of a column of csv, or key of jsonl (a.b is b in a), that holds notes; repeatable (default of jsonl text)")
	flags.StringVar(&opt.id, "id", "", "`NAME` of the column or key with the note's id (default of jsonl id; else file and line)")
	flags.StringVar(&opt.patient, "patient", "", "`NAME` of the column or key that says whose note it is (default of jsonl patient)")
	flags.BoolVar(&opt.keepPatient, "keep-patient", false, "leave in place what that column or key says (default it is emptied, since it names a patient)")
	flags.BoolVar(&opt.patientFolders, "patient-folders", false, "the notes of a subfolder are those of one patient")
	flags.StringVar(&opt.delimiter, "delimiter", "", "`CHARACTER` between the fields of csv; tab is one, too (default a comma, in .tsv a tab)")
	flags.StringVar(&opt.encoding, "encoding", "utf-8", "`ENCODING` of the files, in which they are written, too: utf-8, latin1 or windows-1252")
	flags.StringVar(&opt.replace, "replace", "tag", "`KIND` of what to put in the place of PHI: "+kindNames())
	flags.StringArrayVar(&opt.replaceType, "replace-type", nil, "`TYPE=KIND` for one type, as in DATE=keep; repeatable")
	flags.StringVar(&opt.keyFile, "key-file", "", "`FILE` with the secret, of 16 bytes or more, that hashes and surrogates follow from (default none)")
	flags.StringVar(&opt.surrogates, "surrogates", "", "YAML `FILE` with lists of your own that surrogates are drawn from, and sorts of your own types: see docs/surrogates.md (default none)")
	opt.operating.flags(cmd)
	opt.rules.flags(flags)
	flags.StringVar(&opt.mapFile, "map", "", "`FILE` to write what stands for what to, encrypted with age for each --map-recipient; who reads it has the PHI (default none)")
	flags.StringArrayVar(&opt.mapRecipients, "map-recipient", nil, "public `KEY` of age (age1...) that may read the map, or a file of such keys; repeatable")
	flags.StringVar(&opt.audit, "audit", "", "`FILE` to write a line of JSON a note to, without content (default none)")
	flags.BoolVar(&opt.resume, "resume", false, "go on with a run that was stopped, with the options that it had: what is whole in --output stays")
	flags.BoolVar(&opt.skipOthers, "skip-others", false, "files of a folder that are not of the format are left out on purpose: they do not make the exit code 3")
	flags.BoolVar(&opt.quiet, "quiet", false, "no summary and no progress on stderr")
	workersFlag(cmd, &opt.workers)
	return cmd
}

func kindNames() string {
	var names []string
	for _, k := range replace.Kinds() {
		names = append(names, string(k))
	}
	return strings.Join(names, ", ")
}

func (o *deidentifyOptions) run(cmd *cobra.Command, input string) error {
	f, err := notefile.Lookup(o.format)
	if err != nil {
		return err
	}
	options, err := o.carrierOptions(f)
	if err != nil {
		return usageError(cmd, err)
	}
	plan, err := o.plan()
	if err != nil {
		return usageError(cmd, err)
	}
	recipients, err := o.checkMap()
	if err != nil {
		return usageError(cmd, err)
	}
	files, err := findFiles(f, input, o.output, o.resume)
	if err != nil {
		return err
	}
	if files.output == stdio {
		if err := checkStdout(); err != nil {
			return err
		}
	}
	if o.patientFolders && !files.all[0].folder {
		return usageError(cmd, errors.New("--patient-folders is about the folders in a folder"))
	}
	if err := o.checkAudit(input, files); err != nil {
		return err
	}
	model, err := models.Open(o.model, o.workers)
	if err != nil {
		return err
	}
	options.Types = model.Types
	tagger, point, err := o.operating.set(model)
	if err != nil {
		return err
	}
	d := &deidentification{
		tagger: tagger, format: f, options: options, engine: &deid.Deidentifier{}, workers: o.workers, patientFolders: o.patientFolders, progress: newProgress(),
		patients: newPatients(plan.Default == replace.Numbered || slices.Contains(slices.Collect(maps.Values(plan.ByType)), replace.Numbered)),
	}
	d.progress.animated = d.progress.animated && !o.quiet
	d.summary.Unchanged = f.Unchanged
	switch {
	case point != nil:
		d.summary.Expected = point.Expected()
	case o.operating.bias > 0:
		d.summary.Expected = "not known with --bias: check a sample"
	}
	replacement, err := o.replacement(model.Types)
	if err != nil {
		return err
	}
	if d.engine.Replacer, err = replace.New(plan, replacement); err != nil {
		return err
	}
	if d.known, err = o.rules.set(d.engine, model.Types); err != nil {
		return err
	}
	if d.known != nil && d.known.Short() > 0 {
		complain(fmt.Errorf("%s: %d values are too short to be looked for", o.rules.known, d.known.Short()))
	}
	var settings runSettings
	if o.audit != "" || files.output != stdio { // else nothing would hold them
		if d.modelDigest, err = model.Digest(); err != nil {
			return err
		}
		if settings, err = o.settings(cmd, input, d.modelDigest, replacement); err != nil {
			return err
		}
		if d.configDigest, err = settings.digest(); err != nil {
			return err
		}
	}
	defer files.release()
	if err := files.claim(o.resume, settings); err != nil {
		return err
	}
	d.record = files.record
	if err := o.openAudit(d, files); err != nil {
		return err
	}
	if len(recipients) > 0 {
		if d.mapping, err = mapping.Create(o.mapFile, recipients...); err != nil {
			return errors.Join(unwritable(o.mapFile, err), d.audit.Close())
		}
		defer func() { _ = d.mapping.Discard() }()
	}
	err = d.run(cmd.Context(), files)
	d.progress.clear()
	if d.known != nil && !d.knew && d.summary.Notes > 0 {
		complain(fmt.Errorf("%s: says nothing of any note: are its patients and ids those of the notes?", o.rules.known))
	}
	u, ok := errors.AsType[*models.Unexamined](err)
	done := err == nil || ok && u.Failed < u.Notes
	if done && !o.quiet {
		err = errors.Join(err, d.summary.WriteText(os.Stderr))
	}
	if n := d.summary.Restarted; n > 0 {
		complain(fmt.Errorf("%d patients have notes that do not follow each other, or too many to be held together: their numbering began anew, so that one number is not one person; sort the notes by patient", n))
	}
	err = errors.Join(err, d.audit.Close())
	if d.mapping != nil {
		err = o.closeMap(d.mapping, done, err)
	}
	if !o.skipOthers {
		err = errors.Join(err, files.leftOut.incomplete(f))
	}
	return err
}

func (o *deidentifyOptions) carrierOptions(f *notefile.Format) (notefile.Options, error) {
	opt := notefile.Options{Encoding: o.encoding, Columns: o.columns, ID: o.id, Patient: o.patient, NoPatient: !o.keepPatient}
	switch {
	case o.delimiter == "tab" || o.delimiter == `\t`:
		opt.Comma = '\t'
	case len(o.delimiter) == 1:
		opt.Comma = o.delimiter[0]
	case o.delimiter != "":
		return opt, fmt.Errorf("--delimiter %q is not one character", o.delimiter)
	}
	if o.keepPatient && !f.Columns {
		return opt, fmt.Errorf("--keep-patient: %s has no columns", f.Name)
	}
	err := f.Check(opt)
	if err != nil && f.Name == "csv" && len(o.columns) == 0 {
		err = errors.New("--format csv wants a --column")
	}
	return opt, err
}

func (o *deidentifyOptions) plan() (replace.Plan, error) {
	kind, err := replace.ParseKind(o.replace)
	if err != nil {
		return replace.Plan{}, fmt.Errorf("--replace: %w", err)
	}
	plan := replace.Plan{Default: kind, ByType: map[string]replace.Kind{}}
	for _, setting := range o.replaceType {
		typ, name, ok := strings.Cut(setting, "=")
		switch _, twice := plan.ByType[typ]; {
		case !ok:
			return plan, fmt.Errorf("--replace-type %q is not of the form TYPE=KIND", setting)
		case twice:
			return plan, fmt.Errorf("--replace-type %s is given twice", typ)
		}
		if plan.ByType[typ], err = replace.ParseKind(name); err != nil {
			return plan, fmt.Errorf("--replace-type %s: %w", typ, err)
		}
	}
	kinds := append(slices.Collect(maps.Values(plan.ByType)), kind)
	hash, surrogates := slices.Contains(kinds, replace.Hash), slices.Contains(kinds, replace.Surrogate)
	switch {
	case hash && o.keyFile == "":
		return plan, fmt.Errorf("%s wants a --key-file", replace.Hash)
	case surrogates && o.keyFile == "":
		return plan, fmt.Errorf("%s wants a --key-file", replace.Surrogate)
	case !hash && !surrogates && o.keyFile != "":
		return plan, fmt.Errorf("--key-file is for the kinds %s and %s, and none of them is asked for", replace.Hash, replace.Surrogate)
	case !surrogates && o.surrogates != "":
		return plan, fmt.Errorf("--surrogates is for the kind %s, which is not asked for", replace.Surrogate)
	}
	return plan, nil
}

// replacement is what surrogates and hashes are made with.
func (o *deidentifyOptions) replacement(types *data.TypeSet) (opt replace.Options, err error) {
	if o.surrogates != "" {
		if opt, err = replace.ReadOptions(o.surrogates); err != nil {
			return opt, err
		}
	}
	if o.keyFile != "" {
		if opt.Key, err = replace.ReadKey(o.keyFile); err != nil {
			return opt, err
		}
	}
	opt.Types = types
	return opt, nil
}

// checkAudit says why the audit cannot be where it is asked for, before anything is done.
func (o *deidentifyOptions) checkAudit(input string, files *fileSet) error {
	if o.audit == "" {
		return nil
	}
	if o.audit == stdio {
		return errors.New("--audit wants a file: stdout is for notes")
	}
	if !o.resume {
		if _, err := os.Lstat(o.audit); err == nil {
			return fmt.Errorf("%s: already exists", o.audit)
		}
	}
	path, err := resolved(o.audit)
	if err != nil {
		return err
	}
	if input != stdio {
		in, err := resolved(input)
		if err != nil {
			return err
		}
		if holds(in, path) {
			return fmt.Errorf("%s: the audit would be written into the input", o.audit)
		}
	}
	if o.mapFile != "" {
		if file, err := resolved(o.mapFile); err != nil || file == path {
			return cmp.Or(err, fmt.Errorf("%s: the map is to be written there, and not the audit", o.audit))
		}
	}
	out, err := resolved(files.output)
	if err != nil {
		return err
	}
	if path == recordPath(out, files.folder) {
		return fmt.Errorf("%s: the record of the run is to be written there, and not the audit", o.audit)
	}
	for _, file := range files.all {
		place := out
		if files.folder {
			place = filepath.Join(out, file.name)
		}
		if path == place || o.format == "brat" && path == annotationPath(place) {
			return fmt.Errorf("%s: notes are to be written there, and not the audit", o.audit)
		}
	}
	return nil
}

// openAudit opens the audit, and of a run that goes on takes what it has said so far.
func (o *deidentifyOptions) openAudit(d *deidentification, files *fileSet) error {
	if o.audit == "" {
		return nil
	}
	var err error
	if d.record == nil || !d.record.audited { // a run that goes on may have ended before this
		if d.audit, err = audit.Create(o.audit); err != nil {
			return err
		}
		return d.record.audit()
	}
	lines := map[string]int{}
	for _, file := range files.all {
		if file.done {
			lines[file.auditName()] = d.record.lines[file.auditName()]
		}
	}
	left := leftovers{}
	left.add(o.audit)
	if err := left.remove(); err != nil {
		return err
	}
	d.audit, d.earlier, err = audit.Resume(o.audit, d.modelDigest, d.configDigest, files.redo(), lines)
	return err
}
