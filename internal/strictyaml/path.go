package strictyaml

import (
	"bytes"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

var (
	pathPattern = regexp.MustCompile(`^[A-Za-z0-9_+-]+(\.[A-Za-z0-9_+-]+|\[[0-9]+\])*$`)
	stepPattern = regexp.MustCompile(`[A-Za-z0-9_+-]+|\[[0-9]+\]`)
)

// ParsePath splits a path such as system.ensemble.members[0].system.ann into its steps: keys, and
// positions of list elements, such as [0]. A key may also be the name of a list element.
func ParsePath(path string) (steps []string, ok bool) {
	return stepPattern.FindAllString(path, -1), pathPattern.MatchString(path)
}

// Set decodes a value in YAML and assigns it to the key with the given path (see ParsePath) in the
// struct that into points to, as Decode does without a file. A mapping changes the keys that it
// mentions, but if it is assigned to a Union without any of them, it replaces the Union's entries.
func Set(path, value string, into any) error {
	steps, ok := ParsePath(path)
	if !ok {
		return fmt.Errorf("%q is not a path of keys, such as corpus.seed", path)
	}
	var overlay strings.Builder
	for depth, step := range steps {
		fmt.Fprintf(&overlay, "\n%*s%q:", depth, "", step)
	}
	fmt.Fprintf(&overlay, " %s\n", value)
	return decoder{setting: path}.decode([]byte(overlay.String()), into)
}

// Strings returns all texts in the struct that into points to, by their paths.
func Strings(into any) map[string]string {
	all := map[string]string{}
	collect("", reflect.ValueOf(into), all)
	return all
}

func collect(path string, v reflect.Value, all map[string]string) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			collect(path, v.Elem(), all)
		}
	case reflect.Struct:
		for key, field := range fields(v) {
			collect(join(path, key), field, all)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			collect(join(path, key.String()), v.MapIndex(key), all)
		}
	case reflect.Slice:
		for i := range v.Len() {
			collect(fmt.Sprintf("%s[%d]", path, i), v.Index(i), all)
		}
	case reflect.String:
		all[path] = v.String()
	}
}

// Check returns an error unless the struct that into points to has the key with the given path (see
// ParsePath), which may also be that of an entry of a map or of an element of a list.
func Check(path string, into any) error {
	steps, ok := ParsePath(path)
	if !ok {
		return fmt.Errorf("%q is not a path of keys, such as corpus.seed", path)
	}
	v, at := reflect.ValueOf(into), ""
	for _, step := range steps {
		at = join(at, step)
		var known []string
		if v, known = member(v, step); !v.IsValid() {
			return fmt.Errorf("%s: unknown key (have %s)", at, strings.Join(known, ", "))
		}
	}
	return nil
}

// member returns what a step of a path leads to, or the steps that lead to anything.
func member(v reflect.Value, step string) (_ reflect.Value, known []string) {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem() // invalid if it is nil
	}
	switch v.Kind() {
	case reflect.Struct:
		for key, field := range fields(v) {
			if key == step {
				return field, nil
			}
			known = append(known, key)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			if key.String() == step {
				return v.MapIndex(key), nil
			}
			known = append(known, key.String())
		}
		slices.Sort(known)
	case reflect.Slice:
		var at int
		if at, known = find(v, step); at >= 0 {
			return v.Index(at), nil
		}
	}
	if known == nil {
		known = []string{"none"}
	}
	return reflect.Value{}, known
}

// holdsAny reports whether an entry of a Union has one of the mapping's keys. It is also true for
// everything else that a mapping can be assigned to.
func holdsAny(v reflect.Value, m ast.MapNode) bool {
	if _, ok := v.Interface().(Union); !ok {
		return true
	}
	for each := m.MapRange(); each.Next(); {
		if v.MapIndex(reflect.ValueOf(each.Key().GetToken().Value)).IsValid() {
			return true
		}
	}
	return false
}

// elements changes the elements of a list that the keys of a mapping name, by position or by name.
func (d decoder) elements(path string, m ast.MapNode, list reflect.Value) error {
	for each := m.MapRange(); each.Next(); {
		key := each.Key().GetToken().Value
		at, known := find(list, key)
		if at < 0 {
			return d.unknown(each.Key(), join(path, key), known)
		}
		if err := d.value(join(path, key), each.Value(), list.Index(at)); err != nil {
			return err
		}
	}
	return nil
}

// find returns the position of the list element with a name, or with a position such as [0]. It
// returns -1 and the names, or else the positions, of all elements if there is no such element.
func find(list reflect.Value, key string) (at int, known []string) {
	for i := range list.Len() {
		position := fmt.Sprintf("[%d]", i)
		if key == position {
			return i, nil
		}
		if name := nameOf(list.Index(i)); name == key {
			return i, nil
		} else if name != "" {
			position = name
		}
		known = append(known, position)
	}
	return -1, known
}

// nameOf returns the value of the key name of a list element, or "".
func nameOf(element reflect.Value) string {
	if element.Kind() != reflect.Struct {
		return ""
	}
	for key, field := range fields(element) {
		if key == "name" && field.Kind() == reflect.String {
			return field.String()
		}
	}
	return ""
}

// Locate returns the line and column of the value's key with the given path in a YAML document, or
// of the deepest key above it that the document contains. It returns 0, 0 if there is none.
func Locate(raw []byte, path string) (line, column int) {
	steps, _ := ParsePath(path)
	return locate(raw, steps)
}

func locate(raw []byte, steps []string) (line, column int) {
	tree, err := parser.ParseBytes(bytes.TrimPrefix(raw, []byte("\uFEFF")), 0)
	if err != nil || len(tree.Docs) == 0 {
		return 0, 0
	}
	node := tree.Docs[0].Body
	for _, step := range steps {
		key, value := child(node, step)
		if value == nil {
			break
		}
		if at := key.GetToken(); at != nil && at.Position != nil {
			line, column = at.Position.Line, at.Position.Column
		}
		node = value
	}
	return line, column
}

// LocateKey returns the line and column of a key of the mapping that a YAML document consists of, or
// 0, 0 if there is none.
func LocateKey(raw []byte, key string) (line, column int) {
	return locate(raw, []string{key})
}

// child returns the value that a step leads to and what is at its position: its key, or for a list
// element its first key or the value itself.
func child(node ast.Node, step string) (key, value ast.Node) {
	switch n := node.(type) {
	case ast.MapNode:
		for each := n.MapRange(); each.Next(); {
			if each.Key().GetToken().Value == step {
				return each.Key(), each.Value()
			}
		}
	case *ast.SequenceNode:
		if at, err := strconv.Atoi(strings.Trim(step, "[]")); err == nil && at < len(n.Values) {
			value := n.Values[at]
			if m, ok := value.(ast.MapNode); ok {
				if first := m.MapRange(); first.Next() {
					return first.Key(), value
				}
			}
			return value, value
		}
	}
	return nil, nil
}
