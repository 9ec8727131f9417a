package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lethe-deid/lethe/deid/job"
	"github.com/lethe-deid/lethe/models"
)

// The exit codes.
const (
	exitDone        = 0
	exitCheckFailed = 1 // a check that the user asked for failed
	exitFailed      = 2 // wrong usage, or an error
	exitUnexamined  = 3 // done, except for some notes that could not be examined
)

// checkFailed is the error of a check that the user asked for, such as --min-f1, and that failed.
type checkFailed string

func (c checkFailed) Error() string { return string(c) }

// exitCode prints an error to stderr and returns the exit code.
func exitCode(err error) int {
	if err == nil {
		return exitDone
	}
	if errors.Is(err, context.Canceled) {
		err = fmt.Errorf("interrupted")
	}
	complain(err)
	_, failed := errors.AsType[checkFailed](err)
	_, unlike := errors.AsType[*job.TooManyUnlike](err)
	if _, ok := errors.AsType[*models.OutOfReach](err); ok || failed || unlike {
		return exitCheckFailed
	}
	if partly(err) {
		return exitUnexamined
	}
	return exitFailed
}

// partly reports whether an error, or each of several joined errors, means only that some of the input was not
// examined.
func partly(err error) bool {
	if parts, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range parts.Unwrap() {
			if !partly(e) {
				return false
			}
		}
		return true
	}
	if _, ok := errors.AsType[*job.LeftOut](err); ok {
		return true
	}
	u, ok := errors.AsType[*models.Unexamined](err)
	return ok && u.Partly()
}

func complain(err error) { fmt.Fprintln(os.Stderr, "lethe:", err) }

// usageError adds to an error where to find help.
func usageError(cmd *cobra.Command, err error) error {
	return fmt.Errorf("%w (see %s --help)", err, cmd.CommandPath())
}

// wants checks the number of arguments, like cobra.ExactArgs, with an error that names the missing one. The last names
// may be in brackets, which means that the argument is optional.
func wants(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) > len(names):
			return usageError(cmd, fmt.Errorf("unexpected argument %q", args[len(names)]))
		case len(args) < len(names) && !strings.HasPrefix(names[len(args)], "["):
			return usageError(cmd, fmt.Errorf("%s must be given", names[len(args)]))
		}
		return nil
	}
}

// firstWord returns the first argument, or "" if there is none or it is a flag.
func firstWord(args []string) string {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return ""
	}
	return args[0]
}

// unknownCommand returns an error if there are arguments: cobra passes those that name no command.
func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	err := fmt.Errorf("unknown command %q", args[0])
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		err = fmt.Errorf("%w, did you mean %s?", err, strings.Join(near, " or "))
	}
	return usageError(cmd, err)
}
