package rules

import (
	"hash/maphash"
	"sync"
)

// maxRecent is the number of matches that recent keeps, of 64 bytes each. A text counts as one more. This is
// enough for 60 matches in each of the 256 notes that a job has in work at a time; if there are more, texts are searched again.
const maxRecent = 1 << 14

// recent keeps the matches in the latest texts. A text is mostly searched more than once: for the features of a network,
// by the tagger of rules, and for values that are recognizable by their form. The texts themselves are not kept.
type recent struct {
	mu    sync.Mutex
	found map[digest][]Match
	order []digest // as they were put
	size  int      // number of matches and texts
}

// digest stands for a text. With 128 bits that nobody can foresee, no two texts have the same one.
type digest [2]uint64

var seeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

func digestOf(text string) digest {
	return digest{maphash.String(seeds[0], text), maphash.String(seeds[1], text)}
}

func (r *recent) get(text digest) ([]Match, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	found, ok := r.found[text]
	return found, ok
}

func (r *recent) put(text digest, found []Match) {
	if len(found) >= maxRecent {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.found == nil {
		r.found = map[digest][]Match{}
	}
	if _, ok := r.found[text]; ok { // by another goroutine
		return
	}
	r.found[text] = found
	r.order, r.size = append(r.order, text), r.size+len(found)+1
	for r.size > maxRecent {
		r.size -= len(r.found[r.order[0]]) + 1
		delete(r.found, r.order[0])
		r.order = r.order[1:]
	}
}
