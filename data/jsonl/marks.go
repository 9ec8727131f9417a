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

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lethe-deid/lethe/data/internal/notes"
)

// read lists the known keys of a record.
var read = []string{"id", "patient", "text", "meta", "spans", "entities", "label", "labels", "columns"}

// harmless lists unknown keys whose offsets do not mark PHI: the tokens and
// sentences of spaCy and Prodigy.
var harmless = []string{"tokens", "sents", "sentences"}

// beside lists unknown keys that Prodigy writes in addition to spans, and that
// repeat them.
var beside = []string{"relations", "versions"}

// marking lists unknown keys under which other tools store annotations, in any
// form.
var marking = []string{"ents", "annotation", "annotations", "phi", "ner", "nertags", "namedentities", "mentions", "marks", "predictions"}

// checkKeys checks a line, which must be a JSON object. It returns an error for a
// duplicate key of a record, and for a line that seems to have its annotations
// under another key: it would be read as a note free of PHI. Like the JSON
// package, it matches the keys of a record in any case.
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
		if folded := foldCase(key); slices.ContainsFunc(read, func(r string) bool { return strings.EqualFold(r, key) }) {
			if given[folded] {
				return fmt.Errorf("duplicate key %q", folded)
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
	if err := checkAnswer(values["answer"]); err != nil {
		return err
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

// duplicateKey returns the place of the first key in valid JSON that an object has twice, or "". Like the JSON package, it matches
// the keys of spans and of meta in any case; the names of columns differ by case.
func duplicateKey(raw []byte) jsontext.Pointer {
	d := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	var open []map[string]bool // the keys of the objects and lists that are open
	inRecord := false          // whether the last key of the line is one of the record itself
	for {
		token, err := d.ReadToken()
		if err != nil {
			return ""
		}
		switch kind, n := d.StackIndex(d.StackDepth()); token.Kind() {
		case '{', '[':
			open = append(open, nil)
		case '}', ']':
			open = open[:len(open)-1]
		case '"':
			if kind != '{' || n%2 == 0 { // a value
				continue
			}
			key, last := token.String(), len(open)-1
			if last == 0 {
				inRecord = slices.ContainsFunc([]string{"spans", "entities", "meta"}, func(known string) bool { return strings.EqualFold(known, key) })
			} else if inRecord {
				key = foldCase(key)
			}
			if open[last][key] {
				return d.StackPointer()
			}
			if open[last] == nil {
				open[last] = map[string]bool{}
			}
			open[last][key] = true
		}
	}
}

// foldCase returns the same for all keys that are equal for the JSON package, which also takes the long s for an s.
func foldCase(key string) string { return strings.ToLower(strings.ToUpper(key)) }

// checkAnswer returns an error if an annotator of Prodigy rejected or ignored the text. Its spans, if it has any, are not
// the annotator's.
func checkAnswer(values []json.RawMessage) error {
	for _, value := range values {
		for _, answer := range []string{"reject", "ignore"} {
			if string(value) == `"`+answer+`"` {
				return fmt.Errorf("its answer in Prodigy is %s, so that nobody has annotated it: leave the line out", answer)
			}
		}
	}
	return nil
}

var errNotObject = fmt.Errorf("not a JSON object")

// IsOfTool reports whether a JSON value is what other tools store beside a text under such a key: annotations with offsets, as in ents of spaCy
// and annotations of Label Studio, or the tokens or sentences of the text.
func IsOfTool(key string, value []byte) bool {
	switch folded := letters(key); {
	case slices.Contains(harmless, folded) && areStrings(value):
		return true
	case slices.Contains(harmless, folded) || slices.Contains(marking, folded) || slices.Contains(drafts, folded):
		return holdsMarks(value, true)
	}
	return false
}

// drafts lists more keys under which Label Studio and its relatives store annotations, which nobody takes for those of the
// record. Results are not among them, because they may be those of a laboratory.
var drafts = []string{"completions", "drafts", "prediction"}

// areStrings reports whether a JSON value is a list of strings that is not empty.
func areStrings(value []byte) bool {
	var list []string
	return json.Unmarshal(value, &list) == nil && len(list) > 0
}

func marksUnder(key string) error {
	hint := ""
	switch key {
	case "ents":
		hint = "; the format spacy reads it"
	case "ner_tags", "tags":
		hint = "; the format hf reads it"
	}
	return fmt.Errorf("the key %q seems to contain annotations, which are read only from spans, entities, label and labels%s", notes.ShortKey(key), hint)
}

// isEmpty reports whether a value is null, or an empty list, object or string.
func isEmpty(value json.RawMessage) bool {
	return slices.Contains([]string{"null", "[]", "{}", `""`}, string(bytes.Join(bytes.Fields(value), nil)))
}

// holdsMarks reports whether a value contains, at any depth, what looks like
// annotations of a text. own says whether items directly in a list count.
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

// looksMarked reports whether a value is a list of annotations, or contains one.
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

// isSpan reports whether a list looks like a span: a start, a greater end, and
// perhaps strings such as a label.
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

// noise removes other words from the names of offsets, so that start and end
// remain.
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

// offset returns the value if it can be an offset: a whole number, perhaps as a
// string.
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

// areLabels reports whether a list looks like one label per token, as in BIO.
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

// letters returns a key in lower case with its letters only.
func letters(key string) string {
	return strings.Map(func(r rune) rune {
		if r < 'a' || r > 'z' {
			return -1
		}
		return r
	}, strings.ToLower(key))
}
