package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/lethe-deid/lethe/deid/evidence"
	"github.com/lethe-deid/lethe/experiments"
	"github.com/lethe-deid/lethe/internal/paths"
	"github.com/lethe-deid/lethe/internal/wholefile"
)

func newEvidence() *cobra.Command {
	in := evidence.Inputs{Version: experiments.Version(version)}
	var outputs, readers []string
	cmd := &cobra.Command{
		Use:   "evidence --audit FILE --output FILE",
		Short: "Write what a run leaves behind as a document for a privacy board",
		Long: `Write one document, as an HTML page and as PDF, for those who decide whether notes may be
released: what was processed; what became of each of the eighteen identifiers of HIPAA's
Safe Harbor, and how much may be left; who reviewed how many notes, and how well they
agree; what an attacker finds; what was not examined; and what is not promised.

It is made from what "lethe deidentify" (--audit, --summary), "lethe calibrate", "lethe
review" and "lethe attack --json" leave behind. Inputs that are missing are said in the
document. Inputs that do not belong to the same run are an error.

The document has no text, id or file name of a note. Each number in it names the file and
the place in it that it comes from. The same inputs give the same document, byte for byte.`,
		Example: `  lethe evidence --audit audit.jsonl --summary summary.json --model MODEL --review ward --attack attack.json \
      --reader 'anna=Anna Nowak, RN' --date 2026-11-23 --output evidence.html --output evidence.pdf
  lethe evidence --audit audit.jsonl --output evidence.html`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkEvidence(&in, outputs, readers); err != nil {
				return usageError(cmd, err)
			}
			document, err := evidence.New(in)
			if err != nil {
				return err
			}
			return writeEvidence(document, outputs)
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&in.Audits, "audit", nil, "`FILE` that lethe deidentify --audit has written; repeatable, for all shards of a run (default none)")
	flags.StringArrayVar(&in.Summaries, "summary", nil, "`FILE` that lethe deidentify --summary has written; repeatable, for all shards of a run (default none)")
	flags.StringVar(&in.Model, "model", "", "model or run folder `DIR` of the run, or the name of a model that comes with the program: en, es or auto (default: nothing is said about its calibration)")
	flags.StringVar(&in.Review, "review", "", "folder `DIR` of a review of the same notes and model (default none)")
	flags.StringVar(&in.Attack, "attack", "", "`FILE` with the output of lethe attack --json (default none)")
	flags.StringArrayVar(&readers, "reader", nil, "`NAME=WHO`: who a reader of the review is, for the document; repeatable")
	flags.StringVar(&in.Title, "title", "", "`TITLE` of the document (default \"Evidence of de-identification\")")
	flags.StringVar(&in.Date, "date", "", "date `YYYY-MM-DD` of the document (default none)")
	flags.StringArrayVar(&outputs, "output", nil, "new `FILE` to write, with the extension .html or .pdf; repeatable (required)")
	return cmd
}

func checkEvidence(in *evidence.Inputs, outputs, readers []string) error {
	if len(in.Audits)+len(in.Summaries) == 0 {
		return errors.New("--audit or --summary must be given")
	}
	if len(outputs) == 0 {
		return errors.New("--output must be given")
	}
	for i, output := range outputs {
		switch strings.ToLower(filepath.Ext(output)) {
		case ".html", ".pdf":
		default:
			return fmt.Errorf("--output %s has neither the extension .html nor .pdf", output)
		}
		for _, other := range outputs[:i] {
			if filepath.Clean(other) == filepath.Clean(output) {
				return fmt.Errorf("--output %s is given twice", output)
			}
		}
		if err := paths.MustBeNew(output); err != nil {
			return err
		}
	}
	if in.Date != "" {
		if _, err := time.Parse(time.DateOnly, in.Date); err != nil {
			return fmt.Errorf("--date %q is not a date of the form YYYY-MM-DD", in.Date)
		}
	}
	if len(readers) > 0 && in.Review == "" {
		return errors.New("--reader requires --review")
	}
	in.Readers = map[string]string{}
	for _, reader := range readers {
		name, who, ok := strings.Cut(reader, "=")
		if _, twice := in.Readers[name]; !ok || name == "" || who == "" {
			return fmt.Errorf("--reader %q is not of the form NAME=WHO", reader)
		} else if twice {
			return fmt.Errorf("duplicate --reader %s", name)
		}
		in.Readers[name] = who
	}
	return nil
}

// writeEvidence writes the document in the formats of the paths. Nothing is written if it cannot be written in one of them.
func writeEvidence(document *evidence.Document, outputs []string) error {
	encoded := make([][]byte, len(outputs))
	for i, output := range outputs {
		encoded[i] = document.HTML()
		if strings.EqualFold(filepath.Ext(output), ".pdf") {
			var err error
			if encoded[i], err = document.PDF(); err != nil {
				return fmt.Errorf("%s: %w", output, err)
			}
		}
	}
	for i, output := range outputs {
		if err := os.MkdirAll(filepath.Dir(output), 0o777); err != nil {
			return err
		}
		if err := wholefile.WriteFile(output, encoded[i], 0o666); err != nil {
			return err
		}
	}
	return nil
}
