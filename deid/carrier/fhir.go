package carrier

import (
	"bytes"
	"cmp"
	"crypto/sha1" //nolint:gosec // FHIR's hash of an attachment is SHA-1
	"encoding/base64"
	"fmt"
	"iter"
	"mime"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/net"
)

// readFHIR reads resources of FHIR (R4, R5) as JSON: one in a file, a Bundle
// among them, or one a line (NDJSON): a file whose first line is a JSON value
// of its own, or whose name ends in .ndjson. Notes are, wherever they stand in a
// resource:
//
//   - the data of an Attachment or Binary whose contentType is text: text/plain,
//     text/html and the like; in base64, in UTF-8, US-ASCII, ISO-8859-1 or
//     windows-1252 as its charset says. Its size and hash, where given, are
//     those of the new data
//   - the narrative, text.div
//   - the text of Annotations (note), conclusion, comment, and the strings
//     valueString and contentString
//
// All else stays: names, identifiers, birth dates, references, codes. So do the title of an
// Attachment, and an Attachment with nothing but a url. A resource with data that is no text, such
// as a PDF or a photo, cannot be examined, and is refused.
//
// The note's ID is ResourceType/id and the path to the text; its patient is the id in
// the resource's subject or patient, or the Patient itself. What a Patient in the
// same record (a Bundle) says of names, identifiers, addresses and telecoms is known
// of the notes of that patient, and where there is but one, of all notes without.
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
		return lines(in, func(raw []byte, line, offset int) (*Record, error) { return fhirRecord(in, raw, line, offset) })
	}
	return one(in, func(raw []byte) (*Record, error) { return fhirRecord(in, raw, 1, 0) })
}

func fhirRecord(in *source, raw []byte, line, offset int) (*Record, error) {
	if line == 1 && len(bytes.TrimSpace(bytes.TrimPrefix(raw, []byte(utf8BOM)))) == 0 {
		return &Record{Raw: raw, Line: line}, nil
	}
	j, start, err := object(in, raw, line, offset)
	if err != nil {
		return nil, err
	}
	f := fhir{in: in, j: j, line: line, offset: offset, known: map[string][]net.Value{}}
	f.object(start, resource{name: fmt.Sprintf("%s-%04d", in.id(), line)}, "", "")
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
	return &Record{Raw: raw, Line: line, Notes: f.notes}, nil
}

// fhir walks through the resources of a record.
type fhir struct {
	in           *source
	j            jsonWalk
	line, offset int
	counted      place // in the record: the last place whose line was asked for
	notes        []*Note
	known        map[string][]net.Value // by the id of a Patient
	err          error                  // the first
}

// resource is the one that a value belongs to.
type resource struct {
	name    string // ResourceType/id
	patient string
}

func (f *fhir) fail(at int, reason string) {
	if f.err == nil {
		f.err = f.in.defect(f.lineAt(at), f.offset+at, reason)
	}
}

// lineAt is the line of a place. It counts from the one before, since a Bundle has many.
func (f *fhir) lineAt(at int) int {
	c := &f.counted
	if at >= c.offset {
		c.line += bytes.Count(f.j[c.offset:at], []byte("\n"))
	} else {
		c.line -= bytes.Count(f.j[at:c.offset], []byte("\n"))
	}
	c.offset = at
	return f.line + c.line
}

// object walks through the object at a place. Key is that under which it stands.
func (f *fhir) object(at int, r resource, path, key string) {
	if kind := f.j.first(at, "resourceType"); kind != "" {
		r, path = f.resource(at, kind, r), ""
	}
	f.attachment(at, r, path)
	f.j.members(at, func(name string, from, _ int) {
		under := name
		if path != "" {
			under = path + "." + name
		}
		switch f.j[from] {
		case '{':
			f.object(from, r, under, name)
		case '[':
			f.array(from, r, under, name)
		case '"':
			switch name {
			case "div":
				f.text(from, r, under, xhtmlView)
			case "conclusion", "comment", "valueString", "contentString", "valueMarkdown", "contentMarkdown":
				f.text(from, r, under, nil)
			case "text":
				if key == "note" { // an Annotation
					f.text(from, r, under, nil)
				}
			}
		}
	})
}

func (f *fhir) array(at int, r resource, path, key string) {
	i := 0
	f.j.elements(at, func(from, _ int) {
		under := path + "[" + strconv.Itoa(i) + "]"
		switch i++; f.j[from] {
		case '{':
			f.object(from, r, under, key)
		case '[':
			f.array(from, r, under, key)
		}
	})
}

// resource says whose the resource at a place is, and learns from a Patient.
func (f *fhir) resource(at int, kind string, outer resource) resource {
	id := f.j.first(at, "id")
	r := resource{name: kind, patient: outer.patient}
	if id != "" {
		r.name += "/" + id
	} else {
		r.name = outer.name + "/" + kind
	}
	for _, key := range []string{"subject", "patient"} {
		if ref := f.j.first(at, key, "reference"); ref != "" {
			r.patient = ref[strings.LastIndexAny(ref, "/:")+1:]
			break
		}
	}
	if kind == "Patient" {
		r.patient = cmp.Or(id, r.name)
		f.learn(at, r.patient)
	}
	return r
}

// learn keeps what the Patient at a place says.
func (f *fhir) learn(at int, patient string) {
	add := func(kind net.Kind, text string) {
		if strings.TrimSpace(text) != "" {
			f.known[patient] = append(f.known[patient], net.Value{Kind: kind, Text: text})
		}
	}
	for name := range f.each(at, "name") {
		if text := f.j.first(name, "text"); text != "" {
			add(net.Name, text)
		}
		parts := append(f.strings(name, "given"), f.j.first(name, "family"))
		add(net.Name, strings.Join(parts, " "))
	}
	for id := range f.each(at, "identifier") {
		add(net.ID, f.j.first(id, "value"))
	}
	for telecom := range f.each(at, "telecom") {
		kind := net.Phone
		if f.j.first(telecom, "system") == "email" {
			kind = net.Email
		}
		add(kind, f.j.first(telecom, "value"))
	}
	for address := range f.each(at, "address") {
		for _, line := range f.strings(address, "line") {
			add(net.Street, line)
		}
		add(net.City, f.j.first(address, "city"))
		add(net.ZIP, f.j.first(address, "postalCode"))
	}
}

// each is the places of the objects in an array under a key.
func (f *fhir) each(at int, key string) iter.Seq[int] {
	return func(yield func(int) bool) {
		var all []int
		f.j.find(at, []string{key}, func(from, _ int) {
			if f.j[from] == '[' {
				f.j.elements(from, func(from, _ int) {
					if f.j[from] == '{' {
						all = append(all, from)
					}
				})
			}
		})
		for _, from := range all {
			if !yield(from) {
				return
			}
		}
	}
}

// strings is those in an array under a key.
func (f *fhir) strings(at int, key string) []string {
	var all []string
	f.j.find(at, []string{key}, func(from, _ int) {
		if f.j[from] == '[' {
			f.j.elements(from, func(from, _ int) {
				if f.j[from] == '"' {
					all = append(all, f.j.plain(from))
				}
			})
		}
	})
	return all
}

// text makes a note of a string, whose text inner finds (nil: it is the text).
func (f *fhir) text(at int, r resource, path string, inner func(string) *view) {
	outer, bad, err := f.j.stringView(at)
	if err != nil {
		f.fail(bad, err.Error())
		return
	}
	text, below := outer.text.String(), outer.below
	if inner != nil {
		v := inner(text)
		text, below = v.text.String(), func(edits []Edit) []Edit { return outer.below(v.below(edits)) }
	}
	f.add(at, r, path, text, below)
}

func (f *fhir) add(at int, r resource, path, text string, below func([]Edit) []Edit) {
	f.notes = append(f.notes, &Note{
		Document: &data.Document{ID: r.name + "#" + path, Patient: r.patient, Text: text},
		Line:     f.lineAt(at),
		below:    below,
	})
}

// attachment makes a note of data in base64 in the object at a place, if it has any.
func (f *fhir) attachment(at int, r resource, path string) {
	var datas, sizes, hashes []int
	other := false // SampledData and Signature have data of another kind
	f.j.members(at, func(key string, from, _ int) {
		switch key {
		case "data":
			if f.j[from] == '"' {
				datas = append(datas, from)
			}
		case "size":
			sizes = append(sizes, from)
		case "hash":
			hashes = append(hashes, from)
		case "dimensions", "sigFormat", "who":
			other = true
		}
	})
	if len(datas) == 0 || other {
		return
	}
	where := datas[0]
	encoded := f.j.plain(where)
	if encoded == "" {
		return
	}
	if len(datas) > 1 {
		f.fail(where, "an attachment with two keys data")
		return
	}
	decode, err := attached(f.j.first(at, "contentType"))
	if err != nil {
		f.fail(where, err.Error())
		return
	}
	blob, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(encoded), ""))
	if err != nil {
		f.fail(where, "an attachment that is not base64")
		return
	}
	text, below, err := decode(blob)
	if err != nil {
		f.fail(where, err.Error())
		return
	}
	f.add(where, r, strings.TrimPrefix(path+".data", "."), text, func(edits []Edit) []Edit {
		blob := below(edits)
		out := []Edit{{Start: where + 1, End: f.j.end(where) - 1, New: base64.StdEncoding.EncodeToString(blob)}}
		for _, from := range sizes {
			out = append(out, Edit{Start: from, End: f.j.end(from), New: strconv.Itoa(len(blob))})
		}
		for _, from := range hashes {
			sum := sha1.Sum(blob) //nolint:gosec // as above
			out = append(out, Edit{Start: from, End: f.j.end(from), New: `"` + base64.StdEncoding.EncodeToString(sum[:]) + `"`})
		}
		return out
	})
}

// attached says how text of a content type is read: what text the bytes hold, and how
// edits of it make new bytes.
func attached(contentType string) (func([]byte) (string, func([]Edit) []byte, error), error) {
	kind, params, err := mime.ParseMediaType(contentType)
	if err != nil || !strings.HasPrefix(kind, "text/") && kind != "application/xhtml+xml" || kind == "text/rtf" {
		return nil, fmt.Errorf("an attachment that is no text, and cannot be examined")
	}
	cs, err := charset(params["charset"])
	if err != nil {
		return nil, fmt.Errorf("an attachment in a charset other than UTF-8, US-ASCII, ISO-8859-1 and windows-1252")
	}
	marked := kind == "text/html" || kind == "text/xml" || kind == "application/xhtml+xml"
	return func(blob []byte) (string, func([]Edit) []byte, error) {
		if cs != nil {
			blob = cs.toUTF8(blob)
		}
		if !utf8.Valid(blob) {
			return "", nil, fmt.Errorf("an attachment that is not in its charset, UTF-8 unless it says another")
		}
		text := string(blob)
		if !marked {
			return text, func(edits []Edit) []byte { return cs.fromUTF8([]byte(apply(text, edits))) }, nil
		}
		v := xhtmlView(text)
		return v.text.String(), func(edits []Edit) []byte { return cs.fromUTF8([]byte(apply(text, v.below(edits)))) }, nil
	}, nil
}
