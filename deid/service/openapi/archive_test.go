package openapi

import (
	"os"
	"testing"

	"github.com/lethe-deid/lethe/internal/archived/archivetest"
)

func TestArchive(t *testing.T) {
	text, err := os.ReadFile("openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	archivetest.CheckFiles(t, "openapi.zip.br", map[string]string{"openapi.yaml": string(text)})
}
