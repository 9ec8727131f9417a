// Command licenses writes NOTICE, which names every module that is compiled into the program on any
// system that is released, with its licence, and the full texts of these licences.
//
//	go run ./scripts/release/licenses > NOTICE
//	go run ./scripts/release/licenses --texts > LICENSES.txt
//
// It runs in the root of the repository. A licence that it does not know is an error, so that nothing
// is released before somebody has read it.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

func main() {
	log.SetFlags(0)
	texts := flag.Bool("texts", false, "write the texts of the licences instead of NOTICE")
	flag.Parse()
	modules, err := list(".")
	if err == nil {
		write := notice
		if *texts {
			write = fullTexts
		}
		err = write(os.Stdout, modules)
	}
	if err != nil {
		log.Fatal("licenses: ", err)
	}
}

// module is a module of which at least one package is compiled into the program.
type module struct {
	Path, Version, Dir string
	licences           []string // identifiers of SPDX
	files              []string // base names in Dir
}

// systems are those for which the program is released.
var systems = []string{"linux", "darwin", "windows"}

// list returns the modules of the program in the order of their paths, without Lethe's own.
func list(root string) ([]module, error) {
	found := map[string]module{}
	for _, system := range systems {
		cmd := exec.Command("go", "list", "-deps", "-f", `{{with .Module}}{{if not .Main}}{"Path":{{printf "%q" .Path}},"Version":{{printf "%q" .Version}},"Dir":{{printf "%q" .Dir}}}{{end}}{{end}}`, "./cmd/lethe")
		cmd.Dir, cmd.Env, cmd.Stderr = root, append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0"), os.Stderr
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("go list for %s: %w", system, err)
		}
		for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
			var m module
			if err := decoder.Decode(&m); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, err
			}
			found[m.Path] = m
		}
	}
	var modules []module
	for _, m := range found {
		if err := m.read(); err != nil {
			return nil, err
		}
		modules = append(modules, m)
	}
	slices.SortFunc(modules, func(a, b module) int { return strings.Compare(a.Path, b.Path) })
	return modules, nil
}

var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([-._].*)?$`)

// read finds the files of the module that state its licence.
func (m *module) read() error {
	entries, err := os.ReadDir(m.Dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if !entry.Type().IsRegular() || !licenceFile.MatchString(entry.Name()) || strings.HasSuffix(entry.Name(), ".go") {
			continue
		}
		m.files = append(m.files, entry.Name())
		text, err := os.ReadFile(filepath.Join(m.Dir, entry.Name()))
		if err != nil {
			return err
		}
		for _, licence := range identify(string(text)) {
			if !slices.Contains(m.licences, licence) {
				m.licences = append(m.licences, licence)
			}
		}
	}
	if len(m.licences) == 0 {
		return fmt.Errorf("%s %s: no known licence in its files %v", m.Path, m.Version, m.files)
	}
	slices.Sort(m.licences)
	return nil
}

// sentences are words of each licence that no other one has, in lower case and with single spaces.
var sentences = []struct{ licence, words string }{
	{"Apache-2.0", "apache license version 2.0"},
	{"MIT", "permission is hereby granted, free of charge, to any person obtaining a copy"},
	{"ISC", "permission to use, copy, modify, and/or distribute this software for any purpose"},
	{"ISC", "permission to use, copy, modify, and distribute this software for any purpose"},
	{"MPL-2.0", "mozilla public license version 2.0"},
	{"OFL-1.1", "sil open font license version 1.1"},
}

// identify returns the licences whose terms are in a text.
func identify(text string) []string {
	text = strings.Join(strings.Fields(strings.ToLower(text)), " ")
	text = strings.ReplaceAll(text, "apache license, version", "apache license version")
	var found []string
	for _, s := range sentences {
		if strings.Contains(text, s.words) && !slices.Contains(found, s.licence) {
			found = append(found, s.licence)
		}
	}
	if strings.Contains(text, "redistribution and use in source and binary forms") {
		if strings.Contains(text, "neither the name") || strings.Contains(text, "may not be used to endorse") || strings.Contains(text, "names of its contributors") {
			found = append(found, "BSD-3-Clause")
		} else {
			found = append(found, "BSD-2-Clause")
		}
	}
	return found
}

func notice(w io.Writer, modules []module) error {
	var b strings.Builder
	b.WriteString(`Lethe
Copyright (c) 2026 The Lethe authors. MIT License: see LICENSE.

The program contains the modules below. LICENSES.txt, which every released archive contains, has
the texts of their licences. The models that come with the program have notices of their own:
checkpoints/en/NOTICE and checkpoints/es/NOTICE, or lethe models card NAME.

`)
	width := 0
	modules = append(modules, module{Path: "the standard library of Go", licences: []string{"BSD-3-Clause"}})
	for _, m := range modules {
		width = max(width, len(m.Path)+1+len(m.Version))
	}
	for _, m := range modules {
		fmt.Fprintf(&b, "%-*s  %s\n", width, strings.TrimSpace(m.Path+" "+m.Version), strings.Join(m.licences, ", "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func fullTexts(w io.Writer, modules []module) error {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	modules = append(modules, module{Path: "the standard library of Go", Version: runtime.Version(), Dir: strings.TrimSpace(string(root)), files: []string{"LICENSE"}})
	for _, m := range modules {
		for _, file := range m.files {
			text, err := os.ReadFile(filepath.Join(m.Dir, file))
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintf(w, "==== %s %s: %s\n\n%s\n\n", m.Path, m.Version, file, bytes.TrimSpace(text)); err != nil {
				return err
			}
		}
	}
	return nil
}
