package experiments

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/format"
	"github.com/lethe-deid/lethe/data/synth"
	"github.com/lethe-deid/lethe/data/tokenize"
	"github.com/lethe-deid/lethe/models"
	"github.com/lethe-deid/lethe/nn/kernel"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/ann"
)

// BenchOptions are the options of RunBench.
type BenchOptions struct {
	Config  *Config        // the system and, unless Corpus is given, the corpus to measure; nil: the paper's network on generated notes
	Model   string         // a run or model folder, whose settings are used to train and whose weights to predict; "": none
	Corpus  string         // a file or folder of annotated notes; "": the corpus of Config, or else generated notes
	Format  string         // of Corpus
	Types   string         // type set of Corpus
	Reading format.Options // of Corpus, besides Types
	Batch   int            // sentences per update; 0: as configured
	Workers int
	Limit   time.Duration // of the measurement of training, and again of prediction
}

// Bench contains the measurements of one process.
type Bench struct {
	TrainTokens   float64 `json:"train_tokens_per_second"`
	PredictTokens float64 `json:"predict_tokens_per_second"` // from text to spans
	PredictNotes  float64 `json:"predict_notes_per_second"`
	TrainGFLOPS   float64 `json:"gflops_train"` // of matrix products, over the whole time
	PredictGFLOPS float64 `json:"gflops_predict"`
	PeakGFLOPS    float64 `json:"gflops_peak"`   // of the product kernel alone, on the same number of cores
	StartSeconds  float64 `json:"start_seconds"` // from the start of a process to its first note
	PeakRSS       float64 `json:"peak_rss_mb"`   // maximum memory of this process
	Kernel        string  `json:"kernel"`
	Batch         int     `json:"batch"`
	Workers       int     `json:"workers"`
	Labels        int     `json:"labels"`
	Tokens        int     `json:"tokens"` // in the corpus
	Notes         int     `json:"notes"`
}

// benchNotes is the number of notes to generate if no corpus is given.
const benchNotes = 500

// RunBench trains and predicts for Limit each and returns the measurements. Of a model other than the
// recurrent network, only the prediction is measured. A Config with another system is an error.
func RunBench(ctx context.Context, opt BenchOptions) (*Bench, error) {
	cfg := ann.DefaultConfig()
	cfg.Tokenizer, cfg.Sentences = "letters-digits", "line"
	var model *ann.Tagger
	switch {
	case opt.Model != "":
		m, err := models.Open(opt.Model, opt.Workers)
		if err != nil {
			return nil, err
		}
		tagger, ok := m.Tagger.(*ann.Tagger)
		if !ok && opt.Batch > 0 {
			return nil, fmt.Errorf("--batch: %s is not a recurrent network, so only its prediction is measured, which has no updates", opt.Model)
		}
		if !ok {
			return opt.predictOnly(ctx, m)
		}
		model, cfg = tagger, tagger.Config()
	case opt.Config != nil && ann.Of(opt.Config.System) == nil:
		return nil, errors.New("system: only the recurrent network, ann, can be measured")
	case opt.Config != nil:
		cfg = *ann.Of(opt.Config.System)
	}
	if opt.Batch > 0 {
		cfg.Training.Batch = opt.Batch
	}
	docs, types, err := opt.documents()
	if err != nil {
		return nil, err
	}

	b := &Bench{Kernel: kernel.Name(), Batch: cfg.Training.Batch, Workers: opt.Workers, Notes: len(docs)}
	task := taggers.Task{Name: "bench", Types: types, Train: docs, Seed: 1, Workers: opt.Workers}
	trained, train, labels, tokens, err := cfg.Bench(ctx, task, opt.Limit)
	if err != nil {
		return nil, err
	}
	b.TrainTokens, b.TrainGFLOPS, b.Labels, b.Tokens = train.TokensPerSecond, train.GFLOPS, labels, tokens
	if model == nil {
		model = trained
	}
	predict, err := model.Bench(ctx, docs, opt.Limit)
	if err != nil {
		return nil, err
	}
	b.PredictTokens, b.PredictNotes, b.PredictGFLOPS = predict.TokensPerSecond, predict.NotesPerSecond, predict.GFLOPS
	b.PeakGFLOPS = peak(opt.Workers)
	b.PeakRSS = peakRSS()
	b.StartSeconds, err = startUp(ctx, model)
	return b, err
}

// predictOnly measures the prediction of any model. Tokens are those of the tokenizer letters-digits.
func (o *BenchOptions) predictOnly(ctx context.Context, m *models.Model) (*Bench, error) {
	docs, _, err := o.documents()
	if err != nil {
		return nil, err
	}
	b := &Bench{Kernel: kernel.Name(), Workers: o.Workers, Notes: len(docs)}
	for _, d := range docs {
		b.Tokens += len(tokenize.LettersDigits{}.Tokens(d.Text, nil))
	}
	if _, err := m.Tag(ctx, docs); err != nil { // to warm up
		return nil, err
	}
	passes, begin := 0, time.Now()
	for passes == 0 || time.Since(begin) < o.Limit {
		if _, err := m.Tag(ctx, docs); err != nil {
			return nil, err
		}
		passes++
	}
	a := float64(passes) / time.Since(begin).Seconds()
	b.PredictTokens, b.PredictNotes = a*float64(b.Tokens), a*float64(b.Notes)
	b.PeakRSS = peakRSS()
	return b, nil
}

func (o *BenchOptions) documents() ([]*data.Document, *data.TypeSet, error) {
	corpus := Corpus{Format: synthetic, Types: data.TypeSetConfig{Name: synth.TypeSet}, Notes: map[string]int{TrainSplit: benchNotes}, Seed: 1}
	switch {
	case o.Corpus != "":
		types, err := data.OpenTypeSet(o.Types)
		if err != nil {
			return nil, nil, err
		}
		reading := o.Reading
		reading.Types = types
		docs, err := data.Collect(format.Read(o.Format, o.Corpus, reading))
		if err == nil && len(docs) == 0 {
			err = fmt.Errorf("%s: holds no document", o.Corpus)
		}
		return docs, types, err
	case o.Config != nil:
		corpus = o.Config.Corpus
	}
	docs, err := corpus.Load(TrainSplit, nil)
	return docs, corpus.TypeSet(), err
}

// peak returns the speed of the product kernel in GFLOP/s, with all workers at once, on matrices
// that fit the caches: the best of several shapes.
func peak(workers int) (best float64) {
	for _, shape := range [][3]int{{32, 150, 600}, {64, 256, 256}, {128, 128, 512}} {
		m, k, n := shape[0], shape[1], shape[2]
		const repeats, rounds = 200, 5
		for range rounds {
			var wg sync.WaitGroup
			begin := time.Now()
			for range workers {
				wg.Go(func() {
					a, b, c := make([]float32, m*k), make([]float32, k*n), make([]float32, m*n)
					for range repeats {
						kernel.AddMul(kernel.NewMatrix(m, n, c), kernel.NewMatrix(m, k, a), kernel.NewMatrix(k, n, b))
					}
				})
			}
			wg.Wait()
			best = max(best, float64(2*m*k*n*repeats*workers)/time.Since(begin).Seconds()/1e9)
		}
	}
	return best
}

// startUp runs this program on a note of one line five times and returns the median time in
// seconds.
func startUp(ctx context.Context, model *ann.Tagger) (float64, error) {
	program, err := os.Executable()
	if err != nil {
		return 0, err
	}
	dir, err := os.MkdirTemp("", "lethe-bench-")
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := model.Save(filepath.Join(dir, "model")); err != nil {
		return 0, err
	}
	var seconds []float64
	for range 5 {
		cmd := exec.CommandContext(ctx, program, "deidentify", "--model", filepath.Join(dir, "model"), "-")
		cmd.Stdin = strings.NewReader("Seen by Dr. Amundsen.\n")
		begin := time.Now()
		if out, err := cmd.Output(); err != nil || len(out) == 0 {
			return 0, errors.Join(errors.New("measuring the start of "+program), err)
		}
		seconds = append(seconds, time.Since(begin).Seconds())
	}
	slices.Sort(seconds)
	return seconds[2], nil
}

// WriteText writes the figures as lines that a person reads.
func (b *Bench) WriteText(w io.Writer) error {
	if b.TrainTokens == 0 {
		_, err := fmt.Fprintf(w, `corpus      %d notes, %d tokens
setting     kernel %s, %d workers
prediction  %8.0f tokens/s %8.0f notes/s
memory      %8.0f MB at most
`, b.Notes, b.Tokens, b.Kernel, b.Workers, b.PredictTokens, b.PredictNotes, b.PeakRSS)
		return err
	}
	_, err := fmt.Fprintf(w, `corpus      %d notes, %d tokens, %d labels
setting     kernel %s, %d workers, batch %d
training    %8.0f tokens/s %20.1f GFLOP/s, %2.0f %% of the kernel's peak
prediction  %8.0f tokens/s %8.0f notes/s %4.1f GFLOP/s, %2.0f %% of the kernel's peak
peak        %8.1f GFLOP/s in products alone
start       %8.3f s to the first note
memory      %8.0f MB at most
`, b.Notes, b.Tokens, b.Labels, b.Kernel, b.Workers, b.Batch,
		b.TrainTokens, b.TrainGFLOPS, 100*b.TrainGFLOPS/b.PeakGFLOPS,
		b.PredictTokens, b.PredictNotes, b.PredictGFLOPS, 100*b.PredictGFLOPS/b.PeakGFLOPS,
		b.PeakGFLOPS, b.StartSeconds, b.PeakRSS)
	return err
}
