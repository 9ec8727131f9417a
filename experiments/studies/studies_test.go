package studies

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/experiments"
	"github.com/lethe-deid/lethe/models"
	"github.com/lethe-deid/lethe/nn"
	"github.com/lethe-deid/lethe/taggers/ann"
)

const tiny = `name: tiny
corpus:
  format: synth
  notes: {train: 12, dev: 4, test: 3}
system:
  ann:
    tokenizer: letters-digits
    sentences: line
    network: {character_embedding: 4, character_lstm: 4, token_embedding: 8, token_lstm: 8, hidden: 0, dropout: 0.1}
    optimizer: {method: adam, learning_rate: 0.03}
    training: {batch: 4, epochs: 3}
`

func load(t *testing.T, yaml string, settings ...string) *experiments.Config {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.yaml")
	if err := os.WriteFile(path, []byte(yaml), 0o666); err != nil {
		t.Fatal(err)
	}
	c, err := experiments.Load(path, settings)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// counts reads the scores of a run.
func counts(t *testing.T, study, run, split string) *evaluation.Report {
	t.Helper()
	r := &evaluation.Report{}
	raw, err := os.ReadFile(filepath.Join(study, "runs", run, "evaluation", split+".json"))
	if err == nil {
		err = json.Unmarshal(raw, r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func prf(c evaluation.Counts) evaluation.PRF {
	return evaluation.PRF{Precision: c.Precision(), Recall: c.Recall(), F1: c.F1()}
}

// The table of an ablation has the scores of the run folders, and its tests are on the sums over
// all seeds. After an interruption, with one run lost and one incomplete, the resumed study
// produces the same bytes and trains no run twice.
func TestAblate(t *testing.T) {
	c := load(t, tiny+"ablations: [{name: no-dropout, set: [system.ann.network.dropout=0]}]\n")
	dir := filepath.Join(t.TempDir(), "study")
	var begun []string
	opt := Options{Dir: dir, Version: "1.2", Workers: 2, Seeds: []uint64{7, 3}, Shuffles: 50, Metrics: []string{"strict", "token"},
		Begin: func(run string, number, of int) { begun = append(begun, fmt.Sprintf("%s %d/%d", run, number, of)) }}
	a, err := Ablate(t.Context(), c, opt)
	if err != nil {
		t.Fatal(err)
	}
	networks := []string{"full", "no-crf", "no-tokens", "no-characters", "no-dropout"}
	if len(begun) != 10 || begun[0] != "full, seed 7 1/10" || begun[9] != "no-dropout, seed 3 10/10" {
		t.Errorf("begun: %q", begun)
	}
	if want := []LeftOut{{"no-vectors", "the same network as full"}}; !slices.Equal(a.LeftOut, want) {
		t.Errorf("left out: %v, want %v", a.LeftOut, want)
	}
	for i, m := range a.Metrics {
		if m.Metric != opt.Metrics[i] || len(m.Networks) != len(networks) {
			t.Fatalf("metric %s of %d networks", m.Metric, len(m.Networks))
		}
		var full evaluation.Counts
		for k, n := range m.Networks {
			var runs []evaluation.PRF
			var all evaluation.Counts
			for _, seed := range opt.Seeds {
				report := counts(t, dir, fmt.Sprintf("%s/seed-%d", n.Name, seed), "dev")
				c := report.Strict.Counts
				if m.Metric == "token" {
					c = report.Token.Counts
				}
				runs = append(runs, prf(c))
				all = evaluation.Counts{TP: all.TP + c.TP, FP: all.FP + c.FP, FN: all.FN + c.FN}
			}
			if n.Name != networks[k] || !slices.Equal(n.Runs, runs) {
				t.Errorf("%s, %s: scores %v, want %v of %s", m.Metric, n.Name, n.Runs, runs, networks[k])
			}
			if mean := (runs[0].F1 + runs[1].F1) / 2; math.Abs(n.Mean.F1-mean) > 1e-15 || math.Abs(n.Deviation.F1-math.Abs(runs[0].F1-runs[1].F1)/math.Sqrt2) > 1e-15 {
				t.Errorf("%s: mean %v ± %v of %v", n.Name, n.Mean.F1, n.Deviation.F1, runs)
			}
			if k == 0 {
				full = all
				if n.Test != nil {
					t.Error("full is tested against itself")
				}
				continue
			}
			d := n.Test.F1
			if d.A != full.F1() || d.B != all.F1() || d.Difference != d.B-d.A {
				t.Errorf("%s, %s: tested %v against %v, want %v against %v", m.Metric, n.Name, d.A, d.B, full.F1(), all.F1())
			}
			// 4 documents can be swapped in 2^4 ways, all of which are tried, so no p-value is
			// smaller than 2/16 and each is a multiple of 1/16.
			if p := 16 * d.P; !n.Test.Exact || n.Test.Shuffles != 15 || p < 2 || p != math.Round(p) || d.Holm < d.P {
				t.Errorf("%s, %s: p %v, with Holm's correction %v, of %d shuffles", m.Metric, n.Name, d.P, d.Holm, n.Test.Shuffles)
			}
		}
	}

	if r, err := experiments.OpenRun(filepath.Join(dir, "runs/no-crf/seed-3")); err != nil {
		t.Error(err)
	} else if m, err := r.Machine(); err != nil || m.Lethe != "1.2" {
		t.Errorf("a run says that it was trained by %+v: %v", m, err)
	}
	table := read(t, dir, "table.json")
	for _, name := range []string{"table.txt", "table.md", "ablation-strict.svg", "ablation-strict.png", "ablation-token.svg"} {
		if len(read(t, dir, name)) == 0 {
			t.Errorf("%s is empty", name)
		}
	}
	// One run is lost, another has what a killed program left of its first epoch, and a third was
	// never scored.
	if err := errors.Join(os.RemoveAll(filepath.Join(dir, "runs/no-crf/seed-3")),
		os.RemoveAll(filepath.Join(dir, "runs/full/seed-7/model/state.safetensors")), os.RemoveAll(filepath.Join(dir, "runs/full/seed-7/evaluation")),
		os.RemoveAll(filepath.Join(dir, "runs/no-tokens/seed-7/evaluation"))); err != nil {
		t.Fatal(err)
	}
	begun, opt.Resume, opt.Workers = nil, true, 0
	if _, err := Ablate(t.Context(), c, opt); err != nil {
		t.Fatal(err)
	}
	if want := []string{"full, seed 7 1/3", "no-crf, seed 3 2/3", "no-tokens, seed 7 3/3"}; !slices.Equal(begun, want) {
		t.Errorf("begun when resumed: %q, want %q", begun, want)
	}
	if diff := cmp.Diff(table, read(t, dir, "table.json")); diff != "" {
		t.Error("resumed, the study came to something else: -whole +resumed", diff)
	}

	// Another metric has other charts, which replace the earlier ones. Files of the user stay.
	if err := os.WriteFile(filepath.Join(dir, "ablation-mine.png"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	opt.Metrics = []string{"token", "spans"}
	if _, err := Ablate(t.Context(), c, opt); err != nil {
		t.Fatal(err)
	}
	charts, err := filepath.Glob(filepath.Join(dir, "*.[sp][vn]g"))
	for i := range charts {
		charts[i] = filepath.Base(charts[i])
	}
	if want := []string{"ablation-mine.png", "ablation-spans.png", "ablation-spans.svg", "ablation-token.png", "ablation-token.svg", "types-token.png", "types-token.svg"}; err != nil || !slices.Equal(charts, want) {
		t.Errorf("charts %v, want %v, error %v", charts, want, err)
	}

	// Another split of the same runs, and studies that cannot be resumed.
	begun, opt.Split, opt.Metrics = nil, "test", []string{"strict", "token"}
	if b, err := Ablate(t.Context(), c, opt); err != nil || b.Documents != 3 || len(begun) != 10 || b.Metrics[0].Networks[0].Runs[0] != prf(counts(t, dir, "full/seed-7", "test").Strict.Counts) {
		t.Errorf("on test: %v, %d runs, %v", err, len(begun), b)
	}
	other := load(t, tiny, "system.ann.network.dropout=0.2")
	if _, err := Ablate(t.Context(), other, opt); err == nil || !strings.HasSuffix(err.Error(),
		filepath.FromSlash("runs/full/seed-7")+": system.ann.network.dropout was 0.1 when the run began, and is 0.2 now: choose another folder by --out") {
		t.Errorf("another configuration: error %v", err)
	}
	opt.Workers = 3
	if _, err := Ablate(t.Context(), c, opt); err == nil || err.Error() != dir+": workers was 2 when the study began, and is 3 now: it cannot be resumed" {
		t.Errorf("other workers: error %v", err)
	}
	if _, err := Curve(t.Context(), c, CurveOptions{By: "patient"}, Options{Dir: dir, Resume: true}); err == nil ||
		err.Error() != dir+": study was ablate when the study began, and is curve now: it cannot be resumed" {
		t.Errorf("another study: error %v", err)
	}
	if _, err := Ablate(t.Context(), c, Options{Dir: dir}); err == nil || !strings.Contains(err.Error(), "the folder is not empty") {
		t.Errorf("not resumed: error %v", err)
	}
}

// A tree of taggers is compared with what remains without one of them, by type as well. Scores by type
// are those of the run folders, and differences those of the means.
func TestAblateTree(t *testing.T) {
	const tree = `name: tree
corpus: {format: synth, notes: {train: 12, dev: 4}}
system:
  ensemble:
    method: union
    members:
    - {name: learned, system: {crf: {features: [{family: lower}], training: {iterations: 5}}}}
    - {name: rules, system: {rules: {set: english}}}
ablations:
- {name: no-rules, without: [system.ensemble.members.rules]}
- {name: basic+window, set: ["corpus.copies={number: 1, swap_values: 0.5}"]}
- {name: basic+no-rules, without: [system.ensemble.members.rules], set: ["corpus.copies={number: 1, swap_values: 0.5}"]}
`
	dir := filepath.Join(t.TempDir(), "study")
	c := load(t, tree)
	a, err := Ablate(t.Context(), c, Options{Dir: dir, Workers: 2, Seeds: []uint64{1, 2}, Shuffles: 9, Metrics: []string{"macro/token", "token", "strict"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Types) != 2 || a.Types[0].Metric != "token" || a.Types[1].Metric != "strict" {
		t.Fatalf("types for %d measures", len(a.Types))
	}
	for _, m := range a.Types {
		seen := false
		for _, typ := range m.Types {
			var full float64
			for k, n := range typ.Networks {
				var mean float64
				for _, seed := range []int{1, 2} {
					report := counts(t, dir, fmt.Sprintf("%s/seed-%d", n.Name, seed), "dev")
					types := report.Token.Types
					if m.Metric == "strict" {
						types = report.Strict.Types
					}
					c := types[typ.Type]
					mean += c.F1() / 2
					if typ.Gold != c.TP+c.FN {
						t.Errorf("%s: %d of %s, want %d", m.Metric, typ.Gold, typ.Type, c.TP+c.FN)
					}
				}
				if k == 0 {
					full = mean
				}
				if math.Abs(n.Mean.F1-mean) > 1e-15 || math.Abs(n.Difference.F1-(mean-full)) > 1e-15 {
					t.Errorf("%s of %s in %s: %+v, want %v and %v", m.Metric, typ.Type, n.Name, n, mean, mean-full)
				}
				seen = seen || n.Difference.F1 < 0
			}
		}
		if !seen {
			t.Errorf("%s: no type is worse without the rules", m.Metric)
		}
	}
	charts := a.charts()
	groups := charts["groups-strict"].Boxes
	if want := []string{"full", "no-rules", "basic"}; !slices.Equal(groups.Groups, want) {
		t.Errorf("groups %q, want %q", groups.Groups, want)
	}
	f := func(k int) float64 { return a.Metrics[2].Networks[k].Mean.F1 }
	if box := groups.Boxes[2]; box.Low != min(f(2), f(3)) || box.High != max(f(2), f(3)) {
		t.Errorf("basic is %v, of %v and %v", box, f(2), f(3))
	}
	byType := charts["types-macro-token"].Boxes
	if byType.Groups[0] != "Average" || charts["types-token"].Boxes.Groups[0] != "All" || byType.Boxes[0].High != byType.Dots[len(byType.Dots)-1].Values[0] || byType.Dots[0].Values[0] != a.Metrics[0].Networks[0].Mean.F1 {
		t.Errorf("box of all: %v, dots %v", byType.Boxes[0], byType.Dots)
	}
	var written map[string]any
	if err := json.Unmarshal([]byte(read(t, dir, "table.json")), &written); err != nil {
		t.Fatal(err)
	}
	typ := written["types"].([]any)[0].(map[string]any)["types"].([]any)[0].(map[string]any)
	if network := typ["networks"].([]any)[1].(map[string]any); network["name"] != "no-rules" || network["difference"].(map[string]any)["f1"] == nil || typ["gold"] == nil {
		t.Errorf("JSON of a type: %v", typ)
	}
	if text := read(t, dir, "table.txt"); !strings.Contains(text, "strict by type on dev: full, no-rules, and the difference") {
		t.Errorf("no table by type:\n%s", text)
	}
}

func read(t *testing.T, path ...string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// With vectors there are all five networks of the paper, which differ in the part they lack.
// Networks without a part to remove are left out.
func TestAblations(t *testing.T) {
	c := load(t, tiny, "system.ann.vectors={file: /vectors.txt, freeze: true}")
	variants, left, err := ablations(c)
	if err != nil || len(left) != 0 || len(variants) != 5 {
		t.Fatalf("%d variants, left out %v, error %v", len(variants), left, err)
	}
	for i, v := range variants {
		a := ann.Of(v.config.System)
		if crf := i != 1; a.Network.CRF != crf {
			t.Errorf("%s: CRF %v", v.name, a.Network.CRF)
		} else if a.Constrain != crf {
			t.Errorf("%s: constrained %v", v.name, a.Constrain)
		}
		if vectors := i != 2 && i != 3; (a.Vectors.File != "") != vectors || a.Vectors.Freeze != vectors {
			t.Errorf("%s: vectors %+v", v.name, a.Vectors)
		}
		if tokens := i != 3; (a.Network.TokenEmbedding > 0) != tokens {
			t.Errorf("%s: token embedding %d", v.name, a.Network.TokenEmbedding)
		}
		if characters := i != 4; (a.Network.CharacterLSTM > 0) != characters || (a.Network.CharacterEmbedding > 0) != characters {
			t.Errorf("%s: characters %d, %d", v.name, a.Network.CharacterEmbedding, a.Network.CharacterLSTM)
		}
	}

	variants, _, err = ablations(load(t, tiny, "system.ann.network.characters=cnn", "system.ann.network.character_lstm=0"))
	if err != nil || ann.Of(variants[len(variants)-1].config.System).Network.ReadsCharacters() {
		t.Errorf("a character CNN is not left out: %v", err)
	}

	variants, left, err = ablations(load(t, tiny, "system.ann.network={crf: false, token_embedding: 0}"))
	want := []LeftOut{{"no-crf", "the same network as full"}, {"no-vectors", "the same network as full"}, {"no-tokens", "the same network as full"},
		{"no-characters", "system.ann.network.token_embedding: 0, and there is no character part: the network has no input"}}
	if err != nil || len(variants) != 1 || !slices.Equal(left, want) {
		t.Errorf("%d variants, left out %v, error %v", len(variants), left, err)
	}

	for yaml, want := range map[string]string{
		"{name: full, set: [seed=2]}":                                                "ablations[0].name: full is already one of the compared networks",
		"{name: no-crf, set: [seed=2]}":                                              "ablations[0].name: no-crf is already one of the compared networks",
		"{name: a, set: [system.ann.network.dropout=0.1]}":                           "ablations[0] (a): the same network as full",
		"{name: a, set: [system.ann.constrain=false, system.ann.network.crf=false]}": "ablations[0] (a): the same network as no-crf",
		// The variant was trained with the seeds of the study, as full was, and had no effect.
		"{name: a, set: [seed=3]}":                         "ablations[0] (a): seed: cannot be varied, because a study decides it for all of its runs",
		"{name: a, set: [sed=0]}":                          "ablations[0] (a): sed: unknown key (have name, seed, seeds, corpus, system, clean, ablations)",
		"{name: a, set: [system.ann.network.dropout=1.5]}": "ablations[0] (a): system.ann.network.dropout: 1.5 is not in [0, 1)",
		"{name: a, set: [dropout]}":                        "ablations[0] (a): dropout: not of the form path=value, as in seed=2 or system.ensemble.members[0].name=first",
		"{name: a, set: [corpus.types=mimic]}":             "ablations[0] (a): the type set is another, so the scores cannot be compared",
	} {
		real := strings.Replace(tiny, "synth\n  notes: {train: 12, dev: 4, test: 3}", "brat\n  types: i2b2-2014\n  splits: {train: a, dev: b}", 1)
		if _, _, err := ablations(load(t, real+"ablations: ["+yaml+"]\n")); err == nil || err.Error() != want {
			t.Errorf("%s: error\n%v\nwant\n%s", yaml, err, want)
		}
	}
}

// Each size has the scores of its run folders and the number of annotations in the corpora of those
// runs. The largest size is all of train.
func TestCurve(t *testing.T) {
	c := load(t, tiny)
	dir := filepath.Join(t.TempDir(), "study")
	opt := Options{Dir: dir, Workers: 2, Seeds: []uint64{1, 2}, Split: "test"}
	curve, err := Curve(t.Context(), c, CurveOptions{Sizes: []Size{{share: 1}, {documents: 4}}, By: "patient"}, opt)
	if err != nil {
		t.Fatal(err)
	}
	sizes := []int{4, 12}
	for i, p := range curve.Metrics[0].Points {
		instances, byType := 0., map[string]float64{}
		var runs []evaluation.PRF
		for _, seed := range opt.Seeds {
			name := fmt.Sprintf("documents-%d/seed-%d", sizes[i], seed)
			run, err := experiments.OpenRun(filepath.Join(dir, "runs", name))
			if err != nil {
				t.Fatal(err)
			}
			docs, err := run.Config.Corpus.Load("train", nil)
			if err != nil || len(docs) != sizes[i] || run.Config.Seed != seed {
				t.Fatalf("%s: %d documents, seed %d, error %v", name, len(docs), run.Config.Seed, err)
			}
			for _, d := range docs {
				instances += float64(len(d.Spans)) / 2
				for _, s := range d.Spans {
					byType[s.Type] += 0.5
				}
			}
			runs = append(runs, prf(counts(t, dir, name, "test").Strict.Counts))
		}
		if p.Documents != sizes[i] || p.Instances != instances || !slices.Equal(p.Runs, runs) {
			t.Errorf("size %d, %v annotations, scores %v; want %d, %v, %v", p.Documents, p.Instances, p.Runs, sizes[i], instances, runs)
		}
		for _, typ := range curve.Types {
			n := counts(t, dir, "documents-4/seed-1", "test").Strict.Types[typ.Type]
			if typ.Gold != n.TP+n.FN {
				t.Errorf("test has %d of %s, want %d", typ.Gold, typ.Type, n.TP+n.FN)
			}
			for _, p := range typ.Points {
				if p.Documents == sizes[i] && p.Instances != byType[typ.Type] {
					t.Errorf("%d documents have %v of %s, want %v", p.Documents, p.Instances, typ.Type, byType[typ.Type])
				}
			}
		}
	}
	for _, name := range []string{"table.json", "curve.svg", "types.png"} {
		if len(read(t, dir, name)) == 0 {
			t.Errorf("%s is empty", name)
		}
	}
}

// Several systems are trained on the same documents at each size, and each has the curve that it has
// alone. Resumed, the study produces the same bytes.
func TestCurves(t *testing.T) {
	network := load(t, tiny)
	crf := load(t, tiny, "name=crf", "corpus.copies={number: 1, swap_values: 0.5}")
	crf.System = load(t, "name: crf\ncorpus: {format: synth, notes: {train: 12, dev: 4}}\nsystem: {crf: {features: [{family: lower}], training: {iterations: 5}}}\n").System
	dir := filepath.Join(t.TempDir(), "study")
	sizes := CurveOptions{Sizes: []Size{{share: 0.5}, {share: 1}}, By: "patient", SameUpdates: true}
	opt := Options{Dir: dir, Workers: 2, Seeds: []uint64{1, 2}}
	r, err := Curves(t.Context(), []*experiments.Config{network, crf}, sizes, opt)
	if err != nil {
		t.Fatal(err)
	}
	alone, err := Curve(t.Context(), network, sizes, Options{Dir: filepath.Join(t.TempDir(), "alone"), Workers: 2, Seeds: opt.Seeds})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(alone, r.Systems[0]); diff != "" {
		t.Error("beside another system, a curve is another: -alone +beside", diff)
	}
	for i, p := range r.Systems[1].Metrics[0].Points {
		n := []int{6, 12}[i]
		var runs []evaluation.PRF
		for _, seed := range opt.Seeds {
			var trained [2]map[string]bool
			for k, name := range []string{"tiny", "crf"} {
				run, err := experiments.OpenRun(filepath.Join(dir, fmt.Sprintf("runs/%s/documents-%d/seed-%d", name, n, seed)))
				if err != nil {
					t.Fatal(err)
				}
				docs, err := run.Config.Corpus.Load("train", nil)
				if err != nil {
					t.Fatal(err)
				}
				trained[k] = map[string]bool{}
				for _, d := range docs {
					trained[k][d.ID] = true
				}
			}
			if !cmp.Equal(trained[0], trained[1]) || len(trained[0]) != n {
				t.Errorf("size %d, seed %d: trained on %v and %v", n, seed, trained[0], trained[1])
			}
			runs = append(runs, prf(counts(t, dir, fmt.Sprintf("crf/documents-%d/seed-%d", n, seed), "dev").Strict.Counts))
		}
		if p.Documents != n || !slices.Equal(p.Runs, runs) {
			t.Errorf("%d documents: %v, want %v", p.Documents, p.Runs, runs)
		}
	}
	lines := r.charts()["curve-strict"].Lines
	if len(lines) != 2 || lines[0].Name != "tiny" || lines[1].Name != "crf" || lines[1].Points[0].X != 50 || lines[1].Points[1].X != 100 ||
		lines[1].Points[1].Y != r.Systems[1].Metrics[0].Points[1].Mean.F1 {
		t.Errorf("lines %+v", lines)
	}
	table := read(t, dir, "table.json")
	for _, key := range []string{`"study": "curve"`, `"train": 12`, `"systems": [`, `"binary_types": [`} {
		if !strings.Contains(table, key) {
			t.Errorf("no %s in the JSON", key)
		}
	}
	for _, want := range []string{"F1, strict on dev (4 documents)", "\n6                             50 %", "crf, strict on dev"} {
		if text := read(t, dir, "table.txt"); !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	opt.Resume = true
	if _, err := Curves(t.Context(), []*experiments.Config{network, crf}, sizes, opt); err != nil || read(t, dir, "table.json") != table {
		t.Errorf("resumed: error %v, or another table", err)
	}

	for want, configs := range map[string][]*experiments.Config{
		"two experiments are named tiny: the tables could not distinguish them":                                                               {network, network},
		"corpus.seed is 1 in tiny but 7 in other: learning curves can only be compared on the same corpus (--set applies to all experiments)": {network, load(t, tiny, "name=other", "corpus.seed=7")},
		"only networks (ann) can be trained with the same number of updates, and the system has none":                                         {crf},
	} {
		dir := filepath.Join(t.TempDir(), "x")
		if _, err := Curves(t.Context(), configs, sizes, Options{Dir: dir}); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Error("a study that did not begin leaves a folder")
		}
	}
}

// Of more than eight types, the commonest have a chart of their own, and names only there. Types that
// the training documents or the scored split lack are not drawn.
func TestTypeCharts(t *testing.T) {
	r := &LearningCurve{Name: "x", Split: "dev", Metrics: []CurveMetric{{Points: []CurvePoint{{Documents: 5}}}}}
	for i := range 12 {
		p := CurvePoint{Documents: 5, Instances: float64(10 * i)}
		p.Mean.F1 = 0.88 + 0.01*float64(i)
		typ := CurveType{Type: fmt.Sprint("T", i), Gold: 3, Points: []CurvePoint{p}}
		if i == 11 {
			typ.Gold = 0
		}
		r.BinaryTypes = append(r.BinaryTypes, typ)
	}
	charts := r.charts()
	all, common := charts["types"].Lines[0].Points, charts["types-common"].Lines[0].Points
	if len(all) != 10 || len(common) != 8 || common[0].Label != "T10" || common[7].Label != "T3" || charts["types-common"].Y.Min != 0.9 {
		t.Errorf("%d types, common %+v from %v", len(all), common, charts["types-common"].Y.Min)
	}
	named := 0
	for _, p := range all {
		if p.Label != "" {
			named++
		}
	}
	if named != 2 {
		t.Errorf("%d types are named in the chart of all", named)
	}
	r.BinaryTypes = r.BinaryTypes[:8]
	if charts := r.charts(); charts["types-common"] != nil || charts["types"].Lines[0].Points[6].Label != "T7" {
		t.Error("seven types have two charts, or no names")
	}
}

func TestSizes(t *testing.T) {
	for text, want := range map[string]int{"1": 1, "200": 200, "0.1": 20, "10%": 20, "0.101": 21, "1.0": 200, "100%": 200, "0.5%": 1, "0.7": 140} {
		s, err := ParseSize(text)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := s.in(200); n != want || err != nil {
			t.Errorf("%s of 200 is %d, want %d; error %v", text, n, want, err)
		}
	}
	for _, text := range []string{"", "0", "-1", "1.5", "0.0", "150%", "x", "1e3", "nan", "0x10"} {
		if s, err := ParseSize(text); err == nil {
			t.Errorf("%q is %+v", text, s)
		}
	}
	for _, test := range []struct {
		sizes []Size
		all   int
		want  string
	}{
		{nil, 500, "[10 20 50 100 200 500]"},
		{nil, 8, "[8]"},
		{nil, 30, "[10 20 30]"},
		{[]Size{{documents: 7}, {share: 0.5}}, 8, "[4 7]"},
		{[]Size{{documents: 4}, {share: 0.5}}, 8, "duplicate size 4"},
		{[]Size{{documents: 9}}, 8, "size 9: there are only 8 documents to train on"},
	} {
		got, err := CurveOptions{Sizes: test.sizes}.counts(test.all)
		if fmt.Sprint(got) != test.want && fmt.Sprint(err) != test.want {
			t.Errorf("%v of %d: %v, %v; want %s", test.sizes, test.all, got, err, test.want)
		}
	}
}

// A tenth of the documents has ten times as many epochs, over which the learning rate decays by the
// same total factor.
func TestStretch(t *testing.T) {
	c := load(t, tiny, "system.ann.training={epochs: 30, patience: 8, evaluate_every: 2}", "system.ann.optimizer.decay=0.97")
	stretched := func(times float64) *experiments.Config {
		long, err := c.Changed(func(c *experiments.Config) { stretch(ann.Of(c.System), times) })
		if err != nil {
			t.Fatal(err)
		}
		return long
	}
	a := ann.Of(stretched(10).System)
	if a.Training.Epochs != 300 || a.Training.Patience != 80 || a.Training.EvaluateEvery != 20 ||
		math.Abs(math.Pow(a.Optimizer.Decay, 300)-math.Pow(0.97, 30)) > 1e-12 {
		t.Errorf("stretched: %+v %+v", a.Training, a.Optimizer)
	}
	// The schedule stayed as it was, so that the rate of small sets fell too early, or a plateau was shorter than the epochs between two scores.
	for schedule, want := range map[string]nn.Schedule{
		"{method: step, every: 3, warmup: 0.5}": {Method: "step", Every: 30, Warmup: 5},
		"{method: plateau, patience: 2}":        {Method: "plateau", Patience: 20},
	} {
		c = load(t, tiny, "system.ann.training={epochs: 30, patience: 8, evaluate_every: 2}", "system.ann.optimizer.schedule="+schedule)
		if got := ann.Of(stretched(10).System).Optimizer.Schedule; got != want {
			t.Errorf("stretched: %+v", got)
		}
	}
	if same := stretched(1); !cmp.Equal(same, c, cmpopts.IgnoreUnexported(experiments.Config{})) {
		t.Errorf("all documents have another schedule: %v", same)
	}
}

// Every document of train is tested once, by a network that has not seen it or any other note of
// its patient, neither to train nor to choose the epoch.
// A fold of a system that does not use dev trains on all other folds, unless the experiment holds a
// part out.
func TestFoldsHoldOutOnlyForDev(t *testing.T) {
	crf, _, _ := strings.Cut(tiny, "  ann:")
	crf += "  crf: {features: [{family: word}]}\n"
	for name, c := range map[string]struct {
		config *experiments.Config
		train  int // of the 8 documents of the other two folds; of 10 if dev is merged into train
	}{
		"network":          {load(t, tiny), 7},
		"network, merged":  {load(t, tiny, "corpus.merge=[train, dev]"), 9},
		"network, epochs":  {load(t, tiny, "system.ann.training.patience=0"), 8},
		"CRF":              {load(t, crf), 8},
		"CRF, and a third": {load(t, strings.Replace(crf, "{train: 12, dev: 4, test: 3}", "{train: 12}", 1), "corpus.hold_out={fraction: 0.5, by: document}"), 4},
	} {
		s := &study{config: c.config}
		variants, _, err := s.folds(3, "document")
		if err != nil {
			t.Fatal(err)
		}
		train, err := variants[0].config.Corpus.Load("train", nil)
		if err != nil || len(train) != c.train {
			t.Errorf("%s: %d documents, error %v, want %d", name, len(train), err, c.train)
		}
	}
}

func TestCrossValidate(t *testing.T) {
	c := load(t, tiny)
	dir := filepath.Join(t.TempDir(), "study")
	r, err := CrossValidate(t.Context(), c, 3, "patient", Options{Dir: dir, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	all, err := c.Corpus.Load("train", nil)
	if err != nil {
		t.Fatal(err)
	}
	tested := map[string]int{}
	var pooled evaluation.Counts
	byType, tokens := map[string]evaluation.Counts{}, map[string]evaluation.Counts{}
	var each []evaluation.PRF
	for number := 1; number <= 3; number++ {
		name := fmt.Sprintf("fold-%d-of-3/seed-1", number)
		run, err := experiments.OpenRun(filepath.Join(dir, "runs", name))
		if err != nil {
			t.Fatal(err)
		}
		patients := map[string]bool{}
		for _, split := range []string{"test", "train", "dev"} {
			docs, err := run.Config.Corpus.Load(split, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range docs {
				if split == "test" {
					tested[d.ID]++
					patients[d.Patient] = true
				} else if patients[d.Patient] {
					t.Errorf("fold %d: patient %s is tested, and in %s", number, d.Patient, split)
				}
			}
		}
		report := counts(t, dir, name, "test")
		n := report.Strict.Counts
		pooled = evaluation.Counts{TP: pooled.TP + n.TP, FP: pooled.FP + n.FP, FN: pooled.FN + n.FN}
		byType, tokens = plus(byType, report.Strict.Types), plus(tokens, report.Token.Types)
		each = append(each, prf(n))
		if f := r.Metrics[0].Folds[number-1]; f.Number != number || f.Documents != report.Documents || f.Mean != prf(n) {
			t.Errorf("fold %d is %+v", number, f)
		}
	}
	if len(tested) != len(all) || r.Documents != len(all) {
		t.Errorf("%d of %d documents are tested", len(tested), len(all))
	}
	for id, n := range tested {
		if n != 1 {
			t.Errorf("%s is tested %d times", id, n)
		}
	}
	if m := r.Metrics[0]; m.Pooled.Mean != prf(pooled) || !slices.Equal(m.Each.Runs, each) {
		t.Errorf("pooled %v, want %v; each %v, want %v", m.Pooled.Mean, prf(pooled), m.Each.Runs, each)
	}
	for unit, scores := range map[string]struct {
		got  []TypeScore
		want map[string]evaluation.Counts
	}{"spans": {r.Types, byType}, "tokens": {r.Tokens, tokens}} {
		if len(scores.got) != len(scores.want) || len(scores.got) == 0 {
			t.Errorf("%s of %d types, want %d", unit, len(scores.got), len(scores.want))
		}
		for _, typ := range scores.got {
			if n := scores.want[typ.Type]; typ.Mean != prf(n) || typ.Instances != float64(n.TP+n.FN) {
				t.Errorf("%s: %s: %+v, want %+v", unit, typ.Type, typ, n)
			}
		}
	}

	for folds, want := range map[int]string{
		1:  "corpus.fold.of: 1 is neither 0 nor at least 2",
		13: "corpus.fold: 13 folds require as many documents, but there are only 12",
	} {
		if _, err := CrossValidate(t.Context(), c, folds, "document", Options{Dir: filepath.Join(t.TempDir(), "x")}); err == nil || err.Error() != want {
			t.Errorf("%d folds: error %v, want %s", folds, err, want)
		}
	}
	if _, err := CrossValidate(t.Context(), c, 2, "page", Options{}); err == nil || err.Error() != `corpus.fold.by: "page" is not document or patient` {
		t.Errorf("by page: error %v", err)
	}
}

// A model has the same scores on each corpus as if scored alone, with the types of both sides
// mapped. The spans that the map removes are counted.
func TestCross(t *testing.T) {
	dir := t.TempDir()
	var runs []*experiments.Run
	for _, name := range []string{"one", "two"} {
		c := load(t, tiny, "name="+name, "seed="+fmt.Sprint(len(runs)+1), "corpus.seed="+fmt.Sprint(len(runs)+1))
		if _, err := experiments.Train(t.Context(), c, experiments.TrainOptions{Dir: filepath.Join(dir, name), Workers: 2}); err != nil {
			t.Fatal(err)
		}
		run, err := experiments.OpenRun(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, run)
	}
	other := load(t, tiny, "name=other", "corpus.seed=3")
	places := &data.TypeMap{Name: "places", To: map[string]string{"CITY": "PLACE", "STATE": "PLACE", "HOSPITAL": "PLACE", "DATE": ""}}
	crossing, err := Cross(t.Context(), NewSystems([]string{"other.yaml"}, []*experiments.Config{other}, runs), CrossOptions{Map: places, Split: "dev", Metrics: []string{"strict"}, Workers: 2, Dir: filepath.Join(dir, "x")})
	if err != nil {
		t.Fatal(err)
	}
	if len(crossing.Cells) != 6 || len(crossing.Corpora) != 3 {
		t.Fatalf("%d cells, %d corpora", len(crossing.Cells), len(crossing.Corpora))
	}
	for i, cell := range crossing.Cells {
		run, c := runs[i/3], []*experiments.Config{runs[0].Config, runs[1].Config, other}[i%3]
		gold, err := c.Corpus.Load("dev", nil)
		if err != nil {
			t.Fatal(err)
		}
		model, err := models.Open(run.Dir, 1)
		if err != nil {
			t.Fatal(err)
		}
		found, err := model.Tag(t.Context(), gold)
		if err != nil {
			t.Fatal(err)
		}
		dropped, unknown, goldPlaces := 0, 0, 0
		place := func(spans []data.Span) (kept []data.Span) {
			for _, s := range spans {
				switch s.Type {
				case "CITY", "STATE", "HOSPITAL":
					s.Type = "PLACE"
					kept = append(kept, s)
				case "DATE":
					dropped++
				default:
					unknown++
				}
			}
			return kept
		}
		var wanted, got [][]data.Span
		for k, d := range gold {
			wanted = append(wanted, place(d.Spans))
			goldPlaces += len(wanted[k])
		}
		dropped, unknown = 0, 0
		for _, spans := range found {
			got = append(got, place(spans))
		}
		want := evaluation.Strict(wanted, got)
		if cell.Train != run.Config.Name || cell.Test != c.Name || cell.Scores["strict"].PRF != prf(want) || goldPlaces == 0 {
			t.Errorf("%s on %s: %v, want %v", cell.Train, cell.Test, cell.Scores["strict"], prf(want))
		}
		if n := cell.Tokens["PLACE"]; cell.Types["PLACE"].TP+cell.Types["PLACE"].FN != goldPlaces || n.TP+n.FN <= goldPlaces {
			t.Errorf("%s on %s: %+v tokens of %d places", cell.Train, cell.Test, n, goldPlaces)
		}
		count := func(m map[string]int) (n int) {
			for _, x := range m {
				n += x
			}
			return n
		}
		if count(cell.LeftOut.Dropped) != dropped || count(cell.LeftOut.Unknown) != unknown {
			t.Errorf("%s on %s: left out %v, want %d and %d", cell.Train, cell.Test, cell.LeftOut, dropped, unknown)
		}
	}
	if text := read(t, dir, "x", "table.txt"); !strings.Contains(text, "left out of the gold standard of other by the map: DATE ") ||
		!strings.Contains(text, "because the map does not know them: ") {
		t.Errorf("the table does not say what was left out:\n%s", text)
	}

	mixed := *runs[1].Config
	mixed.Name, mixed.Corpus.Types = "mixed", data.TypeSetConfig{Name: "conll"}
	if _, err := Cross(t.Context(), NewSystems([]string{"m"}, []*experiments.Config{&mixed}, runs[:1]), CrossOptions{}); err == nil ||
		!strings.HasPrefix(err.Error(), "one and mixed have different type sets, i2b2-2014 and conll: a type map must say how they compare (have i2b2-2006, ") {
		t.Errorf("no map: error %v", err)
	}
}

// Invalid options are reported before anything is trained.
func TestBadStudies(t *testing.T) {
	c := load(t, tiny)
	for want, opt := range map[string]Options{
		"duplicate seed 1":                                 {Seeds: []uint64{1, 2, 1}},
		"duplicate metric strict":                          {Metrics: []string{"strict", "strict"}},
		`no metric "lax"...`:                               {Metrics: []string{"lax"}},
		"corpus: no split nowhere (have dev, test, train)": {Split: "nowhere"},
		"the networks were trained on the split train: score another split": {Split: "train"},
	} {
		opt.Dir = filepath.Join(t.TempDir(), "x")
		_, err := Ablate(t.Context(), c, opt)
		begin, cut := strings.CutSuffix(want, "...")
		if err == nil || err.Error() != want && (!cut || !strings.HasPrefix(err.Error(), begin)) {
			t.Errorf("error %v, want %s", err, want)
		}
		if _, err := os.Stat(opt.Dir); err == nil {
			t.Error("a study that did not begin leaves a folder")
		}
	}
	if _, err := Curve(t.Context(), load(t, tiny, "corpus.subset.documents=3"), CurveOptions{By: "patient"}, Options{}); err == nil ||
		err.Error() != "corpus.subset: must not be set, because a learning curve sets it" {
		t.Errorf("subset: error %v", err)
	}
	if _, err := CrossValidate(t.Context(), load(t, tiny, "corpus.notes.test=null", "corpus.fold={number: 1, of: 3}"), 3, "patient", Options{}); err == nil ||
		err.Error() != "corpus.fold: must not be set, because a cross-validation sets it: take it away with --set corpus.fold=null" {
		t.Errorf("fold: error %v", err)
	}
	dir := filepath.Join(t.TempDir(), "x")
	if _, err := Ablate(t.Context(), c, Options{Dir: dir, Resume: true}); err == nil || err.Error() != dir+": contains no study.yaml, so there is no study to resume" {
		t.Errorf("nothing to resume: error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if a, err := Ablate(ctx, c, Options{Dir: dir}); !errors.Is(err, context.Canceled) || a != nil {
		t.Errorf("interrupted: %v, error %v", a, err)
	}
}

func TestMeanAndDeviation(t *testing.T) {
	// By hand: mean 5, squared distances 9+1+1+1+0+0+4+16 = 32, over 7.
	if mean, deviation := meanAndDeviation([]float64{2, 4, 4, 4, 5, 5, 7, 9}); mean != 5 || math.Abs(deviation-math.Sqrt(32./7)) > 1e-15 {
		t.Errorf("%v ± %v", mean, deviation)
	}
	if mean, deviation := meanAndDeviation([]float64{3}); mean != 3 || deviation != 0 {
		t.Errorf("of one: %v ± %v", mean, deviation)
	}
}

// By patient, the counts of all notes of one patient are added.
func TestScoreByPatient(t *testing.T) {
	var gold []*data.Document
	var found []*data.Document
	for i := range 6 {
		d := &data.Document{ID: fmt.Sprint(i), Patient: fmt.Sprint("p", i/2), Text: "ab", Spans: []data.Span{{Start: 0, End: 1, Type: "AGE"}}}
		gold = append(gold, d)
		if i%3 != 0 {
			found = append(found, d)
		}
	}
	runs := []trained{{found: found}, {found: found}}
	s := &study{opt: Options{ByPatient: true}}
	m := evaluation.Metrics()[0]
	score, units := s.score(m, gold, runs)
	// Notes 0 and 3 are missed, by both runs.
	if want := [][]float64{{2, 0, 2}, {2, 0, 2}, {4, 0, 0}}; !cmp.Equal(units, want) {
		t.Errorf("units %v, want %v", units, want)
	}
	if score.Mean.Recall != 4./6 || score.Deviation.Recall != 0 || score.Mean.Precision != 1 {
		t.Errorf("score %+v", score)
	}
	s.opt.ByPatient = false
	if _, units := s.score(m, gold, runs); len(units) != 6 || units[0][2] != 2 {
		t.Errorf("by document: units %v", units)
	}
}

// The deviation over the folds counted each seed as a fold, so that it shrank with more seeds even if these changed nothing.
func TestSeedsMadeTheDeviationOverFoldsSmaller(t *testing.T) {
	text, _, _ := strings.Cut(tiny, "system:")
	c := load(t, text+"system: {crf: {features: [{family: word, window: 2}, {family: shape, window: 1}], training: {iterations: 40}}}\n")
	var deviations []evaluation.PRF
	for _, seeds := range [][]uint64{{1}, {1, 2, 3}} {
		r, err := CrossValidate(t.Context(), c, 3, "patient", Options{Dir: filepath.Join(t.TempDir(), "study"), Workers: 1, Seeds: seeds, Metrics: []string{"strict"}})
		if err != nil {
			t.Fatal(err)
		}
		each := r.Metrics[0].Each
		if len(each.Runs) != 3 || each.Deviation.F1 == 0 {
			t.Fatalf("seeds %d: %+v", seeds, each)
		}
		deviations = append(deviations, each.Deviation)
	}
	if math.Abs(deviations[0].F1-deviations[1].F1) > 1e-9 {
		t.Errorf("the deviation of one seed is %v, and of three %v", deviations[0], deviations[1])
	}
}

// The tables of equal systems said that p comes from 0 shuffles.
func TestEqualSystemsNeedNoShuffles(t *testing.T) {
	if got, want := howTested(0, "note"), "p is 1, because the results of no note differ."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
