package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// treebank returns invented sentences in which "may" is a name after "Dr", an auxiliary after "she"
// and a noun elsewhere. The last word is known only by its ending.
func treebank(sentences, seed int) string {
	var b strings.Builder
	for i := range sentences {
		row := 0
		add := func(form, upos, xpos string) {
			row++
			fmt.Fprintf(&b, "%d\t%s\t_\t%s\t%s\t_\t_\t_\t_\t_\n", row, form, upos, xpos)
		}
		switch i % 3 {
		case 0:
			add("Dr", "PROPN", "NNP")
			add("may", "PROPN", "NNP")
			add("called", "VERB", "VBD")
		case 1:
			add("she", "PRON", "PRP")
			add("may", "AUX", "MD")
			add("call", "VERB", "VB")
		case 2:
			add("in", "ADP", "IN")
			add("may", "NOUN", "NN")
		}
		if stem := fmt.Sprintf("w%dx", seed+i); i%2 == 0 {
			add(stem+"ly", "ADV", "RB")
		} else {
			add(stem+"ness", "NOUN", "NN")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// archive writes the parts of a treebank.
func archive(t *testing.T, parts map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for part, content := range parts {
		w.WriteHeader(&tar.Header{Name: "UD_English-EWT/en_ewt-ud-" + part + ".conllu", Mode: 0o600, Size: int64(len(content))})
		w.Write([]byte(content))
	}
	w.Close()
	z.Close()
	path := filepath.Join(t.TempDir(), "treebanks.tar.gz")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// The tagger learns the treebank, a second run writes the same file, and the file alone tags as well.
func TestLearns(t *testing.T) {
	data := archive(t, map[string]string{"train": treebank(120, 0), "dev": treebank(12, 1000), "test": treebank(30, 2000)})
	var files [2]string
	for i := range files {
		path := filepath.Join(t.TempDir(), "pos.safetensors")
		var out strings.Builder
		if err := run(data, path, 8, &out); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), "test: UPOS 100.00 %, XPOS 100.00 %") {
			t.Errorf("not all tags are right:\n%s", out.String())
		}
		var again strings.Builder
		if err := run(data, path, 0, &again); err != nil || !strings.HasPrefix(again.String(), "test: UPOS 100.00 %") {
			t.Errorf("error %v, with the file alone:\n%s", err, again.String())
		}
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[i] = string(content)
	}
	if files[0] != files[1] {
		t.Error("the same treebank gave two different models")
	}
}

func TestArchiveWithoutTest(t *testing.T) {
	path := archive(t, map[string]string{"train": treebank(1, 0), "dev": treebank(1, 0)})
	if err := run(path, filepath.Join(t.TempDir(), "x"), 1, &strings.Builder{}); err == nil || !strings.Contains(err.Error(), "found 2 of them") {
		t.Errorf("error %v", err)
	}
}
