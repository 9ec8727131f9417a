package studies

import (
	"math"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/evaluation/significance"
)

// Score summarizes a score, in [0, 1], over several runs.
type Score struct {
	Mean evaluation.PRF `json:"mean"`
	// Deviation is the sample standard deviation, with n-1 as its divisor, or 0 for a single run.
	Deviation evaluation.PRF   `json:"deviation"`
	Runs      []evaluation.PRF `json:"runs"` // in the order of the seeds
}

// Summarize summarizes the scores of runs, of which there is at least one.
func Summarize(runs []evaluation.PRF) Score {
	column := func(of func(evaluation.PRF) float64) (mean, deviation float64) {
		x := make([]float64, len(runs))
		for i, r := range runs {
			x[i] = of(r)
		}
		return meanAndDeviation(x)
	}
	s := Score{Runs: runs}
	s.Mean.Precision, s.Deviation.Precision = column(func(p evaluation.PRF) float64 { return p.Precision })
	s.Mean.Recall, s.Deviation.Recall = column(func(p evaluation.PRF) float64 { return p.Recall })
	s.Mean.F1, s.Deviation.F1 = column(func(p evaluation.PRF) float64 { return p.F1 })
	return s
}

func meanAndDeviation(x []float64) (mean, deviation float64) {
	for _, v := range x {
		mean += v
	}
	mean /= float64(len(x))
	if len(x) < 2 {
		return mean, 0
	}
	for _, v := range x {
		deviation += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(deviation / float64(len(x)-1))
}

// score scores the runs of one variant. It also returns what each unit of a test of significance, a
// document or a patient, adds to the tallies of all runs.
func (s *study) score(m evaluation.Metric, gold []*data.Document, runs []trained) (Score, [][]float64) {
	unit, units := map[string]int{}, [][]float64{}
	var scores []evaluation.PRF
	for _, t := range runs {
		tallies := m.Tallies(gold, t.found)
		scores = append(scores, m.Score(evaluation.Sum(tallies)))
		for i, tally := range tallies {
			name := gold[i].ID
			if s.opt.ByPatient {
				name = gold[i].Group()
			}
			at, ok := unit[name]
			if !ok {
				at = len(units)
				unit[name], units = at, append(units, make([]float64, len(tally)))
			}
			for k, x := range tally {
				units[at][k] += x
			}
		}
	}
	return Summarize(scores), units
}

// test returns the options of a test of significance. The seed is the experiment's, so that a table
// does not change when it is made again.
func (s *study) test() significance.Options {
	return significance.Options{Shuffles: s.opt.Shuffles, Seed: s.config.Seed, Workers: s.opt.Workers}
}

func (s *study) by() string {
	if s.opt.ByPatient {
		return data.ByPatient
	}
	return data.ByDocument
}
