package neuroner

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/lethe-deid/lethe/internal/pickle"
	"github.com/lethe-deid/lethe/internal/shared"
)

// The four models that the authors released.
func TestReleases(t *testing.T) {
	for _, test := range []struct {
		name, tokenizer string
		labels          int
	}{
		{"i2b2_2014_glove_spacy_bioes", "spacy", 93},
		{"i2b2_2014_glove_stanford_bioes", "stanford", 93},
		{"mimic_glove_spacy_bioes", "spacy", 49},
		{"mimic_glove_stanford_bioes", "stanford", 49},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, err := Open(shared.Path(t, "neuroner", test.name))
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Labels) != test.labels || !slices.Contains(r.Labels, "S-LOCATION_OTHER") || !slices.IsSorted(r.Labels) {
				t.Errorf("%d labels", len(r.Labels))
			}
			if len(r.Characters) != 95 || !slices.Contains(r.Characters[1:], 'e') || !slices.Equal(r.Tokens, []string{"UNK"}) {
				t.Errorf("%d characters, %d tokens", len(r.Characters), len(r.Tokens))
			}
			if r.Parameters["tokenizer"] != test.tokenizer || r.Parameters["tagging_format"] != "bioes" {
				t.Errorf("parameters %v", r.Parameters)
			}
			// neuroner.md, B.3: the vector of the unknown token is one of GloVe.
			if own := r.Tensor("token_embedding/token_embedding_weights"); len(r.Tensors) != 23 || own.Data[0] != 0.027166 || own.Data[2] != -0.19623 {
				t.Errorf("%d tensors", len(r.Tensors))
			}
			crf := r.Tensor("crf/transitions")
			if want := []int{test.labels + 2, test.labels + 2}; !slices.Equal(crf.Shape, want) {
				t.Errorf("transitions %v, want %v", crf.Shape, want)
			}
		})
	}
}

// copyRelease copies a release, so that a test can change it.
func copyRelease(t *testing.T) string {
	t.Helper()
	from, to := shared.Path(t, "neuroner/i2b2_2014_glove_spacy_bioes"), t.TempDir()
	for _, name := range []string{indexFile, numbersFile, datasetFile, parametersFile} {
		raw, err := os.ReadFile(filepath.Join(from, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(to, name), raw, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return to
}

func TestDamagedReleases(t *testing.T) {
	flip := func(at int) func([]byte) []byte {
		return func(raw []byte) []byte { raw[at] ^= 1; return raw }
	}
	cut := func(n int) func([]byte) []byte { return func(raw []byte) []byte { return raw[:n] } }
	empty := func([]byte) []byte { return nil }
	for _, test := range []struct {
		file   string
		change func([]byte) []byte
		want   string
	}{
		{indexFile, empty, "model.ckpt.index: is not the index of a TensorFlow checkpoint, or is truncated"},
		{indexFile, cut(1000), "model.ckpt.index: is not the index of a TensorFlow checkpoint, or is truncated"},
		{indexFile, flip(100), "model.ckpt.index: the checksum of the index differs: the file is damaged"},
		{numbersFile, cut(700_000), "ends beyond the data file of 700000 bytes"},
		{numbersFile, flip(12345), "the checksum differs: the data file is damaged or belongs to another checkpoint"},
		{numbersFile, empty, "the shape is larger than the data file"},
		{datasetFile, empty, "dataset.pickle: at byte 0: the pickle is truncated"},
		{datasetFile, cut(2000), "the pickle is truncated"},
		{datasetFile, func([]byte) []byte { return []byte("\x80\x03cposix\nsystem\nX\x02\x00\x00\x00ls\x85R.") },
			`dataset.pickle: at byte 2: the pickle names "posix.system", which is not supported; it was not called`},
		{datasetFile, func([]byte) []byte { return []byte("\x80\x03}.") }, "the pickle does not contain a Dataset of NeuroNER"},
		{datasetFile, func([]byte) []byte { return []byte("\x80\x04.") }, "protocol 4 is not supported"},
		{datasetFile, func([]byte) []byte { return []byte("\x80\x03X\xff\xff\xff\xffa") }, "the pickle is truncated"},
		{datasetFile, func([]byte) []byte { return []byte("\x80\x03cdataset\nDataset\n)\x81}b.") }, "index_to_label: is missing"},
		{datasetFile, func([]byte) []byte { return bytes.Repeat([]byte("}"), 1<<20) }, "the pickle is larger than that of any supported model"},
		{datasetFile, func(raw []byte) []byte { return bytes.Repeat(raw, 4000) }, "dataset.pickle: is larger than 8 MiB"},
	} {
		dir := copyRelease(t)
		path := filepath.Join(dir, test.file)
		raw, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, test.change(raw), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: error %v, want %s", test.file, err, test.want)
		}
	}
	for _, name := range []string{indexFile, numbersFile, datasetFile, parametersFile} {
		dir := copyRelease(t)
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir); !os.IsNotExist(err) {
			t.Errorf("without %s: error %v", name, err)
		}
	}
}

// Tables of ids that do not fit are refused.
func TestTablesOfIDs(t *testing.T) {
	for _, test := range []struct {
		items map[any]any
		want  string
	}{
		{nil, "is empty"},
		{map[any]any{int64(0): "O", int64(2): "B-AGE"}, "has no name for 1"},
		{map[any]any{int64(0): "O", int64(1): "O"}, "has an empty or repeated name for 1"},
		{map[any]any{int64(0): "O", "x": "B-AGE"}, "has a key that is not a number"},
		{map[any]any{int64(0): int64(7)}, "has no name for 0"},
	} {
		state := &pickle.Dict{Items: map[any]any{"index_to_label": &pickle.Dict{Items: test.items}}}
		if _, err := byID(state, "index_to_label", ""); err == nil || err.Error() != test.want {
			t.Errorf("%v: error %v, want %s", test.items, err, test.want)
		}
	}
}

// table encodes entries as an index with a single block of entries.
func table(entries ...entry) []byte {
	var out []byte
	write := func(entries []entry) (place []byte) {
		var content []byte
		for _, e := range entries {
			content = binary.AppendUvarint(content, 0)
			content = binary.AppendUvarint(content, uint64(len(e.key)))
			content = binary.AppendUvarint(content, uint64(len(e.value)))
			content = append(append(content, e.key...), e.value...)
		}
		content = append(content, 0, 0, 0, 0, 1, 0, 0, 0) // one restart, at 0
		place = binary.AppendUvarint(binary.AppendUvarint(nil, uint64(len(out))), uint64(len(content)))
		content = append(content, 0)
		out = binary.LittleEndian.AppendUint32(append(out, content...), masked(content))
		return place
	}
	index := write([]entry{{"z", write(entries)}})
	footer := append(append([]byte{0, 0}, index...), make([]byte, footerSize)...)[:footerSize-len(tableMagic)]
	return append(append(out, footer...), tableMagic...)
}

// tensor encodes a BundleEntryProto.
func tensor(kind, offset, size uint64, sum uint32, shape ...uint64) []byte {
	var dims []byte
	for _, n := range shape {
		dim := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), n)
		dims = protowire.AppendBytes(protowire.AppendTag(dims, 2, protowire.BytesType), dim)
	}
	raw := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), kind)
	raw = protowire.AppendBytes(protowire.AppendTag(raw, 2, protowire.BytesType), dims)
	raw = protowire.AppendVarint(protowire.AppendTag(raw, 4, protowire.VarintType), offset)
	raw = protowire.AppendVarint(protowire.AppendTag(raw, 5, protowire.VarintType), size)
	return protowire.AppendFixed32(protowire.AppendTag(raw, 6, protowire.Fixed32Type), sum)
}

func TestHostileBundles(t *testing.T) {
	numbers := make([]byte, 24)
	header := entry{"", []byte{8, 1}}
	sum := masked(numbers)
	for _, test := range []struct {
		name    string
		entries []entry
		want    string
	}{
		{"right", []entry{header, {"a", tensor(1, 0, 24, sum, 2, 3)}, {"step", tensor(9, 0, 8, 0)}}, ""},
		{"no header", []entry{{"a", tensor(1, 0, 24, sum, 2, 3)}}, "the table has no header"},
		{"two files", []entry{{"", []byte{8, 2}}}, "the checkpoint is divided into 2 data files; only one is supported"},
		{"big-endian", []entry{{"", []byte{8, 1, 16, 1}}}, "the numbers are big-endian, which is not supported"},
		{"huge", []entry{header, {"a", tensor(1, 0, 24, sum, 1<<40, 1<<40)}}, `tensor "a": the shape is larger than the data file`},
		{"overflow", []entry{header, {"a", tensor(1, 1<<63, 1<<63, sum, 2, 3)}}, `tensor "a": has 9223372036854775808 bytes, but its shape requires 24`},
		{"beyond", []entry{header, {"a", tensor(1, 8, 24, sum, 2, 3)}}, `tensor "a": ends beyond the data file of 24 bytes`},
		{"other type", []entry{header, {"a", tensor(2, 0, 24, sum, 2, 3)}}, `tensor "a": has the type 2; only float32 is supported`},
		{"no dimension", []entry{header, {"a", tensor(1, 0, 0, sum, 0)}}, `tensor "a": the shape is larger than the data file`},
		{"twice", []entry{header, {"a", tensor(1, 0, 24, sum, 2, 3)}, {"a", tensor(1, 0, 24, sum, 2, 3)}}, `the tensor "a" occurs twice`},
		{"damaged message", []entry{header, {"a", []byte{0xff}}}, `tensor "a": a message is damaged`},
	} {
		got, err := readBundle(table(test.entries...), numbers)
		switch {
		case test.want == "" && (err != nil || len(got) != 1 || len(got[0].Data) != 6):
			t.Errorf("%s: %v, error %v", test.name, got, err)
		case test.want != "" && (err == nil || err.Error() != test.want):
			t.Errorf("%s: error %v, want %s", test.name, err, test.want)
		}
	}
}

func FuzzBundle(f *testing.F) {
	numbers := make([]byte, 24)
	f.Add(table(entry{"", []byte{8, 1}}, entry{"a", tensor(1, 0, 24, masked(numbers), 2, 3)}), numbers)
	f.Fuzz(func(t *testing.T, index, numbers []byte) {
		tensors, err := readBundle(index, numbers)
		for _, x := range tensors {
			if 4*len(x.Data) > len(numbers) || err != nil {
				t.Errorf("%d values of %d bytes, error %v", len(x.Data), len(numbers), err)
			}
		}
	})
}

func ExampleOpen() {
	r, err := Open("trained_models/i2b2_2014_glove_stanford_bioes")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(r.Labels), "labels")
	// Output:
	// open trained_models/i2b2_2014_glove_stanford_bioes/model.ckpt.index: no such file or directory
}
