// Command svm trains package taggers/ensemble/svm on files of numbers, for comparison
// with LIBSVM.
//
//	svm features CONFIG FILE      trains the learned ensemble of an experiment, and writes what its machine learns from
//	svm train EPSILON FILE        trains on 3 of 4 lines, and prints the decision values of all
//
// A line of a file contains 1 or 0, the class, and then the features, all separated by
// commas. Every fourth line, from the first, is not trained on.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/experiments"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/ensemble"
	"github.com/lethe-deid/lethe/taggers/ensemble/svm"
	"github.com/lethe-deid/lethe/taggers/system"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "svm:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 3 && args[0] == "features":
		return features(args[1], args[2])
	case len(args) == 3 && args[0] == "train":
		epsilon, err := strconv.ParseFloat(args[1], 64)
		if err != nil {
			return err
		}
		return train(epsilon, args[2])
	}
	return errors.New("usage: svm features CONFIG FILE | train EPSILON FILE")
}

// recorded is a learned ensemble that writes its rows to a file.
type recorded struct {
	*ensemble.Config
	path string
}

// Fit implements taggers.Node.
func (r recorded) Fit(ctx context.Context, task taggers.Task, members ...taggers.Model) (data.Tagger, error) {
	var text strings.Builder
	rows, right := r.Rows(task)
	for i, row := range rows {
		text.WriteString(map[bool]string{true: "1", false: "0"}[right[i]])
		for _, v := range row {
			fmt.Fprintf(&text, ",%v", v)
		}
		text.WriteString("\n")
	}
	if err := os.WriteFile(r.path, []byte(text.String()), 0o666); err != nil {
		return nil, err
	}
	return r.Config.Fit(ctx, task, members...)
}

func features(config, path string) error {
	e, err := experiments.Load(config, nil)
	if err != nil {
		return err
	}
	learned, ok := e.System["ensemble"].(*ensemble.Config)
	if !ok || learned.Method != ensemble.Learned {
		return fmt.Errorf("%s: not a learned ensemble", config)
	}
	train, err := e.Corpus.Load("train", nil)
	if err != nil {
		return err
	}
	dev, err := e.Corpus.Load("dev", nil)
	if err != nil {
		return err
	}
	task := taggers.Task{Name: e.Name, Types: e.Corpus.TypeSet(), Train: train, Dev: dev, Seed: e.Seed, Workers: 1}
	_, err = system.Fit(context.Background(), taggers.System{"ensemble": recorded{learned, path}}, task)
	return err
}

func train(epsilon float64, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	var all, rows [][]float64
	var positive []bool
	for lines := bufio.NewScanner(f); lines.Scan(); {
		class, rest, _ := strings.Cut(lines.Text(), ",")
		var row []float64
		for cell := range strings.SplitSeq(rest, ",") {
			v, err := strconv.ParseFloat(cell, 64)
			if err != nil {
				return fmt.Errorf("%s:%d: %w", path, len(all)+1, err)
			}
			row = append(row, v)
		}
		if len(all)%4 > 0 {
			rows, positive = append(rows, row), append(positive, class == "1")
		}
		all = append(all, row)
	}
	o := svm.DefaultOptions()
	o.Epsilon = epsilon
	m, err := svm.Train(context.Background(), rows, positive, o)
	if err != nil {
		return err
	}
	result := struct {
		Vectors   int       `json:"vectors"`
		Decisions []float64 `json:"decisions"`
	}{Vectors: len(m.Vectors)}
	for _, row := range all {
		result.Decisions = append(result.Decisions, m.Decision(row))
	}
	return json.NewEncoder(os.Stdout).Encode(result)
}
