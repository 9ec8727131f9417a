package presidio

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid"
	"github.com/lethe-deid/lethe/deid/safetynet"
	"github.com/lethe-deid/lethe/deid/service/wire"
)

var (
	errNoRecognizer = &failure{http.StatusInternalServerError, "No matching recognizers were found to serve the request."}
	errUnreadable   = &failure{http.StatusInternalServerError, "The server encountered an internal error and was unable to complete your request. Either the server is overloaded or there is an error in the application."}
)

// refuse returns the analyzer's error for a value of the wrong type. The message is that of Python.
func refuse(format string, args ...any) *failure {
	return &failure{http.StatusBadRequest, "Failed to parse /analyze request for AnalyzerEngine.analyze(). " + fmt.Sprintf(format, args...)}
}

// broken returns any other error of the analyzer.
func broken(format string, args ...any) *failure {
	return &failure{http.StatusInternalServerError, fmt.Sprintf(format, args...)}
}

// unexamined returns an error that depends on the text and not on the request alone. Unlike a [*failure], it is written with
// [wire.FailLoudly], because whoever takes it for an answer without findings would pass on the text.
func unexamined(message string) *wire.Error {
	return &wire.Error{Status: http.StatusInternalServerError, Code: "failed", Message: message}
}

// analysis is a request of /analyze.
type analysis struct {
	batch     bool
	texts     []string
	model     Model
	language  string
	asked     map[string]bool // entity types; nil means all
	adHoc     []*recognizer
	context   []string // words in lower case
	allowed   func(text string) (bool, error)
	threshold any
	explain   bool
	notes     []deid.Note
	found     map[string]int // number of spans of the model by type
}

// unsupportedHeader lists entity types of a request that the server cannot find, when it can find others.
const unsupportedHeader = "X-Lethe-Unsupported-Entities"

// analyze answers POST /analyze.
func (s *service) analyze(w http.ResponseWriter, r *http.Request) error {
	value, err := readBody(r)
	if f, ok := errors.AsType[*failure](err); ok {
		if strings.Contains(f.message, errHalf.Error()) { // it depends on the text
			return &wire.Error{Status: f.status, Code: "invalid", Message: f.message}
		}
		return errUnreadable
	} else if err != nil {
		return err
	}
	request, ok := value.(*object)
	if !ok {
		return broken("'%s' object has no attribute 'get'", typeName(value))
	}
	a, unsupported, err := s.read(request)
	if err != nil {
		return err
	}
	if err := wire.CheckTexts(r.Context(), len(a.texts), func(i int) string { return a.texts[i] }); err != nil {
		return err
	}
	results, err := a.run(r.Context())
	if err != nil {
		return err
	}
	s.Count(len(a.texts), a.found)
	if len(unsupported) > 0 {
		w.Header().Set(unsupportedHeader, strings.Join(unsupported, ", "))
	}
	appendOne := func(to []byte, i int) []byte {
		return spaced.appendList(to, len(results[i]), func(to []byte, k int) []byte { return results[i][k].append(to, a.explain) })
	}
	if a.batch {
		write(w, http.StatusOK, spaced.appendList(nil, len(results), appendOne))
	} else {
		write(w, http.StatusOK, appendOne(nil, 0))
	}
	return nil
}

// read reads a request, and lists the entity types in it that the server cannot find.
func (s *service) read(request *object) (a *analysis, unsupported []string, err error) {
	a = &analysis{threshold: request.get("score_threshold"), explain: truthy(request.get("return_decision_process"))}
	if a.adHoc, err = s.readRecognizers(request.get("ad_hoc_recognizers")); err != nil {
		return nil, nil, err
	}
	text, language := request.get("text"), request.get("language")
	if !truthy(text) {
		return nil, nil, broken("No text provided")
	}
	if !truthy(language) {
		return nil, nil, broken("No language provided")
	}
	if a.model, err = s.model(language); err != nil {
		return nil, nil, err
	}
	a.language = str(language)
	if a.texts, a.batch, err = textsOf(text); err != nil {
		return nil, nil, err
	}
	a.adHoc = slices.DeleteFunc(a.adHoc, func(r *recognizer) bool { return r.language != a.language })
	if unsupported, err = a.readEntities(request.get("entities")); err != nil {
		return nil, nil, err
	}
	if a.context, err = readWords(request.get("context"), "lower"); err != nil {
		return nil, nil, err
	}
	for i, word := range a.context {
		a.context[i] = strings.ToLower(word)
	}
	if a.allowed, err = s.readAllowed(request); err != nil {
		return nil, nil, err
	}
	if a.threshold != nil {
		if _, ok := real(a.threshold); !ok {
			return nil, nil, refuse("'>=' not supported between instances of 'float' and '%s'", typeName(a.threshold))
		}
	}
	return a, unsupported, a.addNotes(request)
}

// model returns the model for a language, or the default model if the language is nil.
func (s *service) model(language any) (Model, error) {
	if language == nil {
		return s.Models.All()[0], nil
	}
	if name, ok := language.(string); ok {
		if m, ok := s.Models.ForLanguage(name); ok {
			return m, nil
		}
	}
	return nil, errNoRecognizer
}

// textsOf reads the text of a request, or its texts. Like Presidio, it reads numbers, too.
func textsOf(value any) (texts []string, batch bool, err error) {
	many, batch := value.([]any)
	if !batch {
		many = []any{value}
	}
	for _, v := range many {
		if truthy(v) && !isScalar(v) {
			return nil, false, broken("Analyzer.analyze_iterator only works on primitive types (int, float, bool, str). Lists of objects are not yet supported.")
		}
		texts = append(texts, str(v))
	}
	return texts, batch, nil
}

// readEntities reads the entity types of a request, and lists those that neither the model nor a recognizer of the request can find.
func (a *analysis) readEntities(value any) (unsupported []string, err error) {
	if !truthy(value) {
		return nil, nil
	}
	list, ok := value.([]any)
	switch v := value.(type) {
	case string, *object:
		return nil, errNoRecognizer // Presidio takes each letter or key for an entity type
	case int, float64, bool:
		return nil, refuse("'%s' object is not iterable", typeName(v))
	}
	if !ok {
		return nil, errNoRecognizer
	}
	a.asked = map[string]bool{}
	for _, v := range list {
		name := str(v)
		found := supported(a.model.Types(), name) || slices.ContainsFunc(a.adHoc, func(r *recognizer) bool { return r.entity == name })
		switch {
		case found:
			a.asked[name] = true
		case !slices.Contains(unsupported, name):
			unsupported = append(unsupported, name)
		}
	}
	if len(a.asked) == 0 {
		return nil, errNoRecognizer
	}
	a.adHoc = slices.DeleteFunc(a.adHoc, func(r *recognizer) bool { return !a.asked[r.entity] })
	return slices.DeleteFunc(unsupported, func(name string) bool { return !isName(name) }), nil
}

// isName reports whether a header may show a name.
func isName(name string) bool {
	return len(name) <= 64 && !strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && r != '-' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
}

// readWords reads a list of strings. A string counts as the list of its letters, as in Python.
func readWords(value any, method string) ([]string, error) {
	if !truthy(value) {
		return nil, nil
	}
	var words []string
	switch v := value.(type) {
	case string:
		return strings.Split(v, ""), nil
	case *object:
		for _, f := range v.fields {
			words = append(words, f.key)
		}
		return words, nil
	case []any:
		for _, word := range v {
			text, ok := word.(string)
			if !ok {
				return nil, broken("'%s' object has no attribute '%s'", typeName(word), method)
			}
			words = append(words, text)
		}
		return words, nil
	}
	return nil, refuse("'%s' object is not iterable", typeName(value))
}

// addNotes makes the notes for the model.
func (a *analysis) addNotes(request *object) error {
	patients, err := eachText(request.get("patient"), len(a.texts), "patient", patientOf)
	if err != nil {
		return err
	}
	known, err := eachText(request.get("known"), len(a.texts), "known", readKnown)
	if err != nil {
		return err
	}
	for i, text := range a.texts {
		a.notes = append(a.notes, deid.Note{Document: &data.Document{ID: fmt.Sprintf("%06d", i), Patient: patients[i], Text: text}, Known: safetynet.ValuesOf(known[i], a.model.Types())})
	}
	return nil
}

// finding is a span in the response of /analyze.
type finding struct {
	kind       string
	start, end int
	score      any
	why        *explanation
	from       *recognizer // nil if it is the model's
}

// explanation says why something was found.
type explanation struct {
	recognizer, pattern, patternName, text any
	original, score, improvement           any
	word                                   string
	flags                                  any
}

// append writes the finding as JSON.
func (f *finding) append(to []byte, explain bool) []byte {
	var why any
	if e := f.why; explain {
		why = record("original_score", e.original, "pattern", e.pattern, "pattern_name", e.patternName, "recognizer", e.recognizer, "regex_flags", e.flags, "score", e.score,
			"score_context_improvement", e.improvement, "supportive_context_word", e.word, "textual_explanation", e.text, "validation_result", nil)
	}
	to = spaced.append(append(to, `{"analysis_explanation": `...), why)
	to = appendString(fmt.Appendf(to, `, "end": %d, "entity_type": `, f.end), f.kind)
	to = spaced.append(append(to, `, "score": `...), f.score)
	return fmt.Appendf(to, `, "start": %d}`, f.start)
}

// run finds what the request asks for in each of its texts.
func (a *analysis) run(ctx context.Context) ([][]*finding, error) {
	found, err := a.model.Find(ctx, a.notes)
	if impossible, ok := errors.AsType[*wire.Error](err); ok {
		return nil, impossible
	}
	if err != nil {
		return nil, cmp.Or(wire.Interrupted(ctx), error(unexamined("A text could not be examined.")))
	}
	a.found = map[string]int{}
	results := make([][]*finding, len(a.texts))
	room := maxFindings
	for i, text := range a.texts {
		if results[i], err = a.inText(ctx, newPoints(text), found[i], &room); err != nil {
			return nil, err
		}
	}
	return results, nil
}

// maxFindings limits the findings of a request.
const maxFindings = 1 << 20

// inText returns the findings in a text. spans are those of the model, and room is the number of findings that there may still be.
func (a *analysis) inText(ctx context.Context, text *points, spans []data.Span, room *int) ([]*finding, error) {
	all := a.named(text, spans)
	var runes []rune
	if len(a.adHoc) > 0 {
		runes = []rune(text.text)
	}
	for _, r := range a.adHoc {
		more, err := r.find(ctx, runes, *room-len(all))
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	*room -= len(all)
	if err := a.enhance(ctx, text, all); err != nil {
		return nil, err
	}
	all = withoutDuplicates(slices.DeleteFunc(all, func(f *finding) bool { return a.below(f.score) }))
	kept := all[:0]
	for _, f := range all {
		if err := wire.Interrupted(ctx); err != nil {
			return nil, err
		}
		allowed, err := a.allowed(text.slice(f.start, f.end))
		if err != nil {
			return nil, err
		}
		if !allowed {
			kept = append(kept, f)
		}
	}
	return kept, nil
}

// below reports whether a score is below the threshold of the request.
func (a *analysis) below(score any) bool {
	if a.threshold == nil {
		return false
	}
	lower, _ := less(score, a.threshold)
	return lower
}

// named returns the spans of the model that the request asks for.
func (a *analysis) named(text *points, spans []data.Span) []*finding {
	var found []*finding
	by := recognizerName(a.model)
	for _, s := range spans {
		a.found[s.Type]++
		kind, ok := nameOf(a.model.Types(), a.asked, s.Type, text.text[s.Start:s.End])
		if !ok {
			continue
		}
		why := &explanation{recognizer: by, text: fmt.Sprintf("Identified as %s by Lethe", s.Type), original: s.Score, score: s.Score, improvement: 0}
		found = append(found, &finding{kind: kind, start: text.point(s.Start), end: text.point(s.End), score: s.Score, why: why})
	}
	return found
}

// recognizerName returns the name of a model in the lists and explanations.
func recognizerName(m Model) string { return "Lethe " + m.Name() }

// withoutDuplicates drops findings with a score of zero and those within another of the same type with at least the same score, and sorts the
// others by descending score, start and descending length.
func withoutDuplicates(all []*finding) []*finding {
	byScore := func(a, b *finding) int {
		x, _ := real(a.score)
		y, _ := real(b.score)
		return cmp.Compare(y, x)
	}
	byPlace := func(a, b *finding) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end)) }
	slices.SortStableFunc(all, func(a, b *finding) int {
		return cmp.Or(strings.Compare(a.kind, b.kind), byPlace(a, b), byScore(a, b))
	})
	var kept, active []*finding // active are those of the same type that may contain the next
	for _, f := range all {
		if x, _ := real(f.score); x == 0 {
			continue
		}
		active = slices.DeleteFunc(active, func(other *finding) bool { return other.kind != f.kind || other.end < f.start })
		if !slices.ContainsFunc(active, func(other *finding) bool { return f.end <= other.end && byScore(f, other) >= 0 }) {
			kept, active = append(kept, f), append(active, f)
		}
	}
	slices.SortStableFunc(kept, func(a, b *finding) int { return cmp.Or(byScore(a, b), byPlace(a, b)) })
	return kept
}

// recognizers answers GET /recognizers.
func (s *service) recognizers(w http.ResponseWriter, r *http.Request) error {
	return s.ofLanguage(w, r, func(m Model) []string { return []string{recognizerName(m)} })
}

// supportedEntities answers GET /supportedentities.
func (s *service) supportedEntities(w http.ResponseWriter, r *http.Request) error {
	return s.ofLanguage(w, r, func(m Model) []string { return supportedEntities(m.Types()) })
}

// ofLanguage writes the names that the models of a language have, or all models if the query names no language.
func (s *service) ofLanguage(w http.ResponseWriter, r *http.Request, names func(Model) []string) error {
	models := s.Models.All()
	if language := r.URL.Query().Get("language"); language != "" {
		model, err := s.model(language)
		if err != nil {
			return err
		}
		models = []Model{model}
	}
	var all []string
	for _, m := range models {
		all = append(all, names(m)...)
	}
	slices.Sort(all)
	return writeNames(w, slices.Compact(all))
}
