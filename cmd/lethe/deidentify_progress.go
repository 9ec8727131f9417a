package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/lethe-deid/lethe/deid/job"
	"github.com/lethe-deid/lethe/internal/counted"
)

// jobProgress shows the progress of a job on stderr: as a bar if that is a terminal, or as a line each interval.
type jobProgress struct {
	progress
	every time.Duration // between lines; 0 for a bar
	began time.Time
	next  time.Time // when to show the progress again
}

// barInterval is the time between two drawings of the bar.
const barInterval = 100 * time.Millisecond

func newJobProgress(quiet bool, every time.Duration) *jobProgress {
	p := &jobProgress{progress: *newProgress(), every: every}
	p.animated = p.animated && !quiet && every == 0
	return p
}

func (p *jobProgress) show(done job.Progress) {
	if !p.animated && p.every == 0 {
		return
	}
	now := time.Now()
	if p.began.IsZero() {
		p.began, p.next = now, now.Add(p.every)
	}
	if now.Before(p.next) || done.Notes == 0 && p.every > 0 {
		return
	}
	if p.every > 0 {
		p.next = now.Add(p.every)
		p.line("lethe: %s", progressLine(done, now.Sub(p.began), true))
		return
	}
	p.next = now.Add(barInterval)
	p.draw(done, now.Sub(p.began))
}

// draw draws the bar, which shows bytes if their total is known.
func (p *jobProgress) draw(done job.Progress, took time.Duration) {
	if p.bar == nil {
		total := done.Total
		if total == 0 {
			total = -1
		}
		p.bar = progressbar.NewOptions64(total, progressbar.OptionSetWriter(os.Stderr), progressbar.OptionSetWidth(30), progressbar.OptionThrottle(barInterval/2),
			progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false), progressbar.OptionSetSpinnerChangeInterval(0), progressbar.OptionClearOnFinish())
	}
	if done.Total > 0 {
		_ = p.bar.Set64(min(done.Bytes, done.Total-1)) // a full bar would disappear
	}
	p.bar.Describe(progressLine(done, took, false))
}

// progressLine describes the progress: "1200 notes, 45.0 % of the input, 87 notes/s, 14s left", with or without the share.
func progressLine(done job.Progress, took time.Duration, withShare bool) string {
	parts := []string{counted.Of(done.Notes, "note")}
	share := 0.0
	if done.Total > 0 {
		share = min(1, float64(done.Bytes)/float64(done.Total))
		if withShare {
			parts = append(parts, fmt.Sprintf("%.1f %% of the input", 100*share))
		}
	}
	if took > 0 && done.Notes > 0 {
		parts = append(parts, fmt.Sprintf("%.0f notes/s", float64(done.Notes)/took.Seconds()))
	}
	if share > 0 && done.Notes > 0 {
		left := time.Duration((1 - share) / share * float64(took))
		parts = append(parts, left.Round(time.Second).String()+" left")
	}
	return strings.Join(parts, ", ")
}
