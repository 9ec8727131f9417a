package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/review"
	"github.com/lethe-deid/lethe/internal/counted"
)

func newReview() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "review",
		Short: "Have people check what a model found, and learn from it",
		Long: `Draw a sample of notes, let one or two people correct what a model found in them, and
compute how well they agree and how much PHI the model leaves: "with 95 % confidence, at
most 1.20 % of the PHI tokens are left". Then train the model further on what they
corrected.

A review is a folder. It contains the texts of the notes, so only its owner can read it.
docs/review.md explains the figures.`,
		Example: `  lethe review sample notes --model en --notes 300 --readers anna,ben --output ward
  lethe review open ward
  lethe review agreement ward
  lethe review bound ward
  lethe review train ward --model en --output ward-model`,
		Args: unknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },

		SuggestionsMinimumDistance: 2,
	}
	cmd.AddCommand(newReviewSample(), newReviewOpen(), newReviewStatus(), newReviewAgreement(), newReviewBound(), newReviewExport(), newReviewImport(), newReviewTrain())
	return cmd
}

func newReviewStatus() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status DIR",
		Short: "Say what was sampled, and how far the readers are",
		Args:  wants("DIR"),
		RunE: func(_ *cobra.Command, args []string) error {
			r, err := review.Open(args[0])
			if err != nil {
				return err
			}
			s, err := r.Status()
			if err != nil {
				return err
			}
			return printReport(s, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON (default a table)")
	return cmd
}

func newReviewAgreement() *cobra.Command {
	var asJSON, differences, showText bool
	cmd := &cobra.Command{
		Use:   "agreement DIR",
		Short: "Compare the two readers",
		Long: `Compare the two readers on the notes with which both are done: F1 of spans (equal borders
and types) and of tokens, and Cohen's kappa over all tokens, together and by type.`,
		Args: wants("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := together(cmd, "json", "show-text"); err != nil {
				return usageError(cmd, err)
			}
			if showText && !differences {
				return usageError(cmd, errors.New("--show-text requires --differences"))
			}
			r, err := review.Open(args[0])
			if err != nil {
				return err
			}
			a, list, err := r.Agreement()
			if err != nil {
				return err
			}
			if !differences {
				return printReport(a, asJSON)
			}
			if asJSON {
				return printJSON(list)
			}
			return printDifferences(r, list, showText)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&differences, "differences", false, "list the places where the readers differ, by number of the note and offsets in bytes, instead of the figures")
	flags.BoolVar(&showText, "show-text", false, "with --differences, also print the text of each place, which is PHI")
	flags.BoolVar(&asJSON, "json", false, "print JSON (default a table)")
	return cmd
}

// printDifferences prints a line for each difference.
func printDifferences(r *review.Review, list []review.Difference, showText bool) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "note\twhat\t%s\t%s\n", r.Readers[0], r.Readers[1])
	for _, d := range list {
		n, err := r.Note(d.Note)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\n", d.Note, d.What(r.Readers), place(n, d.First, showText), place(n, d.Second, showText))
	}
	return w.Flush()
}

// place describes the span of one reader, or returns - if there is none.
func place(n *review.Note, s *review.Span, showText bool) string {
	switch {
	case s == nil:
		return "-"
	case showText:
		return fmt.Sprintf("%s %d-%d %q", s.Type, s.Start, s.End, n.Text[s.Start:s.End])
	}
	return fmt.Sprintf("%s %d-%d", s.Type, s.Start, s.End)
}

func newReviewBound() *cobra.Command {
	var (
		asJSON bool
		most   float64
	)
	cmd := &cobra.Command{
		Use:   "bound DIR",
		Short: "Say how much PHI the model leaves, with 95 % confidence",
		Long: `Compare what the model found with what the readers marked, and print the share of PHI tokens
that the model leaves in the notes that the sample was drawn from, with upper bounds that
hold with a confidence of 95 %. The sample must be random, and all of its notes must be
reviewed. docs/review.md says how the bounds are computed and what they assume.`,
		Args: wants("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("max") && !(most > 0 && most < 1) {
				return usageError(cmd, fmt.Errorf("--max %v is not between 0 and 1", most))
			}
			r, err := review.Open(args[0])
			if err != nil {
				return err
			}
			b, err := r.Bound()
			if err != nil {
				return err
			}
			if err := printReport(b, asJSON); err != nil {
				return err
			}
			if most > 0 && b.Upper > most {
				return checkFailed(fmt.Sprintf("the bound %.4f is above --max %v", b.Upper, most))
			}
			return nil
		},
	}
	cmd.Flags().Float64Var(&most, "max", 0, "exit with code 1 if the bound of the statement is above this `SHARE`, between 0 and 1 (default none)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON (default a table)")
	return cmd
}

func newReviewExport() *cobra.Command {
	var output, format, whose string
	cmd := &cobra.Command{
		Use:   "export DIR --output PATH",
		Short: "Write the notes with what the readers decided, or with what the model found",
		Long: `Write the notes of a review with their spans: with what the readers decided (the only
reader, both readers where they agree, or final where they differ), with what one reader
marked, or with what the model found, for correction in another program.

The ID of each note is its number in the review. If notes are not decided yet, nothing is
written unless you give --unfinished, which leaves them out.`,
		Example: `  lethe review export ward --output train.jsonl
  lethe review export ward --of model --output to-correct --format brat`,
		Args: wants("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if output == "" {
				return usageError(cmd, errors.New("--output must be given"))
			}
			unfinished, err := cmd.Flags().GetBool("unfinished")
			if err != nil {
				return err
			}
			r, err := review.Open(args[0])
			if err != nil {
				return err
			}
			docs, err := r.Documents(whose)
			if errors.Is(err, review.ErrNoReader) {
				return usageError(cmd, fmt.Errorf("--of %s is neither %s, %s nor one of the readers %s", whose, review.WhoseGold, review.WhoseModel, strings.Join(r.Readers, ", ")))
			}
			if left, ok := errors.AsType[*review.Unfinished](err); ok && unfinished && len(docs) > 0 {
				complain(fmt.Errorf("left out: %w", left))
			} else if ok {
				return fmt.Errorf("%w; --unfinished leaves them out", left)
			} else if err != nil {
				return err
			}
			return writeNotes(output, format, r.TypeSet(), docs)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&output, "output", "", outputHelp+"; - is stdout (required)")
	flags.StringVar(&format, "format", "jsonl", "`FORMAT` of --output: "+annotatedFormats)
	flags.StringVar(&whose, "of", review.WhoseGold, "whose spans: gold (what the readers decided), model, final, or the name of a `READER`")
	flags.Bool("unfinished", false, "leave out notes that are not decided, instead of writing nothing (default no)")
	return cmd
}

// writeNotes writes notes in a format.
func writeNotes(path, format string, types *data.TypeSet, docs []*data.Document) error {
	out, err := openOutput(path, format, of(types), len(docs) == 1)
	if err != nil {
		return err
	}
	defer func() { _ = out.Abort() }() // after Close it does nothing
	for _, doc := range docs {
		if err := out.Write(doc); err != nil {
			return err
		}
	}
	return out.Close()
}

func newReviewImport() *cobra.Command {
	var (
		reader, input, format string
		reading               readingFlags
	)
	cmd := &cobra.Command{
		Use:   "import DIR --reader NAME --input PATH",
		Short: "Store what a reader marked in another program",
		Long: `Store notes that a reader has corrected in another program. They must have the IDs and the
texts that "lethe review export" has written; white space may differ. The reader is then
done with these notes.
Nothing is stored unless all notes fit.`,
		Example: `  lethe review import ward --reader anna --input corrected --format brat
  lethe review import ward --reader final --input decided.jsonl`,
		Args: wants("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if reader == "" || input == "" {
				return usageError(cmd, errors.New("--reader and --input must be given"))
			}
			r, err := review.Open(args[0])
			if err != nil {
				return err
			}
			docs, err := markedNotes(&reading, input, format, r.TypeSet())
			if err != nil {
				return err
			}
			changed, err := r.Import(reader, docs)
			if err != nil {
				return err
			}
			fmt.Fprintf(os.Stderr, "stored: %s of %d, by %s\n", counted.Of(changed, "note"), len(docs), reader)
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&reader, "reader", "", "`NAME` of the reader, or final (required)")
	flags.StringVar(&input, "input", "", "`PATH`: a file, a folder or - (stdin) with the notes (required)")
	flags.StringVar(&format, "format", "jsonl", "`FORMAT` of --input: "+annotatedFormats)
	reading.add(flags)
	return cmd
}
