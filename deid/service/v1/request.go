package v1

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid"
	"github.com/lethe-deid/lethe/deid/engine"
	"github.com/lethe-deid/lethe/deid/replace"
	"github.com/lethe-deid/lethe/deid/safetynet"
	"github.com/lethe-deid/lethe/deid/service/wire"
)

// request is the body of a request, or a line of a stream.
type request struct {
	Model        string              `json:"model"`
	Policy       string              `json:"policy"`
	Replace      string              `json:"replace"`
	ReplaceTypes map[string]string   `json:"replace_types"`
	SpansGiven   bool                `json:"spans_given"`
	Allow        []string            `json:"allow"`
	Deny         []string            `json:"deny"`
	Doubts       *float64            `json:"doubts"`
	Known        map[string][]string `json:"known"`
	Patient      wire.ID             `json:"patient"`

	ID    wire.ID          `json:"id"`
	Text  *string          `json:"text"`
	Spans []wire.GivenSpan `json:"spans"`
	Notes *[]note          `json:"notes"`
}

// note is a note of a request.
type note struct {
	ID      wire.ID             `json:"id"`
	Patient wire.ID             `json:"patient"`
	Text    *string             `json:"text"`
	Known   map[string][]string `json:"known"`
	Spans   []wire.GivenSpan    `json:"spans"`
}

// notes returns the notes of a request.
func (q *request) notes() ([]note, error) {
	switch {
	case q.Text == nil && q.Notes == nil:
		return nil, wire.Invalid("The request requires text or notes.")
	case q.Text != nil && q.Notes != nil:
		return nil, wire.Invalid("The request has both text and notes.")
	case q.Text != nil:
		return []note{{q.ID, q.Patient, q.Text, nil, q.Spans}}, nil
	case q.ID != (wire.ID{}) || q.Spans != nil:
		return nil, wire.Invalid("With notes, the keys id and spans belong to the notes.")
	}
	for i, n := range *q.Notes {
		if n.Text == nil {
			return nil, wire.Invalid("notes[%d] has no text.", i)
		}
	}
	return *q.Notes, nil
}

// knows reports whether the request has known values.
func (q *request) knows(notes []note) bool {
	return len(q.Known) > 0 || slices.ContainsFunc(notes, func(n note) bool { return len(n.Known) > 0 })
}

// prepared is a request that can be worked on.
type prepared struct {
	*engine.Member
	call     engine.Request
	deid     *deid.Deidentifier
	notes    []deid.Note
	ids      []wire.ID // of the notes, for the response
	indexes  []*wire.Index
	doubts   float64   // 0 lists none
	patients []wire.ID // of the notes, for the response
	short    []int     // numbers of known values that are too short to search for
}

// prepare checks a request.
func (c Config) prepare(q *request) (*prepared, error) {
	all, err := q.notes()
	if err != nil {
		return nil, err
	}
	p := &prepared{}
	if p.Member, err = c.Engines.Get(q.Model); err != nil {
		return nil, wire.Unprocessable("model: %v", err)
	}
	if q.Doubts != nil {
		if p.doubts = *q.Doubts; !(p.doubts > 0 && p.doubts < 1) {
			return nil, wire.Unprocessable("doubts: it is not a probability above 0 and below 1")
		}
	}
	p.call = engine.Request{Policy: q.Policy, Replace: replace.Kind(q.Replace), ByType: map[string]replace.Kind{}, Marked: q.SpansGiven, Allow: q.Allow, Deny: q.Deny}
	for typ, kind := range q.ReplaceTypes {
		p.call.ByType[typ] = replace.Kind(kind)
	}
	searches := len(q.Allow)+len(q.Deny) > 0 || q.Doubts != nil || q.knows(all)
	if q.SpansGiven && searches {
		return nil, wire.Unprocessable("spans_given cannot be combined with allow, deny, known or doubts: nothing is searched for")
	}
	if p.deid, err = p.For(p.call); err != nil {
		return nil, wire.Unprocessable("%v", err)
	}
	if p.deid.Net == nil && q.knows(all) {
		return nil, wire.Unprocessable("known requires the safety net, which this server does not use: it was started with --safety-net off")
	}
	for i, n := range all {
		if err := p.add(q, n); err != nil {
			if q.Notes != nil {
				return nil, wire.Unprocessable("notes[%d]: %v", i, err)
			}
			return nil, wire.Unprocessable("%v", err)
		}
	}
	return p, nil
}

// add adds a note.
func (p *prepared) add(q *request, n note) error {
	index := wire.NewIndex(*n.Text)
	patient := cmp.Or(n.Patient, q.Patient)
	doc := &data.Document{ID: n.ID.Text, Patient: patient.Text, Text: *n.Text}
	if len(n.Spans) > 0 && !q.SpansGiven {
		return wire.Unprocessable("it has spans, but spans_given is not true")
	}
	if n.Spans == nil && q.SpansGiven {
		return wire.Unprocessable("spans_given is true, but it has no spans: an empty list says that it contains no PHI")
	}
	given, err := index.Read(n.Spans, p.Types)
	if err != nil {
		return err
	}
	byType := map[string][]data.Span{} // spans of different types stay apart for the policy, but each place is in few of them
	for _, s := range given {
		byType[s.Type] = append(byType[s.Type], s)
	}
	for _, typ := range slices.Sorted(maps.Keys(byType)) {
		doc.Spans = append(doc.Spans, data.Merge(byType[typ])...)
	}
	known := slices.Concat(safetynet.ValuesOf(q.Known, p.Types), safetynet.ValuesOf(n.Known, p.Types))
	p.short = append(p.short, safetynet.TooShort(known))
	p.notes = append(p.notes, deid.Note{Document: doc, Group: groupOf(doc), Known: slices.Concat(known, p.Known.Of(doc))})
	p.indexes = append(p.indexes, index)
	p.ids, p.patients = append(p.ids, n.ID), append(p.patients, patient)
	return nil
}

// groupOf returns what identifies the patient of a note. A note that names none has a patient of its own, who is the same when the same note
// comes again.
func groupOf(doc *data.Document) string {
	if doc.Patient != "" {
		return doc.Patient
	}
	sum := sha256.Sum256([]byte(doc.ID + "\x00" + doc.Text))
	return "\x00note " + hex.EncodeToString(sum[:])
}

// counts returns the number of spans by type.
func counts(spans []replace.Change) map[string]int {
	n := map[string]int{}
	for _, c := range spans {
		n[c.Old.Type]++
	}
	return n
}

func add(to, from map[string]int) {
	for _, key := range slices.Collect(maps.Keys(from)) {
		to[key] += from[key]
	}
}
