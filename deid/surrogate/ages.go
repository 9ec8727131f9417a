package surrogate

import (
	"strings"

	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// age keeps an age up to 89 years and writes all others as 90 or more (45 CFR 164.514(b)(2)(i)(C)). It returns false unless the text consists
// entirely of numbers and words of ages.
func (m *Maker) age(text string) (string, bool) {
	made, ok := m.readAge(text, false)
	return made, ok
}

// readAge is age. If strict is true, it writes 90+ also for numbers in words, and accepts words for a sex, as in 67M.
func (m *Maker) readAge(text string, strict bool) (string, bool) {
	if manyMonths.MatchString(text) || damagedAge.MatchString(text) {
		return "", false
	}
	r := &ageReader{Maker: m, tokens: tokens(text), strict: strict}
	for r.i < len(r.tokens) {
		if !r.digits() && !r.numberInWords() && !r.word() && !r.sign() {
			return "", false
		}
	}
	return r.made.String(), r.found
}

// manyMonths matches a number with a sign or blank for the thousands, as of months or weeks that are 90 years or more; one without has too many digits for an age. That of days
// under 90 years goes with them. The tenth decade of life, in Spanish, is that of the ages over 89.
var manyMonths = lazyregexp.New(`\b(?:1[., ](?:0[89]|[1-9][0-9])[0-9]|(?:[2-9]|[1-9][0-9])[., ][0-9]{3})\b|(?i:\b(?:un|duo)?d[ée]cima d[ée]cada)`)

// damagedAge matches an age over 89 in which a letter stands for a digit or a blank divides the digits, as machines read them: 9O, 1O1, 9 2. Its first digits are no age of their own.
var damagedAge = lazyregexp.New(`\b(?:9[OolISZB]|1[Oo][0-9OolI]|1[01][OolI]|9 [0-9OolI]|1 [01] ?[0-9]|1[01] [0-9])(?:[^\pL\pN/.,]|[.,](?:[^0-9]|$)|$)`)

// ageReader reads an age token by token.
type ageReader struct {
	*Maker
	tokens []token
	i      int
	made   strings.Builder
	found  bool // a number or word of an age
	strict bool // all ages over 89 become 90+, also those in words
}

func (r *ageReader) at(i int) token {
	if i < 0 || i >= len(r.tokens) {
		return token{}
	}
	return r.tokens[i]
}

// copy writes the tokens before end as they are.
func (r *ageReader) copy(end int) {
	for _, t := range r.tokens[r.i:end] {
		r.made.WriteString(t.text)
	}
	r.i = end
}

// short reports whether the unit of the number before token i, which is the first word that is not a number, is shorter than a year. In 93M and 93 m, the M
// means a man, not a month; a single capital is never a unit. A small number before the unit, as in 93 y 4 mo, has that unit for itself.
func (r *ageReader) short(i int) bool {
	for k, t := range r.tokens[i:] {
		word, number := r.numbers[t.word]
		switch {
		case t.num && t.n < mostDays && !r.behindPoint(i+k), number && word.value < mostDays:
			return false
		case t.word == "" || number || r.words[numberJoins][t.word]:
			continue
		}
		return r.words[shortUnits][t.word] && (len(t.text) > 1 || lowerCase(t.text))
	}
	return false
}

// mostDays is above the number of months, weeks or days that are written behind a number of years.
const mostDays = 32

// behindPoint reports whether a number is the fraction of the one before it.
func (r *ageReader) behindPoint(i int) bool {
	return r.at(i-1).text == "." && r.at(i-2).num
}

// digits reads 45, 93, 4.5 and 90s. A number above 130 without short units is not an age, nor is any number of more than three digits.
func (r *ageReader) digits() bool {
	t := r.at(r.i)
	if !t.num || len(t.text) > 3 {
		return false
	}
	short := r.short(r.i + 1)
	if t.n > 130 && !short {
		return false
	}
	next := r.at(r.i + 1)
	r.found = true
	if t.n >= 90 && !short && !r.behindPoint(r.i) {
		r.made.WriteString("90+")
		r.i++
		r.skipDecade()
		r.skipFiner()
		return true
	}
	r.copy(r.i + 1)
	if r.ordinals[next.word] != nil { // 60th birthday
		r.copy(r.i + 1)
	}
	return true
}

// skipDecade skips what is joined to the digits of an age over 89: the plus sign of 90+, the ending of 90's, and that of 93rd.
func (r *ageReader) skipDecade() {
	if r.at(r.i).text == "+" {
		r.i++
	}
	for r.at(r.i).word == "s" || r.at(r.i).text == "'" || r.at(r.i).text == "’" {
		r.i++
	}
	if r.ordinals[r.at(r.i).word] != nil { // 93rd birthday
		r.i++
	}
}

// skipFiner skips what says more of an age over 89 than its years: the fraction of 93.5, 91½ and 93 4/12, and the "and a half" and "and 4 months" behind it.
func (r *ageReader) skipFiner() {
	quarter := func(i int) bool { return strings.ContainsAny(r.at(i).text, "½¼¾") }
	switch {
	case (r.at(r.i).text == "." || r.at(r.i).text == ",") && r.at(r.i+1).num: // 93.5
		r.i += 2
	case quarter(r.i):
		r.i++
	case r.at(r.i).text == " " && quarter(r.i+1):
		r.i += 2
	case r.at(r.i).text == " " && r.at(r.i+1).num && r.at(r.i+2).text == "/" && r.at(r.i+3).num:
		r.i += 4
	}
	kept := r.i // the end of what stays
	for i := r.i; i < len(r.tokens); i++ {
		t := r.tokens[i]
		_, number := r.numbers[t.word]
		switch {
		case r.words[halves][t.word]:
			r.copy(kept)
			r.i, kept = i+1, i+1
		case t.num || number:
			unit := r.shortUnit(i)
			if unit < 0 {
				return
			}
			r.copy(kept)
			i = unit
			r.i, kept = i+1, i+1
		case r.words[numberJoins][t.word] || r.words[beforeHalves][t.word], t.text == " ", t.text == ",", t.text == ".":
		case !r.words[ageWords][t.word]:
			return
		default:
			kept = i + 1
		}
	}
}

// shortUnit returns the index of the unit shorter than a year behind the number that begins at a token; -1 if there is none.
func (r *ageReader) shortUnit(i int) int {
	end := i + 1
	if !r.tokens[i].num {
		_, end = r.numberFrom(i)
	}
	if !r.short(end) {
		return -1
	}
	for !r.words[shortUnits][r.tokens[i].word] {
		i++
	}
	return i
}

// numberInWords reads a run of words for one number: ninety-three, noventa y tres.
func (r *ageReader) numberInWords() bool {
	t := r.at(r.i)
	first, ok := r.numbers[t.word]
	if !ok {
		return false
	}
	r.found = true
	total, end := r.numberFrom(r.i)
	if total >= 90 && !r.short(end) {
		more := likeCase(first.lang.ninetyOrMore, t.text)
		if r.strict {
			more = "90+"
		}
		r.made.WriteString(more)
		r.i = end
		r.skipFiner()
		return true
	}
	r.copy(end)
	return true
}

// numberFrom returns the number in words that begins at a token, and the index after it.
func (r *ageReader) numberFrom(start int) (total, end int) {
	total, end = r.numbers[r.tokens[start].word].value, start+1
	for i := end; i < len(r.tokens) && !r.tokens[i].num; i++ {
		t := r.tokens[i]
		number, ok := r.numbers[t.word]
		switch {
		case ok && total >= 20 && number.value < 100 && (total%10 == 0 || total == 100):
			total, end = total+number.value, i+1
		case ok && number.value == 100 && total < 10:
			total, end = total*100, i+1
		case t.word != "" && !r.words[numberJoins][t.word], t.word == "" && t.text != " " && t.text != "-":
			return total, end
		}
	}
	return total, end
}

func (r *ageReader) word() bool {
	t := r.at(r.i)
	switch {
	case r.words[nineties][t.word]:
		r.found = true
		more := "90+"
		if !r.strict {
			more = likeCase(r.lang.ninetyOrMore, t.text)
		}
		r.made.WriteString(more)
		r.i++
		return true
	case r.words[ageWords][t.word]:
		r.found = true
	case !r.strict || t.word == "" || !r.words[sexes][t.word]:
		return false
	}
	r.copy(r.i + 1)
	return true
}

func (r *ageReader) sign() bool {
	t := r.at(r.i)
	if t.num || t.word != "" || !strings.ContainsAny(t.text, " \t\n\r.,-–—/+½¼¾'’()<>~\u00a0") {
		return false
	}
	r.copy(r.i + 1)
	return true
}
