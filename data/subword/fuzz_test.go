package subword

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// checkTokens returns an error unless the tokens are in the order of the text and do not overlap.
func checkTokens(tokenizer *Tokenizer, text string, tokens []Token) error {
	end := 0
	for i, token := range tokens {
		if token.Start < end || token.End < token.Start || token.End > len(text) || token.ID < 0 || int(token.ID) >= tokenizer.Size() {
			return fmt.Errorf("token %d is %v in %d bytes", i, token, len(text))
		}
		end = token.End
	}
	return nil
}

// byBytes reports whether tokens can divide code points.
func byBytes(tokenizer *Tokenizer) bool {
	switch m := tokenizer.model.(type) {
	case *bpe:
		return m.bytes != nil || m.fallback != nil
	case *unigram:
		return m.fallback != nil
	}
	return false
}

// checkSpelling returns an error unless what each token covers is, once normalized, what the token says.
func checkSpelling(tokenizer *Tokenizer, text string, tokens []Token) error {
	trim := func(s string) string {
		return strings.Trim(strings.ReplaceAll(strings.TrimFunc(s, unicode.IsSpace), " ", "▁"), "▁")
	}
	for i, token := range tokens {
		covered := text[token.Start:token.End]
		inside := token.Start < len(text) && !utf8.RuneStart(text[token.Start]) || token.End < len(text) && !utf8.RuneStart(text[token.End])
		if inside && !byBytes(tokenizer) {
			return fmt.Errorf("token %d begins or ends inside a code point", i)
		}
		shared := i > 0 && tokens[i-1].Start == tokens[i-1].End || i+1 < len(tokens) && tokens[i+1].Start == tokens[i+1].End // with a further part
		if inside || shared || covered == "" || strings.ContainsFunc(covered, unicode.IsMark) {
			continue
		}
		says := tokenizer.vocabulary.tokens[token.ID]
		switch m := tokenizer.model.(type) {
		case *wordPiece:
			if token.ID == m.unknown {
				continue
			}
			says = strings.TrimPrefix(says, m.prefix)
		case *bpe:
			if token.ID == m.unknown {
				continue
			}
			if m.bytes != nil && int(token.ID) < len(m.spellings) && m.spellings[token.ID] != "" {
				says = m.spellings[token.ID]
			}
		case *unigram:
			if token.ID == m.unknown {
				continue
			}
		}
		if says == tokenizer.vocabulary.tokens[token.ID] && (strings.HasPrefix(says, "<0x") || says == covered) {
			continue
		}
		normalized, err := tokenizer.normalize(piece{s: covered, id: none})
		if err != nil {
			return err
		}
		got := trim(normalized.s)
		first, last := i > 0 && expands(tokenizer, text[:token.Start]), expands(tokenizer, covered)
		if trim(says) == "" || first && last || last && strings.HasPrefix(got, trim(says)) || first && strings.HasSuffix(says, got) {
			continue // the parts of a character that a normalizer expanded belong to several tokens, and the character to the first
		}
		if got != trim(says) && got != trim(tokenizer.vocabulary.tokens[token.ID]) {
			return fmt.Errorf("token %d is %+q and covers %+q", i, says, got)
		}
	}
	return nil
}

// expands reports whether the last character of a text becomes several.
func expands(tokenizer *Tokenizer, text string) bool {
	_, n := utf8.DecodeLastRuneInString(text)
	p, err := tokenizer.normalize(piece{s: text[len(text)-n:], id: none})
	return err == nil && utf8.RuneCountInString(p.s) > 1
}

func TestTokensSayWhatTheyCover(t *testing.T) {
	texts := readLines[string](t, "testdata/texts.jsonl")
	words := strings.Fields(strings.Join(texts[:7], " "))
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		texts = append(texts, randomText(r, words))
	}
	for _, kind := range kinds {
		tokenizer, err := Open(filepath.Join("testdata", kind))
		if err != nil {
			t.Fatal(err)
		}
		for i, text := range texts {
			tokens, err := tokenizer.Encode(text)
			if err == nil {
				err = checkTokens(tokenizer, text, tokens)
			}
			if err == nil {
				err = checkSpelling(tokenizer, text, tokens)
			}
			if err != nil {
				t.Errorf("%s: text %d, %+q: %v", kind, i, text, err)
			}
		}
	}
}

func FuzzEncode(f *testing.F) {
	var all []*Tokenizer
	for _, kind := range kinds {
		tokenizer, err := Open(filepath.Join("testdata", kind))
		if err != nil {
			f.Fatal(err)
		}
		all = append(all, tokenizer)
	}
	for _, text := range append(readLines[string](f, "testdata/texts.jsonl"), "\xff") {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for i, tokenizer := range all {
			tokens, err := tokenizer.Encode(text)
			if (err == nil) != utf8.ValidString(text) {
				t.Fatal(kinds[i], err)
			}
			if err := checkTokens(tokenizer, text, tokens); err != nil {
				t.Fatal(kinds[i], err)
			}
		}
	})
}

func FuzzTokenizerJSON(f *testing.F) {
	const text = "a bc Á <s>[MASK]  …漢\r\n"
	for _, content := range []string{small, smallBPE, smallUnigram} {
		f.Add([]byte(content), text)
	}
	for _, kind := range []string{"split", "byte-fallback"} {
		raw, err := os.ReadFile(filepath.Join("testdata", kind, "tokenizer.json"))
		if err != nil {
			f.Fatal(err)
		}
		head, _, _ := strings.Cut(string(raw), `"model":`)
		f.Add([]byte(head+`"model":{"type":"BPE","unk_token":"a","byte_fallback":true,"vocab":{"a":0,"b":1,"ab":2,"<0x41>":3},"merges":[["a","b"]]}}`), text)
	}
	f.Fuzz(func(t *testing.T, raw []byte, text string) {
		tokenizer, err := fromJSON(raw, &config{})
		if err != nil {
			return
		}
		if tokens, err := tokenizer.Encode(text); err == nil {
			if err := checkTokens(tokenizer, text, tokens); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func FuzzSentencePiece(f *testing.F) {
	raw, err := os.ReadFile("testdata/deberta-v2/spm.model")
	if err != nil {
		f.Fatal(err)
	}
	var model []byte // with few pieces, because large inputs are changed slowly
	pieces := 0
	if err := fields(raw, func(field protowire.Number, _ uint64, content []byte) error {
		if pieces++; field != 1 || pieces < 20 {
			model = protowire.AppendBytes(protowire.AppendTag(model, field, protowire.BytesType), content)
		}
		return nil
	}); err != nil {
		f.Fatal(err)
	}
	if _, err := fromDeberta(model, &config{}); err != nil {
		f.Fatal(err)
	}
	f.Add(model, "a ﬁ … patient")
	f.Add([]byte("\x0a\x03\x0a\x01a\x12\x03\xc0\x02\x05"), "a")
	f.Fuzz(func(t *testing.T, raw []byte, text string) {
		tokenizer, err := fromDeberta(raw, &config{})
		if err != nil {
			return
		}
		if tokens, err := tokenizer.Encode(text); err == nil {
			if err := checkTokens(tokenizer, text, tokens); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func FuzzVocabularyFiles(f *testing.F) {
	f.Add("[UNK]\n[CLS]\n[SEP]\na\n##b\n", `{"a":0,"b":1,"ab":2,"<s>":3,"</s>":4,"<unk>":5}`, "#version\na b\n", `{"do_lower_case":true,"mask_token":{"content":"a"}}`, "ab a")
	f.Fuzz(func(t *testing.T, vocabulary, ids, merges, settings, text string) {
		dir := t.TempDir()
		for name, content := range map[string]string{"vocab.json": ids, "merges.txt": merges, "tokenizer_config.json": settings} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		one, err := Open(dir)
		if err != nil {
			one = nil
		}
		two, err := fromVocabulary([]byte(vocabulary), &config{})
		if err != nil {
			two = nil
		}
		for _, tokenizer := range []*Tokenizer{one, two} {
			if tokenizer == nil {
				continue
			}
			if tokens, err := tokenizer.Encode(text); err == nil {
				if err := checkTokens(tokenizer, text, tokens); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}
