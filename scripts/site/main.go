// Command site renders the documentation as a static site, which is read from the disk: index.html needs no server, no
// network and nothing from elsewhere.
//
//	go run ./scripts/site --output DIR [--program lethe]
//
// The pages are the Markdown files of the repository, as docs/README.md lists them, and everything that they link to. The
// reference is generated: the commands from the help of the program (which is built first, unless --program names it), the
// keys of configurations from the structs that they are decoded into, and the packages from their doc comments. Links that
// lead nowhere, headings that do not exist, and pages in docs that docs/README.md does not list are errors.
package main

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

func main() {
	output := flag.String("output", "", "folder of the site, which is made anew")
	program := flag.String("program", "", "the program whose commands are described (default: it is built)")
	root := flag.String("root", ".", "folder of the repository")
	flag.Parse()
	if *output == "" || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "site: usage: site --output DIR [--program lethe] [--root DIR]")
		os.Exit(2)
	}
	if err := run(*root, *program, *output); err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}

func run(root, program, output string) error {
	if program == "" {
		dir, err := os.MkdirTemp("", "lethe-site")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		if program, err = buildProgram(root, dir); err != nil {
			return err
		}
	}
	generated, err := reference(root, program)
	if err != nil {
		return err
	}
	s, err := newSite(root, generated)
	if err != nil {
		return err
	}
	files, err := s.files()
	if err != nil {
		return err
	}
	return write(output, files)
}

// buildProgram builds the program in a folder and returns its path.
func buildProgram(root, dir string) (string, error) {
	path := filepath.Join(dir, "lethe.exe") // a name that every system can start
	build := exec.Command("go", "build", "-o", path, "./cmd/lethe")
	build.Dir, build.Stderr = root, os.Stderr
	return path, build.Run()
}

// reference returns the generated pages as Markdown, by the paths that they would have in the repository.
func reference(root, program string) (map[string]string, error) {
	pages := map[string]string{}
	commands, err := commandPages(program)
	if err != nil {
		return nil, err
	}
	keys, err := keyPages(root)
	if err != nil {
		return nil, err
	}
	packages, err := packagePages(root)
	if err != nil {
		return nil, err
	}
	for _, m := range []map[string]string{commands, keys, packages} {
		maps.Copy(pages, m)
	}
	return pages, nil
}

// marker is a file of each site. A folder without it is not emptied.
const marker = ".lethe-site"

// write replaces the folder of the site.
func write(output string, files map[string][]byte) error {
	if entries, err := os.ReadDir(output); err == nil && len(entries) > 0 {
		if _, err := os.Stat(filepath.Join(output, marker)); err != nil {
			return fmt.Errorf("%s is neither empty nor a site that this program wrote", output)
		}
		if err := os.RemoveAll(output); err != nil {
			return err
		}
	} else if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	files[marker] = nil
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(output, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, files[name], 0o666); err != nil {
			return err
		}
	}
	return nil
}
