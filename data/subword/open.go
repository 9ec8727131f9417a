package subword

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/sorting"
)

// maxFile is the maximum size of a file in bytes. The largest known tokenizer.json has 34 MB.
const maxFile = 64 << 20

// Open reads the tokenizer of a model folder. The first of these that is there decides:
//
//   - tokenizer.json
//   - vocab.txt: WordPiece, as in BERT, DistilBERT and ELECTRA
//   - vocab.json and merges.txt: byte pair encoding of bytes, as in RoBERTa
//   - sentencepiece.bpe.model: a unigram model of SentencePiece, as in XLM-RoBERTa, or as in CamemBERT if tokenizer_config.json or
//     config.json say so
//   - spm.model: a unigram model of SentencePiece, as in DeBERTa-v2 and v3
//
// tokenizer_config.json, special_tokens_map.json and added_tokens.json are read if they are there. As in transformers, do_lower_case,
// strip_accents, tokenize_chinese_chars and add_prefix_space of tokenizer_config.json go before what tokenizer.json says.
//
// Errors name the file and the key, but no tokens.
func Open(dir string) (*Tokenizer, error) {
	f := folder{dir: dir, sum: sha256.New()}
	t, err := f.open()
	if err != nil {
		return nil, err
	}
	t.digest = hex.EncodeToString(f.sum.Sum(nil))
	return t, nil
}

// folder reads the files of a folder and sums them.
type folder struct {
	dir string
	sum hash.Hash
}

// read returns the content of a file, or nil if there is none.
func (f *folder) read(name string) ([]byte, error) {
	path := filepath.Join(f.dir, name)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	file, err := bounded.OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > maxFile {
		return nil, fmt.Errorf("%s: is larger than %d MiB, the limit for this kind of file", path, maxFile>>20)
	}
	raw := make([]byte, info.Size())
	if _, err := io.ReadFull(file, raw); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	fmt.Fprintf(f.sum, "%s %d\n", name, len(raw))
	f.sum.Write(raw)
	return raw, nil
}

// in puts the path of a file before the message of an error.
func (f *folder) in(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", filepath.Join(f.dir, name), err)
}

func (f *folder) open() (*Tokenizer, error) {
	if info, err := os.Stat(f.dir); err != nil {
		return nil, err
	} else if !info.IsDir() {
		return nil, fmt.Errorf("%s: is not a folder", f.dir)
	}
	c, err := f.config()
	if err != nil {
		return nil, err
	}
	for _, kind := range []struct {
		name    string
		open    func(raw []byte, c *config) (*Tokenizer, error)
		classes []string // of tokenizers; all if empty
	}{
		{"tokenizer.json", fromJSON, nil},
		{"vocab.txt", fromVocabulary, bertClasses},
		{"vocab.json", f.fromMerges, []string{"RobertaTokenizer"}},
		{"sentencepiece.bpe.model", f.fromXLMRoberta, []string{"XLMRobertaTokenizer", "CamembertTokenizer"}},
		{"spm.model", fromDeberta, []string{"DebertaV2Tokenizer"}},
	} {
		raw, err := f.read(kind.name)
		if err != nil {
			return nil, err
		}
		if raw == nil {
			continue
		}
		if kind.classes != nil && c.Class != "" && !c.is(kind.classes...) {
			return nil, f.in("tokenizer_config.json", fmt.Errorf("tokenizer_class: %q is not supported with %s: must be %s", c.Class, kind.name, strings.Join(kind.classes, " or ")))
		}
		t, err := kind.open(raw, c)
		return t, f.in(kind.name, err)
	}
	return nil, fmt.Errorf("%s: contains neither tokenizer.json nor vocab.txt, vocab.json, sentencepiece.bpe.model or spm.model", f.dir)
}

// config is what tokenizer_config.json, special_tokens_map.json and added_tokens.json say. Other keys of them do not decide ids.
type config struct {
	Class   string        `json:"tokenizer_class"`
	Lower   *bool         `json:"do_lower_case"`
	Accents *bool         `json:"strip_accents"`
	Chinese *bool         `json:"tokenize_chinese_chars"`
	Basic   *bool         `json:"do_basic_tokenize"`
	Never   []string      `json:"never_split"`
	Prefix  *bool         `json:"add_prefix_space"`
	Punct   bool          `json:"split_by_punct"`
	Decoder map[string]at `json:"added_tokens_decoder"`

	tokens map[string]specialJSON // by setting, such as mask_token
	added  map[string]int64       // added_tokens.json
}

// at is an added token without its id.
type at struct {
	Content    *string `json:"content"`
	SingleWord bool    `json:"single_word"`
	Left       bool    `json:"lstrip"`
	Right      bool    `json:"rstrip"`
	Normalized *bool   `json:"normalized"`
	Special    bool    `json:"special"`
}

// specialJSON is a special token: a string, or an object with flags.
type specialJSON struct {
	content string
	flags   *at
}

func (s *specialJSON) UnmarshalJSON(raw []byte) error {
	if jsontext.Value(raw).Kind() == '"' {
		return json.Unmarshal(raw, &s.content)
	}
	if err := json.Unmarshal(raw, &s.flags); err != nil {
		return err
	}
	if s.flags == nil || s.flags.Content == nil {
		return errors.New("not a token")
	}
	s.content = *s.flags.Content
	return nil
}

// settings of special tokens.
var specialSettings = []string{"bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token"}

func (f *folder) config() (*config, error) {
	c := &config{tokens: map[string]specialJSON{}}
	for _, name := range []string{"special_tokens_map.json", "tokenizer_config.json"} {
		raw, err := f.read(name)
		if err != nil {
			return nil, err
		}
		if raw == nil {
			continue
		}
		if len(raw) > maxComponent {
			return nil, f.in(name, fmt.Errorf("larger than %d bytes", maxComponent))
		}
		if name == "tokenizer_config.json" {
			if err := json.Unmarshal(raw, c); err != nil {
				return nil, f.in(name, brief(err))
			}
		}
		var keys map[string]jsontext.Value
		if err := json.Unmarshal(raw, &keys); err != nil {
			return nil, f.in(name, brief(err))
		}
		for _, setting := range specialSettings {
			if v, ok := keys[setting]; ok && v.Kind() != 'n' {
				var s specialJSON
				if err := json.Unmarshal(v, &s); err != nil {
					return nil, f.in(name, fmt.Errorf("%s: not a token", setting))
				}
				c.tokens[setting] = s
			}
		}
	}
	if !or(c.Basic, true) || len(c.Never) > 0 {
		return nil, f.in("tokenizer_config.json", errors.New("do_basic_tokenize and never_split are not supported"))
	}
	raw, err := f.read("added_tokens.json")
	if err != nil || raw == nil {
		return c, err
	}
	if len(raw) > maxComponent {
		return nil, f.in("added_tokens.json", fmt.Errorf("larger than %d bytes", maxComponent))
	}
	if err := json.Unmarshal(raw, &c.added); err != nil {
		return nil, f.in("added_tokens.json", brief(err))
	}
	return c, nil
}

// token returns the token of a setting.
func (c *config) token(setting, otherwise string) string {
	if s, ok := c.tokens[setting]; ok {
		return s.content
	}
	return otherwise
}

// is reports whether the class of the tokenizer is one of these, with or without the ending Fast.
func (c *config) is(classes ...string) bool {
	return slices.Contains(classes, strings.TrimSuffix(c.Class, "Fast"))
}

var bertClasses = []string{"BertTokenizer", "DistilBertTokenizer", "ElectraTokenizer"}

// fromJSON makes the tokenizer that tokenizer.json describes.
func fromJSON(raw []byte, c *config) (*Tokenizer, error) {
	d, err := parse(raw)
	if err != nil {
		return nil, err
	}
	if err := c.override(d); err != nil {
		return nil, err
	}
	t := &Tokenizer{vocabulary: d.model.vocabulary}
	if t.normalize, err = makeNormalizer(d.normalizer, 0); err != nil {
		return nil, fmt.Errorf("normalizer: %w", err)
	}
	split, byBytes, err := makeSplitter(d.split, 0)
	if err != nil {
		return nil, fmt.Errorf("pre_tokenizer: %w", err)
	}
	t.split = split
	if t.model, err = d.model.build(byBytes); err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	before, after, err := makeFrame(d.end, 0)
	if err != nil {
		return nil, fmt.Errorf("post_processor: %w", err)
	}
	var added []addedToken
	for i, a := range d.added {
		token := a.token()
		if err := t.vocabulary.add(&token, *a.ID); err != nil {
			return nil, fmt.Errorf("added_tokens: entry %d: %w", i, err)
		}
		added = append(added, token)
	}
	if added, err = c.addTo(t.vocabulary, added); err != nil {
		return nil, err
	}
	return t, t.finish(added, before, after)
}

func (a addedJSON) token() addedToken {
	return at{a.Content, a.SingleWord, a.Left, a.Right, a.Normalized, a.Special}.token()
}

func (a at) token() addedToken {
	return addedToken{content: *a.Content, word: a.SingleWord, left: a.Left, right: a.Right, normalizedText: or(a.Normalized, !a.Special)}
}

// override changes the settings of tokenizer.json that tokenizer_config.json has too.
func (c *config) override(d *document) error {
	kind := func(v jsontext.Value) string {
		if v == nil {
			return ""
		}
		k, _ := kindOfComponent(v) // an error is found again where the component is made
		return k
	}
	if (c.Class == "" || c.is(bertClasses...)) && kind(d.normalizer) == "BertNormalizer" {
		s, err := as[bertJSON](d.normalizer)
		if err != nil {
			return fmt.Errorf("normalizer: BertNormalizer: %w", err)
		}
		for to, from := range map[**bool]*bool{&s.Lower: c.Lower, &s.Accents: c.Accents, &s.Chinese: c.Chinese} {
			if from != nil {
				*to = from
			}
		}
		d.normalizer, err = json.Marshal(struct {
			Type     string `json:"type"`
			bertJSON `json:",embed"`
		}{"BertNormalizer", s})
		if err != nil {
			return err
		}
	}
	if c.Prefix != nil && kind(d.split) == "ByteLevel" {
		s, err := as[byteLevelJSON](d.split)
		if err != nil {
			return fmt.Errorf("pre_tokenizer: ByteLevel: %w", err)
		}
		s.Prefix = c.Prefix
		d.split, err = json.Marshal(struct {
			Type          string `json:"type"`
			byteLevelJSON `json:",embed"`
		}{"ByteLevel", s})
		return err
	}
	return nil
}

// addTo adds the tokens of added_tokens.json and added_tokens_decoder that are not there yet.
func (c *config) addTo(v *vocabulary, added []addedToken) ([]addedToken, error) {
	type numbered struct {
		id    int64
		token addedToken
	}
	var more []numbered
	ids := map[int64]bool{}
	for id, a := range c.Decoder {
		var n int64
		if json.Unmarshal([]byte(id), &n) != nil || a.Content == nil {
			return nil, errors.New("added_tokens_decoder of tokenizer_config.json has a key that is no id, or a token without content")
		}
		ids[n] = true
		more = append(more, numbered{n, a.token()})
	}
	for content, id := range c.added {
		if !ids[id] {
			more = append(more, numbered{id, addedToken{content: content, normalizedText: true}})
		}
	}
	sorting.By(more, func(a, b numbered) int {
		return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.token.content, b.token.content))
	})
	known := map[string]bool{}
	for _, a := range added {
		known[a.content] = true
	}
	for _, m := range more {
		if known[m.token.content] {
			continue
		}
		if err := v.add(&m.token, m.id); err != nil {
			return nil, fmt.Errorf("the added token %d: %w", m.id, err)
		}
		known[m.token.content] = true
		added = append(added, m.token)
	}
	return added, nil
}

// add sets the id of an added token. If it is not in the vocabulary, its id must be the next free one, because tokenizers would give it
// that one whatever the file says.
func (v *vocabulary) add(a *addedToken, id int64) error {
	if a.content == "" || len(a.content) > maxToken {
		return fmt.Errorf("the token is empty or longer than %d bytes", maxToken)
	}
	if known, ok := v.ids[a.content]; ok {
		if id != int64(known) {
			return fmt.Errorf("the token has the id %d, and %d in the vocabulary", id, known)
		}
		a.id = known
		return nil
	}
	if next := int64(len(v.tokens)); id != next {
		return fmt.Errorf("the id is %d, but the next free one is %d", id, next)
	}
	a.id = int32(id)
	return v.put(a.content, id)
}

// finish sets the added tokens and those around a sequence.
func (t *Tokenizer) finish(added []addedToken, before, after []int64) error {
	var raw, normalized []addedToken
	var rawPatterns, normalizedPatterns []string
	for _, a := range added {
		if !a.normalizedText {
			raw, rawPatterns = append(raw, a), append(rawPatterns, a.content)
			continue
		}
		p, err := t.normalize(piece{s: a.content, id: none})
		if err != nil {
			return err
		}
		normalized, normalizedPatterns = append(normalized, a), append(normalizedPatterns, p.s)
	}
	t.raw, t.normalized = newMatcher(raw, rawPatterns), newMatcher(normalized, normalizedPatterns)
	for _, side := range []struct {
		to   *[]int32
		from []int64
	}{{&t.before, before}, {&t.after, after}} {
		for _, id := range side.from {
			if id < 0 || id >= int64(t.Size()) {
				return fmt.Errorf("post_processor: the id %d is not in the vocabulary", id)
			}
			*side.to = append(*side.to, int32(id))
		}
	}
	if _, ok := t.model.(*bpe); !ok {
		t.vocabulary.ids = nil // the other models have tables of their own
	}
	return nil
}
