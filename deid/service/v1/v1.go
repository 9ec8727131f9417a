// Package v1 is the service's own endpoints: POST /v1/deidentify and GET /v1/models. docs/api.md describes them.
package v1

import (
	"net/http"

	"github.com/lethe-deid/lethe/deid/engine"
	"github.com/lethe-deid/lethe/deid/policy"
	"github.com/lethe-deid/lethe/deid/replace"
	"github.com/lethe-deid/lethe/deid/service/wire"
)

// Config is what the endpoints need.
type Config struct {
	Engines *engine.Pool
	Version string // of the program
	// Count receives the number of notes that were examined, and of the spans that were found in them, by type. It may be nil.
	Count func(notes int, spans map[string]int)
}

// Handlers returns the handlers of the endpoints, by the patterns of http.ServeMux.
func Handlers(c Config) map[string]http.Handler {
	if c.Count == nil {
		c.Count = func(int, map[string]int) {}
	}
	return map[string]http.Handler{
		"POST /v1/deidentify": http.HandlerFunc(c.deidentify),
		"GET /v1/models":      http.HandlerFunc(c.models),
	}
}

// model is a model as GET /v1/models lists it.
type model struct {
	Name      string   `json:"name"`
	Default   bool     `json:"default"`
	Languages []string `json:"languages"` // nil if they are unknown
	Types     []typ    `json:"types"`
	Digest    string   `json:"digest"`
	Policy    string   `json:"policy"` // of requests that choose no other
	Surrogate bool     `json:"surrogates"`
}

type typ struct {
	Name     string `json:"name"`
	Category string `json:"category"`
	Sort     string `json:"sort"`
}

type named struct {
	Name  string `json:"name"`
	About string `json:"about"`
}

// models lists what a request can choose from.
func (c Config) models(w http.ResponseWriter, _ *http.Request) {
	answer := struct {
		Models   []model  `json:"models"`
		Policies []named  `json:"policies"`
		Kinds    []string `json:"kinds"`
		Version  string   `json:"version"`
	}{Version: c.Version}
	listed := map[string]bool{}
	for i, m := range c.Engines.All() {
		types := m.FoundTypes()
		all := make([]typ, len(types))
		for k, t := range types {
			all[k] = typ{t.Name, t.Category, string(t.Sort)}
		}
		answer.Models = append(answer.Models, model{m.Name, i == 0, m.Languages(), all, m.Digest, m.Policy.Name, m.HasKey()})
		if !listed[m.Policy.Name] {
			listed[m.Policy.Name] = true
			answer.Policies = append(answer.Policies, named{m.Policy.Name, m.Policy.About})
		}
	}
	for _, name := range policy.Names() {
		if p, err := policy.Open(name); err == nil && !listed[name] {
			answer.Policies = append(answer.Policies, named{name, p.About})
		}
	}
	for _, k := range replace.Kinds() {
		if k.For() == "" {
			answer.Kinds = append(answer.Kinds, string(k))
		}
	}
	wire.Write(w, http.StatusOK, answer)
}
