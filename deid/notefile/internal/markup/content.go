package markup

import (
	"bytes"
	"regexp"
	"strings"
)

// The functions of this file refuse input that can be read but not examined: text that no tagger
// can process, and files of another format than the requested one.

// UnreadableText names the kind of a text that cannot be examined as it is, or returns "".
func UnreadableText(text string, encoded bool) string {
	if strings.HasPrefix(text, "\u00ff\u00fe") || strings.HasPrefix(text, "\u00fe\u00ff") { // UTF-16 read as Latin-1
		return "UTF-16"
	}
	if encoded && Wide(text) {
		return "UTF-16, or has too many control bytes to be text"
	}
	switch kind := ContentKind(text[:min(len(text), ContentPeek)]); kind {
	case "rtf", "pdf", "zip", "gzip", "office":
		return KindNames[kind]
	}
	return ""
}

// MarksUTF16 reports whether a file begins with the byte order mark of UTF-16, as bytes or decoded
// as Latin-1. UTF-32 begins the same way.
func MarksUTF16(raw []byte) bool {
	for _, mark := range []string{"\xff\xfe", "\xfe\xff", "\u00ff\u00fe", "\u00fe\u00ff"} {
		if bytes.HasPrefix(raw, []byte(mark)) {
			return true
		}
	}
	return false
}

// isWideByte reports whether a character does not occur in text but is half of most characters in
// UTF-16: NUL for Latin letters, others for Greek, Cyrillic, Hebrew or Arabic.
func isWideByte(r rune) bool { return r < 9 }

// Wide reports whether text looks like UTF-16 or UTF-32: every other byte is the same control byte
// three times in a row, or a sixteenth of all bytes are control bytes below 9. A few such bytes are
// accepted.
func Wide[T string | []byte](text T) bool {
	at := FirstWide(text)
	if at < 0 {
		return false
	}
	count := 0
	for i := at; i < len(text); i++ {
		c := text[i]
		if !isWideByte(rune(c)) {
			continue
		}
		count++
		if i >= 4 && text[i-2] == c && text[i-4] == c && text[i-1] != c && text[i-3] != c {
			return true
		}
	}
	return count > 1 && 16*count > len(text) || 4*count > len(text)
}

// FirstWide returns the position of the first byte below 9, or -1. It processes many bytes at a
// time, because hardly any text has one.
func FirstWide[T string | []byte](text T) int {
	i := 0
	for ; i+32 <= len(text); i += 32 {
		if below9(text, i)|below9(text, i+8)|below9(text, i+16)|below9(text, i+24) != 0 {
			break
		}
	}
	for ; i < len(text); i++ {
		if isWideByte(rune(text[i])) {
			return i
		}
	}
	return -1
}

// KindNames contains the names of the kinds that ContentKind returns, for errors.
var KindNames = map[string]string{
	"gzip": "gzip once more", "parquet": "Parquet", "zip": "a ZIP archive or an Office document", "office": "an old Office document", "pdf": "PDF", "rtf": "RTF", "json": "JSON",
	"hl7": "HL7", "xml": "XML or HTML",
}

// below9 returns a nonzero value if one of the eight bytes at i is below 9.
func below9[T string | []byte](text T, i int) uint64 {
	const ones = ^uint64(0) / 255
	_ = text[i+7]
	x := uint64(text[i]) | uint64(text[i+1])<<8 | uint64(text[i+2])<<16 | uint64(text[i+3])<<24 |
		uint64(text[i+4])<<32 | uint64(text[i+5])<<40 | uint64(text[i+6])<<48 | uint64(text[i+7])<<56 // the compiler combines these into one load
	return (x - 9*ones) &^ x & (128 * ones)
}

// ContentPeek is the number of bytes from which ContentKind determines the kind of a file.
const ContentPeek = 512

var (
	jsonStart = regexp.MustCompile(`^(?:\[\s*)?\{\s*"(?:[^"\\]|\\.)*"\s*:`)
	hl7Start  = regexp.MustCompile(`^(?:MSH|FHS|BHS)\|\^~\\|^(?:MSH|FHS|BHS)([^\w\s])[^\w\s]{3,4}([^\w\s])`)
	xmlStart  = regexp.MustCompile(`(?i)^<(?:\?xml[\s?]|!DOCTYPE\s|(?:\w+:)?ClinicalDocument[\s>/]|deIdi2b2[\s>]|ROOT[\s>]|MEDDOCAN[\s>]|[A-Z]\w*\s+xmlns\s*=\s*["']http://hl7\.org/fhir["'])`)
)

// ContentKind returns the kind of a file if its beginning makes it certain, or "". Text that merely
// begins with a bracket has no kind.
func ContentKind(start string) string {
	switch {
	case strings.HasPrefix(start, "\x1f\x8b") || strings.HasPrefix(start, "\x1f\u008b"):
		return "gzip"
	case strings.HasPrefix(start, "PK\x03\x04"):
		return "zip"
	case strings.HasPrefix(start, "PAR1\x15"): // what follows begins with an integer of Thrift
		return "parquet"
	case strings.HasPrefix(start, "\xd0\xcf\x11\xe0") || strings.HasPrefix(start, "\u00d0\u00cf\x11\u00e0"):
		return "office"
	}
	start = strings.TrimPrefix(start, BOM)
	if !startsWith(start, "%{[<MFB\x0b\x1c \t\r\n") {
		return ""
	}
	start = strings.TrimLeft(start, " \t\r\n\x0b\x1c")
	switch {
	case strings.HasPrefix(start, "%PDF-"):
		return "pdf"
	case strings.HasPrefix(start, `{\rtf`):
		return "rtf"
	case startsWith(start, "{[") && jsonStart.MatchString(start):
		return "json"
	case startsWith(start, "MFB") && hl7Start.MatchString(start):
		return "hl7"
	case startsWith(start, "<") && xmlStart.MatchString(start):
		return "xml"
	}
	return ""
}

// startsWith reports whether a text starts with one of some ASCII characters.
func startsWith(text, characters string) bool {
	return text != "" && strings.IndexByte(characters, text[0]) >= 0
}

// BOM is U+FEFF in UTF-8.
const BOM = "\uFEFF"
