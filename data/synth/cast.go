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

// newPatient invents a person, their family, and the staff who look after them.
func (w *writer) newPatient() {
	p := &patient{facts: map[string]string{}}
	w.patient = p
	p.person = *w.newPerson()
	p.next = time.Date(2062+w.IntN(30), 1, 1+w.IntN(365), 0, 0, 0, 0, time.UTC)
	p.born = p.next.AddDate(-19-w.IntN(78), 0, -w.IntN(365))
	p.pcp = w.newPerson()
	p.staff = []*person{w.newPerson(), w.newPerson(), w.newPerson()}
	p.residents = []*person{w.newPerson(), w.newPerson()}
	p.nurses = []*person{w.newPerson(), w.newPerson()}
	for _, relations := range [][2]string{{"wife", "husband"}, {"daughter", "son"}, {"sister", "brother"}, {"niece", "nephew"}} {
		kin := w.newPerson()
		if relations[0] == "wife" {
			for kin.female == p.female {
				kin = w.newPerson()
			}
		}
		kin.relation = relations[1]
		if kin.female {
			kin.relation = relations[0]
		}
		if w.chance(0.6) {
			kin.last = p.last
		}
		p.family = append(p.family, kin)
	}
	p.place, p.other = w.newHospital(), w.newHospital()
}

func (w *writer) newPerson() *person {
	p := &person{female: w.chance(0.5), last: w.draw("surname"), middle: w.digits("?")}
	if p.first = w.draw("male"); p.female {
		p.first = w.draw("female")
	}
	p.nick = w.draw("nickname")
	return p
}

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
