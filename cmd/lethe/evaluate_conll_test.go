package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/internal/shared"
)

// The program prints what the script prints, byte for byte.
func TestEvaluateCoNLLGolden(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(shared.Path(t, "golden/conlleval"), "*.txt"))
	if err != nil || len(files) != 7 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		args := []string{"evaluate", "--script", "conll", file}
		if filepath.Base(file) == "raw.txt" {
			args = append(args, "--raw")
		}
		got, err := exec.Command("lethe", args...).Output()
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if diff := cmp.Diff(string(read(t, strings.TrimSuffix(file, ".txt")+".out")), string(got)); diff != "" {
			t.Errorf("%s (-script +got):\n%s", file, diff)
		}
	}
}
