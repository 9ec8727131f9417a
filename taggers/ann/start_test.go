package ann

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/lethe-deid/lethe/checkpoints"
	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/strictyaml"
	"github.com/lethe-deid/lethe/nn"
	"github.com/lethe-deid/lethe/nn/tagger"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/crf/feature"
)

// once is small, with one epoch.
func once() Config {
	c := small()
	c.Training.Epochs = 1
	return c
}

// line is a task with one note per text, whose words in capitals are spans of a type.
func line(types *data.TypeSet, typ map[string]string, texts ...string) taggers.Task {
	var docs []*data.Document
	for _, text := range texts {
		doc := &data.Document{ID: text, Text: text}
		for word, typ := range typ {
			if at := strings.Index(text, word); at >= 0 {
				doc.Spans = append(doc.Spans, data.Span{Start: at, End: at + len(word), Type: typ, Score: 1})
			}
		}
		slices.SortFunc(doc.Spans, func(a, b data.Span) int { return a.Start - b.Start })
		docs = append(docs, doc)
	}
	return taggers.Task{Name: "test", Types: types, Train: docs, Dev: docs, Seed: 7, Workers: 1}
}

// startFrom trains a network on a task and returns its model folder and its tensors.
func startFrom(t testing.TB, cfg Config, task taggers.Task) (dir string, tensors map[string]checkpoints.Tensor, model *checkpoints.Model) {
	t.Helper()
	task.Dir = t.TempDir()
	if _, err := cfg.Fit(context.Background(), task); err != nil {
		t.Fatal(err)
	}
	return open(t, filepath.Join(task.Dir, "best"))
}

func open(t testing.TB, dir string) (string, map[string]checkpoints.Tensor, *checkpoints.Model) {
	t.Helper()
	m, err := checkpoints.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	tensors := map[string]checkpoints.Tensor{}
	for _, tensor := range m.Tensors {
		tensors[tensor.Name] = tensor
	}
	return dir, tensors, m
}

func begin(t testing.TB, cfg Config, task taggers.Task) *course {
	t.Helper()
	c, err := cfg.newCourse(context.Background(), task)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.trainer.Close)
	return c
}

func row(p *nn.Param, r int) []float32 { return p.Data[r*p.Cols:][:p.Cols] }

// Rows of tokens and characters, columns of the logits, and rows and columns of the transitions are found
// by name, in networks of different type sets; what only the new network has is initialised as usual.
func TestStartFromAnotherTypeSet(t *testing.T) {
	cfg := once()
	dir, old, model := startFrom(t, cfg, line(data.Any, map[string]string{"ZORA": "NAME", "SALEM": "DATE"}, "ZORA came to SALEM", "from SALEM with ZORA"))
	cfg.Start = dir
	task := line(types(t), map[string]string{"IXBY": "DATE", "7": "PHONE"}, "IXBY has 7 elms", "SALEM or IXBY has 77 elms", "7 elms")
	c := begin(t, cfg, task)
	net, v := c.tagger.network, c.tagger.vocabulary

	if tokens := v.tokens; !slices.Contains(tokens, "came") || !slices.Contains(tokens, "elms") {
		t.Errorf("the vocabulary is %q, not that of both networks", tokens)
	}
	table := old["token_embedding"]
	for id, token := range v.tokens {
		from := slices.Index(model.Tokens, token)
		same := from >= 0 && slices.Equal(row(net.Get("token_embedding"), id), table.Data[from*table.Shape[1]:][:table.Shape[1]])
		if same != (from >= 0) {
			t.Errorf("token %q: taken over: %v, known to the first network: %v", token, same, from >= 0)
		}
	}
	table = old["character_embedding"]
	for id, r := range v.characters {
		from := slices.Index(model.Characters, string(r))
		if id == unknown {
			from = unknown
		}
		same := from >= 0 && slices.Equal(row(net.Get("character_embedding"), id), table.Data[from*table.Shape[1]:][:table.Shape[1]])
		if same != (from >= 0) {
			t.Errorf("character %q: taken over: %v, known to the first network: %v", r, same, from >= 0)
		}
	}
	for _, name := range []string{"token_lstm.forward.W", "character_lstm.backward.h0", "hidden.b"} {
		if !slices.Equal(net.Get(name).Data, old[name].Data) {
			t.Errorf("%s is not taken over", name)
		}
	}

	if slices.Contains(c.tagger.labels, "B-NAME") {
		t.Errorf("labels %v of another type set", c.tagger.labels)
	}
	names := append(slices.Clone(c.tagger.labels), "START", "END")
	oldNames := append(slices.Clone(model.Labels), "START", "END")
	for i, label := range names {
		from := slices.Index(oldNames, label)
		if i < len(c.tagger.labels) {
			w, b := net.Get("logits.W"), old["logits.b"]
			same := from >= 0 && w.Data[i] == old["logits.W"].Data[from] && net.Get("logits.b").Data[i] == b.Data[from]
			if same != (from >= 0) {
				t.Errorf("label %s: taken over: %v, known: %v", label, same, from >= 0)
			}
		}
		for j, next := range names {
			to := slices.Index(oldNames, next)
			known := from >= 0 && to >= 0
			same := known && net.Get("crf.transitions").Data[i*len(names)+j] == old["crf.transitions"].Data[from*len(oldNames)+to]
			if same != known {
				t.Errorf("transition from %s to %s: taken over: %v, known: %v", label, next, same, known)
			}
		}
	}
}

// A type that no note of the new corpus has is kept if both networks have one type set.
func TestStartKeepsTypes(t *testing.T) {
	cfg := once()
	cfg.Start, _, _ = startFrom(t, cfg, line(types(t), map[string]string{"ZORA": "PATIENT", "7": "PHONE"}, "ZORA has 7 elms", "ZORA"))
	task := line(types(t), map[string]string{"IXBY": "CITY"}, "IXBY has elms", "in IXBY")
	if c := begin(t, cfg, task); !slices.Contains(c.tagger.labels, "S-PHONE") || !slices.Contains(c.tagger.labels, "S-CITY") {
		t.Errorf("labels %v", c.tagger.labels)
	}
	cfg.Transfer.Layers = []string{"characters", "token_embedding", "token_lstm"}
	if c := begin(t, cfg, task); slices.Contains(c.tagger.labels, "S-PHONE") {
		t.Errorf("labels %v, although logits are not taken over", c.tagger.labels)
	}
}

// Training starts from a run of lethe pretrain, whose layers have no labels.
func TestStartFromAPretrainedNetwork(t *testing.T) {
	run := t.TempDir()
	pretrain(t, small(), pretrainTask(t, filepath.Join(run, "model")))
	_, old, model := open(t, filepath.Join(run, "model", "best"))
	cfg := once()
	cfg.Start = run
	cfg.Transfer.Freeze = []string{"characters"}
	cfg.Transfer.Rates = map[string]float64{"token_lstm": 0.1}
	dir := t.TempDir()
	tagger := fit(t, cfg, taggers.Task{Workers: 1, Dir: dir})
	for _, p := range tagger.network.All() {
		tensor, ok := old[p.Name]
		layer, _ := layerOf(p.Name)
		switch {
		case layer == "characters" && p.Name == "character_embedding":
			for id, r := range tagger.vocabulary.characters {
				if from := slices.Index(model.Characters, string(r)); from > 0 && !slices.Equal(row(p, id), tensor.Data[from*p.Cols:][:p.Cols]) {
					t.Errorf("the vector of the frozen character %q has changed", r)
				}
			}
		case layer == "characters":
			if !ok || !slices.Equal(p.Data, tensor.Data) {
				t.Errorf("%s is frozen and has changed", p.Name)
			}
		case ok && slices.Equal(p.Data, tensor.Data):
			t.Errorf("%s has not changed", p.Name)
		}
	}
	again, err := Load(filepath.Join(dir, "best"), 1)
	if err != nil {
		t.Fatal(err)
	}
	if again.config.Start != run || !strings.Contains(string(again.readme), "vocabulary of the network that it started from") {
		t.Error("the model does not tell what it started from")
	}
}

// A pretrained token LSTM is only taken if it is named, because it does harm.
func TestPretrainedTokenLSTMIsTakenOnlyIfNamed(t *testing.T) {
	run := t.TempDir()
	pretrain(t, small(), pretrainTask(t, filepath.Join(run, "model")))
	_, old, _ := open(t, filepath.Join(run, "model", "best"))
	task := line(data.Any, map[string]string{"ZORA": "NAME"}, "ZORA came", "ZORA left")
	for _, layers := range [][]string{nil, {"characters", "token_lstm"}} {
		cfg := once()
		cfg.Start, cfg.Transfer.Layers = run, layers
		net := begin(t, cfg, task).tagger.network
		same := func(param string) bool { return slices.Equal(net.Get(param).Data, old[param].Data) }
		if !same("character_lstm.forward.W") || same("token_lstm.forward.W") != (layers != nil) {
			t.Errorf("layers %v: characters taken %v, token LSTM taken %v", layers, same("character_lstm.forward.W"), same("token_lstm.forward.W"))
		}
	}
}

// Vectors are read first, and then overwritten, as in the reference.
func TestStartOverwritesVectors(t *testing.T) {
	cfg := once()
	dir, old, model := startFrom(t, cfg, line(data.Any, map[string]string{"ZORA": "NAME"}, "ZORA came", "ZORA left"))
	cfg.Start = dir
	cfg.Vectors.File = writeFile(t, "v.txt", "came"+strings.Repeat(" 1", 16)+"\nyew"+strings.Repeat(" 2", 16)+"\n")
	c := begin(t, cfg, line(data.Any, map[string]string{"IXBY": "NAME"}, "IXBY came", "yew"))
	table := c.tagger.network.TokenEmbedding()
	from := slices.Index(model.Tokens, "came")
	if !slices.Equal(row(table, int(c.tagger.vocabulary.token("came"))), old["token_embedding"].Data[from*16:][:16]) {
		t.Error("a token of the first network has the vector of the file")
	}
	if row(table, int(c.tagger.vocabulary.token("yew")))[0] != 2 {
		t.Error("a token that the first network does not have lacks the vector of the file")
	}
}

// The values of features are found by name, whatever the order of the families.
func TestStartTakesFeatures(t *testing.T) {
	cfg := once()
	cfg.Features = withFeatures(t, feature.Spec{Family: "shape"}, feature.Spec{Family: "gazetteer"})
	dir, old, _ := startFrom(t, cfg, line(data.Any, map[string]string{"ZORA": "NAME"}, "ZORA came to Salem", "ZORA left 12"))
	cfg.Start = dir
	cfg.Features = withFeatures(t, feature.Spec{Family: "gazetteer"}, feature.Spec{Family: "shape"})
	c := begin(t, cfg, line(data.Any, map[string]string{"IXBY": "NAME"}, "IXBY came to Salem", "7"))
	before, err := cfg.openStart()
	if err != nil {
		t.Fatal(err)
	}
	shapes, known, fresh := c.tagger.network.Get("features.1"), 0, 0
	for i, v := range c.tagger.features.values[1].Values {
		from := slices.Index(before.features[0].Values, v)
		if from < 0 {
			fresh++
		} else if known++; !slices.Equal(row(shapes, i), old["features.0"].Data[from*shapes.Cols:][:shapes.Cols]) {
			t.Errorf("the vector of %+v is not taken over", v)
		}
	}
	if known == 0 || fresh == 0 {
		t.Errorf("%d values are known and %d are new", known, fresh)
	}
}

// A network with families in another order, and one more, finds what the one that it starts from finds, with the same scores: the rows of the matrix
// that multiplies the vectors of a family are found by the family, and those of a new family are 0. So does one with features that starts from one without.
func TestStartWithMoreFamilies(t *testing.T) {
	for name, first := range map[string][]feature.Spec{"input": {{Family: "shape"}, {Family: "gazetteer"}}, "output": {{Family: "shape"}, {Family: "gazetteer"}}, "none": nil} {
		t.Run(name, func(t *testing.T) {
			at := name
			cfg := small()
			cfg.Training.Epochs = 40
			if first == nil {
				at = "input"
			} else {
				cfg.Features = withFeatures(t, first...)
				cfg.Features.At = at
			}
			task := line(data.Any, map[string]string{"ZORA": "NAME", "SALEM": "CITY"}, "ZORA came to SALEM", "ZORA left 12", "from SALEM with ZORA", "12 came")
			dir, _, _ := startFrom(t, cfg, task)
			old, err := Load(dir, 1)
			if err != nil {
				t.Fatal(err)
			}
			cfg.Start = dir
			cfg.Features = withFeatures(t, feature.Spec{Family: "space"}, feature.Spec{Family: "gazetteer"}, feature.Spec{Family: "shape"})
			cfg.Features.At = at
			if first == nil {
				cfg.Features.Dimension++ // which need not be that of a network without features
			}
			was, _, err := old.Probe(t.Context(), task.Train, 0)
			if err != nil {
				t.Fatal(err)
			}
			is, _, err := begin(t, cfg, task).tagger.Probe(t.Context(), task.Train, 0)
			if err != nil {
				t.Fatal(err)
			}
			found := 0
			for i := range was {
				if len(is[i]) != len(was[i]) {
					t.Fatalf("%s: %v was found, now %v", task.Train[i].ID, was[i], is[i])
				}
				for k, s := range was[i] {
					found++
					if is[i][k].Type != s.Type || is[i][k].Start != s.Start || math.Abs(is[i][k].Score-s.Score) > 1e-5 {
						t.Errorf("%s: %v was found, now %v", task.Train[i].ID, was[i], is[i])
					}
				}
			}
			if found == 0 {
				t.Error("nothing was found")
			}
		})
	}
}

func TestOnlyChosenLayersAreTaken(t *testing.T) {
	cfg := once()
	dir, old, _ := startFrom(t, cfg, line(data.Any, map[string]string{"ZORA": "NAME"}, "ZORA came", "ZORA left"))
	cfg.Start, cfg.Transfer.Layers = dir, []string{"token_lstm"}
	task := line(data.Any, map[string]string{"IXBY": "NAME"}, "IXBY came", "IXBY")
	c := begin(t, cfg, task)
	for _, p := range c.tagger.network.All() {
		layer, _ := layerOf(p.Name)
		if p.Name == "hidden.b" || p.Name == "logits.b" || strings.HasSuffix(p.Name, ".b") && layer == "characters" { // zeros in the beginning
			continue
		}
		if same := slices.Equal(p.Data, old[p.Name].Data); same != (layer == "token_lstm") {
			t.Errorf("%s: taken over: %v", p.Name, same)
		}
	}
	if slices.Contains(c.tagger.vocabulary.tokens, "left") {
		t.Error("the vocabulary has a token of the first network, whose vectors are not taken")
	}
}

func TestStartThatDoesNotFit(t *testing.T) {
	cfg := once()
	task := line(data.Any, map[string]string{"ZORA": "NAME"}, "ZORA came", "ZORA left")
	dir, _, _ := startFrom(t, cfg, task)
	plain := cfg
	plain.Network.CRF, plain.Network.CharacterLSTM = false, 0
	without, _, _ := startFrom(t, plain, task)
	for want, change := range map[string]func(*Config){
		"contains no network":                        func(c *Config) { c.Start = t.TempDir() },
		"layer characters: expected the cell":        func(c *Config) { c.Network.Cell = nn.Peephole },
		"layer token_lstm: expected token_lstm.":     func(c *Config) { c.Network.TokenLSTM = tagger.Units{23} },
		"layer characters: expected cnn, given lstm": func(c *Config) { c.Network.Characters = tagger.CharacterCNN },
		"layer characters: expected character_":      func(c *Config) { c.Network.CharacterEmbedding++ },
		// The numbers of words differ, and that is no misfit.
		"layer token_embedding: expected token_embedding [rows, 17], given [rows, 16]": func(c *Config) { c.Network.TokenEmbedding++ },
		"layer hidden: expected hidden.W [48, 30":                                      func(c *Config) { c.Network.Hidden = 30 },
		"start: stat ": func(c *Config) { c.Start = filepath.Join(dir, "nowhere") },
		"expected the folder of a run or a model, given a file": func(c *Config) { c.Start = filepath.Join(dir, checkpoints.WeightsFile) },
		"transfer.layers: " + without + " has no crf":           func(c *Config) { c.Start, c.Transfer.Layers = without, []string{"crf"} },
		// The error once named the key layers.
		"transfer.freeze: " + without + " has no characters": func(c *Config) { c.Start, c.Transfer.Freeze = without, []string{"characters"} },
		"transfer.layers: the network has no crf":            func(c *Config) { c.Network.CRF, c.Transfer.Layers = false, []string{"crf"} },
	} {
		bad := cfg
		bad.Start = dir
		change(&bad)
		_, err := bad.Fit(context.Background(), task)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		if err := bad.Check(data.Any, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Check: %v, want %q", err, want)
		}
	}
	// A missing layer that is not asked for is no error.
	plain.Network.CharacterLSTM = cfg.Network.CharacterLSTM
	cfg.Start, _, _ = startFrom(t, plain, task)
	begin(t, cfg, task)
}

func TestTransferValidate(t *testing.T) {
	for want, change := range map[string]func(*Config){
		"transfer: requires start":                       func(c *Config) { c.Start, c.Transfer.Layers = "", []string{"crf"} },
		`transfer.layers: no layer "lstm"`:               func(c *Config) { c.Transfer.Layers = []string{"crf", "lstm"} },
		`transfer.freeze: no layer "x"`:                  func(c *Config) { c.Transfer.Freeze = []string{"x"} },
		`transfer.rates: no layer "y"`:                   func(c *Config) { c.Transfer.Rates = map[string]float64{"y": 1} },
		"transfer.freeze: crf is not one of the layers":  func(c *Config) { c.Transfer.Layers, c.Transfer.Freeze = []string{"hidden"}, []string{"crf"} },
		"transfer.rates.crf: 0 is not a positive number": func(c *Config) { c.Transfer.Rates = map[string]float64{"crf": 0} },
		"transfer.rates.crf: the layer is frozen":        func(c *Config) { c.Transfer.Freeze, c.Transfer.Rates = []string{"crf"}, map[string]float64{"crf": 1} },
	} {
		cfg := once()
		cfg.Start = "elsewhere"
		change(&cfg)
		if err := cfg.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	cfg := once()
	cfg.Start, cfg.Transfer = "elsewhere", Transfer{Freeze: []string{"characters"}, Rates: map[string]float64{"token_lstm": 0.5}}
	for param, want := range map[string]float64{"character_lstm.forward.W": 0, "character_embedding": 0, "token_lstm.backward.b": 0.5, "crf.transitions": 1} {
		if got := cfg.rate(param); got != want {
			t.Errorf("the rate of %s is %v, want %v", param, got, want)
		}
	}
}

// A run cannot be resumed with another network to start from, even if its folder has the same path.
func TestResumeFromAnotherStart(t *testing.T) {
	task := line(data.Any, map[string]string{"ZORA": "NAME"}, "ZORA came", "ZORA left")
	cfg := once()
	first, _, _ := startFrom(t, cfg, task)
	cfg.Start = first
	task.Dir = t.TempDir()
	if _, err := cfg.Fit(context.Background(), task); err != nil {
		t.Fatal(err)
	}
	task.Resume = true
	if _, err := cfg.Fit(context.Background(), task); err != nil {
		t.Errorf("resumed with the same start: %v", err)
	}
	_, _, model := open(t, first)
	model.Tensors[0].Data[0]++
	if err := checkpoints.Save(first, model); err != nil {
		t.Fatal(err)
	}
	if _, err := cfg.Fit(context.Background(), task); err == nil || !strings.Contains(err.Error(), "another configuration, start") {
		t.Errorf("resumed with another start: %v", err)
	}
}

// Configurations without a start are stored as before, so that earlier runs can be resumed and earlier
// models have the same files.
func TestStartIsOnlyStoredIfItIsSet(t *testing.T) {
	raw, err := yaml.Marshal(small())
	if err != nil || strings.Contains(string(raw), "start") || strings.Contains(string(raw), "transfer") {
		t.Errorf("%v\n%s", err, raw)
	}
	cfg := small()
	cfg.Start, cfg.Transfer = "/elsewhere", Transfer{Layers: []string{"crf"}, Freeze: []string{"crf"}, Rates: map[string]float64{"hidden": 0.25}}
	if raw, err = yaml.Marshal(cfg); err != nil {
		t.Fatal(err)
	}
	back := DefaultConfig()
	if err := strictyaml.Decode("", raw, &back); err != nil {
		t.Fatal(err)
	}
	if key, from, to := strictyaml.Difference(&cfg, &back); key != "" {
		t.Errorf("%s is %v, and %v after reading it again", key, from, to)
	}
}
