package main

import (
	"fmt"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress shows a progress bar on stderr if that is a terminal, and otherwise nothing. It uses no colours.
type progress struct {
	animated bool
	stage    string
	bar      *progressbar.ProgressBar
}

func newProgress() *progress {
	return &progress{animated: isTerminal(os.Stderr) && os.Getenv("TERM") != "dumb"}
}

// show implements models.Progress.
func (p *progress) show(stage string, done, total int) {
	if !p.animated {
		return
	}
	if stage != p.stage || p.bar == nil {
		p.clear()
		if total == 0 {
			total = -1
		}
		p.stage, p.bar = stage, progressbar.NewOptions(total,
			progressbar.OptionSetWriter(os.Stderr), progressbar.OptionSetDescription(stage), progressbar.OptionShowCount(),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionSetWidth(30),
			progressbar.OptionSetSpinnerChangeInterval(0), progressbar.OptionClearOnFinish())
	}
	_ = p.bar.Set(done) // a bar that cannot be drawn is no reason to stop
}

// clear removes the bar, so that a line can be printed. The next call of show draws it again.
func (p *progress) clear() {
	if p.bar != nil {
		_ = p.bar.Clear()
		p.bar = nil
	}
}

// line writes a line on stderr.
func (p *progress) line(format string, args ...any) {
	p.clear()
	fmt.Fprintf(os.Stderr, format+"\n", args...)
}

// failed prints the error of a note that could not be examined.
func (p *progress) failed(err error) {
	p.clear()
	complain(err)
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }
