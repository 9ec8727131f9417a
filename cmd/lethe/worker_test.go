package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/synth"
)

// startWorker starts lethe worker and returns its stdin and its stdout.
func startWorker(t *testing.T, args ...string) (*exec.Cmd, io.WriteCloser, *bufio.Reader) {
	t.Helper()
	cmd := exec.Command("lethe", append([]string{"worker"}, args...)...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, in, bufio.NewReader(out)
}

// A client that waits for each answer before it sends the next line gets the answers.
func TestWorkerAnswersEachLine(t *testing.T) {
	cmd, in, out := startWorker(t, "--model", rulesModel(t))
	for i := range 20 {
		if _, err := fmt.Fprintf(in, "{\"id\":%d,\"text\":\"Seen on 02/20/2087.\"}\n", i); err != nil {
			t.Fatal(err)
		}
		answer, err := out.ReadString('\n')
		if want := fmt.Sprintf("{\"id\":%d,\"text\":\"Seen on 2087.\"}\n", i); err != nil || answer != want {
			t.Fatalf("%v: %s", err, answer)
		}
	}
	// A part of a line has no answer until its end arrives.
	if _, err := io.WriteString(in, "{\"id\":1,\"text\":\"Seen on 02/20/2087.\"}\n{\"id\":2,"); err != nil {
		t.Fatal(err)
	}
	if answer, err := out.ReadString('\n'); err != nil || !strings.HasPrefix(answer, `{"id":1,`) {
		t.Fatalf("%v: %s", err, answer)
	}
	if _, err := io.WriteString(in, "\"text\":\"\"}"); err != nil {
		t.Fatal(err)
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(out); err != nil || string(rest) != "{\"id\":2,\"text\":\"\"}\n" {
		t.Errorf("%v: %s", err, rest)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// TestWorkerGivesTheOutputOfDeidentify checks that the answers to requests of all notes of a patient, and to the lines of a
// file, are the lines that lethe deidentify writes.
func TestWorkerGivesTheOutputOfDeidentify(t *testing.T) {
	dir := t.TempDir()
	options := []string{"--model", rulesModel(t), "--replace", "surrogate", "--key-file", write(t, filepath.Join(dir, "key"), "a key of sixteen\n")}
	var docs []*data.Document
	for d, err := range synth.Notes(400, 5, synth.Dev) {
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, d)
	}
	slices.SortStableFunc(docs, func(a, b *data.Document) int { return strings.Compare(a.Group(), b.Group()) })
	file := write(t, filepath.Join(dir, "notes.jsonl"), jsonLines(t, docs))
	want, err := exec.Command("lethe", append([]string{"deidentify", "--format", "jsonl", "--quiet", file}, options...)...).Output()
	if err != nil {
		t.Fatal(err)
	}

	byLine := exec.Command("lethe", append([]string{"worker"}, options...)...)
	byLine.Stdin = open(t, file)
	if got, err := byLine.Output(); err != nil || string(got) != string(want) {
		t.Errorf("%v: the answers to %d lines are not the output of deidentify", err, len(docs))
	}

	var requests strings.Builder
	for from := 0; from < len(docs); {
		to := from
		var notes []string
		for ; to < len(docs) && docs[to].Group() == docs[from].Group(); to++ {
			notes = append(notes, jsonOf(t, map[string]any{"id": docs[to].ID, "patient": nil, "text": docs[to].Text}))
		}
		fmt.Fprintf(&requests, "{\"patient\":%s,\"notes\":[%s]}\n", jsonOf(t, docs[from].Group()), strings.Join(notes, ","))
		from = to
	}
	byPatient := exec.Command("lethe", append([]string{"worker"}, options...)...)
	byPatient.Stdin = strings.NewReader(requests.String())
	got, err := byPatient.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.NewReplacer(`{"notes":[`, "", "},{\"id\"", "}\n{\"id\"", "]}\n", "\n").Replace(string(got))
	if lines != string(want) {
		t.Errorf("the answers to requests by patient are not the output of deidentify")
	}
}

// A worker that is stopped answers the lines that it has read, and reports that it was stopped.
func TestStoppedWorkerAnswersWhatItHas(t *testing.T) {
	cmd, in, out := startWorker(t, "--model", rulesModel(t))
	if _, err := io.WriteString(in, strings.Repeat("{\"id\":1,\"text\":\"Seen on 02/20/2087.\"}\n", 200)+`{"id":2,"te`); err != nil {
		t.Fatal(err)
	}
	first, err := out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(out)
	if answers := first + string(rest); err != nil || answers != strings.Repeat("{\"id\":1,\"text\":\"Seen on 2087.\"}\n", strings.Count(answers, "\n")) {
		t.Errorf("%v: %s", err, answers)
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitFailed {
		t.Errorf("exit code %d", code)
	}
}

// open opens a file until the end of the test.
func open(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}
