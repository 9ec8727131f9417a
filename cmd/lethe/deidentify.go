package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lethe-deid/lethe/deid/job"
	"github.com/lethe-deid/lethe/deid/notefile"
	"github.com/lethe-deid/lethe/deid/replace"
	"github.com/lethe-deid/lethe/experiments"
)

func newDeidentify() *cobra.Command {
	opt := job.Config{Input: job.Stdio, Version: experiments.Version(version)}
	var (
		quiet     bool
		operating operatingOptions
		rules     ruleOptions
	)
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
			if len(args) == 1 {
				opt.Input = args[0]
			}
			if opt.Input == stdio {
				if err := checkStdin(); err != nil {
					return usageError(cmd, err)
				}
			}
			if opt.Output == stdio {
				if err := checkStdout(); err != nil {
					return err
				}
			}
			if err := cmp.Or(rules.check(), operating.check(cmd)); err != nil {
				return usageError(cmd, err)
			}
			opt.MinRecall, opt.Bias = operating.minRecall, operating.bias
			opt.SafetyNet, opt.Rules, opt.Deny, opt.Allow, opt.Known = rules.net(), rules.rules, rules.deny, rules.allow, rules.known
			return deidentify(cmd, opt, quiet)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&opt.Model, "model", "", "model or run folder `DIR` (needed)")
	flags.StringVar(&opt.Format, "format", "text", "`FORMAT` of the notes: "+strings.Join(notefile.Names(), ", "))
	flags.StringVar(&opt.Output, "output", stdio, "where to write: "+outputHelp+"; needed for those of a folder (default stdout)")
	flags.StringArrayVar(&opt.Columns, "column", nil, "`NAME` of a column of csv, or key of jsonl (a.b is b in a), that holds notes; repeatable (default of jsonl text)")
	flags.StringVar(&opt.ID, "id", "", "`NAME` of the column or key with the note's id (default of jsonl id; else file and line)")
	flags.StringVar(&opt.Patient, "patient", "", "`NAME` of the column or key that says whose note it is (default of jsonl patient)")
	flags.BoolVar(&opt.KeepPatient, "keep-patient", false, "leave in place what that column or key says (default it is emptied, since it names a patient)")
	flags.BoolVar(&opt.PatientFolders, "patient-folders", false, "the notes of a subfolder are those of one patient")
	flags.StringVar(&opt.Delimiter, "delimiter", "", "`CHARACTER` between the fields of csv; tab is one, too (default a comma, in .tsv a tab)")
	flags.StringVar(&opt.Encoding, "encoding", "utf-8", "`ENCODING` of the files, in which they are written, too: utf-8, latin1 or windows-1252")
	flags.StringVar(&opt.Replace, "replace", "tag", "`KIND` of what to put in the place of PHI: "+kindNames())
	flags.StringArrayVar(&opt.ReplaceType, "replace-type", nil, "`TYPE=KIND` for one type, as in DATE=keep; repeatable")
	flags.StringVar(&opt.KeyFile, "key-file", "", "`FILE` with the secret, of 16 bytes or more, that hashes and surrogates follow from (default none)")
	flags.StringVar(&opt.Surrogates, "surrogates", "", "YAML `FILE` with lists of your own that surrogates are drawn from, and sorts of your own types: see docs/surrogates.md (default none)")
	operating.flags(cmd)
	rules.flags(flags)
	flags.StringVar(&opt.Map, "map", "", "`FILE` to write what stands for what to, encrypted with age for each --map-recipient; who reads it has the PHI (default none)")
	flags.StringArrayVar(&opt.MapRecipients, "map-recipient", nil, "public `KEY` of age (age1...) that may read the map, or a file of such keys; repeatable")
	flags.StringVar(&opt.Audit, "audit", "", "`FILE` to write a line of JSON a note to, without content (default none)")
	flags.BoolVar(&opt.Resume, "resume", false, "go on with a run that was stopped, with the options that it had: what is whole in --output stays")
	flags.BoolVar(&opt.SkipOthers, "skip-others", false, "files of a folder that are not of the format are left out on purpose: they do not make the exit code 3")
	flags.BoolVar(&quiet, "quiet", false, "no summary and no progress on stderr")
	workersFlag(cmd, &opt.Workers)
	return cmd
}

func kindNames() string {
	var names []string
	for _, k := range replace.Kinds() {
		names = append(names, string(k))
	}
	return strings.Join(names, ", ")
}

// deidentify runs a job, and prints what it has to say.
func deidentify(cmd *cobra.Command, config job.Config, quiet bool) error {
	p := newProgress()
	p.animated = p.animated && !quiet
	summary, err := job.Run(cmd.Context(), config, job.Events{Progress: p.show, Failed: p.failed, Warn: p.failed})
	p.clear()
	if summary != nil && !quiet {
		err = errors.Join(err, summary.WriteText(os.Stderr))
	}
	if summary != nil && summary.Restarted > 0 {
		complain(fmt.Errorf("%d patients have notes that do not follow each other, or too many to be held together: their numbering began anew, so that one number is not one person; sort the notes by patient", summary.Restarted))
	}
	if _, ok := errors.AsType[*job.OptionError](err); ok {
		return usageError(cmd, err)
	}
	return err
}
