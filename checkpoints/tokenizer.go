package checkpoints

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/sugarme/tokenizer"

	"github.com/lethe-deid/lethe/internal/bounded"
)

// tokenizer.json is in Hugging Face's format with a WordLevel model.
// sugarme/tokenizer provides the layout of the file (Config). Its function that reads a
// whole file, pretrained.CreateModel, panics on unexpected input and is not used. Text is
// tokenized by data/tokenize, which supports byte offsets.

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

// vocabularies have what tokenizerIn has returned for the models that come with the
// program: to choose a model, and to open it, both take its tokens.
var vocabularies sync.Map

type tokenizerFile struct {
	tokens  []string // in id order
	unknown string
}

// tokenizerIn decodes a file with this content.
func tokenizerIn(path string, b []byte) (tokenizerFile, error) {
	read := func() (t tokenizerFile, err error) {
		t.tokens, t.unknown, err = decodeTokenizer(b)
		return t, err
	}
	if bounded.IsBuiltin(path) {
		once, _ := vocabularies.LoadOrStore(path, sync.OnceValues(read))
		read = once.(func() (tokenizerFile, error))
	}
	return read()
}

// decodeTokenizer returns the tokens in id order and the unknown token. Its
// errors contain ids but no tokens, which may be words of training notes.
func decodeTokenizer(b []byte) (tokens []string, unknown string, err error) {
	var file struct {
		Model struct {
			Type    string     `json:"type"`
			Vocab   vocabulary `json:"vocab"`
			Unknown *string    `json:"unk_token"`
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
	if !slices.Contains(file.Model.Vocab, unknown) {
		return nil, "", errors.New("model.unk_token is not in model.vocab")
	}
	return file.Model.Vocab, unknown, nil
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

// UnmarshalJSON implements json.Unmarshaler for valid JSON. With tens of thousands of
// tokens, which the program reads whenever it starts, it takes a fraction of the time of a
// map[string]int and its inverse.
func (v *vocabulary) UnmarshalJSON(b []byte) error {
	wrong := &json.UnmarshalTypeError{Value: "value", Type: reflect.TypeFor[map[string]int]()}
	if string(b) == "null" {
		return nil
	}
	if b[0] != '{' {
		return wrong
	}
	ids := make(map[string]int, bytes.Count(b, []byte{':'}))
	for b = bytes.TrimSpace(b[1:]); b[0] != '}'; {
		end := 1
		for ; b[end] != '"'; end++ {
			if b[end] == '\\' {
				end++
			}
		}
		token := string(b[1:end])
		if strings.Contains(token, `\`) || !utf8.ValidString(token) {
			if err := json.Unmarshal(b[:end+1], &token); err != nil {
				return err
			}
		}
		b = bytes.TrimSpace(b[end+1:])[1:] // without the colon
		end = bytes.IndexAny(b, ",}")
		id, err := strconv.Atoi(string(bytes.TrimSpace(b[:end])))
		if err != nil {
			return wrong
		}
		ids[token] = id
		if b = b[end:]; b[0] == ',' {
			b = bytes.TrimSpace(b[1:])
		}
	}
	tokens, placed := make(vocabulary, len(ids)), make([]bool, len(ids))
	for token, id := range ids {
		if id < 0 || id >= len(ids) || placed[id] {
			return fmt.Errorf("model.vocab: the ids are not 0 to %d, each once", len(ids)-1)
		}
		tokens[id], placed[id] = token, true
	}
	*v = joined(tokens)
	return nil
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
