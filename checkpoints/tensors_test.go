package checkpoints

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nlpodyssey/safetensors"
	"pgregory.net/rapid"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/tensorfile"
)

func weights() []Tensor {
	return []Tensor{
		{"token.embedding", []int{3, 2}, []float32{0, -1.5, 3e-40, math.MaxFloat32, 0.1, float32(math.Copysign(0, -1))}},
		{"crf/transitions", []int{2, 1}, []float32{1, 2}},
		{"step", []int{}, []float32{7}},
		{"empty", []int{0, 5}, []float32{}},
	}
}

func sorted(tensors []Tensor) []Tensor {
	return slices.SortedFunc(slices.Values(tensors), func(a, b Tensor) int { return strings.Compare(a.Name, b.Name) })
}

func TestTensorsRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.safetensors")
	meta := map[string]string{"epoch": "12", "state": `{"sha256":"x"}`, "name": "José"}
	if err := WriteTensors(path, weights(), meta); err != nil {
		t.Fatal(err)
	}
	tensors, metadata, err := ReadTensors(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(sorted(weights()), tensors); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(meta, metadata); d != "" {
		t.Error(d)
	}
	if len(meta) != 3 {
		t.Error("WriteTensors changed the caller's metadata")
	}
	if math.Signbit(float64(tensors[3].Data[5])) == false {
		t.Error("-0 lost its sign")
	}
}

func TestTensorsRoundTripProperty(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.safetensors")
	rapid.Check(t, func(t *rapid.T) {
		var tensors []Tensor
		for _, name := range rapid.SliceOfNDistinct(rapid.StringN(1, 8, -1), 0, 5, rapid.ID[string]).Draw(t, "names") {
			shape := rapid.SliceOfN(rapid.IntRange(0, 4), 0, 3).Draw(t, "shape")
			n, _ := tensorfile.Volume(shape)
			tensors = append(tensors, Tensor{name, shape, rapid.SliceOfN(rapid.Float32(), n, n).Draw(t, "data")})
		}
		for _, x := range tensors {
			for i, v := range x.Data {
				if v-v != 0 {
					x.Data[i] = 0
				}
			}
		}
		if err := WriteTensors(path, tensors, nil); err != nil {
			t.Fatal(err)
		}
		got, _, err := ReadTensors(path)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(append([]Tensor{}, sorted(tensors)...), got); d != "" {
			t.Fatal(d)
		}
	})
}

// Equal models give equal bytes, in any order of the tensors.
func TestWriteTensorsIsDeterministic(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	tensors := weights()
	meta := map[string]string{"a": "1", "b": "2", "c": "3"}
	if err := WriteTensors(a, tensors, meta); err != nil {
		t.Fatal(err)
	}
	slices.Reverse(tensors)
	if err := WriteTensors(b, tensors, meta); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(mustRead(t, a), mustRead(t, b)) {
		t.Error("the files differ")
	}
}

// Another implementation reads the same tensors, and the numbers start at a
// multiple of 8 bytes as the format requires.
func TestOtherReader(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.safetensors")
	if err := WriteTensors(path, weights(), map[string]string{"epoch": "12"}); err != nil {
		t.Fatal(err)
	}
	file := mustRead(t, path)
	if n := binary.LittleEndian.Uint64(file); n%8 != 0 {
		t.Errorf("header of %d bytes", n)
	}
	st, err := safetensors.Deserialize(file)
	if err != nil {
		t.Fatal(err)
	}
	if st.Len() != 4 {
		t.Errorf("%d tensors", st.Len())
	}
	for _, w := range weights() {
		view, ok := st.Tensor(w.Name)
		if !ok || view.DType() != safetensors.F32 || len(view.Shape()) != len(w.Shape) {
			t.Fatalf("%s: %v, %v", w.Name, ok, view.Shape())
		}
		for i, x := range w.Data {
			if got := binary.LittleEndian.Uint32(view.Data()[4*i:]); got != math.Float32bits(x) {
				t.Errorf("%s: value %d is %x, want %x", w.Name, i, got, math.Float32bits(x))
			}
		}
	}
}

// Every byte counts: changing any byte, truncating the file anywhere, or
// appending to it is detected.
func TestEveryByteIsVerified(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.safetensors")
	if err := WriteTensors(path, weights(), map[string]string{"epoch": "12"}); err != nil {
		t.Fatal(err)
	}
	file := mustRead(t, path)
	refused := func(b []byte) error {
		_, _, err := decode(bytes.NewReader(b), int64(len(b)), true)
		return err
	}
	if err := refused(file); err != nil {
		t.Fatal(err)
	}
	for i := range file {
		edited := bytes.Clone(file)
		edited[i] ^= 1
		if refused(edited) == nil {
			t.Errorf("byte %d of %d edited unnoticed", i, len(file))
		}
		if refused(file[:i]) == nil {
			t.Errorf("cut at byte %d of %d unnoticed", i, len(file))
		}
	}
	if refused(append(bytes.Clone(file), 0, 0, 0, 0)) == nil {
		t.Error("four more bytes unnoticed")
	}
	swapped := bytes.Replace(file, []byte("crf/transitions"), []byte("crf/transitionz"), 1)
	if err := refused(swapped); err == nil || !strings.Contains(err.Error(), "damaged or edited") {
		t.Errorf("a renamed tensor gives %v", err)
	}
}

func TestWriteTensorsRefuses(t *testing.T) {
	one := func(x Tensor) []Tensor { return []Tensor{x} }
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	for _, c := range []struct {
		name    string
		tensors []Tensor
		meta    map[string]string
		want    string
	}{
		{"NaN", one(Tensor{"w", []int{2}, []float32{1, nan}}), nil, `tensor "w": value 1 is NaN`},
		{"infinite", one(Tensor{"w", []int{1}, []float32{inf}}), nil, `tensor "w": value 0 is -Inf`},
		{"too few numbers", one(Tensor{"w", []int{2, 3}, []float32{1}}), nil, `tensor "w": 1 numbers for the shape [2 3]`},
		{"negative axis", one(Tensor{"w", []int{-1}, nil}), nil, `tensor "w": invalid shape [-1]`},
		{"overflow", one(Tensor{"w", []int{1 << 32, 1 << 32}, nil}), nil, `tensor "w": invalid shape [4294967296 4294967296]`},
		{"no name", one(Tensor{"", []int{0}, nil}), nil, `"" cannot be the name of a tensor`},
		{"the metadata's name", one(Tensor{"__metadata__", []int{0}, nil}), nil, `"__metadata__" cannot be the name of a tensor`},
		{"not UTF-8", one(Tensor{"\xff", []int{0}, nil}), nil, `"\xff" cannot be the name of a tensor`},
		{"twice", []Tensor{{"w", []int{0}, nil}, {"v", []int{0}, nil}, {"w", []int{0}, nil}}, nil, `duplicate tensor "w"`},
		{"key taken", nil, map[string]string{"sha256": "x"}, `metadata "sha256": the key is reserved, or not UTF-8`},
		{"metadata not UTF-8", nil, map[string]string{"k": "\xff"}, `metadata "k": the key is reserved, or not UTF-8`},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "w.safetensors")
		if err := WriteTensors(path, c.tensors, c.meta); err == nil || err.Error() != path+": "+c.want {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
		if entries, _ := os.ReadDir(dir); len(entries) != 0 {
			t.Errorf("%s: left %s behind", c.name, entries[0].Name())
		}
	}
}

// A failed save leaves the older file unchanged.
func TestWriteTensorsKeepsOlderFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.safetensors")
	if err := WriteTensors(path, weights(), nil); err != nil {
		t.Fatal(err)
	}
	before := mustRead(t, path)
	if WriteTensors(path, []Tensor{{"w", []int{1}, []float32{float32(math.NaN())}}}, nil) == nil {
		t.Fatal("NaN saved")
	}
	if !bytes.Equal(mustRead(t, path), before) {
		t.Error("the older file changed")
	}
}

// signed returns a file with any header and its correct digest.
func signed(header string, numbers int) []byte {
	zero := strings.Repeat("0", 64)
	header = strings.Replace(header, "DIGEST", zero, 1)
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	b = append(append(b, header...), make([]byte, numbers)...)
	return bytes.Replace(b, []byte(`"sha256":"`+zero), []byte(`"sha256":"`+digest(b)), 1)
}

func TestReadTensorsRefuses(t *testing.T) {
	const meta = `"__metadata__":{"sha256":"DIGEST"}`
	good := `{` + meta + `,"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`
	if _, _, err := decode(bytes.NewReader(signed(good, 8)), int64(len(signed(good, 8))), true); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, header string
		numbers      int
		want         string
	}{
		{"another type", `{` + meta + `,"w":{"dtype":"BF16","shape":[4],"data_offsets":[0,8]}}`, 8, `tensor "w": type "BF16", but only F32 and F16 are supported`},
		{"half as many numbers", `{` + meta + `,"w":{"dtype":"F16","shape":[2],"data_offsets":[0,8]}}`, 8, `tensor "w": bytes 0 to 8 of 8 do not fit the shape [2]`},
		{"trailing bytes", good, 12, "12 bytes of numbers, but the header says 8"},
		{"too few bytes", good, 4, `tensor "w": bytes 0 to 8 of 4 do not fit the shape [2]`},
		{"hole", `{` + meta + `,"w":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`, 8, `tensor "w": begins at byte 4, but the previous one ends at 0`},
		{"overlap", `{` + meta + `,"v":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"w":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}}`, 12, `tensor "w": begins at byte 4, but the previous one ends at 8`},
		{"overflow", `{` + meta + `,"w":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}}`, 0, `tensor "w": bytes 0 to 0 of 0 do not fit the shape [4294967296 4294967296]`},
		{"huge", `{` + meta + `,"w":{"dtype":"F32","shape":[1000000000000],"data_offsets":[0,4000000000000]}}`, 8, `tensor "w": bytes 0 to 4000000000000 of 8 do not fit the shape [1000000000000]`},
		{"negative axes", `{` + meta + `,"w":{"dtype":"F32","shape":[-1,-2],"data_offsets":[0,8]}}`, 8, `tensor "w": bytes 0 to 8 of 8 do not fit the shape [-1 -2]`},
		{"unknown field", `{` + meta + `,"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"x":1}}`, 8, `header: tensor "w": unknown key, or value of a wrong type`},
		{"twice", `{` + meta + `,"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"w":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`, 8, `header: jsontext: duplicate object member name "w"`},
		{"metadata of numbers", `{"__metadata__":{"a":1}}`, 0, "header: __metadata__ does not map strings to strings"},
		{"no digest", `{}`, 0, "no sha256 in the header: written by another program, or edited"},
		{"no JSON", `{"w"`, 0, `header: tensor "w": the JSON is truncated`},
	} {
		path := filepath.Join(t.TempDir(), "w.safetensors")
		if err := os.WriteFile(path, signed(c.header, c.numbers), 0o600); err != nil {
			t.Fatal(err)
		}
		_, _, err := ReadTensors(path)
		if want := path + ": not an intact model or state file: " + c.want; err == nil || err.Error() != want {
			t.Errorf("%s: %v\nwant %s", c.name, err, want)
		}
		if e := (*data.Error)(nil); !errors.As(err, &e) {
			t.Errorf("%s: not a *data.Error", c.name)
		}
	}
}

func FuzzReadTensors(f *testing.F) {
	path := filepath.Join(f.TempDir(), "w.safetensors")
	if err := WriteTensors(path, weights(), map[string]string{"epoch": "12"}); err != nil {
		f.Fatal(err)
	}
	f.Add(mustRead(f, path))
	f.Add(signed(`{"__metadata__":{"sha256":"DIGEST"},"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`, 8))
	f.Add([]byte("\xff\xff\xff\xff\xff\xff\xff\x7f{}"))
	f.Fuzz(func(t *testing.T, file []byte) {
		tensors, _, err := decode(bytes.NewReader(file), int64(len(file)), true)
		for i := range tensors {
			if err != nil || tensors[i].check() != nil {
				t.Fatal("tensors that could not be written came out")
			}
		}
	})
}

// FuzzHeader mutates headers and signs them with the correct digest, which random
// bytes never have.
func FuzzHeader(f *testing.F) {
	f.Add(`"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}`, uint8(8))
	f.Add(`"w":{"dtype":"F32","shape":[],"data_offsets":[0,4]},"v":{"dtype":"F32","shape":[0,9],"data_offsets":[4,4]}`, uint8(4))
	f.Fuzz(func(t *testing.T, entries string, numbers uint8) {
		file := signed(`{"__metadata__":{"sha256":"DIGEST"},`+entries+`}`, int(numbers))
		tensors, _, err := decode(bytes.NewReader(file), int64(len(file)), true)
		if err != nil {
			return
		}
		total := 0
		for i := range tensors {
			if err := tensors[i].check(); err != nil {
				t.Fatal(err)
			}
			total += 4 * len(tensors[i].Data)
		}
		if total != int(numbers) {
			t.Fatalf("tensors of %d bytes from %d", total, numbers)
		}
	})
}

func mustRead(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
