package safetynet

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/fold"
	"github.com/lethe-deid/lethe/data/wordlists"
	"github.com/lethe-deid/lethe/deid/surrogate"
	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// This file finds what is no place in a Spanish note although it looks like a postcode and the town behind it: the first word of the next sentence in "28013. Refiere dolor", and results and
// doses of five digits, as in "Carga viral 35000. Iniciar TAR".

// WithoutSentenceBehindPostcode returns what is left of the span of a place without ordinary words that begin a sentence behind a postcode, and without a number that is a result or a dose.
func WithoutSentenceBehindPostcode(text string, s data.Span) []data.Span {
	value := text[s.Start:s.End]
	at := strings.IndexFunc(value, unicode.IsLetter)
	if at < 0 {
		at = len(value)
	}
	before := text[:s.Start+at]
	code := postcodeBefore.FindStringSubmatchIndex(lastBytes(before, maxPostcode))
	if code == nil {
		return []data.Span{s}
	}
	from := len(before) - min(len(before), maxPostcode)
	number := data.Span{Start: from + code[2], End: from + code[3]}
	result := isResult(text, number)
	if at < len(value) && beginsSentence(text, data.Span{Start: s.Start + at, End: s.End}, text[number.End:s.Start+at], result) {
		if s.End = number.End; s.End <= s.Start {
			return nil
		}
	}
	if result && s.Start == number.Start && s.End == number.End {
		return nil
	}
	return []data.Span{s}
}

// beginsSentence reports whether a span behind a number and some signs consists of ordinary words with a capital that begin a sentence, and is no town. That is certain behind a result, of
// some words, and of known labels before a colon. Otherwise the sentence must go on in lower case, or say what is to be done.
func beginsSentence(text string, s data.Span, signs string, result bool) bool {
	words := strings.Fields(text[s.Start:s.End])
	next := firstBytes(text[s.End:], maxAfterTown)
	if len(words) == 0 || partOfTown.MatchString(next) {
		return false
	}
	label := labelEnd.MatchString(next)
	for i, word := range words {
		words[i] = fold.Fold(strings.TrimRight(word, ".:"))
		word = words[i]
		ordinary := isOfNoTown(word) && !alsoTowns[word] && (i > 0 || !label || result)
		if !ordinary && !opensClause(word) && (!label || !labelWords[word]) {
			return false
		}
	}
	stop := strings.ContainsAny(signs, ".;")
	return result || label || opensClause(words[0]) || len(words) == 1 && (stop && infinitive.MatchString(words[0]) || goesOn(next, stop))
}

// opensClause reports whether a folded word begins a sentence rather than being a town or a name.
func opensClause(word string) bool {
	return (openings[word] || clauseWords[word] || demographic()[word]) && !alsoTowns[word]
}

// isOfNoTown reports whether a folded word is an ordinary one, and no name of a person or a state.
func isOfNoTown(word string) bool {
	return utf8.RuneCountInString(word) > 2 && wordlists.Common(word) && !surrogate.IsFirstName(word) && !surrogate.IsSurname(word) && !stateNames()[word]
}

// goesOn reports whether a sentence goes on with a word in lower case. If no full stop is before it, that must be an ordinary word that does not stand behind a town.
func goesOn(next string, stop bool) bool {
	m := lowerNext.FindStringSubmatch(next)
	return m != nil && (stop || wordlists.Common(fold.Fold(m[1])) && !behindTowns[fold.Fold(m[1])])
}

const (
	maxPostcode  = 24 // bytes that are read before a town
	maxAfterTown = 48 // and behind it
	maxMeasure   = 48 // and before a result or a dose
)

var (
	// postcodeBefore matches a postcode and the signs behind it, of which no line end is one, at the end of a text.
	postcodeBefore = lazyregexp.New(`(?:^|[^\pL\pN.,/-])([A-Z]?[0-9]{4,7}(?:[A-Z]{3})?)(?:[.;,)]{0,2}[ \t]{1,3}(?:[-–][ \t])?)?$`)
	// partOfTown matches what stands behind the first word of a place: Villa de Álvarez, Centro, Madrid, Alameda (Toledo).
	partOfTown = lazyregexp.New(`^(?:[ -](?:(?i:de|del|de la|de las|de los|la|las|el|los|y|d)[ ])?\p{Lu}\p{Ll}|[ ](?i:de|del|de la|de las|de los|d)[ ]\p{Lu}|, ?\p{Lu}\pL+ ?(?:[.,)\n]|$)| ?\(\p{Lu})`)
	labelEnd   = lazyregexp.New(`^ ?:`)
	lowerNext  = lazyregexp.New(`^ (\p{Ll}+)`)
	infinitive = lazyregexp.New(`^\p{Ll}{2,}[aei]r(?:se)?$`)
)

var (
	// clauseWords begin sentences beside openings.
	clauseWords = wordlists.Set(`aceptan alta acompana acompanado acompanada acudio avisado avisada cip conocido conocida convive consulto control cuida deriva dice dni exploracion fumo habla historia inicia iniciar ingreso
		interconsulta juicio lactante llama llega nac nass nego nhc nie nif paciente pendiente pide portador portadora presento puede refirio remite repetir resto reside revision se seguimiento sigue sip su toma trae traido traida tel telf tfno una usuario usuaria vigilar vive`)
	// labelWords begin labels beside openings and clauseWords. Other words before a colon may be towns, as Paterna and Jaca are.
	labelWords = wordlists.Set(`acompanante actividad alta analitica anamnesis anticoncepcion antecedente aseguradora asegurado aseguramiento asistencia atencion autorizacion ayudas celular cita codigo comentario comentarios comorbilidades
		conclusion conclusiones conyuge correo cobertura constantes contacto cuidador cuidadora curso datos destino diagnostica direccion domicilio ecografia email emergencia emergencias enfermedad entidad entrevista episodio escolaridad
		especialidad estudios evolucion expediente familia familiar familiares fax fecha filiacion financiador genero glucemia habitacion habitos hallazgos identificacion impresion indicaciones informacion informe intervencion intolerancias
		juicio laboratorio localidad madre medicacion medico medicos movil mutua nacionalidad nota notas observaciones ocupacion ostomia pais parentesco peso plan poliza pregunta problemas procedencia procedimiento profesion
		pronostico prueba pruebas radiografia recomendaciones religion responsable resultado resultados resumen seguro sensorio servicio signos sintomas situacion solicitud tabaco talla telefono telefonos temperatura tension titular
		toxicos urgencia urgencias vacunacion vacunas valoracion`)
	// behindTowns are words in lower case that stand behind towns and behind words of a sentence.
	behindTowns = wordlists.Set(`ademas ahi alli ante aunque bajo cada cerca como con cuando cuyo cuya dado desde donde durante entre esta este hace hacia hasta hay junto mientras muy nos para pero por porque pues que segun ser
		sin sobre solo son sus tambien tras una unos ya vive viven reside trabaja acude viene ingresa refiere presenta consulta niega telefono tel espana casado casada viudo viuda soltero soltera jubilado jubilada`)
)

// isResult reports whether a number stands behind a test, a drug or the word for a dose, and is no postcode.
func isResult(text string, number data.Span) bool {
	next := townNext.FindStringSubmatch(firstBytes(text[number.End:], maxAfterTown))
	if !fiveDigits.MatchString(text[number.Start:number.End]) || next != nil && !wordlists.Common(fold.Fold(next[1])) {
		return false
	}
	before := lastBytes(text[:number.Start], maxMeasure)
	if testOrDose.MatchString(before) {
		return true
	}
	m := wordBefore.FindStringSubmatch(before)
	return m != nil && isDrug(fold.Fold(m[1])) && !surrogate.IsFirstName(m[1]) && !surrogate.IsSurname(m[1])
}

var (
	// townNext matches a word that may be a town behind a postcode.
	townNext   = lazyregexp.New(`^,? (\p{Lu}\pL+)`)
	fiveDigits = lazyregexp.New(`^[0-9]{5}$`)
	// testOrDose matches a test or a dose that a number follows.
	testOrDose = lazyregexp.New(`(?:^|[^\pL\pN])(?:(?i:cargas? virale?s?|dosis|vitaminas? ?[A-EK][0-9]{0,2}|proteinurias?|albuminurias?|mioglobina|adenosin deaminasa|recuento|insulinemia|homociste[íi]na|progesterona|` +
		`testosterona|estradiol|prolactina|tiroglobulina|cortisol(?: libre)?|colesterol|triglic[ée]ridos|c[ée]lulas|eosin[óo]filos|monocitos|bas[óo]filos|blastos|reticulocitos|leucos|plaq|segmentados|cayados|copias|calprotectina|` +
		`transaminasas|bilirrubina|fosfatasas?(?: alcalinas?)?|lactato|pro-?bnp|procalcitonina|osmolaridad)|Ig ?[AEGM][0-9]?|NPTC?|VHB|VHC|VIH|CMV|VEB|EBV|DNA|ADN|ARN|RNA|CPK|CK|CD[348]|CA ?(?:125|15[.,-]3|19[.,-]9|72[.,-]4)|UFC)` +
		`(?: (?i:de|del?|en|la|total(?:es)?|basal|inicial|actual|m[áa]xima|m[íi]nima|diaria|semanal|mensual|orina|suero|plasma|sangre|24 ?h(?:oras)?|VIH|VHB|VHC|CMV|VEB|polio|s[ée]ric[oa]|[úu]nica|24)){0,4} ?[:=>≥~]{0,2} ?$`)
	// wordBefore matches the word before a number and what may stand behind a drug.
	wordBefore = lazyregexp.New(`(\pL{4,})(?: (?i:s[óo]dic[ao]|c[áa]lcic[ao]|pot[áa]sic[ao]|benzat[íi]nica|proca[íi]na|fraccionada|D[23]?|G|IV|IM|SC|VO|ampollas?|c[áa]psulas?|gotas|sobres?)){0,2} ?[:=]? ?$`)
)

// alsoTowns are ordinary words that are also towns, districts or parts of cities in Spanish-speaking countries.
var alsoTowns = wordlists.Set(`jaca tabernas checa latina surco ate frailes adelantado abrigo acequia agosto aguada aguas agudo aguilas alamos alcazar alcoba aldea aldeas alegria alianza alto altos altura alturas amistad amor animas antigua antiguedad apartado apostoles arboledas
	arboles arco arcos arena arroyos autopista ave aves azules balneario bandera barca barco barrio barro batalla bello blancos boca bonito bosque bosques brisas buceo buen buena buenas buey burro
	busto cabana cabecera cabeza cabo cabra cabras calle callejon calles calzada cama camas camino caminos campamento campana campina campo cana canada canal canas capilla capital carbon carreras
	carretera casa casar cascada caso castano castillos catorce cazador cebolla central centro cerca cerrada cerro cerros chorro ciego cielo cima cinco cipreses circular cisne ciudad cobre cocina
	coin colina colinas colon colonial colorada colorados comercial comuna comunidad condado condesa convento copa corona coronel corriente corrientes costas cota cotorra criollo cristal cruces
	cuadra cuadros cuartel cuarto cuatro cuerda cueva cumbre cumbres cupula dama delegacion delicias deportiva depositos descanso deseo destino diamante diciembre distrito divisa docente doctor
	doctores dorado dos duque ebano edificio ejido el embarcacion empleados encanto enero escalera escritores esfuerzo esmeraldas espanola espera espinal esquina estacion estadio estado estancia
	estanque este estrecho estrellas etapa etapas exposicion fabrica faja fama faro fe feria ferroviaria fila fines fiscal fortaleza fortuna fraccionamiento frente frontera fronteras fuente fuerte
	fundacion futuro gallo garganta general gigante glorieta golondrinas gordo gran gruta guardia guardo guia guisa herencia hermanos hermosa hermoso heroes heroico herradura hierro higuera historico
	hito hogar honda horno hospital huerta huertos ideal ideales iglesia igualdad imperio independencia indio indios industrial ingenio inglesa jardin jardines jaula jazmines jinete jovenes jubilados
	junio juventud la ladera lagunas laminas larga largo las laureles lealtad leones libertad libre libres limite limon limpio lince lindo linea lirio lirios lista llano llanura lobos lodo loma los
	losa lote loza lugar madera maestro maestros maiz mala manantial manga manta mantilla manzana maravilla marfil mariposa marzo mayo mayor medio mercado merced mesas meseta mezcla milagro minera
	mineros mision moderna molar molienda molino molinos moneda monja montanas monumento morado moros mos mota motor muela muelas muelle mula muneca mural muralla muro muros nacimiento nacimientos
	nacional naranjos natural nieve ninos noble nombre noviembre nueva nuevas nueve nuevo nuevos obra obras obrera obrero obreros ocaso occidental ocho octubre ojo ojos olas olivo olla onda orilla
	oro oso ovejas padre pagina paisaje paja pajaro pajaros palacio palmar palmas palmeras palo palomas palos palpa panal panorama parada paradas paradero paraiso parrilla pasaje paseo paso pasto
	pastores paterna patillas patio patria pega peine penas pensador periodista periodistas perlas pescador pescadores petrolera pica pico piedras pila pinares pino pintado pintor piso pista plana
	plantas plata plato playa playas plazas plomo pluma poblacion poblado poeta poetas polvora ponga poniente popular porcelana porta portada portal portales porvenir posada potrero pozos prados
	prensa presa prima primavera primera primero principal principe principes privada productores profesores progreso prolongacion prosperidad pueblo pueblos puentes puerta puertos puno punta punto
	puro quebrada quemada quemado quiebra quince quinta quintas quito rama rambla rancho ranchos rastro real recodo recreo recta recuerda redonda regla rejas reloj remanso remate remedio renovacion
	resistencia retiro ribera rica roble rocas rodeo roja roses rota rubia ruinas rural sabana sabroso sacra sagrada sal sala salida salt salto saltos salvacion santas santuario sargento sastre
	satelite sauce sauces seca seco sector seis selva semilla senda sendero senor senora senorial septiembre sereno servidor siempre siete silencio silla sitio sober soberana soberania sobrado solana
	solar solidaridad sombra sonora sosiego sub suba subida suerte supe tabla tablas tajo talleres tame tanque tarde tarifa tarima taxistas tela telegrafo temple templo teniente tercera tercero
	terraza tias tierno tierras tigre timon tiro tocado toque toros torre torrent torrente trabajadores trampa tranvia tres triunfo tropical tumba tunel turbo unidades union universal uno urbana vaca
	valles vanguardia varas vecinos vela velas venta ventana ventanas ventas verano verdad verde verdes vereda via viajero vibora vicario vidrio vieja viejo vientos vigilantes villas vinas vinculo
	vino violetas visitas vista vistas volcan voto vuelta yeguas yerba yeso young zanja zona zonas zorro`)
