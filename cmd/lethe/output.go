package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/format"
	"github.com/lethe-deid/lethe/data/jsonl"
	"github.com/lethe-deid/lethe/evaluation"
)

// stdio is stdin as an input, and stdout as an output.
const stdio = "-"

// openOutput opens a writer in a named format: to stdout, which takes text and
// jsonl, or to a file or folder that holds nothing yet.
func openOutput(path, formatName string, types *data.TypeSet) (data.Writer, error) {
	if path == stdio {
		switch formatName {
		case "text":
			return &stdout{encode: func(doc *data.Document) ([]byte, error) { return []byte(doc.Text), nil }}, nil
		case "jsonl":
			return &stdout{encode: jsonl.Encode}, nil
		}
		return nil, fmt.Errorf("stdout takes the formats text and jsonl, not %s: give an --output", formatName)
	}
	if err := mustBeNew(path); err != nil {
		return nil, err
	}
	return format.Create(formatName, path, types)
}

// mustBeNew keeps the output of two commands apart, and the input from being
// written over.
func mustBeNew(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s: is there already", path)
	}
	entries, err := os.ReadDir(path)
	if err == nil && len(entries) > 0 {
		err = fmt.Errorf("%s: the folder is not empty", path)
	}
	return err
}

// stdout writes documents to stdout.
type stdout struct {
	encode func(*data.Document) ([]byte, error)
}

var _ data.Writer = (*stdout)(nil)

func (s *stdout) Write(doc *data.Document) error {
	encoded, err := s.encode(doc)
	if err == nil {
		_, err = os.Stdout.Write(encoded)
	}
	return err
}

func (s *stdout) Close() error { return nil }
func (s *stdout) Abort() error { return nil }

// openInput reads a file, a folder, or stdin.
func openInput(path, formatName string, types *data.TypeSet) (data.Documents, error) {
	f, err := format.Lookup(formatName)
	if err != nil {
		return nil, err
	}
	if path != stdio {
		if _, err := os.Stat(path); err != nil {
			return nil, err
		}
		return f.Read(path, types), nil
	}
	if f.Decode == nil {
		return nil, fmt.Errorf("%s needs files, and cannot be read from stdin", formatName)
	}
	return f.Decode(os.Stdin, "stdin", types), nil
}

// anyTypes is for input whose own spans are of no interest.
func anyTypes() *data.TypeSet {
	types, err := data.LookupTypeSet("any")
	if err != nil {
		panic(err) // it is built in
	}
	return types
}

// printScores prints a table, or JSON.
func printScores(r *evaluation.Report, asJSON bool) error {
	if !asJSON {
		return r.WriteText(os.Stdout)
	}
	enc := json.NewEncoder(os.Stdout)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}
