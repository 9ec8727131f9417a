package presidio

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/lethe-deid/lethe/deid/service/wire"
)

// texts are the texts of a request of /anonymize or /deanonymize, with a list of results for each.
type texts struct {
	batch   bool
	texts   []*points
	results []any
}

// readTexts reads the texts of a request and the lists under a key. Without the key, results are nil.
func readTexts(ctx context.Context, request *object, key string) (*texts, error) {
	value, given := any(""), request.get(key)
	if request.has("text") {
		value = request.get("text")
	}
	many, batch := value.([]any)
	t := &texts{batch: batch}
	if !batch {
		many, t.results = []any{value}, []any{given}
	} else {
		lists, ok := given.([]any)
		if given != nil && !ok {
			return nil, errInternal
		}
		if given == nil {
			lists = make([]any, len(many))
		}
		if len(lists) != len(many) {
			return nil, invalid("Invalid input, '%s' must contain one list of results per item in 'text' when 'text' is a list (%d text items, %d '%s' items)", key, len(many), len(lists), key)
		}
		t.results = lists
	}
	for _, v := range many {
		text, ok := v.(string)
		if !ok {
			return nil, errInternal
		}
		t.texts = append(t.texts, newPoints(text))
	}
	return t, wire.CheckTexts(ctx, len(t.texts), func(i int) string { return t.texts[i].text })
}

// item is a replacement in the response.
type item struct {
	start, end     int // in code points of the new text
	kind           string
	text, operator string
	score          any
}

// outcome is a text with replacements. The items are in the order from the end of the text to its start.
type outcome struct {
	text  string
	items []item
}

// append writes the outcome as JSON.
func (o *outcome) append(to []byte) []byte {
	to = appendString(append(to, `{"text": `...), o.text)
	to = spaced.appendList(append(to, `, "items": `...), len(o.items), func(to []byte, i int) []byte {
		t := o.items[i]
		to = appendString(fmt.Appendf(to, `{"start": %d, "end": %d, "entity_type": `, t.start, t.end), t.kind)
		to = appendString(append(to, `, "text": `...), t.text)
		to = appendString(append(to, `, "operator": `...), t.operator)
		return append(spaced.append(append(to, `, "score": `...), t.score), '}')
	})
	return append(to, '}')
}

// respond writes the outcomes.
func (t *texts) respond(w http.ResponseWriter, outcomes []*outcome) {
	if !t.batch {
		write(w, http.StatusOK, outcomes[0].append(nil))
		return
	}
	write(w, http.StatusOK, spaced.appendList(nil, len(outcomes), func(to []byte, i int) []byte { return outcomes[i].append(to) }))
}

// anonymize answers POST /anonymize.
func (s *service) anonymize(w http.ResponseWriter, r *http.Request) error {
	request, err := s.anonymizerRequest(r)
	if err != nil {
		return err
	}
	operators, err := readOperators(request.get("anonymizers"))
	if err != nil {
		return err
	}
	for _, o := range operators {
		if o.name == "custom" {
			return &failure{http.StatusBadRequest, "Custom type anonymizer is not supported"}
		}
	}
	all, err := readTexts(r.Context(), request, "analyzer_results")
	if err != nil {
		return err
	}
	notes := make([]*note, len(all.texts))
	for i, text := range all.texts {
		notes[i] = &note{points: text}
		if notes[i].entities, err = readResults(all.results[i]); err != nil {
			return err
		}
	}
	if err := s.addKnown(request, notes); err != nil {
		return err
	}
	for _, n := range notes {
		if err := n.resolve(operators); err != nil {
			return err
		}
	}
	plan, err := s.plan(request, operators, notes)
	if err != nil {
		return err
	}
	outcomes := make([]*outcome, len(notes))
	room := maxReplaced
	for i, n := range notes {
		if err := wire.Interrupted(r.Context()); err != nil {
			return err
		}
		if outcomes[i], err = plan.replace(n, &room); err != nil {
			return err
		}
	}
	all.respond(w, outcomes)
	return nil
}

// note is a text to anonymize.
type note struct {
	*points
	entities []entity // once conflicts are resolved, in the order of the text, and none within another
	removed  []entity // those before conflicts were resolved whose operator is not keep, in the order of their starts
	reach    []int    // the largest end of removed[:i+1]
}

// resolve resolves the conflicts between the entities.
func (n *note) resolve(operators map[string]operator) (err error) {
	p := newPlan(operators)
	for _, e := range n.entities {
		if e.start < e.end && p.of(e.kind).name != "keep" {
			n.removed = append(n.removed, e)
		}
	}
	slices.SortStableFunc(n.removed, func(a, b entity) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end), cmp.Compare(a.kind, b.kind))
	})
	n.removed = slices.CompactFunc(n.removed, func(a, b entity) bool { return a.start == b.start && a.end == b.end && a.kind == b.kind })
	for i, e := range n.removed {
		if i > 0 {
			e.end = max(e.end, n.reach[i-1])
		}
		n.reach = append(n.reach, e.end)
	}
	if n.entities, err = resolve(n.points, n.entities); err != nil {
		return err
	}
	return checkOverlaps(n.points, n.entities)
}

// maxCover limits how often the entities of a text may cover it together, because overlapping entities that are kept are repeated in the new text.
const maxCover = 64

func checkOverlaps(text *points, entities []entity) error {
	sum := 0
	for _, e := range entities {
		sum += e.end - e.start
	}
	if sum > maxCover*(text.count()+1) {
		return invalid("Invalid input, the results overlap too much: together they cover more than %d times the text", maxCover)
	}
	return nil
}

// inside returns the parts of entities of other types that lie in a range and must not stay in the text, as entities of that range.
func (n *note) inside(start, end int, kind string) []entity {
	var parts []entity
	for i, _ := slices.BinarySearch(n.reach, start+1); i < len(n.removed) && n.removed[i].start < end; i++ {
		e := n.removed[i]
		e.start, e.end = max(e.start, start)-start, min(e.end, end)-start
		if e.start < e.end && e.kind != kind {
			parts = append(parts, e)
		}
	}
	return parts
}

// readResults reads the results of an analyzer.
func readResults(value any) ([]entity, error) {
	if value == nil {
		return nil, invalid("Invalid input, request must contain analyzer results")
	}
	var entities []entity
	err := eachEntity(value, func(o *object, e entity) error {
		if e.score = o.get("score"); e.score == nil {
			return invalid("Invalid input, analyzer result must contain score")
		}
		entities = append(entities, e)
		return nil
	})
	return entities, err
}

// eachEntity reads a list of entities and passes each to do.
func eachEntity(value any, do func(o *object, e entity) error) error {
	list, ok := value.([]any)
	if !ok && (isScalar(value) && value != "" || truthy(value)) {
		return errInternal
	}
	for _, v := range list {
		o, ok := v.(*object)
		if !ok {
			return errInternal
		}
		e, err := readEntity(o)
		if err != nil {
			return err
		}
		if err := do(o, e); err != nil {
			return err
		}
	}
	return nil
}

// readEntity reads the offsets and the type of an entity.
func readEntity(o *object) (entity, error) {
	for _, key := range []string{"start", "end"} {
		if o.get(key) == nil {
			return entity{}, invalid("Invalid input, result must contain %s", key)
		}
		if err := checkType(o.get(key), key, "int"); err != nil {
			return entity{}, err
		}
	}
	if !truthy(o.get("entity_type")) {
		return entity{}, invalid("Invalid input, result must contain entity_type")
	}
	from, to := o.get("start"), o.get("end")
	for _, at := range []any{from, to} {
		if negative, ok := less(at, 0); !ok {
			return entity{}, errInternal
		} else if negative {
			return entity{}, invalid("Invalid input, result start and end must be positive")
		}
	}
	if reversed, _ := less(to, from); reversed {
		return entity{}, invalid("Invalid input, start index '%s' must be smaller than end index '%s'", str(from), str(to))
	}
	start, ok := whole(from)
	end, both := whole(to)
	if !ok || !both {
		return entity{}, errInternal
	}
	kind, ok := o.get("entity_type").(string)
	if !ok {
		return entity{}, invalid("Invalid input, entity_type must be a string")
	}
	return entity{start: start, end: end, kind: kind}, nil
}

// deanonymize answers POST /deanonymize.
func (s *service) deanonymize(w http.ResponseWriter, r *http.Request) error {
	request, err := s.anonymizerRequest(r)
	if err != nil {
		return err
	}
	operators, err := readOperators(request.get("deanonymizers"))
	if err != nil {
		return err
	}
	all, err := readTexts(r.Context(), request, "anonymizer_results")
	if err != nil {
		return err
	}
	outcomes := make([]*outcome, len(all.texts))
	room := maxReplaced
	for i, text := range all.texts {
		if err := wire.Interrupted(r.Context()); err != nil {
			return err
		}
		var entities []entity
		if truthy(all.results[i]) {
			err = eachEntity(all.results[i], func(o *object, e entity) error {
				e.score, err = asFloat(o.get("score"))
				entities = append(entities, e)
				return err
			})
			if err != nil {
				return err
			}
		}
		if err := checkOverlaps(text, entities); err != nil {
			return err
		}
		outcomes[i], err = rewrite(text, entities, &room, func(i int) (string, string, error) {
			e := entities[i]
			o, ok := operators[e.kind]
			if !ok {
				o, ok = operators[byDefault]
			}
			if !ok {
				return "", "", errInternal
			}
			changed, err := o.apply(deanonymize, e.kind, text.slice(e.start, e.end))
			return changed, str(o.name), err
		})
		if err != nil {
			return err
		}
	}
	all.respond(w, outcomes)
	return nil
}

// asFloat returns what Python's float makes of a score, or nil if there is none.
func asFloat(score any) (any, error) {
	if text, ok := score.(string); ok {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, errInternal
		}
		return x, nil
	}
	x, ok := real(score)
	switch {
	case score == nil:
		return nil, nil
	case !ok:
		return nil, errInternal
	}
	return x, nil
}

// byDefault is the key of the operator for types that have none of their own.
const byDefault = "DEFAULT"

// anonymizerRequest reads a request of /anonymize or /deanonymize.
func (s *service) anonymizerRequest(r *http.Request) (*object, error) {
	value, err := readBody(r)
	if err != nil {
		return nil, err
	}
	if !truthy(value) {
		return nil, &failure{http.StatusBadRequest, "Invalid request json"}
	}
	request, ok := value.(*object)
	if !ok {
		return nil, errInternal
	}
	return request, nil
}
