package main

import (
	"fmt"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress shows on stderr how far a command is: a bar where that is a
// terminal, nothing elsewhere. It uses no colours.
type progress struct {
	animated bool
	stage    string
	bar      *progressbar.ProgressBar
}

func newProgress() *progress {
	return &progress{animated: isTerminal(os.Stderr) && os.Getenv("TERM") != "dumb"}
}

// show is an models.Progress.
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

// clear makes room for a line, or for the end.
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

// failed names a note that could not be examined.
func (p *progress) failed(err error) {
	p.clear()
	complain(err)
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }
