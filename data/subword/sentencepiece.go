package subword

import (
	"errors"
	"fmt"
	"math"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// sentencePiece is what a model file of SentencePiece says: the message ModelProto of sentencepiece_model.proto.
type sentencePiece struct {
	pieces   []scored
	added    []int // the pieces that are control symbols or defined by the user
	unknown  int64 // piece
	charsmap *charsmap
}

// scored is a token and its log probability.
type scored struct {
	token string
	score float64
}

var errTruncated = errors.New("the file is truncated or not a model of SentencePiece")

// fields calls read with each field of a message: a number, or the bytes of a text or message.
func fields(raw []byte, read func(field protowire.Number, number uint64, content []byte) error) error {
	for len(raw) > 0 {
		field, kind, n := protowire.ConsumeTag(raw)
		if n < 0 {
			return errTruncated
		}
		raw = raw[n:]
		var number uint64
		var content []byte
		switch kind {
		case protowire.VarintType:
			number, n = protowire.ConsumeVarint(raw)
		case protowire.Fixed32Type:
			var v uint32
			v, n = protowire.ConsumeFixed32(raw)
			number = uint64(v)
		case protowire.BytesType:
			content, n = protowire.ConsumeBytes(raw)
		default:
			n = protowire.ConsumeFieldValue(field, kind, raw)
		}
		if n < 0 {
			return errTruncated
		}
		raw = raw[n:]
		if err := read(field, number, content); err != nil {
			return err
		}
	}
	return nil
}

// Types of pieces, and of models.
const (
	control     = 3
	userDefined = 4
	unigramType = 1
)

func readSentencePiece(raw []byte) (*sentencePiece, error) {
	m := &sentencePiece{}
	model := uint64(unigramType)
	err := fields(raw, func(field protowire.Number, _ uint64, content []byte) error {
		switch field {
		case 1:
			return m.readPiece(content)
		case 2:
			return fields(content, func(field protowire.Number, number uint64, _ []byte) error {
				switch field {
				case 3:
					model = number
				case 35:
					if number != 0 {
						return errors.New("trainer_spec.byte_fallback is not supported")
					}
				case 40:
					m.unknown = int64(int32(number))
				}
				return nil
			})
		case 3:
			return fields(content, func(field protowire.Number, _ uint64, content []byte) (err error) {
				if field == 2 && len(content) > 0 {
					m.charsmap, err = newCharsmap(content)
				}
				return err
			})
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case model != unigramType:
		return nil, fmt.Errorf("trainer_spec.model_type is %d; only 1, a unigram model, is supported", model)
	case len(m.pieces) == 0:
		return nil, errors.New("there are no pieces")
	}
	return m, nil
}

func (m *sentencePiece) readPiece(raw []byte) error {
	var p scored
	kind := uint64(1)
	err := fields(raw, func(field protowire.Number, number uint64, content []byte) error {
		switch field {
		case 1:
			p.token = string(content)
		case 2:
			p.score = float64(math.Float32frombits(uint32(number)))
		case 3:
			kind = number
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case len(m.pieces) >= maxIDs:
		return fmt.Errorf("more than %d pieces", maxIDs)
	case !utf8.ValidString(p.token) || !finite(p.score):
		return fmt.Errorf("piece %d is not UTF-8, or its score is not a number", len(m.pieces))
	}
	if kind == control || kind == userDefined {
		m.added = append(m.added, len(m.pieces))
	}
	m.pieces = append(m.pieces, p)
	return nil
}

// tokenizer makes a tokenizer of pieces, without normalizer and splitter.
func (m *sentencePiece) tokenizer(pieces []scored, unknown int64) (*Tokenizer, error) {
	v := newVocabulary()
	scores := make([]float64, 0, len(pieces))
	for i, p := range pieces {
		if err := v.put(p.token, int64(i)); err != nil {
			return nil, fmt.Errorf("piece with the id %d: %w", i, err)
		}
		scores = append(scores, p.score)
	}
	if unknown < 0 || unknown >= int64(len(pieces)) {
		return nil, errors.New("trainer_spec.unk_id is not the number of a piece")
	}
	return &Tokenizer{vocabulary: v, model: newUnigram(v, scores, int32(unknown))}, nil
}
