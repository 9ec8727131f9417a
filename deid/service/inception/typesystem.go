package inception

import (
	"io"
	"regexp"
	"strings"

	"github.com/lethe-deid/lethe/deid/service/wire"
	"github.com/lethe-deid/lethe/internal/cas"
	"github.com/lethe-deid/lethe/internal/xmlnotes"
)

// layer is a type of annotations whose feature shall be predicted.
type layer struct {
	space, local string // name of its elements in XMI
	feature      string
	score        string // feature for the score, or "" if the layer has none
	explanation  string // feature for the reason of the score, or ""
}

// maxDepth limits a type system as package cas limits a document.
const maxDepth = 32

// Names of features that INCEpTION adds to the layer of a recommender.
const (
	predictedFeature  = "inception_internal_predicted"
	scoreSuffix       = "_score"
	explanationSuffix = "_score_explanation"
)

// described is a type in a type system: its supertype, and the ranges of its features.
type described struct {
	super    string
	features map[string]string
}

// typeName matches the name of a type, and its last part that of a feature.
var typeName = regexp.MustCompile(`^([\p{L}_][\p{L}\p{N}_]*\.)*[\p{L}_][\p{L}\p{N}_]*$`)

// findLayer finds the layer in a type system and checks that its feature can be predicted.
func findLayer(typeSystem, name, feature string) (layer, error) {
	if !typeName.MatchString(name) || !typeName.MatchString(feature) || strings.Contains(feature, ".") {
		return layer{}, wire.Unprocessable("The layer or the feature in the metadata is missing, or is not a name.")
	}
	types, err := parseTypes(typeSystem)
	if err != nil {
		return layer{}, err
	}
	if _, ok := types[name]; !ok {
		return layer{}, wire.Unprocessable("The type system has no type %s.", name)
	}
	features, annotation := types.inherited(name)
	switch {
	case !annotation:
		return layer{}, wire.Unprocessable("The layer %s does not consist of annotations of text.", name)
	case features[feature] != "uima.cas.String":
		return layer{}, wire.Unprocessable("The layer %s has no feature %s that is a string.", name, feature)
	case features[predictedFeature] != "uima.cas.Boolean":
		return layer{}, wire.Unprocessable("The layer %s has no feature %s, by which INCEpTION knows predictions.", name, predictedFeature)
	}
	l := layer{feature: feature}
	l.space, l.local = cas.Element(name)
	if features[feature+scoreSuffix] == "uima.cas.Double" {
		l.score = feature + scoreSuffix
	}
	if features[feature+explanationSuffix] == "uima.cas.String" {
		l.explanation = feature + explanationSuffix
	}
	return l, nil
}

type typeSystem map[string]described

// inherited returns the ranges of the features of a type and its supertypes, and whether it is an annotation.
func (types typeSystem) inherited(name string) (features map[string]string, annotation bool) {
	features = map[string]string{}
	for range len(types) + 1 { // a circle of supertypes ends, too
		if name == "uima.tcas.Annotation" {
			return features, true
		}
		for feature, kind := range types[name].features {
			if _, ok := features[feature]; !ok {
				features[feature] = kind
			}
		}
		name = types[name].super
	}
	return features, false
}

// parseTypes reads a type system description.
func parseTypes(description string) (typeSystem, error) {
	bad := wire.Unprocessable("The type system is not a type system description in XML.")
	if _, _, found := xmlnotes.Illegal(description); found {
		return nil, bad
	}
	p := typeParser{types: typeSystem{}}
	in := xmlnotes.NewReader(description)
	for {
		t, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil || t.Kind == xmlnotes.Directive || len(p.open) > maxDepth {
			return nil, bad
		}
		switch t.Kind {
		case xmlnotes.Start:
			p.open = append(p.open, t.Local)
			p.value.Reset()
		case xmlnotes.Text, xmlnotes.CDATA:
			p.value.WriteString(in.Characters(t))
		case xmlnotes.End:
			p.end(strings.TrimSpace(p.value.String()))
			p.open = p.open[:len(p.open)-1]
			p.value.Reset()
		}
	}
	return p.types, nil
}

// typeParser keeps what is known of the type and the feature that are being read.
type typeParser struct {
	types         typeSystem
	open          []string
	value         strings.Builder
	name, super   string
	feature, kind string
	features      map[string]string
}

// end takes the value of an element at its end.
func (p *typeParser) end(value string) {
	around := ""
	if n := len(p.open); n > 1 {
		around = p.open[n-2]
	}
	switch around + "/" + p.open[len(p.open)-1] {
	case "typeDescription/name":
		p.name = value
	case "typeDescription/supertypeName":
		p.super = value
	case "featureDescription/name":
		p.feature = value
	case "featureDescription/rangeTypeName":
		p.kind = value
	case "features/featureDescription":
		if p.features == nil {
			p.features = map[string]string{}
		}
		p.features[p.feature] = p.kind
		p.feature, p.kind = "", ""
	case "types/typeDescription":
		p.types[p.name] = described{p.super, p.features}
		p.name, p.super, p.features = "", "", nil
	}
}
