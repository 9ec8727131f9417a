// Package unseen reads texts that no model may be trained or tuned on, and measures a tagger on them:
// hand-written notes and clinical phrases (see checkpoints/testdata), ASQ-PHI, and the templates of presidio-research.
//
// The measures are those of a user who removes everything that a tagger finds: how much PHI is left, and how much of the
// other text is lost. They do not depend on the types of the spans, except for the strict scores.
package unseen

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/lethe-deid/lethe/data"
)

// A Text is a document of a set, with its PHI marked.
type Text struct {
	*data.Document
	Kind    string      // the kind of note, such as "radiology report"; "" if the set has no kinds
	Neutral []data.Span // text that counts neither as PHI nor as text that has to stay
}

// Notes reads the notes with inline marks in the .txt files of a folder, in the order of their names. The first line of a file is # and
// the kind of note. A mark is written <DATE:03/04/2019>, with a type of the set. A < that does not start a mark
// stands for itself.
func Notes(dir string, types *data.TypeSet) ([]Text, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("%s: contains no .txt files", dir)
	}
	var notes []Text
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		first, rest, _ := strings.Cut(string(raw), "\n")
		kind, ok := strings.CutPrefix(first, "# ")
		if !ok {
			return nil, fmt.Errorf("%s:1: expected # and the kind of note", path)
		}
		id := strings.TrimSuffix(filepath.Base(path), ".txt")
		text, spans, err := marked(rest, types)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		notes = append(notes, Text{Document: &data.Document{ID: id, Patient: id, Text: text, Spans: spans}, Kind: kind})
	}
	return notes, nil
}

var mark = regexp.MustCompile(`<([A-Z][A-Z_-]+):([^<>\n]+)>`)

// marked takes the marks out of a text and returns them as spans.
func marked(raw string, types *data.TypeSet) (string, []data.Span, error) {
	var text strings.Builder
	var spans []data.Span
	end := 0
	for _, m := range mark.FindAllStringSubmatchIndex(raw, -1) {
		typ := raw[m[2]:m[3]]
		if !types.Has(typ) {
			line := 2 + strings.Count(raw[:m[0]], "\n")
			return "", nil, fmt.Errorf("line %d: %s is not a type of the set %s", line, typ, types.Name)
		}
		text.WriteString(raw[end:m[0]])
		start := text.Len()
		text.WriteString(raw[m[4]:m[5]])
		spans = append(spans, data.Span{Start: start, End: text.Len(), Type: typ, Score: 1})
		end = m[1]
	}
	text.WriteString(raw[end:])
	return text.String(), spans, nil
}

// Phrases reads a file of phrases without PHI, one per line. The ID of a phrase is the number of its line.
func Phrases(path string) ([]Text, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var phrases []Text
	lines := bufio.NewScanner(bytes.NewReader(raw))
	for n := 1; lines.Scan(); n++ {
		if strings.TrimSpace(lines.Text()) == "" {
			return nil, fmt.Errorf("%s:%d: empty line", path, n)
		}
		id := strconv.Itoa(n)
		phrases = append(phrases, Text{Document: &data.Document{ID: id, Patient: id, Text: lines.Text()}})
	}
	return phrases, lines.Err()
}
