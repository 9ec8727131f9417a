package encoder

import (
	"encoding/json"
	"testing"

	"github.com/lethe-deid/lethe/checkpoints/huggingface"
)

func (e *example) config(t *testing.T) huggingface.Config {
	var m map[string]any
	if err := json.Unmarshal(e.Config, &m); err != nil {
		t.Fatal(err)
	}
	in := func(d int, keys ...string) int {
		for _, k := range keys {
			if v, ok := m[k].(float64); ok {
				return int(v)
			}
		}
		return d
	}
	act := func(k, d string) huggingface.Activation {
		s, ok := m[k].(string)
		if !ok {
			s = d
		}
		if s == "gelu_new" {
			return huggingface.GELUTanh
		}
		return huggingface.Activation(s)
	}
	is := func(k string) bool { v, _ := m[k].(bool); return v }
	c := huggingface.Config{ModelType: m["model_type"].(string), Labels: []string{"O", "B-DATE", "I-DATE"}}
	c.VocabularySize, c.Positions = in(0, "vocab_size"), in(0, "max_position_embeddings")
	c.TypeVocabulary, c.PadToken = in(2, "type_vocab_size"), in(0, "pad_token_id")
	if c.ModelType == "deberta-v2" {
		c.TypeVocabulary = in(0, "type_vocab_size")
	}
	c.HiddenSize, c.Layers, c.Heads = in(0, "hidden_size", "dim"), in(0, "num_hidden_layers", "n_layers"), in(0, "num_attention_heads", "n_heads")
	c.EmbeddingSize = in(c.HiddenSize, "embedding_size")
	c.Intermediate = in(0, "intermediate_size", "hidden_dim")
	c.Activation = act("hidden_act", "gelu")
	if c.ModelType == "distilbert" {
		c.Activation = act("activation", "gelu")
	}
	if c.ModelType == "modernbert" {
		c.Activation = act("hidden_activation", "gelu")
	}
	c.NormEpsilon = 1e-12
	for _, k := range []string{"layer_norm_eps", "norm_eps"} {
		if v, ok := m[k].(float64); ok {
			c.NormEpsilon = v
		}
	}
	d := &c.DeBERTa
	d.RelativeAttention, d.MaxRelativePositions, d.PositionBuckets = is("relative_attention"), in(-1, "max_relative_positions"), max(0, in(-1, "position_buckets"))
	if d.MaxRelativePositions < 1 {
		d.MaxRelativePositions = c.Positions
	}
	if types, ok := m["pos_att_type"].([]any); ok {
		for _, x := range types {
			d.ContentToPosition = d.ContentToPosition || x == "c2p"
			d.PositionToContent = d.PositionToContent || x == "p2c"
		}
	}
	d.ShareKeys, d.NormRelative, d.PositionBiasedInput = is("share_att_key"), m["norm_rel_ebd"] == "layer_norm", m["position_biased_input"] != false
	d.ConvKernel, d.ConvActivation = in(0, "conv_kernel_size"), act("conv_act", "tanh")
	b := &c.ModernBERT
	if c.ModelType == "modernbert" {
		for _, x := range m["layer_types"].([]any) {
			b.Global = append(b.Global, x == "full_attention")
		}
		r := m["rope_parameters"].(map[string]any)
		b.GlobalTheta = r["full_attention"].(map[string]any)["rope_theta"].(float64)
		b.LocalTheta = r["sliding_attention"].(map[string]any)["rope_theta"].(float64)
		b.Window, b.ClassifierActivation = in(128, "local_attention"), act("classifier_activation", "gelu")
		b.NormBias, b.AttentionBias, b.MLPBias, b.ClassifierBias = is("norm_bias"), is("attention_bias"), is("mlp_bias"), is("classifier_bias")
	}
	return c
}
