// Package huggingface reads models for token classification in the folders of Hugging Face's transformers:
//
//	config.json         the network and its labels
//	model.safetensors   the weights
//	pytorch_model.bin   the weights as torch.save writes them; read if there is no model.safetensors
//
// Instead of a file with weights there may be several, which model.safetensors.index.json or
// pytorch_model.bin.index.json names. Neither Python nor PyTorch is involved, and nothing in a file is
// executed.
package huggingface

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/lethe-deid/lethe/checkpoints"
	"github.com/lethe-deid/lethe/internal/bounded"
)

// Folder is an open model. Its methods can be called by several goroutines at once, except Close.
type Folder struct {
	dir     string
	config  Config
	files   []*file
	tensors map[string]stored // by the names of Tensor
	list    string            // path of the file that lists the tensors
}

// Open reads config.json and the headers of the weights, and checks that they fit each other. The numbers of
// a tensor are read when Tensor is called. Errors name the file, and the key or the tensor. A file may be a
// link if it leads to a file in the folder, or to the blobs of the cache of Hugging Face that the folder is in.
func Open(dir string) (*Folder, error) {
	f := &Folder{dir: dir}
	if err := f.read(); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// ConfigFile is the name of the file that describes the network.
const ConfigFile = "config.json"

const adapterFile = "adapter_config.json"

func (f *Folder) read() error {
	config, err := f.open(ConfigFile)
	if err != nil {
		return err
	}
	raw, err := config.all()
	if err != nil {
		return err
	}
	if f.config, err = parseConfig(raw); err != nil {
		return config.wrap(err)
	}
	if f.exists(adapterFile) {
		return fmt.Errorf("%s: adapters are not supported; merge them into the weights with Python, as with merge_and_unload of PEFT",
			filepath.Join(f.dir, adapterFile))
	}
	stored, list, err := f.readWeights()
	if err != nil {
		return err
	}
	f.list = list
	if f.tensors, err = byName(stored, f.config.ModelType); err != nil {
		return fmt.Errorf("%s: %w", list, err)
	}
	head, ok := f.tensors[headName]
	if !ok {
		return fmt.Errorf("%s: contains no %s, the head of a token classifier", list, headName)
	}
	labels := len(f.config.Labels)
	if len(head.shape) != 2 || head.shape[0] != labels {
		return config.wrap(fmt.Errorf("id2label: there are %d labels, but %s in %s has the shape %v", labels, headName, head.file.name, head.shape))
	}
	return f.checkCRF(labels)
}

// checkCRF checks that a CRF, as pytorch-crf names its parts, is complete and fits the labels.
func (f *Folder) checkCRF(labels int) error {
	present := 0
	for _, part := range []struct {
		name  string
		shape []int
	}{{"crf.transitions", []int{labels, labels}}, {"crf.start_transitions", []int{labels}}, {"crf.end_transitions", []int{labels}}} {
		t, ok := f.tensors[part.name]
		if !ok {
			continue
		}
		if present++; !slices.Equal(t.shape, part.shape) {
			return t.file.wrap(fmt.Errorf("tensor %q: has the shape %v, but a CRF with %d labels requires %v", t.name, t.shape, labels, part.shape))
		}
	}
	if present != 0 && present != 3 {
		return fmt.Errorf("%s: contains only a part of crf.transitions, crf.start_transitions and crf.end_transitions", f.list)
	}
	return nil
}

// headName is the name of the weights of the last layer.
const headName = "classifier.weight"

// Config returns what config.json says.
func (f *Folder) Config() Config { return f.config }

// Tensor returns a tensor, whose numbers are converted to float32 and are finite. Its name is that within
// the encoder, without the prefix of the model type, as in embeddings.word_embeddings.weight,
// encoder.layer.0.attention.self.query.weight (DistilBERT: transformer.layer.0.attention.q_lin.weight;
// ModernBERT: layers.0.attn.Wqkv.weight), classifier.weight or crf.transitions. Layer norms have a weight
// and a bias, also if the file calls them gamma and beta.
func (f *Folder) Tensor(name string) (checkpoints.Tensor, error) {
	s, ok := f.tensors[name]
	if !ok {
		return checkpoints.Tensor{}, fmt.Errorf("%s: contains no tensor %q", f.list, name)
	}
	numbers, err := s.read()
	if err != nil {
		return checkpoints.Tensor{}, s.file.wrap(fmt.Errorf("tensor %q: %w", s.name, err))
	}
	return checkpoints.Tensor{Name: name, Shape: slices.Clone(s.shape), Data: numbers}, nil
}

// Shape returns the shape of a tensor without reading its numbers. Check it before calling Tensor, which
// allocates as much as the file says. ok is false if there is no such tensor.
func (f *Folder) Shape(name string) (shape []int, ok bool) {
	s, ok := f.tensors[name]
	return slices.Clone(s.shape), ok
}

// Has reports whether there is a tensor of this name.
func (f *Folder) Has(name string) bool { return f.tensors[name].file != nil }

// Names returns the names of all tensors, sorted. Those that never change the scores of tokens are not among
// them: constants, the pooler, and the heads of pretraining.
func (f *Folder) Names() []string { return slices.Sorted(maps.Keys(f.tensors)) }

// Files returns the names of the files that were opened, sorted: ConfigFile, those with weights, and their index.
func (f *Folder) Files() []string {
	names := make([]string, len(f.files))
	for i, file := range f.files {
		names[i] = file.name
	}
	slices.Sort(names)
	return names
}

// Digest returns the SHA-256, in hexadecimal, of the output of sha256sum for Files. The files of the tokenizer
// are not among them.
func (f *Folder) Digest() (string, error) {
	all := sha256.New()
	for _, file := range slices.SortedFunc(slices.Values(f.files), func(a, b *file) int { return strings.Compare(a.name, b.name) }) {
		one := sha256.New()
		if _, err := io.Copy(one, io.NewSectionReader(file, 0, file.size)); err != nil {
			return "", err
		}
		fmt.Fprintf(all, "%x  %s\n", one.Sum(nil), file.name)
	}
	return hex.EncodeToString(all.Sum(nil)), nil
}

// Close closes the files.
func (f *Folder) Close() error {
	var errs []error
	for _, file := range f.files {
		errs = append(errs, file.Close())
	}
	return errors.Join(errs...)
}

// byName returns the tensors by the names of Folder.Tensor.
func byName(tensors []stored, modelType string) (map[string]stored, error) {
	table := "embeddings.word_embeddings.weight"
	if modelType == "modernbert" {
		table = "embeddings.tok_embeddings.weight"
	}
	prefix, found := "", ""
	for _, t := range tensors {
		before, ok := strings.CutSuffix(t.name, table)
		if !ok || before != "" && !strings.HasSuffix(before, ".") {
			continue
		}
		if found != "" {
			return nil, fmt.Errorf("contains both %q and %q; models with two encoders are not supported", found, t.name)
		}
		prefix, found = before, t.name
	}
	if found == "" {
		return nil, fmt.Errorf("contains no %s, which every model of the type %s has", table, modelType)
	}
	// A head is beside the encoder: module.classifier.weight is that of module.bert.
	outer := prefix[:strings.LastIndex(strings.TrimSuffix(prefix, "."), ".")+1]
	named := make(map[string]stored, len(tensors))
	for _, t := range tensors {
		name, ok := strings.CutPrefix(t.name, prefix)
		if !ok {
			name = strings.TrimPrefix(t.name, outer)
		}
		if ignored(name) {
			continue
		}
		if norm, ok := strings.CutSuffix(name, "LayerNorm.gamma"); ok {
			name = norm + "LayerNorm.weight"
		} else if norm, ok := strings.CutSuffix(name, "LayerNorm.beta"); ok {
			name = norm + "LayerNorm.bias"
		}
		if other, ok := named[name]; ok {
			return nil, fmt.Errorf("contains both %q and %q, which are names of the same tensor", other.name, t.name)
		}
		named[name] = t
	}
	return named, nil
}

// ignored reports whether a tensor never changes the scores of tokens.
func ignored(name string) bool {
	switch name {
	case "embeddings.position_ids", "embeddings.token_type_ids": // constants
		return true
	}
	part, _, _ := strings.Cut(name, ".")
	switch part {
	case "pooler", // of the first token, for sentences
		"cls", "lm_head", "lm_predictions", "mask_predictions", "decoder", // heads of masked language models
		"vocab_transform", "vocab_layer_norm", "vocab_projector", // of DistilBERT's
		"generator_predictions", "generator_lm_head", "discriminator_predictions": // of ELECTRA's
		return true
	}
	return false
}

// file is an open file of a folder.
type file struct {
	*os.File
	name string // within the folder
	path string // for errors
	size int64
}

// wrap names the file in an error.
func (f *file) wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", f.path, err)
}

// all returns the content of a file of JSON.
func (f *file) all() ([]byte, error) {
	if f.size > int64(maxHeaders) {
		return nil, f.wrap(fmt.Errorf("is larger than %d MiB, the limit for this kind of file", maxHeaders>>20))
	}
	raw := make([]byte, f.size)
	if _, err := f.ReadAt(raw, 0); err != nil {
		return nil, err
	}
	return raw, nil
}

// exists reports whether the folder has something of this name.
func (f *Folder) exists(name string) bool {
	_, err := os.Lstat(filepath.Join(f.dir, name))
	return err == nil
}

// isPlain reports whether a name is that of a file in a folder, rather than a path.
func isPlain(name string) bool {
	return name != "" && name != "." && name != ".." && len(name) < 256 &&
		!strings.ContainsAny(name, `/\:`) && !strings.ContainsFunc(name, unicode.IsControl)
}

// open opens a file of the folder.
func (f *Folder) open(name string) (*file, error) {
	path := filepath.Join(f.dir, name)
	if err := f.checkLink(path); err != nil {
		return nil, err
	}
	opened, err := bounded.OpenRegular(path)
	if err != nil {
		return nil, err
	}
	file := &file{File: opened, name: name, path: path}
	f.files = append(f.files, file)
	info, err := opened.Stat()
	if err != nil {
		return nil, err
	}
	file.size = info.Size()
	return file, nil
}

// checkLink returns an error if a path leads out of the folder. The cache of Hugging Face is an exception:
// the files of models--NAME/snapshots/REVISION are links to models--NAME/blobs.
func (f *Folder) checkLink(path string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	target, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // opening it gives the error
	}
	if err != nil {
		return err
	}
	folder, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return err
	}
	allowed := []string{folder}
	if snapshots := filepath.Dir(folder); filepath.Base(snapshots) == "snapshots" {
		allowed = append(allowed, filepath.Join(filepath.Dir(snapshots), "blobs"))
	}
	for _, dir := range allowed {
		if relative, err := filepath.Rel(dir, target); err == nil && filepath.IsLocal(relative) {
			return nil
		}
	}
	return fmt.Errorf("%s: is a link to a file outside of the folder of the model; copy the file", path)
}
