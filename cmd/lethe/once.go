package main

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// refuseTwice makes it an error to give a flag of a command, or of one below it, twice if the flag has one value: otherwise, the last would
// count, and nobody would learn that the first did not.
func refuseTwice(cmd *cobra.Command) {
	for _, flags := range []*pflag.FlagSet{cmd.Flags(), cmd.PersistentFlags()} {
		flags.VisitAll(func(f *pflag.Flag) {
			_, list := f.Value.(pflag.SliceValue)
			_, adds := f.Value.(adder)
			if list || adds || f.Value.Type() == "count" {
				return
			}
			v := &once{Value: f.Value, name: f.Name}
			f.Value = v
			if v.Type() == "bool" {
				f.Value = onceBool{v}
			}
			if f.DefValue == "0s" {
				f.DefValue = "0" // for the help, which otherwise contains (default 0s)
			}
		})
	}
	for _, below := range cmd.Commands() {
		refuseTwice(below)
	}
}

// adder is the value of a flag that adds to what it has if it is given again.
type adder interface{ adds() }

// once is the value of a flag that can be given once.
type once struct {
	pflag.Value
	name  string
	given bool
}

// Set implements pflag.Value.
func (o *once) Set(value string) error {
	if o.given {
		return &givenTwice{o.name}
	}
	o.given = true
	return o.Value.Set(value)
}

// onceBool is once for a flag without an argument. To give it twice does no harm if it means the same.
type onceBool struct{ *once }

// IsBoolFlag tells pflag that the flag needs no argument.
func (onceBool) IsBoolFlag() bool { return true }

// Set implements pflag.Value.
func (o onceBool) Set(value string) error {
	before, again := o.String(), o.given
	if err := o.Value.Set(value); err != nil {
		return err
	}
	if o.given = true; again && o.String() != before {
		return &givenTwice{o.name}
	}
	return nil
}

// givenTwice is the error of a flag that is given twice.
type givenTwice struct{ name string }

func (e *givenTwice) Error() string {
	return fmt.Sprintf("--%s is given twice: it has one value", e.name)
}
