package subword

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const (
	maxIDs       = 1 << 20 // of a tokenizer; the largest known encoder has 901,629
	maxToken     = 1 << 10 // bytes
	maxComponent = 4 << 20 // bytes of a normalizer and so on, which contains at most a table of 300 KB in Base64
	maxNesting   = 8       // of sequences
)

// document is the content of tokenizer.json.
type document struct {
	added                  []addedJSON
	normalizer, split, end jsontext.Value // end is post_processor
	model                  modelJSON
}

type addedJSON struct {
	ID         *int64  `json:"id"`
	Content    *string `json:"content"`
	SingleWord bool    `json:"single_word"`
	Left       bool    `json:"lstrip"`
	Right      bool    `json:"rstrip"`
	Normalized *bool   `json:"normalized"`
	Special    bool    `json:"special"`
}

// modelJSON is the model of tokenizer.json. Its vocabulary is an object of ids, or a list of pairs of token and score.
type modelJSON struct {
	keys       map[string]bool
	Type       string
	vocabulary *vocabulary
	scores     []float64
	merges     [][2]string
	settings   modelSettings
}

type modelSettings struct {
	Unknown      *string  `json:"unk_token"`
	UnknownID    *int64   `json:"unk_id"`
	Prefix       *string  `json:"continuing_subword_prefix"`
	Suffix       *string  `json:"end_of_word_suffix"`
	Longest      *int     `json:"max_input_chars_per_word"`
	Dropout      *float64 `json:"dropout"`
	Fuse         bool     `json:"fuse_unk"`
	ByteFallback bool     `json:"byte_fallback"`
	IgnoreMerges bool     `json:"ignore_merges"`
	Capacity     *int     `json:"cache_capacity"`
}

// members calls read with the name of each member of an object, of which it must read the value. Duplicate names are errors.
func members(dec *jsontext.Decoder, read func(name string) error) error {
	if tok, err := dec.ReadToken(); err != nil {
		return err
	} else if tok.Kind() != '{' {
		return errors.New("not an object")
	}
	seen := map[string]bool{}
	for dec.PeekKind() != '}' {
		tok, err := dec.ReadToken()
		if err != nil {
			return err
		}
		name := tok.String()
		if seen[name] {
			return fmt.Errorf("duplicate key %q", name)
		}
		seen[name] = true
		if err := read(name); err != nil {
			return within(name, err)
		}
	}
	_, err := dec.ReadToken()
	return err
}

// within puts a key before the message of an error.
func within(name string, err error) error {
	if _, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return err // it has the pointer to the place
	}
	return fmt.Errorf("%s: %w", name, err)
}

// parse reads tokenizer.json.
func parse(raw []byte) (*document, error) {
	dec := decoder(raw)
	d := &document{}
	model := false
	err := members(dec, func(name string) (err error) {
		switch name {
		case "version", "truncation", "padding", "decoder":
			return dec.SkipValue()
		case "added_tokens":
			return d.readAdded(dec)
		case "normalizer":
			d.normalizer, err = component(dec)
		case "pre_tokenizer":
			d.split, err = component(dec)
		case "post_processor":
			d.end, err = component(dec)
		case "model":
			model = true
			return d.model.read(dec)
		default:
			return errors.New("unknown key")
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := ends(dec); err != nil {
		return nil, err
	}
	if !model {
		return nil, errors.New(`the key "model" is missing`)
	}
	return d, nil
}

// decoder returns a decoder of a file. Duplicate names are found by members and vocabulary.put.
func decoder(raw []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true))
}

// ends returns an error if the file goes on.
func ends(dec *jsontext.Decoder) error {
	if _, err := dec.ReadToken(); err != io.EOF {
		return errors.New("text after the end of the object")
	}
	return nil
}

// component reads the description of a component.
func component(dec *jsontext.Decoder) (jsontext.Value, error) {
	v, err := dec.ReadValue()
	if err != nil {
		return nil, err
	}
	if len(v) > maxComponent {
		return nil, fmt.Errorf("larger than %d bytes", maxComponent)
	}
	if v.Kind() == 'n' {
		return nil, nil
	}
	return v.Clone(), nil
}

func (d *document) readAdded(dec *jsontext.Decoder) error {
	if tok, err := dec.ReadToken(); err != nil {
		return err
	} else if tok.Kind() != '[' {
		return errors.New("not a list")
	}
	for dec.PeekKind() != ']' {
		var a addedJSON
		if err := json.UnmarshalDecode(dec, &a, strict); err != nil {
			return fmt.Errorf("entry %d: %w", len(d.added), brief(err))
		}
		if a.ID == nil || a.Content == nil {
			return fmt.Errorf(`entry %d: "id" or "content" is missing`, len(d.added))
		}
		if d.added = append(d.added, a); len(d.added) > maxIDs {
			return fmt.Errorf("more than %d tokens", maxIDs)
		}
	}
	_, err := dec.ReadToken()
	return err
}

var strict = json.RejectUnknownMembers(true)

// brief returns an error without the values that it is about.
func brief(err error) error {
	if e, ok := errors.AsType[*json.SemanticError](err); ok {
		if e.Err == json.ErrUnknownName {
			return fmt.Errorf("unknown key %q", e.JSONPointer.LastToken())
		}
		if name := e.JSONPointer.LastToken(); name != "" {
			return fmt.Errorf("the value of %q is not of the right kind", name)
		}
		return errors.New("not of the right kind")
	}
	return err
}

func (m *modelJSON) read(dec *jsontext.Decoder) error {
	m.keys = map[string]bool{}
	rest := map[string]jsontext.Value{}
	err := members(dec, func(name string) error {
		m.keys[name] = true
		switch name {
		case "vocab":
			return m.readVocabulary(dec)
		case "merges":
			return m.readMerges(dec)
		case "type":
			return json.UnmarshalDecode(dec, &m.Type)
		}
		v, err := component(dec)
		if v != nil {
			rest[name] = v
		}
		return err
	})
	if err != nil {
		return err
	}
	settings, err := json.Marshal(rest)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(settings, &m.settings, strict); err != nil {
		return brief(err)
	}
	if m.Type == "" { // files of old versions do not say it
		switch {
		case m.keys["merges"]:
			m.Type = "BPE"
		case m.scores != nil:
			m.Type = "Unigram"
		case m.keys["continuing_subword_prefix"]:
			m.Type = "WordPiece"
		}
	}
	if m.vocabulary == nil {
		return errors.New(`the key "vocab" is missing`)
	}
	return nil
}

func (m *modelJSON) readVocabulary(dec *jsontext.Decoder) error {
	open, err := dec.ReadToken()
	if err != nil {
		return err
	}
	b := newVocabulary()
	switch open.Kind() {
	case '{':
		for n := 0; dec.PeekKind() != '}'; n++ {
			tok, err := dec.ReadToken()
			if err != nil {
				return err
			}
			name := tok.String()
			if tok, err = dec.ReadToken(); err != nil {
				return err
			}
			id, err := strconv.ParseInt(tok.String(), 10, 64)
			if tok.Kind() != '0' || err != nil {
				return fmt.Errorf("entry %d: the id is not an integer", n)
			}
			if err := b.put(name, id); err != nil {
				return fmt.Errorf("entry %d: %w", n, err)
			}
		}
	case '[':
		m.scores = []float64{}
		for n := 0; dec.PeekKind() != ']'; n++ {
			name, score, err := readPair(dec)
			if err == nil {
				err = b.put(name, int64(n))
			}
			if err != nil {
				return fmt.Errorf("entry %d: %w", n, err)
			}
			m.scores = append(m.scores, score)
		}
	default:
		return errors.New("neither an object nor a list")
	}
	m.vocabulary = b
	_, err = dec.ReadToken()
	return err
}

var errPair = errors.New("not a list of a token and a score")

func readPair(dec *jsontext.Decoder) (token string, score float64, err error) {
	kinds := [...]jsontext.Kind{'[', '"', '0', ']'}
	for i, kind := range kinds {
		tok, err := dec.ReadToken()
		if err != nil {
			return "", 0, err
		}
		if tok.Kind() != kind {
			return "", 0, errPair
		}
		switch i {
		case 1:
			token = tok.String()
		case 2:
			if score, err = strconv.ParseFloat(tok.String(), 64); err != nil || !finite(score) {
				return "", 0, errors.New("the score is not a number")
			}
		}
	}
	return token, score, nil
}

func (m *modelJSON) readMerges(dec *jsontext.Decoder) error {
	if tok, err := dec.ReadToken(); err != nil {
		return err
	} else if tok.Kind() != '[' {
		return errors.New("not a list")
	}
	for dec.PeekKind() != ']' {
		tok, err := dec.ReadToken()
		if err != nil {
			return err
		}
		var pair [2]string
		switch tok.Kind() {
		case '"':
			left, right, ok := strings.Cut(tok.String(), " ")
			if !ok || strings.Contains(right, " ") {
				return fmt.Errorf("entry %d: not two tokens with a space between them", len(m.merges))
			}
			pair = [2]string{left, right}
		case '[':
			for i := range pair {
				if tok, err = dec.ReadToken(); err != nil {
					return err
				}
				if tok.Kind() != '"' {
					return fmt.Errorf("entry %d: not a list of two tokens", len(m.merges))
				}
				pair[i] = tok.String()
			}
			if tok, err = dec.ReadToken(); err != nil {
				return err
			}
			if tok.Kind() != ']' {
				return fmt.Errorf("entry %d: not a list of two tokens", len(m.merges))
			}
		default:
			return fmt.Errorf("entry %d: not two tokens", len(m.merges))
		}
		if m.merges = append(m.merges, pair); len(m.merges) > maxIDs {
			return fmt.Errorf("more than %d merges", maxIDs)
		}
	}
	_, err := dec.ReadToken()
	return err
}

func newVocabulary() *vocabulary { return &vocabulary{ids: map[string]int32{}} }

// put adds a token with its id.
func (v *vocabulary) put(token string, id int64) error {
	switch {
	case token == "":
		return errors.New("the token is empty")
	case len(token) > maxToken:
		return fmt.Errorf("the token is longer than %d bytes", maxToken)
	case !utf8.ValidString(token):
		return errors.New("the token is not UTF-8")
	case id < 0 || id >= maxIDs:
		return fmt.Errorf("the id %d is not between 0 and %d", id, maxIDs-1)
	}
	if other, ok := v.ids[token]; ok {
		return fmt.Errorf("the tokens with the ids %d and %d are the same", other, id)
	}
	for int64(len(v.tokens)) <= id {
		v.tokens = append(v.tokens, "")
	}
	if v.tokens[id] != "" {
		return fmt.Errorf("the id %d occurs twice", id)
	}
	v.tokens[id] = token
	v.ids[token] = int32(id)
	return nil
}

// id returns the id of a token that a setting names.
func (v *vocabulary) id(setting, token string) (int32, error) {
	id, ok := v.ids[token]
	if !ok {
		return none, fmt.Errorf("%s: the token is not in the vocabulary", setting)
	}
	return id, nil
}

// build makes the model.
func (m *modelJSON) build(byteLevel bool) (model, error) {
	allowed := map[string]string{
		"WordPiece": "type vocab unk_token continuing_subword_prefix max_input_chars_per_word",
		"BPE":       "type vocab merges unk_token continuing_subword_prefix end_of_word_suffix dropout fuse_unk byte_fallback ignore_merges cache_capacity",
		"Unigram":   "type vocab unk_id byte_fallback",
	}
	keys, ok := allowed[m.Type]
	if !ok {
		return nil, fmt.Errorf("type: %q is not supported: must be BPE, Unigram or WordPiece", m.Type)
	}
	for key := range m.keys {
		if !strings.Contains(" "+keys+" ", " "+key+" ") {
			return nil, fmt.Errorf("unknown key %q", key)
		}
	}
	if byteLevel && m.Type != "BPE" {
		return nil, fmt.Errorf("type: %s is not supported with ByteLevel", m.Type)
	}
	if (m.Type == "Unigram") != (m.scores != nil) {
		return nil, fmt.Errorf("vocab: not of the kind that %s has", m.Type)
	}
	if len(m.vocabulary.tokens) == 0 {
		return nil, errors.New("vocab: there are no tokens")
	}
	s := m.settings
	switch m.Type {
	case "WordPiece":
		prefix, longest, unknown := "##", 100, "[UNK]"
		if s.Prefix != nil {
			prefix = *s.Prefix
		}
		if s.Longest != nil {
			longest = *s.Longest
		}
		if s.Unknown != nil {
			unknown = *s.Unknown
		}
		id, err := m.vocabulary.id("unk_token", unknown)
		if err != nil {
			return nil, err
		}
		return newWordPiece(m.vocabulary, prefix, id, longest), nil
	case "BPE":
		switch {
		case s.Dropout != nil && *s.Dropout != 0:
			return nil, errors.New("dropout: is not supported")
		case s.Prefix != nil && *s.Prefix != "":
			return nil, errors.New("continuing_subword_prefix: is not supported in BPE")
		case s.Suffix != nil && *s.Suffix != "":
			return nil, errors.New("end_of_word_suffix: is not supported")
		}
		b := newBPE(m.vocabulary)
		b.fuse, b.words = s.Fuse, s.IgnoreMerges
		if s.Unknown != nil {
			id, err := m.vocabulary.id("unk_token", *s.Unknown)
			if err != nil {
				return nil, err
			}
			b.unknown = id
		}
		if s.ByteFallback {
			b.fallback = m.vocabulary.byteTokens()
		}
		if err := b.join(m.merges); err != nil {
			return nil, fmt.Errorf("merges: %w", err)
		}
		if byteLevel {
			b.useBytes()
		}
		return b, nil
	}
	if s.UnknownID == nil || *s.UnknownID < 0 || *s.UnknownID >= int64(len(m.scores)) {
		return nil, errors.New("unk_id: is not the id of a token")
	}
	u := newUnigram(m.vocabulary, m.scores, int32(*s.UnknownID))
	if s.ByteFallback {
		u.fallback = m.vocabulary.byteTokens()
	}
	return u, nil
}

// join sets the merges.
func (m *bpe) join(merges [][2]string) error {
	m.merges = make(map[uint64]merge, len(merges))
	for rank, pair := range merges {
		var ids [3]int32
		for i, token := range [...]string{pair[0], pair[1], pair[0] + pair[1]} {
			id, ok := m.vocabulary.ids[token]
			if !ok {
				return fmt.Errorf("entry %d: a part or the result is not in the vocabulary", rank)
			}
			ids[i] = id
		}
		m.merges[key(ids[0], ids[1])] = merge{int32(rank), ids[2]}
	}
	return nil
}
