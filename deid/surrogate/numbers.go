package surrogate

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// alphanumeric returns the letters and digits of a text, in upper case.
func alphanumeric(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToUpper(r)
		}
		return -1
	}, text)
}

// numberIn returns the number in a text, without separators and words that stay, and for each byte of the text whether it stays.
func (m *Maker) numberIn(text string, sort Sort) (value string, kept []bool) {
	keep := m.words[labels]
	if sort == Phone {
		keep = m.words[phoneWords]
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
// A leading zero stays, and no other first digit becomes zero.
func (p *Patient) number(text string, sort Sort) (string, bool) {
	value, kept := p.numberIn(text, sort)
	if value == "" {
		return "", false
	}
	var made []rune
	bare, code := value, 0
	if sort == Phone {
		bare, code = international(text, value, kept)
	}
	from, to := 0, 0
	if sort == Phone {
		from, to = p.national(value, bare, code, digitsOfNumber(text, kept))
	}
	switch {
	case to > 0: // the same with and without the code of the country, and with and without an extension
		made = []rune(value[:from] + p.characters(value[from:to]))
		if to < len(value) {
			made = append(made, []rune(p.characters(value))[to:]...)
		}
	case code > 0 && p.alone(bare, code) != "":
		made = []rune(p.withCode(value, p.alone(bare, code)))
	case code > 0:
		p.codes[bare] = code
		made = []rune(value[:len(value)-len(bare)] + p.characters(bare))
	case sort == Zip && p.lang.provinceCodes && p.province(value) != "":
		made = []rune(p.zip(value))
	default:
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
	return b.String(), true
}

// national returns where in a telephone number the digits are that a number of the notes' country has without the code of the country and without an extension, or zeros
// if it is none. before is the number of digits before the extension. bare and code are those of international.
func (p *Patient) national(value, bare string, code, before int) (from, to int) {
	if !ascii(value) {
		return 0, 0
	}
	for _, plan := range p.lang.phones {
		start := len(value) - len(bare) + code
		if code == 0 && before == len(plan.code)+plan.length && strings.HasPrefix(value, plan.code) {
			start = len(plan.code)
		}
		if start > 0 && !strings.HasSuffix(value[:start], plan.code) || before != start+plan.length || start == len(value) || strings.Contains(plan.notFirst, value[start:start+1]) {
			continue
		}
		return start, start + plan.length
	}
	return 0, 0
}

// digitsOfNumber returns the number of digits of a telephone number before the word for an extension.
func digitsOfNumber(text string, kept []bool) (n int) {
	for i, r := range text {
		switch {
		case unicode.IsDigit(r):
			n++
		case n > 0 && kept[i] && unicode.IsLetter(r):
			return n
		}
	}
	return n
}

// international returns the digits of a telephone number from the country code on, and the length of the code, if the number begins with + or 00.
// Otherwise the length is 0.
func international(text, value string, kept []bool) (bare string, code int) {
	first := strings.IndexFunc(text, unicode.IsDigit)
	for first >= 0 && kept[first] {
		next := strings.IndexFunc(text[first+1:], unicode.IsDigit)
		if next < 0 {
			return value, 0
		}
		first += 1 + next
	}
	if first < 0 || !ascii(value) {
		return value, 0
	}
	bare, zeros := strings.CutPrefix(value, "00")
	if plus := strings.HasSuffix(strings.TrimRight(text[:first], " ("), "+"); !plus && !zeros || bare == "" || bare[0] < '1' || bare[0] > '9' {
		return value, 0
	}
	// Of fewer digits, too few would be replaced.
	if len(bare) < 8 {
		return value, 0
	}
	switch {
	case bare[0] == '1' || bare[0] == '7':
		return bare, 1
	case slices.Contains(codesOfTwoDigits, bare[:2]):
		return bare, 2
	}
	return bare, 3
}

// readCodes finds the country codes of all telephone numbers, so that a number has one surrogate with and without the +.
func (p *Patient) readCodes(mentions []Mention) {
	for _, m := range mentions {
		if m.Sort != Phone {
			continue
		}
		value, kept := p.numberIn(m.Text, Phone)
		if bare, code := international(m.Text, value, kept); code > 0 {
			p.codes[bare] = code
		} else {
			p.withoutCode[value] = true
		}
	}
}

// alone returns the form of a telephone number with the code of a country that the notes also have without the code, or "" if they have none. It may have a zero before it, and between the code and
// a mobile number of Mexico or Argentina may be a digit.
func (p *Patient) alone(bare string, code int) string {
	for _, at := range []int{code, code + 1} {
		if at+shortestNational > len(bare) || at > code && bare[:at] != "521" && bare[:at] != "549" {
			continue
		}
		for _, number := range []string{bare[at:], trunk + bare[at:]} {
			if p.withoutCode[number] {
				return number
			}
		}
	}
	return ""
}

// withCode replaces the end of a telephone number with the code of a country like the number without the code.
func (p *Patient) withCode(value, number string) string {
	made := p.characters(number)
	if !strings.HasSuffix(value, number) {
		number, made = number[len(trunk):], made[len(trunk):]
	}
	return strings.TrimSuffix(value, number) + made
}

const (
	shortestNational = 7   // digits of a telephone number without the code of its country
	trunk            = "0" // before a number that is called from within the country
)

// codesOfTwoDigits are the country codes of ITU-T E.164 that have two digits. 1 and 7 have one digit, and all others three.
var codesOfTwoDigits = strings.Fields(`20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 81 82 84 86 90 91 92
	93 94 95 98`)

// numeral reports whether a text can be a number: it contains no words other than those that accompany numbers. Taggers sometimes mistake words for
// numbers.
func (m *Maker) numeral(text string) bool {
	for word := range strings.FieldsSeq(text) {
		word = strings.Trim(word, ".,;:()")
		stays := m.words[labels][fold(word)] || m.words[phoneWords][fold(word)]
		if !stays && len(word) >= 4 && cased(word) && strings.ContainsFunc(word[1:], unicode.IsLower) {
			return false
		}
	}
	return true
}

// cased reports whether a word consists of letters that have a case.
func cased(word string) bool {
	return !strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLower(r) && !unicode.IsUpper(r) })
}

// digit returns the allowed replacements for the digit value[i] as the range [from, from+n). Telephone numbers keep the code of their country, and
// begin with valid digits of its numbers if its plan is known. A zero after the code of another country stays.
func (p *Patient) digit(value string, i int) (from, n int) {
	prefix, rules := p.phoneStart(value)
	if i < prefix {
		return int(value[i] - '0'), 1
	}
	for _, rule := range rules {
		if rule.at == i-prefix && (rule.was == "" || strings.Contains(rule.was, value[i:i+1])) {
			return rule.from, rule.n
		}
	}
	switch {
	case i == prefix && i > 0 && p.codes[value] > 0 && value[i] == '0':
		return 0, 1
	case i == 0, i == prefix && p.codes[value] > 0:
		return 1, 9
	}
	return 0, 10
}

// phoneStart returns how many digits at the beginning of a number stay because they are the code of a country or a trunk prefix, and the rules for
// the digits after them. If the notes have the number with + or 00, the length of the code is known.
func (p *Patient) phoneStart(value string) (prefix int, rules []phoneDigit) {
	code := p.codes[value]
	for _, plan := range p.lang.phones {
		if n, ok := plan.prefix(value); ok && code == 0 {
			return n, plan.digits
		}
		if code > 0 && plan.code == value[:code] && len(value) >= code+plan.length { // with an extension if it is longer
			return code, plan.digits
		}
	}
	return code, nil
}

// prefix returns the length of the code of the country or of the trunk prefix, and whether the digits may be one of the country's numbers.
func (p *phonePlan) prefix(value string) (n int, ok bool) {
	if len(value) == len(p.code)+p.length && strings.HasPrefix(value, p.code) {
		return len(p.code), true
	}
	n = len(p.trunk)
	return n, len(value) == n+p.length && strings.HasPrefix(value, p.trunk) && !strings.Contains(p.notFirst, value[n:n+1])
}

// characters replaces a number that alphanumeric has normalised. It avoids originals and the surrogates of other numbers if it can, and the latter rather than the former: a
// single digit has only nine possible replacements, and of five beds no two may become one.
func (p *Patient) characters(value string) string {
	id := "number\x00" + value
	if s, ok := p.memo[id]; ok {
		return s
	}
	var last, free string // free is no surrogate of another number
	for attempt := range 200 {
		var b strings.Builder
		var bits uint64
		for i, r := range []rune(value) {
			if i%8 == 0 {
				bits = p.random("number", value, attempt<<16+i/8)
			}
			v := int(bits & 0xff) // 0 to 255: digits have the probability 25/256 or 26/256
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
		if p.taken["number\x00"+s] != "" {
			continue
		}
		free = cmp.Or(free, s)
		if !p.originals[s] && !p.originals[strings.ToLower(s)] && (attempt > 100 || !p.lettersOfOriginal(s)) {
			free = s
			break
		}
	}
	last = cmp.Or(free, last)
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

// lettersOfOriginal reports whether letters between the digits of a surrogate are a name or place of the notes: NJ in 27-39044-NJ.
func (p *Patient) lettersOfOriginal(made string) bool {
	for w := range strings.FieldsFuncSeq(strings.ToLower(made), unicode.IsDigit) {
		if len(w) > 1 && (p.wholes[w] || p.names.count[w] > 0) {
			return true
		}
	}
	return false
}

// digitValue returns the value of a decimal digit of any script.
func digitValue(r rune) int {
	// The digits of a script follow each other in Unicode: count back to its zero.
	n := 0
	for unicode.IsDigit(r-1) && n < 9 {
		r--
		n++
	}
	return n
}

// ip replaces an address of version 4 or 6.
func (p *Patient) ip(text string) (string, bool) {
	trimmed := strings.TrimSpace(text)
	if strings.ContainsFunc(trimmed, func(r rune) bool { return !strings.ContainsRune("0123456789abcdefABCDEF.:/", r) }) {
		return p.url(text)
	}
	if strings.Count(trimmed, ":") > 1 || strings.ContainsFunc(trimmed, unicode.IsLetter) { // version 6
		i := 0
		digits := "0123456789abcdef"
		if strings.ToUpper(trimmed) == trimmed {
			digits = strings.ToUpper(digits)
		}
		return strings.Map(func(r rune) rune {
			if r == ':' || r == '.' || r == '/' || unicode.IsSpace(r) {
				return r
			}
			i++
			return rune(digits[p.random("ip", fold(trimmed), i)%16])
		}, text), true
	}
	var b strings.Builder
	octet := 0
	for _, t := range tokens(text) {
		if !t.num {
			b.WriteString(t.text)
			continue
		}
		octet++
		low, high := 1, 9 // with the same number of digits
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
	return b.String(), octet > 0
}
