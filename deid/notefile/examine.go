package notefile

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// The functions of this file refuse input that can be read but not examined: text that no tagger
// can process, and files of another format than the requested one.

// checkTexts returns an error if a text of the record contains UTF-16, or is RTF or PDF: bytes that
// are not letters would split their words. checkUTF8 has already searched for UTF-16 in text that
// the record contains verbatim; encoded reports whether text may come from escapes or base64.
func (s *source) checkTexts(r *Record, encoded bool) error {
	for _, n := range r.Notes {
		if reason := unreadableText(n.Text, encoded); reason != "" {
			return s.defect(n.Line, -1, "a text that is "+reason+", which cannot be examined")
		}
	}
	return nil
}

// unreadableText names the kind of a text that cannot be examined as it is, or returns "".
func unreadableText(text string, encoded bool) string {
	if encoded && wide(text) || strings.HasPrefix(text, "\u00ff\u00fe") || strings.HasPrefix(text, "\u00fe\u00ff") { // UTF-16 read as Latin-1
		return "UTF-16"
	}
	switch kind := contentKind(text[:min(len(text), contentPeek)]); kind {
	case "rtf", "pdf", "zip", "gzip", "office":
		return kindNames[kind]
	}
	return ""
}

// marksUTF16 reports whether a file begins with the byte order mark of UTF-16, as bytes or decoded
// as Latin-1. UTF-32 begins the same way.
func marksUTF16(raw []byte) bool {
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

// wide reports whether text looks like UTF-16 or UTF-32: every other byte is the same control byte
// three times in a row, or a sixteenth of all bytes are control bytes below 9. A few such bytes are
// accepted.
func wide[T string | []byte](text T) bool {
	at := firstWide(text)
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

// firstWide returns the position of the first byte below 9, or -1. It processes many bytes at a
// time, because hardly any text has one.
func firstWide[T string | []byte](text T) int {
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

var kindNames = map[string]string{
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

// contentPeek is the number of bytes from which contentKind determines the kind of a file.
const contentPeek = 512

var (
	jsonStart = regexp.MustCompile(`^(?:\[\s*)?\{\s*"(?:[^"\\]|\\.)*"\s*:`)
	hl7Start  = regexp.MustCompile(`^(?:MSH|FHS|BHS)\|\^~\\|^(?:MSH|FHS|BHS)([^\w\s])[^\w\s]{3,4}([^\w\s])`)
	xmlStart  = regexp.MustCompile(`(?i)^<(?:\?xml[\s?]|!DOCTYPE\s|(?:\w+:)?ClinicalDocument[\s>/]|deIdi2b2[\s>]|ROOT[\s>]|MEDDOCAN[\s>]|[A-Z]\w*\s+xmlns\s*=\s*["']http://hl7\.org/fhir["'])`)
)

// contentKind returns the kind of a file if its beginning makes it certain, or "". Text that merely
// begins with a bracket has no kind.
func contentKind(start string) string {
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
	start = strings.TrimPrefix(start, utf8BOM)
	if start == "" || !strings.ContainsRune("%{[<MFB\x0b\x1c \t\r\n", rune(start[0])) {
		return ""
	}
	start = strings.TrimLeft(start, " \t\r\n\x0b\x1c")
	switch {
	case strings.HasPrefix(start, "%PDF-"):
		return "pdf"
	case strings.HasPrefix(start, `{\rtf`):
		return "rtf"
	case jsonStart.MatchString(start):
		return "json"
	case hl7Start.MatchString(start):
		return "hl7"
	case xmlStart.MatchString(start):
		return "xml"
	}
	return ""
}

// otherKinds are the kinds of files that no format reads, by their extensions.
var otherKinds = map[string]string{
	".pdf": "PDF", ".doc": "Word", ".docx": "Word", ".odt": "OpenDocument", ".xls": "Excel", ".xlsx": "Excel", ".ods": "OpenDocument",
	".zip": "ZIP", ".bz2": "bzip2", ".xz": "xz", ".zst": "Zstandard", ".7z": "7-Zip", ".gz": "gzip",
}

// checkKind returns an error if the name or the beginning of a file shows that it has another
// format.
func (f *Format) checkKind(in *source) error {
	ext := strings.ToLower(in.ext())
	if strings.EqualFold(filepath.Ext(in.name), ".gz") && ext == "" {
		ext = strings.ToLower(filepath.Ext(in.base()))
	}
	if !slices.Contains(f.Exts, ext) && !slices.Contains(f.alsoExts, ext) {
		var owners []string
		for _, other := range formats {
			if slices.Contains(other.Exts, ext) {
				owners = append(owners, other.Name)
			}
		}
		switch {
		case len(owners) > 0:
			return in.defect(0, -1, fmt.Sprintf("the name ends in %s, so the file is not of the format %s, but of %s", ext, f.Name, strings.Join(owners, " or ")))
		case otherKinds[ext] != "":
			return in.defect(0, -1, fmt.Sprintf("the name ends in %s, so the file is not of the format %s: lethe cannot read %s files", ext, f.Name, otherKinds[ext]))
		}
	}
	start, _ := in.in.Peek(contentPeek) // reading returns the error again
	if kind := contentKind(string(start)); kind != "" && kind != f.content {
		return in.defect(1, -1, fmt.Sprintf("the content is %s, so the file is not of the format %s", kindNames[kind], f.Name))
	}
	return nil
}
