package notefile

import (
	"bytes"
	"cmp"
	"crypto/sha1" //nolint:gosec // FHIR's hash of an attachment is SHA-1
	"encoding/base64"
	"errors"
	"fmt"
	"mime"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/field"
	"github.com/lethe-deid/lethe/deid/safetynet"
)

// readFHIR reads resources of FHIR (R4, R5) as JSON: one per file, which may be a Bundle, or one
// per line (NDJSON), if the first line of the file is a complete JSON value or the name ends in
// .ndjson. An object without a resourceType is not FHIR and is refused. These are notes, anywhere
// in a resource, alone or in lists, and with keys in any case:
//
//   - the data of an Attachment or Binary whose contentType is text/plain, text/html,
//     text/markdown, text/csv or application/rtf, in base64, and in UTF-8, US-ASCII, ISO-8859-1 or
//     windows-1252 as its charset says. Its size and hash, if given, are updated
//   - the narrative, text.div
//   - binary data of extensions and other elements (valueBase64Binary), which must be text in UTF-8
//   - the text of Annotations (note, valueAnnotation), conclusion, comment, and the strings
//     valueString, valueMarkdown, contentString and contentMarkdown
//
// Everything else stays the same: names, identifiers, birth dates, references, codes and their
// texts, titles, descriptions, summaries, instructions, and an Attachment with nothing but a url.
//
// A resource is refused if it cannot be examined: if its data is not text, such as a PDF or a
// photo, or is a document in XML. The only data known to be harmless are the numbers of
// SampledData, and a signature that is not text and does not contain what it signs. An object or a
// number instead of a text is also refused. With Options.Drop, data that cannot be examined is
// replaced by FHIR's extension for absent data, together with its size and its hash.
//
// The ID of a note is ResourceType/id and the path to the text. Its patient is the id in the
// resource's subject or patient, or the Patient itself. Names, identifiers, addresses and telecoms
// of a Patient in the same record (a Bundle) are known values for the notes of that patient. If
// there is only one Patient, they are known values for all notes without a patient as well.
func readFHIR(in *source, o Options) Records {
	byLine := strings.EqualFold(in.ext(), ".ndjson")
	if !byLine {
		first, _ := in.in.Peek(1 << 16)
		if n := bytes.IndexByte(first, '\n'); n >= 0 {
			_, byLine = validJSON(bytes.TrimPrefix(first[:n], []byte(utf8BOM)))
		} else {
			byLine = len(first) == 1<<16 && first[0] == '{' && !bytes.Contains(first, []byte("\n")) // one long line
		}
	}
	if byLine {
		return lines(in, func(raw []byte, line, offset int) (*Record, error) { return fhirRecord(in, o, raw, line, offset) })
	}
	return one(in, true, func(raw []byte) (*Record, error) { return fhirRecord(in, o, raw, 1, 0) })
}

// fhirRecord reads a resource.
func fhirRecord(in *source, o Options, raw []byte, line, offset int) (*Record, error) {
	if line == 1 && len(bytes.TrimSpace(bytes.TrimPrefix(raw, []byte(utf8BOM)))) == 0 {
		return &Record{Raw: raw, Line: line}, nil
	}
	j, err := object(in, raw, line, offset)
	if err != nil {
		return nil, err
	}
	f := fhir{in: in, j: j, line: line, offset: offset, dropParts: o.Drop, known: map[string][]safetynet.Value{}}
	if j.first(0, "resourceType") == "" {
		return nil, in.defect(line, -1, "not FHIR: an object without a resourceType")
	}
	if o.Fields != nil {
		f.fields = &fhirFields{options: o, gone: map[int]bool{}, counts: map[field.Action]int{}}
	}
	f.object(0, resource{name: fmt.Sprintf("%s-%04d", in.id(), line)}, "")
	if f.err != nil {
		return nil, f.err
	}
	for _, n := range f.notes {
		n.Known = f.known[n.Patient]
		if n.Patient == "" && len(f.known) == 1 {
			for patient, known := range f.known {
				n.Patient, n.Known = patient, known
			}
		}
	}
	record := &Record{Raw: raw, Line: line, Notes: f.notes, Dropped: f.dropped, fixed: f.masks}
	if f.fields != nil {
		f.finishFields(record)
	}
	return record, nil
}

// fhir walks through the resources of a record.
type fhir struct {
	in           *source
	j            *jsonTree
	line, offset int
	counted      place // the last place in the record whose line was computed
	path         []string
	notes        []*Note
	known        map[string][]safetynet.Value // values by the id of a Patient
	fields       *fhirFields                  // nil if fields stay
	dropParts    bool                         // see Options.Drop
	dropped      int                          // number of parts that are dropped
	masks        []Edit                       // the edits that drop them
	err          error                        // the first error
}

// resource is the resource that a value belongs to.
type resource struct {
	name    string // ResourceType/id
	patient string
	depth   int // number of path elements of the record that lead to it
}

// maxFHIRDepth is the maximum depth of nested values. Resources have some twenty levels.
const maxFHIRDepth = 250

func (f *fhir) fail(i int, reason string) { f.failAt(f.j.from(i), reason) }

func (f *fhir) failAt(at int, reason string) {
	if f.err == nil {
		f.err = f.in.defect(f.lineAt(at), f.offset+at, reason)
	}
}

// unexamined drops a member that cannot be examined, together with the members that describe it, or
// fails for the given reason.
func (f *fhir) unexamined(i int, reason string, also ...int) {
	all := append([]int{i}, also...)
	for _, k := range all {
		if !f.dropParts || f.j.values[k].key == 0 || strings.HasPrefix(f.j.key(k), "_") || f.hasMember(f.j.parent(k), "_"+f.j.key(k)) {
			f.fail(i, reason)
			return
		}
	}
	for _, k := range all {
		f.masks = append(f.masks, Edit{Start: int(f.j.values[k].key), End: f.j.to(k), New: `"` + jsonString("_"+f.j.key(k)) + `":` + absent})
	}
	f.dropped++
}

// absent is the value of the member _x of a resource without the member x.
const absent = `{"extension":[{"url":"http://hl7.org/fhir/StructureDefinition/data-absent-reason","valueCode":"masked"}]}`

// hasMember reports whether an object has a member with this key.
func (f *fhir) hasMember(i int, key string) bool {
	for k := range f.j.within(i) {
		if f.j.hasKey(k, key) {
			return true
		}
	}
	return false
}

// lineAt returns the line of a position. It counts from the previous position, because a Bundle has
// many.
func (f *fhir) lineAt(at int) int {
	c := &f.counted
	if at >= c.offset {
		c.line += bytes.Count(f.j.raw[c.offset:at], []byte("\n"))
	} else {
		c.line -= bytes.Count(f.j.raw[at:c.offset], []byte("\n"))
	}
	c.offset = at
	return f.line + c.line
}

// value examines a value that is, itself or in arrays, under a key of an object, which in turn is
// under the key outer. Keys are in lower case, because some readers ignore case.
func (f *fhir) value(i int, r resource, key, outer string) {
	if f.err != nil {
		return
	}
	if len(f.path) > maxFHIRDepth {
		f.fail(i, fmt.Sprintf("values nested more than %d deep", maxFHIRDepth))
		return
	}
	if f.field(i, r, key, outer) {
		return
	}
	if isText(key, outer) && strings.IndexByte(`"[n`, f.j.kind(i)) < 0 { // null is empty
		f.fail(i, "an object, a number or a boolean instead of a text")
		return
	}
	switch f.j.kind(i) {
	case '{':
		f.object(i, r, key)
	case '[':
		n := 0
		for k := range f.j.within(i) {
			f.path = append(f.path, "["+strconv.Itoa(n)+"]")
			f.value(k, r, key, outer)
			f.path = f.path[:len(f.path)-1]
			n++
		}
	case '"':
		f.string(i, r, key, outer)
	}
}

// object examines an object.
func (f *fhir) object(i int, r resource, key string) {
	defer f.enterObject(i)()
	if kind := f.j.first(i, "resourceType"); kind != "" {
		r = f.resource(i, kind, r)
	}
	f.attachment(i, r, key)
	if key == "note" && f.isUnread(i) {
		f.fail(i, "an Annotation without a text, but with other strings")
		return
	}
	if f.isAnnotation(i, key) && f.j.first(i, "resourceType") == "" { // the text of a resource is its narrative
		key = "note"
	}
	for k := range f.j.within(i) {
		name := f.j.key(k)
		f.path = append(f.path, "."+name)
		back := f.enter(name)
		f.value(k, r, strings.ToLower(name), key)
		back()
		f.path = f.path[:len(f.path)-1]
	}
}

// isAnnotation reports whether an object is an Annotation: its key contains the type
// (valueAnnotation), or it has members that only an Annotation has beside its text.
func (f *fhir) isAnnotation(i int, key string) bool {
	if key == "note" || strings.HasSuffix(key, "annotation") {
		return true
	}
	for k := range f.j.within(i) {
		if f.j.hasKeyFold(k, "authorString") || f.j.hasKeyFold(k, "authorReference") {
			return true
		}
	}
	return false
}

// isUnread reports whether an Annotation has no text, but strings under keys that it should not
// have.
func (f *fhir) isUnread(i int) bool {
	unread := false
	for k := range f.j.within(i) {
		switch key := strings.ToLower(strings.TrimPrefix(f.j.key(k), "_")); key {
		case "text":
			return false
		case "id", "time", "authorstring", "authorreference", "extension", "fhir_comments":
		default:
			unread = unread || key != "resourcetype" && f.j.kind(k) == '"'
		}
	}
	return unread
}

// isText reports whether the value of a key, in an object under the key outer, is a text, plain or
// in base64.
func isText(key, outer string) bool {
	switch key {
	case "div", "conclusion", "comment", "valuestring", "contentstring", "valuemarkdown", "contentmarkdown":
		return true
	case "text":
		return outer == "note"
	}
	return isBase64(key)
}

// isBase64 reports whether a key has a value of the type base64Binary, for any name of the choice.
func isBase64(key string) bool {
	return strings.HasSuffix(key, "base64binary") || strings.HasSuffix(key, "base64")
}

// string makes a note of a string that is text. It refuses a URL that contains data instead of an
// address.
func (f *fhir) string(i int, r resource, key, outer string) {
	switch {
	case key == "div":
		f.text(i, r, htmlView)
	case isBase64(key):
		f.binary(i, r)
	case key == "note" || isText(key, outer) || f.fields != nil && f.action(i, key) == field.Text:
		f.text(i, r, nil)
	default:
		if raw := f.j.raw[f.j.from(i)+1:]; strings.IndexByte("dD \t\\", raw[0]) >= 0 && dataURL.MatchString(f.j.text(i)) {
			f.unexamined(i, "a URL that contains data, which cannot be examined")
		}
	}
}

// binary makes a note of a string in base64 without a declared type. It refuses data that is not
// text, because it cannot be examined.
func (f *fhir) binary(i int, r resource) {
	if f.j.to(i)-f.j.from(i) == len(`""`) {
		return
	}
	blob, err := decodeBase64(f.j.text(i))
	if err != nil || !readable(blob) {
		f.unexamined(i, "binary data that is not text and cannot be examined")
		return
	}
	f.encoded(i, r, "text/plain", blob, nil, nil)
}

func decodeBase64(text string) ([]byte, error) {
	return base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
}

// readable reports whether bytes are text in UTF-8 without control characters other than tabs and
// line ends.
func readable(blob []byte) bool {
	return utf8.Valid(blob) && bytes.IndexFunc(blob, func(r rune) bool { return r < ' ' && !isSpace(byte(r)) || r == 0x7f }) < 0
}

// dataURL matches the beginning of a URL that contains data instead of an address.
var dataURL = regexp.MustCompile(`(?i)^\s*data:(?:[-\w.+]+/[-\w.+]+)?(?:;[^,]*)?,`)

// resource returns the resource that an object is, with its patient, and learns from a Patient.
func (f *fhir) resource(i int, kind string, outer resource) resource {
	id := f.j.first(i, "id")
	r := resource{name: kind, patient: outer.patient, depth: len(f.path)}
	if id != "" {
		r.name += "/" + id
	} else {
		r.name = outer.name + "/" + kind
	}
	for _, key := range []string{"subject", "patient"} {
		if ref := f.j.first(i, key, "reference"); ref != "" {
			r.patient = ref[strings.LastIndexAny(ref, "/:")+1:]
			break
		}
	}
	if kind == "Patient" {
		r.patient = cmp.Or(id, r.name)
		f.learn(i, r.patient)
	}
	if f.fields != nil {
		switch kind {
		case "Practitioner":
			f.learnPerson(i, safetynet.Clinician)
		case "RelatedPerson", "Person":
			f.learnPerson(i, safetynet.Name)
		}
	}
	return r
}

// learn adds the known values of a Patient.
func (f *fhir) learn(i int, patient string) {
	add := func(kind safetynet.Kind, text string) {
		if strings.TrimSpace(text) != "" {
			f.known[patient] = append(f.known[patient], safetynet.Value{Kind: kind, Text: text})
		}
	}
	for _, name := range f.each(i, "name", '{') {
		if text := f.j.first(name, "text"); text != "" {
			add(safetynet.Name, text)
		}
		parts := append(f.strings(name, "given"), f.j.first(name, "family"))
		add(safetynet.Name, strings.Join(parts, " "))
	}
	for _, id := range f.each(i, "identifier", '{') {
		add(safetynet.ID, f.j.first(id, "value"))
	}
	for _, telecom := range f.each(i, "telecom", '{') {
		kind := safetynet.Phone
		if f.j.first(telecom, "system") == "email" {
			kind = safetynet.Email
		}
		add(kind, f.j.first(telecom, "value"))
	}
	for _, address := range f.each(i, "address", '{') {
		for _, line := range f.strings(address, "line") {
			add(safetynet.Street, line)
		}
		add(safetynet.City, f.j.first(address, "city"))
		add(safetynet.ZIP, f.j.first(address, "postalCode"))
	}
}

// each returns the values of a kind in an array under a key.
func (f *fhir) each(i int, key string, kind byte) []int {
	var all []int
	f.j.find(i, []string{key}, func(array int) {
		if f.j.kind(array) != '[' {
			return
		}
		for k := range f.j.within(array) {
			if f.j.kind(k) == kind {
				all = append(all, k)
			}
		}
	})
	return all
}

// strings returns the strings in an array under a key.
func (f *fhir) strings(i int, key string) []string {
	var all []string
	for _, k := range f.each(i, key, '"') {
		all = append(all, f.j.text(k))
	}
	return all
}

// text makes a note of a string. inner finds the text in the string; nil means that the string is
// the text.
func (f *fhir) text(i int, r resource, inner func(string) (*htmlText, error)) {
	outer, bad, err := f.j.stringView(i)
	if err != nil {
		f.failAt(bad, err.Error())
		return
	}
	text, below := outer.text.String(), outer.below
	if inner != nil {
		v, err := inner(text)
		if err != nil {
			f.fail(i, err.Error())
			return
		}
		text, below = v.text.String(), func(edits []Edit) []Edit { return outer.below(v.below(edits)) }
	}
	f.add(i, r, text, below)
}

func (f *fhir) add(i int, r resource, text string, below func([]Edit) []Edit) {
	path := strings.TrimPrefix(strings.Join(f.path[r.depth:], ""), ".")
	f.notes = append(f.notes, &Note{
		Document: &data.Document{ID: r.name + "#" + path, Patient: r.patient, Text: text},
		Line:     f.lineAt(f.j.from(i)),
		below:    below,
	})
}

// attachment contains the members of an object that has data.
type attachment struct {
	data, types, sizes, hashes []int
	sampled                    bool // it has dimensions, like SampledData
	signed                     bool // the key is that of a Signature
}

// attachment makes a note of data in base64 in an object, if it has any. It refuses a value under a
// key data that is not known to be harmless.
func (f *fhir) attachment(i int, r resource, key string) {
	var a attachment
	for k := range f.j.within(i) {
		if f.j.hasKeyFold(k, "data") && f.j.kind(k) != 'n' && (f.holdsString(k) || f.hasData(i, key)) {
			a.data = append(a.data, k)
		}
	}
	if len(a.data) == 0 {
		return // objects under a key data, as in Consent, are examined as objects
	}
	for k := range f.j.within(i) {
		switch {
		case f.j.hasKeyFold(k, "contentType"):
			a.types = append(a.types, k)
		case f.j.hasKeyFold(k, "size"):
			a.sizes = append(a.sizes, k)
		case f.j.hasKeyFold(k, "hash"):
			a.hashes = append(a.hashes, k)
		case f.j.hasKeyFold(k, "dimensions"):
			a.sampled = true
		}
	}
	a.signed = strings.HasSuffix(key, "signature")
	where := a.data[0]
	switch untyped := len(a.types) == 0; {
	case len(a.data) > 1:
		f.fail(where, "an attachment with a duplicate key data")
	case f.j.kind(where) != '"':
		f.fail(where, "an attachment whose data is not a string")
	case f.j.to(where)-f.j.from(where) == len(`""`):
	case len(a.types) > 1:
		f.fail(where, "an attachment with a duplicate key contentType")
	case untyped && a.sampled && sampledData.MatchString(f.j.text(where)):
	case untyped && a.signed && isSignature(f.j.text(where)):
	default:
		f.decode(where, r, a)
	}
}

// hasData reports whether an object is one with a string as data: a Binary, an Attachment,
// SampledData or a Signature.
func (f *fhir) hasData(i int, key string) bool {
	for _, kind := range []string{"attachment", "sampleddata", "signature", "photo", "image"} {
		if strings.HasSuffix(key, kind) {
			return true
		}
	}
	for k := range f.j.within(i) {
		for _, member := range []string{"contentType", "dimensions", "sigFormat", "hash"} {
			if f.j.hasKeyFold(k, member) {
				return true
			}
		}
	}
	return strings.EqualFold(f.j.first(i, "resourceType"), "Binary")
}

// holdsString reports whether a value is a string, or a list that contains one.
func (f *fhir) holdsString(i int) bool {
	if f.j.kind(i) == '[' {
		for k := range f.j.within(i) {
			if f.holdsString(k) {
				return true
			}
		}
	}
	return f.j.kind(i) == '"'
}

// sampledData matches SampledData.data: numbers, and letters for values out of range.
var sampledData = regexp.MustCompile(`^\s*(?:(?:[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|[EUL])(?:\s+|$))*$`)

// isSignature reports whether data is a signature that does not contain what it signs: a JWS with
// an empty payload, or bytes that are not text.
func isSignature(encoded string) bool {
	raw, err := decodeBase64(encoded)
	return err == nil && (detachedJWS.Match(raw) || !readable(raw) && !mostlyReadable(raw) && !someWord.Match(raw))
}

// someWord matches a word in ASCII or UTF-16, such as the name in a certificate.
var someWord = regexp.MustCompile(`[A-Za-z]{8}|(?:[A-Za-z]\x00){5}|(?:\x00[A-Za-z]){5}`)

// mostlyReadable reports whether nine of ten bytes, apart from NULs and byte order marks, are ASCII
// text. Such bytes are text in UTF-16 or Latin-1, or text with stray bytes.
func mostlyReadable(raw []byte) bool {
	n, rest := 0, 0
	for _, c := range raw {
		switch {
		case c >= ' ' && c < 0x7f || isSpace(c):
			n++
		case c != 0 && c < 0xfe:
			rest++
		}
	}
	return n >= 9*rest
}

var detachedJWS = regexp.MustCompile(`^eyJ[-\w]+\.\.[-\w]+$`)

// decode makes a note of the base64 in a string.
func (f *fhir) decode(where int, r resource, a attachment) {
	contentType := ""
	if len(a.types) > 0 {
		contentType = f.j.text(a.types[0])
	}
	about := slices.Concat(a.sizes, a.hashes)
	if _, err := attached(contentType, f.dropParts); err != nil {
		f.unexamined(where, err.Error(), about...)
		return
	}
	blob, err := decodeBase64(f.j.text(where))
	if err != nil {
		f.unexamined(where, "an attachment that is not base64", about...)
		return
	}
	for _, i := range about {
		if k := f.j.kind(i); k == '{' || k == '[' {
			f.fail(i, "an attachment whose size or hash is not a single value")
			return
		}
	}
	f.path = append(f.path, ".data")
	defer func() { f.path = f.path[:len(f.path)-1] }()
	f.encoded(where, r, contentType, blob, a.sizes, a.hashes)
}

// encoded makes a note of the bytes encoded in base64 in a string. Edits update the sizes and
// hashes that describe them.
func (f *fhir) encoded(where int, r resource, contentType string, blob []byte, sizes, hashes []int) {
	about := slices.Concat(sizes, hashes)
	decode, err := attached(contentType, f.dropParts)
	if err != nil {
		f.unexamined(where, err.Error(), about...)
		return
	}
	a, err := decode(blob)
	if err != nil {
		f.unexamined(where, err.Error(), about...)
		return
	}
	if kind := unreadableText(a.text, true); kind != "" && f.dropParts {
		f.unexamined(where, "an attachment that is "+kind+", which cannot be examined", about...)
		return
	}
	put := func(i int, raw string) Edit { return Edit{Start: f.j.from(i), End: f.j.to(i), New: raw} }
	quoted := func(raw []byte) string { return `"` + base64.StdEncoding.EncodeToString(raw) + `"` }
	f.dropped += a.dropped
	f.add(where, r, a.text, func(edits []Edit) []Edit {
		blob := a.encode(edits)
		out := []Edit{put(where, quoted(blob))}
		for _, i := range sizes {
			out = append(out, put(i, strconv.Itoa(len(blob))))
		}
		for _, i := range hashes {
			sum := sha1.Sum(blob) //nolint:gosec // as above
			out = append(out, put(i, quoted(sum[:])))
		}
		return out
	})
	f.notes[len(f.notes)-1].always = a.always
}

// plainText contains the content types whose bytes are the text, without escapes or markup that
// could hide a part of it.
var plainText = []string{"text/plain", "text/markdown", "text/x-markdown", "text/csv", "text/tab-separated-values"}

var (
	htmlTypes = []string{"text/html", "application/xhtml+xml"}
	rtfTypes  = []string{"application/rtf", "text/rtf", "application/x-rtf", "text/richtext"}
)

// attachedText is the text in an attachment, with a function that returns the bytes after edits of the text.
type attachedText struct {
	inside
	encode func([]Edit) []byte
}

// attachedRTF reads an attachment in RTF.
func attachedRTF(blob []byte, drop bool) (attachedText, error) {
	x, err := rtfInside(string(blob), drop)
	return attachedText{x, func(edits []Edit) []byte { return []byte(apply(string(blob), x.below(edits))) }}, err
}

// attached returns a function that decodes bytes of a content type into their text. For drop see
// Options.Drop.
func attached(contentType string, drop bool) (func([]byte) (attachedText, error), error) {
	kind, params, err := mime.ParseMediaType(contentType)
	if err == nil && slices.Contains(rtfTypes, kind) {
		return func(blob []byte) (attachedText, error) { return attachedRTF(blob, drop) }, nil
	}
	isHTML := slices.Contains(htmlTypes, kind)
	if err != nil || !isHTML && !slices.Contains(plainText, kind) {
		return nil, errors.New("an attachment that is not text and cannot be examined")
	}
	cs, err := charset(params["charset"])
	if err != nil {
		return nil, errors.New("an attachment in a charset other than UTF-8, US-ASCII, ISO-8859-1 and windows-1252")
	}
	return func(blob []byte) (none attachedText, _ error) {
		if !isHTML && isRTF(string(blob)) {
			return attachedRTF(blob, drop)
		}
		if cs != nil {
			blob = cs.toUTF8(blob)
		}
		if !utf8.Valid(blob) {
			return none, errors.New("an attachment that is not in its charset (UTF-8 if it declares none)")
		}
		text := string(blob)
		if clinicalDocument.MatchString(text[:min(len(text), 1<<16)]) || !isHTML && contentKind(text[:min(len(text), contentPeek)]) == "xml" {
			return none, errors.New("an attachment that is a document in XML, such as CDA, which cannot be examined")
		}
		if !isHTML {
			return attachedText{inside{text: text, below: slices.Clone[[]Edit]}, func(edits []Edit) []byte { return cs.fromUTF8([]byte(apply(text, edits))) }}, nil
		}
		v, err := htmlView(text)
		if err != nil {
			return none, err
		}
		return attachedText{inside{text: v.text.String(), below: v.below}, func(edits []Edit) []byte { return cs.fromUTF8([]byte(apply(text, v.below(edits)))) }}, nil
	}, nil
}

var clinicalDocument = regexp.MustCompile(`(?i)<(?:[\w.-]+:)?ClinicalDocument[\s>/]|urn:hl7-org:v3`)
