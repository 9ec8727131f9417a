package pos

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/wholefile"
)

// A model file is a line of text, "lethe-pos VERSION DIGEST", followed by a gzipped
// payload whose SHA-256 is the digest. The payload is a sequence of varints (signed for
// weights, otherwise unsigned) and of strings preceded by their length. It contains the
// classes, the dictionary, the weights and the lemmas. Sets are sorted, so that equal
// models have equal files.

const (
	magic   = "lethe-pos"
	version = 1

	maxPayload = 1 << 30 // maximum size of a payload in bytes, so that a damaged or hostile file does not fill the memory
)

// Save writes the model to a file, which appears only once it is complete.
func (t *Tagger) Save(path string) error {
	var b bytes.Buffer
	if err := t.Write(&b); err != nil {
		return err
	}
	return wholefile.WriteFile(path, b.Bytes(), 0o666)
}

// Write writes the model in the same format as Save.
func (t *Tagger) Write(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "%s %d %s\n", magic, version, t.digest); err != nil {
		return err
	}
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := z.Write(t.payload()); err != nil {
		return err
	}
	return z.Close()
}

// Load reads a model file. If it is not a model, has another version or is damaged, the
// error says which.
func Load(path string) (*Tagger, error) {
	f, err := bounded.OpenInput(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// Read reads a model in the format of Load.
func Read(r io.Reader) (*Tagger, error) {
	in := bufio.NewReader(r)
	line, err := in.ReadSlice('\n') // limited to the buffer, because a file of another format may have no line end
	fields := strings.Fields(string(line))
	switch {
	case err != nil && err != io.EOF && !errors.Is(err, bufio.ErrBufferFull):
		return nil, err
	case err != nil || len(fields) != 3 || fields[0] != magic:
		return nil, errors.New("is not a part-of-speech model: it does not begin with " + magic)
	case fields[1] != fmt.Sprint(version):
		return nil, fmt.Errorf("is a part-of-speech model of another version; this program reads version %d", version)
	}
	z, err := gzip.NewReader(in)
	if err != nil {
		return nil, fmt.Errorf("the part-of-speech model is damaged: %w", err)
	}
	payload, err := io.ReadAll(io.LimitReader(z, maxPayload+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("the part-of-speech model is damaged: %w", err)
	case len(payload) > maxPayload:
		return nil, fmt.Errorf("the part-of-speech model has more than %d bytes", maxPayload)
	case sum(payload) != fields[2]:
		return nil, errors.New("the part-of-speech model is damaged: checksum mismatch")
	}
	d := decoder{rest: payload}
	t := d.tagger()
	if d.err != nil {
		return nil, fmt.Errorf("the part-of-speech model is damaged: %w", d.err)
	}
	t.digest = fields[2]
	return t, nil
}

func sum(payload []byte) string {
	s := sha256.Sum256(payload)
	return hex.EncodeToString(s[:])
}

// encoder writes a payload.
type encoder struct{ b []byte }

func (e *encoder) int(n int)       { e.b = binary.AppendUvarint(e.b, uint64(n)) }
func (e *encoder) string(s string) { e.int(len(s)); e.b = append(e.b, s...) }
func (e *encoder) bool(b bool)     { e.int(count(b)) }

func (t *Tagger) payload() []byte {
	var e encoder
	e.int(len(t.classes))
	for _, c := range t.classes {
		e.string(c.upos)
		e.string(c.xpos)
		e.string(c.tense)
	}
	e.bool(t.behind)

	e.int(len(t.words))
	for _, w := range slices.Sorted(maps.Keys(t.words)) {
		k := t.words[w]
		e.string(w)
		e.int(int(k.use))
		e.int(k.usual)
		e.int(len(k.classes))
		for _, c := range k.classes {
			e.int(int(c))
		}
	}

	slots := slices.DeleteFunc(slices.Clone(t.weights.slots), func(s uint64) bool { return s == 0 })
	slices.Sort(slots) // by key
	e.int(len(slots))
	last := uint64(0)
	var cells []cell
	for _, s := range slots {
		e.int(int(s>>32 - last))
		last = s >> 32
		cells = append(cells[:0], t.weights.at(s)...)
		cells = slices.DeleteFunc(cells, func(c cell) bool { return c.weight == 0 })
		e.int(len(cells))
		for _, c := range cells {
			e.int(int(c.class))
			e.b = binary.AppendVarint(e.b, int64(c.weight))
		}
	}

	for _, c := range t.lemmas.classes {
		e.bool(c.cased)
		e.int(len(c.rules))
		for _, end := range slices.Sorted(maps.Keys(c.rules)) {
			e.string(end)
			e.int(c.rules[end].cut)
			e.string(c.rules[end].add)
		}
		e.int(len(c.exceptions))
		for _, w := range slices.Sorted(maps.Keys(c.exceptions)) {
			e.string(w)
			e.string(c.exceptions[w])
		}
	}
	return e.b
}

// decoder reads a payload. After an error it yields zeros.
type decoder struct {
	rest []byte
	err  error
}

var errPayload = errors.New("its parts do not fit together")

func (d *decoder) fail() {
	d.err = errPayload
	d.rest = nil
}

// int reads a number that must not exceed limit.
func (d *decoder) int(limit int) int {
	n, size := binary.Uvarint(d.rest)
	if size <= 0 || n > uint64(limit) {
		d.fail()
		return 0
	}
	d.rest = d.rest[size:]
	return int(n)
}

// len reads the number of items that follow, each of at least one byte.
func (d *decoder) len() int { return d.int(len(d.rest)) }

func (d *decoder) bool() bool { return d.int(1) == 1 }

func (d *decoder) string() string {
	n := d.len()
	if n > len(d.rest) || !utf8.Valid(d.rest[:n]) {
		d.fail()
		return ""
	}
	s := string(d.rest[:n])
	d.rest = d.rest[n:]
	return s
}

func (d *decoder) weight() int16 {
	n, size := binary.Varint(d.rest)
	if size <= 0 || n < math.MinInt16 || n > math.MaxInt16 {
		d.fail()
		return 0
	}
	d.rest = d.rest[size:]
	return int16(n)
}

func (d *decoder) tagger() *Tagger {
	t := &Tagger{words: map[string]known{}}
	interned := map[string]string{}
	intern := func(s string) string {
		if _, ok := interned[s]; !ok {
			interned[s] = s
		}
		return interned[s]
	}
	n := d.int(maxClasses)
	for range n {
		t.classes = append(t.classes, class{intern(d.string()), intern(d.string()), intern(d.string())})
	}
	if n == 0 {
		d.fail()
	}
	t.behind = d.bool()

	for range d.len() {
		w := d.string()
		k := known{use: use(d.int(int(sure))), usual: d.int(n)}
		for range d.len() {
			k.classes = append(k.classes, uint16(d.int(n-1)))
		}
		if len(k.classes) == 0 || k.usual == 0 || k.usual > len(k.classes) {
			d.fail()
			break
		}
		k.key = keyOf(k.classes[:k.usual])
		t.words[w] = k
	}

	features := d.len()
	t.weights = newWeights(n, features, 0)
	last := uint64(0)
	var row []cell
	for i := range features {
		step := uint64(d.int(math.MaxUint32))
		last += step
		row = row[:0]
		for j := range d.int(n) {
			row = append(row, cell{uint16(d.int(n - 1)), d.weight()})
			if j > 0 && row[j].class <= row[j-1].class {
				d.fail()
			}
		}
		if last > math.MaxUint32 || step == 0 && i > 0 || len(row) == 0 || d.err != nil {
			d.fail()
			break
		}
		t.weights.put(uint32(last), row)
	}

	t.lemmas.classes = make([]lemmaClass, n)
	for i := range t.lemmas.classes {
		c := &t.lemmas.classes[i]
		c.cased = d.bool()
		c.rules, c.exceptions = map[string]rule{}, map[string]string{}
		for range d.len() {
			end := d.string()
			c.rules[end] = rule{cut: d.int(len(end)), add: d.string()}
		}
		for range d.len() {
			w := d.string()
			c.exceptions[w] = d.string()
		}
	}
	if len(d.rest) > 0 {
		d.fail()
	}
	return t
}
