package ann

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/embeddings"
	"github.com/lethe-deid/lethe/internal/intern"
	"github.com/lethe-deid/lethe/taggers/internal/reader"
)

// unknown is the id of tokens and characters without a vector of their own.
const unknown = 0

// maxCharacters bounds the characters of a token that the character LSTM reads. For a
// longer token (a pasted file, a line of dashes) it reads the beginning and the end.
const maxCharacters = 64

// vocabulary assigns ids to tokens and characters; id 0 is unknown.
type vocabulary struct {
	tokens       []string // by id; [0] is the name of the unknown token
	characters   []rune   // by id; [0] is unused
	digitsAsZero bool
	tokenID      *intern.Table // each token has the number id + 1
	characterID  map[rune]int32
}

// unknownToken is the name of row 0 in tokenizer.json. It contains a space, so it
// cannot be a token of a text.
const unknownToken = "[ UNK ]"

// newVocabulary returns a vocabulary of distinct tokens and characters.
func newVocabulary(tokens []string, characters []rune, digitsAsZero bool) *vocabulary {
	v := &vocabulary{tokens, characters, digitsAsZero, intern.New(), make(map[rune]int32, len(characters))}
	for i, t := range tokens {
		if n, err := v.tokenID.Add(t); err != nil || int(n) != i+1 {
			panic(fmt.Errorf("token %d is not distinct, or there are more than 4 GiB of tokens", i))
		}
	}
	for i, r := range characters[1:] {
		v.characterID[r] = int32(i + 1)
	}
	return v
}

// counter counts the tokens and characters of the training corpus.
type counter struct {
	tokens       map[string]*tokenCount
	characters   map[rune]int
	digitsAsZero bool
	minPatients  int // see Vocabulary; the patients are counted up to this number
	patients     map[rune]reader.Patients
}

type tokenCount struct {
	count, documents, last int
	patients               reader.Patients
}

func newCounter(digitsAsZero bool) *counter {
	return &counter{tokens: map[string]*tokenCount{}, characters: map[rune]int{}, digitsAsZero: digitsAsZero, patients: map[rune]reader.Patients{}}
}

// addOf adds a token of a document of a patient.
func (c *counter) addOf(patient, document int, token string) {
	t := c.addTimes(document, token, 1)
	if c.minPatients == 0 {
		return
	}
	t.patients = t.patients.Add(int32(patient), c.minPatients)
	for _, r := range token {
		c.patients[r] = c.patients[r].Add(int32(patient), c.minPatients)
	}
}

func (c *counter) add(document int, token string) { _ = c.addTimes(document, token, 1) }

// addTimes counts a token that occurs several times in a document.
func (c *counter) addTimes(document int, token string, times int) *tokenCount {
	for _, r := range token {
		c.characters[r] += times
	}
	if c.digitsAsZero {
		token = embeddings.ZeroDigits(token)
	}
	t := c.tokens[token]
	if t == nil {
		t = &tokenCount{last: -1}
		c.tokens[strings.Clone(token)] = t
	}
	t.count += times
	if t.last != document {
		t.last = document
		t.documents++
	}
	return t
}

// accepts reports whether a token has its own vector.
func (v Vocabulary) accepts(n *tokenCount) bool {
	return n.documents >= v.MinDocuments && len(n.patients) >= v.MinPatients
}

// kept returns the tokens that keep accepts, by falling frequency.
func (c *counter) kept(keep func(n *tokenCount) bool) (tokens []string) {
	for t, n := range c.tokens {
		if keep(n) {
			tokens = append(tokens, t)
		}
	}
	slices.SortFunc(tokens, func(a, b string) int {
		return cmp.Or(cmp.Compare(c.tokens[b].count, c.tokens[a].count), cmp.Compare(a, b))
	})
	return tokens
}

// vocabulary assigns ids to tokens in their order, and to the characters that occur at
// least twice, by falling frequency; those that occur once train the vector of the
// unknown character. More characters follow. Duplicates are left out.
func (c *counter) vocabulary(tokens []string, more []rune) *vocabulary {
	var characters []rune
	for r, n := range c.characters {
		if n > 1 && len(c.patients[r]) >= c.minPatients {
			characters = append(characters, r)
		}
	}
	slices.SortFunc(characters, func(a, b rune) int {
		return cmp.Or(cmp.Compare(c.characters[b], c.characters[a]), cmp.Compare(a, b))
	})
	return newVocabulary(append([]string{unknownToken}, unique(tokens)...), append([]rune{0}, unique(append(characters, more...))...), c.digitsAsZero)
}

// unique returns the values in their order, without duplicates.
func unique[T comparable](values []T) []T {
	seen := make(map[T]bool, len(values))
	var first []T
	for _, v := range values {
		if !seen[v] {
			seen[v] = true
			first = append(first, v)
		}
	}
	return first
}

// cascade is the order in which the reference looks tokens up.
var cascade = embeddings.Cascade{Lowercase: true, ZeroDigits: true}

// token returns the id of a token: as it is written or, failing that, by the cascade.
func (v *vocabulary) token(s string) int32 {
	if v.digitsAsZero {
		s = embeddings.ZeroDigits(s)
	}
	if n := v.tokenID.Find(s); n > 0 {
		return int32(n - 1)
	}
	for _, form := range cascade.Forms(s) {
		if n := v.tokenID.Find(form); n > 0 {
			return int32(n - 1)
		}
	}
	return unknown
}

// characterNames returns the characters by id as strings.
func (v *vocabulary) characterNames() []string {
	names := []string{unknownToken}
	for _, r := range v.characters[1:] {
		names = append(names, string(r))
	}
	return names
}

// spelling appends the ids of a token's characters.
func (v *vocabulary) spelling(dst []int32, s string) []int32 {
	if n := utf8.RuneCountInString(s); n > maxCharacters {
		r := []rune(s)
		s = string(r[:maxCharacters/2]) + string(r[n-maxCharacters/2:])
	}
	for _, r := range s {
		dst = append(dst, v.characterID[r])
	}
	return dst
}
