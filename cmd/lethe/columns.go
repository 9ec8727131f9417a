package main

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/lethe-deid/lethe/data/conll"
	"github.com/lethe-deid/lethe/internal/strictyaml"
)

// columns is a flag with the layout of columns, "key=value,key=value", whose keys are those of corpus.conll in an experiment.
type columns struct {
	conll.Options
	given bool
	text  string
}

var _ pflag.Value = (*columns)(nil)

// Set implements pflag.Value. A flag that is given twice adds to the first.
func (c *columns) Set(value string) error {
	for setting := range strings.SplitSeq(value, ",") {
		key, val, _ := strings.Cut(setting, "=")
		switch key {
		case "extensions":
			val = "[" + strings.ReplaceAll(val, "+", ", ") + "]"
		case "columns":
			val = "{" + strings.NewReplacer(":", ": ", "+", ", ").Replace(val) + "}"
		case "comments":
			val = `"` + val + `"`
		}
		if err := strictyaml.Decode("", []byte(key+": "+val), &c.Options); err != nil {
			return err
		}
	}
	c.given, c.text = true, value
	return c.Check()
}

// adds implements adder.
func (c *columns) adds() {}

// String and Type implement pflag.Value.
func (c *columns) String() string { return c.text }
func (c *columns) Type() string   { return "string" }
