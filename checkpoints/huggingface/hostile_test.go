package huggingface

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

const smallConfig = `{"model_type":"bert","hidden_size":4,"num_attention_heads":2,"vocab_size":3,"id2label":{"0":"O","1":"NAME"}}`

// folder writes files into a new folder.
func folder(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// allocated returns how many bytes a function allocates, whether or not they are freed.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// refused checks that a folder is refused with an error that names it and ends with want, and that its
// refusal takes little memory.
func refused(t *testing.T, name, dir, want string) {
	t.Helper()
	var f *Folder
	var err error
	size := allocated(func() { f, err = Open(dir) })
	switch {
	case err == nil:
		_ = f.Close()
		t.Errorf("%s: accepted, want %s", name, want)
	case !strings.HasPrefix(err.Error(), dir) || !strings.Contains(err.Error(), want) || len(err.Error()) > len(dir)+4000 || strings.Contains(err.Error(), "\n"):
		t.Errorf("%s: error %.1000v\nwant %s", name, err, want)
	}
	if size > 100<<20 {
		t.Errorf("%s: allocated %d MiB", name, size>>20)
	}
}

// safetensors returns a file with a header and the numbers that follow it.
func safetensors(header string, numbers int) string {
	return string(binary.LittleEndian.AppendUint64(nil, uint64(len(header)))) + header + string(make([]byte, numbers))
}

// entry returns the entry of a tensor in a header.
func entry(name, format, shape string, begin, end int) string {
	return fmt.Sprintf(`%q:{"dtype":%q,"shape":%s,"data_offsets":[%d,%d]}`, name, format, shape, begin, end)
}

// smallWeights are the smallest weights that Open accepts for smallConfig.
var smallWeights = `{"__metadata__":{"format":"pt"},` + entry("bert.embeddings.word_embeddings.weight", "F32", "[3,4]", 0, 48) + `,` + entry("classifier.weight", "F32", "[2,4]", 48, 80)

func TestSmall(t *testing.T) {
	dir := folder(t, map[string]string{ConfigFile: smallConfig, safetensorsFile: safetensors(smallWeights+"}", 80)})
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Tensor("pooler.dense.weight"); err == nil || err.Error() != filepath.Join(dir, safetensorsFile)+`: contains no tensor "pooler.dense.weight"` || f.Has("pooler.dense.weight") {
		t.Error(err)
	}
	if _, ok := f.Shape("x"); ok {
		t.Error("has the shape of a tensor that is missing")
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

func TestHostileSafetensors(t *testing.T) {
	good := smallWeights + "}"
	with := func(entries ...string) string { return smallWeights + "," + strings.Join(entries, ",") + "}" }
	for _, test := range []struct {
		name, file, want string
	}{
		{"empty", "", "model.safetensors: truncated: 0 bytes"},
		{"length only", "\x08\x00\x00\x00\x00\x00\x00\x00", "truncated, or not a safetensors file: a header of 8 bytes in a file of 8"},
		{"length beyond int64", strings.Repeat("\xff", 8) + "{}", "a header of 18446744073709551615 bytes in a file of 10"},
		{"truncated numbers", safetensors(good, 79), `tensor "classifier.weight": bytes 48 to 80 of 79 do not fit the shape [2 4]`},
		{"more numbers", safetensors(good, 81), "81 bytes of numbers, but the header says 80"},
		{"truncated header", safetensors(good[:len(good)-3], 80), "header: "},
		{"not JSON", safetensors("weights!", 0), "header: jsontext: invalid character 'w'"},
		{"a list", safetensors("[]", 0), "header: is not a JSON object"},
		{"two objects", safetensors("{} {}", 0), "header: something follows the JSON object"},
		{"overlap", safetensors(with(entry("w", "F32", "[2]", 72, 80)), 80), `tensor "w": begins at byte 72, but the previous one ends at 80`},
		{"same bytes twice", safetensors(with(entry("w", "F32", "[2,4]", 48, 80)), 80), `tensor "w": begins at byte 48, but the previous one ends at 80`},
		{"hole", safetensors(with(entry("w", "F32", "[1]", 84, 88)), 88), `tensor "w": begins at byte 84, but the previous one ends at 80`},
		{"overflowing shape", safetensors(with(entry("w", "F32", "[4294967296,4294967296]", 80, 80)), 80), `tensor "w": bytes 80 to 80 of 80 do not fit the shape`},
		{"huge", safetensors(with(entry("w", "F32", "[1000000000000]", 80, 4000000000080)), 80), `tensor "w": bytes 80 to 4000000000080 of 80 do not fit`},
		{"offsets beyond int64", safetensors(with(`"w":{"dtype":"F32","shape":[1],"data_offsets":[80,18446744073709551615]}`), 80), `tensor "w": unknown key, or value of a wrong type`},
		{"negative offsets", safetensors(with(entry("w", "F32", "[1]", -4, 0)), 80), `tensor "w": begins at byte -4`},
		{"negative axis", safetensors(with(entry("w", "F32", "[-1]", 80, 80)), 80), `do not fit the shape [-1]`},
		{"type of several numbers per byte", safetensors(with(entry("w", "F4", "[8]", 80, 84)), 84), `tensor "w": type "F4" is not supported`},
		{"name twice", safetensors(with(entry("classifier.weight", "F32", "[2,4]", 80, 112)), 112), `duplicate object member name "classifier.weight"`},
		{"many axes", safetensors(with(`"w":{"dtype":"F32","shape":[`+strings.Repeat("1,", 1<<20)+`1],"data_offsets":[80,84]}`), 84), `tensor "w": has 1048577 axes; at most 16 are supported`},
		{"long name", safetensors(`{"`+strings.Repeat("x", 1<<20)+`":0}`, 0), "header: a name has 1048576 bytes; at most 1000 are supported"},
		{"long name twice", safetensors(`{"`+strings.Repeat("x", 1000)+`":`+strings.Repeat("[", 1<<20), 0), "header: "},
		{"many tensors", safetensors(`{`+strings.Repeat(`"aaaaaaaa":{"shape":[]},`, 160_000)+`"b":0}`, 0), "header: jsontext: duplicate object member name"},
		{"Git LFS", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 400000000\n", "model.safetensors: is a placeholder of Git LFS instead of the file"},
		{"torch", "PK\x03\x04\x00\x00\x00\x00\x00\x00", "truncated, or not a safetensors file"},
		{"no encoder", safetensors(`{`+entry("classifier.weight", "F32", "[2,4]", 0, 32)+`}`, 32), "contains no embeddings.word_embeddings.weight, which every model of the type bert has"},
		{"two encoders", safetensors(with(entry("other.embeddings.word_embeddings.weight", "F32", "[0]", 80, 80)), 80), "models with two encoders are not supported"},
		{"no head", safetensors(`{`+entry("embeddings.word_embeddings.weight", "F32", "[3,4]", 0, 48)+`}`, 48), "contains no classifier.weight, the head of a token classifier"},
		{"both names", safetensors(with(entry("bert.classifier.weight", "F32", "[0]", 80, 80)), 80), "which are names of the same tensor"},
		{"old and new names", safetensors(with(entry("bert.embeddings.LayerNorm.gamma", "F32", "[0]", 80, 80), entry("bert.embeddings.LayerNorm.weight", "F32", "[0]", 80, 80)), 80), "which are names of the same tensor"},
		{"CRF of other labels", safetensors(with(entry("crf.transitions", "F32", "[3,0]", 80, 80)), 80), `tensor "crf.transitions": has the shape [3 0], but a CRF with 2 labels requires [2 2]`},
		{"half a CRF", safetensors(with(entry("crf.end_transitions", "F32", "[2]", 80, 88)), 88), "contains only a part of crf.transitions"},
	} {
		refused(t, test.name, folder(t, map[string]string{ConfigFile: smallConfig, safetensorsFile: test.file}), test.want)
	}
}

// grow makes a file as long as a hostile header needs, without using the disk.
func grow(t *testing.T, path string, size int64) {
	t.Helper()
	if err := os.Truncate(path, size); err != nil {
		t.Fatal(err)
	}
}

func TestHugeHeader(t *testing.T) {
	dir := folder(t, map[string]string{ConfigFile: smallConfig, safetensorsFile: string(binary.LittleEndian.AppendUint64(nil, 1<<30))})
	grow(t, filepath.Join(dir, safetensorsFile), 1<<31)
	refused(t, "header of a gigabyte", dir, "a header of 1073741824 bytes exceeds the limit of 4194304")

	dir = folder(t, map[string]string{ConfigFile: " "})
	grow(t, filepath.Join(dir, ConfigFile), 1<<30)
	refused(t, "config.json of a gigabyte", dir, "config.json: is larger than 4 MiB")

	// 160,000 tensors of no numbers fit the limit.
	var header strings.Builder
	for i := 0; header.Len() < 4<<20-100; i++ {
		fmt.Fprintf(&header, `,"%x":{"dtype":"F32","shape":[0,0,0,0,0,0,0,0],"data_offsets":[0,0]}`, i)
	}
	dir = folder(t, map[string]string{ConfigFile: smallConfig, safetensorsFile: safetensors("{"+header.String()[1:]+"}", 0)})
	refused(t, "very many tensors", dir, "contains no embeddings.word_embeddings.weight")
}

func TestNumbersThatAreNotFinite(t *testing.T) {
	for _, test := range []struct {
		format string
		number []byte
		want   string
	}{
		{"F32", binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(math.NaN()))), "value 1 is NaN"},
		{"F16", []byte{0, 0x7c}, "value 1 is +Inf"},
		{"BF16", []byte{0x80, 0xff}, "value 1 is -Inf"},
		{"F64", binary.LittleEndian.AppendUint64(nil, math.Float64bits(1e300)), "value 1 is +Inf"},
		{"I64", make([]byte, 8), "has numbers of the type I64; F32, F16, BF16 and F64 can be read"},
	} {
		n := len(test.number)
		file := safetensors(smallWeights+","+entry("x", test.format, "[3]", 80, 80+3*n)+"}", 80+n) + string(test.number) + string(make([]byte, n))
		f, err := Open(folder(t, map[string]string{ConfigFile: smallConfig, safetensorsFile: file}))
		if err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf(`%s: tensor "x": %s`, filepath.Join(f.dir, safetensorsFile), test.want)
		if _, err := f.Tensor("x"); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", test.format, err, want)
		}
		f.Close()
	}
}

func TestHostileParts(t *testing.T) {
	const index = safetensorsFile + indexExt
	part := safetensors(smallWeights+"}", 80)
	both := `{"weight_map":{"bert.embeddings.word_embeddings.weight":%q,"classifier.weight":%q}}`
	for _, test := range []struct {
		name, index, want string
	}{
		{"absolute", fmt.Sprintf(both, "/etc/passwd", "/etc/passwd"), `model.safetensors.index.json: weight_map: "/etc/passwd" is not the name of a file with weights in this folder`},
		{"above", fmt.Sprintf(both, "../a.safetensors", "../a.safetensors"), `"../a.safetensors" is not the name`},
		{"below", fmt.Sprintf(both, "sub/a.safetensors", "sub/a.safetensors"), `"sub/a.safetensors" is not the name`},
		{"of Windows", fmt.Sprintf(both, `C:\\a.safetensors`, "a.safetensors"), `is not the name`},
		{"itself", fmt.Sprintf(both, index, index), `"model.safetensors.index.json" is not the name`},
		{"long", fmt.Sprintf(both, strings.Repeat("x", 1<<20), strings.Repeat("x", 1<<20)), `is not the name`},
		{"missing", fmt.Sprintf(both, "b.safetensors", "b.safetensors"), "b.safetensors: no such file or directory"},
		{"unlisted", `{"weight_map":{"classifier.weight":"a.safetensors"}}`, `does not say that "bert.embeddings.word_embeddings.weight" is in a.safetensors`},
		{"listed in vain", strings.Replace(fmt.Sprintf(both, "a.safetensors", "a.safetensors"), `}}`, `,"x":"a.safetensors"}}`, 1), `says that "x" is in a.safetensors, which does not contain it`},
		{"link to the outside", fmt.Sprintf(both, "link.safetensors", "link.safetensors"), "link.safetensors: is a link to a file outside of the folder of the model; copy the file"},
		{"other part", fmt.Sprintf(both, "a.safetensors", "copy.safetensors"), `does not say that "classifier.weight" is in a.safetensors`},
		{"no parts", `{"weight_map":{}}`, "weight_map: names 0 files; 1 to 100 are supported"},
		{"twice", `{"weight_map":{"a":"a.safetensors","a":"b.safetensors"}}`, `duplicate object member name "a"`},
		{"type", `{"weight_map":["a.safetensors"]}`, "model.safetensors.index.json: a value has a wrong type"},
		{"truncated", `{"weight_map":{`, "model.safetensors.index.json: the JSON is truncated"},
	} {
		outside := folder(t, map[string]string{"x.safetensors": part})
		dir := folder(t, map[string]string{ConfigFile: smallConfig, index: test.index, "a.safetensors": part, "copy.safetensors": part})
		if err := os.Symlink(filepath.Join(outside, "x.safetensors"), filepath.Join(dir, "link.safetensors")); err != nil {
			t.Skip(err)
		}
		want := test.want
		if test.name == "missing" { // the message of the system comes first
			_, err := Open(dir)
			if !os.IsNotExist(err) || !strings.Contains(err.Error(), "b.safetensors") {
				t.Error(err)
			}
			continue
		}
		refused(t, test.name, dir, want)
	}
}

// A folder of the cache of Hugging Face has links to ../../blobs.
func TestCache(t *testing.T) {
	root := t.TempDir()
	snapshot, blobs := filepath.Join(root, "models--x", "snapshots", "0123"), filepath.Join(root, "models--x", "blobs")
	for _, dir := range []string{snapshot, blobs} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range map[string]string{ConfigFile: smallConfig, safetensorsFile: safetensors(smallWeights+"}", 80)} {
		if err := os.WriteFile(filepath.Join(blobs, "blob-"+name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join("..", "..", "blobs", "blob-"+name), filepath.Join(snapshot, name)); err != nil {
			t.Skip(err)
		}
	}
	other := filepath.Join(root, "link")
	if err := os.Symlink(snapshot, other); err != nil {
		t.Fatal(err)
	}
	t.Chdir(snapshot)
	for _, dir := range []string{snapshot, other, "."} {
		f, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
}

// zipped returns an archive of members without compression, of which archive/zip is the other writer.
func zipped(t testing.TB, method uint16, members ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(members); i += 2 {
		m, err := w.CreateHeader(&zip.FileHeader{Name: members[i], Method: method})
		if err == nil {
			_, err = m.Write([]byte(members[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Parts of pickles.
func text(s string) string {
	return "X" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(s)))) + s
}

func number(n int) string {
	return "\x8a\x08" + string(binary.LittleEndian.AppendUint64(nil, uint64(n)))
}

func tuple(items ...string) string { return "(" + strings.Join(items, "") + "t" }

// tensor is a call of _rebuild_tensor_v2.
func tensor(class, key string, elements, offset int, shape, strides []int) string {
	of := func(numbers []int) string {
		var items []string
		for _, n := range numbers {
			items = append(items, number(n))
		}
		return tuple(items...)
	}
	id := tuple(text("storage"), "ctorch\n"+class+"\n", text(key), text("cpu"), number(elements))
	return "ctorch._utils\n_rebuild_tensor_v2\n" + tuple(id+"Q", number(offset), of(shape), of(strides), "\x89", "ccollections\nOrderedDict\n)R") + "R"
}

// state is a pickle of the tensors that Open requires, and another one.
func state(more ...string) string {
	p := "\x80\x02ccollections\nOrderedDict\n)R(" +
		text("bert.embeddings.word_embeddings.weight") + tensor("FloatStorage", "0", 12, 0, []int{3, 4}, []int{4, 1}) +
		text("classifier.weight") + tensor("FloatStorage", "1", 8, 0, []int{2, 4}, []int{4, 1})
	if len(more) > 0 {
		p += text("x") + strings.Join(more, "")
	}
	return p + "u."
}

func TestHostileTorch(t *testing.T) {
	zeros := string(make([]byte, 48))
	archive := func(pickle string, more ...string) string {
		return zipped(t, zip.Store, append([]string{"m/data.pkl", pickle, "m/data/0", zeros, "m/data/1", zeros[:32], "m/version", "3\n"}, more...)...)
	}
	view := func(class string, elements, offset int, shape, strides []int) string {
		return archive(state(tensor(class, "0", elements, offset, shape, strides)))
	}
	good := archive(state())
	f, err := Open(folder(t, map[string]string{ConfigFile: smallConfig, torchFile: good}))
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	directory := strings.Index(good, "PK\x01\x02")
	end := len(good) - endSize
	patch := func(at int, b string) string { return good[:at] + b + good[at+len(b):] }
	overlapping := string(binary.LittleEndian.AppendUint32(nil, uint32(len(state())+60)))
	many := make([]string, 0, 160_000)
	for i := range cap(many) / 2 {
		many = append(many, fmt.Sprint("m/data/", i+2), "")
	}
	for _, test := range []struct {
		name, file, want string
	}{
		{"empty", "", "pytorch_model.bin: is truncated or damaged: the directory of the zip archive is not valid"},
		{"truncated", good[:len(good)-1], "is truncated or damaged"},
		{"cut in the middle", good[:len(good)/2], "is truncated or damaged"},
		{"bytes before", "x" + good, "is truncated or damaged"},
		{"Git LFS", "version https://git-lfs.github.com/spec/v1\n", "is a placeholder of Git LFS"},
		{"legacy", "\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.", "is in the format of PyTorch before version 1.6, which is not supported; convert it"},
		{"a pickle", "\x80\x04.", "is in the format of PyTorch before version 1.6"},
		{"compressed", zipped(t, zip.Deflate, "m/data.pkl", strings.Repeat("\x00", 10<<20)), `member "m/data.pkl": is compressed or encrypted`},
		{"encrypted", patch(directory+8, "\x01"), `is compressed or encrypted`},
		{"wrong count", patch(end+10, "\x03"), "is truncated or damaged"},
		{"directory beyond the file", patch(end+12, "\xff\xff\xff\x7f"), "is truncated or damaged"},
		{"directory of 4 GiB", patch(end+16, "\xff\xff\xff\xff"), "is truncated or damaged"},
		{"member beyond the file", patch(directory+20, "\xff\xff\xff\x7f\xff\xff\xff\x7f"), `member "m/data.pkl": ends beyond the members`},
		{"members that overlap", patch(directory+20, overlapping+overlapping), `the members "m/data.pkl" and "m/data/0" overlap`},
		{"many members", archive(state(), many...), "the directory of the zip archive: "},
		{"not of torch.save", zipped(t, zip.Store, "a", "b"), "does not contain data.pkl"},
		{"two pickles", archive(state(), "n/data.pkl", ""), "contains more than one data.pkl"},
		{"big-endian", archive(state(), "m/byteorder", "big"), "byteorder: the numbers are not little-endian"},
		{"large pickle", archive(strings.Repeat("0", 5<<20)), "data.pkl: 5242880 bytes are more than any supported model requires"},
		{"no dictionary", archive("\x80\x02)."), "data.pkl: is not a dictionary of tensors"},
		{"key", archive("\x80\x02}K\x01K\x01s."), "data.pkl: a key is not the name of a tensor"},
		{"no tensor", archive("\x80\x02}" + text("epoch") + "K\x01s."), `data.pkl: "epoch" is not a tensor`},
		{"nested", archive("\x80\x02}" + text("state_dict") + "}s."), `data.pkl: "state_dict" is not a tensor`},
		{"call", archive("\x80\x02cposix\nsystem\n" + text("true") + "\x85R."), `data.pkl: at byte 2: the pickle names "posix.system", which is not supported; it was not called`},
		{"call by another opcode", archive("\x80\x02(S'true'\niposix\nsystem\n."), "data.pkl: at byte 3: the opcode 0x53 is not supported"},
		{"module", archive("\x80\x02ctransformers.models.bert\nBertModel\n)\x81."), `the pickle names "transformers.models.bert.BertModel"`},
		{"other storage", archive(state(tensor("ComplexFloatStorage", "0", 6, 0, []int{6}, []int{1}))), `the pickle names "torch.ComplexFloatStorage"`},
		{"protocol", archive("\x80\x04}."), "data.pkl: at byte 0: protocol 4 is not supported"},
		{"pickle truncated", archive(state()[:100]), "the pickle is truncated"},
		{"missing storage", archive(state(tensor("FloatStorage", "7", 1, 0, nil, nil))), `"x" refers to the storage "7", which is missing`},
		{"storage of other size", view("DoubleStorage", 12, 0, []int{12}, []int{1}), `"x" refers to a storage of 12 numbers of 8 bytes, but the file has 48 bytes for it`},
		{"overflowing storage", view("FloatStorage", math.MaxInt, 0, []int{1}, []int{1}), `refers to a storage of 9223372036854775807 numbers`},
		{"negative storage", view("FloatStorage", -1, 0, []int{1}, []int{1}), `refers to a storage of -1 numbers`},
		{"beyond the storage", view("FloatStorage", 12, 1, []int{3, 4}, []int{4, 1}), `has the shape [3 4] from number 1 on, which its storage of 12 numbers does not contain`},
		{"offset", view("FloatStorage", 12, -1, []int{3}, []int{1}), `from number -1 on`},
		{"overflowing offset", view("FloatStorage", 12, math.MaxInt, []int{3}, []int{1}), `which its storage of 12 numbers does not contain`},
		{"overflowing shape", view("FloatStorage", 12, 0, []int{1 << 32, 1 << 32}, []int{1, 1}), `which its storage of 12 numbers does not contain`},
		{"expanded", view("FloatStorage", 12, 0, []int{12}, []int{0}), `has the shape [12] and the strides [0], which are not supported: the numbers are not contiguous`},
		{"slice", view("FloatStorage", 12, 0, []int{3, 2}, []int{4, 1}), `the numbers are not contiguous`},
		{"negative strides", view("FloatStorage", 12, 0, []int{2, 2}, []int{-2, 1}), `the numbers are not contiguous`},
		{"axes", view("FloatStorage", 12, 0, make([]int, 17), make([]int, 17)), `is not a tensor in the way that torch.save writes it`},
		{"shapes of different lengths", view("FloatStorage", 12, 0, []int{3, 4}, []int{1}), `is not a tensor in the way that torch.save writes it`},
		{"no arguments", archive(state("ctorch._utils\n_rebuild_tensor_v2\n)R")), `is not a tensor in the way that torch.save writes it`},
		{"parameter of nothing", archive(state("ctorch._utils\n_rebuild_parameter\n)R")), `is not a tensor in the way that torch.save writes it`},
		{"memory", archive(strings.Repeat("}K\x01K\x01s", 600_000)), "the pickle is larger than that of any supported model"},
		{"stack", archive(strings.Repeat("(", 1<<20)), "the pickle is larger than that of any supported model"},
		{"memo", archive("\x80\x02}" + strings.Repeat("q\x00h\x000", 1<<19)), "the opcode 0x30 is not supported"},
		{"itself", archive("\x80\x02}q\x00" + text("a") + "h\x00s."), `data.pkl: "a" is not a tensor`},
	} {
		refused(t, test.name, folder(t, map[string]string{ConfigFile: smallConfig, torchFile: test.file}), test.want)
	}
}

// Archives with more than 65,535 members or 4 GiB have another record at their end.
func TestArchive64(t *testing.T) {
	zeros := string(make([]byte, 48))
	file := []byte(zipped(t, zip.Store, "m/data.pkl", state(), "m/data/0", zeros, "m/data/1", zeros[:32]))
	end := file[len(file)-endSize:]
	end64 := binary.LittleEndian.AppendUint32(nil, end64Signature)
	end64 = append(end64, make([]byte, 28)...)
	for _, v := range []uint64{3, uint64(binary.LittleEndian.Uint32(end[12:])), uint64(binary.LittleEndian.Uint32(end[16:]))} {
		end64 = binary.LittleEndian.AppendUint64(end64, v)
	}
	locator := append(binary.LittleEndian.AppendUint32(nil, locator64Signature), 0, 0, 0, 0)
	locator = binary.LittleEndian.AppendUint64(locator, uint64(len(file)-endSize))
	locator = append(locator, 1, 0, 0, 0)
	last := bytes.Clone(end)
	copy(last[8:], strings.Repeat("\xff", 12))
	body := file[:len(file)-endSize]
	for cut, want := range map[int]string{0: "", 1: "is truncated or damaged"} {
		archive := string(body) + string(end64) + string(locator[cut:]) + string(last)
		dir := folder(t, map[string]string{ConfigFile: smallConfig, torchFile: archive})
		if want != "" {
			refused(t, "locator", dir, want)
			continue
		}
		f, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	// A directory that claims to be as large as a file of a terabyte.
	huge := bytes.Clone(end64)
	binary.LittleEndian.PutUint64(huge[32:], 1<<33)
	binary.LittleEndian.PutUint64(huge[40:], 1<<39)
	binary.LittleEndian.PutUint64(huge[48:], 0)
	dir := folder(t, map[string]string{ConfigFile: smallConfig, torchFile: ""})
	f, err := os.OpenFile(filepath.Join(dir, torchFile), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	binary.LittleEndian.PutUint64(locator[8:], 1<<40)
	if _, err := f.WriteAt(append(append(huge, locator...), last...), 1<<40); err != nil {
		t.Skip("the file system has no sparse files of a terabyte")
	}
	f.Close()
	refused(t, "directory of 512 GiB", dir, "the directory of the zip archive: 549755813888 bytes are more than any supported model requires")
}

func TestFolders(t *testing.T) {
	weights := safetensors(smallWeights+"}", 80)
	for _, test := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"no weights", map[string]string{ConfigFile: smallConfig, "tf_model.h5": "x"}, "contains no weights, which are model.safetensors or pytorch_model.bin, or parts that an index names: model.safetensors.index.json or pytorch_model.bin.index.json"},
		{"adapter", map[string]string{ConfigFile: smallConfig, safetensorsFile: weights, adapterFile: "{}"}, "adapter_config.json: adapters are not supported; merge them"},
		{"labels", map[string]string{ConfigFile: strings.Replace(smallConfig, `"1":"NAME"`, `"1":"NAME","2":"AGE"`, 1), safetensorsFile: weights}, "config.json: id2label: there are 3 labels, but classifier.weight in model.safetensors has the shape [2 4]"},
		{"no id2label", map[string]string{ConfigFile: `{"model_type":"bert","num_labels":5}`, safetensorsFile: weights}, "config.json: id2label: there are 5 labels"},
	} {
		refused(t, test.name, folder(t, test.files), test.want)
	}
	for _, dir := range []string{t.TempDir(), filepath.Join(t.TempDir(), "absent")} {
		if _, err := Open(dir); !os.IsNotExist(err) || !strings.Contains(err.Error(), filepath.Join(dir, ConfigFile)) {
			t.Errorf("empty or missing folder: error %v", err)
		}
	}
	dir := folder(t, map[string]string{ConfigFile: smallConfig})
	if err := os.Mkdir(filepath.Join(dir, safetensorsFile), 0o700); err != nil {
		t.Fatal(err)
	}
	refused(t, "a folder as weights", dir, "model.safetensors: is a folder, and a regular file is required")
}

// A file that is truncated after it was opened gives an error.
func TestTruncatedLater(t *testing.T) {
	dir := folder(t, map[string]string{ConfigFile: smallConfig, safetensorsFile: safetensors(smallWeights+"}", 80)})
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	grow(t, filepath.Join(dir, safetensorsFile), int64(len(smallWeights)+80))
	if _, err := f.Tensor("classifier.weight"); err == nil || !strings.Contains(err.Error(), "truncated since it was opened") {
		t.Error(err)
	}
}
