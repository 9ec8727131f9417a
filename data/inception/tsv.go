package inception

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/internal/notes"
	"github.com/lethe-deid/lethe/internal/bounded"
)

// Beginnings of lines in WebAnno TSV.
const (
	formatLine   = "#FORMAT=WebAnno TSV "
	spanLine     = "#T_SP="
	chainLine    = "#T_CH="
	relationLine = "#T_RL="
	textLine     = "#Text="
)

// TSV is WebAnno TSV 3, in files with the extension .tsv:
//
//	#FORMAT=WebAnno TSV 3.3
//	#T_SP=de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity|value
//
//
//	#Text=Seen by Ada Lund.
//	1-1	0-4	Seen	_
//	1-2	5-7	by	_
//	1-3	8-11	Ada	DOCTOR[1]
//	1-4	12-16	Lund	DOCTOR[1]
//	1-5	16-17	.	_
//
// The text is that of the sentences at their offsets; as in INCEpTION, there are spaces between sentences that do not follow
// one another directly or after a line end. The line end that INCEpTION adds to every text is left out. Parts of tokens
// (1-1.1), annotations of several tokens (with a number in brackets), and several annotations of a token (with | between
// them) are read; chains, relations and the slots of annotations are not. A file is refused if its version is not 3, a line
// has too few columns, a token does not quote the text at its offsets, or an annotation has no type.
//
// The tokens that are written are those of the tokenizer ptb, cut where a span begins or ends, and a sentence is a line. White
// space is a token where a span begins or ends with it.
var TSV = Format{
	Ext:    ".tsv",
	decode: decodeTSV,
	encode: encodeTSV,
	Recognize: func(head []byte) bool {
		return strings.HasPrefix(strings.TrimPrefix(string(head), notes.BOM), formatLine)
	},
}

func decodeTSV(raw []byte, name string, types *data.TypeSet, opt Options) (*data.Document, error) {
	if err := notes.CheckUTF8(name, raw); err != nil {
		return nil, err
	}
	r := tsvReader{opt: opt}
	if err := r.read(strings.TrimPrefix(string(raw), notes.BOM)); err != nil {
		return nil, notes.Defect(name, r.line, -1, err.Error())
	}
	text := r.text.String()
	units := notes.NewUnits(text)
	for _, u := range r.units {
		from, to, err := units.Bytes(u.begin, u.end)
		if u.begin == u.end && u.end <= units.Count() { // an annotation of width zero
			from, to, err = 0, 0, nil
		}
		if err != nil {
			return nil, notes.Defect(name, u.line, -1, err.Error())
		}
		if u.text != text[from:to] && unescapeText(u.text, r.old) != text[from:to] {
			return nil, notes.Defect(name, u.line, -1, "the line does not quote the text at its offsets, in units of UTF-16")
		}
	}
	id := notes.ID(name)
	all := make([]annotation, len(r.all))
	for i, a := range r.all {
		all[i] = *a
	}
	spans, line, err := opt.spans(all, units.Bytes, types)
	if err != nil {
		return nil, notes.Defect(name, line, -1, err.Error())
	}
	return &data.Document{ID: id, Patient: data.PatientOf(id), Text: text, Spans: spans}, nil
}

// tsvReader reads a file.
type tsvReader struct {
	opt      Options
	line     int // the number of the current line
	old      bool
	columns  []column
	text     strings.Builder
	length   int      // of the text, in units of UTF-16
	sentence []string // its lines, until its first token is known
	open     bool     // tokens may follow
	placed   bool     // there is a sentence in the text
	units    []unit
	all      []*annotation
	numbered map[string]*annotation // annotations of several tokens, by layer and number
}

// column is a column behind the three of each token.
type column struct{ layer, feature string } // the layer is "" if the column is not read

// unit is a token or a part of one.
type unit struct {
	begin, end, line int
	text             string
}

var errFormat = errors.New("not in WebAnno TSV 3")

func (r *tsvReader) read(file string) error {
	r.numbered = map[string]*annotation{}
	header := true
	for line := range strings.Lines(file) {
		r.line++
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if r.line == 1 {
			version, ok := strings.CutPrefix(line, formatLine)
			if !ok || !strings.HasPrefix(version, "3.") {
				return errFormat
			}
			r.old = version == "3.0" || version == "3.1"
			continue
		}
		var err error
		switch {
		case header && strings.HasPrefix(line, spanLine):
			r.layer(strings.TrimPrefix(line, spanLine), true)
		case header && strings.HasPrefix(line, chainLine):
			r.layer(strings.TrimPrefix(line, chainLine), false)
		case header && strings.HasPrefix(line, relationLine):
			r.layer(strings.TrimPrefix(line, relationLine), false)
		case line == "":
			header, r.open = false, false
			if r.sentence != nil {
				err = errors.New("the sentence before it has no tokens")
			}
		case strings.HasPrefix(line, textLine):
			header = false
			if r.open {
				return errors.New("the text of a sentence is among its tokens")
			}
			r.sentence = append(r.sentence, unescapeText(strings.TrimPrefix(line, textLine), r.old))
		case strings.HasPrefix(line, "#") && !r.open: // the ID of a sentence
		default:
			err = r.token(line)
		}
		if err != nil {
			return err
		}
	}
	r.line++
	if r.line == 1 {
		return errFormat
	}
	if r.sentence != nil {
		return errors.New("the file ends before the tokens of its last sentence")
	}
	return nil
}

// layer reads the declaration of a layer: its name and its features, of which each has a column, or one that is empty.
func (r *tsvReader) layer(declaration string, spans bool) {
	fields := strings.Split(declaration, "|")
	name := ""
	if spans {
		name = r.opt.layer(fields[0])
	}
	if len(fields) == 1 {
		fields = append(fields, "")
	}
	slot := false
	for _, feature := range fields[1:] {
		c := column{name, feature}
		// A slot has two columns, for roles and their targets.
		if isSlot := strings.HasPrefix(feature, "ROLE_"); isSlot || slot {
			c.layer = ""
			slot = isSlot
		}
		r.columns = append(r.columns, c)
	}
}

// token reads the line of a token or of a part of one.
func (r *tsvReader) token(line string) error {
	fields := strings.Split(line, "\t")
	if len(fields) < 3+len(r.columns) {
		return fmt.Errorf("the line has %d columns instead of %d", len(fields), 3+len(r.columns))
	}
	left, right, _ := strings.Cut(fields[1], "-")
	begin, err1 := notes.Offset(left)
	end, err2 := notes.Offset(right)
	if err := errors.Join(err1, err2); err != nil || begin > end {
		return errors.New("the second column does not contain two offsets")
	}
	if r.sentence != nil {
		if err := r.place(begin); err != nil {
			return err
		}
	} else if !r.open {
		return errors.New("the token belongs to no sentence")
	}
	r.units = append(r.units, unit{begin, end, r.line, fields[2]})
	stacks := map[string][]*annotation{} // what the unit has of each layer
	for i, c := range r.columns {
		if value := fields[3+i]; c.layer != "" && value != "_" {
			if err := r.values(c, value, stacks, begin, end); err != nil {
				return err
			}
		}
	}
	return nil
}

// place appends the text of a sentence, whose first token begins at an offset. The line end after the sentence before it counts
// only if there is room for it.
func (r *tsvReader) place(begin int) error {
	gap := begin - r.length
	switch {
	case gap < 0:
		return errors.New("the sentence begins before the end of the one before it")
	case gap > bounded.MaxNote:
		return errors.New("the sentence begins too far behind the one before it")
	case gap > 0 && r.placed:
		r.append("\n")
		gap--
	}
	r.append(strings.Repeat(" ", gap))
	r.append(strings.Join(r.sentence, "\n"))
	r.sentence, r.open, r.placed = nil, true, true
	return nil
}

func (r *tsvReader) append(text string) {
	r.text.WriteString(text)
	for _, c := range text {
		r.length += utf16.RuneLen(c)
	}
}

// values reads the annotations of a unit in a column. Annotations that have a number continue those of earlier units.
func (r *tsvReader) values(c column, value string, stacks map[string][]*annotation, begin, end int) error {
	for i, v := range splitValues(value) {
		v, number := cutNumber(v)
		var a *annotation
		if i < len(stacks[c.layer]) {
			a = stacks[c.layer][i] // of another column
		} else {
			key := c.layer + " " + number
			if a = r.numbered[key]; number == "" || a == nil {
				a = &annotation{layer: c.layer, begin: begin, end: end, features: map[string]string{}, line: r.line}
				r.all = append(r.all, a)
				if number != "" {
					r.numbered[key] = a
				}
			}
			a.end = end
			stacks[c.layer] = append(stacks[c.layer], a)
		}
		if v == "*" || c.feature == "" {
			continue
		}
		v = unescapeValue(v)
		if before, ok := a.features[c.feature]; ok && before != v {
			return errors.New("the annotation has another value on an earlier line")
		}
		a.features[c.feature] = v
	}
	return nil
}

// splitValues splits a field at each | that is not escaped.
func splitValues(field string) (values []string) {
	from := 0
	for i := 0; i < len(field); i++ {
		switch field[i] {
		case '\\':
			i++
		case '|':
			values = append(values, field[from:i])
			from = i + 1
		}
	}
	return append(values, field[from:])
}

// cutNumber cuts the number in brackets off a value.
func cutNumber(value string) (rest, number string) {
	rest, ok := strings.CutSuffix(value, "]")
	at := strings.LastIndexByte(rest, '[')
	if !ok || at < 0 {
		return value, ""
	}
	number = rest[at+1:]
	if _, err := strconv.ParseUint(number, 10, 31); err != nil {
		return value, ""
	}
	return rest[:at], number
}

// unescapeValue resolves the escapes of a value.
func unescapeValue(value string) string { return valueUnescapes.Replace(value) }

var valueUnescapes = strings.NewReplacer(`\\`, `\`, `\[`, "[", `\]`, "]", `\|`, "|", `\_`, "_", `\->`, "->", `\;`, ";", `\t`, "\t", `\n`, "\n", `\*`, "*")

// unescapeText resolves the escapes of the text. Versions before 3.2 use those of Java.
func unescapeText(text string, old bool) string {
	if strings.IndexByte(text, '\\') < 0 {
		return text
	}
	if !old {
		return textUnescapes.Replace(text)
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		switch c := text[i]; c {
		case 't', 'n', 'f', 'r', 'b':
			b.WriteByte("\t\n\f\r\b"[strings.IndexByte("tnfrb", c)])
		case 'u':
			r, n := escapedRune(text[i-1:])
			if n == 0 {
				b.WriteString(`\u`)
				continue
			}
			b.WriteRune(r)
			i += n - 2
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// escapedRune decodes \uXXXX, or two of them that are one character. n is 0 if there is none.
func escapedRune(text string) (r rune, n int) {
	first, ok := escapedUnit(text)
	if !ok {
		return 0, 0
	}
	if !utf16.IsSurrogate(first) {
		return first, 6
	}
	second, ok := escapedUnit(text[6:])
	if r = utf16.DecodeRune(first, second); !ok || r == '\uFFFD' {
		return 0, 0
	}
	return r, 12
}

func escapedUnit(text string) (rune, bool) {
	if len(text) < 6 || text[:2] != `\u` {
		return 0, false
	}
	n, err := strconv.ParseUint(text[2:6], 16, 16)
	return rune(n), err == nil
}

// Escapes of the text since version 3.2: control characters other than these are preceded by a backslash.
var textEscapes, textUnescapes = func() (*strings.Replacer, *strings.Replacer) {
	pairs := []string{`\`, `\\`, "\t", `\t`, "\n", `\n`, "\f", `\f`, "\r", `\r`, "\b", `\b`}
	for c := range 32 {
		if c < 8 || c > 13 {
			pairs = append(pairs, string(rune(c)), `\`+string(rune(c)))
		}
	}
	var reverse []string
	for i := 0; i < len(pairs); i += 2 {
		reverse = append(reverse, pairs[i+1], pairs[i])
	}
	return strings.NewReplacer(pairs...), strings.NewReplacer(reverse...)
}()
