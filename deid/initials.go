package deid

import (
	"regexp"
	"strings"

	"github.com/lethe-deid/lethe/data"
)

var (
	// initialsBefore are initials between a title, a label or the beginning of a line, and a name: Ms. I. Amundsen, Seen by: I.K. Amundsen.
	initialsBefore = regexp.MustCompile(`(?m)(?:(?:^|: ?)|\b(?:Mrs?|Ms|Miss|Dr|Drs|Dra|Sra?|Srta|Prof|Don|Doña)\.? )((?:\p{Lu}\. ?){1,3})$|` +
		`\b(?:Mrs?|Ms|Miss|Dr|Drs|Dra|Sra?|Srta|Prof|Don|Doña)\.? (\p{Lu} |[A-Z]{2} )$`)
	// initialsAfter are initials after a name and a comma: Amundsen, I. and Amundsen, I.K.
	initialsAfter = regexp.MustCompile(`^, ?(?:\p{Lu}\.){1,3}`)
)

// credential reports whether letters are a title or profession rather than initials: M.D., DR.
func credential(letters string) bool {
	return credentials[strings.Map(func(r rune) rune {
		if strings.ContainsRune("., ", r) {
			return -1
		}
		return r
	}, strings.ToLower(letters))]
}

var credentials = wordSet("md do rn np pa pt ot dr mr ms sr ra jr phd lpn pac dds dpm mph rph od bs ba ma ms pcp er or ed icu pt cc")

// withInitials is a person's name with the initials that a tagger has left beside it, since the initial that stayed would be the true one.
// from and to are where the neighbours of the span end and begin.
func withInitials(text string, s data.Span, from, to int) data.Span {
	start := max(from, s.Start-24)
	lineCut := start > 0 && text[start-1] != '\n' // what the expression takes for the beginning of a line may be the middle
	if m := initialsBefore.FindStringSubmatchIndex(text[start:s.Start]); m != nil && (!lineCut || m[0] != 0) {
		first := max(m[2], m[4])
		if !credential(text[start+first : s.Start]) {
			s.Start = start + first
		}
	}
	if m := initialsAfter.FindStringIndex(text[s.End:min(to, s.End+16)]); m != nil && !credential(text[s.End:s.End+m[1]]) {
		s.End += m[1]
	}
	return s
}
