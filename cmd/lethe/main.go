// Command lethe finds protected health information in clinical notes and takes
// it out: see "lethe --help".
package main

import (
	"context"
	"errors"
	"fmt"
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
	// The first Ctrl-C ends the program in good order. If that takes more than a
	// second, another ends it at once.
	context.AfterFunc(ctx, func() { time.AfterFunc(time.Second, stop) })
	signal.Ignore(syscall.SIGPIPE) // a pipe that nobody reads is an error as any other, and what was begun is cleaned up
	err := newRoot().ExecuteContext(ctx)
	os.Exit(exitCode(err))
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "lethe",
		Short: "Finds protected health information in clinical notes and takes it out",
		Long: `Lethe finds protected health information (PHI) in clinical notes and takes it out.

Data goes to stdout, messages and progress to stderr. Exit codes: 0 done,
1 the check asked for said no, 2 wrong usage or failure, 3 done, but some notes
could not be examined.`,
		Args: unknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			return errors.Join(emptyFlags(cmd), kernel.CheckEnvironment())
		},
		Version: experiments.Version(version), SilenceErrors: true, SilenceUsage: true, DisableFlagsInUseLine: true, SuggestionsMinimumDistance: 2,
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if name := firstWord(os.Args[1:]); cmd == root && name != "" { // its flags are those of a command that is misspelled
			return unknownCommand(cmd, []string{name})
		}
		return usageError(cmd, err)
	})
	root.AddCommand(newTrain(), newPredict(), newEvaluate(), newSignificance(), newErrors(), newReport(), newCalibrate(),
		newAblate(), newCurve(), newCrossval(), newCross(), newVectors(), newPOS(), newDump(), newDeidentify(), newSynth(), newBench())
	return root
}

// emptyFlags is an error if a flag has no value: --known "$FILE" with a variable that is not set would else ask for
// nothing.
func emptyFlags(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		if kind := f.Value.Type(); strings.HasPrefix(kind, "string") && slices.Contains(values, "") {
			err = usageError(cmd, fmt.Errorf("--%s is given without a value", f.Name))
		}
	})
	return err
}
