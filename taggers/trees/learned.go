package trees

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
)

// learned is what attributes have learnt from the training notes. Everything in it
// consists of vocabulary words, each of which occurs in Config.least notes outside
// of names and numbers of persons, and itself occurs in as many.
type learned struct {
	classes  []string         // O, then the types of the training notes
	labels   []string         // O, then the labels of these types that the notes have
	words    []string         // vocabulary, sorted
	numbers  map[string]int32 // by word: its index in words
	names    []string         // the headings, most frequent first
	headings map[string]int32 // by name: number of the heading, from 1
	clear    []bool           // by heading: whether its class entropy is below maxEntropy
	suggests []cue            // by heading: the most frequent class under it
	cues     map[string]cues  // by the name of the clue
}

// cue is what a clue says about the class of a token: the most frequent class apart from
// O, and its share of the tokens with the clue.
type cue struct {
	class int32
	share float32
}

// cues is the values of a clue that are cues.
type cues map[uint64]cue

// example is a text to learn from.
type example struct {
	*stretch
	unit int // number of the patient or, if that is unknown, of the note
}

// counter counts units with a value.
type counter[K comparable] struct {
	last map[K]int
	n    map[K]int
}

func newCounter[K comparable]() counter[K] { return counter[K]{map[K]int{}, map[K]int{}} }

// see counts a unit once, if all texts of a unit are seen one after another.
func (c counter[K]) see(k K, unit int) {
	if c.last[k] != unit+1 {
		c.last[k] = unit + 1
		c.n[k]++
	}
}

// personal are the sorts of types whose phrases identify a person. Words do not become
// part of a model for occurring in such phrases, however many patients share a name. A
// type of unknown sort could be one of names, so it is among them.
var personal = []data.Sort{data.Person, data.Username, data.Number, data.Phone, data.Email, data.URL, data.IP, ""}

// learn learns from examples, which must be sorted by unit. It looks up their words and
// headings.
func learn(c Config, types *data.TypeSet, classes, labels []string, all []example) *learned {
	l := &learned{classes: classes, labels: labels, numbers: map[string]int32{}, headings: map[string]int32{}, cues: map[string]cues{}}
	words := newCounter[string]()
	hidden := make([]bool, len(classes))
	for i, class := range classes[1:] {
		hidden[i+1] = slices.Contains(personal, types.SortOf(class))
	}
	for _, e := range all {
		for t, w := range e.words {
			if !hidden[e.gold.classes[t]] {
				words.see(normal(w), e.unit)
			}
		}
	}
	for w, n := range words.n {
		if n >= c.least() && w != "" {
			l.words = append(l.words, w)
		}
	}
	slices.Sort(l.words)
	l.index()
	l.learnHeadings(all, c.least())
	for _, e := range all {
		e.know(l)
	}
	l.learnUnder(all, c.least())
	for _, clue := range clues(c.sets()) {
		l.cues[clue.name] = l.learnCues(clue, all, c)
	}
	return l
}

// index makes the maps of words and headings.
func (l *learned) index() {
	for i, w := range l.words {
		l.numbers[w] = int32(i)
	}
	for i, name := range l.names {
		l.headings[name] = int32(i + 1)
	}
}

// learnHeadings keeps the most frequent headings.
func (l *learned) learnHeadings(all []example, minDocuments int) {
	count := newCounter[string]()
	for _, e := range all {
		e.proposals(func(p proposal) {
			for from := p.from; from < p.to; from++ {
				count.see(e.name(from, p.to), e.unit)
				if !p.shorter {
					return
				}
			}
		})
	}
	known := func(name string) bool {
		for w := range strings.SplitSeq(name, " ") {
			if _, ok := l.numbers[w]; !ok {
				return false
			}
		}
		return true
	}
	for name, n := range count.n {
		if n >= minDocuments && known(name) {
			l.names = append(l.names, name)
		}
	}
	slices.SortFunc(l.names, func(a, b string) int { return cmp.Or(cmp.Compare(count.n[b], count.n[a]), cmp.Compare(a, b)) })
	l.names = l.names[:min(len(l.names), maxHeadings)]
	l.index()
}

// maxEntropy is the class entropy, in bits, below which a heading is unambiguous
// ("Iterative learning").
const maxEntropy = 0.1

// learnUnder finds what headings say about the classes under them. A heading whose
// phrases are nearly all of one class is unambiguous. The class O is not counted: it
// would make the entropy of nearly any running text as low, because most of its tokens
// are O.
func (l *learned) learnUnder(all []example, minDocuments int) {
	phrases, tokens := make([][]int, len(l.names)+1), make([][]int, len(l.names)+1)
	for i := range phrases {
		phrases[i], tokens[i] = make([]int, len(l.classes)), make([]int, len(l.classes))
	}
	documents := newCounter[int32]()
	for _, e := range all {
		for _, p := range e.gold.phrases {
			h := e.heading[p.from].heading
			phrases[h][p.class]++
			documents.see(h, e.unit)
		}
		for t, class := range e.gold.classes {
			tokens[e.heading[t].heading][class]++
		}
	}
	l.clear, l.suggests = make([]bool, len(l.names)), make([]cue, len(l.names))
	for i := range l.names {
		l.clear[i] = documents.n[int32(i+1)] >= minDocuments && entropy(phrases[i+1]) < maxEntropy
		l.suggests[i] = strongest(tokens[i+1])
	}
}

// entropy returns the Shannon entropy of a distribution, in bits.
func entropy(counts []int) float64 {
	total, sum := 0, 0.0
	for _, n := range counts {
		total += n
		if n > 0 {
			sum += float64(n) * math.Log2(float64(n))
		}
	}
	if total == 0 {
		return 0
	}
	return math.Log2(float64(total)) - sum/float64(total)
}

// learnCues finds the values of a clue that occur at phrases of enough training notes and
// have enough information gain. The gain is computed over the values at all tokens: a
// token where the clue has no value does not count, and one with several counts with each.
func (l *learned) learnCues(clue clue, all []example, c Config) cues {
	documents := newCounter[uint64]()
	for _, e := range all {
		clue.collect(e.stretch, func(key uint64) { documents.see(key, e.unit) })
	}
	counts := map[uint64][]int{}
	for key, n := range documents.n {
		if n >= c.least() {
			counts[key] = make([]int, len(l.classes))
		}
	}
	prior := make([]int, len(l.classes))
	for _, e := range all {
		for t, class := range e.gold.classes {
			clue.at(e.stretch, t, func(key uint64) {
				prior[class]++
				if n := counts[key]; n != nil {
					n[class]++
				}
			})
		}
	}
	kept := cues{}
	for key, n := range counts {
		if gain(prior, n) < c.MinGain {
			continue
		}
		if c := strongest(n); c.class > 0 {
			kept[key] = c
		}
	}
	return kept
}

// strongest returns the most frequent class apart from O, or the zero cue if there is
// only O.
func strongest(counts []int) cue {
	best, total := 0, counts[0]
	for class := 1; class < len(counts); class++ {
		total += counts[class]
		if counts[class] > 0 && (best == 0 || counts[class] > counts[best]) {
			best = class
		}
	}
	if best == 0 {
		return cue{}
	}
	return cue{int32(best), float32(float64(counts[best]) / float64(total))}
}

// gain returns the information gain times the number of tokens: the bits by which the
// entropy of the classes of all tokens falls if it is known which of them have a certain
// value of a clue. prior has the number of all tokens by class, and with that of the
// tokens with this value.
func gain(prior, with []int) float64 {
	without := make([]int, len(prior))
	n, all := 0, 0
	for class := range prior {
		without[class] = prior[class] - with[class]
		n += with[class]
		all += prior[class]
	}
	return float64(all)*entropy(prior) - float64(n)*entropy(with) - float64(all-n)*entropy(without)
}

// sortedKeys returns the keys of a map, sorted.
func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
