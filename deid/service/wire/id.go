package wire

import (
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ID is the id of a note or of a patient in JSON: a string, or a number, which is the same id as the string with its digits, and which stays a number in
// an answer. It is empty if there is none.
type ID struct {
	Text   string
	number bool
}

// UnmarshalJSON implements [json.Unmarshaler].
func (id *ID) UnmarshalJSON(raw []byte) error {
	*id = ID{}
	switch jsontext.Value(raw).Kind() {
	case '0':
		*id = ID{string(raw), true}
		return nil
	case '"', 'n':
		return json.Unmarshal(raw, &id.Text)
	}
	return errors.New("neither a string nor a number")
}

// MarshalJSON implements [json.Marshaler].
func (id ID) MarshalJSON() ([]byte, error) {
	if id.number {
		return []byte(id.Text), nil
	}
	return json.Marshal(id.Text)
}
