package inception

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/service/wire"
	"github.com/lethe-deid/lethe/internal/cas"
	"github.com/lethe-deid/lethe/internal/xmlnotes"
)

// document is a document with its tokens and sentences.
type document struct {
	*cas.Document
	tokens, sentences []extent // in the order of the text
}

// extent is a range of the text, in units of UTF-16.
type extent struct{ begin, end int }

// segment is a token or a sentence.
type segment struct {
	extent
	sofa     string
	sentence bool
}

var errSegment = wire.Unprocessable("A token or sentence of the document has no valid begin and end.")

// messages are sentences for the errors of cas.
var messages = map[error]string{
	cas.ErrNotXMI:  "The document is not well-formed XMI in XML 1.0 without a DTD.",
	cas.ErrNoText:  "The document has no text.",
	cas.ErrNotText: "The initial view of the document is not a text.",
	cas.ErrNoID:    "The text of the document has no xmi:id that is a number.",
}

// parseCAS reads a document in XMI.
func parseCAS(xmi string) (*document, error) {
	var segments []segment
	parsed, err := cas.Parse(xmi, func(s cas.Structure) error {
		if s.Space != cas.SegmentSpace || s.Local != "Token" && s.Local != "Sentence" {
			return nil
		}
		begin, err1 := strconv.Atoi(s.Values["begin"])
		end, err2 := strconv.Atoi(s.Values["end"])
		if errors.Join(err1, err2) != nil || begin > end {
			return errSegment
		}
		segments = append(segments, segment{extent{begin, end}, s.Values["sofa"], s.Local == "Sentence"})
		return nil
	})
	if message, ok := messages[err]; ok {
		return nil, wire.Unprocessable("%s", message)
	}
	if err != nil {
		return nil, err
	}
	d := &document{Document: parsed}
	for _, s := range segments {
		switch {
		case s.sofa != d.Sofa:
		case s.sentence:
			d.sentences = append(d.sentences, s.extent)
		default:
			d.tokens = append(d.tokens, s.extent)
		}
	}
	for _, all := range [][]extent{d.tokens, d.sentences} {
		slices.SortFunc(all, func(a, b extent) int { return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.end, b.end)) })
	}
	return d, nil
}

// prediction is a span of PHI in units of UTF-16.
type prediction struct {
	extent
	label string
	score float64
}

// unitsOf converts spans of the text.
func (d *document) unitsOf(spans []data.Span) []prediction {
	index := wire.NewIndex(d.Text)
	found := make([]prediction, len(spans))
	for i, s := range spans {
		found[i] = prediction{extent{index.At(s.Start).UTF16, index.At(s.End).UTF16}, s.Type, s.Score}
	}
	return found
}

// with returns the document with predictions. Everything else stays byte for byte, except for the tag of the view, which
// lists the new annotations.
func (d *document) with(l layer, found []prediction, explanation string) string {
	if len(found) == 0 {
		return d.XMI
	}
	var b strings.Builder
	ids := make([]string, len(found))
	for i, p := range found {
		ids[i] = strconv.Itoa(d.LastID + 1 + i)
		d.write(&b, l, ids[i], p, explanation)
	}
	if d.View == nil {
		fmt.Fprintf(&b, `<lethe:View xmlns:lethe="%s" sofa="%s" members="%s"/>`, cas.Space, d.Sofa, strings.Join(ids, " "))
		return d.XMI[:d.End] + b.String() + d.XMI[d.End:]
	}
	d.writeView(&b, ids)
	return d.XMI[:d.View.From] + b.String() + d.XMI[d.View.To:]
}

// write writes the element of a prediction.
func (d *document) write(b *strings.Builder, l layer, id string, p prediction, explanation string) {
	prefix, declaration := d.Prefixes[l.space], ""
	if prefix == "" {
		prefix, declaration = "lethe", fmt.Sprintf(` xmlns:lethe="%s"`, l.space)
	}
	fmt.Fprintf(b, `<%s:%s%s %s:id="%s" sofa="%s" begin="%d" end="%d" %s="%s" %s="true"`,
		prefix, l.local, declaration, d.Prefixes[cas.XMISpace], id, d.Sofa, p.begin, p.end, l.feature, xmlnotes.EscapeAttribute(p.label), predictedFeature)
	if l.score != "" {
		fmt.Fprintf(b, ` %s="%s"`, l.score, strconv.FormatFloat(p.score, 'f', -1, 64))
	}
	if l.explanation != "" {
		fmt.Fprintf(b, ` %s="%s"`, l.explanation, xmlnotes.EscapeAttribute(explanation))
	}
	b.WriteString("/>")
}

// writeView writes the tag of the view with more members.
func (d *document) writeView(b *strings.Builder, ids []string) {
	tag := d.XMI[d.View.From:d.View.To]
	b.WriteString(tag[:strings.IndexAny(tag, " \t\r\n/>")])
	members := strings.Join(ids, " ")
	for _, a := range d.View.Attributes {
		if a.Name == "members" {
			members = strings.TrimSpace(a.Value + " " + members)
			continue
		}
		quote := `"`
		if strings.Contains(a.Value, quote) {
			quote = "'"
		}
		b.WriteString(" " + a.Name + "=" + quote + a.Value + quote)
	}
	b.WriteString(` members="` + members + `"`)
	if strings.HasSuffix(tag, "/>") {
		b.WriteByte('/')
	}
	b.WriteByte('>')
}
