package huggingface

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// network has the keys of a model type that have other names than in BERT, and its defaults.
type network struct {
	hiddenKey, layersKey, headsKey, intermediateKey, activationKey, epsilonKey string
	hidden, layers, heads, intermediate, vocabulary, positions, types, pad     int
	epsilon                                                                    float64
	embedding                                                                  int // 0: as hidden
}

// networks are the model types of ModelTypes, with the defaults of transformers 5.23.
var networks = func() map[string]network {
	bert := network{
		"hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size", "hidden_act", "layer_norm_eps",
		768, 12, 12, 3072, 30522, 512, 2, 0, 1e-12, 0,
	}
	roberta := bert
	roberta.vocabulary, roberta.pad = 50265, 1
	xlmr := bert
	xlmr.pad = 1
	electra := bert
	electra.hidden, electra.heads, electra.intermediate, electra.embedding = 256, 4, 1024, 128
	return map[string]network{
		"bert": bert, "roberta": roberta, "xlm-roberta": xlmr, "camembert": xlmr, "electra": electra,
		"distilbert": {
			"dim", "n_layers", "n_heads", "hidden_dim", "activation", "", // the epsilon is fixed
			768, 6, 12, 3072, 30522, 512, 0, 0, 1e-12, 0,
		},
		"deberta-v2": {
			"hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size", "hidden_act", "layer_norm_eps",
			1536, 24, 24, 6144, 128100, 512, 0, 0, 1e-7, 0,
		},
		"modernbert": {
			"hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size", "hidden_activation", "norm_eps",
			768, 22, 12, 1152, 50368, 8192, 0, 50283, 1e-5, 0,
		},
	}
}()

// Upper bounds, far above those of any encoder, so that products of two of them do not overflow.
const (
	maxWidth  = 1 << 16
	maxLayers = 1 << 10
	maxRows   = 1 << 24
	maxLabels = 1 << 14
)

// parseConfig reads config.json. Errors begin with a key.
func parseConfig(raw []byte) (Config, error) {
	s := &settings{}
	if err := json.Unmarshal(raw, &s.values); err != nil {
		return Config{}, plain(err)
	}
	c := Config{ModelType: value(s, "model_type", "")}
	n, ok := networks[c.ModelType]
	if !ok {
		s.fail("model_type", "is %.100q; supported are %s", c.ModelType, strings.Join(ModelTypes, ", "))
		return Config{}, s.err
	}
	s.refuse()
	s.architectures(&c)
	c.HiddenSize = s.whole(n.hidden, 1, maxWidth, n.hiddenKey, "hidden_size")
	c.Layers = s.whole(n.layers, 1, maxLayers, n.layersKey, "num_hidden_layers")
	c.Heads = s.whole(n.heads, 1, maxWidth, n.headsKey, "num_attention_heads")
	c.Intermediate = s.whole(n.intermediate, 1, maxWidth, n.intermediateKey)
	c.Activation = s.activation(n.activationKey, "gelu")
	c.NormEpsilon = n.epsilon
	if n.epsilonKey != "" {
		c.NormEpsilon = s.positive(n.epsilon, n.epsilonKey)
	}
	c.VocabularySize = s.whole(n.vocabulary, 1, maxRows, "vocab_size")
	c.Positions = s.whole(n.positions, 1, maxRows, "max_position_embeddings")
	if n.types > 0 {
		c.TypeVocabulary = s.whole(n.types, 1, maxRows, "type_vocab_size")
	}
	s.pad(&c, n.pad)
	if c.HiddenSize%c.Heads != 0 {
		s.fail(n.hiddenKey, "is %d, which is not a multiple of %s, %d", c.HiddenSize, n.headsKey, c.Heads)
	}
	for _, key := range []string{"attention_head_size", "head_dim"} {
		if s.given(key) && value(s, key, 0) != c.HiddenSize/c.Heads {
			s.fail(key, "must be %s divided by %s", n.hiddenKey, n.headsKey)
		}
	}
	c.EmbeddingSize = s.whole(cmp.Or(n.embedding, c.HiddenSize), 1, maxWidth, "embedding_size")
	switch c.ModelType {
	case "electra":
	case "deberta-v2":
		s.deberta(&c)
	case "modernbert":
		s.modernBERT(&c)
		fallthrough
	default:
		if c.EmbeddingSize != c.HiddenSize {
			s.fail("embedding_size", "is %d, but must be %s for the type %s", c.EmbeddingSize, n.hiddenKey, c.ModelType)
		}
	}
	c.Labels = s.labels()
	if s.err != nil {
		return Config{}, s.err
	}
	return c, nil
}

// settings are the values of config.json. After an error the others do not matter, and err is the first one.
type settings struct {
	values map[string]jsontext.Value
	err    error
}

func (s *settings) fail(key, format string, arguments ...any) {
	if s.err == nil {
		s.err = fmt.Errorf("%s: %w", key, fmt.Errorf(format, arguments...))
	}
}

// given reports whether a key has a value other than null.
func (s *settings) given(key string) bool {
	v, ok := s.values[key]
	return ok && v.Kind() != 'n'
}

// value returns the value of a key, and another one if the key is absent. A null is an error.
func value[T any](s *settings, key string, absent T) T {
	raw, ok := s.values[key]
	if !ok {
		return absent
	}
	var v T
	if err := json.Unmarshal(raw, &v); err != nil || raw.Kind() == 'n' {
		s.fail(key, "must be %s", kindOf(v))
		return absent
	}
	return v
}

// kindOf describes the values of a type.
func kindOf(v any) string {
	switch v.(type) {
	case bool:
		return "true or false"
	case int:
		return "a whole number"
	case float64:
		return "a number"
	case string:
		return "a text"
	case []string:
		return "a list of texts"
	case map[string]string:
		return "an object of texts"
	}
	return "an object"
}

// whole returns a whole number within bounds, which the first of the keys that is given has. All those
// that are given agree.
func (s *settings) whole(absent, least, most int, keys ...string) int {
	v, from := absent, ""
	for _, key := range keys {
		if _, ok := s.values[key]; !ok || key == from {
			continue
		}
		this := value(s, key, absent)
		switch {
		case this < least || this > most:
			s.fail(key, "is %d, but must be from %d to %d", this, least, most)
			return absent
		case from != "" && this != v:
			s.fail(key, "is %d, but %s is %d", this, from, v)
		case from == "":
			v, from = this, key
		}
	}
	return v
}

// positive returns a number above 0.
func (s *settings) positive(absent float64, key string) float64 {
	v := value(s, key, absent)
	if v <= 0 || v > math.MaxFloat32 {
		s.fail(key, "is %v, but must be above 0", v)
		return absent
	}
	return v
}

// activations are the functions by the names of transformers. Some of these compute the same in another way.
var activations = map[string]Activation{
	"gelu": GELU, "gelu_python": GELU,
	"gelu_new": GELUTanh, "gelu_fast": GELUTanh, "gelu_accurate": GELUTanh, "gelu_pytorch_tanh": GELUTanh, "gelu_python_tanh": GELUTanh,
	"relu": ReLU, "silu": SiLU, "swish": SiLU, "tanh": Tanh,
}

func (s *settings) activation(key, absent string) Activation {
	name := value(s, key, absent)
	a, ok := activations[name]
	if !ok {
		s.fail(key, "the activation %.100q is not supported; supported are %s", name, strings.Join(slices.Sorted(maps.Keys(activations)), ", "))
	}
	return a
}

// refuse refuses what would change the result and is not supported.
func (s *settings) refuse() {
	for _, r := range []struct {
		key     string
		allowed string // a value of JSON, besides null
		why     string
	}{
		{"quantization_config", "", "quantized weights are not supported"},
		{"compression_config", "", "quantized weights are not supported"},
		{"is_decoder", "false", "decoders are not supported"},
		{"is_encoder_decoder", "false", "decoders are not supported"},
		{"add_cross_attention", "false", "decoders are not supported"},
		{"position_embedding_type", `"absolute"`, `only "absolute" is supported`},
		{"rope_scaling", "{}", "the scaling of rotary embeddings is not supported"},
		{"pruned_heads", "{}", "models without some of their heads are not supported"},
		{"per_layer_config", "{}", "layers that differ are not supported"},
		{"adapter_fusion_models", "{}", "adapters are not supported; merge them into the weights"},
		{"peft_config", "{}", "adapters are not supported; merge them into the weights"},
		{"conv_groups", "1", "a convolution in groups is not supported"},
	} {
		if v := s.values[r.key]; s.given(r.key) && (v.Compact() != nil || string(v) != r.allowed) {
			s.fail(r.key, "%s", r.why)
		}
	}
	if s.given("adapters") { // the library that writes the key also writes it without any
		inner, ok := value[map[string]jsontext.Value](s, "adapters", nil)["adapters"]
		if ok && inner.Compact() == nil && string(inner) != "{}" {
			s.fail("adapters", "adapters are not supported; merge them into the weights")
		}
	}
	if s.given("auto_map") {
		for class := range value[map[string]jsontext.Value](s, "auto_map", nil) {
			if strings.HasPrefix(class, "AutoModel") {
				s.fail("auto_map", "the model has a network of its own in Python, which is not run; "+
					"if that is the usual one of its model_type, perhaps with a CRF, remove the key")
			}
		}
	}
}

// otherHeads are the ends of the names of classes whose heads do not classify tokens. Some of them have a
// tensor of the same name as a head that does.
var otherHeads = []string{
	"ForMaskedLM", "ForPreTraining", "ForSequenceClassification", "ForMultipleChoice", "ForQuestionAnswering",
	"ForNextSentencePrediction", "ForCausalLM", "LMHeadModel", "ForConditionalGeneration",
}

func (s *settings) architectures(c *Config) {
	if s.given("architectures") {
		c.Architectures = value[[]string](s, "architectures", nil)
	}
	for _, name := range c.Architectures {
		for _, other := range otherHeads {
			if strings.HasSuffix(name, other) {
				s.fail("architectures", "%.100q is not a token classifier", name)
			}
		}
	}
}

func (s *settings) pad(c *Config, absent int) {
	if _, ok := s.values["pad_token_id"]; !ok {
		c.PadToken = absent
	} else if s.given("pad_token_id") {
		c.PadToken = s.whole(absent, 0, c.VocabularySize-1, "pad_token_id")
	}
	switch c.ModelType {
	case "roberta", "xlm-roberta", "camembert": // the first position is that after PadToken
		if _, ok := s.values["pad_token_id"]; ok && !s.given("pad_token_id") {
			s.fail("pad_token_id", "is null, but positions are counted from it")
		}
		if c.Positions < c.PadToken+2 {
			s.fail("max_position_embeddings", "is %d, which is not above pad_token_id, %d, by two at least", c.Positions, c.PadToken)
		}
	}
}

func (s *settings) deberta(c *Config) {
	c.TypeVocabulary = s.whole(0, 0, maxRows, "type_vocab_size")
	d := &c.DeBERTa
	d.RelativeAttention = value(s, "relative_attention", false)
	if d.MaxRelativePositions = s.whole(-1, -1, maxRows, "max_relative_positions"); d.MaxRelativePositions < 1 {
		d.MaxRelativePositions = c.Positions
	}
	d.PositionBuckets = max(0, s.whole(-1, -1, maxRows, "position_buckets"))
	d.ShareKeys = value(s, "share_att_key", false)
	d.PositionBiasedInput = value(s, "position_biased_input", true)
	for _, name := range s.names("pos_att_type") {
		switch name {
		case "c2p":
			d.ContentToPosition = true
		case "p2c":
			d.PositionToContent = true
		default:
			s.fail("pos_att_type", "%.100q is not supported; supported are c2p and p2c", name)
		}
	}
	for _, name := range s.names("norm_rel_ebd") {
		switch name {
		case "layer_norm":
			d.NormRelative = true
		case "none":
		default:
			s.fail("norm_rel_ebd", "%.100q is not supported; supported are layer_norm and none", name)
		}
	}
	if d.ConvKernel = s.whole(0, 0, maxWidth, "conv_kernel_size"); d.ConvKernel > 0 {
		d.ConvActivation = s.activation("conv_act", "tanh")
	}
	if d.ConvKernel > 0 && d.ConvKernel%2 == 0 {
		s.fail("conv_kernel_size", "is %d, but must be odd", d.ConvKernel)
	}
}

// names returns the names of a list, or of a text in which | is between them.
func (s *settings) names(key string) []string {
	if !s.given(key) {
		return nil
	}
	if s.values[key].Kind() == '[' {
		return value[[]string](s, key, nil)
	}
	var names []string
	for name := range strings.SplitSeq(strings.ToLower(value(s, key, "")), "|") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

func (s *settings) modernBERT(c *Config) {
	if c.HiddenSize/c.Heads%2 != 0 {
		s.fail("num_attention_heads", "the heads have %d units, but rotary embeddings require an even number", c.HiddenSize/c.Heads)
	}
	m := &c.ModernBERT
	m.Window = s.whole(128, 1, maxRows, "local_attention")
	m.NormBias = value(s, "norm_bias", false)
	m.AttentionBias = value(s, "attention_bias", false)
	m.MLPBias = value(s, "mlp_bias", false)
	m.ClassifierBias = value(s, "classifier_bias", false)
	m.ClassifierActivation = s.activation("classifier_activation", "gelu")
	m.Global = s.global(c.Layers)
	m.GlobalTheta = s.positive(160_000, "global_rope_theta")
	switch _, ok := s.values["local_rope_theta"]; {
	case !ok:
		m.LocalTheta = 10_000
	case s.given("local_rope_theta"):
		m.LocalTheta = s.positive(10_000, "local_rope_theta")
	default: // null
		m.LocalTheta = m.GlobalTheta
	}
	if s.given("rope_parameters") { // transformers 5
		s.rope(m)
	}
}

// The kinds of attention of a layer.
const (
	fullAttention    = "full_attention"
	slidingAttention = "sliding_attention"
)

// global returns which layers attend to all tokens.
func (s *settings) global(layers int) []bool {
	global := make([]bool, layers)
	if !s.given("layer_types") { // transformers 4
		every := s.whole(3, 1, maxLayers, "global_attn_every_n_layers")
		for i := range global {
			global[i] = i%every == 0
		}
		return global
	}
	types := value[[]string](s, "layer_types", nil)
	if len(types) != layers {
		s.fail("layer_types", "has %d elements, but there are %d layers", len(types), layers)
		return global
	}
	for i, name := range types {
		if global[i] = name == fullAttention; !global[i] && name != slidingAttention {
			s.fail("layer_types", "%.100q is not supported; supported are %s and %s", name, fullAttention, slidingAttention)
		}
	}
	return global
}

// rope reads the settings of rotary embeddings by the kind of attention.
func (s *settings) rope(m *ModernBERT) {
	const key = "rope_parameters"
	thetas := map[string]*float64{fullAttention: &m.GlobalTheta, slidingAttention: &m.LocalTheta}
	kinds := value[map[string]jsontext.Value](s, key, nil)
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		theta, ok := thetas[kind]
		if !ok {
			s.fail(key, "has the key %.100q; supported are %s and %s", kind, fullAttention, slidingAttention)
			return
		}
		inner := &settings{}
		if err := json.Unmarshal(kinds[kind], &inner.values); err != nil {
			s.fail(key, "%s must be an object", kind)
			return
		}
		for _, name := range slices.Sorted(maps.Keys(inner.values)) {
			switch name {
			case "rope_theta":
				*theta = inner.positive(*theta, name)
			case "rope_type", "type":
				if t := value(inner, name, ""); t != "default" {
					inner.fail(name, `is %.100q; only "default" is supported`, t)
				}
			case "partial_rotary_factor":
				if value(inner, name, 0.0) != 1 {
					inner.fail(name, "only 1 is supported")
				}
			default:
				inner.fail(name, "is not supported")
			}
		}
		if inner.err != nil {
			s.fail(key, "%s: %w", kind, inner.err)
		}
	}
}

// labels returns the labels of id2label, whose keys are the numbers from 0 on. Without the key, they have the
// names that transformers gives them.
func (s *settings) labels() []string {
	if !s.given("id2label") {
		labels := make([]string, s.whole(2, 1, maxLabels, "num_labels"))
		for i := range labels {
			labels[i] = "LABEL_" + strconv.Itoa(i)
		}
		return labels
	}
	ids := value[map[string]string](s, "id2label", nil)
	if len(ids) == 0 || len(ids) > maxLabels {
		s.fail("id2label", "has %d labels; 1 to %d are supported", len(ids), maxLabels)
		return nil
	}
	labels := make([]string, len(ids))
	known := make(map[string]int, len(ids))
	for i := range labels {
		label, ok := ids[strconv.Itoa(i)]
		switch other, twice := known[label]; {
		case !ok:
			s.fail("id2label", "has %d labels, but none for %d; the keys must be the numbers from 0 on", len(ids), i)
			return nil
		case label == "":
			s.fail("id2label", "the label of %d is empty", i)
		case twice:
			s.fail("id2label", "%d and %d have the same label", other, i)
		}
		labels[i], known[label] = label, i
	}
	if !s.given("label2id") {
		return labels
	}
	inverse := value[map[string]jsontext.Value](s, "label2id", nil)
	for i, label := range labels {
		if raw, ok := inverse[label]; ok && strings.Trim(string(raw), `"`) != strconv.Itoa(i) {
			s.fail("label2id", "does not agree with id2label about the label of %d", i)
		}
	}
	return labels
}

// plain says what is wrong with JSON without the names of Go types, and without a long part of it.
func plain(err error) error {
	if _, ok := errors.AsType[*json.SemanticError](err); ok {
		return errors.New("a value has a wrong type")
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the JSON is truncated")
	}
	if len(err.Error()) > 1000 {
		return errors.New("malformed JSON")
	}
	return err
}
