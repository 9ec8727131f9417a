package carrier

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/net"
)

// readHL7 reads messages of HL7 v2, each from its MSH segment to the next, segments
// ended by CR, LF or both; batch headers and trailers, and the bytes that frame a message
// on the wire (MLLP), stay. Notes are OBX-5 of the types TX, FT, ST and, where
// OBX-2 is empty, any; ED that says it is text; and NTE-3. Those that follow one
// another, until a segment of another kind (OBR, say), are lines of one note: of one
// report. So are the repetitions of a field. All else stays: PID and others are read for what
// is known of the patient, and not changed.
//
// A message with ED that is no text, such as a PDF, cannot be examined, and is refused; so
// is one with a line that is no segment, as a line end within a text makes it.
//
// The note's ID is MSH-10, and from the second note on its number; the patient is
// the first of PID-3.
func readHL7(in *source, _ Options) Records {
	return func(yield func(*Record, error) bool) {
		var message []byte
		line, offset, number := 1, 0, 0
		flush := func() bool {
			if len(message) == 0 {
				return true
			}
			raw := message
			message = nil
			record := &Record{Raw: raw, Line: line}
			err := in.checkUTF8(raw, line, offset)
			if start := bytes.Index(raw, []byte("MSH")); err == nil && start >= 0 && len(trimFrame(raw[:start])) == 0 {
				number++
				record, err = hl7Record(in, raw, start, line, number)
			}
			if err != nil {
				record = nil
			}
			return yield(record, err)
		}
		first := true
		for {
			segment, at, end := in.readSegment()
			if end != nil && end != io.EOF {
				yield(nil, &Broken{end})
				return
			}
			name := trimFrame(segment)
			header := bytes.HasPrefix(name, []byte("MSH"))
			batch := len(name) >= 3 && bytes.Contains([]byte("FHS BHS BTS FTS"), name[:3])
			if first && len(name) > 0 {
				if first = false; !header && !batch {
					yield(nil, &Broken{in.defect(at.line, at.offset, "no HL7: the first segment is not MSH")})
					return
				}
			}
			if header || batch {
				if !flush() {
					return
				}
				line, offset = at.line, at.offset
			}
			message = append(message, segment...)
			if len(message) > maxRecord {
				yield(nil, &Broken{in.tooLong(line)})
				return
			}
			if batch && !flush() || end == io.EOF && !flush() {
				return
			}
			if end == io.EOF {
				return
			}
		}
	}
}

// trimFrame takes off what may stand before a segment.
func trimFrame(segment []byte) []byte {
	return bytes.TrimLeft(bytes.TrimPrefix(segment, []byte(utf8BOM)), "\x0b\x1c\r\n \t")
}

// place is where something begins in a file.
type place struct{ line, offset int }

// readSegment reads up to CR, LF or CR LF. A lone CR counts as a line, as editors show
// it.
func (s *source) readSegment() ([]byte, place, error) {
	at := place{s.line, s.offset}
	var segment []byte
	for {
		c, err := s.in.ReadByte()
		if err != nil {
			s.offset += len(segment)
			if err != io.EOF {
				err = s.unreadable(err)
			}
			return segment, at, err
		}
		segment = append(segment, c)
		if len(segment) > maxRecord {
			return nil, at, s.tooLong(s.line)
		}
		if c == '\r' {
			if next, _ := s.in.Peek(1); len(next) == 1 && next[0] == '\n' {
				_, _ = s.in.ReadByte() // it is there
				segment = append(segment, '\n')
			}
		}
		if c == '\r' || c == '\n' {
			s.line++
			s.offset += len(segment)
			return segment, at, nil
		}
	}
}

// hl7 reads one message.
type hl7 struct {
	in                  *source
	raw                 []byte
	line                int    // of the segment
	id                  string // MSH-10
	patient             string // PID-3
	field               byte   // the separators: of fields,
	comp, rep, esc, sub byte   // and of what MSH-2 says; 0: none
	known               []net.Value
	notes               []*Note
	view                *view // of the note that goes on; nil between notes
	started             int   // its line
}

func hl7Record(in *source, raw []byte, start, line, number int) (*Record, error) {
	h := &hl7{in: in, raw: raw, line: line}
	if len(raw) < start+8 {
		return nil, in.defect(line, -1, "an MSH segment that is cut off")
	}
	h.field = raw[start+3]
	marks := raw[start+4:]
	if n := bytes.IndexByte(marks, h.field); n >= 0 && n < 6 {
		marks = marks[:n]
	} else {
		return nil, in.defect(line, -1, "an MSH segment without its separators")
	}
	for i, p := range []*byte{&h.comp, &h.rep, &h.esc, &h.sub} {
		if i < len(marks) {
			*p = marks[i]
		}
	}
	h.id = fmt.Sprintf("%s-%04d", in.id(), number)
	for at := start; at < len(raw); {
		end := at
		for end < len(raw) && raw[end] != '\r' && raw[end] != '\n' {
			end++
		}
		next := end
		if next < len(raw) {
			next++
			if raw[end] == '\r' && next < len(raw) && raw[next] == '\n' {
				next++
			}
		}
		if err := h.segment(at, end); err != nil {
			return nil, err
		}
		h.line++
		at = next
	}
	h.finish()
	for _, n := range h.notes {
		n.Patient, n.Known = h.patient, h.known
	}
	return &Record{Raw: raw, Line: line, Notes: h.notes}, nil
}

// segment reads raw[from:to].
func (h *hl7) segment(from, to int) error {
	body := h.raw[from:to]
	if len(trimFrame(body)) == 0 {
		return nil
	}
	if len(body) < 3 || !isSegment(body[:3]) || len(body) > 3 && body[3] != h.field {
		return h.in.defect(h.line, -1, "no segment, so the message cannot be examined")
	}
	var fields [][2]int // where each begins and ends; the first is the name
	at := from
	for at <= to {
		n := bytes.IndexByte(h.raw[at:to], h.field)
		if n < 0 {
			n = to - at
		}
		fields = append(fields, [2]int{at, at + n})
		at += n + 1
	}
	get := func(i int) string {
		if i >= len(fields) {
			return ""
		}
		return string(h.raw[fields[i][0]:fields[i][1]])
	}
	name := get(0)
	if name != "OBX" && name != "NTE" {
		h.finish()
	}
	switch name {
	case "MSH":
		h.id = cmp.Or(strings.TrimSpace(get(9)), h.id) // MSH-1 is the separator itself
	case "PID":
		h.patient = h.component(h.repeats(get(3))[0], 0)
		h.learn(net.ID, get(2), 0)
		h.learn(net.ID, get(3), 0)
		h.learn(net.ID, get(4), 0)
		h.name(get(5))
		h.name(get(6))
		h.name(get(9))
		h.address(get(11))
		h.learn(net.Phone, get(13), 0)
		h.learn(net.Phone, get(14), 0)
		h.learn(net.Email, get(13), 3)
		h.learn(net.ID, get(18), 0)
		h.learn(net.ID, get(19), 0)
		h.learn(net.ID, get(20), 0)
	case "NK1":
		h.name(get(2))
		h.address(get(4))
		h.learn(net.Phone, get(5), 0)
	case "PV1":
		for _, i := range []int{7, 8, 9, 17} { // attending, referring, consulting, admitting
			h.clinician(get(i))
		}
		h.learn(net.ID, get(19), 0)
	case "OBR":
		h.clinician(get(16))
		h.clinician(get(32))
	case "NTE":
		if len(fields) > 3 {
			h.text(fields[3][0], fields[3][1])
		}
	case "OBX":
		h.clinician(get(16))
		if len(fields) > 5 {
			return h.observation(get(2), fields[5][0], fields[5][1])
		}
	}
	return nil
}

func isSegment(name []byte) bool {
	for i, c := range name {
		if (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return true
}

func (h *hl7) repeats(field string) []string {
	if h.rep == 0 {
		return []string{field}
	}
	return strings.Split(field, string(rune(h.rep)))
}

// component is the i-th of a value, without its subcomponents but the first, and
// without escapes.
func (h *hl7) component(value string, i int) string {
	parts := []string{value}
	if h.comp != 0 {
		parts = strings.Split(value, string(rune(h.comp)))
	}
	if i >= len(parts) {
		return ""
	}
	part := parts[i]
	if h.sub != 0 {
		part, _, _ = strings.Cut(part, string(rune(h.sub)))
	}
	v := &view{}
	h.unescape(v, 0, part)
	return strings.TrimSpace(v.text.String())
}

func (h *hl7) know(kind net.Kind, text string) {
	if text != "" && text != `""` { // HL7's empty value
		h.known = append(h.known, net.Value{Kind: kind, Text: text})
	}
}

// learn keeps a component of each repetition.
func (h *hl7) learn(kind net.Kind, field string, i int) {
	for _, value := range h.repeats(field) {
		h.know(kind, h.component(value, i))
	}
}

// name keeps names of persons: family, given, and others given.
func (h *hl7) name(field string) { h.person(net.Name, field, 0) }

// clinician keeps names after an identifier.
func (h *hl7) clinician(field string) { h.person(net.Clinician, field, 1) }

func (h *hl7) person(kind net.Kind, field string, first int) {
	for _, value := range h.repeats(field) {
		parts := []string{h.component(value, first+1), h.component(value, first+2), h.component(value, first)}
		h.know(kind, strings.Join(strings.Fields(strings.Join(parts, " ")), " "))
	}
}

func (h *hl7) address(field string) {
	h.learn(net.Street, field, 0)
	h.learn(net.Street, field, 1)
	h.learn(net.City, field, 2)
	h.learn(net.ZIP, field, 4)
}

// observation reads OBX-5 at raw[from:to].
func (h *hl7) observation(kind string, from, to int) error {
	switch kind {
	case "TX", "FT", "ST", "":
		h.text(from, to)
	case "ED":
		return h.encapsulated(from, to)
	}
	return nil
}

// text adds a field to the note that goes on.
func (h *hl7) text(from, to int) {
	if h.view == nil {
		h.view, h.started = &view{encode: h.escape}, h.line
	} else {
		last := h.view.runs[len(h.view.runs)-1]
		h.view.stands(markup, last.from+last.m, from-last.from-last.m, "\n")
	}
	before := len(h.view.runs)
	for at := from; at < to; {
		n := -1
		if h.rep != 0 {
			n = bytes.IndexByte(h.raw[at:to], h.rep)
		}
		if n < 0 {
			n = to - at
		}
		h.unescape(h.view, at, string(h.raw[at:at+n]))
		if at += n; at < to {
			h.view.stands(markup, at, 1, "\n")
			at++
		}
	}
	if len(h.view.runs) == before && before == 0 {
		h.view = nil // nothing yet
	}
}

// finish ends a note.
func (h *hl7) finish() {
	if h.view == nil {
		return
	}
	h.add(h.view.text.String(), h.started, h.view.below)
	h.view = nil
}

func (h *hl7) add(text string, line int, below func([]Edit) []Edit) {
	doc := &data.Document{ID: h.id, Text: text}
	if n := len(h.notes); n > 0 {
		doc.ID = fmt.Sprintf("%s/%d", h.id, n+1)
	}
	h.notes = append(h.notes, &Note{Document: doc, Line: line, below: below})
}

// encapsulated reads a value source^type^subtype^encoding^data.
func (h *hl7) encapsulated(from, to int) error {
	var parts [][2]int
	at := from
	for at <= to {
		n := -1
		if h.comp != 0 {
			n = bytes.IndexByte(h.raw[at:to], h.comp)
		}
		if n < 0 {
			n = to - at
		}
		parts = append(parts, [2]int{at, at + n})
		at += n + 1
	}
	get := func(i int) string { return string(h.raw[parts[i][0]:parts[i][1]]) }
	if len(parts) < 5 || get(4) == "" {
		return nil
	}
	kind, subtype := strings.ToUpper(get(1)), strings.ToUpper(get(2))
	if len(parts) > 5 || kind != "TEXT" && kind != "TX" && kind != "FT" || strings.Contains(subtype, "RTF") || strings.Contains(subtype, "PDF") {
		return h.in.defect(h.line, -1, "OBX-5 of type ED that is no text, and cannot be examined")
	}
	start, end := parts[4][0], parts[4][1]
	switch strings.ToUpper(get(3)) {
	case "A", "":
		h.text(start, end)
		return nil
	case "BASE64":
		blob, err := base64.StdEncoding.DecodeString(get(4))
		if err != nil || !utf8.Valid(blob) {
			return h.in.defect(h.line, -1, "OBX-5 of type ED that is not UTF-8 in base64")
		}
		h.finish()
		h.add(string(blob), h.line, func(edits []Edit) []Edit {
			return []Edit{{Start: start, End: end, New: base64.StdEncoding.EncodeToString([]byte(apply(string(blob), edits)))}}
		})
		return nil
	}
	return h.in.defect(h.line, -1, "OBX-5 of type ED in an encoding other than A and Base64")
}

// unescape adds text of a field, at raw[at:], to a view. What HL7 says of fonts and
// indents does not show.
func (h *hl7) unescape(v *view, at int, text string) {
	for text != "" {
		n := -1
		if h.esc != 0 {
			n = strings.IndexByte(text, h.esc)
		}
		if n < 0 {
			v.verbatim(at, text)
			return
		}
		v.verbatim(at, text[:n])
		at, text = at+n, text[n:]
		m := strings.IndexByte(text[1:], h.esc)
		if m < 0 || m > 64 {
			v.verbatim(at, text[:1])
			at, text = at+1, text[1:]
			continue
		}
		m += 2 // with both ends
		code := text[1 : m-1]
		kind, s := escape, ""
		switch {
		case code == "F":
			s = string(rune(h.field))
		case code == "S" && h.comp != 0:
			s = string(rune(h.comp))
		case code == "T" && h.sub != 0:
			s = string(rune(h.sub))
		case code == "R" && h.rep != 0:
			s = string(rune(h.rep))
		case code == "E":
			s = string(rune(h.esc))
		case code == ".br", code == ".ce", strings.HasPrefix(code, ".sp"):
			kind, s = markup, "\n"
		case strings.HasPrefix(code, ".sk"):
			kind, s = markup, " "
		case code == "H", code == "N", strings.HasPrefix(code, ".in"), strings.HasPrefix(code, ".ti"), code == ".fi", code == ".nf":
			kind = markup
		case strings.HasPrefix(code, "X"):
			if raw, err := hex.DecodeString(code[1:]); err == nil && utf8.Valid(raw) {
				s = string(raw)
			}
		}
		switch {
		case s != "" || kind == markup:
			v.stands(kind, at, m, s)
		default: // not known: text as it stands
			v.verbatim(at, text[:m])
		}
		at, text = at+m, text[m:]
	}
}

// escape writes text in a field.
func (h *hl7) escape(text string) string {
	if h.esc == 0 {
		return strings.Map(func(r rune) rune {
			switch byte(min(r, 0xff)) {
			case h.field, h.comp, h.rep, h.sub, '\r', '\n':
				return ' '
			}
			return r
		}, text)
	}
	e := string(rune(h.esc))
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == rune(h.field):
			b.WriteString(e + "F" + e)
		case h.comp != 0 && r == rune(h.comp):
			b.WriteString(e + "S" + e)
		case h.sub != 0 && r == rune(h.sub):
			b.WriteString(e + "T" + e)
		case h.rep != 0 && r == rune(h.rep):
			b.WriteString(e + "R" + e)
		case r == rune(h.esc):
			b.WriteString(e + "E" + e)
		case r == '\n':
			b.WriteString(e + ".br" + e)
		case r == '\r':
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
