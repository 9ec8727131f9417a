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

// MinKey is how many bytes a key has at least.
const MinKey = 16

// Options are what a plan's kinds need.
type Options struct {
	// Key is the secret that hashes and surrogates are derived from: at least
	// MinKey bytes, needed if the plan names one of the two. Whoever has it can
	// find out whether a guessed value is behind a hash.
	Key []byte
	// Types is the type set of the spans. Types that the plan names must be in it;
	// nil allows any.
	Types *data.TypeSet
	// Sorts has the sorts of types that data.TypeSet.Describe does not know, or
	// takes precedence over it.
	Sorts map[string]data.Sort
	// Language of the notes, for surrogates. Empty means that of Types or, if it has none, English.
	Language surrogate.Language
	// Lists that surrogates are drawn from, in the place of those that are built in: see surrogate.ListNames.
	Lists map[string][]string
}

// ReadKey reads a key. One that is text is taken without the end of its last line,
// which editors add; any other as it stands. The error says if it has less than
// MinKey bytes, or hardly anything in them.
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
		return nil, fmt.Errorf("%s: a key of %d bytes is too short: at least %d are needed", path, len(key), MinKey)
	}
	if !secret(key) {
		return nil, fmt.Errorf("%s: there is too little in it to be a secret: blanks, or one or two bytes again and again (make a key with: openssl rand -hex 32)", path)
	}
	return key, nil
}

// secret reports whether a key could be one: without white space and NULs it still has
// enough bytes, and more than two different ones. It finds mistakes, not weak keys.
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

// ReadOptions reads Language, Sorts and Lists from a YAML file. Of lists it has
// the paths, seen from its folder, of files with an entry a line; blank lines and
// those that begin with # are none.
//
//	language: es
//	sorts: {KLANT: person}
//	lists: {en-city: cities.txt}
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
			return nil, &data.Error{Path: path, Line: n, Offset: -1, Reason: "no letter, or a control character"}
		}
		entries = append(entries, entry)
	}
	if err := lines.Err(); err != nil {
		return nil, &data.Error{Path: path, Offset: -1, Reason: "cannot be read", Err: err}
	}
	return entries, nil
}
