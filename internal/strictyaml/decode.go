// Package strictyaml decodes YAML configurations into structs and tolerates no
// mistakes: an unknown or duplicate key, or a value of the wrong kind, is an
// error with line, column and key.
package strictyaml

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Union is a map with string keys in which each key has its own type of value.
// Its values are interfaces that contain pointers.
type Union interface {
	// Keys returns the supported keys, for errors.
	Keys() []string
	// Fresh returns a pointer to the initial value of a supported key.
	Fresh(key string) any
}

// Series is a list in which a single element can be written without the list: 100 stands for [100].
type Series interface{ Series() }

// Short is a pointer to a struct that can also be written as a text, or as nothing, which is the
// empty text. SetText replaces the whole value.
type Short interface{ SetText(text string) }

// Switch is a pointer to a struct that can also be written as true or false. SetSwitch replaces the
// whole value.
type Switch interface{ SetSwitch(on bool) }

// Decode decodes a YAML document into the struct that into points to, and keeps
// values that the document does not mention. Keys are those of the fields' yaml
// tags. Fields may be structs, pointers, maps with string keys, lists, string,
// bool, int, uint64 and float64. A nil pointer is set to a new zero value, and a
// new entry of a map that is a Union to the result of Fresh. A list replaces an
// earlier one. A byte order mark is skipped.
//
// Errors contain the path, line, column and key. If path is "", positions would
// be useless and errors contain only the key. Anchors, aliases, tags and multiple
// documents are errors.
//
// The parser is goccy's, which rejects duplicate keys. Values are assigned here,
// because goccy's decoder accepts 1.5 as a whole number and text as a number, and
// replaces maps as a whole.
func Decode(path string, raw []byte, into any) error {
	return decoder{file: path}.decode(raw, into)
}

// Parse decodes a YAML document that must be a mapping into a list of its keys and values, in their
// order, for documents that no struct can describe. Values are those of goccy's decoder. The rules
// for the document, and errors, are those of Decode.
func Parse(path string, raw []byte, into *yaml.MapSlice) error {
	d := decoder{file: path}
	body, err := d.body(raw)
	if err != nil {
		return err
	}
	if _, ok := body.(ast.MapNode); !ok {
		return d.fail(body.GetToken(), "", "%s where a mapping is expected", kind(body))
	}
	if err := yaml.NodeToValue(body, into); err != nil {
		if e := yaml.Error(nil); errors.As(err, &e) {
			return d.fail(e.GetToken(), "", "%s", e.GetMessage())
		}
		return d.fail(nil, "", "%v", err)
	}
	return nil
}

func (d decoder) decode(raw []byte, into any) error {
	body, err := d.body(raw)
	if err != nil {
		return err
	}
	return d.value("", body, reflect.ValueOf(into).Elem())
}

// body parses a document.
func (d decoder) body(raw []byte) (ast.Node, error) {
	if err := d.checkSize(raw); err != nil {
		return nil, err
	}
	tree, err := parser.ParseBytes(bytes.TrimPrefix(raw, []byte("\uFEFF")), 0)
	if err != nil {
		if e := yaml.Error(nil); errors.As(err, &e) {
			return nil, d.fail(e.GetToken(), "", "%s", e.GetMessage())
		}
		return nil, d.fail(nil, "", "%v", err)
	}
	var bodies []ast.Node
	for _, doc := range tree.Docs {
		if doc.Body != nil && doc.Body.Type() != ast.CommentType {
			bodies = append(bodies, doc.Body)
		}
	}
	if len(bodies) != 1 {
		return nil, d.fail(nil, "", "requires one YAML document, but has %d", len(bodies))
	}
	return bodies[0], nil
}

// Limits on documents, beyond those that people write, for which the parser would
// require excessive time and memory.
const (
	maxBytes = 1 << 20
	maxLines = 20_000
	maxDepth = 200
)

// checkSize returns an error for a document that is too large or too deep for the
// parser. The depth is an upper bound: it counts brackets, dashes in a line, and
// indentation, even those inside text.
func (d decoder) checkSize(raw []byte) error {
	if len(raw) > maxBytes {
		return d.fail(nil, "", "is larger than %d KiB, the limit for YAML", maxBytes>>10)
	}
	if bytes.Count(raw, []byte("\n")) > maxLines || bytes.Count(raw, []byte("\r")) > maxLines {
		return d.fail(nil, "", "has more than %d lines, the limit for YAML", maxLines)
	}
	open, number := 0, 0 // brackets
	for line := range bytes.Lines(raw) {
		number++
		signs, indented := 0, true // number of "- " and "? " at the start of the line; whether only indentation was seen so far
		var indents int
		for i, c := range line {
			switch c {
			case '[', '{':
				open++
			case ']', '}':
				open = max(0, open-1)
			}
			switch {
			case !indented:
			case c == ' ' || c == '\t':
				indents++
			case (c == '-' || c == '?' || c == ':') && i+1 < len(line) && (line[i+1] == ' ' || line[i+1] == '\t'):
				signs++
			default:
				indented = false
			}
			if open > 5*maxDepth || signs > maxDepth || indents-signs > 4*maxDepth {
				return d.fail(nil, "", "line %d: is nested more than %d deep", number, maxDepth)
			}
		}
	}
	return nil
}

type decoder struct {
	file    string
	setting string // path of the value that Set sets; "" for Decode
}

// fail returns an error. Without a file, it has no position, which would be
// useless.
func (d decoder) fail(at *token.Token, path, reason string, args ...any) error {
	reason = fmt.Sprintf(reason, args...)
	if path != "" {
		reason = path + ": " + reason
	}
	if d.file == "" {
		return errors.New(reason)
	}
	if at == nil || at.Position == nil {
		return fmt.Errorf("%s: %s", d.file, reason)
	}
	return fmt.Errorf("%s:%d:%d: %s", d.file, at.Position.Line, at.Position.Column, reason)
}

// value sets v to the value of node.
func (d decoder) value(path string, node ast.Node, v reflect.Value) error {
	wrong := func(want string) error {
		return d.fail(node.GetToken(), path, "%s where %s is expected", kind(node), want)
	}
	if s, ok := asSwitch(v); ok {
		switch n := node.(type) {
		case *ast.BoolNode:
			s.SetSwitch(n.Value)
			return nil
		case ast.MapNode:
		default:
			return wrong("true, false or a mapping")
		}
	}
	if short, ok := asShort(v); ok {
		switch n := node.(type) {
		case *ast.NullNode:
			short.SetText("")
			return nil
		case *ast.StringNode:
			short.SetText(n.Value)
			return nil
		case ast.MapNode:
		default:
			return wrong("a text or a mapping")
		}
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		return d.value(path, node, v.Elem())
	case reflect.Struct, reflect.Map:
		m, ok := node.(ast.MapNode)
		if !ok {
			return wrong("a mapping")
		}
		if d.setting != "" && path == d.setting && !holdsAny(v, m) {
			v.Clear()
		}
		for each := m.MapRange(); each.Next(); {
			if err := d.member(path, each.Key(), each.Value(), v); err != nil {
				return err
			}
		}
		return nil
	case reflect.Slice:
		n, ok := node.(*ast.SequenceNode)
		if m, ok := node.(ast.MapNode); ok && d.setting != "" && (!isSeries(v) || ofPositions(m)) {
			return d.elements(path, m, v)
		}
		if !ok && isSeries(v) {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			return d.value(path, node, v.Index(0))
		}
		if !ok {
			return wrong("a list")
		}
		v.Set(reflect.MakeSlice(v.Type(), len(n.Values), len(n.Values)))
		for i, item := range n.Values {
			if err := d.value(fmt.Sprintf("%s[%d]", path, i), item, v.Index(i)); err != nil {
				return err
			}
		}
		return nil
	case reflect.String:
		switch n := node.(type) {
		case *ast.StringNode:
			v.SetString(n.Value)
		case *ast.LiteralNode:
			v.SetString(n.Value.Value)
		default:
			return wrong("text")
		}
		return nil
	case reflect.Bool:
		n, ok := node.(*ast.BoolNode)
		if !ok {
			return wrong("true or false")
		}
		v.SetBool(n.Value)
		return nil
	case reflect.Float64:
		switch n := node.(type) {
		case *ast.InfinityNode, *ast.NanNode:
			return d.fail(node.GetToken(), path, "%s is not a finite number", node.GetToken().Value)
		case *ast.FloatNode:
			v.SetFloat(n.Value)
		case *ast.IntegerNode:
			v.Set(reflect.ValueOf(n.Value).Convert(v.Type()))
		default:
			text, ok := bareNumber(node)
			if !ok {
				return wrong("a number")
			}
			x, err := strconv.ParseFloat(text, 64)
			if err != nil { // by the grammar, this is the only possible reason
				return d.fail(node.GetToken(), path, "%s is out of range", text)
			}
			v.SetFloat(x)
		}
		return nil
	case reflect.Int, reflect.Uint64:
		n, ok := node.(*ast.IntegerNode)
		if text, bare := bareNumber(node); bare && digits.MatchString(text) {
			return d.fail(node.GetToken(), path, "%s is out of range", text)
		} else if !ok {
			return wrong("a whole number")
		}
		from := reflect.ValueOf(n.Value) // int64 or uint64
		to := from.Convert(v.Type())
		if back := to.Convert(from.Type()); !back.Equal(from) || to.CanInt() && from.CanUint() && to.Int() < 0 ||
			to.CanUint() && from.CanInt() && from.Int() < 0 {
			return d.fail(node.GetToken(), path, "%v is out of range", n.Value)
		}
		v.Set(to)
		return nil
	}
	panic("strictyaml: no decoding of " + v.Type().String())
}

// member sets one field of a struct, or one entry of a map.
func (d decoder) member(path string, key ast.MapKeyNode, node ast.Node, v reflect.Value) error {
	name := key.GetToken().Value
	if v.Kind() == reflect.Map {
		return d.entry(join(path, name), reflect.ValueOf(name), key, node, v)
	}
	var known []string
	for key, field := range fields(v) {
		if key == name {
			return d.value(join(path, name), node, field)
		}
		known = append(known, key)
	}
	return d.unknown(key, join(path, name), known)
}

func (d decoder) unknown(key ast.MapKeyNode, path string, known []string) error {
	return d.fail(key.GetToken(), path, "unknown key (have %s)", strings.Join(known, ", "))
}

// entry sets one entry of a map.
func (d decoder) entry(path string, name reflect.Value, key ast.MapKeyNode, node ast.Node, v reflect.Value) error {
	if v.IsNil() {
		v.Set(reflect.MakeMap(v.Type()))
	}
	entry := reflect.New(v.Type().Elem()).Elem()
	into := entry
	if union, ok := v.Interface().(Union); ok {
		if known := union.Keys(); !slices.Contains(known, name.String()) {
			return d.unknown(key, path, known)
		}
		if held := v.MapIndex(name); held.IsValid() {
			entry.Set(held)
		} else {
			entry.Set(reflect.ValueOf(union.Fresh(name.String())))
		}
		into = entry.Elem().Elem() // what the pointer in the interface points to
	} else if held := v.MapIndex(name); held.IsValid() && d.setting != "" && path != d.setting {
		entry.Set(held) // of which the setting changes a part
	}
	if err := d.value(path, node, into); err != nil {
		return err
	}
	v.SetMapIndex(name, entry)
	return nil
}

// asShort returns the pointer to a struct that can be written as a text.
func asShort(v reflect.Value) (Short, bool) {
	if v.Kind() != reflect.Struct || !v.CanAddr() {
		return nil, false
	}
	short, ok := v.Addr().Interface().(Short)
	return short, ok
}

// asSwitch returns the pointer to a struct that can be written as true or false.
func asSwitch(v reflect.Value) (Switch, bool) {
	if v.Kind() != reflect.Struct || !v.CanAddr() {
		return nil, false
	}
	s, ok := v.Addr().Interface().(Switch)
	return s, ok
}

func join(path, key string) string {
	if path == "" || strings.HasPrefix(key, "[") {
		return path + key
	}
	return path + "." + key
}

// fields yields the fields of a struct with their YAML keys. It includes the
// fields of an embedded struct, which must have the tag ",inline".
func fields(v reflect.Value) iter.Seq2[string, reflect.Value] {
	return func(yield func(string, reflect.Value) bool) {
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if f.Anonymous {
				for key, field := range fields(v.Field(i)) {
					if !yield(key, field) {
						return
					}
				}
				continue
			}
			if !f.IsExported() {
				continue
			}
			key, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
			if !yield(key, v.Field(i)) {
				return
			}
		}
	}
}

// The numbers of YAML 1.2's core schema (section 10.3.2), in base 10.
var (
	number = regexp.MustCompile(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)
	digits = regexp.MustCompile(`^[-+]?[0-9]+$`)
)

// bareNumber returns the text of a number that the parser reads as a string: one
// with an exponent and without a dot, such as 1e-05 (which its own encoder
// writes), or one beyond 64 bits. Quoted numbers are text.
func bareNumber(node ast.Node) (string, bool) {
	n, ok := node.(*ast.StringNode)
	if !ok || n.Token.Type != token.StringType || !number.MatchString(n.Value) {
		return "", false
	}
	return n.Value, true
}

func kind(node ast.Node) string {
	if _, ok := bareNumber(node); ok {
		return "a number"
	}
	switch node.(type) {
	case *ast.NullNode:
		return "nothing"
	case *ast.StringNode, *ast.LiteralNode:
		return "text"
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return "a number"
	case *ast.BoolNode:
		return "true or false"
	case *ast.SequenceNode:
		return "a list"
	case ast.MapNode:
		return "a mapping"
	}
	return "YAML's " + strings.ToLower(node.Type().String())
}
