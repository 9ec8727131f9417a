package i2b2

import (
	"iter"
	"math/bits"
	"strconv"
	"strings"
	"unicode"

	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/evaluation/internal/tagged"
)

// counter counts documents, one at a time.
//
// It counts all evaluations at once. A set of evaluations is a bit mask. Each key
// (the properties that two tags or tokens must share) is mapped to two such sets:
// the evaluations whose gold set contains it, and those whose system set does.
type counter struct {
	rules     []rule
	corrected bool
	hipaa     func(*Tag) bool
	user      func(*Tag) bool
	warnings  []string

	ofKind [binaryStrict + 1]uint64 // by kind: its evaluations
	// keep contains the evaluations that keep a tag, by its element, whether it
	// is HIPAA's, and whether the user's filter passes it.
	keep [][2][2]uint64

	tags   map[tagKey]sides
	tokens map[tokenKey]sides
}

// tagKey is the key of a tag. In binary evaluations only the offsets are set.
type tagKey struct {
	element         int // -1 in binary evaluations
	typ, start, end string
}

// tokenKey is the key of a token. In binary evaluations only the offsets are set.
type tokenKey struct {
	element    int // -1 in binary evaluations
	typ        string
	start, end int
}

// sides contains, for the gold side and the system side, the evaluations in which
// the side has a key.
type sides [2]uint64

const goldSide, systemSide = 0, 1

func newCounter(o Options) (*counter, error) {
	c := &counter{rules: rules(), corrected: o.Corrected, hipaa: hipaa, tags: map[tagKey]sides{}, tokens: map[tokenKey]sides{}}
	if o.Corrected {
		c.hipaa = correctedHIPAA
	}
	var err error
	if c.user, c.warnings, err = o.filter(); err != nil {
		return nil, err
	}
	invert := o.Invert && len(o.Filter) > 0 && !o.Corrected
	c.keep = make([][2][2]uint64, len(elements))
	for i, r := range c.rules {
		c.ofKind[r.kind] |= 1 << i
		for e := range elements {
			for _, hipaa := range []bool{false, true} {
				for _, user := range []bool{false, true} {
					if r.keeps(e, hipaa, user, invert) {
						c.keep[e][index(hipaa)][index(user)] |= 1 << i
					}
				}
			}
		}
	}
	return c, nil
}

func index(b bool) int {
	if b {
		return 1
	}
	return 0
}

// fork returns a counter with the same rules, for concurrent use.
func (c *counter) fork() *counter {
	other := *c
	other.tags, other.tokens = map[tagKey]sides{}, map[tokenKey]sides{}
	return &other
}

// count returns the counts of a document by evaluation.
func (c *counter) count(gold, system *Document) []evaluation.Counts {
	clear(c.tags)
	clear(c.tokens)
	words := c.wordPoints(gold.Text)
	goldTags, systemTags := c.kept(gold), c.kept(system)
	c.add(goldSide, goldTags, words)
	c.add(systemSide, systemTags, words)
	counts := make([]evaluation.Counts, len(c.rules))
	for _, s := range c.tags {
		s.count(counts)
	}
	for _, s := range c.tokens {
		s.count(counts)
	}
	for i := range c.rules {
		if in := uint64(1) << i; c.ofKind[relaxed]&in != 0 {
			compare := compareRelaxed
			if c.corrected {
				compare = matchRelaxed
			}
			counts[i] = compare(relaxedTags(goldTags, in), relaxedTags(systemTags, in))
		}
	}
	return counts
}

func (s sides) count(counts []evaluation.Counts) {
	gold, system := s[goldSide], s[systemSide]
	for in := gold & system; in != 0; in &= in - 1 {
		counts[bits.TrailingZeros64(in)].TP++
	}
	for in := system &^ gold; in != 0; in &= in - 1 {
		counts[bits.TrailingZeros64(in)].FP++
	}
	for in := gold &^ system; in != 0; in &= in - 1 {
		counts[bits.TrailingZeros64(in)].FN++
	}
}

// keptTag is a tag with its strict key and the evaluations that keep it.
type keptTag struct {
	*Tag
	key tagKey
	in  uint64
}

func (c *counter) kept(d *Document) []keptTag {
	tags := make([]keptTag, len(d.Tags))
	for i := range d.Tags {
		t := &d.Tags[i]
		tags[i] = keptTag{
			Tag: t,
			key: tagKey{t.element, strings.ToUpper(t.typ), strings.ToUpper(t.start), strings.ToUpper(t.end)},
			in:  c.keep[t.element][index(c.hipaa(t))][index(c.user(t))],
		}
		if c.corrected {
			tags[i].key.start, tags[i].key.end = strconv.Itoa(t.from), strconv.Itoa(t.to)
		}
	}
	return tags
}

// add adds the tags of one side, and their tokens, to the sets of the evaluations
// that keep them.
func (c *counter) add(side int, tags []keptTag, words []bool) {
	addTag := func(key tagKey, in uint64) {
		s := c.tags[key]
		s[side] |= in
		c.tags[key] = s
	}
	addToken := func(key tokenKey, in uint64) {
		s := c.tokens[key]
		s[side] |= in
		c.tokens[key] = s
	}
	for _, t := range tags {
		addTag(t.key, t.in&c.ofKind[strict])
		binary := tagKey{-1, "", t.key.start, t.key.end}
		if t.element == phi && !c.corrected {
			binary = t.key
		}
		addTag(binary, t.in&c.ofKind[binaryStrict])

		typ := t.typ
		if c.corrected {
			typ = t.key.typ
		}
		for start, end := range tokens(words, t.from, t.to) {
			addToken(tokenKey{t.element, typ, start, end}, t.in&c.ofKind[token])
			addToken(tokenKey{-1, "", start, end}, t.in&c.ofKind[binaryToken])
		}
	}
}

// wordPoints reports, for each code point of a text, whether it is part of a
// token.
func (c *counter) wordPoints(text string) []bool {
	words := make([]bool, 0, len(text))
	for _, r := range text {
		words = append(words, r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			c.corrected && (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)))
	}
	return words
}

// tokens yields the tokens of text[start:end], sliced as Python does. Their
// offsets, however, are relative to start as written.
func tokens(words []bool, start, end int) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		from, to := tagged.Slice(len(words), start, end)
		shift := start - from
		found := false
		for i := from; i < to; i++ {
			if !words[i] {
				continue
			}
			first := i
			for i < to && words[i] {
				i++
			}
			found = true
			if !yield(first+shift, i+shift) {
				return
			}
		}
		if !found {
			yield(to+shift, to+shift)
		}
	}
}
