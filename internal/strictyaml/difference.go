package strictyaml

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// Difference returns the first key whose values differ between a and b, and the
// two values. a and b are pointers to structs of the same type that Decode
// supports. A Series is compared as a whole. If there is no difference, key is "".
func Difference(a, b any) (key string, from, to any) {
	return difference("", reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem())
}

func difference(path string, a, b reflect.Value) (key string, from, to any) {
	switch {
	case (a.Kind() == reflect.Pointer || a.Kind() == reflect.Interface) && !a.IsNil() && !b.IsNil() && a.Elem().Type() == b.Elem().Type():
		return difference(path, a.Elem(), b.Elem())
	case a.Kind() == reflect.Struct:
		other := map[string]reflect.Value{}
		for key, field := range fields(b) {
			other[key] = field
		}
		for key, field := range fields(a) {
			if key, from, to := difference(join(path, key), field, other[key]); key != "" {
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
			if !from.IsValid() || !to.IsValid() {
				return join(path, k), shown(from), shown(to)
			}
			if key, from, to := difference(join(path, k), from, to); key != "" {
				return key, from, to
			}
		}
	case isSeries(a):
		if !reflect.DeepEqual(a.Interface(), b.Interface()) {
			return path, a.Interface(), b.Interface()
		}
	case a.Kind() == reflect.Slice && a.Len() == b.Len():
		for i := range a.Len() {
			if key, from, to := difference(fmt.Sprintf("%s[%d]", path, i), a.Index(i), b.Index(i)); key != "" {
				return key, from, to
			}
		}
	case a.Kind() == reflect.Slice:
		return path, fmt.Sprintf("a list of %d", a.Len()), fmt.Sprintf("one of %d", b.Len())
	case !a.Equal(b):
		return path, shown(a), shown(b)
	}
	return "", nil, nil
}

func isSeries(v reflect.Value) bool {
	_, ok := v.Interface().(Series)
	return ok
}

func shown(v reflect.Value) any {
	switch {
	case !v.IsValid():
		return "not given"
	case v.Kind() == reflect.Interface:
		return "given"
	}
	return v.Interface()
}
