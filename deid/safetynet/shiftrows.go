package safetynet

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/surrogate"
	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// This file finds the residents in the rows of a shift report, which begin with a room and a first name: "211 Honorio 38,1. Paracetamol". A row alone may be anything, such as a line of a list;
// several rows of this form show what the number is.

// fewestShiftRows is how many rows with a first name a report has at least.
const fewestShiftRows = 3

// shiftRow matches the room at the beginning of a row, perhaps with a bed, and the title behind it.
var shiftRow = lazyregexp.New(`^[ \t]{0,4}(?:(?i:(?:hab|room|rm|bed|cama)\.? ?)[1-9][0-9]{0,3}|[1-9][0-9]{1,3})(?:[A-Da-d]|[-/.][0-9A-D])?(?:[ ]?[-–:])?[ \t]{1,4}((?:(?i:sor|don|do[ñn]a|sra?|srta|mrs?|ms|sister)\.? )?)`)

// surnameNext matches the next word of a name.
var surnameNext = lazyregexp.New(`^ (?:(?:de|del|la|las|los) ){0,2}(\p{Lu}[\pL\pM'’-]+)`)

// maxShiftRow is how many bytes of a row are read for its room and its name.
const maxShiftRow = 96

// ShiftRows returns the names in the rows of a shift report: the first names behind the rooms, with the surnames behind them. At least one of them must be no ordinary word, or have a title. The
// spans have the type PATIENT.
func ShiftRows(text string) (found []data.Span) {
	at, certain, rooms := 0, false, map[string]bool{}
	for line := range strings.Lines(text) {
		start := at
		at += len(line)
		head := firstBytes(line, maxShiftRow)
		if trimmed := strings.TrimLeft(head, " \t"); trimmed == "" || strings.IndexByte("123456789hHrRbBcC", trimmed[0]) < 0 {
			continue
		}
		m := shiftRow.FindStringSubmatchIndex(head)
		if m == nil {
			continue
		}
		word := head[m[1] : m[1]+wordLength(head[m[1]:])]
		if r, _ := utf8.DecodeRuneInString(word); !unicode.IsUpper(r) || len(word) < len("Ana") || !surrogate.IsFirstName(word) {
			continue
		}
		rooms[strings.TrimSpace(head[:m[2]])] = true
		certain = certain || m[2] < m[3] || isGiven(word)
		found = append(found, data.Span{Start: start + m[1], End: start + m[1] + nameLength(head[m[1]:], len(word)), Type: "PATIENT", Score: 1})
	}
	if !certain || len(rooms) < fewestShiftRows {
		return nil
	}
	return found
}

// nameLength returns the length of the name at the beginning of a text, of which it is known how long the first name is.
func nameLength(text string, length int) int {
	for {
		m := surnameNext.FindStringSubmatchIndex(text[length:])
		if m == nil {
			return length
		}
		if word := text[length+m[2] : length+m[3]]; !surrogate.IsFirstName(word) && !isKnownSurname(word) {
			return length
		}
		length += m[1]
	}
}
