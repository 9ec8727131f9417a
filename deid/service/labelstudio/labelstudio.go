// Package labelstudio answers Label Studio as an ML backend does, so that its annotators start from the PHI that a
// model found:
//
//	GET  /label-studio/health    {"status":"UP", ...}; also GET /label-studio/
//	POST /label-studio/setup     {"schema":"<View>...", ...}                    -> {"model_version":"en-1f2e3d4c5b6a"}
//	POST /label-studio/predict   {"tasks":[{"data":{"text":"..."}}],
//	                              "label_config":"<View>..."}                   -> {"results":[...],"model_version":"..."}
//	POST /label-studio/webhook   {"action":"ANNOTATION_CREATED", ...}           -> {"status":"ignored"}
//	GET  /label-studio/versions  {"versions":["en-1f2e3d4c5b6a"]}
//
// Under /label-studio/NAME/, the same endpoints use the model of that name. In Label Studio, the URL of the backend is
// that of the folder, such as http://127.0.0.1:8080/label-studio.
//
// The label config of the project decides which texts of a task are examined and how their labels are called (see
// labelFor). A span of a type without a label becomes a region without a label, and is counted in the response under
// unlabelled. The endpoints keep nothing of a request.
package labelstudio

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/service/wire"
)

// Model is a model as the endpoints need it.
type Model struct {
	Name, Digest string      // such as "en" and "sha256:1f2e..."
	Types        []data.Type // that it finds
	Tagger       data.Tagger
}

// version identifies the model in Label Studio, which asks again for predictions when it changes.
func (m Model) version() string {
	digest := m.Digest[strings.IndexByte(m.Digest, ':')+1:]
	return m.Name + "-" + digest[:min(12, len(digest))]
}

// Handlers returns the handlers of the endpoints, by the patterns of http.ServeMux. open returns the model of a name, and the
// default model if the name is empty. An error of open that is a [wire.Error] has its own status; any other means that there is
// no such model.
func Handlers(open func(name string) (Model, error)) map[string]http.Handler {
	s := server{open}
	all := map[string]http.Handler{"GET /label-studio/{$}": s.with(health)}
	for _, folder := range []string{"/label-studio/", "/label-studio/{model}/"} {
		all["GET "+folder+"health"] = s.with(health)
		all["GET "+folder+"versions"] = s.with(versions)
		all["POST "+folder+"setup"] = s.with(setup)
		all["POST "+folder+"predict"] = s.with(predict)
		all["POST "+folder+"webhook"] = s.with(webhook)
	}
	return all
}

type server struct {
	open func(name string) (Model, error)
}

// with opens the model that the path names and writes the answer, or the error.
func (s server) with(answer func(Model, *http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		model, err := s.open(r.PathValue("model"))
		if _, ok := errors.AsType[*wire.Error](err); err != nil && !ok {
			err = &wire.Error{Status: http.StatusNotFound, Code: "not_found", Message: err.Error()}
		}
		var body any
		if err == nil {
			body, err = answer(model, r)
		}
		if err != nil {
			wire.Fail(w, err)
			return
		}
		wire.Write(w, http.StatusOK, body)
	}
}

func health(m Model, _ *http.Request) (any, error) {
	return struct {
		Status  string `json:"status"`
		Class   string `json:"model_class"`
		Version string `json:"model_version"`
	}{"UP", "Lethe", m.version()}, nil
}

func versions(m Model, _ *http.Request) (any, error) {
	return map[string][]string{"versions": {m.version()}}, nil
}

// setup checks the label config of a project when the backend is connected. Other keys of the request, such as the
// access token of a user, are not read.
func setup(m Model, r *http.Request) (any, error) {
	var request struct {
		Schema string `json:"schema"`
	}
	if err := decode(r, &request); err != nil {
		return nil, err
	}
	c, err := parseConfig(request.Schema)
	if err != nil {
		return nil, err
	}
	return struct {
		Version    string   `json:"model_version"`
		Unlabelled []string `json:"unlabelled"` // types of the model for which the config has no label
	}{m.version(), c.unlabelled(m.Types)}, nil
}

// webhook receives what happens in a project. The button that starts a training gets an error, because a model does not
// learn from requests.
func webhook(_ Model, r *http.Request) (any, error) {
	var request struct {
		Action string `json:"action"`
	}
	if err := decode(r, &request); err != nil {
		return nil, err
	}
	if request.Action == "START_TRAINING" {
		return nil, &wire.Error{Status: http.StatusNotImplemented, Code: "not_trainable", Message: "The server does not train models. Export the annotations as JSON and train with them."}
	}
	return map[string]string{"status": "ignored"}, nil
}

// decode reads the JSON of a request. Label Studio adds keys from version to version, so unknown ones are ignored.
func decode(r *http.Request, into any) error {
	raw, err := wire.Body(r)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, into); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return wire.Invalid("The value of %q, before byte %d, has the wrong type.", wrong.Field, wrong.Offset)
		}
		return wire.Invalid("The body is not valid JSON.")
	}
	return nil
}
