//go:build unix

// Command crfsuite measures the CRF of package taggers/crf, and writes its training data for
// CRFsuite, so that both learn from the same numbers.
//
//	crfsuite data CONFIG DIR             writes DIR/train.tsv and DIR/dev.tsv
//	crfsuite lethe CONFIG DIR WORKERS    trains and predicts; writes DIR/lethe.labels
//	crfsuite score DIR FILES             strict F1 of files of labels on dev
//
// A line of a .tsv file contains the label and the attributes of a token; an empty line ends a
// sequence. The files contain words of the notes.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/experiments"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/crf"
	"github.com/lethe-deid/lethe/taggers/crf/chain"
	"github.com/lethe-deid/lethe/taggers/crf/feature"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "crfsuite:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 3 && args[0] == "data":
		return writeData(args[1], args[2])
	case len(args) == 4 && args[0] == "lethe":
		workers, err := strconv.Atoi(args[3])
		if err != nil {
			return err
		}
		return measure(args[1], args[2], workers)
	case len(args) >= 3 && args[0] == "score":
		return score(args[1], args[2:])
	}
	return errors.New("usage: crfsuite data CONFIG DIR | lethe CONFIG DIR WORKERS | score DIR FILES")
}

// corpus is an experiment with its documents and a tagger fitted to them.
type corpus struct {
	config     crf.Config
	train, dev []*data.Document
	tagger     *crf.Tagger
}

// open fits the experiment's CRF in at most this many iterations; 0: as configured.
func open(path string, iterations, workers int) (*corpus, error) {
	e, err := experiments.Load(path, nil)
	if err != nil {
		return nil, err
	}
	config, ok := e.System["crf"].(*crf.Config)
	if !ok || config.PerType {
		return nil, fmt.Errorf("%s: not a CRF with one model", path)
	}
	c := &corpus{config: *config}
	if c.train, err = e.Corpus.Load("train", nil); err != nil {
		return nil, err
	}
	if c.dev, err = e.Corpus.Load("dev", nil); err != nil {
		return nil, err
	}
	types := e.Corpus.TypeSet()
	fit := c.config
	if iterations > 0 {
		fit.Training.Iterations = iterations
	}
	tagger, err := fit.Fit(context.Background(), taggers.Task{Types: types, Train: c.train, Dev: c.dev, Seed: e.Seed, Workers: workers})
	if err != nil {
		return nil, err
	}
	c.tagger = tagger.(*crf.Tagger)
	return c, nil
}

func writeData(config, dir string) error {
	c, err := open(config, 1, 1)
	if err != nil {
		return err
	}
	for split, docs := range map[string][]*data.Document{"train": c.train, "dev": c.dev} {
		in, err := c.tagger.Instances(context.Background(), docs)
		if err != nil {
			return err
		}
		if err := writeSplit(filepath.Join(dir, split+".tsv"), in); err != nil {
			return err
		}
	}
	settings, err := json.Marshal(c.config.Training)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "settings.json"), settings, 0o600)
}

func writeSplit(path string, in crf.Instances) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(f)
	names := make([]string, len(in.Attributes))
	for i, a := range in.Attributes {
		names[i] = name(a)
	}
	for _, s := range in.Sequences {
		from := int32(0)
		for t, to := range s.Ends {
			_, _ = out.WriteString(in.Labels[s.Labels[t]])
			for _, a := range s.Attributes[from:to] {
				_, _ = out.WriteString("\t" + names[a])
			}
			_ = out.WriteByte('\n')
			from = to
		}
		_ = out.WriteByte('\n')
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return f.Close()
}

func name(a feature.Attribute) string {
	value := strconv.Quote(a.Value)
	return fmt.Sprintf("%s[%d]=%s", a.Column, a.Offset, value[1:len(value)-1])
}

// result is one line of the measurements.
type result struct {
	Program           string    `json:"program"`
	Workers           int       `json:"workers"`
	Features          int       `json:"features"` // including the transitions
	Losses            []float64 `json:"losses"`
	Train             float64   `json:"train_seconds"`     // on the clock
	TrainCPU          float64   `json:"train_cpu_seconds"` // user and system, of all threads
	Predict           float64   `json:"predict_cpu_seconds"`
	PredictWithScores float64   `json:"predict_with_probabilities_cpu_seconds"`
	TagText           float64   `json:"text_to_spans_cpu_seconds"` // from the text of the notes to spans with probabilities
	Tokens            int       `json:"dev_tokens"`
}

func measure(config, dir string, workers int) error {
	ctx := context.Background()
	c, err := open(config, 0, workers)
	if err != nil {
		return err
	}
	train, err := c.tagger.Instances(ctx, c.train)
	if err != nil {
		return err
	}
	dev, err := c.tagger.Instances(ctx, c.dev)
	if err != nil {
		return err
	}
	r := result{Program: "lethe", Workers: workers}
	t := c.config.Training
	trainer := chain.LBFGS{L2: t.L2, Iterations: t.Iterations, Delta: t.Delta, Period: t.Period, Workers: workers}
	begin, cpu := time.Now(), cpuTime()
	m, err := chain.New(len(train.Labels), len(train.Attributes), train.Sequences, c.config.MinCount)
	if err != nil {
		return err
	}
	if err := trainer.Train(ctx, m, train.Sequences, func(i chain.Iteration) { r.Losses = append(r.Losses, i.Loss) }); err != nil {
		return err
	}
	r.Train, r.TrainCPU = time.Since(begin).Seconds(), cpuTime()-cpu
	r.Features = len(m.Weight) + len(m.Transition)

	legal := func(i, j int) bool {
		label := func(k int) string {
			if k < 0 {
				return ""
			}
			return train.Labels[k]
		}
		return c.config.Scheme.Legal(label(i), label(j))
	}
	for _, free := range []bool{true, false} { // whether any label may follow any other
		allowed, name := legal, "lethe.labels"
		if free {
			allowed, name = nil, "lethe-free.labels"
		}
		p := chain.NewPredictor(m, allowed)
		var found [][]int32
		cpu = cpuTime()
		for i := range dev.Sequences {
			found = append(found, slices.Clone(p.Predict(&dev.Sequences[i])))
		}
		r.Predict = cpuTime() - cpu
		if err := writeLabels(filepath.Join(dir, name), found, train.Labels); err != nil {
			return err
		}
		cpu = cpuTime()
		for i := range dev.Sequences {
			if s := &dev.Sequences[i]; s.Len() > 0 {
				p.Predict(s)
				p.Probability(0, 1)
			}
		}
		r.PredictWithScores = cpuTime() - cpu
	}
	for _, s := range dev.Sequences {
		r.Tokens += s.Len()
	}
	cpu = cpuTime()
	if _, err := c.tagger.Tag(ctx, c.dev); err != nil {
		return err
	}
	r.TagText = cpuTime() - cpu
	return json.NewEncoder(os.Stdout).Encode(r)
}

// cpuTime returns the processor time of this process so far, in seconds.
func cpuTime() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

func writeLabels(path string, found [][]int32, names []string) error {
	var b strings.Builder
	for _, labels := range found {
		for _, y := range labels {
			b.WriteString(names[y] + "\n")
		}
		b.WriteByte('\n')
	}
	return os.WriteFile(path, []byte(b.String()), 0o600)
}

// score prints the strict F1 of files of BIO labels, decoded by package data.
func score(dir string, files []string) error {
	gold, err := readLabels(filepath.Join(dir, "dev.tsv"))
	if err != nil {
		return err
	}
	for _, file := range files {
		found, err := readLabels(file)
		if err != nil {
			return err
		}
		if len(found) != len(gold) {
			return fmt.Errorf("%s: %d sequences, of %d", file, len(found), len(gold))
		}
		right, system, wanted := 0, 0, 0
		for i := range gold {
			want, got := data.BIO.Decode(gold[i]), data.BIO.Decode(found[i])
			wanted, system = wanted+len(want), system+len(got)
			for _, s := range got {
				if slices.Contains(want, s) {
					right++
				}
			}
		}
		fmt.Printf("{\"labels\": %q, \"precision\": %.4f, \"recall\": %.4f, \"f1\": %.4f, \"spans\": %d}\n", filepath.Base(file),
			float64(right)/float64(system), float64(right)/float64(wanted), 2*float64(right)/float64(system+wanted), wanted)
	}
	return nil
}

// readLabels returns the first column of a file, one slice per sequence.
func readLabels(path string) ([][]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	var all [][]string
	var labels []string
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if lines.Text() == "" {
			all, labels = append(all, labels), nil
			continue
		}
		label, _, _ := strings.Cut(lines.Text(), "\t")
		labels = append(labels, label)
	}
	return all, lines.Err()
}
