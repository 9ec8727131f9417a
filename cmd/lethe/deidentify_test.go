package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// byRules is an experiment that has nothing to learn.
const byRules = `name: rules
corpus:
  format: synth
  notes: {train: 4, dev: 2, test: 2}
system:
  rules: {set: english}
`

// rulesModel trains it, and returns the run folder.
func rulesModel(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	train(t, write(t, filepath.Join(dir, "rules.yaml"), byRules), "--out", filepath.Join(dir, "run"))
	return filepath.Join(dir, "run")
}

// A run over a folder that is killed again and again, at random moments, and goes on each
// time, comes to the same files and the same audit as one that was left alone: no note
// is lost, doubled or half written.
func TestKillAndResumeDeidentify(t *testing.T) {
	dir := t.TempDir()
	model := rulesModel(t)
	in := filepath.Join(dir, "in")
	line := "Seen on 02/20/2087 by Dr. Amundsen. Call (555) 123-4567.\n"
	for i := range 40 {
		path := filepath.Join(in, fmt.Sprintf("ward %d", i%3), fmt.Sprintf("%02d.txt", i))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		write(t, path, strings.Repeat(line, 1+i*4))
	}
	command := func(name string, more ...string) *exec.Cmd {
		return exec.Command("lethe", append([]string{"deidentify", "--model", model, "--workers", "2", "--quiet",
			"--output", filepath.Join(dir, name), "--audit", filepath.Join(dir, name+".jsonl"), in}, more...)...)
	}
	began := time.Now()
	if out, err := command("whole").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	took := time.Since(began)
	chance := rand.New(rand.NewPCG(1, uint64(began.UnixNano())))
	kills := 0
	for try := 0; ; try++ {
		cmd := command("broken", "--resume")
		var said bytes.Buffer
		cmd.Stderr = &said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		if try == 20 { // enough: let it come to its end
			if err := <-ended; err != nil {
				t.Fatalf("%v\n%s", err, said.String())
			}
			break
		}
		var err error
		select {
		case err = <-ended:
		case <-time.After(time.Duration(chance.Int64N(int64(took)))):
			_ = cmd.Process.Kill() // it may have ended
			err = <-ended
			kills++
		}
		// What has its name is whole.
		for name, content := range tree(t, filepath.Join(dir, "broken")) {
			if hidden := strings.HasPrefix(filepath.Base(name), "."); !hidden && !bytes.Equal(content, read(t, filepath.Join(dir, "whole", name))) {
				t.Fatalf("%s is not whole", name)
			}
		}
		if err == nil {
			break
		}
		if said.Len() > 0 {
			t.Fatalf("%v\n%s", err, said.String())
		}
	}
	t.Logf("killed %d times", kills)
	whole, broken := tree(t, filepath.Join(dir, "whole")), tree(t, filepath.Join(dir, "broken"))
	if len(whole) != 40 || len(broken) != 40 {
		t.Errorf("%d files, and %d after kills", len(whole), len(broken))
	}
	for name, content := range whole {
		if !bytes.Equal(content, broken[name]) {
			t.Errorf("%s differs", name)
		}
	}
	audited := func(name string) map[string]string {
		lines := map[string]string{}
		for line := range strings.Lines(string(read(t, filepath.Join(dir, name+".jsonl")))) {
			var l struct{ File string }
			if err := json.Unmarshal([]byte(line), &l); err != nil {
				t.Fatal(err)
			}
			if lines[l.File] != "" {
				t.Errorf("%s: %s is there twice", name, l.File)
			}
			lines[l.File] = line
		}
		return lines
	}
	a, b := audited("whole"), audited("broken")
	for file, line := range a {
		if b[file] != line {
			t.Errorf("the audit of %s differs", file)
		}
	}
	if len(a) != 40 || len(b) != 40 {
		t.Errorf("%d notes audited, and %d after kills", len(a), len(b))
	}
}

// A stream that is killed leaves nothing under its name, and its rerun all.
func TestKillAndResumeDeidentifyStream(t *testing.T) {
	dir := t.TempDir()
	model := rulesModel(t)
	var b bytes.Buffer
	for i := range 3000 {
		fmt.Fprintf(&b, "{\"id\":%d,\"text\":\"Seen on 02/20/2087 by Dr. Amundsen.\"}\n", i)
	}
	in := write(t, filepath.Join(dir, "notes.jsonl"), b.String())
	out := filepath.Join(dir, "clean.jsonl")
	args := []string{"deidentify", "--model", model, "--format", "jsonl", "--quiet", "--output", out, "--resume"}
	// The program reads the pipe up to its end, which never comes.
	cmd := exec.Command("lethe", append(args, "-")...)
	pipe, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(pipe, bytes.NewReader(b.Bytes())); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if _, err := os.Stat(out); err == nil {
		t.Fatal("half a stream has its name")
	}
	if said, err := exec.Command("lethe", append(args, in)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	got := string(read(t, out))
	if want := strings.ReplaceAll(b.String(), "02/20/2087 by Dr. Amundsen", "[DATE] by Dr. [DOCTOR]"); got != want {
		t.Error("the stream differs")
	}
	if names := tree(t, dir); len(names) != 2 {
		t.Errorf("the folder holds %d files, want 2", len(names))
	}
}

// tree is the files below a folder, and their contents.
func tree(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err == nil {
			files[name], err = os.ReadFile(path)
		}
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return files
}
