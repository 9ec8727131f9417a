package ann

import "fmt"

// watch ends a training that diverges. Otherwise it would continue for many epochs, each of which takes
// many times as long, because scores that differ by hundreds leave the range in which the CRF is fast.
type watch struct {
	guess   float64 // loss of a token if all labels are equally likely
	advice  string
	windows []window
	updates int
}

// window is a mean of the loss per token over about the last updates.
type window struct {
	updates      float64
	limit        float64 // how many times the loss of guessing the mean may be
	loss, tokens float64 // sums in which older updates count less
}

// newWatch returns a watch for an epoch. A training begins near the loss of guessing, and one that
// learns stays below. Single updates may be far above, so the fewer there are, the higher is the limit.
func newWatch(guess float64, advice string) *watch {
	return &watch{guess: guess, advice: advice, windows: []window{{updates: 10, limit: 10}, {updates: 100, limit: 2}}}
}

// add adds the loss of an update, a sum over this many tokens.
func (w *watch) add(loss float64, tokens int) error {
	w.updates++
	for i := range w.windows {
		x := &w.windows[i]
		keep := 1 - 1/x.updates
		x.loss, x.tokens = keep*x.loss+loss, keep*x.tokens+float64(tokens)
		if mean := x.loss / x.tokens; w.guess > 0 && float64(w.updates) >= x.updates && mean > x.limit*w.guess {
			return fmt.Errorf("the training diverges: after %d updates the loss is %.3g per token, and that of guessing %.3g: %s",
				w.updates, mean, w.guess, w.advice)
		}
	}
	return nil
}
