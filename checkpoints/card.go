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

// Card contains the fields of a model card. Empty strings and zeros are omitted.
// Name, Dataset and VocabularyNote are required.
type Card struct {
	Name     string
	Language string // ISO 639-1
	License  string // SPDX identifier, in lower case

	Dataset   string // the corpus that the model was trained on
	Documents int    // in the training split
	Tokens    int    // in the training split

	Parameters int // values in the model's weights

	Split   string  // the split of the scores, e.g. dev
	Measure string  // the measure of the scores, e.g. "strict type and span, micro-averaged"
	Overall Score   // Type is ignored; zero if the model was not scored
	Types   []Score // one per type, in the order to show

	// VocabularyNote says which words of the training notes the model contains
	// and how they were chosen, because they can be names.
	VocabularyNote string
	Limits         string // other facts that a user must know, in Markdown
}

// Scored reports whether the card has scores.
func (c Card) Scored() bool { return c.Overall != Score{} || len(c.Types) > 0 }

// Score is precision, recall and F1 in [0, 1], and the number of gold spans.
type Score struct {
	Type                  string
	Precision, Recall, F1 float64
	Support               int
}

// frontMatter is the metadata of a card that the Hugging Face hub reads.
type frontMatter struct {
	Library    string       `yaml:"library_name"`
	Pipeline   string       `yaml:"pipeline_tag"`
	Language   string       `yaml:"language,omitempty"`
	License    string       `yaml:"license,omitempty"`
	Tags       []string     `yaml:"tags"`
	Datasets   []string     `yaml:"datasets"`
	Metrics    []string     `yaml:"metrics"`
	ModelIndex []modelIndex `yaml:"model-index,omitempty"`
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

// Markdown returns the card as Markdown with YAML front matter for the Hugging
// Face hub. It returns an error if a required field is missing or a score is not
// in [0, 1].
func (c Card) Markdown() ([]byte, error) {
	if c.Name == "" || c.Dataset == "" || c.VocabularyNote == "" {
		return nil, fmt.Errorf("model card: Name, Dataset and VocabularyNote are required")
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
	matter := frontMatter{
		Library: "lethe", Pipeline: task, Language: c.Language, License: c.License,
		Tags:     []string{task, "de-identification", "clinical"},
		Datasets: []string{c.Dataset},
		Metrics:  []string{"precision", "recall", "f1"},
	}
	if c.Scored() {
		matter.ModelIndex = []modelIndex{{c.Name, []result{{
			Task:    map[string]string{"type": task},
			Dataset: resultDataset{c.Dataset, c.Dataset, c.Split},
			Metrics: []metric{
				{"precision", "precision", round(c.Overall.Precision)},
				{"recall", "recall", round(c.Overall.Recall)},
				{"f1", "F1", round(c.Overall.F1)},
			},
		}}}}
	}
	front, err := yaml.Marshal(matter)
	if err != nil {
		return nil, fmt.Errorf("model card: %w", err)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "---\n%s---\n\n", front)
	err = cardTemplate.Execute(&b, c)
	return b.Bytes(), err
}

// The heading of the section about operating points, and the heading of the
// section that it is inserted before, even if people have edited the card.
var (
	operatingPoints = regexp.MustCompile(`(?m)^## Operating points\s*$`)
	limits          = regexp.MustCompile(`(?m)^## Limits\s*$`)
	anySection      = regexp.MustCompile(`(?m)^##? `)
)

// SetOperatingPoints inserts a section, in Markdown, into the card of the model
// folder dir and replaces an earlier one. If the folder has no card, it does
// nothing.
func SetOperatingPoints(dir string, section []byte) error {
	path := filepath.Join(dir, CardFile)
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

// withoutOperatingPoints returns the card without that section, which is valid
// only for the model folder that also contains the operating points.
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
