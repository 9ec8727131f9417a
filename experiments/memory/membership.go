package memory

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/sorting"
)

// Test is a membership test: whether a score is higher for what the model was trained on.
type Test struct {
	Train int `json:"train"` // number of scores
	Held  int `json:"held_out"`
	// AUC is the probability that a score of a training note is higher than one of another note, with equal ones counted half: 0.5
	// tells nothing, 1 all.
	AUC Estimate `json:"auc"`
	// Advantage is the greatest difference, over all thresholds, of the shares of training notes and of other notes with a score
	// above the threshold (Yeom et al. 2018). It is never negative, so compare it with Chance.
	Advantage Estimate `json:"advantage"`
	Chance    float64  `json:"chance"` // advantage that a test without any knowledge stays below in 95 % of all cases
}

// Estimate is a value with its 95 % interval, by the bootstrap over patients.
type Estimate struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

const resamples = 500

// notesAtATime is the number of notes that are tagged together, because the probabilities of all labels take much memory.
const notesAtATime = 32

// membership tests notes, by their loss, and PHI, by the confidence in its type.
func membership(ctx context.Context, t data.Tagger, train, held []*data.Document, opt Options) (notes, spans Test, err error) {
	var ofNotes, ofSpans []unit
	for _, side := range []struct {
		docs    []*data.Document
		trained bool
	}{{train, true}, {held, false}} {
		at := map[int]int{} // by patient: index of its units
		patients := data.NumberPatients(side.docs)
		for from := 0; from < len(side.docs); from += notesAtATime {
			opt.Progress.Tell("membership", from, len(side.docs))
			docs := side.docs[from:min(len(side.docs), from+notesAtATime)]
			all, err := beliefs(ctx, t, docs)
			if err != nil {
				return notes, spans, err
			}
			for k, d := range docs {
				i, ok := at[patients[from+k]]
				if !ok {
					i = len(ofNotes)
					at[patients[from+k]] = i
					ofNotes, ofSpans = append(ofNotes, unit{trained: side.trained}), append(ofSpans, unit{trained: side.trained})
				}
				if len(all[k]) > 0 {
					ofNotes[i].scores = append(ofNotes[i].scores, -loss(all[k]))
				}
				for _, s := range d.Spans {
					if c, ok := confidence(all[k], s); ok {
						ofSpans[i].scores = append(ofSpans[i].scores, c)
					}
				}
			}
		}
	}
	return test(ofNotes, opt.Seed), test(ofSpans, opt.Seed), nil
}

// unit is the scores of a patient's notes.
type unit struct {
	trained bool
	scores  []float64
}

// test compares the scores of both sides.
func test(units []unit, seed uint64) Test {
	flat := flatten(units)
	var t Test
	for _, u := range units {
		if u.trained {
			t.Train += len(u.scores)
		} else {
			t.Held += len(u.scores)
		}
	}
	weights := make([]float64, len(units))
	for i := range weights {
		weights[i] = 1
	}
	t.AUC.Value, t.Advantage.Value = separate(flat, weights)
	var sides [2][]int
	for i, u := range units {
		sides[side(u)] = append(sides[side(u)], i)
	}
	rng := rand.New(rand.NewPCG(seed, 2))
	var areas, advantages, chances []float64
	for range resamples {
		clear(weights)
		for _, of := range sides {
			for range of {
				weights[of[rng.IntN(len(of))]]++
			}
		}
		area, advantage := separate(flat, weights)
		areas, advantages = append(areas, area), append(advantages, advantage)

		// Membership at random.
		trained := make([]bool, len(units))
		for _, i := range rng.Perm(len(units))[:len(sides[1])] {
			trained[i] = true
		}
		for i := range weights {
			weights[i] = 1
		}
		mixed := slices.Clone(flat)
		for i := range mixed {
			mixed[i].trained = trained[mixed[i].unit]
		}
		_, chance := separate(mixed, weights)
		chances = append(chances, chance)
	}
	t.AUC.Low, t.AUC.High = quantile(areas, 0.025), quantile(areas, 0.975)
	t.Advantage.Low, t.Advantage.High = quantile(advantages, 0.025), quantile(advantages, 0.975)
	t.Chance = quantile(chances, 0.95)
	return t
}

func side(u unit) int {
	if u.trained {
		return 1
	}
	return 0
}

// score is a score of a unit.
type score struct {
	value   float64
	unit    int
	trained bool
}

// flatten returns all scores, the highest first.
func flatten(units []unit) []score {
	var all []score
	for i, u := range units {
		for _, v := range u.scores {
			all = append(all, score{v, i, u.trained})
		}
	}
	sorting.Stable(all, func(a, b score) int { return cmp.Compare(b.value, a.value) })
	return all
}

// separate returns the area under the ROC curve and the greatest advantage, with a weight for each
// unit. The scores are sorted, the highest first. Without scores on one of the sides, it returns 0.5 and 0.
func separate(all []score, weights []float64) (area, advantage float64) {
	var total [2]float64
	for _, s := range all {
		total[side(unit{trained: s.trained})] += weights[s.unit]
	}
	if total[0] == 0 || total[1] == 0 {
		return 0.5, 0
	}
	var above [2]float64
	for i := 0; i < len(all); {
		var here [2]float64 // scores that are equal
		k := i
		for ; k < len(all) && all[k].value == all[i].value; k++ {
			here[side(unit{trained: all[k].trained})] += weights[all[k].unit]
		}
		area += here[0] * (above[1] + here[1]/2)
		above[0] += here[0]
		above[1] += here[1]
		advantage = max(advantage, above[1]/total[1]-above[0]/total[0])
		i = k
	}
	return area / total[0] / total[1], advantage
}

// quantile returns a quantile of values, which it sorts.
func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[min(len(values)-1, int(q*float64(len(values))))]
}
