// Package reviews has the endpoints of the service for a review (package review), which the page uses. docs/review.md describes
// them.
package reviews

import (
	"errors"
	"net/http"
	"strconv"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/review"
	"github.com/lethe-deid/lethe/deid/service/wire"
)

// Handlers returns the handlers of a review by their patterns for an http.ServeMux.
func Handlers(r *review.Review) map[string]http.Handler {
	h := handlers{r}
	all := map[string]http.Handler{}
	for pattern, answer := range map[string]func(*http.Request) (any, error){
		"GET /v1/review":                      h.overview,
		"GET /v1/review/notes/{number}":       h.note,
		"PUT /v1/review/notes/{number}":       h.put,
		"GET /v1/review/differences/{number}": h.differences,
		"GET /v1/review/agreement":            h.agreement,
		"GET /v1/review/bound":                h.bound,
	} {
		all[pattern] = http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			w.Header().Set("Cache-Control", "no-store")
			value, err := answer(req)
			if err != nil {
				wire.Fail(w, asWire(err))
				return
			}
			wire.Write(w, http.StatusOK, value)
		})
	}
	return all
}

type handlers struct{ *review.Review }

// asWire returns an error with its status.
func asWire(err error) error {
	conflict := func(code string) error {
		return &wire.Error{Status: http.StatusConflict, Code: code, Message: sentence(err)}
	}
	_, spans := errors.AsType[*review.ErrSpans](err)
	_, none := errors.AsType[*review.NoBound](err)
	_, wired := errors.AsType[*wire.Error](err)
	switch {
	case wired:
		return err
	case errors.Is(err, review.ErrNoNote):
		return &wire.Error{Status: http.StatusNotFound, Code: "no_note", Message: sentence(err)}
	case errors.Is(err, review.ErrNoReader):
		return &wire.Error{Status: http.StatusNotFound, Code: "no_reader", Message: sentence(err)}
	case errors.Is(err, review.ErrVersion):
		return conflict("version")
	case errors.Is(err, review.ErrClosed):
		return conflict("closed")
	case errors.Is(err, review.ErrNotDone), errors.Is(err, review.ErrNoneDone):
		return conflict("not_done")
	case errors.Is(err, review.ErrOneReader):
		return conflict("one_reader")
	case none:
		return conflict("no_bound")
	case spans:
		return wire.Unprocessable("%s", sentence(err))
	}
	// Anything else is an error of the file system, whose paths are not the client's business.
	return &wire.Error{Status: http.StatusInternalServerError, Code: "failed", Message: "The folder of the review cannot be read or written."}
}

// sentence returns an error as a sentence.
func sentence(err error) string {
	s := err.Error()
	if c := s[0]; c >= 'a' && c <= 'z' {
		s = string(c-'a'+'A') + s[1:]
	}
	return s + "."
}

// overview is the answer to GET /v1/review.
type overview struct {
	Name     string              `json:"name"`
	Model    string              `json:"model"`
	Language string              `json:"language"` // of the model's notes, such as en; "" if it is unknown
	By       review.By           `json:"by"`
	Unaided  bool                `json:"unaided"`
	Types    []string            `json:"types"`
	Readers  []string            `json:"readers"`
	Notes    []noteState         `json:"notes"`
	Progress map[string]progress `json:"progress"` // by reader and, if there are two, for final
}

type noteState struct {
	Number   int                     `json:"number"`
	ID       string                  `json:"id"`
	Doubtful float64                 `json:"doubtful"`
	Spans    int                     `json:"spans"` // of the model
	State    map[string]review.State `json:"state"`
	Verdict  review.Verdict          `json:"verdict"`
}

type progress struct {
	Done int `json:"done"`
	Of   int `json:"of"`
}

func (h handlers) overview(*http.Request) (any, error) {
	o := &overview{
		Name: h.Name, Model: h.Model, Language: h.TypeSet().Language, By: h.By, Unaided: h.Unaided, Types: h.TypeNames, Readers: h.Readers,
		Progress: map[string]progress{},
	}
	for i, e := range h.Notes {
		states, verdict, err := h.States(i + 1)
		if err != nil {
			return nil, err
		}
		n := noteState{Number: i + 1, ID: e.ID, Doubtful: e.Doubtful, Spans: e.Spans, State: states, Verdict: verdict}
		for reader, state := range states {
			p := o.Progress[reader]
			if reader != review.Final || verdict == review.Differing || state != review.ToDo {
				p.Of++
			}
			if state == review.Done {
				p.Done++
			}
			o.Progress[reader] = p
		}
		o.Notes = append(o.Notes, n)
	}
	return o, nil
}

// span is a span of a reader.
type span struct {
	wire.Span
	From string `json:"from"` // model or reader
}

// note is the answer to GET /v1/review/notes/{number}.
type note struct {
	Number  int          `json:"number"`
	ID      string       `json:"id"`
	Text    string       `json:"text"`
	Spans   []span       `json:"spans"`
	Doubts  []wire.Span  `json:"doubts"`
	Done    bool         `json:"done"`
	Closed  bool         `json:"closed"` // the reader cannot change the note any more
	Version int          `json:"version"`
	State   review.State `json:"state"`
}

func (h handlers) note(req *http.Request) (any, error) {
	n, reader, err := h.requested(req)
	if err != nil {
		return nil, err
	}
	reading, err := h.Reading(n.Number, reader)
	if err != nil {
		return nil, err
	}
	closed, err := h.Closed(n.Number)
	if err != nil {
		return nil, err
	}
	x := wire.NewIndex(n.Text)
	answer := &note{
		Number: n.Number, ID: n.ID, Text: n.Text, Spans: []span{}, Doubts: []wire.Span{}, Done: reading.Done, Version: reading.Version,
		Closed: closed && reader != review.Final, State: reading.State(),
	}
	var found []data.Span
	if !h.Unaided {
		found, answer.Doubts = n.Found(), x.Spans(n.Doubtful())
	}
	for _, s := range reading.Spans {
		answer.Spans = append(answer.Spans, origin(x, found, s))
	}
	return answer, nil
}

// origin returns a span with where it comes from, given what the model found. A span that the model found has the model's score.
func origin(x *wire.Index, found []data.Span, s data.Span) span {
	if from, to := data.Overlapping(found, s); from < to {
		if f := found[from]; f.Start == s.Start && f.End == s.End && f.Type == s.Type {
			return span{x.Span(f), "model"}
		}
	}
	return span{x.Span(s), "reader"}
}

// requested returns the note and the reader of a request.
func (h handlers) requested(req *http.Request) (*review.Note, string, error) {
	number, err := strconv.Atoi(req.PathValue("number"))
	if err != nil {
		return nil, "", wire.Invalid("The number of a note must be a whole number.")
	}
	reader := req.URL.Query().Get("reader")
	if reader == "" {
		return nil, "", wire.Invalid("The query must name a reader.")
	}
	n, err := h.Note(number)
	return n, reader, err
}

// reading is the body of PUT /v1/review/notes/{number}.
type reading struct {
	Spans   []wire.GivenSpan `json:"spans"`
	Done    bool             `json:"done"`
	Version *int             `json:"version"`
}

func (h handlers) put(req *http.Request) (any, error) {
	n, reader, err := h.requested(req)
	if err != nil {
		return nil, err
	}
	var body reading
	if err := wire.Decode(req, &body); err != nil {
		return nil, err
	}
	switch {
	case body.Spans == nil: // a note without PHI must say so
		return nil, wire.Invalid("The body requires spans, which may be an empty array.")
	case body.Version == nil:
		return nil, wire.Invalid("The body requires the version that the answer to GET had.")
	}
	spans, err := wire.NewIndex(n.Text).Read(body.Spans, h.TypeSet())
	if err != nil {
		return nil, wire.Unprocessable("%s", sentence(err))
	}
	version, err := h.Put(n.Number, reader, review.Reading{Version: *body.Version, Done: body.Done, Spans: spans})
	if err != nil {
		return nil, err
	}
	return map[string]int{"version": version}, nil
}

func (h handlers) differences(req *http.Request) (any, error) {
	number, err := strconv.Atoi(req.PathValue("number"))
	if err != nil {
		return nil, wire.Invalid("The number of a note must be a whole number.")
	}
	of, agreed, err := h.Differences(number)
	if err != nil {
		return nil, err
	}
	n, err := h.Note(number)
	if err != nil {
		return nil, err
	}
	x := wire.NewIndex(n.Text)
	readers := map[string][]wire.Span{}
	for i, name := range h.Readers {
		readers[name] = x.Spans(of[i])
	}
	return map[string]any{"number": number, "text": n.Text, "readers": readers, "agreed": x.Spans(agreed)}, nil
}

func (h handlers) agreement(*http.Request) (any, error) {
	a, _, err := h.Agreement()
	return a, err
}

func (h handlers) bound(*http.Request) (any, error) { return h.Bound() }
