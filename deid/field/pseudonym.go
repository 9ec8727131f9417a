package field

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
)

// Pseudonyms returns the function that makes pseudonyms under a key: 32 hexadecimal digits of an HMAC-SHA256 of the value, byte for byte.
// Equal values have equal pseudonyms under the same key, in all files and on all machines, so that records can still be joined. The
// pseudonym of an empty value is empty, and that of a value that stands for none is the value: see IsNull.
func Pseudonyms(key []byte) func(value string) string {
	return func(value string) string {
		if value == "" || IsNull(value) {
			return value
		}
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte("lethe field 1\x00" + value))
		return hex.EncodeToString(mac.Sum(nil)[:16])
	}
}

// IsNull reports whether a value is what databases export instead of a missing one.
func IsNull(value string) bool { return value == "NULL" || value == `\N` }
