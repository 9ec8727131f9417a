package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/lethe-deid/lethe/checkpoints"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/models"
)

func newModels() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "models",
		Short: "List the models that come with the program",
		Long: `List the models that come with the program. Wherever a command takes the folder of a
model, it also takes one of these names; a folder of the same name is ./NAME.

With the name auto, which is the default of lethe deidentify, each note is examined by the
model of its language.`,
		Example: `  lethe models
  lethe models info en
  lethe models card en
  lethe models pack runs/ward --output ward-model`,
		Args: wants(),
		RunE: func(*cobra.Command, []string) error { return listModels() },
	}
	cmd.AddCommand(newModelCard(), newModelInfo(), newModelPack())
	return cmd
}

// listModels prints a line for each built-in model.
func listModels() error {
	var out bytes.Buffer
	w := tabwriter.NewWriter(&out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(w, "name\ttypes\tdigest")
	for _, name := range checkpoints.Builtin() {
		m, err := models.Open(name, 1)
		if err != nil {
			return err
		}
		digest, err := m.Digest()
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s\t%s\t%.19s\n", name, m.Types.Name, digest)
	}
	fmt.Fprintf(w, "%s\t%s\t%s\n", models.Auto, "both", "chooses between them for each note")
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := os.Stdout.Write(out.Bytes())
	return err
}

func newModelCard() *cobra.Command {
	return &cobra.Command{
		Use:   "card MODEL|RUN",
		Short: "Print the card of a model: its data, licences, scores and limits",
		Args:  wants("MODEL|RUN"),
		RunE: func(_ *cobra.Command, args []string) error {
			m, err := models.OpenOne(args[0], 1)
			if err != nil {
				return err
			}
			card, err := bounded.ReadFile(filepath.Join(m.Dir, checkpoints.CardFile), bounded.MaxConfig)
			if err != nil {
				return err
			}
			_, err = os.Stdout.Write(card)
			return err
		},
	}
}

func newModelPack() *cobra.Command {
	var output string
	var options models.PackOptions
	cmd := &cobra.Command{
		Use:   "pack MODEL|RUN --output DIR",
		Short: "Copy a model to a folder that is about half as large",
		Long: `Copy a model, or the best model of a run, to a folder of its own, with the numbers of its
networks as float16. The copy finds practically the same PHI, and can be used wherever
a model can. Operating points are not copied: calibrate the copy.`,
		Example: "  lethe models pack runs/ward --output ward-model",
		Args:    wants("MODEL|RUN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if output == "" {
				return usageError(cmd, fmt.Errorf("--output is required"))
			}
			if options.Words < 0 {
				return usageError(cmd, fmt.Errorf("--words %d is negative", options.Words))
			}
			m, err := models.OpenOne(args[0], 1)
			if err != nil {
				return err
			}
			return m.Pack(output, options)
		},
	}
	cmd.Flags().StringVar(&output, "output", "", "new `DIR` for the copy; required")
	cmd.Flags().IntVar(&options.Words, "words", 0, "keep only the `N` most frequent words of each network's vocabulary, which makes it smaller; 0: all")
	cmd.Flags().BoolVar(&options.Int8, "int8", false, "multiply integers of 8 bits, which is faster and a little less exact")
	return cmd
}
