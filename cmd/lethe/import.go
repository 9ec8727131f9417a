package main

import (
	"fmt"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/lethe-deid/lethe/checkpoints/neuroner"
	"github.com/lethe-deid/lethe/embeddings"
	"github.com/lethe-deid/lethe/taggers/ann"
)

func newImport() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "import",
		Short: "Make a model of one that another program trained",
		Args:  unknownCommand,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newImportNeuroNER())
	return cmd
}

func newImportNeuroNER() *cobra.Command {
	var (
		vectors, output string
		opt             ann.NeuroNER
	)
	cmd := &cobra.Command{
		Use:   "neuroner DIR --vectors FILE --output MODEL",
		Short: "Import a model that the authors of NeuroNER released",
		Long: `Make a model folder of a model that the authors of NeuroNER released (Dernoncourt et al.
2017). DIR is its folder, with model.ckpt.index, model.ckpt.data-00000-of-00001,
dataset.pickle and parameters.ini. Neither TensorFlow nor Python is required, and nothing
that the files contain is executed.

The releases do not contain the vectors of words that they were trained with. These are
those of glove.6B.100d.txt, which you give with --vectors; without them, the network finds
few names.

The model works like any other: lethe deidentify --model MODEL, lethe predict, lethe
calibrate, and as the start of a training (system.ann.start).`,
		Example: `  lethe import neuroner i2b2_2014_glove_stanford_bioes --vectors glove.6B.100d.txt --output i2b2`,
		Args:    wants("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			for name, value := range map[string]string{"vectors": vectors, "output": output} {
				if value == "" {
					return usageError(cmd, fmt.Errorf("--%s is required", name))
				}
			}
			dir := args[0]
			release, err := neuroner.Open(dir)
			if err != nil {
				return err
			}
			opt.Workers = runtime.NumCPU()
			if opt.Vectors, err = embeddings.Load(vectors, embeddings.Options{}); err != nil {
				return err
			}
			opt.Name = filepath.Base(filepath.Clean(output))
			if _, ok := opt.Vectors.Index("unk"); !ok {
				complain(fmt.Errorf("warning: %s: contains no word \"unk\", so it cannot be verified that these are the vectors that the network was trained with", vectors))
			}
			if len(release.Tokens) > 1 && !opt.Clean {
				complain(fmt.Errorf("warning: %s: the model contains every token of the notes that it was trained with, names among them; --clean leaves them out", dir))
			}
			model, err := ann.FromNeuroNER(release, opt)
			if err != nil {
				return fmt.Errorf("%s: %w", dir, err)
			}
			return model.Save(output)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&vectors, "vectors", "", "`FILE` of the word vectors that the network was trained with (required)")
	flags.StringVar(&output, "output", "", "model folder `MODEL` to write (required)")
	flags.BoolVar(&opt.Clean, "clean", false, "leave out the words of the training notes that --vectors does not have (default no)")
	return cmd
}
