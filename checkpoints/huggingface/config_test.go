package huggingface

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The defaults are those of the classes of transformers for a config.json that only names its type.
func TestDefaults(t *testing.T) {
	labels := []string{"LABEL_0", "LABEL_1"}
	roberta := func(modelType string, vocabulary int) Config {
		return Config{
			ModelType: modelType, Labels: labels, VocabularySize: vocabulary, Positions: 512, TypeVocabulary: 2, PadToken: 1,
			EmbeddingSize: 768, HiddenSize: 768, Layers: 12, Heads: 12, Intermediate: 3072, Activation: GELU, NormEpsilon: 1e-12,
		}
	}
	bert := roberta("bert", 30522)
	bert.PadToken = 0
	global := make([]bool, 22)
	for i := 0; i < 22; i += 3 {
		global[i] = true
	}
	for _, want := range []Config{
		bert, roberta("roberta", 50265), roberta("xlm-roberta", 30522), roberta("camembert", 30522),
		{
			ModelType: "distilbert", Labels: labels, VocabularySize: 30522, Positions: 512,
			EmbeddingSize: 768, HiddenSize: 768, Layers: 6, Heads: 12, Intermediate: 3072, Activation: GELU, NormEpsilon: 1e-12,
		},
		{
			ModelType: "electra", Labels: labels, VocabularySize: 30522, Positions: 512, TypeVocabulary: 2,
			EmbeddingSize: 128, HiddenSize: 256, Layers: 12, Heads: 4, Intermediate: 1024, Activation: GELU, NormEpsilon: 1e-12,
		},
		{
			ModelType: "deberta-v2", Labels: labels, VocabularySize: 128100, Positions: 512,
			EmbeddingSize: 1536, HiddenSize: 1536, Layers: 24, Heads: 24, Intermediate: 6144, Activation: GELU, NormEpsilon: 1e-7,
			DeBERTa: DeBERTa{MaxRelativePositions: 512, PositionBiasedInput: true},
		},
		{
			ModelType: "modernbert", Labels: labels, VocabularySize: 50368, Positions: 8192, PadToken: 50283,
			EmbeddingSize: 768, HiddenSize: 768, Layers: 22, Heads: 12, Intermediate: 1152, Activation: GELU, NormEpsilon: 1e-5,
			ModernBERT: ModernBERT{Global: global, Window: 128, GlobalTheta: 160_000, LocalTheta: 10_000, ClassifierActivation: GELU},
		},
	} {
		got, err := parseConfig([]byte(`{"model_type":"` + want.ModelType + `"}`))
		if err != nil {
			t.Error(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", want.ModelType, d)
		}
	}
	if len(networks) != len(ModelTypes) {
		t.Errorf("%d networks, %d types", len(networks), len(ModelTypes))
	}
}

// Settings that mean the same, and keys that do not matter.
func TestConfig(t *testing.T) {
	parse := func(modelType, keys string) Config {
		t.Helper()
		c, err := parseConfig([]byte(`{"model_type":"` + modelType + `",` + keys + `}`))
		if err != nil {
			t.Errorf("%s: %v", keys, err)
		}
		return c
	}
	for name, want := range map[string]Activation{
		"gelu": GELU, "gelu_python": GELU, "gelu_new": GELUTanh, "gelu_pytorch_tanh": GELUTanh, "relu": ReLU, "swish": SiLU, "silu": SiLU,
	} {
		if got := parse("bert", `"hidden_act":"`+name+`"`).Activation; got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	for _, types := range []string{`"P2C | c2p"`, `["p2c","c2p"]`} {
		d := parse("deberta-v2", `"relative_attention":true,"pos_att_type":`+types+`,"norm_rel_ebd":"none|layer_norm","conv_kernel_size":3,"max_relative_positions":64,"embedding_size":512`)
		want := DeBERTa{
			RelativeAttention: true, MaxRelativePositions: 64, ContentToPosition: true, PositionToContent: true, NormRelative: true,
			PositionBiasedInput: true, ConvKernel: 3, ConvActivation: Tanh,
		}
		if d.DeBERTa != want || d.EmbeddingSize != 512 {
			t.Errorf("%s: %+v", types, d)
		}
	}
	// transformers 4 has one number for the kinds of layers, and a key per theta.
	m := parse("modernbert", `"num_hidden_layers":4,"global_attn_every_n_layers":2,"global_rope_theta":100,"local_rope_theta":null,"layer_types":null,"rope_parameters":null`).ModernBERT
	if d := cmp.Diff([]bool{true, false, true, false}, m.Global); d != "" || m.GlobalTheta != 100 || m.LocalTheta != 100 {
		t.Errorf("%s %+v", d, m)
	}
	m = parse("modernbert", `"num_hidden_layers":2,"layer_types":["sliding_attention","full_attention"],"global_attn_every_n_layers":1,"global_rope_theta":100,
		"rope_parameters":{"sliding_attention":{"rope_type":"default","rope_theta":7},"full_attention":{"type":"default","partial_rotary_factor":1.0}}`).ModernBERT
	if d := cmp.Diff([]bool{false, true}, m.Global); d != "" || m.GlobalTheta != 100 || m.LocalTheta != 7 {
		t.Errorf("%s %+v", d, m)
	}
	if m := parse("modernbert", `"rope_parameters":{"full_attention":null}`).ModernBERT; m.GlobalTheta != 160_000 || m.LocalTheta != 10_000 {
		t.Errorf("%+v", m)
	}
	if c := parse("distilbert", `"hidden_size":24,"num_attention_heads":2,"num_hidden_layers":3`); c.HiddenSize != 24 || c.Heads != 2 || c.Layers != 3 {
		t.Errorf("%+v", c)
	}
	parse("bert", `"pad_token_id":null,"is_decoder":false,"is_encoder_decoder":null,"position_embedding_type":"absolute","pruned_heads":{},
		"quantization_config":null,"adapters":{"adapters":{},"config_map":{}},"auto_map":{"AutoConfig":"x.Y"},"attention_head_size":64,
		"architectures":["BertCrfForTokenClassification"],"label2id":{"LABEL_0":0,"LABEL_1":"1","other":7},"gradient_checkpointing":true,"task_specific_params":null`)
	if c := parse("bert", `"id2label":{"1":"B-NAME","0":"O","2":"I-NAME"},"num_labels":9`); cmp.Diff([]string{"O", "B-NAME", "I-NAME"}, c.Labels) != "" {
		t.Errorf("labels %v", c.Labels)
	}
}

func TestConfigRefused(t *testing.T) {
	bert := func(keys string) string { return `{"model_type":"bert",` + keys + `}` }
	deberta := func(keys string) string { return `{"model_type":"deberta-v2",` + keys + `}` }
	modern := func(keys string) string { return `{"model_type":"modernbert","num_hidden_layers":2,` + keys + `}` }
	for _, test := range []struct{ config, want string }{
		{``, "the JSON is truncated"},
		{`{`, "the JSON is truncated"},
		{`[]`, "a value has a wrong type"},
		{`{"a":1}x`, "jsontext: invalid character 'x' after top-level value"},
		{`{"model_type":"bert","model_type":"roberta"}`, `duplicate object member name "model_type"`},
		{bert(`"id2label":{"0":"O","0":"NAME"}`), `duplicate object member name "0" within "/id2label"`},
		{bert(`"layer_norm_eps":NaN`), "jsontext: invalid character 'N'"},
		{`{}`, `model_type: is ""; supported are bert, roberta, xlm-roberta, camembert, distilbert, electra, deberta-v2, modernbert`},
		{`{"model_type":"longformer"}`, `model_type: is "longformer"; supported are bert`},
		{`{"model_type":7}`, `model_type: must be a text`},
		{bert(`"hidden_size":"768"`), "hidden_size: must be a whole number"},
		{bert(`"hidden_size":768.5`), "hidden_size: must be a whole number"},
		{bert(`"hidden_size":null`), "hidden_size: must be a whole number"},
		{bert(`"hidden_size":1e100`), "hidden_size: must be a whole number"},
		{bert(`"hidden_size":0`), "hidden_size: is 0, but must be from 1 to 65536"},
		{bert(`"hidden_size":9223372036854775807`), "hidden_size: is 9223372036854775807, but must be from 1 to 65536"},
		{bert(`"num_hidden_layers":-1`), "num_hidden_layers: is -1, but must be from 1 to 1024"},
		{bert(`"hidden_size":770`), "hidden_size: is 770, which is not a multiple of num_attention_heads, 12"},
		{bert(`"attention_head_size":32`), "attention_head_size: must be hidden_size divided by num_attention_heads"},
		{bert(`"hidden_act":"quick_gelu"`), `hidden_act: the activation "quick_gelu" is not supported; supported are gelu, gelu_accurate,`},
		{bert(`"layer_norm_eps":0`), "layer_norm_eps: is 0, but must be above 0"},
		{bert(`"layer_norm_eps":"1e-12"`), "layer_norm_eps: must be a number"},
		{bert(`"embedding_size":128`), "embedding_size: is 128, but must be hidden_size for the type bert"},
		{bert(`"pad_token_id":30522`), "pad_token_id: is 30522, but must be from 0 to 30521"},
		{`{"model_type":"roberta","pad_token_id":null}`, "pad_token_id: is null, but positions are counted from it"},
		{`{"model_type":"roberta","max_position_embeddings":2}`, "max_position_embeddings: is 2, which is not above pad_token_id, 1, by two at least"},
		{`{"model_type":"distilbert","dim":24,"hidden_size":48}`, "hidden_size: is 48, but dim is 24"},
		{bert(`"quantization_config":{"quant_method":"bitsandbytes"}`), "quantization_config: quantized weights are not supported"},
		{bert(`"is_decoder":true`), "is_decoder: decoders are not supported"},
		{bert(`"add_cross_attention":true`), "add_cross_attention: decoders are not supported"},
		{bert(`"position_embedding_type":"relative_key"`), `position_embedding_type: only "absolute" is supported`},
		{bert(`"pruned_heads":{"0":[1]}`), "pruned_heads: models without some of their heads are not supported"},
		{bert(`"per_layer_config":{"1":{"hidden_act":"relu"}}`), "per_layer_config: layers that differ are not supported"},
		{bert(`"adapters":{"adapters":{"ner":"x"}}`), "adapters: adapters are not supported"},
		{bert(`"adapters":7`), "adapters: must be an object"},
		{bert(`"auto_map":{"AutoModelForTokenClassification":"model.Own"}`), "auto_map: the model has a network of its own in Python, which is not run"},
		{bert(`"architectures":["BertForSequenceClassification"]`), `architectures: "BertForSequenceClassification" is not a token classifier`},
		{bert(`"architectures":"BertModel"`), "architectures: must be a list of texts"},
		{deberta(`"conv_kernel_size":4`), "conv_kernel_size: is 4, but must be odd"},
		{deberta(`"conv_kernel_size":3,"conv_groups":2`), "conv_groups: a convolution in groups is not supported"},
		{deberta(`"conv_kernel_size":3,"conv_act":"mish"`), `conv_act: the activation "mish" is not supported`},
		{deberta(`"pos_att_type":"c2p|p2p"`), `pos_att_type: "p2p" is not supported; supported are c2p and p2c`},
		{deberta(`"pos_att_type":7`), `pos_att_type: must be a text`},
		{deberta(`"norm_rel_ebd":"batch_norm"`), `norm_rel_ebd: "batch_norm" is not supported; supported are layer_norm and none`},
		{modern(`"layer_types":["full_attention"]`), "layer_types: has 1 elements, but there are 2 layers"},
		{modern(`"layer_types":["full_attention","conv"]`), `layer_types: "conv" is not supported; supported are full_attention and sliding_attention`},
		{modern(`"rope_scaling":{"factor":2.0}`), "rope_scaling: the scaling of rotary embeddings is not supported"},
		{modern(`"rope_parameters":{"rope_theta":7}`), `rope_parameters: has the key "rope_theta"; supported are full_attention and sliding_attention`},
		{modern(`"rope_parameters":{"full_attention":{"rope_type":"yarn"}}`), `rope_parameters: full_attention: rope_type: is "yarn"; only "default" is supported`},
		{modern(`"rope_parameters":{"full_attention":{"factor":2}}`), `rope_parameters: full_attention: factor: is not supported`},
		{modern(`"num_attention_heads":256`), "num_attention_heads: the heads have 3 units, but rotary embeddings require an even number"},
		{modern(`"norm_bias":"yes"`), "norm_bias: must be true or false"},
		{bert(`"id2label":{}`), "id2label: has 0 labels; 1 to 16384 are supported"},
		{bert(`"id2label":["O"]`), "id2label: must be an object of texts"},
		{bert(`"id2label":{"0":7}`), "id2label: must be an object of texts"},
		{bert(`"id2label":{"0":"O","2":"NAME"}`), "id2label: has 2 labels, but none for 1; the keys must be the numbers from 0 on"},
		{bert(`"id2label":{"0":"O","-1":"NAME"}`), "id2label: has 2 labels, but none for 1"},
		{bert(`"id2label":{"0":"O","01":"NAME"}`), "id2label: has 2 labels, but none for 1"},
		{bert(`"id2label":{"0":"O","1":"O"}`), "id2label: 0 and 1 have the same label"},
		{bert(`"id2label":{"0":"O","1":""}`), "id2label: the label of 1 is empty"},
		{bert(`"id2label":{"0":"O","1":"NAME"},"label2id":{"O":1,"NAME":0}`), "label2id: does not agree with id2label about the label of 0"},
		{bert(`"num_labels":100000`), "num_labels: is 100000, but must be from 1 to 16384"},
	} {
		if _, err := parseConfig([]byte(test.config)); err == nil || !strings.HasPrefix(err.Error(), test.want) && !strings.Contains(err.Error(), `: `+test.want) {
			t.Errorf("%s: error %v, want %s", test.config, err, test.want)
		}
	}
}

func FuzzConfig(f *testing.F) {
	paths, err := filepath.Glob("testdata/*/config.json")
	if err != nil || len(paths) == 0 {
		f.Fatal(err)
	}
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		c, err := parseConfig(raw)
		if err != nil {
			if c.ModelType != "" || len(err.Error()) > 2000 {
				t.Errorf("error of %d bytes", len(err.Error()))
			}
			return
		}
		if len(c.Labels) == 0 || c.HiddenSize%c.Heads != 0 || c.EmbeddingSize < 1 || c.Layers < 1 || c.Intermediate < 1 || c.NormEpsilon <= 0 ||
			c.Positions < 1 || c.VocabularySize < 1 || c.Activation == "" || c.ModelType == "modernbert" && len(c.ModernBERT.Global) != c.Layers {
			t.Errorf("%+v", c)
		}
	})
}
