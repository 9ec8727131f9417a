package experiments

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/check"
)

// yearly writes a file for each split, with a note of another patient for each of its years. The notes
// contain nothing but the year.
func yearly(t *testing.T, splits map[string][]int) map[string]Sources {
	t.Helper()
	given := map[string]string{}
	dir := t.TempDir()
	for name, years := range splits {
		var b strings.Builder
		for _, year := range years {
			fmt.Fprintf(&b, `{"id":"%s-%d","patient":"%d","text":"In %d.","spans":[{"start":3,"end":7,"type":"DATE"}]}`+"\n", name, year, year, year)
		}
		given[name] = write(t, filepath.Join(dir, name+".jsonl"), b.String())
	}
	return paths(given)
}

func loaded(t *testing.T, c *Corpus, split string) (ids []string) {
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

// Train consists of the notes of the merged splits, in the order in which they are named. The other
// merged splits cannot be read, scored or compared with train.
func TestMerge(t *testing.T) {
	c := &Corpus{Format: "jsonl", Types: data.TypeSetConfig{Name: "i2b2-2014"}, Seed: 1, Merge: []string{"dev", "train"},
		Fold: Fold{By: "patient"}, HoldOut: HoldOut{By: "patient"}, Subset: Subset{By: "patient"}, Splits: yearly(t, map[string][]int{
			"train": {2001, 2002, 2003}, "dev": {2004, 2005}, "test": {2006}, "other": {2007},
		})}
	if err := c.validate(); err != nil {
		t.Fatal(err)
	}
	if want := []string{"other", "test", "train"}; !slices.Equal(c.SplitNames(), want) {
		t.Errorf("splits %v, want %v", c.SplitNames(), want)
	}
	if got, want := loaded(t, c, "train"), []string{"dev-2004", "dev-2005", "train-2001", "train-2002", "train-2003"}; !slices.Equal(got, want) {
		t.Errorf("train is %v, want %v", got, want)
	}
	want := "no split dev of its own (have other, test, train): corpus.merge adds its notes to train, so its scores would be meaningless"
	if _, err := c.Load("dev", nil); err == nil || err.Error() != "corpus: "+want {
		t.Errorf("dev: error %v", err)
	}
	run := &Run{Dir: "run", Config: &Config{Corpus: *c}}
	if _, err := run.CalibrationNotes("dev", nil); err == nil || err.Error() != "run: the run's corpus has "+want {
		t.Errorf("calibration on dev: error %v", err)
	}
	if _, _, err := run.Found("dev"); err == nil || err.Error() != "run: the run's corpus has "+want {
		t.Errorf("predictions for dev: error %v", err)
	}

	train, dev, loading, err := c.load(false, check.Options{}, nil)
	if err != nil || len(train) != 5 || dev != nil {
		t.Errorf("%d and %d notes to train, error %v", len(train), len(dev), err)
	}
	checking, err := c.Check(check.Options{}, nil)
	if err != nil {
		t.Error(err)
	}
	for i, report := range []*check.Report{loading, checking} {
		if len(report.Splits) != 3 || !strings.HasPrefix(report.Splits[0].String(), "train with dev: 5 notes, 5 spans of 1 type") || !strings.HasPrefix(report.Splits[1].String(), "other: 1 note") {
			t.Errorf("report %d: %v", i, report.Splits)
		}
	}

	// Notes of a merged split are training notes when other splits are compared with train.
	c.Splits["test"] = yearly(t, map[string][]int{"test": {2005, 2006}})["test"]
	if _, _, _, err := c.load(false, check.Options{}, nil); err == nil || !strings.HasPrefix(err.Error(), "corpus: 1 of the 2 notes of split test has the same text as a note of train, ") {
		t.Errorf("a note of dev in test: error %v", err)
	}
}

// A merged dev cannot determine the best epoch.
func TestMergedDevIsRequired(t *testing.T) {
	c := &Corpus{Format: "synth", Types: data.TypeSetConfig{Name: "i2b2-2014"}, Notes: map[string]int{"train": 3, "dev": 2}, Merge: []string{"train", "dev"}}
	want := "corpus: the system requires the split dev, which corpus.merge adds to train: set training.patience to 0, " +
		"or create dev from a part of the merged notes with corpus.hold_out"
	if err := c.checkSplits(true); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	if err := c.checkSplits(false); err != nil {
		t.Error(err)
	}
	c.HoldOut.Fraction = 0.2
	if err := c.checkSplits(true); err != nil {
		t.Error(err)
	}
	if n := len(loaded(t, &Corpus{Format: "synth", Types: data.TypeSetConfig{Name: "i2b2-2014"}, Notes: c.Notes, Merge: c.Merge, Seed: 1}, "train")); n != 5 || c.total("train") != 5 {
		t.Errorf("%d generated notes, announced as %d, want 5", n, c.total("train"))
	}
}

// Fold, hold-out and subset divide the notes of all merged splits.
func TestPartsOfMergedSplits(t *testing.T) {
	given := map[string][]int{"train": {}, "dev": {}}
	for i := range 12 {
		given["train"] = append(given["train"], 2001+i)
		given["dev"] = append(given["dev"], 2021+i)
	}
	c := &Corpus{Format: "jsonl", Types: data.TypeSetConfig{Name: "i2b2-2014"}, Splits: yearly(t, given), Merge: []string{"train", "dev"}, Seed: 1,
		Fold: Fold{1, 4, "patient"}, HoldOut: HoldOut{0.5, "patient"}, Subset: Subset{By: "document", Seed: 1}}
	if err := c.validate(); err != nil {
		t.Fatal(err)
	}
	if want := []string{"dev", "test", "train"}; !slices.Equal(c.SplitNames(), want) {
		t.Errorf("splits %v, want %v", c.SplitNames(), want)
	}
	train, dev, test := loaded(t, c, "train"), loaded(t, c, "dev"), loaded(t, c, "test")
	if len(train) != 9 || len(dev) != 9 || len(test) != 6 {
		t.Errorf("%d, %d and %d notes, want 9, 9 and 6", len(train), len(dev), len(test))
	}
	all := slices.Concat(train, dev, test)
	slices.Sort(all)
	if len(slices.Compact(all)) != 24 {
		t.Error("a note is in two parts, or in none")
	}
	for name, ids := range map[string][]string{"train": train, "dev": dev, "test": test} {
		for source := range given {
			if !slices.ContainsFunc(ids, func(id string) bool { return strings.HasPrefix(id, source) }) {
				t.Errorf("the part %s has no note of %s: %v", name, source, ids)
			}
		}
	}
	c.Subset.Documents = 5
	if few := loaded(t, c, "train"); len(few) != 5 || slices.ContainsFunc(few, func(id string) bool { return !slices.Contains(train, id) }) {
		t.Errorf("a subset of 5 is %v, of %v", few, train)
	}
}

func TestMergeOfBadSplits(t *testing.T) {
	dir := t.TempDir()
	const note = `{"id":"a","text":"In 2087.","spans":[{"start":3,"end":7,"type":"DATE"}]}` + "\n"
	train := write(t, filepath.Join(dir, "train.jsonl"), note)
	for name, tc := range map[string]struct{ dev, want string }{
		"same ID":       {`{"id":"b","text":"In.","spans":[]}` + "\n" + note, "corpus.merge: a note of split train and one of split dev have the same ID a: rename one of them"},
		"no annotation": {`{"id":"b","text":"In 2088.","spans":[]}` + "\n", "corpus.merge: split dev contains no annotation to learn from"},
		"no note":       {"", "corpus.merge: split dev contains no annotation to learn from"},
		"bad note":      {`{"id":"b"}` + "\n", "dev.jsonl:1: "},
	} {
		c := &Corpus{Format: "jsonl", Types: data.TypeSetConfig{Name: "i2b2-2014"}, Merge: []string{"train", "dev"},
			Splits: paths(map[string]string{"train": train, "dev": write(t, filepath.Join(dir, "dev.jsonl"), tc.dev)})}
		if _, err := c.Load("train", nil); err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want %s", name, err, tc.want)
		}
	}
}
