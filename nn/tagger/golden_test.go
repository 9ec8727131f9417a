package tagger

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/lethe-deid/lethe/internal/shared"
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

// goldenParams lists the names of the parameters in the order in which the reference's checkpoint
// stores them, with ours, or the number of values of those that our network does not have.
func goldenParams() (list []goldenParam) {
	add := func(theirs, ours string) { list = append(list, goldenParam{theirs, ours, 0}) }
	lstm := func(name string) {
		const cell = "/coupled_input_forget_gate_lstm_cell/"
		scope := name + "/bidirectional_LSTM/"
		add(scope+"backward/initial_cell_state", name+".backward.c0")
		add(scope+"backward/initial_output_state", name+".backward.h0")
		add(scope+"bidirectional_rnn/bw"+cell+"B", name+".backward.b")
		add(scope+"bidirectional_rnn/bw"+cell+"W_0", name+".backward.W")
		add(scope+"bidirectional_rnn/fw"+cell+"B", name+".forward.b")
		add(scope+"bidirectional_rnn/fw"+cell+"W_0", name+".forward.W")
		add(scope+"forward/initial_cell_state", name+".forward.c0")
		add(scope+"forward/initial_output_state", name+".forward.h0")
	}
	add("character_embedding/character_embedding_weights", "character_embedding")
	lstm("character_lstm")
	add("crf/transitions", "crf.transitions")
	add("feedforward_after_lstm/W", "hidden.W")
	add("feedforward_after_lstm/bias", "hidden.b")
	add("feedforward_before_crf/W", "logits.W")
	add("feedforward_before_crf/bias", "logits.b")
	list = append(list, goldenParam{"global_step", "", 1}, goldenParam{"token_embedding", "", 100})
	lstm("token_lstm")
	return list
}

type goldenParam struct {
	theirs, ours string
	skip         int // values
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
	copy(net.TokenEmbedding().Data, table)
	weights, err := os.ReadFile(shared.Path(t, "neuroner/i2b2_2014_glove_stanford_bioes/model.ckpt.data-00000-of-00001"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range goldenParams() {
		data := make([]float32, p.skip)
		if p.ours != "" {
			data = net.Get(p.ours).Data
		}
		for i := range data {
			data[i] = math.Float32frombits(binary.LittleEndian.Uint32(weights))
			weights = weights[4:]
		}
	}
	if len(weights) != 0 {
		t.Fatalf("%d bytes of weights left over", len(weights))
	}
	for i, row := range g.Transitions {
		for j, v := range row {
			if transitions := net.Get("crf.transitions"); transitions.Data[i*transitions.Cols+j] != v {
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

// Logits, Viterbi path and score, logZ and marginals of the reference's model, sentence by sentence
// and then all in one batch.
func TestGoldenForward(t *testing.T) {
	g, net, sentence := loadGolden(t)
	p, m := newPredictor(t, net, nil), newMachine(t, net)
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
		model := p.machine.Model
		logits := p.machine.Value(model.logits)
		for i, w := range want {
			y := found[i].Labels
			if len(y) != len(w.Unary) {
				t.Fatalf("sentence %d: %d labels, want %d", i, len(y), len(w.Unary))
			}
			var unary [][]float32
			for r, row := range w.Unary {
				unary = append(unary, logits.Row(model.tokens.Row(i, r)))
				for j, v := range row {
					if got := float64(unary[r][j]); !(math.Abs(got-v) <= 1e-4) {
						t.Fatalf("sentence %d: logit [%d,%d] is %v, want %v", i, r, j, got, v)
					}
				}
				if y[r] != w.ViterbiIDs[r] {
					t.Errorf("sentence %d: label %d is %d, want %d", i, r, y[r], w.ViterbiIDs[r])
				}
				if p := found[i].Probability(r, r+1); !(math.Abs(p-w.Marginal[r]) <= 1e-4) {
					t.Errorf("sentence %d: marginal %d is %v, want %v", i, r, p, w.Marginal[r])
				}
			}
			score := pathScore(net, unary, y)
			if !(math.Abs(score-w.ViterbiScore) <= 1e-4) {
				t.Errorf("sentence %d: Viterbi score %v, want %v", i, score, w.ViterbiScore)
			}
			gold := batch[i]
			gold.Labels = y // the loss is logZ minus the score of these
			loss, _ := trained(t, net, m, []Sentence{gold}, nil)
			if z := loss + score; !(math.Abs(z-w.LogZ) <= 1e-4) {
				t.Errorf("sentence %d: logZ %v, want %v", i, z, w.LogZ)
			}
		}
	}
	for i := range all {
		compare(all[i:i+1], want[i:i+1])
	}
	compare(all, want)
}

// pathScore is the score of labels: the sum of their logits and transitions.
func pathScore(net *Network, logits [][]float32, y []int32) (score float64) {
	transitions, before := net.Get("crf.transitions"), net.Sizes.Labels // START
	add := func(to int) {
		score += float64(transitions.Data[before*transitions.Cols+to])
		before = to
	}
	for t, label := range y {
		add(int(label))
		score += float64(logits[t][label])
	}
	add(net.Sizes.Labels + 1) // END
	return score
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
	loss, gradients := trained(t, net, newMachine(t, net), []Sentence{s}, nil)
	if !(math.Abs(loss-check.Loss) <= 1e-4) {
		t.Errorf("loss %v, want %v", loss, check.Loss)
	}
	ours := map[string]string{}
	for _, p := range goldenParams() {
		ours[p.theirs] = p.ours
	}
	// The reference has a gradient for each token, the network for each row of the table.
	rows := map[int32]int{}
	for _, id := range s.Tokens {
		rows[id]++
	}
	if len(check.Entries) != 91 {
		t.Errorf("%d gradients in the file, want 91", len(check.Entries))
	}
	for _, e := range check.Entries {
		name, row, column := ours[e.Tensor], 0, e.Index[len(e.Index)-1]
		if len(e.Index) == 2 {
			row = e.Index[0]
		}
		if e.Tensor == "input_embedding(token,component)" {
			name = "token_embedding"
			id := s.Tokens[row]
			if rows[id] > 1 {
				t.Fatalf("token %d is repeated, so that its row has the sum of several gradients", row)
			}
			row = int(id)
		}
		p := net.Get(name)
		if p == nil {
			t.Fatalf("no parameter %s", e.Tensor)
		}
		if got := float64(gradients[name][row*p.Cols+column]); !(math.Abs(got-e.Grad) <= 1e-4) {
			t.Errorf("gradient of %s%v is %v, want %v", e.Tensor, e.Index, got, e.Grad)
		}
	}
}
