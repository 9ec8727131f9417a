package experiments

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/lethe-deid/lethe/taggers/ann"
)

// fresh gives the defaults of what is a pointer in the configuration, and so
// comes to be when its key is there.
var fresh = map[reflect.Type]func() any{
	reflect.TypeFor[*ann.Config](): func() any { c := ann.DefaultConfig(); return &c },
}

// decode puts a YAML document over what dst, a pointer to a struct, holds
// already. The parser is goccy's, which refuses duplicate keys; the values are
// set here, since its decoder takes 1.5 for a whole number, text for a number,
// and replaces a map as a whole. Anchors, aliases and tags are refused.
func decode(file string, raw []byte, dst any) error {
	d := decoder{file}
	tree, err := parser.ParseBytes(raw, 0)
	if err != nil {
		if e := yaml.Error(nil); errors.As(err, &e) {
			return d.fail(e.GetToken(), "", "%s", e.GetMessage())
		}
		return fmt.Errorf("%s: %w", file, err)
	}
	var bodies []ast.Node
	for _, doc := range tree.Docs {
		if doc.Body != nil && doc.Body.Type() != ast.CommentType {
			bodies = append(bodies, doc.Body)
		}
	}
	if len(bodies) != 1 {
		return fmt.Errorf("%s: %d YAML documents where one is expected", file, len(bodies))
	}
	return d.value("", bodies[0], reflect.ValueOf(dst).Elem())
}

type decoder struct{ file string }

// fail makes an error. Without a file, where a position would be of no use, it
// has none.
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

// value sets v to what node says.
func (d decoder) value(path string, node ast.Node, v reflect.Value) error {
	wrong := func(want string) error {
		return d.fail(node.GetToken(), path, "%s where %s is expected", kind(node), want)
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.ValueOf(fresh[v.Type()]()))
		}
		return d.value(path, node, v.Elem())
	case reflect.Struct, reflect.Map:
		m, ok := node.(ast.MapNode)
		if !ok {
			return wrong("a mapping")
		}
		for each := m.MapRange(); each.Next(); {
			if err := d.member(path, each.Key(), each.Value(), v); err != nil {
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
		case *ast.FloatNode:
			v.SetFloat(n.Value)
		case *ast.IntegerNode:
			v.Set(reflect.ValueOf(n.Value).Convert(v.Type()))
		default:
			return wrong("a number")
		}
		return nil
	case reflect.Int, reflect.Uint64:
		n, ok := node.(*ast.IntegerNode)
		if !ok {
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
	panic("experiments: no decoding of " + v.Type().String())
}

// member sets one field of a struct, or one entry of a map.
func (d decoder) member(path string, key ast.MapKeyNode, node ast.Node, v reflect.Value) error {
	name := key.GetToken().Value
	if v.Kind() == reflect.Map {
		if v.IsNil() {
			v.Set(reflect.MakeMap(v.Type()))
		}
		entry := reflect.New(v.Type().Elem()).Elem()
		if err := d.value(join(path, name), node, entry); err != nil {
			return err
		}
		v.SetMapIndex(reflect.ValueOf(name), entry)
		return nil
	}
	for i := range v.NumField() {
		if keyOf(v.Type().Field(i)) == name {
			return d.value(join(path, name), node, v.Field(i))
		}
	}
	var known []string
	for i := range v.NumField() {
		known = append(known, keyOf(v.Type().Field(i)))
	}
	return d.fail(key.GetToken(), join(path, name), "unknown key (have %s)", strings.Join(known, ", "))
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// keyOf is the YAML key of a field.
func keyOf(f reflect.StructField) string {
	key, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	return key
}

func kind(node ast.Node) string {
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

// change finds the first key whose value differs between a and b, structs of
// one type.
func change(path string, a, b reflect.Value) (key string, from, to any) {
	switch {
	case a.Kind() == reflect.Pointer && !a.IsNil() && !b.IsNil():
		return change(path, a.Elem(), b.Elem())
	case a.Kind() == reflect.Struct:
		for i := range a.NumField() {
			if key, from, to := change(join(path, keyOf(a.Type().Field(i))), a.Field(i), b.Field(i)); key != "" {
				return key, from, to
			}
		}
	case a.Kind() == reflect.Map && a.Type().Key().Kind() == reflect.String:
		keys := map[string]bool{}
		for _, k := range append(a.MapKeys(), b.MapKeys()...) {
			keys[k.String()] = true
		}
		for _, k := range slices.Sorted(maps.Keys(keys)) {
			from, to := a.MapIndex(reflect.ValueOf(k)), b.MapIndex(reflect.ValueOf(k))
			if !from.IsValid() || !to.IsValid() || !from.Equal(to) {
				return join(path, k), shown(from), shown(to)
			}
		}
	case !a.Equal(b):
		return path, shown(a), shown(b)
	}
	return "", nil, nil
}

func shown(v reflect.Value) any {
	if !v.IsValid() {
		return "not given"
	}
	return v.Interface()
}
