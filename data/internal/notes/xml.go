package notes

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/internal/xmlnotes"
)

// XML returns the text of an XML file in UTF-8, or an error for bytes or
// characters that it cannot contain.
func XML(path string, raw []byte) (string, error) {
	file, err := xmlnotes.Decode(raw)
	if err != nil {
		return "", Located(path, err)
	}
	if !utf8.ValidString(file) {
		return "", CheckUTF8(path, raw)
	}
	if at, char, illegal := xmlnotes.Illegal(file); illegal {
		return "", Defect(path, 1+strings.Count(file[:at], "\n"), at, fmt.Sprintf("XML does not allow the character %U", char))
	}
	return file, nil
}

// Located adds the path to an error of package xmlnotes.
func Located(path string, err error) error {
	if e, ok := errors.AsType[*xmlnotes.Error](err); ok {
		return Defect(path, e.Line, e.Offset, Advice(e))
	}
	return err
}

// Advice returns the reason and the hint of an error.
func Advice(e *xmlnotes.Error) string {
	if e.Hint == "" {
		return e.Reason
	}
	return e.Reason + ": " + e.Hint
}
