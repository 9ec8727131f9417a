package wire

import (
	"fmt"

	"github.com/lethe-deid/lethe/data"
)

// Span is a span of PHI in a response.
type Span struct {
	Type  string  `json:"type"`
	Score float64 `json:"score"` // in [0, 1]
	Start Offset  `json:"start"`
	End   Offset  `json:"end"`
}

// Span returns a span of the text as a response shows it.
func (x *Index) Span(s data.Span) Span {
	return Span{s.Type, s.Score, x.At(s.Start), x.At(s.End)}
}

// Spans returns spans of the text as a response shows them. The result is never nil.
func (x *Index) Spans(spans []data.Span) []Span {
	all := make([]Span, len(spans))
	for i, s := range spans {
		all[i] = x.Span(s)
	}
	return all
}

// GivenSpan is a span of PHI in a request.
type GivenSpan struct {
	Type  string   `json:"type"`
	Score *float64 `json:"score"` // default 1
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Read converts spans of a request, in any order. It is an error if a span is empty or does not fit the text, or if a type is
// not in the set, which may be nil for any. Errors name a span by its place in the request, from 0.
func (x *Index) Read(given []GivenSpan, types *data.TypeSet) ([]data.Span, error) {
	spans := make([]data.Span, len(given))
	for i, g := range given {
		s := data.Span{Type: g.Type, Score: 1}
		var err error
		if s.Start, err = x.Byte(g.Start); err == nil {
			s.End, err = x.Byte(g.End)
		}
		if g.Score != nil {
			s.Score = *g.Score
		}
		switch {
		case err != nil:
		case s.Start >= s.End:
			err = fmt.Errorf("it ends at byte %d, not after its start at %d", s.End, s.Start)
		case !(s.Score >= 0 && s.Score <= 1):
			err = fmt.Errorf("its score %v is not between 0 and 1", s.Score)
		case g.Type == "":
			err = fmt.Errorf("it has no type")
		case types != nil && !types.Has(g.Type):
			err = fmt.Errorf("the model has no type of that name")
		}
		if err != nil {
			return nil, fmt.Errorf("spans[%d]: %w", i, err)
		}
		spans[i] = s
	}
	return spans, nil
}
