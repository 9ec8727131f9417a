package base

import (
	"encoding/hex"
	"fmt"
	"math/big"

	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// OIDOf returns a pseudonym in the form of an object identifier.
func OIDOf(made string) string {
	number, _ := new(big.Int).SetString(made, 16)
	return "2.25." + number.String()
}

// UUIDOf returns a pseudonym in the form of a UUID.
func UUIDOf(made string) string {
	raw, err := hex.DecodeString(made)
	if err != nil || len(raw) != 16 {
		return made
	}
	raw[6], raw[8] = raw[6]&0x0f|0x40, raw[8]&0x3f|0x80 // version 4
	return fmt.Sprintf("%x-%x-%x-%x-%x", raw[:4], raw[4:6], raw[6:8], raw[8:10], raw[10:])
}

// The forms of object identifiers and of UUIDs.
var (
	OID  = lazyregexp.New(`^[0-2](?:\.\d{1,40})+$`)
	UUID = lazyregexp.New(`^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
)
