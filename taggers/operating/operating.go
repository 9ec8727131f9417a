// Package operating chooses a model's operating point: the probability from which a
// token counts as PHI although the tagger did not find it. The tagger reports its
// doubts (see data.Prober). On documents whose PHI is known, their scores are
// calibrated to probabilities. A threshold on these increases recall at the least cost
// in precision.
package operating

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"github.com/lethe-deid/lethe/checkpoints"
	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/wholefile"
)

// File is the file of a model folder that contains its Curve.
const File = "operating.json"

const (
	leastDoubt = 0.0005 // minimum score of the doubts that are considered
	folds      = 5
)

// version is the version of File. Version 1 had neither Model nor the bins of raw
// scores, and version 2 had calibrations by type.
const version = 3

// Curve is the calibration of a model's doubts and its operating points, measured on
// documents whose PHI is known.
type Curve struct {
	Version int    `json:"version"`
	Model   string `json:"model"` // digest of the model that was measured: see Read
	Split   string `json:"split"` // name of the documents' split; "" if they are not from a split

	Documents int `json:"documents"`
	Tokens    int `json:"tokens"` // number of PHI tokens, as evaluation.Leak counts them
	// Doubts maps the score of a doubt to the probability that it is PHI.
	Doubts Calibration `json:"doubts"`
	// Spans maps the score of a span to the probability that it is right, including
	// type and borders.
	Spans Calibration `json:"spans"`
	// Error is the expected calibration error of all these probabilities.
	Error       float64 `json:"error"`
	SpansWorth  Worth   `json:"spans_worth"`
	DoubtsWorth Worth   `json:"doubts_worth"`
	Points      []Point `json:"points"`
	// Default is the probability from which a doubt counts as PHI if no recall is asked for; 0 if no doubt does.
	Default float64 `json:"default,omitempty"`
	// Usual has the limits within which nearly all of these documents are; nil in files of earlier versions.
	Usual *Usual `json:"usual,omitempty"`
}

// Usual are measures of a document, or limits of them.
type Usual struct {
	Unknown float64 `json:"unknown_words"` // share of the words outside of spans that a network has no vector for
	Doubt   float64 `json:"doubt"`         // mean, over the spans, of 1 minus the score
	Spans   float64 `json:"spans"`         // number of spans per 1000 tokens
	Tokens  float64 `json:"tokens"`        // number of tokens
}

// Worth is the reliability of scores, both as the tagger gives them and as
// probabilities. Each document's probabilities are calibrated on other documents.
type Worth struct {
	Raw        Reliability `json:"raw"`
	Calibrated Reliability `json:"calibrated"`
}

// Point is a threshold with the recall and precision to be expected of it.
type Point struct {
	Target    float64 `json:"target"`    // recall of PHI tokens for which the threshold was chosen; 0: no doubt becomes a span
	Threshold float64 `json:"threshold"` // doubts with at least this probability become spans; 1: none
	// Recall and Precision count PHI tokens, whatever their type. For each document,
	// the threshold was chosen on other documents.
	Recall    float64 `json:"recall"`
	Precision float64 `json:"precision"`
	// Low and High are a 95 % interval of Recall, by bootstrap over documents.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// targets are the recalls for which a curve has points.
var targets = []float64{0, 0.98, 0.985, 0.99, 0.9925, 0.995, 0.9975, 0.999}

// Below these sizes, the points of a Curve say little. A recall of 0.999, the highest target, is one
// token missed of 1000, and thresholds are chosen on four fifths of the documents for the others.
const (
	fewDocuments = 30
	fewTokens    = 1000
)

// Warning says that the curve was measured on too few documents or tokens to be relied on, or is "".
func (c *Curve) Warning() string {
	if c.Documents >= fewDocuments && c.Tokens >= fewTokens {
		return ""
	}
	return fmt.Sprintf("measured on %d notes with %d tokens of PHI: with fewer than %d notes or %d tokens, the thresholds and the precision and recall of each may be far off",
		c.Documents, c.Tokens, fewDocuments, fewTokens)
}

// note has the counts and doubts of one document.
type note struct {
	spans  []outcome
	wrong  int // tokens in the tagger's spans that are not PHI
	doubts []outcome
	tokens []token // PHI tokens
	others [][]int // for each token in doubts that is not PHI, the indices of those doubts
}

// token has, for each of its stretches that no span covers, the indices of the doubts
// that cover it. An ensemble's doubts are tokens of its members, and spans over several
// tokens.
type token [][]int

// Fit probes a tagger on documents whose PHI is known, and returns its curve. The
// caller sets Model and Split. Documents without PHI are an error.
func Fit(ctx context.Context, tagger data.Prober, docs []*data.Document) (*Curve, error) {
	found, doubts, err := tagger.Probe(ctx, docs, leastDoubt)
	if err != nil {
		return nil, err
	}
	notes := make([]note, len(docs))
	tokens := 0
	for i, d := range docs {
		notes[i] = examine(d, found[i], doubts[i])
		tokens += len(notes[i].tokens)
	}
	if tokens == 0 {
		return nil, fmt.Errorf("the documents contain no PHI to measure recall on")
	}
	c := calibrate(notes)
	c.Version, c.Documents, c.Tokens = version, len(docs), tokens
	c.cross(notes)
	return c, nil
}

// examine compares the spans and doubts found in a document with its gold spans.
func examine(d *data.Document, found, doubts []data.Span) note {
	var n note
	gold := data.Flatten(d.Spans)
	right := map[data.Span]bool{}
	for _, g := range d.Spans {
		right[data.Span{Start: g.Start, End: g.End, Type: g.Type}] = true
	}
	for _, s := range found {
		n.spans = append(n.spans, outcome{s.Score, right[data.Span{Start: s.Start, End: s.End, Type: s.Type}]})
		for tok := range evaluation.Tokens(d.Text[s.Start:s.End]) {
			if !overlaps(gold, s.Start+tok.Start, s.Start+tok.End) {
				n.wrong++
			}
		}
	}
	others := map[int]int{} // by position
	for i, s := range doubts {
		n.doubts = append(n.doubts, outcome{s.Score, overlaps(gold, s.Start, s.End)})
		for tok := range evaluation.Tokens(d.Text[s.Start:s.End]) {
			start := s.Start + tok.Start
			if overlaps(gold, start, s.Start+tok.End) {
				continue
			}
			k, ok := others[start]
			if !ok {
				k = len(n.others)
				others[start] = k
				n.others = append(n.others, nil)
			}
			n.others[k] = append(n.others[k], i)
		}
	}
	for _, g := range gold {
		none := true // a span without letters and digits is one token
		for tok := range evaluation.Tokens(d.Text[g.Start:g.End]) {
			n.tokens = append(n.tokens, uncovered(g.Start+tok.Start, g.Start+tok.End, found, doubts))
			none = false
		}
		if none {
			n.tokens = append(n.tokens, uncovered(g.Start, g.End, found, doubts))
		}
	}
	return n
}

// uncovered returns the token for a stretch of text.
func uncovered(start, end int, found, doubts []data.Span) token {
	var t token
	var near []int
	for i, s := range doubts {
		if s.Start < end && start < s.End {
			near = append(near, i)
		}
	}
	for _, gap := range data.Subtract(data.Span{Start: start, End: end}, found) {
		for at := gap.Start; at < gap.End; at++ {
			var by []int
			for _, i := range near {
				if doubts[i].Start <= at && at < doubts[i].End {
					by = append(by, i)
				}
			}
			if k := len(t) - 1; k < 0 || !slices.Equal(t[k], by) {
				t = append(t, by)
			}
		}
	}
	return t
}

// overlaps reports whether one of the sorted, disjoint spans overlaps a stretch of
// text.
func overlaps(disjoint []data.Span, start, end int) bool {
	from, to := data.Overlapping(disjoint, data.Span{Start: start, End: end})
	return from < to
}

// calibrate fits all calibrations.
func calibrate(notes []note) *Curve {
	var spans, doubts []outcome
	for _, n := range notes {
		spans, doubts = append(spans, n.spans...), append(doubts, n.doubts...)
	}
	return &Curve{Doubts: fit(doubts), Spans: fit(spans)}
}

// most returns the highest probability of some of a document's doubts, -1 for none.
func (c *Curve) most(n note, doubts []int) float64 {
	most := -1.0
	for _, i := range doubts {
		most = max(most, c.Doubts.At(n.doubts[i].score))
	}
	return most
}

// reach returns the highest threshold at which a PHI token is covered: 1 if spans cover
// it, and a negative value if it is never covered.
func (c *Curve) reach(n note, t token) float64 {
	least := 1.0
	for _, by := range t {
		least = min(least, c.most(n, by))
	}
	return least
}

// count counts a document's tokens at a threshold: right are the PHI tokens covered,
// taken all tokens covered, and all the PHI tokens.
func (c *Curve) count(n note, threshold float64) (right, taken, all int) {
	for _, t := range n.tokens {
		if len(t) == 0 || c.reach(n, t) >= threshold {
			right++
		}
	}
	taken = right + n.wrong
	for _, by := range n.others {
		if c.most(n, by) >= threshold {
			taken++
		}
	}
	return right, taken, len(n.tokens)
}

// threshold returns the highest threshold at which the recall reaches the target, or
// the lowest of all if none does.
func (c *Curve) threshold(notes []note, target float64) float64 {
	if target == 0 {
		return math.Nextafter(1, 2) // above all probabilities
	}
	var reach []float64
	total := 0
	for _, n := range notes {
		for _, t := range n.tokens {
			total++
			if at := c.reach(n, t); at >= 0 {
				reach = append(reach, at)
			}
		}
	}
	slices.SortFunc(reach, func(a, b float64) int { return cmp.Compare(b, a) })
	k := int(math.Ceil(target*float64(total)-1e-9)) - 1
	if k >= len(reach) {
		return 0
	}
	return reach[max(0, k)]
}

// cross measures on each fifth of the documents the thresholds chosen on the others.
func (c *Curve) cross(notes []note) {
	type counts struct{ right, taken, all int }
	each := make([][]counts, len(targets)) // by target and document
	for i := range each {
		each[i] = make([]counts, len(notes))
	}
	var spans, doubts, rawSpans, rawDoubts []outcome
	for fold := range min(folds, len(notes)) {
		var rest []note
		for i, n := range notes {
			if i%folds != fold {
				rest = append(rest, n)
			}
		}
		if len(rest) == 0 {
			rest = notes
		}
		other := calibrate(rest)
		for t, target := range targets {
			at := other.threshold(rest, target)
			for i := fold; i < len(notes); i += folds {
				n := &each[t][i]
				n.right, n.taken, n.all = other.count(notes[i], at)
			}
		}
		for i := fold; i < len(notes); i += folds {
			for _, s := range notes[i].spans {
				rawSpans = append(rawSpans, s)
				spans = append(spans, outcome{other.Spans.At(s.score), s.right})
			}
			for _, d := range notes[i].doubts {
				rawDoubts = append(rawDoubts, d)
				doubts = append(doubts, outcome{other.Doubts.At(d.score), d.right})
			}
		}
	}
	c.SpansWorth = Worth{reliability(rawSpans), reliability(spans)}
	c.DoubtsWorth = Worth{reliability(rawDoubts), reliability(doubts)}
	c.Error = reliability(slices.Concat(spans, doubts)).Error
	for t, target := range targets {
		var sum counts
		sample := make([][2]int, len(notes))
		for i, n := range each[t] {
			sum.right, sum.taken, sum.all = sum.right+n.right, sum.taken+n.taken, sum.all+n.all
			sample[i] = [2]int{n.right, n.all}
		}
		p := Point{Target: target, Threshold: min(1, c.threshold(notes, target)), Recall: share(sum.right, sum.all), Precision: share(sum.right, sum.taken)}
		p.Low, p.High = interval(sample)
		c.Points = append(c.Points, p)
	}
}

func share(part, all int) float64 { return float64(part) / float64(max(1, all)) }

// At returns the point for a recall: the first of the curve whose target is at least as
// high. A recall above the highest target is an error, and so is any recall if the curve was carried from another model.
func (c *Curve) At(recall float64) (Point, error) {
	if len(c.Points) == 0 {
		return Point{}, fmt.Errorf("the model was trained further, and its recall is not known: %w", ErrOutdated)
	}
	for _, p := range c.Points {
		if p.Target >= recall {
			return p, nil
		}
	}
	return Point{}, fmt.Errorf("recall %v exceeds the highest that the curve was measured for, %v", recall, c.Points[len(c.Points)-1].Target)
}

// OutOfReach reports whether no threshold reached the target. Then all doubts become
// spans.
func (p Point) OutOfReach() bool { return p.Target > 0 && p.Threshold == 0 }

// Names returns the names of the point and its threshold in tables.
func (p Point) Names() (wanted, from string) {
	switch {
	case p.Target == 0:
		return "best path", "-"
	case p.OutOfReach():
		return fmt.Sprint(p.Target), "all"
	}
	return fmt.Sprint(p.Target), fmt.Sprintf("%.4f", p.Threshold)
}

// Expected describes the recall and precision to be expected on notes like those of the
// calibration.
func (p Point) Expected() string {
	return fmt.Sprintf("%.2f %% of PHI tokens [%.2f, %.2f] before the safety net, on notes like those of the calibration; %.1f %% of the replaced tokens are PHI",
		100*(1-p.Recall), 100*(1-p.High), 100*(1-p.Low), 100*p.Precision)
}

// Write writes the curve into a model folder, and a section about it into the model
// card. Each of the two files is replaced atomically.
func (c *Curve) Write(dir string) error {
	raw, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	if err := wholefile.WriteFile(filepath.Join(dir, File), append(raw, '\n'), 0o666); err != nil {
		return err
	}
	return checkpoints.SetOperatingPoints(dir, c.card())
}

// Carry writes the calibration, without operating points, into the folder of a model that was trained further from the one that
// the curve was measured with. model is the digest of the new model. Its Default then selects doubts by the same scores as
// before, but no recall is known.
func (c *Curve) Carry(dir, model string) error {
	carried := *c
	carried.Model, carried.Points = model, nil
	raw, err := json.MarshalIndent(carried, "", "  ")
	if err != nil {
		return err
	}
	if err := wholefile.WriteFile(filepath.Join(dir, File), append(raw, '\n'), 0o666); err != nil {
		return err
	}
	return checkpoints.SetOperatingPoints(dir, []byte("They are not known: lethe calibrate measures them. Scores become probabilities as in the model before."))
}

// ErrOutdated means that the curve does not belong to the model, or lacks newer fields,
// so that the model must be calibrated again.
var ErrOutdated = errors.New("run lethe calibrate RUN to measure them again")

// Read reads the curve of a model folder. model is the digest of the model, or ""
// if the curve is known to belong to it. The error
// is fs.ErrNotExist if there is no curve, and ErrOutdated if the curve belongs to
// another model or was written by an earlier version.
func Read(dir, model string) (*Curve, error) {
	path := filepath.Join(dir, File)
	raw, err := bounded.ReadFile(path, bounded.MaxConfig)
	if err != nil {
		return nil, err
	}
	var c Curve
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	switch {
	case c.Version > version:
		return nil, fmt.Errorf("%s: operating points of a later version of lethe", path)
	case c.Version < version:
		return nil, fmt.Errorf("%s: operating points of an earlier version of lethe: %w", path, ErrOutdated)
	case model != "" && c.Model != model:
		return nil, fmt.Errorf("%s: the operating points are those of another model, or the model has changed since: %w", path, ErrOutdated)
	case c.Documents == 0:
		return nil, fmt.Errorf("%s: contains no operating points", path)
	}
	for _, cal := range []Calibration{c.Doubts, c.Spans} {
		if len(cal.Scores) != len(cal.Probabilities) || !slices.IsSorted(cal.Scores) || !slices.IsSorted(cal.Probabilities) {
			return nil, fmt.Errorf("%s: a calibration decreases", path)
		}
	}
	return &c, nil
}
