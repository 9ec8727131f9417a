package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// served is a running "lethe serve".
type served struct {
	url  string
	temp string // its folder for temporary files
	cmd  *exec.Cmd
	ends chan struct{} // closed when it has closed its stderr
	mu   sync.Mutex
	said bytes.Buffer
}

// serveCommand starts the program and waits until it listens.
func serveCommand(t *testing.T, args ...string) *served {
	t.Helper()
	s := &served{cmd: exec.Command("lethe", append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...), temp: t.TempDir(), ends: make(chan struct{})}
	s.cmd.Env = append(os.Environ(), "TMPDIR="+s.temp)
	stderr, err := s.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.cmd.Process.Kill() }) // in case that the test fails
	lines := bufio.NewScanner(stderr)
	if !lines.Scan() {
		t.Fatal("the service says nothing")
	}
	var first struct{ Msg, Address string }
	if err := json.Unmarshal(lines.Bytes(), &first); err != nil || first.Msg != "listening" {
		t.Fatalf("the service begins with %s", lines.Text())
	}
	s.url = "http://" + first.Address
	go func() {
		defer close(s.ends)
		for lines.Scan() {
			s.mu.Lock()
			fmt.Fprintln(&s.said, lines.Text())
			s.mu.Unlock()
		}
	}()
	return s
}

func (s *served) log() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.said.String()
}

// waits waits until the log has a text so many times.
func (s *served) waits(t *testing.T, text string, times int) {
	t.Helper()
	for range 3000 {
		if strings.Count(s.log(), text) >= times {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("the log never says %q: %s", text, s.log())
}

// stop sends SIGTERM and checks that the program ends well, says nothing of any note, and leaves no file behind.
func (s *served) stop(t *testing.T) {
	t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-s.ends
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("the service ends with %v: %s", err, s.log())
	}
	if strings.Contains(s.log(), secret) {
		t.Errorf("the log quotes a note: %s", s.log())
	}
	if left, err := os.ReadDir(s.temp); err != nil || len(left) > 0 {
		t.Errorf("%d temporary files are left (%v)", len(left), err)
	}
}

// post sends a note and returns the status and the answer.
func (s *served) post(path, kind, body string) (int, string, error) {
	resp, err := http.Post(s.url+path, kind, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(raw), err
}

func TestServe(t *testing.T) {
	rules := rulesModel(t)
	s := serveCommand(t, "--model", rules, "--model", "second="+rules, "--timeout", "1m")
	const note = `{"text":"` + secret + ` was seen on 02/20/2087."}`
	status, answer, err := s.post("/v1/deidentify", "application/json", note)
	if err != nil || status != 200 || !strings.Contains(answer, secret+" was seen on 2087.") {
		t.Errorf("status %d, %v: %s", status, err, answer)
	}
	for body, want := range map[string]int{`{"text":"` + secret: 400, `{"` + secret + `":1}`: 400, `{"text":"x","model":"` + secret + `"}`: 422, `{"text":"x","policy":"` + secret + `"}`: 422} {
		status, answer, err := s.post("/v1/deidentify?"+secret+"=1", "application/json", body)
		if err != nil || status != want || strings.Contains(answer, secret) {
			t.Errorf("%s: status %d, want %d, %v: %s", body, status, want, err, answer)
		}
	}
	if status, answer, err := s.post("/"+secret, secret, note); err != nil || status != 404 || strings.Contains(answer, secret) {
		t.Errorf("status %d, %v: %s", status, err, answer)
	}
	resp, err := http.Get(s.url + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	metrics, err := io.ReadAll(resp.Body)
	if err != nil || strings.Contains(string(metrics), secret) || !strings.Contains(string(metrics), `lethe_spans_total{type="DATE"} 1`) {
		t.Errorf("%v: the metrics are %s", err, metrics)
	}
	s.stop(t)
}

// TestServeRefusesLongTexts checks that every endpoint that takes texts does.
func TestServeRefusesLongTexts(t *testing.T) {
	s := serveCommand(t, "--model", rulesModel(t), "--max-text", "20")
	const long = secret + secret + secret
	for path, body := range map[string]string{
		"/v1/deidentify":        `{"text":"` + long + `"}`,
		"/analyze":              `{"text":"` + long + `","language":"en"}`,
		"/anonymize":            `{"text":"` + long + `","analyzer_results":[]}`,
		"/deanonymize":          `{"text":"` + long + `","anonymizer_results":[],"deanonymizers":{}}`,
		"/label-studio/predict": `{"tasks":[{"id":1,"data":{"text":"` + long + `"}}],"label_config":"<View><Labels name=\"l\" toName=\"t\"><Label value=\"DATE\"/></Labels><Text name=\"t\" value=\"$text\"/></View>"}`,
	} {
		status, answer, err := s.post(path, "application/json", body)
		if err != nil || status != 413 || strings.Contains(answer, secret) {
			t.Errorf("%s: status %d, %v: %s", path, status, err, answer)
		}
		status, answer, err = s.post(path, "application/json", strings.ReplaceAll(body, long, "short"))
		if err != nil || status != 200 {
			t.Errorf("%s with a short text: status %d, %v: %s", path, status, err, answer)
		}
	}
	status, answer, err := s.post("/v1/deidentify", "application/x-ndjson", `{"text":"`+long+`"}`+"\n"+`{"text":"short"}`)
	if err != nil || status != 200 || !strings.HasPrefix(answer, `{"line":1,"error":`) || !strings.Contains(answer, `"text":"short"`) || strings.Contains(answer, secret) {
		t.Errorf("status %d, %v: %s", status, err, answer)
	}
	s.stop(t)
}

// TestServeReloadsWithoutAGap reads the models again while clients send notes, also when they cannot be read.
func TestServeReloadsWithoutAGap(t *testing.T) {
	model := filepath.Join(t.TempDir(), "model")
	if err := os.CopyFS(model, os.DirFS(rulesModel(t))); err != nil {
		t.Fatal(err)
	}
	s := serveCommand(t, "--model", model, "--quiet")
	var clients sync.WaitGroup
	ends := make(chan struct{})
	for range 8 {
		clients.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-ends:
					return
				default:
				}
				status, answer, err := s.post("/v1/deidentify", "application/json", `{"text":"Seen on 02/20/2087."}`)
				if err != nil || status != 200 || !strings.Contains(answer, "Seen on 2087.") {
					t.Errorf("request %d: status %d, %v: %s", n, status, err, answer)
					return
				}
			}
		})
	}
	hangUp := func() {
		t.Helper()
		if err := s.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
	}
	for n := range 5 {
		hangUp()
		s.waits(t, "the models have been read again", n+1)
	}
	if err := os.Rename(model, model+".gone"); err != nil {
		t.Fatal(err)
	}
	hangUp()
	s.waits(t, "the models cannot be read again; the old ones stay in use", 1)
	if err := os.Rename(model+".gone", model); err != nil {
		t.Fatal(err)
	}
	hangUp()
	s.waits(t, "the models have been read again", 6)
	close(ends)
	clients.Wait()
	s.stop(t)
}

// TestServeAnswersBeforeItStops checks that requests that arrive before SIGTERM get their answers.
func TestServeAnswersBeforeItStops(t *testing.T) {
	s := serveCommand(t, "--model", rulesModel(t), "--drain", "1s")
	large := `{"text":"` + strings.Repeat("Seen on 02/20/2087. ", 20_000) + `"}`
	var clients sync.WaitGroup
	for range 4 {
		clients.Go(func() {
			status, answer, err := s.post("/v1/deidentify", "application/json", large)
			if err != nil || status != 200 || strings.Count(answer, "Seen on 2087.") != 20_000 {
				t.Errorf("status %d, %v, %d bytes", status, err, len(answer))
			}
		})
	}
	for range 3000 {
		resp, err := http.Get(s.url + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		metrics, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if strings.Contains(string(metrics), "lethe_http_in_flight 4\n") || strings.Contains(s.log(), "/v1/deidentify") {
			break
		}
	}
	s.stop(t)
	clients.Wait()
}
