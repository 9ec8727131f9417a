// Package hl7 reads messages of HL7 version 2.
package hl7

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/field"
	"github.com/lethe-deid/lethe/deid/notefile/internal/attachment"
	"github.com/lethe-deid/lethe/deid/notefile/internal/base"
	"github.com/lethe-deid/lethe/deid/notefile/internal/markup"
	"github.com/lethe-deid/lethe/deid/notefile/internal/rtf"
	"github.com/lethe-deid/lethe/deid/safetynet"
)

// Read reads messages of HL7 v2, each from its MSH segment to the next. Segments end in CR, LF
// or both. Batch headers and trailers, and the bytes that frame a message on the wire (MLLP), stay
// the same.
//
// Notes are NTE-3 and OBX-5, including the texts of coded values (CE, CWE), but not values that are
// known not to be text: numbers, dates and times in the form of their type, and codes. Consecutive
// ones are lines of the same note, that is, of the same report, until a segment of another kind such
// as OBR. The repetitions of a field are also lines of the same note.
//
// All other fields are values, terms or texts, or change without being notes, as Options.Fields says
// (see segmentFields). Without it, they stay the same: PID and others are only read for known values of the patient.
//
// A message is refused if it cannot be examined:
//
//   - it contains ED that is not text, such as a PDF; with Options.Drop, this OBX-5 is emptied instead
//   - a line is not a segment, as after a line end within a text
//   - segments are not separated by CR or LF
//
// Anything between or after messages that is not a batch header or trailer is also refused.
//
// The ID of a note is MSH-10 and, from the second note on, its number. The patient is the first
// value of PID-3, also for what precedes PID. A message with several PID segments has several patients. Without PID-3, a
// patient is unknown, and the same only within the message.
func Read(in *base.Source, o base.Options) base.Records {
	return func(yield func(*base.Record, error) bool) {
		var message []byte
		var heading segmentType // type of the first segment of the message
		var b batches
		line, offset, number := 1, 0, 0
		types := newTypeRules(o)
		var sent tallies
		flush := func() bool {
			if len(message) == 0 {
				return true
			}
			raw := message
			message = nil
			record := &base.Record{Raw: raw, Line: line, Frame: heading == batchSegment}
			err := in.CheckUTF8(raw, line, offset)
			start := len(raw) - len(trimFrame(raw))
			switch {
			case err != nil:
			case heading == messageSegment:
				number++
				record, err = readMessage(in, o, types, raw, start, line, number)
			case heading == batchSegment && len(raw)-start > 3:
				if record, err = readBatch(in, o, types, raw, start, line); err == nil {
					record.Frame = true
				}
			case start < len(raw) && heading != batchSegment:
				err = in.Defect(line+bytes.Count(raw[:start], []byte("\n")), -1, "a segment outside of a message, or a line that is not a segment")
			}
			if err == nil {
				err = in.CheckTexts(record, true)
			}
			if err != nil {
				record = nil
			}
			sent.follow(record, heading, raw[start:])
			return yield(record, err)
		}
		first := true
		for {
			segment, at, end := readSegment(in)
			if end != nil && end != io.EOF {
				yield(nil, &base.Broken{Err: end})
				return
			}
			body := trimFrame(segment)
			kind := b.kind(body)
			if first && len(body) > 0 {
				if first = false; kind == otherSegment {
					yield(nil, &base.Broken{Err: in.Defect(at.Line, at.Offset, "not HL7: the first segment is not MSH")})
					return
				}
			}
			if kind != otherSegment {
				if !flush() {
					return
				}
				line, offset, heading = at.Line, at.Offset, kind
			} else if len(message) == 0 {
				line, offset, heading = at.Line, at.Offset, kind
			}
			message = append(message, segment...)
			if len(message) > base.MaxRecord {
				yield(nil, &base.Broken{Err: in.TooLong(line)})
				return
			}
			if kind == batchSegment && !flush() || end == io.EOF && !flush() {
				return
			}
			if end == io.EOF {
				return
			}
		}
	}
}

// tally counts what a batch or a file of batches contains, in the input and in what is written.
type tally struct{ messages, messagesWritten, batches, batchesWritten int }

// tallies are those of the current batch and file.
type tallies struct{ batch, file *tally }

// follow counts a message or the header or trailer of a batch, which is nil if it cannot be read. A trailer is written with the number of the
// messages, or of the batches, that are written before it, because some may be left out.
func (t *tallies) follow(record *base.Record, heading segmentType, body []byte) {
	name := ""
	if heading == batchSegment && len(body) >= 3 {
		name = string(body[:3])
	}
	if t.file == nil || name == "FHS" {
		t.file, t.batch = &tally{}, &tally{}
	} else if name == "BHS" {
		t.batch = &tally{}
	}
	batch, file, read, written := t.batch, t.file, *t.file, false
	finish := func(raw []byte) []byte { return raw }
	switch {
	case heading == messageSegment:
		batch.messages++
		file.messages++
		finish = func(raw []byte) []byte {
			if !written {
				written = true
				batch.messagesWritten++
				file.messagesWritten++
			}
			return raw
		}
	case name == "BHS":
		file.batches++
		finish = func(raw []byte) []byte {
			if !written {
				written = true
				file.batchesWritten++
			}
			return raw
		}
	case name == "BTS":
		left := batch.messages
		finish = func(raw []byte) []byte {
			if batch.messagesWritten == left {
				return raw
			}
			return withCount(raw, batch.messagesWritten)
		}
		t.batch = &tally{}
	case name == "FTS":
		finish = func(raw []byte) []byte {
			switch count := countOf(raw); {
			case count == read.batches && read.batches > 0 && file.batchesWritten < read.batches:
				return withCount(raw, file.batchesWritten)
			case count == read.messages && count != read.batches && file.messagesWritten < read.messages:
				return withCount(raw, file.messagesWritten)
			}
			return raw
		}
		t.file, t.batch = &tally{}, &tally{}
	}
	if record != nil {
		record.Finish = finish
	}
}

// counted matches the beginning of a trailer with a number in its first field.
var counted = regexp.MustCompile(`^[\s\x0b\x1c\x{feff}]*[BF]TS[^\w\s] *(\d{1,9}) *(?:[^\w ]|$)`)

// countOf returns the number in the first field of a trailer, or -1.
func countOf(raw []byte) int {
	if m := counted.FindSubmatch(raw); m != nil {
		n, _ := strconv.Atoi(string(m[1]))
		return n
	}
	return -1
}

// withCount returns a trailer with another number in its first field, if it has one.
func withCount(raw []byte, n int) []byte {
	m := counted.FindSubmatchIndex(raw)
	if m == nil {
		return raw
	}
	return slices.Concat(raw[:m[2]], []byte(strconv.Itoa(n)), raw[m[3]:])
}

// readBatch reads a header or trailer of a batch.
func readBatch(in *base.Source, o base.Options, types *field.Table, raw []byte, start, line int) (*base.Record, error) {
	h := newMessage(in, o, types, raw, line)
	end := len(bytes.TrimRight(raw, "\r\n\x1c"))
	sep, marks, _ := separators(raw[start:end])
	if raw[start+1] != 'H' { // a trailer
		sep, marks = raw[start+3], []byte(`^~\&`)
	}
	h.separate(sep, marks)
	fields := h.fields(start, end)
	if h.holdsSegment(fields) {
		return nil, in.Defect(line, -1, "a segment within a batch header or trailer, as caused by line ends other than CR and LF")
	}
	name := string(raw[start : start+3])
	h.id = fmt.Sprintf("%s-%s-%d", in.ID(), name, line)
	if err := h.segmentFields(name, fields, nil); err != nil {
		return nil, err
	}
	return h.record(line), nil
}

type segmentType int

const (
	otherSegment   segmentType = iota // a segment within a message, or a line that is not a segment
	messageSegment                    // begins a message
	batchSegment                      // begins or ends a batch or a file of batches
)

// batches contains the batch headers of a file so far.
type batches struct {
	inFile, inBatch bool // a trailer of the file, or of a batch, is allowed here
	file, batch     byte // the field separators of FHS and BHS; 0: none
	message         byte // the field separator of the last MSH
}

// kind returns the type of a line. A header of a batch declares its separators, as MSH does. A
// trailer has the separators of its header, or of the messages before it, and its first field is a
// number. Any other line that begins with such a name is text.
func (b *batches) kind(body []byte) segmentType {
	if len(body) == 0 || strings.IndexByte("MFB", body[0]) < 0 {
		return otherSegment
	}
	body = bytes.TrimRight(body, "\r\n\x1c")
	if len(body) < 3 {
		return otherSegment
	}
	switch name := string(body[:3]); name {
	case "MSH":
		if len(body) > 3 && !isSeparator(body[3]) {
			return otherSegment
		}
		b.inFile, b.inBatch = true, true
		if b.message = 0; len(body) > 3 {
			b.message = body[3]
		}
		return messageSegment
	case "FHS", "BHS":
		field, marks, reason := separators(body)
		if reason != "" || len(marks) == 0 {
			return otherSegment
		}
		if name == "FHS" {
			b.inFile, b.inBatch, b.file, b.batch = true, false, field, 0
		} else {
			b.inFile, b.inBatch, b.batch = true, true, field
		}
		return batchSegment
	case "BTS":
		if b.inBatch && isTrailer(body, cmp.Or(b.batch, b.message)) {
			b.inBatch, b.batch = false, 0
			return batchSegment
		}
	case "FTS":
		if b.inFile && isTrailer(body, cmp.Or(b.file, b.batch, b.message)) {
			*b = batches{message: b.message}
			return batchSegment
		}
	}
	return otherSegment
}

// isTrailer reports whether a segment has this field separator and a number of messages or batches
// in its first field.
func isTrailer(body []byte, field byte) bool {
	if len(body) == 3 {
		return true
	}
	count, _, _ := bytes.Cut(body[4:], []byte{field})
	return body[3] == field && len(bytes.Trim(count, " 0123456789")) == 0
}

// separators returns the separators that MSH, FHS or BHS declares: the field separator, and the
// others. reason says why they are invalid, or is "".
func separators(body []byte) (field byte, marks []byte, reason string) {
	if len(body) < 4 {
		return 0, nil, "without its separators"
	}
	field, marks = body[3], body[4:]
	if n := bytes.IndexByte(marks, field); n >= 0 {
		marks = marks[:n]
	}
	if len(marks) > 5 {
		return field, marks, "without its separators"
	}
	for i, c := range body[3 : 4+len(marks)] {
		if !isSeparator(c) || bytes.IndexByte(body[3:3+i], c) >= 0 {
			return field, marks, "whose separators are letters, digits or blanks, or not distinct"
		}
	}
	return field, marks, ""
}

// isSeparator reports whether a byte may be a separator. Letters, digits and blanks may not,
// because they occur in fields.
func isSeparator(c byte) bool { return c > ' ' && c < 0x7f && !markup.IsAlphanumeric(c) }

// trimFrame removes the bytes that may precede a segment.
func trimFrame(segment []byte) []byte {
	return bytes.TrimLeft(bytes.TrimPrefix(segment, []byte(markup.BOM)), "\x0b\x1c\r\n \t")
}

// readSegment reads up to CR, LF or CR LF. A lone CR counts as a line end, as in editors.
func readSegment(s *base.Source) ([]byte, base.Place, error) {
	at := base.Place{Line: s.Line, Offset: s.Offset}
	var segment []byte
	for {
		c, err := s.In.ReadByte()
		if err != nil {
			s.Offset += len(segment)
			if err != io.EOF {
				err = s.Unreadable(err)
			}
			return segment, at, err
		}
		segment = append(segment, c)
		if len(segment) > base.MaxRecord {
			return nil, at, s.TooLong(s.Line)
		}
		if c == '\r' {
			if next, _ := s.In.Peek(1); len(next) == 1 && next[0] == '\n' {
				_, _ = s.In.ReadByte() // Peek has seen it
				segment = append(segment, '\n')
			}
		}
		if c == '\r' || c == '\n' {
			s.Line++
			s.Offset += len(segment)
			return segment, at, nil
		}
	}
}

// message reads one message.
type message struct {
	in                  *base.Source
	raw                 []byte
	line                int    // of the segment
	id                  string // MSH-10
	hasOwnID            bool   // MSH-10 is not empty
	field               byte   // the separators: of fields,
	comp, rep, esc, sub byte   // and those of MSH-2; 0: none
	cut                 byte   // the truncation character, from version 2.7 on
	people              []*person
	person              *person  // the last one
	pids, notes         int      // number of PID segments and of texts
	open                openText // the current note
	openCode            string   // OBX-3.1 of the last text in it
	loose               []looseEscape
	fieldRules          *fieldRules   // nil if there are no rules
	drop                bool          // see Options.Drop
	dropped             []markup.Edit // the edits that empty the fields that are dropped
	partsGone           int           // number of parts that are dropped within a field
}

// person is what belongs to a PID segment: everything up to the next one, and what precedes the first.
type person struct {
	id     string // PID-3
	known  []safetynet.Value
	notes  []*base.Note
	values []*base.Note // fields
	terms  openText     // codes and displays
}

// openText is a text to which fields are added.
type openText struct {
	view  *markup.View // nil before the first field
	line  int          // of its start
	loose []looseEscape
}

// newMessage returns a reader of the message raw.
func newMessage(in *base.Source, o base.Options, types *field.Table, raw []byte, line int) *message {
	h := &message{in: in, raw: raw, line: line, person: &person{}, drop: o.Drop}
	h.people = []*person{h.person}
	if o.Fields != nil {
		h.fieldRules = &fieldRules{
			options: o, types: types, seen: map[string]int{}, counts: map[field.Action]int{}, hashed: map[string]bool{},
		}
	}
	return h
}

func readMessage(in *base.Source, o base.Options, types *field.Table, raw []byte, start, line, number int) (*base.Record, error) {
	h := newMessage(in, o, types, raw, line)
	if len(raw) < start+8 {
		return nil, in.Defect(line, -1, "an MSH segment that is cut off")
	}
	sep, marks, reason := separators(raw[start:])
	if start+4+len(marks) == len(raw) || bytes.ContainsAny(marks, "\r\n") {
		reason = "without its separators" // MSH must continue after them
	}
	if reason != "" {
		return nil, in.Defect(line, -1, "an MSH segment "+reason)
	}
	h.separate(sep, marks)
	if h.esc == 0 && bytes.Contains(raw, []byte(`\X`)) {
		return nil, in.Defect(line, -1, "an MSH segment without an escape character, in a message with escapes")
	}
	h.id = fmt.Sprintf("%s-%04d", in.ID(), number)
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
	return h.record(line), nil
}

// separate sets the separators.
func (h *message) separate(sep byte, marks []byte) {
	h.field = sep
	for i, p := range []*byte{&h.comp, &h.rep, &h.esc, &h.sub, &h.cut} {
		if i < len(marks) {
			*p = marks[i]
		}
	}
}

// record returns the record after the last segment.
func (h *message) record(line int) *base.Record {
	h.finish()
	record := &base.Record{Raw: h.raw, Line: line, Dropped: len(h.dropped) + h.partsGone, Fixed: h.dropped}
	for i, p := range h.people {
		h.closeText(p, &p.terms, fmt.Sprintf("#terms[%d]", i+1), field.Known)
		for _, n := range p.values {
			n.ID = h.id + n.ID
		}
		all := slices.Concat(p.notes, p.values)
		for _, n := range all {
			n.Patient, n.Known, n.Resource = p.id, p.known, unnamed(h.id, i)
		}
		record.Notes = append(record.Notes, all...)
	}
	if h.fieldRules != nil {
		h.finishFields(record)
	}
	return record
}

// unnamed returns the name of what a message says about one of its patients, who is nobody else's patient if PID-3 is empty.
func unnamed(message string, i int) string {
	if i == 0 {
		return "message " + message
	}
	return fmt.Sprintf("message %s, patient %d", message, i+1)
}

// segment reads raw[from:to].
func (h *message) segment(from, to int) error {
	body := h.raw[from:to]
	if len(trimFrame(body)) == 0 {
		return nil
	}
	if len(body) < 3 || !isSegment(string(body[:3])) || len(body) > 3 && body[3] != h.field || len(body) == 3 && body[0] == 'Z' {
		return h.in.Defect(h.line, -1, "a line that is not a segment, so the message cannot be examined")
	}
	fields := h.fields(from, to)
	get := func(i int) string {
		if i >= len(fields) {
			return ""
		}
		return string(h.raw[fields[i][0]:fields[i][1]])
	}
	if h.holdsSegment(fields) {
		return h.in.Defect(h.line, -1, "a segment within another, as caused by line ends other than CR and LF, so the message cannot be examined")
	}
	name := get(0)
	if name != "OBX" && name != "NTE" {
		h.finish()
	}
	switch name {
	case "MSH":
		if id := strings.TrimSpace(get(9)); id != "" { // MSH-1 is the separator itself
			h.id, h.hasOwnID = id, true
		}
	case "PID":
		h.nextPerson()
		h.person.id = h.component(h.repeats(get(3))[0], 0)
		h.learn(safetynet.ID, get(2), 0)
		h.learn(safetynet.ID, get(3), 0)
		h.learn(safetynet.ID, get(4), 0)
		h.name(get(5))
		h.name(get(6))
		h.name(get(9))
		h.address(get(11))
		h.learn(safetynet.Phone, get(13), 0)
		h.learn(safetynet.Phone, get(14), 0)
		h.learn(safetynet.Email, get(13), 3)
		h.learn(safetynet.ID, get(18), 0)
		h.learn(safetynet.ID, get(19), 0)
		h.learn(safetynet.ID, get(20), 0)
	case "NK1":
		h.name(get(2))
		h.address(get(4))
		h.learn(safetynet.Phone, get(5), 0)
	case "PV1":
		for _, i := range []int{7, 8, 9, 17} { // attending, referring, consulting, admitting
			h.clinician(get(i))
		}
		h.learn(safetynet.ID, get(19), 0)
	case "OBR":
		h.clinician(get(16))
		h.clinician(get(32))
	case "OBX":
		h.clinician(get(16))
	}
	return h.segmentFields(name, fields, func(from, to int) error {
		if name == "OBX" {
			return h.observation(get(2), h.component(get(3), 0), from, to)
		}
		if !h.noteRule(from, to) {
			h.text(from, to)
		}
		return nil
	})
}

// nextPerson begins another patient, unless this is the first one.
func (h *message) nextPerson() {
	if h.pids++; h.pids > 1 {
		h.person = &person{}
		h.people = append(h.people, h.person)
	}
}

// fields returns the start and end of each field of the segment raw[from:to]; the first is its
// name.
func (h *message) fields(from, to int) [][2]int {
	var fields [][2]int
	for at := from; at <= to; {
		n := h.next(at, to, h.field)
		fields = append(fields, [2]int{at, n})
		at = n + 1
	}
	return fields
}

// segments are the segments that HL7 defines up to version 2.9, except continuations (ADD, DSC) and
// batch headers and trailers. Names of other segments begin with Z.
var segments = markup.Words(`ABS ACC ADJ AFF AIG AIL AIP AIS AL1 APR ARQ ARV AUT BLC BLG BPO BPX BTX BUI CDM CDO CER CM0 CM1 CM2 CNS CON CSP CSR CSS CTD CTI CTR
	DB1 DEV DG1 DMI DON DPS DRG DSP DST ECD ECR ED EDU EQL EQP EQU ERQ ERR EVN FAC FT1 GOL GP1 GP2 GT1 HXX IAM IAR IIM ILT IN1 IN2 IN3 INV IPC IPR
	ISD ITM IVC IVT LAN LCC LCH LDP LOC LRL MCP MFA MFE MFI MRG MSA MSH NCK NDS NK1 NPU NSC NST NTE OBR OBX ODS ODT OH1 OH2 OH3 OH4 OM1 OM2 OM3 OM4 OM5
	OM6 OM7 OMC ORC ORG ORO OVR PAC PCE PCR PD1 PDA PDC PEO PES PID PKG PM1 PMT PR1 PRA PRB PRC PRD PRT PSG PSH PSL PSS PTH PV1 PV2 PYE QAK QID
	QPD QRD QRF QRI RCP RDF RDT REL RF1 RFI RGS RMI ROL RQ1 RQD RXA RXC RXD RXE RXG RXO RXR RXV SAC SCD SCH SCP SDD SFT SGH SGT SHP SID SLT SPM SPR STF
	STZ TCC TCD TQ1 TQ2 TXA UAC UB1 UB2 URD URS VAR VND VTQ`)

// isSegment reports whether three bytes are the name of a segment.
func isSegment(name string) bool {
	if name[0] == 'Z' {
		return isUpper(name[1]) && isUpper(name[2])
	}
	return segments[name]
}

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' }

// holdsSegment reports whether a field other than the first ends in the name of a segment with
// texts, so that the fields of that segment would be mistaken for fields of this one.
func (h *message) holdsSegment(fields [][2]int) bool {
	for i := 1; i+1 < len(fields); i++ {
		field := h.raw[fields[i][0]:fields[i][1]]
		n := len(field) - 3
		if n < 1 || strings.IndexByte("XxEe", field[n+2]) < 0 || !bytes.EqualFold(field[n:], []byte("OBX")) && !bytes.EqualFold(field[n:], []byte("NTE")) {
			continue
		}
		before := field[:n]
		next := string(h.raw[fields[i+1][0]:fields[i+1][1]])
		last, _ := utf8.DecodeLastRune(before)
		switch {
		case last < utf8.RuneSelf && bytes.IndexByte([]byte{h.comp, h.rep, h.sub}, byte(last)) >= 0: // a value by itself
		case markup.IsLineEnd(last) || last < ' ' || writtenLineEnd.Match(before):
			return true
		case unicode.IsLetter(last) || unicode.IsDigit(last):
		case strings.Trim(next, "0123456789") == "" && (next != "" || !h.isText(fields, i)): // a segment's number
			return true
		}
	}
	return false
}

// writtenLineEnd matches a line end that some program has escaped.
var writtenLineEnd = regexp.MustCompile(`(?i)(?:\\[rn]|(?:0x|\\x|%|_x00|\\u00)0[ad]_?\\?|[>;])$`)

// isText reports whether a field is examined.
func (h *message) isText(fields [][2]int, i int) bool {
	name := string(h.raw[fields[0][0]:fields[0][1]])
	return name == "OBX" && i == 5 || name == "NTE" && i == 3
}

func (h *message) repeats(field string) []string {
	if h.rep == 0 {
		return []string{field}
	}
	return strings.Split(field, string(rune(h.rep)))
}

// component returns the i-th component of a value: its first subcomponent, without escapes.
func (h *message) component(value string, i int) string {
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
	v, loose := &markup.View{}, h.loose
	h.unescape(v, 0, part)
	h.loose = loose
	return strings.TrimSpace(v.Text.String())
}

func (h *message) know(kind safetynet.Kind, text string) {
	if text != "" && text != `""` { // "" is HL7's empty value
		h.person.known = append(h.person.known, safetynet.Value{Kind: kind, Text: text})
	}
}

// learn adds a component of each repetition to the known values.
func (h *message) learn(kind safetynet.Kind, field string, i int) {
	for _, value := range h.repeats(field) {
		h.know(kind, h.component(value, i))
	}
}

// name adds the names of persons to the known values: family, given, and other given names.
func (h *message) name(field string) { h.names(safetynet.Name, field, 0) }

// clinician adds names that follow an identifier to the known values.
func (h *message) clinician(field string) { h.names(safetynet.Clinician, field, 1) }

func (h *message) names(kind safetynet.Kind, field string, first int) {
	for _, value := range h.repeats(field) {
		h.fullName(kind, value, first)
	}
}

// fullName adds the name in a value to the known values; the family name is its first-th component.
func (h *message) fullName(kind safetynet.Kind, value string, first int) {
	parts := []string{h.component(value, first+1), h.component(value, first+2), h.component(value, first)}
	h.know(kind, strings.Join(strings.Fields(strings.Join(parts, " ")), " "))
}

func (h *message) address(field string) {
	h.learn(safetynet.Street, field, 0)
	h.learn(safetynet.Street, field, 1)
	h.learn(safetynet.City, field, 2)
	h.learn(safetynet.ZIP, field, 4)
}

// observation reads OBX-5 at raw[from:to]. kind is its type, and code is OBX-3.1.
func (h *message) observation(kind, code string, from, to int) error {
	value := string(h.raw[from:to])
	switch kind = strings.ToUpper(strings.TrimSpace(kind)); {
	case h.dropsObservation():
		h.fieldAt(h.place("OBX", 5), "varies", from, to)
	case kind != "ED" && h.fieldRules != nil && h.observationFields(kind, code, from, to):
	case kind == "ED":
		err := h.encapsulated(from, to)
		if err != nil && h.drop {
			h.dropped = append(h.dropped, markup.Edit{Start: from, End: to})
			return nil
		}
		return err
	case kind == "CE" || kind == "CWE" || kind == "CNE" || kind == "CF":
		h.coded(from, to)
	case (kind == "ST" || kind == "NM" || kind == "SN") && h.isResult(code, from, to):
		h.addText(&h.person.terms, from, to, ";\n")
	case plainValues[kind] == nil || !h.all(value, plainValues[kind].MatchString):
		h.openCode = code
		h.text(from, to)
	}
	return nil
}

const (
	numberForm = `[-+]?\d{0,12}(?:\.\d{0,8})?`
	timeForm   = `(?:\d{2}(?:\d{2}(?:\d{2}(?:\.\d{1,6})?)?)?(?:[-+]\d{4})?)?`
	momentForm = `(?:\d{4}(?:\d{2}(?:\d{2}` + timeForm + `)?)?(?:[-+]\d{4})?)?`
)

// plainValues contains, by type, the form of values that are known not to be text: numbers, dates,
// times and codes. A value of another form is text, whatever its type.
var plainValues = map[string]*regexp.Regexp{
	"NM":  regexp.MustCompile(`^` + numberForm + `$`),
	"SI":  regexp.MustCompile(`^\d{0,6}$`),
	"SN":  regexp.MustCompile(`^(?:|[<>=]{1,2}|` + numberForm + `|[-+/.:])$`),
	"NA":  regexp.MustCompile(`^` + numberForm + `$`),
	"MA":  regexp.MustCompile(`^` + numberForm + `$`),
	"DT":  regexp.MustCompile(`^(?:\d{4}(?:\d{2}){0,2})?$`),
	"TM":  regexp.MustCompile(`^` + timeForm + `$`),
	"TS":  regexp.MustCompile(`^(?:` + momentForm + `|[YLDHMS])$`),
	"DTM": regexp.MustCompile(`^` + momentForm + `$`),
	"DR":  regexp.MustCompile(`^` + momentForm + `$`),
	"ID":  codeForm,
	"IS":  codeForm,
}

// codeForm matches codes: a word or a number.
var codeForm = regexp.MustCompile(`^[-\w.:/+]{0,20}$`)

// isResult reports whether OBX-5 at raw[from:to], of a type for results, consists of measured values, which no rule has for text. Models take a bare
// number for an identifier or a date. A number can also be a line of a report, so those of the types TX and FT, and one that continues a text with
// the same code, are text.
func (h *message) isResult(code string, from, to int) bool {
	value := string(h.raw[from:to])
	continues := h.open.view != nil && code == h.openCode
	if h.fieldRules == nil || continues || slices.Contains(base.PersonalCodes, code) || strings.TrimSpace(value) == "" || h.next(from, to, h.comp) < to {
		return false
	}
	if _, ruled := h.fieldRules.options.Fields.Action(h.place("OBX", 5).path()...); ruled {
		return false
	}
	return h.all(value, func(value string) bool { return base.IsResult(h.plain(value)) })
}

// all reports whether all components of all repetitions of a field, without the blanks around them,
// have a form.
func (h *message) all(value string, form func(string) bool) bool {
	parts := strings.FieldsFunc(value, func(r rune) bool { return r < 0x80 && r != 0 && (byte(r) == h.comp || byte(r) == h.rep) })
	for _, part := range parts {
		if part = strings.TrimSpace(part); part != `""` && !form(part) { // HL7's empty value
			return false
		}
	}
	return true
}

// coded adds the texts of a coded value, code^text^system^code^text^system^version^version^original
// text, and any other component that does not look like a code.
func (h *message) coded(from, to int) {
	for at := from; at <= to; {
		end := h.next(at, to, h.rep)
		for i := 0; at <= end; i++ {
			part := h.next(at, end, h.comp)
			if text := i == 1 || i == 4 || i == 8; part > at && (text || !codeForm.Match(h.raw[at:part])) && string(h.raw[at:part]) != `""` {
				h.text(at, part)
			}
			at = part + 1
		}
	}
}

// next returns the position of a separator in raw[at:to], or to.
func (h *message) next(at, to int, separator byte) int {
	if n := bytes.IndexByte(h.raw[at:to], separator); separator != 0 && n >= 0 {
		return at + n
	}
	return to
}

// text adds a field to the current note.
func (h *message) text(from, to int) { h.addText(&h.open, from, to, "\n") }

// addText adds a field to a text, after a separator that is only in the text.
func (h *message) addText(t *openText, from, to int, separator string) {
	if t.view == nil {
		t.view, t.line = &markup.View{Encode: h.escape}, h.line
	} else {
		last := t.view.Runs[len(t.view.Runs)-1]
		t.view.Stands(markup.Markup, last.From+last.M, from-last.From-last.M, separator)
	}
	outer := h.loose
	h.loose = t.loose
	before := len(t.view.Runs)
	for at := from; at < to; {
		n := h.next(at, to, h.rep)
		h.unescape(t.view, at, string(h.raw[at:n]))
		if at = n; at < to {
			t.view.Stands(markup.Markup, at, 1, "\n")
			at++
		}
	}
	t.loose, h.loose = h.loose, outer
	if len(t.view.Runs) == before && before == 0 {
		*t = openText{} // no text yet
	}
}

// finish ends the current note.
func (h *message) finish() {
	if t := h.open; t.view != nil {
		h.open = openText{}
		h.add(t.view.Text.String(), t.line, h.editsOf(t))
	}
}

// editsOf returns a function that translates edits of a text.
func (h *message) editsOf(t openText) func([]markup.Edit) []markup.Edit {
	return func(edits []markup.Edit) []markup.Edit { return h.escapeLoose(t.view.Below(edits), t.loose) }
}

// closeText ends a text of fields. Its note has an id that ends in a suffix.
func (h *message) closeText(p *person, t *openText, suffix string, action field.Action) {
	if t.view == nil {
		return
	}
	if text := t.view.Text.String(); strings.ContainsFunc(text, markup.LetterOrDigit) {
		doc := &data.Document{ID: suffix, Text: text}
		p.values = append(p.values, &base.Note{Document: doc, Field: action, Line: t.line, Below: h.editsOf(*t)})
	}
	*t = openText{}
}

// looseEscape is an escape character that does not begin an escape, in the text from:to.
type looseEscape struct{ at, from, to int }

// escapeLoose encodes loose escape characters in edited texts as \E\, because next to new text they
// could begin or end an escape.
func (h *message) escapeLoose(edits []markup.Edit, loose []looseEscape) []markup.Edit {
	mark := string(rune(h.esc))
	var out []markup.Edit
	for _, l := range loose {
		k, _ := slices.BinarySearchFunc(edits, l.from, func(e markup.Edit, at int) int { return cmp.Compare(e.End, at) }) // the first edit that does not end before the text
		if k == len(edits) || edits[k].Start > l.to {
			continue
		}
		at, taken := slices.BinarySearchFunc(edits, l.at, func(e markup.Edit, at int) int { return cmp.Compare(e.Start, at) })
		if taken && edits[at].End > l.at || at > 0 && edits[at-1].End > l.at {
			continue // it is replaced
		}
		out = append(out, markup.Edit{Start: l.at, End: l.at + 1, New: mark + "E" + mark})
	}
	return append(edits, out...)
}

func (h *message) add(text string, line int, below func([]markup.Edit) []markup.Edit) {
	doc := &data.Document{ID: h.id, Text: text}
	if h.notes++; h.notes > 1 {
		doc.ID = fmt.Sprintf("%s/%d", h.id, h.notes)
	}
	h.person.notes = append(h.person.notes, &base.Note{Document: doc, Line: line, Below: below})
}

// encapsulated reads a value source^type^subtype^encoding^data.
func (h *message) encapsulated(from, to int) error {
	var parts [][2]int
	for at := from; at <= to; {
		n := h.next(at, to, h.comp)
		parts = append(parts, [2]int{at, n})
		at = n + 1
	}
	get := func(i int) string {
		if i >= len(parts) {
			return ""
		}
		return string(h.raw[parts[i][0]:parts[i][1]])
	}
	filled := 0
	for i := range parts {
		if s := get(i); s != "" && s != `""` {
			filled = i + 1
		}
	}
	switch {
	case filled == 0:
		return nil
	case filled > 5:
		return h.in.Defect(h.line, -1, "OBX-5 of type ED with more than five components")
	}
	for i := range min(filled, 4) {
		if part := get(i); len(part) > 60 || !markup.Only(part, "-_.:/+&") {
			return h.in.Defect(h.line, -1, "OBX-5 of type ED with text outside of its fifth component")
		}
	}
	if filled < 5 {
		return h.in.Defect(h.line, -1, "OBX-5 of type ED with fewer than five components")
	}
	kind, subtype := strings.ToUpper(get(1)), strings.ToUpper(get(2))
	isRTF := subtype == "RTF" || subtype == "X-RTF"
	isText := slices.Contains([]string{"TEXT", "TX", "FT"}, kind) && slices.Contains([]string{"", "PLAIN", "TEXT", "TXT", "ASCII", "HTML"}, subtype)
	if !isText && !isRTF || isRTF && kind != "APPLICATION" && kind != "TEXT" && kind != "TX" && kind != "FT" {
		return h.in.Defect(h.line, -1, "OBX-5 of type ED that is not text and cannot be examined")
	}
	start, end := parts[4][0], parts[4][1]
	switch encoding := strings.ToUpper(get(3)); {
	case encoding == "BASE64":
		contentType := "text/plain"
		if isRTF {
			contentType = "application/rtf"
		} else if subtype == "HTML" {
			contentType = "text/html"
		}
		return h.base64(start, end, contentType)
	case encoding != "A" && encoding != "":
		return h.in.Defect(h.line, -1, "OBX-5 of type ED in an encoding other than A and Base64")
	case subtype == "HTML" || isRTF:
		return h.in.Defect(h.line, -1, "OBX-5 of type ED that is HTML or RTF, but not in Base64")
	case h.looksLikeBase64(start, end):
		return h.in.Defect(h.line, -1, "OBX-5 of type ED whose text is in Base64, though its encoding is another")
	}
	h.text(start, end)
	return nil
}

// looksLikeBase64 reports whether a field is text in base64. A single short word may look the same
// by chance.
func (h *message) looksLikeBase64(start, end int) bool {
	e := string(rune(h.esc))
	value := strings.ReplaceAll(string(h.raw[start:end]), e+".br"+e, "")
	value = strings.TrimRight(strings.Join(strings.Fields(value), ""), "=")
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		if blob, err := encoding.DecodeString(value); err == nil && len(blob) >= 8 && attachment.Readable(blob) {
			return true
		}
	}
	return false
}

// base64 adds a separate note.
func (h *message) base64(start, end int, contentType string) error {
	blob, err := base64.StdEncoding.DecodeString(string(h.raw[start:end]))
	if err != nil || !utf8.Valid(blob) && !rtf.Is(string(blob)) {
		return h.in.Defect(h.line, -1, "OBX-5 of type ED that is not UTF-8 in base64")
	}
	decode, err := attachment.Decoder(contentType, h.drop)
	if err != nil {
		return h.in.Defect(h.line, -1, err.Error())
	}
	a, err := decode(blob)
	if err != nil {
		return h.in.Defect(h.line, -1, err.Error())
	}
	if kind := markup.UnreadableText(a.Text, true); kind != "" {
		return h.in.Defect(h.line, -1, "OBX-5 of type ED that is "+kind+", which cannot be examined")
	}
	h.finish()
	h.add(a.Text, h.line, func(edits []markup.Edit) []markup.Edit {
		return []markup.Edit{{Start: start, End: end, New: base64.StdEncoding.EncodeToString(a.Encode(edits))}}
	})
	h.person.notes[len(h.person.notes)-1].Always = a.Always
	h.partsGone += a.Dropped
	return nil
}

// unescape adds the text of a field, at raw[at:], to a view. Escapes for fonts and indentation do
// not appear in the text, nor do escapes for character sets, local escapes, and others whose form
// cannot contain text. An escape character that does not begin such an escape is text.
func (h *message) unescape(v *markup.View, at int, text string) {
	from, to := at, at+len(text)
	for text != "" {
		n := -1
		if h.esc != 0 {
			n = strings.IndexByte(text, h.esc)
		}
		if n < 0 {
			v.Verbatim(at, text)
			return
		}
		v.Verbatim(at, text[:n])
		at, text = at+n, text[n:]
		m := strings.IndexByte(text[1:min(len(text), maxEscape)], h.esc)
		kind, s, ok := markup.Escape, "", false
		if m >= 0 {
			kind, s, ok = h.meaning(text[1 : m+1])
		}
		if !ok {
			letters := escapeName(text[1:])
			if letters > 0 && m > letters && m <= maxIllFormed && !h.beginsEscape(text[m+1:]) { // it stays an escape unless a part of it is replaced
				h.illFormed(v, at, text[:m+2], letters)
				at, text = at+m+2, text[m+2:]
				continue
			}
			v.Stands(markup.Escape, at, 1, text[:1])
			h.loose = append(h.loose, looseEscape{at, from, to})
			if letters > 0 {
				v.Verbatim(at+1, text[1:1+letters])
				v.Stands(markup.Markup, at+1+letters, 0, " ") // separates the two in the text only
			}
			at, text = at+1+letters, text[1+letters:]
			continue
		}
		v.Stands(kind, at, m+2, s)
		at, text = at+m+2, text[m+2:]
	}
}

// illFormed adds an escape of a known kind with unexpected content: the kind, and the rest as text.
func (h *message) illFormed(v *markup.View, at int, code string, letters int) {
	last := len(code) - 1
	h.loose = append(h.loose, looseEscape{at, at, at + last + 1}, looseEscape{at + last, at, at + last + 1})
	v.Stands(markup.Escape, at, 1, code[:1])
	v.Verbatim(at+1, code[1:1+letters])
	v.Stands(markup.Markup, at+1+letters, 0, " ")
	v.Verbatim(at+1+letters, code[1+letters:last])
	v.Stands(markup.Escape, at+last, 1, code[last:])
}

// beginsEscape reports whether a text begins with an escape of a known form.
func (h *message) beginsEscape(text string) bool {
	m := strings.IndexByte(text[1:min(len(text), maxEscape)], h.esc)
	if m < 0 {
		return false
	}
	_, _, ok := h.meaning(text[1 : m+1])
	return ok
}

// escapeName returns the length of the name at the beginning of an escape that continues with
// digits, or 0.
func escapeName(code string) int {
	if m := escapeLetters.FindStringSubmatchIndex(code[:min(len(code), 8)]); m != nil {
		return m[3]
	}
	return 0
}

// maxIllFormed is the maximum length of an escape of unknown form. Anything longer is text between
// two loose escape characters.
const maxIllFormed = 30

// maxEscape is the maximum length of an escape, which may contain many characters in hexadecimal
// digits.
const maxEscape = 1 << 16

// meaning returns the text that an escape represents, and reports whether its form is known.
func (h *message) meaning(code string) (markup.RunKind, string, bool) {
	if len(code) == 1 {
		separators := [...]byte{h.field, h.comp, h.sub, h.rep, h.esc, h.cut}
		if i := strings.IndexByte("FSTREP", code[0]); i >= 0 && separators[i] != 0 {
			return markup.Escape, string(rune(separators[i])), true
		}
	}
	if code == ".br" { // by far the most frequent
		return markup.Markup, "\n", true
	}
	if strings.HasPrefix(code, "X") && len(code) > 1 {
		raw, err := hex.DecodeString(code[1:])
		switch {
		case err != nil:
			return markup.Escape, "", false
		case utf8.Valid(raw):
			return markup.Escape, string(raw), true
		}
		latin1, _ := base.Charset("latin1")
		return markup.Escape, string(latin1.ToUTF8(raw)), true
	}
	switch {
	case lineEscape.MatchString(code):
		return markup.Markup, "\n", true
	case blankEscape.MatchString(code):
		return markup.Markup, " ", true
	case harmlessEscape.MatchString(code):
		return markup.Markup, "", true
	case otherEscape.MatchString(code) && !escapeLetters.MatchString(code):
		e := string(rune(h.esc))
		return markup.Escape, e + code + e, true
	}
	return markup.Escape, "", false
}

var (
	lineEscape  = regexp.MustCompile(`(?i)^\.(?:br|ce|sp *[-+]? *\d{0,3}) *$`)
	blankEscape = regexp.MustCompile(`(?i)^\.sk *[-+]? *\d{0,3} *$`)
	// harmlessEscape matches escapes that cannot contain text: single characters, formatting,
	// character sets, and local escapes that are little more than a number.
	harmlessEscape = regexp.MustCompile(`^(?:[A-Za-z0-9]|\.[A-Za-z]{2} *[-+]? *\d{0,3} *|C[0-9A-Fa-f]{4}|M[0-9A-Fa-f]{4}(?:[0-9A-Fa-f]{2})?|[A-Za-z]{1,2}\d{1,2}|Z[0-9A-Fa-fxX]{2})$`)
	// escapeLetters matches the beginning of an escape with digits, which would form one word with
	// its name.
	escapeLetters = regexp.MustCompile(`^(\.[A-Za-z]{2}|[A-Za-z]{1,2})[-+]?\d`)
	// otherEscape matches escapes that could be a word. They appear in the text as written, and do
	// not change unless a part of them is replaced.
	otherEscape = regexp.MustCompile(`^\.?[A-Za-z][\w.+-]{1,15}$`)
)

// escape encodes text for a field.
func (h *message) escape(text string) string {
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
