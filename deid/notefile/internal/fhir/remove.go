package fhir

import (
	"maps"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/deid/field"
	"github.com/lethe-deid/lethe/deid/notefile/internal/jsontree"
	"github.com/lethe-deid/lethe/deid/notefile/internal/markup"
)

// drop removes an element.
func (f *reader) drop(i int) {
	f.fields.gone[i] = true
	f.fields.counts[field.Drop]++
}

// dropsData reports whether the rules drop the data of an attachment. Then its size and hash go as well.
func (f *reader) dropsData(i int) bool {
	if f.fields == nil {
		return false
	}
	if action, ok := f.fields.at.Child("data").Action(); !ok || action != field.Drop {
		return false
	}
	for k := range f.j.Within(i) {
		if f.j.HasKeyFold(k, "size") || f.j.HasKeyFold(k, "hash") {
			f.drop(k)
		}
	}
	return true
}

// isMasked reports whether a member has been dropped because it cannot be examined.
func (f *reader) isMasked(i int) bool {
	return slices.ContainsFunc(f.masks, func(e markup.Edit) bool { return e.Start == int(f.j.Values[i].Key) && e.End == f.j.To(i) })
}

// isString says that the last note is the whole of a string. If nothing of it is left, the string is removed.
func (f *reader) isString(i int) {
	note := f.notes[len(f.notes)-1]
	below := note.Below
	note.Below = func(edits []markup.Edit) []markup.Edit {
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
//   - A required element is replaced by the extension absent, unless nothing else is left of its object.
//   - An element of a list that is parallel to another, as given is to _given, becomes null.
func (f *reader) remove(gone map[int]bool) []markup.Edit {
	if len(gone) == 0 {
		return nil
	}
	containers := f.j.ContainersOf(gone)
	instead := map[int]string{}                     // what stands in the place of a value: null, or an element with the extension absent
	for _, c := range slices.Backward(containers) { // the innermost first
		left, masked, parallel := 0, 0, f.j.Kind(c) == '[' && f.sibling(c, gone) >= 0
		for i := range f.j.Within(c) {
			switch {
			case f.fields.types[i]:
			case !gone[i] && instead[i] == absent:
				masked++
			case !gone[i]:
				if !parallel || f.j.Kind(i) != 'n' {
					left++
				}
			case f.j.Kind(c) == '{' && f.isRequired(i) && f.sibling(i, gone) < 0:
				delete(gone, i)
				instead[i] = absent
				masked++
			}
		}
		switch {
		case c > 0 && (left == 0 || f.isBareExtension(c, gone)):
			gone[c] = true
		case parallel:
			for i := range f.j.Within(c) {
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
	var out []markup.Edit
	for i, by := range instead {
		switch {
		case f.j.IsGone(replaced, f.j.Parent(i)):
		case by == absent:
			out = append(out, f.mask(i))
		default:
			out = append(out, markup.Edit{Start: f.j.From(i), End: f.j.To(i), New: by})
		}
	}
	for _, c := range containers {
		if !f.j.IsGone(replaced, c) {
			out = append(out, f.j.RemoveFrom(slices.Collect(f.j.Within(c)), gone)...)
		}
	}
	return out
}

// sibling returns the other member with the same element, _given for given and given for _given, unless it is removed. It returns -1 if there
// is none.
func (f *reader) sibling(i int, gone map[int]bool) int {
	key := f.j.Key(i)
	if key == "" {
		return -1
	}
	other := "_" + key
	if key[0] == '_' {
		other = key[1:]
	}
	for k := range f.j.Within(f.j.Parent(i)) {
		if f.j.HasKey(k, other) && !gone[k] {
			return k
		}
	}
	return -1
}

// isRequired reports whether FHIR requires an element.
func (f *reader) isRequired(i int) bool {
	path, required := f.elementPath(i), allElements().required
	if allElements().has(required, path) {
		return true
	}
	nested := slices.Compact(strings.Split(path, ".")) // elements that contain others like themselves, as in item.item
	return allElements().has(required, strings.Join(nested, "."))
}

// elementPath returns the path of an element from its resource on, in lower case.
func (f *reader) elementPath(i int) string {
	var names []string
	for ; i >= 0; i = f.j.Parent(i) {
		if key := strings.TrimPrefix(f.j.Key(i), "_"); key != "" && len(names) < maxDepth {
			names = append(names, key)
		}
		if p := f.j.Parent(i); p >= 0 && f.j.Kind(p) == '{' {
			if kind := f.j.First(p, "resourceType"); kind != "" {
				names = append(names, kind)
				break
			}
		}
	}
	slices.Reverse(names)
	return strings.ToLower(strings.Join(names, "."))
}

// dropsIncomplete reports whether an object goes because the rules drop an element of it without which it is invalid, and for which no extension can
// stand: the url of an extension, or the div of a narrative.
func (f *reader) dropsIncomplete(i int, key string) bool {
	at, member := f.fields.at, "div"
	switch key {
	case "extension", "modifierextension":
		url := f.j.First(i, "url")
		at, member = at.Child(extensionName(url)), "url"
	case "text":
	default:
		return false
	}
	action, ok := at.Child(member).Action()
	return ok && action == field.Drop && f.j.First(i, member) != ""
}

// isBareExtension reports whether an object is an extension of which only the url is left.
func (f *reader) isBareExtension(i int, gone map[int]bool) bool {
	if f.j.Kind(i) != '{' {
		return false
	}
	list := i
	for list > 0 && f.j.Key(list) == "" {
		list = f.j.Parent(list)
	}
	if key := f.j.Key(list); key != "extension" && key != "modifierExtension" {
		return false
	}
	for k := range f.j.Within(i) {
		if !gone[k] && !f.j.HasKey(k, "url") && !f.j.HasKey(k, "id") {
			return false
		}
	}
	return true
}

// mask returns the edit that replaces a member by the extension absent.
func (f *reader) mask(i int) markup.Edit {
	first := i
	for f.j.Kind(first) == '[' && int(f.j.Values[first].After) > first+1 {
		first++
	}
	name, value := `"`+jsontree.Escape(f.j.Key(i))+`"`, absent
	if f.j.Kind(first) != '{' && !strings.HasPrefix(name, `"_`) {
		name = `"_` + name[1:]
	}
	if f.j.Kind(i) == '[' {
		value = "[" + value + "]"
	}
	return markup.Edit{Start: int(f.j.Values[i].Key), End: f.j.To(i), New: name + ":" + value}
}
