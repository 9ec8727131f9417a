package checkpoints

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/sugarme/tokenizer"

	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/intern"
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
// errors contain ids but no tokens, which may be words of training notes. It reads
// the tens of thousands of tokens of a model in half of the time that package
// encoding/json takes, because the program reads them whenever it starts.
func decodeTokenizer(b []byte) (tokens []string, unknown string, err error) {
	r := tokenizerReader{Decoder: jsontext.NewDecoder(bytes.NewBuffer(b), jsontext.AllowDuplicateNames(true)), size: len(b)} // vocabulary finds duplicates
	err = r.object(func(key []byte) error {
		if string(key) == "model" {
			return r.object(r.model)
		}
		return r.SkipValue()
	})
	if err == nil {
		if _, err = r.ReadToken(); err == nil {
			err = errors.New("more than one JSON value")
		} else if err == io.EOF {
			err = nil
		}
	}
	switch syntax := (*jsontext.SyntacticError)(nil); {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return nil, "", errors.New("unexpected end of JSON input")
	case errors.As(err, &syntax):
		return nil, "", &syntaxError{int(syntax.ByteOffset), syntax.Err}
	case err != nil:
		return nil, "", err
	case r.kind != "WordLevel":
		return nil, "", errors.New("model.type is not WordLevel")
	case !r.given:
		return nil, "", errors.New("model.unk_token is missing")
	case !slices.Contains(r.tokens, r.unknown):
		return nil, "", errors.New("model.unk_token is not in model.vocab")
	}
	return r.tokens, r.unknown, nil
}

// syntaxError is a json.SyntaxError in other words than those of package jsontext, which
// name the keys around it.
type syntaxError struct {
	offset int
	err    error
}

// Error leaves out the part of a token that the message for a broken escape quotes.
func (e *syntaxError) Error() string {
	message, _, _ := strings.Cut(e.err.Error(), " `")
	return message
}

// tokenizerReader reads tokenizer.json.
type tokenizerReader struct {
	*jsontext.Decoder
	size          int // of the file
	kind, unknown string
	given         bool // the unknown token
	tokens        []string
	text          []byte // scratch
}

var errNoVocabulary = errors.New("model is not a WordLevel whose vocab maps tokens to ids")

// object calls do for each key of an object, which is valid until the next one is read. It
// skips null, and returns an error for any other value.
func (r *tokenizerReader) object(do func(key []byte) error) error {
	switch kind := r.PeekKind(); kind {
	case '{':
	case 'n', 0: // a syntax error
		return r.SkipValue()
	default:
		return errNoVocabulary
	}
	if _, err := r.ReadToken(); err != nil {
		return err
	}
	for r.PeekKind() == '"' {
		raw, err := r.ReadValue()
		if err != nil {
			return err
		}
		if r.text, err = jsontext.AppendUnquote(r.text[:0], raw); err != nil {
			return err
		}
		if err := do(r.text); err != nil {
			return err
		}
	}
	_, err := r.ReadToken()
	return err
}

// model reads the value of a key of the model.
func (r *tokenizerReader) model(key []byte) (err error) {
	switch string(key) {
	case "type":
		r.kind, _, err = r.string()
	case "unk_token":
		r.unknown, r.given, err = r.string()
	case "vocab":
		err = r.vocabulary()
	default:
		err = r.SkipValue()
	}
	return err
}

// string reads a text; null is none.
func (r *tokenizerReader) string() (text string, given bool, err error) {
	switch r.PeekKind() {
	case 'n', 0:
		return "", false, r.SkipValue()
	case '"':
		token, err := r.ReadToken()
		if err != nil {
			return "", false, err
		}
		return token.String(), true, nil
	}
	return "", false, errNoVocabulary
}

// vocabulary reads the tokens and their ids. The tokens share the memory of one string,
// so that the garbage collector need not visit them one by one.
func (r *tokenizerReader) vocabulary() error {
	words := intern.NewFor(r.size/16, r.size/2)
	ids := make([]int, 0, r.size/16)
	err := r.object(func(token []byte) error {
		if n, err := words.Add(string(token)); err != nil {
			return err
		} else if int(n) != len(ids)+1 {
			return fmt.Errorf("model.vocab: tokens %d and %d are the same", n-1, len(ids))
		}
		if r.PeekKind() != '0' {
			return errNoVocabulary
		}
		raw, err := r.ReadValue()
		if err != nil {
			return err
		}
		id, err := strconv.Atoi(string(raw))
		if err != nil {
			return errNoVocabulary
		}
		ids = append(ids, id)
		return nil
	})
	if err != nil {
		return err
	}
	tokens, placed := make([]string, len(ids)), make([]bool, len(ids))
	for i, id := range ids {
		if id < 0 || id >= len(ids) || placed[id] {
			return fmt.Errorf("model.vocab: the ids are not 0 to %d, each once", len(ids)-1)
		}
		tokens[id], placed[id] = words.String(uint32(i+1)), true
	}
	r.tokens = tokens
	return nil
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
