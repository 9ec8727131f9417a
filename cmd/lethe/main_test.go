package main

import (
	"archive/zip"
	"bufio"
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"filippo.io/age"
	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"lethe": main}) }

// secret is in every broken note and file of the scripts. No message may contain it.
const secret = "Zebulon"

// tiny is an experiment that takes some seconds.
const tiny = `name: tiny
corpus:
  format: synth
  notes: {train: 40, dev: 8, test: 6}
system:
  ann:
    tokenizer: letters-digits
    sentences: line
    network: {character_embedding: 8, character_lstm: 8, token_embedding: 16, token_lstm: 16, hidden: 16, dropout: 0.2}
    optimizer: {method: adam, learning_rate: 0.01}
    training: {batch: 4, epochs: 2}
`

// TestScripts runs the scripts in testdata. They can use an experiment ($TINY), its run ($RUN) and model ($MODEL), a run
// of an experiment with rules only ($RULES), a model of transformers ($BERT), and a public age key ($KEY).
//
// There are four commands besides testscript's own: "exits CODE PROGRAM ARGS..." requires this exit code, and bytes writes
// a Go string to a file. See toParquet and fromParquet for parquet and rows.
func TestScripts(t *testing.T) {
	dir := t.TempDir()
	config := write(t, filepath.Join(dir, "tiny.yaml"), tiny)
	train(t, config, "--out", filepath.Join(dir, "run"), "--set", "system.ann.training.epochs=8", "--set", "corpus.notes.train=80")
	rules := rulesModel(t)
	somebody, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	folder, err := filepath.Abs(bert)
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(env *testscript.Env) error {
			env.Setenv("TINY", config)
			env.Setenv("RUN", filepath.Join(dir, "run"))
			env.Setenv("RULES", rules)
			env.Setenv("KEY", somebody.Recipient().String())
			env.Setenv("MODEL", filepath.Join(dir, "run", "model", "best"))
			env.Setenv("BERT", folder)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"parquet": toParquet,
			"rows":    fromParquet,
			"exits": func(ts *testscript.TestScript, neg bool, args []string) {
				if neg || len(args) < 2 {
					ts.Fatalf("usage: exits CODE PROGRAM ARGS...")
				}
				code := 0
				if err := ts.Exec(args[1], args[2:]...); err != nil {
					exit, ok := errors.AsType[*exec.ExitError](err)
					if !ok {
						ts.Fatalf("%v", err)
					}
					code = exit.ExitCode()
				}
				if strconv.Itoa(code) != args[0] {
					ts.Fatalf("exit code %d, want %s", code, args[0])
				}
				if strings.Contains(ts.ReadFile("stderr"), secret) {
					ts.Fatalf("stderr quotes a note")
				}
			},
			"zip": func(ts *testscript.TestScript, neg bool, args []string) {
				if neg || len(args) != 2 {
					ts.Fatalf("usage: zip FILE FOLDER")
				}
				var out bytes.Buffer
				w := zip.NewWriter(&out)
				ts.Check(w.AddFS(os.DirFS(ts.MkAbs(args[1]))))
				ts.Check(w.Close())
				ts.Check(os.WriteFile(ts.MkAbs(args[0]), out.Bytes(), 0o666))
			},
			"bytes": func(ts *testscript.TestScript, neg bool, args []string) {
				if neg || len(args) != 2 {
					ts.Fatalf("usage: bytes FILE STRING")
				}
				content, err := strconv.Unquote(`"` + args[1] + `"`)
				ts.Check(err)
				ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(content), 0o666))
			},
		},
	})
}

func write(t *testing.T, path, content string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func train(t *testing.T, args ...string) {
	t.Helper()
	out, err := exec.Command("lethe", append([]string{"train", "--workers", "2"}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// A run that is killed during an epoch and resumed gives the same bits as an undisturbed run, and its log contains all
// epochs.
func TestKillAndResume(t *testing.T) {
	dir := t.TempDir()
	config := write(t, filepath.Join(dir, "tiny.yaml"), tiny)
	args := []string{config, "--set", "system.ann.training.epochs=10", "--set", "system.ann.network.dropout=0.5"}
	whole, broken := filepath.Join(dir, "whole"), filepath.Join(dir, "broken")
	train(t, append(args, "--out", whole)...)

	cmd := exec.Command("lethe", append([]string{"train", "--workers", "2", "--out", broken}, args...)...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "epoch   2") {
			break // the third has begun, or is about to
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Fatal("the run ended before it could be killed")
	}
	if _, err := os.Stat(filepath.Join(broken, "evaluation")); err == nil {
		t.Fatal("the run had ended before it was killed")
	}
	train(t, append(args, "--out", broken, "--resume")...)

	for _, name := range []string{"config.yaml", "model/best/weights.safetensors", "model/last/weights.safetensors", "evaluation/dev.json"} {
		a, b := read(t, filepath.Join(whole, name)), read(t, filepath.Join(broken, name))
		if !bytes.Equal(a, b) {
			t.Errorf("%s differs", name)
		}
	}
	if n := bytes.Count(read(t, filepath.Join(broken, "log.jsonl")), []byte("\n")); n != 10 {
		t.Errorf("the log has %d epochs, want 10", n)
	}
}

// A distillation that is killed while the teacher labels can be resumed. When the resumed one was
// interrupted at the same point, its message did not say so.
func TestInterruptResumedDistillation(t *testing.T) {
	dir := t.TempDir()
	config := write(t, filepath.Join(dir, "tiny.yaml"), tiny)
	teacher, out := filepath.Join(dir, "teacher"), filepath.Join(dir, "student")
	train(t, config, "--out", teacher, "--set", "system.ann.training.epochs=1")
	text := write(t, filepath.Join(dir, "text.txt"), strings.Repeat("She was seen in the ward, and went home.\n\n", 20000))
	stop := func(how os.Signal, more ...string) string {
		t.Helper()
		cmd := exec.Command("lethe", append([]string{"distill", config, text, "--teacher", teacher, "--out", out}, more...)...)
		stderr, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines, last := bufio.NewScanner(stderr), ""
		for lines.Scan() {
			if last = lines.Text(); strings.HasPrefix(last, "test: ") { // the labelling begins
				if err := cmd.Process.Signal(how); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := cmd.Wait(); err == nil {
			t.Fatal("the run ended before it could be stopped")
		}
		return last
	}
	stop(os.Kill)
	if _, err := os.Stat(filepath.Join(out, "distill.yaml")); err != nil {
		t.Fatal(err)
	}
	if said, want := stop(os.Interrupt, "--resume"), "lethe: interrupted; to resume, give the same command with --out "+out+" --resume"; said != want {
		t.Errorf("interrupted, it said %q, want %q", said, want)
	}
}

// A study that is interrupted in one run and killed in another gives the same table as an undisturbed one.
func TestStopAndResumeStudy(t *testing.T) {
	dir := t.TempDir()
	config := write(t, filepath.Join(dir, "tiny.yaml"), tiny)
	study := func(name string, more ...string) *exec.Cmd {
		return exec.Command("lethe", append([]string{"ablate", config, "--out", filepath.Join(dir, name), "--set", "corpus.notes.train=12"}, more...)...)
	}
	if out, err := study("whole", "--workers", "2").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// stop stops the study when it prints a line that starts with a prefix, and returns everything it prints from there.
	stop := func(cmd *exec.Cmd, begins string, how os.Signal) string {
		t.Helper()
		stderr, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var said strings.Builder
		stopped := false
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			if stopped {
				said.WriteString(lines.Text() + "\n")
			} else if strings.HasPrefix(lines.Text(), begins) {
				if err := cmd.Process.Signal(how); err != nil {
					t.Fatal(err)
				}
				stopped = true
			}
		}
		if err := cmd.Wait(); err == nil || !stopped {
			t.Fatalf("the study ended before it could be stopped: %v", err)
		}
		return said.String()
	}
	said := stop(study("broken", "--workers", "2"), "run 2 of 4", os.Interrupt)
	if want := "lethe: interrupted; to resume, give the same command with --out " + filepath.Join(dir, "broken") + " --resume\n"; !strings.HasSuffix(said, want) {
		t.Errorf("interrupted, it said %q", said)
	}
	stop(study("broken", "--resume"), "epoch   1", os.Kill)
	if _, err := os.Stat(filepath.Join(dir, "broken", "table.json")); err == nil {
		t.Fatal("a study that was stopped leaves a table")
	}
	if out, err := study("broken", "--resume").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{"study.yaml", "table.json", "table.md", "table.txt", "ablation-strict.svg", "ablation-strict.png"} {
		if !bytes.Equal(read(t, filepath.Join(dir, "whole", name)), read(t, filepath.Join(dir, "broken", name))) {
			t.Errorf("%s differs", name)
		}
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
