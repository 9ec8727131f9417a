package deid

import (
	"regexp"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/fold"
	"github.com/lethe-deid/lethe/data/wordlists"
	"github.com/lethe-deid/lethe/deid/safetynet"
)

var (
	// initialsBefore matches the initials before a name if they follow a title, a label or the start of a line:
	// "Ms. I. Amundsen", "Seen by: I.K. Amundsen".
	initialsBefore = regexp.MustCompile(`(?m)(?:(?:^|: ?)|\b(?:Mrs?|Ms|Miss|Dr|Drs|Dra|Sra?|Srta|Prof|Don|Doña)\.? )((?:\p{Lu}\. ?){1,3})$|` +
		`\b(?:Mrs?|Ms|Miss|Dr|Drs|Dra|Sra?|Srta|Prof|Don|Doña)\.? (\p{Lu} |[A-Z]{2} )$`)
	// initialsAfter matches a comma and initials after a name: "Amundsen, I.", "Amundsen, I.K."
	initialsAfter = regexp.MustCompile(`^, ?(?:\p{Lu}\.){1,3}`)
)

// credential reports whether letters such as M.D. or DR are a title or a profession, and not initials.
func credential(letters string) bool {
	return credentials[strings.Map(func(r rune) rune {
		if strings.ContainsRune("., ", r) {
			return -1
		}
		return r
	}, strings.ToLower(letters))]
}

var credentials = wordSet("md do rn np pa pt ot dr mr ms sr ra jr phd lpn pac dds dpm mph rph od bs ba ma ms pcp er or ed icu pt cc")

// withoutShorthand cuts a letter that is medical shorthand off the end of a person's name, and returns the new end of the span: the tagger may find "Lund L"
// in "Lund L hand pain". If the span contains nothing else, its new end is its start.
func withoutShorthand(text string, s data.Span) int {
	if last := text[s.End-1]; last < 'A' || last > 'Z' {
		return s.End
	}
	m := lastLetter.FindStringSubmatchIndex(text[s.Start:s.End])
	if m == nil {
		return s.End
	}
	next := nextWord.FindStringSubmatch(text[s.End:min(len(text), s.End+24)])
	if next == nil || !safetynet.Shorthand(fold.Fold(text[s.Start+m[2]:s.Start+m[3]]), fold.Fold(next[1])) {
		return s.End
	}
	return s.Start + m[0]
}

// overLineEnd returns the end of a person's name over the rest of a word that is divided at the end of a line, as in "Kowal-\nski", or the span's own end if
// there is none.
func overLineEnd(text string, s data.Span) int {
	if s.End == len(text) || !strings.ContainsRune("-\r\n", rune(text[s.End])) {
		return s.End
	}
	m := dividedWord.FindStringSubmatchIndex(text[s.End:min(len(text), s.End+64)])
	if m == nil || m[2] == m[3] && text[s.End-1] != '-' || wordlists.Frequent(fold.Fold(text[s.End+m[4]:s.End+m[5]])) {
		return s.End
	}
	return s.End + m[1]
}

var (
	dividedWord = regexp.MustCompile(`^(-?)\r?\n(\p{Ll}+)`)
	lastLetter  = regexp.MustCompile(`(?:^|,? |-)([A-Z])$`)
	nextWord    = regexp.MustCompile(`^[ -](\p{Ll}+|[0-9]+)`)
)

// withInitials extends the span of a person's name over initials beside it. Taggers tend to leave them out, but an
// initial that stays in the text reveals part of the real name. The span stays within text[from:to], between its neighbours.
func withInitials(text string, s data.Span, from, to int) data.Span {
	if s.End < to && text[s.End] == ',' {
		if m := initialsAfter.FindStringIndex(text[s.End:min(to, s.End+16)]); m != nil && !credential(text[s.End:s.End+m[1]]) {
			s.End += m[1]
		}
	}
	if !strings.HasSuffix(text[:s.Start], ".") && !strings.HasSuffix(text[:s.Start], " ") {
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
