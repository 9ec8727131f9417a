package fhir

import (
	"os"
	"testing"

	"github.com/lethe-deid/lethe/internal/archived/archivetest"
)

func TestArchive(t *testing.T) {
	text, err := os.ReadFile("elements.txt")
	if err != nil {
		t.Fatal(err)
	}
	archivetest.CheckFiles(t, "elements.zip.br", map[string]string{"elements.txt": string(text)})
}
