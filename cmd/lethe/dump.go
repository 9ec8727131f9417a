package main

import (
	"bufio"
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/lethe-deid/lethe/internal/tsv"
	"github.com/lethe-deid/lethe/models"
	"github.com/lethe-deid/lethe/taggers/ann"
	"github.com/lethe-deid/lethe/taggers/crf"
	"github.com/lethe-deid/lethe/taggers/system"
)

type dumpOptions struct {
	limit              int
	json, showText     bool
	tokens, characters string // files
}

func newDump() *cobra.Command {
	var opt dumpOptions
	cmd := &cobra.Command{
		Use:   "dump MODEL|RUN",
		Short: "Show the strongest weights of a CRF, or write the embeddings of a network",
		Long: `Show the strongest weights of each CRF in a model: for each label, the features for and
against it, and the labels that follow it.

A feature is printed as KIND[PLACE]=VALUE. For example, word[-1]=Dr means that the
previous word is Dr. Values that may be words of the training notes are hidden unless
you give --show-text. Other values, such as shapes or names of lists and rules, are
always shown.

With --tokens or --characters, write the vectors of the tokens or characters that a
network has learnt as tab-separated values: the number of the row, with --show-text the
token or character, and the numbers of its vector. Row 0 stands for all others. A model
with several networks has a table for each: FILE.NAME.tsv. A name that ends in .gz is
compressed.`,
		Example: `  lethe dump runs/meddocan-crf
  lethe dump runs/meddocan-crf --limit 5 --show-text
  lethe dump model/best --limit 0 --json
  lethe dump runs/meddocan --tokens tokens.tsv --show-text`,
		Args: wants("MODEL|RUN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ofCRF := given(cmd.Flags(), []string{"limit", "json"})
			switch {
			case opt.limit < 0:
				return usageError(cmd, fmt.Errorf("--limit %d is negative", opt.limit))
			case opt.tokens != "" && opt.tokens == opt.characters:
				return usageError(cmd, errors.New("--tokens and --characters have the same file"))
			case opt.tokens+opt.characters != "" && ofCRF != "":
				return usageError(cmd, fmt.Errorf("--%s is for the weights of a CRF, and cannot be combined with --tokens or --characters", ofCRF))
			}
			if opt.tokens+opt.characters != "" {
				return opt.embeddings(args[0])
			}
			return opt.run(args[0])
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&opt.limit, "limit", 20, "show `N` features and transitions per label; 0 for all")
	flags.BoolVar(&opt.json, "json", false, "print JSON (default text)")
	flags.StringVar(&opt.tokens, "tokens", "", "write the vectors of the tokens to a new `FILE` (default none)")
	flags.StringVar(&opt.characters, "characters", "", "write the vectors of the characters to a new `FILE` (default none)")
	flags.BoolVar(&opt.showText, "show-text", false, "show words of the training notes, which may be PHI (default no)")
	return cmd
}

// embeddings writes tables of vectors.
func (o *dumpOptions) embeddings(dir string) error {
	model, err := models.Open(dir, runtime.NumCPU())
	if err != nil {
		return err
	}
	networks := map[string]*ann.Tagger{}
	for member, t := range system.Leaves(model.Tagger) {
		if t, ok := t.(*ann.Tagger); ok {
			networks[member] = t
		}
	}
	if len(networks) == 0 {
		return errors.New(dir + ": contains no network, which would have embeddings")
	}
	for _, member := range slices.Sorted(maps.Keys(networks)) {
		tokens, characters := networks[member].Embeddings()
		for _, table := range []struct {
			path, of string
			ann.Embedding
		}{{o.tokens, "token", tokens}, {o.characters, "character", characters}} {
			if table.path == "" {
				continue
			}
			if table.Width == 0 {
				return fmt.Errorf("%s: the network has no vectors of %ss", dir, table.of)
			}
			path := table.path
			if len(networks) > 1 {
				path = models.MemberFile(path, member)
			}
			if err := o.writeEmbedding(path, table.of, table.Embedding); err != nil {
				return err
			}
		}
	}
	return nil
}

func (o *dumpOptions) writeEmbedding(path, of string, e ann.Embedding) error {
	header := []string{"row"}
	if o.showText {
		header = append(header, of)
	}
	for d := range e.Width {
		header = append(header, strconv.Itoa(d))
	}
	w, err := tsv.Create(path, header)
	if err != nil {
		return err
	}
	defer w.Abort()
	for i, name := range e.Names {
		row := []string{strconv.Itoa(i)}
		if o.showText {
			row = append(row, name)
		}
		for _, v := range e.Vectors[i*e.Width:][:e.Width] {
			row = append(row, tsv.Float(float64(v)))
		}
		if err := w.Write(row); err != nil {
			return err
		}
	}
	return w.Close()
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
