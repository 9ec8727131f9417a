package jsonl

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// read are the keys of a record, all others being unknown.
var read = []string{"id", "patient", "text", "meta", "spans", "entities", "label", "labels"}

// harmless are unknown keys whose lists hold offsets that mark no PHI: what
// spaCy and Prodigy say of tokens and sentences.
var harmless = []string{"tokens", "sents", "sentences"}

// beside are unknown keys that Prodigy writes besides spans, which they quote.
var beside = []string{"relations", "versions"}

// marking are unknown keys under which other tools keep marks, whatever their shape.
var marking = []string{"ents", "annotation", "annotations", "phi", "ner", "nertags", "namedentities", "mentions", "marks", "predictions"}

// checkKeys refuses a line, valid JSON that is an object, that gives one of the
// keys of a record twice, or that seems to have its marks under another: read
// without them, it would be a note free of PHI. The keys of a record are those
// that the JSON package takes for them, in any case.
func checkKeys(raw []byte) error {
	in := json.NewDecoder(bytes.NewReader(raw))
	if _, err := in.Token(); err != nil {
		return errNotObject
	}
	given := map[string]bool{}
	var unknown []string
	values := map[string][]json.RawMessage{}
	for in.More() {
		token, err := in.Token()
		key, ok := token.(string)
		var value json.RawMessage
		if err != nil || !ok || in.Decode(&value) != nil {
			return errNotObject
		}
		if folded := strings.ToLower(key); slices.ContainsFunc(read, func(r string) bool { return strings.EqualFold(r, key) }) {
			if given[folded] {
				return fmt.Errorf("the key %q is given twice", folded)
			}
			given[folded] = !bytes.Equal(value, []byte("null"))
			if folded == "meta" && holdsMarks(value, true) {
				return marksUnder(key)
			}
			continue
		}
		if values[key] == nil {
			unknown = append(unknown, key)
		}
		values[key] = append(values[key], value)
	}
	marked := given["spans"] || given["entities"] || given["label"] || given["labels"]
	for _, key := range unknown {
		folded := strings.ToLower(key)
		if marked && slices.Contains(beside, folded) {
			continue
		}
		for _, value := range values[key] {
			if slices.Contains(marking, letters(key)) && !isEmpty(value) || holdsMarks(value, !slices.Contains(harmless, folded)) {
				return marksUnder(key)
			}
		}
	}
	return nil
}

var errNotObject = fmt.Errorf("not a JSON object")

func marksUnder(key string) error {
	const most = 40
	if len(key) > most {
		key = strings.ToValidUTF8(key[:most], "") + "..."
	}
	return fmt.Errorf("the key %q seems to hold annotations, which are read only from spans, entities, label and labels", key)
}

// isEmpty reports whether a value is null, or an empty list, object or text.
func isEmpty(value json.RawMessage) bool {
	return slices.Contains([]string{"null", "[]", "{}", `""`}, string(bytes.Join(bytes.Fields(value), nil)))
}

// holdsMarks reports whether a value has what looks like the marks of a text
// anywhere in it. Of items directly in a list, own says whether they count.
func holdsMarks(value json.RawMessage, own bool) bool {
	if first := bytes.TrimSpace(value); len(first) == 0 || first[0] != '[' && first[0] != '{' {
		return false
	}
	var decoded any
	in := json.NewDecoder(bytes.NewReader(value))
	in.UseNumber()
	if in.Decode(&decoded) != nil {
		return false
	}
	list, ok := decoded.([]any)
	if own || !ok {
		return looksMarked(decoded)
	}
	for _, item := range list {
		switch item := item.(type) {
		case []any:
			if looksMarked(item) {
				return true
			}
		case map[string]any:
			for _, member := range item {
				if looksMarked(member) {
					return true
				}
			}
		}
	}
	return false
}

// looksMarked reports whether a value is a list of marks, or holds one.
func looksMarked(value any) bool {
	switch v := value.(type) {
	case []any:
		if areLabels(v) || isSpan(v) {
			return true
		}
		for _, item := range v {
			if object, ok := item.(map[string]any); ok && hasOffsets(object) {
				return true
			}
			if looksMarked(item) {
				return true
			}
		}
	case map[string]any:
		if hasOffsets(v) && hasLabel(v) {
			return true
		}
		for _, member := range v {
			if looksMarked(member) {
				return true
			}
		}
	}
	return false
}

// isSpan reports whether a list is the span of a text: a start, an end that is
// beyond it, and perhaps texts such as a label.
func isSpan(list []any) bool {
	var numbers []int
	for _, item := range list {
		if n, ok := offset(item); ok {
			numbers = append(numbers, n)
		} else if _, ok := item.(string); !ok {
			return false
		}
	}
	return len(numbers) == 2 && numbers[0] < numbers[1]
}

// hasOffsets reports whether an object has a start and an end or a length.
func hasOffsets(object map[string]any) bool {
	start, end := false, false
	for key, value := range object {
		if _, ok := offset(value); !ok {
			continue
		}
		switch word := noise.Replace(letters(key)); word {
		case "start", "starts", "begin", "begins", "from", "b", "s", "":
			start = start || word != "" || strings.Contains(strings.ToLower(key), "offset")
		case "end", "ends", "stop", "to", "until", "length", "len", "e":
			end = true
		}
	}
	return start && end
}

// noise is what stands around start and end in the names of offsets.
var noise = strings.NewReplacer("offset", "", "character", "", "chars", "", "char", "", "index", "", "idx", "",
	"position", "", "pos", "", "span", "", "byte", "", "token", "", "text", "", "entity", "", "mention", "")

// hasLabel reports whether an object has a key such as label or entity_type.
func hasLabel(object map[string]any) bool {
	for key := range object {
		if labelKey.MatchString(letters(key)) {
			return true
		}
	}
	return false
}

var labelKey = regexp.MustCompile(`label|type|tag|entity|class|category|phi`)

// offset is a value that can be one: a whole number, perhaps as text.
func offset(value any) (int, bool) {
	text, isText := value.(string)
	if number, ok := value.(json.Number); ok {
		text = string(number)
	} else if !isText {
		return 0, false
	}
	n, err := strconv.ParseFloat(text, 64)
	return int(n), err == nil && n >= 0 && n < 1<<40 && n == math.Trunc(n)
}

// areLabels reports whether a list has a label a token, as in BIO.
func areLabels(list []any) bool {
	marked := false
	for _, item := range list {
		label, ok := item.(string)
		if !ok || !tokenLabel.MatchString(label) {
			return false
		}
		marked = marked || label != "O"
	}
	return marked
}

var tokenLabel = regexp.MustCompile(`^(O|[BIELSU]-.+)$`)

// letters is a key in lower case, without what is no letter.
func letters(key string) string {
	return strings.Map(func(r rune) rune {
		if r < 'a' || r > 'z' {
			return -1
		}
		return r
	}, strings.ToLower(key))
}
