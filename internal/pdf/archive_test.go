package pdf

import (
	"testing"

	"codeberg.org/go-fonts/liberation/liberationsansregular"

	"github.com/lethe-deid/lethe/internal/archived/archivetest"
)

func TestArchive(t *testing.T) {
	archivetest.CheckFiles(t, "font.zip.br", map[string]string{fontFile: string(liberationsansregular.TTF)})
}
