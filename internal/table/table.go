// Package table finds values by name in a list.
package table

import (
	"fmt"
	"strings"
)

// Lookup returns the value with this name. If there is none, the error lists the
// existing names; kind is the word for the values in the error.
func Lookup[T any](values []T, nameOf func(T) string, kind, name string) (T, error) {
	for _, v := range values {
		if nameOf(v) == name {
			return v, nil
		}
	}
	var none T
	return none, fmt.Errorf("no %s %q (have %s)", kind, name, strings.Join(Names(values, nameOf), ", "))
}

// Names returns the names in the order of the list.
func Names[T any](values []T, nameOf func(T) string) []string {
	var names []string
	for _, v := range values {
		names = append(names, nameOf(v))
	}
	return names
}
