package safetynet

import (
	"regexp"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data/wordlists"
)

// This file tells names of diseases, signs, scales and devices from people with the same name.

// eponymous words follow a name that denotes a disease, a sign or a device.
var eponymous = set(`disease syndrome catheter sign signs score scale test tests reflex palsy lymphoma thyroiditis classification criteria cyst tumor tumour
	serology titer titre nodule nodules sarcoma esophagus oesophagus contracture lesion ulcer class stage grade dementia ataxia chorea pouch procedure operation repair maneuver manoeuvre
	position line lines tube drain stain cells body bodies bundle node nodes ileitis colitis mucosa variant signals
	clamp clamps forceps splint incision fundoplication coma solution retractor needle speculum prosthesis lens hernia fracture fractures duct gland canal
	indice maniobra clasificacion lineas triangulo pliegue
	enfermedad sindrome sonda signo escala prueba reflejo paralisis linfoma tiroiditis criterios quiste esofago demencia`)

// isEponym reports whether the words from first to last denote a disease, a sign, a scale or a device: Paget disease, enfermedad de Paget, Swan-Ganz, Gleason 4.
func isEponym(words []word, first, last int) bool {
	for from := max(0, first-2); from <= first; from++ { // Swan-Ganz, Wolff-Parkinson-White
		joined := words[from].fold
		for k := from + 1; k < len(words) && k < from+3 && words[k].sep == '-'; k++ {
			if joined += "-" + words[k].fold; k >= last && eponym(joined) {
				return true
			}
		}
	}
	name := words[last].fold
	if first == last && (followed(words, last, ownNouns[name]) || !words[first].titled && isThing(words, first)) {
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
	if first > 0 && words[first].gap >= 0 && (eponymous[words[first-1].fold] || first > 1 && words[first-1].fold == "de" && words[first-1].gap >= 0 && eponymous[words[first-2].fold]) {
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

var otherEponyms = set("adams-stokes bloom-richardson glasgow-blatchford hunt-hess mary-joseph stokes-adams")

// ownNouns are the words that make eponyms of frequent surnames. Behind these, other words such as tests and signs are mostly verbs.
var ownNouns = map[string]map[string]bool{"robinson": set("drain catheter"), "norton": set("score scale"), "goldman": set("score criteria index"), "alvarado": set("score"), "bishop": set("score")}

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
var french = set("fr french ch")

// scored lists eponyms before a number or a class.
var scored = set("apgar barthel billroth braden child gleason glasgow karnofsky mallampati norton ranson")

// isThing reports whether a word denotes a thing by what stands directly beside it: Foley draining, Murphy negative, Wells 4.5, hx of Graves, s/p Ross. Such words count only beside
// eponyms and the surnames of devices, signs, scores and operations in the lists below.
func isThing(words []word, i int) bool {
	name := words[i].fold
	if !denotesThing(name) {
		if name = strings.TrimSuffix(name, "s"); !denotesThing(name) {
			return false
		}
	}
	left, right := leftOf(words, i), rightOf(words, i)
	switch {
	case strings.HasSuffix(left, "non-"), isPair(left, name, right), !eponym(name) && beginsWith(right, nouns):
		return true
	case words[i].label && labels[words[i-1].fold] && (eponym(name) || devices[name]), i+1 < len(words) && words[i+1].label && devices[name] && answers[words[i+1].fold]:
		return true
	case right == "" && i+1 < len(words) && words[i+1].elided && words[i+1].fold == "s" && eponym(name), name == "barrett" && prague.MatchString(right): // EGD: Barrett's.
		return true
	case beginsWith(right, results) && !beginsWith(right, resultsOfPeople), words[i].signed, endsWith(left, histories):
		return eponym(name) || signs[name]
	case devices[name] && (beginsWith(right, states) && !beginsWith(right, deeds) || endsWith(left, handled)), signs[name] && endsWith(left, findings), operations[name] && endsWith(left, operated):
		return true
	case eponym(name) && (beginsWith(right, courses) || endsWith(left, found)):
		return true
	}
	return graded[name] && (isGrade(words, i+1) || beginsWith(right, risks))
}

// denotesThing reports whether a folded word may denote a thing.
func denotesThing(folded string) bool {
	return eponym(folded) || devices[folded] || signs[folded] || operations[folded] || graded[folded] || inPairs[folded]
}

var (
	devices    = set("allis blake broviac foley groshong hickman hohmann kelly kocher penrose quinton redon shaldon swan tenckhoff")
	signs      = set("allen babinski blumberg brudzinski chvostek finkelstein giordano hawkins hoffman hoffmann homan homans kernig lachman lasegue mcburney mcmurray murphy neer nikolsky phalen rinne romberg rovsing schober spurling tinel trendelenburg trousseau weber")
	operations = set("billroth bricker fontan glenn hartmann kasai miles mustard nissen norwood ross whipple")
	// graded are the surnames of scores and classes that stand before a number, a Roman numeral or a letter.
	graded = set("apgar bishop bosniak braden breslow child clark fisher fitzpatrick forrest fuhrman garden gustilo hinchey hurley killip mallampati mason morse neer norton ramsay ranson schatzker tanner weber wells")

	// nouns follow a surname that is not on the lists of eponyms, of which those of eponymous are mostly verbs behind a person.
	nouns   = phrases("catheter, clamp, forceps, retractor, procedure, test, sign, score, class, grade, classification, fracture, maneuver, criteria, drain")
	labels  = set("dx diagnosis diagnoses pmh pmhx hx problem problems lines line drains tubes devices access assessment impression diagnostico antecedentes")
	answers = set("yes no none present absent in out removed placed draining patent si")
	risks   = phrases("low, low risk, moderate risk, high risk, intermediate")
	prague  = regexp.MustCompile(`^ c[0-9]+m[0-9]`)

	results         = phrases("neg, negative, pos, positive, normal, nl, abnormal, equivocal, negativo, positivo, midline, lateralizes, lateralized, lateralizing, lateraliza, central, centrado")
	resultsOfPeople = phrases("neg for, negative for, pos for, positive for, negative about, positive about, positivo para, negativo para")
	states          = phrases(`draining, drained, drains, removed, flushed, flushes, accessed, deaccessed, patent, output, outputs, in place, in situ, to gravity, d/c, dc, d/ced, dced, dc'd, d/c'd, discontinued,
		c/d/i, cdi, floated, pulled, exchanged, changed, clamped, unclamped, kinked, leaking, intact, numbers, inserted, placed, reinserted, replaced, out, permeable, retirada, retirado, drenando, bag`)
	// deeds are states after a person who does something.
	deeds     = phrases("removed the, removed a, removed his, removed her, changed the, changed his, changed her, placed the, placed a, placed an, placed his, placed her, inserted the, inserted a, inserted an, pulled the, discontinued the, out sick, out of, out today, drained the, flushed the, accessed the, exchanged the, replaced the")
	handled   = phrases("no, placed, inserted, removed, remove, insert, continue, indwelling, curved, straight, lumen, exchanged, replaced, d/c, dc, discontinue, pull, place, flush, tunneled, permanent, chronic, two, three, both")
	findings  = phrases("positive, negative, neg, pos, equivocal, normal")
	histories = phrases("hx, hx of, h/o, history of, dx, dx of, dx'd with, diagnosed with, diagnosis of, treated for, tx for, workup for, suspected, possible, known, has, no, sah, segment, ap de, dx de, diagnostico de, antecedente de, antecedentes de")
	operated  = phrases("s/p, sp, status post, undergo, underwent, redo, post")
	courses   = phrases("in remission, resolving, resolved, flare, flares, with lgd, with hgd, with dysplasia, of colon, of the colon, igg, igm, ab, antibody, antibodies")
	found     = phrases("partial, segment, excluded")
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
