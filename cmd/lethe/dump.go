package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/lethe-deid/lethe/models"
	"github.com/lethe-deid/lethe/taggers/crf"
	"github.com/lethe-deid/lethe/taggers/system"
)

type dumpOptions struct {
	limit          int
	json, showText bool
}

func newDump() *cobra.Command {
	var opt dumpOptions
	cmd := &cobra.Command{
		Use:   "dump MODEL|RUN",
		Short: "Show the strongest weights of a CRF",
		Long: `Show the strongest weights of each CRF in a model: for each label, the features for and
against it, and the labels that follow it.

A feature is printed as KIND[PLACE]=VALUE. For example, word[-1]=Dr means that the
previous word is Dr. Values that may be words of the training notes are hidden unless
you give --show-text. Other values, such as shapes or names of lists and rules, are
always shown.`,
		Example: `  lethe dump runs/meddocan-crf
  lethe dump runs/meddocan-crf --limit 5 --show-text
  lethe dump model/best --limit 0 --json`,
		Args: wants("MODEL|RUN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if opt.limit < 0 {
				return usageError(cmd, fmt.Errorf("--limit %d is negative", opt.limit))
			}
			return opt.run(args[0])
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&opt.limit, "limit", 20, "show `N` features and transitions per label; 0 for all")
	flags.BoolVar(&opt.json, "json", false, "print JSON (default text)")
	flags.BoolVar(&opt.showText, "show-text", false, "show words of the training notes, which may be PHI (default no)")
	return cmd
}

// memberDump is one CRF of a system.
type memberDump struct {
	Member string     `json:"member"` // "" if the system itself is a CRF
	Chains []crf.Dump `json:"chains"` // one, or one per type
}

func (o *dumpOptions) run(dir string) error {
	model, err := models.Open(dir, runtime.NumCPU())
	if err != nil {
		return err
	}
	var all []memberDump
	for member, t := range system.Leaves(model.Tagger) {
		if t, ok := t.(*crf.Tagger); ok {
			all = append(all, memberDump{member, t.Dump(o.limit, o.showText)})
		}
	}
	if len(all) == 0 {
		return errors.New(dir + ": contains no CRF; the weights of a network cannot be interpreted")
	}
	if o.json {
		return printJSON(all)
	}
	w := bufio.NewWriter(os.Stdout)
	hidden := false
	for _, m := range all {
		for _, d := range m.Chains {
			hidden = d.WriteText(w, m.Member) || hidden
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if hidden {
		fmt.Fprintln(os.Stderr, "* words of the training notes; to see them, give --show-text")
	}
	return nil
}
