// Command lethe finds and removes protected health information (PHI) in clinical
// notes: see "lethe --help".
package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/lethe-deid/lethe/experiments"
	"github.com/lethe-deid/lethe/nn/kernel"
)

// version is set by the Makefile: see experiments.Version.
var version string

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first Ctrl-C stops the program after it has cleaned up. If that takes more
	// than a second, a second Ctrl-C kills it.
	context.AfterFunc(ctx, func() { time.AfterFunc(time.Second, stop) })
	signal.Ignore(syscall.SIGPIPE) // writing to a closed pipe returns an error, so that the program can clean up
	err := newRoot().ExecuteContext(ctx)
	os.Exit(exitCode(err))
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "lethe",
		Short: "Find and remove protected health information in clinical notes",
		Long: `Lethe finds protected health information (PHI) in clinical notes and removes it.

Data goes to stdout, messages and progress go to stderr. Exit codes:
  0  success
  1  a requested check failed, such as --min-f1
  2  wrong usage, or failure
  3  done, except for some notes that could not be examined, or files that were skipped`,
		Args: unknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			return errors.Join(emptyFlags(cmd), kernel.CheckEnvironment())
		},
		Version: experiments.Version(version), SilenceErrors: true, SilenceUsage: true, DisableFlagsInUseLine: true, SuggestionsMinimumDistance: 2,
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if name := firstWord(os.Args[1:]); cmd == root && name != "" { // the flags belong to a misspelled command
			return unknownCommand(cmd, []string{name})
		}
		return usageError(cmd, flagError(err))
	})
	root.AddCommand(newAttack(), newCheck(), newTrain(), newDistill(), newPretrain(), newPredict(), newEvaluate(), newSignificance(), newErrors(), newEvidence(), newReport(), newCalibrate(),
		newAblate(), newCompare(), newCurve(), newCrossval(), newCross(), newSearch(), newMemory(), newVectors(), newPOS(), newDump(), newAttributes(), newDeidentify(), newWorker(), newServe(), newPolicies(), newSynth(), newConvert(), newBench(), newModels(), newTypes(), newImport(), newReview(), newVersion())
	refuseTwice(root)
	return root
}

// emptyFlags returns an error if a flag has an empty value. Otherwise --known "$FILE" would do nothing if the variable
// is not set.
func emptyFlags(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		if kind := f.Value.Type(); strings.HasPrefix(kind, "string") && slices.Contains(values, "") {
			err = usageError(cmd, withoutValue(f))
		}
	})
	return err
}
