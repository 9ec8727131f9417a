package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/internal/shared"
)

// A released model is imported, de-identifies a note, and has a card that says where it comes from.
func TestImportedReleaseDeidentifies(t *testing.T) {
	release, vectors := shared.Path(t, "neuroner/i2b2_2014_glove_stanford_bioes"), shared.Path(t, "vectors/glove.6B.100d.head2604.txt")
	model := filepath.Join(t.TempDir(), "i2b2")
	lethe := func(input string, args ...string) (stdout, stderr string) {
		t.Helper()
		var out, messages strings.Builder
		c := exec.Command("lethe", args...)
		c.Stdin, c.Stdout, c.Stderr = strings.NewReader(input), &out, &messages
		if err := c.Run(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, messages.String())
		}
		return out.String(), messages.String()
	}
	_, said := lethe("", "import", "neuroner", release, "--vectors", vectors, "--output", model)
	if !strings.Contains(said, `contains no word "unk", so it cannot be verified`) {
		t.Errorf("said %q", said)
	}
	const note, want = "The patient was seen by Dr. Amundsen on 03/04/2031.\n", "The patient was seen by Dr. [DOCTOR] on 2031.\n"
	if clean, _ := lethe(note, "deidentify", "--model", model, "--safety-net=off", "--format", "text", "-"); clean != want {
		t.Errorf("an invented note becomes %q", clean)
	}
	if card, _ := lethe("", "models", "card", model); !strings.Contains(card, "none of the training notes") {
		t.Errorf("card %s", card)
	}
}
