package safetynet

import "github.com/lethe-deid/lethe/data"

// guess is the score of a name that is certain while its type is not: PlainNames and AskedNames cannot tell the patient from others.
const guess = 0.5

// WithoutGuesses returns spans of which those with the score guess count only where they do not lie in others, which must be sorted and disjoint. One that overlaps with another one of its sort gets
// the type of that, which says more.
func WithoutGuesses(spans, others []data.Span, sort func(typ string) data.Sort) (left []data.Span) {
	for _, s := range spans {
		if s.Score == guess {
			if data.Covered(s, others) {
				continue
			}
			s.Score = 1
			from, to := data.Overlapping(others, s)
			for _, o := range others[from:to] {
				if sort(o.Type) == sort(s.Type) {
					s.Type = o.Type
					break
				}
			}
		}
		left = append(left, s)
	}
	return left
}
