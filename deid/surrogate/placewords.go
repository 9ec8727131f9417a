package surrogate

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// This file finds the words of a place that describe its kind only where they stand: the Flat of Flat 3 stays, but not that of Flat Rock Road, and the Carrera
// of Carrera 43 stays, but not that of Avenida Carrera.

// describes reports whether token i is such a word. The tokens before it have been examined.
func (c *placeCutter) describes(i int) bool {
	word := c.at(i).word
	switch c.sort {
	case Street:
		return c.lang.words[numberedInStreet][word] && c.fresh(i) && c.numbered(i+1) ||
			c.words[beforeNumberedRoads][word] && c.fresh(i) && c.numberedRoad(i+1) ||
			c.words[partsOfHouses][word] && c.partOfHouse(i) ||
			c.lang.words[behindNumbers][word] && c.behindNumber(i) ||
			c.lang.words[streetHeads][word] && c.heads(i) ||
			c.leadsTo(i)
	case Hospital, Organization:
		return i < c.acronym || c.ordinalSigns(i)
	}
	return false
}

// acronymEnd returns the index behind the last letter of an acronym of institutions at the beginning of a name, perhaps with points, or 0 if there is none: CAP Puerto Claro, C.S. San Blas.
func (c *placeCutter) acronymEnd() int {
	if c.sort != Hospital && c.sort != Organization || !capitals(c.at(0).text) {
		return 0
	}
	end, letters := 1, c.at(0).word
	for ; utf8.RuneCountInString(c.at(end-1).word) == 1 && c.at(end).text == "." && utf8.RuneCountInString(c.at(end+1).word) == 1; end += 2 {
		letters += c.at(end + 1).word
	}
	if c.lang.words[institutionAcronyms][letters] && c.next(end) < len(c.tokens) {
		return end
	}
	return 0
}

// ordinalSigns reports whether token i is the No. of a number: Hospital General No. 1.
func (c *placeCutter) ordinalSigns(i int) bool {
	switch c.at(i).word {
	case "no", "nro", "num", "numero":
		return c.at(c.next(i + 1)).num
	}
	return false
}

// next returns the index of the first token from i that is neither a space nor a period, previous that of the last one up to i.
func (c *placeCutter) next(i int) int {
	for i < len(c.tokens) && strings.Contains(" .", c.tokens[i].text) {
		i++
	}
	return i
}

func (c *placeCutter) previous(i int) int {
	for i >= 0 && strings.Contains(" .", c.tokens[i].text) {
		i--
	}
	return i
}

// fresh reports whether no name can be under way before token i: it comes first, or behind a number, a sign, or a word that stays and does not announce a name.
func (c *placeCutter) fresh(i int) bool {
	j := c.previous(i - 1)
	if j < 0 {
		return true
	}
	t := c.tokens[j]
	switch {
	case t.num, strings.ContainsAny(t.text, ",;:()#–\n"):
		return true
	case t.word == "":
		return t.text == "-" && j > 0 && (c.tokens[j-1].num || c.tokens[j-1].text == " ")
	case utf8.RuneCountInString(t.word) == 1: // a door, but neither the a of camino a nor the C. of a calle
		return unicode.IsUpper(firstRune(t.text)) && !c.particle(t) && !c.announces(t.word)
	}
	return c.stays(j) && !c.announces(t.word) && !c.particle(t)
}

// announces reports whether a name follows a word: Calle, Avenida.
func (m *Maker) announces(word string) bool {
	return slices.ContainsFunc(m.all, func(l *language) bool {
		return l.kindFirst && (l.words[streetWords][word] || l.words[streetHeads][word])
	})
}

// numbered reports whether a number or the letter of a door follows from token i on: 3, No. 3, #3, B. The B of House B Street is none.
func (c *placeCutter) numbered(i int) bool {
	for ; i < len(c.tokens); i++ {
		switch t := c.tokens[i]; {
		case t.num:
			return true
		case strings.Contains(" .:#-º°", t.text), c.words[labels][t.word]:
		default:
			return utf8.RuneCountInString(t.word) == 1 && unicode.IsUpper(firstRune(t.text)) && c.at(i+1).text != "'" && c.at(i+1).text != "’" && c.at(c.next(i+1)).word == ""
		}
	}
	return false
}

// numberedRoad reports whether the word for a road or box with a number follows from token i on, as behind County.
func (c *placeCutter) numberedRoad(i int) bool {
	i = c.next(i)
	return c.words[numberedRoads][c.at(i).word] && c.numbered(i+1)
}

// partOfHouse reports whether the part between commas in which token i stands has only words that describe where in a house a door is: Ground Floor Flat.
func (c *placeCutter) partOfHouse(i int) bool {
	from, to := i, i
	for from > 0 && c.tokens[from-1].text != "," {
		from--
	}
	for to < len(c.tokens) && c.tokens[to].text != "," {
		to++
	}
	door := false
	for _, t := range c.tokens[from:to] {
		if t.word != "" && !c.words[partsOfHouses][t.word] {
			return false
		}
		door = door || c.words[numberedInStreet][t.word] || c.words.kept(Street, t.word)
	}
	return door
}

// behindNumber reports whether token i follows a number, or a word that does: the Sur of 36 Sur, and the metros, al and norte of 200 metros al norte.
func (c *placeCutter) behindNumber(i int) bool {
	j := c.previous(i - 1)
	if j < 0 {
		return false
	}
	t := c.tokens[j]
	if utf8.RuneCountInString(c.at(i).word) == 1 && !c.lang.words[behindNumbers][c.at(c.next(i+1)).word] { // a door: 3 m
		return false
	}
	return t.num || c.stays(j) && c.lang.words[behindNumbers][t.word] || utf8.RuneCountInString(t.word) == 1 && j > 0 && c.tokens[j-1].num
}

// heads reports whether token i announces the name that follows it, at the beginning of a part of an address: Jr. Amazonas, Col. Lomas.
func (c *placeCutter) heads(i int) bool {
	if utf8.RuneCountInString(c.at(c.next(i+1)).word) < 2 {
		return false
	}
	j := c.previous(i - 1)
	return j < 0 || strings.ContainsAny(c.tokens[j].text, ",;()\n") || lowerCase(c.at(i).text) && c.tokens[j].num
}

// leadsTo reports whether token i is the a of camino a Puerto Claro.
func (c *placeCutter) leadsTo(i int) bool {
	if c.at(i).text != "a" || i < 2 || c.at(i+1).text != " " || utf8.RuneCountInString(c.at(i+2).word) < 2 {
		return false
	}
	before := c.tokens[i-2]
	return c.tokens[i-1].text == " " && c.stays(i-2) && c.lang.kindFirst && c.announces(before.word)
}
