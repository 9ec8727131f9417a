// Command weka trains decision trees and boosted ensembles on ARFF files, for the
// comparison with WEKA (see run.sh). Usage: weka TRAIN.arff TEST.arff. It prints a
// JSON object per line and setting, as Driver.java does.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/lethe-deid/lethe/taggers/trees/c45"
)

type setting struct {
	name    string
	rounds  int
	options c45.Options
}

var settings = []setting{
	{"J48 -C 0.35 -M 5", 1, c45.DefaultOptions()},
	{"J48 -C 0.25 -M 2", 1, c45.Options{MinInstances: 2, Confidence: 0.25, Raising: true}},
	{"J48 -C 0.35 -M 5 -S", 1, c45.Options{MinInstances: 5, Confidence: 0.35}},
	{"AdaBoostM1 -I 30", c45.Rounds, c45.DefaultOptions()},
}

type result struct {
	Program string  `json:"program"`
	Data    string  `json:"data"`
	Setting string  `json:"setting"`
	Trees   string  `json:"trees"` // all printouts
	Count   int     `json:"count"` // number of trees
	Train   float64 `json:"train"` // share of the weight that is misclassified
	Test    float64 `json:"test"`
	Seconds float64 `json:"seconds"` // of training
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: weka TRAIN.arff TEST.arff")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(trainFile, testFile string) error {
	train, err := read(trainFile)
	if err != nil {
		return err
	}
	test, err := read(testFile)
	if err != nil {
		return err
	}
	out := json.NewEncoder(os.Stdout)
	for _, s := range settings {
		start := time.Now()
		boosted, err := c45.Boost(context.Background(), train, s.rounds, s.options, 1)
		if err != nil {
			return fmt.Errorf("%s: %w", trainFile, err)
		}
		seconds := time.Since(start).Seconds()
		var printed strings.Builder
		for _, tree := range boosted.Trees {
			printed.WriteString(tree.String())
		}
		err = out.Encode(result{
			Program: "lethe", Data: strings.TrimSuffix(filepath.Base(trainFile), ".train.arff"), Setting: s.name,
			Trees: printed.String(), Count: len(boosted.Trees),
			Train: errorRate(boosted, train), Test: errorRate(boosted, test), Seconds: seconds,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func read(file string) (*c45.Data, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return c45.ReadARFF(f, file)
}

func errorRate(b *c45.Boosted, d *c45.Data) float64 {
	row := make([]float32, len(d.Attributes))
	wrong, sum := 0.0, 0.0
	for i, want := range d.Class {
		for a, column := range d.Columns {
			row[a] = column[i]
		}
		weight := 1.0
		if d.Weights != nil {
			weight = d.Weights[i]
		}
		sum += weight
		if class, _ := b.Classify(row); class != int(want) {
			wrong += weight
		}
	}
	return wrong / sum
}
