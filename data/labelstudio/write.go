package labelstudio

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/internal/notes"
)

// Create returns a writer of all documents into one file, which appears at Close. The spans of a document become a prediction, so
// that annotators start from them, and Label Studio can show the task with the lowest score first. They are of a Labels tag
// named label for a Text tag named text, whose value is $text.
func Create(path string, types *data.TypeSet) (data.Writer, error) {
	first := true
	return notes.NewFramed(path, "[", "\n]\n", types, func(doc *data.Document) ([]byte, error) {
		line, err := encode(doc)
		if err != nil {
			return nil, err
		}
		separator := ",\n"
		if first {
			separator, first = "\n", false
		}
		return append([]byte(separator), line...), nil
	})
}

// The JSON forms of a document.
type (
	writtenTask struct {
		Data        writtenData         `json:"data"`
		Predictions []writtenPrediction `json:"predictions"`
	}
	writtenData struct {
		Text    string `json:"text"`
		Note    string `json:"note_id"`
		Patient string `json:"patient_id,omitempty"`
	}
	writtenPrediction struct {
		Version string          `json:"model_version"`
		Score   float64         `json:"score"` // the lowest of its regions, or 1
		Result  []writtenResult `json:"result"`
	}
	writtenResult struct {
		ID    string       `json:"id"`
		From  string       `json:"from_name"`
		To    string       `json:"to_name"`
		Type  string       `json:"type"`
		Score float64      `json:"score"`
		Value writtenValue `json:"value"`
	}
	writtenValue struct {
		Start  int      `json:"start"`
		End    int      `json:"end"`
		Text   string   `json:"text"`
		Labels []string `json:"labels"`
	}
)

// encode returns the task of a document.
func encode(doc *data.Document) ([]byte, error) {
	if !utf8.ValidString(doc.ID) || !utf8.ValidString(doc.Patient) {
		return nil, errors.New("the id or patient is not UTF-8")
	}
	spans := slices.Clone(doc.Spans)
	data.SortSpans(spans)
	p := writtenPrediction{Version: "lethe", Score: 1}
	offsets := notes.NewOffsets(doc.Text)
	for i, s := range spans {
		if !(s.Score >= 0 && s.Score <= 1) {
			return nil, errors.New("a span's score is not in [0,1]")
		}
		p.Score = min(p.Score, s.Score)
		p.Result = append(p.Result, writtenResult{
			ID: fmt.Sprintf("lethe-%d", i+1), From: "label", To: "text", Type: "labels", Score: s.Score,
			Value: writtenValue{offsets.CodePoint(s.Start), offsets.CodePoint(s.End), doc.Text[s.Start:s.End], []string{s.Type}},
		})
	}
	var b bytes.Buffer
	err := json.MarshalWrite(&b, writtenTask{writtenData{doc.Text, doc.ID, doc.Patient}, []writtenPrediction{p}})
	return b.Bytes(), err
}
