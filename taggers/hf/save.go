package hf

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/checkpoints"
	"github.com/lethe-deid/lethe/checkpoints/huggingface"
	"github.com/lethe-deid/lethe/data/subword"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/taggers"
)

// weightsFile is the file that converted weights are written to.
const weightsFile = "model.safetensors"

// tokenizerFiles are all files that subword.Open may read.
var tokenizerFiles = []string{
	"tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json",
	"vocab.txt", "vocab.json", "merges.txt", "sentencepiece.bpe.model", "spm.model",
}

// Save writes what the tagger needs of its model into a folder, which it creates if necessary: config.json, the weights
// and the files of the tokenizer. Weights that are not safetensors are converted.
func (t *Tagger) Save(dir string) error {
	folder, err := huggingface.Open(t.dir)
	if err != nil {
		return err
	}
	defer folder.Close()
	files := folder.Files()
	convert := slices.ContainsFunc(files, isTorch)
	files = slices.DeleteFunc(files, isTorch)
	for _, name := range tokenizerFiles {
		if _, err := bounded.Stat(filepath.Join(t.dir, name)); err == nil {
			files = append(files, name)
		}
	}
	for _, name := range files {
		if err := checkpoints.CopyFile(filepath.Join(dir, name), filepath.Join(t.dir, name)); err != nil {
			return err
		}
	}
	if !convert {
		return nil
	}
	var tensors []checkpoints.Tensor
	for _, name := range folder.Names() {
		tensor, err := folder.Tensor(name)
		if err != nil {
			return err
		}
		tensors = append(tensors, tensor)
	}
	return checkpoints.WriteTensors(filepath.Join(dir, weightsFile), tensors, nil)
}

// isTorch reports whether a file of a model has weights as torch.save writes them, or is the index of such files.
func isTorch(name string) bool {
	return strings.HasSuffix(name, ".bin") || strings.HasSuffix(name, ".bin.index.json")
}

// Contents implements taggers.Inventory.
func (t *Tagger) Contents() taggers.Contents { return t.contents }

func contents(folder *huggingface.Folder, tok *subword.Tokenizer) taggers.Contents {
	c := taggers.Contents{Kind: kind, Vocabulary: tok.Size(), Entries: "subwords", Unlearned: true,
		Privacy: "Its vocabulary is that of its tokenizer, which usually comes from the text that the encoder was pretrained on and not from training notes; its files do not say."}
	for _, name := range folder.Names() {
		shape, _ := folder.Shape(name)
		n := 1
		for _, axis := range shape {
			n *= axis
		}
		c.Parameters += n
	}
	return c
}

// Description describes the model in a folder, without a map of types.
type Description struct {
	taggers.Contents
	Network string   // what computes the labels
	Labels  []string // without their prefixes, and without O
	Digest  string   // of everything that decides results
}

// Describe describes the model in a folder.
func Describe(dir string) (*Description, error) {
	folder, err := huggingface.Open(dir)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	tok, err := openTokenizer(dir, folder)
	if err != nil {
		return nil, err
	}
	c := folder.Config()
	d := &Description{Contents: contents(folder, tok), Labels: modelTypes(c.Labels)}
	d.Network = fmt.Sprintf("%s: %d layers of %d", c.ModelType, c.Layers, c.HiddenSize)
	if folder.Has("crf.transitions") {
		d.Network += ", CRF"
	}
	weights, err := folder.Digest()
	if err != nil {
		return nil, err
	}
	d.Digest = fmt.Sprintf("sha256:%x", sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n", weights, tok.Digest())))
	return d, nil
}

// IsFolder reports whether a folder has the files that Describe reads.
func IsFolder(dir string) bool {
	_, err := bounded.Stat(filepath.Join(dir, huggingface.ConfigFile))
	return err == nil
}
