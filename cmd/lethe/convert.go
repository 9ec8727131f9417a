package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/conll"
	"github.com/lethe-deid/lethe/data/convert"
	"github.com/lethe-deid/lethe/data/format"
	"github.com/lethe-deid/lethe/data/tokenize"
	"github.com/lethe-deid/lethe/internal/counted"
	"github.com/lethe-deid/lethe/internal/paths"
)

type convertOptions struct {
	from, to, output             string
	types, typeMap               string
	reading                      readingFlags
	scheme, tokenizer, sentences string
	lossless                     bool
}

// writingFlags is the flags for formats that contain tokens.
var writingFlags = []string{"scheme", "tokenizer", "sentences"}

func newConvert() *cobra.Command {
	var opt convertOptions
	cmd := &cobra.Command{
		Use:   "convert INPUT --to FORMAT --output PATH",
		Short: "Convert annotated notes into another format",
		Long: `Convert notes and their annotations, whether a gold standard or predictions, from one
format into another. docs/formats.md describes the formats.

INPUT is a file, a folder or - (stdin), plain or gzipped. The output is complete or
absent, and gzipped if its name ends in .gz. If a note cannot be read, nothing is
written.

What the new format cannot contain is reported on stderr, with numbers: patients,
scores, spans that overlap, ids that cannot be names of files, characters that XML does
not allow. The formats conll and hf contain tokens instead of a text; a text becomes
tokens by --tokenizer and sentences by --sentences, and spans that begin or end inside
a token divide it. Nothing else changes, and the exit code is 0. With --lossless, any
such change is an error, the exit code is 1, and nothing is written.

All types are converted unless --types names a set. --map translates types.`,
		Example: `  lethe convert ward/brat --to jsonl --output ward.jsonl
  lethe convert test/xml --from meddocan --to conll --scheme BILOU --output test.conll
  lethe convert train.txt --from conll --conll documents=block,token=2 --to brat --output train
  lethe convert notes.jsonl --to i2b2 --map i2b2-2014 --output xml --lossless`,
		Args: wants("INPUT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := opt.check(cmd, args[0]); err != nil {
				return usageError(cmd, err)
			}
			return opt.run(cmd.Context(), args[0])
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&opt.from, "from", "", "`FORMAT` of INPUT: "+allFormats+" (default the only one that its content and name allow)")
	flags.StringVar(&opt.to, "to", "", "`FORMAT` of the output (default the only one with the extension of --output)")
	flags.StringVar(&opt.output, "output", "", outputHelp+"; - is stdout (required)")
	flags.StringVar(&opt.types, "types", "", "type `SET`: "+or(data.TypeSetNames())+"; a span of another type is an error (default any)")
	flags.StringVar(&opt.typeMap, "map", "", "`MAP` that translates the types, a name or a file: see lethe cross --help (default none)")
	opt.reading.addWithPatients(flags)
	flags.StringVar(&opt.scheme, "scheme", "", "label `SCHEME` of tokens to write: BIO (IOB2), BIOES or BILOU (default BIO)")
	flags.StringVar(&opt.tokenizer, "tokenizer", "", "`TOKENIZER` of texts to write as tokens: "+or(tokenize.Names())+" (default ptb; whitespace for INPUT of tokens)")
	flags.StringVar(&opt.sentences, "sentences", "", "sentence `SPLITTER` of these texts: "+or(tokenize.SplitterNames())+" (default rules; line for INPUT of tokens)")
	flags.BoolVar(&opt.lossless, "lossless", false, "exit with code 1, and write nothing, if anything is lost or changed (default no)")
	return cmd
}

// check checks the flags, and sets from and to if they are not given.
func (o *convertOptions) check(cmd *cobra.Command, input string) error {
	if o.output == "" {
		return errors.New("--output must be given")
	}
	if input == stdio {
		if o.from == "" {
			return errors.New("--from must be given for stdin")
		}
		if err := checkStdin(); err != nil {
			return err
		}
	} else if o.from == "" {
		f, err := guess(input, "from")
		if err != nil {
			return err
		}
		o.from = f.Name
	}
	if o.to == "" {
		f, err := format.ByExt(o.output)
		if err != nil {
			return fmt.Errorf("%w: give --to", err)
		}
		o.to = f.Name
	}
	if o.output == stdio {
		if err := checkStdout(); err != nil {
			return err
		}
	} else if input != stdio {
		if err := paths.Apart(input, o.output); err != nil {
			return err
		}
	}
	switch {
	case o.output == stdio && o.lossless:
		return errors.New("--lossless cannot be combined with stdout, where notes appear one by one")
	}
	if name := given(cmd.Flags(), writingFlags); name != "" {
		if to, err := format.Lookup(o.to); err == nil && !to.Limits.Tokens {
			return fmt.Errorf("--%s requires a format of tokens, and %s contains text", name, o.to)
		}
	}
	return nil
}

func (o *convertOptions) run(ctx context.Context, input string) error {
	from, err := format.Lookup(o.from)
	if err != nil {
		return fmt.Errorf("--from: %w", err)
	}
	to, err := format.Lookup(o.to)
	if err != nil {
		return fmt.Errorf("--to: %w", err)
	}
	m, read, write, err := o.typeSets(to)
	if err != nil {
		return err
	}
	written := format.Options{Types: write.Open()}
	if slices.Contains(to.Options, "inception") {
		written.INCEpTION = o.reading.layer.Options
		if !slices.Contains(from.Options, "inception") {
			o.reading.layer = layer{}
		}
	}
	reading, err := o.reading.options(read, from)
	if err != nil {
		return err
	}
	if written.Writing, err = o.writing(from); err != nil {
		return err
	}
	docs, oneNote, err := openInput(input, o.from, reading)
	if err != nil {
		return err
	}
	var left data.MapCounts
	if m != nil {
		docs = m.Apply(docs, &left)
	}
	c := &convert.Converter{To: to, Options: written, Types: write}
	if o.types != "" && o.types != data.Any.Name {
		c.Options.Types = write
	}
	if to.OneNote && o.output != stdio && !paths.IsFolder(o.output) {
		c.ID = format.ID(o.output)
	}
	out, err := openOutput(o.output, to.Name, c.Options, oneNote)
	if err != nil {
		return err
	}
	defer func() { _ = out.Abort() }() // after Close it does nothing
	notes, spans, err := o.copy(ctx, docs, c, out)
	if err != nil {
		return err
	}
	lines := slices.Concat(left.Lines(input), c.Lines())
	for _, line := range lines {
		complain(errors.New(line))
	}
	if lost := c.Losses.Any() || len(left.Dropped)+len(left.Unknown) > 0; lost && o.lossless {
		return checkFailed("nothing is written, because the conversion would not be lossless")
	}
	if err := out.Close(); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%s to %s: %s, %s\n", o.from, o.to, counted.Of(notes, "note"), counted.Of(spans, "span"))
	return nil
}

// typeSets returns the map, the type set to read with, and the set that readers of the new format expect.
func (o *convertOptions) typeSets(to *format.Format) (m *data.TypeMap, read, write *data.TypeSet, err error) {
	read = data.Any
	if o.types != "" {
		if read, err = typeSet(o.types, o.from); err != nil {
			return nil, nil, nil, err
		}
	}
	write = read
	if o.typeMap != "" {
		if m, err = data.OpenTypeMap(o.typeMap, data.DropOthers); err != nil {
			return nil, nil, nil, err
		}
		if m.Types != nil {
			write = m.Types
		}
		if o.types != "" {
			write = read
		}
		read = data.Any
	}
	if write == data.Any {
		if write, err = typeSet("", to.Name); err != nil {
			return nil, nil, nil, err
		}
	}
	return m, read, write, nil
}

// writing returns how a text becomes tokens. Texts that were made of tokens become the same tokens again.
func (o *convertOptions) writing(from *format.Format) (conll.Writing, error) {
	tokenizer, sentences := o.tokenizer, o.sentences
	if !from.Limits.Tokens {
		tokenizer, sentences = cmp.Or(tokenizer, "ptb"), cmp.Or(sentences, "rules")
	}
	w, err := conll.NewWriting(strings.ToUpper(o.scheme), tokenizer, sentences)
	if err != nil {
		return w, fmt.Errorf("--%w", err)
	}
	return w, nil
}

// copy converts the documents, and returns how many notes and spans it has written.
func (o *convertOptions) copy(ctx context.Context, docs data.Documents, c *convert.Converter, out data.Writer) (notes, spans int, err error) {
	p := newProgress()
	defer p.clear()
	var bad []error
	for doc, err := range docs {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil && bad == nil {
			if doc, err = c.Document(doc); err == nil {
				err = out.Write(doc)
			}
			if err != nil {
				return 0, 0, err
			}
			notes++
			spans += len(doc.Spans)
			p.show("converting", notes, 0)
		}
		if err != nil {
			if ctx.Err() != nil {
				return 0, 0, ctx.Err()
			}
			const most = 20
			if bad = append(bad, err); len(bad) == most {
				bad = append(bad, fmt.Errorf("there may be more: these are the first %d", most))
				break
			}
		}
	}
	if bad != nil {
		return 0, 0, errors.Join(bad...)
	}
	return notes, spans, nil
}
