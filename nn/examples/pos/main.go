// Command pos trains a part-of-speech tagger on a treebank of Universal Dependencies, keeps the best
// epoch on its dev part, and tests that on its test part:
//
//	go run ./nn/examples/pos --data universal-dependencies.tar.gz
//
// It is an example of package nn: network.go is the network, and this file the training.
package main

import (
	"archive/tar"
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"time"

	"github.com/lethe-deid/lethe/data/conllu"
	"github.com/lethe-deid/lethe/nn"
)

func main() {
	log.SetFlags(0)
	data := flag.String("data", "", "a .tar.gz with the parts en_ewt-ud-{train,dev,test} of English EWT in CoNLL-U")
	out := flag.String("out", "pos.safetensors", "the file of the model")
	epochs := flag.Int("epochs", 20, "passes over the training part; 0 tests the model that --out already contains")
	flag.Parse()
	if err := run(*data, *out, *epochs, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(data, out string, epochs int, w io.Writer) error {
	parts, err := readArchive(data)
	if err != nil {
		return err
	}
	if err := train(parts["train"], parts["dev"], epochs, out, w); err != nil {
		return err
	}
	t, err := open(out)
	if err != nil {
		return err
	}
	test, words := t.encode(parts["test"]), 0
	for _, s := range test {
		words += s.Len()
	}
	start := time.Now()
	accuracy, err := t.test(test)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "test: %s, %.0f words per second\n", accuracy, float64(words)/time.Since(start).Seconds())
	return nil
}

// readArchive returns the train, dev and test part of English EWT.
func readArchive(name string) (parts map[string][]conllu.Sentence, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	parts = map[string][]conllu.Sentence{}
	archive := tar.NewReader(z)
	for {
		h, err := archive.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for _, part := range []string{"train", "dev", "test"} {
			if ok, _ := path.Match("en_ewt-ud-"+part+"*.conllu", path.Base(h.Name)); ok {
				if parts[part], err = conllu.Decode(archive, h.Name); err != nil {
					return nil, err
				}
			}
		}
	}
	if len(parts) != 3 {
		return nil, fmt.Errorf("%s: expected the train, dev and test part of English EWT, found %d of them", name, len(parts))
	}
	return parts, nil
}

// train trains a tagger and writes the epoch with the best accuracy on dev to a file.
func train(treebank, dev []conllu.Sentence, epochs int, out string, w io.Writer) error {
	t, err := newTagger(newVocabulary(treebank))
	if err != nil {
		return err
	}
	opt := nn.DefaultOptimizer()
	opt.Method, opt.LearningRate, opt.Decay, opt.Average = "adam", 0.002, 0.93, 0.999
	trainer, err := nn.NewTrainer[sentence](t.params, t.assemble, opt, 1, nil)
	if err != nil {
		return err
	}
	defer trainer.Close()
	examples, devExamples := t.encode(treebank), t.encode(dev)
	rng, best := rand.New(rand.NewPCG(1, 2)), 0.0
	for epoch := range epochs {
		start, loss := time.Now(), 0.0
		rng.Shuffle(len(examples), func(i, j int) { examples[i], examples[j] = examples[j], examples[i] })
		for batch := range slices.Chunk(examples, 16) {
			l, err := trainer.Step(batch, rng.Uint64(), epoch)
			if err != nil {
				return err
			}
			loss += l * float64(len(batch))
		}
		seconds := time.Since(start).Seconds()

		trainer.SwapAverage() // the average of the weights is the model
		accuracy, err := t.test(devExamples)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "epoch %d: loss %.4f, dev %s, %.0f s\n", epoch+1, loss/float64(len(examples)), accuracy, seconds)
		if accuracy[0] > best || epoch == 0 {
			best = accuracy[0]
			if err := t.save(out); err != nil {
				return err
			}
		}
		trainer.SwapAverage()
	}
	return nil
}
