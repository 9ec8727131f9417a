package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// everyFlag calls f for each flag of each command of the program.
func everyFlag(cmd *cobra.Command, f func(*cobra.Command, *pflag.Flag)) {
	cmd.LocalFlags().VisitAll(func(flag *pflag.Flag) { f(cmd, flag) })
	for _, below := range cmd.Commands() {
		everyFlag(below, f)
	}
}

var commandIn = regexp.MustCompile(`lethe ([a-z]+)`)

// The help of worker and of serve said what --policy and --replace mean with --marked, which these commands do not have.
func TestHelpNamesOnlyFlagsThatThereAre(t *testing.T) {
	root := newRoot()
	check := func(cmd *cobra.Command, where, text string) {
		commands := []*cobra.Command{cmd}
		for _, named := range commandIn.FindAllStringSubmatch(text, -1) {
			if other, _, err := root.Find(named[1:]); err == nil {
				commands = append(commands, other)
			}
		}
		for _, named := range flagIn.FindAllStringSubmatch(text, -1) {
			if !slices.Contains([]string{"help", "version"}, named[1]) && !anyHas(commands, named[1]) {
				t.Errorf("%s: %s names --%s, which is no flag of this command", cmd.CommandPath(), where, named[1])
			}
		}
	}
	everyFlag(root, func(cmd *cobra.Command, flag *pflag.Flag) {
		check(cmd, "--"+flag.Name, flag.Usage)
		check(cmd, "the help", cmd.Long)
	})
}

func anyHas(commands []*cobra.Command, flag string) bool {
	for _, cmd := range commands {
		if cmd.Flags().Lookup(flag) != nil {
			return true
		}
	}
	return false
}

// The help had --gold string and --fragments refuse, but --output PATH.
func TestHelpNamesTheValueOfAFlag(t *testing.T) {
	everyFlag(newRoot(), func(cmd *cobra.Command, flag *pflag.Flag) {
		name, _ := pflag.UnquoteUsage(flag)
		if name != "" && name != "path=value" && name == strings.ToLower(name) {
			t.Errorf("%s --%s: the value is called %q", cmd.CommandPath(), flag.Name, name)
		}
	})
}

// Every call in the examples of the help is one that the command line accepts.
func TestExamplesInTheHelpAreAccepted(t *testing.T) {
	var check func(*cobra.Command)
	check = func(cmd *cobra.Command) {
		for text := range strings.Lines(strings.ReplaceAll(cmd.Example, "\\\n", " ")) {
			all, err := calls(strings.TrimSpace(text))
			if err != nil {
				t.Fatal(err)
			}
			for _, args := range all {
				if err := checkCall(args); err != nil {
					t.Errorf("%s: %s: %v", cmd.CommandPath(), text, err)
				}
			}
		}
		for _, below := range cmd.Commands() {
			check(below)
		}
	}
	check(newRoot())
}
