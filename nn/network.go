package nn

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/lethe-deid/lethe/nn/kernel"
)

// Param is one trainable matrix, row-major.
type Param struct {
	Name       string
	Rows, Cols int
	Data       []float32
}

func (p *Param) matrix() kernel.Matrix { return kernel.NewMatrix(p.Rows, p.Cols, p.Data) }

// Network contains the parameters of a network. Any number of Predictors may read it at once, but
// not while a Trainer changes it.
type Network struct {
	Config Config
	Sizes  Sizes
	params []*Param // in a fixed order, without the token table
	table  *Param   // token embedding [Tokens, TokenEmbedding], which is separate because its gradient is sparse

	chars, tokens  bilstm // parameters of the two BiLSTMs
	charEmbedding  *Param
	hidden, logits dense
	transitions    *Param // [Labels+2, Labels+2]: START is row Labels, END column Labels+1
}

// bilstm contains the parameters of a bidirectional LSTM, and dense those of a linear layer.
type bilstm struct{ forward, backward lstmParams }
type dense struct{ w, b *Param }

// lstmParams contains the parameters of one direction: z = [x, h].w + b, initial states c0 and h0
// (nil for the peephole cell, as the paper uses zeros), and the peephole matrix p.
type lstmParams struct{ w, b, c0, h0, p *Param }

func (l lstmParams) list() []*Param {
	if l.p != nil {
		return []*Param{l.w, l.b, l.p}
	}
	return []*Param{l.w, l.b, l.c0, l.h0}
}

// New creates a network with Glorot-uniform matrices, U(±sqrt(6/(rows+cols))), and zero biases,
// like the reference (initial states are matrices of one row). Config.TokenScale is the only
// exception. The same seed produces the same network.
func New(cfg Config, sizes Sizes, seed uint64) (*Network, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if sizes.Labels < 1 || sizes.Tokens < 1 || sizes.Characters < 1 {
		return nil, fmt.Errorf("nn: impossible sizes %+v", sizes)
	}
	n := &Network{Config: cfg, Sizes: sizes}
	rng := rand.New(rand.NewPCG(seed, 0x676c6f726f74))
	glorot := func(name string, rows, cols int) *Param {
		p := &Param{name, rows, cols, make([]float32, rows*cols)}
		limit := math.Sqrt(6 / float64(rows+cols))
		for i := range p.Data {
			p.Data[i] = float32(limit * (2*rng.Float64() - 1))
		}
		n.params = append(n.params, p)
		return p
	}
	zeros := func(name string, cols int) *Param {
		p := &Param{name, 1, cols, make([]float32, cols)}
		n.params = append(n.params, p)
		return p
	}
	cell, _ := cfg.Cell.kernel()
	direction := func(name string, in, units int) lstmParams {
		l := lstmParams{w: glorot(name+".W", in+units, cell.Gates()*units), b: zeros(name+".b", cell.Gates()*units)}
		if cell == kernel.Peephole {
			l.p = glorot(name+".P", units, units)
			return l
		}
		l.c0, l.h0 = glorot(name+".c0", 1, units), glorot(name+".h0", 1, units)
		return l
	}
	linear := func(name string, in, out int) dense {
		return dense{glorot(name+".W", in, out), zeros(name+".b", out)}
	}

	width := cfg.TokenEmbedding
	if u := cfg.CharacterLSTM; u > 0 {
		n.charEmbedding = glorot("character_embedding", sizes.Characters, cfg.CharacterEmbedding)
		n.chars = bilstm{direction("character_lstm.forward", cfg.CharacterEmbedding, u), direction("character_lstm.backward", cfg.CharacterEmbedding, u)}
		width += 2 * u
	}
	if u := cfg.TokenLSTM; u > 0 {
		n.tokens = bilstm{direction("token_lstm.forward", width, u), direction("token_lstm.backward", width, u)}
		width = 2 * u
	}
	if cfg.Hidden > 0 {
		n.hidden = linear("hidden", width, cfg.Hidden)
		width = cfg.Hidden
	}
	n.logits = linear("logits", width, sizes.Labels)
	if cfg.CRF {
		n.transitions = glorot("crf.transitions", sizes.Labels+2, sizes.Labels+2)
	}
	if cfg.TokenEmbedding > 0 {
		n.table = glorot("token_embedding", sizes.Tokens, cfg.TokenEmbedding)
		n.params = n.params[:len(n.params)-1]
		if cfg.TokenScale > 0 {
			for i := range n.table.Data {
				n.table.Data[i] = float32(cfg.TokenScale * rng.NormFloat64())
			}
		}
	}
	return n, nil
}

// Params returns all parameters, the token embedding last. Their Data may be set (to load a model,
// or vectors trained elsewhere) but not resized.
func (n *Network) Params() []*Param {
	all := append([]*Param{}, n.params...)
	if n.table != nil {
		all = append(all, n.table)
	}
	return all
}

// TokenEmbedding returns the token table [Tokens, TokenEmbedding], or nil if there is none.
func (n *Network) TokenEmbedding() *Param { return n.table }
