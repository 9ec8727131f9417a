package huggingface

// Config describes the network of a model: what config.json says, with the defaults of transformers for
// keys that are absent.
type Config struct {
	ModelType     string   // one of ModelTypes
	Architectures []string // the classes that the model was saved from, such as BertForTokenClassification; may be empty
	Labels        []string // by row of the classifier; distinct and not empty

	VocabularySize int // rows of the table of tokens
	Positions      int // max_position_embeddings: rows of the table of positions, of which RoBERTa and its aliases use those above PadToken
	TypeVocabulary int // rows of the table of token types; 0: none
	PadToken       int // id of the padding token

	EmbeddingSize int // columns of these tables: HiddenSize, except for some ELECTRA and DeBERTa models, which project to HiddenSize
	HiddenSize    int // a multiple of Heads
	Layers        int
	Heads         int
	Intermediate  int // units of the feed-forward layers; in ModernBERT of each of the two halves of Wi
	Activation    Activation
	NormEpsilon   float64

	DeBERTa    DeBERTa    // for deberta-v2
	ModernBERT ModernBERT // for modernbert
}

// ModelTypes are the supported values of model_type. The types roberta, xlm-roberta and camembert are the
// same network; deberta-v2 is that of DeBERTa v2 and v3.
var ModelTypes = []string{"bert", "roberta", "xlm-roberta", "camembert", "distilbert", "electra", "deberta-v2", "modernbert"}

// Activation is the name of an activation function. Several names in config.json can mean the same one.
type Activation string

// The activation functions.
const (
	GELU     Activation = "gelu"      // x Φ(x), with the error function
	GELUTanh Activation = "gelu_tanh" // the approximation with tanh
	ReLU     Activation = "relu"
	SiLU     Activation = "silu" // x σ(x)
	Tanh     Activation = "tanh"
)

// DeBERTa has the settings that only DeBERTa v2 and v3 have (He et al. 2021).
type DeBERTa struct {
	RelativeAttention    bool // false: attention without positions
	MaxRelativePositions int  // at least 1
	PositionBuckets      int  // 0: relative positions are not put into buckets
	ContentToPosition    bool // c2p of pos_att_type
	PositionToContent    bool // p2c of pos_att_type
	ShareKeys            bool // share_att_key: the projections of content serve positions, too
	NormRelative         bool // norm_rel_ebd: a layer norm follows the table of relative positions
	PositionBiasedInput  bool // the input contains absolute positions
	ConvKernel           int  // odd: width of the convolution after the first layer; 0: none
	ConvActivation       Activation
}

// ModernBERT has the settings that only ModernBERT has (Warner et al. 2024).
type ModernBERT struct {
	Global               []bool  // by layer: whether a token attends to all tokens, or only to those in its window
	Window               int     // local_attention: a token attends to Window/2 tokens on each side
	GlobalTheta          float64 // base of the rotary embeddings in global layers
	LocalTheta           float64 // base of the rotary embeddings in the other layers
	NormBias             bool    // whether layer norms have a bias; also that of the head
	AttentionBias        bool    // whether Wqkv and Wo of the attention have one
	MLPBias              bool    // whether Wi and Wo of the feed-forward layers have one
	ClassifierBias       bool    // whether the dense layer of the head has one
	ClassifierActivation Activation
}
