package evaluation

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/lethe-deid/lethe/data"
)

// The summed tallies of single documents give the scores of Compare to the bit,
// also for HIPAA's types. The system has the documents in another order and may
// lack one.
func TestMetricsAddUp(t *testing.T) {
	types := data.I2B2
	const text = "Seen by Dr. Oda Lund -- 01/02/2087."
	words := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) data.Span {
		i := rapid.IntRange(0, len(text)-1).Draw(t, "start")
		j := rapid.IntRange(i+1, len(text)).Draw(t, "end")
		return span(i, j, rapid.SampledFrom([]string{"DATE", "DOCTOR", "PATIENT"}).Draw(t, "type"))
	}), 0, 4)
	rapid.Check(t, func(t *rapid.T) {
		var gold, system []*data.Document
		for _, id := range []string{"a", "b", "c"} {
			gold = append(gold, doc(id, text, words.Draw(t, "gold")...))
			system = append(system, doc(id, text, words.Draw(t, "system")...))
		}
		slices.Reverse(system)
		system = system[rapid.IntRange(0, 1).Draw(t, "missing"):]
		whole, err := compare(gold, system)
		if err != nil {
			t.Fatal(err)
		}
		part, err := Options{Types: types, HIPAA: true}.Compare(data.Each(gold), data.Each(system))
		if err != nil {
			t.Fatal(err)
		}
		counts := func(r *Report) []Counts {
			return []Counts{r.Strict.Counts, r.Spans.Counts, r.Token.Counts, r.BinaryToken.Counts}
		}
		for i, m := range Metrics() {
			hipaa, err := m.HIPAA(types)
			if err != nil {
				t.Fatal(err)
			}
			for m, want := range map[*Metric]Counts{&m: counts(whole)[i], &hipaa: counts(part)[i]} {
				total := Sum(m.Tallies(gold, system))
				if got, want := m.Score(total), (PRF{want.Precision(), want.Recall(), want.F1()}); got != want {
					t.Errorf("%s: %+v, Compare says %+v", m.Name, got, want)
				}
			}
		}
	})
}
