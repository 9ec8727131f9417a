package main

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/lethe-deid/lethe/data/inception"
)

// layer is a flag for a layer of INCEpTION, and perhaps its feature, such as custom.PHI:kind.
type layer struct{ inception.Options }

var _ pflag.Value = (*layer)(nil)

// Set implements pflag.Value.
func (l *layer) Set(value string) error {
	l.Layer, l.Feature, _ = strings.Cut(value, ":")
	return l.Check()
}

// String and Type implement pflag.Value.
func (l *layer) String() string { return strings.TrimSuffix(l.Layer+":"+l.Feature, ":") }
func (l *layer) Type() string   { return "string" }
