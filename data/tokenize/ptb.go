package tokenize

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
)

// PTB follows the conventions of the Penn Treebank as Stanford CoreNLP's
// PTBTokenizer 3.6 applies them, which is the tokenization of Dernoncourt et al.
// 2016. The longest matching rule wins. Nothing is rewritten: quotes, brackets
// and dashes are kept.
//
//   - Words: letters, digits and combining marks, with single . ! ? between
//     letters ("A.B"). Digits and letters stay together ("10mg", "Results02").
//   - Contractions: I 'm, he 'll, Ann 's, did n't; ca n't, can not, gon na, wan
//     na, got ta, lem me, gim me, du n no, 't is, 't was. Any of these is an
//     apostrophe: ' ’ ‘ ` ´. O'Malley, d'Avignon, l'hôpital and ma'am are one
//     word.
//   - Hyphens and underscores join: follow-up, 67-year-old, 2014-01-02,
//     617-555-0199, non-U.S., Smith-O'Brien. Two or more hyphens, and en and em
//     dashes, are tokens by themselves.
//   - Slashes join up to three parts: and/or, s/p, mg/dL, 140/90, 5/3/2081.
//   - Numbers: 1,200.5, .5, -3, +2, 10:30:00. A sign belongs to the number only
//     after white space, an opening bracket or one of = < > ~ : (in CoreNLP:
//     unless a token touches it). A leading period belongs to it only if no
//     letter or digit touches it, and a leading comma never does (in CoreNLP both
//     do).
//   - Fractions with a space, 1 1/2, only if they are proper, so that "67
//     5/3/2081" is two tokens (CoreNLP has no such limit).
//   - Telephone numbers with spaces or an area code in brackets are one token:
//     (617) 555-0199, +34 912 345 678. Unlike in CoreNLP, they cannot end inside
//     a run of digits. These, the fractions and ". . ." are the only tokens that
//     contain a space; none contains a line end.
//   - Abbreviations keep their period: those in ptbabbrev.go, single letters,
//     letters with periods (M.D., U.S.), and any word before , ; or :. A period
//     that also ends a sentence is a separate token: after Jan., Inc., Ph.D. and
//     similar words if a capital or the end follows, after initials and M.D. if
//     an opener (The, She, ...) follows.
//   - Web addresses and e-mail addresses are one token.
//   - Runs are one token: ... (but a fourth period before a new sentence is
//     separate), ?!, --, ==, ***, ##, __, @@. So are US$, AT&T, °C and a doubled
//     quote. Any other character is a token by itself.
//
// CoreNLP's rules for the web, which are not part of the Treebank's conventions,
// are not implemented: SGML tags and entities, emoticons, emoji sequences,
// @names, #hashtags, file names, masked swearing. Angle brackets around an e-mail
// address are separate tokens. The lists of abbreviations and openers were made
// for this package and differ from CoreNLP's, which are based on newspapers.
//
// Source: the tokenizer's documentation
// (nlp.stanford.edu/software/tokenizer.html), its published tests, and the
// behaviour that its rules describe.
type PTB struct{}

var _ Tokenizer = PTB{}

// Tokens implements Tokenizer.
func (PTB) Tokens(text string, dst []data.Token) []data.Token {
	s := ptbScanner{text: text, dst: dst}
	for i := 0; i < len(text); {
		c, n := classAt(text, i)
		switch c {
		case space:
			i += n
		case other:
			i = s.symbol(i)
		default:
			i = s.word(i)
		}
	}
	return s.dst
}

// ptbScanner scans the text once. A rule looks ahead no further than it consumes,
// or than a fixed number of bytes, so the scan takes linear time.
//
// Methods named after an item return the end of the item that starts at i, or i
// if there is none.
type ptbScanner struct {
	text string
	dst  []data.Token

	// State of the run of text between ASCII white space that contains the
	// current token, as far as a rule has requested it:
	chunkEnd int
	hasAt    bool // contains an @, so possibly an e-mail address
	hasHost  bool // contains a period before a letter, so possibly a web address
}

func (s *ptbScanner) emit(start, end int) int {
	s.dst = append(s.dst, data.Token{Start: start, End: end})
	return end
}

// at returns the byte at i, 0 beyond the end.
func (s *ptbScanner) at(i int) byte {
	if i < len(s.text) {
		return s.text[i]
	}
	return 0
}

// word emits the token or tokens that start at i with a letter, digit, mark or
// joiner, and returns the position after them.
func (s *ptbScanner) word(i int) int {
	end := s.alnum(i)
	if end == len(s.text) || s.text[end] == '\n' || s.text[end] == ' ' && s.text[i] > '9' {
		return s.plain(i, end) // most words; a number may continue after a space
	}
	best := end
	longer := func(e int) { best = max(best, e) }

	numeric := is(s.text, i, digit)
	head := end // end of the first part of a hyphenated compound
	if numeric {
		head = max(head, s.number(i))
		longer(head)
		longer(s.phone(i))
		longer(s.mixedFraction(i))
	} else {
		head = s.dotted(end)
		longer(head)
		switch s.at(end) {
		case '&', '+':
			longer(s.ampersand(i, end))
		case '$':
			if upperASCII(s.text[i:end]) {
				longer(end + 1)
			}
		case ':':
			longer(s.fullURL(i, end))
		}
	}
	compound := s.hyphenated(head)
	longer(compound)
	if s.at(head) == '.' && s.at(head+1) == '-' && initials(s.text[i:head]) {
		if e := s.hyphenated(head + 1); e > head+1 { // U.S.-based
			longer(e)
		}
	}
	longer(s.slashed(i, end))
	if i >= s.chunkEnd {
		s.enterChunk(i)
	}
	if s.hasAt {
		longer(s.email(i))
	}
	if s.hasHost {
		longer(s.likelyURL(i))
	}

	switch {
	case numeric, best > head && best != compound:
		return s.emit(i, best)
	case best > head:
		if s.at(best) == '.' && inner(s.at(best+1)) {
			best++
		}
		return s.emit(i, best)
	case s.at(best) == '.':
		if e := s.abbreviation(i, best); e > best {
			return s.emit(i, e)
		}
	default:
		if n := s.apostrophe(best); n > 0 {
			return s.clitic(i, best, n)
		}
	}
	if best == end {
		return s.plain(i, end)
	}
	return s.emit(i, best)
}

// enterChunk inspects the run of bytes other than ASCII white space at i.
func (s *ptbScanner) enterChunk(i int) {
	s.hasAt, s.hasHost = false, false
	dot := false
	for ; i < len(s.text); i++ {
		b := s.text[i]
		if b <= ' ' && asciiClass[b] == space {
			break
		}
		s.hasAt = s.hasAt || b == '@'
		s.hasHost = s.hasHost || dot && asciiLetter(b)
		dot = b == '.'
	}
	s.chunkEnd = i
}

// alnum returns the end of a run of letters, digits, marks and joiners.
func (s *ptbScanner) alnum(i int) int {
	for i < len(s.text) {
		c, n := classAt(s.text, i)
		if c == other || c == space {
			break
		}
		i += n
	}
	return i
}

// letters returns the end of a run of letters, marks and joiners.
func (s *ptbScanner) letters(i int) int {
	for i < len(s.text) {
		c, n := classAt(s.text, i)
		if c == other || c == space || c == digit {
			break
		}
		i += n
	}
	return i
}

func (s *ptbScanner) digits(i int) int {
	for i < len(s.text) {
		c, n := classAt(s.text, i)
		if c != digit {
			break
		}
		i += n
	}
	return i
}

// dotted continues from the end of a word over . ! ? and more words.
func (s *ptbScanner) dotted(i int) int {
	for {
		b := s.at(i)
		if b != '.' && b != '!' && b != '?' || !is(s.text, i+1, letter) {
			return i
		}
		i = s.alnum(i + 1)
	}
}

// number matches digits, with . , : between them or a period before them.
func (s *ptbScanner) number(i int) int {
	end := s.digits(i)
	if end == i && s.at(i) != '.' {
		return i
	}
	for {
		b := s.at(end)
		if b != '.' && b != ',' && b != ':' {
			return end
		}
		d := s.digits(end + 1)
		if d == end+1 {
			return end
		}
		end = d
	}
}

// hyphenated continues from the end of a word over hyphens and more words.
func (s *ptbScanner) hyphenated(i int) int {
	for {
		n := s.hyphen(i)
		if n == 0 {
			return i
		}
		part := s.compoundPart(i + n)
		if part == i+n {
			return i
		}
		i = part
	}
}

// hyphen returns the length of the hyphen or underscore at i, or 0.
func (s *ptbScanner) hyphen(i int) int {
	switch b := s.at(i); {
	case b == '-' || b == '_':
		return 1
	case b == 0xe2 && (strings.HasPrefix(s.text[i:], "\u2010") || strings.HasPrefix(s.text[i:], "\u2011")):
		return 3
	}
	return 0
}

// compoundPart matches what may follow a hyphen: a word, a number, O'Brien, U.S.
func (s *ptbScanner) compoundPart(i int) int {
	end := s.alnum(i)
	if end == i {
		return i
	}
	if is(s.text, i, digit) {
		return max(end, s.number(i))
	}
	if e := s.dotted(end); e > end && s.at(e) == '.' && initials(s.text[i:e]) {
		return e + 1
	}
	if n := s.apostrophe(end); n > 0 && end == i+1 && strings.IndexByte("dDoOlL", s.text[i]) >= 0 {
		if e := s.alnum(end + n); e-end-n >= 2 {
			return e
		}
	}
	if s.at(end) == '.' {
		if d := s.digits(end + 1); d > end+1 { // mid-A1.5
			return d
		}
	}
	return end
}

// slashed matches two or three parts with slashes between them, of which the
// first is the run [i,end). A part is a word followed by at most two more after
// hyphens.
func (s *ptbScanner) slashed(i, end int) int {
	best := i
	end = s.slashPart(end)
	for k := 0; k < 2 && s.at(end) == '/'; k++ {
		word := s.alnum(end + 1)
		if word == end+1 {
			break
		}
		end = s.slashPart(word)
		best = end
	}
	return best
}

func (s *ptbScanner) slashPart(i int) int {
	for k := 0; k < 2 && s.at(i) == '-'; k++ {
		e := s.letters(i + 1)
		if e == i+1 {
			break
		}
		i = e
	}
	return i
}

// ampersand matches capitals with & or + between them: AT&T.
func (s *ptbScanner) ampersand(i, end int) int {
	if !upperASCII(s.text[i:end]) {
		return i
	}
	best := i
	for b := s.at(end); b == '&' || b == '+'; b = s.at(end) {
		e := end + 1
		for c := s.at(e); c >= 'A' && c <= 'Z'; c = s.at(e) {
			e++
		}
		if e == end+1 {
			break
		}
		best, end = e, e
	}
	return best
}

// mixedFraction matches a whole number, a space and a proper fraction: 1 1/2.
func (s *ptbScanner) mixedFraction(i int) int {
	whole := s.asciiDigits(i, 3)
	gap := s.blank(whole)
	if whole == i || gap == 0 {
		return i
	}
	over := s.asciiDigits(whole+gap, 2)
	if over == whole+gap || s.at(over) != '/' {
		return i
	}
	under := s.asciiDigits(over+1, 2)
	a, b := s.text[whole+gap:over], s.text[over+1:under]
	if b == "" || len(a) > len(b) || len(a) == len(b) && a >= b {
		return i
	}
	if c := s.at(under); c == '/' || c == '-' || under < s.alnumAt(under) {
		return i
	}
	return under
}

// asciiDigits returns the end of a run of at most limit ASCII digits.
func (s *ptbScanner) asciiDigits(i, limit int) int {
	for limit += i; i < limit && asciiDigit(s.at(i)); i++ {
	}
	return i
}

// blank returns the length of the space or no-break space at i, or 0.
func (s *ptbScanner) blank(i int) int {
	if s.at(i) == ' ' {
		return 1
	}
	if s.at(i) == 0xc2 && s.at(i+1) == 0xa0 {
		return 2
	}
	return 0
}

// alnumAt returns the end of the character at i if it is a letter, digit, mark or
// joiner, else i.
func (s *ptbScanner) alnumAt(i int) int {
	if i < len(s.text) {
		if c, n := classAt(s.text, i); c != other && c != space {
			return i + n
		}
	}
	return i
}

// phone matches a telephone number: groups of digits with one space or hyphen
// between them, of the sizes in CoreNLP's rule. The first group may have a plus
// sign or be in brackets.
func (s *ptbScanner) phone(i int) int {
	start := i
	bracket := s.at(i) == '('
	if bracket {
		i++
	}
	for k := 0; k < 2 && !bracket && s.at(i) == '+'; k++ {
		i++
	}
	// Sizes and ends of up to four groups.
	var size, end [4]int
	groups := 0
	for p := i; groups < 4; {
		e := s.asciiDigits(p, 10)
		if e == p {
			break
		}
		size[groups], end[groups] = e-p, e
		groups++
		if bracket && groups == 1 {
			if s.at(e) != ')' {
				return start
			}
			p = e + 1 + s.blank(e+1)
			continue
		}
		n := s.blank(e)
		if s.at(e) == '-' {
			n = 1
		}
		if n == 0 {
			break
		}
		p = e + n
	}
	in := func(g, lo, hi int) bool { return size[g] >= lo && size[g] <= hi }
	for ; groups >= 2; groups-- {
		var ok bool
		switch {
		case bracket && groups == 2:
			ok = in(0, 2, 3) && in(1, 6, 9)
		case bracket && groups == 3:
			ok = in(0, 2, 3) && in(1, 3, 4) && in(2, 3, 5)
		case bracket:
		case groups == 2:
			ok = in(0, 2, 4) && in(1, 6, 9)
		case groups == 3:
			ok = in(0, 2, 4) && (in(1, 2, 4) && in(2, 6, 9) || in(1, 3, 4) && in(2, 3, 5))
		case groups == 4:
			ok = in(0, 2, 4) && in(1, 2, 4) && in(2, 3, 4) && in(3, 3, 5)
		}
		if ok && s.endsNumber(end[groups-1]) {
			return end[groups-1]
		}
	}
	return start
}

// endsNumber reports whether no number, word, date or time continues at i.
func (s *ptbScanner) endsNumber(i int) bool {
	if s.alnumAt(i) > i {
		return false
	}
	b := s.at(i)
	return b == 0 || strings.IndexByte("/-.,:", b) < 0 || !asciiDigit(s.at(i+1))
}

// Limits of RFC 5321 (local part) and RFC 1035 (domain), in bytes.
const (
	maxLocal  = 64
	maxDomain = 255
)

func (s *ptbScanner) email(i int) int {
	p := i
	for p < len(s.text) && p-i <= maxLocal && localByte(s.text[p]) {
		p++
	}
	if p == i || p-i > maxLocal || s.at(p) != '@' {
		return i
	}
	p++
	host := p
	for p < len(s.text) && p-host <= maxDomain && hostByte(s.text[p]) {
		p++
	}
	for p > host && !asciiAlnum(s.text[p-1]) {
		p--
	}
	if p-host < 2 || p-host > maxDomain || !asciiAlnum(s.text[host]) {
		return i
	}
	return p
}

// fullURL matches a scheme, which is the word [i,end), then :// and the rest.
func (s *ptbScanner) fullURL(i, end int) int {
	if !strings.HasPrefix(s.text[end:], "://") {
		return i
	}
	var buf [8]byte
	switch string(fold(&buf, s.text[i:end])) {
	case "http", "https", "ftp", "svn":
	default:
		return i
	}
	rest := end + 3
	if e := s.until(rest, "\"<>|(){}[]", "\"'<>|.!?(){},;:&[]-"); e > rest+1 {
		return e
	}
	return i
}

// likelyURL matches www.site.xy, or a site in org, net, com or edu, with an
// optional path.
func (s *ptbScanner) likelyURL(i int) int {
	label, end := i, i // start of the current label, end of the host so far
	www := len(s.text) >= i+4 && strings.EqualFold(s.text[i:i+4], "www.")
	var buf [8]byte
	for p := i; p-i <= maxDomain; p++ {
		b := s.at(p)
		if asciiAlnum(b) || b == '-' {
			continue
		}
		if p == label {
			break
		}
		if label > i && s.alnumAt(p) == p { // the label may be the last
			switch tld := s.text[label:p]; string(fold(&buf, tld)) {
			case "com", "net", "org", "edu":
				end = p
			default:
				if www && label > i+4 && len(tld) >= 2 && len(tld) <= 4 && s.letters(label) >= p {
					end = p
				}
			}
		}
		if b != '.' {
			break
		}
		label = p + 1
	}
	if end == i || s.at(end) != '/' {
		return end
	}
	if e := s.until(end+1, "\"<>|()", ".!?(){},-"); e > end+1 {
		return e
	}
	return end
}

// until returns the position of the next white space or character of stop,
// excluding the characters of trim before it.
func (s *ptbScanner) until(i int, stop, trim string) int {
	end := i
	for end < len(s.text) {
		c, n := classAt(s.text, end)
		if c == space || n == 1 && strings.IndexByte(stop, s.text[end]) >= 0 {
			break
		}
		end += n
	}
	for end > i && strings.IndexByte(trim, s.text[end-1]) >= 0 {
		end--
	}
	return end
}

// plain emits a word without punctuation. Contractions without an apostrophe or
// space are split into two or three tokens.
func (s *ptbScanner) plain(i, end int) int {
	if n := end - i; n >= 5 && n <= 6 {
		var buf [8]byte
		switch string(fold(&buf, s.text[i:end])) {
		case "cannot", "gonna", "gotta", "lemme", "gimme", "wanna":
			return s.emit(s.emit(i, i+3), end)
		case "dunno":
			return s.emit(s.emit(s.emit(i, i+2), i+3), end)
		}
	}
	return s.emit(i, end)
}

// abbreviation returns the end of the word [i,end), which is followed by a
// period: after the period if it is part of the word, else before it.
func (s *ptbScanner) abbreviation(i, end int) int {
	word, after := s.text[i:end], end+1
	if initials(word) {
		if s.openerAfter(after) {
			return end
		}
		return after
	}
	if inner(s.at(after)) {
		return after
	}
	switch abbrevOf(word) {
	case abbrevTitle:
		return after
	case abbrevNumber: // only before a number
		if p := after + s.blank(after); is(s.text, p, digit) || s.at(after) == '\n' && is(s.text, after+1, digit) {
			return after
		}
	case abbrevLower: // ends the sentence before a capital, two spaces or the end
		if len(s.text)-after < 2 {
			return end
		}
		c, n := classAt(s.text, after)
		if c != space {
			return after
		}
		r, _ := utf8.DecodeRuneInString(s.text[after+n:])
		if after+n < len(s.text) && !unicode.IsSpace(r) && !unicode.IsUpper(r) {
			return after
		}
	}
	return end
}

// openerAfter reports whether white space follows, and then a word that only
// starts sentences.
func (s *ptbScanner) openerAfter(i int) bool {
	p := skipSpace(s.text, i)
	if p == i {
		return false
	}
	e := p
	for e < len(s.text) && e-p <= maxWord && asciiLetter(s.text[e]) {
		e++
	}
	return englishOpener[s.text[p:e]] && (s.at(e) == '?' || s.at(e) == '!' || is(s.text, e, space))
}

// apostrophe returns the length of the apostrophe (or a character typed for one)
// at i, or 0.
func (s *ptbScanner) apostrophe(i int) int {
	switch s.at(i) {
	case '\'', '`':
		return 1
	case 0xc2: // ´
		if s.at(i+1) == 0xb4 {
			return 2
		}
	case 0xe2: // ‘ ’ ‛
		if b := s.at(i + 2); s.at(i+1) == 0x80 && (b == 0x98 || b == 0x99 || b == 0x9b) {
			return 3
		}
	}
	return 0
}

// clitic emits the word [i,end), which is followed by an apostrophe of n bytes,
// with or without the text after it.
func (s *ptbScanner) clitic(i, end, n int) int {
	if e := s.negation(end-1, end, n); e > 0 {
		if end-1 == i {
			return s.emit(i, e) // n't
		}
		return s.emit(i, end-1)
	}
	if s.auxiliary(end) > end {
		return s.emit(i, end)
	}
	first := s.text[i]
	alone := end == i+1 // one ASCII letter before the apostrophe
	rest := s.letters(end + n)
	short := rest-(end+n) < 2
	next := s.at(end + n)
	var buf [8]byte
	switch {
	case alone && (first == 'y' || first == 'Y') && rest > end+n: // y' all
		return s.emit(i, end+n)
	case alone && asciiUpper(first) && first != 'I' && first != 'Y' && !short, // O'Malley
		alone && first == 'n' && !short,
		alone && strings.IndexByte("dDoOlL", first) >= 0 && s.alnumAt(end+n) > end+n, // d'Avignon
		vowel(s.text[end-1]) && (vowel(next) || asciiUpper(next)):                    // Ka'ahumanu
		return s.emit(i, s.hyphenated(s.alnum(end+n)))
	case alone && strings.IndexByte("lLdDjJ", first) >= 0 && rest == end+n:
		return s.emit(i, end+n)
	case apostropheWord(string(fold(&buf, s.text[i:end])), s.text[end+n:rest]):
		return s.emit(i, rest)
	}
	return s.plain(i, end)
}

// negation returns the end of an n't whose n is at i and whose apostrophe is the
// n bytes at apos, or 0 if there is none.
func (s *ptbScanner) negation(i, apos, n int) int {
	t := apos + n
	if s.text[i]|0x20 != 'n' || s.at(t)|0x20 != 't' {
		return 0
	}
	end := t + 1
	if s.at(end)|0x20 == 's' {
		end++ // don'ts
	}
	if is(s.text, end, letter) {
		return 0
	}
	return end
}

// auxiliary matches an apostrophe with s, m, d, re, ve or ll and no letter after
// it.
func (s *ptbScanner) auxiliary(i int) int {
	p := i + s.apostrophe(i)
	if p == i {
		return i
	}
	a, b := s.at(p)|0x20, s.at(p+1)|0x20
	switch {
	case a == 'r' && b == 'e', a == 'v' && b == 'e', a == 'l' && b == 'l':
		p += 2
	case a == 's' || a == 'm' || a == 'd':
		p++
	default:
		return i
	}
	if is(s.text, p, letter) {
		return i
	}
	return p
}

// symbol emits the token that starts at i with a character that cannot start a
// word.
func (s *ptbScanner) symbol(i int) int {
	if n := s.apostrophe(i); n > 0 {
		return s.quote(i, n)
	}
	switch b := s.text[i]; b {
	case '.':
		return s.periods(i)
	case '+', '-':
		if s.signAllowed(i) {
			if b == '+' {
				if e := s.phone(i); e > i {
					return s.emit(i, e)
				}
			}
			if e := s.number(i + 1); e > i+1 {
				return s.emit(i, s.hyphenated(e))
			}
		}
		if b == '-' {
			return s.emit(i, s.repeat(i, b))
		}
	case '(':
		return s.emit(i, max(i+1, s.phone(i)))
	case '?', '!':
		end := i + 1
		for s.at(end) == '?' || s.at(end) == '!' {
			end++
		}
		return s.emit(i, end)
	case '=', '*', '#', '_', '@':
		return s.emit(i, s.repeat(i, b))
	case 0xc2: // °C, °F
		if c := s.at(i + 2); s.at(i+1) == 0xb0 && (c == 'C' || c == 'F') && s.alnum(i+2) == i+3 {
			return s.emit(i, i+3)
		}
	}
	_, n := classAt(s.text, i)
	return s.emit(i, i+n)
}

// repeat returns the end of the run of the byte b at i.
func (s *ptbScanner) repeat(i int, b byte) int {
	for i < len(s.text) && s.text[i] == b {
		i++
	}
	return i
}

// signAllowed reports whether a plus or minus at i may belong to a number.
func (s *ptbScanner) signAllowed(i int) bool {
	if i == 0 {
		return true
	}
	r, _ := utf8.DecodeLastRuneInString(s.text[:i])
	return unicode.IsSpace(r) || strings.ContainsRune("([{=<>~:", r)
}

// periods emits an ellipsis, a number such as .5, or a single period.
func (s *ptbScanner) periods(i int) int {
	end := s.repeat(i, '.')
	switch n := end - i; {
	case n >= 4 && s.letterAfter(end):
		return s.emit(i, end-1) // the last one ends a sentence
	case n >= 3:
		return s.emit(i, end)
	case n == 2:
		return s.emit(i, i+1)
	}
	// ". . .", whose last period is handled as above.
	last, before, n := i, i, 1
	for b := s.blank(last + 1); b > 0 && s.at(last+1+b) == '.'; b = s.blank(last + 1) {
		before, last, n = last, last+1+b, n+1
	}
	if n >= 4 && s.letterAfter(last+1) {
		return s.emit(i, before+1)
	}
	if n >= 3 {
		return s.emit(i, last+1)
	}
	if is(s.text, i+1, digit) {
		r, _ := utf8.DecodeLastRuneInString(s.text[:i])
		if c := classOf(r); c == other || c == space {
			return s.emit(i, s.number(i))
		}
	}
	return s.emit(i, i+1)
}

// letterAfter reports whether white space follows, and then a letter.
func (s *ptbScanner) letterAfter(i int) bool {
	p := skipSpace(s.text, i)
	return p > i && is(s.text, p, letter)
}

// quote emits the token that starts at i with an apostrophe of n bytes: 's and
// similar, a word without its start, or quotation marks.
func (s *ptbScanner) quote(i, n int) int {
	if e := s.auxiliary(i); e > i {
		return s.emit(i, e)
	}
	p := i + n
	if s.text[i:p] == s.text[p:min(p+n, len(s.text))] { // '' and ``
		return s.emit(i, p+n)
	}
	if e := s.asciiDigits(p, 2); e == p+2 { // '90s, '87
		switch {
		case s.at(e) == 's' && s.alnumAt(e+1) == e+1:
			return s.emit(i, e+1)
		case is(s.text, e, space):
			return s.emit(i, e)
		}
	}
	end := s.letters(p)
	var buf [8]byte
	switch string(fold(&buf, s.text[p:end])) {
	case "tis", "twas":
		return s.emit(s.emit(i, p+1), end)
	case "em", "til", "till", "cause":
		return s.emit(i, end)
	case "n": // rock 'n' roll
		return s.emit(i, end+s.apostrophe(end))
	}
	return s.emit(i, p)
}
