package replace

import (
	"bufio"
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/surrogate"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/strictyaml"
)

// MinKey is the minimum length of a key, in bytes.
const MinKey = 16

// Options are the settings of a Replacer. The zero value is enough for plans without Hash and Surrogate.
type Options struct {
	// Key is the secret that hashes and surrogates are derived from. A plan with Hash or Surrogate requires at
	// least MinKey bytes. Whoever has the key can check whether a hash belongs to a guessed value.
	Key []byte
	// Types is the type set of the spans. Plan and Sorts may name only types in it. Nil means that all types
	// are allowed.
	Types *data.TypeSet
	// Sorts maps types to the sorts of their values. It extends data.TypeSet.Describe and takes precedence over
	// it. Nil means that only data.TypeSet.Describe is used.
	Sorts map[string]data.Sort
	// Language is the language of the notes, for surrogates. Empty means the language of Types or, if it has
	// none, English.
	Language surrogate.Language
	// Lists are lists of surrogates by name, which replace the built-in lists: see surrogate.ListNames. Nil means
	// that all lists are built in.
	Lists map[string][]string
}

// ReadKey reads a key from a file. If the file is a single line of text, the line end is not part of the key; in any other
// file, all bytes belong to the key. It is an error if the key has fewer than MinKey bytes, or is obviously no secret, such as a
// single repeated byte.
func ReadKey(path string) ([]byte, error) {
	key, err := bounded.ReadFile(path, bounded.MaxConfig)
	if err != nil {
		return nil, err
	}
	line := bytes.TrimSuffix(bytes.TrimSuffix(key, []byte("\n")), []byte("\r"))
	if utf8.Valid(line) && bytes.IndexFunc(line, unicode.IsControl) < 0 {
		key = line
	}
	if len(key) < MinKey {
		return nil, fmt.Errorf("%s: a key of %d bytes is too short: at least %d are required", path, len(key), MinKey)
	}
	if !secret(key) {
		return nil, fmt.Errorf("%s: is not a secret: it consists mostly of blanks, or repeats one or two bytes (create a key with: openssl rand -hex 32)", path)
	}
	return key, nil
}

// secret reports whether a key has at least MinKey/2 bytes and three different ones, not counting white space and NULs.
// It detects mistakes, not weak keys.
func secret(key []byte) bool {
	different := map[byte]bool{}
	n := 0
	for _, b := range key {
		if b != 0 && !unicode.IsSpace(rune(b)) {
			different[b] = true
			n++
		}
	}
	return n >= MinKey/2 && len(different) > 2
}

// ReadOptions reads Language, Sorts and Lists from a YAML file, in which all keys are optional:
//
//	language: es
//	sorts: {KLANT: person}
//	lists: {en-city: cities.txt}
//
// The lists are paths, relative to the folder of the YAML file, of text files with one entry per line. Blank lines and
// lines that start with # are ignored. Errors name the file.
func ReadOptions(path string) (Options, error) {
	raw, err := bounded.ReadFile(path, bounded.MaxConfig)
	if err != nil {
		return Options{}, err
	}
	var file struct {
		Language surrogate.Language   `yaml:"language"`
		Sorts    map[string]data.Sort `yaml:"sorts"`
		Lists    map[string]string    `yaml:"lists"`
	}
	if err := strictyaml.Decode(path, raw, &file); err != nil {
		return Options{}, err
	}
	opt := Options{Language: file.Language, Sorts: file.Sorts, Lists: map[string][]string{}}
	for name, list := range file.Lists {
		if !filepath.IsAbs(list) {
			list = filepath.Join(filepath.Dir(path), list)
		}
		if opt.Lists[name], err = readList(list); err != nil {
			return Options{}, fmt.Errorf("%s: lists: %s: %w", path, name, err)
		}
	}
	if _, err := New(Plan{}, opt); err != nil {
		return Options{}, fmt.Errorf("%s: %w", path, err)
	}
	return opt, nil
}

// readList reads a file with one entry per line. Errors do not quote entries.
func readList(path string) ([]string, error) {
	raw, err := bounded.ReadFile(path, bounded.MaxConfig)
	if err != nil {
		return nil, err
	}
	var entries []string
	lines := bufio.NewScanner(bytes.NewReader(bytes.TrimPrefix(raw, []byte("\uFEFF"))))
	for n := 1; lines.Scan(); n++ {
		entry := strings.TrimSpace(lines.Text())
		switch {
		case entry == "" || entry[0] == '#':
			continue
		case !utf8.ValidString(entry):
			return nil, &data.Error{Path: path, Line: n, Offset: -1, Reason: "invalid UTF-8"}
		case !surrogate.IsEntry(entry):
			return nil, &data.Error{Path: path, Line: n, Offset: -1, Reason: "an entry must contain a letter and no control characters"}
		}
		entries = append(entries, entry)
	}
	if err := lines.Err(); err != nil {
		return nil, &data.Error{Path: path, Offset: -1, Reason: "cannot be read", Err: err}
	}
	return entries, nil
}
