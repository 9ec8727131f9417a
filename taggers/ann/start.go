package ann

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/lethe-deid/lethe/checkpoints"
	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/strictyaml"
	"github.com/lethe-deid/lethe/nn"
	"github.com/lethe-deid/lethe/nn/tagger"
)

// The layers that Transfer names, in the order of the network.
var layers = []string{"characters", "token_embedding", "features", "token_lstm", "hidden", "logits", "crf"}

// layerOf returns the layer that a parameter belongs to, and the part of the layer, such as
// character_embedding.
func layerOf(param string) (layer, part string) {
	part, _, _ = strings.Cut(param, ".")
	switch {
	case strings.HasPrefix(part, "character_"):
		return "characters", part
	case strings.HasPrefix(part, "token_lstm"), strings.HasPrefix(part, "token_norm"):
		return "token_lstm", part
	}
	return part, part
}

// Transfer says what a network takes from the one that it starts from, and how it is trained further
// (Lee et al. 2018). The reference has the first as its parameters reload_*.
type Transfer struct {
	Layers []string           `yaml:"layers,omitempty"` // layers to take: characters, token_embedding, features, token_lstm, hidden, logits and crf; default: all that both networks have, and of a network without labels all but token_lstm
	Freeze []string           `yaml:"freeze,omitempty"` // layers that are taken and not trained further; default none
	Rates  map[string]float64 `yaml:"rates,omitempty"`  // factors of the learning rate by layer, positive; default 1
}

// IsZero reports whether all settings have their defaults.
func (t Transfer) IsZero() bool { return len(t.Layers)+len(t.Freeze)+len(t.Rates) == 0 }

// Validate returns an error that begins with the first key whose value makes no sense. start reports
// whether there is a network to start from.
func (t Transfer) Validate(start bool) error {
	rated := slices.Sorted(maps.Keys(t.Rates))
	for _, list := range []struct {
		key   string
		names []string
	}{{"layers", t.Layers}, {"freeze", t.Freeze}, {"rates", rated}} {
		for _, name := range list.names {
			if !slices.Contains(layers, name) {
				return fmt.Errorf(".%s: no layer %q (have %s)", list.key, name, strings.Join(layers, ", "))
			}
		}
	}
	if !start && !t.IsZero() {
		return errors.New(": requires start")
	}
	for _, name := range t.Freeze {
		if !t.takes(name) {
			return fmt.Errorf(".freeze: %s is not one of the layers that are taken", name)
		}
	}
	for _, name := range rated {
		if r := t.Rates[name]; !(r > 0) || math.IsInf(r, 0) {
			return fmt.Errorf(".rates.%s: %v is not a positive number", name, r)
		}
		if slices.Contains(t.Freeze, name) {
			return fmt.Errorf(".rates.%s: the layer is frozen", name)
		}
	}
	return nil
}

// effects returns an error that begins with the first key that has no effect on a network with these layers.
func (t Transfer) effects(has []string) error {
	for _, name := range slices.Sorted(maps.Keys(t.Rates)) {
		if !slices.Contains(has, name) {
			return fmt.Errorf("rates.%s: the network has no such layer", name)
		}
	}
	if !slices.ContainsFunc(has, func(layer string) bool { return !slices.Contains(t.Freeze, layer) }) {
		return errors.New("freeze: nothing is left to train, because the network has no other layers")
	}
	return nil
}

// takes reports whether a layer is taken if both networks have it.
func (t Transfer) takes(layer string) bool {
	return slices.Contains(layers, layer) && (t.Layers == nil || slices.Contains(t.Layers, layer))
}

// key returns the key that names a layer which must be taken, or "".
func (t Transfer) key(layer string) string {
	switch {
	case slices.Contains(t.Layers, layer):
		return "layers"
	case slices.Contains(t.Freeze, layer):
		return "freeze"
	}
	return ""
}

// rate returns the factor of the learning rate for a parameter.
func (t Transfer) rate(param string) float64 {
	layer, _ := layerOf(param)
	if slices.Contains(t.Freeze, layer) {
		return 0
	}
	if r, ok := t.Rates[layer]; ok {
		return r
	}
	return 1
}

// origin is the network that a training starts from. A nil pointer has no parameters.
type origin struct {
	dir      string
	model    *checkpoints.Model
	config   Config
	features []familyValues
	tensors  map[string]checkpoints.Tensor
	transfer Transfer
	digest   string // of the weights, whose file contains digests of all others
}

// openStart reads the network that the configuration names, if any.
func (c Config) openStart() (*origin, error) {
	if c.Start == "" {
		return nil, nil
	}
	o := &origin{dir: networkFolder(c.Start), config: DefaultConfig(), transfer: c.Transfer, tensors: map[string]checkpoints.Tensor{}}
	if info, err := bounded.Stat(o.dir); err != nil {
		return nil, fmt.Errorf("start: %w", err)
	} else if !info.IsDir() {
		return nil, fmt.Errorf("start: %s: expected the folder of a run or a model, given a file", c.Start)
	}
	weights := filepath.Join(o.dir, checkpoints.WeightsFile)
	f, err := bounded.OpenRegular(weights)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("start: %s: contains no network (%s)", c.Start, checkpoints.WeightsFile)
	} else if err != nil {
		return nil, fmt.Errorf("start: %w", err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return nil, fmt.Errorf("start: %w", err)
	}
	o.digest = hex.EncodeToString(h.Sum(nil))
	if o.model, err = checkpoints.Load(o.dir); err != nil {
		return nil, fmt.Errorf("start: %w", err)
	}
	if err := strictyaml.Decode(filepath.Join(o.dir, configFile), o.model.Config, &o.config); err != nil {
		return nil, fmt.Errorf("start: %w", err)
	}
	if !o.config.Features.IsZero() {
		raw, err := bounded.ReadFile(filepath.Join(o.dir, checkpoints.FeaturesFile), bounded.MaxModel)
		if err != nil {
			return nil, fmt.Errorf("start: %w", err)
		}
		if err := json.Unmarshal(raw, &o.features); err != nil {
			return nil, fmt.Errorf("start: %s: %w", o.dir, err)
		}
	}
	if len(o.model.Tokens) == 0 || o.model.Tokens[0] != o.model.UnknownToken || len(o.model.Characters) == 0 {
		return nil, fmt.Errorf("start: %s: the unknown token must have id 0", o.dir)
	}
	for _, t := range o.model.Tensors {
		o.tensors[t.Name] = t
	}
	return o, o.check(c)
}

// networkFolder returns the model folder of a run folder, or the folder itself. Package models, which
// does this for other purposes, is on a higher floor.
func networkFolder(dir string) string {
	if best := checkpoints.Locate(filepath.Join(dir, "model", "best")); checkpoints.IsModel(best) {
		return best
	}
	return checkpoints.Locate(dir)
}

// check compares the configurations of the networks.
func (o *origin) check(c Config) error {
	was, is := o.config.Network, c.Network
	if o.takes("characters") && was.ReadsCharacters() && is.ReadsCharacters() && was.Characters != is.Characters {
		return fmt.Errorf("start: layer characters: expected %s, given %s in %s", is.Characters, was.Characters, o.dir)
	}
	for _, part := range []string{"character_lstm", "token_lstm"} {
		if layer, _ := layerOf(part); o.takes(layer) && o.has(part) && was.Cell != is.Cell {
			return fmt.Errorf("start: layer %s: expected the cell %s, given %s in %s", layer, is.Cell, was.Cell, o.dir)
		}
	}
	for _, layer := range layers {
		if key := o.transfer.key(layer); key != "" && !o.has(layer) {
			return fmt.Errorf("transfer.%s: %s has no %s", key, o.dir, layer)
		}
	}
	return nil
}

// checkClean returns an error if a network whose vocabulary has words of fewer patients than least is the start. A network without labels is
// like a file of vectors: its words are those of the text that it was pretrained on.
func (o *origin) checkClean(least int) error {
	if o == nil || len(o.model.Labels) == 0 || bounded.IsBuiltin(o.dir) || !o.takes("token_embedding") && !o.takes("characters") && !o.takes("features") {
		return nil
	}
	if n := o.config.Vocabulary.MinPatients; n < least {
		return fmt.Errorf("start: %s has words of the notes of fewer than %d patients in its vocabulary: start a clean training from a network that was trained clean, or take neither token_embedding nor characters nor features from it (transfer.layers)", o.dir, least)
	}
	return nil
}

// takes reports whether a layer is taken if both networks have it. By default the token LSTM of a
// pretrained network is not: its states describe the neighbours of a word more than the word itself,
// and with it a tagger finds less (docs/results/network.md).
func (o *origin) takes(layer string) bool {
	if layer == "token_lstm" && len(o.model.Labels) == 0 && o.transfer.Layers == nil && o.transfer.key(layer) == "" {
		return false
	}
	return o.transfer.takes(layer)
}

// has reports whether the network that training starts from has a layer, or a part of one.
func (o *origin) has(name string) bool {
	for _, t := range o.model.Tensors {
		if layer, part := layerOf(t.Name); layer == name || part == name {
			return true
		}
	}
	return false
}

// words returns the words and characters that the new vocabulary takes over.
func (o *origin) words() (tokens []string, characters []rune) {
	if o == nil {
		return nil, nil
	}
	if o.takes("token_embedding") {
		tokens = o.model.Tokens[1:]
	}
	if o.takes("characters") {
		for _, s := range o.model.Characters[1:] {
			characters = append(characters, []rune(s)...)
		}
	}
	return tokens, characters
}

// note returns a document with a span of each type that the new network takes over although no
// training note may have it: those of the same type set.
func (o *origin) note(types *data.TypeSet) []*data.Document {
	if o == nil || o.model.Types.Difference(types) != "" || !o.takes("logits") {
		return nil
	}
	doc := &data.Document{}
	for _, label := range o.model.Labels {
		if _, name := data.SplitLabel(label); name != "" {
			doc.Spans = append(doc.Spans, data.Span{Type: name})
		}
	}
	return []*data.Document{doc}
}

// checkStart opens the network that the configuration names, and fills a network without words and
// labels from it, to find out whether their shapes agree.
func (c Config) checkStart() error {
	start, err := c.openStart()
	if start == nil || err != nil || !c.Features.IsZero() { // values of features are only known after reading the notes
		return err
	}
	v, labels := newVocabulary([]string{unknownToken}, []rune{0}, false), []string{"O"}
	net, err := c.network(v, labels, nil, 0)
	if err != nil {
		return err
	}
	return start.fill(net, v, labels, nil)
}

// fill copies the parameters that both networks have. Rows of tokens, characters and values of
// features, and rows and columns of labels, are matched by name; those that are only in the new network
// keep their values.
func (o *origin) fill(net *tagger.Network, v *vocabulary, labels []string, f *features) error {
	if o == nil {
		return nil
	}
	for _, layer := range layers {
		used := false
		for _, p := range net.All() {
			of, part := layerOf(p.Name)
			used = used || of == layer
			if of != layer || !o.takes(layer) || !o.has(part) { // a second token LSTM can be new
				continue
			}
			at := o.places(p.Name, v, labels, f)
			if after, ok := readsFeatures(net, p.Name); ok {
				o.familyPlaces(&at, p, after, net.Sizes.Features, f)
			}
			if err := o.copy(p, at); err != nil {
				return fmt.Errorf("start: layer %s: %w", layer, err)
			}
		}
		if key := o.transfer.key(layer); key != "" && !used {
			return fmt.Errorf("transfer.%s: the network has no %s", key, layer)
		}
	}
	return nil
}

// places says where the rows and columns of a parameter are in a tensor.
type places struct {
	tensor        string
	rows, columns []int // by row or column of the parameter: that of the tensor, or -1; nil: the same
	zero          bool  // whether rows that are not in the tensor become 0, instead of keeping their values
}

// shape describes a shape in errors, without the numbers of rows or columns that may differ.
func (at places) shape(rows, columns int) string {
	r, c := strconv.Itoa(rows), strconv.Itoa(columns)
	if at.rows != nil {
		r = "rows"
	}
	if at.columns != nil {
		c = "columns"
	}
	return fmt.Sprintf("[%s, %s]", r, c)
}

func (o *origin) places(param string, v *vocabulary, labels []string, f *features) places {
	at := places{tensor: param}
	switch {
	case param == "token_embedding":
		at.rows = append([]int{unknown}, shift(match(v.tokens[1:], o.model.Tokens[1:]))...)
	case param == "character_embedding":
		characters := make([]string, len(v.characters)-1)
		for i, r := range v.characters[1:] {
			characters[i] = string(r)
		}
		at.rows = append([]int{unknown}, shift(match(characters, o.model.Characters[1:]))...)
	case strings.HasPrefix(param, "logits."):
		at.columns = match(labels, o.model.Labels)
	case param == "crf.transitions": // START and END follow the labels
		n := len(o.model.Labels)
		at.rows = append(match(labels, o.model.Labels), n, n+1)
		at.columns = at.rows
	case strings.HasPrefix(param, "features."):
		return o.featurePlaces(param, f)
	}
	return at
}

// featurePlaces finds the table of a family and its values.
func (o *origin) featurePlaces(param string, f *features) places {
	number, err := strconv.Atoi(strings.TrimPrefix(param, "features."))
	if err != nil || number >= len(f.values) {
		panic(fmt.Sprintf("ann: the parameter %s belongs to no family", param)) // tagger.Network names them
	}
	family := f.values[number]
	for i, other := range o.features {
		if other.Family == family.Family {
			return places{tensor: fmt.Sprintf("features.%d", i), rows: match(family.Values, other.Values)}
		}
	}
	return places{}
}

// readsFeatures reports whether a matrix multiplies the vectors of the features, and how many of its rows come after theirs: those of the
// state of an LSTM.
func readsFeatures(net *tagger.Network, param string) (after int, ok bool) {
	cfg := net.Config
	reader := "logits.W"
	switch {
	case len(net.Sizes.Features.Values) == 0:
		return 0, false
	case !net.Sizes.Features.Output && len(cfg.TokenLSTM) > 0:
		return cfg.TokenLSTM[0], param == "token_lstm.forward.W" || param == "token_lstm.backward.W"
	case cfg.Hidden > 0:
		reader = "hidden.W"
	}
	return 0, param == reader
}

// familyPlaces finds the rows of a matrix that multiplies the vectors of the features, family by family, if the networks have different ones. The
// rows of a family that is new are 0, so that the network begins as the one that it starts from.
func (o *origin) familyPlaces(at *places, p *nn.Param, after int, is tagger.Features, f *features) {
	t, ok := o.tensors[at.tensor]
	same := func(a, b familyValues) bool { return a.Family == b.Family }
	if !ok || len(t.Shape) != 2 || slices.EqualFunc(f.values, o.features, same) {
		return
	}
	if was := o.config.Features; len(o.features) > 0 && (is.Dimension != was.Dimension || is.Output != (was.At == "output")) {
		return // and copy reports the shapes
	}
	before := p.Rows - after - is.Dimension*len(f.values)
	if t.Shape[0]-after-is.Dimension*len(o.features) != before {
		return
	}
	row := func(family, i int) int { return before + is.Dimension*family + i }
	at.rows, at.zero = make([]int, p.Rows), true
	for r := range before {
		at.rows[r] = r
	}
	for k, family := range f.values {
		from := slices.IndexFunc(o.features, func(other familyValues) bool { return same(family, other) })
		for i := range is.Dimension {
			at.rows[row(k, i)] = -1
			if from >= 0 {
				at.rows[row(k, i)] = row(from, i)
			}
		}
	}
	for i := range after {
		at.rows[row(len(f.values), i)] = row(len(o.features), i)
	}
}

// match returns where each value is in a list, or -1.
func match[T comparable](values, list []T) []int {
	index := make(map[T]int, len(list))
	for i, v := range list {
		index[v] = i
	}
	at := make([]int, len(values))
	for i, v := range values {
		at[i] = -1
		if j, ok := index[v]; ok {
			at[i] = j
		}
	}
	return at
}

// shift turns indices into a list without its first element into indices into the whole list.
func shift(at []int) []int {
	for i := range at {
		if at[i] >= 0 {
			at[i]++
		}
	}
	return at
}

// copy copies a tensor to a parameter.
func (o *origin) copy(p *nn.Param, at places) error {
	if at.tensor == "" {
		return nil
	}
	t, ok := o.tensors[at.tensor]
	if !ok {
		return fmt.Errorf("expected %s [%d, %d], given none in %s", p.Name, p.Rows, p.Cols, o.dir)
	}
	if len(t.Shape) != 2 {
		return fmt.Errorf("expected %s [%d, %d], given a tensor of %d dimensions in %s", p.Name, p.Rows, p.Cols, len(t.Shape), o.dir)
	}
	if at.rows == nil && t.Shape[0] != p.Rows || at.columns == nil && t.Shape[1] != p.Cols {
		return fmt.Errorf("expected %s %s, given %s in %s", p.Name, at.shape(p.Rows, p.Cols), at.shape(t.Shape[0], t.Shape[1]), o.dir)
	}
	if len(at.rows) > 0 && slices.Max(at.rows) >= t.Shape[0] || len(at.columns) > 0 && slices.Max(at.columns) >= t.Shape[1] {
		return fmt.Errorf("%s [%d, %d] in %s is smaller than its vocabulary or labels", at.tensor, t.Shape[0], t.Shape[1], o.dir)
	}
	for r := range p.Rows {
		from := r
		if at.rows != nil {
			from = at.rows[r]
		}
		dst := p.Data[r*p.Cols:][:p.Cols]
		if from < 0 {
			if at.zero {
				clear(dst)
			}
			continue
		}
		src := t.Data[from*t.Shape[1]:][:t.Shape[1]]
		if at.columns == nil {
			copy(dst, src)
			continue
		}
		for c, column := range at.columns {
			if column >= 0 {
				dst[c] = src[column]
			}
		}
	}
	return nil
}
