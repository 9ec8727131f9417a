package pos

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data/conllu"
	"github.com/lethe-deid/lethe/internal/sorting"
)

// Options configure Train.
type Options struct {
	Epochs int    // passes over the treebanks; 0 for DefaultEpochs
	Seed   uint64 // determines the order of the sentences

	// Report is called after each epoch with the number of words, and the number that
	// the tagger tagged correctly during the epoch. It may be nil.
	Report func(epoch, epochs, right, words int)
}

// DefaultEpochs is the default number of passes over the treebanks.
const DefaultEpochs = 8

const (
	knownFrom  = 3     // minimum occurrences of a word in the dictionary
	closedFrom = 20    // minimum occurrences for excluding classes that the word never had
	sureFrom   = 20    // minimum occurrences for looking a word up, if one class has the share sureShare
	sureShare  = 0.995 // minimum share of that class

	maxClasses = 1 << 14
)

// Train trains a tagger. The same sentences in the same order with the same options
// give the same tagger. It fails if there are no sentences or too many classes, or with
// the context's error.
//
// XPOS is learned only if every word has one, because treebanks with and without XPOS
// do not mix. So that the tagger also copes with text as it is in notes, it is trained
// on additional copies of sentences: each sentence with contractions as it is in the
// text, and some sentences all in capitals and all in lower case.
func Train(ctx context.Context, sentences []conllu.Sentence, opt Options) (*Tagger, error) {
	if opt.Epochs < 0 {
		return nil, fmt.Errorf("epochs: %d is negative", opt.Epochs)
	}
	opt.Epochs = cmp.Or(opt.Epochs, DefaultEpochs)
	l := newLearner(sentences)
	if len(l.examples) == 0 {
		return nil, errors.New("no sentences to train on")
	}
	if len(l.classes) > maxClasses {
		return nil, fmt.Errorf("%d different combinations of tags exceed the maximum of %d", len(l.classes), maxClasses)
	}
	if err := l.learn(ctx, opt); err != nil {
		return nil, err
	}
	t := &Tagger{classes: l.classes, words: l.dictionary, weights: l.table.average(len(l.classes), l.now), behind: adjectivesBehind(sentences)}
	t.lemmas = learnLemmas(l)
	t.digest = sum(t.payload())
	return t, nil
}

// example is a sentence in the form in which the learner sees it.
type example struct {
	forms  []string
	lemmas []string
	gold   []uint16
}

type learner struct {
	classes    []class
	examples   []example // the treebanks' own, then the contracted ones, then those in other cases
	own        int       // number of examples that are not in another case
	dictionary map[string]known
	table      table
	now        int64 // number of decisions so far
}

func newLearner(sentences []conllu.Sentence) *learner {
	l := &learner{}
	xpos := true
	for _, s := range sentences {
		for _, w := range s.Words {
			xpos = xpos && w.XPOS != ""
		}
	}
	var all []conllu.Sentence
	for _, s := range sentences {
		if len(s.Words) > 0 {
			all = append(all, s)
		}
	}
	plain := len(all)
	for _, s := range all[:plain] {
		if len(s.Contractions) > 0 {
			all = append(all, s.Surface())
		}
	}
	l.own = len(all)

	// Classes are numbered by falling frequency, since small numbers make small files.
	classOf := func(w conllu.Token) class {
		c := class{w.UPOS, w.XPOS, w.Tense}
		if !xpos {
			c.xpos = ""
		}
		return c
	}
	counts := map[class]int{}
	for _, s := range all {
		for _, w := range s.Words {
			counts[classOf(w)]++
		}
	}
	for c := range counts {
		l.classes = append(l.classes, c)
	}
	sorting.By(l.classes, func(a, b class) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a.upos, b.upos), strings.Compare(a.xpos, b.xpos), strings.Compare(a.tense, b.tense))
	})
	number := map[class]uint16{}
	for i, c := range l.classes {
		number[c] = uint16(min(i, math.MaxUint16))
	}
	for _, s := range all {
		var e example
		for _, w := range s.Words {
			e.forms = append(e.forms, w.Form)
			e.lemmas = append(e.lemmas, w.Lemma)
			e.gold = append(e.gold, number[classOf(w)])
		}
		l.examples = append(l.examples, e)
	}
	l.dictionary = dictionaryOf(l.examples)
	for i, e := range l.examples[:l.own] {
		switch i % caseEvery {
		case 0:
			l.examples = append(l.examples, e.cased(strings.ToUpper))
		case 1:
			l.examples = append(l.examples, e.cased(strings.ToLower))
		}
	}
	return l
}

// caseEvery: one in this many sentences is also seen in capitals, and one in lower
// case.
const caseEvery = 5

func (e example) cased(to func(string) string) example {
	c := example{gold: e.gold, lemmas: e.lemmas}
	for _, f := range e.forms {
		c.forms = append(c.forms, to(f))
	}
	return c
}

// dictionaryOf returns the words that occur often enough, with their classes.
func dictionaryOf(examples []example) map[string]known {
	counts := map[string]map[uint16]int{}
	for _, e := range examples {
		for i, f := range e.forms {
			low := lower(f)
			if counts[low] == nil {
				counts[low] = map[uint16]int{}
			}
			counts[low][e.gold[i]]++
		}
	}
	d := map[string]known{}
	for low, of := range counts {
		total := 0
		var classes []uint16
		for c, n := range of {
			total += n
			classes = append(classes, c)
		}
		if total < knownFrom {
			continue
		}
		slices.SortFunc(classes, func(a, b uint16) int { return cmp.Or(of[b]-of[a], int(a)-int(b)) })
		k := known{classes: classes}
		for k.usual < len(classes) && (k.usual == 0 || of[classes[k.usual]]*100 >= total) {
			k.usual++
		}
		k.key = keyOf(classes[:k.usual])
		switch {
		case total >= sureFrom && float64(of[classes[0]]) >= sureShare*float64(total):
			k.use = sure
		case total >= closedFrom:
			k.use = closed
		}
		d[low] = k
	}
	return d
}

// keyOf hashes the classes that a word usually has, in any order.
func keyOf(classes []uint16) uint64 {
	sorted := slices.Clone(classes)
	slices.Sort(sorted)
	h := uint64(3)
	for _, c := range sorted {
		h = mix(h, uint64(c), 5)
	}
	return h | 1 // never 0, which represents an unknown word
}

// learn trains the averaged perceptron (Collins 2002, figure 1 and section 2.5).
func (l *learner) learn(ctx context.Context, opt Options) error {
	l.table = newTable()
	rng := rand.New(rand.NewPCG(opt.Seed, 0x706f73))
	order := make([]int, len(l.examples))
	for i := range order {
		order[i] = i
	}
	s := &scratch{}
	for epoch := range opt.Epochs {
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		right, words := 0, 0
		for _, e := range order {
			if err := ctx.Err(); err != nil {
				return err
			}
			r := l.step(s, &l.examples[e])
			right += r
			words += len(l.examples[e].forms)
		}
		if opt.Report != nil {
			opt.Report(epoch+1, opt.Epochs, right, words)
		}
	}
	return nil
}

// step tags a sentence and updates the weights wherever the tag is wrong.
func (l *learner) step(s *scratch, e *example) (right int) {
	s.read(l.dictionary, e.forms)
	for i, gold := range e.gold {
		k := &s.words[i].known
		if k.use == sure {
			s.tags = append(s.tags, k.classes[0])
			if k.classes[0] == gold {
				right++
			}
			continue
		}
		s.features(i)
		s.scores = resized(s.scores, len(l.classes))
		l.table.add(s.keys, s.scores)
		c := best(s.scores, k.choice())
		if c == gold {
			right++
		} else {
			for _, key := range s.keys {
				l.table.move(key, gold, 1, l.now)
				l.table.move(key, c, -1, l.now)
			}
		}
		l.now++
		s.tags = append(s.tags, c)
	}
	return right
}

// table has the weights during training.
type table struct {
	slots []int32 // open-addressing hash table: row+1, or 0 for a free slot
	keys  []uint32
	rows  [][]moving
}

// moving is a weight and, for its average, the sum of its values at all decisions
// before its last update.
type moving struct {
	class  uint16
	weight int32
	since  int64
	sum    int64
}

func newTable() table { return table{slots: make([]int32, 1<<16)} }

func (t *table) slot(key uint32) uint32 {
	mask := uint32(len(t.slots) - 1)
	i := key & mask
	for t.slots[i] != 0 && t.keys[t.slots[i]-1] != key {
		i = (i + 1) & mask
	}
	return i
}

func (t *table) add(keys []uint32, scores []int32) {
	for _, key := range keys {
		if row := t.slots[t.slot(key)]; row > 0 {
			for _, m := range t.rows[row-1] {
				scores[m.class] += m.weight
			}
		}
	}
}

func (t *table) move(key uint32, class uint16, by int32, now int64) {
	slot := t.slot(key)
	if t.slots[slot] == 0 {
		t.keys = append(t.keys, key)
		t.rows = append(t.rows, nil)
		t.slots[slot] = int32(len(t.keys))
		if 2*len(t.keys) > len(t.slots) {
			t.slots = make([]int32, 2*len(t.slots))
			for i, k := range t.keys {
				t.slots[t.slot(k)] = int32(i + 1)
			}
			slot = t.slot(key)
		}
	}
	row := &t.rows[t.slots[slot]-1]
	for i := range *row {
		if m := &(*row)[i]; m.class == class {
			m.sum += int64(m.weight) * (now - m.since)
			m.weight += by
			m.since = now
			return
		}
	}
	*row = append(*row, moving{class: class, weight: by, since: now})
}

// Weights are rounded to multiples of 1/steps, and dropped if they are below least.
const (
	steps = 16
	least = 4
)

// average returns the final weights, with the features in the order of their keys.
func (t *table) average(classes int, now int64) weights {
	order := make([]int, len(t.keys))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(t.keys[a], t.keys[b]) })
	var keys []uint32
	var rows [][]cell
	total := 0
	for _, i := range order {
		var cells []cell
		for _, m := range t.rows[i] {
			sum := m.sum + int64(m.weight)*(now-m.since)
			w := math.Round(steps * float64(sum) / float64(now))
			w = max(math.MinInt16, min(math.MaxInt16, w))
			if math.Abs(w) >= least {
				cells = append(cells, cell{class: m.class, weight: int16(w)})
			}
		}
		if len(cells) == 0 {
			continue
		}
		slices.SortFunc(cells, func(a, b cell) int { return int(a.class) - int(b.class) })
		keys, rows = append(keys, t.keys[i]), append(rows, cells)
		total += len(cells)
	}
	w := newWeights(classes, len(keys), total)
	for i, key := range keys {
		w.put(key, rows[i])
	}
	return w
}
