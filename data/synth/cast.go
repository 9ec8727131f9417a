package synth

import (
	"math/rand/v2"
	"strings"
	"time"
	"unicode/utf8"
)

// A person of the notes. Only patients and their relatives have a sex that shows
// in the text.
type person struct {
	first, nick, middle, last string
	second                    string // second surname, in corpora that have it
	female                    bool
	relation                  string // relation to the patient: "wife", "son"
}

// A patient is the state shared by all notes of one person.
type patient struct {
	person
	born time.Time
	next time.Time // the day of the next note

	pcp                              *person
	staff, residents, nurses, family []*person

	place hospital          // where the notes are written
	other hospital          // where the patient was treated before
	facts map[string]string // by rule; see the slots my.*
}

// A visit is the state shared by all parts of one note.
type visit struct {
	date, admitted             time.Time
	attending, resident, nurse *person
}

// A hospital has a full name, an abbreviation of it, and a colloquial name.
type hospital struct{ name, abbr, short string }

// anyPatient invents a patient by the rules of a grammar: the relations kin.spouse, kin.child and
// kin.other, with entries "wife/husband", and those of newPerson and newHospital.
func (w *writer) anyPatient() {
	p := &patient{facts: map[string]string{}}
	w.patient = p
	p.person = *w.newPerson()
	p.next = time.Date(2004+w.IntN(23), 1, 1+w.IntN(365), 0, 0, 0, 0, time.UTC)
	p.born = p.next.AddDate(-16-w.IntN(84), 0, -w.IntN(365))
	p.pcp = w.newPerson()
	for range 3 {
		p.staff = append(p.staff, w.newPerson())
		p.residents = append(p.residents, w.newPerson())
		p.nurses = append(p.nurses, w.newPerson())
	}
	for _, rule := range []string{"kin.spouse", "kin.child", "kin.other", "kin.other"} {
		kin := w.newPerson()
		if rule == "kin.spouse" && w.chance(0.95) {
			for kin.female == p.female {
				kin = w.newPerson()
			}
		}
		her, his, _ := strings.Cut(w.draw(rule), "/")
		if kin.relation = his; kin.female {
			kin.relation = her
		}
		if w.chance(0.5) {
			kin.last, kin.second = p.last, p.second
		}
		p.family = append(p.family, kin)
	}
	p.place, p.other = w.newHospital(), w.newHospital()
}

// anyPerson invents a person by the rules person.female and person.male, whose entries are
// "First/Nick/Middle/Last" or "First/Nick/Middle/Last/Second".
func (w *writer) anyPerson() *person {
	p := &person{female: w.chance(0.5)}
	rule := "person.male"
	if p.female {
		rule = "person.female"
	}
	f := append(strings.Split(w.draw(rule), "/"), "")
	p.first, p.nick, p.middle, p.last, p.second = f[0], f[1], f[2], f[3], f[4]
	return p
}

// mother makes the patient a woman of childbearing age.
func (w *writer) mother() {
	for !w.female {
		w.person = *w.newPerson()
	}
	w.born = w.date.AddDate(-18-w.IntN(26), 0, -w.IntN(365))
}

func (w *writer) newPerson() *person { return w.corpus.person(w) }

// newHospital parses an entry "Full Name/ABBR/Short" of the list.
func (w *writer) newHospital() hospital {
	f := strings.Split(w.draw("hospital.list"), "/")
	return hospital{f[0], f[1], f[2]}
}

// newVisit advances to the next note of the patient.
func (w *writer) newVisit() {
	p := w.patient
	w.visit = visit{
		date:      p.next,
		admitted:  p.next.AddDate(0, 0, -1-w.IntN(13)),
		attending: pick(w.Rand, p.staff),
		resident:  pick(w.Rand, p.residents),
		nurse:     pick(w.Rand, p.nurses),
	}
	w.doc, w.kin, w.day = w.attending, p.family[0], w.date
	if p.next = p.next.AddDate(0, 0, 1+w.IntN(9)); w.chance(0.7) {
		p.next = p.next.AddDate(0, 0, w.IntN(690))
	}
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// age returns the age on the day of the visit, in whole years.
func (w *writer) age() int {
	years := w.date.Year() - w.born.Year()
	if w.born.AddDate(years, 0, 0).After(w.date) {
		years--
	}
	return years
}

// initial returns the first letter of a name.
func initial(name string) string {
	_, n := utf8.DecodeRuneInString(name)
	return name[:n]
}
