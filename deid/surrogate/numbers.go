package surrogate

import (
	"strconv"
	"strings"
	"unicode"
)

// labels are words that may stand with a number and stay.
var labels = wordSet("no nº nr num numero number mrn mr ssn nhc dni nie nif cip nass nuhsa id acct account unit chart dea npi vin lic icu")

// phoneWords are those of telephone numbers.
var phoneWords = wordSet("x ext extension extn extensions ext. pager beeper page bpr phone tel telf tlf tfno telefono fax cell mobile movil home work office or o y and h w c int interno ph")

// alphanumeric is a number without separators.
func alphanumeric(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToUpper(r)
		}
		return -1
	}, text)
}

// numberIn is the number in a text, without separators and words that stay, and which bytes stay.
func numberIn(text string, sort Sort) (value string, kept []bool) {
	keep := labels
	if sort == Phone {
		keep = phoneWords
	}
	var core strings.Builder
	for _, t := range tokens(text) {
		stays := t.word != "" && keep[t.word] && strings.ContainsFunc(text, unicode.IsDigit) && len([]rune(t.text)) < len([]rune(text))
		if stays && sort != Phone && len(t.text) < 2 {
			stays = false
		}
		if !stays {
			core.WriteString(t.text)
		}
		for range len(t.text) {
			kept = append(kept, stays)
		}
	}
	return alphanumeric(core.String()), kept
}

// number replaces digit by digit and letter by letter, after Zuccon et al. 2014,
// section 4.2. One number has one surrogate, however it is cut up by separators.
// Zero at its beginning stays zero, and nothing else becomes it there.
func (p *Patient) number(text string, sort Sort) (string, bool, error) {
	value, kept := numberIn(text, sort)
	if value == "" {
		return "", false, nil
	}
	var made []rune
	if n := digitsOf(value[:min(2, len(value))]); sort == Zip && p.lang == Spanish && len(value) == 5 && strings.Trim(value, "0123456789") == "" && n >= 1 && n <= 52 {
		made = []rune(p.zip(value))
	} else {
		made = []rune(p.characters(value))
	}
	var b strings.Builder
	for i, r := range text {
		switch {
		case kept[i] || !unicode.IsLetter(r) && !unicode.IsDigit(r):
			b.WriteRune(r)
		case unicode.IsLower(r):
			b.WriteRune(unicode.ToLower(made[0]))
			made = made[1:]
		default:
			b.WriteRune(made[0])
			made = made[1:]
		}
	}
	return b.String(), true, nil
}

// numeral is false for words that are no number: a type of numbers was given to "homosexual".
func numeral(text string) bool {
	for _, w := range strings.Fields(text) {
		w = strings.Trim(w, ".,;:()")
		if keep := labels[fold(w)] || phoneWords[fold(w)]; !keep && len(w) >= 4 && !strings.ContainsFunc(w, func(r rune) bool { return !unicode.IsLower(r) && !unicode.IsUpper(r) }) &&
			strings.ContainsFunc(w[1:], unicode.IsLower) {
			return false
		}
	}
	return true
}

// digit is what may stand in the place of the digit at i of a number, n digits from the first: telephone numbers begin as those of their country do.
func (m *Maker) digit(value string, i int) (from, n int) {
	foreign := 0 // digits of the country's code, which stays
	switch code := map[Language]string{English: "1", Spanish: "34"}[m.lang]; {
	case len(value) == len(code)+map[Language]int{English: 10, Spanish: 9}[m.lang] && strings.HasPrefix(value, code):
		foreign = len(code)
	}
	k := i - foreign
	switch rest := len(value) - foreign; {
	case k < 0:
		return int(value[i] - '0'), 1
	case m.lang == English && rest == 10 && (k == 0 || k == 3) && (foreign > 0 || value[0] > '1'):
		return 2, 8
	case m.lang == Spanish && rest == 9 && k == 0 && value[i] >= '6' && value[i] <= '9':
		return int(6 + (value[i]-'6')/2*2), 2
	case i == 0:
		return 1, 9
	}
	return 0, 10
}

// characters replaces a normalised number. Of the surrogates that would repeat
// another, or an original, the next is taken, as long as there are any: a
// number of one digit has but nine.
func (p *Patient) characters(value string) string {
	id := "number\x00" + value
	if s, ok := p.memo[id]; ok {
		return s
	}
	var last string
	for attempt := range 200 {
		var b strings.Builder
		var bits uint64
		for i, r := range []rune(value) {
			if i%8 == 0 {
				bits = p.random("number", value, attempt<<16+i/8)
			}
			v := int(bits & 0xff) // of 256, so that a digit's probability is 25 or 26 in 256
			bits >>= 8
			switch {
			case unicode.IsDigit(r):
				zero := r - rune(digitValue(r))
				switch from, n := 0, 10; {
				case i == 0 && r == zero:
					b.WriteRune(zero)
				default:
					if ascii(value) {
						from, n = p.digit(value, i)
					} else if i == 0 {
						from, n = 1, 9
					}
					b.WriteRune(zero + rune(from+v%n))
				}
			default:
				b.WriteByte(byte('A' + v%26))
			}
		}
		s := b.String()
		if s == value {
			continue
		}
		last = s
		if !p.originals[s] && !p.originals[strings.ToLower(s)] && p.taken["number\x00"+s] == "" && (attempt > 100 || !p.lettersOfOriginal(s)) {
			break
		}
	}
	if last == "" {
		last = value // 0, which stays 0
		if value == "0" {
			last = "1"
		}
	}
	p.taken["number\x00"+last] = id
	p.memo[id] = last
	return last
}

// lettersOfOriginal reports whether letters between digits are a name or place of the patient's: NJ in 27-39044-NJ.
func (p *Patient) lettersOfOriginal(made string) bool {
	for w := range strings.FieldsFuncSeq(strings.ToLower(made), unicode.IsDigit) {
		if len(w) > 1 && (p.wholes[w] || p.names.count[w] > 0) {
			return true
		}
	}
	return false
}

// digitValue is the value of a decimal digit of any script.
func digitValue(r rune) int {
	// Digits of a script stand in runs of ten, whose first is a multiple of ten
	// after the run's first; count back to it.
	n := 0
	for unicode.IsDigit(r-1) && n < 9 {
		r--
		n++
	}
	return n
}

// ageWords are what an age may be written with.
var ageWords = wordSet(`year years yr yrs yo y o old of age aged month months mo mos week weeks wk wks day days d hour hours hrs h s in his her their the at early mid
	late about almost nearly over under a an and or to between m w month-old half newborn infant neonate toddler child teen teens teenage teenager teenaged adolescent
	adult adulthood young elderly middle twenties thirties forties fifties sixties seventies eighties nineties
	primer primero primera segundo segunda tercer tercero tercera cuarto cuarta quinto quinta sexto sexta septimo septima octavo octava noveno novena decimo decima
	ano anos mes meses semana semanas dia dias hora horas de edad los las el la y medio media unos unas casi entre hasta desde recien nacido nacida lactante
	nino nina adolescente joven adulto adulta anciano anciana decada aproximadamente recien e u`)

var numberWords = func() map[string]int {
	words := map[string]int{"hundred": 100, "cien": 100, "ciento": 100}
	for i, w := range strings.Fields(`zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen`) {
		words[w] = i
	}
	for i, w := range strings.Fields("twenty thirty forty fifty sixty seventy eighty ninety") {
		words[w] = 20 + 10*i
	}
	for i, w := range strings.Fields(`cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis diecisiete dieciocho diecinueve
		veinte veintiuno veintidos veintitres veinticuatro veinticinco veintiseis veintisiete veintiocho veintinueve`) {
		words[w] = i
	}
	for i, w := range strings.Fields("treinta cuarenta cincuenta sesenta setenta ochenta noventa") {
		words[w] = 30 + 10*i
	}
	words["un"], words["una"], words["fourty"], words["veintiun"], words["veintiuna"] = 1, 1, 40, 21, 21
	return words
}()

// shortUnits are those in which 90 is no great age. In 93M and 93 m, M is no month but a man; a single capital is none of them.
var shortUnits = wordSet("month months mo mos week weeks wk wks day days d hour hours hrs h mes meses semana semanas dia dias hora horas w")

// age keeps an age up to 89 years and writes the others as 90 or more (45 CFR
// 164.514(b)(2)(i)(C)). It is false for what is not wholly made of numbers and words of ages.
func age(text string) (string, bool, error) {
	all := tokens(text)
	var b strings.Builder
	found := false
	short := func(i int) bool { // the next word is a unit shorter than a year
		for _, t := range all[i:] {
			if t.word != "" {
				if _, number := numberWords[t.word]; !number && t.word != "and" && t.word != "y" {
					return shortUnits[t.word] && (len(t.text) > 1 || lowerCase(t.text))
				}
			}
		}
		return false
	}
	for i := 0; i < len(all); i++ {
		t := all[i]
		n, isNumber := numberWords[t.word]
		switch {
		case t.num:
			found = true
			if len(t.text) > 3 || t.n > 130 && !short(i+1) {
				return "", false, nil
			}
			plural := i+1 < len(all) && (all[i+1].word == "s" || all[i+1].text == "'" || all[i+1].text == "’")
			if fraction := i > 0 && all[i-1].text == "." && i > 1 && all[i-2].num; t.n >= 90 && !short(i+1) && !fraction && (!plural || t.n != 90) {
				b.WriteString("90+")
				continue
			}
			b.WriteString(t.text)
		case isNumber:
			found = true
			// A number in words is a run of them: ninety-three, noventa y tres.
			end, total := i+1, n
			for j := i + 1; j < len(all) && !all[j].num; j++ {
				if v, ok := numberWords[all[j].word]; ok && total >= 20 && v < 100 && (total%10 == 0 || total == 100) {
					total, end = total+v, j+1
				} else if ok && v == 100 && total < 10 {
					total, end = total*100, j+1
				} else if all[j].word != "" && all[j].word != "and" && all[j].word != "y" || all[j].word == "" && all[j].text != " " && all[j].text != "-" {
					break
				}
			}
			if total >= 90 && !short(end) {
				phrase := "ninety or more"
				if spanishNumber(t.word) {
					phrase = "noventa o más"
				}
				b.WriteString(likeCase(phrase, t.text))
			} else {
				for _, w := range all[i:end] {
					b.WriteString(w.text)
				}
			}
			i = end - 1
		case t.word != "":
			if !ageWords[t.word] {
				return "", false, nil
			}
			found = true
			b.WriteString(t.text)
		case strings.ContainsAny(t.text, " \t\n\r.,-–—/+½¼¾'’()<>~\u00a0"):
			b.WriteString(t.text)
		default:
			return "", false, nil
		}
	}
	return b.String(), found, nil
}

func spanishNumber(word string) bool {
	return word == "cien" || word == "ciento" || strings.HasSuffix(word, "enta")
}

// ip replaces an address of version 4 or 6.
func (p *Patient) ip(text string) (string, bool, error) {
	trimmed := strings.TrimSpace(text)
	if strings.ContainsFunc(trimmed, func(r rune) bool { return !strings.ContainsRune("0123456789abcdefABCDEF.:/", r) }) {
		return p.url(text)
	}
	if strings.Count(trimmed, ":") > 1 || strings.ContainsFunc(trimmed, unicode.IsLetter) { // version 6: hexadecimal digits
		i := 0
		return strings.Map(func(r rune) rune {
			if r == ':' || r == '.' || r == '/' || unicode.IsSpace(r) {
				return r
			}
			i++
			return rune(strconv.FormatUint(p.random("ip", fold(trimmed), i)%16, 16)[0])
		}, text), true, nil
	}
	var b strings.Builder
	octet := 0
	for _, t := range tokens(text) {
		if !t.num {
			b.WriteString(t.text)
			continue
		}
		octet++
		low, high := 1, 9 // of as many digits
		switch len(t.text) {
		case 1:
		case 2:
			low, high = 10, 99
		default:
			low, high = 100, 223
		}
		span := uint64(high - low)
		n := low + int(p.random("ip", trimmed, octet)%span)
		if n >= t.n { // any but the original
			n++
		}
		b.WriteString(strconv.Itoa(n))
	}
	return b.String(), octet > 0, nil
}
