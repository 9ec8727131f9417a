package i2b2

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/internal/notes"
)

// A parser turns a bare CR into LF, and blanks in an attribute into spaces;
// character references survive.
var (
	escapeText      = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\r", "&#13;")
	escapeAttribute = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "\t", "&#9;", "\n", "&#10;", "\r", "&#13;")
)

func encode(doc *data.Document, dialect Dialect, types *data.TypeSet) ([]byte, error) {
	if at, char, bad := firstBad(doc.Text); bad {
		return nil, fmt.Errorf("XML cannot hold the character %U at byte %d of the text", char, at)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "<?xml version=\"1.0\" encoding=\"UTF-8\" ?>\n<%s>\n<TEXT>", dialect.root)
	// CDATA is what corpora of this format use, but it can hold neither.
	if strings.Contains(doc.Text, "\r") || strings.Contains(doc.Text, "]]>") {
		_, _ = escapeText.WriteString(&b, doc.Text) // a bytes.Buffer takes all
	} else {
		fmt.Fprintf(&b, "<![CDATA[%s]]>", doc.Text)
	}
	b.WriteString("</TEXT>\n<TAGS>\n")
	spans := slices.Clone(doc.Spans)
	data.SortSpans(spans)
	offsets := notes.NewOffsets(doc.Text)
	for i, s := range spans {
		t, _ := types.Lookup(s.Type)
		fmt.Fprintf(&b, "<%s id=\"%s%d\" start=\"%d\" end=\"%d\" text=\"%s\" TYPE=\"%s\" comment=\"\" />\n",
			t.Category, dialect.tag, dialect.first+i, offsets.CodePoint(s.Start), offsets.CodePoint(s.End),
			escapeAttribute.Replace(doc.Text[s.Start:s.End]), s.Type)
	}
	fmt.Fprintf(&b, "</TAGS>\n</%s>\n", dialect.root)
	return b.Bytes(), nil
}
