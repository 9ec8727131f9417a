// Package huggingface reads token-classification models as Hugging Face's transformers lays them out in
// a folder:
//
//	config.json                    the network and its labels
//	model.safetensors              the weights; or the parts that model.safetensors.index.json names;
//	pytorch_model.bin              or those of torch.save, or the parts that pytorch_model.bin.index.json names
//
// Neither Python nor PyTorch is involved, and nothing in a file is executed.
package huggingface

import (
	"errors"

	"github.com/lethe-deid/lethe/checkpoints"
)

// Folder is an open model. Its methods can be called by several goroutines at once, except Close.
type Folder struct {
	config Config
}

// Open reads config.json and the headers of the weights, and checks that they fit together. The numbers
// of a tensor are read when Tensor is called. Errors name the file, and the key or the tensor.
func Open(dir string) (*Folder, error) { return nil, errors.New(dir + ": not yet") }

// Config returns what config.json says.
func (f *Folder) Config() Config { return f.config }

// Tensor returns a tensor, whose numbers are converted to float32 and are finite. Its name is that within
// the encoder, without the prefix of the model type, as in embeddings.word_embeddings.weight,
// encoder.layer.0.attention.self.query.weight (DistilBERT: transformer.layer.0.attention.q_lin.weight;
// ModernBERT: layers.0.attn.Wqkv.weight), classifier.weight or crf.transitions. Layer norms have a weight
// and a bias, also if the file calls them gamma and beta.
func (f *Folder) Tensor(name string) (checkpoints.Tensor, error) {
	return checkpoints.Tensor{}, errors.New(name)
}

// Shape returns the shape of a tensor, which needs no reading. Check it before calling Tensor, which
// allocates as much as the file says. ok is false if there is no such tensor.
func (f *Folder) Shape(name string) (shape []int, ok bool) { return nil, false }

// Has reports whether there is a tensor of this name.
func (f *Folder) Has(name string) bool { return false }

// Names returns the names of all tensors, sorted.
func (f *Folder) Names() []string { return nil }

// Digest returns the SHA-256 of the files that were opened, in hexadecimal. The files of the tokenizer are
// not among them.
func (f *Folder) Digest() (string, error) { return "", nil }

// Close closes the files.
func (f *Folder) Close() error { return nil }
