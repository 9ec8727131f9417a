package presidio

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// rewrite replaces entities in a text, from its end to its start. Each call of with receives the index of an entity, and returns its replacement and the
// name of the operator. Where entities overlap, the replacements of all of them are in the new text.
//
// room is the number of bytes that the replacements may still have.
func rewrite(text *points, entities []entity, room *int, with func(i int) (changed, operator string, err error)) (*outcome, error) {
	order := make([]int, len(entities))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(entities[b].start, entities[a].start) })
	o := &outcome{}
	var parts []string   // of the new text, from its end
	last := text.count() // everything from here on is in parts
	fromEnd := 0         // the number of code points in parts
	add := func(part string) {
		parts = append(parts, part)
		fromEnd += utf8.RuneCountInString(part)
	}
	for _, i := range order {
		e := entities[i]
		if e.start > text.count() || e.end > text.count() {
			return nil, outside(text, e)
		}
		changed, operator, err := with(i)
		if err != nil {
			return nil, err
		}
		if *room -= len(changed); *room < 0 {
			return nil, invalid("Invalid input, the replacements would have more than %d bytes", maxReplaced)
		}
		add(text.slice(min(e.end, last), last))
		add(changed)
		last = e.start
		o.items = append(o.items, item{fromEnd, utf8.RuneCountInString(changed), e.kind, changed, operator, e.score})
	}
	add(text.slice(0, last))
	for i := range o.items { // so far, start is the distance from the end of the text, and end is the length
		o.items[i].start = fromEnd - o.items[i].start
		o.items[i].end += o.items[i].start
	}
	slices.Reverse(parts)
	o.text = strings.Join(parts, "")
	return o, nil
}

// maxReplaced limits the bytes of all replacements of a request, since one long replacement can be that of many entities.
const maxReplaced = 64 << 20

// outside returns the error for an entity that is not in the text.
func outside(text *points, e entity) error {
	return invalid("Invalid analyzer result, start: %d and end: %d, while text length is only %d.", e.start, e.end, text.count())
}

// overlapping returns the indices of the entities that share a code point with entity i. No entity is within another one.
func (n *note) overlapping(i int) []int {
	var others []int
	for j := i - 1; j >= 0 && n.entities[j].end > n.entities[i].start; j-- {
		others = append(others, j)
	}
	for j := i + 1; j < len(n.entities) && n.entities[j].start < n.entities[i].end; j++ {
		others = append(others, j)
	}
	return others
}

// replace applies the operators to a note.
func (p *plan) replace(n *note, room *int) (*outcome, error) {
	return rewrite(n.points, n.entities, room, func(i int) (string, string, error) {
		e := n.entities[i]
		if len(p.made[n]) > 0 && p.made[n][i].operator != "" {
			return p.made[n][i].text, p.made[n][i].operator, nil
		}
		o := p.ofPresidio(e.kind)
		if p.leaves(e) {
			return p.replaceFree(n, i, o, room)
		}
		changed, err := o.apply(anonymize, e.kind, n.slice(e.start, e.end))
		return changed, str(o.name), err
	})
}

// replaceFree applies an operator that leaves text to that part of an entity that no other entity covers. Entities within it that would have been
// dropped are replaced, too, unless they are kept: a mask then covers everything, and a kept text contains their replacements.
func (p *plan) replaceFree(n *note, i int, o operator, room *int) (changed, operator string, err error) {
	e := n.entities[i]
	start, end := p.free(n, i)
	text := n.slice(start, end)
	if inner := n.inside(start, end, e.kind); len(inner) > 0 {
		if o.name == "mask" {
			o.params = o.params.without("chars_to_mask")
			o.params.set("chars_to_mask", end-start)
		} else {
			within := &note{points: newPoints(text), entities: inner}
			if err := within.resolve(p.operators); err != nil {
				return "", "", err
			}
			replaced, err := p.replace(within, room)
			if err != nil {
				return "", "", err
			}
			text = replaced.text
		}
	}
	changed, err = o.apply(anonymize, e.kind, text)
	return changed, str(o.name), err
}

// ofPresidio returns the operator of Presidio's for a type. Values that Lethe's operators cannot replace get the tag.
func (p *plan) ofPresidio(kind string) operator {
	o := p.of(kind)
	if o.kind() != "" {
		return operator{name: "replace"}
	}
	return o
}

// leaves reports whether the operator for an entity leaves a part of its text.
func (p *plan) leaves(e entity) bool {
	switch o := p.ofPresidio(e.kind); o.name {
	case "keep":
		return true
	case "mask":
		_, n, _, err := maskParams(o.params)
		return err == nil && n < e.end-e.start
	}
	return false
}

// free returns the part of an entity that no other entity covers, unless the other is kept, too: of a text that one of two entities
// removes, the other must leave nothing.
func (p *plan) free(n *note, i int) (start, end int) {
	e := n.entities[i]
	start, end = e.start, e.end
	for _, j := range n.overlapping(i) {
		other := n.entities[j]
		kept := p.ofPresidio(other.kind).name == "keep" && (len(p.made[n]) == 0 || p.made[n][j].operator == "")
		switch {
		case kept:
		case other.start <= e.start:
			start = max(start, other.end)
		default:
			end = min(end, other.start)
		}
	}
	return min(start, e.end), max(end, min(start, e.end))
}
