package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/lethe-deid/lethe/internal/lockfile"
)

// byRules is an experiment whose system consists of rules, so that nothing is trained.
const byRules = `name: rules
corpus:
  format: synth
  notes: {train: 4, dev: 2, test: 2}
system:
  rules: {set: english}
`

// rulesModel trains byRules and returns the run folder.
func rulesModel(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	train(t, write(t, filepath.Join(dir, "rules.yaml"), byRules), "--out", filepath.Join(dir, "run"))
	return filepath.Join(dir, "run")
}

// A run that is killed and resumed several times, at random moments and by three signals, gives the same files and the
// same audit as an undisturbed run: no note is lost, duplicated or incomplete, and no other files are left. LETHE_KILLS
// is the number of kills per kind of input (default a few).
func TestKillAndResumeDeidentify(t *testing.T) {
	model := rulesModel(t)
	most := 6
	if text := os.Getenv("LETHE_KILLS"); text != "" {
		var err error
		if most, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	line := "Seen on 02/20/2087 by Dr. Amundsen. Call (555) 123-4567.\n"
	t.Run("text", func(t *testing.T) {
		in := t.TempDir()
		for i := range 150 {
			path := filepath.Join(in, fmt.Sprintf("ward %d", i%3), fmt.Sprintf("%03d.txt", i))
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			note := strings.Repeat(line, 1+i%40)
			if i%5 == 0 {
				path, note = path+".gz", zipped(t, note)
			}
			write(t, path, note)
		}
		killAndResume(t, most, "--model", model, in)
	})
	t.Run("jsonl", func(t *testing.T) {
		in := t.TempDir()
		var b strings.Builder
		for i := range 1000 {
			fmt.Fprintf(&b, "{\"id\":%d,\"text\":\"Seen on 02/20/2087 by Dr. Amundsen.\"}\n", i)
		}
		write(t, filepath.Join(in, "a.jsonl"), b.String())
		write(t, filepath.Join(in, "b.jsonl.gz"), zipped(t, b.String()))
		killAndResume(t, most, "--model", model, "--format", "jsonl", in)
	})
}

func zipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	_, err := zip.Write([]byte(text))
	if err := errors.Join(err, zip.Close()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func killAndResume(t *testing.T, most int, args ...string) {
	dir := t.TempDir()
	command := func(name string, more ...string) *exec.Cmd {
		args := append([]string{"deidentify", "--workers", "2", "--quiet", "--output", filepath.Join(dir, name), "--audit", filepath.Join(dir, name+".jsonl")}, args...)
		return exec.Command("lethe", append(args, more...)...)
	}
	began := time.Now()
	if out, err := command("whole").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	took := time.Since(began)
	whole := tree(t, filepath.Join(dir, "whole"))
	audit := slices.Sorted(strings.Lines(string(read(t, filepath.Join(dir, "whole.jsonl")))))
	chance := rand.New(rand.NewPCG(1, 1))
	hidden := func(files map[string][]byte) int {
		n := 0
		for name := range files {
			if strings.HasPrefix(filepath.Base(name), ".") && name != ".lethe-run" {
				n++
			}
		}
		return n
	}
	kills, rounds := map[string]int{}, 0
	for killed := 0; killed < most; rounds++ {
		for _, name := range []string{"broken", "broken.jsonl"} {
			if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
		for done := false; !done; {
			before := hidden(tree(t, filepath.Join(dir, "broken")))
			cmd := command("broken", "--resume")
			var said bytes.Buffer
			cmd.Stderr = &said
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			how := []os.Signal{os.Kill, os.Interrupt, syscall.SIGTERM}[chance.IntN(3)]
			timer := time.AfterFunc(time.Duration(chance.Int64N(int64(took))), func() { _ = cmd.Process.Signal(how) }) // it may have ended
			if killed >= most {                                                                                        // let it come to its end
				timer.Stop()
			}
			err := cmd.Wait()
			timer.Stop()
			files := tree(t, filepath.Join(dir, "broken"))
			for name, content := range files { // what has its name is whole
				if !strings.HasPrefix(filepath.Base(name), ".") && !bytes.Equal(content, whole[name]) {
					t.Fatalf("%s is not whole", name)
				}
			}
			switch {
			case err == nil:
				done = true
			case cmd.ProcessState.ExitCode() < 0: // killed, or asked to end before it could listen
				kills[how.String()]++
				killed++
				if said.Len() > 0 {
					t.Fatalf("%v\n%s", err, said.String())
				}
			case cmd.ProcessState.ExitCode() == exitFailed && said.String() == "lethe: interrupted\n":
				kills["in good order"]++
				killed++
				if hidden(files) > before {
					t.Fatal("an interrupted run leaves hidden files")
				}
			default:
				t.Fatalf("%v\n%s", err, said.String())
			}
		}
		broken := tree(t, filepath.Join(dir, "broken"))
		if len(broken) != len(whole) {
			t.Fatalf("%d files, and %d after kills", len(whole), len(broken))
		}
		if got := slices.Sorted(strings.Lines(string(read(t, filepath.Join(dir, "broken.jsonl"))))); !slices.Equal(got, audit) {
			t.Fatalf("the audit differs: %d lines, and %d after kills", len(audit), len(got))
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 4 {
			t.Fatalf("beside the two outputs and audits stand %d others, error %v", len(entries)-4, err)
		}
	}
	t.Logf("%d files, killed %v, came to the end %d times", len(whole), kills, rounds)
}

// A run that waits for input stops at once when it is interrupted.
func TestInterruptedWhileWaiting(t *testing.T) {
	out := filepath.Join(t.TempDir(), "clean.jsonl")
	cmd := exec.Command("lethe", "deidentify", "--model", rulesModel(t), "--format", "jsonl", "--quiet", "--output", out, "-")
	var said bytes.Buffer
	cmd.Stderr = &said
	pipe, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// This is more than a pipe and a single read can contain. When it is written, the program has read most of it, and
	// waits for more.
	if _, err := io.WriteString(pipe, strings.Repeat("{\"text\":\"Seen on 02/20/2087.\"}\n", 10000)); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitFailed || said.String() != "lethe: interrupted\n" {
		t.Errorf("exit code %d\n%s", code, said.String())
	}
	if files := tree(t, filepath.Dir(out)); len(files) > 0 {
		t.Errorf("%d files are left", len(files))
	}
}

// If two runs have the same output, the second fails and the first continues.
func TestTwoRunsOneOutput(t *testing.T) {
	dir := t.TempDir()
	lock, err := lockfile.Open(filepath.Join(dir, ".lethe-run"), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	in := write(t, filepath.Join(t.TempDir(), "note.txt"), "Seen on 02/20/2087.\n")
	args := []string{"deidentify", "--model", rulesModel(t), "--output", dir, "--quiet", "--resume", in}
	out, err := exec.Command("lethe", args...).CombinedOutput()
	if err == nil || string(out) != "lethe: "+dir+": another run is writing to it\n" {
		t.Errorf("%v\n%s", err, out)
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("lethe", args...).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// tree returns the contents of the files below a folder, by their paths.
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
