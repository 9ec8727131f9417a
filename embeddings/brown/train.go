package brown

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/embeddings/learn"
)

// Config contains all settings of the clustering.
type Config struct {
	learn.Words     // words that are not learnt are in no cluster, and their pairs do not count
	Clusters    int // maximum number of clusters; Liang 2005: 1000
}

// maxClusters limits the memory, which is 32 bytes per pair of clusters.
const maxClusters = 8192

// DefaultConfig returns the settings for 1000 clusters of words that occur at
// least five times.
func DefaultConfig() Config {
	return Config{Words: learn.DefaultWords(), Clusters: 1000}
}

// Validate returns an error for the first invalid setting.
func (c Config) Validate() error {
	if c.Clusters < 1 || c.Clusters > maxClusters {
		return fmt.Errorf("%d clusters: not in [1, %d]", c.Clusters, maxClusters)
	}
	return c.Words.Validate()
}

// Summary describes the text that the clusters were learnt from.
type Summary struct {
	Documents  int     `json:"documents"` // documents with at least one token
	Sentences  int     `json:"sentences"`
	Tokens     int     `json:"tokens"`
	Kept       int     `json:"tokens_with_cluster"` // tokens whose word is in a cluster
	Words      int     `json:"distinct_words"`
	Unwritable int     `json:"words_with_space"`   // distinct words with white space or a control character, which the file format cannot represent: in no cluster
	Pairs      int     `json:"pairs"`              // pairs of adjacent tokens that are both in a cluster
	Clusters   int     `json:"clusters"`           // as many as requested, or one per word if there are fewer words
	Mutual     float64 `json:"mutual_information"` // of adjacent clusters, in nats (Brown et al. 1992, equation 9)
}

// Progress receives the progress of each stage. total is 0 if unknown. A nil
// Progress is not called.
type Progress = learn.Progress

// Train clusters the words of a corpus. It reads the corpus twice, which must
// yield the same documents both times, and returns its first error. The same
// corpus gives the same clusters. Apart from reading, the time is proportional,
// for each word, to the number of clusters times the number of the word's
// neighbours.
func Train(ctx context.Context, corpus data.Documents, cfg Config, progress Progress) (*Clusters, Summary, error) {
	if err := cfg.Validate(); err != nil {
		return nil, Summary{}, err
	}
	if progress == nil {
		progress = func(string, int, int) {}
	}
	sentences := learn.Sentences(ctx, corpus, cfg.Words)
	words, counts, summary, err := count(sentences, cfg, progress)
	if err != nil {
		return nil, summary, err
	}
	text, err := pairs(sentences, words, counts, &summary, progress)
	if err != nil {
		return nil, summary, err
	}
	summary.Clusters = min(cfg.Clusters, len(words))
	mutual, paths, err := cluster(ctx, text, summary.Clusters, progress)
	if err != nil {
		return nil, summary, err
	}
	summary.Mutual = mutual
	entries := make([]Entry, len(words))
	for i, w := range words {
		entries[i] = Entry{paths[i], w, counts[i]}
	}
	return newClusters(entries), summary, nil
}

// count returns the words that get a cluster, the most frequent first.
func count(sentences iter.Seq2[learn.Sentence, error], cfg Config, progress Progress) (words []string, counts []int, s Summary, err error) {
	type occurrences struct{ count, documents, last int }
	seen := map[string]*occurrences{}
	id := ""
	for sentence, err := range sentences {
		if err != nil {
			return nil, nil, s, err
		}
		if sentence.Document != id || s.Documents == 0 {
			id = sentence.Document
			s.Documents++
		}
		if s.Sentences++; s.Sentences%4096 == 0 {
			progress("counting words", s.Tokens, 0)
		}
		s.Tokens += len(sentence.Words)
		for _, w := range sentence.Words {
			o := seen[w]
			if o == nil {
				o = &occurrences{}
				seen[strings.Clone(w)] = o // do not keep the document of the word in memory
			}
			o.count++
			if o.last != s.Documents {
				o.last = s.Documents
				o.documents++
			}
		}
	}
	if s.Tokens == 0 {
		return nil, nil, s, errors.New("no tokens in the corpus")
	}
	s.Words = len(seen)
	for w, o := range seen {
		switch {
		case strings.ContainsFunc(w, func(c rune) bool { return unicode.IsSpace(c) || unicode.IsControl(c) }):
			s.Unwritable++
		case o.count >= cfg.MinCount && o.documents >= cfg.MinDocuments:
			words = append(words, w)
		}
	}
	if len(words) < 2 {
		return nil, nil, s, fmt.Errorf("of %d distinct words, %d occur %d times or more in %d documents or more: too few to cluster",
			s.Words, len(words), cfg.MinCount, cfg.MinDocuments)
	}
	slices.SortFunc(words, func(a, b string) int {
		return cmp.Or(cmp.Compare(seen[b].count, seen[a].count), cmp.Compare(a, b))
	})
	for _, w := range words {
		counts = append(counts, seen[w].count)
		s.Kept += seen[w].count
	}
	return words, counts, s, nil
}

// pairs counts the pairs of adjacent words in the sentences.
func pairs(sentences iter.Seq2[learn.Sentence, error], words []string, frequencies []int, s *Summary, progress Progress) (*bigrams, error) {
	ids := make(map[string]int32, len(words))
	for i, w := range words {
		ids[w] = int32(i)
	}
	counts := map[uint64]int32{}
	read, done := 0, 0
	for sentence, err := range sentences {
		if err != nil {
			return nil, err
		}
		if read++; read%4096 == 0 {
			progress("counting pairs", done, s.Tokens)
		}
		done += len(sentence.Words)
		last, known := int32(0), false
		for _, w := range sentence.Words {
			id, ok := ids[w]
			if ok && known {
				if s.Pairs++; s.Pairs > math.MaxInt32 {
					return nil, fmt.Errorf("the corpus has more than %d pairs of words", math.MaxInt32)
				}
				counts[uint64(last)<<32|uint64(id)]++
			}
			last, known = id, ok
		}
	}
	if s.Pairs == 0 {
		return nil, errors.New("no two of the words that are frequent enough are neighbours")
	}
	return newBigrams(frequencies, counts), nil
}

// newBigrams returns the bigrams of the counts of words and of pairs. The upper
// half of a pair's key is its first word.
func newBigrams(words []int, pairs map[uint64]int32) *bigrams {
	t := &bigrams{after: make([][]neighbour, len(words)), before: make([][]neighbour, len(words))}
	for _, n := range words {
		t.counts = append(t.counts, int64(n))
	}
	keys := make([]uint64, 0, len(pairs))
	for k := range pairs {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		x, y, n := int32(k>>32), int32(uint32(k)), pairs[k]
		t.after[x] = append(t.after[x], neighbour{y, n})
		t.before[y] = append(t.before[y], neighbour{x, n})
	}
	return t
}

// cluster makes at most k clusters and their tree, and returns their mutual
// information and the path of each word (Liang 2005, section 4.2). The k most
// frequent words start with one cluster each. Every further word gets its own
// cluster, and then the two clusters with the least loss are merged. Finally, the
// clusters are merged until one is left. When two clusters are merged, the path
// of the one with the more frequent word continues with 0.
func cluster(ctx context.Context, text *bigrams, k int, progress Progress) (mutual float64, paths []string, err error) {
	t := newTable(text, min(k+1, len(text.counts)))
	for w := range int32(len(text.counts)) {
		if err := ctx.Err(); err != nil {
			return 0, nil, err
		}
		t.add(w)
		if t.k > k {
			t.merge(t.best())
		}
		if w%64 == 0 {
			progress("clustering", int(w), len(text.counts))
		}
	}
	mutual = t.mutual()

	nodes := map[int32]*node{} // by the most frequent word of the cluster
	for _, words := range t.words[:t.k] {
		nodes[words[0]] = &node{words: slices.Clone(words)}
	}
	for clusters := t.k; t.k > 1; progress("building the tree", clusters-t.k, clusters) {
		if err := ctx.Err(); err != nil {
			return 0, nil, err
		}
		x, y := t.best()
		a, b := t.words[x][0], t.words[y][0]
		nodes[min(a, b)] = &node{zero: nodes[min(a, b)], one: nodes[max(a, b)]}
		t.merge(x, y)
	}
	paths = make([]string, len(text.counts))
	nodes[0].walk(nil, paths) // the cluster of all words has the most frequent word, 0
	return mutual, paths, nil
}

// node is a cluster with its words, or a merge of two nodes.
type node struct {
	words     []int32
	zero, one *node
}

func (n *node) walk(path []byte, paths []string) {
	if n.zero != nil {
		n.zero.walk(append(path, '0'), paths)
		n.one.walk(append(path, '1'), paths)
		return
	}
	p := string(path)
	for _, w := range n.words {
		paths[w] = p
	}
}
