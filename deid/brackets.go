package deid

import (
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// outsideBrackets divides the spans of persons at a bracket or a quote whose other one is outside of the span: of "Twin (A) Lund" a tagger may find A) Lund. Parts that only number a newborn,
// as A and Girl B do, are dropped.
func outsideBrackets(text string, spans []data.Span, sort func(typ string) data.Sort) (all []data.Span) {
	for _, s := range spans {
		if sort(s.Type) != data.Person {
			all = append(all, s)
			continue
		}
		at := unpaired(text, s)
		if at < 0 {
			if !ofNewborn.MatchString(text[s.Start:s.End]) || !newbornBefore.MatchString(before(text, s, 24)) {
				all = append(all, s)
			}
			continue
		}
		left, right := s, s
		left.End, right.Start = at, at+1
		for _, part := range []data.Span{left, right} {
			if part = withoutBlanks(text, part); hasWord(text[part.Start:part.End]) && !ofNewborn.MatchString(text[part.Start:part.End]) {
				all = append(all, part)
			}
		}
	}
	return all
}

// ofNewborn matches what tells newborns of one mother apart.
var ofNewborn = lazyregexp.New(`^(?i:(?:baby )?(?:girl|boy|twin|triplet)|beb[ée]|ni[ñn][ao]|gemel[ao])?(?:^| )[A-D1-4]$`)

// newbornBefore matches a newborn and the bracket or quote behind which one tells it apart.
var newbornBefore = lazyregexp.New(`(?i)\b(?:baby|girl|boy|twin|triplet|b[bg]|beb[ée]|ni[ñn][ao]|gemel[ao]|rn),? ?["(]$`)

// unpaired returns where the only bracket or straight quote of a span is, if its other one stands outside on the same line, or -1.
func unpaired(text string, s data.Span) int {
	value := text[s.Start:s.End]
	for _, pair := range []string{"()", "[]", `""`} {
		at := strings.IndexAny(value, pair)
		if at < 0 || strings.LastIndexAny(value, pair) != at {
			continue
		}
		line, from := lineAround(text, s, aroundBracket)
		behind, ahead := line[:s.Start-from], line[s.End-from:]
		opens := strings.LastIndexAny(behind, pair)
		closes := strings.IndexAny(ahead, pair)
		opened := opens >= 0 && behind[opens] == pair[0] && (pair[0] != pair[1] || strings.Count(behind, pair[:1])%2 == 1)
		closed := closes >= 0 && ahead[closes] == pair[1]
		if opened && value[at] == pair[1] || closed && !opened && value[at] == pair[0] {
			return s.Start + at
		}
	}
	return -1
}

// aroundBracket is how many bytes before and after a span its other bracket may be.
const aroundBracket = 40
