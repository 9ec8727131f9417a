// Package attachment decodes texts that a format contains as bytes of another content type.
package attachment

import (
	"bytes"
	"encoding/base64"
	"errors"
	"mime"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/deid/notefile/internal/base"
	"github.com/lethe-deid/lethe/deid/notefile/internal/htmltext"
	"github.com/lethe-deid/lethe/deid/notefile/internal/markup"
	"github.com/lethe-deid/lethe/deid/notefile/internal/rtf"
)

// DecodeBase64 decodes base64 that may contain blanks and line ends.
func DecodeBase64(text string) ([]byte, error) {
	return base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
}

// Readable reports whether bytes are text in UTF-8 without control characters other than tabs and
// line ends.
func Readable(blob []byte) bool {
	return utf8.Valid(blob) && bytes.IndexFunc(blob, func(r rune) bool { return r < ' ' && !markup.IsSpace(byte(r)) || r == 0x7f }) < 0
}

// plainText contains the content types whose bytes are the text, without escapes or markup that
// could hide a part of it.
var plainText = []string{"text/plain", "text/markdown", "text/x-markdown", "text/csv", "text/tab-separated-values"}

var (
	htmlTypes = []string{"text/html", "application/xhtml+xml"}
	rtfTypes  = []string{"application/rtf", "text/rtf", "application/x-rtf", "text/richtext"}
)

// Text is the text in an attachment, with a function that returns the bytes after edits of the text.
type Text struct {
	markup.Inside
	Encode func([]markup.Edit) []byte
}

// readRTF reads an attachment in RTF.
func readRTF(blob []byte, drop bool) (Text, error) {
	x, err := rtf.Read(string(blob), drop)
	return Text{x, func(edits []markup.Edit) []byte { return []byte(markup.Apply(string(blob), x.Below(edits))) }}, err
}

// Decoder returns a function that decodes bytes of a content type into their text. For drop see
// Options.Drop.
func Decoder(contentType string, drop bool) (func([]byte) (Text, error), error) {
	kind, params, err := mime.ParseMediaType(contentType)
	if err == nil && slices.Contains(rtfTypes, kind) {
		return func(blob []byte) (Text, error) { return readRTF(blob, drop) }, nil
	}
	isHTML := slices.Contains(htmlTypes, kind)
	if err != nil || !isHTML && !slices.Contains(plainText, kind) {
		return nil, errors.New("an attachment that is not text and cannot be examined")
	}
	cs, err := base.Charset(params["charset"])
	if err != nil {
		return nil, errors.New("an attachment in a charset other than UTF-8, US-ASCII, ISO-8859-1 and windows-1252")
	}
	return func(blob []byte) (none Text, _ error) {
		if !isHTML && rtf.Is(string(blob)) {
			return readRTF(blob, drop)
		}
		if cs != nil {
			blob = cs.ToUTF8(blob)
		}
		if !utf8.Valid(blob) {
			return none, errors.New("an attachment that is not in its charset (UTF-8 if it declares none)")
		}
		text := string(blob)
		if clinicalDocument.MatchString(text[:min(len(text), 1<<16)]) || !isHTML && markup.ContentKind(text[:min(len(text), markup.ContentPeek)]) == "xml" {
			return none, errors.New("an attachment that is a document in XML, such as CDA, which cannot be examined")
		}
		if !isHTML {
			return Text{markup.Inside{Text: text, Below: slices.Clone[[]markup.Edit]}, func(edits []markup.Edit) []byte { return cs.FromUTF8([]byte(markup.Apply(text, edits))) }}, nil
		}
		v, err := htmltext.Read(text)
		if err != nil {
			return none, err
		}
		return Text{markup.Inside{Text: v.Text.String(), Below: v.Below}, func(edits []markup.Edit) []byte { return cs.FromUTF8([]byte(markup.Apply(text, v.Below(edits)))) }}, nil
	}, nil
}

var clinicalDocument = regexp.MustCompile(`(?i)<(?:[\w.-]+:)?ClinicalDocument[\s>/]|urn:hl7-org:v3`)
