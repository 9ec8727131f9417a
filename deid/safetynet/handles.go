package safetynet

import (
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/fold"
	"github.com/lethe-deid/lethe/deid/surrogate"
	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// handleWords are the words that announce a handle, in lower case.
var handleWords = []string{"instagram", "twitter", "facebook", "tiktok", "skype", "telegram", "snapchat", "whatsapp", "wechat", "discord", "venmo", "reddit", "dm ", "username", "login", "usuario"}

var handleStarts = newStarts(handleWords...)

// mayHandle is a cheap test of a text in lower case: a word in it begins like one of handleWords.
func mayHandle(lower string) bool {
	begins := func(at int) bool {
		return handleStarts.has(lower[at:]) && slices.ContainsFunc(handleWords, func(word string) bool { return strings.HasPrefix(lower[at:], word) })
	}
	for at := range len(lower) {
		if isLower(lower[at]) && (at == 0 || !isLower(lower[at-1])) && begins(at) {
			return true
		}
	}
	return false
}

// handleBehind matches what announces a handle, and the handle. The first group is the name of a network or the word for a handle, behind which what is no ordinary word is one; behind the other
// words only the login of a person counts: DM is also a disease. The second group is the handle.
var handleBehind = lazyregexp.New(`(?:^|[^\pL\pN@._/-])(?:(instagram|twitter|facebook|tiktok|skype|telegram|snapchat|whats ?app|wechat|discord|venmo|reddit|username)|(?:dm|login|usuario))(?: (?:id|user|username|usuario|handle|account|cuenta|is|es|as|:))?:?,? @?([a-z]{2,30}(?:[._-][a-z]{1,20}){0,2})(?:[^\pL\pN@/]|$)`)

// Handles returns the handles of letters alone that stand behind the name of a network or a word for a message, in the order of the text. The spans have the type USERNAME.
func Handles(text string) (all []data.Span) {
	lower := lowerASCII(text)
	if !mayHandle(lower) {
		return nil
	}
	for at := 0; ; { // what stands behind a handle also stands before the next one
		m := handleBehind.FindStringSubmatchIndex(lower[at:])
		if m == nil {
			return all
		}
		s := data.Span{Start: at + m[4], End: at + m[5], Type: "USERNAME", Score: 1}
		if handle := text[s.Start:s.End]; handle == lower[s.Start:s.End] && (isLoginOfName(handle) || m[2] >= 0 && isNoWord(handle)) {
			all = append(all, s)
		}
		at = s.End
	}
}

// isNoWord reports whether a handle of five letters or more has a part that is no ordinary word, nor like one, nor ends like one.
func isNoWord(handle string) bool {
	return len(handle) > 4 && slices.ContainsFunc(handleParts(handle), func(part string) bool {
		return len(part) > 3 && !likeOrdinary(fold.Fold(part)) && !wordEnding.MatchString(part)
	})
}

// wordEnding matches the endings of words that the lists lack.
var wordEnding = lazyregexp.New(`(?:ores?|oras?|er[oa]s?|ari[oa]s?|ic[oa]s?|iv[oa]s?|sio|ing|ed|ers|tions?|ment[eo]?|able|ists?|place|ness|less|ful|ish|ized?)$`)

// isLoginOfName reports whether a handle that is no ordinary word consists of an initial, a title or a first name, and a surname.
func isLoginOfName(handle string) bool {
	parts := handleParts(handle)
	if len(parts) > 1 {
		return isKnownSurname(parts[len(parts)-1]) && isNoWord(handle) || isKnownSurname(parts[0]) && len(parts[0]) > 3 && len(parts[1]) == 1 && !likeOrdinary(parts[0])
	}
	if likeOrdinary(fold.Fold(handle)) {
		return false
	}
	for i := 1; i+4 <= len(handle); i++ {
		if first := handle[:i]; (i == 1 || first == "dr" || i > 2 && surrogate.IsFirstName(first)) && isKnownSurname(handle[i:]) {
			return true
		}
	}
	return false
}

// handleParts returns the words of a handle.
func handleParts(handle string) []string {
	return strings.FieldsFunc(handle, func(r rune) bool { return r == '.' || r == '_' || r == '-' })
}
