package safetynet

import (
	"iter"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/fold"
	"github.com/lethe-deid/lethe/data/wordlists"
	"github.com/lethe-deid/lethe/deid/surrogate"
	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// This file finds names in short Spanish sentences without a label: questions and commands to an assistant, lists and messages. A first name and a surname beside each other are a name wherever they
// stand, and a single name where the words before it are said of a person only: la creatinina de Quispe, ¿puede Quispe tomar ibuprofeno? Words before an eponym are not among them.

// AskedNames returns the names of persons in a Spanish text that are first names with surnames, two surnames, or alone behind words that ask for a person, employers behind words for their employees, and the name that signs a note (signature.go). The spans have the types
// PATIENT, DOCTOR and ORGANIZATION.
func AskedNames(text string) (all []data.Span) {
	var s sentenceOfNames
	s.text = text
	for w := range lettersOf(text) {
		if s.push(w); s.n > s.now+maxAsked {
			all = s.name(all)
		}
	}
	for s.now < s.n {
		all = s.name(all)
	}
	if signer, ok := signature(text); ok && (len(all) == 0 || all[len(all)-1].End <= signer.Start) {
		all = append(all, signer)
	}
	return all
}

// maxAsked is the maximum number of words of a name, maxCue that of words before it that matter, and maxAsks that of words between the sign at the beginning of a question and its verb. keptWords
// is the number of words that are kept, a power of two. A word takes the place of the one that stands so many words before it, so none may be asked for that is keptWords-maxAsked or more words before the next one.
const (
	maxAsked  = 5
	maxCue    = 3
	maxAsks   = 5
	keptWords = 16
)

// sentenceOfNames has the words around the next one that may begin a name.
type sentenceOfNames struct {
	text   string
	words  [keptWords]askedWord
	n, now int // of all words so far, and of those that were looked at
}

// askedWord is a word with its form. Its folded form is made when it is needed.
type askedWord struct {
	start, end int
	form       form
	joined     bool // a blank is all that is between it and the word before
	folded     string
}

// lettersOf returns the runs of letters in a text with the hyphens and apostrophes between them.
func lettersOf(text string) iter.Seq[cell] {
	return func(yield func(cell) bool) {
		start := -1
		for i, r := range text {
			inside := unicode.IsLetter(r) || unicode.IsMark(r) ||
				start >= 0 && strings.ContainsRune("-'’", r) && unicode.IsLetter(firstRune(text[i+utf8.RuneLen(r):]))
			switch {
			case inside && start < 0:
				start = i
			case !inside && start >= 0:
				if !yield(cell{start, i}) {
					return
				}
				start = -1
			}
		}
		if start >= 0 {
			yield(cell{start, len(text)})
		}
	}
}

// push adds the next word.
func (s *sentenceOfNames) push(c cell) {
	w := askedWord{start: c.start, end: c.end, form: formOf(s.text[c.start:c.end])}
	if s.n > 0 {
		w.joined = s.text[s.at(s.n-1).end:c.start] == " "
	}
	if before := lastRune(s.text[:c.start]); strings.ContainsAny(s.text[c.start:c.end], "ºª") || unicode.IsDigit(before) || strings.ContainsRune("@_/\\", before) || unicode.IsDigit(firstRune(s.text[c.end:])) {
		w.form, w.joined = mixed, false // a part of a code or an address
	}
	*s.at(s.n) = w
	s.n++
}

// at returns a word, which must be one of the last.
func (s *sentenceOfNames) at(i int) *askedWord { return &s.words[i&(keptWords-1)] }

func (s *sentenceOfNames) word(i int) string { return s.text[s.at(i).start:s.at(i).end] }

// before returns the folded word n words before word i, or nothing if there is none or something other than blanks is between any of them.
func (s *sentenceOfNames) before(i, n int) string {
	if i-n < 0 {
		return ""
	}
	for k := i - n + 1; k <= i; k++ {
		if !s.at(k).joined {
			return ""
		}
	}
	return s.fold(i - n)
}

// after returns the folded word behind word i, which a blank divides from it.
func (s *sentenceOfNames) after(i int) string {
	if i+1 >= s.n || !s.at(i+1).joined {
		return ""
	}
	return s.fold(i + 1)
}

func (s *sentenceOfNames) fold(i int) string {
	w := s.at(i)
	if w.folded == "" {
		w.folded = fold.Fold(s.word(i))
	}
	return w.folded
}

// name appends the name that begins with the next word, if one does, and goes on behind it.
func (s *sentenceOfNames) name(all []data.Span) []data.Span {
	i := s.now
	if n := s.employer(i); n > 0 {
		s.now += n
		return append(all, data.Span{Start: s.at(i).start, End: s.at(i + n - 1).end, Type: "ORGANIZATION", Score: guess})
	}
	n := s.length(i)
	if s.now += max(1, n); n > 0 {
		name := data.Span{Start: s.at(i).start, End: s.at(i + n - 1).end, Type: "PATIENT", Score: guess}
		if b := fold.Fold(lastBytes(s.text[:name.Start], len("Dra. "))); strings.HasSuffix(b, "dr. ") || b == "dra. " || strings.HasSuffix(b, "dr ") || strings.HasSuffix(b, "dra ") {
			name.Type = "DOCTOR"
		}
		all = append(all, name)
	}
	return all
}

// length returns the number of words of the name that begins with word i, or 0.
func (s *sentenceOfNames) length(i int) int {
	switch w := s.at(i); {
	case w.form == lowered || w.form == capitals:
		return s.uniformLength(i)
	case w.form != capitalized || w.end-w.start < len("Ana") || s.isOfThing(i):
		return 0
	}
	n := s.extended(i)
	if trademark(s.text[s.at(i+n-1).end:]) {
		return 0
	}
	if n > 1 && !isNameOfThing(s.text[s.at(i).start:s.at(i+n-1).end]) && s.isPair(i) {
		return n
	}
	if cue := s.cueOf(i); cue != noCue && s.isAlone(i, cue) {
		return max(1, n)
	}
	return 0
}

// employer returns the number of words of the employer that begins with word i, or 0: empleada de Coca-Cola. One of its words is no ordinary one.
func (s *sentenceOfNames) employer(i int) int {
	if f := s.at(i).form; f != capitalized && f != capitals || s.before(i, 1) != "de" || !ofEmployers[s.before(i, 2)] || programmes[s.fold(i)] {
		return 0
	}
	n, named := 0, false
	for ; n < maxAsked && i+n < s.n && (n == 0 || s.at(i+n).joined) && (s.at(i+n).form == capitalized || s.at(i+n).form == capitals); n++ {
		f := s.fold(i + n)
		named = named || employers[f] || utf8.RuneCountInString(f) > 2 && !ordinary(f) && !ordinary(strings.TrimSuffix(f, "s")) && !ordinary(strings.TrimSuffix(f, "es")) && !notAsked[f] && !endingOfDepartment.MatchString(f)
	}
	if !named {
		return 0
	}
	return n
}

// endingOfDepartment matches the endings of departments and tasks, of which somebody may be in charge: vacunatorio, esterilización.
var endingOfDepartment = lazyregexp.New(`(?:torio|torios|cion|ciones|logia|terapia|metria|miento|mientos|eria)$`)

// extended returns the number of words from i that may all be of a name: surnames and first names with a capital, and particles between them.
func (s *sentenceOfNames) extended(i int) int {
	n := 1
	for k := i + 1; k < s.n && k < i+maxAsked && s.at(k).joined; k++ {
		switch {
		case s.at(k).form == lowered && isParticle(s.fold(k)):
		case s.at(k).form == capitalized && (s.isFirst(k) || s.isLast(k)):
			n = k - i + 1
		default:
			return n
		}
	}
	return n
}

// isFirst reports whether a word is a first name and no ordinary word, and isLast whether it is a surname or may be nothing else.
func (s *sentenceOfNames) isFirst(i int) bool { return isGiven(s.word(i)) && !notAsked[s.fold(i)] }

func (s *sentenceOfNames) isLast(i int) bool {
	f := s.fold(i)
	if notAsked[f] || labelsBehind[f] || wordlists.Eponym(f) || isOnlyDisease(f) || occupations()[f] || occupationEnding.MatchString(f) && !s.isListed(i) {
		return false
	}
	return s.isListed(i) || utf8.RuneCountInString(f) > 3 && !ordinary(f) && !likeOrdinary(f)
}

// labelsBehind are labels that follow a name on the same line.
var labelsBehind = wordlists.Set("tfno tlfno telf tlf tel telefono movil colegiado colegiada numcol nhc nif nie dni cip nuhsa nass nss fecha edad sexo tarjeta mutua muface isfas mugeju adeslas sanitas asisa mapfre dkv domicilio direccion email correo")

// occupationEnding matches the endings of professions, which the lists have with accents.
var occupationEnding = lazyregexp.New(`(?:log[oa]s?|iatras?|istas?|grafo|tecnic[oa]|cirujan[oa])$`)

// occupations are words for what somebody is by profession, which stand behind names.
var occupations = sync.OnceValue(func() map[string]bool { return foldedEntries("es-professions", "es-medical-titles") })

// isListed reports whether a word is a known surname.
func (s *sentenceOfNames) isListed(i int) bool {
	return isKnownSurname(s.word(i)) || spanishSurnames[s.fold(i)]
}

// isPair reports whether words i and i+1 are a first name and a surname, or two surnames, or words with particles between them are.
func (s *sentenceOfNames) isPair(i int) bool {
	k := i + 1
	for isParticle(s.fold(k)) && s.at(k).form == lowered {
		k++
	}
	switch f, last := s.fold(i), s.fold(k); {
	case notAsked[f] || wordlists.Eponym(f):
		return false
	case s.isFirst(i):
		return k == i+1 || s.isListed(k) && !ordinary(last)
	case surrogate.IsFirstName(f) || s.isListed(i) && !ordinary(f): // Rocío Vega, Soto Vega
		return k == i+1 && s.isListed(k) && !ordinary(last) && !alsoThings[f] && !wordlists.Frequent(f)
	}
	return false
}

// uniformLength is length for a word in lower case or in capitals. Behind words that ask for a person, the surname may be an ordinary word; one in capitals elsewhere must be known.
func (s *sentenceOfNames) uniformLength(i int) int {
	w := s.at(i)
	if w.end-w.start < len("luis") || i+1 >= s.n || !s.continues(i+1, w.form) || wordlists.Common(s.fold(i)) || notBeforeLowered[s.before(i, 1)] || !s.isFirst(i) {
		return 0
	}
	last, cued := s.fold(i+1), s.cueOf(i) != noCue
	switch listed := s.isListed(i + 1); {
	case utf8.RuneCountInString(last) < 4 || notAsked[last] || wordlists.Eponym(last) || isOnlyDisease(last) || strings.Contains(last, "-"),
		listed && ordinary(last) && !cued, !listed && (ordinary(last) || likeOrdinary(last) || endingOfAdjective.MatchString(last)), !listed && !cued && (firstsInLower[s.fold(i)] || w.form == capitals),
		isNameOfThing(s.fold(i)+" "+last) || s.isOfThing(i):
		return 0
	}
	n := 2
	for i+n < s.n && n < maxAsked && s.continues(i+n, w.form) && (s.isListed(i+n) || s.isFirst(i+n)) && !wordlists.Frequent(s.fold(i+n)) {
		n++
	}
	return n
}

// endingOfAdjective matches the endings of adjectives of medicine.
var endingOfAdjective = lazyregexp.New(`(?:[gmst]ic[oa]s?|cameral|lateral|[cd]ular)$`)

// continues reports whether a word has a form, and a blank divides it from the one before.
func (s *sentenceOfNames) continues(i int, f form) bool { return s.at(i).form == f && s.at(i).joined }

// isAbbreviated reports whether a word has a capital at its end, like IgE.
func isAbbreviated(word string) bool { return unicode.IsUpper(lastRune(word)) }

// isNameOfThing reports whether the name of a person is that of something else.
func isNameOfThing(name string) bool { return eponyms()[termOf(name)] || namesOfThings[termOf(name)] }

// namesOfThings are names of companies, products, benefits and methods that look like those of persons. Alone in a field they may be persons.
var namesOfThings = phrasesOf(`asahi_gladius carl_zeiss clement_clarke cruz_roja jack_daniels jim_beam johnnie_walker juana_azurduy mueller_hinton muller_hinton miller_payne paul_bunnell rosa_bengala rosa_mosqueta ruiz_castaneda sloan_kattering sloan_kettering smith_kline smith_kline_beecham`)

// trademark reports whether a text begins with a sign or a word that stands behind the name of a company or a product.
func trademark(text string) bool {
	text = strings.TrimLeft(firstBytes(text, 12), " ,")
	return slices.ContainsFunc(marks, func(mark string) bool { return strings.HasPrefix(text, mark) })
}

var marks = []string{"®", "™", "(R)", "Inc", "GmbH", "AG", "Ltd", "Corp"}

// isOfThing reports whether the words before a name say that it is that of a thing: Hospital Carlos Haya, síndrome de Marcus Gunn.
func (s *sentenceOfNames) isOfThing(i int) bool {
	for n := 1; n <= maxCue; n++ {
		word := s.before(i, n)
		if thingsOfNames[word] {
			return true
		}
		if !isParticle(word) && word != "y" {
			return false
		}
	}
	return false
}

// cue is what the words before a name, or behind it, say of it.
type cue int

const (
	noCue  cue = iota
	ofName     // a person if the word is a known name, otherwise anything
	ofOwn      // a person, also one whose surname is an ordinary word
	ofAny      // a person, whose name need not be known
)

// cueOf returns what the words around word i say of a name that begins there.
func (s *sentenceOfNames) cueOf(i int) cue {
	b, bb := s.before(i, 1), s.before(i, 2)
	switch b {
	case "de":
		if adjectivesOfTests[bb] {
			bb = s.before(i, 3)
		}
		switch {
		case ofMeasured[bb]:
			return ofAny
		case ofRelatives[bb]:
			return ofOwn
		case ofPatients[bb]:
			return ofName
		}
	case "a":
		if commands[bb] {
			return ofName
		}
	case "para":
		if resultsOfTests[bb] {
			return noCue
		}
		if weighed.MatchString(firstBytes(s.text[s.at(i).end:], 16)) {
			return ofAny
		}
		return ofName
	case "hola", "gracias":
		return ofName
	}
	if askingVerbs[b] && s.isAsked(i-1) {
		if infinitives[s.after(i)] {
			return ofAny
		}
		return ofOwn
	}
	if s.beginsRow(i) || infinitives[b] && askingVerbs[bb] && s.isAsked(i-2) || s.isAsked(i) && s.isVerbBehind(i) {
		return ofName
	}
	return noCue
}

// weighed matches the weight or the age behind the name of a person who gets a drug.
var weighed = lazyregexp.New(`^,? \d{1,3}(?:[.,]\d)? ?(?:kg|kilos|a[ñn]os)\b`)

// maxBullet is more than the length of what stands before the first word of a row.
const maxBullet = len("\n 12) ")

// beginsRow reports whether word i begins a line of a list of patients: Quispe IRC y gota.
func (s *sentenceOfNames) beginsRow(i int) bool {
	if f := s.fold(i); utf8.RuneCountInString(f) < len("Luis") || f == "domingo" || !statesOfPatients[s.after(i)] {
		return false
	}
	before := lastBytes(s.text[:s.at(i).start], maxBullet)
	mark := before[strings.LastIndexByte(before, '\n')+1:]
	return len(mark) < maxBullet && strings.Trim(mark, " -*•.)0123456789") == ""
}

// isVerbBehind reports whether one of askingVerbs stands behind the name that begins with word i.
func (s *sentenceOfNames) isVerbBehind(i int) bool {
	for n := 0; n < 3; n++ {
		if askingVerbs[s.after(i+n)] {
			return true
		}
		if i+n+1 >= s.n || !s.at(i+n+1).joined {
			return false
		}
	}
	return false
}

// isAsked reports whether a question begins with word i, or with que, por qué or cuándo before it.
func (s *sentenceOfNames) isAsked(i int) bool {
	if i < 0 {
		return false
	}
	for n := 0; n < maxAsks && asks[s.before(i, 1)]; n++ {
		i--
	}
	return strings.HasSuffix(s.text[:s.at(i).start], "¿")
}

// isAlone reports whether a word that a cue announces is a name without another beside it.
func (s *sentenceOfNames) isAlone(i int, c cue) bool {
	f := s.fold(i)
	next := s.after(i)
	if notAsked[f] || wordlists.Eponym(f) || isOnlyDisease(f) || months()[f] || wordlists.Body("es", f) || alsoThings[f] || isAbbreviated(s.word(i)) || isNameOfThing(f) || isNameOfThing(f+" "+next) || species()[next] || genera[f] {
		return false
	}
	first := surrogate.IsFirstName(f)
	switch known := first || s.isListed(i); {
	case known && !wordlists.Common(f):
		return true
	case known:
		return c >= ofOwn || first && !wordlists.Frequent(f)
	}
	return c == ofAny && utf8.RuneCountInString(f) > 3 && !likeOrdinary(f) && !brands()[f] && !isDrug(f) && !endingOfTerm.MatchString(f)
}

// endingOfTerm matches the endings of what is examined, and what it is examined with, and of microbes: aféresis, pulsioxímetro, Enterobacter.
var endingOfTerm = lazyregexp.New(`(?:esis|metros?|ciones|cion|logia|grafias?|scopias?|itis|bacter|bacterium|coccus|coco|monas|bacillus|myces)$`)

var (
	// ofMeasured are what is measured of a person, behind which no eponym stands.
	ofMeasured = wordlists.Set(`creatinina potasio sodio hemoglobina glucosa glucemia glicemia troponina inr hemograma hematocrito plaquetas leucocitos colesterol trigliceridos ldl tsh bilirrubina lactato ferritina urea
		calcio fosforo magnesio albumina analitica analisis coagulacion gasometria urocultivo hemocultivo k na hb tension peso saturacion pulso lab labs laboratorios constantes`)
	// ofPatients are what belongs to a person, or to a thing whose name is not that of a person.
	ofPatients = wordlists.Set(`tac tacs tc rm rmn resonancia ecg ekg electro electrocardiograma eco ecografia rx radiografia biopsia pcr receta recetas medicacion pastillas informe informes factura cita citas historia
		resumen resume ingreso alta evolucion caso nota notas diagnostico interconsulta fiebre dolor herida sintomas exantema expediente ficha carpeta resultado resultados seguro domicilio
		telefono cumpleanos volante consentimiento lista peticion seguimiento visita estado mejoria empeoramiento`)
	// ofRelatives are people who belong to a person.
	ofRelatives = wordlists.Set(`familia familiar familiares fam hija hijo hijas hijos madre padre marido mujer esposa esposo hermana hermano hermanos nieta nieto abuela abuelo tia tio prima primo sobrina sobrino
		suegra suegro nuera yerno viuda viudo cuidadora cuidador vecina vecino habitacion cama`)
	// adjectivesOfTests stand between a test and de.
	adjectivesOfTests = wordlists.Set(`arterial craneal cerebral abdominal toracica toracico lumbar renal hepatica actual ultima ultimo reciente previa previo anterior clinica clinico medica medico urgente completa completo
		basal capilar total venosa`)
	// commands stand before a and a person.
	commands = wordlists.Set(`recuerdale recuerda recordar recordarle avisar avisa avisale avise avisad avisado avisada llamar llama llame llamale llamad llamo dile diga digale decirle decir digo doy dar darle dale pregunta preguntale preguntar
		explicale explicar explico cita citar citale pongo ponle poner pauto pautar pautale administro administrar prescribo receto recetar recetale subo bajo envia enviar enviale manda mandar mandale
		escribe escribele escribir contesta contestale responde`)
	// askingVerbs begin a question about a person before the name, or follow the name.
	askingVerbs = wordlists.Set("puede podria tiene tendra necesita debe deberia toma sufre padece requiere precisa esta sigue lleva")
	// infinitives are what a person, but no drug or test, may do.
	infinitives = wordlists.Set("tomar conducir volar comer beber viajar usar hacer hacerse seguir suspender dejar recibir vacunarse ponerse caminar trabajar ducharse operarse ayunar irse volver salir fumar embarazarse amamantar")
	// firstsInLower are first names that are ordinary words in lower case, or parts of ones that blanks divide.
	firstsInLower = wordlists.Set("pilar dolores concepcion rosa rosario angel angeles cruz salvador domingo mercedes encarnacion asuncion resul remedios milagros socorro angustias nieves reyes gracia fe consolacion purificacion ruta jude consuelo")
	// notBeforeLowered are words before a noun rather than before a name in lower case.
	notBeforeLowered = wordlists.Set("en un una unos unas el la los las del muy sin al como")
	// statesOfPatients stand behind the name of a patient that begins a line.
	statesOfPatients = wordlists.Set("plan estable inestable afebril ok irc erc epoc fa hta icc itu k na hb tsh inr creatinina potasio")
	// ofEmployers are people who work for somebody, and the department for them.
	ofEmployers = wordlists.Set(`empleada empleado empleadas empleados trabajador trabajadora trabajadores operario operaria cajera cajero despedida despedido repartidor repartidora reponedor reponedora jubilada jubilado
		prejubilada prejubilado encargada encargado dependienta camarera camarero conductor conductora vigilante teleoperadora teleoperador rrhh humanos`)
	// programmes are abbreviations of departments and programmes of health, of which somebody may be in charge.
	programmes = wordlists.Set("tbc uci uti uvi upc pni ges sop pscv ira era cma pad epp upp gpc urg reas sapu crs")
	// employers are those that are ordinary words, and abbreviations behind them.
	employers = wordlists.Set("correos telefonica iberia orange santander liverpool sa sl slu oxxo renfe alcampo seat apple carrefour")
	// genera are those of microbes that endingOfTerm does not match.
	genera = wordlists.Set(`bacteroides bartonella bordetella borrelia brucella burkholderia candida capnocytophaga chlamydia clostridioides clostridium coxiella eikenella elizabethkingia erysipelothrix escherichia fusarium
		gardnerella gemella haemophilus hafnia histoplasma kingella klebsiella kluyvera kocuria leclercia legionella listeria moraxella morganella mucor mycoplasma neisseria nocardia pantoea pasteurella prevotella
		proteus providencia ralstonia raoultella rothia salmonella serratia shewanella shigella trichosporon aspergillus ureaplasma veillonella vibrio yersinia`)
	// resultsOfTests stand before para and what a test is for.
	resultsOfTests = wordlists.Set("positivo positiva positivos positivas negativo negativa negativos negativas serologia cultivo cultivos tincion pcr anticuerpos inmunotincion marcador marcadores")
	// asks are words that begin a question before the verb or the name.
	asks = wordlists.Set("por que porque cuando cuanto cuanta como y cual con desde")
	// thingsOfNames are what is named after a person, and what stands before names of institutions, streets and feasts.
	thingsOfNames = wordlists.Set(`hospital hospitalario hosp clinica centro salud cs ambulatorio policlinica policlinico sanatorio instituto universidad facultad fundacion residencia colegio escuela ceip ies pabellon complejo
		servicio unidad calle c avenida avda av plaza plazuela pza paseo carretera camino ronda travesia barrio urbanizacion poligono jiron pasaje parque puerto estacion aeropuerto iglesia parroquia laboratorio laboratorios
		sindrome enfermedad signo signos test tests prueba pruebas escala escalas indice clasificacion criterios criterio maniobra tecnica metodo formula ecuacion score regla ley linea prolapso linfoma sarcoma
		tiroiditis esofago diverticulo canal conducto ligamento triangulo fascia aponeurosis foramen clavo cateter sonda drenaje tubo valvula
		pinza aguja estudio ensayo estadio grado estadificacion virus bacilo cuerpo cuerpos celulas celula enzima factor antigeno anticuerpos mutacion paralisis corea ataxia distrofia
		miopatia neuropatia fenomeno reflejo ritmo onda arteritis purpura granulomatosis histiocitosis tincion medio solucion suero virgen san santa santo
		nuestra bono beca programa premio copa liga fc real club fundador dia fiesta grupo empresa teorema postura posicion vacuna cuestionario inventario sistema modelo mesa hilo sutura punto puntos agar caldo`)
	// notAsked are words with a capital behind words that ask for a person, or beside names, that are no names here.
	notAsked = wordlists.Set(`mutua staf staph freestyle coaguchek accu-chek accuchek roche siemens abbott beckman sysmex cockcroft cockroft cockcroft-gault friedewald medtronic dexcom alexa siri google cortana chatgpt claude gemini copilot guardia control base rutina urgencias ingreso planta consulta hoy ayer manana familia torax craneo abdomen lepore bart barts gower portland jaffe hadlock
		framingham forrest brugada tokyo tokio covid sars legionella helicobacter klebsiella salmonella listeria malta zika ebola lassa marburg sudeck barcelona berlin milan roma paris london londres boston chicago atlanta bethesda virginia georgia alaska nevada
		erte ere hosteleria autobus autobuses comercio almacen mantenimiento limpieza seguridad cocina obra hogar banca usted ustedes ella ellos dios jesus cristo navidad rosario santa san santo virgen sacramentos doctor doctora dr dra don dona sr sra srta enfermera medico`)
	// spanishSurnames are frequent surnames of countries of Spanish that are on no other list, or are ordinary words.
	spanishSurnames = wordlists.Set(`quispe mamani condori huanca choque apaza huaman flores ticona chura ccori cusi yupanqui sucari pari calla nina aruquipa limachi castano quintanilla etxeberria etxebarria echeverria goikoetxea aguirre
		puig ferrer serra vila soler bosch pujol roca roig vidal ferrandiz agirre ibarra zabala mendizabal urrutia arrieta elizalde otxoa ochoa uriarte iriarte arana galarza bravo cuesta rey delgado blanco rubio calvo
		cordero caballero gallego hidalgo crespo leal lozano redondo pardo prieto serrano pastor guerrero marin marquez ballesteros carrasco cabello cano conde correa duran escobar esteban pena pascual paredes pozo
		rivas robles salas santana sanz sierra sosa tapia toro trejo ureta vaca valencia vallejo vega velasco vera zamora zapata zurita ayala barrios becerra bustos cardenas carvajal castaneda cespedes chavez cisneros
		cornejo davila espinosa espinoza farfan fajardo figueroa galindo godoy guaman guzman inga jaramillo lagos lema llanos maldonado mejia meza miranda montoya morales munoz narvaez nieto olmos orozco osorio pacheco
		palacios palma perea pineda ponce quiroga quiroz ramos rincon rios rojas rosales saavedra salazar salinas sandoval segura sepulveda solis tello toapanta tipan torrico urbina valdes vargas villalba villanueva yanez yupa zambrano`)
)
