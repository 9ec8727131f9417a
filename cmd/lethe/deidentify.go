package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/job"
	"github.com/lethe-deid/lethe/deid/notefile"
	"github.com/lethe-deid/lethe/experiments"
	"github.com/lethe-deid/lethe/models"
)

func newDeidentify() *cobra.Command {
	opt := job.Config{Version: experiments.Version(version)}
	var (
		quiet     bool
		engine    engineOptions
		every     time.Duration
		file      configFile
		maxUnlike float64
	)
	cmd := &cobra.Command{
		Use:   "deidentify [--model DIR|--marked] [FILE|DIR|PATTERN...|-]",
		Short: "Remove PHI from notes",
		Long: `Find PHI with a trained model and replace it. The output has the format of the input,
with [PATIENT] instead of the patient's name, for example; all other text stays as it
was, byte for byte. The notes of a file or of stdin go to stdout or to a file; those of a
folder, of several files, or of a pattern such as 'notes/*.txt' go to another folder.
Gzipped input produces gzipped output, unless you name an output file without .gz.

Options can also be in a YAML file: see --config.

A policy says what must go. By default it is HIPAA's Safe Harbor: dates become their year, ZIP
codes keep three digits, ages over 89 become 90+, lower ages, states and countries stay, and
other PHI that the model finds is replaced. Choose another with --policy, or write your own:
"lethe policies" prints the built-in ones.

Each file has the format that its extension and its beginning show, unless you give
--format. Formats: text, i2b2, meddocan and i2b2-2006 (XML), brat, jsonl (JSON Lines or an
array), csv, parquet, fhir (JSON or NDJSON), hl7 (v2), ccda (C-CDA documents) and rtf. For
csv, parquet and jsonl, --column names the columns or keys that contain notes; --omop knows
those of the table NOTE of OMOP. In fhir, hl7 and ccda, texts are examined and fields that
identify somebody are replaced, hashed or removed: "lethe policies --fields FORMAT" prints
what happens to each. With --field you choose something else, also for columns and keys.
Lethe also searches the texts for the names, numbers and addresses in the fields.

A safety net searches the original text of each note for what the model missed: values
that are replaced elsewhere in the patient's notes, values that --known lists for the
patient, and anything that has the form of PHI. Use --rules, --deny and --allow to add
rules and lists of your own.

If some notes cannot be examined, Lethe reports them and does not write them, processes
all others, and ends with exit code 3 (2 if there are no others). The exit code is also 3
if files of a folder are left out, for example because they lack the extension of the
format, unless you give --skip-others. To resume a run that was killed, give --resume and
the same options; Lethe then does not write complete files again.

Besides PHI in texts, Lethe removes existing annotations and the patient identifiers of
csv, parquet and jsonl (see --patient). It does not change file names, nor other columns and
keys and the ids of notes, unless you give rules for them with --field. Because these names,
ids and columns often contain record numbers or names, you must remove such values yourself.

To make an annotated corpus distributable, use --marked instead of a model: Lethe then
replaces the PHI that the files mark (formats i2b2, meddocan, i2b2-2006, brat and jsonl),
by default with surrogates, and marks each replacement. It takes the marks as they are,
without a safety net unless you give --safety-net.

No model finds everything: check a sample of the output.`,
		Example: `  lethe deidentify --model runs/demo <note.txt
  lethe deidentify --model model/best --output clean.txt note.txt
  lethe deidentify --model model/best --output clean --audit audit.jsonl notes
  lethe deidentify --model model/best --output clean a.txt b.csv --column note 'letters/*.rtf'
  lethe deidentify --model model/best --policy limited-data-set --output clean notes
  lethe deidentify --model model/best --format jsonl - <notes.jsonl >clean.jsonl
  lethe deidentify --model model/best --column note --patient mrn --output clean.csv notes.csv
  lethe deidentify --config job.yaml
  lethe deidentify --omop --output clean.parquet note.parquet
  lethe deidentify --marked --format i2b2 --key-file key --output shared corpus`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if file.print {
				return file.write(cmd, file.inputs(args))
			}
			opt.Inputs = file.inputs(args)
			if len(opt.Inputs) == 0 || slices.Equal(opt.Inputs, []string{stdio}) {
				if err := checkStdin(); err != nil {
					return usageError(cmd, err)
				}
			}
			if opt.Output == stdio {
				if err := checkStdout(); err != nil {
					return err
				}
			}
			if err := engine.set(cmd, &opt.Options); err != nil {
				return usageError(cmd, err)
			}
			if cmd.Flags().Changed("max-unlike") {
				opt.MaxUnlike = &maxUnlike
			}
			if opt.Marked {
				opt.Types = cmp.Or(opt.Types, experiments.DefaultTypes(opt.Format), data.Any.Name)
				if len(engine.rules.safetyNet) == 0 {
					opt.SafetyNet = "" // the job's default, which is not that of a run with a model
				}
			}
			if cmd.Flags().Changed("progress") && every <= 0 {
				return usageError(cmd, fmt.Errorf("--progress %v is not positive", every))
			}
			if err := together(cmd, "quiet", "progress"); err != nil {
				return usageError(cmd, err)
			}
			return deidentify(cmd, opt, quiet, every)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&opt.Marked, "marked", false, "replace the PHI that the files mark, instead of the PHI that a model finds, and mark the replacements")
	flags.StringVar(&opt.Types, "types", "", "type `SET` of the marks (default that of the format, or any): "+strings.Join(data.TypeSetNames(), ", ")+" or a YAML file, see lethe types")
	noteFlags(flags, &opt)
	flags.StringVar(&opt.Output, "output", stdio, outputHelp+"; - is stdout. Required if the input is a folder")
	flags.BoolVar(&opt.KeepPatient, "keep-patient", false, "keep the values in the column or key of --patient (by default Lethe empties them, because they identify the patient)")
	flags.StringVar(&opt.Shard, "shard", "", "process only the `PART` i/n of the patients, such as 3/8; auto/n takes i from the task of a Slurm array or of a Kubernetes indexed job, and auto takes n from the array, too: see docs/clusters.md (default all)")
	modelFlag(flags, &opt.Model)
	engine.flags(cmd, &opt.Options)
	markedDefaults(flags)
	fieldFlag(flags, &opt.Fields, "a field of each record, such as a column of csv, a key of jsonl or an element of fhir")
	flags.Float64Var(&maxUnlike, "max-unlike", 1, "end with exit code 1 if more than this `SHARE` of the notes, from 0 to 1, are unlike those that the model was calibrated on")
	flags.StringVar(&opt.Map, "map", "", "write each original and its replacement to `FILE`, encrypted with age (age-encryption.org) for each --map-recipient; whoever can decrypt it has the PHI (default none)")
	flags.StringArrayVar(&opt.MapRecipients, "map-recipient", nil, "encrypt the map for this public `KEY` of age (age1...), or for each key in this file; repeatable")
	flags.StringVar(&opt.NotesNLP, "notes-nlp", "", "with --omop, write the table NOTE_NLP of OMOP to `FILE`, as Parquet if it ends in .parquet and otherwise as CSV, with one row for each replacement in note_text and nothing of the original (default none)")
	flags.StringVar(&opt.NLPDate, "nlp-date", "", "date `YYYY-MM-DD` for the column nlp_date of --notes-nlp (default null)")
	flags.StringVar(&opt.Audit, "audit", "", "write one line of JSON per note to `FILE`, without any text of the note (default none)")
	flags.BoolVar(&opt.Resume, "resume", false, "resume a run that was stopped, with the same options; files that are complete in --output are not written again")
	flags.BoolVar(&opt.SkipOthers, "skip-others", false, "do not end with exit code 3 if files of the input folder are left out, for example because they lack the format's extension")
	flags.StringVar(&opt.Summary, "summary", "", "write the summary as JSON to `FILE` when the run has ended, also with exit code 1 or 3: see docs/deidentification.md (default none)")
	flags.DurationVar(&every, "progress", 0, "write a line of progress on stderr each `DURATION`, such as 30s (default: a bar if stderr is a terminal, otherwise nothing)")
	flags.BoolVar(&quiet, "quiet", false, "print no summary and no progress on stderr")
	file.attach(cmd)
	return cmd
}

// noteFlags adds the flags that say how notes are read.
func noteFlags(flags *pflag.FlagSet, opt *job.Config) {
	flags.StringVar(&opt.Format, "format", "", "`FORMAT` of the notes: "+strings.Join(notefile.Names(), ", ")+" (default: by the extension of each file; text for stdin and unknown extensions)")
	flags.StringArrayVar(&opt.Include, "include", nil, "read only those files of an input folder that match `PATTERN`, such as '*.txt' or 'ward1/*'; repeatable (default all)")
	flags.StringArrayVar(&opt.Exclude, "exclude", nil, "do not read files and subfolders of an input folder that match `PATTERN`; repeatable (default none)")
	flags.StringArrayVar(&opt.Columns, "column", nil, "`NAME` of a column of csv or parquet, or of a key of jsonl, that contains notes (in parquet and jsonl, a.b is b in a, also through lists); repeatable (default for jsonl: text)")
	flags.StringVar(&opt.ID, "id", "", "`NAME` of the column or key with the note's id (default for jsonl: id or meta.note_id; otherwise file and line)")
	flags.StringVar(&opt.Patient, "patient", "", "`NAME` of the column or key that identifies the patient (default for jsonl: patient or meta.patient_id)")
	flags.BoolVar(&opt.PatientFolders, "patient-folders", false, "treat all notes in a subfolder as notes of one patient")
	flags.BoolVar(&opt.OMOP, "omop", false, "the input is the table NOTE of the OMOP Common Data Model, in csv or parquet: the notes are in note_text and note_title, the id is note_id, the patient is person_id, whatever the case of these names")
	flags.StringVar(&opt.Delimiter, "delimiter", "", "`CHARACTER` between the fields of csv, or tab (default a comma, in .tsv files a tab)")
	flags.StringVar(&opt.Encoding, "encoding", "utf-8", "`ENCODING` of the input and the output: utf-8, utf-16le, utf-16be, latin1 or windows-1252; files that begin with the byte order mark of UTF-16 or UTF-8 are always read and written as that")
	flags.StringVar(&opt.Unexamined, "unexamined", "refuse", "`WHAT` to do with a part of a record that cannot be examined, such as a PDF or a picture: refuse the record, or drop the part")
}

// deidentify runs a job, and prints what it has to say.
func deidentify(cmd *cobra.Command, config job.Config, quiet bool, every time.Duration) error {
	collectAt(whileOpening)
	opened := sync.OnceFunc(func() {
		if cmp.Or(config.Model, models.Auto) == models.Auto {
			collectAt(withSeveralModels)
		} else {
			collectAt(usually)
		}
	})
	p := newJobProgress(quiet, every)
	show := func(done job.Progress) {
		if done.Notes > 0 {
			opened()
		}
		p.show(done)
	}
	summary, err := job.Run(cmd.Context(), config, job.Events{Progress: show, Failed: p.failed, Warn: p.failed})
	p.clear()
	if summary != nil && !quiet {
		err = errors.Join(err, summary.WriteText(os.Stderr))
	}
	if summary != nil && summary.Restarted > 0 {
		complain(fmt.Errorf("%d patients have notes that are not adjacent, or more notes than fit in memory: their numbering restarted, so the same number may mean different people; sort the notes by patient", summary.Restarted))
	}
	if _, ok := errors.AsType[*job.OptionError](err); ok {
		return usageError(cmd, err)
	}
	return err
}

// By how many percent of what is in use the heap grows until the garbage collector runs. Nearly all that is allocated while a model is opened stays. With
// two models in memory, of which each has its buffers, a smaller one saves some 100 MB for a few hundredths of the time.
const whileOpening, usually, withSeveralModels = 100, 75, 14

// collectAt sets the percentage at which the garbage collector runs, unless the environment variable GOGC does.
func collectAt(percent int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}
