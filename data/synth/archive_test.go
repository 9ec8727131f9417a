package synth

import (
	"io/fs"
	"os"
	"testing"

	"github.com/lethe-deid/lethe/internal/archived/archivetest"
)

// TestMain makes the tests read the folder, so that they need no new archive after a change of the grammar.
func TestMain(m *testing.M) {
	files = func() fs.FS { return os.DirFS(".") }
	os.Exit(m.Run())
}

func TestArchive(t *testing.T) { archivetest.Check(t, "grammar.zip.br", "grammar") }
