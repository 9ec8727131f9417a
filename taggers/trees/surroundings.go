package trees

import "slices"

// far bounds distances, so that trees do not learn the lengths of particular notes.
const far = 100

// noHeading is the heading of tokens without one. It differs from all names of headings,
// which consist of letters and spaces.
const noHeading = "(none)"

// surroundings returns the properties of where a token is, and the classes of the tokens
// before.
func surroundings(l *learned) []property {
	headingClass, headingShare := headingProperties(l)
	return []property{
		{name: classProperty, values: l.labels, lo: -3, hi: -1, fill: func(x *stretch, into []float32) {
			if x.gold == nil {
				return
			}
			for t, label := range x.gold.labels {
				into[t] = float32(label)
			}
		}},
		sentences("position", func(from, _, t int) int { return t - from }),
		sentences("rest", func(_, to, t int) int { return to - 1 - t }),
		numeric("line", 0, 0, func(x *stretch, t int) float32 { return float32(min(x.line[t], far)) }),
		{name: "quotes", fill: quoted},
		{name: "brackets", fill: bracketed},
		{name: "heading", values: append([]string{noHeading}, l.names...), fill: func(x *stretch, into []float32) {
			for t, h := range x.heading {
				into[t] = float32(h.heading)
			}
		}},
		headingClass, headingShare,
		numeric("heading tokens", 0, 0, func(x *stretch, t int) float32 { return float32(min(x.heading[t].tokens, far)) }),
		numeric("heading lines", 0, 0, func(x *stretch, t int) float32 { return float32(min(x.heading[t].lines, far)) }),
	}
}

// headingProperties returns the class that the nearest heading suggests, and its share.
func headingProperties(l *learned) (class, share property) {
	of := append([]cue{{}}, l.suggests...)
	class = property{name: "heading class", values: l.classes, fill: func(x *stretch, into []float32) {
		for t, h := range x.heading {
			into[t] = float32(of[h.heading].class)
		}
	}}
	share = property{name: "heading share", fill: func(x *stretch, into []float32) {
		for t, h := range x.heading {
			into[t] = of[h.heading].share
		}
	}}
	return class, share
}

// sentences makes a property of the position of token t in the sentence [from, to).
func sentences(name string, value func(from, to, t int) int) property {
	return property{name: name, fill: func(x *stretch, into []float32) {
		for _, s := range x.Sentences {
			for t := s.Start; t < s.End; t++ {
				into[t] = float32(min(value(s.Start, s.End, t), far))
			}
		}
	}}
}

// quoted marks the tokens between two quotation marks of a sentence.
func quoted(x *stretch, into []float32) {
	for _, s := range x.Sentences {
		open := -1
		for t := s.Start; t < s.End; t++ {
			switch x.words[t] {
			case "\"", "“", "”", "«", "»", "``", "''":
				if open < 0 {
					open = t
					continue
				}
				for k := open + 1; k < t; k++ {
					into[k] = 1
				}
				open = -1
			}
		}
	}
}

// bracketed marks the tokens between round brackets of a sentence.
func bracketed(x *stretch, into []float32) {
	for _, s := range x.Sentences {
		words := x.words[s.Start:s.End]
		for from := 0; ; {
			open := slices.Index(words[from:], "(")
			if open < 0 {
				break
			}
			open += from
			end := slices.Index(words[open:], ")")
			if end < 0 {
				break
			}
			from = open + end
			for k := open + 1; k < from; k++ {
				into[s.Start+k] = 1
			}
		}
	}
}
