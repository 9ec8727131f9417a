package checkpoints

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"text/template"

	"github.com/goccy/go-yaml"

	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/wholefile"
)

// Card is what a model card says. Empty strings and zeros are left out, but for
// Name, Dataset and VocabularyNote, which must be given.
type Card struct {
	Name     string
	Language string // ISO 639-1
	License  string // SPDX identifier, in lower case

	Dataset   string // what it was trained on
	Documents int    // in the training split
	Tokens    int    // in the training split

	Split   string  // scored on, e.g. dev
	Measure string  // how, e.g. "strict type and span, micro-averaged"
	Overall Score   // Type is ignored
	Types   []Score // one a type, in the order to show

	// VocabularyNote says which words of the training notes the model holds and
	// how they were chosen: they can be names.
	VocabularyNote string
	Limits         string // what else a user must know, in Markdown
}

// Score is precision, recall and F1 in [0,1], and the number of gold spans.
type Score struct {
	Type                  string
	Precision, Recall, F1 float64
	Support               int
}

// frontMatter is what the Hugging Face hub reads of a card.
type frontMatter struct {
	Library    string       `yaml:"library_name"`
	Pipeline   string       `yaml:"pipeline_tag"`
	Language   string       `yaml:"language,omitempty"`
	License    string       `yaml:"license,omitempty"`
	Tags       []string     `yaml:"tags"`
	Datasets   []string     `yaml:"datasets"`
	Metrics    []string     `yaml:"metrics"`
	ModelIndex []modelIndex `yaml:"model-index"`
}

type modelIndex struct {
	Name    string   `yaml:"name"`
	Results []result `yaml:"results"`
}

type result struct {
	Task    map[string]string `yaml:"task"`
	Dataset resultDataset     `yaml:"dataset"`
	Metrics []metric          `yaml:"metrics"`
}

type resultDataset struct {
	Name  string `yaml:"name"`
	Type  string `yaml:"type"`
	Split string `yaml:"split,omitempty"`
}

type metric struct {
	Type  string  `yaml:"type"`
	Name  string  `yaml:"name"`
	Value float64 `yaml:"value"`
}

//go:embed card.md
var cardText string

var cardTemplate = template.Must(template.New("card").Funcs(template.FuncMap{
	"percent": func(x float64) string { return fmt.Sprintf("%.2f", 100*x) },
}).Parse(cardText))

// Markdown renders the card: YAML front matter as the Hugging Face hub reads
// it, then text.
func (c Card) Markdown() ([]byte, error) {
	if c.Name == "" || c.Dataset == "" || c.VocabularyNote == "" {
		return nil, fmt.Errorf("model card: Name, Dataset and VocabularyNote must be given")
	}
	for _, s := range append([]Score{c.Overall}, c.Types...) {
		for _, x := range []float64{s.Precision, s.Recall, s.F1} {
			if !(x >= 0 && x <= 1) {
				return nil, fmt.Errorf("model card: score %v of %q is not in [0,1]", x, s.Type)
			}
		}
	}
	round := func(x float64) float64 { return math.Round(x*1e4) / 1e4 }
	const task = "token-classification"
	front, err := yaml.Marshal(frontMatter{
		Library: "lethe", Pipeline: task, Language: c.Language, License: c.License,
		Tags:     []string{task, "de-identification", "clinical"},
		Datasets: []string{c.Dataset},
		Metrics:  []string{"precision", "recall", "f1"},
		ModelIndex: []modelIndex{{c.Name, []result{{
			Task:    map[string]string{"type": task},
			Dataset: resultDataset{c.Dataset, c.Dataset, c.Split},
			Metrics: []metric{
				{"precision", "precision", round(c.Overall.Precision)},
				{"recall", "recall", round(c.Overall.Recall)},
				{"f1", "F1", round(c.Overall.F1)},
			},
		}}}},
	})
	if err != nil {
		return nil, fmt.Errorf("model card: %w", err)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "---\n%s---\n\n", front)
	err = cardTemplate.Execute(&b, c)
	return b.Bytes(), err
}

// What heads the section of a card about operating points, and the one that it
// stands before, whatever else people have written.
var (
	operatingPoints = regexp.MustCompile(`(?m)^## Operating points\s*$`)
	limits          = regexp.MustCompile(`(?m)^## Limits\s*$`)
	anySection      = regexp.MustCompile(`(?m)^##? `)
)

// SetOperatingPoints puts a section, in Markdown, into the card of a model folder, in the
// place of an earlier one. A folder without a card stays without.
func SetOperatingPoints(dir string, section []byte) error {
	path := filepath.Join(dir, cardFile)
	card, err := bounded.ReadFile(path, bounded.MaxConfig)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	card = withoutOperatingPoints(card)
	before, after := card, []byte(nil)
	if at := limits.FindIndex(card); at != nil {
		before, after = card[:at[0]], card[at[0]:]
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n\n## Operating points\n\n%s\n", bytes.TrimRight(before, "\r\n"), bytes.TrimSpace(section))
	if len(after) > 0 {
		fmt.Fprintf(&b, "\n%s", after)
	}
	return wholefile.WriteFile(path, b.Bytes(), 0o666)
}

// withoutOperatingPoints is a card without that section, which is of no model but the
// one that stands with its operating points.
func withoutOperatingPoints(card []byte) []byte {
	found := operatingPoints.FindIndex(card)
	if found == nil {
		return card
	}
	rest := card[found[1]:]
	if next := anySection.FindIndex(rest); next != nil {
		rest = rest[next[0]:]
	} else {
		rest = nil
	}
	return slices.Concat(card[:found[0]], rest)
}
