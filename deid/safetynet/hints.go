package safetynet

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/lethe-deid/lethe/data/wordlists"
)

// This file has cheap tests for what a notation contains, which most texts do not pass, so that the expressions of most notations need not run.

// hinted is a text with the runs of digits in it, which several tests look for.
type hinted struct {
	text     string
	runs     []run
	ordinals func() []int // where ordinals stand, which several forms of numbers look for
}

// run is a run of digits: text[start:end].
type run struct{ start, end int }

func newHinted(text string) hinted {
	h := hinted{text: text}
	for i := 0; i < len(text); i++ {
		start := i
		for i < len(text) && text[i] >= '0' && text[i] <= '9' {
			i++
		}
		if i > start {
			h.runs = append(h.runs, run{start, i})
		}
	}
	h.ordinals = sync.OnceValue(func() []int { return ordinalPlaces(h) })
	return h
}

// ofText returns a test of the text alone.
func ofText(test func(text string) bool) func(h hinted) bool {
	return func(h hinted) bool { return test(h.text) }
}

// anyOf returns a test for one of some strings.
func anyOf(some ...string) func(text string) bool {
	return func(text string) bool {
		return slices.ContainsFunc(some, func(s string) bool { return strings.Contains(text, s) })
	}
}

// hasAfter tests for one of some strings that something follows, of which next tells.
func hasAfter(text string, next func(rest string) bool, some ...string) bool {
	return slices.ContainsFunc(some, func(s string) bool {
		_, rest, ok := strings.Cut(text, s)
		for ok && !next(rest) {
			_, rest, ok = strings.Cut(rest, s)
		}
		return ok
	})
}

// hasCoordinates tests for (18919477_21459713).
func hasCoordinates(text string) bool {
	return hasAfter(text, func(rest string) bool {
		sign := firstRune(strings.TrimLeft(rest, "0123456789,"))
		return sign == '_' || sign == '-' || sign == '–'
	}, "(")
}

// hasPosition tests for chr3 and Chromosome X.
func hasPosition(text string) bool {
	return hasAfter(text, func(rest string) bool {
		rest = strings.TrimPrefix(strings.TrimPrefix(rest, "omosome"), " ")
		return rest != "" && (startsWithDigit(rest) || strings.IndexByte("XYM", rest[0]) >= 0)
	}, "chr", "Chr")
}

// hasProteinVariant tests for p.Leu1420Ter and p.(Gly12=).
func hasProteinVariant(text string) bool {
	return hasAfter(text, func(rest string) bool { return rest != "" && (rest[0] == '(' || isUpper(rest[0])) }, "p.")
}

// hasDNAVariant tests for g.43094692G>A and c.-12+1del.
func hasDNAVariant(text string) bool {
	return hasAfter(text, func(rest string) bool { return startsWithDigit(strings.TrimLeft(rest, "-*")) }, "g.", "c.", "n.", "m.", "o.")
}

// hasClinVar tests for ClinVar in any case.
func hasClinVar(text string) bool {
	const name = "clinvar"
	for i := 0; i+len(name) <= len(text); i++ {
		if (text[i]|0x20) == name[0] && strings.EqualFold(text[i:i+len(name)], name) {
			return true
		}
	}
	return false
}

// hasShortVariant tests for C677T, V600E, K27fs and R132*.
func hasShortVariant(h hinted) bool {
	return h.hasDigits(2, 5, func(before, after string) bool {
		if before == "" || !isUpper(before[len(before)-1]) || after == "" || !isUpper(after[0]) && after[0] != '*' && !strings.HasPrefix(after, "fs") {
			return false
		}
		return isSeparator(lastRune(before[:len(before)-1])) && (isSeparator(firstRune(after[1:])) || strings.HasPrefix(after, "fs"))
	})
}

// hasDentalCode tests for D4341.
func hasDentalCode(h hinted) bool {
	return h.hasDigits(4, 4, func(before, _ string) bool { return strings.HasSuffix(before, "D") })
}

// hasGlucoses tests for three numbers of two or three digits and a word of their label.
func hasGlucoses(h hinted) bool {
	return h.hasSeries(3, 2, 3, " -–>→") && hasAnyWord(h.text, glucoseWords)
}

// hasDepths tests for two numbers of three digits and a word of their label.
func hasDepths(h hinted) bool {
	return h.hasSeries(2, 3, 3, " /|,") && hasAnyWord(h.text, periodontalWords)
}

// hasTeeth tests for two numbers of three digits behind a colon.
func hasTeeth(h hinted) bool {
	return strings.Contains(h.text, ":") && h.hasSeries(2, 3, 3, " /")
}

// hasTimeOfDay tests for A.M. and p.m. between words or before a number.
func hasTimeOfDay(text string) bool {
	return hasAfter(text, func(rest string) bool {
		rest = strings.TrimLeft(firstBytes(rest, 20), " :=")
		if end := strings.IndexFunc(rest, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' }); end > 0 {
			rest = rest[:end]
		}
		return startsWithDigit(rest) || timedWords[strings.ToLower(rest)]
	}, ".M.", ".m.")
}

// The words with which the expressions of glucoses, of depths and of what is measured at a time of day begin.
var (
	glucoseWords = wordlists.Set("glucemia glucemias glicemia glicemias glucometria glucometrias glucometría glucometrías perfil perfiles dextrostix dextrotix dextros dextro destrostix destro haemoglucotest hemoglucotest controles " +
		"accucheck accuchecks accuchek accucheks accu finger fingers fingerstick fingersticks blood glucose glucoses glucosa glucosas sugar sugars poc POC Poc capillary DXT DTX HGT BMT FSBG FSBS FSG CBG CBGs BG BGs BGM BGMs POCG")
	periodontalWords = wordlists.Set("PD PPD PSD CAL REC GM BOP PS NIC MG pocket pocketing pockets probing probings sondaje profundidad profundidades bolsa bolsas")
	timedWords       = wordlists.Set("glucose glucoses gluc bs fs bg fsbg sugar sugars blood accu-check accu-checks accucheck accuchecks cortisol lab labs dose doses insulin med meds medication medications temp temps weight wt vitals draw draws care shift report " +
		"rounds snack feed feeds glucemia glucemias insulina dosis toma turno")
)

// hasAnyWord tests for one of some words. Those of four letters and more are in lower case, and may be written in any.
func hasAnyWord(text string, words map[string]bool) bool {
	for word := range strings.FieldsFuncSeq(text, noLetter) {
		if words[word] || len(word) > 3 && words[strings.ToLower(word)] {
			return true
		}
	}
	return false
}

// hasSeries tests for a number of runs of least to most digits with nothing but separators between them.
func (h hinted) hasSeries(runs, least, most int, separators string) bool {
	return slices.ContainsFunc(h.runs, h.series(runs, least, most, separators))
}

// series returns a function that, called for one run of digits after the other, tells whether that many, each of least to most digits, have nothing but separators between them.
func (h hinted) series(runs, least, most int, separators string) func(r run) bool {
	n, end := 0, 0
	return func(r run) bool {
		if length := r.end - r.start; length < least || length > most {
			return false
		}
		if strings.Trim(h.text[end:r.start], separators) != "" {
			n = 0
		}
		n++
		end = r.end
		return n >= runs
	}
}

// places returns where runs of digits begin that have a property.
func (h hinted) places(has func(r run) bool) (places []int) {
	for _, r := range h.runs {
		if has(r) {
			places = append(places, r.start)
		}
	}
	return places
}

// placesOf returns a function that returns where one of some strings stands.
func placesOf(some ...string) func(h hinted) []int {
	return func(h hinted) (places []int) {
		for _, s := range some {
			for at := 0; ; at += len(s) {
				i := strings.Index(h.text[at:], s)
				if i < 0 {
					break
				}
				at += i
				places = append(places, at)
			}
		}
		slices.Sort(places)
		return places
	}
}

// hasDigits tests for a run of least to most digits, given what stands before and after it.
func (h hinted) hasDigits(least, most int, holds func(before, after string) bool) bool {
	return slices.ContainsFunc(h.runs, func(r run) bool {
		n := r.end - r.start
		return n >= least && n <= most && holds(h.text[:r.start], h.text[r.end:])
	})
}

// hasCriteria tests for the places that criteria and classifications are named after, and the number behind them.
func hasCriteria(text string) bool {
	for word := range strings.FieldsFuncSeq(text, noLetter) {
		if isUpper(word[0]) && criteriaPlaces[word] {
			return true
		}
	}
	return false
}

var criteriaPlaces = wordlists.Set("Tokyo Tokio Rotterdam Rótterdam Atlanta Sydney Sapporo Berlin Berlín Lugano Bethesda Sofia Montreal Paris París Vienna Viena Kyoto Geneva Chicago Ghent Gante Amsterdam Rome Roma Madrid Milan Milán Angeles Prague Praga " +
	"Baveno Maastricht Leiden")

// mayBeVital reports whether a full stop, of which the text around it is given, may belong to the abbreviation of a vital sign: a number follows, or the abbreviation is that of a blood
// pressure, which words may follow.
func mayBeVital(before, after string) bool {
	switch lastBytes(before, 3) + "." {
	case "B.P.", "T.A.", "P.A.":
		return true
	}
	word := lastBytes(strings.TrimSuffix(before, "."), 8)
	word = word[strings.LastIndexFunc(word, isSeparator)+1:]
	if len(word) == 1 { // of H.R., or alone
		return (isUpper(word[0]) || word == "c") && isValueNext(after) && (strings.HasSuffix(before, "."+word) || strings.HasSuffix(before, "."+word+".") || word == "P" || word == "R" || word == "T")
	}
	return shortenedSigns[strings.ToLower(word)] && isValueNext(after)
}

// shortenedSigns are the last words before the full stop of the abbreviations of certainSign that are longer than a letter.
var shortenedSigns = wordlists.Set("1c a1c album approx aprox ave avg chol creat ferr glic glu gluc hb hct hgb hto leuc max med min máx mín o2 ox plaq plt prom puls pulse pulseox pulsox resp sat sato2 spo2 temp trig trigl trigli triglic wt")

// isValueNext reports whether a text begins with the value of a vital sign, perhaps behind a word.
func isValueNext(text string) bool {
	text = strings.TrimLeft(firstBytes(text, 80), " :=~>≈")
	if startsWithDigit(text) {
		return true
	}
	word, rest, ok := strings.Cut(text, " ")
	return ok && startsWithDigit(rest) && !strings.ContainsFunc(word, isSeparator)
}
