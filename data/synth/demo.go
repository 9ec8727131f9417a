package synth

import (
	"time"
)

// The corpus demo: its cast and the kinds of its notes. The notes must not change, because results
// that are published in the documentation depend on them.

// A style is one kind of note, with its title and the sections that it contains.
type style struct {
	title    string
	weight   int
	sections []func(*writer)
}

var styles = []style{
	{"title.discharge", 5, []func(*writer){complaint, hpi, pmh, meds, social, exam, labs, course, plan, numbers, signed}},
	{"title.admission", 5, []func(*writer){complaint, hpi, pmh, meds, allergies, social, family, exam, labs, imaging, plan, signed}},
	{"title.clinic", 5, []func(*writer){hpi, pmh, meds, social, exam, labs, plan, numbers, signed}},
	{"title.consult", 4, []func(*writer){hpi, pmh, meds, family, social, exam, labs, imaging, plan, signed}},
	{"title.nursing", 3, []func(*writer){nursing, numbers, signed}},
	{"title.emergency", 3, []func(*writer){complaint, hpi, allergies, exam, labs, imaging, plan, numbers, signed}},
	{"", 3, []func(*writer){letter, signed}}, // a letter has no title
	{"title.operative", 2, []func(*writer){operative, plan, signed}},
	{"title.imaging", 2, []func(*writer){films, numbers, signed}},
	{"title.phone", 2, []func(*writer){call, numbers, signed}},
}

// demoNote writes one note, in a style that is drawn by weight.
func (w *writer) demoNote() {
	total := 0
	for _, s := range styles {
		total += s.weight
	}
	k := w.IntN(total)
	for _, s := range styles {
		if k -= s.weight; k >= 0 {
			continue
		}
		w.head(s.title)
		for i, section := range s.sections {
			w.section(section)
			if w.uncued && i < len(s.sections)-1 && w.chance(0.4) { // the last one is the signature
				w.section(uncued)
			}
		}
		return
	}
}

// demoVisits returns the number of notes of a patient.
func (w *writer) demoVisits() int { return 1 + w.IntN(5) }

// demoPatient invents a person, their family, and the staff who look after them.
func (w *writer) demoPatient() {
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

func (w *writer) demoPerson() *person {
	p := &person{female: w.chance(0.5), last: w.draw("surname"), middle: w.digits("?")}
	if p.first = w.draw("male"); p.female {
		p.first = w.draw("female")
	}
	p.nick = w.draw("nickname")
	return p
}

func (w *writer) head(title string) {
	if w.chance(0.4) {
		w.say("head.hospital")
	}
	if title != "" && w.chance(0.7) {
		w.say(title)
		w.text("\n")
	}
	switch r := w.Float64(); {
	case r < 0.65:
		w.say("head.labelled")
	case r < 0.95:
		w.say("head.bare")
	}
	for w.chance(0.3) {
		w.say("id.line")
		w.text("\n")
	}
}

// section writes one section. A few sections are all in capitals, as if dictated,
// or all in lower case, and some contain additional numbers or addresses.
func (w *writer) section(write func(*writer)) {
	switch r := w.Float64(); {
	case r < 0.03:
		w.shift = '^'
	case r < 0.05:
		w.shift = '_'
	}
	w.text("\n")
	start := len(w.buf)
	if write(w); len(w.buf) > start {
		w.text("\n")
	}
	w.shift = 0
}

// under writes the title of a section, but sometimes omits it.
func (w *writer) under(title string) {
	if w.chance(0.1) {
		return
	}
	w.say(title)
	w.text(pick(w.Rand, []string{"\n", " ", " ", "\n\n"}))
}

func complaint(w *writer) {
	w.under("of.complaint")
	w.say("complaint")
}

func hpi(w *writer) {
	w.under("of.hpi")
	w.say("opening")
	w.text(" ")
	w.some("hpi", 3, 7, " ")
	w.prose()
}

func pmh(w *writer) {
	w.under("of.pmh")
	w.list("pmh.item", 2, 6, ", ")
}

func meds(w *writer) {
	w.under("of.meds")
	w.list("med.item", 3, 8, ", ")
}

func allergies(w *writer) {
	w.under("of.allergies")
	w.say("allergy")
}

func social(w *writer) {
	w.under("of.social")
	w.some("social", 1, 4, " ")
}

func family(w *writer) {
	w.under("of.family")
	w.some("family", 1, 2, " ")
}

func exam(w *writer) {
	w.under("of.exam")
	w.say("vitals")
	w.text("\n")
	w.some("exam", 2, 6, pick(w.Rand, []string{"\n", " "}))
}

func labs(w *writer) {
	w.under("of.labs")
	w.some("labs", 1, 4, pick(w.Rand, []string{"\n", "; ", ". "}))
}

func imaging(w *writer) {
	w.under("of.imaging")
	w.some("imaging", 1, 3, "\n")
}

func course(w *writer) {
	w.under("of.course")
	w.some("course", 3, 8, " ")
	w.prose()
}

func plan(w *writer) {
	w.under("of.plan")
	if w.chance(0.4) {
		w.say("summary.line")
		w.text("\n")
	}
	w.list("plan", 2, 5, " ")
}

// uncued writes sentences with names and numbers that no context identifies as
// such.
func uncued(w *writer) {
	from := len(w.spans)
	w.some("uncued", 1, 3, " ")
	w.alone = append(w.alone, w.spans[from:]...)
}

// prose adds sentences without PHI.
func (w *writer) prose() {
	if w.chance(0.7) {
		w.text(" ")
		w.some("prose", 1, 4, " ")
	}
}

func nursing(w *writer) { w.some("nursing", 5, 11, " ") }

func letter(w *writer) {
	w.some("letter.body", 3, 6, " ")
	w.text("\n\n")
	w.some("hpi", 2, 4, " ")
	w.prose()
	w.text("\n\n")
	w.some("plan", 2, 3, " ")
}

func operative(w *writer) {
	w.say("opening")
	w.text("\n")
	w.some("operative", 6, 11, " ")
}

func films(w *writer) {
	w.say("summary.line")
	w.text("\n")
	w.some("imaging", 3, 7, "\n")
}

func call(w *writer) { w.some("phone.call", 3, 6, " ") }

// numbers writes what is rare in notes: identifiers and addresses.
func numbers(w *writer) {
	if w.chance(0.8) {
		w.some("id.sentence", 1, 3, pick(w.Rand, []string{"\n", " "}))
	}
}

func signed(w *writer) {
	if w.chance(0.85) {
		w.say("signature")
	}
	if w.chance(0.4) {
		w.say("carbon.copy")
	}
	if w.chance(0.55) {
		w.say("dictation")
	}
}
