package encoder

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/lethe-deid/lethe/checkpoints"
	"github.com/lethe-deid/lethe/checkpoints/huggingface"
)

// example is a small network with scores that transformers computed: see scripts/peers/encoders.py.
type example struct {
	Name      string
	Config    json.RawMessage
	Shapes    map[string][]int
	Sequences [][]int32
	Scores    [][]float64
}

// recorded are examples that need no Python.
const recorded = "testdata/golden.json"

func examples(t *testing.T, path string) []example {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var found []example
	if err := json.Unmarshal(raw, &found); err != nil {
		t.Fatal(err)
	}
	return found
}

// named returns a recorded example.
func named(t *testing.T, name string) example {
	t.Helper()
	all := examples(t, recorded)
	i := slices.IndexFunc(all, func(e example) bool { return e.Name == name })
	if i < 0 {
		t.Fatalf("no example %q", name)
	}
	return all[i]
}

// formula returns the numbers of a tensor, as scripts/peers/encoders.py computes them.
func formula(name string, n int) []float32 {
	seed := uint32(2166136261)
	for _, b := range []byte(name) {
		seed = (seed ^ uint32(b)) * 16777619
	}
	gain := strings.Contains(strings.ToLower(name), "norm") && strings.HasSuffix(name, ".weight")
	x := make([]float32, n)
	for i := range x {
		h := (seed + uint32(i)) * 2654435761
		h ^= h >> 15
		h *= 2246822519
		h ^= h >> 13
		x[i] = float32(h>>8)/(1<<24) - 0.5
		if gain {
			x[i]++
		}
	}
	return x
}

// open writes the network as transformers saves it and opens it.
func (e *example) open(t *testing.T) *huggingface.Folder {
	t.Helper()
	dir := t.TempDir()
	var all []checkpoints.Tensor
	for name, shape := range e.Shapes {
		n := 1
		for _, d := range shape {
			n *= d
		}
		all = append(all, checkpoints.Tensor{Name: name, Shape: shape, Data: formula(name, n)})
	}
	if err := checkpoints.WriteTensors(filepath.Join(dir, "model.safetensors"), all, nil); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "config.json"), e.Config, 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := huggingface.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func (e *example) network(t *testing.T, o Options) *Encoder {
	t.Helper()
	f := e.open(t)
	n, err := New(f.Config(), f, o)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// tensors are weights that tests can change.
type tensors map[string]checkpoints.Tensor

func (w tensors) Tensor(name string) (checkpoints.Tensor, error) {
	t, ok := w[name]
	if !ok {
		return t, fmt.Errorf("no tensor %q", name)
	}
	t.Data = slices.Clone(t.Data)
	return t, nil
}

func (w tensors) Shape(name string) ([]int, bool) {
	t, ok := w[name]
	return t.Shape, ok
}

func (w tensors) Names() []string { return slices.Sorted(maps.Keys(w)) }

// parts returns the configuration and the weights of a recorded example.
func parts(t *testing.T, name string) (huggingface.Config, tensors) {
	t.Helper()
	e := named(t, name)
	f, w := e.open(t), tensors{}
	for _, name := range f.Names() {
		tensor, err := f.Tensor(name)
		if err != nil {
			t.Fatal(err)
		}
		w[name] = tensor
	}
	return f.Config(), w
}

// tolerance is the greatest difference of a score from PyTorch's, as a part of the greatest score of the
// sequence, or absolute if that is below 1.
const tolerance = 1e-4

// difference returns the greatest difference, measured as tolerance is.
func difference(t *testing.T, got Scores, want []float64) float64 {
	t.Helper()
	if got.Rows*got.Cols != len(want) {
		t.Fatalf("%dx%d scores, want %d", got.Rows, got.Cols, len(want))
	}
	most, size := 0.0, 1.0
	for i, v := range want {
		if d := math.Abs(float64(got.Data[i]) - v); !(d <= most) {
			most = d
		}
		size = max(size, math.Abs(v))
	}
	return most / size
}

// If LETHE_PYTHON names a Python with transformers, the examples are made by it.
func TestAgainstTransformers(t *testing.T) {
	path := recorded
	if python := os.Getenv("LETHE_PYTHON"); python != "" {
		path = filepath.Join(t.TempDir(), "golden.json")
		if out, err := exec.Command(python, "../../scripts/peers/encoders.py", "golden", path).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	for _, example := range examples(t, path) {
		t.Run(example.Name, func(t *testing.T) {
			scores, err := example.network(t, Options{}).Logits(example.Sequences)
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range example.Scores {
				d := difference(t, scores[i], want)
				t.Logf("%d tokens: %.2g", scores[i].Rows, d)
				if !(d <= tolerance) {
					t.Errorf("sequence %d, %d tokens: the scores differ by %.2g", i, scores[i].Rows, d)
				}
			}
		})
	}
}

// Networks of bytes have scores that differ, but not much.
func TestInt8(t *testing.T) {
	for _, example := range examples(t, recorded) {
		scores, err := example.network(t, Options{Int8: true}).Logits(example.Sequences)
		if err != nil {
			t.Fatal(err)
		}
		last := len(scores) - 1
		if d := difference(t, scores[last], example.Scores[last]); !(d > tolerance && d < 0.2) {
			t.Errorf("%s: the scores differ by %.2g", example.Name, d)
		}
	}
}

// A sequence has the same bits alone, in any batch, and with any number of workers. The batch takes several
// passes.
func TestSameBitsInAnyBatch(t *testing.T) {
	for _, test := range []struct {
		name string
		int8 bool
	}{{"electra", false}, {"deberta convolution", false}, {"modernbert", false}, {"roberta", true}} {
		name, example := test.name, named(t, test.name)
		one := example.network(t, Options{Workers: 1, Int8: test.int8})
		var batch [][]int32
		longest := example.Sequences[len(example.Sequences)-1]
		for n := range maxRows/len(longest) + 1 {
			batch = append(batch, longest[:len(longest)-n%7], longest[n%3:n%3+1], longest[:0], longest[:17+n%5])
		}
		var want []Scores
		for _, s := range batch {
			alone, err := one.Logits([][]int32{s})
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, alone[0])
		}
		for _, workers := range []int{1, 3} {
			got, err := example.network(t, Options{Workers: workers, Int8: test.int8}).Logits(batch)
			if err != nil {
				t.Fatal(err)
			}
			for i := range batch {
				if got[i].Rows != len(batch[i]) || got[i].Cols != 3 || !slices.Equal(got[i].Data, want[i].Data) {
					t.Fatalf("%s, %d workers: sequence %d of %d tokens has other scores than alone", name, workers, i, len(batch[i]))
				}
			}
		}
	}
}

// Several goroutines can use a network. Its memory is not that of the results.
func TestConcurrentCalls(t *testing.T) {
	example := named(t, "roberta")
	e := example.network(t, Options{Workers: 2})
	want, err := e.Logits(example.Sequences)
	if err != nil {
		t.Fatal(err)
	}
	kept := slices.Clone(want[2].Data)
	var calls sync.WaitGroup
	for range 4 {
		calls.Go(func() {
			for range 20 {
				got, err := e.Logits(example.Sequences)
				if err != nil || !slices.Equal(got[2].Data, kept) {
					t.Errorf("other scores, or %v", err)
				}
			}
		})
	}
	calls.Wait()
	if !slices.Equal(want[2].Data, kept) {
		t.Error("a later call changed the scores")
	}
}

func TestTransitions(t *testing.T) {
	example := named(t, "bert")
	if _, ok := example.network(t, Options{}).Transitions(); ok {
		t.Error("transitions without a CRF")
	}
	c, w := parts(t, "bert")
	w["crf.transitions"] = checkpoints.Tensor{Shape: []int{3, 3}, Data: []float32{1, 2, 3, 4, 5, 6, 7, 8, 9}}
	w["crf.start_transitions"] = checkpoints.Tensor{Shape: []int{3}, Data: []float32{10, 11, 12}}
	w["crf.end_transitions"] = checkpoints.Tensor{Shape: []int{3}, Data: []float32{20, 21, 22}}
	e, err := New(c, w, Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, ok := e.Transitions()
	want := []float32{1, 2, 3, 0, 20, 4, 5, 6, 0, 21, 7, 8, 9, 0, 22, 10, 11, 12, 0, 0, 0, 0, 0, 0, 0}
	if !ok || m.Rows != 5 || m.Cols != 5 || !slices.Equal(m.Data, want) {
		t.Errorf("%v, %v", m, ok)
	}
	delete(w, "crf.end_transitions")
	if _, err := New(c, w, Options{}); err == nil || !strings.Contains(err.Error(), `"crf.end_transitions" is missing`) {
		t.Errorf("error %v", err)
	}
}

func TestLimit(t *testing.T) {
	for name, want := range map[string]int{"bert": 40, "roberta": 40, "distilbert": 40, "deberta": 150, "modernbert": 300} {
		example := named(t, name)
		e := example.network(t, Options{})
		if e.Limit() != want {
			t.Errorf("%s: the limit is %d, want %d", name, e.Limit(), want)
		}
		sequence := make([]int32, want+1)
		for i := range sequence {
			sequence[i] = 5
		}
		if _, err := e.Logits([][]int32{sequence[:want]}); err != nil {
			t.Error(err)
		}
		_, err := e.Logits([][]int32{{5}, sequence})
		if text := fmt.Sprintf("sequence 1 has %d tokens, but the network has positions for %d", want+1, want); err == nil || err.Error() != text {
			t.Errorf("%s: error %v", name, err)
		}
		for _, id := range []int32{-1, 60, math.MaxInt32, math.MinInt32} {
			_, err := e.Logits([][]int32{{}, {1, id}})
			if text := fmt.Sprintf("sequence 1: token 1 has the id %d, but the vocabulary has 60", id); err == nil || err.Error() != text {
				t.Errorf("%s: error %v", name, err)
			}
		}
	}
}

// A padding token within a sequence has the position of padding, and does not move those after it.
func TestPaddingTokenWithinSequence(t *testing.T) {
	example := named(t, "roberta")
	if !slices.Contains(example.Sequences[2][1:39], 1) {
		t.Error("the sequence compared with transformers has no padding token")
	}
	p := &pass{}
	p.reset()
	p.append([]int32{0, 7, 1, 8, 1}, 1)
	if want := []int32{2, 3, 1, 4, 1}; !slices.Equal(p.rows, want) {
		t.Errorf("rows %v, want %v", p.rows, want)
	}
}

// Each tensor of a network must be there and have the shape that config.json requires.
func TestTensorsThatDoNotFit(t *testing.T) {
	for _, name := range []string{"bert", "roberta", "electra", "distilbert", "deberta own projections", "deberta absolute", "deberta wide convolution", "deberta projection", "modernbert biases"} {
		c, w := parts(t, name)
		for tensor, right := range w {
			delete(w, tensor)
			if _, err := New(c, w, Options{}); err == nil || err.Error() != fmt.Sprintf("tensor %q is missing", tensor) {
				t.Errorf("%s without %s: error %v", name, tensor, err)
			}
			long := right
			long.Shape = append([]int{right.Shape[0] + 1}, right.Shape[1:]...)
			w[tensor] = long
			if _, err := New(c, w, Options{}); err == nil || err.Error() != fmt.Sprintf("tensor %q: the shape is %v, but config.json requires %v", tensor, long.Shape, right.Shape) {
				t.Errorf("%s with a longer %s: error %v", name, tensor, err)
			}
			w[tensor] = right
		}
		w["lstm.weight"] = checkpoints.Tensor{Name: "lstm.weight", Shape: []int{1}, Data: []float32{1}}
		if _, err := New(c, w, Options{}); err == nil || err.Error() != `tensor "lstm.weight" has no place in a network with this config.json` {
			t.Errorf("%s with another tensor: error %v", name, err)
		}
	}
}

func TestConfigurationsThatMakeNoNetwork(t *testing.T) {
	for _, test := range []struct {
		example string
		change  func(c *huggingface.Config)
		want    string
	}{
		{"bert", func(c *huggingface.Config) { c.ModelType = "gpt2" }, `model_type: "gpt2" is not one of bert, camembert, deberta-v2,`},
		{"deberta", func(c *huggingface.Config) { c.DeBERTa.MaxRelativePositions = 8 }, "position_buckets: 16 do not fit max_relative_positions, which is 8"},
		{"deberta", func(c *huggingface.Config) { c.DeBERTa.PositionBuckets = 1 }, "position_buckets: 1 do not fit max_relative_positions, which is 150"},
		{"deberta", func(c *huggingface.Config) { c.Positions = 1 << 24 }, "max_position_embeddings: is 16777216, but relative attention supports up to 1048576"},
	} {
		c, w := parts(t, test.example)
		test.change(&c)
		if _, err := New(c, w, Options{}); err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("error %v, want %s", err, test.want)
		}
	}
}

// Weights whose products overflow are an error, not scores of NaN.
func TestOverflow(t *testing.T) {
	c, w := parts(t, "bert")
	for i := range w["classifier.weight"].Data {
		w["classifier.weight"].Data[i] = 3e38
	}
	e, err := New(c, w, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Logits([][]int32{{1, 2, 3}}); err == nil || !strings.Contains(err.Error(), "the weights of the network are too large") {
		t.Errorf("error %v", err)
	}
}
