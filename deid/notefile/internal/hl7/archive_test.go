package hl7

import (
	"os"
	"testing"

	"github.com/lethe-deid/lethe/internal/archived/archivetest"
)

func TestArchive(t *testing.T) {
	files := map[string]string{}
	for _, name := range []string{"segments.txt", "types.txt"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(text)
	}
	archivetest.CheckFiles(t, "lists.zip.br", files)
}
