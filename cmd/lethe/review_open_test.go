package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestAReviewIsServed reviews a note over HTTP, with the program as people start it.
func TestAReviewIsServed(t *testing.T) {
	dir := t.TempDir()
	note := filepath.Join(dir, "a.txt")
	if err := os.WriteFile(note, []byte("Seen by Dr. Amundsen on 3/4/2019."), 0o600); err != nil {
		t.Fatal(err)
	}
	ward := filepath.Join(dir, "ward")
	if out, err := exec.Command("lethe", "review", "sample", note, "--notes", "1", "--safety-net", "off", "--output", ward).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	s := serveCommand(t, "--review", ward)
	if got := s.review(t, "GET", "", ""); !strings.Contains(got, `"state":{"reader":"open"}`) {
		t.Error(got)
	}
	var opened struct {
		Spans   []json.RawMessage
		Version int
	}
	if err := json.Unmarshal([]byte(s.review(t, "GET", "/notes/1?reader=reader", "")), &opened); err != nil || len(opened.Spans) == 0 || opened.Version != 0 {
		t.Errorf("%+v, %v", opened, err)
	}
	s.review(t, "PUT", "/notes/1?reader=reader", `{"spans":[{"type":"DOCTOR","start":{"utf16":12},"end":{"utf16":20}}],"done":true,"version":0}`)
	if got := s.review(t, "GET", "/bound", ""); !strings.Contains(got, "All 1 notes were reviewed: 0.00 % of the PHI tokens are left.") {
		t.Error(got)
	}
	s.stop(t)
	if strings.Contains(s.log(), "Amundsen") || strings.Contains(s.log(), ward) {
		t.Errorf("the log quotes a note or the folder: %s", s.log())
	}
	if out, err := exec.Command("lethe", "review", "status", ward).Output(); err != nil || !strings.Contains(string(out), "decided    1 of 1 notes") {
		t.Errorf("%s, %v", out, err)
	}
}

// review asks an endpoint of the review, and returns the body of the answer.
func (s *served) review(t *testing.T, method, path, body string) string {
	t.Helper()
	r, err := http.NewRequest(method, s.url+"/v1/review"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Errorf("%s %s: %s %s %v", method, path, answer.Status, raw, err)
	}
	return string(raw)
}
