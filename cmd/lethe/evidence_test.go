package main

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// TestEvidencePage checks that docs/evidence.md describes all flags. TestDocs runs its commands.
func TestEvidencePage(t *testing.T) {
	page := string(read(t, "../../docs/evidence.md"))
	newEvidence().Flags().VisitAll(func(f *pflag.Flag) {
		if !strings.Contains(page, "--"+f.Name) {
			t.Errorf("the page does not describe --%s", f.Name)
		}
	})
}
