package huggingface

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// expected is what testdata/make.py says of a model: what transformers reads from config.json, and the
// tensors that were saved.
type expected struct {
	Config  map[string]any
	Tensors map[string][2]json.RawMessage // shape, SHA-256 of the numbers
}

// The models in testdata were written by transformers and PyTorch.
func TestGolden(t *testing.T) { compare(t, "testdata") }

// TestPython writes the same models with the installed versions.
func TestPython(t *testing.T) {
	python := os.Getenv("LETHE_PYTHON")
	if python == "" {
		t.Skip("LETHE_PYTHON does not name a Python with torch, transformers and safetensors")
	}
	if out, err := exec.Command(python, "-c", "import torch, transformers, safetensors").CombinedOutput(); err != nil {
		t.Skipf("LETHE_PYTHON lacks torch, transformers or safetensors: %s", out)
	}
	dir := t.TempDir()
	if out, err := exec.Command(python, filepath.Join("testdata", "make.py"), dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	compare(t, dir)
}

func compare(t *testing.T, root string) {
	paths, err := filepath.Glob(filepath.Join(root, "*", "expected.json"))
	if err != nil || len(paths) < 13 {
		t.Fatalf("%d models, error %v", len(paths), err)
	}
	for _, path := range paths {
		dir := filepath.Dir(path)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var want expected
			if err := json.Unmarshal(raw, &want); err != nil {
				t.Fatal(err)
			}
			f, err := Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			compareConfig(t, f.Config(), want.Config)
			compareTensors(t, f, want.Tensors)
		})
	}
	if _, err := Open(filepath.Join(root, "torch-legacy")); err == nil || !strings.Contains(err.Error(), "pytorch_model.bin: is in the format of PyTorch before version 1.6") {
		t.Errorf("legacy format: error %v", err)
	}
}

func compareTensors(t *testing.T, f *Folder, want map[string][2]json.RawMessage) {
	t.Helper()
	if len(want) < 30 || len(f.Names()) != len(want) {
		t.Errorf("%d tensors, want %d", len(f.Names()), len(want))
	}
	for name, w := range want {
		var shape []int
		var digest string
		if json.Unmarshal(w[0], &shape) != nil || json.Unmarshal(w[1], &digest) != nil {
			t.Fatal("expected.json is malformed")
		}
		tensor, err := f.Tensor(name)
		if err != nil {
			t.Error(err)
			continue
		}
		h := sha256.New()
		for _, x := range tensor.Data {
			_ = binary.Write(h, binary.LittleEndian, math.Float32bits(x))
		}
		early, ok := f.Shape(name)
		if tensor.Name != name || !slices.Equal(tensor.Shape, shape) || !slices.Equal(early, shape) || !ok || !f.Has(name) || !slices.Contains(f.Names(), name) {
			t.Errorf("%s: shape %v, want %v", name, tensor.Shape, shape)
		}
		if hex.EncodeToString(h.Sum(nil)) != digest {
			t.Errorf("%s: numbers differ: %v", name, tensor.Data)
		}
	}
}

// compareConfig compares a configuration with the values of transformers.
func compareConfig(t *testing.T, c Config, want map[string]any) {
	t.Helper()
	var positions []any
	if c.DeBERTa.PositionToContent {
		positions = append(positions, "p2c")
	}
	if c.DeBERTa.ContentToPosition {
		positions = append(positions, "c2p")
	}
	var layers []any
	for _, global := range c.ModernBERT.Global {
		layers = append(layers, map[bool]string{true: "full_attention", false: "sliding_attention"}[global])
	}
	theta := func(x float64) any { return map[string]any{"rope_theta": x, "rope_type": "default"} }
	got := map[string]any{
		"hidden_size": c.HiddenSize, "num_hidden_layers": c.Layers, "num_attention_heads": c.Heads,
		"intermediate_size": c.Intermediate, "hidden_dim": c.Intermediate, "vocab_size": c.VocabularySize,
		"max_position_embeddings": c.Positions, "type_vocab_size": c.TypeVocabulary, "pad_token_id": c.PadToken,
		"embedding_size": c.EmbeddingSize, "layer_norm_eps": c.NormEpsilon, "norm_eps": c.NormEpsilon,
		"relative_attention": c.DeBERTa.RelativeAttention, "position_buckets": c.DeBERTa.PositionBuckets,
		"share_att_key": c.DeBERTa.ShareKeys, "position_biased_input": c.DeBERTa.PositionBiasedInput,
		"pos_att_type": positions, "conv_kernel_size": c.DeBERTa.ConvKernel,
		"norm_bias": c.ModernBERT.NormBias, "mlp_bias": c.ModernBERT.MLPBias, "attention_bias": c.ModernBERT.AttentionBias,
		"local_attention": c.ModernBERT.Window, "layer_types": layers,
		"rope_parameters": map[string]any{"full_attention": theta(c.ModernBERT.GlobalTheta), "sliding_attention": theta(c.ModernBERT.LocalTheta)},
	}
	for key, w := range want {
		if v, ok := got[key].(int); ok {
			got[key] = float64(v)
		}
		if d := cmp.Diff(w, got[key]); d != "" {
			t.Errorf("%s: %s", key, d)
		}
	}
	if len(want) < 7 || !slices.Equal(c.Labels, []string{"O", "B-NAME", "I-NAME"}) || len(c.Architectures) != 1 {
		t.Errorf("%d settings, labels %v, architectures %v", len(want), c.Labels, c.Architectures)
	}
}
