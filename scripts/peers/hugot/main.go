// Command hugot prints how long hugot's backend in pure Go takes for 8 sequences of 512 tokens, for comparison with
// nn/encoder. Its arguments are folders that encoders.py has made with "models" and "onnx".
package main

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/knights-analytics/hugot"
)

const sequences, tokens, runs = 8, 512, 3

func main() {
	for _, dir := range os.Args[1:] {
		if err := measure(dir); err != nil {
			log.Fatal(err)
		}
	}
}

func measure(dir string) error {
	session, err := hugot.NewGoSession()
	if err != nil {
		return err
	}
	defer session.Destroy()
	pipeline, err := hugot.NewPipeline(session, hugot.TokenClassificationConfig{Name: dir, ModelPath: dir, OnnxFilename: "model.onnx"})
	if err != nil {
		return err
	}
	texts := make([]string, sequences)
	for s := range texts {
		words := make([]string, tokens-2) // besides [CLS] and [SEP]
		for i := range words {
			words[i] = fmt.Sprintf("w%d", 4+(7*i*i+13*i+5*s+i/3)%30000)
		}
		texts[s] = strings.Join(words, " ")
	}
	var best, before time.Duration
	for range runs + 1 { // the first one compiles the graph
		if _, err := pipeline.RunPipeline(texts); err != nil {
			return err
		}
		statistics := pipeline.GetStatistics()
		took := statistics.OnnxTotalTime - before
		before += took
		if best == 0 || took < best {
			best = took
		}
		fmt.Fprintf(os.Stderr, "%s: %.1f s in the network, %.2f s in the tokenizer so far\n", dir, took.Seconds(), statistics.TokenizerTotalTime.Seconds())
	}
	fmt.Printf("{\"model\": %q, \"seconds\": %.3f, \"tokens_per_second\": %.0f}\n", filepath.Base(dir), best.Seconds(), sequences*tokens/best.Seconds())
	return nil
}
