package synth

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
)

// The corpus es has Spanish notes of Spain and Latin America with the types of MEDDOCAN. A note has
// a country, which the rules with a suffix such as ".mx" depend on ({@tel}), and a house style: the
// wording, order and separators of labels and headings ({label Paciente/Nombre}).
var spanishNotes = &corpus{
	types: data.MEDDOCAN, language: spanish, grammars: grammarsOf("es"),
	note:    (*writer).spanishNote,
	person:  (*writer).spanishPerson,
	patient: (*writer).spanishPatient,
	visits:  func(*writer) int { return 1 },
}

// marks are the short names of the types in grammar/es.
var marks = map[string]string{
	"PAC": "NOMBRE_SUJETO_ASISTENCIA", "MED": "NOMBRE_PERSONAL_SANITARIO", "FAM": "FAMILIARES_SUJETO_ASISTENCIA",
	"SEX": "SEXO_SUJETO_ASISTENCIA", "EDAD": "EDAD_SUJETO_ASISTENCIA", "FEC": "FECHAS", "PROF": "PROFESION",
	"CALLE": "CALLE", "TER": "TERRITORIO", "PAIS": "PAIS", "HOSP": "HOSPITAL", "CS": "CENTRO_SALUD", "INST": "INSTITUCION",
	"TEL": "NUMERO_TELEFONO", "FAX": "NUMERO_FAX", "MAIL": "CORREO_ELECTRONICO", "URL": "URL_WEB", "IP": "DIREC_PROT_INTERNET",
	"NHC": "ID_SUJETO_ASISTENCIA", "SEG": "ID_ASEGURAMIENTO", "EPI": "ID_CONTACTO_ASISTENCIAL",
	"COL": "ID_TITULACION_PERSONAL_SANITARIO", "EMP": "ID_EMPLEO_PERSONAL_SANITARIO", "DISP": "IDENTIF_DISPOSITIVOS_NRSERIE",
	"VEH": "IDENTIF_VEHICULOS_NRSERIE_PLACAS", "BIO": "IDENTIF_BIOMETRICOS", "NUM": "OTRO_NUMERO_IDENTIF", "OTRO": "OTROS_SUJETO_ASISTENCIA",
}

func (w *writer) spanishNote() {
	w.say("note")
	for i, s := range w.spans {
		if typ, ok := marks[s.Type]; ok {
			w.spans[i].Type = typ
		}
	}
	switch w.fixed["recase"] {
	case 1:
		w.recase(unicode.ToUpper)
	case 2:
		w.recase(unicode.ToLower)
	}
	if w.chance(0.12) {
		w.unaccent()
	}
	w.wrapBetween()
}

// wrapBetween breaks the lines of a note with a width at blanks outside of spans.
func (w *writer) wrapBetween() {
	blank, column, next := -1, 0, 0
	for i, c := range w.buf {
		for next < len(w.spans) && w.spans[next].End <= i {
			next++
		}
		switch {
		case c == '\n':
			blank, column = -1, -1
		case w.width > 0 && column >= w.width && blank >= 0:
			w.buf[blank] = '\n'
			column, blank = i-blank-1, -1
		}
		if inside := next < len(w.spans) && w.spans[next].Start <= i; c == ' ' && !inside && i > 0 && w.buf[i-1] > ' ' {
			blank = i
		}
		column++
	}
	w.width = 0
}

// recase writes the whole note in capitals or in lower case. It keeps the few letters whose other
// case has another length, so that no span moves.
func (w *writer) recase(to func(rune) rune) {
	w.buf = []byte(strings.Map(func(r rune) rune {
		if c := to(r); utf8.RuneLen(c) == utf8.RuneLen(r) {
			return c
		}
		return r
	}, string(w.buf)))
}

// unaccent removes all accents from the note, as in old systems.
func (w *writer) unaccent() {
	var buf []byte
	at := 0
	plain := func(to int) {
		buf = append(buf, withoutAccents.Replace(string(w.buf[at:to]))...)
		at = to
	}
	for i, s := range w.spans {
		plain(s.Start)
		w.spans[i].Start = len(buf)
		plain(s.End)
		w.spans[i].End = len(buf)
	}
	plain(len(w.buf))
	w.buf = buf
}

var withoutAccents = strings.NewReplacer("á", "a", "é", "e", "í", "i", "ó", "o", "ú", "u", "ü", "u", "ñ", "n",
	"Á", "A", "É", "E", "Í", "I", "Ó", "O", "Ú", "U", "Ü", "U", "Ñ", "N", "à", "a", "è", "e", "ò", "o", "À", "A", "ç", "c", "º", "o", "ª", "a")

// spanishPatient invents a patient, the country of the note, and everybody around them.
func (w *writer) spanishPatient() {
	p := &patient{facts: map[string]string{}}
	w.patient = p
	p.facts["land"] = w.draw("land")
	p.person = *w.newPerson()
	p.next = time.Date(1998+w.IntN(30), 1, 1+w.IntN(365), 0, 0, 0, 0, time.UTC)
	years := 17 + w.IntN(80)
	if w.chance(0.2) {
		years = w.IntN(17)
	}
	p.born = p.next.AddDate(-years, 0, -w.IntN(365))
	p.pcp = w.newPerson()
	for range 3 {
		p.staff = append(p.staff, w.newPerson())
		p.residents = append(p.residents, w.newPerson())
		p.nurses = append(p.nurses, w.newPerson())
	}
	w.spanishFamily(years)
	for _, at := range []string{"", "here."} {
		town := strings.Split(w.local("ciudad"), "/")
		p.facts[at+"ciudad"], p.facts[at+"prov"] = town[0], town[1]
		if p.facts[at+"cp"] = w.local("cp.nuevo"); len(town) > 2 {
			p.facts[at+"cp"] = town[2] + w.digits("###")
		}
	}
	p.place, p.other = w.spanishHospital(), w.spanishHospital()
}

// spanishFamily invents the relatives that a patient of this age may have: two parents, a partner,
// and others.
func (w *writer) spanishFamily(years int) {
	p := w.patient
	relations := []string{"madre/padre", "madre/padre", "hermana/hermano", "abuela/abuelo", "tía/tío", "tía/tutor"}
	if years > 20 {
		relations = []string{"esposa/marido", "hija/hijo", "hija/hijo", "hermana/hermano", "sobrina/sobrino", "cuñada/yerno", "nuera/yerno",
			"vecina/vecino", "cuidadora/cuidador", "madre/padre", "pareja/pareja", "mujer/esposo", "nieta/nieto"}
	}
	for i, pair := range relations {
		her, his, _ := strings.Cut(pair, "/")
		kin := w.newPerson()
		for i == 0 && years > 20 && kin.female == p.female || i < 2 && years <= 20 && kin.female != (i == 0) {
			kin = w.newPerson()
		}
		if kin.relation = his; kin.female {
			kin.relation = her
		}
		switch her {
		case "hija", "nieta":
			kin.last = p.last
		case "hermana":
			kin.last, kin.second = p.last, p.second
		}
		p.family = append(p.family, kin)
	}
}

// spanishPerson invents a person with one or two given names and one or two surnames, by the lists
// of the grammar and the sounds of these. Some have a foreign name.
func (w *writer) spanishPerson() *person {
	p := &person{female: w.chance(0.5)}
	sex := ".hombre"
	if p.female {
		sex = ".mujer"
	}
	if w.chance(0.13) {
		p.first, p.last = w.draw("extranjero"+sex), w.draw("extranjero.apellido")
		if w.chance(0.3) {
			p.second = w.draw("extranjero.apellido")
		}
		return p
	}
	p.first = w.draw("nombre" + sex)
	if w.chance(0.33) {
		p.first += " " + w.draw("segundo"+sex)
	}
	p.last, p.second = w.draw("nombre.ap"), w.draw("nombre.ap")
	if w.chance(0.12) || w.land() == "ar" && w.chance(0.6) {
		p.second = ""
	}
	return p
}

// land returns the country of the note: es, mx, ar, cl, co or pe.
func (w *writer) land() string { return w.facts["land"] }

// spanishHospital invents a hospital, with its name as staff say it and its initials.
func (w *writer) spanishHospital() hospital {
	h := hospital{name: w.draw("hosp.nombre")}
	var rest []string
	for _, word := range strings.Fields(strings.NewReplacer(`"`, "", ",", "").Replace(h.name)) {
		r := []rune(word)
		if unicode.IsUpper(r[0]) {
			h.abbr += string(r[0])
		}
		if !strings.Contains(" Hospital Complejo Hospitalario Universitario General Comarcal Regional Clínico Provincial Universitari ", " "+word+" ") {
			rest = append(rest, word)
		}
	}
	h.abbr = unaccented.Replace(h.abbr)
	switch h.short = strings.TrimPrefix(strings.Join(rest, " "), "de "); w.IntN(3) {
	case 0:
		h.short = "H. " + h.short
	case 1:
		h.short = "Hospital " + h.short
	}
	return h
}

// labelOf returns what writes {label A/B/C}, a label of a form with what separates it from the
// value, or {title A/B/C}, the title of a section; or nil for other slots. A note uses one of the
// wordings, in one letter case and with one separator.
func labelOf(name string) func(*writer) {
	kind, words, ok := strings.Cut(name, " ")
	if !ok || kind != "label" && kind != "title" {
		return nil
	}
	wordings := strings.Split(words, "/")
	return func(w *writer) {
		k, ok := w.fixed[name]
		if !ok {
			k = w.IntN(len(wordings))
			w.fixed[name] = k
		}
		before, text := w.shift, wordings[k]
		switch w.style(kind + ".case") {
		case 0:
			if w.shift == 0 {
				w.shift = '^'
			}
		case 1:
			text = capitalized(text)
		}
		if kind == "title" && w.style("title.omit") == 0 {
			w.shift = before
			return
		}
		w.text(text)
		w.shift = before
		w.rules[kind+".sep"].of[w.style(kind+".sep")].write(w)
	}
}

// capitalized writes each word of a heading with a capital.
func capitalized(s string) string {
	words := strings.Fields(s)
	for i, word := range words {
		r := []rune(word)
		r[0] = unicode.ToUpper(r[0])
		words[i] = string(r)
	}
	return strings.Join(words, " ")
}

var fieldsOf = regexp.MustCompile(`^fields (\d+)\.\.(\d+) ([a-z.]+)$`)

// formOf returns what writes {fields 3..9 rule}: that many fields of a form in random order, one per line
// or separated as the house does, mostly with the first one in front; or nil for other slots.
func (g grammar) formOf(name string) func(*writer) {
	m := fieldsOf.FindStringSubmatch(name)
	if m == nil {
		return nil
	}
	least, _ := strconv.Atoi(m[1])
	most, _ := strconv.Atoi(m[2])
	return func(w *writer) {
		rule := g[m[3]]
		order := rule.several(w, min(least+w.IntN(most-least+1), len(rule.of)))
		if w.chance(0.7) {
			order = append([]int{0}, slices.DeleteFunc(order, func(k int) bool { return k == 0 })...)
		}
		lines := w.style("campo.sep") == 0
		for i, k := range order {
			switch {
			case i == 0:
			case lines && w.chance(0.2):
				w.text("   ")
			default:
				w.rules["campo.sep"].of[w.style("campo.sep")].write(w)
			}
			rule.of[k].write(w)
		}
	}
}

// landOf returns what writes {@name}: the rule of the note's country, name.mx, or else name.
func (g grammar) landOf(name string) func(*writer) {
	base, ok := strings.CutPrefix(name, "@")
	if !ok || g[base] == nil && g[base+".es"] == nil {
		return nil
	}
	return func(w *writer) {
		if rule := g[base+"."+w.land()]; rule != nil {
			rule.write(w)
			return
		}
		g[base].write(w)
	}
}
