// Package sorting sorts slices of structs with one routine for all types. slices.SortFunc is compiled
// anew for each type, which adds 10 to 40 KB to the program, so use it where speed matters, and this package
// elsewhere.
package sorting

import "sort"

// By sorts a slice as slices.SortFunc does.
func By[T any](all []T, compare func(a, b T) int) { sort.Sort(slice[T]{all, compare}) }

// Stable sorts a slice as slices.SortStableFunc does.
func Stable[T any](all []T, compare func(a, b T) int) { sort.Stable(slice[T]{all, compare}) }

// slice implements sort.Interface.
type slice[T any] struct {
	all     []T
	compare func(a, b T) int
}

func (s slice[T]) Len() int           { return len(s.all) }
func (s slice[T]) Less(i, j int) bool { return s.compare(s.all[i], s.all[j]) < 0 }
func (s slice[T]) Swap(i, j int)      { s.all[i], s.all[j] = s.all[j], s.all[i] }
