package studies

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/evaluation/metrics"
	"github.com/lethe-deid/lethe/evaluation/significance"
	"github.com/lethe-deid/lethe/experiments"
	"github.com/lethe-deid/lethe/internal/chart"
)

// The table has the scores of the run folders, and its test is that of the sums over the seeds. The
// same runs, given as folders, result in the same scores.
func TestCompare(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "study")
	one := load(t, tiny)
	two := load(t, tiny, "name=two", "system.ann.network.dropout=0", "system.ann.training.epochs=2")
	opt := Options{Dir: dir, Seeds: []uint64{2, 1}, Workers: 2, Shuffles: 50, Metrics: []string{"strict"}}
	systems := NewSystems([]string{"one.yaml", "two.yaml"}, []*experiments.Config{one, two}, nil)
	r, err := Compare(t.Context(), systems, opt)
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"tiny", "two"} {
		got := r.Metrics[0].Systems[i]
		for k, seed := range []string{"seed-2", "seed-1"} {
			want := prf(counts(t, dir, name+"/"+seed, "dev").Strict.Counts)
			if got.Name != name || got.Runs[k] != want {
				t.Errorf("%s, %s: %v, want %v", name, seed, got.Runs[k], want)
			}
		}
		if !(got.Low <= got.Mean.F1 && got.Mean.F1 <= got.High) {
			t.Errorf("%s: the interval [%v, %v] does not contain %v", name, got.Low, got.High, got.Mean.F1)
		}
	}
	gold, err := one.Corpus.Load("dev", nil)
	if err != nil {
		t.Fatal(err)
	}
	strict, err := metrics.Lookup("strict", one.Corpus.TypeSet())
	if err != nil {
		t.Fatal(err)
	}
	sums := make([][][]float64, 2) // by system and document
	var runs []*experiments.Run
	for i, name := range []string{"tiny", "two"} {
		for _, seed := range []string{"seed-1", "seed-2"} {
			run, err := experiments.OpenRun(filepath.Join(dir, "runs", name, seed))
			if err != nil {
				t.Fatal(err)
			}
			found, _, err := run.Found("dev")
			if err != nil {
				t.Fatal(err)
			}
			tallies := strict.Tallies(gold, found)
			if sums[i] == nil {
				sums[i] = tallies
			} else {
				for d := range tallies {
					for k, x := range tallies[d] {
						sums[i][d][k] += x
					}
				}
			}
			runs = append(runs, run)
		}
	}
	want, err := significance.Test(t.Context(), sums[0], sums[1], strict.Score, significance.Options{Shuffles: 50, Seed: 1, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	got := r.Metrics[0].Systems[1].Test
	if got.F1.P != want.F1.P || got.F1.Difference != want.F1.Difference || got.F1.Low != want.F1.Low || r.Metrics[0].Systems[0].Test != nil {
		t.Errorf("test %+v, want %+v", got.F1, want.F1)
	}
	again, err := Compare(t.Context(), NewSystems(nil, nil, runs), Options{Workers: 2, Shuffles: 50, Metrics: []string{"strict"}})
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range again.Metrics[0].Systems {
		before := r.Metrics[0].Systems[i]
		slices.Reverse(before.Runs) // 2, 1
		if !slices.Equal(s.Runs, before.Runs) || s.Low != before.Low || i == 1 && s.Test.F1 != before.Test.F1 {
			t.Errorf("%s: of the folders %+v, before %+v", s.Name, s, before)
		}
	}
	if len(r.Types) != 1 || len(r.Types[0].Types) == 0 {
		t.Errorf("types: %v", r.Types)
	}
	for _, typ := range r.Types[0].Types {
		report := counts(t, dir, "two/seed-2", "dev")
		if want := prf(report.Strict.Types[typ.Type]); typ.Systems[1].Runs[0] != want {
			t.Errorf("%s: %v, want %v", typ.Type, typ.Systems[1].Runs[0], want)
		}
	}

	// With different numbers of runs, what a document adds is the mean over the runs.
	uneven, err := Compare(t.Context(), NewSystems(nil, nil, runs[:3]), Options{Workers: 2, Shuffles: 50, Metrics: []string{"strict"}})
	if err != nil {
		t.Fatal(err)
	}
	if s := uneven.Metrics[0].Systems; len(s[0].Runs) != 2 || len(s[1].Runs) != 1 || s[1].Test.F1.B != s[1].Mean.F1 {
		t.Errorf("two runs and one: %+v", s)
	}
	if !strings.Contains(uneven.tables()[0].title, "the seeds of each system") {
		t.Error("the table does not say that the seeds differ")
	}
}

func TestNewSystems(t *testing.T) {
	config := func(name string, seed uint64, settings ...string) *experiments.Config {
		return load(t, tiny, append([]string{"name=" + name, "seed=" + string(rune('0'+seed))}, settings...)...)
	}
	run := func(dir string, c *experiments.Config) *experiments.Run { return &experiments.Run{Dir: dir, Config: c} }
	other := "system.ann.network.dropout=0"
	for _, test := range []struct {
		paths   []string
		configs []*experiments.Config
		runs    []*experiments.Run
		want    string
	}{
		{[]string{"a.yaml", "b.yaml"}, []*experiments.Config{config("a", 1), config("b", 1)}, nil, "a b"},
		{[]string{"x/a.yaml", "x/b.yaml"}, []*experiments.Config{config("n", 1), config("n", 1)}, nil, "a b"},
		{[]string{"x/a.yaml", "y/a.yaml", "b.yaml"}, []*experiments.Config{config("n", 1), config("n", 1), config("m", 1)}, nil, "x/a y/a m"},
		{nil, nil, []*experiments.Run{run("r1", config("n", 1)), run("r2", config("n", 2)), run("r3", config("m", 1))}, "n:2 m:1"},
		{nil, nil, []*experiments.Run{run("r1", config("n", 1)), run("r2", config("n", 1))}, "r1:1 r2:1"},
		{nil, nil, []*experiments.Run{run("s/full/seed-1", config("n", 1)), run("s/full/seed-2", config("n", 2)), run("s/less/seed-1", config("n", 1, other))}, "full:2 less:1"},
	} {
		var got []string
		for _, s := range NewSystems(test.paths, test.configs, test.runs) {
			if s.Config == nil {
				s.Name += ":" + string(rune('0'+len(s.Runs)))
			}
			got = append(got, s.Name)
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%v, want %s", got, test.want)
		}
	}
}

// hostile is a result whose names contain characters with a meaning in each of the formats.
type hostile struct{ Study string }

func (*hostile) tables() []table {
	two := Summarize([]evaluation.PRF{{F1: 0.5}, {F1: 0.75}})
	return []table{{
		name: "a", title: `50 % of A_B & {C} $\x^2~#`, head: []string{"type", "F1", "difference"},
		rows: [][]cell{
			{name(`"X|Y", _&%$#{}~^\<>`), two.cell(f1), between("%+.2f", -0.125, 0.25)},
			{name("[empty]"), blank, difference(-0.5)},
			{name("−1"), fraction(1./3).withNumber("of", quantity(2.5)), probability(0.00001)},
		},
		legend: []string{"p < 0.05"},
	}}
}

func (*hostile) charts() map[string]*chart.Chart { return nil }

func TestTableFormats(t *testing.T) {
	dir := t.TempDir()
	if err := write(dir, &hostile{}); err != nil {
		t.Fatal(err)
	}
	read := func(name string) string {
		raw, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	records, err := csv.NewReader(strings.NewReader(read("tables/a.csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{
		"type;F1;F1 deviation;difference low;difference high",
		`"X|Y", _&%$#{}~^\<>;0.625;0.1767766953;-0.125;0.25`,
		"[empty];;;-0.5;",
		"−1;0.3333333333;2.5;1e-05;",
	} {
		if got := strings.Join(records[i], ";"); got != want {
			t.Errorf("CSV: %s, want %s", got, want)
		}
	}
	latex := read("table.tex")
	for _, want := range []string{
		`\caption{50 \% of A\_B \& \{C\} \$\textbackslash{}x\textasciicircum{}2\textasciitilde{}\#}`,
		"\\begin{tabular}{@{}lrr@{}}\n\\toprule\ntype & F1 & difference \\\\\n\\midrule\n",
		`"X$|$Y", \_\&\%\$\#\{\}\textasciitilde{}\textasciicircum{}\textbackslash{}$<$$>$ & 0.6250 $\pm$ 0.1768 & [$-$0.12, $+$0.25] \\`,
		`{[empty]} &  & $-$0.5000 \\`,
		`$-$1 & 0.3333 (2.5) & 1e-05 \\`,
		`\footnotesize p $<$ 0.05`,
	} {
		if !strings.Contains(latex, want) {
			t.Errorf("LaTeX without %s:\n%s", want, latex)
		}
	}
	if !strings.Contains(read("table.md"), `| "X\|Y", `) {
		t.Error("Markdown: a column too many")
	}
	if err := write(dir, &hostile{}); err != nil || !bytes.Equal([]byte(latex), []byte(read("table.tex"))) {
		t.Errorf("written again: %v", err)
	}
}

// Runs that learned from a teacher, or from other notes, were seeds of the same system as plain runs, because only their configurations were
// compared, and two systems had the name of the folder that contains the runs of both.
func TestDistilledRunsWereSeedsOfPlainOnes(t *testing.T) {
	dir := t.TempDir()
	var runs []*experiments.Run
	for _, r := range []struct {
		name    string
		seed    uint64
		teacher string
		notes   string
	}{
		{"p1", 1, "", "a"}, {"p2", 2, "", "a"}, {"d1", 1, "x", "a"}, {"d2", 2, "x", "a"}, {"e1", 3, "y", "a"}, {"n1", 4, "", "b"},
	} {
		folder := filepath.Join(dir, r.name)
		if err := os.MkdirAll(folder, 0o777); err != nil {
			t.Fatal(err)
		}
		if r.teacher != "" {
			store(t, filepath.Join(folder, "distill.yaml"), []string{"teacher: moved/" + r.name, "digest: sha256:" + r.teacher, "notes: 0", "per_epoch: 3", "sampled: false"})
		}
		store(t, filepath.Join(folder, "run.json"), []string{`{"notes": "sha256:` + r.notes + `"}`})
		runs = append(runs, &experiments.Run{Dir: folder, Config: load(t, tiny, fmt.Sprintf("seed=%d", r.seed))})
	}
	var got []string
	for _, s := range NewSystems(nil, nil, runs) {
		got = append(got, fmt.Sprintf("%s:%d", s.Name, len(s.Runs)))
	}
	if want := "p1:2 d1:2 e1:1 n1:1"; strings.Join(got, " ") != want {
		t.Errorf("%v, want %s", got, want)
	}
	config := load(t, tiny)
	systems := NewSystems([]string{"a/crf.yaml"}, []*experiments.Config{config}, []*experiments.Run{{Dir: "a/crf", Config: config}})
	if systems[0].Name == systems[1].Name {
		t.Errorf("two systems have the name %s", systems[0].Name)
	}
}
