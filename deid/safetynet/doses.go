package safetynet

import (
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/fold"
	"github.com/lethe-deid/lethe/data/wordlists"
	"github.com/lethe-deid/lethe/deid/surrogate"
	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// This file recognizes abbreviations of schedules and routes with points, such as B.I.D. and I.V., which look like the initials of a person. They are none behind a dose, and
// behind a route or another one of them. The list is closed.

const (
	schedule = `(?:[BTQ]\. ?I\. ?D|[TQ]\. ?D\. ?S|Q\. ?H\. ?S|Q\. ?[AP]\. ?M|Q\. ?O\. ?D|Q\. ?[DHW]|Q\. ?[1-9][0-9]?(?: ?[-–] ?[1-9][0-9]?)? ?\.? ?(?:H|HRS?|HOURS)|P\. ?R\. ?N|S\. ?O\. ?S|[CQ]/ ?[1-9][0-9]? ?(?:H|HS|HRS?|HORAS))\b`
	route    = `(?:P\. ?[OR]|[IE]\. ?V|I\. ?M|S\. ?[CLQ]|V\. ?[OR]|H\. ?S)\b`
	meal     = `(?:[AP]\. ?C|O\. ?[DNM]|B\. ?D)\b` // of two letters, which may well be somebody's behind a dose alone
	plain    = `(?:po|iv|ev|im|sc|sq|sl|pr|vo|oral|orally|by mouth|subq|bid|tid|qid|qd|qhs|qam|qpm|prn|daily|nightly|stat|stat dose|once|twice daily|diari[oa]|cada [1-9][0-9]? ?(?:h|horas)|x ?[1-9][0-9]? ?(?:days?|doses?|d[íi]as|d))\b`
	dose     = `(?:\b[0-9][0-9.,/–-]* ?|\b(?:one|two|three|half|un|una|dos|tres|media) )(?:(?:m?g|mcg|[µμu]g|gr|kg|ml|cc|meq|mmol|iu|ui|u|units?|unidades|%)\b(?: ?/ ?(?:kg|hr?|hour|min|day|d[íi]a|dose|dosis|ml)\b){0,2}|` + dosage + `)(?: ` + dosage + `)?`
	dosage   = `(?:tab(?:let)?s?|cap(?:sule)?s?|pills?|puffs?|gtts?|drops?|gotas|sprays?|patch(?:es)?|supp(?:ositor(?:y|ies))?|amp(?:olla|oule|ule)?s?|comp(?:rimidos?)?|c[áa]psulas?|sobres?)\b`
)

var (
	// regimen matches a dose, or a route and a schedule, with what stands behind it. What is in its group is no PHI.
	regimen = lazyregexp.New(`(?i)(?:` + dose + `((?:\.?[ ,(]{1,2}(?:` + schedule + `|` + plain + `)| ` + route + `)\.?` + further + `)|\b` + route + `\.?,? \(?(` + schedule + `\.?` + further + `))`)
	// withPoints matches abbreviations with points and nothing else.
	withPoints = lazyregexp.New(`^(?i:` + pointed + `\.?(?:(?:[ ,/(]{1,2}|,? (?:and|or|y|o) )` + pointed + `\.?)*)$`)
	// mayBeInitials matches the end of a text in one of two letters.
	mayBeInitials = lazyregexp.New(`(?:^|[^\pL.])\pL\. ?\pL$`)
	// ofInitials matches what stands behind the initials of a person.
	ofInitials = lazyregexp.New(`^\.?,? ?(?:[-/(] ?)?(?:R\.?N|M\.?D|L\.?P\.?N|N\.?P|P\.?A|D\.?O|C\.?N\.?A|E\.?M\.?T|RPh|PharmD|BSN|MSN|CRNA|FNP|DUE|MIR)\b`)
	// nextWord matches a word in capitals or with a capital that directly follows.
	nextWord = lazyregexp.New(`^\.? (?:(?i:` + plain + `)|(\p{Lu}[\pL'’-]+))`)
	// nextName matches such a word behind a sign or a line end.
	nextName = lazyregexp.New(`^\.?(?:[,;] ?| ?\r?\n| [-–—] | {2,4})[ \t]*(\p{Lu}[\pL'’-]+)`)
)

const (
	pointed = `(?:` + schedule + `|` + route + `|` + meal + `)`
	further = `(?:(?:[ ,/(]{1,2}(?:` + schedule + `|` + plain + `)|[ /](?:` + route + `|` + meal + `)|,? (?:and|or|y|o) (?:` + pointed + `|` + plain + `))\.?)*`
)

// maxRegimen is the number of bytes before and behind a span that are read.
const maxRegimen = 64

// IsDoseAbbreviation reports whether a span of a text consists of abbreviations of schedules and routes with points, or of a part of one, as a part of a regimen.
func IsDoseAbbreviation(text string, s data.Span) bool {
	if s.End-s.Start > maxRegimen || strings.IndexByte(text[s.Start:min(len(text), s.End+2)], '.') < 0 && strings.IndexByte(lastBytes(text[:s.Start], 2), '.') < 0 {
		return false
	}
	from, to := max(0, s.Start-maxRegimen), min(len(text), s.End+maxRegimen)
	window := text[from:to]
	start, end := s.Start-from, s.End-from
	start = strings.LastIndexAny(window[:start], " \t\n(,") + 1 // of the word
	if n := strings.IndexAny(window[end:], " \t\n),;"); n >= 0 {
		end += n
	} else {
		end = len(window)
	}
	c := trimmed(window, cell{start, end})
	value := strings.Trim(window[c.start:c.end], ".,;()")
	if value == "" || !withPoints.MatchString(value) {
		return false
	}
	start = c.start + strings.Index(window[c.start:c.end], value)
	end = start + len(value)
	after := window[end:]
	if mayBeInitials.MatchString(window[:end]) && (ofInitials.MatchString(after) || isNameBehind(after)) {
		return false
	}
	for _, m := range regimen.FindAllStringSubmatchIndex(window, -1) {
		for group := 2; group < len(m); group += 2 {
			if m[group] >= 0 && m[group] <= start && end <= m[group+1] {
				return true
			}
		}
	}
	return false
}

// isNameBehind reports whether a text begins with a word that may be a surname behind initials. Behind a sign or a line end only a known name is one, or one before a profession.
func isNameBehind(after string) bool {
	if m := nextName.FindStringSubmatch(after); m != nil {
		return isKnownSurname(fold.Fold(m[1])) || surrogate.IsFirstName(m[1]) || ofInitials.MatchString(after[len(m[0]):])
	}
	m := nextWord.FindStringSubmatch(after)
	return m != nil && m[1] != "" && (!wordlists.Common(fold.Fold(m[1])) || isKnownSurname(fold.Fold(m[1])) || surrogate.IsFirstName(m[1]))
}
