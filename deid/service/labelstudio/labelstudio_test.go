package labelstudio

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/service/wire"
)

// fake finds the phrases that it is given, wherever they are.
type fake map[string]data.Span

func (f fake) Tag(ctx context.Context, docs []*data.Document) ([][]data.Span, error) {
	all := make([][]data.Span, len(docs))
	for i, doc := range docs {
		for phrase, s := range f {
			if at := strings.Index(doc.Text, phrase); at >= 0 {
				all[i] = append(all[i], data.Span{Start: at, End: at + len(phrase), Type: s.Type, Score: s.Score})
			}
		}
		data.SortSpans(all[i])
	}
	return all, ctx.Err()
}

// failing fails with an error on all texts that contain a phrase.
type failing struct {
	on  string
	err error
}

func (f failing) Tag(_ context.Context, docs []*data.Document) ([][]data.Span, error) {
	for _, doc := range docs {
		if strings.Contains(doc.Text, f.on) {
			return nil, f.err
		}
	}
	return make([][]data.Span, len(docs)), nil
}

func handler(t data.Tagger) http.Handler {
	m := Model{"en", "sha256:0123456789abcdef0123", data.I2B2.Types, t}
	return wire.Mux(Handlers(func(name string) (Model, error) {
		if name != "" && name != "en" {
			return Model{}, errors.New(`There is no model "` + name + `".`)
		}
		return m, nil
	}))
}

// call returns the status and the body of a response.
func call(h http.Handler, method, path string, body any) (int, string) {
	raw, ok := body.(string)
	if !ok {
		encoded, _ := json.Marshal(body)
		raw = string(encoded)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, path, strings.NewReader(raw)))
	return w.Code, strings.TrimSuffix(w.Body.String(), "\n")
}

const view = `<View><Labels name="label" toName="text"><Label value="PATIENT"/><Label value="Date"/></Labels><Text name="text" value="$text"/></View>`

type object = map[string]any

func TestEndpoints(t *testing.T) {
	h := handler(fake{"Zoë Lund": {Type: "PATIENT", Score: 0.75}, "3 May": {Type: "DATE", Score: 1}, "baker": {Type: "PROFESSION", Score: 0.5}})
	for _, folder := range []string{"/label-studio/", "/label-studio/en/"} {
		for _, tc := range []struct {
			method, path string
			body         any
			want         string
		}{
			{"GET", "health", "", `{"status":"UP","model_class":"Lethe","model_version":"en-0123456789ab"}`},
			{"GET", "versions", "", `{"versions":["en-0123456789ab"]}`},
			{
				"POST", "setup", object{"project": "1.2", "schema": strings.ReplaceAll(view, "Date", "PHI"), "hostname": "", "access_token": "invented", "extra_params": nil},
				`{"model_version":"en-0123456789ab","unlabelled":[]}`,
			},
			{"POST", "webhook", object{"action": "ANNOTATION_CREATED", "task": object{"data": object{}}}, `{"status":"ignored"}`},
			{
				"POST", "predict", object{"label_config": view, "params": object{"context": nil}, "tasks": []any{
					object{"id": 7, "data": object{"text": "😀 Zoë Lund,\r\nbaker, came on 3 May", "other": 1}, "project": 1},
					object{"id": 8, "data": object{"text": ""}},
					object{"id": 9, "data": object{"text": nil}},
				}},
				`{"results":[{"model_version":"en-0123456789ab","score":0.5,"result":[` +
					`{"id":"lethe-1","from_name":"label","to_name":"text","type":"labels","score":0.75,"value":{"start":2,"end":10,"text":"Zoë Lund","labels":["PATIENT"]}},` +
					`{"id":"lethe-2","from_name":"label","to_name":"text","type":"labels","score":0.5,"value":{"start":13,"end":18,"text":"baker","labels":[]},"meta":{"text":["PROFESSION"]}},` +
					`{"id":"lethe-3","from_name":"label","to_name":"text","type":"labels","score":1,"value":{"start":28,"end":33,"text":"3 May","labels":["Date"]}}]},` +
					`{"model_version":"en-0123456789ab","score":1,"result":[]},` +
					`{"error":"The task 9 has no text for the Text tag \"text\" in its data."}],` +
					`"model_version":"en-0123456789ab","unlabelled":[{"type":"PROFESSION","regions":1}]}`,
			},
		} {
			status, got := call(h, tc.method, folder+tc.path, tc.body)
			if diff := cmp.Diff(tc.want, got); status != 200 || diff != "" {
				t.Errorf("%s %s%s: status %d\n%s", tc.method, folder, tc.path, status, diff)
			}
		}
	}
}

func TestPaths(t *testing.T) {
	h := handler(fake{})
	for path, want := range map[string]int{"/label-studio/": 200, "/label-studio/predict": 405, "/label-studio/en/predict": 405, "/label-studio/none/health": 404, "/label-studio/en/train": 404} {
		if status, _ := call(h, "GET", path, ""); status != want {
			t.Errorf("GET %s: %d, want %d", path, status, want)
		}
	}
}

func TestErrors(t *testing.T) {
	h := handler(fake{})
	config := func(xml string) object { return object{"schema": xml} }
	for what, tc := range map[string]struct {
		path   string
		body   any
		status int
		want   string
	}{
		"another model":    {"/label-studio/none/predict", object{}, 404, `There is no model \"none\".`},
		"no JSON":          {"/label-studio/predict", `{"tasks":[Zebulon`, 400, "The body is not valid JSON."},
		"wrong kind":       {"/label-studio/predict", `{"tasks":"Zebulon"}`, 400, `The value of \"tasks\", before byte 18, has the wrong type.`},
		"not UTF-8":        {"/label-studio/predict", "{\"tasks\":\"\xff\"}", 400, "The body is not valid UTF-8."},
		"no config":        {"/label-studio/setup", object{}, 422, "no Labels tag for a Text tag"},
		"no XML":           {"/label-studio/setup", config("<View>"), 422, "not well-formed XML"},
		"illegal":          {"/label-studio/setup", config("<View>\x01</View>"), 422, "not well-formed XML"},
		"entities":         {"/label-studio/setup", config(`<!DOCTYPE View [<!ENTITY x "y">]>` + view), 422, "or it has a DTD"},
		"depth":            {"/label-studio/setup", config(strings.Repeat("<View>", 101) + strings.Repeat("</View>", 101)), 422, "not well-formed"},
		"hypertext":        {"/label-studio/setup", config(`<View><HyperTextLabels name="l" toName="t"><Label value="X"/></HyperTextLabels><HyperText name="t" value="$html"/></View>`), 422, "in plain text only"},
		"address":          {"/label-studio/setup", config(strings.Replace(view, "<Text", `<Text valueType="url"`, 1)), 422, "the text must be in the task"},
		"base64":           {"/label-studio/setup", config(strings.Replace(view, "<Text", `<Text encoding="base64"`, 1)), 422, "the text must be in the task"},
		"two variables":    {"/label-studio/setup", config(strings.Replace(view, "$text", `$a and $b`, 1)), 422, "must be one variable"},
		"a constant":       {"/label-studio/setup", config(strings.Replace(view, "$text", `text`, 1)), 422, "must be one variable"},
		"labels from data": {"/label-studio/setup", config(`<View><Labels name="l" toName="t" value="$labels"/><Text name="t" value="$text"/></View>`), 422, `The Labels tag \"l\" has no Label tags.`},
		"all tasks":        {"/label-studio/predict", object{"label_config": view, "tasks": []object{{"id": "Zebulon", "data": object{"text": 7}}}}, 422, "The task without a number has no text"},
		"training":         {"/label-studio/webhook", object{"action": "START_TRAINING"}, 501, "does not train"},
	} {
		status, got := call(h, "POST", tc.path, tc.body)
		if status != tc.status || !strings.Contains(got, tc.want) || strings.Contains(got, "Zebulon") {
			t.Errorf("%s: %d %s, want %d %s", what, status, got, tc.status, tc.want)
		}
	}
}

func TestFailuresOfTheModelAreErrors(t *testing.T) {
	request := object{"label_config": view, "tasks": []object{{"id": 1, "data": object{"text": "x"}}}}
	for _, tc := range []struct {
		err    error
		status int
	}{
		{errors.New("the note could not be examined"), 500},
		{&wire.Error{Status: 503, Code: "overloaded", Message: "Too many requests."}, 503},
	} {
		if status, body := call(handler(failing{"x", tc.err}), "POST", "/label-studio/predict", request); status != tc.status || strings.Contains(body, "results") {
			t.Errorf("%v: %d %s", tc.err, status, body)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	raw, _ := json.Marshal(request)
	w := httptest.NewRecorder()
	handler(fake{}).ServeHTTP(w, httptest.NewRequest("POST", "/label-studio/predict", strings.NewReader(string(raw))).WithContext(ctx))
	if w.Code != 503 || strings.Contains(w.Body.String(), "results") {
		t.Errorf("cancelled: %d %s", w.Code, w.Body)
	}
}

// A task that could not be examined used to take the predictions of all tasks of its request with it.
func TestOneTaskFails(t *testing.T) {
	h := handler(failing{"bad", errors.New("document 1.0: no")})
	_, body := call(h, "POST", "/label-studio/predict", object{"label_config": view, "tasks": []object{{"data": object{"text": "good"}}, {"id": 8, "data": object{"text": "bad"}}}})
	const want = `{"results":[{"model_version":"en-0123456789ab","score":1,"result":[]},{"error":"task 8: document 1.0: no"}],"model_version":"en-0123456789ab","unlabelled":[]}`
	if diff := cmp.Diff(want, body); diff != "" {
		t.Error(diff)
	}
}

// A config may have several texts, each with its own labels.
func TestSeveralTexts(t *testing.T) {
	const config = `<View><Header value="Zebulon"/>
		<Labels name="a" toName="letter, reply"><Label value="Doctor"/></Labels>
		<Labels name="b" toName="reply"><Label value="Patient"/></Labels>
		<Choices name="c" toName="reply"><Choice value="PATIENT"/></Choices>
		<Text name="letter" value="$note.letter"/><TEXT NAME="reply" VALUE="$reply"/><Text name="context" value="not read"/></View>`
	h := handler(fake{"Lund": {Type: "PATIENT", Score: 0.5}})
	if status, body := call(h, "POST", "/label-studio/predict", object{"label_config": config}); status != 422 {
		t.Errorf("a text that is no variable: %d %s", status, body)
	}
	_, body := call(h, "POST", "/label-studio/predict", object{
		"label_config": strings.Replace(config, "not read", "$context", 1),
		"tasks":        []object{{"id": 1, "data": object{"note": object{"letter": "Lund"}, "reply": "to Lund", "context": "Lund"}}},
	})
	const want = `{"results":[{"model_version":"en-0123456789ab","score":0.5,"result":[` +
		`{"id":"lethe-1","from_name":"a","to_name":"letter","type":"labels","score":0.5,"value":{"start":0,"end":4,"text":"Lund","labels":[]},"meta":{"text":["PATIENT"]}},` +
		`{"id":"lethe-2","from_name":"b","to_name":"reply","type":"labels","score":0.5,"value":{"start":3,"end":7,"text":"Lund","labels":["Patient"]}}]}],` +
		`"model_version":"en-0123456789ab","unlabelled":[{"type":"PATIENT","regions":1}]}`
	if diff := cmp.Diff(want, body); diff != "" {
		t.Error(diff)
	}
}

func TestLabels(t *testing.T) {
	for config, want := range map[string]map[string]string{
		"PERSON LOCATION DATE_TIME ID PHONE_NUMBER": {"PATIENT": "PERSON", "DOCTOR": "PERSON", "CITY": "LOCATION", "ZIP": "LOCATION", "HOSPITAL": "LOCATION", "DATE": "DATE_TIME", "MEDICALRECORD": "ID", "FAX": "PHONE_NUMBER", "AGE": ""},
		"patient doctor PERSON":                     {"PATIENT": "patient", "DOCTOR": "doctor"},
		"doctor":                                    {"PATIENT": "", "DOCTOR": "doctor"},
		"Medical-Record ID":                         {"MEDICALRECORD": "Medical-Record", "SSN": "ID"},
		"NAME CONTACT LOCATION":                     {"PATIENT": "NAME", "FAX": "CONTACT", "EMAIL": "CONTACT", "ROOM": "LOCATION", "AGE": ""},
		"AGE PHI":                                   {"AGE": "AGE", "PATIENT": "PHI", "OTHER": "PHI"},
		"AGE=CITY,state PHI":                        {"CITY": "AGE", "STATE": "AGE", "AGE": "PHI"},
		"PER ORG LOC MISC":                          {"PATIENT": "PER", "HOSPITAL": "ORG", "COUNTRY": "LOC", "OTHER": "MISC", "PROFESSION": ""},
	} {
		var only text
		only.controls = []control{{name: "label"}}
		for name := range strings.FieldsSeq(config) {
			value, predicted, _ := strings.Cut(name, "=")
			only.controls[0].labels = append(only.controls[0].labels, label{value, listOf(predicted)})
		}
		for typ, label := range want {
			if _, got, ok := only.labelFor(data.I2B2.Describe(typ)); got != label || ok != (label != "") {
				t.Errorf("%s in %s: %q, %v, want %q", typ, config, got, ok, label)
			}
		}
	}
}

// A label config comes from people. Whatever it is, it is an error or has a text with labels.
func FuzzConfig(f *testing.F) {
	f.Add(view)
	f.Add(`<View><Labels name="a" toName="b,c"><View><Label value="X" predicted_values="CITY, ,"/></View></Labels><text NAME="c" value="$a.b"/></View>`)
	f.Fuzz(func(t *testing.T, schema string) {
		c, err := parseConfig(schema)
		if err != nil {
			return
		}
		for _, text := range c.texts {
			if len(text.controls) == 0 || len(text.controls[0].labels) == 0 || len(text.path) == 0 {
				t.Errorf("%+v", text)
			}
		}
		c.unlabelled(data.I2B2.Types)
	})
}
