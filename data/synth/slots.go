package synth

import (
	"fmt"
	"slices"
	"strings"
	"time"

	fakedata "github.com/brianvoe/gofakeit/v7/data"
)

// slots are the values that the grammar can use in addition to its rules. Slots
// that start with "as." or "on." write nothing: they select the person or the day
// for all following {doc...}, {kin...} and {d...}.
var slots = map[string]func(*writer) string{
	// The patient.
	"pt.first": func(w *writer) string { return w.first },
	"pt.nick":  func(w *writer) string { return w.nick },
	"pt.last":  func(w *writer) string { return w.last },
	"pt.mi":    func(w *writer) string { return w.middle },
	"pt.m":     func(w *writer) string { return initial(w.middle) },
	"pt.fi":    func(w *writer) string { return initial(w.first) },
	"pt.li":    func(w *writer) string { return initial(w.last) },
	"pt.title": func(w *writer) string { return sex(w, "Mr.", "Ms.") },
	"pt.Title": func(w *writer) string { return sex(w, "Mr", "Mrs") },
	"pt.he":    func(w *writer) string { return sex(w, "he", "she") },
	"pt.He":    func(w *writer) string { return sex(w, "He", "She") },
	"pt.his":   func(w *writer) string { return sex(w, "his", "her") },
	"pt.His":   func(w *writer) string { return sex(w, "His", "Her") },
	"pt.him":   func(w *writer) string { return sex(w, "him", "her") },
	"pt.man":   func(w *writer) string { return sex(w, "man", "woman") },
	"pt.male":  func(w *writer) string { return sex(w, "male", "female") },
	"pt.M":     func(w *writer) string { return sex(w, "M", "F") },

	"pt.login":      func(w *writer) string { return plain(initial(w.first) + w.last) },
	"pt.login.last": func(w *writer) string { return plain(w.last) },
	"pt.alias":      func(w *writer) string { return plain(w.first) + "." + plain(w.last) },

	// Who the patient is, for notes about children or pregnancy. These come before anything that
	// depends on it.
	"be.newborn": func(w *writer) string { w.born = w.date.AddDate(0, 0, -w.IntN(28)); return "" },
	"be.child":   func(w *writer) string { w.born = w.date.AddDate(-1-w.IntN(16), 0, -w.IntN(365)); return "" },
	"be.mother":  func(w *writer) string { w.mother(); return "" },

	// What is done to the whole note: see finish.go.
	"all.upper":  func(w *writer) string { w.shift, w.whole = '^', true; return "" },
	"all.lower":  func(w *writer) string { w.shift, w.whole = '_', true; return "" },
	"all.sloppy": func(w *writer) string { w.typos, w.gluing = 8*typoRate, 3*glueRate; return "" },
	"all.wrap":   func(w *writer) string { w.width = 55 + w.IntN(55); return "" },
	"all.flat":   func(w *writer) string { w.flat = true; return "" },
	"an":         func(w *writer) string { w.articles = append(w.articles, len(w.buf)+1); return "a" },

	// Diseases and procedures of the patient's sex.
	"own.disease":   func(w *writer) string { return w.draw(sex(w, "disease.male", "disease.female")) },
	"own.procedure": func(w *writer) string { return w.draw(sex(w, "procedure.male", "procedure.female")) },

	// Ages, in years.
	"age":        func(w *writer) string { return fmt.Sprint(w.age()) },
	"age.words":  func(w *writer) string { return w.language.inWords(w.age()) },
	"age.spaced": func(w *writer) string { return strings.ReplaceAll(w.language.inWords(w.age()), "-", " ") },
	"age.days":   func(w *writer) string { return fmt.Sprint(int(w.date.Sub(w.born).Hours() / 24)) },
	"age.decade": func(w *writer) string { return fmt.Sprint(w.age() / 10 * 10) },
	"age.then":   func(w *writer) string { return fmt.Sprint(min(w.age()-1, 12+w.IntN(50))) },

	// The doctor or nurse, and the relative, that the text refers to.
	"as.attending": func(w *writer) string { w.doc = w.attending; return "" },
	"as.resident":  func(w *writer) string { w.doc = w.resident; return "" },
	"as.pcp":       func(w *writer) string { w.doc = w.pcp; return "" },
	"as.nurse":     func(w *writer) string { w.doc = w.nurse; return "" },
	"as.doctor":    func(w *writer) string { w.doc = w.anotherDoctor(); return "" },
	"as.someone":   func(w *writer) string { w.doc = w.newPerson(); return "" },
	"doc.first":    func(w *writer) string { return w.doc.first },
	"doc.last":     func(w *writer) string { return w.doc.last },
	"doc.mi":       func(w *writer) string { return w.doc.middle },
	"doc.fi":       func(w *writer) string { return initial(w.doc.first) },
	"doc.li":       func(w *writer) string { return initial(w.doc.last) },
	"doc.m":        func(w *writer) string { return initial(w.doc.middle) },
	"doc.login":    func(w *writer) string { return plain(initial(w.doc.first) + w.doc.last) },
	"doc.alias":    func(w *writer) string { return plain(w.doc.first) + "." + plain(w.doc.last) },
	"as.spouse":    func(w *writer) string { w.kin = w.family[0]; return "" },
	"as.child":     func(w *writer) string { w.kin = w.family[1]; return "" },
	"as.kin":       func(w *writer) string { w.kin = pick(w.Rand, w.family); return "" },
	"kin.first":    func(w *writer) string { return w.kin.first },
	"kin.last":     func(w *writer) string { return w.kin.last },
	"kin.fi":       func(w *writer) string { return initial(w.kin.first) },
	"kin.relation": func(w *writer) string { return w.kin.relation },

	// The hospital of the note, the previous one, and a new one each time.
	"here":        func(w *writer) string { return w.place.name },
	"here.abbr":   func(w *writer) string { return w.place.abbr },
	"here.short":  func(w *writer) string { return w.place.short },
	"there":       func(w *writer) string { return w.other.name },
	"there.abbr":  func(w *writer) string { return w.other.abbr },
	"there.short": func(w *writer) string { return w.other.short },
	"elsewhere":   func(w *writer) string { return w.newHospital().name },

	// Days.
	"on.visit":     func(w *writer) string { w.day = w.date; return "" },
	"on.admission": func(w *writer) string { w.day = w.admitted; return "" },
	"on.birth":     func(w *writer) string { w.day = w.born; return "" },
	"on.stay":      func(w *writer) string { w.day = w.daysAgo(0, 12); return "" },
	"on.recent":    func(w *writer) string { w.day = w.daysAgo(1, 90); return "" },
	"on.past":      func(w *writer) string { w.day = w.daysAgo(200, 9000); return "" },
	"on.later":     func(w *writer) string { w.day = w.day.AddDate(0, 0, 1+w.IntN(9)); return "" },
	"on.next":      func(w *writer) string { w.day = w.daysAgo(-90, -3); return "" },
	"d.d":          func(w *writer) string { return w.day.Format("2") },
	"d.dd":         func(w *writer) string { return w.day.Format("02") },
	"d.m":          func(w *writer) string { return w.day.Format("1") },
	"d.mm":         func(w *writer) string { return w.day.Format("01") },
	"d.yy":         func(w *writer) string { return w.day.Format("06") },
	"d.y":          func(w *writer) string { return w.day.Format("06")[1:] },
	"d.yyyy":       func(w *writer) string { return w.day.Format("2006") },
	"d.mon":        func(w *writer) string { return w.language.shortMonths[w.day.Month()-1] },
	"d.month":      func(w *writer) string { return w.language.months[w.day.Month()-1] },
	"d.day":        func(w *writer) string { return w.language.days[w.day.Weekday()] },
	"d.ddd":        func(w *writer) string { return w.language.shortDays[w.day.Weekday()] },
	"d.th":         func(w *writer) string { return w.language.ordinal(w.day.Day()) },
	"d.th.words":   func(w *writer) string { return w.language.nth(w.day.Day()) },
	"d.year.words": func(w *writer) string { return yearInWords(w.day.Year()) },
	"d.decade":     func(w *writer) string { return w.day.Format("06")[:1] + "0s" },

	"fake.ip": func(w *writer) string {
		return fmt.Sprintf("%d.%d.%d.%d", w.IntN(256), w.IntN(256), w.IntN(256), w.IntN(256))
	},
	// Values from the lists of gofakeit.
	"fake.carmaker":  func(w *writer) string { return pick(w.Rand, fakedata.Car["maker"]) },
	"fake.vegetable": func(w *writer) string { return strings.ToLower(pick(w.Rand, fakedata.Food["vegetable"])) },
	"fake.fruit":     func(w *writer) string { return strings.ToLower(pick(w.Rand, fakedata.Food["fruit"])) },
}

// fact returns the text of a rule, drawn at first use, which does not change for the patient.
func (w *writer) fact(rule string) string {
	if w.facts[rule] == "" {
		w.facts[rule] = w.draw(rule)
	}
	return w.facts[rule]
}

func sex(w *writer, male, female string) string {
	if w.female {
		return female
	}
	return male
}

// anotherDoctor returns a doctor of the patient other than the current one.
func (w *writer) anotherDoctor() *person {
	known := slices.DeleteFunc(slices.Concat(w.staff, []*person{w.pcp}), func(p *person) bool { return p == w.doc })
	return pick(w.Rand, known)
}

// daysAgo returns a day from least to most days before the note, but after the
// patient's birth.
func (w *writer) daysAgo(least, most int) time.Time {
	day := w.date.AddDate(0, 0, -least-w.IntN(most-least+1))
	if day.Before(w.born) {
		return w.date.AddDate(0, 0, -least)
	}
	return day
}

// plain returns the ASCII letters of a name in lower case, for a login name.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r
		}
		return -1
	}, strings.ToLower(unaccented.Replace(name)))
}

var unaccented = strings.NewReplacer("á", "a", "Á", "a", "é", "e", "É", "e", "è", "e", "í", "i", "ó", "o", "Ó", "o", "ö", "o",
	"ø", "o", "ü", "u", "ú", "u", "ñ", "n", "ã", "a", "ć", "c", "ł", "l")
