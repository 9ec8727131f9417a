package deid

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/fold"
	"github.com/lethe-deid/lethe/data/wordlists"
	"github.com/lethe-deid/lethe/deid/safetynet"
	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

var (
	// initialsBefore matches the initials before a name if they follow a title, a label or the start of a line:
	// "Ms. I. Amundsen", "Seen by: I.K. Amundsen". A line may end between them.
	initialsBefore = lazyregexp.New(`(?m)(?:(?:^|: ?)|` + honorific + `)((?:\p{Lu}\. ?){1,3})(?:\r?\n[ \t]*)?\z|` + honorific + `(\p{Lu} |[A-Z]{2} )\z`)
	// initialsAfter matches a comma and initials after a name: "Amundsen, I.", "Amundsen, I.K."
	initialsAfter = lazyregexp.New(`^, ?(?:\p{Lu}\.){1,3}`)
	// labelAfter matches a comma, a label with the form of initials and the number behind it, or the date of a birth: "Amundsen, D.N.I. 44719028". Two letters may be initials before
	// the number of a record, unless millions are written with periods as in "Amundsen, C.I. 4.447.190-2".
	labelAfter = lazyregexp.New(`^, ?(?:(?:C\.[CEI]|T\.I)\.:? ?(?:[Nn][º°o.]{1,2} ?)?(?:[VEJ]-? ?)?\d{1,3}(?:[.,]\d{3}){2,}|(?:D\.N\.I|N\.I\.[EF]|R\.U\.[NT]|M\.R\.N|S\.S\.N)\.:? ?(?:[Nn][º°o.]{1,2} ?)?(?:[VEJ]-? ?)?(?:\d{1,3}(?:[.,]\d{3})+|\d{5,})|D\.O\.B\.:? ?\d{1,2}[-/])`)
	// joinedFirst matches a first name in capitals that a comma without a blank joins to a surname: "AMUNDSEN,ISAK"
	joinedFirst = lazyregexp.New(`^(,(?:\p{Lu}\pM*){3,})(?:[^\pL\pN_]|$)`)
)

// honorific matches a title before a name, with the blank after it.
const honorific = `\b(?:Mrs?|Ms|Miss|Dr|Drs|Dra|Sra?|Srta|Prof|Don|Doña)\.? `

// credential reports whether letters such as M.D. or DR are a title or a profession, and not initials.
func credential(letters string) bool {
	return credentials[strings.Map(func(r rune) rune {
		if strings.ContainsRune("., ", r) {
			return -1
		}
		return r
	}, strings.ToLower(letters))]
}

var credentials = wordlists.Set("md do rn np pa pt ot dr mr ms sr ra jr phd lpn pac dds dpm mph rph od bs ba ma ms pcp er or ed icu pt cc fea qfb")

// withoutShorthand cuts a letter that is medical shorthand off the end of a person's name, and returns the new end of the span: the tagger may find "Lund L"
// in "Lund L hand pain", or "Lund T" in "Lund T 38.2". If the span contains nothing else, its new end is its start.
func withoutShorthand(text string, s data.Span) int {
	if last := text[s.End-1]; last < 'A' || last > 'Z' {
		return s.End
	}
	m := lastLetter.FindStringSubmatchIndex(text[s.Start:s.End])
	if m == nil {
		return s.End
	}
	letter, next := text[s.Start+m[2]:s.Start+m[3]], after(text, s, 48)
	words := nextWords.FindStringSubmatch(next)
	isWord := words != nil && safetynet.Shorthand(fold.Fold(letter), fold.Fold(words[1]), fold.Fold(words[2]))
	if !isWord && (strings.Contains(text[s.Start+m[0]:s.End], ",") || !vitalSign.MatchString(letter+next)) {
		return s.End
	}
	return s.Start + m[0]
}

// overLineEnd returns the end of a person's name over the rest of a word that is divided at the end of a line, as in "Kowal-\nski", or the span's own end if
// there is none. A rest that is an ordinary word is no rest.
func overLineEnd(text string, s data.Span) int {
	end := s.End
	for end < len(text) && strings.ContainsRune("- \t\r\n", rune(text[end])) {
		m := dividedWord.FindStringSubmatchIndex(text[end:min(len(text), end+64)])
		if m == nil || m[2] == m[3] && text[end-1] != '-' {
			break
		}
		rest := text[end+m[4] : end+m[5]]
		name := strings.TrimRight(text[s.Start:end], "-")
		last, _ := utf8.DecodeLastRuneInString(name)
		isLower, isUpper := strings.ToLower(rest) == rest, strings.ToUpper(rest) == rest && unicode.IsUpper(last)
		folded := fold.Fold(rest)
		if !isLower && !isUpper || wordlists.Frequent(folded) || wordlists.Common(folded) && len(folded) > len("ski") {
			break
		}
		end += m[1]
	}
	return end
}

var (
	dividedWord = lazyregexp.New(`^(-?)[ \t]*\r?\n[ \t]*(\p{L}+)`)
	lastLetter  = lazyregexp.New(`(?:^|,? |-)([A-Z])$`)
	nextWords   = lazyregexp.New(`^[ -](\p{Ll}+)(?: (\p{L}+))?`)
	vitalSign   = lazyregexp.New(`^(?:T (?:3[4-9]|4[0-2]|9[5-9]|10[0-6])(?:[.,][0-9])?|K [2-7][.,][0-9])(?:[^-/0-9\pL]|$)`)
)

// withInitials extends the span of a person's name over initials beside it. Taggers tend to leave them out, but an
// initial that stays in the text reveals part of the real name. The span stays within text[from:to], between its neighbours.
func withInitials(text string, s data.Span, from, to int) data.Span {
	if s.End < to && text[s.End] == ',' {
		if m := initialsAfter.FindStringIndex(after(text[:to], s, 16)); m != nil && !credential(text[s.End:s.End+m[1]]) && !labelAfter.MatchString(after(text, s, 32)) {
			s.End += m[1]
		}
	}
	if s.End < to && text[s.End] == ',' {
		if m := joinedFirst.FindStringSubmatch(after(text[:to], s, 64)); m != nil && strings.ToUpper(text[s.Start:s.End]) == text[s.Start:s.End] && !credential(m[1]) {
			s.End += len(m[1])
		}
	}
	letter := strings.TrimSuffix(strings.TrimRight(before(text, s, 24), " \t\r\n"), ".")
	if last, _ := utf8.DecodeLastRuneInString(letter); !unicode.IsUpper(last) { // no initial, as before nearly all names
		return s
	}
	start := max(from, s.Start-24)
	lineCut := start > 0 && text[start-1] != '\n' // the expression may mistake the middle of a line for its start
	if m := initialsBefore.FindStringSubmatchIndex(text[start:s.Start]); m != nil && (!lineCut || m[0] != 0) {
		first := max(m[2], m[4])
		if !credential(text[start+first : s.Start]) {
			s.Start = start + first
		}
	}
	return s
}
