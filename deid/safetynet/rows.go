package safetynet

import (
	"slices"
	"strings"
	"unicode"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/fold"
	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// This file tells which fractions in the rows of a flow sheet are scores: behind "Pain pre/post" and "Strength L/R" in the first cell, 7/5 is no date.

// scoreLabel is a kind of labels beside those that scoreKindOf tells to be pairs, folded, and how great the numbers behind them are at most.
type scoreLabel struct {
	label *lazyregexp.Regexp
	max   int
}

const (
	limb       = `(?:quads?|hams?|hamstrings?|hip|knee|ankle|shoulder|elbow|wrist|cuadriceps|isquios|cadera|rodilla|tobillo|hombro|codo|muneca)`
	ofLimb     = `(?:strength|mmt|grip|pinch|power|rom|arom|prom|sls|slr|flexion|extension|abduction|adduction|dorsiflexion|reflexes|dtrs?|pulses|girth|fuerza|balance muscular|prension|pinza|abduccion|aduccion|reflejos|rot|pulsos)`
	limbsLabel = `(?:` + limb + ` )?(?:` + ofLimb + ` ){0,2}` + ofLimb + `(?: ` + limb + `)?`
)

// maxPair is the maximum of ratings.
const maxPair = 10

// A pain alone, or a joint, is no label of scores: what stands behind it may be the days when it began or was treated.
var scoreLabels = []scoreLabel{
	{lazyregexp.New(`^(?:pre/post|post/pre|before/after|antes/despues)$`), maxPair},
	{lazyregexp.New(`^` + limbsLabel + `$`), 5},
	{lazyregexp.New(`^` + limbsLabel + ` (?:l/r|r/l|lt/rt|rt/lt|left/right|right/left|d/i|i/d|dcha/izda|izda/dcha|der/izq|izq/der)$`), 99},
	{lazyregexp.New(`^(?:[^|\t]{1,24} )?(?:sets/reps|reps/sets|series/reps|series/repeticiones|repeticiones/series|reps/(?:wt|weight|lbs?|kg|peso)|(?:wt|weight|lbs?|kg|peso)/reps|l/min|(?:level|lvl|nivel|watts|w)/min|min/(?:level|lvl|nivel))$|` +
		`^(?:sets|reps|repetitions|repeticiones)$`), 99},
	{lazyregexp.New(`^[^|\t]{1,24} #[0-9]{1,3}/#[0-9]{1,3}$`), 99},
}

var (
	scoreCell = lazyregexp.New(`^([1-9]?[0-9])/([1-9]?[0-9])$`)
	plainCell = lazyregexp.New(`^(?:[0-9]{1,3}(?:[.,][0-9])?|[-–—]+|(?i:n/?a|nt|x))?$`)
)

// scoreCells returns the cells with scores such as 7/5 in the rows of a text that have a label of scores. Rows below a heading without a number, such as Injected, have none: that tells what their
// values are.
func scoreCells(text string) (scores []data.Span) {
	first, headed := true, false // no line of the block has cells yet; those of the first one have no number
	for line := range linesOf(text) {
		value := text[line.start:line.end]
		if strings.TrimSpace(value) == "" {
			first, headed = true, false
			continue
		}
		inCells := strings.ContainsAny(value, "\t|") || strings.Contains(value, "  ")
		if first && inCells {
			first, headed = false, !strings.ContainsFunc(value, unicode.IsDigit)
		}
		if inCells && !headed && strings.Contains(value, "/") {
			scores = append(scores, scoresOfRow(text, line)...)
		}
	}
	return scores
}

// scoresOfRow returns the scores of a row, or nothing if a cell may be something else, such as 03/18 or, for pain, 3/18.
func scoresOfRow(text string, line cell) (scores []data.Span) {
	line = trimmed(text, line)
	value := text[line.start:line.end]
	at := slices.IndexFunc(separators, func(s separator) bool { // a tab beside a bar is only space
		return strings.Contains(value, s.in) && (s.in != "\t" || !strings.Contains(value, "|"))
	})
	if at < 0 {
		return nil
	}
	cells := separators[at].cut(text, line)
	if len(cells) < 2 || cells[0].end-cells[0].start > maxHeading {
		return nil
	}
	most := mostOf(text[cells[0].start:cells[0].end])
	if most == 0 {
		return nil
	}
	for _, c := range cells[1:] {
		value := text[c.start:c.end]
		m := scoreCell.FindStringSubmatch(value)
		switch {
		case m != nil && max(number(m[1]), number(m[2])) <= most:
			scores = append(scores, data.Span{Start: c.start, End: c.end})
		case !plainCell.MatchString(value):
			return nil
		}
	}
	return scores
}

// mostOf returns how great the numbers of a row with a label are at most, or 0 if it is no label of scores. Without a slash, before and after may be said of the days in the row.
func mostOf(label string) int {
	if strings.Contains(label, "/") && scoreKindOf(label) == pair {
		return maxPair
	}
	label = strings.TrimRight(fold.Fold(label), ": ")
	for _, l := range scoreLabels {
		if l.label.MatchString(label) {
			return l.max
		}
	}
	return 0
}
