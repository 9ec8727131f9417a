package synth

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// The slots of the corpus es. Words that agree with the patient's sex are written in the
// masculine in the grammar: {el} paciente, ingresad{o}.
func init() {
	for name, slot := range map[string]func(*writer) string{
		"o":          func(w *writer) string { return sex(w, "o", "a") },
		"el":         func(w *writer) string { return sex(w, "el", "la") },
		"del":        func(w *writer) string { return sex(w, "del", "de la") },
		"un":         func(w *writer) string { return sex(w, "un", "una") },
		"sr":         func(w *writer) string { return sex(w, "Sr.", "Sra.") },
		"don":        func(w *writer) string { return w.don(&w.person) },
		"doc.don":    func(w *writer) string { return w.don(w.doc) },
		"varon":      func(w *writer) string { return sex(w, "varón", "mujer") },
		"hombre":     func(w *writer) string { return sex(w, "hombre", "mujer") },
		"niño":       func(w *writer) string { return w.child() },
		"etapa":      func(w *writer) string { return w.stage() },
		"masculina":  func(w *writer) string { return sex(w, "masculino", "femenina") },
		"todo.mayus": func(w *writer) string { w.fixed["recase"] = 1; return "" },
		"todo.minus": func(w *writer) string { w.fixed["recase"] = 2; return "" },
		"pt.ap2.o":   func(w *writer) string { return orElse(w.second, w.last) },
		"ser.menor":  func(w *writer) string { w.young(1+w.IntN(15), w.IntN(365)); return "" },
		"ser.rn":     func(w *writer) string { w.young(0, 1+w.IntN(50)); return "" },
		"masculino":  func(w *writer) string { return sex(w, "masculino", "femenino") },
		"sexo":       func(w *writer) string { return w.draw(sex(w, "sexo.hombre", "sexo.mujer")) },
		"sexo.campo": func(w *writer) string { return w.draw(sex(w, "sexo.campo.hombre", "sexo.campo.mujer")) },

		"pt.nom":     func(w *writer) string { return w.first },
		"pt.nom1":    func(w *writer) string { return firstWord(w.first) },
		"pt.nomini":  func(w *writer) string { return initial(w.first) },
		"pt.dim":     func(w *writer) string { return diminutive(firstWord(w.first), w.female) },
		"pt.ap1":     func(w *writer) string { return w.last },
		"pt.ap2ini":  func(w *writer) string { return initial(w.last) },
		"pt.aps":     func(w *writer) string { return surnames(&w.person) },
		"pt.siglas":  func(w *writer) string { return initials(&w.person, "") },
		"pt.siglas.": func(w *writer) string { return initials(&w.person, ".") },
		"pt.alias2":  func(w *writer) string { return alias(&w.person, "_") },
		"pt.alias3":  func(w *writer) string { return plain(initial(w.first)) + plain(w.last) },

		"as.map":     func(w *writer) string { w.doc = w.pcp; return "" },
		"dr":         func(w *writer) string { return w.draw(hisHer(w.doc, "dr.hombre", "dr.mujer")) },
		"dr2":        func(w *writer) string { return hisHer(w.doc, "Dr.", "Dra.") },
		"doc.nom":    func(w *writer) string { return w.doc.first },
		"doc.nom1":   func(w *writer) string { return firstWord(w.doc.first) },
		"doc.nomini": func(w *writer) string { return initial(w.doc.first) },
		"doc.ap1":    func(w *writer) string { return w.doc.last },
		"doc.aps":    func(w *writer) string { return surnames(w.doc) },
		"doc.siglas": func(w *writer) string { return initials(w.doc, "") },
		"doc.alias2": func(w *writer) string { return plain(initial(w.doc.first)) + plain(w.doc.last) },
		"doc.alias3": func(w *writer) string {
			return plain(initial(w.doc.first)) + plain(w.doc.last) + plain(initial(w.doc.second))
		},
		"doc.col": func(w *writer) string { return w.factOf("col of "+w.doc.first+w.doc.last, "col") },

		"as.pareja": func(w *writer) string { w.kin = w.family[0]; return "" },
		"as.madre":  func(w *writer) string { w.kin = w.family[0]; return "" },
		"kin.rel":   func(w *writer) string { return w.kin.relation },
		"kin2.rel":  func(w *writer) string { return pick(w.Rand, w.family).relation },
		"kin.el":    func(w *writer) string { return hisHer(w.kin, "el", "la") },
		"kin.don":   func(w *writer) string { return w.don(w.kin) },
		"kin.sr":    func(w *writer) string { return hisHer(w.kin, "el Sr.", "la Sra.") },
		"kin.nom":   func(w *writer) string { return w.kin.first },
		"kin.nom1":  func(w *writer) string { return firstWord(w.kin.first) },
		"kin.ap1":   func(w *writer) string { return w.kin.last },
		"kin.aps":   func(w *writer) string { return surnames(w.kin) },

		"d.aaaa": func(w *writer) string { return w.day.Format("2006") },
		"d.aa":   func(w *writer) string { return w.day.Format("06") },
		"d.mes":  func(w *writer) string { return w.language.months[w.day.Month()-1] },
		"d.mes3": func(w *writer) string { return w.language.shortMonths[w.day.Month()-1] },
		"d.dia":  func(w *writer) string { return w.language.days[w.day.Weekday()] },
		"d.rom": func(w *writer) string {
			return strings.Fields("I II III IV V VI VII VIII IX X XI XII")[w.day.Month()-1]
		},
		"fecha": func(w *writer) string { return w.spanishDate() },

		"edad":        func(w *writer) string { return w.spanishAge("años", "meses", "días") },
		"edad.corta":  func(w *writer) string { return w.spanishAge(pick(w.Rand, []string{"a", "a.", "A", "años"}), "m", "d") },
		"edad.n":      func(w *writer) string { return fmt.Sprint(w.age()) },
		"edad.letras": func(w *writer) string { return w.ageInWords() },
		"edad.exacta": func(w *writer) string {
			return fmt.Sprintf("%d años, %d meses y %d días", w.age(), w.IntN(12), w.IntN(30))
		},

		"here.corto":   func(w *writer) string { return w.hospitalAlias(w.place) },
		"there.corto":  func(w *writer) string { return w.hospitalAlias(w.other) },
		"here.calle":   func(w *writer) string { return w.factOf("here.calle", "calle") },
		"here.ciudad":  func(w *writer) string { return w.facts["here.ciudad"] },
		"here.prov":    func(w *writer) string { return w.facts["here.prov"] },
		"here.cp":      func(w *writer) string { return w.facts["here.cp"] },
		"here.tel":     func(w *writer) string { return w.factOf("here.tel", "fijo") },
		"here.fax":     func(w *writer) string { return w.factOf("here.fax", "fijo") },
		"here.dominio": func(w *writer) string { return w.factOf("here.dominio", "dominio") },
		"here.url":     func(w *writer) string { return w.draw("url") },
		"aqui":         func(w *writer) string { return w.login() },

		"nombre.ciudad": func(w *writer) string { town, _, _ := strings.Cut(w.local("ciudad"), "/"); return town },

		"dni":        func(w *writer) string { return dni(w.digits("########"), "") },
		"dni.guion":  func(w *writer) string { return dni(w.digits("########"), "-") },
		"dni.puntos": func(w *writer) string { n := dni(w.digits("########"), "-"); return n[:2] + "." + n[2:5] + "." + n[5:] },
		"nie":        func(w *writer) string { return w.nie() },
		"cip":        func(w *writer) string { return w.letters(4) + w.born.Format("060102") + w.digits("######") },
		"curp":       func(w *writer) string { return w.curp() },
		"rfc":        func(w *writer) string { return w.curp()[:10] + w.digits("?#?") },
		"cuil":       func(w *writer) string { return pick(w.Rand, []string{"20", "27", "23"}) + w.digits("-########-#") },
		"rut":        func(w *writer) string { return w.rut(true) },
		"rut.liso":   func(w *writer) string { return w.rut(false) },
	} {
		if slots[name] != nil {
			panic("synth: two slots " + name)
		}
		slots[name] = slot
	}
}

// child returns "niño" or "niña" for a child, and otherwise the word for an adult.
func (w *writer) child() string {
	if w.age() > 14 {
		return sex(w, "varón", "mujer")
	}
	return sex(w, "niño", "niña")
}

// stage returns a word for a patient of this age.
func (w *writer) stage() string {
	words := []string{"Paciente", "Fumador", "Deportista", "Conductor"}
	switch n := w.age(); {
	case n < 2:
		words = []string{"Lactante", "Bebé", "Paciente"}
	case n < 13:
		words = []string{"Escolar", "Menor", "Preescolar"}
	case n < 19:
		words = []string{"Adolescente", "Estudiante", "Menor"}
	case n > 75:
		words = []string{"Paciente", "Jubilado", "Pensionista"}
	case w.female && n < 45:
		words = []string{"Gestante", "Puérpera", "Primigesta"}
	}
	return pick(w.Rand, words)
}

// hisHer returns the word for a man or for a woman.
func hisHer(p *person, his, her string) string {
	if p.female {
		return her
	}
	return his
}

// don returns the form of address that stands before a given name.
func (w *writer) don(p *person) string {
	if p.female {
		return pick(w.Rand, []string{"Dña.", "Doña", "doña", "Dª", "D.ª"})
	}
	return pick(w.Rand, []string{"D.", "Don", "don", "D"})
}

// login returns the name of the hospital in an address of the Internet.
func (w *writer) login() string {
	if len(w.place.abbr) > 3 {
		return plain(w.place.abbr)
	}
	words := strings.Fields(w.place.name)
	return plain(words[len(words)-1])
}

// factOf is like fact, for a value that is not called like its rule.
func (w *writer) factOf(name, rule string) string {
	if w.facts[name] == "" {
		w.facts[name] = w.local(rule)
	}
	return w.facts[name]
}

// local draws the rule of the note's country, such as "tel.mx", or else "tel".
func (w *writer) local(rule string) string {
	if name := rule + "." + w.land(); w.rules[name] != nil {
		rule = name
	}
	return w.draw(rule)
}

// surnames returns both surnames of a person.
func surnames(p *person) string { return strings.TrimSpace(p.last + " " + p.second) }

// firstWord returns the first given name, which may be abbreviated as in "Mª Carmen".
func firstWord(s string) string {
	first, rest, _ := strings.Cut(s, " ")
	if rest != "" && (strings.HasSuffix(first, "ª") || strings.HasSuffix(first, ".")) {
		second, _, _ := strings.Cut(rest, " ")
		return first + " " + second
	}
	return first
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// young makes the patient a child of an age, with the relatives of a child.
func (w *writer) young(years, days int) {
	w.born = w.date.AddDate(-years, 0, -days)
	w.family = nil
	w.spanishFamily(years)
	w.kin = w.family[0]
}

// initials returns the initials of all names, each followed by dot.
func initials(p *person, dot string) string {
	var b strings.Builder
	for _, word := range strings.Fields(p.first + " " + p.last + " " + p.second) {
		if c := initial(word); unicode.IsUpper([]rune(c)[0]) {
			b.WriteString(c + dot)
		}
	}
	return b.String()
}

func alias(p *person, sep string) string {
	return plain(firstWord(p.first)) + sep + plain(firstWord(p.last))
}

// diminutive returns the form of a name that is used with children.
func diminutive(name string, female bool) string {
	stem := strings.TrimRight(unaccented.Replace(name), "aeiou")
	if len(stem) < 3 {
		return name
	}
	if female {
		return stem + "ita"
	}
	return stem + "ito"
}

// hospitalAlias returns how staff call a hospital.
func (w *writer) hospitalAlias(h hospital) string {
	if len(h.abbr) > 2 && w.chance(0.35) {
		return h.abbr
	}
	return h.short
}

// spanishDate writes the current day in the style of the note, with some exceptions.
func (w *writer) spanishDate() string {
	switch r := w.Float64(); {
	case r < 0.03:
		return w.draw("fecha.rara")
	case r < 0.15:
		return w.draw("fecha.forma")
	}
	return w.draw("fecha.casa")
}

// spanishAge writes the age with its unit, which for a small child is the month or the day.
func (w *writer) spanishAge(years, months, days string) string {
	gap := " "
	if len(years) < 3 && w.chance(0.4) {
		gap = ""
	}
	d := int(w.date.Sub(w.born).Hours() / 24)
	switch n := w.age(); {
	case d >= 30 && d < 60 && w.chance(0.6):
		return fmt.Sprint(1, gap, strings.TrimSuffix(months, "es"))
	case d < 60:
		return fmt.Sprint(max(d, 2), gap, days)
	case n < 2:
		return fmt.Sprint(d/30, gap, months)
	case n < 12 && w.chance(0.15):
		return fmt.Sprint(n, gap, years, " y ", 2+w.IntN(10), gap, months)
	default:
		return fmt.Sprint(n, gap, years)
	}
}

// ageInWords returns an age such as "cuarenta y un años".
func (w *writer) ageInWords() string {
	n := w.age()
	if d := int(w.date.Sub(w.born).Hours() / 24); n < 2 {
		switch months := d / 30; {
		case months == 1:
			return "un mes"
		case months > 1:
			return w.language.inWords(months) + " meses"
		}
		return w.language.inWords(max(d, 2)) + " días"
	}
	words := w.language.inWords(n)
	if n < 9 && w.chance(0.4) {
		return words + " años y " + pick(w.Rand, []string{"medio", "dos meses", "tres meses", "cinco meses", "siete meses", "diez meses"})
	}
	switch {
	case n == 21:
		words = "veintiún"
	case n%10 == 1 && n > 30:
		words = strings.TrimSuffix(words, "o")
	}
	return words + " años"
}

// letters returns n random capitals.
func (w *writer) letters(n int) string { return w.digits(strings.Repeat("?", n)) }

// dni returns the number of a Spanish identity card with its check letter.
func dni(number, sep string) string {
	n, _ := strconv.Atoi(number)
	return number + sep + "TRWAGMYFPDXBNJZSQVHLCKE"[n%23:n%23+1]
}

// nie returns the number of a foreigner in Spain.
func (w *writer) nie() string {
	k := w.IntN(3)
	number := w.digits("#######")
	full := dni(fmt.Sprint(k)+number, "")
	return "XYZ"[k:k+1] + pick(w.Rand, []string{"", "-", ""}) + number + pick(w.Rand, []string{"", "-"}) + full[8:]
}

// curp returns a Mexican population registry code.
func (w *writer) curp() string {
	return w.letters(4) + w.born.Format("060102") + sex(w, "H", "M") + w.letters(5) + w.digits("##")
}

// rut returns a Chilean identity number.
func (w *writer) rut(dots bool) string {
	n := 4000000 + w.IntN(22000000)
	if !dots {
		return fmt.Sprint(n, "-", rutCheck(n))
	}
	return fmt.Sprintf("%d.%03d.%03d-%s", n/1000000, n/1000%1000, n%1000, rutCheck(n))
}

// rutCheck returns the check digit of a Chilean identity number, by modulo 11 with weights 2 to 7
// from the right.
func rutCheck(n int) string {
	sum := 0
	for weight := 2; n > 0; weight = (weight-1)%6 + 2 {
		sum += n % 10 * weight
		n /= 10
	}
	return "0K987654321"[sum%11 : sum%11+1]
}
