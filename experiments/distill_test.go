package experiments

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/check"
	"github.com/lethe-deid/lethe/deid/augment"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/wholefile"
	"github.com/lethe-deid/lethe/models"
	"github.com/lethe-deid/lethe/taggers"
)

// doctors is a teacher that finds the word Falk, and types that the notes do not have.
type doctors struct{ stop func() }

func (d doctors) Tag(ctx context.Context, docs []*data.Document) ([][]data.Span, error) {
	if d.stop != nil {
		d.stop()
	}
	found := make([][]data.Span, len(docs))
	for i, doc := range docs {
		for at := 0; ; {
			n := strings.Index(doc.Text[at:], "Falk")
			if n < 0 {
				break
			}
			found[i] = append(found[i], data.Span{Start: at + n, End: at + n + 4, Type: "DOCTOR", Score: 0.5})
			at += n + 4
		}
		if n := strings.Index(doc.Text, "DNA"); n >= 0 {
			found[i] = append(found[i], data.Span{Start: n, End: n + 3, Type: "BIOID", Score: 1})
		}
	}
	return found, ctx.Err()
}

// silver returns a source of five silver notes.
func silver(t *testing.T, stop func()) *Silver {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "weights"), "x")
	texts := []*data.Document{
		{Text: "\r\nSeen by Falk.\r\nHe is well.\r\n  \r\nNo DNA was found.\r\n"},
		{Text: ""},
		{Text: "\n\nFalk and Falk.\n\n\nShe left.\n\n" + strings.Repeat("Falk came. ", 5000)},
	}
	return &Silver{Teacher: &models.Model{Tagger: doctors{stop}, Types: data.I2B2, Dir: dir}, Text: data.Each(texts), PerEpoch: 3}
}

const student = `
name: student
corpus:
  format: synth
  notes: {train: 3, dev: 2}
  copies: {swap_values: 0.5, invent_values: 1}
system:
  ann:
    tokenizer: letters-digits
    sentences: line
    network: {character_embedding: 4, character_lstm: 4, token_embedding: 4, token_lstm: 4, hidden: 0}
    training: {batch: 4, epochs: 3}
`

// A distillation that is stopped while the teacher labels leaves nothing. One that is stopped later
// is resumed without the teacher, to the same bits.
func TestResumeDistillation(t *testing.T) {
	dir := t.TempDir()
	config, err := Load(write(t, filepath.Join(dir, "x.yaml"), student), nil)
	if err != nil {
		t.Fatal(err)
	}
	never := "never"
	run := func(name string, resume bool, stopAt string) (epochs int, err error) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		s := silver(t, nil)
		if stopAt == "labelling" {
			s = silver(t, stop)
		}
		if resume { // the silver notes exist
			s.Text = func(yield func(*data.Document, error) bool) { yield(nil, errors.New("the text is read again")) }
		}
		_, err = Train(ctx, config, TrainOptions{
			Dir: filepath.Join(dir, name), Resume: resume, Workers: 2, Silver: s,
			Epoch: func(taggers.Epoch) { epochs++ },
			Progress: func(stage string, done, total int) {
				if stage == stopAt {
					stop()
				}
			},
		})
		return epochs, err
	}
	if n, err := run("whole", false, never); n != 3 || err != nil {
		t.Fatalf("%d epochs, error %v", n, err)
	}
	if _, err := run("broken", false, "labelling"); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	if bounded.Exists(filepath.Join(dir, "broken")) {
		t.Error("a run without silver notes leaves a folder")
	}
	if n, err := run("broken", false, "epoch 1"); n != 0 || !errors.Is(err, context.Canceled) {
		t.Fatalf("%d epochs, error %v", n, err)
	}
	if n, err := run("broken", true, "epoch 3"); n != 2 || !errors.Is(err, context.Canceled) {
		t.Fatalf("%d epochs, error %v", n, err)
	}
	if n, err := run("broken", true, never); n != 3 || err != nil {
		t.Fatalf("%d epochs, error %v", n, err)
	}
	for _, name := range []string{"config.yaml", SilverFile, "model/best/weights.safetensors", "model/last/weights.safetensors", "evaluation/dev.json"} {
		if content(t, filepath.Join(dir, "broken", name)) != content(t, filepath.Join(dir, "whole", name)) {
			t.Errorf("%s differs between a resumed and a whole run", name)
		}
	}
}

// Silver notes have the fields of training notes, and the teacher's spans only in the narrative and
// of types that the training notes have. A narrative ends with an empty line or its text.
func TestSilverNotes(t *testing.T) {
	config, err := Load(write(t, filepath.Join(t.TempDir(), "x.yaml"), student), nil)
	if err != nil {
		t.Fatal(err)
	}
	train, _, _, err := config.Corpus.load(false, check.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	run := &Run{Dir: t.TempDir(), Config: config}
	s := silver(t, nil)
	docs, err := s.notes(t.Context(), run, train, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []struct {
		narrative string
		doctors   int
	}{{"Seen by Falk.\nHe is well.", 1}, {"No DNA was found.", 0}, {"Falk and Falk.", 2}, {"She left.", 0}, {"Falk came. Falk came.", 5000}}
	if len(docs) != len(want) {
		t.Fatalf("%d silver notes, want %d", len(docs), len(want))
	}
	for i, d := range docs {
		if d.ID != fmt.Sprintf("silver-%06d", i+1) || !strings.Contains(d.Text, want[i].narrative) {
			t.Errorf("note %d: %s without its narrative", i, d.ID)
		}
		found, gold := 0, 0
		for _, x := range d.Spans {
			switch text := d.Text[x.Start:x.End]; {
			case x.Type == "BIOID":
				t.Errorf("note %d: a type that train does not have", i)
			case text == "Falk" && x.Score == 0.5:
				found++
			case x.Score == 1:
				gold++
			}
		}
		if found != want[i].doctors || gold == 0 || found+gold != len(d.Spans) {
			t.Errorf("note %d: %d spans of the teacher, want %d, and %d of the fields", i, found, want[i].doctors, gold)
		}
	}

	few := silver(t, nil)
	few.Notes = 2
	if docs, err := few.notes(t.Context(), &Run{Dir: t.TempDir(), Config: config}, train, nil); err != nil || len(docs) != 2 {
		t.Errorf("%d notes, error %v", len(docs), err)
	}
	if _, err := silver(t, nil).notes(t.Context(), &Run{Dir: t.TempDir(), Config: config}, nil, nil); err == nil || !strings.HasPrefix(err.Error(), "train has no notes") {
		t.Errorf("without training notes: error %v", err)
	}

	// Each epoch uses the next three.
	same, err := augment.New(train, data.I2B2, augment.Options{})
	if err != nil {
		t.Fatal(err)
	}
	drawn := func(epoch int) []*data.Document {
		t.Helper()
		all, err := s.epoch(docs, same, 1, epoch)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	ids := func(epoch int) (all []string) {
		for _, d := range drawn(epoch) {
			all = append(all, d.ID[len(d.ID)-1:])
		}
		return all
	}
	for epoch, want := range map[int]string{1: "123", 2: "451", 3: "234"} {
		if got := strings.Join(ids(epoch), ""); got != want {
			t.Errorf("epoch %d uses %s, want %s", epoch, got, want)
		}
	}
	s.PerEpoch = 0
	if got := len(ids(1)); got != 5 {
		t.Errorf("%d notes, want all", got)
	}

	// Sampled, half of the teacher's spans are kept, others in each epoch, and all of the fields.
	last := docs[4]
	spans := func(epoch int) []data.Span { return drawn(epoch)[4].Spans }
	gold := len(last.Spans) - 5000
	s.Sampled = true
	first, second := spans(1), spans(2)
	if n := len(first) - gold; n < 2300 || n > 2700 || slices.Equal(first, second) || !slices.Equal(first, spans(1)) {
		t.Errorf("%d of 5000 spans are kept", n)
	}
	if len(last.Spans) != gold+5000 {
		t.Error("the silver notes were changed")
	}
}

// Renewed copies are drawn anew in each epoch; others are the same in all epochs.
func TestRenewedCopies(t *testing.T) {
	texts := func(renew bool, epochs ...int) (all []string) {
		t.Helper()
		c := Corpus{Format: "synth", Types: data.TypeSetConfig{Name: "i2b2-2014"}, Notes: map[string]int{"train": 4}, Seed: 1,
			Copies: Copies{Number: 2, DropLabels: 0.5, SwapValues: 0.3, InventValues: 0.5, Typos: 0.01, Renew: renew}}
		train, err := c.Load("train", nil)
		if err != nil {
			t.Fatal(err)
		}
		copies, err := c.copies(train)
		if err != nil {
			t.Fatal(err)
		}
		for _, epoch := range epochs {
			docs, err := copies(epoch)
			if err != nil || len(docs) != 8 {
				t.Fatalf("%d copies, error %v", len(docs), err)
			}
			var b strings.Builder
			for _, d := range docs {
				b.WriteString(d.Text)
			}
			all = append(all, b.String())
		}
		return all
	}
	if all := texts(true, 1, 2, 1, 3); all[0] == all[1] || all[1] == all[3] || all[0] == all[3] || all[0] != all[2] {
		t.Error("renewed copies do not follow from the epoch")
	}
	if texts(true, 3)[0] != texts(true, 1, 2, 3)[2] {
		t.Error("copies depend on the epochs before")
	}
	if all := texts(false, 2, 1, 2); all[0] != all[1] || all[1] != all[2] {
		t.Error("copies that are not renewed differ")
	}
	c := Corpus{}
	if copies, err := c.copies(nil); copies != nil || err != nil {
		t.Errorf("no copies: error %v", err)
	}
}

// With --sampled, the random numbers that decided whether a span of a note is kept were also those that
// decided which labels of the same note are dropped.
func TestSampledSpansAndDroppedLabelsAreIndependent(t *testing.T) {
	doc := &data.Document{ID: "a", Text: "Doctor: Falk"}
	doc.Spans = []data.Span{{Start: 8, End: 12, Type: "DOCTOR", Score: 0.5}}
	docs := slices.Repeat([]*data.Document{doc}, 400)
	augmenter, err := augment.New(docs, data.I2B2, augment.Options{DropLabels: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	drawn, err := (&Silver{Sampled: true}).epoch(docs, augmenter, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	same := 0
	for _, d := range drawn {
		if kept, dropped := len(d.Spans) == 1, d.Text == "Falk"; kept == dropped {
			same++
		}
	}
	if same < 150 || same > 250 {
		t.Errorf("in %d of 400 notes, a span is kept if and only if the label is dropped", same)
	}
}

// The second copy of a note had the same seed as the silver notes of epoch 1, and so the same names.
func TestSeedsOfCopiesAndSilverNotesDiffer(t *testing.T) {
	c := Corpus{Seed: 1}
	what := map[uint64]string{}
	add := func(seed uint64, kind string, n, epoch int) {
		t.Helper()
		name := fmt.Sprintf("%s %d of epoch %d", kind, n, epoch)
		if other, ok := what[seed]; ok {
			t.Errorf("%s and %s have the same seed", other, name)
		}
		what[seed] = name
	}
	for epoch := 1; epoch <= 100; epoch++ {
		for n := range maxCopies {
			add(c.copySeed(n, epoch), "copy", n, epoch)
		}
		add(silverSeed(c.Seed, epoch), "silver notes", 0, epoch)
	}
}

// If a run was killed before its settings were written, its configuration was there already: it could
// not be resumed as a distillation, but as a training without silver notes.
func TestSettingsOfDistillationAreWrittenBeforeConfiguration(t *testing.T) {
	dir := t.TempDir()
	config, err := Load(write(t, filepath.Join(dir, "x.yaml"), student), nil)
	if err != nil {
		t.Fatal(err)
	}
	s := silver(t, nil)
	empty, err := (&models.Model{Dir: t.TempDir()}).Digest()
	if err != nil {
		t.Fatal(err)
	}
	run := filepath.Join(dir, "run")
	s.Teacher.Dir = run // its digest tells whether there is a configuration already
	if _, err := Train(t.Context(), config, TrainOptions{Dir: run, Workers: 1, Silver: s}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(content(t, filepath.Join(run, distillFile)), empty) {
		t.Error("the configuration was written before the settings")
	}
}

// A run that was killed while the teacher labelled left a hidden file with silver notes for good.
func TestHiddenSilverNotesAreRemoved(t *testing.T) {
	config, err := Load(write(t, filepath.Join(t.TempDir(), "x.yaml"), student), nil)
	if err != nil {
		t.Fatal(err)
	}
	train, err := config.Corpus.Load("train", nil)
	if err != nil {
		t.Fatal(err)
	}
	run := &Run{Dir: t.TempDir(), Config: config}
	hidden := write(t, wholefile.HiddenPrefix(filepath.Join(run.Dir, SilverFile))+"123", "x")
	docs, err := silver(t, nil).notes(t.Context(), run, train, nil)
	if err != nil {
		t.Fatal(err)
	}
	if bounded.Exists(hidden) {
		t.Error("the hidden file is still there")
	}

	// When a part of train is held out, the silver notes with its fields must be held out, too.
	var groups []string
	for _, d := range train {
		groups = append(groups, d.Group())
	}
	for _, d := range docs {
		if !slices.Contains(groups, d.Group()) {
			t.Errorf("%s is not in the group of a training note", d.ID)
		}
	}
}
