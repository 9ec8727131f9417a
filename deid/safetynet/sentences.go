package safetynet

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/wordlists"
	"github.com/lethe-deid/lethe/deid/surrogate"
	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// This file finds the words of a sentence in what was taken for a person's name: "Luis Pérez. Niega alergias" behind a label, or "Continuar con la dieta" in
// "Indicaciones al paciente: Continuar con la dieta".

// WithoutSentences returns what is left of a person's span without words of sentences: those at its beginning, if it stands behind a label with a colon, and those
// behind a full stop in it. They begin with one of a few words that are no names, and consist of ordinary words only. The result is empty if nothing is left.
func WithoutSentences(text string, s data.Span) []data.Span {
	words := split(text[s.Start:s.End])
	label := strings.HasSuffix(strings.TrimRight(lastBytes(text[:s.Start], 4), " \t"), ":")
	shouted := !strings.ContainsFunc(text[s.Start:s.End], unicode.IsLower)
	var parts []data.Span
	part := s // that is no sentence, or its end is not known yet
	for i := 0; i < len(words); i++ {
		if !openings[words[i].fold] || (i > 0 || !label) && !afterStop(text[s.Start:], words, i) {
			continue
		}
		end := endOfSentence(text[s.Start:], words, i, shouted)
		if mayBeNames(text[s.Start:], words[i:end], shouted) ||
			i == 0 && end < len(words) && (!leadsToName(words[end-1], shouted) || strings.Contains(text[s.Start+words[end-1].end:s.Start+words[end].start], ",")) {
			continue
		}
		if i > 0 {
			part.End = s.Start + words[i-1].end
			parts = append(parts, part)
			part.End = s.End
		}
		if end == len(words) {
			return parts
		}
		part.Start = s.Start + words[end].start
		i = end - 1
	}
	return append(parts, part)
}

// WithoutClauseBeforeStreet returns what is left of a person's span in capitals before a street without the clause that leads to the street and ends in a preposition: nothing of "TRAS CAIDA EN",
// and the name of "ANA EN".
func WithoutClauseBeforeStreet(text string, s data.Span) data.Span {
	words := split(text[s.Start:s.End])
	if len(words) == 0 || !beforePlaces[words[len(words)-1].fold] || strings.ContainsFunc(text[s.Start:s.End], unicode.IsLower) {
		return s
	}
	for i, w := range words {
		if !isOfClause(w) || i > 0 && isTitle(words[i-1].fold) && !domiciled[w.fold] {
			if n := len(words) - 1; n > 0 {
				s.End = s.Start + words[n-1].end
			}
			return s
		}
	}
	s.End = s.Start
	return s
}

// IsSaintOfInstitution reports whether a date behind the abbreviation of an institution is the saint of its name: Clin. San José.
func IsSaintOfInstitution(text string, institution, date data.Span) bool {
	return strings.Trim(text[institution.End:date.Start], ". ") == "" && date.Start-institution.End <= len(". ") &&
		shortInstitution.MatchString(text[institution.Start:institution.End]) && saint.MatchString(text[date.Start:date.End])
}

var (
	shortInstitution = lazyregexp.New(`^(?:(?i:cl[íi]n|sanat|hosp|htal|hptal|policl?|ctro|cons|inst|resid)|(?:\p{Lu}\.){0,5}\p{Lu})\.?$`)
	saint            = lazyregexp.New(`^(?i:san|santa|santo|sta\.?|sto\.?|todos los santos|la (?:virgen|inmaculada|asunci[óo]n|merced)|virgen)(?: [^\d\n]*)?$`)
)

// isOfClause reports whether a word in capitals is one of a clause that leads to a street, and no name. Most ordinary words may be names before a street, so only known ones count.
func isOfClause(w word) bool {
	return beforePlaces[w.fold] || leading[w.fold] || fillers[w.fold] || openings[w.fold] && !surnamesToo[w.fold] || domiciled[w.fold] || clauseBeforeStreet[w.fold] || bodyInClause[w.fold]
}

var (
	// domiciled are words before an address, behind which no name stands.
	domiciled = wordlists.Set("domiciliada domiciliado empadronada empadronado residente vive vivia vivienda transito irradiacion traslado trasladada trasladado")
	// clauseBeforeStreet are words of accidents and complaints, and of how somebody was found.
	clauseBeforeStreet = wordlists.Set(`abdominal accidentada accidentado accidente aguda agudo agredida agredido agresion arma asistida asistido atendida atendido atropellada atropellado atropello bicicleta
		cae caida caidas casual cayo choque coche colision conocimiento consciencia conciencia contusion convulsion convulsiones crisis debutado desmayo desmayada desmayado desorientada desorientado disparo
		domicilio encontraba encontrada encontrado encuentra encuentran escalera escaleras esguince fractura fuego golpe hallada hallado herida heridas incendio inconsciente intensa intenso intoxicacion laboral
		leve localizada localizado mareo mordedura moto motocicleta paciente pacientes parada patinete pelea perdida quemadura recogida recogido reside residia robo sincope sincopal suelo sufrio torcedura
		trafico trauma traumatica traumatico traumatismo tropieza tropezon via publica`)
	// bodyInClause are parts of the body.
	bodyInClause = wordlists.Set(`abdomen antebrazo brazo cadera cara codo costado craneo cuello dedo dedos derecha derecho espalda hombro izquierda izquierdo lumbar mano manos muneca muslo pelvis pie pies pierna piernas
		rodilla rodillas tobillo torax`)
)

// beforePlaces are prepositions that stand before places.
var beforePlaces = wordlists.Set("a al at desde en frente hacia in junto near on por sobre tras")

// mayBeNames reports whether the words of a sentence may be names: all are surnames elsewhere, or are openings that are capitalized as the parts of a name are.
func mayBeNames(text string, words []word, shouted bool) bool {
	surnames, capitalized := true, len(words) > 1 && !shouted
	for _, w := range words {
		surnames, capitalized = surnames && surnamesToo[w.fold], capitalized && w.capitalized && openings[w.fold]
	}
	return surnames || capitalized && !strings.ContainsAny(text[words[0].end:words[len(words)-1].start], ",.;:")
}

// endOfSentence returns the word behind the last one of the sentence that begins with word i. Behind a word that leads to a person, only words in lower case belong to
// the sentence, if upper case tells them from names: "Continuar con la dieta", but neither "Acude con su hija Grave" nor "valorada por grave".
func endOfSentence(text string, words []word, i int, shouted bool) int {
	led := false
	for end := i + 1; end < len(words); end++ {
		w := words[end]
		switch {
		case leading[w.fold] || isTitle(w.fold):
			led = true
		case fillers[w.fold]:
		case !isPlainWord(text, w, shouted) && !sentenceWords[w.fold] && !openings[w.fold],
			led && (w.capitalized || !words[i].capitalized || shouted):
			return end
		}
	}
	return len(words)
}

// leadsToName reports whether a name may follow a word of a sentence: "Llamar a Ainara Peña", but not "Varón Peña", which is all a name.
func leadsToName(w word, shouted bool) bool {
	return !openings[w.fold] && (shouted || !w.capitalized)
}

// afterStop reports whether a full stop or a semicolon divides word i from the one before it, which is no initial or abbreviation.
func afterStop(text string, words []word, i int) bool {
	if i == 0 {
		return false
	}
	w := words[i-1]
	return utf8.RuneCountInString(w.fold) >= shortestLast && !isTitle(w.fold) && strings.ContainsAny(strings.TrimSpace(text[w.end:words[i].start]), ".;")
}

// shortestLast is the number of letters that the last word of a name has at least: M.ª and D. are abbreviations.
const shortestLast = 3

// isPlainWord reports whether a word is an ordinary one and no name. It is in lower case, unless all of the text is in capitals.
func isPlainWord(text string, w word, shouted bool) bool {
	if w.digits || !shouted && strings.ContainsFunc(text[w.start:w.end], unicode.IsUpper) {
		return false
	}
	return wordlists.Common(w.fold) && !surrogate.IsFirstName(w.fold) && !surrogate.IsSurname(w.fold)
}

// surnamesToo are those of the openings that are surnames elsewhere. They count only beside another word of a sentence.
var surnamesToo = wordlists.Set("fc grave no plan sin stable ta tomar varon")

// openings are words that begin a sentence or a list behind a name or behind "paciente:", and are no names. sentenceWords may follow them with a capital, too.
var (
	openings = wordlists.Set(`niega acude refiere presenta ingresa viene trabaja fuma tiene padece sufre continua permanece evoluciona tolera solicita precisa requiere
		recibe explica comenta aporta entiende acepta comprende autoriza rechaza deambula camina duerme orina consciente orientado orientada colaborador colaboradora afebril eupneico
		eupneica estable grave asintomatico asintomatica diagnosticado diagnosticada operado operada intervenido intervenida ingresado ingresada derivado derivada remitido remitida
		valorado valorada tratado tratada fumador fumadora exfumador exfumadora hipertenso hipertensa diabetico diabetica alergico alergica alergias antecedentes diagnostico
		diagnosticos sexo edad mujer varon masculino femenino lactante sin no motivo exploracion analitica tratamiento plan ta fc dolor fiebre cefalea disnea tos
		vomitos reposo dieta continuar beber tomar evitar mantener seguir acudir realizar comer caminar vigilar consultar suspender reducir dejar usar aplicar
		volver abandonar descansar limitar aumentar iniciar retirar cambiar medir registrar controlar ingerir respetar elevar colocar cumplir llamar observar ajustar mejor
		peor hidratacion ejercicio paracetamol desconocido desconocida
		denies reports presents complains states admitted diagnosed allergies diagnosis continue avoid drink stable unknown`)
	sentenceWords = wordlists.Set(`consta conocidas conocidos alergia alta alto aguda agudo cronica cronico leve moderado moderada blanda relativo absoluto refiere incidencias dosis
		abdominal toracico lumbar`)
	// leading are prepositions behind which a person may stand in a sentence. An article or a title may stand between.
	leading = wordlists.Set(`a al by con de del from por to with`)
	// fillers are other words of sentences that are no names.
	fillers = wordlists.Set(`e el en la las los o que se su sus un una y the`)
)
