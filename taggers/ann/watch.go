package ann

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/lethe-deid/lethe/taggers"
)

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

// mean is a mean of losses.
type mean struct {
	loss float64
	of   int
}

// add adds a sum over this many losses.
func (m *mean) add(loss float64, of int) { m.loss, m.of = m.loss+loss, m.of+of }

func (m *mean) value() float64 { return m.loss / float64(max(m.of, 1)) }

// enough is how far a training must have moved the parameters before its loss is compared with that of the frequencies of the labels.
// The biases of the last layer alone reach these, and do so first. They must change by a few units: by the sum of the learning rates
// if an update changes a value by about the rate, as that of Adam does, and by the sum of the rates times the gradients otherwise.
const (
	enough    = 10.
	enoughSGD = 300.
)

// warning returns what a person should know about an epoch with this many updates, or "": that the network has not learnt
// more than the frequencies of the labels, although the learning rate leaves no doubt that it has had the time, or
// that the loss rises. newest is the loss per token in the second half of the epoch. There is one warning per training.
func (c *course) warning(e taggers.Epoch, updates int, newest float64) string {
	const (
		above  = 1.1 // times the loss of the frequencies
		rises  = 3   // in a row
		growth = 1.1 // over all of them
	)
	if slices.ContainsFunc(c.history, func(e taggers.Epoch) bool { return e.Warning != "" }) {
		return ""
	}
	rate := c.tagger.config.Optimizer.LearningRate
	advice := fmt.Sprintf("optimizer.learning_rate %v is probably too high: try %.2g, or a warm-up (optimizer.schedule.warmup)", rate, rate/10)
	all := append(slices.Clone(c.history), e)
	if h := c.entropy(); h > 0 && newest > above*h && c.moved(all, updates) {
		return fmt.Sprintf("the network has not learnt more than the frequencies of the labels: in epoch %d, the loss is %.3g per token, and that of the frequencies %.3g: %s",
			e.Epoch, newest, h, advice)
	}
	if len(all) <= rises {
		return ""
	}
	last := all[len(all)-1-rises:]
	if slices.IsSortedFunc(last, func(a, b taggers.Epoch) int { return cmp.Compare(a.Loss, b.Loss) }) && last[rises].Loss > growth*last[0].Loss {
		return fmt.Sprintf("the loss has risen for %d epochs, from %.3g to %.3g: %s", rises, last[0].Loss, last[rises].Loss, advice)
	}
	return ""
}

// moved reports whether the updates of the epochs, of which each has this many, were large enough to learn the frequencies of the labels.
func (c *course) moved(epochs []taggers.Epoch, updates int) bool {
	o := c.tagger.config.Optimizer
	sum := 0.
	for _, e := range epochs {
		rate := e.Rate
		if rate == 0 {
			rate = o.LearningRate * math.Pow(o.Decay, float64(e.Epoch-1))
		}
		sum += rate * float64(updates)
	}
	switch o.Method {
	case "sgd":
		if c.tagger.config.Network.CRF { // its gradient is a sum over the tokens
			sum *= float64(c.tokens) / float64(len(c.sentences))
		}
		return sum > enoughSGD
	case "adadelta": // its first updates are about a thousandth of the rate
		sum /= 1000
	}
	return sum > enough
}

// entropy returns the loss of a token if all that is known are the frequencies of the labels.
func (c *course) entropy() (h float64) {
	counts, all := make([]float64, len(c.tagger.labels)), 0.
	for _, s := range c.sentences {
		weight := 1.
		if !c.tagger.config.Network.CRF { // every sentence counts the same
			weight /= float64(len(s.Labels))
		}
		for _, label := range s.Labels {
			counts[label] += weight
			all += weight
		}
	}
	for _, n := range counts {
		if n > 0 {
			h -= n / all * math.Log(n/all)
		}
	}
	return h
}
