package c45

import (
	"math"
	"testing"
)

// TestBoostingByHand boosts leaves: with at least 3 instances a branch the four
// cannot be split. The first tree says a and is wrong about one of four instances, so
// that e = 1/4, its weight is log 3, and the wrong instance gets the weight
// 3 * 4/6 = 2 and the others 2/3. The second tree would be a leaf with e = 1/2, which
// ends the training.
func TestBoostingByHand(t *testing.T) {
	d := mustRead(t, "@relation r\n@attribute x numeric\n@attribute c {a,b}\n@data\n1,a\n2,a\n3,a\n4,b\n")
	o := Options{MinInstances: 3, Confidence: 0.35, Raising: true}
	boosted, err := Boost(t.Context(), d, Rounds, o, 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(boosted.Trees) != 1 || math.Abs(boosted.Weights[0]-math.Log(3)) > 1e-12 {
		t.Fatalf("%d trees, weights %v", len(boosted.Trees), boosted.Weights)
	}
	weights := []float64{1, 1, 1, 1}
	wrong := []bool{false, false, false, true}
	if e := weightedError(weights, wrong); e != 0.25 {
		t.Errorf("error %v, want 0.25", e)
	}
	reweight(weights, wrong, 3)
	for i, want := range []float64{2. / 3, 2. / 3, 2. / 3, 2} {
		if math.Abs(weights[i]-want) > 1e-12 {
			t.Errorf("weights %v", weights)
		}
	}
}

// TestBoostingFollowsThePaper repeats each round through Grow and Classify, with the
// weights as Freund and Schapire (1996, figure 1) compute them: those of the right
// instances are multiplied by beta = e/(1-e). They are then scaled to a sum that is
// the number of instances.
func TestBoostingFollowsThePaper(t *testing.T) {
	d := tokenData(400, 10, 3)
	o := Options{MinInstances: 2, Confidence: 0.25, Raising: true}
	boosted, err := Boost(t.Context(), d, 6, o, 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(boosted.Trees) < 3 {
		t.Fatalf("only %d rounds", len(boosted.Trees))
	}
	d.Weights = make([]float64, d.Len())
	for i := range d.Weights {
		d.Weights[i] = 1
	}
	for round, got := range boosted.Trees {
		tree, err := Grow(t.Context(), d, o, 1)
		if err != nil {
			t.Fatal(err)
		}
		if tree.String() != got.String() {
			t.Fatalf("round %d: got\n%s\nwant\n%s", round+1, got, tree)
		}
		right, e, sum := make([]bool, d.Len()), 0.0, 0.0
		for i, w := range d.Weights {
			class, _ := tree.Classify(d.row(i))
			right[i] = class == int(d.Class[i])
			if !right[i] {
				e += w / float64(d.Len())
			}
		}
		beta := e / (1 - e)
		if want := math.Log(1 / beta); math.Abs(boosted.Weights[round]-want) > 1e-9 {
			t.Errorf("round %d: weight %v, want %v", round+1, boosted.Weights[round], want)
		}
		for i := range d.Weights {
			if right[i] {
				d.Weights[i] *= beta
			}
			sum += d.Weights[i]
		}
		for i := range d.Weights {
			d.Weights[i] *= float64(d.Len()) / sum
		}
	}
}

// row returns the values of an instance.
func (d *Data) row(i int) []float32 {
	row := make([]float32, len(d.Columns))
	for a := range row {
		row[a] = d.Columns[a][i]
	}
	return row
}

func TestVotes(t *testing.T) {
	says := func(class int32) *Tree {
		return &Tree{
			schema: &schema{attributes: []Attribute{{Name: "x"}}, classes: []string{"a", "b", "c"}},
			nodes:  []node{{attribute: leaf, class: class, total: 4, errors: 1}},
		}
	}
	for _, c := range []struct {
		votes   []int32
		weights []float64
		class   int
		share   float64
	}{
		{[]int32{2}, []float64{1}, 2, 0.75}, // a single tree answers for itself
		{[]int32{0, 1, 1}, []float64{2.5, 1, 1}, 0, 2.5 / 4.5},
		{[]int32{0, 1, 1}, []float64{1.5, 1, 1}, 1, 2 / 3.5},
		{[]int32{2, 1}, []float64{1, 1}, 1, 0.5}, // equal: the first class
	} {
		b := &Boosted{Weights: c.weights}
		for _, v := range c.votes {
			b.Trees = append(b.Trees, says(v))
		}
		if class, share := b.Classify([]float32{0}); class != c.class || math.Abs(share-c.share) > 1e-12 {
			t.Errorf("%v: class %d, share %v", c.votes, class, share)
		}
	}
}

func TestClassifyDoesNotAllocate(t *testing.T) {
	d := tokenData(500, 10, 4)
	boosted, err := Boost(t.Context(), d, 3, DefaultOptions(), 1)
	if err != nil {
		t.Fatal(err)
	}
	row := d.row(7)
	if n := testing.AllocsPerRun(100, func() { boosted.Classify(row) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
