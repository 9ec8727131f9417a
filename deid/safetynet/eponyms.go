package safetynet

import (
	"slices"
	"strconv"
	"strings"

	"github.com/lethe-deid/lethe/data/wordlists"
	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// This file tells names of diseases, signs, scales and devices from people with the same name.

// eponymous words follow a name that denotes a disease, a sign or a device.
var eponymous = wordlists.Set(`disease syndrome catheter sign signs score scale test tests reflex palsy lymphoma thyroiditis classification criteria cyst tumor tumour
	serology titer titre nodule nodules sarcoma esophagus oesophagus contracture lesion ulcer class stage grade dementia ataxia chorea pouch procedure operation repair maneuver manoeuvre
	position line lines tube drain stain cells body bodies bundle node nodes ileitis colitis mucosa variant signals
	clamp clamps forceps splint incision fundoplication coma solution retractor needle speculum prosthesis lens hernia fracture fractures duct gland canal
	indice maniobra clasificacion lineas triangulo pliegue
	enfermedad sindrome sonda signo escala prueba reflejo paralisis linfoma tiroiditis criterios quiste esofago demencia`)

// isEponym reports whether the words from first to last denote a disease, a sign, a scale or a device: Paget disease, enfermedad de Paget, Swan-Ganz, Gleason 4. If the name is known
// from the record, what is only likely (see isThing) does not count.
func isEponym(words []word, first, last int, known bool) bool {
	for from := max(0, first-2); from <= first; from++ { // Swan-Ganz, Wolff-Parkinson-White
		joined := words[from].fold
		for k := from + 1; k < len(words) && k < from+3 && words[k].sep == '-'; k++ {
			if joined += "-" + words[k].fold; k >= last && eponym(joined) {
				return true
			}
		}
	}
	name := words[last].fold
	if first == last && (followed(words, last, ownNouns[name]) || !known && !words[first].titled && isThing(words, first)) {
		return true
	}
	if !eponym(name) && !eponym(strings.TrimSuffix(name, "s")) {
		return false
	}
	if followed(words, last, eponymous) {
		return true
	}
	if first < last || words[first].titled {
		return false
	}
	if first > 0 && words[first].gap >= 0 && words[first].inName && (eponymous[words[first-1].fold] || first > 1 && words[first-1].fold == "de" && words[first-1].gap >= 0 && eponymous[words[first-2].fold]) {
		return true
	}
	if last+1 == len(words) {
		return false
	}
	next := words[last+1]
	if next.gap == 1 && next.digits && last+2 < len(words) && french[words[last+2].fold] { // the size of a catheter: Foley 16 Fr
		return true
	}
	return next.gap == 1 && (scored[strings.TrimSuffix(name, "s")] && (isScore(words, last+1) || next.fold == "i" || next.fold == "ii") || isLetter(next) && followed(words, last+1, eponymous))
}

// eponym reports whether a folded word is an eponym: one of the lists, which networks learned from and which therefore do not change, or another one that is no name of a person.
func eponym(folded string) bool { return wordlists.Eponym(folded) || otherEponyms[folded] }

var otherEponyms = wordlists.Set("adams-stokes bloom-richardson glasgow-blatchford hunt-hess mary-joseph stokes-adams")

// ownNouns are the words that make eponyms of frequent surnames. Behind these, other words such as tests and signs are mostly verbs.
var ownNouns = map[string]map[string]bool{"robinson": wordlists.Set("drain catheter"), "norton": wordlists.Set("score scale"), "goldman": wordlists.Set("score criteria index"), "alvarado": wordlists.Set("score"), "bishop": wordlists.Set("score")}

// isScore reports whether word i is a number of a score: one digit, or two, that no date or unit follows.
func isScore(words []word, i int) bool {
	if !words[i].digits || len(words[i].fold) > 2 || words[i].measured {
		return false
	}
	if i+1 == len(words) {
		return true
	}
	next := words[i+1]
	if next.sep == '/' {
		return next.digits && len(next.fold) <= 2 && (i+2 == len(words) || words[i+2].sep != '/')
	}
	return next.gap != 1 || next.digits && len(next.fold) == 1
}

// french are the units of the size of a catheter.
var french = wordlists.Set("fr french ch")

// scored lists eponyms before a number or a class.
var scored = wordlists.Set("apgar barthel billroth braden child gleason glasgow karnofsky mallampati norton ranson")

// isThing reports whether a word denotes a thing by what stands directly beside it: Foley draining, Murphy negative, Wells 4.5, hx of Graves, s/p Ross. Such words count only beside
// the names of devices, signs, operations, diseases and scores in the lists below. What may also be said of a person counts only at the end of a phrase.
func isThing(words []word, i int) bool {
	left, right := leftOf(words, i), rightOf(words, i)
	for _, name := range []string{words[i].fold, strings.TrimSuffix(words[i].fold, "s")} {
		if strings.HasSuffix(left, "non-") && eponym(name) || isPair(left, name, right) || isDevice(words, i, name, left, right) || isDisease(words, i, name, left, right) ||
			operations[name] && (beginsWith(right, operationNouns) || isEnd(right) && endsWith(left, operated)) ||
			signs[name] && (words[i].signed || beginsWith(right, signNouns) || endsAfter(right, results) || isEnd(right) && endsWith(left, findings)) ||
			graded[name] && (beginsWith(right, gradeNouns) || isGradeOf(words, i+1, name)) || risky[name] && endsAfter(right, risks) {
			return true
		}
	}
	return false
}

// isDevice reports whether word i, which is name, denotes a device or an instrument.
func isDevice(words []word, i int, name, left, right string) bool {
	switch {
	case instruments[name]:
		return beginsWith(right, deviceNouns) || endsWith(left, forms)
	case !devices[name]:
		return false
	case words[i].label && lines[words[i-1].fold] && !beforePerson(words, i), i+1 < len(words) && words[i+1].label && answers[words[i+1].fold]:
		return true
	}
	return beginsWith(right, deviceNouns) || beginsWith(right, states) || endsAfter(right, changes) || isEnd(right) && endsWith(left, handled) ||
		name == "foley" && (endsAfter(right, ends) || isEnd(right) && endsWith(left, ends))
}

// isDisease reports whether word i, which is name, denotes a disease, or the antibodies that are named after one.
func isDisease(words []word, i int, name, left, right string) bool {
	switch {
	case name == "barrett" && (prague.MatchString(right) || right == "" && words[i].label && i+1 < len(words) && words[i+1].elided && words[i+1].fold == "s"): // EGD: Barrett's.
		return true
	case eponym(name) && beginsWith(right, antibodies), name == "barrett" && beginsWith(right, dysplasias), remitting[name] && beginsWith(right, courses):
		return true
	case !diseases[name] || beforePerson(words, i):
		return false
	}
	return (isEnd(right) || beginsWith(right, circumstances)) && (words[i].label && diagnoses[words[i-1].fold] || endsWith(left, histories))
}

// beforePerson reports whether a title or an age after a comma follows word i, as it follows a person: Kelly, RN; Graves, 45M.
func beforePerson(words []word, i int) bool {
	return i+1 < len(words) && words[i+1].comma && (words[i+1].digits || isTitle(words[i+1].fold))
}

// isEnd reports whether nothing belongs to a phrase any more, or only when, how or by whom.
func isEnd(right string) bool {
	return right == "" || strings.HasPrefix(right, "-") || circumstance.MatchString(right)
}

// endsAfter reports whether the words behind a word are one of the phrases and the end of their phrase.
func endsAfter(right string, some []string) bool {
	return slices.ContainsFunc(some, func(phrase string) bool {
		rest, ok := strings.CutPrefix(right, " "+phrase)
		return ok && isEnd(rest)
	})
}

// isGradeOf reports whether word i is a grade of the score or the class with this name. Ages and numbers of things are none.
func isGradeOf(words []word, i int, name string) bool {
	if !isGrade(words, i) {
		return false
	}
	switch w := words[i]; {
	case w.digits:
		n, _ := strconv.Atoi(w.fold)
		right := rightOf(words, i)
		return (n <= maxLow || high[name] && n <= maxHigh) && (right == "" || strings.HasPrefix(right, "-") || beginsWith(right, gradeEnds))
	case isLetter(w) && classLetters[w.fold]:
		return lettered[name]
	}
	return true
}

// The names that isThing counts beside the words below.
var (
	devices     = wordlists.Set("broviac foley groshong hickman hohmann kocher penrose quinton redon shaldon swan tenckhoff")
	instruments = wordlists.Set("allis blake kelly") // which are also frequent names
	signs       = wordlists.Set("allen babinski blumberg brudzinski chvostek coombs finkelstein giordano gram hawkins hoffman hoffmann homan homans kernig lachman lasegue mantoux mcburney mcmurray murphy neer nikolsky phalen rinne romberg rovsing schober spurling tinel trendelenburg trousseau weber widal")
	operations  = wordlists.Set("billroth bricker fontan glenn hartmann kasai miles mustard nissen norwood ross whipple")
	remitting   = wordlists.Set("behcet burkitt crohn cushing graves hodgkin takayasu wegener")
	// graded are the surnames of scores and classes that stand before a number, a Roman numeral or a letter; high are those with numbers up to maxHigh instead of maxLow, lettered those with letters.
	graded   = wordlists.Set("apgar bishop bosniak braden breslow child clark fisher fitzpatrick forrest fuhrman garden gustilo hinchey hurley killip mallampati mason morse neer norton ramsay ranson schatzker tanner weber wells")
	high     = wordlists.Set("apgar bishop braden child norton ranson wells")
	lettered = wordlists.Set("child weber")
	risky    = wordlists.Set("braden morse norton wells")
)

const (
	maxLow  = 6
	maxHigh = 23
)

// Words before a name. Those of handled, forms, findings, operated and ends count if the name ends its phrase.
var (
	lines     = wordlists.Set("access devices drains line lines tubes")
	diagnoses = wordlists.Set("antecedentes diagnoses diagnosis diagnostico dx hx pmh pmhx problem problems")
	handled   = phrases("chronic, continue, exchanged, flush, indwelling, insert, inserted, lumen, no, permanent, place, placed, pull, remove, removed, replaced, tunneled")
	forms     = phrases("curved, straight, two")
	findings  = phrases("equivocal, neg, negative, no, normal, pos, positive")
	histories = phrases("antecedente de, antecedentes de, ap de, diagnosed with, diagnosis of, diagnostico de, dx, dx de, dx of, dx'd with, h/o, history of, hx, hx of, segment, suspected, treated for, tx for, workup for")
	operated  = phrases("redo, s/p, sp, status post, undergo, underwent")
)

// Words behind a name. Those of changes, results, risks and ends count if they end their phrase.
var (
	deviceNouns    = phrases("catheter, catheters, clamp, clamps, drain, drains, forceps, retractor")
	signNouns      = phrases("maneuver, sign, signs, test")
	operationNouns = phrases("procedure")
	gradeNouns     = phrases("classification, criteria, fracture, grade, score")
	states         = phrases("bag, c/d/i, cdi, deaccessed, drenando, draining, floated, in place draining, in place to gravity, in situ, kinked, leaking, numbers, output, outputs, patent, permeable, to gravity, unclamped")
	changes        = phrases("accessed, clamped, discontinued, drained, exchanged, flushed, flushes, in place, inserted, intact, placed, pulled, reinserted, removed, replaced, retirada, retirado")
	answers        = wordlists.Set("draining no none patent placed removed si yes")
	results        = phrases("abnormal, central, centrado, equivocal, lateraliza, lateralized, lateralizes, lateralizing, midline, neg, negative, negativo, nl, normal, pos, positive, positivo")
	risks          = phrases("high risk, intermediate, intermediate risk, low, low risk, low score, moderate risk")
	gradeEnds      = phrases("fracture, fractures, hemorrhage, points, pts, sah")
	antibodies     = phrases("antibodies, antibody, igg, igm")
	dysplasias     = phrases("with dysplasia, with hgd, with lgd")
	courses        = phrases("flare, flares, in remission, of colon, of the colon")
	prague         = lazyregexp.New(`^ c[0-9]+m[0-9]`)
	// ends are said of patients, too, except of those whose name is mostly that of a device. They stand on either side.
	ends = phrases("changed, d/c, d/c'd, d/ced, dc, dc'd, dced, out")
	// circumstance matches when or how something happens, and circumstances more words behind a disease.
	circumstance  = lazyregexp.New(`^ (?:(?:after|at|before|bilat|bilateral|bilaterally|by|overnight|per|prior|without|yesterday|[0-9]+)\b|on (?:[0-9]|exam|left|palpation|right))`)
	circumstances = phrases("and, diagnosed, dx, in, or, s/p, since, sp, treated, tx, with")
)

// twoNames are eponyms that consist of two words and perhaps an and.
var twoNames = phrases("hunt and hess, miller fisher, lund and browder, bland altman")

var inPairs = func() map[string]bool {
	all := map[string]bool{}
	for _, pair := range twoNames {
		words := strings.Fields(pair)
		all[words[0]], all[words[len(words)-1]] = true, true
	}
	return all
}()

// isPair reports whether a word, with those beside it, is part of an eponym of two names.
func isPair(left, name, right string) bool {
	all := " " + left + name + right + " "
	return inPairs[name] && slices.ContainsFunc(twoNames, func(pair string) bool { return strings.Contains(all, " "+pair+" ") })
}

// followed reports whether one of the words in some follows word i, possibly after a possessive s.
func followed(words []word, i int, some map[string]bool) bool {
	for k := i + 1; k < len(words) && k <= i+2 && words[k].gap >= 0; k++ {
		if some[words[k].fold] {
			return true
		}
		if words[k].fold != "s" {
			return false
		}
	}
	return false
}
