package ann

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/lethe-deid/lethe/checkpoints"
	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/wholefile"
	"github.com/lethe-deid/lethe/taggers/crf/chain"
	"github.com/lethe-deid/lethe/taggers/crf/feature"
	"github.com/lethe-deid/lethe/taggers/internal/reader"
)

// features turns texts into values of the families of a configuration. Families are
// numbered in the order of the configuration, from 0, and so are the values of each
// family. It does not change once it is made, so several goroutines may use it at once.
// A nil pointer has no families; its methods return nothing and write nothing.
type features struct {
	families  []feature.Spec
	resources *feature.Resources
	extractor *feature.Extractor
	values    []familyValues
	family    []int32 // by attribute of the extractor
	id        []int32 // by attribute of the extractor: the number of its value in the family
}

// familyValues is the values of a family, as they are in checkpoints.FeaturesFile.
type familyValues struct {
	Family string         `json:"family"`
	Values []featureValue `json:"values"` // by number
}

// featureValue is what a value's number means.
type featureValue struct {
	Column string `json:"column"` // kind of value within the family, which is often its only one
	Offset int    `json:"offset"` // from the token that has the value to the one it is about
	Value  string `json:"value"`
}

// drawn has the features of a text, one sequence per sentence: see features.sentence.
type drawn []chain.Sequence

// fitFeatures collects the values that occur in the training texts. The first counted
// texts are those of notes, the rest those of copies; a value must occur in a note, and in those of minPatients patients. It
// also returns the features of each text. The result is nil if the configuration has no
// families. An error about a resource, or about a family without values, begins with the
// key.
func fitFeatures(ctx context.Context, cfg Features, texts []reader.Text, counted, minPatients, workers int) (*features, []drawn, error) {
	if cfg.IsZero() {
		return nil, make([]drawn, len(texts)), nil
	}
	resources, err := feature.Open(cfg.Resources, workers)
	if err != nil {
		return nil, nil, fmt.Errorf("features.%w", err)
	}
	prepared, err := prepare(ctx, cfg.Families, resources, texts)
	if err != nil {
		return nil, nil, err
	}
	extractor, sequences, err := feature.Fit(ctx, cfg.Families, resources, prepared, feature.Options{Counted: counted, MinDocuments: 1, MinPatients: minPatients, Workers: max(1, workers)})
	if err != nil {
		return nil, nil, err
	}
	f := newFeatures(cfg, resources, extractor)
	for i, v := range f.values {
		if len(v.Values) == 0 {
			return nil, nil, fmt.Errorf("features.families[%d].family: no token of the training notes has a value of %s", i, v.Family)
		}
	}
	all := make([]drawn, len(texts))
	for i := range sequences {
		all[i] = sequences[i]
	}
	return f, all, nil
}

// prepare tags the documents of the texts with general named entities and prepares the
// texts for drawing features. The texts of a document must be consecutive.
func prepare(ctx context.Context, families []feature.Spec, resources *feature.Resources, texts []reader.Text) ([]*feature.Text, error) {
	var docs []*data.Document
	for i, x := range texts {
		if i == 0 || x.Doc != texts[i-1].Doc {
			docs = append(docs, x.Doc)
		}
	}
	if err := feature.CheckColumns(families, docs); err != nil {
		return nil, err
	}
	foreign, err := resources.Foreign(ctx, docs)
	if err != nil {
		return nil, err
	}
	all := make([]*feature.Text, len(texts))
	doc := -1
	for i, x := range texts {
		if i == 0 || x.Doc != texts[i-1].Doc {
			doc++
		}
		all[i] = feature.NewText(x, foreign[doc])
	}
	return all, nil
}

// newFeatures numbers the values of each family in the order of the extractor's
// attributes.
func newFeatures(cfg Features, resources *feature.Resources, extractor *feature.Extractor) *features {
	f := &features{families: cfg.Families, resources: resources, extractor: extractor}
	names := cfg.names()
	for _, name := range names {
		f.values = append(f.values, familyValues{Family: name})
	}
	for _, a := range extractor.Attributes() {
		k := slices.Index(names, a.Family)
		of := &f.values[k]
		f.family, f.id = append(f.family, int32(k)), append(f.id, int32(len(of.Values)))
		of.Values = append(of.Values, featureValue{a.Column, a.Offset, a.Value})
	}
	return f
}

// sizes returns the number of values of each family, all of which are positive.
func (f *features) sizes() []int {
	if f == nil {
		return nil
	}
	var all []int
	for _, v := range f.values {
		all = append(all, len(v.Values))
	}
	return all
}

// foreign returns the general named entities of documents, which draw requires. The documents must have the columns
// that the families read.
func (f *features) foreign(ctx context.Context, docs []*data.Document) ([][]data.Span, error) {
	if f == nil {
		return make([][]data.Span, len(docs)), nil
	}
	if err := feature.CheckColumns(f.families, docs); err != nil {
		return nil, err
	}
	return f.resources.Foreign(ctx, docs)
}

// draw returns the features of a whole text, because those of a token can depend on
// other lines and sentences. foreign has the general named entities of its document.
func (f *features) draw(x reader.Text, foreign []data.Span) drawn {
	if f == nil {
		return nil
	}
	return f.extractor.Sequences(feature.NewText(x, foreign))
}

// drawEach draws the features of several texts: see feature.Extractor.Each.
func (f *features) drawEach(texts []*text) {
	if f == nil {
		return
	}
	prepared := make([]*feature.Text, len(texts))
	for i, x := range texts {
		prepared[i] = feature.NewText(x.cased, x.foreign)
	}
	for i, sequences := range f.extractor.Each(prepared) {
		texts[i].features = sequences
	}
}

// sentence returns the values of sentence i of a text: by family and token, distinct
// numbers in ascending order. With memory, they are valid until it is cleared.
func (f *features) sentence(d drawn, i int, memory *memory) [][][]int32 {
	if f == nil {
		return nil
	}
	s := &d[i]
	tokens := len(s.Ends)
	rows := memory.lists(len(f.values) * tokens)
	ids := memory.numbers(len(s.Attributes))
	for k, a := range s.Attributes {
		ids[k] = f.id[a]
	}
	from := 0
	for t, end := range s.Ends {
		for to := from; from < int(end); from = to { // the attributes of a family are adjacent
			family := f.family[s.Attributes[from]]
			for to < int(end) && f.family[s.Attributes[to]] == family {
				to++
			}
			rows[int(family)*tokens+t] = distinct(ids[from:to:to])
		}
	}
	all := make([][][]int32, len(f.values))
	for k := range all {
		all[k] = rows[k*tokens : (k+1)*tokens : (k+1)*tokens]
	}
	return all
}

// distinct sorts values in place and removes duplicates, such as the type of two rules
// that match the same token.
func distinct(values []int32) []int32 {
	if len(values) < 2 {
		return values
	}
	slices.Sort(values)
	return slices.Compact(values)
}

// save writes the values, and copies of the resources, into a model folder: see
// checkpoints.Model.Extra.
func (f *features) save(dir string) error {
	if f == nil {
		return nil
	}
	raw, err := json.Marshal(f.values)
	if err != nil {
		return err
	}
	if err := wholefile.WriteFile(filepath.Join(dir, checkpoints.FeaturesFile), append(raw, '\n'), 0o666); err != nil {
		return err
	}
	return f.resources.Save(dir)
}

// loadFeatures reads what save wrote into a model folder. It returns nil if the
// configuration has no families.
func loadFeatures(dir string, cfg Features, workers int) (*features, error) {
	if cfg.IsZero() {
		return nil, nil
	}
	path := filepath.Join(dir, checkpoints.FeaturesFile)
	raw, err := bounded.ReadFile(path, bounded.MaxModel)
	if err != nil {
		return nil, err
	}
	attributes, err := decodeFeatures(raw, cfg)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	resources, err := feature.LoadResources(dir, cfg.Resources, workers)
	if err != nil {
		return nil, err
	}
	extractor, err := feature.New(cfg.Families, resources, attributes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for i, a := range extractor.Attributes() {
		if a.Family != attributes[i].Family {
			return nil, fmt.Errorf("%s: a value of %s among those of %s", path, a.Family, attributes[i].Family)
		}
	}
	return newFeatures(cfg, resources, extractor), nil
}

// decodeFeatures returns the values as attributes, family by family.
func decodeFeatures(raw []byte, cfg Features) ([]feature.Attribute, error) {
	var values []familyValues
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&values); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("more than one JSON value")
	}
	var names []string
	var all []feature.Attribute
	for _, v := range values {
		names = append(names, v.Family)
		for _, one := range v.Values {
			all = append(all, feature.Attribute{Family: v.Family, Column: one.Column, Offset: one.Offset, Value: one.Value})
		}
	}
	if !slices.Equal(names, cfg.names()) {
		return nil, fmt.Errorf("the families %v differ from %v in config.yaml", names, cfg.names())
	}
	return all, nil
}
