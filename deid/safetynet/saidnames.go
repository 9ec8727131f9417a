package safetynet

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/fold"
	"github.com/lethe-deid/lethe/data/wordlists"
	"github.com/lethe-deid/lethe/deid/surrogate"
	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// This file finds names behind words that announce one, also those that are ordinary words in lower case: hi my name is summer rain. It finds names in the field of a form that spaces
// divide: M a r g a r e t  L u n d, Marga ret Lu nd.

// clinicianTitles are the titles of clinicians who call.
const clinicianTitles = `nurse|dr|doctor|la enfermera|el doctor|la doctora`

var (
	// nameIs matches what a name follows in any case.
	nameIs = lazyregexp.New(`(?i)(?:\b(?:(?:my|his|her|their|the|patient['’]?s?|pt['’]?s?|client['’]?s?|caller['’]?s?|(?:son|daughter|wife|husband|mother|father|mom|mum|dad|brother|sister|partner|carer|caregiver|doctor|friend|neighbou?r)['’]?s) (?:(?:full|first|legal|preferred|married|maiden) )?name is|` +
		`me llamo|se llama|(?:mi|su) nombre(?: completo)? es|nombre (?:del|de la|de su) \pL+ es) (?:(?:um|uh|er|erm|eh|este),? )?(?:(?:nurse|dr|doctor|mr|mrs|ms|miss)\.? )?)`)
	// caller matches what the name of a caller follows if the word calling or the like stands behind it.
	caller = lazyregexp.New(`(?i)\b(?:this is|le habla|soy) (?:(?:um|uh|er|erm|eh|este),? )?(?:(?:` + clinicianTitles + `|mr|mrs|ms|miss)\.? )?`)
	// clinicianBefore matches the title of a clinician at the end of a text.
	clinicianBefore = lazyregexp.New(`(?i)\b(?:` + clinicianTitles + `)\.? $`)
	// callers matches what stands behind the name of a caller.
	callers = lazyregexp.New(`^ (?i:(?:calling|phoning|ringing|returning your call|llamando|le llamo|llamo)\b)`)
	// relativeOf matches a relative of somebody, whose name may follow.
	relativeOf = lazyregexp.New(`(?i)\b(?:his|her|their|my|patient['’]?s|pt['’]?s) (?:(?:adult|eldest|elder|older|oldest|younger|youngest|foster|step|late|ex|estranged)[ -])?(?:son|daughter|wife|husband|spouse|mother|father|mom|mum|dad|brother|sister|niece|nephew|grandson|granddaughter)(?:,? (?:named|called))?,? |` +
		`\b(?:su|mi) (?:hij[oa]|espos[oa]|marido|mujer|madre|padre|herman[oa]|niet[oa]|sobrin[oa])(?:,? llamad[oa])?,? `)
	// spokenWord matches the next word of a name.
	spokenWord = lazyregexp.New(`^ ?(\pL[\pL\pM'’]*(?:-\pL[\pL\pM'’]*)*)`)
)

// announcement is a sort of words before a name.
type announcement int

const (
	byName announcement = iota
	byCaller
	byRelative
	announcements // their number
)

// announcing has the expressions of announcements, and announcingWords the words of which each match of one has one.
var (
	announcing      = [announcements]*lazyregexp.Regexp{nameIs, caller, relativeOf}
	announcingWords = func() map[string]announcement {
		words := map[string]announcement{}
		for a, list := range []string{"name nombre llama llamo", "this habla soy",
			"son daughter wife husband spouse mother father mom mum dad brother sister niece nephew grandson granddaughter " +
				"hija hijo esposa esposo marido mujer madre padre hermana hermano nieta nieto sobrina sobrino"} {
			for word := range strings.FieldsSeq(list) {
				words[word] = announcement(a)
			}
		}
		return words
	}()
	announcingStarts = newStarts(slices.Collect(maps.Keys(announcingWords))...)
)

// maxAnnouncing is the length of the longest of announcingWords.
const maxAnnouncing = len("granddaughter")

// maxCall is how many bytes behind the word of an announcement the words of callers end at most, and calling matches one of them.
const maxCall = maxAnnouncement + maxCaller*maxSaidWord + maxCallers

var calling = lazyregexp.New(`calling|phoning|ringing|returning your call|llamando|llamo`)

// SaidNames returns the names of persons behind words that announce one, in the order of the text. The spans have the type PATIENT, or DOCTOR behind the title of a clinician who calls.
func SaidNames(text string) (all []data.Span) {
	add := func(from, to int) {
		s := data.Span{Start: from, End: to, Type: "PATIENT", Score: 1}
		if clinicianBefore.MatchString(lastBytes(text[:from], 16)) {
			s.Type = "DOCTOR"
		}
		all = append(all, s)
	}
	announced := announcedIn(text)
	for _, m := range announced[byName] {
		if words := saidWords(text, m[1]); len(words) > 0 && !unnamed[fold.Fold(words[0].text)] {
			if n := saidName(words); n > 1 || isSaid(words[0].text) {
				add(m[1], words[n-1].end)
			}
		}
	}
	for _, m := range announced[byCaller] {
		words := saidWords(text, m[1])
		for n := 1; n <= len(words) && n <= maxCaller; n++ {
			if callers.MatchString(firstBytes(text[words[n-1].end:], maxCallers)) && isNameOfCaller(words[:n]) {
				add(m[1], words[n-1].end)
			}
		}
	}
	for _, m := range announced[byRelative] {
		words := saidWords(text, m[1])
		if len(words) < 2 || verbs[fold.Fold(words[0].text)] || !isSaid(words[0].text) || !maySurname(words[1].text) {
			continue
		}
		add(m[1], words[saidName(words)-1].end)
	}
	return all
}

// maxAnnouncement bounds what announcedIn looks at before and behind a word.
const maxAnnouncement = 64

// announcedIn returns the matches of each expression of announcing in a text, like FindAllStringIndex, but looks only around the words of announcingWords.
func announcedIn(text string) (found [announcements][][]int) {
	lower := lowerASCII(text)
	var done [announcements]int
	for at := 0; at < len(lower); at++ {
		if !isLower(lower[at]) {
			continue
		}
		start := at
		for at < len(lower) && isLower(lower[at]) {
			at++
		}
		if at-start > maxAnnouncing || !announcingStarts.has(lower[start:at]) {
			continue
		}
		by, ok := announcingWords[lower[start:at]]
		if !ok || start < done[by] || by == byCaller && !calling.MatchString(firstBytes(lower[start:], maxCall)) {
			continue
		}
		from, to := around(text, start, maxAnnouncement, maxAnnouncement)
		if from > 0 { // perhaps within a word
			from += strings.IndexFunc(text[from:start], unicode.IsSpace) + 1
		}
		from = max(done[by], from)
		if m := announcing[by].FindStringIndex(text[from:to]); m != nil && from+m[1] > start {
			done[by] = from + m[1]
			found[by] = append(found[by], []int{from + m[0], done[by]})
		}
	}
	return found
}

// said is a word behind one that announces a name.
type said struct {
	text string
	end  int // in the whole text
}

// maxSaid is the maximum number of words of a name that is said, maxCaller that of a caller, maxSaidWord the maximum length of one with the blank before it in bytes, and maxCallers that of what
// stands behind a caller.
const (
	maxSaid     = 4
	maxCaller   = 3
	maxSaidWord = 48
	maxCallers  = 24
)

// saidWords returns the next words of a text that nothing but single blanks divide.
func saidWords(text string, at int) (words []said) {
	for len(words) < maxSaid {
		near := firstBytes(text[at:], maxSaidWord)
		m := spokenWord.FindStringSubmatchIndex(near)
		if m == nil || m[1] < len(near) && near[m[1]] == '/' || len(words) > 0 && m[2] == 0 {
			break
		}
		words, at = append(words, said{near[m[2]:m[3]], at + m[1]}), at+m[1]
	}
	return words
}

// saidName returns how many of some words, of which the first one belongs to a name, do. A second ordinary word that is a surname is the last one.
func saidName(words []said) int {
	n, surname := 1, false
	for k := 1; k < len(words); k++ {
		switch word := words[k].text; {
		case isParticle(word) && k+1 < len(words) && maySurname(words[k+1].text):
		case verbs[fold.Fold(word)], wordlists.Common(fold.Fold(word)) && surname, !maySurname(word) && (surname || !isSaid(word)):
			return n
		default:
			surname = surname || maySurname(word) && !surrogate.IsFirstName(word)
			n = k + 1
		}
	}
	return n
}

// isSaid reports whether a word may be a first name, or is no ordinary word.
func isSaid(word string) bool {
	return utf8.RuneCountInString(word) > 1 && (surrogate.IsFirstName(word) || !wordlists.Common(fold.Fold(word)) && !unnamed[fold.Fold(word)])
}

// maySurname reports whether a word is a surname, which may be an ordinary word as well.
func maySurname(word string) bool { return isKnownSurname(word) || alsoSurnames[fold.Fold(word)] }

// isNameOfCaller reports whether words before calling are a name: the first one may be no article or the like, and one of them is a name.
func isNameOfCaller(words []said) bool {
	name := false
	for _, w := range words {
		if unnamed[fold.Fold(w.text)] {
			return false
		}
		name = name || surrogate.IsFirstName(w.text) || maySurname(w.text)
	}
	return name
}

var (
	// alsoSurnames are ordinary words that are surnames, and on no list of these.
	alsoSurnames = wordlists.Set(`ash beach bird bloom bond boss bow bright cash coin cove crow drew early eagle farmer field fisher flood forest fountain friday frost game garden gold good grace grass
		grave guy hammer harvest hawk heart holiday honey horn joy july keys lake light lightning line lion lock lord loud major may means miles money monday mountain nail night noble noon ocean outlaw
		paradise peace penny pepper pool power powers profit purple rain rainbow rainey raven rich right river rock room sand sea self shadow sharp shore silver silk sky snow soldier spark
		spring star state steel storm street summer sunday sunshine swallow sweet tea thorn thunder tower town trip tree truth valentine vine violet weeks whisper wild wind wine winter wolf wonder word worth
		amor bosque cielo clavel fuego lago mar montana nieve nube oro paz plata playa rosal sol tierra viento`)
	// unnamed are words that begin no name where one is announced.
	unnamed = wordlists.Set(`abbreviated added anglicized anonymised anonymized blacked blurred capitalized concealed cropped crossed duplicated engraved entered garbled handwritten hyphenated illegible
		mispronounced misprinted mistyped obscured obliterated printed pronounced pseudonymised pseudonymized redacted romanized scanned scribbled scratched shortened smeared smudged tattooed transliterated
		transposed truncated typed undisclosed unpronounceable unreadable unverified withheld whited written a about actually again all already also always an and another any as at be because been being both but calling changed correct correctly dated different for from going had hard has have he her here
		his how i if important in incorrect incorrectly is it its just kept known left listed long lost mine missing misspelled misspelt my never no none not now of off on one only or our out pending please private
		really same she similar so some somebody someone something spelled spelt still that the their there they this to too unavailable under unknown unclear up urgent very was we well what when where which who why
		with wrong your you im ive um uh er erm eh este id dob mrn ssn nhs tel ph phone
		al asi como con correcta correcto de del desconocida desconocido desde diferente distinto el ella en es esta este incorrecto igual la lo los las mal mas me mi muy no otra otro para parecido pero por porque que se dni nhc nacida nacido
		si sin su sus tambien todo una uno y ya`)
	// verbs are names, too.
	verbs = wordlists.Set("can had has may means might must will")
)

var (
	// nameField matches the label of the name of a patient, and what stands behind it on the line.
	nameField = lazyregexp.New(`(?im)(?:^|[|;,\t(>]|  )[ \t]*((?:(?:patient|pt|client|resident|member)(?:['’]?s)?(?: (?:full|legal|last|first))? |full |last |first |sur|family )?name|name of (?:the )?patient|patient|paciente|(?:nombres?|apellidos?)(?: y (?:nombres?|apellidos?)| completo)?(?: (?:del|de la) paciente)?)[ \t]*[:=][ \t]*([^\n\r|;:]{3,80})(:?)`)
	// nameLabels are the last words of such labels.
	nameLabels = wordlists.Set("name surname patient paciente nombre nombres apellido apellidos completo")
	// lastWords matches the words of a label at the end of a field.
	lastWords = lazyregexp.New(`(?: {2,}| )[\pL./#()-]+(?: (?:of|de|no\.?|#)(?: [\pL.]+)?)?[ \t]*$`)
	// ofLetters matches a name between whose letters blanks stand.
	ofLetters = lazyregexp.New(`^\pL(?:[ \t]{1,4}[\pL.,'’-]){3,60}(?:[ \t,]|$)`)
	// ofParts matches a name of words, and nothing else.
	ofParts = lazyregexp.New(`^\p{Lu}[\pL\pM'’-]*(?:,? [\pL\pM'’.-]+){1,7}[ \t.,]*$`)
)

// DividedNames returns the names of patients in the fields of forms that spaces divide, up to the next label or the end of the line. The spans have the type PATIENT.
func DividedNames(text string) (all []data.Span) {
	at := 0
	for line := range strings.Lines(text) {
		if mayHaveNameField(line) {
			for _, s := range dividedNames(line) {
				all = append(all, data.Span{Start: at + s.Start, End: at + s.End, Type: s.Type, Score: s.Score})
			}
		}
		at += len(line)
	}
	return all
}

// mayHaveNameField is a cheap test that all lines with a nameField pass: a word of nameLabels stands before a colon or an equals sign.
func mayHaveNameField(line string) bool {
	for at := range len(line) {
		if line[at] != ':' && line[at] != '=' {
			continue
		}
		label := strings.ToLower(lastBytes(strings.TrimRight(line[:at], " \t"), len("apellidos")))
		if nameLabels[label[strings.LastIndexFunc(label, noLetter)+1:]] {
			return true
		}
	}
	return false
}

// dividedNames is DividedNames for one line.
func dividedNames(line string) (all []data.Span) {
	for _, m := range nameField.FindAllStringSubmatchIndex(line, -1) {
		label, from, to := fold.Fold(line[m[2]:m[3]]), m[4], m[5]
		if m[6] < m[7] { // another label
			to = from + len(line[from:to]) - len(lastWords.FindString(line[from:to]))
		}
		value := line[from:to]
		switch spaced := strings.TrimRight(ofLetters.FindString(value), " \t,"); {
		case spaced != "":
			all = append(all, patient(line, from, from+len(spaced)))
		case unnamed[fold.Fold(value[:wordLength(value)])]:
		case (strings.Contains(label, " ") || strings.HasPrefix(label, "apellido")) && ofParts.MatchString(value) && isDivided(strings.FieldsFunc(value, notInWord)):
			all = append(all, patient(line, from, to))
		}
	}
	return all
}

// isDivided reports whether the words of a field are a name with blanks in its words: one that is no particle is in lower case, and no ordinary word of four letters or more is.
func isDivided(words []string) bool {
	divided := false
	for _, word := range words {
		if r, _ := utf8.DecodeRuneInString(word); !unicode.IsLower(r) || isParticle(word) {
			continue
		}
		if utf8.RuneCountInString(word) > 3 && wordlists.Common(fold.Fold(word)) {
			return false
		}
		divided = true
	}
	return divided
}
