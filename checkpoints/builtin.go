package checkpoints

import (
	"archive/zip"
	"embed"
	"io/fs"
	"sync"

	"github.com/lethe-deid/lethe/internal/archived"
	"github.com/lethe-deid/lethe/internal/bounded"
)

// The models that come with the program are the folders en and es: see scripts/models. Their texts are a quarter of their size in an archive, which has
// all other files as well, without their content. TestArchive makes it.
var (
	//go:embed en/members/first/weights.safetensors en/members/first/resources/gazetteers
	//go:embed es/members/first/members/corrected/members/network/weights.safetensors es/members/first/members/corrected/members/network/resources/gazetteers
	large embed.FS
	//go:embed texts.zip.br
	archive []byte
	texts   = sync.OnceValue(func() *zip.Reader { return archived.Open(archive) })
)

// builtin are the files of the models.
type builtin struct{}

// Open implements fs.FS.
func (builtin) Open(name string) (fs.File, error) {
	if info, err := fs.Stat(large, name); err == nil && !info.IsDir() {
		return large.Open(name)
	}
	return texts().Open(name)
}

func init() { bounded.Provide(builtin{}) }

// Builtin lists the names of the models that come with the program, sorted.
func Builtin() []string {
	entries, err := fs.ReadDir(builtin{}, ".")
	if err != nil {
		panic(err) // the root is always there
	}
	var names []string
	for _, e := range entries {
		if more, err := fs.ReadDir(builtin{}, e.Name()); err == nil && len(more) > 1 { // a NOTICE alone is no model
			names = append(names, e.Name())
		}
	}
	return names
}
