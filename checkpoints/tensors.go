package checkpoints

import (
	"bufio"
	"bytes"
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
	"runtime"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/sorting"
	"github.com/lethe-deid/lethe/internal/tensorfile"
	"github.com/lethe-deid/lethe/internal/wholefile"
)

// Tensor is a named array of float32 numbers in row-major order (the last axis
// varies fastest). Without axes it is a scalar, which has one number.
type Tensor struct {
	Name  string
	Shape []int
	Data  []float32
}

// check returns an error if a file cannot contain the tensor.
func (t *Tensor) check() error {
	size, ok := tensorfile.Volume(t.Shape)
	switch {
	case t.Name == "" || t.Name == tensorfile.MetadataKey || !utf8.ValidString(t.Name):
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
		if x > tensorfile.MaxHalf || x < -tensorfile.MaxHalf {
			return fmt.Errorf("tensor %q: value %d is %v, which is too large for float16", t.Name, i, x)
		}
	}
	return nil
}

// The safetensors format consists of the length of the header as a little-endian
// uint64, the header as JSON padded with spaces to a multiple of 8 bytes, and the
// concatenated tensors, little-endian and row-major.
const (
	digestKey = "sha256"
	maxHeader = 100_000_000 // bytes; the limit of the reference implementation
	chunk     = 1 << 16     // bytes converted at a time
)

// tensorInfo is the entry of a tensor in the header.
type tensorInfo struct {
	DType   tensorfile.Type `json:"dtype"`
	Shape   []int           `json:"shape"`
	Offsets [2]int          `json:"data_offsets"` // bytes, half-open, from the end of the header
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
	return writeTensors(path, tensors, metadata, tensorfile.F32)
}

func writeTensors(path string, tensors []Tensor, metadata map[string]string, as tensorfile.Type) error {
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
func encodeHeader(tensors []Tensor, metadata map[string]string, as tensorfile.Type) ([]byte, error) {
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
	entries := map[string]any{tensorfile.MetadataKey: metadata}
	end := 0
	for i, t := range tensors {
		if err := t.check(); err != nil {
			return nil, err
		}
		if i > 0 && t.Name == tensors[i-1].Name {
			return nil, fmt.Errorf("duplicate tensor %q", t.Name)
		}
		start := end
		if as == tensorfile.F16 {
			if err := t.checkHalf(); err != nil {
				return nil, err
			}
		}
		end += as.Size() * len(t.Data)
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

func encode(w io.Writer, header []byte, tensors []Tensor, as tensorfile.Type) error {
	if _, err := w.Write(header); err != nil {
		return err
	}
	buf := make([]byte, 0, chunk)
	for _, t := range tensors {
		for part := range slices.Chunk(t.Data, chunk/4) {
			buf = buf[:0]
			for _, x := range part {
				if as == tensorfile.F16 {
					buf = binary.LittleEndian.AppendUint16(buf, tensorfile.ToHalf(x))
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

// ReadTensors reads a file of WriteTensors and verifies every byte of it, except
// of a file that comes with the program, whose contents a test verifies. It
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
	tensors, metadata, err := decode(f, info.Size(), !bounded.IsBuiltin(path))
	if err != nil {
		return nil, nil, &data.Error{Path: path, Offset: -1, Reason: "not an intact model or state file", Err: err}
	}
	return tensors, metadata, nil
}

// decode reads tensors. verify says whether the digest and the numbers must be right.
func decode(r io.Reader, size int64, verify bool) ([]Tensor, map[string]string, error) {
	header, err := tensorfile.ReadHeader(r, size, maxHeader)
	if err != nil {
		return nil, nil, err
	}
	entries, metadata, err := tensorfile.ParseHeader(header, int(size)-8-len(header))
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		if e.Type != tensorfile.F32 && e.Type != tensorfile.F16 {
			return nil, nil, fmt.Errorf("tensor %q: type %q, but only F32 and F16 are supported", e.Name, e.Type)
		}
	}

	digest := metadata[digestKey]
	delete(metadata, digestKey)
	if bytes.Count(header, digestField([]byte(digest))) != 1 || len(digest) != hex.EncodedLen(sha256.Size) {
		return nil, nil, fmt.Errorf("no %s in the header: written by another program, or edited", digestKey)
	}
	h := sha256.New()
	h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(header))))
	h.Write(bytes.Replace(header, digestField([]byte(digest)), noDigest, 1))
	if verify {
		r = io.TeeReader(r, h)
	}
	body := bufio.NewReaderSize(r, chunk)
	buf := make([]byte, chunk)
	tensors := make([]Tensor, len(entries))
	for i, e := range entries {
		n, _ := tensorfile.Volume(e.Shape)
		tensors[i] = Tensor{Name: e.Name, Shape: e.Shape, Data: make([]float32, n)}
		for part := range slices.Chunk(tensors[i].Data, chunk/4) {
			b := buf[:e.Type.Size()*len(part)]
			if _, err := io.ReadFull(body, b); err != nil {
				return nil, nil, err
			}
			e.Type.Floats(part, b)
		}
	}
	if verify {
		if sum(h) != digest {
			return nil, nil, fmt.Errorf("the contents do not match the %s of the header: damaged or edited", digestKey)
		}
		for _, t := range tensors {
			if err := t.check(); err != nil {
				return nil, nil, err
			}
		}
	}
	sorting.By(tensors, func(a, b Tensor) int { return strings.Compare(a.Name, b.Name) })
	return tensors, metadata, nil
}

// writeFile writes a file, which gets its final name when it is complete and on
// disk. The name survives a power failure.
func writeFile(path string, write func(io.Writer) error) error {
	if err := wholefile.Write(path, 0o644, write); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// syncDir makes renames in a folder durable across a power failure. Windows refuses it for folders.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
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
