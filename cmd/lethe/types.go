package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/lethe-deid/lethe/data"
)

func newTypes() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "types [SET|FILE]",
		Short: "List the type sets, or the types of a set",
		Long: `List the built-in type sets or, for the name of a set or a YAML file that describes
one, its types: the category of each, the sort of its values, which determines how
they are searched for and replaced, and whether HIPAA names it and it is the name of
a clinician. docs/types.md explains how to write a set of your own:

  name: ward
  language: en
  types:
    PATIENT: person
    NURSE: clinician
    WARD: department
    MRN: {sort: number, category: ID, hipaa: true}`,
		Example: `  lethe types
  lethe types i2b2-2014
  lethe types ward.yaml`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return wants("[SET|FILE]")(cmd, args)
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return listTypeSets(asJSON)
			}
			set, err := data.OpenTypeSet(args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(described(set))
			}
			return printTypeSet(set)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON (default a table)")
	return cmd
}

// typeSetJSON and typeJSON are a set in JSON.
type typeSetJSON struct {
	Name      string               `json:"name"`
	Language  string               `json:"language"`
	Rules     []string             `json:"rules"`
	Open      bool                 `json:"open"` // whether it has a type for every name
	Types     []typeJSON           `json:"types"`
	Preferred map[data.Sort]string `json:"preferred,omitempty"`
}

type typeJSON struct {
	Name      string    `json:"name"`
	Category  string    `json:"category"`
	Sort      data.Sort `json:"sort"`
	HIPAA     bool      `json:"hipaa"`
	Clinician bool      `json:"clinician"`
}

func described(set *data.TypeSet) typeSetJSON {
	d := typeSetJSON{set.Name, set.Language, append([]string{}, set.Rules...), len(set.Types) == 0, []typeJSON{}, set.Preferred}
	for _, t := range set.Types {
		d.Types = append(d.Types, typeJSON(t))
	}
	return d
}

func listTypeSets(asJSON bool) error {
	sets := data.TypeSets()
	if asJSON {
		var all []typeSetJSON
		for _, set := range sets {
			all = append(all, described(set))
		}
		return json.NewEncoder(os.Stdout).Encode(all)
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "set\ttypes\tof HIPAA\tlanguage\trules\tdefault of the format")
	for _, set := range sets {
		hipaa := 0
		for _, t := range set.Types {
			if t.HIPAA {
				hipaa++
			}
		}
		types := fmt.Sprint(len(set.Types))
		if len(set.Types) == 0 {
			types = "every name"
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\t%s\n", set.Name, types, hipaa, cmp.Or(set.Language, "-"), strings.Join(set.Rules, ", "), cmp.Or(set.Format, "-"))
	}
	return w.Flush()
}

func printTypeSet(set *data.TypeSet) error {
	fmt.Printf("%s: language %s, rules %s\n", set.Name, cmp.Or(set.Language, "unknown"), cmp.Or(strings.Join(set.Rules, ", "), "none"))
	if len(set.Types) == 0 {
		fmt.Println("Every name is a type of this set and its own category. HIPAA names none of them, so there are no HIPAA scores.")
		return nil
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\ntype\tcategory\tsort\tHIPAA\tclinician")
	for _, t := range set.Types {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", t.Name, t.Category, t.Sort, yes(t.HIPAA), yes(t.Clinician))
	}
	return w.Flush()
}

func yes(is bool) string {
	if is {
		return "yes"
	}
	return "-"
}
