// Command corpus makes training notes for the models that come with Lethe, from corpora
// whose types are coarser than a model's, or that mark only some of its types, and from
// prose without any marks:
//
//	corpus --teacher RUN queries --output queries.jsonl asq.jsonl
//	corpus --teacher RUN sentences --output presidio.jsonl presidio-train.jsonl
//	corpus --teacher RUN names --output names.jsonl FILE.conll...
//	corpus --teacher RUN carriers --notes notes.jsonl --output prose.jsonl TEXT...
//	corpus fragments --notes notes.jsonl --number 4000 --output fragments.jsonl TEXT...
//	corpus written --copies 9 --notes notes.jsonl --output written.jsonl DIR
//	corpus --types meddocan notes --format meddocan --output notes.jsonl DIR
//
// A teacher decides what the marks leave open: which of the finer types a mark has, and where PHI of
// the types is that the corpus does not mark. See rules.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/conll"
	"github.com/lethe-deid/lethe/data/format"
	"github.com/lethe-deid/lethe/data/jsonl"
	"github.com/lethe-deid/lethe/data/text"
	"github.com/lethe-deid/lethe/models"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "corpus:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("corpus", flag.ContinueOnError)
	teacher := flags.String("teacher", "", "model or run `folder`; not for fragments, written and notes")
	typeSet := flags.String("types", data.I2B2.Name, "type `set` of the notes")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		return fmt.Errorf("give one of queries, sentences, names, carriers, fragments, written and notes")
	}
	kind := flags.Arg(0)
	more := flag.NewFlagSet(kind, flag.ContinueOnError)
	output := more.String("output", "", "`file` of the notes, in the format jsonl")
	notes := more.String("notes", "", "`file` of annotated notes, in the format jsonl, whose sentences are used by carriers and fragments, and whose values by the copies of written")
	number := more.Int("number", 0, "for carriers and fragments: at most `N` notes; 0: until the text ends")
	copies := more.Int("copies", 0, "for written: also write `N` modified copies of each note, with values of their own and of --notes")
	seed := more.Uint64("seed", 1, "for carriers, fragments and written: `seed` of the random choices")
	kindOfFile := more.String("format", "meddocan", "for notes: `format` of the files")
	if err := more.Parse(flags.Args()[1:]); err != nil {
		return err
	}
	types, err := data.LookupTypeSet(*typeSet)
	if err != nil {
		return err
	}
	docs, rules, err := source{types, *kindOfFile, *notes, *number, *copies, *seed}.open(kind, more.Args())
	if err != nil {
		return err
	}
	found := make([][]data.Span, len(docs))
	if *teacher != "" {
		model, err := models.Open(*teacher, 0)
		if err != nil {
			return err
		}
		if model.Types.Difference(types) != "" {
			return fmt.Errorf("%s: the teacher has the type set %s, not %s", *teacher, model.Types.Name, types.Name)
		}
		if found, err = model.Tag(ctx, docs); err != nil {
			return err
		}
	}
	out, err := jsonl.Create(*output, types)
	if err != nil {
		return err
	}
	base := strings.TrimSuffix(filepath.Base(*output), filepath.Ext(*output)) // makes the IDs unique among several outputs
	for i, doc := range docs {
		doc.ID = base + "-" + doc.ID
		doc.Spans = rules.settle(doc, found[i])
		if err := out.Write(doc); err != nil {
			return err
		}
	}
	return out.Close()
}

// source says where notes come from.
type source struct {
	types         *data.TypeSet
	format, notes string
	number        int
	copies        int
	seed          uint64
}

// open reads the notes of a kind, with the marks that they have, and returns the rules for these.
func (c source) open(kind string, paths []string) ([]*data.Document, rules, error) {
	switch kind {
	case "queries", "sentences":
		docs, err := collect(paths, func(path string) data.Documents { return jsonl.Read(path, data.ReadOptions{Types: data.Any}) })
		return docs, map[string]rules{"queries": queries, "sentences": sentences}[kind], err
	case "names":
		docs, err := collect(paths, func(path string) data.Documents { return conll.Read(path, data.Any, conll.Options{}) })
		var pieces []*data.Document
		for i, d := range docs {
			d.ID = fmt.Sprintf("%s-%04d", filepath.Base(d.ID), i)
			pieces = append(pieces, paragraphs(natural(d))...)
		}
		return pieces, names, err
	case "notes":
		docs, err := collect(paths, func(path string) data.Documents { return format.Read(c.format, path, format.Options{Types: c.types}) })
		return docs, rules{}, err
	case "written":
		var others []*data.Document
		if c.notes != "" {
			var err error
			if others, err = data.Collect(jsonl.Read(c.notes, data.ReadOptions{Types: c.types})); err != nil {
				return nil, rules{}, err
			}
		}
		docs, err := written(paths, c.types, others, c.copies, c.seed)
		return docs, rules{}, err
	case "carriers", "fragments":
		marked, err := data.Collect(jsonl.Read(c.notes, data.ReadOptions{Types: c.types}))
		if err != nil {
			return nil, rules{}, err
		}
		prose, err := collect(paths, text.Pieces)
		if kind == "fragments" {
			return fragments(prose, marked, c.number, c.seed), rules{}, err
		}
		return carriers(prose, marked, c.number, c.seed), rules{}, err
	}
	return nil, rules{}, fmt.Errorf("no kind %q of notes (have queries, sentences, names, carriers, fragments, written, notes)", kind)
}

func collect(paths []string, read func(string) data.Documents) ([]*data.Document, error) {
	var all []*data.Document
	for _, path := range paths {
		docs, err := data.Collect(read(path))
		if err != nil {
			return nil, err
		}
		all = append(all, docs...)
	}
	return all, nil
}
