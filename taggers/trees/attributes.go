package trees

import (
	"fmt"
	"slices"

	"github.com/lethe-deid/lethe/taggers/trees/c45"
)

// property is one number for each token. The attributes of a token are the values of
// properties at the token and around it: those of the tokens at the offsets from lo to
// hi. Before the first and after the last token of a text, the value is edge.
type property struct {
	name   string
	values []string // of a nominal property, by value; nil: numeric
	lo, hi int
	edge   float32
	fill   func(x *stretch, into []float32)
}

// window is the greatest offset of an attribute.
const window = max(phraseWindow, tokenWindow)

// around is the number of tokens on each side whose spelling is an attribute: the paper's
// "moving window of size four".
const around = 2

// classProperty is the name of the property that has the classes of the preceding tokens:
// in training the gold classes, otherwise those that the model has just found.
const classProperty = "class"

// schema is the attributes of one model.
type schema struct {
	properties []property
	class      int // index of classProperty
	columns    []column
}

type column struct{ property, offset int }

// newSchema returns the attributes of a model that uses a set of triggers. second says
// whether it has the attributes of the second iteration.
func newSchema(c Config, set string, second bool, l *learned, r *resources) *schema {
	properties := slices.Concat(orthography(), surroundings(l), affixProperties(l), r.properties())
	if second {
		properties = append(properties, trustedProperties(l)...)
	}
	if c.Attributes == trustedAttributes {
		properties = slices.DeleteFunc(properties, func(p property) bool { return !slices.Contains(baseline, p.name) && !p.trusted() })
		for i := range properties {
			properties[i].lo, properties[i].hi = max(properties[i].lo, -1), min(properties[i].hi, 0)
			if properties[i].name != classProperty {
				properties[i].lo = 0
			}
		}
	}
	if c.MinPatients > 0 {
		properties = slices.DeleteFunc(properties, func(p property) bool { return p.name == numberProperty })
	}
	s := &schema{properties: append(properties, triggerProperties(set, l)...)}
	for i, p := range s.properties {
		if p.name == classProperty {
			s.class = i
		}
		for offset := p.lo; offset <= p.hi; offset++ {
			s.columns = append(s.columns, column{i, offset})
		}
	}
	return s
}

// baseline is the properties of the paper's baseline "Trusted features", besides the
// triggers. The paper names the initial letter and the predicted class of the previous
// token; the "other four features" are our choice.
var baseline = []string{"initial", classProperty, "length", "digits", "heading class", "position"}

// attributes returns the names and values of the attributes.
func (s *schema) attributes() []c45.Attribute {
	var all []c45.Attribute
	for _, c := range s.columns {
		p := s.properties[c.property]
		all = append(all, c45.Attribute{Name: name(p.name, c.offset), Values: p.values})
	}
	return all
}

// view is the values of the attributes of a text.
type view struct {
	tokens  int
	columns [][]float32 // by column and token
	classes []float32   // of classProperty, from token -window on
}

// view computes the values of a text. Several goroutines may use a schema at once.
func (s *schema) view(x *stretch) view {
	n := len(x.words)
	padded := make([][]float32, len(s.properties))
	for i, p := range s.properties {
		padded[i] = make([]float32, n+2*window)
		p.fill(x, padded[i][window:window+n])
		if p.edge != 0 {
			for k := range window {
				padded[i][k], padded[i][window+n+k] = p.edge, p.edge
			}
		}
	}
	v := view{tokens: n, columns: make([][]float32, len(s.columns)), classes: padded[s.class]}
	for i, c := range s.columns {
		from := window + c.offset
		v.columns[i] = padded[c.property][from : from+n]
	}
	return v
}

// set enters the class of a token that has been found.
func (v view) set(t int, class int32) { v.classes[window+t] = float32(class) }

// row copies the attributes of a token.
func (v view) row(t int, into []float32) {
	for i, c := range v.columns {
		into[i] = c[t]
	}
}

// numeric makes a property whose values depend on one token.
func numeric(name string, reach int, edge float32, value func(x *stretch, t int) float32) property {
	return property{name: name, lo: -reach, hi: reach, edge: edge, fill: func(x *stretch, into []float32) {
		for t := range into {
			into[t] = value(x, t)
		}
	}}
}

// yes returns 1 for true.
func yes(b bool) float32 {
	if b {
		return 1
	}
	return 0
}

// cueProperties returns the class and the share of a clue's cue, as properties at the
// offsets from lo to hi.
func cueProperties(name string, lo, hi int, l *learned, of cues, key func(x *stretch, t int) (uint64, bool)) []property {
	find := func(x *stretch, t int) (cue, bool) {
		k, ok := key(x, t)
		if !ok {
			return cue{}, false
		}
		c, ok := of[k]
		return c, ok
	}
	return []property{
		{name: name + " class", values: l.classes, lo: lo, hi: hi, fill: func(x *stretch, into []float32) {
			for t := range into {
				c, _ := find(x, t)
				into[t] = float32(c.class)
			}
		}},
		{name: name + " share", lo: lo, hi: hi, fill: func(x *stretch, into []float32) {
			for t := range into {
				c, _ := find(x, t)
				into[t] = c.share
			}
		}},
	}
}

// wordKey is the key of n words from an offset on.
func wordKey(offset, n int) func(x *stretch, t int) (uint64, bool) {
	return func(x *stretch, t int) (key uint64, ok bool) {
		x.key(t+offset, t+offset+n, func(k uint64) { key, ok = k, true })
		return key, ok
	}
}

func affixProperties(l *learned) []property {
	return slices.Concat(
		cueProperties("last", -1, 3, l, l.cues["last"], wordKey(0, 1)),
		cueProperties("first", -3, 1, l, l.cues["first"], wordKey(0, 1)),
	)
}

// triggerProperties returns the properties of a set of triggers.
func triggerProperties(set string, l *learned) []property {
	var all []property
	switch set {
	case TokenTriggers:
		for offset := -tokenWindow; offset <= tokenWindow; offset++ {
			if offset != 0 {
				name := neighbour(offset).name
				all = append(all, cueProperties(name, 0, 0, l, l.cues[name], wordKey(offset, 1))...)
			}
		}
	case PhraseTriggers:
		all = cueProperties("phrase", 1, phraseWindow, l, l.cues["phrase"], wordKey(0, 1))
	case TrigramTriggers:
		for n := 1; n <= maxGram; n++ {
			before, after := fmt.Sprintf("before-%d", n), fmt.Sprintf("after-%d", n)
			all = append(all, cueProperties(before, 0, 0, l, l.cues[before], wordKey(-n, n))...)
			all = append(all, cueProperties(after, 0, 0, l, l.cues[after], wordKey(1, n))...)
		}
	}
	return all
}

// name returns the name of an attribute, such as "length[-1]".
func name(property string, offset int) string {
	if offset == 0 {
		return property + "[0]"
	}
	return fmt.Sprintf("%s[%+d]", property, offset)
}
