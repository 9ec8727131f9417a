// Package inception reads and writes the notes of INCEpTION and WebAnno: UIMA CAS XMI and WebAnno TSV 3. A file is a
// note; its ID is the file's name without extension, and names such as 110-04 contain the patient, 110.
//
// An annotation belongs to a layer, which is a type such as custom.PHI, and the type of a span is one of its features. The
// Options choose both. Without them, the layer is the one with annotations among those that INCEpTION calls Named entity and
// those that a project defines, and the feature is value or the only one. If there is a choice, or if an annotation does not
// have the feature, then that is an error. Annotations of other layers are not read.
//
// Offsets count units of UTF-16.
package inception

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/internal/notes"
)

// Format is one of the formats, XMI or TSV.
type Format struct {
	Ext       string                 // extension of the files in a folder
	Recognize func(head []byte) bool // reports whether a file that begins with these bytes is in this format

	decode func(raw []byte, name string, types *data.TypeSet, opt Options) (*data.Document, error)
	encode func(doc *data.Document, opt Options) ([]byte, error)
}

// Read reads one file, or the files of a folder and its subfolders in the order of their names; it skips hidden files. A bad file
// yields a *data.Error, and reading continues with the next.
//
// The path may also be that of an exported project, a ZIP archive or the folder of an unpacked one with its file
// exportedproject.json. Then the documents are those that the annotator in the options has annotated, and their IDs
// are their names without extension. If several have annotated, an annotator must be given; the curation is one,
// with the name Curation. A project is read in one pass; an archive that becomes more than 200 times as large is refused.
func (f Format) Read(path string, types *data.TypeSet, opt Options) data.Documents {
	return func(yield func(*data.Document, error) bool) {
		p, err := openProject(path)
		switch {
		case err != nil:
			yield(nil, err)
		case p != nil:
			defer p.close()
			p.read(f, types, opt)(yield)
		case opt.Annotator != "":
			yield(nil, notes.Defect(path, 0, -1, "not an exported project, of which the option annotator would choose an annotator"))
		default:
			f.files(path, types, opt)(yield)
		}
	}
}

// files reads a file or a folder.
func (f Format) files(path string, types *data.TypeSet, opt Options) data.Documents {
	return notes.Each(path, f.Ext, func(file string) (*data.Document, error) {
		raw, err := notes.ReadFile(file)
		if err != nil {
			return nil, err
		}
		return f.decode(raw, file, types, opt)
	})
}

// Decode reads the document of a stream. name replaces the path of a file.
func (f Format) Decode(r io.Reader, name string, types *data.TypeSet, opt Options) (*data.Document, error) {
	raw, err := notes.ReadAll(r, name)
	if err != nil {
		return nil, err
	}
	if isArchive(raw) {
		return nil, notes.Defect(name, 0, -1, "a ZIP archive, which cannot be read from a stream: give the path of its file")
	}
	return f.decode(raw, name, types, opt)
}

// Create returns a writer of notes into a folder, one file for each, with the name of its ID. The annotations are named entities of
// INCEpTION, or those of the layer and the feature in the options, which must exist in the project that imports them. Scores, and
// a patient that does not follow from the ID, are not written.
func (f Format) Create(dir string, types *data.TypeSet, opt Options) (data.Writer, error) {
	return notes.NewFolder(dir, types, func(doc *data.Document) ([]notes.Part, error) {
		content, err := f.encode(doc, opt)
		return []notes.Part{{Ext: f.Ext, Content: content}}, err
	})
}

// CreateFile is Create for a single file, which appears at Close.
func (f Format) CreateFile(path string, types *data.TypeSet, opt Options) (data.Writer, error) {
	return notes.NewNote(path, types, func(doc *data.Document) ([]byte, error) { return f.encode(doc, opt) })
}

// Options choose the annotations that are spans, and name those that are written.
type Options struct {
	// Layer is the name of a type, such as custom.PHI or
	// de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity. The default is described above; the
	// layer that is written is by default the latter.
	Layer string `yaml:"layer,omitempty"`
	// Feature is the name of its feature, by default value or the only one.
	Feature string `yaml:"feature,omitempty"`
	// Annotator is whose annotations of an exported project are read, by default those of the only
	// one. Those of the curation have the name CURATION_USER. It requires a project.
	Annotator string `yaml:"annotator,omitempty"`
}

// Names of layers and features.
const (
	entityPackage = "de.tudarmstadt.ukp.dkpro.core.api.ner.type."
	entityLayer   = entityPackage + "NamedEntity"
	valueFeature  = "value"
)

// Check returns an error for names that are not those of types and features.
func (o Options) Check() error {
	if o.Layer != "" && !isName(o.Layer, true) {
		return errors.New("layer: not the name of a layer, such as custom.PHI")
	}
	if o.Feature != "" && !isName(o.Feature, false) {
		return errors.New("feature: not the name of a feature, such as value")
	}
	return nil
}

// isName reports whether a name consists of letters, digits and underscores, perhaps in parts.
func isName(name string, dots bool) bool {
	for i, part := range strings.Split(name, ".") {
		if i > 0 && !dots || part == "" || part[0] >= '0' && part[0] <= '9' || strings.ContainsFunc(part, func(r rune) bool {
			return r != '_' && (r < '0' || r > '9' && r < 'A' || r > 'Z' && r < 'a' || r > 'z')
		}) {
			return false
		}
	}
	return true
}

// layer returns the layer of an annotation of a type, or "" if it is not to be read.
func (o Options) layer(typ string) string {
	switch {
	case o.Layer == typ:
		return typ
	case o.Layer != "":
		return ""
	case strings.HasPrefix(typ, entityPackage): // DKPro has subtypes, such as Person
		return entityLayer
	case strings.HasPrefix(typ, "custom."), strings.HasPrefix(typ, "webanno.custom."):
		return typ
	}
	return ""
}

// annotation is an annotation of a layer.
type annotation struct {
	layer      string
	begin, end int // in units of UTF-16
	features   map[string]string
	line       int // where it is
}

// spans returns the annotations of the chosen layer as spans. In the error, which has a line, the annotation has the number
// that it has in its layer.
func (o Options) spans(all []annotation, bytes func(begin, end int) (int, int, error), types *data.TypeSet) ([]data.Span, int, error) {
	features := map[string]map[string]bool{} // of the layers
	for _, a := range all {
		if features[a.layer] == nil {
			features[a.layer] = map[string]bool{}
		}
		for name := range a.features {
			features[a.layer][name] = true
		}
	}
	layers := slices.Sorted(maps.Keys(features))
	if len(layers) == 0 {
		return nil, 0, nil
	}
	if len(layers) > 1 {
		return nil, 0, fmt.Errorf("there are annotations of the layers %s: choose one with the option layer", strings.Join(layers, ", "))
	}
	feature, err := o.feature(layers[0], slices.Sorted(maps.Keys(features[layers[0]])))
	if err != nil {
		return nil, 0, err
	}
	var spans []data.Span
	for i, a := range all {
		typ, ok := a.features[feature]
		if !ok {
			return nil, a.line, fmt.Errorf("annotation %d of the layer %s has no %s", i+1, a.layer, feature)
		}
		if !types.Has(typ) {
			return nil, a.line, fmt.Errorf("annotation %d: %s", i+1, types.Lacks(typ))
		}
		from, to, err := bytes(a.begin, a.end)
		if err != nil {
			return nil, a.line, fmt.Errorf("annotation %d: %w", i+1, err)
		}
		spans = append(spans, data.Span{Start: from, End: to, Type: typ, Score: 1})
	}
	data.SortSpans(spans)
	return spans, 0, nil
}

// feature chooses one of the features that the annotations of a layer have.
func (o Options) feature(layer string, have []string) (string, error) {
	switch {
	case o.Feature != "":
		return o.Feature, nil
	case layer == entityLayer || slices.Contains(have, valueFeature):
		return valueFeature, nil
	case len(have) == 0:
		return "", fmt.Errorf("the annotations of the layer %s have no feature", layer)
	case len(have) > 1:
		return "", fmt.Errorf("the annotations of the layer %s have the features %s: choose one with the option feature", layer, strings.Join(have, ", "))
	}
	return have[0], nil
}

// written returns the layer and the feature that are written.
func (o Options) written() (layer, feature string) {
	return cmp.Or(o.Layer, entityLayer), cmp.Or(o.Feature, valueFeature)
}
