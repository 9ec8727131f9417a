package checkpoints

import (
	"archive/zip"
	"embed"
	"io/fs"
	"strings"
	"sync"

	"github.com/lethe-deid/lethe/internal/archived"
	"github.com/lethe-deid/lethe/internal/bounded"
)

// The models that come with the program are the folders en and es: see scripts/models. Their texts are a quarter of their size in archives, which have
// all other files as well, without their content. There is one for each model, because most runs need one model. TestArchive makes them.
var (
	//go:embed en/members/first/weights.safetensors en/members/first/resources/gazetteers
	//go:embed es/members/first/members/corrected/members/network/weights.safetensors es/members/first/members/corrected/members/network/resources/gazetteers
	large embed.FS
	//go:embed texts-en.zip.br
	english []byte
	//go:embed texts-es.zip.br
	spanish []byte
	texts   = map[string]func() *zip.Reader{
		"en": sync.OnceValue(func() *zip.Reader { return archived.Open(english) }),
		"es": sync.OnceValue(func() *zip.Reader { return archived.Open(spanish) }),
	}
)

// builtin are the files of the models.
type builtin struct{}

// Open implements fs.FS.
func (builtin) Open(name string) (fs.File, error) {
	model, _, _ := strings.Cut(name, "/")
	if info, err := fs.Stat(large, name); texts[model] == nil || err == nil && !info.IsDir() {
		return large.Open(name) // which knows the names of the models, too
	}
	return texts[model]().Open(name)
}

func init() { bounded.Provide(builtin{}) }

// Builtin lists the names of the models that come with the program, sorted.
func Builtin() []string {
	entries, err := fs.ReadDir(large, ".")
	if err != nil {
		panic(err) // the root is always there
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
