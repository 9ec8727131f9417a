// Command asqphi converts ASQ-PHI, a corpus of synthetic clinical queries (Weatherhead 2025), to
// JSON Lines, with one query per line:
//
//	go run ./scripts/asqphi synthetic_clinical_queries.txt > queries.jsonl
//
// See unseen.Queries for how the values of the PHI are located. Standard error lists the queries in which a value occurs
// more than once, and those that are left out because a value does not occur.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"

	"github.com/lethe-deid/lethe/data/jsonl"
	"github.com/lethe-deid/lethe/evaluation/unseen"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "asqphi:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return errors.New("usage: asqphi QUERIES")
	}
	queries, err := unseen.Queries(args[0], func(line string) { fmt.Fprintln(os.Stderr, "asqphi:", line) })
	if err != nil {
		return err
	}
	out := bufio.NewWriter(os.Stdout)
	for _, q := range queries {
		line, err := jsonl.Encode(q.Document)
		if err != nil {
			return fmt.Errorf("%s: query %s: %w", args[0], q.ID, err)
		}
		if _, err := out.Write(line); err != nil {
			return err
		}
	}
	return out.Flush()
}
