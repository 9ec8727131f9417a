package checkpoints

import (
	"io/fs"
	"maps"
	"os"
	"testing"

	"github.com/lethe-deid/lethe/internal/archived/archivetest"
)

// TestArchive also makes the archives: see package archivetest.
func TestArchive(t *testing.T) {
	folders := map[string]string{}
	for model := range texts {
		files := archivetest.Files(t, os.DirFS("."), model)
		maps.Copy(folders, files)
		for name := range files {
			if _, err := fs.Stat(large, name); err == nil {
				files[name] = ""
			}
		}
		archivetest.CheckFiles(t, "texts-"+model+".zip.br", files)
	}
	if os.Getenv("UPDATE_GOLDEN") == "" && !maps.Equal(folders, archivetest.Files(t, builtin{}, ".")) {
		t.Error("the program has other files than the folders of its models")
	}
}
