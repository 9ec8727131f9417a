package inception

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/internal/notes"
	"github.com/lethe-deid/lethe/internal/cas"
	"github.com/lethe-deid/lethe/internal/xmlnotes"
)

// XMIExt is the extension of files in UIMA CAS XMI in a folder.
const XMIExt = ".xmi"

// ReadXMI reads one file in UIMA CAS XMI, or the .xmi files of a folder in the order of their names; it skips hidden files,
// subfolders and type systems, which it does not need. The text is that of the initial view. Annotations that consist of
// references to two others, as those of relation layers do, are not read.
//
// A bad file yields a *data.Error, and reading continues with the next. A file is refused if it is not in XMI in XML 1.0, has
// no text, or has annotations that are not within the text, have no type, or are in several layers.
func ReadXMI(path string, types *data.TypeSet, opt Options) data.Documents {
	return notes.Each(path, XMIExt, func(file string) (*data.Document, error) {
		raw, err := notes.ReadFile(file)
		if err != nil {
			return nil, err
		}
		return decodeXMI(raw, file, types, opt)
	})
}

// DecodeXMI reads the document of a stream. name replaces the path of a file.
func DecodeXMI(r io.Reader, name string, types *data.TypeSet, opt Options) (*data.Document, error) {
	raw, err := notes.ReadAll(r, name)
	if err != nil {
		return nil, err
	}
	return decodeXMI(raw, name, types, opt)
}

func decodeXMI(raw []byte, name string, types *data.TypeSet, opt Options) (*data.Document, error) {
	file, err := notes.XML(name, raw)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(strings.TrimPrefix(file, notes.BOM), `<?xml version="1.1"`) {
		return nil, notes.Defect(name, 1, -1, "the file is in XML 1.1: export it as CAS XMI (XML 1.0)")
	}
	type inSofa struct {
		annotation
		sofa string
	}
	var all []inSofa
	doc, err := cas.Parse(file, func(s cas.Structure) error {
		layer := opt.layer(s.Type())
		if _, relation := s.Values["Governor"]; relation || layer == "" || s.Values["begin"] == "" {
			return nil
		}
		a := inSofa{annotation{layer: layer, features: map[string]string{}, line: s.Line}, s.Values["sofa"]}
		for name, value := range s.Values {
			if !slices.Contains([]string{"sofa", "begin", "end"}, name) && !strings.Contains(name, ":") {
				a.features[name] = cas.Value(value)
			}
		}
		begin, err1 := notes.Offset(s.Values["begin"])
		end, err2 := notes.Offset(s.Values["end"])
		if err := errors.Join(err1, err2); err != nil {
			return notes.Defect(name, s.Line, -1, fmt.Sprintf("the begin or end of an annotation of the layer %s is not a number", layer))
		}
		a.begin, a.end = begin, end
		all = append(all, a)
		return nil
	})
	if _, located := errors.AsType[*data.Error](err); err != nil && !located {
		return nil, notes.Defect(name, 0, -1, err.Error())
	} else if err != nil {
		return nil, err
	}
	var ours []annotation
	for _, a := range all {
		if a.sofa == doc.Sofa {
			ours = append(ours, a.annotation)
		}
	}
	id := notes.ID(name)
	spans, line, err := opt.spans(ours, notes.NewUnits(doc.Text).Bytes, types)
	if err != nil {
		return nil, notes.Defect(name, line, -1, err.Error())
	}
	return &data.Document{ID: id, Patient: data.PatientOf(id), Text: doc.Text, Spans: spans}, nil
}

// CreateXMI returns a writer of notes into a folder, as ID.xmi. The annotations are named entities of INCEpTION, or those of the
// layer and the feature in the options, which must exist in the project that imports them. There are no tokens and sentences;
// INCEpTION adds them. The writer refuses text with a character that XML 1.0 does not allow. Scores, and a patient that does not
// follow from the ID, are not written.
func CreateXMI(dir string, types *data.TypeSet, opt Options) (data.Writer, error) {
	return notes.NewFolder(dir, types, func(doc *data.Document) ([]notes.Part, error) {
		content, err := encodeXMI(doc, opt)
		return []notes.Part{{Ext: XMIExt, Content: content}}, err
	})
}

// CreateXMIFile is CreateXMI for a single file, which appears at Close.
func CreateXMIFile(path string, types *data.TypeSet, opt Options) (data.Writer, error) {
	return notes.NewNote(path, types, func(doc *data.Document) ([]byte, error) { return encodeXMI(doc, opt) })
}

func encodeXMI(doc *data.Document, opt Options) ([]byte, error) {
	if at, char, illegal := xmlnotes.Illegal(doc.Text); illegal {
		return nil, fmt.Errorf("XML does not allow the character %U at byte %d of the text", char, at)
	}
	if _, _, illegal := xmlnotes.Illegal(doc.ID); illegal {
		return nil, errors.New("the id has a character that XML does not allow")
	}
	layer, feature := opt.written()
	space, local := cas.Element(layer)
	units := notes.NewUnits(doc.Text)
	spans := slices.Clone(doc.Spans)
	data.SortSpans(spans)
	const sofa, metadata, first = 1, 2, 3 // IDs
	var b strings.Builder
	fmt.Fprintf(&b, `<?xml version="1.0" encoding="UTF-8"?>
<xmi:XMI xmlns:xmi="%s" xmlns:cas="%s" xmlns:metadata="http:///de/tudarmstadt/ukp/dkpro/core/api/metadata/type.ecore" xmlns:layer="%s" xmi:version="2.0">
<cas:NULL xmi:id="0"/>
<metadata:DocumentMetaData xmi:id="%d" sofa="%d" begin="0" end="%d" language="x-unspecified" documentTitle="%s" documentId="%s"/>
`, cas.XMISpace, cas.Space, space, metadata, sofa, units.Count(), xmlnotes.EscapeAttribute(doc.ID), xmlnotes.EscapeAttribute(doc.ID))
	members := []string{strconv.Itoa(metadata)}
	for i, s := range spans {
		fmt.Fprintf(&b, "<layer:%s xmi:id=\"%d\" sofa=\"%d\" begin=\"%d\" end=\"%d\" %s=\"%s\"/>\n",
			local, first+i, sofa, units.Unit(s.Start), units.Unit(s.End), feature, xmlnotes.EscapeAttribute(s.Type))
		members = append(members, strconv.Itoa(first+i))
	}
	fmt.Fprintf(&b, "<cas:Sofa xmi:id=\"%d\" sofaNum=\"1\" sofaID=\"_InitialView\" mimeType=\"text/plain\" sofaString=\"%s\"/>\n", sofa, xmlnotes.EscapeAttribute(doc.Text))
	fmt.Fprintf(&b, "<cas:View sofa=\"%d\" members=\"%s\"/>\n</xmi:XMI>\n", sofa, strings.Join(members, " "))
	return []byte(b.String()), nil
}
