package spacy

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// number returns the number by which spaCy stores a string: its place among the symbols, or else its hash.
func number(s string) uint64 {
	if n, ok := symbolNumbers[s]; ok {
		return n
	}
	return murmur(s)
}

// murmur computes MurmurHash64A (Austin Appleby's MurmurHash2 for 64 bits) with the seed of spaCy, 1.
func murmur(s string) uint64 {
	const (
		seed  = 1
		m     = 0xc6a4a7935bd1e995
		shift = 47
	)
	h := seed ^ uint64(len(s))*m
	raw := []byte(s)
	for ; len(raw) >= 8; raw = raw[8:] {
		k := binary.LittleEndian.Uint64(raw) * m
		k = (k ^ k>>shift) * m
		h = (h ^ k) * m
	}
	if len(raw) > 0 {
		var last [8]byte
		copy(last[:], raw)
		h = (h ^ binary.LittleEndian.Uint64(last[:])) * m
	}
	h = (h ^ h>>shift) * m
	return h ^ h>>shift
}

// symbols are the strings that spaCy numbers from 0 on, in their order (spacy/symbols.pyx). New versions append to them.
var symbols = makeSymbols()

var symbolNumbers = func() map[string]uint64 {
	numbers := map[string]uint64{}
	for n, s := range symbols {
		numbers[s] = uint64(n)
	}
	return numbers
}()

func makeSymbols() []string {
	all := []string{""}
	add := func(words string) { all = append(all, strings.Fields(words)...) }
	add("IS_ALPHA IS_ASCII IS_DIGIT IS_LOWER IS_PUNCT IS_SPACE IS_TITLE IS_UPPER LIKE_URL LIKE_NUM LIKE_EMAIL IS_STOP")
	add("IS_OOV_DEPRECATED IS_BRACKET IS_QUOTE IS_LEFT_PUNCT IS_RIGHT_PUNCT IS_CURRENCY")
	for n := 19; n <= 63; n++ {
		add(fmt.Sprintf("FLAG%d", n))
	}
	add("ID ORTH LOWER NORM SHAPE PREFIX SUFFIX LENGTH CLUSTER LEMMA POS TAG DEP ENT_IOB ENT_TYPE HEAD SENT_START SPACY PROB LANG")
	add("ADJ ADP ADV AUX CONJ CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X EOL SPACE")
	for n := 1; n <= 276; n++ {
		add(fmt.Sprintf("DEPRECATED%03d", n))
	}
	add("PERSON NORP FACILITY ORG GPE LOC PRODUCT EVENT WORK_OF_ART LANGUAGE LAW DATE TIME PERCENT MONEY QUANTITY ORDINAL CARDINAL")
	add("acomp advcl advmod agent amod appos attr aux auxpass cc ccomp complm conj cop csubj csubjpass dep det dobj expl hmod hyph")
	add("infmod intj iobj mark meta neg nmod nn npadvmod nsubj nsubjpass num number oprd obj obl parataxis partmod pcomp pobj poss")
	add("possessive preconj prep prt punct quantmod relcl rcmod root xcomp acl ENT_KB_ID MORPH ENT_ID IDX _")
	return all
}
