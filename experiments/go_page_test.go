package experiments_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/format"
	"github.com/lethe-deid/lethe/data/synth"
	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/experiments"
	"github.com/lethe-deid/lethe/models"
)

const ward = `name: ward
corpus:
  format: brat
  types: i2b2-2014
  splits: {train: marked}
  fold: {number: 1, of: 3}
system:
  crf:
    features: [{family: word, window: 1}, {family: shape, window: 1}, {family: label}]
    training: {iterations: 20}
`

func train(ctx context.Context) error {
	config, err := experiments.Load("ward.yaml", []string{"seed=2"})
	if err != nil {
		return err
	}
	if _, err := experiments.Train(ctx, config, experiments.TrainOptions{Dir: "runs/ward"}); err != nil {
		return err
	}
	run, err := experiments.OpenRun("runs/ward")
	if err != nil {
		return err
	}
	model, err := models.Open("runs/ward", 0)
	if err != nil {
		return err
	}
	report, err := run.Predict(ctx, model, "test", experiments.PredictOptions{})
	if err != nil {
		return err
	}
	fmt.Println(report.Strict.F1() > 0.5)
	return nil
}

func tag(ctx context.Context) error {
	model, err := models.Open("runs/ward", 0)
	if err != nil {
		return err
	}
	notes := []*data.Document{{ID: "1", Text: "Date: 03/04/2071\n"}}
	found, err := model.Tag(ctx, notes)
	if err != nil {
		return err
	}
	for i, spans := range found {
		for _, s := range spans {
			fmt.Println(notes[i].Text[s.Start:s.End], s.Type) // s.Score is the probability
		}
	}
	return nil
}

// shouting finds words in capitals.
type shouting struct{}

var capitals = regexp.MustCompile(`\b[A-Z]{3,}\b`)

func (shouting) Tag(_ context.Context, docs []*data.Document) ([][]data.Span, error) {
	found := make([][]data.Span, len(docs))
	for i, d := range docs {
		for _, at := range capitals.FindAllStringIndex(d.Text, -1) {
			found[i] = append(found[i], data.Span{Start: at[0], End: at[1], Type: "HOSPITAL", Score: 1})
		}
	}
	return found, nil
}

func score(ctx context.Context) error {
	gold, err := data.Collect(format.Read("brat", "marked", format.Options{Types: data.I2B2}))
	if err != nil {
		return err
	}
	found, err := shouting{}.Tag(ctx, gold)
	if err != nil {
		return err
	}
	system := make([]*data.Document, len(gold))
	for i, d := range gold {
		system[i] = &data.Document{ID: d.ID, Text: d.Text, Spans: found[i]}
	}
	report, err := evaluation.Options{Types: data.I2B2}.Compare(data.Each(gold), data.Each(system))
	if err != nil {
		return err
	}
	fmt.Println(report.Strict.Precision() < 0.5)
	return nil
}

// The functions of docs/go.md, on generated notes.
func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	back, err := os.Getwd()
	if err != nil {
		log.Fatal(err)
	}
	defer os.Chdir(back)
	if err := os.Chdir(dir); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile("ward.yaml", []byte(ward), 0o600); err != nil {
		log.Fatal(err)
	}
	w, err := format.Create("brat", "marked", data.I2B2)
	if err != nil {
		log.Fatal(err)
	}
	for doc, err := range synth.Notes(60, 1, synth.Train) {
		if err != nil {
			log.Fatal(err)
		}
		if err := w.Write(doc); err != nil {
			log.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	for _, f := range []func(context.Context) error{train, tag, score} {
		if err := f(context.Background()); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// true
	// 03/04/2071 DATE
	// true
}

// The blocks of Go in docs/go.md are parts of this file or of the example of package deid.
func TestGoPage(t *testing.T) {
	read := func(name string) string {
		raw, err := os.ReadFile(filepath.FromSlash(name))
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	code := read("go_page_test.go") + read("../deid/example_test.go")
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(read("../docs/go.md"), -1)
	if len(blocks) < 4 {
		t.Errorf("only %d blocks", len(blocks))
	}
	for _, b := range blocks {
		if !strings.Contains(code, b[1]) {
			t.Errorf("not in the code:\n%s", b[1])
		}
	}
}
