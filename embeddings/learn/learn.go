// Package learn trains word vectors on text: skip-gram and CBOW with negative
// sampling (Mikolov et al. 2013), and GloVe (Pennington et al. 2014).
//
// The text is split into tokens and sentences as the tagger will do it. It is
// read again for each pass, so the memory required depends on the number of
// distinct words (with GloVe, of distinct pairs of words), not on the length of
// the text.
//
// The vectors depend only on the text, the settings and the seed, to the bit. One
// core learns while another reads ahead.
package learn

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/embeddings"
	"github.com/lethe-deid/lethe/internal/counted"
)

// Method is a way to learn vectors.
type Method string

// The methods.
const (
	SkipGram Method = "skip-gram" // a word predicts each of its neighbours (Mikolov et al. 2013, arXiv:1310.4546)
	CBOW     Method = "cbow"      // the mean of its neighbours predicts a word (Mikolov et al. 2013, arXiv:1301.3781)
	GloVe    Method = "glove"     // products of vectors approach logarithms of counts (Pennington et al. 2014)
)

// Methods returns the methods, the default first.
func Methods() []Method { return []Method{SkipGram, CBOW, GloVe} }

// Config contains all settings of the training.
type Config struct {
	Words
	Method    Method
	Dim       int     // width of the vectors
	Window    int     // maximum number of neighbours on each side; word2vec draws the actual number, GloVe weights each by 1/distance
	Epochs    int     // number of passes over the text or, with GloVe, over the counts
	Negatives int     // negative samples per pair; ignored by GloVe
	Sample    float64 // words that are more than this share of the text are subsampled; 0: none; ignored by GloVe
	Rate      float64 // initial learning rate; 0: 0.025 for skip-gram, 0.25 for CBOW, 0.05 for GloVe
	Seed      uint64
}

// DefaultConfig returns the settings of the vectors that Dernoncourt et al. 2016
// trained (section 3.3): skip-gram, window 10, minimum count 5, 15 iterations and
// 10 negative samples, with the width that their network reads. Settings that
// they do not mention are those of word2vec.
func DefaultConfig() Config {
	return Config{
		Words:  DefaultWords(),
		Method: SkipGram, Dim: 100, Window: 10, Epochs: 15, Negatives: 10, Sample: 1e-3, Seed: 1,
	}
}

// rate returns the default learning rate. For skip-gram and GloVe it is that of
// the authors' programs. For CBOW, word2vec uses 0.05 but adds the whole gradient
// to each of n neighbours. Here each neighbour gets its share of the gradient
// (Irsoy et al. 2021, arXiv:2012.15332), and the rate is the one that gave the
// best vectors.
func (m Method) rate() float64 {
	return map[Method]float64{SkipGram: 0.025, CBOW: 0.25, GloVe: 0.05}[m]
}

// Validate returns an error for the first invalid setting.
func (c Config) Validate() error {
	switch {
	case !slices.Contains(Methods(), c.Method):
		return fmt.Errorf("no method %q (have %s)", c.Method, counted.List(Methods()))
	case c.Dim < 2 || c.Dim > 4096:
		return fmt.Errorf("dimension %d is not in [2, 4096]", c.Dim)
	case c.Window < 1 || c.Window > 100:
		return fmt.Errorf("window %d is not in [1, 100]", c.Window)
	case c.Epochs < 1:
		return fmt.Errorf("%d epochs: not positive", c.Epochs)
	case c.Negatives < 1 || c.Negatives > 100:
		return fmt.Errorf("%d negative samples: not in [1, 100]", c.Negatives)
	case !(c.Sample >= 0 && c.Sample < 1):
		return fmt.Errorf("sample %v is not in [0, 1)", c.Sample)
	case !(c.Rate >= 0 && c.Rate <= 1):
		return fmt.Errorf("learning rate %v is not in [0, 1]", c.Rate)
	}
	return c.Words.Validate()
}

// Progress receives the progress of each stage. total is 0 if unknown. A nil
// Progress is not called.
type Progress func(stage string, done, total int)

// Summary describes the text that the vectors were learnt from.
type Summary struct {
	Documents  int `json:"documents"` // documents with at least one token
	Sentences  int `json:"sentences"`
	Tokens     int `json:"tokens"`
	Kept       int `json:"tokens_with_vector"` // tokens whose word has a vector
	Words      int `json:"distinct_words"`
	Unwritable int `json:"words_with_space"` // distinct words with white space or a control character, which the file formats cannot represent: without a vector
	Pairs      int `json:"pairs,omitempty"`  // distinct pairs of words that GloVe counted
}

// Vectors learns the vectors of the words of a corpus. It reads the corpus
// several times, which must yield the same documents each time, and returns its
// first error. The words are sorted by descending count.
func Vectors(ctx context.Context, corpus data.Documents, cfg Config, progress Progress) (*embeddings.Vectors, Summary, error) {
	if err := cfg.Validate(); err != nil {
		return nil, Summary{}, err
	}
	if cfg.Rate == 0 {
		cfg.Rate = cfg.Method.rate()
	}
	if progress == nil {
		progress = func(string, int, int) {}
	}
	r, err := newReader(cfg.Words)
	if err != nil {
		return nil, Summary{}, err
	}
	r.corpus = corpus
	voc, summary, err := r.count(ctx, cfg, progress)
	if err != nil {
		return nil, summary, err
	}
	var values []float32
	if cfg.Method == GloVe {
		values, summary.Pairs, err = trainGloVe(ctx, r, voc, cfg, progress)
	} else {
		values, err = trainWord2vec(ctx, r, voc, cfg, progress)
	}
	if err != nil {
		return nil, summary, err
	}
	for _, x := range values {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return nil, summary, fmt.Errorf("the vectors diverged: lower the learning rate, %v", cfg.Rate)
		}
	}
	return embeddings.New(voc.words, cfg.Dim, values), summary, nil
}
