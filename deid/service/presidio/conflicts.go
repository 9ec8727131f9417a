package presidio

import (
	"cmp"
	"regexp"
	"slices"
)

// entity is a span of PHI in a request of /anonymize or /deanonymize.
type entity struct {
	start, end int // in code points
	kind       string
	score      any // as in the request
}

func (e entity) isWithin(start, end int) bool { return e.start == start && e.end == end }

// resolve returns the entities that are replaced, in the order of the text: overlapping entities of a type are merged, entities within
// others are dropped, and entities of a type with nothing but spaces between them are merged.
func resolve(text *points, entities []entity) ([]entity, error) {
	sorted := slices.Clone(entities)
	slices.SortStableFunc(sorted, func(a, b entity) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end))
	})
	merged, err := mergeSameType(sorted)
	if err != nil {
		return nil, err
	}
	outer, err := dropContained(merged)
	if err != nil {
		return nil, err
	}
	resolved := mergeAcrossSpaces(text, outer)
	slices.SortStableFunc(resolved, func(a, b entity) int { return cmp.Compare(a.start, b.start) })
	return resolved, nil
}

// mergeSameType merges entities of the same type that share a code point. The merged entity has the highest score, and comes where
// the last of them was.
func mergeSameType(sorted []entity) ([]entity, error) {
	type placed struct {
		entity
		place int
	}
	var kept []placed
	last := map[string]int{} // type -> its last entity in kept
	for place, e := range sorted {
		i, ok := last[e.kind]
		if !ok || min(kept[i].end, e.end) <= max(kept[i].start, e.start) {
			last[e.kind] = len(kept)
			kept = append(kept, placed{e, place})
			continue
		}
		higher, ok := less(kept[i].score, e.score)
		if !ok {
			return nil, errInternal
		}
		if higher {
			kept[i].score = e.score
		}
		kept[i].end, kept[i].place = max(kept[i].end, e.end), place
	}
	slices.SortFunc(kept, func(a, b placed) int { return cmp.Compare(a.place, b.place) })
	entities := make([]entity, len(kept))
	for i, k := range kept {
		entities[i] = k.entity
	}
	return entities, nil
}

// dropContained drops each entity within another one. Of entities with the same offsets, the one with the highest score stays, or the last of
// these.
func dropContained(entities []entity) ([]entity, error) {
	order := make([]int, len(entities))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(entities[a].start, entities[b].start), cmp.Compare(entities[b].end, entities[a].end))
	})
	stays := make([]bool, len(entities))
	reach := -1 // the largest end so far
	for from := 0; from < len(order); {
		first, to := entities[order[from]], from
		for to < len(order) && entities[order[to]].isWithin(first.start, first.end) {
			to++
		}
		if reach < first.end {
			best, err := highest(entities, order[from:to])
			if err != nil {
				return nil, err
			}
			stays[best] = true
		}
		reach = max(reach, first.end)
		from = to
	}
	var kept []entity
	for i, e := range entities {
		if stays[i] {
			kept = append(kept, e)
		}
	}
	return kept, nil
}

// highest returns the index, of several in increasing order, with the highest score, or the last of these.
func highest(entities []entity, indices []int) (int, error) {
	best := indices[0]
	for _, i := range indices[1:] {
		lower, ok := less(entities[i].score, entities[best].score)
		if !ok {
			return 0, errInternal
		}
		if !lower {
			best = i
		}
	}
	return best, nil
}

// spaces matches what may be between entities that are merged.
var spaces = regexp.MustCompile(`^ +\n?$`)

// mergeAcrossSpaces merges entities of the same type that follow each other with spaces between them. The merged entity has the score of the
// last.
func mergeAcrossSpaces(text *points, entities []entity) []entity {
	var merged []entity
	for _, e := range entities {
		if k := len(merged) - 1; k >= 0 && merged[k].kind == e.kind && spaces.MatchString(text.slice(merged[k].end, e.start)) {
			e.start = merged[k].start
			merged = merged[:k]
		}
		merged = append(merged, e)
	}
	return merged
}
