package main

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/lethe-deid/lethe/deid/service"
)

// TestPageOfTheService checks that docs/service.md describes all flags of the server and all metrics, and only these.
func TestPageOfTheService(t *testing.T) {
	page := string(read(t, "../../docs/service.md"))
	flags := newServe().Flags()
	own := pflag.NewFlagSet("", pflag.ContinueOnError)
	accessFlags(own, new(service.Config))
	limitFlags(own, new(service.Config), new(int64), new(int64))
	own.VisitAll(func(f *pflag.Flag) {
		if !strings.Contains(page, "--"+f.Name) {
			t.Errorf("the page does not describe --%s", f.Name)
		}
	})
	for _, m := range regexp.MustCompile(`lethe serve[^\n]*`).FindAllString(page, -1) {
		for _, name := range regexp.MustCompile(`--([a-z-]+)`).FindAllStringSubmatch(m, -1) {
			if flags.Lookup(name[1]) == nil && name[1] != "help" {
				t.Errorf("the page gives lethe serve the flag --%s, which it does not have", name[1])
			}
		}
	}

	s := serveCommand(t, "--model", rulesModel(t))
	if status, _, err := s.post("/v1/deidentify", "application/json", `{"text":"Seen on 02/20/2087."}`); err != nil || status != http.StatusOK {
		t.Fatalf("status %d, %v", status, err)
	}
	resp, err := http.Get(s.url + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	s.stop(t)
	metrics := string(raw)
	for _, m := range regexp.MustCompile(`(?m)^# TYPE (lethe_\w+)`).FindAllStringSubmatch(metrics, -1) {
		if !strings.Contains(page, "`"+m[1]) {
			t.Errorf("the page does not describe %s", m[1])
		}
	}
	unseen := map[string]bool{"lethe_http_rejected_total": true, "lethe_model_reloads_total": true} // nothing of it has happened
	for _, m := range regexp.MustCompile(`lethe_[a-z_]+`).FindAllString(page, -1) {
		if !strings.Contains(metrics, "# TYPE "+m+" ") && !unseen[m] {
			t.Errorf("the page describes %s, which is no metric", m)
		}
	}
}
