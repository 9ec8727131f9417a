package evaluation

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/lethe-deid/lethe/data"
)

// Pair is a gold document and the system's version of it. One of the two is nil
// if that side does not have the document.
type Pair[D any] struct {
	ID           string
	Gold, System *D
}

// Pairs matches the documents of two sources by their ID. It first yields the
// documents of both sides as they are matched, then those of the gold standard
// alone and those of the system alone, each in the order of its source. It stops
// after the first error of a source, and after the first ID that occurs twice on
// one side, which is an error.
//
// Each source is read in its own goroutine, a few documents ahead. If both
// sources have the same order, no other documents are held in memory; otherwise
// at most about two for each document that is still unmatched. Pairs remembers
// all IDs.
func Pairs[D any](gold, system iter.Seq2[*D, error], id func(*D) string) iter.Seq2[Pair[D], error] {
	return func(yield func(Pair[D], error) bool) {
		g, s := newSide("gold", gold, id), newSide("system", system, id)
		defer g.close()
		defer s.close()
		for !g.ended || !s.ended {
			// The side that has fewer documents waiting is the one that is behind.
			from, to := g, s
			if g.ended || !s.ended && len(s.waiting) < len(g.waiting) {
				from, to = s, g
			}
			doc, err := from.next()
			if err != nil {
				yield(Pair[D]{}, err)
				return
			}
			if doc == nil {
				continue
			}
			match, ok := to.take(id(doc))
			if !ok {
				from.wait(doc)
				continue
			}
			pair := Pair[D]{ID: id(doc), Gold: doc, System: match}
			if from == s {
				pair.Gold, pair.System = match, doc
			}
			if !yield(pair, nil) {
				return
			}
		}
		for _, doc := range g.rest() {
			if !yield(Pair[D]{ID: id(doc), Gold: doc}, nil) {
				return
			}
		}
		for _, doc := range s.rest() {
			if !yield(Pair[D]{ID: id(doc), System: doc}, nil) {
				return
			}
		}
	}
}

// side is one of the two sources of Pairs.
type side[D any] struct {
	name    string
	id      func(*D) string
	items   <-chan item[D]
	stop    chan<- struct{}
	ended   bool
	seen    map[string]struct{}
	waiting map[string]held[D] // by ID: documents that were read and are not matched yet
}

type item[D any] struct {
	doc *D
	err error
}

type held[D any] struct {
	doc   *D
	place int // position in the source
}

// ahead is the number of documents that are read in advance.
const ahead = 4

func newSide[D any](name string, docs iter.Seq2[*D, error], id func(*D) string) *side[D] {
	items, stop := make(chan item[D], ahead), make(chan struct{})
	go func() {
		defer close(items)
		for doc, err := range docs {
			select {
			case items <- item[D]{doc, err}:
			case <-stop:
				return
			}
		}
	}()
	return &side[D]{name: name, id: id, items: items, stop: stop, seen: map[string]struct{}{}, waiting: map[string]held[D]{}}
}

// close returns when the source is no longer being read.
func (s *side[D]) close() {
	close(s.stop)
	for range s.items {
	}
}

// next returns the next document, nil at the end.
func (s *side[D]) next() (*D, error) {
	i, ok := <-s.items
	if !ok {
		s.ended = true
		return nil, nil
	}
	if i.err != nil {
		return nil, i.err
	}
	id := s.id(i.doc)
	if _, twice := s.seen[id]; twice {
		return nil, fmt.Errorf("%s document %s: duplicate id", s.name, id)
	}
	s.seen[id] = struct{}{}
	return i.doc, nil
}

func (s *side[D]) wait(doc *D) { s.waiting[s.id(doc)] = held[D]{doc, len(s.seen)} }

func (s *side[D]) take(id string) (*D, bool) {
	h, ok := s.waiting[id]
	delete(s.waiting, id)
	return h.doc, ok
}

// rest returns the documents that were never matched, in the order of their
// source.
func (s *side[D]) rest() []*D {
	var all []held[D]
	for _, h := range s.waiting {
		all = append(all, h)
	}
	slices.SortFunc(all, func(a, b held[D]) int { return cmp.Compare(a.place, b.place) })
	docs := make([]*D, len(all))
	for i, h := range all {
		docs[i] = h.doc
	}
	return docs
}

// DocumentPairs matches documents as Pairs does and checks that they can be
// compared: spans must fit their texts (see data.Document.Check), and the two
// texts of a pair must be equal.
func DocumentPairs(gold, system data.Documents) iter.Seq2[Pair[data.Document], error] {
	return func(yield func(Pair[data.Document], error) bool) {
		id := func(d *data.Document) string { return d.ID }
		for p, err := range Pairs(checked("gold", gold), checked("system", system), id) {
			if err == nil && p.Gold != nil && p.System != nil {
				err = SameText(p.ID, p.Gold.Text, p.System.Text)
			}
			if !yield(p, err) || err != nil {
				return
			}
		}
	}
}

// Matching lists which documents were compared.
type Matching struct {
	// Documents is the number of gold documents, all of which were scored.
	Documents int `json:"documents"`
	// Missing lists the IDs of gold documents without a system document. All
	// their spans count as missed.
	Missing []string `json:"missing"`
	// Extra lists the IDs of system documents without a gold document. They are
	// not scored.
	Extra []string `json:"extra"`
}

// noDocuments returns a Matching whose lists are empty rather than null in JSON.
func noDocuments() Matching { return Matching{Missing: []string{}, Extra: []string{}} }

// EachPair calls add for each gold document and the system's version of it, which
// is an empty document if it is missing. It returns the errors of DocumentPairs
// and of add, and an error if there are no gold documents or if no ID occurs on
// both sides.
func EachPair(gold, system data.Documents, add func(gold, system *data.Document) error) (Matching, error) {
	m := noDocuments()
	for p, err := range DocumentPairs(gold, system) {
		switch {
		case err != nil:
			return m, err
		case p.Gold == nil:
			m.Extra = append(m.Extra, p.ID)
			continue
		case p.System == nil:
			m.Missing = append(m.Missing, p.ID)
			p.System = &data.Document{ID: p.ID}
		}
		m.Documents++
		if err := add(p.Gold, p.System); err != nil {
			return m, err
		}
	}
	switch {
	case m.Documents == 0:
		return m, fmt.Errorf("no gold documents to compare with")
	case len(m.Missing) == m.Documents && len(m.Extra) == 0:
		return m, fmt.Errorf("the system has no documents")
	case len(m.Missing) == m.Documents:
		return m, fmt.Errorf("none of the %d gold documents is among the %d of the system: their IDs differ", m.Documents, len(m.Extra))
	}
	return m, nil
}

func checked(side string, docs data.Documents) data.Documents {
	return func(yield func(*data.Document, error) bool) {
		for d, err := range docs {
			if err == nil {
				err = check(side, d)
			}
			if !yield(d, err) {
				return
			}
		}
	}
}

func check(side string, d *data.Document) error {
	if err := d.Check(); err != nil {
		return fmt.Errorf("%s %w", side, err)
	}
	return nil
}

// SameText returns an error, with the document's ID, if the gold text and the
// system text differ: their offsets could not be compared.
func SameText(id, gold, system string) error {
	if gold == system {
		return nil
	}
	at := 0
	for at < min(len(gold), len(system)) && gold[at] == system[at] {
		at++
	}
	return fmt.Errorf("document %s: gold text (%d bytes) and system text (%d bytes) differ from byte %d on", id, len(gold), len(system), at)
}
