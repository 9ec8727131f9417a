package attack

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/fold"
	"github.com/lethe-deid/lethe/deid/surrogate"
)

// drawnFrom names, by the sort of a value, the ends of the names of the lists that its surrogates come from.
var drawnFrom = map[data.Sort][]string{
	data.Person:       {"-male", "-female", "-unisex", "-given", "-surname"},
	data.Hospital:     {"-hospital"},
	data.Organization: {"-organization"},
	data.Department:   {"-department"},
	data.Street:       {"-street", "-surname"},
	data.City:         {"-city"},
	data.Landmark:     {"-landmark"},
	data.Profession:   {"-profession"},
}

// Unlisted suspects the names of persons and places of which no word is in the lists that surrogates come from, which are no secret. lists replaces
// built-in lists of the same names, as in surrogate.Options. The confidence is the share of the other marked values of the type that are in the
// lists: if few are, the notes were made with other lists.
func Unlisted(seen []*data.Document, types *data.TypeSet, lists map[string][]string) []Suspect {
	known := map[data.Sort]map[string]bool{}
	for sort, ends := range drawnFrom {
		known[sort] = map[string]bool{}
		for _, name := range surrogate.ListNames() {
			if !slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(name, end) }) {
				continue
			}
			entries := lists[name]
			if entries == nil {
				entries = surrogate.List(name)
			}
			for _, entry := range entries {
				for _, w := range words(entry) {
					known[sort][fold.Fold(entry[w.Start:w.End])] = true
				}
			}
		}
	}
	var suspects []Suspect
	listed, all := map[string]int{}, map[string]int{}
	for _, doc := range seen {
		for _, s := range doc.Spans {
			lists := known[types.SortOf(s.Type)]
			if lists == nil {
				continue
			}
			value, long, in := doc.Text[s.Start:s.End], false, false
			for _, w := range words(value) {
				word := fold.Fold(value[w.Start:w.End])
				long = long || utf8.RuneCountInString(word) > 2
				in = in || lists[word]
			}
			if !long { // initials
				continue
			}
			all[s.Type]++
			if in {
				listed[s.Type]++
			} else {
				suspects = append(suspects, Suspect{Note: doc.ID, Span: s})
			}
		}
	}
	for i, x := range suspects {
		suspects[i].Confidence = float64(listed[x.Type]) / float64(all[x.Type])
	}
	sortSuspects(suspects)
	return suspects
}

// Frequent suspects the values that occur with many more patients than others of their type do: the hospital's own name is the same in all notes where it
// was missed, and surrogates differ from patient to patient. The number of patients of a value is compared with a Poisson distribution
// whose mean is that of all values of the type; a value is a suspect if the probability of as many, times the number of values (Bonferroni), is below 0.01.
// The confidence is 1 less the mean divided by the number.
func Frequent(seen []*data.Document) []Suspect {
	type place struct {
		note string
		span data.Span
	}
	places := map[string]map[string][]place{}           // by type and value
	patients := map[string]map[string]map[string]bool{} // by type and value
	for _, doc := range seen {
		for _, s := range doc.Spans {
			value := fold.Fold(doc.Text[s.Start:s.End])
			if patients[s.Type] == nil {
				patients[s.Type], places[s.Type] = map[string]map[string]bool{}, map[string][]place{}
			}
			if patients[s.Type][value] == nil {
				patients[s.Type][value] = map[string]bool{}
			}
			patients[s.Type][value][doc.Group()] = true
			places[s.Type][value] = append(places[s.Type][value], place{doc.ID, s})
		}
	}
	var suspects []Suspect
	for typ, values := range patients {
		total := 0
		for _, of := range values {
			total += len(of)
		}
		mean := float64(total) / float64(len(values))
		expected := distuv.Poisson{Lambda: mean}
		for value, of := range values {
			if n := float64(len(of)); n >= 3 && expected.Survival(n-1)*float64(len(values)) < 0.01 {
				for _, p := range places[typ][value] {
					suspects = append(suspects, Suspect{p.note, p.span, 1 - mean/n})
				}
			}
		}
	}
	sortSuspects(suspects)
	return suspects
}

// OddDates suspects the dates of a patient that are far from all of the patient's other dates. Surrogates and shifted dates keep their
// intervals, so a date that was missed among them is as far away as the others were moved. Only dates with day, month and year count, of patients with at least
// three of them: a date is a suspect if the nearest other one is more than 60 days away, and ten times as far as is usual for the patient.
// The confidence is 1 less the usual distance divided by this one.
func OddDates(seen []*data.Document, types *data.TypeSet) []Suspect {
	type dated struct {
		note string
		span data.Span
		day  float64
	}
	byPatient := map[string][]dated{}
	for _, doc := range seen {
		for _, s := range doc.Spans {
			if types.SortOf(s.Type) != data.Date {
				continue
			}
			if day, ok := parseDay(doc.Text[s.Start:s.End]); ok {
				byPatient[doc.Group()] = append(byPatient[doc.Group()], dated{doc.ID, s, day})
			}
		}
	}
	var suspects []Suspect
	for _, patient := range slices.Sorted(maps.Keys(byPatient)) {
		dates := byPatient[patient]
		if len(dates) < 3 {
			continue
		}
		slices.SortStableFunc(dates, func(a, b dated) int { return cmp.Compare(a.day, b.day) })
		gaps := make([]float64, len(dates)) // to the nearest other date
		for i, d := range dates {
			gaps[i] = math.Inf(1)
			if i > 0 {
				gaps[i] = d.day - dates[i-1].day
			}
			if i+1 < len(dates) {
				gaps[i] = min(gaps[i], dates[i+1].day-d.day)
			}
		}
		typical := slices.Sorted(slices.Values(gaps))[len(gaps)/2]
		for i, d := range dates {
			if gaps[i] > 60 && gaps[i] > 10*typical {
				suspects = append(suspects, Suspect{d.note, d.span, 1 - max(typical, 1)/gaps[i]})
			}
		}
	}
	sortSuspects(suspects)
	return suspects
}

// layouts are the forms of whole dates that parseDay understands, with the month first where the order is not told by the form.
var layouts = []string{
	"1/2/2006", "1-2-2006", "1.2.2006", "2006-1-2", "2006/1/2", "1/2/06", "1-2-06", "January 2, 2006", "January 2 2006", "Jan 2, 2006", "Jan 2 2006",
	"2 January 2006", "2 Jan 2006", "2-Jan-2006", "2-Jan-06", "2/1/2006", "2.1.2006", "2.1.06", "2/1/06",
}

// parseDay returns the number of the day of a whole date.
func parseDay(text string) (float64, bool) {
	text = strings.Join(strings.Fields(text), " ")
	for _, layout := range layouts {
		if t, err := time.Parse(layout, text); err == nil {
			return float64(t.Unix()) / (24 * 60 * 60), true
		}
	}
	return 0, false
}
