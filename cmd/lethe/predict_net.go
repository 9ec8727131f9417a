package main

import (
	"fmt"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid"
)

// newNetted returns a tagger that finds all that deidentify would replace: what the tagger finds
// and what the safety net adds. name is the value of --safety-net.
func newNetted(tagger data.Tagger, name string, types *data.TypeSet, workers int) (data.Tagger, error) {
	net, err := deid.NewNet(name, types)
	if err != nil {
		return nil, fmt.Errorf("--safety-net: %w", err)
	}
	if net == nil {
		return tagger, nil
	}
	return &deid.Deidentifier{Tagger: tagger, Net: net, Workers: workers}, nil
}
