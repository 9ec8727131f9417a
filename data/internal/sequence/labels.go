// Package sequence contains what the formats share that store tokens with labels instead of a text: it reads labels, makes
// a text of tokens, and makes tokens of a text.
package sequence

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
)

// Labels says how a label names a prefix and a type.
type Labels string

// The ways to write labels.
const (
	Prefixed Labels = "prefix" // B-DOCTOR
	Suffixed Labels = "suffix" // DOCTOR-B
	Bare     Labels = "bare"   // DOCTOR: adjacent tokens of one type are one span
)

// Check returns an error if there is no such way. An empty value is Prefixed.
func (l Labels) Check() error {
	if all := []Labels{"", Prefixed, Suffixed, Bare}; !slices.Contains(all, l) {
		return fmt.Errorf("%q is not prefix, suffix or bare", string(l))
	}
	return nil
}

// prefixes maps the prefixes that are read to those of data.BIOES. L and U are those of BILOU.
var prefixes = map[string]string{"B": "B", "I": "I", "E": "E", "S": "S", "L": "E", "U": "S"}

// Parse returns a label in the form of data.BIOES. The error says what a label must look like, and does not quote it.
func (l Labels) Parse(label string, types *data.TypeSet) (string, error) {
	if label == "O" {
		return label, nil
	}
	prefix, typ, ok := l.split(label)
	if !ok {
		return "", l.mistake(label, types)
	}
	if !types.Has(typ) {
		return "", errors.New(types.Lacks(typ))
	}
	return prefix + "-" + typ, nil
}

func (l Labels) split(label string) (prefix, typ string, ok bool) {
	switch l {
	case Bare:
		return "I", label, label != ""
	case Suffixed:
		i := strings.LastIndex(label, "-")
		if i < 0 {
			return "", "", false
		}
		prefix, typ = label[i+1:], label[:i]
	default:
		prefix, typ = data.SplitLabel(label)
	}
	prefix, ok = prefixes[prefix]
	return prefix, typ, ok
}

// mistake returns the error of a label that cannot be read.
func (l Labels) mistake(label string, types *data.TypeSet) error {
	if l == Suffixed {
		return fmt.Errorf("the label is neither O nor a type followed by -B, -I, -E, -S, -L or -U")
	}
	const want = "the label is neither O nor a type after B-, I-, E-, S-, L- or U-"
	prefix, typ := data.SplitLabel(label)
	_, lower := prefixes[strings.ToUpper(prefix)]
	hint := ""
	switch _, suffixed, ok := Suffixed.split(label); {
	case ok && data.Any.Has(suffixed):
		hint = "; for labels such as DOCTOR-B, set labels to suffix"
	case types.Has(label):
		hint = "; for labels without B- and I-, set labels to bare"
	case label == "o" || lower:
		hint = "; O and the prefixes are capital letters"
	case len(label) > 1 && label[1] == '_' && prefixes[label[:1]] != "":
		hint = "; the prefix ends with -, not with _"
	case types.Has(typ) && (prefix == "M" || prefix == "W"):
		hint = "; in labels of the scheme BMEWO, replace M- by I-, and W- by S-"
	}
	if hint != "" {
		return errors.New(want + hint)
	}
	return fmt.Errorf("%s", want)
}

// Scheme is a label scheme to write.
type Scheme string

// The schemes to write: IOB2, in which every span begins with B-, BIOES and BILOU.
const (
	BIO   Scheme = "BIO"
	BIOES Scheme = "BIOES"
	BILOU Scheme = "BILOU"
)

// Check returns an error if there is no such scheme. An empty value is BIO.
func (s Scheme) Check() error {
	if all := []Scheme{"", BIO, BIOES, BILOU}; !slices.Contains(all, s) {
		return fmt.Errorf("%q is not BIO, BIOES or BILOU", string(s))
	}
	return nil
}

// encode returns the labels of n tokens.
func (s Scheme) encode(n int, spans []data.TokenSpan) []string {
	if s == "" || s == BIO {
		return data.BIO.Encode(n, spans)
	}
	labels := data.BIOES.Encode(n, spans)
	if s == BILOU {
		for i, label := range labels {
			switch label[0] {
			case 'E':
				labels[i] = "L" + label[1:]
			case 'S':
				labels[i] = "U" + label[1:]
			}
		}
	}
	return labels
}
