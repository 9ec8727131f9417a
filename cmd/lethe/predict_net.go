package main

import (
	"fmt"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid"
	"github.com/lethe-deid/lethe/models"
)

// newNetted returns a tagger that finds all that deidentify would replace: what the tagger finds
// and what the safety net adds. name is the value of --safety-net, and the tagger comes from the model.
func newNetted(tagger data.Tagger, name string, model *models.Model, workers int) (data.Tagger, error) {
	net, err := deid.NewNet(name, model.Types)
	if err != nil {
		return nil, fmt.Errorf("--safety-net: %w", err)
	}
	if net == nil {
		return tagger, nil
	}
	net.Languages = model.Languages
	return &deid.Deidentifier{Tagger: tagger, Net: net, Workers: workers}, nil
}
