package huggingface

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/lethe-deid/lethe/checkpoints"
	"github.com/lethe-deid/lethe/internal/tensorfile"
)

// A tensor whose axes are stored in any order comes out in row-major order.
func TestTransposed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shape := rapid.SliceOfN(rapid.IntRange(0, 4), 0, 4).Draw(t, "shape")
		axes := make([]int, len(shape))
		for i := range axes {
			axes[i] = i
		}
		strides := make([]int, len(shape))
		step := 1
		for _, axis := range rapid.Permutation(axes).Draw(t, "order") {
			strides[axis] = step
			step *= max(1, shape[axis])
		}
		for i, n := range shape {
			if n == 1 { // any stride
				strides[i] = rapid.IntRange(-9, 9).Draw(t, "stride")
			}
		}
		n, _ := tensorfile.Volume(shape)
		numbers := make([]float32, n)
		for i := range numbers {
			numbers[i] = float32(i)
		}
		// By definition: the number at an index is that at the sum of the products of index and stride.
		want := []float32{}
		var visit func(axis, at int)
		visit = func(axis, at int) {
			if axis == len(shape) {
				want = append(want, float32(at))
				return
			}
			for i := range shape[axis] {
				visit(axis+1, at+i*strides[axis])
			}
		}
		visit(0, 0)

		got := numbers
		s := stored{shape: shape}
		var err error
		if s.strides, err = order(shape, strides); err != nil {
			t.Fatal(err)
		}
		if s.strides != nil {
			got = s.transpose(numbers)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("shape %v, strides %v: %s", shape, strides, d)
		}
	})
}

// A tensor of several chunks is read whole, and its memory is that of its numbers.
func TestLargeTensor(t *testing.T) {
	const n = 1<<22 + 3
	header := smallWeights + "," + entry("crf.big", "F16", fmt.Sprintf("[%d]", n), 80, 80+2*n) + "}"
	file := []byte(safetensors(header, 80+2*n))
	numbers := file[len(file)-2*n:]
	for i := range n {
		binary.LittleEndian.PutUint16(numbers[2*i:], uint16(i%0x7c00))
	}
	f, err := Open(folder(t, map[string]string{ConfigFile: smallConfig, safetensorsFile: string(file)}))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var tensor checkpoints.Tensor
	if size := allocated(func() { tensor, err = f.Tensor("crf.big") }); err != nil || size > 4*n+1<<20 {
		t.Fatalf("%d bytes, error %v", size, err)
	}
	for i, x := range tensor.Data {
		if tensorfile.ToHalf(x) != uint16(i%0x7c00) {
			t.Fatalf("number %d is %v", i, x)
		}
	}
}

// The digest is that of the output of sha256sum, and changes with every file that was opened.
func TestDigest(t *testing.T) {
	files := map[string]string{ConfigFile: smallConfig, safetensorsFile: safetensors(smallWeights+"}", 80), "vocab.txt": "the"}
	dir := folder(t, files)
	digest := func() string {
		t.Helper()
		f, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if d := cmp.Diff([]string{ConfigFile, safetensorsFile}, f.Files()); d != "" {
			t.Error(d)
		}
		s, err := f.Digest()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	list := fmt.Sprintf("%x  config.json\n%x  model.safetensors\n", sha256.Sum256([]byte(smallConfig)), sha256.Sum256([]byte(files[safetensorsFile])))
	first := digest()
	if want := fmt.Sprintf("%x", sha256.Sum256([]byte(list))); first != want {
		t.Errorf("%s, want %s", first, want)
	}
	if err := os.WriteFile(filepath.Join(dir, ConfigFile), []byte(smallConfig+" "), 0o600); err != nil {
		t.Fatal(err)
	}
	if digest() == first {
		t.Error("another config.json has the same digest")
	}
	f, err := Open("testdata/torch-parts")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want := []string{"config.json", "pytorch_model-00001-of-00002.bin", "pytorch_model-00002-of-00002.bin", "pytorch_model.bin.index.json"}
	if d := cmp.Diff(want, f.Files()); d != "" {
		t.Error(d)
	}
}

// The tensors of a folder, saved under their names by checkpoints, are the same model.
func TestSavedAgain(t *testing.T) {
	from, err := Open("testdata/torch-unusual")
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	var tensors []checkpoints.Tensor
	for _, name := range from.Names() {
		tensor, err := from.Tensor(name)
		if err != nil {
			t.Fatal(err)
		}
		tensors = append(tensors, tensor)
	}
	config, err := os.ReadFile("testdata/torch-unusual/config.json")
	if err != nil {
		t.Fatal(err)
	}
	dir := folder(t, map[string]string{ConfigFile: string(config)})
	if err := checkpoints.WriteTensors(filepath.Join(dir, safetensorsFile), tensors, nil); err != nil {
		t.Fatal(err)
	}
	to, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	if d := cmp.Diff(from.Names(), to.Names()); d != "" {
		t.Fatal(d)
	}
	for i, name := range to.Names() {
		tensor, err := to.Tensor(name)
		if d := cmp.Diff(tensors[i], tensor); err != nil || d != "" {
			t.Errorf("%s: error %v, %s", name, err, d)
		}
	}
}

// Prefixes of the encoder, and of what contains it.
func TestNames(t *testing.T) {
	for _, test := range []struct{ table, other, want string }{
		{"embeddings.word_embeddings.weight", "classifier.weight", "classifier.weight"},
		{"bert.embeddings.word_embeddings.weight", "classifier.weight", "classifier.weight"},
		{"bert.embeddings.word_embeddings.weight", "bert.encoder.layer.0.output.LayerNorm.gamma", "encoder.layer.0.output.LayerNorm.weight"},
		{"bert.embeddings.word_embeddings.weight", "bert.embeddings.LayerNorm.beta", "embeddings.LayerNorm.bias"},
		{"encoder.embeddings.word_embeddings.weight", "encoder.encoder.layer.0.x", "encoder.layer.0.x"},
		{"module.bert.embeddings.word_embeddings.weight", "module.classifier.weight", "classifier.weight"},
		{"module.bert.embeddings.word_embeddings.weight", "module.bert.pooler.dense.weight", ""},
		{"a.b.model.embeddings.word_embeddings.weight", "a.b.crf.transitions", "crf.transitions"},
		{"bert.embeddings.word_embeddings.weight", "bert.embeddings.position_ids", ""},
		{"bert.embeddings.word_embeddings.weight", "cls.predictions.bias", ""},
		{"bert.embeddings.word_embeddings.weight", "lstm.weight_ih_l0", "lstm.weight_ih_l0"}, // for the encoder to refuse
	} {
		got, err := byName([]stored{{name: test.table}, {name: test.other}}, "bert")
		var want []string
		for _, name := range []string{"embeddings.word_embeddings.weight", test.want} {
			if name != "" {
				want = append(want, name)
			}
		}
		var names []string
		for name := range got {
			names = append(names, name)
		}
		slices.Sort(names)
		slices.Sort(want)
		if d := cmp.Diff(want, names); err != nil || d != "" {
			t.Errorf("%s, %s: error %v, %s", test.table, test.other, err, d)
		}
	}
}

// tryFolder opens a folder, reads everything, and checks what must always be true.
func tryFolder(t *testing.T, files map[string]string) {
	dir := folder(t, files)
	f, err := Open(dir)
	if err != nil {
		if !strings.Contains(err.Error(), dir) { // the system begins with what it could not do
			t.Errorf("the error does not name the file: %v", err)
		}
		return
	}
	defer f.Close()
	size := 0
	for _, content := range files {
		size += len(content)
	}
	for _, name := range f.Names() {
		tensor, err := f.Tensor(name)
		if err != nil {
			continue
		}
		if n, ok := tensorfile.Volume(tensor.Shape); !ok || n != len(tensor.Data) || 2*n > size {
			t.Errorf("%d numbers of the shape %v from %d bytes", len(tensor.Data), tensor.Shape, size)
		}
		for _, x := range tensor.Data {
			if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
				t.Error("a number is not finite")
			}
		}
	}
}

func FuzzSafetensors(f *testing.F) {
	f.Add([]byte(safetensors(smallWeights+"}", 80)))
	for _, name := range []string{"bert", "roberta"} {
		raw, err := os.ReadFile(filepath.Join("testdata", name, safetensorsFile))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		tryFolder(t, map[string]string{ConfigFile: smallConfig, safetensorsFile: string(raw)})
	})
}

func FuzzTorch(f *testing.F) {
	for _, name := range []string{"torch", "torch-unusual", "torch-legacy"} {
		raw, err := os.ReadFile(filepath.Join("testdata", name, torchFile))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	config := strings.Replace(smallConfig, `"NAME"`, `"NAME","2":"AGE"`, 1)
	f.Fuzz(func(t *testing.T, raw []byte) {
		tryFolder(t, map[string]string{ConfigFile: config, torchFile: string(raw)})
	})
}

// FuzzTorchPickle mutates the dictionary in an archive that is otherwise right.
func FuzzTorchPickle(f *testing.F) {
	f.Add([]byte(state()), make([]byte, 48))
	f.Add([]byte(state(tensor("HalfStorage", "0", 24, 3, []int{3, 2}, []int{1, 3}))), make([]byte, 48))
	f.Fuzz(func(t *testing.T, pickle, numbers []byte) {
		archive := zipped(t, zip.Store, "m/data.pkl", string(pickle), "m/data/0", string(numbers), "m/data/1", string(make([]byte, 32)))
		tryFolder(t, map[string]string{ConfigFile: smallConfig, torchFile: archive})
	})
}

func FuzzIndex(f *testing.F) {
	f.Add([]byte(`{"metadata":{},"weight_map":{"bert.embeddings.word_embeddings.weight":"a.safetensors","classifier.weight":"a.safetensors"}}`))
	part := safetensors(smallWeights+"}", 80)
	f.Fuzz(func(t *testing.T, index []byte) {
		tryFolder(t, map[string]string{ConfigFile: smallConfig, "a.safetensors": part, safetensorsFile + indexExt: string(index)})
	})
}
