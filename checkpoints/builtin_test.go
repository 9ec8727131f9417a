package checkpoints

import (
	"io/fs"
	"maps"
	"os"
	"testing"

	"github.com/lethe-deid/lethe/internal/archived/archivetest"
)

// TestArchive also makes the archive: see package archivetest.
func TestArchive(t *testing.T) {
	folders := archivetest.Files(t, os.DirFS("."), "en")
	maps.Copy(folders, archivetest.Files(t, os.DirFS("."), "es"))
	texts := maps.Clone(folders)
	for name := range texts {
		if _, err := fs.Stat(large, name); err == nil {
			texts[name] = ""
		}
	}
	archivetest.CheckFiles(t, "texts.zip.br", texts)
	if os.Getenv("UPDATE_GOLDEN") == "" && !maps.Equal(folders, archivetest.Files(t, builtin{}, ".")) {
		t.Error("the program has other files than the folders of its models")
	}
}
