package presidio

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"strings"
	"unicode/utf8"
)

// operator is what a request asks for some type: the name of an operator and its parameters.
type operator struct {
	name   any // a string, unless the request is wrong
	params *object
}

// operate replaces a text of a type.
type operate func(params *object, kind, text string) (string, error)

// Presidio's operators, in the order of its lists. A request over HTTP cannot define the function of custom.
var (
	anonymizers = []string{"custom", "encrypt", "hash", "keep", "mask", "redact", "replace"}
	anonymize   = map[string]operate{"encrypt": encrypt, "hash": hash, "keep": keep, "mask": mask, "redact": redact, "replace": replaceWith}

	deanonymizers = []string{"decrypt", "deanonymize_keep"}
	deanonymize   = map[string]operate{"decrypt": decrypt, "deanonymize_keep": keep}
)

// readOperators reads the operators of a request by type.
func readOperators(value any) (map[string]operator, error) {
	byType := map[string]operator{}
	if value == nil {
		return byType, nil
	}
	all, ok := value.(*object)
	if !ok {
		return nil, errInternal
	}
	for _, f := range all.fields {
		params, ok := f.value.(*object)
		if !ok {
			return nil, errInternal
		}
		name := params.get("type")
		if !truthy(name) {
			return nil, invalid("Invalid input, operator config must contain operator_name")
		}
		byType[f.key] = operator{name, params.without("type")}
	}
	return byType, nil
}

// apply replaces a text with the operator, which must be one of the table.
func (o operator) apply(table map[string]operate, kind, text string) (string, error) {
	name, ok := o.name.(string)
	if !ok && !isScalar(o.name) {
		return "", errInternal
	}
	do := table[name]
	if do == nil {
		return "", invalid("Invalid operator class '%s'.", str(o.name))
	}
	return do(o.params, kind, text)
}

func isScalar(value any) bool {
	switch value.(type) {
	case []any, *object:
		return false
	}
	return true
}

func keep(_ *object, _, text string) (string, error) { return text, nil }

func redact(_ *object, _, _ string) (string, error) { return "", nil }

func replaceWith(params *object, kind, _ string) (string, error) {
	value := params.get("new_value")
	if err := checkType(value, "new_value", "str"); err != nil {
		return "", err
	}
	if !truthy(value) {
		return tag(kind), nil
	}
	return value.(string), nil
}

// tag returns what stands for a value of a type in Presidio's world.
func tag(kind string) string { return "<" + kind + ">" }

func mask(params *object, _, text string) (string, error) {
	sign, n, fromEnd, err := maskParams(params)
	if err != nil {
		return "", err
	}
	all := []rune(text)
	n = max(0, min(n, len(all)))
	if fromEnd {
		return string(all[:len(all)-n]) + strings.Repeat(sign, n), nil
	}
	return strings.Repeat(sign, n) + string(all[n:]), nil
}

// maskParams reads the parameters of mask.
func maskParams(params *object) (sign string, n int, fromEnd bool, err error) {
	char := params.get("masking_char")
	if err := checkParameter(char, "masking_char", "str"); err != nil {
		return "", 0, false, err
	}
	sign, ok := char.(string)
	if !ok {
		return "", 0, false, errInternal
	}
	if utf8.RuneCountInString(sign) > 1 {
		return "", 0, false, invalid("Invalid input, masking_char must be a character")
	}
	count := params.get("chars_to_mask")
	if err := checkParameter(count, "chars_to_mask", "int"); err != nil {
		return "", 0, false, err
	}
	end := params.get("from_end")
	if err := checkParameter(end, "from_end", "bool"); err != nil {
		return "", 0, false, err
	}
	if x, isFloat := count.(float64); isFloat && x == 0 {
		count = 0
	}
	n, ok = whole(count)
	if !ok {
		return "", 0, false, errInternal
	}
	return sign, n, truthy(end), nil
}

func hash(params *object, _, text string) (string, error) {
	method := any("sha256")
	if params.has("hash_type") {
		method = params.get("hash_type")
	}
	if method == nil {
		return "", invalid("Expected parameter hash_type")
	}
	if method != "sha256" && method != "sha512" {
		return "", invalid("Parameter hash_type value %s is not in range of values ['sha256', 'sha512']", str(method))
	}
	salt, err := saltOf(params)
	if err != nil {
		return "", err
	}
	salted := append([]byte(text), salt...)
	if method == "sha512" {
		sum := sha512.Sum512(salted)
		return hex.EncodeToString(sum[:]), nil
	}
	sum := sha256.Sum256(salted)
	return hex.EncodeToString(sum[:]), nil
}

// minSalt is the minimum length of a salt in bytes.
const minSalt = 16

// saltOf returns the salt of hash, which is random unless the request has one.
func saltOf(params *object) ([]byte, error) {
	if !params.has("salt") {
		salt := make([]byte, 32)
		_, _ = rand.Read(salt) // it never fails
		return salt, nil
	}
	salt, ok := params.get("salt").(string)
	if !ok {
		return nil, errInternal
	}
	if salt == "" {
		return nil, invalid("Salt parameter cannot be empty. Either omit the salt parameter to auto-generate a random salt, or provide a salt of at least 16 bytes (128 bits).")
	}
	if len(salt) < minSalt {
		return nil, invalid("Salt must be at least 16 bytes (128 bits). Provided salt is %d bytes.", len(salt))
	}
	return []byte(salt), nil
}

func encrypt(params *object, _, text string) (string, error) {
	block, err := blockOf(params)
	if err != nil {
		return "", err
	}
	padding := aes.BlockSize - len(text)%aes.BlockSize
	padded := text + strings.Repeat(string(rune(padding)), padding)
	out := make([]byte, aes.BlockSize+len(padded))
	_, _ = rand.Read(out[:aes.BlockSize]) // it never fails
	cipher.NewCBCEncrypter(block, out[:aes.BlockSize]).CryptBlocks(out[aes.BlockSize:], []byte(padded))
	return base64.URLEncoding.EncodeToString(out), nil
}

func decrypt(params *object, _, text string) (string, error) {
	block, err := blockOf(params)
	if err != nil {
		return "", err
	}
	in, err := base64.URLEncoding.DecodeString(text)
	if err != nil || len(in) < 2*aes.BlockSize || len(in)%aes.BlockSize != 0 {
		return "", errInternal
	}
	out := make([]byte, len(in)-aes.BlockSize)
	cipher.NewCBCDecrypter(block, in[:aes.BlockSize]).CryptBlocks(out, in[aes.BlockSize:])
	padding := int(out[len(out)-1])
	if padding == 0 || padding > aes.BlockSize {
		return "", errInternal
	}
	plain := out[:len(out)-padding]
	if string(out[len(plain):]) != strings.Repeat(string(rune(padding)), padding) || !utf8.Valid(plain) {
		return "", errInternal
	}
	return string(plain), nil
}

// blockOf returns the cipher with the key of encrypt or decrypt.
func blockOf(params *object) (cipher.Block, error) {
	key := params.get("key")
	secret, ok := key.(string)
	switch {
	case key == nil:
		return nil, invalid("Expected parameter key")
	case !ok && truthy(key):
		return nil, invalid("Invalid parameter value for 'key'.")
	case !ok && isScalar(key):
		return nil, errInternal
	}
	switch len(secret) {
	case 16, 24, 32:
		return aes.NewCipher([]byte(secret))
	case 64: // Presidio accepts the length, which is that of another mode of AES, and fails
		return nil, errInternal
	}
	return nil, invalid("Invalid input, key must be of length 128, 192 or 256 bits")
}

// checkParameter returns an error if a parameter is missing or has the wrong type.
func checkParameter(value any, name, want string) error {
	if value == nil {
		return invalid("Expected parameter %s", name)
	}
	return checkType(value, name, want)
}

// jsonNames contains names of Python's types in Presidio's errors.
var jsonNames = map[string]string{"str": "string", "bool": "boolean", "int": "number", "list": "array"}

// checkType returns an error if a value has the wrong type. Like Presidio, it accepts all values that Python takes for false.
func checkType(value any, name, want string) error {
	got := typeName(value)
	if !truthy(value) || got == want || want == "int" && got == "bool" {
		return nil
	}
	if jsonNames[got] == "" {
		return invalid("Invalid parameter value for '%s'.", name)
	}
	return invalid("Invalid parameter value for %s. Expecting '%s', but got '%s'.", name, jsonNames[want], jsonNames[got])
}
