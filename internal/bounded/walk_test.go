package bounded

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestWalkDirFollowsALinkToAFolder is that of a model folder behind a link, which was taken for a file.
func TestWalkDirFollowsALinkToAFolder(t *testing.T) {
	dir := t.TempDir()
	folder, link, file := filepath.Join(dir, "folder"), filepath.Join(dir, "link"), filepath.Join(dir, "folder", "a")
	if err := os.Mkdir(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("folder", link); err != nil {
		t.Skip("links are not possible here: ", err)
	}
	for root, want := range map[string][]string{link: {link, filepath.Join(link, "a")}, folder: {folder, file}, file: {file}} {
		var got []string
		err := WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			got = append(got, path)
			if err == nil && path == link && !entry.IsDir() {
				t.Error("the link is not a folder")
			}
			return err
		})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("WalkDir(%q) visits %q, error %v; want %q", root, got, err, want)
		}
	}
}
