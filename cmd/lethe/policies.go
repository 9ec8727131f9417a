package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lethe-deid/lethe/deid/field"
	"github.com/lethe-deid/lethe/deid/policy"
)

func newPolicies() *cobra.Command {
	fields := ""
	cmd := &cobra.Command{
		Use:   "policies [NAME]",
		Short: "List the policies of deidentify, or print one",
		Long: `List the policies that "lethe deidentify --policy" can apply or, with a NAME, print the YAML
file of this policy on stdout. To write a policy of your own, change a copy and pass it to --policy.

With --fields, print the rules for the fields of a format that every policy has. The rules of your
policy and of --field come after them, and the last rule that matches a field decides.`,
		Example: `  lethe policies
  lethe policies safe-harbor | sed 's/^name: .*/name: ours/' >ours.yaml
  lethe policies --fields fhir
  lethe deidentify --model runs/demo --policy ours.yaml <note.txt`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError(cmd, fmt.Errorf("give one NAME, not %d", len(args)))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if fields != "" {
				return printFields(cmd, fields, args)
			}
			if len(args) == 0 {
				return listPolicies()
			}
			source, ok := policy.Source(args[0])
			if !ok {
				return usageError(cmd, fmt.Errorf("no policy %q (have %s)", args[0], strings.Join(policy.Names(), ", ")))
			}
			_, err := os.Stdout.WriteString(source)
			return err
		},
	}
	cmd.Flags().StringVar(&fields, "fields", "", "print the built-in rules for the fields of a `FORMAT`: "+strings.Join(field.Formats(), ", "))
	return cmd
}

// printFields prints the built-in rules for the fields of a format.
func printFields(cmd *cobra.Command, format string, args []string) error {
	source, _ := field.Source(format)
	switch {
	case len(args) > 0:
		return usageError(cmd, errors.New("--fields cannot be combined with a NAME: the built-in rules are the same for every policy"))
	case !slices.Contains(field.Formats(), format):
		return usageError(cmd, fmt.Errorf("there are no built-in rules for the fields of %q (have %s)", format, strings.Join(field.Formats(), ", ")))
	}
	if types, ok := field.Source(format + field.OfTypes); ok {
		source += "\n" + types
	}
	_, err := os.Stdout.WriteString(source)
	return err
}

func listPolicies() error {
	for _, name := range policy.Names() {
		p, err := policy.Open(name)
		if err != nil {
			return err
		}
		if _, err := fmt.Printf("%-18s %s\n", name, p.About); err != nil {
			return err
		}
	}
	return nil
}
