package checkpoints

import (
	"regexp"
	"strings"
)

// privacy matches the section of a card about the words that a model contains. Its parenthesis is Card.VocabularyNote.
var privacy = regexp.MustCompile(`(?m)^## Privacy\s*\n\s*A model can hold words of the notes it was trained on, and those can be names\. (.*)$`)

// VocabularyNote returns the note on the vocabulary in a card that Card.Markdown made, or "" if somebody has removed it.
func VocabularyNote(card []byte) string {
	if m := privacy.FindSubmatch(card); m != nil {
		return strings.TrimSpace(string(m[1]))
	}
	return ""
}
