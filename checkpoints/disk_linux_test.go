package checkpoints

import (
	"errors"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

// A full disk is an error, and the existing model stays unchanged.
func TestFullDisk(t *testing.T) {
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=64k"); err != nil {
		t.Skip("a small disk cannot be mounted here:", err)
	}
	t.Cleanup(func() { syscall.Unmount(disk, 0) })

	dir := filepath.Join(disk, "best")
	mustSave(t, dir, model())
	large := model()
	large.Tensors = []Tensor{{"w", []int{100_000}, make([]float32, 100_000)}}
	if err := Save(dir, large); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a model larger than the disk: %v", err)
	}
	if err := Save(filepath.Join(disk, "other"), large); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a model larger than the disk: %v", err)
	}
	if err := WriteTensors(filepath.Join(disk, "state"), large.Tensors, nil); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("tensors larger than the disk: %v", err)
	}
	if got := names(t, disk); !slices.Equal(got, []string{"best"}) {
		t.Errorf("the disk holds %v", got)
	}
	if _, err := Load(dir); err != nil {
		t.Errorf("the older model: %v", err)
	}
}
