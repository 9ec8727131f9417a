package synth

import (
	"fmt"
	"strings"
)

// A language has the words that slots write in it. Everything else is in the grammars.
type language struct {
	months, shortMonths []string           // from January
	days, shortDays     []string           // from Sunday
	nth                 func(n int) string // of a day of the month, in words: "twenty first"
	ordinal             func(n int) string // of a day of the month: "1st"
	inWords             func(n int) string // of a number from 1 to 119
}

var english = language{
	months:      strings.Fields("January February March April May June July August September October November December"),
	shortMonths: strings.Fields("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec"),
	days:        strings.Fields("Sunday Monday Tuesday Wednesday Thursday Friday Saturday"),
	shortDays:   strings.Fields("Sun Mon Tue Wed Thu Fri Sat"),
	nth:         nth,
	ordinal:     ordinal,
	inWords:     inWords,
}

var spanish = language{
	months:      strings.Fields("enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"),
	shortMonths: strings.Fields("ene feb mar abr may jun jul ago sep oct nov dic"),
	days:        strings.Fields("domingo lunes martes miércoles jueves viernes sábado"),
	shortDays:   strings.Fields("dom lun mar mié jue vie sáb"),
	nth:         spanishWords,
	ordinal:     func(n int) string { return fmt.Sprint(n, "º") },
	inWords:     spanishWords,
}

// spanishWords spells a number from 1 to 119 in words, such as "ochenta y seis".
func spanishWords(n int) string {
	ones := strings.Fields("cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis " +
		"diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete " +
		"veintiocho veintinueve")
	tens := strings.Fields("treinta cuarenta cincuenta sesenta setenta ochenta noventa")
	switch {
	case n == 100:
		return "cien"
	case n > 100:
		return "ciento " + spanishWords(n-100)
	case n < len(ones):
		return ones[n]
	case n%10 == 0:
		return tens[n/10-3]
	}
	return tens[n/10-3] + " y " + ones[n%10]
}

func ordinal(n int) string {
	if n/10 != 1 {
		switch n % 10 {
		case 1:
			return fmt.Sprint(n, "st")
		case 2:
			return fmt.Sprint(n, "nd")
		case 3:
			return fmt.Sprint(n, "rd")
		}
	}
	return fmt.Sprint(n, "th")
}

// nth spells the ordinal of a day of the month in words, such as "twenty first".
func nth(n int) string {
	words := strings.Fields("first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth " +
		"fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth")
	switch {
	case n <= 20:
		return words[n-1]
	case n == 30:
		return "thirtieth"
	case n == 31:
		return "thirty first"
	}
	return "twenty " + words[n-21]
}

// yearInWords spells a year in English as it is spoken, such as "nineteen eighty four".
func yearInWords(year int) string {
	century, rest := year/100, year%100
	switch {
	case century == 20 && rest == 0:
		return "two thousand"
	case century == 20 && rest < 10:
		return "two thousand " + inWords(rest)
	case rest == 0:
		return inWords(century) + " hundred"
	case rest < 10:
		return inWords(century) + " oh " + inWords(rest)
	}
	return inWords(century) + " " + strings.ReplaceAll(inWords(rest), "-", " ")
}

// inWords spells a number from 1 to 119 in words, such as "eighty-six".
func inWords(n int) string {
	ones := strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen " +
		"sixteen seventeen eighteen nineteen")
	tens := strings.Fields("twenty thirty forty fifty sixty seventy eighty ninety")
	switch {
	case n >= 100 && n%100 == 0:
		return "one hundred"
	case n >= 100:
		return "one hundred and " + inWords(n%100)
	case n < 20:
		return ones[n]
	case n%10 == 0:
		return tens[n/10-2]
	}
	return tens[n/10-2] + "-" + ones[n%10]
}
