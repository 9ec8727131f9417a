package main

import (
	"errors"
	"os"

	"github.com/spf13/cobra"

	"github.com/lethe-deid/lethe/deid/job"
	"github.com/lethe-deid/lethe/experiments"
)

func newWorker() *cobra.Command {
	config := job.Config{Version: experiments.Version(version)}
	var engine engineOptions
	cmd := &cobra.Command{
		Use:   "worker [--model DIR]",
		Short: "Remove PHI from notes that another program sends, one answer per line",
		Long: `Read one JSON object per line from stdin, and answer each with a line on stdout, in the same
order, until stdin ends. The answers are written whenever the input pauses, so a program can
send a line and wait for the answer, or send many lines at once. Use this command in programs
that distribute notes themselves, such as Spark; see docs/clusters.md and scripts/spark.

  {"id":"7","patient":"12","text":"Seen by Dr. Vega."}
      a note. The answer is the same object without PHI, as "lethe deidentify --format jsonl"
      writes it. Consecutive notes of a patient that arrive together are processed together.
  {"patient":"12","notes":[{"id":"7","text":"..."},{"id":"8","text":"..."}]}
      all notes of a patient. The answer is {"notes":[...]}, with one object per note. Unlike
      that to single notes, it does not depend on what arrives together.
  {"hello":true}
      The answer contains the version of the program and the digests of the model and of the
      options. Workers with equal answers give the same output.

A note that cannot be examined is answered {"id":...,"line":...,"error":"..."}, and so is a line
that is not valid; the id is missing if it cannot be read. Blank lines have no answer. Messages
go to stderr. The exit code is 3 if some notes could not be examined, and 2 if none could, or if
the worker was stopped by a signal; before it stops, it answers the lines that it has read.`,
		Example: `  lethe worker --model en <notes.jsonl >clean.jsonl
  lethe worker --replace surrogate --key-file key --workers 1`,
		Args: wants(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if isTerminal(os.Stdin) || isNull(os.Stdin) {
				return usageError(cmd, errors.New("stdin is closed, a terminal or the null device: this command is started by other programs, which send notes on its stdin"))
			}
			if err := checkStdout(); err != nil {
				return err
			}
			if err := engine.set(cmd, &config.Options); err != nil {
				return usageError(cmd, err)
			}
			return work(cmd, config)
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&config.Columns, "column", nil, "`NAME` of a key that contains notes (a.b is the key b in a); repeatable (default text)")
	flags.StringVar(&config.ID, "id", "", "`NAME` of the key with the note's id (default id or meta.note_id)")
	flags.StringVar(&config.Patient, "patient", "", "`NAME` of the key of a note that identifies the patient (default patient or meta.patient_id)")
	flags.BoolVar(&config.KeepPatient, "keep-patient", false, "keep the patient in the answers (by default it becomes null)")
	modelFlag(flags, &config.Model)
	engine.flags(cmd, &config.Options)
	fieldFlag(flags, &config.Fields, "a key of each note")
	return cmd
}

// work answers the requests on stdin.
func work(cmd *cobra.Command, config job.Config) error {
	w, err := job.NewWorker(config, job.Events{Warn: complain})
	if _, ok := errors.AsType[*job.OptionError](err); ok {
		return usageError(cmd, err)
	} else if err != nil {
		return err
	}
	info, err := os.Stdin.Stat()
	live := err != nil || !info.Mode().IsRegular()
	return w.Serve(cmd.Context(), os.Stdin, live, os.Stdout)
}
