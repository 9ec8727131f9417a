package checkpoints

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/wholefile"
)

// Tensor is a named array of float32 numbers in row-major order (the last axis
// varies fastest). Without axes it is a scalar, which has one number.
type Tensor struct {
	Name  string
	Shape []int
	Data  []float32
}

// A dtype is the type of the numbers of a tensor in a file.
type dtype string

const (
	float32s dtype = "F32"
	float16s dtype = "F16"
)

// size returns the size of a number in bytes.
func (d dtype) size() int {
	if d == float16s {
		return 2
	}
	return 4
}

// check returns an error if a file cannot contain the tensor.
func (t *Tensor) check() error {
	size, ok := volume(t.Shape)
	switch {
	case t.Name == "" || t.Name == metadataKey || !utf8.ValidString(t.Name):
		return fmt.Errorf("%q cannot be the name of a tensor", t.Name)
	case !ok:
		return fmt.Errorf("tensor %q: invalid shape %v", t.Name, t.Shape)
	case size != len(t.Data):
		return fmt.Errorf("tensor %q: %d numbers for the shape %v", t.Name, len(t.Data), t.Shape)
	}
	for i, x := range t.Data {
		if x-x != 0 {
			return fmt.Errorf("tensor %q: value %d is %v", t.Name, i, x)
		}
	}
	return nil
}

// checkHalf returns an error if a number is too large for float16.
func (t *Tensor) checkHalf() error {
	for i, x := range t.Data {
		if x > maxHalf || x < -maxHalf {
			return fmt.Errorf("tensor %q: value %d is %v, which is too large for float16", t.Name, i, x)
		}
	}
	return nil
}

// volume returns the product of the axes. ok is false if an axis is negative, or
// if the size in bytes does not fit an int.
func volume(shape []int) (n int, ok bool) {
	n = 1
	for _, d := range shape {
		if d < 0 || d > 0 && n > math.MaxInt/4/d {
			return 0, false
		}
		n *= d
	}
	return n, true
}

// The safetensors format consists of the length of the header as a little-endian
// uint64, the header as JSON padded with spaces to a multiple of 8 bytes, and the
// concatenated tensors, little-endian and row-major.
const (
	metadataKey = "__metadata__"
	digestKey   = "sha256"
	maxHeader   = 100_000_000 // bytes; the limit of the reference implementation
	chunk       = 1 << 16     // bytes converted at a time
)

// tensorInfo is the entry of a tensor in the header.
type tensorInfo struct {
	DType   dtype  `json:"dtype"`
	Shape   []int  `json:"shape"`
	Offsets [2]int `json:"data_offsets"` // bytes, half-open, from the end of the header
}

// digestField returns the header field of a digest. The digest is computed over
// the whole file with 64 zeros in place of itself, so it covers names, shapes and
// metadata as well as the numbers.
func digestField(digest []byte) []byte {
	return fmt.Appendf(nil, `"%s":"%s"`, digestKey, digest)
}

var noDigest = digestField(bytes.Repeat([]byte("0"), hex.EncodedLen(sha256.Size)))

// WriteTensors writes a safetensors file, which appears under its name only when
// it is complete and on disk; until then an existing file stays unchanged. The
// same tensors and metadata, in any order, give the same bytes. Names must be
// distinct and all numbers finite. The metadata must not have the key "sha256".
func WriteTensors(path string, tensors []Tensor, metadata map[string]string) error {
	return writeTensors(path, tensors, metadata, float32s)
}

func writeTensors(path string, tensors []Tensor, metadata map[string]string, as dtype) error {
	tensors = slices.SortedFunc(slices.Values(tensors), func(a, b Tensor) int { return strings.Compare(a.Name, b.Name) })
	header, err := encodeHeader(tensors, metadata, as)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	h := sha256.New()
	if err := encode(h, header, tensors, as); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	header = bytes.Replace(header, noDigest, digestField([]byte(sum(h))), 1)
	if err := writeFile(path, func(w io.Writer) error { return encode(w, header, tensors, as) }); err != nil {
		return fmt.Errorf("%s: not saved: %w", path, err)
	}
	return nil
}

func sum(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }

// encodeHeader returns the header, preceded by its length, without a digest.
func encodeHeader(tensors []Tensor, metadata map[string]string, as dtype) ([]byte, error) {
	for k, v := range metadata {
		if k == digestKey || !utf8.ValidString(k) || !utf8.ValidString(v) {
			return nil, fmt.Errorf("metadata %q: the key is reserved, or not UTF-8", k)
		}
	}
	metadata = maps.Clone(metadata)
	if metadata == nil {
		metadata = map[string]string{}
	}
	metadata[digestKey] = strings.Repeat("0", hex.EncodedLen(sha256.Size))
	entries := map[string]any{metadataKey: metadata}
	end := 0
	for i, t := range tensors {
		if err := t.check(); err != nil {
			return nil, err
		}
		if i > 0 && t.Name == tensors[i-1].Name {
			return nil, fmt.Errorf("duplicate tensor %q", t.Name)
		}
		start := end
		if as == float16s {
			if err := t.checkHalf(); err != nil {
				return nil, err
			}
		}
		end += as.size() * len(t.Data)
		entries[t.Name] = tensorInfo{as, append([]int{}, t.Shape...), [2]int{start, end}}
	}
	header, err := json.Marshal(entries)
	if err != nil {
		return nil, err
	}
	if n := len(header) % 8; n != 0 {
		header = append(header, "        "[n:]...)
	}
	if len(header) > maxHeader {
		return nil, fmt.Errorf("header of %d bytes exceeds the limit of %d", len(header), maxHeader)
	}
	return append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...), nil
}

func encode(w io.Writer, header []byte, tensors []Tensor, as dtype) error {
	if _, err := w.Write(header); err != nil {
		return err
	}
	buf := make([]byte, 0, chunk)
	for _, t := range tensors {
		for part := range slices.Chunk(t.Data, chunk/4) {
			buf = buf[:0]
			for _, x := range part {
				if as == float16s {
					buf = binary.LittleEndian.AppendUint16(buf, toHalf(x))
				} else {
					buf = binary.LittleEndian.AppendUint32(buf, math.Float32bits(x))
				}
			}
			if _, err := w.Write(buf); err != nil {
				return err
			}
		}
	}
	return nil
}

// ReadTensors reads a file of WriteTensors and verifies every byte of it. It
// returns the tensors, sorted by name, and the metadata without the digest.
// Errors are of type *data.Error. The memory that it allocates is bounded by the
// length of the file, whatever numbers the file contains.
func ReadTensors(path string) ([]Tensor, map[string]string, error) {
	f, err := bounded.OpenInput(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	tensors, metadata, err := decode(f, info.Size())
	if err != nil {
		return nil, nil, &data.Error{Path: path, Offset: -1, Reason: "not an intact model or state file", Err: err}
	}
	return tensors, metadata, nil
}

func decode(r io.Reader, size int64) ([]Tensor, map[string]string, error) {
	var length [8]byte
	if _, err := io.ReadFull(r, length[:]); err != nil {
		return nil, nil, fmt.Errorf("truncated: %d bytes", size)
	}
	n := binary.LittleEndian.Uint64(length[:])
	if n > maxHeader || int64(n) > size-8 {
		return nil, nil, fmt.Errorf("truncated, or not a safetensors file: a header of %d bytes in a file of %d", n, size)
	}
	header := make([]byte, n)
	if _, err := io.ReadFull(r, header); err != nil {
		return nil, nil, err
	}
	tensors, types, metadata, err := decodeHeader(header, int(size-8-int64(n)))
	if err != nil {
		return nil, nil, err
	}

	digest := metadata[digestKey]
	delete(metadata, digestKey)
	if bytes.Count(header, digestField([]byte(digest))) != 1 || len(digest) != hex.EncodedLen(sha256.Size) {
		return nil, nil, fmt.Errorf("no %s in the header: written by another program, or edited", digestKey)
	}
	h := sha256.New()
	h.Write(length[:])
	h.Write(bytes.Replace(header, digestField([]byte(digest)), noDigest, 1))
	body := bufio.NewReaderSize(io.TeeReader(r, h), chunk)
	buf := make([]byte, chunk)
	for i, t := range tensors {
		for part := range slices.Chunk(t.Data, chunk/4) {
			b := buf[:types[i].size()*len(part)]
			if _, err := io.ReadFull(body, b); err != nil {
				return nil, nil, err
			}
			for k := range part {
				if types[i] == float16s {
					part[k] = fromHalf(binary.LittleEndian.Uint16(b[2*k:]))
				} else {
					part[k] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*k:]))
				}
			}
		}
	}
	if sum(h) != digest {
		return nil, nil, fmt.Errorf("the contents do not match the %s of the header: damaged or edited", digestKey)
	}
	for _, t := range tensors {
		if err := t.check(); err != nil {
			return nil, nil, err
		}
	}
	slices.SortFunc(tensors, func(a, b Tensor) int { return strings.Compare(a.Name, b.Name) })
	return tensors, metadata, nil
}

// decodeHeader returns the tensors in the order of their bytes, with Data
// allocated but not filled, and the types of their numbers in the file. It returns an error unless the tensors cover all size
// bytes without gaps or overlaps.
func decodeHeader(header []byte, size int) ([]Tensor, []dtype, map[string]string, error) {
	var entries map[string]json.RawMessage
	if err := json.Unmarshal(header, &entries); err != nil {
		return nil, nil, nil, fmt.Errorf("header: %w", err)
	}
	metadata := map[string]string{}
	infos := map[string]tensorInfo{}
	for name, raw := range entries {
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.DisallowUnknownFields()
		if name == metadataKey {
			if err := dec.Decode(&metadata); err != nil || metadata == nil {
				return nil, nil, nil, fmt.Errorf("header: %s does not map strings to strings", metadataKey)
			}
			continue
		}
		var info tensorInfo
		if err := dec.Decode(&info); err != nil {
			return nil, nil, nil, fmt.Errorf("header: tensor %q: %w", name, err)
		}
		infos[name] = info
	}
	order := slices.SortedFunc(maps.Keys(infos), func(a, b string) int {
		x, y := infos[a].Offsets, infos[b].Offsets
		return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1]), strings.Compare(a, b))
	})
	end := 0
	for _, name := range order {
		info := infos[name]
		n, ok := volume(info.Shape)
		width := info.DType.size()
		switch start := info.Offsets[0]; {
		case info.DType != float32s && info.DType != float16s:
			return nil, nil, nil, fmt.Errorf("tensor %q: type %q, but only F32 and F16 are supported", name, info.DType)
		case start != end:
			return nil, nil, nil, fmt.Errorf("tensor %q: begins at byte %d, but the previous one ends at %d", name, start, end)
		case !ok || n > (size-end)/width || info.Offsets[1]-start != width*n:
			return nil, nil, nil, fmt.Errorf("tensor %q: bytes %d to %d of %d do not fit the shape %v", name, start, info.Offsets[1], size, info.Shape)
		}
		end = info.Offsets[1]
	}
	if end != size {
		return nil, nil, nil, fmt.Errorf("%d bytes of numbers, but the header says %d", size, end)
	}
	tensors, types := make([]Tensor, len(order)), make([]dtype, len(order))
	for i, name := range order {
		info := infos[name]
		n, _ := volume(info.Shape)
		tensors[i] = Tensor{Name: name, Shape: info.Shape, Data: make([]float32, n)}
		types[i] = info.DType
	}
	return tensors, types, metadata, nil
}

// writeFile writes a file, which gets its final name when it is complete and on
// disk. The name survives a power failure.
func writeFile(path string, write func(io.Writer) error) error {
	if err := wholefile.Write(path, 0o644, write); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// syncDir makes renames in a folder durable across a power failure.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	err = d.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) {
		return nil // a file system that cannot do it for folders
	}
	return err
}
