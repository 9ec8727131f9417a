package presidio

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/lethe-deid/lethe/deid/service/wire"
)

// recognizer is an ad-hoc recognizer of a request.
type recognizer struct {
	name, entity, language string
	patterns               []*pattern
	context                []string
	flags                  any // as in the request
}

// pattern is a regular expression of a recognizer.
type pattern struct {
	name, regex string
	score       any
	compiled    *expression
}

// defaultFlags are the flags of patterns in Python: DOTALL, MULTILINE and IGNORECASE.
const defaultFlags = 26

// readRecognizers reads the ad-hoc recognizers of a request.
func (s *service) readRecognizers(value any) ([]*recognizer, error) {
	if !truthy(value) {
		return nil, nil
	}
	list, ok := value.([]any)
	switch value.(type) {
	case string, *object:
		return nil, broken("'str' object has no attribute 'copy'") // Presidio takes each letter or key for a recognizer
	}
	if !ok {
		return nil, refuse("'%s' object is not iterable", typeName(value))
	}
	var all []*recognizer
	for _, v := range list {
		o, ok := v.(*object)
		if !ok {
			return nil, broken("'%s' object has no attribute 'copy'", typeName(v))
		}
		r, err := readRecognizer(o, s.PatternTime)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// recognizerKeys lists the keys of an ad-hoc recognizer.
var recognizerKeys = []string{
	"supported_entity", "name", "supported_language", "patterns", "deny_list", "context", "deny_list_score", "global_regex_flags", "version", "country_code",
}

// readRecognizer reads an ad-hoc recognizer.
func readRecognizer(o *object, limit time.Duration) (*recognizer, error) {
	r := &recognizer{name: "PatternRecognizer", language: "en", flags: defaultFlags}
	var err error
	if r.patterns, err = readPatterns(o.get("patterns")); err != nil {
		return nil, err
	}
	if o, err = withEntity(o); err != nil {
		return nil, err
	}
	for _, f := range o.fields {
		if !slices.Contains(recognizerKeys, f.key) {
			return nil, refuse("PatternRecognizer.__init__() got an unexpected keyword argument '%s'", f.key)
		}
	}
	entity := o.get("supported_entity")
	switch {
	case !o.has("supported_entity"):
		return nil, refuse("PatternRecognizer.__init__() missing 1 required positional argument: 'supported_entity'")
	case !truthy(entity):
		return nil, broken("Pattern recognizer should be initialized with entity")
	case len(r.patterns) == 0 && !truthy(o.get("deny_list")):
		return nil, broken("Pattern recognizer should be initialized with patterns or with deny list")
	}
	for key, to := range map[string]*string{"supported_entity": &r.entity, "name": &r.name, "supported_language": &r.language} {
		text, ok := o.get(key).(string)
		if !ok && o.get(key) != nil {
			return nil, refuse("%s must be a string", key)
		}
		*to = cmp.Or(text, *to)
	}
	if err := checkCountry(o.get("country_code")); err != nil {
		return nil, err
	}
	if r.context, err = readWords(o.get("context"), "lower"); err != nil {
		return nil, err
	}
	if o.has("global_regex_flags") {
		r.flags = o.get("global_regex_flags")
	}
	if truthy(o.get("deny_list")) {
		if err := r.addDenied(o); err != nil {
			return nil, err
		}
	}
	for _, p := range r.patterns {
		if p.compiled, err = compile(p.regex, r.flags, limit); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// withEntity returns the object with supported_entity if it has supported_entities.
func withEntity(o *object) (*object, error) {
	if !o.has("supported_entities") {
		return o, nil
	}
	if o.has("supported_entity") {
		return nil, broken("Both 'supported_entity' and 'supported_entities' are present in the input dictionary. Only one should be provided.")
	}
	single := o.without("supported_entities")
	if list, ok := o.get("supported_entities").([]any); ok && len(list) > 0 {
		single.set("supported_entity", list[0])
	}
	return single, nil
}

func checkCountry(code any) error {
	text, ok := code.(string)
	switch {
	case code == nil:
		return nil
	case !ok:
		return refuse("country_code must be a string or None, got %s: %s.", typeName(code), repr(code))
	case strings.TrimSpace(text) == "":
		return broken("country_code must be a non-empty string; got %s.", repr(code))
	}
	return nil
}

// readPatterns reads the patterns of a recognizer.
func readPatterns(value any) ([]*pattern, error) {
	if !truthy(value) {
		return nil, nil
	}
	list, ok := value.([]any)
	switch value.(type) {
	case string, *object:
		list, ok = []any{""}, true // Presidio takes each letter or key for a pattern
	}
	if !ok {
		return nil, refuse("'%s' object is not iterable", typeName(value))
	}
	var all []*pattern
	for _, v := range list {
		o, ok := v.(*object)
		if !ok {
			return nil, refuse("presidio_analyzer.pattern.Pattern() argument after ** must be a mapping, not %s", typeName(v))
		}
		p, err := readPattern(o)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// readPattern reads a pattern.
func readPattern(o *object) (*pattern, error) {
	keys := []string{"name", "regex", "score"}
	for _, f := range o.fields {
		if !slices.Contains(keys, f.key) {
			return nil, refuse("Pattern.__init__() got an unexpected keyword argument '%s'", f.key)
		}
	}
	var missing []string
	for _, key := range keys {
		if !o.has(key) {
			missing = append(missing, "'"+key+"'")
		}
	}
	switch len(missing) {
	case 1:
		return nil, refuse("Pattern.__init__() missing 1 required positional argument: %s", missing[0])
	case 2:
		return nil, refuse("Pattern.__init__() missing 2 required positional arguments: %s and %s", missing[0], missing[1])
	case 3:
		return nil, refuse("Pattern.__init__() missing 3 required positional arguments: 'name', 'regex', and 'score'")
	}
	p := &pattern{score: o.get("score")}
	var ok bool
	if p.regex, ok = o.get("regex").(string); !ok {
		return nil, refuse("first argument must be a string or compiled pattern")
	}
	if p.name, ok = o.get("name").(string); !ok {
		return nil, refuse("the name of a pattern must be a string")
	}
	if _, err := compile(p.regex, 0, time.Second); err != nil {
		return nil, err
	}
	return p, checkScore(p.score)
}

// checkScore returns an error unless a score is a number from 0 to 1.
func checkScore(score any) error {
	x, ok := real(score)
	switch {
	case !ok:
		return refuse("'<' not supported between instances of '%s' and 'int'", typeName(score))
	case x < 0 || x > 1:
		return broken("Invalid score: %s. Score should be between 0 and 1", str(score))
	}
	return nil
}

// addDenied adds the pattern for the deny list of a recognizer.
func (r *recognizer) addDenied(o *object) error {
	list, ok := o.get("deny_list").([]any)
	if text, isText := o.get("deny_list").(string); isText {
		ok = true
		for _, letter := range text {
			list = append(list, string(letter))
		}
	}
	if !ok {
		return refuse("'%s' object is not iterable", typeName(o.get("deny_list")))
	}
	var words []string
	for _, v := range list {
		word, ok := v.(string)
		if !ok {
			return refuse("'%s' object is not iterable", typeName(v))
		}
		words = append(words, escape(word))
	}
	score := any(1.0)
	if o.has("deny_list_score") {
		score = o.get("deny_list_score")
	}
	if err := checkScore(score); err != nil {
		return err
	}
	r.patterns = append(r.patterns, &pattern{name: "deny_list", regex: `(?:^|(?<=\W))(` + strings.Join(words, "|") + `)(?:(?=\W)|$)`, score: score})
	return nil
}

// escape returns a regular expression of Python for a text.
func escape(text string) string {
	var b strings.Builder
	for _, r := range text {
		if strings.ContainsRune(`()[]{}?*+|^$\.-#&~`, r) || unicode.IsSpace(r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// find returns what the patterns of the recognizer match in a text. room is the number of findings that there may be.
func (r *recognizer) find(ctx context.Context, text []rune, room int) ([]*finding, error) {
	var found []*finding
	for _, p := range r.patterns {
		why := &explanation{
			recognizer: r.name, pattern: p.regex, patternName: p.name, original: p.score, score: p.score, improvement: 0, flags: r.flags,
			text: fmt.Sprintf("Detected by `%s` using pattern `%s`", r.name, p.name),
		}
		for at, err := range p.compiled.matches(text) {
			if err := wire.Interrupted(ctx); err != nil {
				return nil, err
			}
			if err != nil {
				return nil, errSlow
			}
			if found = append(found, &finding{r.entity, at[0], at[1], p.score, why, r}); len(found) > room {
				return nil, wire.Unprocessable("Invalid input, the recognizers find more than %d values", maxFindings)
			}
		}
	}
	return withoutDuplicates(found), nil
}

// errSlow is the answer if a pattern takes too long. Presidio skips the pattern.
var errSlow = unexamined("A regular expression took too long, so the text could not be examined.")

// readAllowed reads the allow list of a request, and returns a function that reports whether a text is in it.
func (s *service) readAllowed(request *object) (func(text string) (bool, error), error) {
	value := request.get("allow_list")
	if !truthy(value) {
		return func(string) (bool, error) { return false, nil }, nil
	}
	how := any("exact")
	if request.has("allow_list_match") {
		how = request.get("allow_list_match")
	}
	list, ok := value.([]any)
	inText, isText := value.(string)
	switch {
	case how == "exact" && isText: // Python looks for it in the string
		return func(text string) (bool, error) { return strings.Contains(inText, text), nil }, nil
	case how == "exact" && ok:
		return func(text string) (bool, error) { return slices.Contains(list, any(text)), nil }, nil
	case how == "exact":
		return nil, refuse("argument of type '%s' is not iterable", typeName(value))
	case how == "regex":
		flags := any(defaultFlags)
		if request.has("regex_flags") {
			flags = request.get("regex_flags")
		}
		return s.allowedByPattern(value, flags)
	}
	return nil, broken("allow_list_match must either be set to 'exact' or 'regex'.")
}

// allowedByPattern returns a function that reports whether any regular expression of a list matches a part of a text.
func (s *service) allowedByPattern(value, flags any) (func(text string) (bool, error), error) {
	list, ok := value.([]any)
	if text, isText := value.(string); isText {
		ok = true
		for _, letter := range text {
			list = append(list, string(letter))
		}
	}
	if !ok {
		return nil, refuse("'%s' object is not iterable", typeName(value))
	}
	var terms []string
	for i, v := range slices.DeleteFunc(slices.Clone(list), func(v any) bool { return !truthy(v) }) {
		term, ok := v.(string)
		if !ok {
			return nil, refuse("sequence item %d: expected str instance, %s found", i, typeName(v))
		}
		terms = append(terms, term)
	}
	if len(terms) == 0 {
		return func(string) (bool, error) { return false, nil }, nil
	}
	compiled, err := compile(strings.Join(terms, "|"), flags, s.PatternTime)
	if f, ok := errors.AsType[*failure](err); ok {
		return nil, &failure{f.status, strings.TrimPrefix(f.message, invalidPattern)}
	}
	return func(text string) (bool, error) {
		matches, err := compiled.all.MatchString(text)
		if err != nil {
			return false, errSlow
		}
		return matches, nil
	}, nil
}
