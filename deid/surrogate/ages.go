package surrogate

import (
	"strings"

	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// age keeps an age up to 89 years and writes all others as 90 or more (45 CFR 164.514(b)(2)(i)(C)). It returns false unless the text consists
// entirely of numbers and words of ages.
func (m *Maker) age(text string) (string, bool, error) {
	made, ok := m.readAge(text, false)
	return made, ok, nil
}

// readAge is age. If strict is true, it also writes 90+ for the nineties and for numbers in words, and accepts words for a sex, as in 67M.
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
// under 90 years goes with them.
var manyMonths = lazyregexp.New(`\b(?:1[., ](?:0[89]|[1-9][0-9])[0-9]|(?:[2-9]|[1-9][0-9])[., ][0-9]{3})\b`)

// damagedAge matches an age over 89 in which a letter stands for a digit or a blank divides the digits, as machines read them: 9O, 1O1, 9 2. Its first digits are no age of their own.
var damagedAge = lazyregexp.New(`\b(?:9[OolISZB]|1[Oo][0-9OolI]|1[01][OolI]|9 [0-9OolI]|1 [01] ?[0-9]|1[01] [0-9])(?:[^\pL\pN/.,]|[.,](?:[^0-9]|$)|$)`)

// ageReader reads an age token by token.
type ageReader struct {
	*Maker
	tokens []token
	i      int
	made   strings.Builder
	found  bool // a number or word of an age
	strict bool // all ages over 89 become 90+, also decades and words
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

// short reports whether the first word from i on that is not a number is a unit shorter than a year. In 93M and 93 m, the M means a man, not a month;
// a single capital is never a unit.
func (r *ageReader) short(i int) bool {
	for _, t := range r.tokens[i:] {
		if _, number := r.numbers[t.word]; t.word == "" || number || r.words[numberJoins][t.word] {
			continue
		}
		return r.words[shortUnits][t.word] && (len(t.text) > 1 || lowerCase(t.text))
	}
	return false
}

// digits reads 45, 93, 4.5 and the 90 of 90s. A number above 130 without short units is not an age, nor is any number of more than three digits.
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
	decade := next.word == "s" || next.text == "'" || next.text == "’"
	nineties := t.n == 90 && decade && !r.strict
	fraction := r.at(r.i-1).text == "." && r.at(r.i-2).num
	r.found = true
	if t.n >= 90 && !short && !fraction && !nineties {
		r.made.WriteString("90+")
		r.i++
		if r.at(r.i).text == "+" {
			r.i++
		}
		for r.strict && decade && (r.at(r.i).word == "s" || r.at(r.i).text == "'" || r.at(r.i).text == "’") {
			r.i++
		}
		if r.strict && r.at(r.i).text == "." && r.at(r.i+1).num { // 93.5
			r.i += 2
		}
		if r.ordinals[r.at(r.i).word] != nil { // 93rd birthday
			r.i++
		}
		return true
	}
	r.copy(r.i + 1)
	if r.ordinals[next.word] != nil { // 60th birthday
		r.copy(r.i + 1)
	}
	return true
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
	case r.strict && t.word == "nineties":
		r.found = true
		r.made.WriteString("90+")
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
