package replace

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/surrogate"
)

func save(t *testing.T, dir, name, content string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestKeys checks that the line end of a text file is not part of the key, but the last byte of a binary file is.
func TestKeys(t *testing.T) {
	dir := t.TempDir()
	for _, tc := range []struct{ name, content, want string }{
		{"sixteen", "a key of sixteen", "a key of sixteen"},
		{"line", "a key of sixteen\n", "a key of sixteen"},
		{"windows", "a key of sixteen\r\n", "a key of sixteen"},
		{"spaces stay", " a key of sixteen ", " a key of sixteen "},
		{"binary", "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0b\x0c\x0e\x0f\x10\n", "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0b\x0c\x0e\x0f\x10\n"},
		{"not UTF-8", "\xff key of sixteen\n", "\xff key of sixteen\n"},
		{"two lines", "a key of\nsixteen.\n", "a key of\nsixteen.\n"},
	} {
		if got, err := ReadKey(save(t, dir, "key", tc.content)); err != nil || string(got) != tc.want {
			t.Errorf("%s: %q, %v", tc.name, got, err)
		}
	}
	for content, want := range map[string]string{"": "0 bytes", "\n": "0 bytes", "fifteen bytes..": "15 bytes", "fifteen bytes..\n": "15 bytes"} {
		path := save(t, dir, "key", content)
		if _, err := ReadKey(path); err == nil || err.Error() != path+": a key of "+want+" is too short: at least 16 are required" {
			t.Errorf("%q: error %v", content, err)
		}
	}
	for _, content := range []string{strings.Repeat("\n", 40), strings.Repeat(" ", 40), strings.Repeat("\x00", 40), strings.Repeat("a", 40), strings.Repeat("ab\n", 40), "\t \n" + strings.Repeat(" ", 30) + "abc"} {
		if _, err := ReadKey(save(t, dir, "key", content)); err == nil || !strings.Contains(err.Error(), "is not a secret") {
			t.Errorf("%q: error %v", content, err)
		}
	}
	if _, err := ReadKey(dir); err == nil {
		t.Error("a folder is a key")
	}
}

func TestReadOptions(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, "cities.txt", "\uFEFF# of ours\n\n Oslo \r\nBergen\nOslo\n\tTromsø")
	opt, err := ReadOptions(save(t, dir, "own.yaml", "language: es\nsorts: {KLANT: person}\nlists:\n  en-city: cities.txt\n  es-city: "+filepath.Join(dir, "cities.txt")+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"Oslo", "Bergen", "Oslo", "Tromsø"}
	if opt.Language != surrogate.Spanish || opt.Sorts["KLANT"] != data.Person || !slices.Equal(opt.Lists["en-city"], want) || !slices.Equal(opt.Lists["es-city"], want) {
		t.Errorf("options %v", opt)
	}
	save(t, dir, "empty.txt", "# nothing\n\n")
	save(t, dir, "digits.txt", "Oslo\n77\n")
	save(t, dir, "bytes.txt", "Oslo\n\nB\xe9rgen\n")
	save(t, dir, "long.txt", strings.Repeat("Oslo ", 1<<16))
	for content, want := range map[string]string{
		"listen: {}":                     "own.yaml:1:1: ",
		"lists: {en-city: [Oslo]}":       "own.yaml:1:18: lists.en-city: ",
		"lists: {en-city: nowhere.txt}":  "own.yaml: lists: en-city: open ",
		"lists: {en-cities: cities.txt}": `own.yaml: no list "en-cities" of surrogates (have `,
		"lists: {en-city: empty.txt}":    "own.yaml: list en-city of surrogates is empty",
		"lists: {en-city: digits.txt}":   "digits.txt:2: an entry must contain a letter and no control characters",
		"lists: {en-city: bytes.txt}":    "bytes.txt:3: invalid UTF-8",
		"lists: {en-city: long.txt}":     "long.txt: cannot be read",
		"sorts: {KLANT: human}":          `own.yaml: unknown sort "human" for the type "KLANT"`,
		"language: fr":                   `own.yaml: no surrogates in the language "fr" (have en, es)`,
		"language: es\nlanguage: en":     "own.yaml:2:1: ",
		"":                               "own.yaml: requires one YAML document, but has 0",
	} {
		if _, err := ReadOptions(save(t, dir, "own.yaml", content)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", content, err, want)
		}
	}
}
