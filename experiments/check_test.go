package experiments

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/check"
	"github.com/lethe-deid/lethe/data/format"
)

// note returns a document with spans where the text has [TYPE:value].
func note(id, patient, marked string) *data.Document {
	d := &data.Document{ID: id, Patient: patient}
	for marked != "" {
		before, rest, ok := strings.Cut(marked, "[")
		d.Text += before
		if !ok {
			break
		}
		typ, rest, _ := strings.Cut(rest, ":")
		value, after, _ := strings.Cut(rest, "]")
		d.Spans = append(d.Spans, data.Span{Start: len(d.Text), End: len(d.Text) + len(value), Type: typ, Score: 1})
		d.Text, marked = d.Text+value, after
	}
	return d
}

// Each wrong corpus, in each format that can hold it, leads to the one line that names what is wrong.
func TestWrongCorpora(t *testing.T) {
	const long = "was seen on the ward this morning and felt well enough to go home with her new tablets on the same day ."
	train := []*data.Document{note("101-01", "101", "Dr. [DOCTOR:Varga] came in [DATE:2087] ."), note("102-01", "102", "Mrs. [PATIENT:Quill] "+long)}
	with := func(docs ...*data.Document) []*data.Document { return docs }
	for name, tc := range map[string]struct {
		train, dev, test []*data.Document
		change           func(*Corpus)
		formats          string
		problem, warning string
	}{
		"dev is train": {train, train, nil, nil, "brat i2b2 meddocan conll jsonl labelstudio",
			"corpus: 2 of the 2 notes of split dev have the same text as a note of train, so its scores would be meaningless (", ""},
		"test is train": {train, nil, train, nil, "brat i2b2 jsonl",
			"corpus: 2 of the 2 notes of split test have the same text as a note of train", ""},
		"one note in both": {train, with(note("103-01", "103", "Seen in [DATE:2088] ."), train[0]), nil, nil, "brat i2b2 conll jsonl labelstudio",
			"corpus: 1 of the 2 notes of split dev has the same text as a note of train", ""},
		"overlap is allowed": {train, train, nil, func(c *Corpus) { c.AllowOverlap = true }, "brat jsonl",
			"", "2 of the 2 notes of dev have the same text as a note of train, so scores on dev are too high"},
		"test is dev": {train, with(note("103-01", "103", "Seen in [DATE:2088] .")), with(note("103-01", "103", "Seen in [DATE:2088] .")), nil, "brat i2b2 conll jsonl",
			"", "the only note of test has the same text as a note of dev, so scores on test are too high"},
		"copies with other names": {train, nil, with(note("103-01", "103", "Mrs. [PATIENT:Oakley] "+long)), nil, "brat i2b2 meddocan conll jsonl labelstudio",
			"", "the only note of test is nearly the same as a note of train (similarity from 0.7)"},
		"patients in two splits": {train, nil, with(note("101-02", "101", "Seen in [DATE:2088] .")), nil, "brat i2b2 jsonl",
			"", "the only patient of test also has notes in train, so scores on test are too high for new patients"},
		"train without spans": {with(note("101-01", "101", long)), train, nil, nil, "brat i2b2 meddocan conll jsonl",
			"corpus: split train contains no annotation to learn from", ""},
		"dev without spans": {train, with(note("103-01", "103", "Did not come .")), nil, nil, "brat i2b2 conll jsonl",
			"corpus: split dev contains no annotation to score", ""},
		"half of train without spans": {append(with(note("104-01", "104", "Dr. Roe came .")), train...)[:2], nil, nil, nil, "brat i2b2 conll jsonl",
			"", "train: 1 of 2 notes have no span: make sure that they were annotated"},
		"a type that is only in dev": {train, with(note("103-01", "103", "In [CITY:Oakton] .")), nil, nil, "brat i2b2 conll jsonl",
			"", "types that train does not contain, so a trained system never finds them: CITY (dev 1)"},
		"rare types": {train, nil, nil, nil, "brat conll",
			"", "types with fewer than 10 spans in train: DATE 1, DOCTOR 1, PATIENT 1"},
		"an unknown type": {train, with(note("103-01", "103", "In [WARD:Oak] .")), nil, nil, "brat i2b2 conll jsonl labelstudio",
			"the type WARD is not in the type set i2b2-2014", ""},
		"a type in lower case": {train, with(note("103-01", "103", "In [City:Oakton] .")), nil, nil, "brat conll jsonl",
			"the type City is not in the type set i2b2-2014, which has CITY", ""},
		"by patient, but unknown": {train, nil, nil, func(c *Corpus) { c.HoldOut = HoldOut{0.5, data.ByPatient} }, "conll",
			"corpus.hold_out: by patient, but 2 of 2 notes (such as 101-01) do not name their patient", ""},
		"more folds than patients": {train, nil, nil, func(c *Corpus) { c.Fold = Fold{1, 5, data.ByPatient} }, "brat i2b2 jsonl",
			"corpus.fold: 5 folds require as many patients, but there are only 2", ""},
		"held out by document": {append(with(note("101-02", "101", "Seen again in [DATE:2089] .")), train[0]), nil, nil, func(c *Corpus) { c.HoldOut = HoldOut{0.5, data.ByDocument} }, "brat i2b2 jsonl",
			"", "the only patient of dev also has notes in train, so scores on dev are too high for new patients"},
		"nested spans": {with(&data.Document{ID: "101-01", Text: "In Oak City .", Spans: []data.Span{{Start: 3, End: 11, Type: "HOSPITAL", Score: 1}, {Start: 7, End: 11, Type: "CITY", Score: 1}}}), nil, nil, nil, "brat i2b2 jsonl labelstudio",
			"", "1 of 2 spans of train cannot be learned exactly, so that strict recall is at most 0.5000 with tokenizer ptb, sentences line, scheme BIO: 1 not learned, because each overlaps a longer span (CITY 1)"},
		"part of a token": {with(note("101-01", "101", "The [AGE:47]yo came .")), nil, nil, nil, "brat i2b2 meddocan jsonl",
			"", "1 learned and found with other borders, because each begins or ends inside a token (AGE 1)"},
		"over a line end": {with(note("101-01", "101", "At [HOSPITAL:Oak\nHouse] .")), nil, nil, nil, "i2b2 jsonl",
			"", "1 learned and found in parts, because each crosses the end of a sentence (HOSPITAL 1)"},
	} {
		for _, form := range strings.Fields(tc.formats) {
			c := &Corpus{Format: form, Types: data.TypeSetConfig{Name: "i2b2-2014"}, Splits: paths(map[string]string{}), Seed: 1}
			for split, docs := range map[string][]*data.Document{TrainSplit: tc.train, DevSplit: tc.dev, TestSplit: tc.test} {
				if docs == nil {
					continue
				}
				dir := filepath.Join(t.TempDir(), split)
				types := data.I2B2
				for _, name := range data.Any.Used(docs) {
					if !types.Has(name) {
						types = data.Any
					}
				}
				out, err := format.Create(form, dir, types)
				if err != nil {
					t.Fatal(err)
				}
				for _, d := range docs {
					fitted := *d
					format.Fit(form, &fitted)
					if err := out.Write(&fitted); err != nil {
						t.Fatalf("%s, %s: %v", name, form, err)
					}
				}
				if err := out.Close(); err != nil {
					t.Fatal(err)
				}
				c.Splits[split] = Sources{{Path: dir}}
			}
			if tc.change != nil {
				tc.change(c)
			}
			report, err := c.Check(check.Options{Labellings: []check.Labelling{{Tokenizer: "ptb", Sentences: "line", MaxTokens: 1000, Scheme: data.BIO}}}, nil)
			if err != nil {
				t.Errorf("%s, %s: %v", name, form, err)
				continue
			}
			problems, warnings := strings.Join(report.Problems, "\n"), strings.Join(report.Warnings, "\n")
			if !strings.Contains(problems, tc.problem) || tc.problem == "" && problems != "" {
				t.Errorf("%s, %s: problems\n%s\nwant %s", name, form, problems, tc.problem)
			}
			if !strings.Contains(warnings, tc.warning) {
				t.Errorf("%s, %s: warnings\n%s\nwant %s", name, form, warnings, tc.warning)
			}
			_, _, _, err = c.load(false, check.Options{}, nil)
			if refused := err != nil; refused != (tc.problem != "") {
				t.Errorf("%s, %s: to train on it leads to the error %v", name, form, err)
			}
		}
	}
}

// Checks before training did not read what train consists of twice, and reported a missing split once.
func TestMissingSplits(t *testing.T) {
	dir := t.TempDir()
	corpus(t, filepath.Join(dir, "train"), 3)
	c := &Corpus{Format: "brat", Types: data.TypeSetConfig{Name: "i2b2-2014"}, Seed: 1, Splits: paths(map[string]string{"train": filepath.Join(dir, "train"), "dev": filepath.Join(dir, "dev"), "test": filepath.Join(dir, "test")})}
	report, err := c.Check(check.Options{}, nil)
	want := "corpus.splits.dev: stat " + filepath.Join(dir, "dev") + ": no such file or directory\ncorpus.splits.test: stat " + filepath.Join(dir, "test") + ": no such file or directory"
	if err == nil || err.Error() != want || report == nil || len(report.Splits) != 1 {
		t.Errorf("error %v", err)
	}
	if _, _, _, err := c.load(false, check.Options{}, nil); err == nil || !strings.HasPrefix(err.Error(), "corpus.splits.dev: ") {
		t.Errorf("error %v", err)
	}
	delete(c.Splits, "dev")
	_, _, report, err = c.load(false, check.Options{}, nil)
	if err != nil || !strings.Contains(strings.Join(report.Warnings, "\n"), "corpus.splits.test: stat ") {
		t.Errorf("error %v", err)
	}
	if err := os.Remove(filepath.Join(dir, "train", "note-01.ann")); err != nil {
		t.Fatal(err)
	}
	c.HoldOut = HoldOut{0.5, "document"}
	report, err = c.Check(check.Options{}, nil)
	if err == nil || len(report.Problems) != 1 || len(report.Splits) != 1 || report.Splits[0].Notes != 2 {
		t.Errorf("of a corpus that cannot be divided: error %v, %+v", err, report)
	}
}
