package spacy

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/tinylib/msgp/msgp"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/internal/notes"
)

// bin collects the documents of a DocBin.
type bin struct {
	tokens   []byte
	spaces   []byte
	lengths  []byte
	groups   [][]byte
	userData [][]byte
	strings  map[string]bool
}

// add adds a document.
func (b *bin) add(doc *data.Document) error {
	if err := checkNames(doc); err != nil {
		return err
	}
	spans := slices.Clone(doc.Spans)
	data.SortSpans(spans)
	tokens := tokensOf(doc.Text, spans)
	overlapping := overlap(spans)
	next := 0 // the first span that has not ended
	for _, t := range tokens {
		for next < len(spans) && spans[next].End <= t.Start {
			next++
		}
		iob, label := uint64(iobOutside), ""
		switch {
		case overlapping:
			iob = iobUnset
		case next < len(spans) && spans[next].Start == t.Start:
			iob, label = iobBegin, spans[next].Type
		case next < len(spans) && spans[next].Start < t.Start:
			iob, label = iobInside, spans[next].Type
		}
		for _, value := range []uint64{b.number(doc.Text[t.Start:t.End]), iob, b.number(label)} {
			b.tokens = binary.LittleEndian.AppendUint64(b.tokens, value)
		}
		space := byte(0)
		if t.space {
			space = 1
		}
		b.spaces = append(b.spaces, space)
	}
	b.lengths = binary.LittleEndian.AppendUint32(b.lengths, uint32(len(tokens)))
	var groups []byte
	if overlapping {
		groups = b.spanGroup(doc.Text, spans, tokens)
	} else {
		groups = msgp.AppendArrayHeader(nil, 0)
	}
	b.groups = append(b.groups, groups)
	attributes := extensions(doc)
	userData := msgp.AppendMapHeader(nil, uint32(len(attributes)))
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		userData = msgp.AppendString(append(userData, attributeKey(name)...), attributes[name])
	}
	b.userData = append(b.userData, userData)
	return nil
}

// extensions returns the extension attributes of a document.
func extensions(doc *data.Document) map[string]string {
	all := map[string]string{noteAttribute: doc.ID}
	if doc.Patient != "" {
		all[patientAttribute] = doc.Patient
	}
	return all
}

// number returns the number of a string, which it adds to the strings of the file.
func (b *bin) number(s string) uint64 {
	if b.strings == nil {
		b.strings = map[string]bool{}
	}
	b.strings[s] = true
	return number(s)
}

// spanGroup returns a map from the span group to its name.
func (b *bin) spanGroup(text string, spans []data.Span, tokens []token) []byte {
	find := func(at int, end func(token) int) int { // the number of tokens with a lower end
		n, _ := slices.BinarySearchFunc(tokens, at, func(t token, at int) int { return cmp.Compare(end(t), at) })
		return n
	}
	offsets := notes.NewOffsets(text)
	g := msgp.AppendString(msgp.AppendMapHeader(nil, 3), "name")
	g = msgp.AppendString(msgp.AppendString(g, group), "attrs")
	g = msgp.AppendString(msgp.AppendMapHeader(g, 0), "spans")
	g = msgp.AppendArrayHeader(g, uint32(len(spans)))
	for _, s := range spans {
		packed := binary.BigEndian.AppendUint64(nil, 0)   // ID
		packed = binary.BigEndian.AppendUint64(packed, 0) // of the link
		packed = binary.BigEndian.AppendUint64(packed, b.number(s.Type))
		for _, n := range []int{
			find(s.Start, func(t token) int { return t.Start }), 1 + find(s.End, func(t token) int { return t.End }),
			offsets.CodePoint(s.Start), offsets.CodePoint(s.End),
		} {
			packed = binary.BigEndian.AppendUint32(packed, uint32(n))
		}
		g = msgp.AppendBytes(g, packed)
	}
	groups := msgp.AppendBytes(msgp.AppendMapHeader(nil, 1), g)
	return msgp.AppendString(msgp.AppendArrayHeader(groups, 1), group)
}

// bytes returns the file.
func (b *bin) bytes() ([]byte, error) {
	docs := uint32(len(b.groups))
	m := msgp.AppendMapHeader(nil, 10)
	m = msgp.AppendString(msgp.AppendString(m, "version"), "0.1")
	m = msgp.AppendArrayHeader(msgp.AppendString(m, "attrs"), 3)
	for _, attr := range []int{attrOrth, attrEntIOB, attrEntType} {
		m = msgp.AppendInt(m, attr)
	}
	m = msgp.AppendBytes(msgp.AppendString(m, "tokens"), b.tokens)
	m = msgp.AppendBytes(msgp.AppendString(m, "spaces"), b.spaces)
	m = msgp.AppendBytes(msgp.AppendString(m, "lengths"), b.lengths)
	m = msgp.AppendArrayHeader(msgp.AppendString(m, "strings"), uint32(len(b.strings)))
	for _, s := range slices.Sorted(maps.Keys(b.strings)) {
		m = msgp.AppendString(m, s)
	}
	m = msgp.AppendArrayHeader(msgp.AppendString(m, "cats"), docs)
	for range docs {
		m = msgp.AppendMapHeader(m, 0)
	}
	m = msgp.AppendArrayHeader(msgp.AppendString(m, "flags"), docs)
	for range docs {
		m = msgp.AppendBool(msgp.AppendString(msgp.AppendMapHeader(m, 1), "has_unknown_spaces"), false)
	}
	m = appendBlobs(msgp.AppendString(m, "span_groups"), b.groups)
	m = appendBlobs(msgp.AppendString(m, "user_data"), b.userData)
	var file bytes.Buffer
	z := zlib.NewWriter(&file)
	if _, err := z.Write(m); err != nil {
		return nil, err
	}
	err := z.Close()
	return file.Bytes(), err
}

func appendBlobs(m []byte, blobs [][]byte) []byte {
	m = msgp.AppendArrayHeader(m, uint32(len(blobs)))
	for _, blob := range blobs {
		m = msgp.AppendBytes(m, blob)
	}
	return m
}
