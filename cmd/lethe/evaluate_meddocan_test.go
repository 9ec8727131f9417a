package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/internal/shared"
)

// The program prints the same numbers for brat and XML files as the official script did, for 10 systems.
func TestEvaluateMEDDOCANGolden(t *testing.T) {
	dir := shared.Path(t, "golden/meddocan")
	sentences := shared.Path(t, "corpora/meddocan/dev/sentences")
	var in struct {
		Docs map[string]struct {
			Text string
			Gold [][4]any
		}
		Systems map[string]map[string][][4]any
	}
	var expected map[string]map[string]map[string]any
	shared.ReadJSON(t, filepath.Join(dir, "inputs.json"), &in)
	shared.ReadJSON(t, filepath.Join(dir, "expected.json"), &expected)

	root := t.TempDir()
	folderOf := func(format, name string, tags func(id string) [][4]any) string {
		folder := filepath.Join(root, format, name)
		if err := os.MkdirAll(folder, 0o777); err != nil {
			t.Fatal(err)
		}
		for id, doc := range in.Docs {
			var b bytes.Buffer
			if format == "brat" {
				for i, tag := range tags(id) {
					fmt.Fprintf(&b, "T%d\t%v %v %v\tx\n", i, tag[3], tag[1], tag[2])
				}
				write(t, filepath.Join(folder, id+".txt"), doc.Text)
				write(t, filepath.Join(folder, id+".ann"), b.String())
				continue
			}
			b.WriteString("<MEDDOCAN><TEXT>")
			if err := xml.EscapeText(&b, []byte(doc.Text)); err != nil {
				t.Fatal(err)
			}
			b.WriteString("</TEXT><TAGS>")
			for _, tag := range tags(id) {
				fmt.Fprintf(&b, `<%v start="%v" end="%v" TYPE="%v"/>`, tag[0], tag[1], tag[2], tag[3])
			}
			b.WriteString("</TAGS></MEDDOCAN>")
			write(t, filepath.Join(folder, id+".xml"), b.String())
		}
		return folder
	}
	n := 0
	for format, name := range map[string]string{"brat": "brat", "meddocan": "xml"} {
		gold := folderOf(format, "gold", func(id string) [][4]any { return in.Docs[id].Gold })
		for system, scores := range expected {
			folder := folderOf(format, system, func(id string) [][4]any { return in.Systems[system][id] })
			var got map[string]any
			out := evaluateMEDDOCAN(t, "--format", format, "--gold", gold, "--system", folder, "--sentences", sentences, "--verbose", "--json")
			if err := json.Unmarshal(out, &got); err != nil {
				t.Fatal(err)
			}
			for _, e := range []string{"subtask1_ner", "subtask2_strict", "subtask2_merged"} {
				n += shared.Numbers(t, system+"/"+name+"/"+e, got[e], scores[name][e])
			}
		}
	}
	if t.Logf("%d numbers compared", n); n != 2800 {
		t.Errorf("%d numbers compared, want 2800", n)
	}

	files := filepath.Join(unpack(t, filepath.Join(dir, "files_mixed_quirks.tar.xz")), "medd_in")
	for _, system := range []string{"mixed", "quirks"} {
		for format, name := range map[string]string{"brat": "brat", "meddocan": "xml"} {
			for _, subtask := range []string{"subtask1", "subtask2"} {
				folder := filepath.Join(files, system+"_"+name)
				got := evaluateMEDDOCAN(t, "--format", format, "--gold", filepath.Join(folder, "ref", name),
					"--system", filepath.Join(folder, "res", name, subtask), "--sentences", sentences)
				if diff := cmp.Diff(expected[system][name]["scores_txt"], any(string(got))); diff != "" {
					t.Errorf("%s, %s: text (-script +got):\n%s", system, name, diff)
				}
			}
		}
	}
}

func evaluateMEDDOCAN(t *testing.T, args ...string) []byte {
	t.Helper()
	cmd := exec.Command("lethe", append([]string{"evaluate", "--script", "meddocan"}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || stderr.Len() > 0 {
		t.Fatalf("%v: %v\n%s", args, err, stderr.Bytes())
	}
	return out
}
