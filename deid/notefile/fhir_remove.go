package notefile

import (
	"maps"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/deid/field"
)

// drop removes an element.
func (f *fhir) drop(i int) {
	f.fields.gone[i] = true
	f.fields.counts[field.Drop]++
}

// dropsData reports whether the rules drop the data of an attachment. Then its size and hash go as well.
func (f *fhir) dropsData(i int) bool {
	if f.fields == nil {
		return false
	}
	if action, ok := f.fields.at.Child("data").Action(); !ok || action != field.Drop {
		return false
	}
	for k := range f.j.within(i) {
		if f.j.hasKeyFold(k, "size") || f.j.hasKeyFold(k, "hash") {
			f.drop(k)
		}
	}
	return true
}

// isMasked reports whether a member has been dropped because it cannot be examined.
func (f *fhir) isMasked(i int) bool {
	return slices.ContainsFunc(f.masks, func(e Edit) bool { return e.Start == int(f.j.values[i].key) && e.End == f.j.to(i) })
}

// isString says that the last note is the whole of a string. If nothing of it is left, the string is removed.
func (f *fhir) isString(i int) {
	note := f.notes[len(f.notes)-1]
	below := note.below
	note.below = func(edits []Edit) []Edit {
		if isBlank(note, edits) {
			return nil // see besideFHIR
		}
		return below(edits)
	}
	f.fields.strings[note] = i
}

// remove returns the edits that remove values, given by their indexes, so that the resources stay valid:
//
//   - An object or a list of which nothing is left is removed as well, and so is an extension without a value.
//   - A required element is replaced by the extension absent.
//   - An element of a list that is parallel to another, as given is to _given, becomes null.
func (f *fhir) remove(gone map[int]bool) []Edit {
	if len(gone) == 0 {
		return nil
	}
	containers := f.j.containersOf(gone)
	instead := map[int]string{}                     // what stands in the place of a value: null, or an element with the extension absent
	for _, c := range slices.Backward(containers) { // the innermost first
		left, parallel := 0, f.j.kind(c) == '[' && f.sibling(c, gone) >= 0
		for i := range f.j.within(c) {
			switch {
			case !gone[i]:
				if !parallel || f.j.kind(i) != 'n' {
					left++
				}
			case f.j.kind(c) == '{' && f.isRequired(i) && f.sibling(i, gone) < 0:
				delete(gone, i)
				instead[i] = absent
				left++
			}
		}
		switch {
		case c > 0 && (left == 0 || f.isBareExtension(c, gone)):
			gone[c] = true
		case parallel:
			for i := range f.j.within(c) {
				if gone[i] {
					delete(gone, i)
					instead[i] = "null"
				}
			}
		}
	}
	replaced := maps.Clone(gone)
	for i := range instead {
		replaced[i] = true
	}
	var out []Edit
	for i, by := range instead {
		switch {
		case f.j.isGone(replaced, f.j.parent(i)):
		case by == absent:
			out = append(out, f.mask(i))
		default:
			out = append(out, Edit{Start: f.j.from(i), End: f.j.to(i), New: by})
		}
	}
	for _, c := range containers {
		if !f.j.isGone(replaced, c) {
			out = append(out, f.j.removeFrom(slices.Collect(f.j.within(c)), gone)...)
		}
	}
	return out
}

// containersOf returns the objects and lists around values, sorted.
func (j *jsonTree) containersOf(values map[int]bool) []int {
	seen := map[int]bool{}
	for i := range values {
		for p := j.parent(i); p >= 0 && !seen[p]; p = j.parent(p) {
			seen[p] = true
		}
	}
	all := make([]int, 0, len(seen))
	for c := range seen {
		all = append(all, c)
	}
	slices.Sort(all)
	return all
}

// sibling returns the other member with the same element, _given for given and given for _given, unless it is removed. It returns -1 if there
// is none.
func (f *fhir) sibling(i int, gone map[int]bool) int {
	key := f.j.key(i)
	if key == "" {
		return -1
	}
	other := "_" + key
	if key[0] == '_' {
		other = key[1:]
	}
	for k := range f.j.within(f.j.parent(i)) {
		if f.j.hasKey(k, other) && !gone[k] {
			return k
		}
	}
	return -1
}

// isRequired reports whether FHIR requires an element.
func (f *fhir) isRequired(i int) bool {
	return elementsOfFHIR().has(elementsOfFHIR().required, f.elementPath(i))
}

// elementPath returns the path of an element from its resource on, in lower case.
func (f *fhir) elementPath(i int) string {
	var names []string
	for ; i >= 0; i = f.j.parent(i) {
		if key := strings.TrimPrefix(f.j.key(i), "_"); key != "" && len(names) < maxFHIRDepth {
			names = append(names, key)
		}
		if p := f.j.parent(i); p >= 0 && f.j.kind(p) == '{' {
			if kind := f.j.first(p, "resourceType"); kind != "" {
				names = append(names, kind)
				break
			}
		}
	}
	slices.Reverse(names)
	return strings.ToLower(strings.Join(names, "."))
}

// isBareExtension reports whether an object is an extension of which only the url is left.
func (f *fhir) isBareExtension(i int, gone map[int]bool) bool {
	if f.j.kind(i) != '{' {
		return false
	}
	list := i
	for list > 0 && f.j.key(list) == "" {
		list = f.j.parent(list)
	}
	if key := f.j.key(list); key != "extension" && key != "modifierExtension" {
		return false
	}
	for k := range f.j.within(i) {
		if !gone[k] && !f.j.hasKey(k, "url") && !f.j.hasKey(k, "id") {
			return false
		}
	}
	return true
}

// mask returns the edit that replaces a member by the extension absent.
func (f *fhir) mask(i int) Edit {
	first := i
	for f.j.kind(first) == '[' && int(f.j.values[first].after) > first+1 {
		first++
	}
	name, value := `"`+jsonString(f.j.key(i))+`"`, absent
	if f.j.kind(first) != '{' && !strings.HasPrefix(name, `"_`) {
		name = `"_` + name[1:]
	}
	if f.j.kind(i) == '[' {
		value = "[" + value + "]"
	}
	return Edit{Start: int(f.j.values[i].key), End: f.j.to(i), New: name + ":" + value}
}
