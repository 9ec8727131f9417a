package subword

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// model divides words into tokens.
type model interface {
	// divide appends the parts of a word, in order.
	divide(word string, parts []part) []part
	// spells reports whether a token can stand for this part of a word; first says whether the word begins with it.
	spells(id int32, s string, first bool) bool
}

// part is word[start:end] and its token.
type part struct {
	id         int32
	start, end int
}

// wordPiece takes the longest token that a word begins with, and then, again and again, the longest one that continues it. A word that
// cannot be divided in this way is unknown as a whole.
type wordPiece struct {
	vocabulary *vocabulary
	prefix     string // of tokens that continue a word
	unknown    int32
	longest    int     // a word of more characters is unknown
	first      *lookup // all tokens
	next       *lookup // those that continue a word, without the prefix
}

func newWordPiece(v *vocabulary, prefix string, unknown int32, longest int) *wordPiece {
	m := &wordPiece{vocabulary: v, prefix: prefix, unknown: unknown, longest: longest}
	first, next := make([]string, 0, len(v.ids)), []string(nil)
	firstIDs, nextIDs := make([]int32, 0, len(v.ids)), []int32(nil)
	for id, token := range v.tokens {
		if token == "" {
			continue
		}
		first, firstIDs = append(first, token), append(firstIDs, int32(id))
		if rest, ok := strings.CutPrefix(token, prefix); ok && rest != "" {
			next, nextIDs = append(next, rest), append(nextIDs, int32(id))
		}
	}
	m.first, m.next = newLookup(first, firstIDs), newLookup(next, nextIDs)
	return m
}

func (m *wordPiece) divide(word string, parts []part) []part {
	if len(word) > m.longest && utf8.RuneCountInString(word) > m.longest {
		return append(parts, part{m.unknown, 0, len(word)})
	}
	before := len(parts)
	for at := 0; at < len(word); {
		tokens := m.next
		if at == 0 {
			tokens = m.first
		}
		id, n := tokens.longest(word[at:])
		if id == none {
			return append(parts[:before], part{m.unknown, 0, len(word)})
		}
		parts = append(parts, part{id, at, at + n})
		at += n
	}
	return parts
}

func (m *wordPiece) spells(id int32, s string, first bool) bool {
	token := m.vocabulary.tokens[id]
	return id == m.unknown || first && token == s || !first && token[min(len(m.prefix), len(token)):] == s
}

// bpe joins the two neighbours whose merge comes first in the list of merges, again and again, beginning with bytes or code points.
type bpe struct {
	vocabulary *vocabulary
	size       int32            // of the vocabulary without added tokens
	merges     map[uint64]merge // by the ids of both parts
	bytes      *[256]int32      // the ids of the bytes, if words are divided into bytes; none where there is none
	fallback   *[256]int32      // the ids of the tokens <0x00> to <0xFF> for code points without a token
	unknown    int32            // of code points without a token; none: they are dropped
	fuse       bool             // whether neighbouring unknown code points are one token
	words      bool             // whether a word that is a token is not divided
	spellings  []string         // the bytes of the tokens, if words are divided into bytes
}

// newBPE makes a model without merges.
func newBPE(v *vocabulary) *bpe {
	return &bpe{vocabulary: v, size: int32(len(v.tokens)), unknown: none}
}

// get returns the id of a token, or none. Tokens that were added to the vocabulary later are not found.
func (m *bpe) get(token string) int32 {
	if id, ok := m.vocabulary.ids[token]; ok && id < m.size {
		return id
	}
	return none
}

type merge struct {
	rank, id int32
}

func key(a, b int32) uint64 { return uint64(uint32(a))<<32 | uint64(uint32(b)) }

// symbol is a part of a word while it is divided.
type symbol struct {
	id         int32
	before     int32 // the index of the symbol before, or -1
	next       int32 // and after
	start, end int32
}

func (m *bpe) divide(word string, parts []part) []part {
	if m.words {
		token := word
		if m.bytes != nil {
			token = encodeBytes(word)
		}
		if id := m.get(token); id != none {
			return append(parts, part{id, 0, len(word)})
		}
	}
	var few [64]symbol
	symbols := m.symbols(word, few[:0])
	for i := range symbols {
		symbols[i].before, symbols[i].next = int32(i-1), int32(i+1)
	}
	if len(symbols) > 0 {
		symbols[len(symbols)-1].next = -1
	}
	var queue heap
	for i := range len(symbols) - 1 {
		if m, ok := m.merges[key(symbols[i].id, symbols[i+1].id)]; ok {
			queue.push(m.rank, int32(i))
		}
	}
	for len(queue) > 0 {
		rank, i := queue.pop()
		left := &symbols[i]
		if left.id == none || left.next < 0 {
			continue
		}
		right := &symbols[left.next]
		found, ok := m.merges[key(left.id, right.id)]
		if !ok || found.rank != rank {
			continue // one of the two was joined with another one
		}
		left.id, left.end, left.next = found.id, right.end, right.next
		right.id = none
		if left.next >= 0 {
			after := &symbols[left.next]
			after.before = i
			if m, ok := m.merges[key(left.id, after.id)]; ok {
				queue.push(m.rank, i)
			}
		}
		if left.before >= 0 {
			if m, ok := m.merges[key(symbols[left.before].id, left.id)]; ok {
				queue.push(m.rank, left.before)
			}
		}
	}
	for i := int32(0); i >= 0 && int(i) < len(symbols); i = symbols[i].next {
		parts = append(parts, part{symbols[i].id, int(symbols[i].start), int(symbols[i].end)})
	}
	return parts
}

// symbols appends the bytes or code points of a word.
func (m *bpe) symbols(word string, out []symbol) []symbol {
	if m.bytes != nil {
		for i := range len(word) {
			out = m.orUnknown(out, m.bytes[word[i]], i, i+1)
		}
		return out
	}
	for i, r := range word {
		end := i + utf8.RuneLen(r)
		id := m.get(word[i:end])
		if id == none && m.fallback != nil && !slices.ContainsFunc([]byte(word[i:end]), func(c byte) bool { return m.fallback[c] == none }) {
			for k := i; k < end; k++ {
				out = append(out, symbol{id: m.fallback[word[k]], start: int32(k), end: int32(k + 1)})
			}
			continue
		}
		out = m.orUnknown(out, id, i, end)
	}
	return out
}

func (m *bpe) orUnknown(out []symbol, id int32, start, end int) []symbol {
	switch {
	case id != none:
	case m.unknown == none:
		return out
	case m.fuse && len(out) > 0 && out[len(out)-1].id == m.unknown && int(out[len(out)-1].end) == start:
		out[len(out)-1].end = int32(end)
		return out
	default:
		id = m.unknown
	}
	return append(out, symbol{id: id, start: int32(start), end: int32(end)})
}

func (m *bpe) spells(id int32, s string, _ bool) bool {
	if id == m.unknown {
		return true
	}
	if m.bytes != nil {
		return m.spellings[id] == s
	}
	return m.vocabulary.tokens[id] == s || m.fallback != nil && len(s) == 1 && m.fallback[s[0]] == id
}

// heap is a queue of pairs of rank and position, the least first.
type heap []uint64

func (h *heap) push(rank, position int32) {
	q := append(*h, key(rank, position))
	for i := len(q) - 1; i > 0; {
		parent := (i - 1) / 2
		if q[parent] <= q[i] {
			break
		}
		q[parent], q[i] = q[i], q[parent]
		i = parent
	}
	*h = q
}

func (h *heap) pop() (rank, position int32) {
	q := *h
	least := q[0]
	q[0] = q[len(q)-1]
	q = q[:len(q)-1]
	for i := 0; ; {
		child := 2*i + 1
		if child >= len(q) {
			break
		}
		if child+1 < len(q) && q[child+1] < q[child] {
			child++
		}
		if q[i] <= q[child] {
			break
		}
		q[i], q[child] = q[child], q[i]
		i = child
	}
	*h = q
	return int32(least >> 32), int32(uint32(least))
}

// byteRunes are the characters that stand for bytes in the vocabulary of GPT-2 and its descendants: the printable ones of Latin-1 for
// themselves, and those from U+0100 on for the other bytes in their order.
var byteRunes, runeBytes = func() (to [256]rune, from map[rune]byte) {
	from = map[rune]byte{}
	next := rune(0x100)
	for c := range to {
		to[c] = rune(c)
		if c < '!' || c > '~' && c < 0xa1 || c == 0xad {
			to[c] = next
			next++
		}
		from[to[c]] = byte(c)
	}
	return to, from
}()

func encodeBytes(s string) string {
	var b strings.Builder
	for i := range len(s) {
		b.WriteRune(byteRunes[s[i]])
	}
	return b.String()
}

// decodeBytes returns the bytes that a token stands for; a token that is not made of bytes has none.
func decodeBytes(token string) string {
	b := make([]byte, 0, len(token))
	for _, r := range token {
		c, ok := runeBytes[r]
		if !ok {
			return ""
		}
		b = append(b, c)
	}
	return string(b)
}

// useBytes makes the model divide words into bytes.
func (m *bpe) useBytes() {
	m.bytes = new([256]int32)
	for c := range m.bytes {
		m.bytes[c] = m.get(string(byteRunes[c]))
	}
	m.spellings = make([]string, len(m.vocabulary.tokens))
	for id, token := range m.vocabulary.tokens {
		m.spellings[id] = decodeBytes(token)
	}
}

// byteTokens returns the ids of <0x00> to <0xFF>.
func (v *vocabulary) byteTokens() *[256]int32 {
	ids := new([256]int32)
	for c := range ids {
		ids[c] = none
		if id, ok := v.ids[fmt.Sprintf("<0x%02X>", c)]; ok {
			ids[c] = id
		}
	}
	return ids
}

// unigram divides words so that the sum of the tokens' log probabilities is largest (Viterbi).
type unigram struct {
	vocabulary *vocabulary
	lookup     *lookup
	scores     []float64
	unknown    int32
	penalty    float64 // the log probability of an unknown character
	fallback   *[256]int32
}

// unknownPenalty is by how much an unknown character is less probable than the least probable token. It is that of SentencePiece.
const unknownPenalty = 10

func newUnigram(v *vocabulary, scores []float64, unknown int32) *unigram {
	keys, ids := make([]string, 0, len(v.tokens)), make([]int32, 0, len(v.tokens))
	for id, token := range v.tokens {
		if token != "" {
			keys, ids = append(keys, token), append(ids, int32(id))
		}
	}
	return &unigram{vocabulary: v, lookup: newLookup(keys, ids), scores: scores, unknown: unknown, penalty: slices.Min(scores) - unknownPenalty}
}

// step is the best division of the text before a place: its last token.
type step struct {
	score float64
	start int32
	id    int32
}

func (m *unigram) divide(word string, parts []part) []part {
	var few [128]step
	best := few[:0]
	if len(word) >= len(few) {
		best = make([]step, 0, len(word)+1)
	}
	best = best[:len(word)+1]
	for i := range best {
		best[i].start = -1
	}
	best[0].score = 0
	reach := func(end, start int, id int32, score float64) {
		if b := &best[end]; b.start < 0 || score > b.score {
			*b = step{score, int32(start), id}
		}
	}
	for start := 0; start < len(word); {
		_, size := utf8.DecodeRuneInString(word[start:])
		score, single := best[start].score, false
		w := m.lookup.start()
		for end := start; end < len(word); {
			id, more := w.next(word[end])
			end++
			if id != none {
				reach(end, start, id, score+m.scores[id])
				single = single || end-start == size
			}
			if !more {
				break
			}
		}
		if !single && m.unknown != none {
			reach(start+size, start, m.unknown, score+m.penalty)
		}
		start += size
	}
	before := len(parts)
	for end := len(word); end > 0; end = int(best[end].start) {
		s := best[end]
		if last := len(parts) - 1; s.id == m.unknown && last >= before && parts[last].id == m.unknown {
			parts[last].start = int(s.start) // neighbouring unknown characters are one token
			continue
		}
		parts = append(parts, part{s.id, int(s.start), end})
	}
	slices.Reverse(parts[before:])
	if m.fallback != nil {
		parts = m.bytes(word, parts, before)
	}
	return parts
}

// bytes replaces unknown parts by the tokens of their bytes.
func (m *unigram) bytes(word string, parts []part, before int) []part {
	divided := slices.Clone(parts[before:])
	parts = parts[:before]
	for _, p := range divided {
		if p.id != m.unknown || slices.ContainsFunc([]byte(word[p.start:p.end]), func(c byte) bool { return m.fallback[c] == none }) {
			parts = append(parts, p)
			continue
		}
		for i := p.start; i < p.end; i++ {
			parts = append(parts, part{m.fallback[word[i]], i, i + 1})
		}
	}
	return parts
}

func (m *unigram) spells(id int32, s string, _ bool) bool {
	return id == m.unknown || m.vocabulary.tokens[id] == s || m.fallback != nil && len(s) == 1 && m.fallback[s[0]] == id
}

// finite reports whether a score is a number.
func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }
