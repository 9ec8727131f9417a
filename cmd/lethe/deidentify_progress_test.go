package main

import (
	"testing"
	"time"

	"github.com/lethe-deid/lethe/deid/job"
)

func TestProgressLine(t *testing.T) {
	for _, c := range []struct {
		done job.Progress
		took time.Duration
		want string
	}{
		{job.Progress{}, 0, "0 notes"},
		{job.Progress{Total: 100}, 0, "0 notes, 0.0 % of the input"},
		{job.Progress{Notes: 50}, 10 * time.Second, "50 notes, 5 notes/s"},
		{job.Progress{Notes: 50, Bytes: 25, Total: 100}, 10 * time.Second, "50 notes, 25.0 % of the input, 5 notes/s, 30s left"},
		{job.Progress{Notes: 50, Bytes: 1, Total: 1000}, 10 * time.Second, "50 notes, 0.1 % of the input, 5 notes/s, 2h46m30s left"},
		{job.Progress{Notes: 50, Bytes: 120, Total: 100}, 10 * time.Second, "50 notes, 100.0 % of the input, 5 notes/s, 0s left"},
	} {
		if got := progressLine(c.done, c.took, true); got != c.want {
			t.Errorf("%+v: %q, want %q", c.done, got, c.want)
		}
	}
	if got := progressLine(job.Progress{Notes: 50, Bytes: 25, Total: 100}, 10*time.Second, false); got != "50 notes, 5 notes/s, 30s left" {
		t.Errorf("without the share: %q", got)
	}
}
