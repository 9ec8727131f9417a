package labelstudio

import (
	"io"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/deid/service/wire"
	"github.com/lethe-deid/lethe/internal/xmlnotes"
)

// config is a label config: which values of a task are texts, and with which labels they can be annotated.
//
//	<View>
//	  <Labels name="label" toName="text">
//	    <Label value="PATIENT"/>
//	    <Label value="Place" predicted_values="CITY,STREET"/>
//	  </Labels>
//	  <Text name="text" value="$text"/>
//	</View>
type config struct {
	texts []text
}

// text is a Text tag with the Labels tags that apply to it, which are one or more.
type text struct {
	name     string
	path     []string // of its value in the data of a task
	controls []control
}

// control is a Labels tag.
type control struct {
	name   string
	to     []string // names of tags
	labels []label
}

// label is a Label tag.
type label struct {
	value     string
	predicted []string // the types that it stands for, from the attribute predicted_values
}

// parseConfig reads a label config. It is an error if nothing in it can be predicted, or not all: Lethe finds PHI in
// plain text only.
func parseConfig(schema string) (*config, error) {
	if _, _, found := xmlnotes.Illegal(schema); found {
		return nil, wire.Unprocessable("The label config is not well-formed XML.")
	}
	p := configParser{in: xmlnotes.NewReader(schema)}
	if err := p.parse(); err != nil {
		return nil, err
	}
	return p.config()
}

type configParser struct {
	in       *xmlnotes.Reader
	depth    int
	within   int // depth of the Labels tag around the next token, or 0
	texts    []text
	controls []control
}

// maxDepth is far beyond any label config.
const maxDepth = 100

func (p *configParser) parse() error {
	for {
		t, err := p.in.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil || t.Kind == xmlnotes.Directive || p.depth > maxDepth {
			return wire.Unprocessable("The label config is not well-formed XML, or it has a DTD.")
		}
		switch t.Kind {
		case xmlnotes.Start:
			p.depth++
			if err := p.tag(t.Local, attributesOf(t)); err != nil {
				return err
			}
		case xmlnotes.End:
			if p.depth == p.within {
				p.within = 0
			}
			p.depth--
		}
	}
}

// attributesOf returns the attributes of a tag by their names in lower case, as Label Studio reads them.
func attributesOf(t xmlnotes.Token) map[string]string {
	attributes := map[string]string{}
	for _, a := range t.Attributes {
		attributes[strings.ToLower(a.Name)] = xmlnotes.Unescape(a.Value)
	}
	return attributes
}

func (p *configParser) tag(name string, attributes map[string]string) error {
	switch strings.ToLower(name) {
	case "text":
		if attributes["valuetype"] == "url" || attributes["encoding"] == "base64" || attributes["encoding"] == "base64unicode" {
			return wire.Unprocessable("The Text tag %q takes its text from an address or in base64, which the server does not support: the text must be in the task.", attributes["name"])
		}
		variable, ok := strings.CutPrefix(attributes["value"], "$")
		if !ok || strings.ContainsAny(variable, "$ ") {
			return wire.Unprocessable("The value of the Text tag %q must be one variable, such as $text.", attributes["name"])
		}
		p.texts = append(p.texts, text{name: attributes["name"], path: strings.Split(variable, ".")})
	case "labels":
		p.controls = append(p.controls, control{name: attributes["name"], to: listOf(attributes["toname"])})
		p.within = p.depth
	case "label":
		if p.within > 0 {
			last := &p.controls[len(p.controls)-1]
			last.labels = append(last.labels, label{attributes["value"], listOf(attributes["predicted_values"])})
		}
	}
	return nil
}

// listOf splits a list with commas.
func listOf(value string) []string {
	var list []string
	for _, item := range strings.Split(value, ",") {
		if item = strings.TrimSpace(item); item != "" {
			list = append(list, item)
		}
	}
	return list
}

// config joins texts and controls.
func (p *configParser) config() (*config, error) {
	var c config
	for _, t := range p.texts {
		for _, control := range p.controls {
			if slices.Contains(control.to, t.name) {
				if len(control.labels) == 0 {
					return nil, wire.Unprocessable("The Labels tag %q has no Label tags.", control.name)
				}
				t.controls = append(t.controls, control)
			}
		}
		if t.controls != nil {
			c.texts = append(c.texts, t)
		}
	}
	if c.texts == nil {
		return nil, wire.Unprocessable("The label config has no Labels tag for a Text tag. The server finds PHI in plain text only, not in HyperText, Paragraphs or images.")
	}
	return &c, nil
}
