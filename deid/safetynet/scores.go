package safetynet

import (
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data/fold"
	"github.com/lethe-deid/lethe/data/wordlists"
	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// This file tells which fractions in a table are results rather than days and months: 3/10 below Pain, 4/5 below Strength, 2/15 below Nodes. The heading of their column says so, if all
// of the column fit it. The labels of rows do so, too: see rows.go.

// scoreKind is what the fractions of a column are.
type scoreKind int

const (
	noScore   scoreKind = iota
	rating              // of pain and other symptoms
	feeling             // of what is rated only as a pair; otherwise none
	pair                // of two ratings, as before and after a treatment
	strength            // of muscles
	grading             // of tumours and the like
	apgar               // after one, five and ten minutes
	nodes               // with a finding, of those that were examined
	coma                // by Glasgow
	cognition           // by a test of 30 points
	points              // of any scale or test
	acuity              // of the eyes
)

// scoreKinds has the words of headings that tell a kind, folded.
var scoreKinds = func() map[string]scoreKind {
	all := map[string]scoreKind{}
	for k, list := range map[scoreKind]string{
		rating:    `pain nrs nprs vas flacc itch itching pruritus nausea anxiety fatigue craving cravings borg rpe dyspnea dyspnoea dolor eva evn prurito picor nauseas ansiedad fatiga disnea`,
		feeling:   `stress estres mood animo symptoms sintomas stiffness rigidez`,
		strength:  `strength power mmt mrc fuerza`,
		grading:   `grade grado`,
		apgar:     `apgar apgars`,
		nodes:     `node nodes ganglio ganglios`,
		coma:      `gcs glasgow`,
		cognition: `mmse moca minimental`,
		points:    `score scores puntuacion puntuaciones puntaje puntos`,
		acuity:    `va bcva ucva acuity snellen agudeza`,
	} {
		for word := range wordlists.Set(list) {
			all[word] = k
		}
	}
	return all
}()

// aroundKinds are words that stand beside those of kinds in headings.
var aroundKinds = wordlists.Set(`r l rt lt rue lue rle lle right left both bilateral re le od os ou pre post before after at on with w rest movement activity exertion exercise ambulation
	current now worst best least initial final min max 0 1 5 10 15 minute minutes am pm total level levels scale rating intensity severity numeric verbal out of and muscle motor lymph positive
	involved examined histologic histological tumor tumour test
	derecha derecho izquierda izquierdo dcha dcho der izq izda izdo d i oi antes despues en al a la el de del con reposo movimiento actividad ejercicio inicial actual nivel escala intensidad minuto minutos muscular
	numerica visual positivos afectados linfaticos tumoral histologico`)

// scoreKindOf returns what the fractions below a heading are. It consists of words of kinds and of those around them; a word of any scale may stand beside another, as in Pain score.
func scoreKindOf(heading string) (found scoreKind) {
	words := strings.Fields(headingKey(heading))
	for _, word := range words {
		k := scoreKinds[word]
		switch {
		case k == noScore && !aroundKinds[word]:
			return noScore
		case k == noScore, k == found, k >= points && found != noScore:
		case found == noScore, found >= points:
			found = k
		default:
			return noScore
		}
	}
	if found == noScore || found == feeling && (!strings.Contains(heading, "/") || slices.ContainsFunc(words, func(word string) bool { return ofStressTests[word] })) {
		return noScore
	}
	isPair := slices.ContainsFunc(opposites, func(o [2]string) bool { return slices.Contains(words, o[0]) && slices.Contains(words, o[1]) })
	switch last := words[len(words)-1]; {
	case last == "on", last == "at", !isPair && (last == "before" || last == "after" || found == feeling): // as in Results on
		return noScore
	case isPair && (found == rating || found == feeling):
		return pair
	}
	return found
}

// ofStressTests are words beside stress by which it is that of a heart.
var ofStressTests = wordlists.Set("test exercise exertion ejercicio")

// opposites are the words for the two times of a pair.
var opposites = [][2]string{{"pre", "post"}, {"before", "after"}, {"antes", "despues"}}

// fraction matches a fraction without the zeros of dates. A sign may stand beside the strength of a muscle or the acuity of an eye.
const fraction = `(?:0|[1-9][0-9]?)[+-]? ?/ ?[1-9][0-9]?[+-]?`

var (
	fractionsCell = lazyregexp.New(`^` + fraction + `(?: ?(?:,|;|→|[-=]?>|to|a) ?` + fraction + `){0,2}$`)
	fractionPart  = lazyregexp.New(`([0-9]+)[+-]? ?/ ?([0-9]+)`)
	minutesCell   = lazyregexp.New(`^(?:[0-9]|10)(?: ?[/-] ?(?:[0-9]|10)){1,2}$`)
	pairCell      = lazyregexp.New(`^(?:[0-9]|10) ?/ ?(?:[0-9]|10)$`)
)

// fits reports whether a cell is one or several fractions of the kind: those of scales have the usual denominators.
func (k scoreKind) fits(value string) bool {
	switch {
	case k == apgar:
		return minutesCell.MatchString(value)
	case k == pair:
		return pairCell.MatchString(value)
	case !fractionsCell.MatchString(value):
		return false
	}
	return !slices.ContainsFunc(fractionPart.FindAllStringSubmatch(value, -1), func(m []string) bool {
		of, all := number(m[1]), number(m[2])
		if k == acuity {
			return of != 6 && of != 20
		}
		usual := denominators[k]
		return of > all || usual != nil && !slices.Contains(usual, all)
	})
}

// denominators are the usual ones of the kinds that have few.
var denominators = map[scoreKind][]int{
	rating: {4, 5, 10, 20}, strength: {4, 5}, grading: {3, 4, 5, 6}, coma: {15}, cognition: {30},
}

// scores returns the kinds of the columns whose fractions are results.
func (t table) scores(text string) scores {
	all := make(scores, len(t.columns))
	for i, c := range t.columns {
		if c.kind != noScore && t.isScored(text, i) {
			all[i] = c.kind
		}
	}
	return all
}

// isScored reports whether all values of a column that may be dates fit its kind. Below headings such as Score they must have one denominator, if all may be days.
func (t table) isScored(text string, column int) bool {
	k := t.columns[column].kind
	denominator, one, days := "", true, true
	for cells := range t.in(column) {
		value := text[cells[column].start:cells[column].end]
		if !k.fits(value) {
			if hasDay(value) {
				return false
			}
			continue
		}
		m := fractionPart.FindStringSubmatch(value)
		one, denominator = one && (denominator == "" || m[2] == denominator), m[2]
		days = days && isDay(value)
	}
	return k != points || one || !days
}

// datedRow matches, folded, what stands in the cells of rows in which a fraction may be a date whatever its heading is.
var datedRow = lazyregexp.New(`\b(?:dated?|seen|review(?:ed)?|signed|admi(?:t|tted|ssion)|disch(?:arged?)?|transferred|dob|born|since|last|next|due|visit|appointment|appt|surgery|procedure|operation|f/?u|follow[- ]?up|lmp|onset|updated|started?|ended|stop(?:ped)?|today|yesterday|tomorrow|` +
	`fecha|vist[oa]|revis(?:ad[oa]|ion)|firm(?:a|ad[oa])|ingres(?:o|ad[oa])|alta|traslad(?:o|ad[oa])|nac(?:id[oa]|imiento)?|desde|ultim[oa]|proxim[oa]|visita|cita|cirugia|intervencion|fur|fum|inicio|fin|hoy|ayer|manana)\b`)

// scores are the kinds of the columns of a table; noScore for those whose fractions may be dates.
type scores []scoreKind

// of returns which cells of a row are results: those of a row without a word for what happens on a day.
func (s scores) of(text string, cells []cell) []bool {
	all := make([]bool, len(cells))
	if !slices.ContainsFunc(s, func(k scoreKind) bool { return k != noScore }) {
		return all
	}
	dated := false
	for _, c := range cells {
		value := text[c.start:c.end]
		dated = dated || len(strings.Fields(value)) <= maxCellWords && datedRow.MatchString(fold.Fold(value))
	}
	for i, c := range cells {
		all[i] = s[i] != noScore && !dated && s[i].fits(text[c.start:c.end])
	}
	return all
}
