package safetynet

import "github.com/lethe-deid/lethe/data"

// guess is the score of a name that is certain while its type is not: PlainNames and AskedNames cannot tell the patient from others.
const guess = 0.5

// WithoutGuesses returns spans of which those with the score guess count only where they do not lie in others, whose types say more.
func WithoutGuesses(spans, others []data.Span) (left []data.Span) {
	for _, s := range spans {
		if s.Score == guess {
			if data.Covered(s, others) {
				continue
			}
			s.Score = 1
		}
		left = append(left, s)
	}
	return left
}
