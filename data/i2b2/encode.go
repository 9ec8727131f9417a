package i2b2

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/internal/notes"
	"github.com/lethe-deid/lethe/internal/xmlnotes"
)

func encode(doc *data.Document, dialect Dialect, types *data.TypeSet) ([]byte, error) {
	if at, char, illegal := xmlnotes.Illegal(doc.Text); illegal {
		return nil, fmt.Errorf("XML does not allow the character %U at byte %d of the text", char, at)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "<?xml version=\"1.0\" encoding=\"UTF-8\" ?>\n<%s>\n<TEXT>", dialect.root)
	// Corpora of this format use CDATA sections, which cannot contain CR or "]]>".
	if strings.Contains(doc.Text, "\r") || strings.Contains(doc.Text, "]]>") {
		b.WriteString(xmlnotes.EscapeText(doc.Text))
	} else {
		fmt.Fprintf(&b, "<![CDATA[%s]]>", doc.Text)
	}
	fmt.Fprintf(&b, "</TEXT>\n<TAGS>\n%s</TAGS>\n</%s>\n", dialect.Tags(doc, types), dialect.root)
	return b.Bytes(), nil
}

// Tags returns the lines between <TAGS> and </TAGS>, one per span, in reading order. The element of
// a tag is the category of its type, or the type itself if types is nil or lacks it. Characters
// that XML does not allow become U+FFFD.
func (d Dialect) Tags(doc *data.Document, types *data.TypeSet) string {
	var b strings.Builder
	spans := slices.Clone(doc.Spans)
	data.SortSpans(spans)
	offsets := notes.NewOffsets(doc.Text)
	for i, s := range spans {
		category := s.Type
		if types != nil {
			if t, ok := types.Lookup(s.Type); ok {
				category = t.Category
			}
		}
		fmt.Fprintf(&b, "<%s id=\"%s%d\" start=\"%d\" end=\"%d\" text=\"%s\" TYPE=\"%s\" comment=\"\" />\n",
			category, d.tag, d.first+i, offsets.CodePoint(s.Start), offsets.CodePoint(s.End),
			xmlnotes.EscapeAttribute(xmlnotes.Legal(doc.Text[s.Start:s.End])), s.Type)
	}
	return b.String()
}
