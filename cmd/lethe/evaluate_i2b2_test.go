package main

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ulikunitz/xz"

	"github.com/lethe-deid/lethe/internal/shared"
)

// The program prints the same numbers for XML files as the official script did, for 11 systems and 7 combinations of
// flags.
func TestEvaluateI2B2Golden(t *testing.T) {
	dir := shared.Path(t, "golden/i2b2")
	files := unpack(t, filepath.Join(dir, "xml.tar.xz"))
	var expected map[string]map[string]any
	shared.ReadJSON(t, filepath.Join(dir, "expected.json"), &expected)
	n := 0
	for system, variants := range expected {
		for variant, want := range variants {
			args := []string{"--gold", filepath.Join(files, "xml", "gold"), "--system", filepath.Join(files, "xml", "sys_"+system)}
			for _, word := range strings.Fields(variant) {
				if word == "default" {
					word = "verbose" // the expected scores have those of each document here
				}
				args = append(args, "--"+word)
			}
			n += shared.Numbers(t, system+"/"+variant, evaluateI2B2(t, args...), want)
		}
	}
	t.Logf("%d numbers compared", n)
	if n != 57246 {
		t.Errorf("%d numbers compared, want 57246", n)
	}
}

// It also does for Spanish notes with renamed types and 10 systems.
func TestEvaluateI2B2GoldenMEDDOCAN(t *testing.T) {
	dir := shared.Path(t, "golden/meddocan")
	type tags = map[string][][4]any
	var in struct {
		Docs map[string]struct {
			Text string
			Gold [][4]any
		}
		Systems map[string]tags
	}
	var expected map[string]any
	var rename struct {
		Types map[string]string `json:"type_map"`
		IDs   map[string]string `json:"doc_ids"`
	}
	shared.ReadJSON(t, filepath.Join(dir, "inputs.json"), &in)
	shared.ReadJSON(t, filepath.Join(dir, "expected_as_i2b2.json"), &expected)
	shared.ReadJSON(t, filepath.Join(dir, "as_i2b2_map.json"), &rename)

	gold, root := tags{}, t.TempDir()
	for id, doc := range in.Docs {
		gold[id] = doc.Gold
	}
	writeXML := func(name string, of tags) string {
		folder := filepath.Join(root, name)
		if err := os.Mkdir(folder, 0o777); err != nil {
			t.Fatal(err)
		}
		for id, tags := range of {
			var b bytes.Buffer
			b.WriteString("<deIdi2b2><TEXT>")
			if err := xml.EscapeText(&b, []byte(in.Docs[id].Text)); err != nil {
				t.Fatal(err)
			}
			b.WriteString("</TEXT><TAGS>")
			for _, tag := range tags {
				fmt.Fprintf(&b, `<%v start="%v" end="%v" TYPE="%s"/>`, tag[0], tag[1], tag[2], rename.Types[tag[3].(string)])
			}
			b.WriteString("</TAGS></deIdi2b2>")
			write(t, filepath.Join(folder, rename.IDs[id]+".xml"), b.String())
		}
		return folder
	}
	goldFolder, n := writeXML("gold", gold), 0
	for system, want := range expected {
		n += shared.Numbers(t, system, evaluateI2B2(t, "--gold", goldFolder, "--system", writeXML(system, in.Systems[system])), want)
	}
	t.Logf("%d numbers compared", n)
	if n != 5040 {
		t.Errorf("%d numbers compared, want 5040", n)
	}
}

func evaluateI2B2(t *testing.T, args ...string) any {
	t.Helper()
	cmd := exec.Command("lethe", append([]string{"evaluate", "--script", "i2b2", "--json"}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, stderr.Bytes())
	}
	var got struct{ Evaluations any }
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	return got.Evaluations
}

// unpack extracts a .tar.xz file to a new folder and returns the folder.
func unpack(t *testing.T, path string) string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	packed, err := xz.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for archive := tar.NewReader(packed); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return dir
		}
		if err != nil {
			t.Fatal(err)
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		content, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(dir, filepath.FromSlash(header.Name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, content, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
}
