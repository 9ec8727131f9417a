package surrogate

import (
	"testing"

	"github.com/lethe-deid/lethe/internal/archived/archivetest"
)

func TestArchive(t *testing.T) { archivetest.Check(t, "lists.zip.br", "lists") }
