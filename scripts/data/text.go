package main

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/i2b2"
)

// cantemist is the text for Spanish word vectors and for distillation.
const cantemist = "text/cantemist.txt"

const (
	gramWords = 8 // a gram is this many words in a row
	gramLimit = 3 // a text with so many grams of one note is from the same article
	template  = 5 // a gram of so many notes is part of their template
)

// makeText writes the case reports of CANTEMIST to one file, with an empty line between two of them, and returns how many it
// wrote and how many it left out because they are from the article of a note in dev or test.
func makeText(found *downloads, output string) (written, left int, err error) {
	notes, err := grams(filepath.Join(output, "corpora", "meddocan"))
	if err != nil {
		return 0, 0, err
	}
	var files []download
	for _, d := range found.files {
		if path.Ext(d.path) == ".txt" && strings.Contains(strings.ToLower(d.name), "cantemist") && !strings.EqualFold(path.Base(d.path), "readme.txt") {
			files = append(files, d)
		}
	}
	// The folders of the corpus repeat some reports.
	slices.SortFunc(files, func(a, b download) int { return strings.Compare(path.Base(a.path)+a.name, path.Base(b.path)+b.name) })
	files = slices.CompactFunc(files, func(a, b download) bool { return path.Base(a.path) == path.Base(b.path) })
	var b strings.Builder
	for _, d := range files {
		raw, err := d.read()
		if err != nil {
			return 0, 0, err
		}
		shared := map[string]int{}
		for gram := range gramsOf(string(raw)) {
			for _, id := range notes[gram] {
				shared[id]++
			}
		}
		same := false
		for _, n := range shared {
			same = same || n >= gramLimit
		}
		if same {
			left++
			continue
		}
		for line := range strings.Lines(string(raw)) {
			if line = strings.TrimSpace(strings.TrimPrefix(line, "\ufeff")); line != "" {
				b.WriteString(line + "\n")
			}
		}
		b.WriteString("\n")
		written++
	}
	if written == 0 {
		return 0, left, nil
	}
	return written, left, writeFile(filepath.Join(output, filepath.FromSlash(cantemist)), []byte(b.String()))
}

// grams returns the IDs of the notes of dev and test that contain a gram, without the grams of their template.
func grams(meddocan string) (map[string][]string, error) {
	found := map[string][]string{}
	for _, split := range []string{"dev", "test"} {
		dir := filepath.Join(meddocan, split, "xml")
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		for doc, err := range i2b2.Read(dir, data.ReadOptions{Types: data.MEDDOCAN}) {
			if err != nil {
				return nil, err
			}
			for gram := range gramsOf(doc.Text) {
				found[gram] = append(found[gram], doc.ID)
			}
		}
	}
	for gram, ids := range found {
		if len(ids) >= template {
			delete(found, gram)
		}
	}
	return found, nil
}

var gramWord = regexp.MustCompile(`[\p{L}\p{Nd}]+`)

func gramsOf(text string) map[string]bool {
	words := gramWord.FindAllString(strings.ToLower(text), -1)
	found := map[string]bool{}
	for i := 0; i+gramWords <= len(words); i++ {
		found[strings.Join(words[i:i+gramWords], " ")] = true
	}
	return found
}
