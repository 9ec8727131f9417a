// Command data puts public corpora and lists in order for the shipped experiments. You download the files (docs/data.md says
// where from, and under which licence), and the program finds them, compares their checksums, lays out the folders that
// LETHE_CORPORA and LETHE_GAZETTEERS name, and makes what is derived from them.
//
//	go run ./scripts/data --list
//	go run ./scripts/data --output /data ~/Downloads
//	export LETHE_CORPORA=/data/corpora LETHE_GAZETTEERS=/data/gazetteers LETHE_VECTORS=/data/vectors
//
// Downloads are files, folders, and .zip archives, which are read as they are; unpack other archives first. A file is found
// by its name, whatever folder it is in. The program downloads nothing, and changes nothing but the output folder.
//
// From MEDDOCAN's dev it makes dev_hard, in which the field labels are missing, and dev_swapped, in which the values are
// others (hard.go, swapped.go); from CANTEMIST, a text for word vectors (text.go).
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "data:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("data", flag.ContinueOnError)
	output := flags.String("output", "", "folder for corpora/ and gazetteers/")
	list := flags.Bool("list", false, "print each file with its checksum, its address and its licence")
	changed := flags.Bool("changed", false, "also take files whose checksum differs from that of the files with which the scores were computed")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *list {
		return printList(out)
	}
	if *output == "" || flags.NArg() == 0 {
		return errors.New("usage: data --output FOLDER DOWNLOAD [DOWNLOAD ...]")
	}
	found, err := search(flags.Args())
	if err != nil {
		return err
	}
	defer found.close()

	var wrong []error
	done := map[string]bool{}
	for _, s := range sources {
		for _, it := range s.items {
			state, err := it.place(found, *output, *changed)
			if err != nil {
				wrong = append(wrong, err)
				continue
			}
			fmt.Fprintf(out, "%-52s %s\n", it.to, state)
			done[it.to] = state != missing
		}
	}
	if err := errors.Join(wrong...); err != nil {
		return err
	}
	if err := derive(*output, done, out); err != nil {
		return err
	}
	written, left, err := makeText(found, *output)
	if err != nil || written+left == 0 {
		return err
	}
	fmt.Fprintf(out, "%-52s %d case reports; %d left out, which are from articles of dev or test\n", cantemist, written, left)
	return nil
}

// derive makes the versions of MEDDOCAN's dev for which everything is there.
func derive(output string, done map[string]bool, out io.Writer) error {
	dev := filepath.Join(output, meddocanDev)
	if !done[meddocanDev] {
		return nil
	}
	digest, err := makeHard(dev, filepath.Join(output, meddocanHard))
	if err != nil {
		return err
	}
	state := "made; equal to the files with which the scores were computed"
	if digest != hardDigest {
		state = "made; differs from the files with which the scores were computed"
	}
	fmt.Fprintf(out, "%-52s %s\n", meddocanHard, state)

	for _, need := range swappedNeeds {
		if !done[need] {
			fmt.Fprintf(out, "%-52s not made, because %s is missing\n", meddocanSwapped, need)
			return nil
		}
	}
	if err := makeSwapped(output, filepath.Join(output, meddocanSwapped)); err != nil {
		return err
	}
	fmt.Fprintf(out, "%-52s made\n", meddocanSwapped)
	return nil
}

func printList(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, s := range sources {
		fmt.Fprintf(w, "%s\t%s\t%s\n", s.name, s.licence, s.address)
		for _, it := range s.items {
			sum := it.sum
			if sum == "" {
				sum = "(no checksum)"
			}
			fmt.Fprintf(w, "  %s\t%s\t%s\n", it.to, sum, strings.Join(it.names, " or "))
		}
	}
	return w.Flush()
}
