// Package inception answers INCEpTION as an external recommender does, so that annotators get the PHI that a model found
// as suggestions:
//
//	POST /inception/{model}/predict  {"metadata":{"layer":"custom.PHI","feature":"value"},
//	                                  "document":{"xmi":"..."},"typeSystem":"..."}  -> {"document":"..."}
//	POST /inception/{model}/train    an error: a model does not learn from requests
//
// In INCEpTION, the remote URL of the recommender is http://127.0.0.1:8080/inception/en for the model en, and the
// setting Trainable is off.
//
// The answer is the document as it was, with an annotation of the layer for each span of PHI. The annotation has the type
// in the feature, the mark of a prediction and, if the layer has features for them, the score and the model. Errors are
// sentences in plain text, which INCEpTION shows to the user. The endpoints keep nothing of a request.
package inception

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/service/wire"
)

// Model is a model as the endpoints need it.
type Model struct {
	Name, Digest string // such as "en" and "sha256:1f2e..."
	Tagger       data.Tagger
}

// Handlers returns the handlers of the endpoints, by the patterns of http.ServeMux. open returns the model of a name. An error of
// open that is a [wire.Error] has its own status; any other means that there is no such model.
func Handlers(open func(name string) (Model, error)) map[string]http.Handler {
	return map[string]http.Handler{
		"POST /inception/{model}/predict": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			document, err := answer(open, r)
			if err != nil {
				fail(w, err)
				return
			}
			wire.Write(w, http.StatusOK, map[string]string{"document": document})
		}),
		"POST /inception/{model}/train": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			fail(w, &wire.Error{Status: http.StatusNotImplemented, Message: "The model does not learn from INCEpTION. Turn off Trainable in the settings of the recommender."})
		}),
	}
}

// answer returns the document of a request with predictions.
func answer(open func(name string) (Model, error), r *http.Request) (string, error) {
	model, err := open(r.PathValue("model"))
	if _, ok := errors.AsType[*wire.Error](err); err != nil && !ok {
		err = &wire.Error{Status: http.StatusNotFound, Code: "not_found", Message: err.Error()}
	}
	if err != nil {
		return "", err
	}
	return predict(model, r)
}

// fail writes an error as plain text.
func fail(w http.ResponseWriter, err error) {
	e, ok := errors.AsType[*wire.Error](err)
	if !ok {
		e = &wire.Error{Status: http.StatusInternalServerError, Message: err.Error()}
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(e.Status)
	_, _ = io.WriteString(w, e.Message) // if it fails, the client has gone
}

// request is a request for predictions. INCEpTION sends more, which is not needed.
type request struct {
	Metadata struct {
		Layer         string `json:"layer"`
		Feature       string `json:"feature"`
		Anchoring     string `json:"anchoringMode"` // characters, singleToken, tokens or sentences; empty from old versions
		CrossSentence *bool  `json:"crossSentence"`
	} `json:"metadata"`
	Document struct {
		XMI string `json:"xmi"`
	} `json:"document"`
	TypeSystem string `json:"typeSystem"`
}

func predict(m Model, r *http.Request) (string, error) {
	var req request
	raw, err := wire.Body(r)
	if err != nil {
		return "", err
	}
	if json.Unmarshal(raw, &req) != nil {
		return "", wire.Invalid("The body is not the JSON of a request for predictions.")
	}
	layer, err := findLayer(req.TypeSystem, req.Metadata.Layer, req.Metadata.Feature)
	if err != nil {
		return "", err
	}
	doc, err := parseCAS(req.Document.XMI)
	if err != nil {
		return "", err
	}
	if err := wire.CheckTexts(r.Context(), 1, func(int) string { return doc.Text }); err != nil {
		return "", err
	}
	spans, err := m.Tagger.Tag(r.Context(), []*data.Document{{ID: "the document", Text: doc.Text}})
	if interrupted := wire.Interrupted(r.Context()); interrupted != nil {
		return "", interrupted
	}
	if err != nil {
		return "", err
	}
	found := doc.unitsOf(spans[0])
	if crossing := req.Metadata.CrossSentence; crossing != nil && !*crossing {
		found = split(found, doc.sentences)
	}
	if found, err = anchor(found, req.Metadata.Anchoring, doc.tokens); err != nil {
		return "", err
	}
	return doc.with(layer, found, m.Name+" "+m.Digest), nil
}
