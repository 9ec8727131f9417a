package unseen

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/lethe-deid/lethe/data"
)

const (
	queryMark = "===QUERY==="
	tagsMark  = "===PHI_TAGS==="
)

// Queries reads ASQ-PHI, a corpus of synthetic clinical queries (Weatherhead 2025). The ID of a query is its number,
// from 1, and each query is a patient of its own.
//
// The corpus lists the values of the PHI in each query, but not their offsets. The longest values
// are located first, and a value is not searched for within another one: a hospital that is also
// the beginning of a record number is only found where it stands by itself. Typographic apostrophes
// and quotation marks equal plain ones. All occurrences of a value are marked.
//
// Queries in which a value does not occur are left out, because their PHI would not be marked. Queries calls warn
// with a line about each of them, and about each value that occurs more than once; the line contains no value and no text.
func Queries(path string, warn func(string)) ([]Text, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	queries := strings.Split(strings.ReplaceAll(string(raw), "\r\n", "\n"), queryMark)
	var texts []Text
	for i, query := range queries[1:] {
		doc, err := document(i+1, query, warn)
		if err != nil {
			return nil, fmt.Errorf("%s: query %d: %w", path, i+1, err)
		}
		if doc != nil {
			texts = append(texts, Text{Document: doc})
		}
	}
	return texts, nil
}

// tag is one line below tagsMark.
type tag struct {
	Type  string `json:"identifier_type"`
	Value string `json:"value"`
}

// document returns the query with the occurrences of its values marked, or nil if a value does not
// occur in it.
func document(number int, query string, warn func(string)) (*data.Document, error) {
	text, list, ok := strings.Cut(query, tagsMark)
	if !ok {
		return nil, fmt.Errorf("no %s", tagsMark)
	}
	var tags []tag
	for line := range strings.Lines(list) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		var t tag
		if err := json.Unmarshal([]byte(line), &t); err != nil {
			return nil, errors.New("a tag is not a JSON object") // the error of json may quote the value
		}
		if t.Type == "" || t.Value == "" {
			return nil, errors.New("a tag has no type or no value")
		}
		if !slices.Contains(tags, t) {
			tags = append(tags, t)
		}
	}
	slices.SortStableFunc(tags, func(a, b tag) int { return cmp.Compare(len(b.Value), len(a.Value)) })
	id := strconv.Itoa(number)
	doc := &data.Document{ID: id, Patient: id, Text: strings.TrimSpace(text)}
	for _, t := range tags {
		found := occurrences(doc, t)
		if len(found) == 0 {
			warn(fmt.Sprintf("query %d: a value of the type %s does not occur; the query is left out", number, t.Type))
			return nil, nil
		}
		if len(found) > 1 {
			warn(fmt.Sprintf("query %d: a value of the type %s occurs %d times; all are marked", number, t.Type, len(found)))
		}
		doc.Spans = append(doc.Spans, found...)
	}
	data.SortSpans(doc.Spans)
	return doc, nil
}

// occurrences finds the value where the document has no span yet.
func occurrences(doc *data.Document, t tag) (found []data.Span) {
	for start := range doc.Text {
		n, ok := prefix(doc.Text[start:], t.Value)
		s := data.Span{Start: start, End: start + n, Type: t.Type, Score: 1}
		overlaps := func(other data.Span) bool { return s.Start < other.End && other.Start < s.End }
		if ok && !slices.ContainsFunc(doc.Spans, overlaps) && !slices.ContainsFunc(found, overlaps) {
			found = append(found, s)
		}
	}
	return found
}

// prefix returns the number of bytes at the beginning of text that equal the value.
func prefix(text, value string) (n int, ok bool) {
	want := []rune(plain.Replace(value))
	for i, r := range text {
		if len(want) == 0 {
			return i, true
		}
		if plain.Replace(string(r)) != string(want[0]) {
			return 0, false
		}
		want = want[1:]
	}
	return len(text), len(want) == 0
}

// plain replaces typographic apostrophes and quotation marks, each of which is one character.
var plain = strings.NewReplacer("’", "'", "‘", "'", "“", `"`, "”", `"`)
