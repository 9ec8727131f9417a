package safetynet

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/wordlists"
	"github.com/lethe-deid/lethe/deid/surrogate"
	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// This file recognizes names in titles and in short texts of one line: James Wilson - Progress Note. A dash, a colon or a bar divides the text, or a word for a
// document stands beside the name. In longer texts it finds a surname, a comma and a first name that begin a line: "Smith, John: stable".

// Names returns the names of persons in a text that is nothing but a name, or a title with one, and those that begin the lines of a text as in a list of
// patients. The spans have the type PATIENT, and are sorted.
func Names(text string) []data.Span {
	if whole, ok := FullName(text); ok {
		return []data.Span{whole}
	}
	if line := strings.TrimSpace(text); len(line) <= maxTitle && !strings.ContainsAny(line, "\n\r") {
		return inTitle(text)
	}
	var all []data.Span
	start := 0
	for line := range strings.Lines(text) {
		if near := firstBytes(line, maxFullName+3); strings.Contains(near, ",") {
			if head, _, ok := divide(near); ok && strings.Contains(head, ",") && isListed(strings.TrimSpace(head)) {
				all = append(all, patient(text, start, start+len(head)))
			}
		}
		start += len(line)
	}
	return all
}

// maxTitle is the length of a title in bytes.
const maxTitle = 100

// patient returns the name in text[from:to], without the white space around it.
func patient(text string, from, to int) data.Span {
	c := trimmed(text, cell{from, to})
	return data.Span{Start: c.start, End: c.end, Type: "PATIENT", Score: 1}
}

// division matches what divides a title.
var division = lazyregexp.New(` ?[–—:;|()\[\]] ?| -{1,2} ?|- | / `)

// divide returns the parts of a text before and after its first division.
func divide(text string) (before, after string, ok bool) {
	from := strings.IndexAny(text, "–—:;|()[]-/")
	if from < 0 {
		return text, "", false
	}
	from = max(0, from-1) // a blank before a sign is a part of the division
	at := division.FindStringIndex(text[from:])
	if at == nil {
		return text, "", false
	}
	return text[:from+at[0]], text[from+at[1]:], true
}

// inTitle returns the names in a title. A part of a divided title is a name if it looks like one to isNamed, or to isListed beside a word for a document.
func inTitle(text string) []data.Span {
	aboutDocument := slices.ContainsFunc(strings.FieldsFunc(text, notInWord), isDocument)
	if name := fileExtension.ReplaceAllString(text, ""); name != text && (isNamed(strings.TrimSpace(name)) || isListed(strings.TrimSpace(name))) {
		return []data.Span{patient(text, 0, len(name))}
	}
	var all []data.Span
	rest := false // something is no name
	start := 0
	for part, after, more := divide(text); ; part, after, more = divide(after) {
		from, to := start, start+len(part)
		if aboutDocument {
			from, to = withoutDocument(text, from, to)
		}
		switch name := strings.TrimSpace(text[from:to]); {
		case isNamed(name), strings.Contains(name, ",") && isListed(name), aboutDocument && (isListed(name) || isFullName(name) && inLife(strings.FieldsFunc(name, notInWord)) && !ofBody(name)):
			all = append(all, patient(text, from, to))
			rest = rest || to-from < len(part)
		case strings.ContainsFunc(part, unicode.IsLetter):
			rest = true
		}
		if !more {
			break
		}
		start = len(text) - len(after)
	}
	if !rest {
		return nil
	}
	return all
}

// fileExtension matches the end of the name of a file.
var fileExtension = lazyregexp.New(extension + `\s*$`)

const extension = `\.(?i:pdf|docx?|txt|rtf|html?|xml|jpe?g|png|tiff?|dcm)`

// notInWord reports whether a character is no part of a word of a title.
func notInWord(r rune) bool { return !unicode.IsLetter(r) && r != '&' && r != '-' }

// isNamed reports whether a text is a full name, of which the surnames are known.
func isNamed(text string) bool { return isFullName(text) && consists(text, isGiven) }

// isListed reports whether a text consists of known first names and surnames in capitals or with a capital. They may be ordinary words, such as Grace Young, but no term.
func isListed(text string) bool {
	if eponyms()[termOf(strings.Join(strings.FieldsFunc(text, notInWord), " "))] {
		return false
	}
	return consists(text, func(word string) bool {
		return utf8.RuneCountInString(word) >= 3 && surrogate.IsFirstName(word) && !alsoThings[termOf(word)]
	})
}

// consists reports whether a text consists of a first name, known surnames and perhaps initials, all written in the same way and not in lower case, in one of the two orders.
func consists(text string, isFirst func(word string) bool) bool {
	last, given, comma := strings.Cut(text, ",")
	if comma {
		text = given + " " + last
	}
	words := strings.Fields(text)
	if len(words) < 2 || len(words) > maxFullNameWords || comma && (strings.TrimSpace(given) == "" || strings.TrimSpace(last) == "") {
		return false
	}
	if comma && wordlists.Common(termOf(last)) && !isKnownSurname(last) { // Consuelo, Esperanza: items
		return false
	}
	form, end := formOf(words[0]), words[len(words)-1]
	if form == mixed || form == lowered || !isFirst(words[0]) || isInitial(end) && !comma || isParticle(end) || !inLife(words) {
		return false
	}
	return !slices.ContainsFunc(words[1:], func(word string) bool {
		if isInitial(word) || isParticle(word) {
			return false
		}
		return formOf(word) != form && !strings.ContainsAny(word, "'’-") || !isKnownSurname(word) && !isFirst(word)
	})
}

// isKnownSurname reports whether a word is a known surname, or has a prefix that only surnames have. Parts between hyphens may be either.
func isKnownSurname(word string) bool {
	if surnamePrefix.MatchString(word) {
		return true
	}
	return !slices.ContainsFunc(parts(word), func(part string) bool { return !surrogate.IsSurname(part) && !surnames()[part] })
}

// surnamePrefix matches the beginning of a surname such as O'Brien, McIntosh and Al-Farsi.
var surnamePrefix = lazyregexp.New(`^(?:[OD]['’]\p{Lu}\p{L}{2}|(?i:mc\p{L}{4}|(?:al|el|abu|ben|ibn)-\p{L}{3}))`)

// surnames are those of lists/surnames.txt: frequent surnames of the United States, and others that a list of surrogates lacks.
var surnames = sync.OnceValue(func() map[string]bool { return wordlists.Set(listText("surnames")) })

// ofBody reports whether a text ends in an adjective of a part of the body: Pilar Tonsilar.
func ofBody(text string) bool {
	end := text[strings.LastIndexByte(text, ' ')+1:]
	return (strings.HasSuffix(termOf(end), "ilar") || strings.HasSuffix(termOf(end), "ular")) && !isKnownSurname(end)
}

// inLife reports whether the words of a name do not belong together as the names of saints and places, as places, as days and months with ordinary words, or as abbreviations of up to three letters.
func inLife(words []string) bool {
	if saints[termOf(words[0])] && len(words) == 2 {
		return false
	}
	names := slices.ContainsFunc(words, func(word string) bool { return !inPlaces[termOf(word)] })
	if isCalendar := func(word string) bool { return months()[termOf(word)] || seasons[termOf(word)] }; slices.ContainsFunc(words, isCalendar) {
		names = slices.ContainsFunc(words, func(word string) bool {
			return !wordlists.Common(termOf(word)) && !months()[termOf(word)] && !seasons[termOf(word)] && isKnownSurname(word)
		})
	}
	letters := 0
	return names && slices.ContainsFunc(words, func(word string) bool {
		n := utf8.RuneCountInString(word)
		letters += n
		return n > 3 || letters > 5 && formOf(word) == capitalized // Joy Lee, but not ANA PAT
	})
}

// inPlaces are first names and surnames that are states or countries, or begin the names of places, and seasons days and seasons.
var (
	inPlaces = wordlists.Set("virginia georgia carolina dakota montana washington florida texas jordan india kenya israel ireland france england holland chad cuba lebanon santa san cruz")
	saints   = wordlists.Set("san santa santo") // with one word more, a place or a hospital
	seasons  = wordlists.Set("summer winter autumn spring fall monday tuesday wednesday thursday friday saturday sunday lunes martes domingo primavera verano")
)

// withoutDocument cuts words for documents and what they are about off both ends of a part of a title.
func withoutDocument(text string, from, to int) (start, end int) {
	for {
		part := strings.TrimRightFunc(text[from:to], unicode.IsSpace)
		i := strings.LastIndexFunc(part, unicode.IsSpace) + 1
		if i == 0 || !isDocument(part[i:]) && !aroundDocument[termOf(part[i:])] {
			break
		}
		to = from + i
	}
	for {
		part := strings.TrimLeftFunc(text[from:to], unicode.IsSpace)
		word, rest, ok := strings.Cut(part, " ")
		if !ok || !isDocument(word) && !aroundDocument[termOf(word)] {
			return from, to
		}
		from = to - len(rest)
	}
}

// isDocument reports whether a word stands for a document, or for an examination that one describes.
func isDocument(word string) bool { return documents[termOf(word)] }

var documents = wordlists.Set(`note notes summary summaries report reports letter letters form forms consent results result h&p consult consultation referral record records chart
	certificate prescription authorization questionnaire scan scans mri ct cta xray x ray cxr radiograph ultrasound echo echocardiogram ecg ekg eeg emg pathology imaging labs lab
	informe informes nota notas resumen carta consentimiento analitica interconsulta epicrisis hoja volante parte receta tac tc rm rmn ecografia radiografia rx evolucion ficha
	cuestionario certificado formulario`)

// aroundDocument are words that stand beside those of documents in titles.
var aroundDocument = wordlists.Set(`progress discharge admission transfer operative procedure nursing history physical clinic visit admit death birth medical insurance intake
	head brain chest abdomen pelvis spine neck knee hip shoulder wrist ankle of for from re alta ingreso urgencias de del para sobre clinico clinica medico medica craneal cerebral
	abdominal lumbar informado quirurgico quirurgica enfermeria`)

// maxKind is the maximum length of a kind of document in bytes.
const maxKind = 60

// WithoutKinds cuts kinds of documents, such as Continuity of Care Document, off both ends of a span. A dash, a colon, a bar or an end of the line bounds them on both sides. The span is empty if nothing is left.
func WithoutKinds(text string, s data.Span) data.Span {
	if !mayHaveKinds(text[s.Start:s.End]) {
		return s
	}
	parts := titleParts(text, s)
	before := len(parts)
	for len(parts) > 0 && isKindOfDocument(text, parts[0]) {
		parts = parts[1:]
	}
	for len(parts) > 0 && isKindOfDocument(text, parts[len(parts)-1]) {
		parts = parts[:len(parts)-1]
	}
	switch {
	case len(parts) == before:
	case len(parts) == 0:
		s.End = s.Start
	default:
		s.Start, s.End = parts[0].start, parts[len(parts)-1].end
	}
	return s
}

// mayHaveKinds reports whether a name may begin or end with the kind of a document. All such names pass.
func mayHaveKinds(name string) bool {
	name = strings.TrimFunc(name, isSeparator)
	first, last := name, name[strings.LastIndexFunc(name, notInWord)+1:]
	if end := strings.IndexFunc(name, notInWord); end >= 0 {
		first = name[:end]
	}
	return isInKind(termOf(first)) || isInKind(termOf(last)) || strings.Contains(name, ".") // of a file
}

// edges matches what stands between the kind of a document and the rest of a title.
var edges = lazyregexp.New(division.String() + `|[\r\n]|` + extension + `\b`)

// titleParts returns the parts of a span between its edges.
func titleParts(text string, s data.Span) (parts []cell) {
	add := func(from, to int) {
		if strings.ContainsFunc(text[from:to], isAlnum) {
			parts = append(parts, cell{from, to})
		}
	}
	from := s.Start
	for _, edge := range edges.FindAllStringIndex(text[s.Start:s.End], -1) {
		add(from, s.Start+edge[0])
		from = s.Start + edge[1]
	}
	add(from, s.End)
	return parts
}

// isKindOfDocument reports whether a part of a title is, or is a part of, the kind of a document.
func isKindOfDocument(text string, part cell) bool {
	for _, word := range strings.FieldsFunc(text[part.start:part.end], notInWord) {
		if !isInKind(termOf(word)) {
			return false
		}
	}
	return isKind(wholePart(text, part))
}

// wholePart returns the part of a title of which a part of a span is at least a part, or nothing if it is too long.
func wholePart(text string, part cell) string {
	from, to := max(0, part.start-maxKind), min(len(text), part.end+maxKind)
	left, right := edges.FindAllStringIndex(text[from:part.start], -1), edges.FindStringIndex(text[part.end:to])
	if len(left) == 0 && from > 0 || right == nil && to < len(text) {
		return ""
	}
	if len(left) > 0 {
		from += left[len(left)-1][1]
	}
	if right != nil {
		to = part.end + right[0]
	}
	return text[from:to]
}

// isKind reports whether a text of several words is the kind of a document: all are known from such kinds, and one of them stands for a document.
func isKind(text string) bool {
	words := strings.FieldsFunc(text, notInWord)
	if len(words) < 2 || strings.ContainsAny(text, ",0123456789") || termOf(words[0]) == "clinica" { // Clínica del Alta
		return false
	}
	if kindsOfDocuments[termOf(strings.Join(words, " "))] {
		return true
	}
	document := false
	for _, word := range words {
		term := termOf(word)
		if !isInKind(term) {
			return false
		}
		document = document || (documents[term] || inKinds[term] && endsKind[term]) && len(term) > 3 // CT may be Connecticut
	}
	return document
}

// isInKind reports whether a folded word may stand in the kind of a document.
func isInKind(term string) bool { return documents[term] || aroundDocument[term] || inKinds[term] }

// kindsOfDocuments are kinds without a word for a document, inKinds words of others, and endsKind those that stand for a document only here.
var (
	kindsOfDocuments = phrasesOf(`consolidated_cda history_and_physical history_&_physical history_and_physical_examination plan_of_care health_summary patient_health_summary patient_health_record personal_health_record care_plan treatment_plan continuity_of_care transition_of_care transitions_of_care
		historia_clinica historia_clinica_digital historia_clinica_resumida plan_de_cuidados plan_de_tratamiento continuidad_de_cuidados continuidad_asistencial curso_clinico`)
	inKinds = wordlists.Set(`care continuity transition transitions and & after patient encounter diagnostic office outpatient inpatient emergency department surgical surgery anesthesia nurse nurses unstructured structured initial
		evaluation assessment telephone final addendum daily medication medications problem problems immunization immunizations document documents instructions list ccd cda consolidated
		cuidado cuidados continuidad transicion asistencial hospitalaria hospitalario clinica historia resumida digital seguimiento ambulatorio ambulatoria y e anestesia paciente atencion primaria valoracion tratamiento
		documento documentos instrucciones lista medicacion problemas quirofano`)
	endsKind = wordlists.Set("document documents instructions list documento documentos instrucciones lista")
)
