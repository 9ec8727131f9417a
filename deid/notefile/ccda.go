package notefile

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/field"
	"github.com/lethe-deid/lethe/deid/notefile/internal/attachment"
	"github.com/lethe-deid/lethe/deid/notefile/internal/base"
	"github.com/lethe-deid/lethe/deid/notefile/internal/htmltext"
	"github.com/lethe-deid/lethe/deid/notefile/internal/markup"
	"github.com/lethe-deid/lethe/deid/safetynet"
	"github.com/lethe-deid/lethe/internal/xmlnotes"
)

// readCCDA reads a C-CDA document: a ClinicalDocument of CDA R2. The title and the narrative of each section are a note. All other texts
// and attributes are fields: Options.Fields says what happens to them, and those without a rule are notes, except numbers. Without
// Options.Fields, attributes and the elements of the header stay. Comments are notes.
//
// Data in base64 is decoded and examined if it is text, HTML or RTF. Other data, such as a PDF or a picture, refuses the
// document, or is removed with Options.Drop. A document type and a processing instruction other than a stylesheet are refused.
//
// An element or attribute that is removed leaves nullFlavor="MSK".
func readCCDA(in *base.Source, o Options) Records {
	return base.One(in, true, func(raw []byte) (*Record, error) {
		raw, cs, err := xmlText(in, raw)
		if err != nil {
			return nil, err
		}
		c := cda{in: in, file: string(raw), options: o, record: &Record{Raw: raw, Line: 1, Charset: cs}}
		err = c.read()
		if e, ok := errors.AsType[*xmlnotes.Error](err); ok {
			return nil, in.Defect(e.Line, e.Offset, e.Reason)
		}
		return c.record, err
	})
}

// cda reads a document.
type cda struct {
	in      *base.Source
	file    string
	options Options
	reader  *xmlnotes.Reader
	record  *Record

	open     []*cdaElement
	path     []string
	dropped  int // number of open elements from the one that is dropped on, or 0
	sections [][2]int
	patient  string
	known    []safetynet.Value
}

// cdaElement is an open element.
type cdaElement struct {
	start      xmlnotes.Token
	name       string // as written, with its prefix
	attributes []cdaAttribute
	text       *markup.View  // of the element or, within a narrative, of the section; nil: not read
	section    *cdaNarrative // of a section: its narrative
	narrative  bool          // the element is a part of a narrative
	nested     bool          // it has child elements
	nulled     bool          // it has or gets a nullFlavor
	drops      error         // the error of field.Table.Drops
	parts      []string      // of a name: its parts
	whole      field.Action  // of a name: the action for its parts
	code       string        // the code of the element's child code
}

// cdaNarrative is the note of a section.
type cdaNarrative struct {
	text markup.View
	line int
}

// cdaAttribute is an attribute whose value is file[from:to].
type cdaAttribute struct {
	name           string // without a prefix
	at, from, to   int
	end            int // after the closing quote
	value          string
	namespaceBound bool // it declares a namespace
}

const hl7v3 = "urn:hl7-org:v3"

func (c *cda) fail(line int, reason string) error { return c.in.Defect(line, -1, reason) }

func (c *cda) read() error {
	c.reader = xmlnotes.NewReader(c.file)
	root := false
	for {
		t, err := c.reader.Next()
		if err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		switch t.Kind {
		case xmlnotes.Start:
			if !root && (t.Local != "ClinicalDocument" || t.Space != hl7v3) {
				return c.fail(t.Line, "not C-CDA: the root is not a ClinicalDocument in the namespace "+hl7v3)
			} else if root && len(c.open) == 0 {
				return c.fail(t.Line, "a second root")
			}
			root = true
			err = c.start(t)
		case xmlnotes.End:
			err = c.end(t)
		case xmlnotes.Text, xmlnotes.CDATA:
			err = c.characters(t)
		case xmlnotes.Comment:
			c.comment(t)
		case xmlnotes.Instruction:
			if text := c.file[t.From:t.To]; !strings.HasPrefix(text, "<?xml ") && !stylesheet.MatchString(text) {
				err = c.fail(t.Line, "a processing instruction that is not a stylesheet, which would go unexamined")
			}
		case xmlnotes.Directive:
			err = c.fail(t.Line, "a document type, which would go unexamined")
		}
		if err != nil {
			return err
		}
	}
	if !root {
		return c.fail(1, "not C-CDA: no XML element")
	}
	for _, n := range c.record.Notes {
		n.Patient = c.patient
		if !n.IsValue() {
			n.Known = slices.Concat(n.Known, c.known)
		}
	}
	return nil
}

var stylesheet = regexp.MustCompile(`^<\?xml-stylesheet(?:\s+(?:type|href|media|title|alternate|charset)\s*=\s*["'][-\w./]{0,80}["'])+\s*\?>$`)

// top returns the innermost open element, or nil.
func (c *cda) top() *cdaElement {
	if len(c.open) == 0 {
		return nil
	}
	return c.open[len(c.open)-1]
}

func (c *cda) start(t xmlnotes.Token) error {
	if len(c.open) >= maxCDADepth {
		return c.fail(t.Line, fmt.Sprintf("elements nested more than %d deep", maxCDADepth))
	}
	outer := c.top()
	e := &cdaElement{start: t}
	e.name, e.attributes = c.attributes(t)
	e.start.Attributes = nil // they are not valid any longer
	c.open, c.path = append(c.open, e), append(c.path, t.Local)
	if c.dropped > 0 {
		return nil
	}
	if outer != nil {
		outer.nested = true
		if outer.drops != nil {
			return c.fail(t.Line, outer.drops.Error())
		}
	}
	if c.options.Fields != nil {
		drop, err := c.options.Fields.Drops(c.path...)
		if drop && len(c.open) > 1 {
			c.dropped = len(c.open)
			return nil
		}
		e.drops = err
	}
	e.nulled = e.attribute("nullFlavor") != nil
	if outer != nil && t.Local == "code" {
		outer.code = e.value("code")
	}
	switch {
	case outer != nil && outer.narrative:
		e.narrative, e.text = true, outer.text
		c.markup(t)
	case outer != nil && outer.section != nil && (t.Local == "title" || t.Local == "text") && e.attribute("representation") == nil && c.isNote():
		n := outer.section
		e.narrative, e.text = true, &n.text
		n.line = cmp.Or(n.line, t.Line)
		c.markup(t)
	default:
		e.text = &markup.View{Encode: markup.EscapeText, Others: []func(string) string{escapeCDATA}}
		if t.Local == "section" {
			e.section = &cdaNarrative{text: markup.View{Encode: markup.EscapeText, Others: []func(string) string{escapeCDATA}}}
		}
	}
	for i := range e.attributes {
		if err := c.attribute(e, &e.attributes[i]); err != nil {
			return err
		}
	}
	return nil
}

// maxCDADepth is the maximum number of nested elements. Documents have some twenty.
const maxCDADepth = 250

// isNote reports whether no rule says that the title or text of a section is something else than a note.
func (c *cda) isNote() bool {
	if c.options.Fields == nil {
		return true
	}
	action, ok := c.options.Fields.Action(c.path...)
	return !ok || action == field.Text
}

// narrativeInline and narrativeCells are the elements of narratives whose tags do not separate lines.
var (
	narrativeInline = markup.Words(`content sub sup linkHtml footnote footnoteRef`)
	narrativeCells  = markup.Words(`td th`)
)

// markup adds the tag of a narrative.
func (c *cda) markup(t xmlnotes.Token) {
	e, shown := c.top(), "\n"
	switch {
	case narrativeInline[e.start.Local]:
		shown = ""
	case e.start.Local == "renderMultiMedia":
		shown = " "
	case narrativeCells[e.start.Local]:
		shown = "\t"
	}
	if v := e.text; v.Text.Len() > 0 {
		v.Stands(markup.Markup, t.From, t.To-t.From, shown)
	}
}

// attributes returns the name of an element as written, and its attributes.
func (c *cda) attributes(t xmlnotes.Token) (string, []cdaAttribute) {
	at := t.From + 1
	for at < t.To && !markup.IsSpace(c.file[at]) && c.file[at] != '/' && c.file[at] != '>' {
		at++
	}
	name := c.file[t.From+1 : at]
	var all []cdaAttribute
	for _, a := range t.Attributes {
		at += strings.Index(c.file[at:], a.Name) // only blanks precede it
		x := cdaAttribute{at: at, value: xmlnotes.Unescape(a.Value)}
		at += len(a.Name)
		at += strings.IndexAny(c.file[at:], `"'`) + 1
		x.from, x.to = at, at+len(a.Value)
		x.end = x.to + 1
		at = x.end
		prefix, local, _ := strings.Cut(a.Name, ":")
		x.name = cmp.Or(local, prefix)
		x.namespaceBound = prefix == "xmlns"
		all = append(all, x)
	}
	return name, all
}

func (e *cdaElement) attribute(name string) *cdaAttribute {
	for i := range e.attributes {
		if e.attributes[i].name == name {
			return &e.attributes[i]
		}
	}
	return nil
}

func (e *cdaElement) value(name string) string {
	if a := e.attribute(name); a != nil {
		return a.value
	}
	return ""
}

// characters adds character data to the text of an element.
func (c *cda) characters(t xmlnotes.Token) error {
	e := c.top()
	if e == nil {
		if strings.TrimSpace(c.reader.Characters(t)) != "" {
			return c.fail(t.Line, "text outside of the ClinicalDocument")
		}
		return nil
	}
	if c.dropped > 0 || e.text == nil {
		return nil
	}
	if e.start.Local == "tr" && strings.TrimSpace(c.file[t.From:t.To]) == "" {
		return nil // only lays out the file, so that the cells of a row stand in one line of the text
	}
	c.add(e.text, t)
	return nil
}

// add adds character data to a view.
func (c *cda) add(v *markup.View, t xmlnotes.Token) {
	v.Syntax = 0
	if t.Kind == xmlnotes.CDATA {
		from, to := t.Content()
		v.Syntax, c.sections = 1, append(c.sections, [2]int{from, to})
	}
	for p := range c.reader.Pieces(t) {
		if p.Verbatim {
			v.Verbatim(p.From, p.Text)
		} else {
			v.Stands(markup.Escape, p.From, p.To-p.From, p.Text)
		}
	}
	v.Syntax = 0
}

// inCDATA reports whether a position of the file is in a CDATA section.
func (c *cda) inCDATA(at int) bool {
	k, found := slices.BinarySearchFunc(c.sections, at, func(section [2]int, at int) int { return cmp.Compare(section[0], at) })
	return found || k > 0 && at < c.sections[k-1][1]
}

// comment makes a note of a comment.
func (c *cda) comment(t xmlnotes.Token) {
	from, to := t.From+len("<!--"), t.To-len("-->")
	if c.dropped > 0 || !hasLetterOrDigit(c.file[from:to]) {
		return
	}
	v := &markup.View{Encode: func(text string) string { return strings.ReplaceAll(xmlnotes.Legal(text), "-", "\u2010") }}
	v.Verbatim(from, c.file[from:to])
	c.addNote(t.Line, v.Text.String(), v.Below)
}

func hasLetterOrDigit(text string) bool { return strings.ContainsFunc(text, markup.LetterOrDigit) }

// addNote adds a note.
func (c *cda) addNote(line int, text string, below func([]Edit) []Edit) *Note {
	n := &Note{Document: &data.Document{ID: c.nextID(), Text: text}, Line: line, Below: below}
	c.record.Notes = append(c.record.Notes, n)
	return n
}

func (c *cda) nextID() string {
	if n := len(c.record.Notes); n > 0 {
		return fmt.Sprintf("%s/%d", c.in.ID(), n+1)
	}
	return c.in.ID()
}

// end closes an element and does with its text what its rule says.
func (c *cda) end(t xmlnotes.Token) error {
	e := c.top()
	defer func() { c.open, c.path = c.open[:len(c.open)-1], c.path[:len(c.path)-1] }()
	if c.dropped > 0 {
		if c.dropped == len(c.open) {
			c.dropped = 0
			c.null(e, t.To)
			c.record.Count(field.Drop)
		}
		return nil
	}
	switch {
	case e.narrative:
		c.markup(t)
		return nil
	case e.section != nil:
		if n := e.section; hasLetterOrDigit(n.text.Text.String()) {
			v := &n.text
			c.addNote(n.line, v.Text.String(), func(edits []Edit) []Edit { return markup.SplitCDATAEnd(c.file, v.Below(edits), c.inCDATA) })
		}
	case e.start.Local == "name":
		c.learnName(e)
	}
	return c.text(e, t)
}

// null replaces an element by one without content.
func (c *cda) null(e *cdaElement, to int) {
	made := "<" + e.name
	for _, a := range e.attributes {
		if a.name == "type" || a.namespaceBound {
			made += " " + c.file[a.at:a.end]
		}
	}
	c.record.Fixed = append(c.record.Fixed, Edit{Start: e.start.From, End: to, New: made + ` nullFlavor="MSK"/>`})
}

// learnName adds a whole name to the known values.
func (c *cda) learnName(e *cdaElement) {
	kind := safetynet.Name
	switch e.whole {
	case field.Clinician:
		kind = safetynet.Clinician
	case field.Action(data.Person):
	default:
		return
	}
	if name := strings.Join(strings.Fields(strings.Join(e.parts, " ")), " "); name != "" {
		c.known = append(c.known, safetynet.Value{Kind: kind, Text: name})
	}
}

// text does with the text of an element what its rule says.
func (c *cda) text(e *cdaElement, end xmlnotes.Token) error {
	text := e.text.Text.String()
	if representation, mediaType := e.value("representation"), e.value("mediaType"); strings.EqualFold(representation, "B64") || mediaType != "" || e.attribute("compression") != nil {
		if strings.TrimSpace(text) != "" {
			return c.encapsulated(e, end, strings.EqualFold(representation, "B64"))
		}
	}
	if !hasLetterOrDigit(text) {
		return nil
	}
	action, ok := field.Text, false
	if c.options.Fields != nil {
		if action, ok = c.options.Fields.Action(c.path...); !ok {
			action = field.Text
		}
	} else if len(c.path) > 1 && c.path[1] != "component" {
		return nil
	}
	v := e.text
	below := func(edits []Edit) []Edit { return markup.SplitCDATAEnd(c.file, v.Below(edits), c.inCDATA) }
	switch {
	case c.options.Fields == nil || c.options.Fields.Own(c.path...): // no table, or a rule of one's own, which decides
	case !ok && c.isResult(text):
		action = field.Known
	case action == field.Text && c.namesPerson():
		action = field.Action(data.Person)
	}
	switch action {
	case field.Keep, field.Drop: // the latter has been removed by start
	case field.Hash:
		c.record.Fixed = append(c.record.Fixed, below([]Edit{{Start: 0, End: len(text), New: c.options.Pseudonym(strings.TrimSpace(text))}})...)
		c.record.Count(action)
	case field.Text:
		c.addNote(e.start.Line, text, below)
	case field.Known:
		c.addNote(e.start.Line, text, below).Field = field.Known
	default:
		return c.wholeText(e, action, text, below)
	}
	return nil
}

// personRoles are the classes of roles and the types of participations that only people have: policy holders, covered parties, agents, guarantors, contacts and others.
var personRoles = []string{
	"HLD", "COV", "POLHOLD", "COVPTY", "AGNT", "GUAR", "GUARD", "PAT", "PRS", "CIT", "NOK", "ECON", "CON", "CAREGIVER", "PROV", "EMP", "ASSIGNED", "STD",
}

// namesPerson reports whether the innermost element is the name of an entity that is a person.
func (c *cda) namesPerson() bool {
	n := len(c.open)
	if n < 4 || c.path[n-1] != "name" || c.path[n-2] != "playingEntity" {
		return false
	}
	entity, role, participant := c.open[n-2], c.open[n-3], c.open[n-4]
	return entity.value("classCode") == "PSN" || slices.Contains(personRoles, role.value("classCode")) || slices.Contains(personRoles, participant.value("typeCode"))
}

// isResult reports whether the text of the innermost element is a measured value or a range of them, of the type ST or of none. Models take a bare
// number for an identifier or a date.
func (c *cda) isResult(text string) bool {
	n := len(c.path)
	if n < 2 || c.path[n-1] != "value" && (c.path[n-1] != "text" || c.path[n-2] != "observationRange") {
		return false
	}
	if kind := c.open[n-1].value("type"); kind != "" && kind != "ST" && !strings.HasSuffix(kind, ":ST") {
		return false
	}
	return base.IsResult(text) && !slices.Contains(base.PersonalCodes, c.open[n-2].code)
}

// wholeText makes a note of an element whose text is a value of a sort.
func (c *cda) wholeText(e *cdaElement, action field.Action, text string, below func([]Edit) []Edit) error {
	value := strings.TrimSpace(text)
	at := strings.Index(text, value)
	note, ok := c.options.ValueNote(action, c.nextID(), "", text[:at], value)
	if !ok {
		c.addNote(e.start.Line, text, below)
		return nil
	}
	note.Line, note.Below = e.start.Line, below
	c.record.Notes = append(c.record.Notes, note)
	for i := len(c.open) - 1; i >= max(0, len(c.open)-2); i-- {
		if n := c.open[i]; n.start.Local == "name" {
			n.parts, n.whole = append(n.parts, value), action
		}
	}
	return nil
}

// encapsulated reads data in base64, or text of a declared type.
func (c *cda) encapsulated(e *cdaElement, end xmlnotes.Token, encoded bool) error {
	unexamined := func(reason string) error {
		if !c.options.Drop {
			return c.fail(e.start.Line, reason)
		}
		c.null(e, end.To)
		c.record.Dropped++
		return nil
	}
	text := e.text.Text.String()
	if e.nested || e.attribute("compression") != nil {
		return unexamined("data that is compressed or has elements, which cannot be examined")
	}
	mediaType := cmp.Or(e.value("mediaType"), "text/plain")
	if !encoded { // the charset is that of the document
		mediaType, _, _ = strings.Cut(mediaType, ";")
	}
	decode, err := attachment.Decoder(mediaType, c.options.Drop)
	if err != nil {
		return unexamined("data that is not text and cannot be examined")
	}
	blob := []byte(text)
	if encoded {
		if blob, err = attachment.DecodeBase64(text); err != nil {
			return unexamined("data that is not base64")
		}
	}
	a, err := decode(blob)
	if err != nil {
		return unexamined(err.Error())
	}
	if kind := markup.UnreadableText(a.Text, true); kind != "" {
		return unexamined("data that is " + kind + ", which cannot be examined")
	}
	v := e.text
	note := c.addNote(e.start.Line, a.Text, func(edits []Edit) []Edit {
		made := string(a.Encode(edits))
		if encoded {
			made = base64.StdEncoding.EncodeToString([]byte(made))
		}
		return v.Below([]Edit{{Start: 0, End: len(text), New: made}})
	})
	if !encoded {
		note.Below = func(edits []Edit) []Edit { return markup.SplitCDATAEnd(c.file, v.Below(a.Below(edits)), c.inCDATA) }
	}
	note.Known, note.Always = a.Known, a.Always
	c.record.Dropped += a.Dropped
	return nil
}

var (
	cdaNumber = regexp.MustCompile(`^[-+]?\d{1,12}(?:\.\d{1,8})?$`)
	cdaDate   = regexp.MustCompile(`^(?:1[89]|2[01])\d{2}$`)
	telecom   = regexp.MustCompile(`^(?:[a-z]+:)?`)
	plainURI  = regexp.MustCompile(`^[-\w.~:/?#@!$&'()*+,;=% ]+$`)
)

// attribute does with an attribute what its rule says.
func (c *cda) attribute(e *cdaElement, a *cdaAttribute) error {
	if a.namespaceBound || a.name == "xmlns" {
		if !markup.Only(a.value, ":/.-_#") {
			c.addAttribute(e, a)
		}
		return nil
	}
	if a.name == "extension" && len(c.path) > 2 && c.path[len(c.path)-2] == "patientRole" && a.value != "" {
		c.patient = cmp.Or(c.patient, a.value)
		c.known = append(c.known, safetynet.Value{Kind: safetynet.ID, Text: a.value})
	}
	if c.options.Fields == nil || !hasLetterOrDigit(a.value) || strings.HasPrefix(a.value, "#") && markup.Only(a.value, "#-_.:") {
		return nil
	}
	action, ok := c.options.Fields.Action(append(slices.Clip(c.path), "@"+a.name)...)
	if !ok {
		if action = field.Text; cdaNumber.MatchString(a.value) || a.value == "true" || a.value == "false" {
			action = field.Keep
		}
	}
	switch action {
	case field.Keep:
	case field.Drop:
		c.record.Fixed = append(c.record.Fixed, e.remove(a))
		c.record.Count(action)
	case field.Hash:
		c.hash(e, a)
	case field.Text:
		c.addAttribute(e, a)
	case field.Known:
		c.addAttribute(e, a).Field = field.Known
	default:
		c.whole(e, a, action)
	}
	return nil
}

// remove returns the edit that removes an attribute. An element that loses its value gets a nullFlavor.
func (e *cdaElement) remove(a *cdaAttribute) Edit {
	if e.nulled || a.name != "value" && a.name != "extension" && a.name != "root" {
		return Edit{Start: a.at, End: a.end}
	}
	e.nulled = true
	return Edit{Start: a.at, End: a.end, New: `nullFlavor="MSK"`}
}

// view returns the view of the value of an attribute.
func (c *cda) view(a *cdaAttribute) *markup.View {
	v := &markup.View{Encode: htmltext.EscapeAttribute}
	c.add(v, xmlnotes.Token{Kind: xmlnotes.Text, From: a.from, To: a.to})
	return v
}

func (c *cda) addAttribute(e *cdaElement, a *cdaAttribute) *Note {
	v := c.view(a)
	return c.addNote(e.start.Line, v.Text.String(), v.Below)
}

// hash replaces an identifier with a pseudonym. A root with an extension names its authority and stays.
func (c *cda) hash(e *cdaElement, a *cdaAttribute) {
	made := c.options.Pseudonym(a.value)
	switch {
	case a.name == "root" && e.attribute("extension") != nil && base.OID.MatchString(a.value):
		return
	case a.name == "root" && base.OID.MatchString(a.value):
		made = base.OIDOf(made)
	case base.UUID.MatchString(a.value):
		made = base.UUIDOf(made)
	}
	c.record.Fixed = append(c.record.Fixed, Edit{Start: a.from, End: a.to, New: htmltext.EscapeAttribute(made)})
	c.record.Count(field.Hash)
}

// whole makes a note of an attribute whose value is PHI of a sort.
func (c *cda) whole(e *cdaElement, a *cdaAttribute, action field.Action) {
	label, value, prefix := "", a.value, ""
	back := func(made string) (string, bool) { return made, strings.TrimSpace(made) != "" }
	switch {
	case action == field.Action(data.Date) || action == field.Shift:
		if e.value("unit") == "a" && cdaNumber.MatchString(value) { // an age
			action, back = field.Action(data.Age), func(made string) (string, bool) { return made, cdaNumber.MatchString(made) }
			break
		}
		date, inForm, ok := base.MachineDate(value)
		switch {
		case e.attribute("unit") == nil && ok:
			value, back = date, inForm
		case e.attribute("unit") == nil && cdaDate.MatchString(value):
			back = func(made string) (string, bool) { return made, cdaDate.MatchString(made) }
		case !cdaNumber.MatchString(value):
			c.addAttribute(e, a)
			return
		default:
			return
		}
		if strings.HasSuffix(e.start.Local, "irthTime") {
			label = "Date of birth: "
		}
	case a.name == "value":
		prefix = telecom.FindString(value)
		value = value[len(prefix):]
		switch prefix {
		case "mailto:":
			action = field.Action(data.Email)
		case "http:", "https:", "ftp:", "file:":
			action, prefix, value = field.Action(data.URL), "", a.value
		}
		back = func(made string) (string, bool) { return prefix + made, plainURI.MatchString(made) }
	}
	note, ok := c.options.ValueNote(action, c.nextID(), "", label, value)
	if !ok {
		c.addAttribute(e, a)
		return
	}
	gone := e.remove(a)
	note.Line, note.Below = e.start.Line, func(edits []Edit) []Edit {
		if made, ok := back(note.NewValue(edits)); ok {
			return []Edit{{Start: a.from, End: a.to, New: htmltext.EscapeAttribute(made)}}
		}
		return []Edit{gone}
	}
	c.record.Notes = append(c.record.Notes, note)
}
