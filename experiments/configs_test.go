package experiments

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/conllu"
	"github.com/lethe-deid/lethe/data/format"
	"github.com/lethe-deid/lethe/data/synth"
	"github.com/lethe-deid/lethe/models"
	"github.com/lethe-deid/lethe/nn/tagger"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/ann"
	"github.com/lethe-deid/lethe/taggers/crf"
	"github.com/lethe-deid/lethe/taggers/crf/pos"
	"github.com/lethe-deid/lethe/taggers/ensemble"
	"github.com/lethe-deid/lethe/taggers/trees"
)

func configs(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("configs/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	below, err := filepath.Glob("configs/*/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	paths = append(paths, below...)
	if len(paths) < 15 {
		t.Fatalf("%d configs", len(paths))
	}
	return paths
}

// Each shipped configuration says what it is and how to run it, and is valid.
func TestShippedConfigs(t *testing.T) {
	t.Setenv("LETHE_CORPORA", "/corpora")
	t.Setenv("LETHE_VECTORS", "/vectors")
	t.Setenv("LETHE_RESOURCES", "/resources")
	t.Setenv("LETHE_GAZETTEERS", "/gazetteers")
	t.Setenv("LETHE_RUNS", "/runs")
	names := map[string]string{}
	for _, path := range configs(t) {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(raw), "# ") || !strings.Contains(string(raw), "lethe train experiments/"+filepath.ToSlash(path)) && !strings.Contains(string(raw), "lethe distill experiments/"+filepath.ToSlash(path)) {
			t.Errorf("%s: does not begin by saying what it is and how to run it", path)
		}
		c, err := Load(path, nil)
		if err != nil {
			t.Error(err)
			continue
		}
		if other := names[c.Name]; other != "" {
			t.Errorf("%s: has the name of %s", path, other)
		}
		names[c.Name] = path
		if err := c.Corpus.checkSplits(c.System.NeedsDev()); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// Each configuration trains and predicts unchanged except for the corpus, which is a handful of
// generated notes, the sizes of networks, and the end of the training.
func TestShippedConfigsTrainAndPredict(t *testing.T) {
	dir := t.TempDir()
	resources(t, dir)
	t.Setenv("LETHE_CORPORA", dir)
	t.Setenv("LETHE_VECTORS", dir)
	t.Setenv("LETHE_RESOURCES", dir)
	t.Setenv("LETHE_GAZETTEERS", dir)
	t.Setenv("LETHE_RUNS", dir)
	for _, path := range configs(t) {
		t.Run(strings.TrimPrefix(path, "configs/"), func(t *testing.T) {
			t.Parallel()
			c, err := Load(path, nil)
			if err != nil {
				t.Fatal(err)
			}
			c.Corpus.Format, c.Corpus.Notes, c.Corpus.NotesPerPatient, c.Corpus.HoldOut.Fraction = "jsonl", nil, 0, 0
			c.Corpus.Splits = generated(t, c.Corpus.Types.Name)
			notes := 12
			if c.Corpus.merged("dev") {
				notes += 3
			} else if !c.System.NeedsDev() {
				delete(c.Corpus.Splits, "dev")
			}
			shrink(c.System)
			if err := c.Validate(); err != nil {
				t.Fatal(err)
			}
			if _, err := c.Check(nil); err != nil {
				t.Fatal(err)
			}
			run := filepath.Join(t.TempDir(), "run")
			if _, err := Train(t.Context(), c, TrainOptions{Dir: run, Workers: 2}); err != nil {
				t.Fatal(err)
			}
			m, err := models.Open(run, 1)
			if err != nil {
				t.Fatal(err)
			}
			trained, err := OpenRun(run)
			if err != nil {
				t.Fatal(err)
			}
			r, err := trained.Predict(t.Context(), m, "train", PredictOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if r.Documents != notes || r.Strict.TP == 0 {
				t.Errorf("%d notes, %d spans found right in those of the training", r.Documents, r.Strict.TP)
			}
		})
	}
}

// shrink makes training take about a second.
func shrink(s taggers.System) {
	_, root := s.Root()
	switch c := root.(type) {
	case *ann.Config:
		n := &c.Network
		n.CharacterEmbedding, n.CharacterLSTM, n.TokenEmbedding, n.TokenLSTM, n.Hidden = 8, 8, dimensions, tagger.Units{16}, 16
		n.Dropout = 0
		c.Training.Epochs, c.Training.Batch, c.Training.Pool, c.Training.EvaluateEvery = 20, 2, 1, 5
		if c.Training.Patience > 0 {
			c.Training.Patience = c.Training.Epochs
		}
		c.Optimizer.Method, c.Optimizer.LearningRate, c.Optimizer.Decay, c.Optimizer.Average = "adam", 0.01, 1, 0
		for i := range c.Features.Resources.Headings {
			c.Features.Resources.Headings[i].Builtin = "en-headings" // the language of the generated notes
		}
	case *ensemble.Config:
		if c.Method == ensemble.Learned {
			c.Folds = 2 // there are few patients
		}
	case *crf.Config:
		c.Training.Iterations = 15
	case *trees.Config:
		c.Rounds, c.MinDocuments, c.MinInstances = 2, 2, 1
	}
	for _, child := range taggers.Children(root) {
		shrink(child.System)
	}
}

// cities are of the generated notes, so that a handful of them has some.
const cities = "London Salem Harrowgate Millbrook Brackenridge Dunmore Eastvale Fairhollow Glenrock Hollis Ironton Kingsbury Lakemont Marlow Northfield Oakhurst Pinecrest " +
	"Ridgeway Thornbury Westerly Boston Chicago Denver Houston Phoenix Dallas Seattle Portland Memphis Baltimore Atlanta Miami Tampa Cleveland Detroit Buffalo Albany Newark Hartford Providence Worcester Springfield " +
	"Concord Manchester Burlington Bangor Richmond Norfolk Raleigh Durham Mobile Omaha Wichita Tulsa Reno Fresno Oakland"

// dimensions is the length of the vectors that resources writes.
const dimensions = 8

// generated writes the splits train, dev and test with the types of a set.
func generated(t *testing.T, set string) map[string]Sources {
	t.Helper()
	types, err := data.LookupTypeSet(set)
	if err != nil {
		t.Fatal(err)
	}
	splits := map[string]Sources{}
	for i, name := range []string{"train", "dev", "test"} {
		docs := synth.Notes([]int{12, 3, 3}[i], 1, []synth.Split{synth.Train, synth.Dev, synth.Test}[i])
		if m, err := data.LookupTypeMap(set); err == nil && set != synth.TypeSet {
			docs = m.Apply(docs, &data.MapCounts{})
		}
		all, err := data.Collect(docs)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), name+".jsonl")
		splits[name] = Sources{{Path: path}}
		out, err := format.Create("jsonl", path, types)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range all {
			for i := range d.Spans {
				if !types.Has(d.Spans[i].Type) { // a type of news
					d.Spans[i].Type = types.Types[0].Name
				}
			}
			if err := out.Write(d); err != nil {
				t.Fatal(err)
			}
		}
		if err := out.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return splits
}

// resources writes the smallest possible files and models of each kind, under the names that the
// configurations use.
func resources(t *testing.T, dir string) {
	t.Helper()
	for name, content := range map[string]string{
		"us-census/dist.all.last":                "SMITH 1.006 1.006 1\nAMUNDSEN 0.001 1.1 2\n",
		"us-census/dist.female.first":            "MARY 2.629 2.629 1\n",
		"us-census/dist.male.first":              "JAMES 3.318 3.318 1\n",
		"us-places/cities.txt":                   "Boston\nSalem\n",
		"us-places/hospitals.txt":                "Saint Olga Hospital\n",
		"world-cities/world-cities.csv":          "name,country\n" + strings.ReplaceAll(cities, " ", ",x\n") + ",x\n",
		"en.paths":                               "0010110\tthe\t7\n1\tpatient\t5\n",
		"zip-codes.txt":                          "02139\n",
		"senna/words.lst":                        "PADDING\nUNKNOWN\nthe\npatient\n",
		"senna/embeddings.txt":                   strings.Repeat(strings.Repeat("0.25 ", dimensions-1)+"-0.5\n", 4),
		"en-general.txt.gz":                      "The patient was seen at home.\nShe was seen by the nurse, and by the doctor. The patient was well.\n",
		"spanish-names/female_names.csv":         "name,frequency\nMARIA,600000\n",
		"spanish-names/male_names.csv":           "name,frequency\nANTONIO,600000\n",
		"spanish-names/surnames_freq_ge_100.csv": "surname,frequency_first\nGARCIA,1400000\n",
	} {
		write(t, filepath.Join(dir, name), content)
	}
	var vectors strings.Builder
	for i, w := range []string{"the", "patient", "hospital", "seen", "on", "de", "el", "hospital."} {
		vectors.WriteString(w)
		for d := range dimensions {
			fmt.Fprintf(&vectors, " %.1f", float64((i*7+d*3)%11)/10-0.5)
		}
		vectors.WriteString("\n")
	}
	for _, name := range []string{"glove.6B.100d.txt", "es.w2v.bin", "en.w2v.bin"} {
		write(t, filepath.Join(dir, name), vectors.String())
	}
	sentences, err := conllu.Read("../taggers/crf/pos/testdata/tiny.conllu")
	if err != nil {
		t.Fatal(err)
	}
	tagger, err := pos.Train(t.Context(), sentences, pos.Options{Epochs: 2, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"en.pos", "es.pos"} {
		if err := tagger.Save(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(filepath.Join(dir, "wordnet"), os.DirFS("../taggers/crf/wordnet/testdata/tiny")); err != nil {
		t.Fatal(err)
	}
	conll := data.CoNLL
	docs, err := data.Collect(format.Read("jsonl", generated(t, "conll")["train"].String(), format.Options{Types: conll}))
	if err != nil {
		t.Fatal(err)
	}
	config := ann.DefaultConfig()
	config.Tokenizer, config.Sentences = "letters-digits", "line"
	shrink(taggers.System{"ann": &config})
	network, err := config.Fit(t.Context(), taggers.Task{Name: "conll", Types: conll, Train: docs, Dev: slices.Clone(docs), Seed: 1, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	best := filepath.Join("conll2003-best", "model", "best", "members")
	for _, name := range []string{"conll2003", filepath.Join("conll2003-student", "model", "best"), filepath.Join("conll2003-student-2", "model", "best"), filepath.Join(best, "network"), filepath.Join(best, "network-2"), filepath.Join(best, "features")} {
		if err := network.(*ann.Tagger).Save(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
}
