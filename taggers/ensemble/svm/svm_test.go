package svm

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// clouds returns rows of two overlapping clouds. With steps, the features take few
// values, so that rows are repeated within and across classes.
func clouds(n, features int, steps float64, seed uint64) (rows [][]float64, positive []bool) {
	rng := rand.New(rand.NewPCG(seed, 0))
	for i := range n {
		row := make([]float64, features)
		for k := range row {
			row[k] = rng.NormFloat64() + float64(i%2)
			if steps > 0 {
				row[k] = math.Round(row[k]*steps)/steps + 0 // not -0, which name would distinguish
			}
		}
		rows, positive = append(rows, row), append(positive, i%2 == 1)
	}
	return rows, positive
}

func train(t testing.TB, rows [][]float64, positive []bool, o Options) *Model {
	t.Helper()
	m, err := Train(t.Context(), rows, positive, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// alphas returns the sum of the coefficients of the rows equal to each row, shared
// equally among them.
func alphas(m *Model, rows [][]float64, positive []bool) []float64 {
	sum, count := map[string]float64{}, map[string]int{}
	for i, v := range m.Vectors {
		sum[name(v, m.Coefficients[i] > 0)] += math.Abs(m.Coefficients[i])
	}
	for i, row := range rows {
		count[name(row, positive[i])]++
	}
	all := make([]float64, len(rows))
	for i, row := range rows {
		k := name(row, positive[i])
		all[i] = sum[k] / float64(count[k])
	}
	return all
}

func name(row []float64, positive bool) string { return fmt.Sprint(row, positive) }

// The solution satisfies the conditions of Karush, Kuhn and Tucker within epsilon: rows
// without α are beyond their margin, rows with α = C are on its wrong side, and the
// others are on it; and Σ y_i α_i = 0.
func TestOptimalityConditions(t *testing.T) {
	for _, steps := range []float64{0, 1} {
		for _, c := range []float64{0.1, 1, 100} {
			o := DefaultOptions()
			o.C = c
			rows, positive := clouds(120, 3, steps, 1)
			m := train(t, rows, positive, o)
			var balance float64
			for i, alpha := range alphas(m, rows, positive) {
				y := -1.0
				if positive[i] {
					y = 1
				}
				balance += y * alpha
				margin := y * m.Decision(rows[i])
				if alpha > c+1e-9 {
					t.Fatalf("steps %v, C %v: α %v", steps, c, alpha)
				}
				if alpha < c*(1-1e-9) && margin < 1-o.Epsilon || alpha > c*1e-9 && margin > 1+o.Epsilon {
					t.Errorf("steps %v, C %v: row %d has α %v and margin %v", steps, c, i, alpha, margin)
				}
			}
			if math.Abs(balance) > 1e-9*c {
				t.Errorf("steps %v, C %v: Σ y α is %v", steps, c, balance)
			}
		}
	}
}

// dual returns the objective Σ α - ½ α'Qα.
func dual(rows [][]float64, positive []bool, gamma float64, alpha []float64) float64 {
	var sum float64
	for i := range rows {
		sum += alpha[i]
		for j := range rows {
			k := kernelOf(rows[i], rows[j], gamma)
			if positive[i] != positive[j] {
				k = -k
			}
			sum -= alpha[i] * alpha[j] * k / 2
		}
	}
	return sum
}

// ascend maximises the dual by projected gradient ascent, one variable per row. The
// projection on {0 <= α <= c, Σ y α = 0} is α - λ y clipped, with λ found by bisection.
func ascend(rows [][]float64, positive []bool, gamma, c float64) []float64 {
	n := len(rows)
	y := make([]float64, n)
	for i := range y {
		y[i] = -1
		if positive[i] {
			y[i] = 1
		}
	}
	project := func(a []float64) []float64 {
		clipped := func(lambda float64) (out []float64, balance float64) {
			out = make([]float64, n)
			for i := range a {
				out[i] = min(c, max(0, a[i]-lambda*y[i]))
				balance += y[i] * out[i]
			}
			return out, balance
		}
		low, high := -1e3, 1e3
		for range 200 {
			if _, balance := clipped((low + high) / 2); balance > 0 {
				low = (low + high) / 2
			} else {
				high = (low + high) / 2
			}
		}
		out, _ := clipped(low)
		return out
	}
	alpha := make([]float64, n)
	for range 8000 {
		next := make([]float64, n)
		for i := range next {
			gradient := 1.0
			for j := range rows {
				gradient -= y[i] * y[j] * alpha[j] * kernelOf(rows[i], rows[j], gamma)
			}
			next[i] = alpha[i] + gradient/float64(n)
		}
		alpha = project(next)
	}
	return alpha
}

// The objective is that of a slow method that shares nothing with the solver, and so is
// every decision value.
func TestAgainstProjectedGradient(t *testing.T) {
	for _, steps := range []float64{0, 1} {
		rows, positive := clouds(24, 2, steps, 7)
		o := Options{C: 2, Gamma: 0.7, Epsilon: 1e-8, Cache: 1}
		m := train(t, rows, positive, o)
		slow := ascend(rows, positive, o.Gamma, o.C)
		got, want := dual(rows, positive, o.Gamma, alphas(m, rows, positive)), dual(rows, positive, o.Gamma, slow)
		if math.Abs(got-want) > 1e-6*want {
			t.Errorf("steps %v: objective %.9f, want %.9f", steps, got, want)
		}
		difference := func(row []float64) float64 { // of the decision values, without the bias
			sum := m.Decision(row) - m.Bias
			for i, a := range slow {
				if !positive[i] {
					a = -a
				}
				sum -= a * kernelOf(rows[i], row, o.Gamma)
			}
			return sum
		}
		for i, row := range rows {
			if d := difference(row); math.Abs(d) > 1e-3 {
				t.Errorf("steps %v: row %d: the decision values differ by %v", steps, i, d)
			}
		}
	}
}

// By hand: two rows at distance 1 have α = 1/(1-K) if C allows that, and no bias.
func TestTwoRows(t *testing.T) {
	o := Options{C: 10, Gamma: 1, Epsilon: 1e-6, Cache: 1}
	m := train(t, [][]float64{{0}, {1}}, []bool{false, true}, o)
	want := 1 / (1 - math.Exp(-1))
	if math.Abs(m.Coefficients[0]+want) > 1e-9 || math.Abs(m.Coefficients[1]-want) > 1e-9 || math.Abs(m.Bias) > 1e-9 {
		t.Errorf("%v, want coefficients ±%v without a bias", m, want)
	}
	if d := m.Decision([]float64{1}); math.Abs(d-1) > 1e-9 {
		t.Errorf("decision value %v, want 1", d)
	}
	o.C = 0.25 // both at the bound
	m = train(t, [][]float64{{0}, {1}}, []bool{false, true}, o)
	if !slices.Equal(m.Coefficients, []float64{-0.25, 0.25}) || m.Bias != 0 {
		t.Errorf("%v, want coefficients ±0.25 without a bias", m)
	}
}

// Rows that occur in both classes equally often are undecided.
func TestContradictions(t *testing.T) {
	rows := [][]float64{{0}, {0}, {0}, {1}, {1}}
	m := train(t, rows, []bool{true, false, false, true, true}, DefaultOptions())
	if d := m.Decision([]float64{0}); d >= 0 {
		t.Errorf("two of three rows are negative, and the decision value is %v", d)
	}
	if d := m.Decision([]float64{1}); d <= 0 {
		t.Errorf("both rows are positive, and the decision value is %v", d)
	}
}

// The same input gives the same bits, whatever part of the kernel matrix fits into the
// cache.
func TestDeterminism(t *testing.T) {
	rows, positive := clouds(600, 4, 0, 3)
	want := train(t, rows, positive, DefaultOptions())
	if diff := cmp.Diff(want, train(t, rows, positive, DefaultOptions())); diff != "" {
		t.Error(diff)
	}
	o := DefaultOptions()
	o.Cache = 1 // 218 of 600 rows
	if diff := cmp.Diff(want, train(t, rows, positive, o)); diff != "" {
		t.Errorf("with a small cache: %s", diff)
	}
}

func TestTheCacheKeepsTheRowsUsedLast(t *testing.T) {
	rows, _ := clouds(5, 2, 0, 1)
	k := newKernel(rows, 1, 1)
	k.capacity = 2
	for _, i := range []int{0, 1, 0, 2} {
		for j, v := range k.row(i) {
			if v != kernelOf(rows[i], rows[j], 1) {
				t.Fatalf("K[%d][%d] is %v", i, j, v)
			}
		}
	}
	if k.kept[0] == nil || k.kept[1] != nil || k.kept[2] == nil || k.count != 2 {
		t.Errorf("kept %d rows, and not 0 and 2", k.count)
	}
}

func TestErrors(t *testing.T) {
	rows, positive := [][]float64{{0, 1}, {1, 0}}, []bool{true, false}
	for want, c := range map[string]struct {
		rows     [][]float64
		positive []bool
		change   func(*Options)
	}{
		"svm: no rows to train on":                               {rows: [][]float64{}, positive: []bool{}},
		"svm: 2 rows, but classes for 1":                         {positive: []bool{true}},
		"svm: the rows have no features":                         {rows: [][]float64{{}, {}}},
		"svm: row 2 has 1 features, but the first row has 2":     {rows: [][]float64{{0, 1}, {1}}},
		"svm: row 2: feature 1 is NaN, not a finite number":      {rows: [][]float64{{0, 1}, {math.NaN(), 1}}},
		"svm: row 1: feature 2 is +Inf, not a finite number":     {rows: [][]float64{{0, math.Inf(1)}, {0, 1}}},
		"svm: all 2 rows are of one class, but two are required": {positive: []bool{true, true}},
		"svm: C: 0 is not positive and finite":                   {change: func(o *Options) { o.C = 0 }},
		"svm: gamma: -1 is not finite and at least 0":            {change: func(o *Options) { o.Gamma = -1 }},
		"svm: epsilon: 2 is not in (0, 2)":                       {change: func(o *Options) { o.Epsilon = 2 }},
		"svm: cache: 0 MB is not positive":                       {change: func(o *Options) { o.Cache = 0 }},
	} {
		o := DefaultOptions()
		if c.change != nil {
			c.change(&o)
		}
		if c.rows == nil {
			c.rows = rows
		}
		if c.positive == nil {
			c.positive = positive
		}
		if _, err := Train(t.Context(), c.rows, c.positive, o); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Train(ctx, rows, positive, DefaultOptions()); err != context.Canceled {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

func TestSaveAndLoad(t *testing.T) {
	rows, positive := clouds(50, 3, 0, 5)
	want := train(t, rows, positive, DefaultOptions())
	path := filepath.Join(t.TempDir(), "svm.json")
	if err := want.Save(path); err != nil {
		t.Fatal(err)
	}
	got, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for content, want := range map[string]string{
		`{`:                        "unexpected EOF",
		`{"format":"lethe svm 2"}`: `format "lethe svm 2" is not "lethe svm 1"`,
		`{"format":"lethe svm 1","kernel":"rbf"}`:                                         `unknown field "kernel"`,
		`{"format":"lethe svm 1"}`:                                                        "gamma: 0 is not positive",
		`{"format":"lethe svm 1","gamma":1}`:                                              "vectors: there are none",
		`{"format":"lethe svm 1","gamma":1,"coefficients":[1],"vectors":[[1],[2]]}`:       "vectors: 2, but 1 coefficients",
		`{"format":"lethe svm 1","gamma":1,"coefficients":[1,0],"vectors":[[1],[2]]}`:     "coefficients[1]: 0 is not",
		`{"format":"lethe svm 1","gamma":1,"coefficients":[1,-1],"vectors":[[1],[2,3]]}`:  "vectors[1]: 2 features, but the first has 1",
		`{"format":"lethe svm 1","gamma":1,"coefficients":[1],"vectors":[[]]}`:            "vectors[0]: has no features",
		`{"format":"lethe svm 1","gamma":1,"coefficients":[1,-1],"vectors":[[1],[2]]} {}`: "text after the model",
	} {
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(path); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), path) {
			t.Errorf("%s: error %v, want %s", content, err, want)
		}
	}
}
