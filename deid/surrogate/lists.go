package surrogate

import (
	"archive/zip"
	_ "embed"
	"io/fs"
	"sync"

	"github.com/lethe-deid/lethe/internal/archived"
)

// The program has the folder lists as an archive, which is a third of its size. TestArchive makes it.
//
//go:embed lists.zip.br
var archive []byte

var lists = sync.OnceValue(func() *zip.Reader { return archived.Open(archive) })

// listText returns a function that reads a file of the folder lists.
func listText(file string) func() string {
	return func() string {
		text, err := fs.ReadFile(lists(), "lists/"+file)
		if err != nil {
			panic(err) // the archive is embedded
		}
		return string(text)
	}
}
