// Package neuroner reads the models that the authors of NeuroNER released (Dernoncourt et al. 2017),
// whose network is that of Dernoncourt et al. 2016. A release is a folder:
//
//	model.ckpt.index, model.ckpt.data-00000-of-00001   the weights, a checkpoint of TensorFlow 1
//	dataset.pickle                                     the ids of labels, characters and tokens
//	parameters.ini                                     the settings of the training
//
// Neither TensorFlow nor Python is involved, and nothing in the pickle is executed.
package neuroner

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/lethe-deid/lethe/checkpoints"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/pickle"
)

// Release is a released model.
type Release struct {
	Tensors    []checkpoints.Tensor // as the checkpoint names them, matrices row-major
	Labels     []string             // by id, as in B-LOCATION_OTHER
	Characters []rune               // by id; the first stands for padding
	Tokens     []string             // by id; the first stands for unknown tokens
	Parameters map[string]string    // the settings of parameters.ini
}

// Files of a release.
const (
	indexFile      = "model.ckpt.index"
	numbersFile    = "model.ckpt.data-00000-of-00001"
	datasetFile    = "dataset.pickle"
	parametersFile = "parameters.ini"
)

// The maximum sizes of the files in bytes, which are several times those of the largest release.
const (
	maxIndex   = 1 << 20
	maxNumbers = 256 << 20
	maxDataset = 8 << 20
)

// Open reads a release. Errors name the file.
func Open(dir string) (*Release, error) {
	r := &Release{}
	index, err := bounded.ReadFile(filepath.Join(dir, indexFile), maxIndex)
	if err != nil {
		return nil, err
	}
	numbers, err := bounded.ReadFile(filepath.Join(dir, numbersFile), maxNumbers)
	if err != nil {
		return nil, err
	}
	if r.Tensors, err = readBundle(index, numbers); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, indexFile), err)
	}
	if err := r.readDataset(filepath.Join(dir, datasetFile)); err != nil {
		return nil, err
	}
	return r, r.readParameters(filepath.Join(dir, parametersFile))
}

// Tensor returns the tensor of this name, or nil.
func (r *Release) Tensor(name string) *checkpoints.Tensor {
	for i := range r.Tensors {
		if r.Tensors[i].Name == name {
			return &r.Tensors[i]
		}
	}
	return nil
}

func (r *Release) readDataset(path string) error {
	raw, err := bounded.ReadFile(path, maxDataset)
	if err != nil {
		return err
	}
	state, err := dataset(raw)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	var characters []string
	for _, table := range []struct {
		key   string
		into  *[]string
		first string // of id 0; "": it is in the table
	}{
		{"index_to_label", &r.Labels, ""}, {"index_to_token", &r.Tokens, ""}, {"index_to_character", &characters, "padding"},
	} {
		if *table.into, err = byID(state, table.key, table.first); err != nil {
			return fmt.Errorf("%s: %s: %w", path, table.key, err)
		}
	}
	for i, c := range characters {
		r.Characters = append(r.Characters, []rune(c)[0])
		if runes := []rune(c); i > 0 && len(runes) != 1 {
			return fmt.Errorf("%s: index_to_character: %d stands for %d characters", path, i, len(runes))
		}
	}
	r.Characters[0] = 0
	return nil
}

// datasetClass is the only class of a release, besides that of dictionaries with an order.
const datasetClass = pickle.Global("dataset Dataset")

// dataset returns the attributes of the Dataset that a pickle contains.
func dataset(raw []byte) (*pickle.Dict, error) {
	v, err := pickle.Parse(raw, datasetClass)
	if err != nil {
		return nil, err
	}
	o, _ := v.(*pickle.Object)
	if o != nil && o.Of == datasetClass && len(o.Arguments) == 0 {
		if state, ok := o.State.(*pickle.Dict); ok {
			return state, nil
		}
	}
	return nil, errors.New("the pickle does not contain a Dataset of NeuroNER")
}

// byID returns the values of a table from 0 on, to which it adds the first one if it is given. All of
// them are distinct.
func byID(state *pickle.Dict, key, first string) ([]string, error) {
	table, ok := state.Items[key].(*pickle.Dict)
	if !ok {
		return nil, errors.New("is missing")
	}
	var names []string
	if first != "" {
		names = append(names, first)
		if v, ok := table.Items[int64(0)]; ok && v != first {
			return nil, errors.New("has a value for 0, which stands for " + first)
		}
		delete(table.Items, int64(0))
	}
	known := map[string]bool{}
	for i := range table.Items {
		if _, ok := i.(int64); !ok {
			return nil, errors.New("has a key that is not a number")
		}
	}
	for range len(table.Items) {
		name, ok := table.Items[int64(len(names))].(string)
		switch {
		case !ok:
			return nil, fmt.Errorf("has no name for %d", len(names))
		case name == "" || known[name]:
			return nil, fmt.Errorf("has an empty or repeated name for %d", len(names))
		}
		known[name] = true
		names = append(names, name)
	}
	if len(names) == 0 || first != "" && len(names) == 1 {
		return nil, errors.New("is empty")
	}
	return names, nil
}

// readParameters reads the lines "key = value" of an INI file. Sections do not matter, because no key
// occurs in two of them.
func (r *Release) readParameters(path string) error {
	raw, err := bounded.ReadFile(path, maxIndex)
	if err != nil {
		return err
	}
	r.Parameters = map[string]string{}
	lines := bufio.NewScanner(bytes.NewReader(raw))
	for lines.Scan() {
		key, value, ok := strings.Cut(lines.Text(), "=")
		if key = strings.TrimSpace(key); ok && key != "" && !strings.HasPrefix(key, "#") && !strings.HasPrefix(key, ";") {
			r.Parameters[strings.ToLower(key)] = strings.TrimSpace(value)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
