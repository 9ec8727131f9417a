package feature

import "slices"

// times has words for times by kind, in English and Spanish, in lower case.
var times = func() map[string][]string {
	all := map[string][]string{}
	for kind, words := range map[string][]string{
		"season": {"spring", "summer", "fall", "autumn", "winter", "primavera", "verano", "otoño", "invierno"},
		"month": {"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
			"jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec",
			"enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "setiembre", "octubre", "noviembre", "diciembre",
			"ene", "abr", "ago", "dic"},
		"weekday": {"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "mon", "tue", "tues", "wed", "thu", "thur", "thurs", "fri", "sat", "sun",
			"lunes", "martes", "miércoles", "miercoles", "jueves", "viernes", "sábado", "sabado", "domingo"},
		"time of day": {"morning", "noon", "afternoon", "evening", "night", "midnight", "am", "pm", "a.m.", "p.m.",
			"mañana", "mediodía", "mediodia", "tarde", "noche", "madrugada", "medianoche"},
		"unit": {"year", "years", "month", "months", "week", "weeks", "day", "days", "hour", "hours", "yo", "y/o", "yrs", "yr",
			"año", "años", "mes", "meses", "semana", "semanas", "día", "días", "dia", "dias", "hora", "horas"},
	} {
		for _, w := range words {
			all[w] = append(all[w], kind)
			slices.Sort(all[w])
		}
	}
	return all
}()

func temporal(x *Text, t int, put func(string)) {
	for _, kind := range times[x.lower()[t]] {
		put(kind)
	}
}
