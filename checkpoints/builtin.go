package checkpoints

import (
	"embed"
	"io/fs"

	"github.com/lethe-deid/lethe/internal/bounded"
)

// The models that come with the program: see scripts/models.
//
//go:embed en es
var builtin embed.FS

func init() { bounded.Provide(builtin) }

// Builtin lists the names of the models that come with the program, sorted.
func Builtin() []string {
	entries, err := fs.ReadDir(builtin, ".")
	if err != nil {
		panic(err) // the root is always there
	}
	var names []string
	for _, e := range entries {
		if more, err := fs.ReadDir(builtin, e.Name()); err == nil && len(more) > 1 { // a NOTICE alone is no model
			names = append(names, e.Name())
		}
	}
	return names
}
