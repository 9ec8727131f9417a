package subword

import (
	"encoding/binary"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// charsmap is the table of replacements in a SentencePiece model, precompiled_charsmap: a double-array trie (Aoe 1989) in the format of
// darts-clone, whose values are offsets of strings that end with a zero byte.
type charsmap struct {
	units   []uint32
	strings string
}

func newCharsmap(raw []byte) (*charsmap, error) {
	if len(raw) < 4 {
		return nil, errors.New("precompiled_charsmap is truncated")
	}
	n := uint64(binary.LittleEndian.Uint32(raw))
	if n == 0 || n%4 != 0 || n > uint64(len(raw)-4) {
		return nil, errors.New("precompiled_charsmap has a wrong size")
	}
	c := &charsmap{units: make([]uint32, n/4), strings: string(raw[4+n:])}
	for i := range c.units {
		c.units[i] = binary.LittleEndian.Uint32(raw[4+4*i:])
	}
	if !utf8.ValidString(c.strings) {
		return nil, errors.New("precompiled_charsmap contains text that is not UTF-8")
	}
	return c, nil
}

// replacement returns what the table has for the shortest beginning of a text. That it is not the longest one is a mistake that
// tokenizers makes.
func (c *charsmap) replacement(text string) (string, bool) {
	at := offset(c.units[0])
	for i := 0; i < len(text) && text[i] != 0; i++ {
		at ^= uint32(text[i])
		if at >= uint32(len(c.units)) {
			return "", false
		}
		unit := c.units[at]
		if unit&(1<<31|0xff) != uint32(text[i]) {
			return "", false
		}
		at ^= offset(unit)
		if unit>>8&1 == 0 {
			continue
		}
		if at >= uint32(len(c.units)) {
			return "", false
		}
		value := c.units[at] & (1<<31 - 1)
		if value >= uint32(len(c.strings)) || !utf8.RuneStart(c.strings[value]) {
			return "", false
		}
		with := c.strings[value:]
		if end := strings.IndexByte(with, 0); end >= 0 {
			with = with[:end]
		}
		return with, true
	}
	return "", false
}

// offset returns the offset of the children of a unit.
func offset(unit uint32) uint32 { return unit >> 10 << (unit & (1 << 9) >> 6) }

// normalize replaces grapheme clusters of less than six bytes, and other characters one by one. (A cluster whose first character is in
// the table is replaced as a whole by what this character becomes.)
func (c *charsmap) normalize(p piece) (piece, error) {
	e := edit{in: p}
	put := func(i, j int) bool {
		with, ok := c.replacement(p.s[i:j])
		if ok && with != p.s[i:j] {
			e.replace(i, j, with)
		}
		return ok
	}
	state := -1
	for i := 0; i < len(p.s); {
		n := 1
		if plain(p.s[i:]) {
			state = -1
		} else {
			var cluster string
			cluster, _, _, state = uniseg.FirstGraphemeClusterInString(p.s[i:], state)
			n = len(cluster)
		}
		if n >= 6 || !put(i, i+n) {
			for j := i; j < i+n; {
				_, size := utf8.DecodeRuneInString(p.s[j:])
				put(j, j+size)
				j += size
			}
		}
		i += n
	}
	return e.result(), nil
}

// plain reports whether a text begins with a cluster of one ASCII character.
func plain(s string) bool {
	return s[0] < utf8.RuneSelf && s[0] != '\r' && (len(s) == 1 || s[1] < utf8.RuneSelf)
}
