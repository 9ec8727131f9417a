package main

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// wrongValues says, for each type of flags, what is wrong with a value that it refuses.
var wrongValues = map[string]string{
	"bool": "is neither true nor false", "duration": "is not a duration, such as 30s or 5m", "float64": "is not a number", "int": "is not a whole number",
	"int64": "is not a whole number", "stringSlice": "is not a list of values with commas between them", "uint64": "is not a whole number of at least 0",
}

// flagError says in plain words what pflag says about a flag.
func flagError(err error) error {
	if twice, ok := errors.AsType[*givenTwice](err); ok { // without the value, which pflag quotes
		return twice
	}
	if absent, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		return withoutValue(absent.GetFlag())
	}
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok && unknown.GetSpecifiedShortnames() != "" {
		return fmt.Errorf("unknown flag: -%s; the names of flags begin with --", unknown.GetSpecifiedShortnames())
	}
	if wrong, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return valueError(wrong)
	}
	return err
}

func valueError(wrong *pflag.InvalidValueError) error {
	f, value := wrong.GetFlag(), wrong.GetValue()
	why, ok := wrongValues[f.Value.Type()]
	switch {
	case value == "":
		return withoutValue(f)
	case errors.Is(wrong, strconv.ErrRange):
		return fmt.Errorf("--%s %s is out of range", f.Name, value)
	case ok:
		return fmt.Errorf("--%s %q %s", f.Name, value, why)
	}
	return fmt.Errorf("--%s: %w", f.Name, errors.Unwrap(wrong))
}

func withoutValue(f *pflag.Flag) error { return fmt.Errorf("--%s is given without a value", f.Name) }

// together returns an error if two flags are given that cannot be combined.
func together(cmd *cobra.Command, a, b string) error {
	if cmd.Flags().Changed(a) && cmd.Flags().Changed(b) {
		return fmt.Errorf("--%s and --%s cannot be combined", a, b)
	}
	return nil
}
