package surrogate

import (
	"strings"
	"unicode"
)

// What is made of other values: logins, e-mail and web addresses.

// mailHosts are domains that everybody uses; they stay.
var mailHosts = wordSet("gmail.com hotmail.com yahoo.com outlook.com aol.com icloud.com live.com msn.com hotmail.es yahoo.es outlook.es telefonica.net terra.es")

// webWords are words of addresses that stay.
var webWords = wordSet(`http https ftp www www2 portal mail webmail email web com org net edu gov mil int info biz es cat eus gal uk us ca au de fr it mx ar eu co example
	patients patient clinic clinics appointments myhealth health forms refill index html htm php asp aspx pdf home login page contact about search
	pacientes citas salud contacto inicio mailto`)

// username replaces a login: names in it by their surrogates, other letters and
// digits one by one.
func (p *Patient) username(text string) (string, bool, error) {
	var b strings.Builder
	for _, t := range tokens(text) {
		switch {
		case t.word != "":
			s, err := p.handle(t)
			if err != nil {
				return "", false, err
			}
			b.WriteString(s)
		case t.num:
			s, _, err := p.number(t.text, Number)
			if err != nil {
				return "", false, err
			}
			b.WriteString(s)
		default:
			b.WriteString(t.text)
		}
	}
	made := b.String()
	if made == text && strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return p.number(text, Number)
	}
	return made, true, nil
}

// handle replaces a run of letters of a login: olund, odal, lund.
func (p *Patient) handle(t token) (string, error) {
	n := p.names
	plain := func(word string) (string, error) {
		s, err := p.wordSurrogate(word, n.role(word, given))
		return strings.Map(keepASCII, fold(s)), err
	}
	if n.count[t.word] > 0 {
		s, err := plain(n.spelt(t.word))
		return likeCase(s, t.text), err
	}
	for _, who := range n.persons {
		for _, g := range who.given {
			for _, f := range who.family {
				bareG, bareF := strings.Map(keepASCII, g), strings.Map(keepASCII, f)
				if bareG == "" || bareF == "" {
					continue
				}
				for form, word := range []string{bareG[:1] + bareF, bareG + bareF, bareF + bareG, bareF + bareG[:1], bareG + bareF[:1]} {
					if word != t.word {
						continue
					}
					sg, err := plain(g)
					if err != nil {
						return "", err
					}
					sf, err := plain(f)
					if err != nil || sg == "" || sf == "" {
						return "", err
					}
					return likeCase([]string{sg[:1] + sf, sg + sf, sf + sg, sf + sg[:1], sg + sf[:1]}[form], t.text), nil
				}
			}
		}
	}
	if len(t.text) > 4 { // a word: one that can be read
		s, err := p.draw("word", t.word, p.list("surname"))
		return likeCase(strings.Map(keepASCII, fold(s)), t.text), err
	}
	s, _, err := p.number(t.text, Number)
	return s, err
}

func keepASCII(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
		return r
	}
	return -1
}

// email replaces the part before the @, and the domain unless everybody uses it.
func (p *Patient) email(text string) (string, bool, error) {
	local, domain, ok := strings.Cut(text, "@")
	if !ok {
		return p.url(text)
	}
	l, ok, err := p.username(local)
	if err != nil || !ok {
		return "", false, err
	}
	if mailHosts[fold(strings.TrimSpace(domain))] {
		return l + "@" + domain, true, nil
	}
	d, _, err := p.url(domain) // of a domain that names nobody, such as webmail.org, nothing changes
	return l + "@" + d, true, err
}

// url replaces the words of a web address that are not those of any: names and
// hospitals by their surrogates, others by words, digits one by one.
func (p *Patient) url(text string) (string, bool, error) {
	var b strings.Builder
	all := tokens(text)
	for i, t := range all {
		switch {
		case webWords[t.word] && (i == 0 || all[i-1].text != "-" && !all[i-1].num):
			b.WriteString(t.text)
		case t.word != "":
			s, ok := p.places.web[t.word]
			if ok {
				s = likeCase(strings.Map(keepASCII, fold(p.memo["unit\x00"+s])), t.text)
			}
			if s == "" {
				var err error
				if s, err = p.handle(t); err != nil {
					return "", false, err
				}
			}
			b.WriteString(s)
		case t.num:
			s, _, err := p.number(t.text, Number)
			if err != nil {
				return "", false, err
			}
			b.WriteString(s)
		default:
			b.WriteString(t.text)
		}
	}
	return b.String(), b.String() != text, nil
}
