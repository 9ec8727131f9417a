package spacy

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tinylib/msgp/msgp"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/internal/notes"
	"github.com/lethe-deid/lethe/internal/bounded"
)

// A DocBin is a MessagePack map that is compressed with zlib (spacy/tokens/_serialize.py, version "0.1"):
//
//	attrs        numbers of the attributes that the rows of tokens have
//	tokens       one row of uint64 for each token of all documents
//	spaces       one byte for each token: whether a space follows it
//	lengths      the number of tokens of each document, as int32
//	strings      all strings; a row has their hashes, or the numbers of those that are symbols
//	flags        a map for each document: has_unknown_spaces
//	span_groups  the serialized span groups of each document
//	user_data    the serialized user data of each document, or nothing
//
// Numbers in the arrays are little-endian. Other keys are not read.

// zlibMagic is the first byte of a file that zlib made with its usual window of 32 KB.
const zlibMagic = 0x78

// maxBin is the maximum size, in bytes, of a DocBin without compression. It has 104 bytes for a token, if it has all
// attributes.
const maxBin = 1 << 30

// Numbers of attributes.
const (
	attrOrth    = 65
	attrEntIOB  = 77
	attrEntType = 78
)

// Values of ENT_IOB.
const (
	iobUnset = iota
	iobInside
	iobOutside
	iobBegin
)

// docBin is the content of a DocBin.
type docBin struct {
	attrs    []uint64
	tokens   []byte
	spaces   []byte
	lengths  []byte
	unknown  []bool // which documents do not know their spaces
	groups   [][]byte
	userData [][]byte
	strings  map[uint64]string
}

var errNotBin = errors.New("not a DocBin of spaCy 3")

func (f *file) readBin(r io.Reader, yield notes.Yield) bool {
	b, err := decodeBin(r)
	if err != nil {
		return yield(nil, &data.Error{Path: f.name, Offset: -1, Reason: "cannot be read", Err: err})
	}
	row := 0
	for i := range len(b.lengths) / 4 {
		n := int(binary.LittleEndian.Uint32(b.lengths[4*i:]))
		got, err := b.document(i, row, n)
		row += n
		var doc *data.Document
		if err == nil {
			doc, err = f.document(got, i+1)
		}
		if err != nil {
			err = notes.Defect(f.name, 0, -1, fmt.Sprintf("document %d: %v", i+1, err))
		}
		if !yield(doc, err) {
			return false
		}
	}
	return true
}

// decodeBin reads a DocBin and checks that its parts fit one another.
func decodeBin(r io.Reader) (*docBin, error) {
	z, err := zlib.NewReader(r)
	if err != nil {
		return nil, errNotBin
	}
	raw, err := bounded.ReadAll(z, maxBin)
	if errors.Is(err, zlib.ErrChecksum) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, errors.New("the compressed data is damaged or incomplete")
	} else if err != nil {
		return nil, err
	}
	b := &docBin{}
	if b.decode(raw) != nil {
		return nil, errNotBin
	}
	docs := len(b.lengths) / 4
	tokens := 0
	for i := range docs {
		n := int(int32(binary.LittleEndian.Uint32(b.lengths[4*i:])))
		if n < 0 {
			return nil, errNotBin
		}
		tokens += n
	}
	switch {
	case !slices.Contains(b.attrs, attrOrth):
		return nil, errors.New("it has no attribute ORTH, and so no words")
	case len(b.lengths)%4 != 0, len(b.spaces) != tokens, len(b.tokens) != 8*tokens*len(b.attrs):
		return nil, errors.New("the numbers of its tokens, spaces and lengths do not fit one another")
	case b.unknown != nil && len(b.unknown) != docs, b.groups != nil && len(b.groups) != docs, b.userData != nil && len(b.userData) != docs:
		return nil, errors.New("the numbers of its documents, flags, span groups and user data do not fit one another")
	}
	return b, nil
}

// decode reads the map.
func (b *docBin) decode(raw []byte) error {
	return eachPair(raw, func(key string, raw []byte) ([]byte, error) {
		var err error
		switch key {
		case "attrs":
			return eachItem(raw, func(raw []byte) ([]byte, error) {
				attr, rest, err := msgp.ReadUint64Bytes(raw)
				b.attrs = append(b.attrs, attr)
				return rest, err
			})
		case "tokens":
			b.tokens, raw, err = msgp.ReadBytesZC(raw)
		case "spaces":
			b.spaces, raw, err = msgp.ReadBytesZC(raw)
		case "lengths":
			b.lengths, raw, err = msgp.ReadBytesZC(raw)
		case "strings":
			b.strings = map[uint64]string{0: ""}
			return eachItem(raw, func(raw []byte) ([]byte, error) {
				s, rest, err := msgp.ReadStringBytes(raw)
				if !utf8.ValidString(s) {
					return nil, errNotBin
				}
				b.strings[number(s)] = s
				return rest, err
			})
		case "flags":
			return eachItem(raw, func(raw []byte) ([]byte, error) {
				b.unknown = append(b.unknown, false)
				return restOfPairs(raw, func(key string, raw []byte) ([]byte, error) {
					if key != "has_unknown_spaces" {
						return msgp.Skip(raw)
					}
					unknown, rest, err := msgp.ReadBoolBytes(raw)
					b.unknown[len(b.unknown)-1] = unknown
					return rest, err
				})
			})
		case "span_groups":
			b.groups, raw, err = blobs(raw)
		case "user_data":
			b.userData, raw, err = blobs(raw)
		default:
			return msgp.Skip(raw)
		}
		return raw, err
	})
}

// eachPair reads a map with keys that are strings, and nothing else. read receives what follows a key and returns what
// follows its value.
func eachPair(raw []byte, read func(key string, raw []byte) ([]byte, error)) error {
	rest, err := restOfPairs(raw, read)
	if err == nil && len(rest) > 0 {
		return errNotBin
	}
	return err
}

// restOfPairs is eachPair for a map with something behind it, which it returns.
func restOfPairs(raw []byte, read func(key string, raw []byte) ([]byte, error)) ([]byte, error) {
	n, raw, err := msgp.ReadMapHeaderBytes(raw)
	for ; n > 0 && err == nil; n-- {
		var key []byte
		if key, raw, err = msgp.ReadMapKeyZC(raw); err == nil {
			raw, err = read(string(key), raw)
		}
	}
	return raw, err
}

// eachItem reads an array, and returns what follows it. read receives what begins with an item and returns what follows
// the item.
func eachItem(raw []byte, read func(raw []byte) ([]byte, error)) ([]byte, error) {
	n, raw, err := msgp.ReadArrayHeaderBytes(raw)
	for ; n > 0 && err == nil; n-- {
		raw, err = read(raw)
	}
	return raw, err
}

// blobs reads an array of bytes, of which some may be nil.
func blobs(raw []byte) (all [][]byte, rest []byte, err error) {
	all = [][]byte{}
	rest, err = eachItem(raw, func(raw []byte) ([]byte, error) {
		if msgp.IsNil(raw) {
			all = append(all, nil)
			return msgp.ReadNilBytes(raw)
		}
		blob, rest, err := msgp.ReadBytesZC(raw)
		all = append(all, blob)
		return rest, err
	})
	return all, rest, err
}

// document reads the document with an index, whose n tokens begin at a row.
func (b *docBin) document(index, row, n int) (found, error) {
	got := found{}
	tokens, text, err := b.text(row, n, b.unknown != nil && b.unknown[index])
	if err != nil {
		return found{}, err
	}
	got.text = text
	if got.ents, got.entsAreSet, err = b.entities(row, tokens); err != nil {
		return found{}, err
	}
	if b.groups != nil {
		if got.groups, err = b.spanGroups(b.groups[index], tokens); err != nil {
			return found{}, err
		}
	}
	if b.userData != nil {
		if err := got.attributes(b.userData[index]); err != nil {
			return found{}, err
		}
	}
	return got, nil
}

// value returns an attribute of the token in a row, or 0 if the file does not have the attribute.
func (b *docBin) value(row int, attr uint64) uint64 {
	column := slices.Index(b.attrs, attr)
	if column < 0 {
		return 0
	}
	return binary.LittleEndian.Uint64(b.tokens[8*(row*len(b.attrs)+column):])
}

// lookup returns the string with a number.
func (b *docBin) lookup(n uint64) (string, error) {
	if n < uint64(len(symbols)) {
		return symbols[n], nil
	}
	if s, ok := b.strings[n]; ok {
		return s, nil
	}
	return "", errors.New("its words or labels are not among the strings of the file")
}

// text returns the tokens of a document, and its text. Like spaCy, it writes a space after each token if the spaces are unknown.
func (b *docBin) text(row, n int, unknownSpaces bool) ([]data.Token, string, error) {
	tokens := make([]data.Token, n)
	var text strings.Builder
	for i := range tokens {
		word, err := b.lookup(b.value(row+i, attrOrth))
		if err != nil {
			return nil, "", err
		}
		tokens[i].Start = text.Len()
		text.WriteString(word)
		tokens[i].End = text.Len()
		if unknownSpaces || b.spaces[row+i] != 0 {
			text.WriteByte(' ')
		}
	}
	return tokens, text.String(), nil
}

// entities returns the entities of a document, and whether somebody has set them.
func (b *docBin) entities(row int, tokens []data.Token) (spans []data.Span, set bool, err error) {
	unset := 0
	var open *data.Span
	for i, t := range tokens {
		iob := b.value(row+i, attrEntIOB)
		label, err := b.lookup(b.value(row+i, attrEntType))
		if err != nil {
			return nil, false, err
		}
		switch {
		case iob == iobInside && (open == nil || open.Type != label):
			return nil, false, fmt.Errorf("token %d continues an entity that does not exist", i)
		case iob == iobInside:
			open.End = t.End
		case iob == iobBegin && label != "":
			spans = append(spans, data.Span{Start: t.Start, End: t.End, Type: label, Score: 1})
			open = &spans[len(spans)-1]
		case iob > iobBegin:
			return nil, false, fmt.Errorf("token %d has an ENT_IOB that does not exist", i)
		default:
			open = nil
			if iob == iobUnset {
				unset++
			}
		}
	}
	if unset > 0 && unset < len(tokens) {
		return nil, false, fmt.Errorf("nobody has decided whether %d of its %d tokens belong to entities (their ENT_IOB is 0)", unset, len(tokens))
	}
	for _, s := range spans {
		if s.Start == s.End {
			return nil, false, errors.New("an entity has no text")
		}
	}
	return spans, unset == 0, nil
}

// spanGroups reads the span groups of a document: nothing, an array of groups, or a map from groups to their names.
func (b *docBin) spanGroups(raw []byte, tokens []data.Token) (map[string][]data.Span, error) {
	groups := map[string][]data.Span{}
	bad := errors.New("its span groups are not valid")
	add := func(raw []byte) ([]byte, error) {
		blob, rest, err := msgp.ReadBytesZC(raw)
		if err != nil {
			return nil, bad
		}
		spans, err := b.spanGroup(blob, tokens)
		groups[fmt.Sprint(len(groups))] = spans
		return rest, err
	}
	var err error
	switch {
	case len(raw) == 0:
	case msgp.NextType(raw) == msgp.ArrayType:
		_, err = eachItem(raw, add)
	default:
		var n uint32
		n, raw, err = msgp.ReadMapHeaderBytes(raw)
		for ; n > 0 && err == nil; n-- {
			if raw, err = add(raw); err == nil {
				raw, err = msgp.Skip(raw)
			}
		}
	}
	if err != nil {
		return nil, bad
	}
	return groups, nil
}

// spanGroup reads a span group, whose spans are packed as big-endian numbers: perhaps an ID, the ID of a link, the label, and
// as int32 the first token, the token after the last one, and both as code points.
func (b *docBin) spanGroup(raw []byte, tokens []data.Token) (spans []data.Span, err error) {
	err = eachPair(raw, func(key string, raw []byte) ([]byte, error) {
		if key != "spans" {
			return msgp.Skip(raw)
		}
		return eachItem(raw, func(raw []byte) ([]byte, error) {
			packed, rest, err := msgp.ReadBytesZC(raw)
			if err != nil || len(packed) < 2*8+4*4 {
				return nil, errNotBin
			}
			packed = packed[len(packed)-8-4*4:]
			label, err := b.lookup(binary.BigEndian.Uint64(packed))
			first, next := int(int32(binary.BigEndian.Uint32(packed[8:]))), int(int32(binary.BigEndian.Uint32(packed[12:])))
			if err != nil || first < 0 || first >= next || next > len(tokens) || tokens[first].Start == tokens[next-1].End {
				return nil, errNotBin
			}
			spans = append(spans, data.Span{Start: tokens[first].Start, End: tokens[next-1].End, Type: label, Score: 1})
			return rest, nil
		})
	})
	return spans, err
}

// attributes reads the ID and the patient in the user data of a document, whose keys are any values; those of extension
// attributes are arrays: "._.", the name, nil, nil.
func (got *found) attributes(raw []byte) error {
	bad := errors.New("its user data is not valid")
	if len(raw) == 0 {
		return nil
	}
	n, raw, err := msgp.ReadMapHeaderBytes(raw)
	for ; n > 0 && err == nil; n-- {
		key := raw
		if raw, err = msgp.Skip(raw); err != nil {
			return bad
		}
		key, value := key[:len(key)-len(raw)], raw
		if raw, err = msgp.Skip(raw); err != nil {
			return bad
		}
		for _, name := range []string{noteAttribute, patientAttribute} {
			if !bytes.Equal(key, attributeKey(name)) {
				continue
			}
			text, _, err := msgp.ReadStringBytes(value)
			if err != nil {
				number, _, err := msgp.ReadInt64Bytes(value)
				if err != nil {
					return fmt.Errorf("its attribute %s is neither a string nor a number", name)
				}
				text = fmt.Sprint(number)
			}
			if !utf8.ValidString(text) {
				return bad
			}
			if name == noteAttribute {
				got.id = text
			} else {
				got.patient = text
			}
		}
	}
	if err != nil {
		return bad
	}
	return nil
}

// attributeKey returns the key of an extension attribute of a document in its user data.
func attributeKey(name string) []byte {
	key := msgp.AppendString(msgp.AppendArrayHeader(nil, 4), "._.")
	return msgp.AppendNil(msgp.AppendNil(msgp.AppendString(key, name)))
}
