package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/lethe-deid/lethe/models"
)

func newModelInfo() *cobra.Command {
	var json bool
	cmd := &cobra.Command{
		Use:   "info MODEL|RUN",
		Short: "Describe a model: its taggers, types, size, words of notes in it, digest",
		Long: `Describe a model of any kind: one that comes with the program, the best model of a run, a
model folder, however it was made, or a folder as Hugging Face's transformers writes it,
which the tagger hf can read.

The output tells which taggers the model consists of, its types of PHI, its size in bytes
and parameters, what it knows by its text, and whether words of the training notes are
among that, its digest (of a model: as in audits), which recalls "lethe deidentify
--min-recall" can be asked for, and where its card is. It contains no words of the
vocabulary.`,
		Example: `  lethe models info en
  lethe models info runs/ward --json`,
		Args: wants("MODEL|RUN"),
		RunE: func(_ *cobra.Command, args []string) error {
			info, err := models.Describe(args[0])
			if err != nil {
				return err
			}
			if json {
				return printJSON(info)
			}
			return printInfo(info)
		},
	}
	cmd.Flags().BoolVar(&json, "json", false, "print JSON (default text)")
	return cmd
}

// printInfo prints the description of a model.
func printInfo(i *models.Info) error {
	var out bytes.Buffer
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	row := func(name, format string, args ...any) { fmt.Fprintf(w, "%s\t%s\n", name, fmt.Sprintf(format, args...)) }
	row("model", "%s", i.Model)
	row("kind", "%s", map[string]string{
		models.BuiltinKind: "comes with the program", models.RunKind: "best model of a run: " + i.Folder, models.FolderKind: "model folder",
		models.HuggingFaceKind: "folder of Hugging Face, which system.hf.model of an experiment can name",
	}[i.Kind])
	if i.Kind == models.HuggingFaceKind {
		row("labels", "%s", strings.Join(i.Types, ", "))
	} else {
		row("types", "%s: %s", i.TypeSet, strings.Join(i.Types, ", "))
	}
	row("size", "%s bytes, %s parameters", thousands(i.Bytes), thousands(int64(i.Parameters)))
	row("digest", "%s", i.Digest)
	row("operating points", "%s", describePoints(i))
	switch {
	case i.Card == "":
		row("card", "none")
	case i.Kind == models.BuiltinKind:
		row("card", "lethe models card %s", i.Model)
	default:
		row("card", "%s", i.Card)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(&out, "\n%s", i.System)
	for _, p := range i.Parts {
		name := p.Kind
		if p.Name != "" {
			name = p.Name + " (" + p.Kind + ")"
		}
		fmt.Fprintf(&out, "\n%s: ", name)
		if p.Parameters > 0 {
			fmt.Fprintf(&out, "%s parameters, ", thousands(int64(p.Parameters)))
		}
		fmt.Fprintf(&out, "%s %s. %s\n", thousands(int64(p.Vocabulary)), p.Entries, p.Privacy)
	}
	_, err := os.Stdout.Write(out.Bytes())
	return err
}

// describePoints describes the operating points of a model on one line.
func describePoints(i *models.Info) string {
	p := i.Points
	switch {
	case i.Kind == models.HuggingFaceKind:
		return "none: those of a run with the tagger hf are measured"
	case p == nil:
		return "none: lethe calibrate measures them"
	case p.Outdated:
		return "outdated, because the model has changed: lethe calibrate measures them anew"
	}
	text := fmt.Sprintf("measured on %s notes", thousands(int64(p.Documents)))
	if p.Split != "" {
		text += " of " + p.Split
	}
	if len(p.Recalls) > 0 {
		var all []string
		for _, r := range p.Recalls {
			all = append(all, strconv.FormatFloat(r, 'g', -1, 64))
		}
		text += "; recall " + strings.Join(all, ", ")
	}
	if p.Default > 0 {
		text += fmt.Sprintf("; by default, what is PHI with probability %v", p.Default)
	}
	return text
}

// thousands returns a number with commas.
func thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
