package checkpoints

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/sugarme/tokenizer"
	"github.com/sugarme/tokenizer/model/wordlevel"
)

// tokenizer.json is in Hugging Face's format with a WordLevel model.
// sugarme/tokenizer provides the layout of the file (Config) and the model
// (wordlevel). Its function that reads a whole file, pretrained.CreateModel,
// panics on unexpected input and is not used. Text is tokenized by data/tokenize,
// which supports byte offsets.

// encodeTokenizer returns the file of tokens in id order. For the letters-digits
// tokenizer, the file contains its rule, so that other programs split a text as
// Lethe does. The format cannot express the other tokenizers; for them, the file
// expects their tokens joined by spaces.
func encodeTokenizer(tokens []string, unknown, tokenizerName string) ([]byte, error) {
	pre := map[string]any{"type": "WhitespaceSplit"}
	if tokenizerName == "letters-digits" {
		pre = map[string]any{
			"type":     "Split",
			"pattern":  map[string]any{"Regex": `\p{L}[\p{L}\p{M}]*|\p{Nd}+|[^\s\p{L}\p{Nd}]`},
			"behavior": "Removed",
			"invert":   true, // the matches are the tokens, and text between them is removed
		}
	}
	return encodeJSON(tokenizer.Config{
		Version:      "1.0",
		AddedTokens:  []tokenizer.TokenConfig{},
		PreTokenizer: pre,
		Model:        map[string]any{"type": "WordLevel", "unk_token": unknown, "vocab": vocabulary(tokens)},
	})
}

// decodeTokenizer returns the tokens in id order and the unknown token. Its
// errors contain ids but no tokens, which may be words of training notes.
func decodeTokenizer(b []byte) (tokens []string, unknown string, err error) {
	var file struct {
		Model struct {
			Type    string         `json:"type"`
			Vocab   map[string]int `json:"vocab"`
			Unknown *string        `json:"unk_token"`
		} `json:"model"`
	}
	err = json.Unmarshal(b, &file)
	if _, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return nil, "", errors.New("model is not a WordLevel whose vocab maps tokens to ids")
	} else if err != nil {
		return nil, "", err
	}
	if file.Model.Type != "WordLevel" {
		return nil, "", errors.New("model.type is not WordLevel")
	}
	if file.Model.Unknown == nil {
		return nil, "", errors.New("model.unk_token is missing")
	}
	unknown = *file.Model.Unknown
	model, err := wordlevel.New(file.Model.Vocab, unknown)
	if err != nil {
		return nil, "", err
	}
	if _, ok := model.TokenToId(unknown); !ok {
		return nil, "", errors.New("model.unk_token is not in model.vocab")
	}
	tokens = make([]string, model.GetVocabSize())
	for id := range tokens {
		var ok bool
		if tokens[id], ok = model.IdToToken(id); !ok {
			return nil, "", fmt.Errorf("model.vocab: the ids are not 0 to %d, each once", len(tokens)-1)
		}
	}
	return joined(tokens), unknown, nil
}

// joined returns strings with the same content that share the memory of one, which the garbage collector need not visit one by one.
func joined(list []string) []string {
	all := strings.Join(list, "")
	for i, at := 0, 0; i < len(list); i++ {
		end := at + len(list[i])
		list[i], at = all[at:end], end
	}
	return list
}

// vocabulary contains the tokens in id order. It marshals as a JSON object from
// token to id in the same order.
type vocabulary []string

func (v vocabulary) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	b.WriteByte('{')
	for id, token := range v {
		if id > 0 {
			b.WriteByte(',')
		}
		if err := enc.Encode(token); err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, ":%d", id)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// checkDistinct returns an error if the strings of a list are not distinct UTF-8,
// because JSON or a table of ids would change them silently.
func checkDistinct(what string, list []string) error {
	seen := make(map[string]int, len(list))
	for id, s := range list {
		if !utf8.ValidString(s) {
			return fmt.Errorf("%s %d is not UTF-8", what, id)
		}
		if first, ok := seen[s]; ok {
			return fmt.Errorf("%ss %d and %d are the same", what, first, id)
		}
		seen[s] = id
	}
	return nil
}

// encodeJSON returns v as indented JSON, without HTML escapes, ending in a line
// feed.
func encodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	return b.Bytes(), err
}
