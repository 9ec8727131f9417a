package checkpoints

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// withExtra is model with further files.
func withExtra() *Model {
	m := model()
	m.Extra = func(dir string) error {
		if err := os.MkdirAll(filepath.Join(dir, ResourcesFolder, "lists"), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, ResourcesFolder, "lists", "months"), []byte("May"), 0o666); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, FeaturesFile), []byte("[]"), 0o666)
	}
	return m
}

// A model's further files are replaced together with the model, and disappear if the
// new model has none.
func TestExtra(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "best")
	for range 2 {
		mustSave(t, dir, withExtra())
	}
	m, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Metadata) != 1 {
		t.Errorf("the metadata is %v", m.Metadata)
	}
	if got := mustRead(t, filepath.Join(dir, ResourcesFolder, "lists", "months")); string(got) != "May" {
		t.Errorf("the list contains %q", got)
	}
	mustSave(t, dir, model())
	if got := names(t, dir); slices.Contains(got, FeaturesFile) || slices.Contains(got, ResourcesFolder) {
		t.Errorf("the folder holds %v", got)
	}
	if _, err := Load(dir); err != nil {
		t.Error(err)
	}
}

// A model without an entry of a list would find less without any error.
func TestLoadNoticesEditedExtra(t *testing.T) {
	for name, c := range map[string]struct {
		edit func(dir string) error
		want string
	}{
		"edited": {func(dir string) error {
			return os.WriteFile(filepath.Join(dir, ResourcesFolder, "lists", "months"), nil, 0o666)
		}, "months: unusable: does not match the sha256 in weights.safetensors"},
		"removed":        {func(dir string) error { return os.Remove(filepath.Join(dir, FeaturesFile)) }, "features.json: no such file"},
		"folder removed": {func(dir string) error { return os.RemoveAll(filepath.Join(dir, ResourcesFolder)) }, "months: no such file"},
	} {
		dir := filepath.Join(t.TempDir(), "best")
		mustSave(t, dir, withExtra())
		if err := c.edit(dir); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %s", name, err, c.want)
		}
	}
}

// A header can name any file; only those of a model folder are opened.
func TestLoadRefusesForeignFiles(t *testing.T) {
	for _, file := range []string{"", "/etc/hostname", "other.json", "resources/../../other.json", "README.md"} {
		dir := filepath.Join(t.TempDir(), "best")
		mustSave(t, dir, model())
		tensors, metadata, err := ReadTensors(filepath.Join(dir, WeightsFile))
		if err != nil {
			t.Fatal(err)
		}
		metadata[digestOf(file)] = digest(nil)
		delete(metadata, digestKey)
		if err := WriteTensors(filepath.Join(dir, WeightsFile), tensors, metadata); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), "which is not a file of a model folder") {
			t.Errorf("%q: error %v", file, err)
		}
	}
}
