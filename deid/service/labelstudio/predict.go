package labelstudio

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/service/wire"
)

// prediction is the answer for one task.
type prediction struct {
	Version string   `json:"model_version"`
	Score   float64  `json:"score"` // that of the region the model is least sure of; 1 without regions
	Result  []region `json:"result"`
}

// region is a span of a task. Label Studio copies it into an annotation when somebody starts from the prediction.
type region struct {
	ID    string  `json:"id"`
	From  string  `json:"from_name"`
	To    string  `json:"to_name"`
	Type  string  `json:"type"`
	Score float64 `json:"score"`
	Value value   `json:"value"`
	Meta  *meta   `json:"meta,omitempty"`
}

// value says what a region covers. Label Studio counts code points, and CR LF as two: seen in the pages of version 1.23.2.
type value struct {
	Start  int      `json:"start"`
	End    int      `json:"end"`
	Text   string   `json:"text"`
	Labels []string `json:"labels"`
}

// meta is shown with a region in Label Studio. It names the type of a region without a label.
type meta struct {
	Text []string `json:"text"`
}

// failure is the answer for a task that could not be examined. Label Studio reports it in its log and leaves the task
// without a prediction.
type failure struct {
	Error string `json:"error"`
}

type task struct {
	ID   json.RawMessage            `json:"id"`
	Data map[string]json.RawMessage `json:"data"`
}

// predict answers each task with a prediction or with the reason why there is none. If there is none for any of the
// tasks, the request fails.
func predict(m Model, r *http.Request) (any, error) {
	var request struct {
		Tasks  []task `json:"tasks"`
		Config string `json:"label_config"`
	}
	if err := decode(r, &request); err != nil {
		return nil, err
	}
	c, err := parseConfig(request.Config)
	if err != nil {
		return nil, err
	}
	texts, errs := c.textsOf(request.Tasks)
	all := slices.Concat(texts...)
	if err := wire.CheckTexts(r.Context(), len(all), func(i int) string { return all[i].Text }); err != nil {
		return nil, err
	}
	found, tagErrs := data.TagEach(r.Context(), m.Tagger, all)
	if err := wire.Interrupted(r.Context()); err != nil {
		return nil, err
	}
	a := answerer{model: m, config: c, unlabelled: map[string]int{}}
	results := make([]any, len(texts))
	failed := 0
	for i, own := range texts {
		n := len(own)
		if err := errors.Join(tagErrs[:n]...); err != nil {
			errs[i] = fmt.Errorf("task %s: %w", request.Tasks[i].number(), err)
		}
		if errs[i] != nil {
			results[i] = failure{errs[i].Error()}
			failed++
		} else {
			results[i] = a.prediction(own, found[:n])
		}
		found, tagErrs = found[n:], tagErrs[n:]
	}
	if failed > 0 && failed == len(results) {
		return nil, errs[0]
	}
	return struct {
		Results    []any   `json:"results"`
		Version    string  `json:"model_version"`
		Unlabelled []count `json:"unlabelled"` // regions without a label
	}{results, m.version(), a.counts()}, nil
}

// textsOf returns the texts of each task in the order of the Text tags, or an error if it lacks one of them.
func (c *config) textsOf(tasks []task) (texts [][]*data.Document, errs []error) {
	texts, errs = make([][]*data.Document, len(tasks)), make([]error, len(tasks))
	for i, t := range tasks {
		own := make([]*data.Document, len(c.texts))
		for k, text := range c.texts {
			value, ok := t.value(text.path)
			if !ok {
				errs[i] = wire.Unprocessable("The task %s has no text for the Text tag %q in its data.", t.number(), text.name)
			}
			own[k] = &data.Document{ID: fmt.Sprintf("%d.%d", i, k), Text: value}
		}
		if errs[i] == nil {
			texts[i] = own
		}
	}
	return texts, errs
}

// value returns a string in the data of a task.
func (t task) value(path []string) (text string, ok bool) {
	raw, ok := t.Data[path[0]]
	for _, key := range path[1:] {
		var object map[string]json.RawMessage
		_ = json.Unmarshal(raw, &object)
		raw, ok = object[key]
	}
	var value *string
	if !ok || json.Unmarshal(raw, &value) != nil || value == nil {
		return "", false
	}
	return *value, true
}

// number returns the ID of a task if it is a number. Anything else is not repeated in an error.
func (t task) number() string {
	var id int64
	if json.Unmarshal(t.ID, &id) != nil {
		return "without a number"
	}
	return fmt.Sprint(id)
}

// answerer makes predictions and counts the regions without a label.
type answerer struct {
	model      Model
	config     *config
	unlabelled map[string]int
}

// prediction makes the prediction for the texts of a task.
func (a *answerer) prediction(docs []*data.Document, found [][]data.Span) prediction {
	p := prediction{Version: a.model.version(), Score: 1, Result: []region{}}
	for i, doc := range docs {
		index := wire.NewIndex(doc.Text)
		for _, s := range found[i] {
			r := a.region(&a.config.texts[i], s.Type)
			r.ID, r.Score = fmt.Sprintf("lethe-%d", len(p.Result)+1), s.Score
			r.Value.Start, r.Value.End, r.Value.Text = index.At(s.Start).CodePoint, index.At(s.End).CodePoint, doc.Text[s.Start:s.End]
			p.Score = min(p.Score, s.Score)
			p.Result = append(p.Result, r)
		}
	}
	return p
}

// region returns a region with the label for a type.
func (a *answerer) region(t *text, typ string) region {
	r := region{To: t.name, Type: "labels"}
	control, label, ok := t.labelFor(a.typeOf(typ))
	if ok {
		r.From, r.Value.Labels = control, []string{label}
		return r
	}
	a.unlabelled[typ]++
	r.From, r.Value.Labels, r.Meta = t.controls[0].name, []string{}, &meta{[]string{typ}}
	return r
}

// count is how many regions of a type have no label.
type count struct {
	Type    string `json:"type"`
	Regions int    `json:"regions"`
}

func (a *answerer) counts() []count {
	all := []count{}
	for _, typ := range slices.Sorted(maps.Keys(a.unlabelled)) {
		all = append(all, count{typ, a.unlabelled[typ]})
	}
	return all
}

// typeOf describes a type of the model.
func (a *answerer) typeOf(name string) data.Type {
	if i := slices.IndexFunc(a.model.Types, func(t data.Type) bool { return t.Name == name }); i >= 0 {
		return a.model.Types[i]
	}
	return data.Any.Describe(name)
}
