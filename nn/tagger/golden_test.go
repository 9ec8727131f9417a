package nn

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/lethe-deid/lethe/internal/shared"
	"github.com/lethe-deid/lethe/nn/kernel"
)

// golden contains the forward pass and the gradients of one of the reference's pretrained models,
// computed by two independent implementations.
type golden struct {
	UnkVector     []float32            `json:"unk_vector"`
	SeededVectors map[string][]float32 `json:"seeded_vectors"`
	Transitions   [][]float32          `json:"transitions"`
	Labels        []string             `json:"labels"`
	Sentences     []goldenSentence     `json:"sentences"`
	GradientCheck goldenGradients      `json:"gradient_check"`
}

type goldenSentence struct {
	Tokens  []string               `json:"tokens"`
	CharIDs [][]int32              `json:"char_ids"`
	Modes   map[string]goldenModes `json:"modes"`
}

type goldenModes struct {
	Unary        [][]float64 `json:"unary_scores"`
	ViterbiIDs   []int32     `json:"viterbi_ids"`
	ViterbiScore float64     `json:"viterbi_score"`
	LogZ         float64     `json:"log_partition"`
	Marginal     []float64   `json:"marginal_of_viterbi_label"`
}

type goldenGradients struct {
	Sentence int
	Mode     string
	Gold     []string
	Loss     float64
	Entries  []struct {
		Tensor string
		Index  []int
		Grad   float64
	}
}

// goldenParams returns the parameters in the order in which the reference's checkpoint stores them,
// and their names there.
func goldenParams(n *Network) (names []string, params []*Param) {
	add := func(name string, p *Param) { names, params = append(names, name), append(params, p) }
	lstm := func(scope string, l bilstm) {
		const cell = "/coupled_input_forget_gate_lstm_cell/"
		scope += "/bidirectional_LSTM/"
		add(scope+"backward/initial_cell_state", l.backward.c0)
		add(scope+"backward/initial_output_state", l.backward.h0)
		add(scope+"bidirectional_rnn/bw"+cell+"B", l.backward.b)
		add(scope+"bidirectional_rnn/bw"+cell+"W_0", l.backward.w)
		add(scope+"bidirectional_rnn/fw"+cell+"B", l.forward.b)
		add(scope+"bidirectional_rnn/fw"+cell+"W_0", l.forward.w)
		add(scope+"forward/initial_cell_state", l.forward.c0)
		add(scope+"forward/initial_output_state", l.forward.h0)
	}
	add("character_embedding/character_embedding_weights", n.charEmbedding)
	lstm("character_lstm", n.chars)
	add("crf/transitions", n.transitions)
	add("feedforward_after_lstm/W", n.hidden.w)
	add("feedforward_after_lstm/bias", n.hidden.b)
	add("feedforward_before_crf/W", n.logits.w)
	add("feedforward_before_crf/bias", n.logits.b)
	add("global_step", &Param{Rows: 1, Cols: 1, Data: make([]float32, 1)})
	add("token_embedding", &Param{Rows: 1, Cols: 100, Data: make([]float32, 100)})
	lstm("token_lstm", n.tokens)
	return names, params
}

// loadGolden returns the reference's model and, for a sentence and a mode of
// embedding, the ids to run it on.
func loadGolden(t *testing.T) (*golden, *Network, func(s goldenSentence, mode string) Sentence) {
	t.Helper()
	var g golden
	raw, err := os.ReadFile(shared.Path(t, "neuroner/golden_i2b2_stanford.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &g); err != nil {
		t.Fatal(err)
	}
	rows := map[string]int32{"unk": 0, "zero": 1}
	table := append(append([]float32{}, g.UnkVector...), make([]float32, 100)...)
	for token, v := range g.SeededVectors {
		rows["seeded "+token] = int32(len(table) / 100)
		table = append(table, v...)
	}
	net, err := New(DefaultConfig(), Sizes{Characters: 95, Tokens: len(table) / 100, Labels: len(g.Labels)}, 1)
	if err != nil {
		t.Fatal(err)
	}
	copy(net.table.Data, table)
	weights, err := os.ReadFile(shared.Path(t, "neuroner/i2b2_2014_glove_stanford_bioes/model.ckpt.data-00000-of-00001"))
	if err != nil {
		t.Fatal(err)
	}
	_, params := goldenParams(net)
	for _, p := range params {
		for i := range p.Data {
			p.Data[i] = math.Float32frombits(binary.LittleEndian.Uint32(weights))
			weights = weights[4:]
		}
	}
	if len(weights) != 0 {
		t.Fatalf("%d bytes of weights left over", len(weights))
	}
	for i, row := range g.Transitions {
		for j, v := range row {
			if net.transitions.matrix().Row(i)[j] != v {
				t.Fatalf("transition [%d,%d] differs: the weights were read in a wrong order", i, j)
			}
		}
	}
	return &g, net, func(s goldenSentence, mode string) Sentence {
		out := Sentence{Characters: s.CharIDs}
		for _, token := range s.Tokens {
			key := mode
			if mode == "seeded" {
				if _, ok := rows["seeded "+token]; !ok {
					token = lower(token)
				}
				key = "seeded " + token
			}
			row, ok := rows[key]
			if !ok {
				t.Fatalf("no vector in mode %s", mode)
			}
			out.Tokens = append(out.Tokens, row)
		}
		return out
	}
}

func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 32
		}
	}
	return string(b)
}

// Logits, Viterbi path and score, logZ and marginals of the reference's model,
// sentence by sentence and then all in one batch.
func TestGoldenForward(t *testing.T) {
	g, net, sentence := loadGolden(t)
	p, err := NewPredictor(net, nil)
	if err != nil {
		t.Fatal(err)
	}
	var all []Sentence
	var want []goldenModes
	for _, s := range g.Sentences {
		for _, mode := range []string{"unk", "zero", "seeded"} {
			all, want = append(all, sentence(s, mode)), append(want, s.Modes[mode])
		}
	}
	compare := func(batch []Sentence, want []goldenModes) {
		t.Helper()
		found, err := p.Predict(batch)
		if err != nil {
			t.Fatal(err)
		}
		pk := &p.machine.batch.tokens
		for s, i := range p.machine.batch.order {
			w, y := want[i], found[i].Labels
			u := p.lattice.sentence(pk, s)
			for r := range u.Rows {
				for j, v := range u.Row(r) {
					if math.Abs(float64(v)-w.Unary[r][j]) > 1e-4 {
						t.Fatalf("sentence %d: logit [%d,%d] is %v, want %v", i, r, j, v, w.Unary[r][j])
					}
				}
				if y[r] != w.ViterbiIDs[r] {
					t.Errorf("sentence %d: label %d is %d, want %d", i, r, y[r], w.ViterbiIDs[r])
				}
				if m := found[i].Probability(r, r+1); math.Abs(m-w.Marginal[r]) > 1e-4 {
					t.Errorf("sentence %d: marginal %d is %v, want %v", i, r, m, w.Marginal[r])
				}
			}
			if z := p.lattice.logZ[s]; math.Abs(z-w.LogZ) > 1e-4 {
				t.Errorf("sentence %d: logZ %v, want %v", i, z, w.LogZ)
			}
			if score := p.lattice.pathScore(pk, s, y); math.Abs(score-w.ViterbiScore) > 1e-4 {
				t.Errorf("sentence %d: Viterbi score %v, want %v", i, score, w.ViterbiScore)
			}
		}
	}
	for i := range all {
		compare(all[i:i+1], want[i:i+1])
	}
	compare(all, want)
}

// The 91 gradients of the reference's loss were computed there by finite differences in float64.
func TestGoldenGradients(t *testing.T) {
	g, net, sentence := loadGolden(t)
	check := g.GradientCheck
	s := sentence(g.Sentences[check.Sentence], check.Mode)
	index := map[string]int32{}
	for i, l := range g.Labels {
		index[l] = int32(i)
	}
	for _, l := range check.Gold {
		s.Labels = append(s.Labels, index[l])
	}
	m, err := newMachine(net, true)
	if err != nil {
		t.Fatal(err)
	}
	loss, err := m.train([]Sentence{s}, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(loss-check.Loss) > 1e-4 {
		t.Errorf("loss %v, want %v", loss, check.Loss)
	}
	gradient := map[string]kernel.Matrix{"input_embedding(token,component)": m.table.rows}
	names, params := goldenParams(net)
	for i, name := range names {
		for j, p := range net.params {
			if p == params[i] {
				gradient[name] = m.gradient(j)
			}
		}
	}
	if len(check.Entries) != 91 {
		t.Errorf("%d gradients in the file, want 91", len(check.Entries))
	}
	for _, e := range check.Entries {
		if len(e.Index) == 1 {
			e.Index = []int{0, e.Index[0]}
		}
		d, ok := gradient[e.Tensor]
		if !ok {
			t.Fatalf("no gradient of %s", e.Tensor)
		}
		if got := float64(d.Row(e.Index[0])[e.Index[1]]); math.Abs(got-e.Grad) > 1e-4 {
			t.Errorf("gradient of %s%v is %v, want %v", e.Tensor, e.Index, got, e.Grad)
		}
	}
}
