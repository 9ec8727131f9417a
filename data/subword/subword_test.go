package subword

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

var kinds = []string{"bert", "bert-cased", "roberta", "roberta-prefix", "modernbert", "split", "byte-fallback", "xlm-roberta", "camembert", "deberta-v2"}

type answer struct {
	IDs     []int32  `json:"ids"`
	Offsets [][2]int `json:"offsets"`
}

func readLines[T any](t testing.TB, path string) (out []T) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(nil, 64<<20)
	for s.Scan() {
		var v T
		if err := json.Unmarshal(s.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

// compare returns the first difference between tokens and what tokenizers found, except where reason says that tokenizers is wrong.
func compare(text string, got []Token, want answer) error {
	for i := range max(len(got), len(want.IDs)) {
		if i >= len(got) || i >= len(want.IDs) || got[i].ID != want.IDs[i] {
			return fmt.Errorf("token %d of %d and %d has another id", i, len(got), len(want.IDs))
		}
	}
	end, wantEnd := 0, 0
	for i, g := range got {
		w := Token{g.ID, max(want.Offsets[i][0], wantEnd), max(want.Offsets[i][1], wantEnd)}
		wide := Token{g.ID, max(back(text, g.Start), end), max(forth(text, g.End), end)} // whole code points
		if wide != w && reason(text, wide, w) == "" {
			return fmt.Errorf("token %d is [%d,%d), not [%d,%d): %q, not %q", i, g.Start, g.End, w.Start, w.End, text[g.Start:g.End], text[w.Start:w.End])
		}
		end = max(end, wide.End)
		wantEnd = end
	}
	return nil
}

func back(text string, i int) int {
	for i < len(text) && !utf8.RuneStart(text[i]) {
		i--
	}
	return i
}

func forth(text string, i int) int {
	for i < len(text) && !utf8.RuneStart(text[i]) {
		i++
	}
	return i
}

// reason says why tokenizers has other offsets.
func reason(text string, got, want Token) string {
	covered := text[got.Start:got.End]
	switch {
	case covered == "":
		return "inserted: tokenizers gives it the character after it, which the next token has too"
	case strings.TrimFunc(covered, isSpace) == "":
		return "white space: tokenizers gives it nothing, or only the last character"
	case want.Start == want.End, want.End == got.End && want.Start == forth(text, got.Start+1) && got.Start > 0 && text[got.Start-1] == '>':
		return "trimmed: tokenizers takes a space from it that was inserted"
	case strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Cc, r) && !unicode.IsSpace(r) }):
		return "removed: after characters that were removed, tokenizers is off by as many"
	case want.Start <= got.Start && want.End <= got.End && strings.TrimFunc(text[want.Start:got.Start], isSpace) == "" && strings.TrimFunc(text[want.End:got.End], isMark) == "":
		return "composed or white space: tokenizers gives it only the first of the characters that it was composed from, or a character that became a space"
	}
	return ""
}

// isSpace reports whether some tokenizer makes a space of a character.
func isSpace(r rune) bool {
	return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) || r == 0xfffd || r == '▁' || unicode.Is(unicode.M, r) // marks disappear with it
}

// isMark reports whether a character can be composed with the one before it.
func isMark(r rune) bool { return unicode.In(r, unicode.M, jamo) }

var jamo = &unicode.RangeTable{R16: []unicode.Range16{{Lo: 0x1100, Hi: 0x11ff, Stride: 1}, {Lo: 0x3131, Hi: 0x318e, Stride: 1}, {Lo: 0xffa0, Hi: 0xffdc, Stride: 1}}}

// The tokenizers in testdata were made of generated notes, and golden.jsonl of each by tokenizers, with the commands that
// scripts/peers/subword/subword.py begins with.
func TestGolden(t *testing.T) {
	texts := readLines[string](t, "testdata/texts.jsonl")
	for _, kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			tokenizer, err := Open(filepath.Join("testdata", kind))
			if err != nil {
				t.Fatal(err)
			}
			want := readLines[answer](t, filepath.Join("testdata", kind, "golden.jsonl"))
			for i, text := range texts {
				got, err := tokenizer.Encode(text)
				if err == nil {
					err = compare(text, got, want[i])
				}
				if err != nil {
					t.Errorf("%d %q: %v", i, text, err)
				}
			}
		})
	}
}
