package inception

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

// types is a type system as INCEpTION sends it, with the features of a recommender on the layer custom.PHI.
const types = `<?xml version="1.0" encoding="UTF-8"?>
<typeSystemDescription xmlns="http://uima.apache.org/resourceSpecifier"><types>
<typeDescription><name>custom.PHI</name><description>What to hide</description><supertypeName>custom.Span</supertypeName><features>
<featureDescription><name>value</name><description/><rangeTypeName>uima.cas.String</rangeTypeName></featureDescription>
<featureDescription><name>many</name><description/><rangeTypeName>uima.cas.StringArray</rangeTypeName><elementType>uima.cas.String</elementType></featureDescription>
<featureDescription><name>value_score</name><description/><rangeTypeName>uima.cas.Double</rangeTypeName></featureDescription>
<featureDescription><name>value_score_explanation</name><description/><rangeTypeName>uima.cas.String</rangeTypeName></featureDescription>
</features></typeDescription>
<typeDescription><name>custom.Span</name><description/><supertypeName>uima.tcas.Annotation</supertypeName><features>
<featureDescription><name>inception_internal_predicted</name><description/><rangeTypeName>uima.cas.Boolean</rangeTypeName></featureDescription>
</features></typeDescription>
<typeDescription><name>Plain</name><description/><supertypeName>uima.tcas.Annotation</supertypeName><features>
<featureDescription><name>value</name><description/><rangeTypeName>uima.cas.String</rangeTypeName></featureDescription>
</features></typeDescription>
<typeDescription><name>Bare</name><supertypeName>Plain</supertypeName><features>
<featureDescription><name>inception_internal_predicted</name><rangeTypeName>uima.cas.Boolean</rangeTypeName></featureDescription></features></typeDescription>
<typeDescription><name>custom.Whole</name><description/><supertypeName>uima.cas.AnnotationBase</supertypeName></typeDescription>
<typeDescription><name>A</name><supertypeName>B</supertypeName></typeDescription><typeDescription><name>B</name><supertypeName>A</supertypeName></typeDescription>
</types></typeSystemDescription>`

// head and tail are what is around the feature structures of a document.
const (
	head = `<?xml version="1.0" encoding="UTF-8"?>
<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore" xmlns:custom="http:///custom.ecore" xmlns:type="http:///de/tudarmstadt/ukp/dkpro/core/api/segmentation/type.ecore" xmi:version="2.0">
  <cas:NULL xmi:id="0"/>
`
	tail = `
</xmi:XMI>
`
)

// found are the phrases that the fake model finds.
var found = map[string]string{"Zoë": "PATIENT", "Lund & Søn": "ORGANIZATION", "3 May": "DATE"}

type fake struct{}

func (fake) Tag(_ context.Context, docs []*data.Document) ([][]data.Span, error) {
	var spans []data.Span
	for phrase, typ := range found {
		if at := strings.Index(docs[0].Text, phrase); at >= 0 {
			spans = append(spans, data.Span{Start: at, End: at + len(phrase), Type: typ, Score: 0.25})
		}
	}
	data.SortSpans(spans)
	return [][]data.Span{spans}, nil
}

// failing fails on all texts.
type failing struct{ err error }

func (f failing) Tag(context.Context, []*data.Document) ([][]data.Span, error) { return nil, f.err }

func handler(t data.Tagger) http.Handler {
	return wire.Mux(Handlers(func(name string) (Model, error) {
		if name != "en" {
			return Model{}, errors.New(`There is no model "` + name + `".`)
		}
		return Model{"en", "sha256:01ab", t}, nil
	}))
}

type object = map[string]any

// body is a request for predictions.
func body(xmi string, metadata object) string {
	m := object{"layer": "custom.PHI", "feature": "value", "projectId": 1}
	for key, value := range metadata {
		m[key] = value
	}
	raw, _ := json.Marshal(object{"metadata": m, "document": object{"xmi": xmi, "documentId": 7, "userId": "anna"}, "typeSystem": types})
	return string(raw)
}

func call(h http.Handler, path, body string) (int, string) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("POST", path, strings.NewReader(body)))
	return w.Code, w.Body.String()
}

// predictions returns the document of the answer to a request.
func predictions(t *testing.T, body string) string {
	t.Helper()
	status, answer := call(handler(fake{}), "/inception/en/predict", body)
	var response struct{ Document string }
	if err := json.Unmarshal([]byte(answer), &response); err != nil || status != 200 {
		t.Fatalf("%d %s", status, answer)
	}
	return response.Document
}

func TestPredict(t *testing.T) {
	const text = `<cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" mimeType="text" sofaString="&#128512; 𠮷 Zoë's&#13;&#10;wife,
&#9;Lund &amp; Søn, &quot;3 May&quot;"/>`
	annotation := `<custom:PHI xmi:id="12" sofa="1" begin="0" end="2" value="X &amp; Y" inception_internal_predicted="false"/>`
	for what, tc := range map[string]struct {
		metadata            object
		structures, changed string
	}{
		"annotations before": {nil, annotation + text + "\n<cas:View  sofa='1'\nmembers='12'/>",
			annotation + text + "\n" +
				`<custom:PHI xmi:id="13" sofa="1" begin="6" end="9" value="PATIENT" inception_internal_predicted="true" value_score="0.25" value_score_explanation="en sha256:01ab"/>` +
				`<custom:PHI xmi:id="14" sofa="1" begin="20" end="30" value="ORGANIZATION" inception_internal_predicted="true" value_score="0.25" value_score_explanation="en sha256:01ab"/>` +
				`<custom:PHI xmi:id="15" sofa="1" begin="33" end="38" value="DATE" inception_internal_predicted="true" value_score="0.25" value_score_explanation="en sha256:01ab"/>` +
				`<cas:View sofa="1" members="12 13 14 15"/>`},
		"nothing indexed": {object{"layer": "Bare"}, strings.Replace(text, "Lund", "Land", 1) + `<cas:View sofa="1"></cas:View>`,
			strings.Replace(text, "Lund", "Land", 1) +
				`<lethe:Bare xmlns:lethe="http:///uima/noNamespace.ecore" xmi:id="2" sofa="1" begin="6" end="9" value="PATIENT" inception_internal_predicted="true"/>` +
				`<lethe:Bare xmlns:lethe="http:///uima/noNamespace.ecore" xmi:id="3" sofa="1" begin="33" end="38" value="DATE" inception_internal_predicted="true"/>` +
				`<cas:View sofa="1" members="2 3"></cas:View>`},
		"no view": {object{"layer": "Bare"}, strings.NewReplacer("Lund", "Land", "3 May", "3 Mai").Replace(text),
			strings.NewReplacer("Lund", "Land", "3 May", "3 Mai").Replace(text) + "\n" +
				`<lethe:Bare xmlns:lethe="http:///uima/noNamespace.ecore" xmi:id="2" sofa="1" begin="6" end="9" value="PATIENT" inception_internal_predicted="true"/>` +
				`<lethe:View xmlns:lethe="http:///uima/cas.ecore" sofa="1" members="2"/>`},
		"nothing found": {nil, `<cas:Sofa xmi:id="1" sofaID="_InitialView" sofaString=""/><cas:View members='' sofa='1'/>`, ``},
	} {
		t.Run(what, func(t *testing.T) {
			given := head + tc.structures + tail
			want := head + tc.changed + tail
			if what == "no view" {
				want = head + tc.changed + tail[1:]
			}
			if tc.changed == "" {
				want = given
			}
			if diff := cmp.Diff(want, predictions(t, body(given, tc.metadata))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// INCEpTION drops a prediction of a part of a token, such as that of the name in the token Zoë's, without a word.
func TestPredictionsFitTheLayer(t *testing.T) {
	const text = `<cas:Sofa xmi:id="1" sofaID="_InitialView" sofaString="Zoë's Lund &amp; Søn. 3 May."/><cas:Sofa xmi:id="99" sofaID="other" sofaString=""/>`
	segments := `<type:Sentence xmi:id="2" sofa="1" begin="13" end="24"/><type:Sentence xmi:id="3" sofa="1" begin="0" end="13"/><type:Token xmi:id="4" sofa="99" begin="0" end="24"/>`
	tokens := segments
	for _, token := range []string{`begin="0" end="5"`, `begin="6" end="10"`, `begin="11" end="12"`, `begin="13" end="17"`, `begin="18" end="24"`} {
		tokens += `<type:Token xmi:id="5" sofa="1" ` + token + `/>`
	}
	no := false
	for _, tc := range []struct {
		mode  string
		cross *bool
		want  string
	}{
		{"", nil, "0-3 PATIENT 6-16 ORGANIZATION 18-23 DATE"},
		{"characters", nil, "0-3 PATIENT 6-16 ORGANIZATION 18-23 DATE"},
		{"characters", &no, "0-3 PATIENT 6-13 ORGANIZATION 13-16 ORGANIZATION 18-23 DATE"},
		{"tokens", nil, "0-5 PATIENT 6-17 ORGANIZATION 18-24 DATE"},
		{"tokens", &no, "0-5 PATIENT 6-13 ORGANIZATION 13-17 ORGANIZATION 18-24 DATE"},
		{"singleToken", nil, "0-5 PATIENT 6-10 ORGANIZATION 11-12 ORGANIZATION 13-17 ORGANIZATION 18-24 DATE"},
	} {
		metadata := object{"anchoringMode": tc.mode, "crossSentence": tc.cross, "range": object{"begin": 0, "end": 24}}
		answer := predictions(t, body(head+tokens+text+tail, metadata))
		var got []string
		for part := range strings.SplitSeq(answer, "<custom:PHI ") {
			if fields := strings.Split(part, `"`); strings.HasPrefix(part, "xmi:id") {
				got = append(got, fields[5]+"-"+fields[7]+" "+fields[9])
			}
		}
		if diff := cmp.Diff(tc.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s: %s", tc.mode, diff)
		}
	}
	for mode, want := range map[string]string{"tokens": "has no tokens", "sentences": "must be characters or tokens"} {
		status, answer := call(handler(fake{}), "/inception/en/predict", body(head+segments+text+tail, object{"anchoringMode": mode}))
		if status != 422 || !strings.Contains(answer, want) {
			t.Errorf("%s: %d %s", mode, status, answer)
		}
	}
}

func TestErrors(t *testing.T) {
	const sofa = `<cas:Sofa xmi:id="1" sofaID="_InitialView" sofaString="Zebulon"/>`
	good := head + sofa + tail
	bad := "The document is not well-formed XMI"
	for what, tc := range map[string]struct {
		body   string
		status int
		want   string
	}{
		"no JSON":             {`{"metadata":Zebulon`, 400, "not the JSON of a request"},
		"wrong kind":          {`{"metadata":"Zebulon"}`, 400, "not the JSON of a request"},
		"nothing":             {`{}`, 422, "is missing, or is not a name"},
		"no layer":            {body(good, object{"layer": "custom.None"}), 422, "The type system has no type custom.None."},
		"a name with a quote": {body(good, object{"feature": `value="Zebulon`}), 422, "is not a name"},
		"no annotation":       {body(good, object{"layer": "custom.Whole"}), 422, "does not consist of annotations"},
		"a circle of types":   {body(good, object{"layer": "A"}), 422, "does not consist of annotations"},
		"no feature":          {body(good, object{"feature": "none"}), 422, "has no feature none that is a string"},
		"a list":              {body(good, object{"feature": "many"}), 422, "has no feature many that is a string"},
		"no mark":             {body(good, object{"layer": "Plain"}), 422, "has no feature inception_internal_predicted"},
		"types cut off":       {strings.Replace(body(good, nil), `/types\u003e`, "", 1), 422, "The type system is not"},
		"types with a DTD":    {strings.Replace(body(good, nil), `encoding=\"UTF-8\"?\u003e\n\u003ctypeS`, `?\u003e\u003c!DOCTYPE x\u003e\u003ctypeS`, 1), 422, "The type system is not"},
		"no document":         {body("", nil), 422, "The document has no text."},
		"cut off":             {body(head+sofa, nil), 422, bad},
		"another root":        {body("<html/>", nil), 422, bad},
		"no prefix":           {body(`<XMI xmlns="http://www.omg.org/XMI"/>`, nil), 422, bad},
		"a DTD":               {body(strings.Replace(good, "<xmi:XMI", `<!DOCTYPE x [<!ENTITY a "Zebulon">]><xmi:XMI`, 1), nil), 422, bad},
		"an entity":           {body(strings.Replace(good, "Zebulon", "&a;", 1), nil), 422, bad},
		"XML 1.1":             {body(strings.Replace(good, `version="1.0"`, `version="1.1"`, 1), nil), 422, bad},
		"an illegal letter":   {body(strings.Replace(good, "Zebulon", "&#1;", 1), nil), 422, bad},
		"depth":               {body(head+strings.Repeat("<a>", 40)+strings.Repeat("</a>", 40)+tail, nil), 422, bad},
		"attributes":          {body(head+"<a"+strings.Repeat(` b="c"`, 257)+"/>"+tail, nil), 422, bad},
		"no text":             {body(head+tail, nil), 422, "The document has no text."},
		"a text elsewhere":    {body(head+`<cas:Sofa xmi:id="1" sofaID="_InitialView" sofaURI="Zebulon"/>`+tail, nil), 422, "is not a text"},
		"two other views":     {body(head+strings.ReplaceAll(sofa+sofa, "_InitialView", "x")+tail, nil), 422, "is not a text"},
		"no id":               {body(head+strings.Replace(sofa, `xmi:id="1"`, "", 1)+tail, nil), 422, "no xmi:id"},
		"a bad token":         {body(head+`<type:Token sofa="1" begin="Zebulon" end="2"/>`+sofa+tail, nil), 422, "no valid begin and end"},
	} {
		status, answer := call(handler(fake{}), "/inception/en/predict", tc.body)
		if status != tc.status || !strings.Contains(answer, tc.want) || strings.Contains(answer, "Zebulon") {
			t.Errorf("%s: %d %s, want %d %s", what, status, answer, tc.status, tc.want)
		}
	}
	for path, want := range map[string]int{"/inception/none/predict": 404, "/inception/en/train": 501, "/inception/en/": 404, "/inception/predict": 404} {
		if status, answer := call(handler(fake{}), path, body(good, nil)); status != want {
			t.Errorf("%s: %d %s", path, status, answer)
		}
	}
}

func TestFailuresOfTheModelAreErrors(t *testing.T) {
	request := body(head+`<cas:Sofa xmi:id="1" sofaID="_InitialView" sofaString="x"/>`+tail, nil)
	for _, tc := range []struct {
		err    error
		status int
	}{
		{errors.New("the note could not be examined"), 500},
		{&wire.Error{Status: 503, Message: "Too many requests."}, 503},
	} {
		if status, answer := call(handler(failing{tc.err}), "/inception/en/predict", request); status != tc.status || strings.Contains(answer, "xmi") {
			t.Errorf("%v: %d %s", tc.err, status, answer)
		}
	}
}

// Whatever document is sent, the answer is an error or a document that can be read again and has the same text.
func FuzzPredict(f *testing.F) {
	f.Add(head + `<type:Token xmi:id="4" sofa="1" begin="0" end="4"/><cas:Sofa xmi:id="1" sofaID="_InitialView" sofaString="&#128512; Zoë&#10;"/><cas:View sofa="1" members="4"/>` + tail)
	f.Add(head + `<cas:Sofa xmi:id="1" sofaID="x" sofaString='3 May "'/>` + tail)
	f.Fuzz(func(t *testing.T, xmi string) {
		status, answer := call(handler(fake{}), "/inception/en/predict", body(xmi, object{"anchoringMode": "singleToken"}))
		if status != 200 {
			return
		}
		var response struct{ Document string }
		if err := json.Unmarshal([]byte(answer), &response); err != nil {
			t.Fatal(err)
		}
		given, err := parseCAS(strings.ToValidUTF8(xmi, "\ufffd"))
		if err != nil {
			t.Fatal(err)
		}
		again, err := parseCAS(response.Document)
		if err != nil || again.Text != given.Text {
			t.Fatalf("%v\n%s", err, response.Document)
		}
	})
}
