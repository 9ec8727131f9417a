package experiments

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"weak"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/check"
	"github.com/lethe-deid/lethe/data/format"
	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/lockfile"
	"github.com/lethe-deid/lethe/models"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/ann"
)

// years is a tagger that finds "2087" in a note and fails if the note has spans.
type years struct{}

func (*years) Tag(_ context.Context, docs []*data.Document) ([][]data.Span, error) {
	found := make([][]data.Span, len(docs))
	for i, d := range docs {
		if len(d.Spans) > 0 {
			return nil, errors.New("the tagger was shown the gold standard")
		}
		if at := strings.Index(d.Text, "2087"); at >= 0 {
			found[i] = []data.Span{{Start: at, End: at + 4, Type: "DATE", Score: 0.9}}
		}
	}
	return found, nil
}

// numbered yields n notes with gold spans, or an error instead of those that bad selects.
func numbered(n int, text string, bad func(i int) bool) data.Documents {
	return func(yield func(*data.Document, error) bool) {
		for i := range n {
			doc, err := &data.Document{ID: fmt.Sprint(i), Text: text, Spans: []data.Span{{Start: 0, End: 1, Type: "AGE", Score: 1}}}, error(nil)
			if bad(i) {
				doc, err = nil, fmt.Errorf("note %d is bad", i)
			}
			if !yield(doc, err) {
				return
			}
		}
	}
}

func none(int) bool { return false }

// corpus writes n notes without a patient in brat format.
func corpus(t *testing.T, dir string, n int) {
	t.Helper()
	types := data.I2B2
	out, err := format.Create("brat", dir, types)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		doc := &data.Document{ID: fmt.Sprintf("note-%02d", i), Text: "In 2087 and 2088." + strings.Repeat(" Well.", i),
			Spans: []data.Span{{Start: 3, End: 7, Type: "DATE", Score: 1}, {Start: 12, End: 16, Type: "DATE", Score: 1}}}
		if err := out.Write(doc); err != nil {
			t.Fatal(err)
		}
	}
}

// Each document is in exactly one part of a divided corpus, and over all folds exactly once in
// test. A subset changes train only.
func TestFoldAndSubset(t *testing.T) {
	dir := t.TempDir()
	corpus(t, dir, 20)
	ids := func(c *Corpus, split string) (ids []string) {
		t.Helper()
		docs, err := c.Load(split, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range docs {
			ids = append(ids, d.ID)
		}
		return ids
	}
	var tests []string
	for number := 1; number <= 4; number++ {
		c := &Corpus{Format: "brat", Types: data.TypeSetConfig{Name: "i2b2-2014"}, Splits: paths(map[string]string{"train": dir}), Seed: 1,
			Fold: Fold{number, 4, "document"}, HoldOut: HoldOut{0.2, "document"}, Subset: Subset{By: "document"}}
		if want := []string{"dev", "test", "train"}; !slices.Equal(c.SplitNames(), want) {
			t.Errorf("splits %v, want %v", c.SplitNames(), want)
		}
		train, dev, test := ids(c, "train"), ids(c, "dev"), ids(c, "test")
		if len(train) != 12 || len(dev) != 3 || len(test) != 5 {
			t.Errorf("%d, %d and %d notes, want 12, 3 and 5", len(train), len(dev), len(test))
		}
		all := slices.Concat(train, dev, test)
		slices.Sort(all)
		if len(slices.Compact(all)) != 20 {
			t.Error("a note is in two parts, or in none")
		}
		tests = append(tests, test...)

		c.Subset.Documents = 4
		few := ids(c, "train")
		if len(few) != 4 || slices.ContainsFunc(few, func(id string) bool { return !slices.Contains(train, id) }) {
			t.Errorf("a subset of 4 is %v, of %v", few, train)
		}
		if !slices.Equal(dev, ids(c, "dev")) || !slices.Equal(test, ids(c, "test")) {
			t.Error("a subset changes dev or test")
		}
		both, heldOut, _, err := c.load(true, check.Options{}, nil)
		if err != nil || len(both) != 4 || len(heldOut) != 3 {
			t.Errorf("to train there are %d and %d notes, error %v", len(both), len(heldOut), err)
		}
		c.Subset.Documents = 13
		if _, err := c.Load("train", nil); err == nil || err.Error() != "corpus.subset: cannot draw 13 of 12 documents" {
			t.Errorf("too large a subset: error %v", err)
		}
		c.Fold.Of = 21
		if _, err := c.Load("test", nil); err == nil || err.Error() != "corpus.fold: 21 folds require as many documents, but there are only 20" {
			t.Errorf("too many folds: error %v", err)
		}
	}
	slices.Sort(tests)
	if len(tests) != 20 || len(slices.Compact(tests)) != 20 {
		t.Errorf("the folds test %d notes, want each of 20 once", len(tests))
	}
}

// A corpus with finer types can be read with those of a map. A type that the map does not know is an error.
func TestMappedCorpus(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "a.jsonl"), `{"id":"a","text":"Zoë Vance, Elm Clinic, nurse","spans":[{"start":0,"end":9,"type":"DOCTOR"},{"start":11,"end":21,"type":"HOSPITAL"},{"start":23,"end":28,"type":"PROFESSION"}]}`+"\n"+
		`{"id":"b","text":"Zoë","spans":[{"start":0,"end":3,"type":"ZEBULON"}]}`+"\n")
	c := Corpus{Format: "jsonl", Types: data.TypeSetConfig{Name: "anonym"}, Map: data.TypeMapConfig{Name: "anonym"}, Splits: paths(map[string]string{"train": path})}
	docs, err := c.source("train")
	if err != nil {
		t.Fatal(err)
	}
	var errs []string
	for doc, err := range docs {
		if err != nil {
			errs = append(errs, err.Error())
			continue
		}
		want := []data.Span{{Start: 0, End: 10, Type: "NAME", Score: 1}, {Start: 12, End: 22, Type: "INSTITUTION", Score: 1}}
		if !slices.Equal(doc.Spans, want) {
			t.Errorf("%s: %v", doc.ID, doc.Spans)
		}
	}
	if want := []string{"document b: the map anonym does not know the type ZEBULON: add it to the map, or say with others what becomes of such types"}; !slices.Equal(errs, want) {
		t.Errorf("errors %v, want %v", errs, want)
	}
}

func TestHoldOut(t *testing.T) {
	dir := t.TempDir()
	corpus(t, dir, 20)
	c := &Corpus{Format: "brat", Types: data.TypeSetConfig{Name: "i2b2-2014"}, Splits: paths(map[string]string{"train": dir}), HoldOut: HoldOut{0.25, "document"}, Seed: 1}
	if want := []string{"dev", "train"}; !slices.Equal(c.SplitNames(), want) {
		t.Errorf("splits %v, want %v", c.SplitNames(), want)
	}
	ids := func(split string) (ids []string) {
		t.Helper()
		docs, err := c.Load(split, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range docs {
			ids = append(ids, d.ID)
		}
		return ids
	}
	train, dev := ids("train"), ids("dev")
	if len(train) != 15 || len(dev) != 5 {
		t.Errorf("%d and %d notes, want 15 and 5", len(train), len(dev))
	}
	both := slices.Concat(train, dev)
	slices.Sort(both)
	if len(slices.Compact(both)) != 20 {
		t.Error("a note is on both sides, or on neither")
	}
	if !slices.Equal(dev, ids("dev")) {
		t.Error("dev is another when it is read again")
	}
	c.Seed = 2
	if slices.Equal(dev, ids("dev")) {
		t.Error("dev is the same with another seed")
	}
}

// Each document without a patient counted as a patient of its own, and the folds claimed to be by
// patient.
func TestByPatientWithoutPatients(t *testing.T) {
	dir := t.TempDir()
	corpus(t, dir, 20)
	base := Corpus{Format: "brat", Types: data.TypeSetConfig{Name: "i2b2-2014"}, Splits: paths(map[string]string{"train": dir}), Seed: 1}
	for what, change := range map[string]func(c *Corpus, by string){
		"corpus.fold":     func(c *Corpus, by string) { c.Fold = Fold{1, 4, by} },
		"corpus.hold_out": func(c *Corpus, by string) { c.HoldOut = HoldOut{0.25, by} },
		"corpus.subset":   func(c *Corpus, by string) { c.Subset = Subset{5, by, 1} },
	} {
		c := base
		change(&c, "patient")
		want := what + ": by patient, but 20 of 20 notes (such as note-00) do not name their patient: "
		if _, err := c.Load("train", nil); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
		c = base
		change(&c, "document")
		if _, err := c.Load("train", nil); err != nil {
			t.Errorf("%s by document: %v", what, err)
		}
	}
}

// Only the first of many bad notes was named, so that users had to run the program again for each.
func TestAllBadNotesAreNamed(t *testing.T) {
	dir := t.TempDir()
	corpus(t, dir, 40)
	c := Corpus{Format: "brat", Types: data.TypeSetConfig{Name: "i2b2-2014"}, Splits: paths(map[string]string{"train": dir})}
	for n := range 30 {
		write(t, filepath.Join(dir, fmt.Sprintf("note-%02d.ann", n)), "T1\tDATE 3 7\tnone\n")
		_, err := c.Load("train", nil)
		lines := strings.Split(err.Error(), "\n")
		if n < 20 && len(lines) != n+1 {
			t.Fatalf("of %d bad notes %d lines tell", n+1, len(lines))
		}
		if n == 29 && (len(lines) != 2 || lines[0] != "30 notes cannot be read:" || !strings.HasSuffix(lines[1], "note-09.ann:1 and 20 more")) {
			t.Errorf("of 30 bad notes: %s", err)
		}
	}
}

// checked returns the problems that are found in train and another split.
func checked(t *testing.T, c Corpus, splits map[string]string) (*check.Report, string) {
	t.Helper()
	c.Types, c.Splits = data.TypeSetConfig{Name: "i2b2-2014"}, map[string]Sources{}
	if c.Format == "" {
		c.Format = "jsonl"
	}
	for name, content := range splits {
		ext := ".jsonl"
		if c.Format == "text" {
			ext = ".txt"
		}
		c.Splits[name] = Sources{{Path: write(t, filepath.Join(t.TempDir(), name+ext), content)}}
	}
	report, err := c.Check(check.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return report, strings.Join(report.Problems, "\n")
}

func TestSplitsThatTeachNothing(t *testing.T) {
	const (
		year  = `{"id":"a","text":"In 2087.","spans":[{"start":3,"end":7,"type":"DATE"}]}` + "\n"
		other = `{"id":"b","text":"In 2088.","spans":[{"start":3,"end":7,"type":"DATE"}]}` + "\n"
		wider = `{"id":"c","text":"In  2087.","spans":[{"start":4,"end":8,"type":"DATE"}]}` + "\n"
		empty = `{"id":"d","text":"Did not come.","spans":[]}` + "\n"
	)
	for what, tc := range map[string]struct {
		c                Corpus
		train, split, in string
		want             string
	}{
		"other notes":       {Corpus{}, year + empty, "dev", other + empty, ""},
		"the same":          {Corpus{}, year + empty, "dev", other + wider, "corpus: 1 of the 2 notes of split dev has the same text as a note of train, so its scores would be meaningless (such as c and a): "},
		"the same, allowed": {Corpus{AllowOverlap: true}, year + empty, "dev", year + empty, ""},
		"dev without spans": {Corpus{}, year, "dev", empty, "corpus: split dev contains no annotation to score"},
		"test likewise":     {Corpus{}, year, "test", empty, "corpus: split test contains no annotation to score"},
		"test of texts":     {Corpus{Format: "text"}, year, "test", empty, "corpus: split train contains no annotation to learn from"},
		"train likewise":    {Corpus{}, empty, "dev", year, "corpus: split train contains no annotation to learn from"},
	} {
		_, got := checked(t, tc.c, map[string]string{"train": tc.train, tc.split: tc.in})
		if !strings.HasPrefix(got, tc.want) || tc.want == "" && got != "" || strings.Contains(got, "\n") {
			t.Errorf("%s: %q, want %q", what, got, tc.want)
		}
	}
}

// Two training runs in one folder corrupted each other's models.
func TestTwoTrainingsInOneFolder(t *testing.T) {
	dir := t.TempDir()
	f, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := lockfile.Lock(f); err != nil {
		t.Fatal(err)
	}
	c := &Config{Corpus: Corpus{Types: data.TypeSetConfig{Name: "any"}}}
	for _, resume := range []bool{false, true} {
		if _, err := Train(t.Context(), c, TrainOptions{Dir: dir, Resume: resume, Workers: 1}); !errors.Is(err, lockfile.ErrLocked) {
			t.Errorf("resume %v: error %v", resume, err)
		}
	}
	if _, err := os.Stat(dir); err != nil {
		t.Error(err)
	}
}

// Two predictions of one split removed each other's files, and both failed.
func TestTwoPredictionsOfOneSplit(t *testing.T) {
	config, err := Load(write(t, filepath.Join(t.TempDir(), "x.yaml"), "name: x\ncorpus: {format: synth, notes: {train: 2, dev: 2, test: 2}}\nsystem: {rules: {set: english}}\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	run := &Run{Dir: t.TempDir(), Config: config}
	unlock, err := run.lockPredictions("dev")
	if err != nil {
		t.Fatal(err)
	}
	_, err = run.Predict(t.Context(), silent{}, "dev", PredictOptions{})
	if want := filepath.Join(run.Dir, "predictions", "dev") + ": another run is writing to it"; !errors.Is(err, lockfile.ErrLocked) || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	if _, err := run.Predict(t.Context(), silent{}, "test", PredictOptions{}); err != nil {
		t.Errorf("another split: %v", err)
	}
	unlock()
	if _, err := run.Predict(t.Context(), silent{}, "dev", PredictOptions{}); err != nil {
		t.Errorf("afterwards: %v", err)
	}
	if bounded.Exists(filepath.Join(run.Dir, "predictions", ".dev.lock")) && runtime.GOOS != "windows" {
		t.Error("the lock was left behind")
	}
}

// A corpus without dev was refused for a CRF, whose training does not use it, so that every paper's
// CRF was trained on nine tenths of train.
func TestTrainWithoutDev(t *testing.T) {
	yaml := "name: x\ncorpus: {format: synth, notes: {train: 8, test: 3}}\nsystem:\n"
	config := func(system string) *Config {
		path := filepath.Join(t.TempDir(), "x.yaml")
		write(t, path, yaml+system)
		c, err := Load(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	const crf = "crf: {features: [{family: word, window: 1}, {family: shape}], training: {iterations: 15}}"
	c := config("  " + crf)
	run := filepath.Join(t.TempDir(), "run")
	if report, err := Train(t.Context(), c, TrainOptions{Dir: run, Workers: 1}); err != nil || report != nil {
		t.Fatalf("report %v, error %v", report, err)
	}
	card, err := os.ReadFile(filepath.Join(run, "model", "best", "README.md"))
	if err != nil || !strings.Contains(string(card), "\nNot scored: ") {
		t.Errorf("card with error %v:\n%s", err, card)
	}
	m, err := models.Open(run, 1)
	if err != nil {
		t.Fatal(err)
	}
	trained, err := OpenRun(run)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := trained.Predict(t.Context(), m, "test", PredictOptions{}); err != nil || r.Strict.TP == 0 {
		t.Errorf("test: %v, error %v", r, err)
	}
	if trained.Scored("dev") || !trained.Scored("test") {
		t.Error("the run has scores of dev, or none of test")
	}
	if _, err := trained.Predict(t.Context(), m, "dev", PredictOptions{}); err == nil || !strings.HasPrefix(err.Error(), "corpus: no split dev (have test, train)") {
		t.Errorf("dev: error %v", err)
	}

	const want = "corpus: no split dev (have test, train), which the system requires: "
	for name, system := range map[string]string{
		"network":  "  ann: {}",
		"ensemble": "  ensemble: {members: [{name: a, system: {" + crf + "}}, {name: b, system: {second_pass: {system: {ann: {}}}}}]}",
	} {
		c := config(system)
		if _, err := Train(t.Context(), c, TrainOptions{Dir: filepath.Join(t.TempDir(), "run"), Workers: 1}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: error %v", name, err)
		}
		if _, err := c.Check(nil); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s, dry run: error %v", name, err)
		}
	}
}

// With hold_out, the whole of train was read again for dev and a third time to score dev, without
// progress. This test deletes train after the first reading.
func TestHoldOutReadsTrainOnce(t *testing.T) {
	dir := t.TempDir()
	notes := filepath.Join(dir, "notes")
	corpus(t, notes, 20)
	config, err := Load(write(t, filepath.Join(dir, "x.yaml"), `
name: x
corpus: {format: brat, types: i2b2-2014, splits: {train: "`+notes+`"}, hold_out: {fraction: 0.25, by: document}}
system:
  ann:
    tokenizer: letters-digits
    sentences: line
    network: {character_embedding: 4, character_lstm: 4, token_embedding: 4, token_lstm: 4, hidden: 0}
    training: {batch: 4, epochs: 1}
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	report, err := Train(t.Context(), config, TrainOptions{Dir: filepath.Join(dir, "run"), Workers: 1,
		Progress: func(stage string, done, total int) {
			if strings.HasPrefix(stage, "reading") {
				read++
			}
			if stage == "reading train" && done == 20 {
				if err := os.RemoveAll(notes); err != nil {
					t.Fatal(err)
				}
			}
		}})
	if err != nil {
		t.Fatal(err)
	}
	if read != 20 || report.Documents != 5 {
		t.Errorf("%d notes read, %d scored, want 20 and 5", read, report.Documents)
	}
}

func TestPredict(t *testing.T) {
	dir := t.TempDir()
	notes := filepath.Join(dir, "notes")
	corpus(t, notes, 3)
	r := &Run{Dir: filepath.Join(dir, "run"), Config: &Config{Corpus: Corpus{Format: "brat", Types: data.TypeSetConfig{Name: "i2b2-2014"}, Splits: paths(map[string]string{"x": notes})}}}
	stale := write(t, filepath.Join(r.Dir, "predictions", "x", "stale.txt"), "")
	opt := PredictOptions{Failed: func(err error) { t.Error(err) }}
	for range 2 { // the second time replaces the first
		report, err := r.Predict(t.Context(), &years{}, "x", opt)
		if err != nil {
			t.Fatal(err)
		}
		if s := report.Strict.Counts; s.TP != 3 || s.FP != 0 || s.FN != 3 {
			t.Errorf("scores %+v", s)
		}
	}
	if bounded.Exists(stale) {
		t.Error("the older predictions are still there")
	}
	if !bounded.Exists(filepath.Join(r.Dir, "evaluation", "x.json")) {
		t.Error("no scores are kept")
	}
	got, err := data.Collect(format.Read("brat", filepath.Join(r.Dir, "predictions", "x"), format.Options{Types: mustTypes(t)}))
	if err != nil {
		t.Fatal(err)
	}
	if want := []data.Span{{Start: 3, End: 7, Type: "DATE", Score: 1}}; len(got) != 3 || !cmp.Equal(got[0].Spans, want) {
		t.Errorf("%d notes kept, the first with %v", len(got), got[0].Spans)
	}

	// The spans of another tagger are scored but not kept.
	before := content(t, filepath.Join(r.Dir, "evaluation", "x.json"))
	aside, err := r.Predict(t.Context(), nobody{}, "x", PredictOptions{Aside: true})
	if err != nil || aside.Strict.FN != 6 {
		t.Errorf("aside: %+v, %v", aside, err)
	}
	again, err := data.Collect(format.Read("brat", filepath.Join(r.Dir, "predictions", "x"), format.Options{Types: mustTypes(t)}))
	if err != nil || !cmp.Equal(got, again) || content(t, filepath.Join(r.Dir, "evaluation", "x.json")) != before {
		t.Errorf("what was kept has changed: %v", err)
	}

	// A note that cannot be read is left out and reported.
	write(t, filepath.Join(notes, "note-01.ann"), "T1\tDATE 0 400\tx\n")
	var failed []error
	report, err := r.Predict(t.Context(), &years{}, "x", PredictOptions{Failed: func(err error) { failed = append(failed, err) }})
	var unexamined *models.Unexamined
	if !errors.As(err, &unexamined) || len(failed) != 1 || report == nil || report.Documents != 2 {
		t.Errorf("error %v, failed %v, report %v", err, failed, report)
	}

	// If no note can be read, the older predictions stay.
	for i := range 3 {
		os.Remove(filepath.Join(notes, fmt.Sprintf("note-%02d.ann", i)))
	}
	if report, err := r.Predict(t.Context(), &years{}, "x", PredictOptions{Failed: func(error) {}}); err == nil || report != nil {
		t.Errorf("error %v, report %v", err, report)
	}
	if entries, err := os.ReadDir(filepath.Join(r.Dir, "predictions")); err != nil || len(entries) != 2 { // and their scores
		t.Errorf("predictions holds %v: %v", entries, err)
	}
}

// nobody is a tagger that finds nothing.
type nobody struct{}

func (nobody) Tag(_ context.Context, docs []*data.Document) ([][]data.Span, error) {
	return make([][]data.Span, len(docs)), nil
}

func content(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// batchNotes is the number of notes that are tagged together: see data.Batches.
const batchNotes = 256

// forgetful is a writer that only counts which notes are still in memory.
type forgetful struct {
	notes []weak.Pointer[data.Document]
	held  int // notes in memory when the last was written
}

func (f *forgetful) Write(d *data.Document) error {
	f.notes = append(f.notes, weak.Make(d))
	if len(f.notes) == 3*batchNotes {
		runtime.GC()
		for _, n := range f.notes {
			if n.Value() != nil {
				f.held++
			}
		}
	}
	return nil
}

func (f *forgetful) Close() error { return nil }
func (f *forgetful) Abort() error { return nil }

// Gold standard and predictions were kept in memory until the last note was tagged.
func TestPredictBoundsMemory(t *testing.T) {
	r := &Run{Dir: t.TempDir(), Config: &Config{Corpus: Corpus{Types: data.TypeSetConfig{Name: "i2b2-2014"}}}}
	out := &forgetful{}
	report, err := r.predict(t.Context(), &years{}, "x", numbered(3*batchNotes, "In 2087.", none), PredictOptions{Output: out})
	if err != nil || report.Documents != 3*batchNotes || report.Strict.Counts != (evaluation.Counts{FP: 3 * batchNotes, FN: 3 * batchNotes}) {
		t.Fatalf("error %v, report %+v", err, report)
	}
	if out.held > batchNotes+1 {
		t.Errorf("%d notes are held while one is written; %d are tagged at a time", out.held, batchNotes)
	}
}

func mustTypes(t *testing.T) *data.TypeSet {
	t.Helper()
	types := data.I2B2
	return types
}

// A run that is stopped in its first epoch leaves nothing. A run that is stopped later can be
// resumed, with the same result as without the interruption.
func TestTrain(t *testing.T) {
	dir := t.TempDir()
	config, err := Load(write(t, filepath.Join(dir, "x.yaml"), `
name: x
corpus:
  format: synth
  notes: {train: 4, dev: 2, test: 2}
system:
  ann:
    tokenizer: letters-digits
    sentences: line
    network: {character_embedding: 4, character_lstm: 4, token_embedding: 4, token_lstm: 4, hidden: 0}
    training: {batch: 4, epochs: 3}
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	// A resumed run uses as many workers as before rather than all cores of this machine, because
	// their number decides the bits.
	run := func(name string, resume bool, stopAfter int) (epochs int, err error) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		workers := runtime.NumCPU() + 1
		if resume {
			workers = 0
		}
		_, err = Train(ctx, config, TrainOptions{
			Dir: filepath.Join(dir, name), Resume: resume, Workers: workers,
			Epoch: func(taggers.Epoch) { epochs++ },
			Progress: func(stage string, done, total int) {
				if stage == fmt.Sprintf("epoch %d", stopAfter+1) {
					stop()
				}
			},
		})
		return epochs, err
	}
	if _, err := run("broken", false, 0); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	if bounded.Exists(filepath.Join(dir, "broken")) {
		t.Error("a run without an epoch leaves a folder")
	}
	if n, err := run("broken", false, 1); n != 1 || !errors.Is(err, context.Canceled) {
		t.Fatalf("%d epochs, error %v", n, err)
	}
	if n, err := run("broken", true, -1); n != 3 || err != nil {
		t.Fatalf("resumed: %d epochs, error %v", n, err)
	}
	if n, err := run("whole", false, -1); n != 3 || err != nil {
		t.Fatalf("whole: %d epochs, error %v", n, err)
	}
	for _, name := range []string{"config.yaml", "model/best/weights.safetensors", "model/last/weights.safetensors", "evaluation/dev.json"} {
		a, errA := os.ReadFile(filepath.Join(dir, "broken", name))
		b, errB := os.ReadFile(filepath.Join(dir, "whole", name))
		if errA != nil || errB != nil || !slices.Equal(a, b) {
			t.Errorf("%s differs between a resumed and a whole run (%v, %v)", name, errA, errB)
		}
	}

	m, err := models.Open(filepath.Join(dir, "whole"), 1)
	if err != nil {
		t.Fatal(err)
	}
	trained, err := OpenRun(filepath.Join(dir, "whole"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(config, trained.Config, asRead); diff != "" || m.Types.Name != "i2b2-2014" {
		t.Errorf("the run that was opened has another config: -want +got\n%s", diff)
	}
	for name, resumed := range map[string]int{"whole": 0, "broken": 1} {
		r, err := OpenRun(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		machine, err := r.Machine()
		if err != nil || machine == nil || machine.Workers != runtime.NumCPU()+1 || machine.Seed != 1 || machine.Resumed != resumed {
			t.Errorf("%s was trained with %+v: %v", name, machine, err)
		}
		if _, scored, err := r.Found("dev"); err != nil || !scored {
			t.Errorf("%s: scored %v, error %v", name, scored, err)
		}
	}
}

func ExampleLoad() {
	c, err := Load("configs/demo.yaml", []string{"system.ann.network.dropout=0.25"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Name, c.Corpus.SplitNames(), ann.Of(c.System).Network.Dropout)
	_, err = Load("configs/demo.yaml", []string{"system.ann.network.dropout=1.5"})
	fmt.Println(err)
	// Output:
	// demo [dev test train] 0.25
	// --set system.ann.network.dropout: 1.5 is not in [0, 1)
}

// After a training had gone on, compare and report used the predictions of the model before.
func TestPredictionsOfAnEarlierModelWereKept(t *testing.T) {
	dir := t.TempDir()
	run, old := filepath.Join(dir, "run"), filepath.Join(dir, "run", "predictions", "test", "old.txt")
	train := func(epochs string, resume bool) (better bool) {
		t.Helper()
		text := strings.NewReplacer("notes: {train: 3, dev: 2}", "notes: {train: 30, dev: 5}", "epochs: 3", "epochs: "+epochs).Replace(student)
		config, err := Load(write(t, filepath.Join(dir, "x.yaml"), text), nil)
		if err != nil {
			t.Fatal(err)
		}
		opt := TrainOptions{Dir: run, Resume: resume, Workers: 2, Epoch: func(e taggers.Epoch) { better = better || e.Best }}
		if _, err := Train(t.Context(), config, opt); err != nil {
			t.Fatal(err)
		}
		return better
	}
	train("2", false)
	write(t, old, "")
	if train("2", true); !bounded.Exists(old) {
		t.Error("a resumed training that has nothing to do removes predictions")
	}
	if better := train("12", true); !better || bounded.Exists(old) {
		t.Errorf("a resumed training: better %v, predictions there %v", better, bounded.Exists(old))
	}
}

// A run that was resumed with fewer epochs than it had recorded them as its configuration.
func TestResumeWithFewerEpochsThanAreDone(t *testing.T) {
	dir := t.TempDir()
	config, err := Load(write(t, filepath.Join(dir, "x.yaml"), student), nil)
	if err != nil {
		t.Fatal(err)
	}
	run := filepath.Join(dir, "run")
	if _, err := Train(t.Context(), config, TrainOptions{Dir: run, Workers: 1}); err != nil {
		t.Fatal(err)
	}
	before := content(t, filepath.Join(run, ConfigFile))
	ann.Of(config.System).Training.Epochs = 2
	if _, err := Train(t.Context(), config, TrainOptions{Dir: run, Workers: 1, Resume: true}); err == nil || !strings.Contains(err.Error(), "training.epochs is 2, but 3 epochs are done") {
		t.Errorf("two epochs: error %v", err)
	}
	if content(t, filepath.Join(run, ConfigFile)) != before {
		t.Error("the configuration was replaced")
	}
}

// If a note was withdrawn or the order of a file changed, the part test of a fold contained notes that the model had been trained on, without a word.
func TestPartsOfAnotherCorpusContainedTrainingNotes(t *testing.T) {
	dir := t.TempDir()
	notes := filepath.Join(dir, "notes.jsonl")
	var lines []string
	for i := range 30 {
		lines = append(lines, fmt.Sprintf(`{"id":"%02d","patient":"%d","text":"Seen by Dr. Vega in %d.","spans":[{"start":12,"end":16,"type":"DOCTOR"}]}`, i, i/3, i))
	}
	text := strings.Replace(student, "format: synth\n  notes: {train: 3, dev: 2}\n  copies: {swap_values: 0.5, invent_values: 1}", "format: jsonl\n  types: i2b2-2014\n  splits: {train: "+notes+"}\n  fold: {number: 1, of: 3}\n  hold_out: {fraction: 0.2}", 1)
	config, err := Load(write(t, filepath.Join(dir, "x.yaml"), text), nil)
	if err != nil {
		t.Fatal(err)
	}
	write(t, notes, strings.Join(lines, "\n")+"\n")
	run := filepath.Join(dir, "run")
	if _, err := Train(t.Context(), config, TrainOptions{Dir: run, Workers: 1}); err != nil {
		t.Fatal(err)
	}
	gold := func(split string) error {
		t.Helper()
		r, err := OpenRun(run)
		if err != nil {
			t.Fatal(err)
		}
		_, err = r.Gold(split, nil)
		return err
	}
	for _, split := range []string{TrainSplit, DevSplit, TestSplit} {
		if err := gold(split); err != nil {
			t.Errorf("%s of the same notes: %v", split, err)
		}
	}
	slices.Reverse(lines)
	for name, changed := range map[string][]string{"in another order": lines, "without a patient": lines[3:]} {
		write(t, notes, strings.Join(changed, "\n")+"\n")
		for _, split := range []string{DevSplit, TestSplit} {
			if err := gold(split); err == nil || !strings.Contains(err.Error(), "have changed since the training") {
				t.Errorf("%s of notes %s: error %v", split, name, err)
			}
		}
		if _, err := Train(t.Context(), config, TrainOptions{Dir: run, Workers: 1, Resume: true}); err == nil {
			t.Errorf("notes %s: the training is resumed", name)
		}
	}
}

func TestUnfinished(t *testing.T) {
	dir := t.TempDir()
	config, err := Load(write(t, filepath.Join(dir, "x.yaml"), student), nil)
	if err != nil {
		t.Fatal(err)
	}
	run := &Run{Dir: filepath.Join(dir, "run"), Config: config}
	ctx, stop := context.WithCancel(t.Context())
	opt := TrainOptions{Dir: run.Dir, Workers: 1, Epoch: func(taggers.Epoch) { stop() }}
	if _, err := Train(ctx, config, opt); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	if !run.Unfinished() {
		t.Error("an interrupted training is finished")
	}
	opt.Resume = true
	if _, err := Train(t.Context(), config, opt); err != nil {
		t.Fatal(err)
	}
	if run.Unfinished() {
		t.Error("a complete training is not finished")
	}
}

// A complete run of a CRF, which is loaded without its epochs when it is resumed, lost its number of parameters, and was
// incomplete from then on.
func TestACompleteRunStaysCompleteWhenItIsResumed(t *testing.T) {
	dir := t.TempDir()
	config, err := Load(write(t, filepath.Join(dir, "x.yaml"), `
name: crf
corpus: {format: synth, notes: {train: 3, dev: 2}}
system: {crf: {features: [{family: lower}], training: {iterations: 2}}}
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	run := &Run{Dir: filepath.Join(dir, "run"), Config: config}
	var first *Machine
	for range 3 {
		if _, err := Train(t.Context(), config, TrainOptions{Dir: run.Dir, Workers: 1, Resume: first != nil}); err != nil {
			t.Fatal(err)
		}
		m, err := run.Machine()
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = m
			lost := *m
			lost.Parameters = 0 // as earlier versions left it
			if err := run.writeMachine(&lost); err != nil {
				t.Fatal(err)
			}
		}
		if m.Parameters == 0 || m.Parameters != first.Parameters || run.Unfinished() && m != first {
			t.Errorf("%d parameters, then %d", first.Parameters, m.Parameters)
		}
	}
}
