// Papers prints the Markdown tables of docs/results/papers.md from the folder that
// scripts/results/papers.sh wrote.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/lethe-deid/lethe/evaluation/significance"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./scripts/results/papers OUT")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "papers:", err)
		os.Exit(1)
	}
}

var systems = []struct{ name, title string }{
	{"ann", "the network of `ann.yaml`"},
	{"szarvas2006", "Szarvas et al. 2006: boosted trees"},
	{"zuccon2014", "Zuccon et al. 2014: CRF, BOTH"},
	{"dehghan2015", "Dehghan et al. 2015: rules, lists, CRFs, second pass"},
	{"dernoncourt2016", "Dernoncourt et al. 2016: network, the paper's settings"},
	{"dernoncourt2016-letters-digits", "the same with the tokens of `letters-digits`"},
	{"liu2017", "Liu et al. 2017: CRF, two networks, SVM"},
}

func run(dir string) error {
	for _, corpus := range []struct {
		name   string
		splits []string
	}{
		{"meddocan", []string{"dev", "dev_hard", "dev_swapped"}},
		{"conll2003", []string{"dev"}},
	} {
		for _, split := range corpus.splits {
			fmt.Printf("\n**%s, %s**\n\n", corpus.name, split)
			fmt.Println("| system | strict F1 | 95 % interval | p | token recall | 95 % interval | p | training, CPU min | notes/s |")
			fmt.Println("|---|---:|---|---:|---:|---|---:|---:|---:|")
			for _, s := range systems {
				line, err := row(filepath.Join(dir, corpus.name+"-"+s.name), split)
				if errors.Is(err, fs.ErrNotExist) {
					continue
				}
				if err != nil {
					return err
				}
				fmt.Printf("| %s | %s |\n", s.title, line)
			}
		}
	}
	return nil
}

// row returns the cells of a run: system B of the comparison with the network.
func row(run, split string) (string, error) {
	raw, err := os.ReadFile(run + "." + split + ".json")
	if err != nil {
		return "", err
	}
	var r significance.Report
	if err := json.Unmarshal(raw, &r); err != nil {
		return "", fmt.Errorf("%s.%s.json: %w", run, split, err)
	}
	training, err := seconds(run + ".train")
	if err != nil {
		return "", err
	}
	prediction, err := seconds(run + "." + split + ".cpu")
	if err != nil {
		return "", err
	}
	var cells []string
	for _, d := range []significance.Difference{r.Metrics[0].F1, r.Metrics[1].Recall} {
		p := strings.TrimPrefix(fmt.Sprintf("%.4f", d.P), "0")
		if r.A == r.B {
			p = ""
		}
		cells = append(cells, fmt.Sprintf("%.4f | %.3f to %.3f | %s", d.B, d.BLow, d.BHigh, p))
	}
	cells = append(cells, fmt.Sprintf("%.1f | %.0f", training/60, float64(r.Documents)/prediction))
	return strings.Join(cells, " | "), nil
}

// seconds reads the CPU time that papers.sh wrote.
func seconds(file string) (float64, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	return strconv.ParseFloat(strings.TrimSpace(string(raw)), 64)
}
