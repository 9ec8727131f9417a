package subword

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
)

// standard adds the special tokens of a tokenizer to those of the configuration: pairs of setting and default. mask takes the space
// before it, if left is true.
func (c *config) standard(v *vocabulary, left bool, defaults ...string) ([]addedToken, error) {
	var added []addedToken
	for i := 0; i < len(defaults); i += 2 {
		setting := defaults[i]
		token := addedToken{content: c.token(setting, defaults[i+1]), left: left && setting == "mask_token"}
		if s := c.tokens[setting]; s.flags != nil {
			token = s.flags.token()
		}
		id, ok := v.ids[token.content]
		if !ok && setting != "mask_token" && setting != "pad_token" {
			return nil, fmt.Errorf("%s: the token is not in the vocabulary", setting)
		}
		if !ok || slices.ContainsFunc(added, func(a addedToken) bool { return a.content == token.content }) {
			continue
		}
		token.id = id
		added = append(added, token)
	}
	return c.addTo(v, added)
}

// around sets the special tokens around a sequence.
func (t *Tokenizer) around(added []addedToken, before, after string) error {
	return t.finish(added, []int64{int64(t.vocabulary.ids[before])}, []int64{int64(t.vocabulary.ids[after])})
}

// fromVocabulary makes a tokenizer of vocab.txt, which has one token per line.
func fromVocabulary(raw []byte, c *config) (*Tokenizer, error) {
	v := newVocabulary()
	for i, line := range lines(raw) {
		if line == "" {
			if len(v.tokens) <= i {
				v.tokens = append(v.tokens, "") // an id without a token
			}
			continue
		}
		if err := v.put(line, int64(i)); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	unknown, err := v.id("unk_token", c.token("unk_token", "[UNK]"))
	if err != nil {
		return nil, err
	}
	t := &Tokenizer{vocabulary: v, split: bertWords, model: newWordPiece(v, "##", unknown, 100)}
	t.normalize = bertJSON{Lower: c.Lower, Accents: c.Accents, Chinese: c.Chinese}.normalizer()
	added, err := c.standard(v, false, "unk_token", "[UNK]", "sep_token", "[SEP]", "pad_token", "[PAD]", "cls_token", "[CLS]", "mask_token", "[MASK]")
	if err != nil {
		return nil, err
	}
	return t, t.around(added, c.token("cls_token", "[CLS]"), c.token("sep_token", "[SEP]"))
}

// lines returns the lines of a file, without their ends.
func lines(raw []byte) []string {
	all := strings.Split(strings.ReplaceAll(string(raw), "\r\n", "\n"), "\n")
	if all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	return all
}

// fromMerges makes a tokenizer of vocab.json, and of merges.txt, which has two tokens per line.
func (f *folder) fromMerges(raw []byte, c *config) (*Tokenizer, error) {
	m := modelJSON{}
	dec := decoder(raw)
	if err := m.readVocabulary(dec); err != nil {
		return nil, err
	}
	if err := ends(dec); err != nil {
		return nil, err
	}
	if m.scores != nil {
		return nil, errors.New("not an object of tokens and ids")
	}
	merges, err := f.read("merges.txt")
	if err != nil {
		return nil, err
	}
	if merges == nil {
		return nil, errors.New("merges.txt is missing")
	}
	for i, line := range lines(merges) {
		if line == "" || strings.HasPrefix(line, "#version") {
			continue
		}
		left, right, ok := strings.Cut(line, " ")
		if !ok || strings.Contains(right, " ") {
			return nil, fmt.Errorf("merges.txt: line %d: not two tokens with a space between them", i+1)
		}
		m.merges = append(m.merges, [2]string{left, right})
	}
	b := newBPE(m.vocabulary)
	if err := b.join(m.merges); err != nil {
		return nil, fmt.Errorf("merges.txt: %w", err)
	}
	v := m.vocabulary
	added, err := c.standard(v, true, "bos_token", "<s>", "eos_token", "</s>", "unk_token", "<unk>", "sep_token", "</s>", "pad_token", "<pad>", "cls_token", "<s>", "mask_token", "<mask>")
	if err != nil {
		return nil, err
	}
	b.useBytes()
	t := &Tokenizer{vocabulary: v, normalize: asIs, split: byteLevel(or(c.Prefix, false), true), model: b}
	return t, t.around(added, c.token("cls_token", "<s>"), c.token("sep_token", "</s>"))
}

// fromXLMRoberta makes a tokenizer of sentencepiece.bpe.model. The ids are not those of the pieces: fairseq, in which XLM-RoBERTa and
// CamemBERT were trained, puts tokens of its own before them.
func (f *folder) fromXLMRoberta(raw []byte, c *config) (*Tokenizer, error) {
	m, err := readSentencePiece(raw)
	if err != nil {
		return nil, err
	}
	camembert, err := f.isCamembert(c)
	if err != nil {
		return nil, err
	}
	var all []scored
	var names []string
	if camembert {
		all = []scored{{"<s>NOTUSED", 0}, {"<pad>", 0}, {"</s>NOTUSED", 0}, {"<unk>", 0}, {"<unk>NOTUSED", -100}}
		all = append(all, m.pieces[min(1, len(m.pieces)):]...)
		names = []string{"", "<s>NOTUSED", "", "</s>NOTUSED", "", "<unk>NOTUSED"}
	} else {
		all = []scored{{"<s>", 0}, {"<pad>", 0}, {"</s>", 0}, {"<unk>", 0}}
		all = append(all, m.pieces[min(3, len(m.pieces)):]...)
	}
	t, err := m.tokenizer(append(all, scored{"<mask>", 0}), 3)
	if err != nil {
		return nil, err
	}
	t.normalize = asIs
	if m.charsmap != nil {
		t.normalize = m.charsmap.normalize
	}
	scheme := "never"
	if or(c.Prefix, true) {
		scheme = "always"
	}
	t.split = sequence([]splitter{splitAt(runes(unicode.IsSpace), removed, false), metaspace("▁", scheme, true)})
	added, err := c.standard(t.vocabulary, true, append([]string{"bos_token", "<s>", "eos_token", "</s>", "unk_token", "<unk>", "sep_token", "</s>",
		"pad_token", "<pad>", "cls_token", "<s>", "mask_token", "<mask>"}, names...)...)
	if err != nil {
		return nil, err
	}
	return t, t.around(added, c.token("cls_token", "<s>"), c.token("sep_token", "</s>"))
}

// isCamembert reports whether the configuration, or that of the network, is one of CamemBERT.
func (f *folder) isCamembert(c *config) (bool, error) {
	if c.Class != "" {
		return c.is("CamembertTokenizer"), nil
	}
	raw, err := f.read("config.json")
	if err != nil || raw == nil {
		return false, err
	}
	var network struct {
		Type string `json:"model_type"`
	}
	if err := json.Unmarshal(raw, &network); err != nil {
		return false, fmt.Errorf("config.json: %w", brief(err))
	}
	return network.Type == "camembert", nil
}

// fromDeberta makes a tokenizer of spm.model.
func fromDeberta(raw []byte, c *config) (*Tokenizer, error) {
	m, err := readSentencePiece(raw)
	if err != nil {
		return nil, err
	}
	t, err := m.tokenizer(m.pieces, m.unknown)
	if err != nil {
		return nil, err
	}
	var all []normalizer
	if or(c.Lower, false) {
		all = append(all, lowercase)
	}
	all = append(all, strip(true, true))
	if m.charsmap != nil {
		all = append(all, m.charsmap.normalize)
	}
	t.normalize = chain(append(all, substitute(spaces, " ")))
	scheme := "first"
	if or(c.Prefix, true) {
		scheme = "always"
	}
	t.split = metaspace("▁", scheme, true)
	if c.Punct {
		t.split = sequence([]splitter{splitAt(runes(isPunctuation), isolated, false), t.split})
	}
	v := t.vocabulary
	mask := c.token("mask_token", "[MASK]")
	if _, ok := v.ids[mask]; !ok {
		if err := v.put(mask, int64(len(v.tokens))); err != nil {
			return nil, err
		}
	}
	added, err := c.standard(v, false, "unk_token", "[UNK]", "sep_token", "[SEP]", "pad_token", "[PAD]", "cls_token", "[CLS]", "mask_token", "[MASK]")
	if err != nil {
		return nil, err
	}
	known := map[int32]bool{}
	for _, a := range added {
		known[a.id] = true
	}
	for _, i := range m.added {
		if !known[int32(i)] {
			added = append(added, addedToken{content: m.pieces[i].token, id: int32(i)})
		}
	}
	return t, t.around(added, c.token("cls_token", "[CLS]"), c.token("sep_token", "[SEP]"))
}

// spaces is the pattern of two or more spaces.
func spaces(s string, found func(start, end int)) error {
	for i := 0; i < len(s); i++ {
		start := i
		for i < len(s) && s[i] == ' ' {
			i++
		}
		if i-start > 1 {
			found(start, i)
		}
	}
	return nil
}
