package safetynet

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/fold"
	"github.com/lethe-deid/lethe/data/wordlists"
	"github.com/lethe-deid/lethe/deid/surrogate"
	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// This file recognizes brands of drugs of many countries, which networks take for names of institutions, places and people behind ordinary verbs: takes Thyronorm, ran out of Combiflam.

// brands are the brands of lists/brands.txt, which are no ordinary words. Those that are names as well count only beside a dose.
var brands = sync.OnceValue(func() map[string]bool { return wordlists.Set(listText("brands")) })

// brandsWithDose are brands that are names of people or towns.
var brandsWithDose = wordlists.Set("allegra alli amlong creon dalsy diane dolo emla eno foster gofen lovan marvelon mirena prolia razon rexer telma vandral victan yasmin")

// partsOfBrand stand behind a brand.
var partsOfBrand = wordlists.Set("forte plus extra duo sr xr mr cr er xl la od retard flas hct lc av ds ls es ec df td tx o p d m g h am pm cold flu rapid advance advanced active max night junior infant complex express go spas inhaler turbohaler diskus evohaler flexpen kwikpen met b12 d3")

// maxBrand is the maximum length of a brand in bytes, and of what is read behind it.
const maxBrand = 40

var (
	// medicated matches the end of a text behind which a drug stands.
	medicated = lazyregexp.New(`(?i)(?:\b(?:takes?|taking|took|taken|out of|on|off|(?:re)?start(?:s|ed|ing)?(?: taking)?|stop(?:s|ped|ping)?(?: taking)?|g[ai]ve[ns]?|giving|allerg(?:ic|y) to|intolerant (?:of|to)|continu(?:e|es|ed|ing)|resum(?:e|es|ed|ing)|refill(?:s|ed)?(?: (?:of|for))?|` +
		`(?:chang|switch|swapp?|convert)(?:e|es|ed|ing)? (?:from|to|for)|from \pL{4,20} to|bought|buys?|afford|prescrib(?:e|es|ed|ing)|swallow(?:s|ed|ing)?|us(?:e|es|ed|ing)|tr(?:y|ies|ied|ying)|tolerat(?:e|es|ed|ing)|h[eo]ld|(?:increas|decreas|reduc|titrat|wean|ceas|discontinu|miss|withhold|withheld|administer)(?:e|es|ed|ing)?(?: off)?|` +
		`forgot|needs|request(?:s|ed|ing)?|wants|(?:doses?|tablets?|tabs?|capsules?|caps?|course|supply|trial|packet|packets|box|bottle|overdose|spray|puffs?) of|(?:script|prescription|refill) for|respond(?:s|ed) to|relief (?:from|with)|(?:treat(?:ed|ment)|managed|controlled|helped|settled|better|overdosed?) with|rx|meds?|medications?|tabs?|caps?|inj|syp|syrup|` +
		`tom(?:a|an|ar|aba|ando|ado|[óo])|qued(?:a|[óo]) sin|(?:empe(?:z[óo]|zar|zado|zamos)|empieza|tratamiento|tratad[oa]s?|tto|medica|automedica|mejor(?:a|[óo])|contin[úu]a|sigue|intoxicaci[óo]n|alta|se va|curas?|anestesia|profilaxis|premedicaci[óo]n) con|alérgic[oa] a|alergia a|intolerancia a|intolerante a|recomiend[oa]|suspend(?:e|er|i[óo]|ido|en|emos)|retir(?:a|an|ar|[óo]|ado|amos|aron)|pagar|compr(?:a|ar|[óo]|aba)|di(?:o|eron)|dado|da(?:n|r)?|inici(?:a|ar|[óo]|ado|amos)|cambi(?:a|ar|[óo]|ado|amos) (?:de|a|por)|recet(?:a|ar|[óo]|aron|ado)|us(?:a|ar|ando|aba)|paut(?:a|ar|[óo]|ado|amos)|` +
		`(?:dosis|comprimidos?|c[áa]psulas?|cajas?|sobredosis|sobres?|jarabe|gotas) de|a[ñn]ad(?:e|ir|imos|ido)|precis(?:a|ar|[óo]|ado|ando)|administr(?:a|ar|[óo]|ado|aron)|ped(?:ir|ido)|pide|tratamiento|tto)|\b[0-9]{1,3} (?:tabs?|tablets?|caps?|puffs?))[ .:]{1,3}(?:(?:his|her|their|the|some|more|any|an?|own|oral|daily|regular|old|su|sus|el|la|un|una|algún|más) |[0-9]{1,3} (?:mg |tabs? |tablets |of )?)?$`)
	// behindDrug matches what makes a name of the word before it.
	behindDrug = lazyregexp.New(`^(?: (?:\p{Lu}\p{Ll}{2,}|(?i:street|st|road|rd|ave|avenue|lane|ward|unit|clinic|hospital|house|home|team|pharmacy|court|centre|center)\b)|['’]s\b|[-/_@]\pL)`)
	// behindBrand matches the end of a text in which a brand and a sign or a word between the parts of a list stand.
	behindBrand = lazyregexp.New(`(?i)(\pL[\pL-]+)(?: [0-9][0-9.,/]{0,6} ?(?:mg|mcg|g|ml|tabs?)?)?(?:,| ?\+| ?/| (?:and|or|plus|y|o|e))(?: and)? ?$`)
	// doseBehind and formBefore match what stands beside a drug alone.
	doseBehind = lazyregexp.New(`^ ?(?:[0-9]+(?:[.,/][0-9]+)? ?(?i:mg|mcg|g|ml|iu|ui|units?|tabs?|tablets?|caps?|%|comprimidos?|sachets?)\b|(?i:tabs?|tablets?|caps?|capsules?|susp|syrup|sachets?|comprimidos?)\b|[0-9½]-[0-9½]-[0-9½])`)
	// toldOf matches the end of a text behind which a brand stands if helps matches what follows it.
	toldOf = lazyregexp.New(`(?i)(?:^|[.,;:] |\b(?:says?|said|that|reports?|refiere que|dice que|que|con|called in|sent|and|y|e?prescribed) )$`)
	helps  = lazyregexp.New(`^ (?i:helps?|helped|works?|worked|to (?:the |his |her )?pharmacy|(?:was|is|not) (?:denied|approved|covered|stopped|held|increased|decreased|discontinued|not covered|prescribed|helping)|(?:no )?(?:le|me) (?:va|van|sienta|hace|quita|alivia)|mejor[aó]|sin mejor[íi]a|without relief|due to|si (?:dolor|precisa)|prn)\b`)
	// itemBefore and itemEnds match what is around a brand that is an item of a list.
	itemBefore = lazyregexp.New(`^\s*(?:[-•*·]|#?[0-9]{1,2} ?[-.)]{1,2}) ?$`)
	itemEnds   = lazyregexp.New(`^(?:[ .]*(?:\r?\n|$)|, ?[0-9]| ?[0-9]| ?\()`)
	formBefore = lazyregexp.New(`(?i)\b(?:tab|cap|inj|syp|syrup|tablets?|capsules?|sachets?|comprimidos?)s?\.? (?:of |de )?$`)
)

// IsBrand reports whether a span is the brand of a drug behind a verb or a word of medication.
func IsBrand(text string, s data.Span) bool {
	if s.End-s.Start > maxBrand {
		return false
	}
	words := strings.Fields(fold.Fold(strings.Trim(text[s.Start:s.End], " \t.,;:()")))
	if len(words) == 0 || !brands()[words[0]] && !brandsWithDose[words[0]] && !isDrug(words[0]) || slices.ContainsFunc(words[1:], func(word string) bool { return !partsOfBrand[word] }) {
		return false
	}
	left, right := lastBytes(text[:s.Start], 2*maxBrand), firstBytes(text[s.End:], maxBrand)
	left = left[strings.LastIndexAny(left, "\n\r")+1:]
	if next := strings.Fields(fold.Fold(right)); behindDrug.MatchString(right) && (len(next) == 0 || !partsOfBrand[next[0]]) {
		return false
	}
	if brandsWithDose[words[0]] || surrogate.IsFirstName(words[0]) || isKnownSurname(words[0]) {
		return doseBehind.MatchString(right) || formBefore.MatchString(left)
	}
	if m := behindBrand.FindStringSubmatch(left); m != nil && brands()[fold.Fold(m[1])] {
		return true
	}
	return medicated.MatchString(left) || doseBehind.MatchString(right) || toldOf.MatchString(left) && helps.MatchString(right) || itemBefore.MatchString(left) && itemEnds.MatchString(right)
}
