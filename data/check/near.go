package check

import (
	"crypto/sha256"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
)

// Threshold is the similarity from which two notes are nearly the same: the number of different
// runs of three words that they share, divided by the number of those that at least one of them has
// (Jaccard's coefficient of shingles: Broder 1997, "On the resemblance and containment of
// documents"). Case, punctuation and white space do not count.
const Threshold = 0.7

const (
	shingle = 3 // words
	// A note is compared only with those that have the same MinHash signature in one of the bands
	// (Leskovec, Rajaraman and Ullman, "Mining of Massive Datasets", section 3.4). Of two notes whose
	// similarity is s, 1-(1-s^rows)^bands is the probability of that: 0.988 for 0.7, and 0.9999 for 0.8.
	bands, rows = 24, 5
	// maxBucket is how many notes of a split are kept for a signature of a band, the first ones. It
	// keeps the time linear when very many notes are alike.
	maxBucket = 8
)

// index finds earlier notes that are the same as a note, or nearly the same.
type index struct {
	ids      []string
	shingles [][]uint32
	buckets  map[uint64][]int32 // the first notes of a split with a signature of a band
	texts    map[text]int32     // the first note of a split with a text
}

// text identifies a text in a split.
type text struct {
	hash  [16]byte
	split int
}

func newIndex() index { return index{buckets: map[uint64][]int32{}, texts: map[text]int32{}} }

// prepared is what the index compares of a note.
type prepared struct {
	hash     [16]byte // of the text
	shingles []uint32 // hashes, sorted
	bands    [bands]uint64
}

// prepare returns nil for a text without words.
func prepare(doc *data.Document) *prepared {
	words := wordHashes(doc.Text)
	if len(words) == 0 {
		return nil
	}
	p := &prepared{hash: fingerprint(doc.Text)}
	n := min(shingle, len(words))
	for i := range len(words) - n + 1 {
		h := uint64(0)
		for _, w := range words[i : i+n] {
			h = mix(h ^ w)
		}
		p.shingles = append(p.shingles, uint32(h>>32))
	}
	slices.Sort(p.shingles)
	p.shingles = slices.Clip(slices.Compact(p.shingles))
	p.bands = signature(p.shingles)
	return p
}

// find returns the ID of the first note of a split that is the same or, if there is none, of the
// first known one that is nearly the same. It returns "" if there is none either.
func (x *index) find(p *prepared, split int) (id string, same bool) {
	if i, ok := x.texts[text{p.hash, split}]; ok {
		return x.ids[i], true
	}
	var candidates []int32
	for _, band := range p.bands {
		candidates = append(candidates, x.buckets[bucket(band, split)]...)
	}
	slices.Sort(candidates)
	for _, i := range slices.Compact(candidates) {
		if similar(p.shingles, x.shingles[i]) {
			return x.ids[i], false
		}
	}
	return "", false
}

// add adds a note of a split.
func (x *index) add(p *prepared, id string, split int) {
	n := int32(len(x.ids))
	x.ids, x.shingles = append(x.ids, id), append(x.shingles, p.shingles)
	if at := (text{p.hash, split}); !has(x.texts, at) {
		x.texts[at] = n
	}
	for _, band := range p.bands {
		at := bucket(band, split)
		if notes := x.buckets[at]; len(notes) < maxBucket {
			x.buckets[at] = append(notes, n)
		}
	}
}

// bucket returns the key of the notes of a split with a signature of a band.
func bucket(band uint64, split int) uint64 { return mix(band + uint64(split)) }

func has[K comparable, V any](m map[K]V, key K) bool { _, ok := m[key]; return ok }

// similar reports whether the similarity of two sets of shingles is at least Threshold.
func similar(a, b []uint32) bool {
	if float64(min(len(a), len(b))) < Threshold*float64(max(len(a), len(b))) {
		return false
	}
	shared := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			shared, i, j = shared+1, i+1, j+1
		}
	}
	return float64(shared) >= Threshold*float64(len(a)+len(b)-shared)
}

// fingerprint hashes a text, treating any run of white space as one blank.
func fingerprint(text string) (h [16]byte) {
	sum := sha256.Sum256([]byte(strings.Join(strings.Fields(text), " ")))
	return [16]byte(sum[:])
}

// wordHashes returns a hash of each run of letters and digits, in lower case.
func wordHashes(text string) (words []uint64) {
	const offset, prime = 14695981039346656037, 1099511628211 // FNV-1a
	h, inside := uint64(offset), false
	for i := 0; i < len(text); {
		r, n := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(text[i:])
		}
		i += n
		if r < utf8.RuneSelf && 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		} else if r >= utf8.RuneSelf {
			r = unicode.ToLower(r)
		}
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r >= utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)) {
			h, inside = (h^uint64(r))*prime, true
		} else if inside {
			words, h, inside = append(words, h), offset, false
		}
	}
	if inside {
		words = append(words, h)
	}
	return words
}

// mix is the finalizer of SplitMix64 (Steele, Lea and Flood 2014).
func mix(h uint64) uint64 {
	h += 0x9e3779b97f4a7c15
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

// factors and terms are those of the hash functions of signatures.
var factors, terms = func() (a, b [bands * rows]uint64) {
	h := uint64(1)
	for i := range a {
		h = mix(h)
		a[i] = h | 1
		h = mix(h)
		b[i] = h
	}
	return a, b
}()

// signature returns a hash of each band of the MinHash signature: for each hash function, the
// smallest hash of a shingle.
func signature(shingles []uint32) (all [bands]uint64) {
	var least [bands * rows]uint32
	for i := range least {
		least[i] = 1<<32 - 1
	}
	for _, s := range shingles {
		x := mix(uint64(s))
		for i := range least {
			least[i] = min(least[i], uint32((factors[i]*x+terms[i])>>32))
		}
	}
	for band := range all {
		h := uint64(band)
		for _, m := range least[band*rows : (band+1)*rows] {
			h = mix(h ^ uint64(m))
		}
		all[band] = h
	}
	return all
}
