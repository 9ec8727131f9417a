package main

import (
	"fmt"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress shows a progress bar on stderr if that is a terminal, and otherwise a line per minute of each stage that takes
// longer. It uses no colours.
type progress struct {
	animated bool
	stage    string
	told     time.Time // when the stage began or its last line was printed
	bar      *progressbar.ProgressBar
}

// silence is the time between two lines about a stage.
const silence = time.Minute

func newProgress() *progress {
	return &progress{animated: isTerminal(os.Stderr) && os.Getenv("TERM") != "dumb"}
}

// show implements models.Progress.
func (p *progress) show(stage string, done, total int) {
	if !p.animated {
		p.tell(stage, done, total)
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

// tell prints a line if the stage has been going on in silence.
func (p *progress) tell(stage string, done, total int) {
	switch now := time.Now(); {
	case stage != p.stage:
		p.stage, p.told = stage, now
	case now.Sub(p.told) < silence:
	case total > 0:
		p.told = now
		p.line("%s: %d of %d", stage, done, total)
	default:
		p.told = now
		p.line("%s: %d", stage, done)
	}
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
