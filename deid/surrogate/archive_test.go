package surrogate

import (
	"testing"

	"github.com/lethe-deid/lethe/internal/archived/archivetest"
)

func TestArchive(t *testing.T) {
	t.Chdir("lists")
	archivetest.Check(t, "names.zip.br", "names")
}
