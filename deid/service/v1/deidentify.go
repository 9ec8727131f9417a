package v1

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid"
	"github.com/lethe-deid/lethe/deid/service/wire"
)

// response is the answer to a request.
type response struct {
	Model  identity `json:"model"`
	Policy identity `json:"policy"`
	Notes  []answer `json:"notes"`
}

// identity is the name of a model or a policy, and the digest of its content.
type identity struct {
	Name   string `json:"name"`
	Digest string `json:"digest"`
}

// answer is the answer to a note.
type answer struct {
	ID        wire.ID     `json:"id,omitempty"`
	Patient   wire.ID     `json:"patient,omitempty"`
	Text      *string     `json:"text,omitzero"` // nil if the note could not be examined
	Spans     []found     `json:"spans"`
	Doubts    []wire.Span `json:"doubts,omitempty"`
	Unlike    []string    `json:"unlike,omitempty"`    // in which ways the note is unlike those that the model was calibrated on
	Languages []string    `json:"languages,omitempty"` // languages whose models examined the note, if there are several
	Warnings  []string    `json:"warnings,omitempty"`  // what the request asks for in vain
	Error     string      `json:"error,omitempty"`
}

// found is a span of the original text, and what has taken its place.
type found struct {
	wire.Span
	Kind        string      `json:"kind"`
	Replacement replacement `json:"replacement"`
}

type replacement struct {
	Text  string      `json:"text"`
	Start wire.Offset `json:"start"`
	End   wire.Offset `json:"end"`
}

func (c Config) deidentify(w http.ResponseWriter, r *http.Request) {
	if wire.MediaType(r) == "application/x-ndjson" {
		c.stream(w, r)
		return
	}
	var q request
	if err := wire.Decode(r, &q); err != nil {
		wire.Fail(w, err)
		return
	}
	status, body, err := c.answer(r.Context(), &q)
	if err != nil {
		wire.Fail(w, err)
		return
	}
	wire.Write(w, status, body)
}

// answer answers a request. The status is 422 if a note could not be examined.
func (c Config) answer(ctx context.Context, q *request) (status int, _ *response, _ error) {
	p, err := c.prepare(q)
	if err != nil {
		return 0, nil, err
	}
	if err := wire.CheckTexts(ctx, len(p.notes), func(i int) string { return p.notes[i].Text }); err != nil {
		return 0, nil, err
	}
	policy, err := p.PolicyOf(p.call)
	if err != nil {
		return 0, nil, err
	}
	results := p.deid.Notes(ctx, p.notes)
	if err := wire.Interrupted(ctx); err != nil {
		return 0, nil, err
	}
	doubts, err := p.doubtsIn(ctx, results)
	if err != nil {
		return 0, nil, cmp.Or(wire.Interrupted(ctx), err)
	}
	status = http.StatusOK
	all := &response{identity{p.Name, p.Digest}, identity{policy.Name, policy.Digest}, make([]answer, len(results))}
	notes, spans := 0, map[string]int{}
	for i, done := range results {
		all.Notes[i] = p.note(i, done)
		if done.Err != nil {
			status = http.StatusUnprocessableEntity
			continue
		}
		if doubts != nil {
			all.Notes[i].Doubts = p.indexes[i].Spans(doubts[i])
		}
		add(spans, counts(done.Changes))
		notes++
	}
	c.Count(notes, spans)
	return status, all, nil
}

// note returns the answer to a note.
func (p *prepared) note(i int, done deid.Result) answer {
	a := answer{ID: p.ids[i], Patient: p.patients[i], Spans: []found{}}
	if done.Err != nil {
		a.Error = done.Err.Error()
		return a
	}
	if n := p.short[i]; n > 0 {
		a.Warnings = append(a.Warnings, fmt.Sprintf("known values that are too short to search for: %d", n))
	}
	a.Text = &done.Clean.Text
	before, after := p.indexes[i], wire.NewIndex(done.Clean.Text)
	for _, c := range done.Changes {
		a.Spans = append(a.Spans, found{
			before.Span(c.Old), string(c.Kind), replacement{done.Clean.Text[c.New.Start:c.New.End], after.At(c.New.Start), after.At(c.New.End)},
		})
	}
	if !p.call.Marked {
		a.Unlike, a.Languages = p.Model.Unlike(p.notes[i].Text, done.Tagged), done.Languages
	}
	return a
}

// doubtsIn returns what the model doubts outside of the spans of the results, or nil if the request does not ask for it.
func (p *prepared) doubtsIn(ctx context.Context, results []deid.Result) ([][]data.Span, error) {
	if p.doubts == 0 {
		return nil, nil
	}
	tagger, err := p.Model.Doubts(p.doubts)
	if err != nil {
		return nil, wire.Unprocessable("doubts: the model reports none")
	}
	docs := make([]*data.Document, len(p.notes))
	for i, n := range p.notes {
		docs[i] = n.Document
	}
	all, errs := data.TagEach(ctx, tagger, docs)
	for i := range all {
		if errs[i] != nil && results[i].Err == nil {
			return nil, errors.New("the doubts of the model could not be computed")
		}
		var outside []data.Span
		taken := make([]data.Span, len(results[i].Changes))
		for k, c := range results[i].Changes {
			taken[k] = c.Old
		}
		for _, s := range all[i] {
			if from, to := data.Overlapping(taken, s); from == to {
				outside = append(outside, s)
			}
		}
		all[i] = outside
	}
	return all, nil
}
