// Package fhir reads resources of FHIR.
package fhir

import (
	"bytes"
	"cmp"
	"crypto/sha1" //nolint:gosec // FHIR's hash of an attachment is SHA-1
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/field"
	"github.com/lethe-deid/lethe/deid/notefile/internal/attachment"
	"github.com/lethe-deid/lethe/deid/notefile/internal/base"
	"github.com/lethe-deid/lethe/deid/notefile/internal/htmltext"
	"github.com/lethe-deid/lethe/deid/notefile/internal/jsontree"
	"github.com/lethe-deid/lethe/deid/notefile/internal/markup"
	"github.com/lethe-deid/lethe/deid/safetynet"
	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// Read reads resources of FHIR (R4, R5) as JSON: one per file, which may be a Bundle, or one
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
// The ID of a note is ResourceType/id and the path to the text. Its patient is the Patient itself,
// or the one that the resource's subject, patient or a similar element refers to, by any form of
// reference: see patientOf. Names, identifiers, addresses and telecoms of a Patient in the same
// record (a Bundle) are known values for the notes of that patient. If there is only one Patient,
// they are known values for all notes without a patient as well.
func Read(in *base.Source, o base.Options) base.Records {
	byLine := strings.EqualFold(in.Ext(), ".ndjson")
	if !byLine {
		first, _ := in.In.Peek(1 << 16)
		if n := bytes.IndexByte(first, '\n'); n >= 0 {
			_, byLine = jsontree.Valid(bytes.TrimPrefix(first[:n], []byte(markup.BOM)))
		} else {
			byLine = len(first) == 1<<16 && first[0] == '{' && !bytes.Contains(first, []byte("\n")) // one long line
		}
	}
	if byLine {
		return base.Lines(in, func(raw []byte, line, offset int) (*base.Record, error) { return readRecord(in, o, raw, line, offset) })
	}
	return base.One(in, true, func(raw []byte) (*base.Record, error) { return readRecord(in, o, raw, 1, 0) })
}

// readRecord reads a resource.
func readRecord(in *base.Source, o base.Options, raw []byte, line, offset int) (*base.Record, error) {
	if line == 1 && len(bytes.TrimSpace(bytes.TrimPrefix(raw, []byte(markup.BOM)))) == 0 {
		return &base.Record{Raw: raw, Line: line}, nil
	}
	j, err := jsontree.Object(in, raw, line, offset)
	if err != nil {
		return nil, err
	}
	f := reader{in: in, j: j, line: line, offset: offset, dropParts: o.Drop, known: map[string][]safetynet.Value{}}
	if j.First(0, "resourceType") == "" {
		return nil, in.Defect(line, -1, "not FHIR: an object without a resourceType")
	}
	if o.Fields != nil {
		f.fields = newFieldRules(o)
	}
	f.findTargets()
	f.object(0, resource{name: fmt.Sprintf("%s-%04d", in.ID(), line)}, "")
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
	record := &base.Record{Raw: raw, Line: line, Notes: f.notes, Dropped: f.dropped, Fixed: f.masks, Known: f.known, Aliases: f.aliases()}
	if f.fields != nil {
		f.finishFields(record)
	}
	return record, nil
}

// reader walks through the resources of a record.
type reader struct {
	in           *base.Source
	j            *jsontree.Tree
	line, offset int
	counted      base.Place // the last place in the record whose line was computed
	path         []string
	targets      targets
	places       map[string]bool // the ids and names of elements of narratives; nil: not collected yet
	notes        []*base.Note
	known        map[string][]safetynet.Value // values by the id of a Patient
	fields       *fieldRules                  // nil if fields stay
	dropParts    bool                         // see Options.Drop
	dropped      int                          // number of parts that are dropped
	masks        []markup.Edit                // the edits that drop them
	err          error                        // the first error
}

// resource is the resource that a value belongs to.
type resource struct {
	name    string // ResourceType/id
	patient string
	whole   string // the resource, or the one that contains it, as references name it
	depth   int    // number of path elements of the record that lead to it
}

// maxDepth is the maximum depth of nested values. Resources have some twenty levels.
const maxDepth = 250

func (f *reader) fail(i int, reason string) { f.failAt(f.j.From(i), reason) }

func (f *reader) failAt(at int, reason string) {
	if f.err == nil {
		f.err = f.in.Defect(f.lineAt(at), f.offset+at, reason)
	}
}

// unexamined drops a member that cannot be examined, together with the members that describe it, or
// fails for the given reason.
func (f *reader) unexamined(i int, reason string, also ...int) {
	all := append([]int{i}, also...)
	for _, k := range all {
		if !f.dropParts || f.j.Values[k].Key == 0 || strings.HasPrefix(f.j.Key(k), "_") || f.hasMember(f.j.Parent(k), "_"+f.j.Key(k)) {
			f.fail(i, reason)
			return
		}
	}
	for _, k := range all {
		f.masks = append(f.masks, markup.Edit{Start: int(f.j.Values[k].Key), End: f.j.To(k), New: `"` + jsontree.Escape("_"+f.j.Key(k)) + `":` + absent})
	}
	f.dropped++
}

// absent is the value of the member _x of a resource without the member x.
const absent = `{"extension":[{"url":"http://hl7.org/fhir/StructureDefinition/data-absent-reason","valueCode":"masked"}]}`

// hasMember reports whether an object has a member with this key.
func (f *reader) hasMember(i int, key string) bool {
	for k := range f.j.Within(i) {
		if f.j.HasKey(k, key) {
			return true
		}
	}
	return false
}

// lineAt returns the line of a position. It counts from the previous position, because a Bundle has
// many.
func (f *reader) lineAt(at int) int {
	c := &f.counted
	if at >= c.Offset {
		c.Line += bytes.Count(f.j.Raw[c.Offset:at], []byte("\n"))
	} else {
		c.Line -= bytes.Count(f.j.Raw[at:c.Offset], []byte("\n"))
	}
	c.Offset = at
	return f.line + c.Line
}

// value examines a value that is, itself or in arrays, under a key of an object, which in turn is
// under the key outer. Keys are in lower case, because some readers ignore case.
func (f *reader) value(i int, r resource, key, outer string) {
	if f.err != nil {
		return
	}
	if len(f.path) > maxDepth {
		f.fail(i, fmt.Sprintf("values nested more than %d deep", maxDepth))
		return
	}
	if f.field(i, r, key) {
		return
	}
	if isText(key, outer) && strings.IndexByte(`"[n`, f.j.Kind(i)) < 0 { // null is empty
		f.fail(i, "an object, a number or a boolean instead of a text")
		return
	}
	switch f.j.Kind(i) {
	case '{':
		f.object(i, r, key)
	case '[':
		n := 0
		for k := range f.j.Within(i) {
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
func (f *reader) object(i int, r resource, key string) {
	defer f.enterObject(i)()
	if kind := f.j.First(i, "resourceType"); kind != "" {
		r = f.resource(i, kind, r)
	}
	f.attachment(i, r, key)
	if key == "note" && f.isUnread(i) {
		f.fail(i, "an Annotation without a text, but with other strings")
		return
	}
	if f.isAnnotation(i, key) && f.j.First(i, "resourceType") == "" { // the text of a resource is its narrative
		key = "note"
	}
	for k := range f.j.Within(i) {
		name := f.j.Key(k)
		f.path = append(f.path, "."+name)
		back := f.enter(name)
		f.value(k, r, strings.ToLower(name), key)
		back()
		f.path = f.path[:len(f.path)-1]
	}
}

// isAnnotation reports whether an object is an Annotation: its key contains the type
// (valueAnnotation), or it has members that only an Annotation has beside its text.
func (f *reader) isAnnotation(i int, key string) bool {
	if key == "note" || strings.HasSuffix(key, "annotation") {
		return true
	}
	for k := range f.j.Within(i) {
		if f.j.HasKeyFold(k, "authorString") || f.j.HasKeyFold(k, "authorReference") {
			return true
		}
	}
	return false
}

// isUnread reports whether an Annotation has no text, but strings under keys that it should not
// have.
func (f *reader) isUnread(i int) bool {
	unread := false
	for k := range f.j.Within(i) {
		switch key := strings.ToLower(strings.TrimPrefix(f.j.Key(k), "_")); key {
		case "text":
			return false
		case "id", "time", "authorstring", "authorreference", "extension", "fhir_comments":
		default:
			unread = unread || key != "resourcetype" && f.j.Kind(k) == '"'
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
func (f *reader) string(i int, r resource, key, outer string) {
	switch {
	case key == "div":
		f.text(i, r, htmltext.Read)
	case isBase64(key):
		f.binary(i, r)
	case key == "note" || isText(key, outer) || f.fields != nil && f.action(i, key) == field.Text:
		f.text(i, r, nil)
	default:
		if raw := f.j.Raw[f.j.From(i)+1:]; strings.IndexByte("dD \t\\", raw[0]) >= 0 && htmltext.DataURL.MatchString(f.j.Text(i)) {
			f.unexamined(i, "a URL that contains data, which cannot be examined")
		}
	}
}

// binary makes a note of a string in base64 without a declared type. It refuses data that is not
// text, because it cannot be examined.
func (f *reader) binary(i int, r resource) {
	if f.j.To(i)-f.j.From(i) == len(`""`) {
		return
	}
	blob, err := attachment.DecodeBase64(f.j.Text(i))
	if err != nil || !attachment.Readable(blob) {
		f.unexamined(i, "binary data that is not text and cannot be examined")
		return
	}
	f.encoded(i, r, "text/plain", blob, nil, nil)
}

// resource returns the resource that an object is, with its patient, and learns from a Patient.
func (f *reader) resource(i int, kind string, outer resource) resource {
	id := f.j.First(i, "id")
	r := resource{name: kind, patient: outer.patient, whole: f.named(f.container(i)).name, depth: len(f.path)}
	if id != "" {
		r.name += "/" + id
	} else {
		r.name = outer.name + "/" + kind
	}
	switch kind {
	case "Patient":
		r.patient = f.named(i).name
		f.learn(i, r.patient)
	case "Bundle": // its entries have patients of their own
	default:
		if r.patient = cmp.Or(f.patientOf(i), outer.patient); r.patient == "" {
			r.patient = f.reachedPatient(i)
		}
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
func (f *reader) learn(i int, patient string) {
	add := func(kind safetynet.Kind, text string) {
		if strings.TrimSpace(text) != "" {
			f.known[patient] = append(f.known[patient], safetynet.Value{Kind: kind, Text: text})
		}
	}
	for _, name := range f.each(i, "name", '{') {
		if text := f.j.First(name, "text"); text != "" {
			add(safetynet.Name, text)
		}
		parts := append(f.strings(name, "given"), f.j.First(name, "family"))
		add(safetynet.Name, strings.Join(parts, " "))
	}
	for _, id := range f.each(i, "identifier", '{') {
		add(safetynet.ID, f.j.First(id, "value"))
	}
	for _, telecom := range f.each(i, "telecom", '{') {
		kind := safetynet.Phone
		if f.j.First(telecom, "system") == "email" {
			kind = safetynet.Email
		}
		add(kind, f.j.First(telecom, "value"))
	}
	for _, address := range f.each(i, "address", '{') {
		for _, line := range f.strings(address, "line") {
			add(safetynet.Street, line)
		}
		add(safetynet.City, f.j.First(address, "city"))
		add(safetynet.ZIP, f.j.First(address, "postalCode"))
	}
}

// each returns the values of a kind in an array under a key.
func (f *reader) each(i int, key string, kind byte) []int {
	var all []int
	f.j.Find(i, []string{key}, func(array int) {
		if f.j.Kind(array) != '[' {
			return
		}
		for k := range f.j.Within(array) {
			if f.j.Kind(k) == kind {
				all = append(all, k)
			}
		}
	})
	return all
}

// strings returns the strings in an array under a key.
func (f *reader) strings(i int, key string) []string {
	var all []string
	for _, k := range f.each(i, key, '"') {
		all = append(all, f.j.Text(k))
	}
	return all
}

// text makes a note of a string. inner finds the text in the string; nil means that the string is
// the text.
func (f *reader) text(i int, r resource, inner func(string) (*htmltext.Text, error)) {
	outer, bad, err := f.j.StringView(i)
	if err != nil {
		f.failAt(bad, err.Error())
		return
	}
	text, below := outer.Text.String(), outer.Below
	if inner != nil {
		v, err := inner(text)
		if err != nil {
			f.fail(i, err.Error())
			return
		}
		var links []markup.Edit
		if f.fields != nil {
			links = f.links(text)
		}
		text, below = v.Text.String(), func(edits []markup.Edit) []markup.Edit {
			return outer.Below(besideLinks(v.Below(edits), links))
		}
		f.add(i, r, text, below)
		f.notes[len(f.notes)-1].Always = len(links) > 0
		return
	}
	f.add(i, r, text, below)
	if f.fields != nil {
		f.isString(i)
	}
}

// besideLinks returns the edits of a narrative together with those of its links, which count where both concern the same place.
func besideLinks(edits, links []markup.Edit) []markup.Edit {
	if len(links) == 0 {
		return edits
	}
	var all []markup.Edit
	for _, e := range edits {
		cut := false
		for _, l := range links {
			if e.Start < l.End && l.Start < e.End { // what is before the link, and then what is after it
				if e.Start < l.Start {
					all = append(all, markup.Edit{Start: e.Start, End: l.Start, New: e.New, Type: e.Type, Score: e.Score})
					e.New = ""
				}
				e.Start, cut = l.End, true
			}
		}
		if !cut || e.Start < e.End {
			all = append(all, e)
		}
	}
	all = append(all, links...)
	markup.SortEdits(all)
	return all
}

func (f *reader) add(i int, r resource, text string, below func([]markup.Edit) []markup.Edit) {
	path := strings.TrimPrefix(strings.Join(f.path[r.depth:], ""), ".")
	f.notes = append(f.notes, &base.Note{
		Document: &data.Document{ID: r.name + "#" + path, Patient: r.patient, Text: text},
		Resource: r.whole,
		Line:     f.lineAt(f.j.From(i)),
		Below:    below,
	})
}

// dataMembers contains the members of an object that has data.
type dataMembers struct {
	data, types, sizes, hashes []int
	sampled                    bool // it has dimensions, like SampledData
	signed                     bool // the key is that of a Signature
}

// attachment makes a note of data in base64 in an object, if it has any. It refuses a value under a
// key data that is not known to be harmless.
func (f *reader) attachment(i int, r resource, key string) {
	var a dataMembers
	for k := range f.j.Within(i) {
		if f.j.HasKeyFold(k, "data") && f.j.Kind(k) != 'n' && (f.holdsString(k) || f.hasData(i, key)) {
			a.data = append(a.data, k)
		}
	}
	if len(a.data) == 0 {
		return // objects under a key data, as in Consent, are examined as objects
	}
	if f.dropsData(i) {
		return
	}
	for k := range f.j.Within(i) {
		switch {
		case f.j.HasKeyFold(k, "contentType"):
			a.types = append(a.types, k)
		case f.j.HasKeyFold(k, "size"):
			a.sizes = append(a.sizes, k)
		case f.j.HasKeyFold(k, "hash"):
			a.hashes = append(a.hashes, k)
		case f.j.HasKeyFold(k, "dimensions"):
			a.sampled = true
		}
	}
	a.signed = strings.HasSuffix(key, "signature")
	where := a.data[0]
	switch untyped := len(a.types) == 0; {
	case len(a.data) > 1:
		f.fail(where, "an attachment with a duplicate key data")
	case f.j.Kind(where) != '"':
		f.fail(where, "an attachment whose data is not a string")
	case f.j.To(where)-f.j.From(where) == len(`""`):
	case len(a.types) > 1:
		f.fail(where, "an attachment with a duplicate key contentType")
	case untyped && a.sampled && sampledData.MatchString(f.j.Text(where)):
	case untyped && a.signed && isSignature(f.j.Text(where)):
	default:
		f.decode(where, r, a)
	}
}

// hasData reports whether an object is one with a string as data: a Binary, an Attachment,
// SampledData or a Signature.
func (f *reader) hasData(i int, key string) bool {
	for _, kind := range []string{"attachment", "sampleddata", "signature", "photo", "image"} {
		if strings.HasSuffix(key, kind) {
			return true
		}
	}
	for k := range f.j.Within(i) {
		for _, member := range []string{"contentType", "dimensions", "sigFormat", "hash"} {
			if f.j.HasKeyFold(k, member) {
				return true
			}
		}
	}
	return strings.EqualFold(f.j.First(i, "resourceType"), "Binary")
}

// holdsString reports whether a value is a string, or a list that contains one.
func (f *reader) holdsString(i int) bool {
	if f.j.Kind(i) == '[' {
		for k := range f.j.Within(i) {
			if f.holdsString(k) {
				return true
			}
		}
	}
	return f.j.Kind(i) == '"'
}

// sampledData matches SampledData.data: numbers, and letters for values out of range.
var sampledData = lazyregexp.New(`^\s*(?:(?:[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|[EUL])(?:\s+|$))*$`)

// isSignature reports whether data is a signature that does not contain what it signs: a JWS with
// an empty payload, or bytes that are not text.
func isSignature(encoded string) bool {
	raw, err := attachment.DecodeBase64(encoded)
	return err == nil && (detachedJWS.Match(raw) || !attachment.Readable(raw) && !mostlyReadable(raw) && !someWord.Match(raw))
}

// someWord matches a word in ASCII or UTF-16, such as the name in a certificate.
var someWord = lazyregexp.New(`[A-Za-z]{8}|(?:[A-Za-z]\x00){5}|(?:\x00[A-Za-z]){5}`)

// mostlyReadable reports whether nine of ten bytes, apart from NULs and byte order marks, are ASCII
// text. Such bytes are text in UTF-16 or Latin-1, or text with stray bytes.
func mostlyReadable(raw []byte) bool {
	n, rest := 0, 0
	for _, c := range raw {
		switch {
		case c >= ' ' && c < 0x7f || markup.IsSpace(c):
			n++
		case c != 0 && c < 0xfe:
			rest++
		}
	}
	return n >= 9*rest
}

var detachedJWS = lazyregexp.New(`^eyJ[-\w]+\.\.[-\w]+$`)

// decode makes a note of the base64 in a string.
func (f *reader) decode(where int, r resource, a dataMembers) {
	contentType := ""
	if len(a.types) > 0 {
		contentType = f.j.Text(a.types[0])
	}
	about := slices.Concat(a.sizes, a.hashes)
	if _, err := attachment.Decoder(contentType, f.dropParts); err != nil {
		f.unexamined(where, err.Error(), about...)
		return
	}
	blob, err := attachment.DecodeBase64(f.j.Text(where))
	if err != nil {
		f.unexamined(where, "an attachment that is not base64", about...)
		return
	}
	for _, i := range about {
		if k := f.j.Kind(i); k == '{' || k == '[' {
			f.fail(i, "an attachment whose size or hash is not a single value")
			return
		}
	}
	hashes := a.hashes
	if f.fields != nil {
		hashes = slices.DeleteFunc(slices.Clone(hashes), func(i int) bool { return f.j.Text(i) != hashOf(blob) })
		for _, i := range hashes {
			f.fields.hashes[i] = true
		}
	}
	f.path = append(f.path, ".data")
	defer func() { f.path = f.path[:len(f.path)-1] }()
	f.encoded(where, r, contentType, blob, a.sizes, hashes)
}

// hashOf returns the hash that FHIR defines for the data of an attachment.
func hashOf(blob []byte) string {
	sum := sha1.Sum(blob) //nolint:gosec // as above
	return base64.StdEncoding.EncodeToString(sum[:])
}

// encoded makes a note of the bytes encoded in base64 in a string. Edits update the sizes and
// hashes that describe them.
func (f *reader) encoded(where int, r resource, contentType string, blob []byte, sizes, hashes []int) {
	about := slices.Concat(sizes, hashes)
	decode, err := attachment.Decoder(contentType, f.dropParts)
	if err != nil {
		f.unexamined(where, err.Error(), about...)
		return
	}
	a, err := decode(blob)
	if err != nil {
		f.unexamined(where, err.Error(), about...)
		return
	}
	if kind := markup.UnreadableText(a.Text, true); kind != "" && f.dropParts {
		f.unexamined(where, "an attachment that is "+kind+", which cannot be examined", about...)
		return
	}
	put := func(i int, raw string) markup.Edit { return markup.Edit{Start: f.j.From(i), End: f.j.To(i), New: raw} }
	f.dropped += a.Dropped
	f.add(where, r, a.Text, func(edits []markup.Edit) []markup.Edit {
		blob := a.Encode(edits)
		out := []markup.Edit{put(where, `"`+base64.StdEncoding.EncodeToString(blob)+`"`)}
		update := func(members []int, value string) {
			for _, i := range members {
				if f.fields == nil || !f.fields.gone[i] {
					out = append(out, put(i, value))
				}
			}
		}
		update(sizes, strconv.Itoa(len(blob)))
		update(hashes, `"`+hashOf(blob)+`"`)
		return out
	})
	f.notes[len(f.notes)-1].Always = a.Always
}
