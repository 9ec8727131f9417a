package c45

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// golf is the example of Quinlan 1993, table 1.1, in ARFF.
const golf = `@relation golf
@attribute outlook {sunny, overcast, rain}
@attribute temperature numeric
@attribute humidity numeric
@attribute windy {true, false}
@attribute class {play, stay}
@data
sunny,75,70,true,play
sunny,80,90,true,stay
sunny,85,85,false,stay
sunny,72,95,false,stay
sunny,69,70,false,play
overcast,72,90,true,play
overcast,83,78,false,play
overcast,64,65,true,play
overcast,81,75,false,play
rain,71,80,true,stay
rain,65,70,true,stay
rain,75,80,false,play
rain,68,80,false,play
rain,70,96,false,play
`

func mustRead(t testing.TB, arff string) *Data {
	t.Helper()
	d, err := ReadARFF(strings.NewReader(arff), "test.arff")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestGolf grows the tree that Quinlan's book prints (figure 1.1).
func TestGolf(t *testing.T) {
	tree, err := Grow(t.Context(), mustRead(t, golf), Options{MinInstances: 2, Confidence: 0.25, Raising: true}, 1)
	if err != nil {
		t.Fatal(err)
	}
	want := `J48 pruned tree
------------------

outlook = sunny
|   humidity <= 75: play (2.0)
|   humidity > 75: stay (3.0)
outlook = overcast: play (4.0)
outlook = rain
|   windy = true: stay (2.0)
|   windy = false: play (3.0)

Number of Leaves  : 	5

Size of the tree : 	8
`
	if got := tree.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for _, c := range []struct {
		row   []float32
		class int
	}{
		{[]float32{0, 0, 75, 0}, 0},
		{[]float32{0, 0, 75.5, 0}, 1},
		{[]float32{1, 0, 0, 0}, 0},
		{[]float32{2, 0, 0, 0}, 1},
		{[]float32{2, 0, 0, 1}, 0},
	} {
		if class, share := tree.Classify(c.row); class != c.class || share != 1 {
			t.Errorf("%v: class %d, share %v", c.row, class, share)
		}
	}
}

func TestUnknownValuesStopAtTheNode(t *testing.T) {
	tree, err := Grow(t.Context(), mustRead(t, golf), Options{MinInstances: 2, Confidence: 0.25, Raising: true}, 1)
	if err != nil {
		t.Fatal(err)
	}
	nan := float32(math.NaN())
	for _, c := range []struct {
		row   []float32
		class int
		share float64
	}{
		{[]float32{nan, 0, 0, 0}, 0, 9. / 14}, // the root's instances
		{[]float32{3, 0, 0, 0}, 0, 9. / 14},
		{[]float32{0.5, 0, 0, 0}, 0, 9. / 14},
		{[]float32{-1, 0, 0, 0}, 0, 9. / 14},
		{[]float32{0, 0, nan, 0}, 1, 3. / 5}, // those of sunny days
	} {
		if class, share := tree.Classify(c.row); class != c.class || math.Abs(share-c.share) > 1e-9 {
			t.Errorf("%v: class %d, share %v", c.row, class, share)
		}
	}
}

// randomData returns data that a tree can partly learn: numbers with few and many
// values, some of them closer than a threshold can separate, and nominal values, some
// of which do not occur. With integer data all sums are exact.
func randomData(rng *rand.Rand, n int, weighted bool) *Data {
	d := &Data{
		Attributes: []Attribute{
			{Name: "flag"}, {Name: "few"}, {Name: "real"}, {Name: "close"},
			{Name: "nominal", Values: []string{"a", "b", "c", "d"}},
			{Name: "word", Values: make([]string, n)},
		},
		Classes: []string{"x", "y", "z", "never"},
		Columns: make([][]float32, 6),
	}
	for i := range n {
		d.Attributes[5].Values[i] = fmt.Sprint("w", i)
		few, real := rng.IntN(6), float32(rng.NormFloat64())
		nominal := rng.IntN(3)
		class := 0
		if few > 2 && nominal == 1 || real > 1 {
			class = 1 + rng.IntN(2)
		}
		if rng.IntN(8) == 0 {
			class = rng.IntN(3)
		}
		row := []float32{
			float32(rng.IntN(2)), float32(few), real, float32(rng.IntN(12)) * 4e-6,
			float32(nominal), float32(rng.IntN(n)),
		}
		for a, v := range row {
			d.Columns[a] = append(d.Columns[a], v)
		}
		d.Class = append(d.Class, int32(class))
		if weighted {
			d.Weights = append(d.Weights, []float64{0.5, 1, 2.25, 4}[rng.IntN(4)])
		}
	}
	return d
}

func TestTreesEqualThoseOfBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for trial := range 120 {
		d := randomData(rng, 10+rng.IntN(150), trial%3 == 2)
		o := Options{MinInstances: 1 + rng.IntN(5), Confidence: []float64{0.25, 0.35, 0.5}[trial%3], Raising: trial%4 != 0}
		l, err := newLearner(d, o, 1+trial%2)
		if err != nil {
			t.Fatal(err)
		}
		l.tables.from = []int{1, 20, tableFrom}[trial/2%3] // also with tables, which large data has
		root, err := l.learn(t.Context(), l.initialWeights())
		if err != nil {
			t.Fatal(err)
		}
		if got, want := l.flatten(root).String(), bruteForce(d, o); got != want {
			t.Fatalf("trial %d, %d instances, %+v: got\n%s\nwant\n%s", trial, d.Len(), o, got, want)
		}
	}
}

func TestAnyNumberOfWorkersGrowsTheSameTrees(t *testing.T) {
	d := tokenData(3000, 40, 5)
	var first []byte
	for _, workers := range []int{0, 1, 2, 5} {
		boosted, err := Boost(t.Context(), d, 4, DefaultOptions(), workers)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := boosted.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = raw
		}
		if string(raw) != string(first) {
			t.Errorf("%d workers grow other trees", workers)
		}
	}
}

// TestPessimisticErrors compares with section 4.2 of Quinlan 1993, which gives the
// limits for leaves without errors, and for one error in 16 by the exact binomial
// distribution.
func TestPessimisticErrors(t *testing.T) {
	z := quantile(0.25)
	if math.Abs(z-0.6745) > 1e-4 {
		t.Errorf("quantile %v", z)
	}
	for _, c := range []struct{ n, errors, limit, tolerance float64 }{
		{6, 0, 0.206, 5e-4},
		{9, 0, 0.143, 5e-4},
		{1, 0, 0.750, 5e-4},
		{16, 1, 0.157, 3e-3},
		{3, 3, 1, 1e-12},
	} {
		if got := (c.errors + extraErrors(c.n, c.errors, 0.25, z)) / c.n; math.Abs(got-c.limit) > c.tolerance {
			t.Errorf("%v errors of %v: %v, want %v", c.errors, c.n, got, c.limit)
		}
	}
	half := extraErrors(16, 0.5, 0.25, z)
	if mean := (extraErrors(16, 0, 0.25, z) + extraErrors(16, 1, 0.25, z)) / 2; math.Abs(half-mean) > 1e-12 {
		t.Errorf("half an error: %v, want %v", half, mean)
	}
}

func TestOneClassIsRefused(t *testing.T) {
	d := mustRead(t, "@relation r\n@attribute x numeric\n@attribute c {a,b}\n@data\n1,b\n2,b\n")
	const want = `all 2 instances have the class "b", so there is nothing to learn`
	if _, err := Grow(t.Context(), d, DefaultOptions(), 1); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	if _, err := Boost(t.Context(), d, Rounds, DefaultOptions(), 1); err == nil || err.Error() != want {
		t.Errorf("boosting: error %v, want %s", err, want)
	}
}

func TestBadDataAndOptions(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	good := func() *Data {
		return &Data{
			Attributes: []Attribute{{Name: "x"}, {Name: "n", Values: []string{"a", "b"}}},
			Classes:    []string{"c", "d"},
			Columns:    [][]float32{{1, 2}, {0, 1}},
			Class:      []int32{0, 1},
		}
	}
	if err := good().Check(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		spoil func(*Data)
		want  string
	}{
		{func(d *Data) { d.Attributes = nil }, "no attributes"},
		{func(d *Data) { d.Classes = d.Classes[:1] }, "a tree requires at least two classes, got 1"},
		{func(d *Data) { d.Attributes[1].Values = []string{} }, `nominal attribute "n" has no values`},
		{func(d *Data) { d.Class = nil }, "no instances"},
		{func(d *Data) { d.Columns = d.Columns[:1] }, "1 columns for 2 attributes"},
		{func(d *Data) { d.Columns[0] = d.Columns[0][:1] }, `attribute "x" has 1 values for 2 instances`},
		{func(d *Data) { d.Columns[0][1] = nan }, `attribute "x" of instance 2: missing values are not supported`},
		{func(d *Data) { d.Columns[0][1] = inf }, `attribute "x" of instance 2 is infinite`},
		{func(d *Data) { d.Columns[1][0] = 2 }, `attribute "n" of instance 1 is 2, expected an index from 0 to 1`},
		{func(d *Data) { d.Columns[1][0] = 0.5 }, `attribute "n" of instance 1 is 0.5, expected an index from 0 to 1`},
		{func(d *Data) { d.Class[1] = 2 }, "instance 2 has class 2, expected 0 to 1"},
		{func(d *Data) { d.Class[1] = -1 }, "instance 2 has class -1, expected 0 to 1"},
		{func(d *Data) { d.Weights = []float64{1} }, "1 weights for 2 instances"},
		{func(d *Data) { d.Weights = []float64{1, 0} }, "instance 2 has weight 0, expected a number above 0"},
		{func(d *Data) { d.Weights = []float64{1, math.NaN()} }, "instance 2 has weight NaN, expected a number above 0"},
	} {
		d := good()
		c.spoil(d)
		if _, err := Grow(t.Context(), d, DefaultOptions(), 1); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	for _, o := range []Options{{}, {MinInstances: 1}, {MinInstances: 0, Confidence: 0.3}, {MinInstances: 1, Confidence: 0.6}, {MinInstances: 1, Confidence: math.NaN()}} {
		if _, err := Grow(t.Context(), good(), o, 1); err == nil || !strings.Contains(err.Error(), "expected") {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if _, err := Boost(t.Context(), good(), 0, DefaultOptions(), 1); err == nil {
		t.Error("no rounds are accepted")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Grow(ctx, good(), DefaultOptions(), 1); !errors.Is(err, context.Canceled) {
		t.Errorf("a canceled context: %v", err)
	}
}
