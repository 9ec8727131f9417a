package crf

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/goccy/go-yaml"

	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/strictyaml"
	"github.com/lethe-deid/lethe/internal/wholefile"
	"github.com/lethe-deid/lethe/taggers/crf/chain"
	"github.com/lethe-deid/lethe/taggers/crf/feature"
)

// Files of a model folder.
const (
	ModelFile  = "crf.bin" // attributes and weights; a folder that contains it is a model of this package
	configFile = "config.yaml"
)

// magic begins ModelFile: the kind of file, and the version of its format. Then follow
// numbers as varints, weights as float32 (little-endian), and strings preceded by their
// length. The file ends with a SHA-256 of everything before it and of the
// configuration.
const magic = "lethe crf 1\n"

// Save writes the model's files into a folder, which it creates if necessary.
func (t *Tagger) Save(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	written := t.config // with the preset's families spelled out, since another version of the program may define the preset differently
	written.Features, written.Preset, written.Without = t.config.specs(), "", nil
	config, err := yaml.Marshal(written)
	if err != nil {
		return err
	}
	e := encoder{bytes.NewBufferString(magic)}
	e.text(t.types)
	columns := map[string]int{}
	var names []string
	attributes := t.extractor.Attributes()
	for _, a := range attributes {
		if _, ok := columns[a.Column]; !ok {
			columns[a.Column] = len(names)
			names = append(names, a.Column)
		}
	}
	e.texts(names)
	e.number(len(attributes))
	for _, a := range attributes {
		e.number(columns[a.Column])
		e.number(a.Offset)
		e.text(a.Value)
	}
	e.number(len(t.models))
	for _, m := range t.models {
		e.texts(m.labels)
		for a := range attributes {
			from, to := m.chain.First[a], m.chain.First[a+1]
			e.number(int(to - from))
			for f := from; f < to; f++ {
				e.number(int(m.chain.Label[f]))
				e.weight(m.chain.Weight[f])
			}
		}
		for _, w := range m.chain.Transition {
			e.weight(w)
		}
	}
	digest := sha256.Sum256(append(bytes.Clone(e.Bytes()), config...))
	e.Write(digest[:])
	if err := t.resources.Save(dir); err != nil {
		return err
	}
	if err := wholefile.WriteFile(filepath.Join(dir, configFile), config, 0o666); err != nil {
		return err
	}
	return wholefile.WriteFile(filepath.Join(dir, ModelFile), e.Bytes(), 0o666)
}

// Load reads a folder that Save wrote. workers is the number of cores that Tag uses.
func Load(dir string, workers int) (*Tagger, error) {
	path := filepath.Join(dir, ModelFile)
	raw, err := bounded.ReadFile(path, bounded.MaxModel)
	if err != nil {
		return nil, err
	}
	config, err := bounded.ReadFile(filepath.Join(dir, configFile), bounded.MaxModel)
	if err != nil {
		return nil, err
	}
	body := len(raw) - sha256.Size
	if body < len(magic) || string(raw[:len(magic)]) != magic {
		return nil, fmt.Errorf("%s: not a CRF model of this version", path)
	}
	if digest := sha256.Sum256(append(bytes.Clone(raw[:body]), config...)); !bytes.Equal(digest[:], raw[body:]) {
		return nil, fmt.Errorf("%s: SHA-256 mismatch with %s: damaged, edited, or from another model", path, configFile)
	}
	t := &Tagger{config: DefaultConfig(), workers: max(1, workers)}
	if err := strictyaml.Decode(filepath.Join(dir, configFile), config, &t.config); err != nil {
		return nil, err
	}
	if err := t.config.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, configFile), err)
	}
	if t.reader, err = t.config.reader(); err != nil {
		return nil, err
	}
	if t.resources, err = feature.LoadResources(dir, t.config.Resources, workers); err != nil {
		return nil, err
	}
	if err := t.decode(raw[len(magic):body]); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

func (t *Tagger) decode(raw []byte) error {
	d := decoder{rest: raw}
	t.types = d.text()
	names := d.texts()
	attributes := make([]feature.Attribute, d.count())
	for i := range attributes {
		c, offset, value := d.number(), d.number(), d.text()
		if c < 0 || c >= len(names) {
			d.fail()
			break
		}
		attributes[i] = feature.Attribute{Column: names[c], Offset: offset, Value: value}
	}
	if d.err != nil {
		return d.err
	}
	var err error
	if t.extractor, err = feature.New(t.config.specs(), t.resources, attributes); err != nil {
		return err
	}
	for range d.count() {
		m := model{labels: d.texts()}
		L := len(m.labels)
		m.chain = &chain.Model{Labels: L, First: make([]int32, 1, len(attributes)+1)}
		for range attributes {
			for range d.count() {
				m.chain.Label = append(m.chain.Label, int32(d.number()))
				m.chain.Weight = append(m.chain.Weight, d.weight())
			}
			m.chain.First = append(m.chain.First, int32(len(m.chain.Label)))
		}
		for range L * L {
			m.chain.Transition = append(m.chain.Transition, d.weight())
			if d.err != nil {
				break
			}
		}
		if d.err != nil {
			return d.err
		}
		if err := m.chain.Check(); err != nil {
			return err
		}
		t.models = append(t.models, m)
	}
	if d.err == nil && len(d.rest) > 0 {
		d.fail()
	}
	return d.err
}

type encoder struct{ *bytes.Buffer }

func (e encoder) number(n int) { e.Write(binary.AppendVarint(nil, int64(n))) }

func (e encoder) text(s string) {
	e.number(len(s))
	e.WriteString(s)
}

func (e encoder) texts(all []string) {
	e.number(len(all))
	for _, s := range all {
		e.text(s)
	}
}

func (e encoder) weight(w float64) {
	e.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(w))))
}

// decoder reads what encoder wrote. After the first error it returns zeros.
type decoder struct {
	rest []byte
	err  error
}

func (d *decoder) fail() {
	d.err = errors.Join(d.err, errors.New("truncated or malformed"))
	d.rest = nil
}

func (d *decoder) number() int {
	n, size := binary.Varint(d.rest)
	if size <= 0 {
		d.fail()
		return 0
	}
	d.rest = d.rest[size:]
	return int(n)
}

// count reads the number of items that follow, each of at least one byte.
func (d *decoder) count() int {
	n := d.number()
	if n < 0 || n > len(d.rest) {
		d.fail()
		return 0
	}
	return n
}

func (d *decoder) text() string {
	n := d.count()
	s := string(d.rest[:n])
	d.rest = d.rest[n:]
	return s
}

func (d *decoder) texts() []string {
	all := make([]string, d.count())
	for i := range all {
		all[i] = d.text()
	}
	return all
}

func (d *decoder) weight() float64 {
	if len(d.rest) < 4 {
		d.fail()
		return 0
	}
	w := math.Float32frombits(binary.LittleEndian.Uint32(d.rest))
	d.rest = d.rest[4:]
	return float64(w)
}
