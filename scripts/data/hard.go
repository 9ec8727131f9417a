package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/i2b2"
	"github.com/lethe-deid/lethe/internal/xmlnotes"
)

// label finds what may be a field label: at most 40 letters, spaces, dots and slashes before a colon, and the spaces after it.
var label = regexp.MustCompile(`[\p{L}\p{Nl}\p{No} ./]{1,40}: *`)

// longLine is the number of characters from which a line is running text, in which only a label at its start is one.
const longLine = 200

// makeHard writes the notes of dev without their field labels ("Nombre:"), and returns the digest of the new folder.
func makeHard(dev, to string) (string, error) { return rewrite(dev, to, withoutLabels) }

// rewrite writes a changed copy of each note of a folder, in MEDDOCAN's XML, and returns the digest of the new folder.
func rewrite(from, to string, change func(*data.Document) *data.Document) (string, error) {
	var names []string
	var contents [][]byte
	for doc, err := range i2b2.Read(from, data.ReadOptions{Types: data.MEDDOCAN}) {
		if err != nil {
			return "", err
		}
		content := encode(change(doc))
		name := doc.ID + i2b2.Ext
		if err := writeFile(filepath.Join(to, name), content); err != nil {
			return "", err
		}
		names, contents = append(names, name), append(contents, content)
	}
	written, err := os.ReadDir(to)
	if err != nil {
		return "", err
	}
	if len(written) != len(names) {
		return "", fmt.Errorf("%s contains other files than those that were made", to)
	}
	return digest(names, contents), nil
}

// withoutLabels removes the field labels of a note. A label is kept if it overlaps a span, or if it follows a character
// other than a space, a comma or a semicolon, so that it begins inside a word or after a bullet.
func withoutLabels(doc *data.Document) *data.Document {
	var out edit
	start := 0
	for line := range strings.Lines(doc.Text) {
		long := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) >= longLine
		for _, at := range label.FindAllStringIndex(line, -1) {
			if at[0] > 0 && (long || !strings.ContainsAny(line[at[0]-1:at[0]], " ,;")) {
				continue
			}
			from, to := start+at[0], start+at[1]
			if !slices.ContainsFunc(doc.Spans, func(s data.Span) bool { return s.Start < to && from < s.End }) {
				out.replace(from, to, "")
			}
		}
		start += len(line)
	}
	return out.apply(doc)
}

// edit collects changes of a text from left to right. No change overlaps an end of a span, except that a change may be
// that of a whole span.
type edit []struct {
	from, to int
	text     string
}

func (e *edit) replace(from, to int, text string) {
	*e = append(*e, struct {
		from, to int
		text     string
	}{from, to, text})
}

// apply returns a changed copy of a document.
func (e edit) apply(doc *data.Document) *data.Document {
	var b strings.Builder
	moved := make(map[int]int) // ends of spans
	i := 0
	for _, s := range doc.Spans {
		moved[s.Start], moved[s.End] = 0, 0
	}
	copyTo := func(end int) {
		for ; i < end; i++ {
			if _, ok := moved[i]; ok {
				moved[i] = b.Len()
			}
			b.WriteByte(doc.Text[i])
		}
	}
	for _, c := range e {
		copyTo(c.from)
		if _, ok := moved[c.from]; ok {
			moved[c.from] = b.Len()
		}
		b.WriteString(c.text)
		i = c.to
	}
	copyTo(len(doc.Text))
	if _, ok := moved[len(doc.Text)]; ok {
		moved[len(doc.Text)] = b.Len()
	}
	changed := &data.Document{ID: doc.ID, Patient: doc.Patient, Text: b.String()}
	for _, s := range doc.Spans {
		s.Start, s.End = moved[s.Start], moved[s.End]
		changed.Spans = append(changed.Spans, s)
	}
	return changed
}

// encode writes a note as the files of MEDDOCAN are written, with the tags in reading order.
func encode(doc *data.Document) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "<?xml version='1.0' encoding='UTF-8'?>\n<MEDDOCAN>\n  <TEXT><![CDATA[%s]]></TEXT>\n  <TAGS>\n", doc.Text)
	for i, s := range doc.Spans {
		t, _ := data.MEDDOCAN.Lookup(s.Type)
		fmt.Fprintf(&b, "    <%s id=\"T%d\" start=\"%d\" end=\"%d\" text=\"%s\" TYPE=\"%s\" comment=\"\"/>\n", t.Category, i+1,
			utf8.RuneCountInString(doc.Text[:s.Start]), utf8.RuneCountInString(doc.Text[:s.End]), xmlnotes.EscapeAttribute(doc.Text[s.Start:s.End]), s.Type)
	}
	b.WriteString("  </TAGS>\n</MEDDOCAN>\n")
	return []byte(b.String())
}
