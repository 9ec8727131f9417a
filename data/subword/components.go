package subword

import (
	"encoding/base64"
	"errors"
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/unicode/norm"
)

// kindOfComponent returns the type of a component.
func kindOfComponent(v jsontext.Value) (string, error) {
	var t struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(v, &t); err != nil {
		return "", brief(err)
	}
	return t.Type, nil
}

// as reads the settings of a component strictly.
func as[T any](v jsontext.Value) (T, error) {
	var out struct {
		Type     string `json:"type"`
		Settings T      `json:",embed"`
	}
	err := json.Unmarshal(v, &out, strict)
	return out.Settings, brief(err)
}

type patternJSON struct {
	String *string `json:"String"`
	Regex  *string `json:"Regex"`
}

func (p patternJSON) pattern() (pattern, error) {
	switch {
	case p.String != nil && p.Regex == nil:
		return literal(*p.String), nil
	case p.Regex != nil && p.String == nil:
		return regex(*p.Regex)
	}
	return nil, errors.New("pattern: must have String or Regex")
}

// makeNormalizer makes the normalizer that a component describes.
func makeNormalizer(v jsontext.Value, depth int) (normalizer, error) {
	if v == nil {
		return asIs, nil
	}
	if depth > maxNesting {
		return nil, errors.New("too many sequences in sequences")
	}
	kind, err := kindOfComponent(v)
	if err != nil {
		return nil, err
	}
	fail := func(err error) (normalizer, error) { return nil, fmt.Errorf("%s: %w", kind, err) }
	switch kind {
	case "Sequence":
		s, err := as[struct {
			Normalizers []jsontext.Value `json:"normalizers"`
		}](v)
		if err != nil {
			return fail(err)
		}
		var all []normalizer
		for _, v := range s.Normalizers {
			n, err := makeNormalizer(v, depth+1)
			if err != nil {
				return nil, err
			}
			all = append(all, n)
		}
		return chain(all), nil
	case "BertNormalizer":
		s, err := as[bertJSON](v)
		if err != nil {
			return fail(err)
		}
		return s.normalizer(), nil
	case "Strip":
		s, err := as[struct {
			Left  bool `json:"strip_left"`
			Right bool `json:"strip_right"`
		}](v)
		if err != nil {
			return fail(err)
		}
		return strip(s.Left, s.Right), nil
	case "Replace":
		s, err := as[struct {
			Pattern patternJSON `json:"pattern"`
			Content string      `json:"content"`
		}](v)
		if err != nil {
			return fail(err)
		}
		pattern, err := s.Pattern.pattern()
		if err != nil {
			return fail(err)
		}
		return substitute(pattern, s.Content), nil
	case "Prepend":
		s, err := as[struct {
			Prepend string `json:"prepend"`
		}](v)
		if err != nil {
			return fail(err)
		}
		return prepend(s.Prepend), nil
	case "Precompiled":
		s, err := as[struct {
			Map *string `json:"precompiled_charsmap"`
		}](v)
		if err != nil {
			return fail(err)
		}
		if s.Map == nil || *s.Map == "" {
			return asIs, nil
		}
		raw, err := base64.StdEncoding.DecodeString(*s.Map)
		if err != nil {
			return fail(errors.New("precompiled_charsmap is not Base64"))
		}
		c, err := newCharsmap(raw)
		if err != nil {
			return fail(err)
		}
		return c.normalize, nil
	}
	simple, ok := map[string]normalizer{
		"NFC": form(norm.NFC), "NFD": form(norm.NFD), "NFKC": form(norm.NFKC), "NFKD": form(norm.NFKD),
		"Lowercase": lowercase, "StripAccents": stripAccents, "Nmt": nmt,
	}[kind]
	if !ok {
		return nil, fmt.Errorf("type %q is not supported", kind)
	}
	if _, err := as[struct{}](v); err != nil {
		return fail(err)
	}
	return simple, nil
}

type bertJSON struct {
	Clean   *bool `json:"clean_text"`
	Chinese *bool `json:"handle_chinese_chars"`
	Accents *bool `json:"strip_accents"`
	Lower   *bool `json:"lowercase"`
}

func (b bertJSON) normalizer() normalizer {
	lower := or(b.Lower, true)
	return bert(or(b.Clean, true), or(b.Chinese, true), or(b.Accents, lower), lower)
}

// or returns what a pointer points to, or the default if it is nil.
func or[T any](p *T, otherwise T) T {
	if p == nil {
		return otherwise
	}
	return *p
}

// makeSplitter makes the splitter that a component describes, and reports whether the model must divide its words into bytes.
func makeSplitter(v jsontext.Value, depth int) (_ splitter, byBytes bool, _ error) {
	if v == nil {
		return whole, false, nil
	}
	if depth > maxNesting {
		return nil, false, errors.New("too many sequences in sequences")
	}
	kind, err := kindOfComponent(v)
	if err != nil {
		return nil, false, err
	}
	split, byBytes, err := oneSplitter(kind, v, depth)
	if err != nil && kind != "Sequence" {
		err = fmt.Errorf("%s: %w", kind, err)
	}
	return split, byBytes, err
}

func oneSplitter(kind string, v jsontext.Value, depth int) (_ splitter, byBytes bool, _ error) {
	switch kind {
	case "Sequence":
		s, err := as[struct {
			Splitters []jsontext.Value `json:"pretokenizers"`
		}](v)
		if err != nil {
			return nil, false, err
		}
		var all []splitter
		for _, v := range s.Splitters {
			if byBytes {
				return nil, false, errors.New("ByteLevel is not the last of a sequence, which is not supported")
			}
			var one splitter
			if one, byBytes, err = makeSplitter(v, depth+1); err != nil {
				return nil, false, err
			}
			all = append(all, one)
		}
		return sequence(all), byBytes, nil
	case "ByteLevel":
		s, err := as[byteLevelJSON](v)
		return byteLevel(or(s.Prefix, true), or(s.Regex, true)), true, err
	case "Metaspace":
		s, err := as[struct {
			Mark   *string `json:"replacement"`
			Prefix *bool   `json:"add_prefix_space"` // of old versions
			Old    *string `json:"str_rep"`
			Scheme *string `json:"prepend_scheme"`
			Split  *bool   `json:"split"`
		}](v)
		if err != nil {
			return nil, false, err
		}
		scheme := "always"
		if s.Scheme != nil {
			scheme = *s.Scheme
		} else if !or(s.Prefix, true) {
			scheme = "never"
		}
		if scheme != "always" && scheme != "first" && scheme != "never" {
			return nil, false, fmt.Errorf("prepend_scheme: %q is not supported", scheme)
		}
		mark := or(s.Mark, "▁")
		if utf8.RuneCountInString(mark) != 1 {
			return nil, false, errors.New("replacement: must be one character")
		}
		return metaspace(mark, scheme, or(s.Split, true)), false, nil
	case "Split":
		s, err := as[struct {
			Pattern  patternJSON `json:"pattern"`
			Behavior string      `json:"behavior"`
			Invert   bool        `json:"invert"`
		}](v)
		if err != nil {
			return nil, false, err
		}
		pattern, err := s.Pattern.pattern()
		if err != nil {
			return nil, false, err
		}
		b, ok := behaviors[s.Behavior]
		if !ok {
			return nil, false, fmt.Errorf("behavior: %q is not supported", s.Behavior)
		}
		return splitAt(pattern, b, s.Invert), false, nil
	case "Punctuation":
		s, err := as[struct {
			Behavior *string `json:"behavior"`
		}](v)
		if err != nil {
			return nil, false, err
		}
		b, ok := behaviors[or(s.Behavior, "Isolated")]
		if !ok {
			return nil, false, fmt.Errorf("behavior: %q is not supported", *s.Behavior)
		}
		return splitAt(runes(isPunctuation), b, false), false, nil
	case "Digits":
		s, err := as[struct {
			Individual bool `json:"individual_digits"`
		}](v)
		b := contiguous
		if s.Individual {
			b = isolated
		}
		return splitAt(runes(unicode.IsNumber), b, false), false, err
	case "CharDelimiterSplit":
		s, err := as[struct {
			Delimiter string `json:"delimiter"`
		}](v)
		if err == nil && utf8.RuneCountInString(s.Delimiter) != 1 {
			err = errors.New("delimiter: must be one character")
		}
		return splitAt(literal(s.Delimiter), removed, false), false, err
	case "BertPreTokenizer":
		_, err := as[struct{}](v)
		return bertWords, false, err
	case "WhitespaceSplit":
		_, err := as[struct{}](v)
		return splitAt(runes(unicode.IsSpace), removed, false), false, err
	case "Whitespace":
		_, err := as[struct{}](v)
		return wordsAndSigns, false, err
	}
	return nil, false, errors.New("this type is not supported")
}

type byteLevelJSON struct {
	Prefix *bool `json:"add_prefix_space"`
	Trim   *bool `json:"trim_offsets"` // offsets are always trimmed
	Regex  *bool `json:"use_regex"`
}

// makeFrame returns the ids of the special tokens before and after a sequence.
func makeFrame(v jsontext.Value, depth int) (before, after []int64, _ error) {
	if v == nil {
		return nil, nil, nil
	}
	if depth > maxNesting {
		return nil, nil, errors.New("too many sequences in sequences")
	}
	kind, err := kindOfComponent(v)
	if err != nil {
		return nil, nil, err
	}
	switch kind {
	case "Sequence":
		s, err := as[struct {
			Processors []jsontext.Value `json:"processors"`
		}](v)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", kind, err)
		}
		for _, v := range s.Processors {
			b, a, err := makeFrame(v, depth+1)
			if err != nil {
				return nil, nil, err
			}
			before, after = append(b, before...), append(after, a...)
		}
	case "ByteLevel":
		_, err = as[byteLevelJSON](v)
	case "BertProcessing", "RobertaProcessing":
		s, err := as[struct {
			End    []jsontext.Value `json:"sep"`
			Start  []jsontext.Value `json:"cls"`
			Trim   *bool            `json:"trim_offsets"`
			Prefix *bool            `json:"add_prefix_space"`
		}](v)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", kind, err)
		}
		for i, pair := range [][]jsontext.Value{s.Start, s.End} {
			var id int64
			if len(pair) != 2 || json.Unmarshal(pair[1], &id) != nil {
				return nil, nil, fmt.Errorf("%s: sep or cls is not a token and its id", kind)
			}
			if i == 0 {
				before = []int64{id}
			} else {
				after = []int64{id}
			}
		}
	case "TemplateProcessing":
		before, after, err = template(v)
	default:
		return nil, nil, fmt.Errorf("type %q is not supported", kind)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", kind, err)
	}
	return before, after, nil
}

// template reads the template for one sequence.
func template(v jsontext.Value) (before, after []int64, _ error) {
	type part struct {
		Special *struct {
			ID   string `json:"id"`
			Type int    `json:"type_id"`
		} `json:"SpecialToken"`
		Sequence *struct {
			ID   string `json:"id"`
			Type int    `json:"type_id"`
		} `json:"Sequence"`
	}
	s, err := as[struct {
		Single  []part         `json:"single"`
		Pair    jsontext.Value `json:"pair"` // of sequences; not used
		Special map[string]struct {
			ID     string   `json:"id"`
			IDs    []int64  `json:"ids"`
			Tokens []string `json:"tokens"`
		} `json:"special_tokens"`
	}](v)
	if err != nil {
		return nil, nil, err
	}
	text := false
	for i, p := range s.Single {
		switch {
		case p.Sequence != nil && p.Special == nil && p.Sequence.ID == "A" && !text:
			text = true
		case p.Special != nil && p.Sequence == nil:
			special, ok := s.Special[p.Special.ID]
			if !ok {
				return nil, nil, fmt.Errorf("single: part %d is not in special_tokens", i)
			}
			if text {
				after = append(after, special.IDs...)
			} else {
				before = append(before, special.IDs...)
			}
		default:
			return nil, nil, fmt.Errorf("single: part %d is not supported", i)
		}
	}
	if !text {
		return nil, nil, errors.New("single: there is no sequence A")
	}
	return before, after, nil
}
