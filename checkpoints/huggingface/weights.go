package huggingface

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/lethe-deid/lethe/internal/tensorfile"
)

// A stored tensor is the place of a tensor in a file.
type stored struct {
	name   string // as the file has it
	file   *file
	format tensorfile.Type
	shape  []int
	begin  int64 // of the first number in the file, in bytes
	// strides say by how many numbers the elements of an axis are apart; nil: the numbers are contiguous
	// and row-major.
	strides []int
}

// chunk is the number of bytes that are read and converted at a time.
const chunk = 1 << 18

// read returns the numbers of the tensor, all of them finite.
func (s *stored) read() ([]float32, error) {
	if !s.format.IsFloat() {
		return nil, fmt.Errorf("has numbers of the type %s; F32, F16, BF16 and F64 can be read", s.format)
	}
	n, _ := tensorfile.Volume(s.shape)
	numbers := make([]float32, n)
	width := s.format.Size()
	buf := make([]byte, min(chunk, width*n))
	begin := s.begin
	for part := range slices.Chunk(numbers, chunk/width) {
		b := buf[:width*len(part)]
		if _, err := s.file.ReadAt(b, begin); err != nil {
			if err == io.EOF {
				err = errors.New("the file has been truncated since it was opened")
			}
			return nil, err
		}
		s.format.Floats(part, b)
		begin += int64(len(b))
	}
	if s.strides != nil {
		numbers = s.transpose(numbers)
	}
	for i, x := range numbers {
		if x-x != 0 {
			return nil, fmt.Errorf("value %d is %v, which is not a finite float32", i, x)
		}
	}
	return numbers, nil
}

// transpose returns numbers that are stored in another order of the axes in row-major order.
func (s *stored) transpose(numbers []float32) []float32 {
	ordered := make([]float32, 0, len(numbers))
	index := make([]int, len(s.shape))
	at := 0
	for range numbers {
		ordered = append(ordered, numbers[at])
		for axis := len(index) - 1; axis >= 0; axis-- {
			index[axis]++
			at += s.strides[axis]
			if index[axis] < s.shape[axis] {
				break
			}
			index[axis] = 0
			at -= s.shape[axis] * s.strides[axis]
		}
	}
	return ordered
}

// budget is how many bytes of headers may still be read: of safetensors files, of zip archives, and of
// pickles. It is twenty times what a model with a hundred layers requires, and keeps the memory for a hostile
// one below 100 MB.
type budget int64

const maxHeaders = budget(4 << 20)

func (b *budget) take(n int64) error {
	if n > int64(*b) {
		return fmt.Errorf("%d bytes are more than any supported model requires", n)
	}
	*b -= budget(n)
	return nil
}

// readSafetensors returns the tensors of a safetensors file.
func readSafetensors(f *file, left *budget) ([]stored, error) {
	header, err := tensorfile.ReadHeader(io.NewSectionReader(f, 0, f.size), f.size, int64(*left))
	if err != nil {
		return nil, err
	}
	if err := left.take(int64(len(header))); err != nil {
		return nil, err
	}
	begin := 8 + int64(len(header))
	if f.size-begin > math.MaxInt {
		return nil, errors.New("is too large for this machine")
	}
	entries, _, err := tensorfile.ParseHeader(header, int(f.size-begin))
	if err != nil {
		return nil, err
	}
	tensors := make([]stored, len(entries))
	for i, e := range entries {
		tensors[i] = stored{name: e.Name, file: f, format: e.Type, shape: e.Shape, begin: begin + int64(e.Begin)}
	}
	return tensors, nil
}

// The names of files with weights, in the order in which transformers looks for them. A name with the
// extension .index.json is that of a file that names the parts.
const (
	safetensorsFile = "model.safetensors"
	torchFile       = "pytorch_model.bin"
	indexExt        = ".index.json"
)

// maxParts is the maximum number of files with weights.
const maxParts = 100

// readWeights opens the files with the weights, and returns the tensors in them. It returns the path of the
// file that lists them for errors.
func (f *Folder) readWeights() (tensors []stored, path string, err error) {
	left := maxHeaders
	for _, kind := range []struct {
		name string
		read func(*file, *budget) ([]stored, error)
	}{{safetensorsFile, readSafetensors}, {torchFile, readTorch}} {
		if f.exists(kind.name) {
			tensors, err := f.readPart(kind.name, func(w *file) ([]stored, error) { return kind.read(w, &left) })
			return tensors, filepath.Join(f.dir, kind.name), err
		}
		if index := kind.name + indexExt; f.exists(index) {
			tensors, err := f.readParts(index, func(w *file) ([]stored, error) { return kind.read(w, &left) })
			return tensors, filepath.Join(f.dir, index), err
		}
	}
	return nil, "", fmt.Errorf("%s: contains no weights, which are %s or %s, or parts that an index names: %[2]s%[4]s or %[3]s%[4]s",
		f.dir, safetensorsFile, torchFile, indexExt)
}

func (f *Folder) readPart(name string, read func(*file) ([]stored, error)) ([]stored, error) {
	w, err := f.open(name)
	if err != nil {
		return nil, err
	}
	const pointer = "version https://git-lfs"
	start := make([]byte, len(pointer))
	if n, _ := w.ReadAt(start, 0); string(start[:n]) == pointer {
		return nil, w.wrap(errors.New("is a placeholder of Git LFS instead of the file; git lfs pull downloads the file"))
	}
	tensors, err := read(w)
	return tensors, w.wrap(err)
}

// readParts reads the parts that an index names. Each of them contains the tensors that the index says, and
// no others.
func (f *Folder) readParts(name string, read func(*file) ([]stored, error)) ([]stored, error) {
	index, err := f.open(name)
	if err != nil {
		return nil, err
	}
	raw, err := index.all()
	if err != nil {
		return nil, err
	}
	var content struct {
		Parts map[string]string `json:"weight_map"` // of the name of a tensor to that of a file
	}
	if err := json.Unmarshal(raw, &content); err != nil {
		return nil, index.wrap(plain(err))
	}
	names := slices.Compact(slices.Sorted(maps.Values(content.Parts)))
	if len(names) == 0 || len(names) > maxParts {
		return nil, index.wrap(fmt.Errorf("weight_map: names %d files; 1 to %d are supported", len(names), maxParts))
	}
	var tensors []stored
	for _, part := range names {
		if part == index.name || !isPlain(part) {
			return nil, index.wrap(fmt.Errorf("weight_map: %.200q is not the name of a file with weights in this folder", part))
		}
		of, err := f.readPart(part, read)
		if err != nil {
			return nil, err
		}
		for _, t := range of {
			if content.Parts[t.name] != part {
				return nil, index.wrap(fmt.Errorf("weight_map: does not say that %q is in %s", t.name, part))
			}
			delete(content.Parts, t.name)
		}
		tensors = append(tensors, of...)
	}
	for tensor, part := range content.Parts {
		return nil, index.wrap(fmt.Errorf("weight_map: says that %.200q is in %s, which does not contain it", tensor, part))
	}
	return tensors, nil
}
