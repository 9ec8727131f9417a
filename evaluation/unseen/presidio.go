package unseen

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
)

// sentence is an item of synth_dataset_v2.json of presidio-research. Its offsets count code points.
type sentence struct {
	Text   string `json:"full_text"`
	Masked string `json:"masked"`
	Spans  []struct {
		Type  string `json:"entity_type"`
		Start int    `json:"start_position"`
		End   int    `json:"end_position"`
	} `json:"spans"`
}

// Sentences reads synth_dataset_v2.json of presidio-research, and returns the sentences whose template is in the half for
// training or, if test is true, in the half for tests. The ID of a sentence is its number in the file, from 1.
//
// Titles (which include professions) and nationalities, religions and politics are Neutral: the types of i2b2 do not
// have them.
func Sentences(path string, test bool) ([]Text, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var all []sentence
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var texts []Text
	for i, s := range all {
		if TestTemplate(s.Masked) != test {
			continue
		}
		text, err := s.marked(strconv.Itoa(i + 1))
		if err != nil {
			return nil, fmt.Errorf("%s: item %d: %w", path, i+1, err)
		}
		texts = append(texts, text)
	}
	return texts, nil
}

func (s sentence) marked(id string) (Text, error) {
	starts := make([]int, 0, len(s.Text)+1) // byte offset of each code point
	for i := range s.Text {
		starts = append(starts, i)
	}
	starts = append(starts, len(s.Text))
	t := Text{Document: &data.Document{ID: id, Patient: id, Text: s.Text}}
	if !utf8.ValidString(s.Text) {
		return t, errors.New("not valid UTF-8")
	}
	for _, span := range s.Spans {
		if span.Start < 0 || span.End <= span.Start || span.End >= len(starts) {
			return t, errors.New("a span does not fit the text")
		}
		m := data.Span{Start: starts[span.Start], End: starts[span.End], Type: span.Type, Score: 1}
		if slices.Contains([]string{"TITLE", "NRP"}, span.Type) {
			t.Neutral = append(t.Neutral, m)
		} else {
			t.Spans = append(t.Spans, m)
		}
	}
	data.SortSpans(t.Spans)
	data.SortSpans(t.Neutral)
	return t, nil
}

// TestTemplate reports whether a template of presidio-research belongs to the half for tests. It accepts a line of
// templates.txt and the value "masked" of a sentence made of it. It depends only on the ASCII letters outside of
// placeholders such as {{name}}, so that templates that differ in placeholders or punctuation are in the same half.
func TestTemplate(template string) bool {
	var letters []byte
	for _, r := range strings.ToLower(placeholder.ReplaceAllString(template, "")) {
		if 'a' <= r && r <= 'z' {
			letters = append(letters, byte(r))
		}
	}
	return sha256.Sum256(letters)[0]&1 == 1
}

// placeholder also matches the line breaks of templates.txt, which are written \n.
var placeholder = regexp.MustCompile(`\{\{\w+\}\}|\\n`)
