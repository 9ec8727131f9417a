package format_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/format"
)

// wrong is a corpus with a mistake that people make.
type wrong struct {
	what  string
	files map[string]string // content of each file, by its path in the corpus
	read  string            // the path in the corpus that is read; default: the folder
	opt   format.Options    // how it is read, besides the types
	want  string            // the only error, with paths within the corpus
	// mended says how the same files are read without an error, if the error names an option. The zero value says nothing.
	mended format.Options
}

// perFormat is the number of wrong corpora of each format.
const perFormat = 20

// people are the names in the texts of the wrong corpora, or parts of them, which no error may contain.
var people = []string{"Amundsen", "Vance", "Zo", "undsen"}

// Each mistake has one error, which says where it is, what is wrong and, if that can be known, what to do.
func TestWrongCorpora(t *testing.T) {
	for name, corpora := range map[string][]wrong{
		"i2b2": wrongI2B2, "i2b2-2006": wrongI2B22006, "brat": wrongBrat,
		"conll": wrongCoNLL, "jsonl": wrongJSONL, "labelstudio": wrongLabelStudio,
	} {
		t.Run(name, func(t *testing.T) {
			if len(corpora) != perFormat {
				t.Errorf("%d wrong corpora, want %d", len(corpora), perFormat)
			}
			for _, c := range corpora {
				t.Run(c.what, func(t *testing.T) { c.check(t, name) })
			}
		})
	}
}

func (c wrong) check(t *testing.T, name string) {
	dir := t.TempDir()
	for path, content := range c.files {
		path = filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, c.read)
	got := strings.Join(errorsOf(name, path, c.opt), "\n")
	got = strings.ReplaceAll(got, dir+string(filepath.Separator), "")
	got = strings.ReplaceAll(got, dir, "CORPUS")
	if diff := cmp.Diff(c.want, got); diff != "" {
		t.Error(diff)
	}
	for _, person := range people {
		if strings.Contains(got, person) {
			t.Errorf("the error contains text of a note: %s", got)
		}
	}
	f, err := format.Lookup(name)
	if err == nil {
		err = c.mended.Check(f)
	}
	if err != nil {
		t.Error(err)
	}
	if !cmp.Equal(c.mended, format.Options{}) {
		if again := errorsOf(name, path, c.mended); again != nil {
			t.Errorf("with the option that the error names: %s", again)
		}
	}
}

// errorsOf returns the errors of reading, in order.
func errorsOf(name, path string, opt format.Options) (all []string) {
	if opt.Types == nil {
		opt.Types = data.I2B2
		if name == "i2b2-2006" {
			opt.Types = data.I2B22006
		}
	}
	for _, err := range format.Read(name, path, opt) {
		if err != nil {
			all = append(all, err.Error())
		}
	}
	return all
}

// file is a corpus of one file.
func file(path, content string) map[string]string { return map[string]string{path: content} }
