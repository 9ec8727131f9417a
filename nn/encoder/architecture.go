package encoder

// architecture contains the names of an architecture's tensors, as in Hugging Face's transformers, and
// how its networks differ from others. A linear layer is a name with the suffixes .weight [outputs,
// inputs] and .bias [outputs], a norm one with .weight and .bias [size], and a table one with .weight.
//
// In all of them, the state of a token is the sum of its embeddings at first. Each layer adds to the
// states what attention finds, and then the output of a feed-forward network of two linear layers
// (Vaswani et al. 2017, section 3).
type architecture struct {
	words         string // the tables; "" stands for none
	positions     string
	types         string
	embeddingNorm string
	projection    string // from the size of the embeddings to that of the states, if they differ
	// What deberta-v2 does: the projection comes before the norm, and has no bias.
	projectFirst bool
	// What RoBERTa does: row PadToken of the positions is that of padding tokens, and the rows after it are
	// those of the other tokens.
	shifted bool

	layers        string   // the prefix of the layers, which their number and a dot follow
	heads         []string // the projections to queries, keys and values; or one to all three
	out           string   // the projection of what the heads find
	attentionNorm string
	up, down      string // the feed-forward network
	feedNorm      string
	// What ModernBERT does: attention and the feed-forward network read normalised states, the first
	// attention excepted, and the states are sums that are not normalised before the end. Elsewhere each sum
	// is normalised.
	normFirst bool
	gated     bool // one half of the outputs of up is activated and multiplied by the other
	finalNorm string
	dense     string // of the head: a linear layer, an activation and a norm come before the classifier
	denseNorm string
}

// architectures are the networks by their model_type.
var architectures = map[string]architecture{
	"bert":        bert,       // Devlin et al. 2019
	"roberta":     roberta,    // Liu et al. 2019
	"xlm-roberta": roberta,    // Conneau et al. 2020
	"camembert":   roberta,    // Martin et al. 2020
	"electra":     bert,       // Clark et al. 2020
	"deberta-v2":  deberta,    // He et al. 2021, He et al. 2023
	"distilbert":  distilbert, // Sanh et al. 2019
	"modernbert":  modernbert, // Warner et al. 2024
}

var bert = architecture{
	words:         "embeddings.word_embeddings",
	positions:     "embeddings.position_embeddings",
	types:         "embeddings.token_type_embeddings",
	embeddingNorm: "embeddings.LayerNorm",
	projection:    "embeddings_project",
	layers:        "encoder.layer.",
	heads:         []string{"attention.self.query", "attention.self.key", "attention.self.value"},
	out:           "attention.output.dense",
	attentionNorm: "attention.output.LayerNorm",
	up:            "intermediate.dense",
	down:          "output.dense",
	feedNorm:      "output.LayerNorm",
}

var roberta = func(a architecture) architecture {
	a.shifted = true
	return a
}(bert)

var deberta = func(a architecture) architecture {
	a.heads = []string{"attention.self.query_proj", "attention.self.key_proj", "attention.self.value_proj"}
	a.projection, a.projectFirst = "embeddings.embed_proj", true
	return a
}(bert)

var distilbert = architecture{
	words:         "embeddings.word_embeddings",
	positions:     "embeddings.position_embeddings",
	embeddingNorm: "embeddings.LayerNorm",
	layers:        "transformer.layer.",
	heads:         []string{"attention.q_lin", "attention.k_lin", "attention.v_lin"},
	out:           "attention.out_lin",
	attentionNorm: "sa_layer_norm",
	up:            "ffn.lin1",
	down:          "ffn.lin2",
	feedNorm:      "output_layer_norm",
}

var modernbert = architecture{
	words:         "embeddings.tok_embeddings",
	embeddingNorm: "embeddings.norm",
	layers:        "layers.",
	heads:         []string{"attn.Wqkv"},
	out:           "attn.Wo",
	attentionNorm: "attn_norm",
	up:            "mlp.Wi",
	down:          "mlp.Wo",
	feedNorm:      "mlp_norm",
	normFirst:     true,
	gated:         true,
	finalNorm:     "final_norm",
	dense:         "head.dense",
	denseNorm:     "head.norm",
}
